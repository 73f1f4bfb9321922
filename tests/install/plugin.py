"""Uses the game tic_tac_toe of another installed package (tests/toy/tic_tac_toe.py): `python plugin.py` in an empty
folder, with the extras `data` and `web`."""

import json
import subprocess
import sysconfig
import urllib.request
from pathlib import Path
from typing import Any

NAME = "tic_tac_toe"
COMMAND = Path(sysconfig.get_path("scripts"), "carnegie-env")


def run(*arguments: str, keys: str = "") -> str:
    """Run `carnegie-env`; returns what it prints."""
    line = [COMMAND, arguments[0], "--game", NAME, *arguments[1:]]
    done = subprocess.run(line, input=keys, capture_output=True, encoding="utf-8", timeout=900)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def command_line() -> None:
    run("play", "--record", "game.txt", keys="".join(f"mark {square}\n" for square in range(1, 10)))
    assert f"game {NAME}" in Path("game.txt").read_text(encoding="utf-8")
    assert "50 random games" in run("simulate", "--games", "50")
    assert "ahead of" in run("arena", "--agents", "a=random", "b=random", "--deals", "2")


def environment() -> None:
    import gymnasium

    import carnegie_env  # noqa: F401  (registers the ids)

    assert gymnasium.make("TicTacToe/Versus-v0").reset(seed=0)[0].shape == (27,)


def dataset() -> None:
    from carnegie_env.datasets import Dataset

    run("generate", "--agents", "random", "random", "--games", "20", "--out", "games")
    assert len(Dataset("games")) == 20


def web_page() -> None:
    server = subprocess.Popen([COMMAND, "serve", "--data", "games.sqlite"], stdout=subprocess.PIPE, encoding="utf-8")
    assert server.stdout is not None
    address, _, key = server.stdout.readline().strip().partition("/#host=")

    def post(path: str, key: str, content: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{address}/api/tables{path}", json.dumps(content).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return dict(json.load(answer))

    try:
        made = post("", key, {"game": NAME, "seats": [{"kind": "here"}, {"kind": "here"}]})
        decision = {"decisions": 0, "action": "mark 5"}
        assert post(f"/{made['table']}/decisions", made["key"], decision)["decisions"] == 1
    finally:
        server.terminate()
        server.wait(60)


if __name__ == "__main__":
    command_line()
    environment()
    dataset()
    web_page()
