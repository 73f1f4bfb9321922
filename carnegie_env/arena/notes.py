"""The decisions of games that are played side by side, and the agents' values: for datasets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents.base import Judgement
from carnegie_env.arena.lines import Moves

MOST_ACTIONS = 2**16  # that a number of 16 bits can say


class Notes:
    """The decisions of some games, in order.

    Args:
        games: the number.
        opening: the actions of the random opening, int64 (games,) each; -1: the game was over.
        values: whether the agents' values are kept.
    """

    def __init__(self, games: int, opening: list[NDArray[np.int64]], values: bool) -> None:
        self._games, self._wanted = games, values
        self._rows: list[NDArray[np.int64]] = []
        self._actions: list[NDArray[np.int64]] = []
        self._values = _Lists(games)
        self._visits = _Lists(games)
        for actions in opening:
            running = np.flatnonzero(actions >= 0)
            self.add(running, actions[running], None, Judgement(actions[running]))

    def add(
        self, rows: NDArray[np.int64], actions: NDArray[np.int64], masks: NDArray[np.int8] | None, judged: Judgement
    ) -> None:
        """Add one decision in each of some games.

        Args:
            rows: the games, int64 (n,).
            actions: the decisions, int64 (n,).
            masks: the legal actions, 0/1, (n, A); None: values are not kept.
            judged: the agent's answer.

        Raises:
            ValueError: its values are not an array of (n, A), or not finite for legal actions.
        """
        legal = None if masks is None else masks.astype(bool)
        values = visits = None
        if legal is not None:
            values = _legal_ones("values", judged.values, legal, np.float32)
            visits = _legal_ones("visits", judged.visits, legal, np.uint32)
        counts = np.zeros(len(rows), np.int64) if legal is None else legal.sum(axis=1)
        self._rows.append(rows)
        self._actions.append(actions)
        self._values.add(rows, counts, values)
        self._visits.add(rows, counts, visits)

    def moves(self) -> list[Moves]:
        rows = np.concatenate(self._rows)
        order = np.argsort(rows, kind="stable")
        edges = _edges(rows, self._games)
        actions = np.concatenate(self._actions)[order].astype("<u2")
        parts = [_cut(actions, edges)]
        if not self._wanted:
            return [Moves(each) for each in parts[0]]
        for lists in (self._values, self._visits):
            counts, numbers, their_edges = lists.sorted(order)
            parts += [_cut(counts, edges), _cut(numbers, their_edges)]
        return [
            Moves(actions, valued, visited, values, visits)
            for actions, valued, values, visited, visits in zip(*parts, strict=True)
        ]


class _Lists:
    """Some numbers for each decision: one for each legal action, or none."""

    def __init__(self, games: int) -> None:
        self._games = games
        self._counts: list[NDArray[np.int64]] = []
        self._rows: list[NDArray[np.int64]] = []
        self._numbers: list[NDArray[Any]] = []

    def add(self, rows: NDArray[np.int64], counts: NDArray[np.int64], numbers: NDArray[Any] | None) -> None:
        if numbers is None:
            self._counts.append(np.zeros(len(rows), np.int64))
            return
        self._counts.append(counts)
        self._rows.append(np.repeat(rows, counts))
        self._numbers.append(numbers)

    def sorted(self, order: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
        """Counts by decision, in this order; all numbers, by game; where each game's begin."""
        counts = np.concatenate(self._counts)[order].astype("<u2")
        if not self._numbers:
            return counts, np.zeros(0, np.float32), np.zeros(self._games + 1, np.int64)
        rows = np.concatenate(self._rows)
        return counts, np.concatenate(self._numbers)[np.argsort(rows, kind="stable")], _edges(rows, self._games)


def _legal_ones(name: str, given: Any, legal: NDArray[np.bool_], dtype: Any) -> NDArray[Any] | None:
    """An agent's numbers for the legal actions, row by row."""
    if given is None:
        return None
    found = np.asarray(given)
    if found.shape != legal.shape or found.dtype.kind not in "iuf":
        raise ValueError(f"its {name} are {found.dtype} of shape {found.shape}, not numbers of shape {legal.shape}")
    chosen = found[legal]
    if not np.isfinite(chosen).all() or (dtype == np.uint32 and ((chosen < 0) | (chosen > 2**32 - 1)).any()):
        raise ValueError(f"its {name} of a legal action can't be stored: it must be finite and in range")
    return chosen.astype(np.dtype(dtype).newbyteorder("<"))


def _edges(rows: NDArray[np.int64], games: int) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=games))]).astype(np.int64)


def _cut(numbers: NDArray[Any], edges: NDArray[np.int64]) -> list[bytes]:
    text, size = numbers.tobytes(), numbers.itemsize
    places = (edges * size).tolist()
    return [text[first:last] for first, last in zip(places, places[1:], strict=False)]
