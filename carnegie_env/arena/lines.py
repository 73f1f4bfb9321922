"""The lines of the arena's file, in JSON: the settings, then the games."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.facts import FIRST_EDITION

FORMAT = 1  # of the file; raised when older files can't be resumed
PER_OCTAVE = 4  # classes of times per factor of 2; the middle of a class is within 9 % of all its times
CLASSES = 128  # from 1 microsecond on
Number = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]  # exact as a float
CRASH, HANG, NONSENSE = "crash", "hang", "nonsense"  # faults that lose a game before its end


class Entrant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A participant: its label in tables, the registry's name for it, and its version.

    Raises:
        ValueError: one of them has characters that can't be printed.
    """

    label: str
    spec: str
    version: str = ""

    def __post_init__(self) -> None:
        if not f"{self.label}{self.spec}{self.version}".isprintable():
            raise ValueError(f"an agent's name must have printable characters only, not {self.label!r} ({self.spec!r})")


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a match, and the programs that play it.

    Args:
        arena: format of the file.
        game: its name.
        options: all of its options, by name.
        agents: the participants.
        tables: agents that sit together, by number; None: all agents play each other.
        seed: of the first deal; deal d has ``seed + d``. The agents' seeds are derived from it.
        deals_at_once: deals in a chunk whose games are played side by side; 0: games are played one by one.
        time_limit: seconds for a decision.
        question: of a sequential test; None: no test.
        signature: of the engine, see `carnegie-env bench`.
        versions: of the programs, by name.
        edition: of the component tables.
    """

    arena: int
    game: str
    options: dict[str, Any]
    agents: tuple[Entrant, ...]
    tables: tuple[tuple[int, ...], ...] | None
    seed: int
    deals_at_once: int
    time_limit: float
    question: dict[str, Any] | None
    signature: int
    versions: dict[str, str]
    edition: str = FIRST_EDITION


class Clock(msgspec.Struct, frozen=True, array_like=True):
    """An agent's thinking time in a game.

    Args:
        decisions: the number of timed decisions: all except the first in a process, which may wait for the compiler.
        seconds: their total; with games side by side a decision counts with its share of the call.
        worst: the longest decision.
        classes: the number of decisions by k: from 2**(k / PER_OCTAVE) microseconds up to the next k.
    """

    decisions: Number
    seconds: float
    worst: float
    classes: dict[Annotated[int, msgspec.Meta(ge=0, lt=CLASSES)], Number]


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reason why a game was not finished.

    Args:
        agent: the agent at fault.
        seat: its seat; -1 if it failed before the first decision.
        kind: "crash", "hang" or "nonsense".
        decision: the number of decisions taken before.
        text: a description, with the traceback.
    """

    agent: int
    seat: int
    kind: str
    decision: int
    text: str


class Moves(msgspec.Struct, frozen=True, array_like=True):
    """The decisions of a game, as little-endian numbers, for datasets.

    Args:
        actions: uint16, one for each decision in order, including the opening.
        valued, visited: uint16, for each decision the number of values and of visits: one for each legal action, or
            none. Empty like ``values`` and ``visits`` if values are not stored.
        values: float32, the agent's values of these actions, in the order of action numbers.
        visits: uint32, the visits of these actions in its search.
    """

    actions: bytes
    valued: bytes = b""
    visited: bytes = b""
    values: bytes = b""
    visits: bytes = b""


class GameLine(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One game.

    Args:
        deal, number: the deal, and the number of the game in the deal, from 0.
        seats: the agent on each seat.
        decisions: the number of decisions.
        results: the values of the game's ``rank_by`` for each side; empty if the game was not finished.
        categories: each side's score by category.
        clocks: thinking times by agent.
        fault: why the game was not finished.
        moves: the decisions, for datasets only.
    """

    deal: int
    number: int
    seats: tuple[int, ...]
    decisions: Number
    results: tuple[tuple[Number, ...], ...]
    categories: tuple[dict[str, Number], ...]
    clocks: dict[int, Clock]
    fault: Fault | None = None
    moves: Moves | None = None


class Clocks:
    """The times of decisions in running games: arrays (games, agents)."""

    def __init__(self, games: int, agents: int) -> None:
        self._decisions = np.zeros((games, agents), np.int64)
        self._seconds = np.zeros((games, agents))
        self._worst = np.zeros((games, agents))
        self._classes = np.zeros((games, agents, CLASSES), np.int32)

    def add(self, agent: int, rows: NDArray[np.int64], seconds: float) -> None:
        """Add the time of one call, in which an agent decided in several games."""
        each = seconds / len(rows)
        self._decisions[rows, agent] += 1
        self._seconds[rows, agent] += each
        self._worst[rows, agent] = np.maximum(self._worst[rows, agent], each)
        self._classes[rows, agent, class_of(each)] += 1

    def of(self, row: int) -> dict[int, Clock]:
        return {
            int(agent): Clock(
                int(self._decisions[row, agent]),
                round(float(self._seconds[row, agent]), 9),
                round(float(self._worst[row, agent]), 9),
                {int(k): int(self._classes[row, agent, k]) for k in np.flatnonzero(self._classes[row, agent])},
            )
            for agent in np.flatnonzero(self._decisions[row])
        }


def class_of(seconds: float) -> int:
    return int(np.clip(PER_OCTAVE * np.log2(max(seconds, 1e-9) * 1e6), 0, CLASSES - 1))


def quantile(classes: dict[int, int], share: float) -> float:
    """A quantile of the times in seconds, as the middle of its class; 0 without decisions."""
    total, below = sum(classes.values()), 0
    for k in sorted(classes):
        below += classes[k]
        if below >= share * total:
            return float(2 ** ((k + 0.5) / PER_OCTAVE) / 1e6)
    return 0.0
