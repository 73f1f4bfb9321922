"""A process in which agents play, so that the arena survives whatever they do.

An agent gets copies of the games in which it is to move, with everything that its seat can't see sampled: there is
nothing hidden to look at. The process writes its current activity to a *state* in shared memory: the agent that is
thinking, its seat and decision, since when and how long it may. The arena ends processes that are overdue (pool.py).
"""

from __future__ import annotations

import contextlib
import pickle
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import registry
from carnegie_env.agents.base import Agent, Judgement
from carnegie_env.arena.lines import CRASH, HANG, NONSENSE, Clocks, Fault, GameLine
from carnegie_env.arena.notes import Notes
from carnegie_env.arena.play import begin, play_out
from carnegie_env.arena.schedule import Seating
from carnegie_env.core.game import Game
from carnegie_env.workers import processes

STATE = STARTED, LIMIT, AGENT, SEAT, DECISION = range(5)  # entries of the state; STARTED is 0 between decisions
LONGEST_TEXT = 4000  # characters of a traceback that are kept


@dataclass(frozen=True)
class Setup:
    """The settings that all processes of an arena share.

    Args:
        game: which.
        options: of the games, by name.
        specs: the registry's names of the agents.
        seed: deal d has ``seed + d``; the agents' seeds are derived from it.
        time_limit: seconds for a decision.
        first_limit: seconds for making an agent and, in a process, for its first decision: code is loaded and compiled
            then.
        moves: lines have the decisions, in place of times and scores by category.
        values: and what the agents expected of them.
    """

    game: Game
    options: dict[str, Any]
    specs: tuple[str, ...]
    seed: int
    time_limit: float
    first_limit: float
    moves: bool = False
    values: bool = False


@dataclass(frozen=True)
class Task:
    """Games to be played.

    Args:
        games: deal, number of the game in the deal, agent on each seat.
        together: side by side, by the same agents; else one by one, with new agents for each deal and after each fault.
        known_slow: agents that exceeded ``first_limit`` once: they have the usual limit from the start.
    """

    games: tuple[tuple[int, int, Seating], ...]
    together: bool
    known_slow: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Look:
    """Ask for the properties of the agents."""


@dataclass(frozen=True)
class About:
    """The properties of an agent; ``wrong`` says why it can't play, "" if it can."""

    side_by_side: bool = False
    version: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class Apart:
    """Games that were to be played together have to be played one by one, to find the fault; ``why`` says what went
    wrong."""

    why: str = field(default="", compare=False)


class Blamed(Exception):
    """An agent has lost the game."""

    def __init__(self, agent: int, kind: str, text: str) -> None:
        super().__init__(text)
        self.agent, self.kind, self.text = agent, kind, text


def main(setup: bytes, state: Any, connection: Any, traces: str) -> None:
    """The process: one task after the other, until the arena hangs up.

    Args:
        setup: the arena's :class:`Setup`, pickled.
        state: shared memory, float64, as long as ``STATE``.
        connection: gives :class:`Task` and :class:`Look`; gets lists of :class:`GameLine` or of :class:`About`, and
            :class:`Apart`.
        traces: see processes.py.
    """
    with processes.at_work(traces):
        worker = Worker(pickle.loads(setup), state)
        while (asked := connection.recv()) is not None:
            if isinstance(asked, Look):
                connection.send(worker.look())
                continue
            for answer in worker.play(asked):
                connection.send(answer)


class Worker:
    """Plays games in this process."""

    def __init__(self, setup: Setup, state: Any) -> None:
        self._setup = setup
        self._state = state
        self._asked: set[int] = set()  # agents that have decided in this process
        self._known_slow: frozenset[int] = frozenset()

    # ---- what the arena asks for
    def look(self) -> list[About]:
        """Make every agent once."""
        found = []
        for index in range(len(self._setup.specs)):
            try:
                agent = self._made([index], 0, 0)[index]
                agent.check_plays(self._setup.game)
            except Blamed as blamed:
                cause = blamed.__cause__
                what = "" if cause is None or isinstance(cause, ValueError) else f"{type(cause).__name__}: "
                found.append(About(wrong=blamed.text if cause is None else f"{what}{cause}"))
            except ValueError as error:
                found.append(About(wrong=str(error)))
            else:
                version = str(getattr(agent, "version", "") or "")
                found.append(About(bool(getattr(agent, "side_by_side", False)), version))
        return found

    def play(self, task: Task) -> Iterator[list[GameLine] | Apart]:
        """Play games, yielding lines as they are done; or, of games together, that they have to be played apart."""
        self._known_slow = task.known_slow
        if task.together:
            try:
                lines = self._together(task)
            except BaseException as error:  # whatever it was, the game that it came from is found by playing them apart
                self._clear()
                yield Apart(str(error))
                return
            yield lines
        else:
            for line in self._apart(task):
                yield [line]

    def _together(self, task: Task) -> list[GameLine]:
        first_deal, first_number, _ = task.games[0]
        playing = {agent for _, _, seating in task.games for agent in seating}
        agents = self._made(sorted(playing), first_deal, first_number)
        return self._lines(agents, task.games)

    def _apart(self, task: Task) -> Iterator[GameLine]:
        agents: dict[int, Agent] = {}
        now = None
        for deal, number, seating in task.games:
            if deal != now:
                agents, now = {}, deal
            try:
                missing = sorted({*seating} - agents.keys())
                agents |= self._made(missing, deal, number)
                yield self._lines(agents, ((deal, number, seating),))[0]
            except Blamed as blamed:
                self._clear()
                agents = {}
                decision, seat = int(self._state[DECISION]), int(self._state[SEAT])
                fault = Fault(blamed.agent, seat, blamed.kind, decision, blamed.text)
                yield GameLine(deal, number, seating, decision, (), (), {}, fault)

    # ---- games
    def _lines(self, agents: dict[int, Agent], games: tuple[tuple[int, int, Seating], ...]) -> list[GameLine]:
        """Play games side by side; a Blamed or ValueError says that an agent has lost one."""
        setup = self._setup
        batch = setup.game.batch_class(len(games), num_threads=1, **setup.options)
        seeds = np.array([setup.seed + deal for deal, _, _ in games], np.uint64)
        opening = begin(batch, seeds)
        notes = Notes(len(games), opening, setup.values) if setup.moves else None
        seats = np.array([seating for _, _, seating in games], np.int64)
        clocks = Clocks(len(games), len(setup.specs))

        def ask(index: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
            decisions = batch.games["decisions"]
            alone = len(games) == 1
            self._state[DECISION] = decisions[rows[0]]
            self._state[SEAT] = batch.to_play[rows[0]]
            handed = batch.select(rows)
            handed.redraw_hidden(seed=seeds[rows] + np.uint64(0x9E3779B97F4A7C15) * decisions[rows].astype(np.uint64))
            masks = batch.action_masks(rows=rows) if setup.values else None
            first = index not in self._asked
            begun = time.perf_counter()
            with self._thinking(index, first):
                judged = agents[index].judge(handed) if setup.values else Judgement(agents[index].act_batch(handed))
            spent = time.perf_counter() - begun
            self._asked.add(index)
            if not first:
                clocks.add(index, rows, spent)
            actions = _integers(judged.actions, len(rows), index)
            if alone and not batch.legal(actions)[0]:
                why = batch.why_illegal(0, int(actions[0])).removeprefix("game 0: ")
                raise Blamed(index, NONSENSE, why)
            if notes is not None:
                try:
                    notes.add(rows, actions, masks, judged)
                except ValueError as error:
                    raise Blamed(index, NONSENSE, str(error)) from None
            return actions

        play_out(batch, seats, ask)
        lines = []
        results, decisions = batch.results().tolist(), batch.games["decisions"].tolist()
        if notes is not None:
            for k, (game, moves) in enumerate(zip(games, notes.moves(), strict=True)):
                lines.append(GameLine(*game, decisions[k], tuple(map(tuple, results[k])), (), {}, moves=moves))
            return lines
        rows = batch.breakdown().tolist()
        for k, (deal, number, seating) in enumerate(games):
            named = tuple(map(_points, setup.game.named_scores(batch.games[k], rows[k])))
            lines.append(
                GameLine(deal, number, seating, decisions[k], tuple(map(tuple, results[k])), named, clocks.of(k))
            )
        return lines

    def _made(self, indices: list[int], deal: int, number: int) -> dict[int, Agent]:
        """Agents, each with a seed of its own for these games."""
        agents = {}
        for index in indices:
            self._state[DECISION], self._state[SEAT] = 0, -1
            seed = int(np.random.SeedSequence([self._setup.seed, deal, number, index]).generate_state(1)[0])
            with self._thinking(index, True):
                agents[index] = registry.make_agent(self._setup.specs[index], seed=seed)
        return agents

    @contextlib.contextmanager
    def _thinking(self, index: int, first: bool) -> Iterator[None]:
        """Writes to the state while an agent works; an exception or lateness is its fault."""
        limit = self._setup.time_limit
        if first and index not in self._known_slow:
            limit = max(limit, self._setup.first_limit)
        state, begun = self._state, time.monotonic()
        state[AGENT], state[LIMIT] = index, limit
        state[STARTED] = begun
        try:
            yield
        except BaseException as error:  # also SystemExit
            state[STARTED] = 0
            text = "".join(traceback.format_exception(error))
            raise Blamed(index, CRASH, text[-LONGEST_TEXT:]) from error
        state[STARTED] = 0
        if (spent := time.monotonic() - begun) > limit:
            raise Blamed(index, HANG, f"took {spent:.3g} s, more than the limit of {limit:g} s")

    def _clear(self) -> None:
        self._state[STARTED] = 0


def _points(categories: dict[str, Any]) -> dict[str, int]:
    """A score by category; subdivided ones as their sum."""
    return {name: int(sum(each.values()) if isinstance(each, dict) else each) for name, each in categories.items()}


def _integers(answer: Any, number: int, agent: int) -> NDArray[np.int64]:
    """An answer as actions; nonsense is the agent's fault."""
    try:
        given = np.asarray(answer)
    except Exception as error:
        raise Blamed(agent, NONSENSE, f"answered with a {type(answer).__name__}, no array: {error!r}") from None
    if given.shape != (number,) or given.dtype.kind not in "iu":
        text = f"answered with a {type(answer).__name__} of dtype {given.dtype}, shape {given.shape}"
        raise Blamed(agent, NONSENSE, f"{text}; it must answer with integers of shape ({number},)")
    if given.dtype.kind == "u":
        given = np.minimum(given, np.iinfo(np.int64).max)
    return given.astype(np.int64)
