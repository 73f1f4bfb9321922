"""The decisions of games that are played side by side, with the agents' values, for datasets."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents.base import Judgement
from carnegie_env.arena.lines import Moves
from carnegie_env.core.validation import array_of


class Notes:
    """The decisions of some games, in order.

    Args:
        games: the number of games.
        opening: the actions of each decision of the random opening, int64 (games,); -1: the game was over.
        values: whether values are stored.
    """

    def __init__(self, games: int, opening: list[NDArray[np.int64]], values: bool) -> None:
        self._games, self._with_values = games, values
        self._parts: dict[str, list[tuple[NDArray[np.int64], NDArray[Any]]]] = defaultdict(list)  # rows and numbers
        for actions in opening:
            running = np.flatnonzero(actions >= 0)
            self.add(running, actions[running], None, Judgement(actions[running]))

    def add(
        self, rows: NDArray[np.int64], actions: NDArray[np.int64], masks: NDArray[np.int8] | None, judged: Judgement
    ) -> None:
        """Add one decision in each of several games.

        Args:
            rows: the games, int64 (n,).
            actions: the decisions, int64 (n,).
            masks: the legal actions, 0/1, (n, A); None: the agent has no values.
            judged: the agent's answer.

        Raises:
            ValueError: the values do not have the shape (n, A), or are not finite for legal actions.
        """
        self._parts["actions"].append((rows, actions.astype("<u2")))
        for lengths, name, dtype in (("valued", "values", "<f4"), ("visited", "visits", "<u4")):
            given = None if masks is None else getattr(judged, name)
            counts = np.zeros(len(rows), np.int64)
            if masks is not None and given is not None:
                legal = masks.astype(bool)
                counts = legal.sum(axis=1)
                self._parts[name].append((np.repeat(rows, counts), _legal_ones(name, given, legal, np.dtype(dtype))))
            if self._with_values:
                self._parts[lengths].append((rows, counts.astype("<u2")))

    def moves(self) -> list[Moves]:
        """The decisions of each game."""
        return [Moves(*each) for each in zip(*map(self._by_game, Moves.__struct_fields__), strict=True)]

    def _by_game(self, name: str) -> list[bytes]:
        """The numbers of each game, in the order in which they were added."""
        if not self._parts[name]:
            return [b""] * self._games
        rows, numbers = map(np.concatenate, zip(*self._parts[name], strict=True))
        content = numbers[np.argsort(rows, kind="stable")].tobytes()
        ends = np.cumsum(np.bincount(rows, minlength=self._games) * numbers.itemsize).tolist()
        return [content[first:last] for first, last in zip([0, *ends], ends, strict=False)]


def _legal_ones(name: str, given: Any, legal: NDArray[np.bool_], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An agent's numbers for the legal actions, row by row."""
    found = array_of(f"its {name}", given)
    if found.shape != legal.shape or found.dtype.kind not in "iuf":
        raise ValueError(f"its {name} are {found.dtype} of shape {found.shape}, not numbers of shape {legal.shape}")
    chosen = found[legal]
    if not np.isfinite(chosen).all() or (dtype.kind == "u" and ((chosen < 0) | (chosen > 2**32 - 1)).any()):
        raise ValueError(f"its {name} of a legal action can't be stored: it must be finite and in range")
    return chosen.astype(dtype)
