"""OpenEnv: a server, and the generic client over a WebSocket."""

import contextlib
import random
import socket
import threading
import time
from collections.abc import Iterator

import uvicorn
from openenv.core.generic_client import GenericEnvClient

from carnegie_env.text.for_openenv import make_app
from tests.clients.stand_in import ILLEGAL, answer_to


@contextlib.contextmanager
def serving(**settings) -> Iterator[str]:
    listening = socket.create_server(("127.0.0.1", 0))  # no other program can take its port
    server = uvicorn.Server(uvicorn.Config(make_app(**settings), log_level="error"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


def play(env, generator, found):
    while not found.done:
        assert f"You are player_{found.observation['seat']}" in found.observation["text"]
        found = env.step({"text": answer_to(found.observation["text"], generator)})
    return found


def check_alone() -> None:
    """One player in the solo game, and against agents; the reward is the margin."""
    with serving(style="compact") as address, GenericEnvClient(base_url=address).sync() as env:
        for settings in ({"options": {"num_players": 1}}, {"options": {"num_players": 3}, "opponents": "random"}):
            found = env.reset(seed=3, **settings)
            assert "HOW TO ANSWER" in found.observation["rules"] and found.observation["seat"] == 0
            found = play(env, random.Random(1), found)
            assert found.reward == found.observation["rewards"][0] != 0
        assert env.state()["step_count"] > 20


def check_together() -> None:
    """All seats in one connection, in two connections at once."""
    with serving(game="steel_driver", options={"num_players": 3}, seats="all", reward="win") as address:
        with GenericEnvClient(base_url=address).sync() as one, GenericEnvClient(base_url=address).sync() as other:
            results = [env.reset(seed=1) for env in (one, other)]
            results = [play(env, random.Random(5), found) for env, found in zip((one, other), results, strict=True)]
            assert results[0].observation["rewards"] == results[1].observation["rewards"]
            assert abs(sum(results[0].observation["rewards"])) < 1e-5


def check_illegal() -> None:
    """Refused answers are told why, and lose the game in the end."""
    with serving(tries=2) as address, GenericEnvClient(base_url=address).sync() as env:
        env.reset(seed=1)
        found = env.step({"text": ILLEGAL})
        assert "Refused: there is no action" in found.observation["text"] and not found.done
        found = env.step({"text": ILLEGAL})
        assert found.done and found.reward < -100


def check_random_deals() -> None:
    """Resets without a seed give different deals; the seed in the state gives the same deal again."""
    with serving() as address, GenericEnvClient(base_url=address).sync() as env:
        texts = {env.reset().observation["text"] for _ in range(5)}
        last, seed = env.reset().observation["text"], env.state()["seed"]
        assert len(texts) > 1 and env.reset(seed=seed).observation["text"] == last
        assert env.state()["seed"] == seed
