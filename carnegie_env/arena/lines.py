"""The lines of the arena's file, in JSON: first what is played, then every game."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

FORMAT = 1  # of the file; it grows when older files can't be gone on with
PER_OCTAVE = 4  # classes of times for each factor of 2: the middle of one is at most 9 % from all in it
CLASSES = 128  # from 1 microsecond on
CRASH, HANG, NONSENSE = "crash", "hang", "nonsense"  # how an agent can lose a game without playing it to its end


class Entrant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A participant: its label in tables, the registry's name for it, and its version."""

    label: str
    spec: str
    version: str = ""


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a match, and the programs that play it.

    Args:
        arena: format of the file.
        game: its name.
        options: all of its options, by name.
        agents: the participants.
        tables: agents that sit together, by their numbers; None: all play all others.
        seed: of the first deal; deal d has ``seed + d``. The agents' seeds are derived from it.
        deals_at_once: deals of a chunk, whose games are played side by side by agents made for it.
        time_limit: seconds for a decision.
        question: of a sequential test; None: there is none.
        signature: of the game's behaviour, as `carnegie-env bench` prints it.
        versions: of the programs, by name.
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


class Clock(msgspec.Struct, frozen=True, array_like=True):
    """An agent's thinking time in a game.

    Args:
        decisions: the number timed: all but the first of a process, which may wait for the compiler.
        seconds: in all; a decision of games side by side has its share of the call.
        worst: the longest one.
        classes: the number that took 2**(k / PER_OCTAVE) microseconds, up to the next k: by k.
    """

    decisions: int
    seconds: float
    worst: float
    classes: dict[int, int]


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a game was not played to its end.

    Args:
        agent: at fault.
        seat: its seat; -1 if it failed before the first decision.
        kind: "crash", "hang" or "nonsense".
        decision: decisions taken before.
        text: what was wrong, with the traceback.
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
        valued, visited: uint16, for each decision the number of values, and of visits: one for each legal action, or
            none. Empty, with ``values`` and ``visits``, if they were not asked for.
        values: float32: what the agent expected of these actions, in the order of their numbers.
        visits: uint32: how often its search tried them.
    """

    actions: bytes
    valued: bytes = b""
    visited: bytes = b""
    values: bytes = b""
    visits: bytes = b""


class GameLine(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One game.

    Args:
        deal, number: deal, and game of that deal, from 0.
        seats: the agent on each seat.
        decisions: decisions taken.
        results: the values of the game's ``rank_by`` for each side; empty if the game was not played to its end.
        categories: each side's score by category.
        clocks: times by agent.
        fault: why it was not played to its end.
        moves: its decisions, for datasets; the arena's file does without.
    """

    deal: int
    number: int
    seats: tuple[int, ...]
    decisions: int
    results: tuple[tuple[int, ...], ...]
    categories: tuple[dict[str, int], ...]
    clocks: dict[int, Clock]
    fault: Fault | None = None
    moves: Moves | None = None


class Clocks:
    """Times of decisions while games are played: arrays (games, agents)."""

    def __init__(self, games: int, agents: int) -> None:
        self._decisions = np.zeros((games, agents), np.int64)
        self._seconds = np.zeros((games, agents))
        self._worst = np.zeros((games, agents))
        self._classes = np.zeros((games, agents, CLASSES), np.int32)

    def add(self, agent: int, rows: NDArray[np.int64], seconds: float) -> None:
        """An agent's decisions in some games, asked for at once, took ``seconds`` in all."""
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
    """The time in seconds that a share of the decisions stays below: the middle of its class; 0 if there are none."""
    total, below = sum(classes.values()), 0
    for k in sorted(classes):
        below += classes[k]
        if below >= share * total:
            return float(2 ** ((k + 0.5) / PER_OCTAVE) / 1e6)
    return 0.0
