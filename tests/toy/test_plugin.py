"""Games of other packages are found by their entry points; one that can't be loaded does not affect the others."""

import os
from pathlib import Path

from tests.commands import python

PROGRAM = """
import io, sys
import gymnasium
from carnegie_env import cli, collection
assert collection.names()[2:] == ("broken", "tic_tac_toe"), collection.names()
assert collection.find("tic_tac_toe").title == "Tic Tac Toe"
assert gymnasium.make("TicTacToe/Versus-v0").reset(seed=0)[0].shape == (27,)
try:
    collection.find("broken")
except ValueError as error:
    assert "the game broken of the package plugin can't be loaded from nowhere:GAME" in str(error), error
else:
    raise AssertionError("no error")
assert cli.main(["new", "--game", "broken"]) == 2

assert cli.main(["arena", "--game", "tic_tac_toe", "--agents", "a=random", "b=random", "--deals", "4"]) == 0

sys.stdin = io.StringIO("".join(f"mark {square}\\n" for square in range(1, 10)))
assert cli.main(["play", "--game", "tic_tac_toe"]) == 0

from tests.web.served import Here
with Here(".") as here:
    made = here.new("tic_tac_toe", "here", "here")
    decision = {"decisions": 0, "action": "mark 5"}
    assert here.post(f"{made.path}/decisions", made["key"], decision)["decisions"] == 1
"""


def install(folder: Path) -> None:
    """Make a folder for PYTHONPATH a place with a package of games: a broken one, and tic-tac-toe."""
    about = folder / "plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[carnegie_env.games]\nbroken = nowhere:GAME\ntic_tac_toe = tests.toy.tic_tac_toe:TIC_TAC_TOE\n"
    )


def test_a_game_of_another_package(tmp_path):
    """It is found by its name, and works in the arena, in the terminal and on the web page."""
    install(tmp_path)
    path = os.pathsep.join((os.environ["PYTHONPATH"], str(tmp_path)))
    python("-c", PROGRAM, cwd=tmp_path, PYTHONPATH=path, NUMBA_DISABLE_JIT="1")
