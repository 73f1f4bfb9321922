"""verifiers: whole rollouts with its own harness and a scripted server in place of a model."""

import asyncio
import contextlib
import http.server
import json
import os
import random
import sys
import threading
from collections.abc import Iterator

import verifiers.v1 as vf
from verifiers.v1.utils import loaders

from tests.clients import EXAMPLES
from tests.clients.stand_in import ILLEGAL, answer_to

os.environ["STAND_IN_KEY"] = "none"
os.environ["PATH"] = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"  # uv, which its harness runs
sys.path.insert(0, str(EXAMPLES))
TASKSET = "verifiers_game"  # the example
SOLO = {"options": {"num_players": 1, "difficulty": "beginner"}}


class Model(http.server.BaseHTTPRequestHandler):
    """Answers chat completions."""

    protocol_version = "HTTP/1.1"
    legal = True
    generator = random.Random(2)

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        last = request["messages"][-1]["content"]
        prompt = last if isinstance(last, str) else "".join(part["text"] for part in last)
        content = answer_to(prompt, self.generator) if type(self).legal else ILLEGAL
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "stand-in", "choices": [choice]}
        kind, body = "application/json", json.dumps(answer | {"usage": usage}).encode()
        if request.get("stream"):
            choice = {"index": 0, "delta": choice["message"], "finish_reason": "stop"}
            chunk = answer | {"object": "chat.completion.chunk", "choices": [choice], "usage": usage}
            kind, body = "text/event-stream", f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def model(legal: bool = True) -> Iterator[vf.ModelContext]:
    Model.legal = legal
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key_var="STAND_IN_KEY")
    yield vf.ModelContext(model="stand-in", client=client)
    server.shutdown()


async def _episode(context: vf.ModelContext, settings: dict, turns: int | None) -> vf.Episode:
    kind = loaders.environment_class(TASKSET)
    config = kind.__orig_bases__[0].__args__[0].model_validate({"taskset": {"id": TASKSET, **settings}})
    config.player.max_turns = turns
    env = loaders.load_environment(config)
    task = next(iter(env.taskset))
    async with env.serving():
        return await env.run_episode(task, context)


def play(settings: dict, legal: bool = True, turns: int | None = None) -> vf.Episode:
    with model(legal) as context:
        episode = asyncio.run(_episode(context, settings, turns))
    assert episode.ok, (episode.errors, [trace.errors for trace in episode.traces])
    return episode


def check_alone() -> None:
    """The solo game, with its margin as the reward."""
    (trace,) = play({**SOLO, "reward": "margin"}).traces
    assert trace.rewards["margin"].value != 0 and trace.metrics["refused"] == 0 and trace.num_turns > 20


def check_together() -> None:
    """All seats of Steel Driver: a conversation for each, until one reaches its limit of turns and loses."""
    settings = {"game": "steel_driver", "options": {"num_players": 3}, "seats": [0, 1, 2], "reward": "win"}
    traces = play(settings, turns=4).traces
    rewards = sorted(trace.rewards["win"].value for trace in traces)
    assert len(traces) == 3 and rewards[0] == -1 and abs(sum(rewards)) < 1e-5
    assert all(trace.num_turns >= 2 for trace in traces)


def check_illegal() -> None:
    """Refused answers lose the game."""
    (trace,) = play({**SOLO, "tries": 2}, legal=False).traces
    assert trace.rewards["margin"].value < -100 and trace.metrics["refused"] == 2
