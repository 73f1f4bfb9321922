"""What happens in a game, decision by decision, as a seat sees it: for people who follow it in words.

:func:`steps` takes one decision apart: what was decided, then every forced decision that the rules play after it.
:func:`tell` says what came of each.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from carnegie_env.core import kernels
from carnegie_env.core.game import Game
from carnegie_env.core.position import BasePosition
from carnegie_env.core.records import as_bytes


@dataclasses.dataclass(frozen=True)
class Step:
    """A decision with what the rules do by themselves up to the next one.

    Args:
        seat: who decided.
        action: the number of what he chose.
        forced: only this was legal, and the rules played it.
        before, after: the records (``numpy.record``), copies.
    """

    seat: int
    action: int
    forced: bool
    before: Any
    after: Any


def steps(position: BasePosition[Any], action: str | int) -> list[Step]:
    """What one decision brings about; the position is left as it is.

    Args:
        position: a game that is not over.
        action: as ``position.apply`` takes it.

    Returns:
        The decision, then the forced ones in order; the last one's ``after`` is the record that ``apply`` leads to.

    Raises:
        ValueError: not a legal action.
    """
    game, number = position.game, position.number(action)
    games = as_bytes(position.games).copy().view(game.record)
    shown, decisions = games["show_forced"].copy(), games["decisions"] + 1
    mask = np.empty((1, game.num_actions(position.options)), np.int8)
    found: list[Step] = []
    while True:
        before = games.copy()
        games["show_forced"] = 1  # so that the rules stop at each
        kernels.step(games, np.array([number], np.int64))
        games["show_forced"], games["decisions"] = shown, decisions  # forced ones are not counted
        after = games.copy()
        found.append(Step(int(before[0].to_play), number, bool(found), before[0], after[0]))
        kernels.byte_masks(games, mask)
        if shown[0] or mask.sum() != 1:
            return found
        number = int(mask.argmax())


def tell(game: Game, step: Step, seat: int | None) -> list[tuple[str, str]]:
    """What a seat (None: somebody who only watches) sees happen in a step, in order.

    Returns:
        Who, the name of a side, or "" where it is nobody's; and a few words. As ``game.tell`` says, or, for a game
        without it, what changed among the single numbers of the seat's observation; nothing for who has no seat.
    """
    if game.tell is not None:
        return game.tell(step.before, step.action, step.after, seat)
    if seat is None:
        return []
    layout = game.layout(game.codec.options_of(step.after))
    seen = np.empty((2, layout.size), np.float32)
    kernels.observe(np.array([step.before, step.after], game.record), np.full(2, seat, np.int64), seen)
    old, new = (np.rint(row / layout.units).astype(int) for row in seen)
    counted = [feature for feature in layout.values() if not feature.axes and feature.most > 1]
    changed = [f"{f.name} {old[f.start]} -> {new[f.start]}" for f in counted if old[f.start] != new[f.start]]
    return [("", ", ".join(changed))] if changed else []
