"""With NUMBA_DISABLE_JIT=1 the rules run as plain Python and give the same games, action by action.

A second process, without compilation, plays the same games; both write one line for every decision, with the marks of
the whole record and of all that can be asked of it. The first line that differs says where they part.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.amounts import LONG

ROOT = Path(__file__).resolve().parents[1]


def _lines(mode: dict, seed: int, style: str, rich: bool) -> Iterator[str]:
    from carnegie_env import Position
    from carnegie_env.carnegie import actions, checks
    from carnegie_env.core import kernels
    from tests import players
    from tests.players import redraw_hidden

    game = players.whole_game(mode, seed, style, rich)
    for k, record in enumerate(game.games):
        chosen = actions.TEXTS[game.actions[k]] if k < len(game) else "over"
        line = f"{k} round {record.round_number} {players.mark(game.games[k : k + 1])}"
        if k % 10 == 0:
            position = Position._of(game.games[k : k + 1].copy())
            seen = [round(float(x), 4) for x in position.observe()]
            line += f" observed {hash(tuple(seen))} scores {position.breakdown().sum(axis=0).tolist()}"
            line += f" mask {position.legal_numbers().tolist()} fault {checks.verify(position.record)}"
            redraw_hidden(position._games, np.array([k], np.uint64))
            line += f" redrawn {players.mark(position.games)}"
        yield f"{line} then {chosen}"
    # A game played out by the kernel, and the next one of the same row.
    last = game.games[len(game) * 3 // 4 : len(game) * 3 // 4 + 1].copy()
    decisions = kernels.play_out(last, np.array([seed], np.uint64))
    seeds = np.zeros(1, np.uint64)
    kernels.next_seeds(last, seeds)
    yield f"played out in {decisions}: {players.mark(last)}, next seed {seeds[0]}"


def all_lines() -> list[str]:
    """What the engine of this process makes of some games."""
    from tests import players

    found = []
    for number, mode in enumerate([*players.MODES, *players.ALL_ON]):
        for rich in (False, True) if LONG else (True,) * (number % 2):
            style = players.STYLES[(number + 2 * rich) % 4]
            options = mode | {"timeline_tiles": ["columns", "rows"][number % 2], "show_forced": number % 3 == 0}
            title = f"{players.mode_name(mode)} {style} {'rich' if rich else 'start'}"
            found += [f"{title}: {line}" for line in _lines(options, 70 + number, style, rich)]
    return found


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="this process does not compile either")
def test_plain_python_plays_the_same_games() -> None:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.test_plain_python"]
    plain = subprocess.Popen(command, cwd=ROOT, env=environment, text=True, stdout=-1, stderr=-1)
    compiled = all_lines()
    output, errors = plain.communicate(timeout=300)
    assert plain.returncode == 0, errors[-3000:]
    lines = output.splitlines()
    for one, other in zip(compiled, lines, strict=False):
        assert one == other
    assert len(lines) == len(compiled) > 500


if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)  # a small integer that overflows is an error
    print("\n".join(all_lines()))
