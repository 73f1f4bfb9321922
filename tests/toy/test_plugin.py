"""A game of another package is found by its entry point; one that cannot be loaded is named and harms no other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import gymnasium
from carnegie_env import Batch, collection
assert collection.names()[2:] == ("broken", "tic_tac_toe"), collection.names()
assert collection.find("tic_tac_toe").title == "Tic Tac Toe"
assert gymnasium.make("TicTacToe/Versus-v0").reset(seed=0)[0].shape == (27,)
try:
    collection.find("broken")
except ValueError as error:
    assert "the game broken of the package plugin can't be loaded from nowhere:GAME" in str(error), error
else:
    raise AssertionError("no error")
"""


def test_a_game_of_another_package(tmp_path):
    root = Path(__file__).parents[2]
    folder = tmp_path / "plugin-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        "[carnegie_env.games]\nbroken = nowhere:GAME\ntic_tac_toe = tests.toy.tic_tac_toe:TIC_TAC_TOE\n"
    )
    path = f"import sys; sys.path[:0] = {[str(root), str(tmp_path)]!r}\n"
    subprocess.run([sys.executable, "-c", path + PROGRAM], check=True, env={"NUMBA_DISABLE_JIT": "1"}, timeout=120)
