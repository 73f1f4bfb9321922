"""A process in which agents play, so that the arena survives their faults.

An agent gets copies of the games in which it is to move, with all hidden information redrawn, so it can't cheat. The
process writes its current activity to a *state* in shared memory: the agent that is thinking, its seat and decision,
the time when it began, and its limit. The arena ends processes that exceed the limit (pool.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
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
from carnegie_env.core.validation import printable
from carnegie_env.workers import processes

STATE = STARTED, LIMIT, AGENT, SEAT, DECISION = range(5)  # entries of the state; STARTED is 0 between decisions
LONGEST_TEXT = 4000  # characters of a traceback that are kept


@dataclass(frozen=True)
class Setup:
    """The settings that all processes of an arena share; see :class:`~.match.Match`.

    Args:
        specs: the registry's names of the agents.
        moves: whether lines contain the decisions instead of times and scores by category.
        values: whether they also contain the agents' values of actions.
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
    """Games to play.

    Args:
        games: for each game the deal, its number in the deal, and the agent on each seat.
        together: side by side, by the same agents; else one by one, with new agents for each deal and after each fault.
        known_slow: agents that have exceeded ``first_limit``, to which only ``time_limit`` applies.
    """

    games: tuple[tuple[int, int, Seating], ...]
    together: bool
    known_slow: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Look:
    """A request for the properties of the agents."""


@dataclass(frozen=True)
class About:
    """The properties of an agent; ``wrong`` is the reason why it can't be made or does not play the game, or ""."""

    side_by_side: bool = False
    version: str = ""
    wrong: str = ""
    is_made: bool = True


@dataclass(frozen=True)
class Apart:
    """The answer that games must be played one by one to find a fault; ``why`` describes it."""

    why: str = field(default="", compare=False)


class Blamed(Exception):
    """An agent has lost the game by a fault. Characters of the text that would not be printed are escaped."""

    def __init__(self, agent: int, kind: str, text: str) -> None:
        text = printable(text)
        super().__init__(text)
        self.agent, self.kind, self.text = agent, kind, text


def main(setup: bytes, state: Any, connection: Any, traces: str) -> None:
    """The process: does one task after the other until the arena closes the connection.

    Args:
        setup: the arena's :class:`Setup`, pickled.
        state: shared memory, float64, of the length of ``STATE``.
        connection: receives :class:`Task` and :class:`Look`; sends lists of :class:`GameLine` or :class:`About`, and
            :class:`Apart`.
        traces: see processes.py.
    """
    with processes.at_work(traces):
        worker = Worker(pickle.loads(setup), state)
        while True:
            request = connection.recv()
            for answer in [worker.look()] if isinstance(request, Look) else worker.play(request):
                connection.send(answer)


def version_of(agent: object) -> str:
    """An agent's version; of a class outside the package with a digest of the file that defines it.

    So a match is not continued with changed code.
    """
    version, module = str(getattr(agent, "version", "") or ""), type(agent).__module__
    if module.startswith("carnegie_env."):
        return version
    try:
        digest = hashlib.sha256(Path(str(sys.modules[module].__file__)).read_bytes()).hexdigest()[:12]
    except (AttributeError, OSError):  # not from a file of its own
        return version
    return f"{version}-{digest}" if version else digest


class Worker:
    """Plays games in this process."""

    def __init__(self, setup: Setup, state: Any) -> None:
        self._setup = setup
        self._state = state
        self._asked: set[int] = set()  # agents that have decided in this process
        self._known_slow: frozenset[int] = frozenset()

    # ---- requests
    def look(self) -> list[About]:
        """The properties of the agents, each of which is made once."""
        found, options = [], self._setup.game.options.from_dict(self._setup.options)
        for index in range(len(self._setup.specs)):
            try:
                agent = self._made([index], 0, 0)[index]
                agent.check_plays(self._setup.game, options)
            except Blamed as blamed:
                cause = blamed.__cause__
                kind = "" if cause is None or isinstance(cause, ValueError) else f"{type(cause).__name__}: "
                found.append(About(wrong=blamed.text if cause is None else f"{kind}{cause}", is_made=False))
            except ValueError as error:
                found.append(About(wrong=str(error)))
            else:
                found.append(About(bool(getattr(agent, "side_by_side", False)), version_of(agent)))
        return found

    def play(self, task: Task) -> Iterator[list[GameLine] | Apart]:
        """Play games, yielding lines as games finish, or Apart if games together must be played one by one."""
        self._known_slow = task.known_slow
        if not task.together:
            for line in self._one_by_one(task):
                yield [line]
            return
        first_deal, first_number, _ = task.games[0]
        playing = {agent for _, _, seating in task.games for agent in seating}
        try:
            lines = self._lines(self._made(sorted(playing), first_deal, first_number), task.games)
        except BaseException as error:  # playing one by one shows the game at fault
            self._state[STARTED] = 0
            yield Apart(str(error))
            return
        yield lines

    def _one_by_one(self, task: Task) -> Iterator[GameLine]:
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
                self._state[STARTED] = 0
                agents = {}
                decision, seat = int(self._state[DECISION]), int(self._state[SEAT])
                fault = Fault(blamed.agent, seat, blamed.kind, decision, blamed.text)
                yield GameLine(deal, number, seating, decision, (), (), {}, fault)

    # ---- games
    def _lines(self, agents: dict[int, Agent], games: tuple[tuple[int, int, Seating], ...]) -> list[GameLine]:
        """Play games side by side; raises Blamed or ValueError if an agent loses one by a fault."""
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
            if not isinstance(judged, Judgement):
                raise Blamed(index, NONSENSE, f"judge answered with a {type(judged).__name__} instead of a Judgement")
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
        ends = zip(games, batch.games["decisions"].tolist(), batch.results().tolist(), strict=True)
        played = [(*game, decisions, tuple(map(tuple, results))) for game, decisions, results in ends]
        if notes is not None:
            return [GameLine(*each, (), {}, moves=moves) for each, moves in zip(played, notes.moves(), strict=True)]
        lines = []
        for k, (each, scores) in enumerate(zip(played, batch.breakdown().tolist(), strict=True)):
            named = tuple(setup.game.summed_scores(batch.games[k], scores))
            lines.append(GameLine(*each, named, clocks.of(k)))
        return lines

    def _made(self, indices: list[int], deal: int, number: int) -> dict[int, Agent]:
        """Agents, each with its own seed for these games."""
        agents = {}
        for index in indices:
            self._state[DECISION], self._state[SEAT] = 0, -1
            seed = int(np.random.SeedSequence([self._setup.seed, deal, number, index]).generate_state(1)[0])
            with self._thinking(index, True):
                agents[index] = registry.make_agent(self._setup.specs[index], seed=seed)
        return agents

    @contextlib.contextmanager
    def _thinking(self, index: int, first: bool) -> Iterator[None]:
        """Write to the state while an agent works. It is blamed for an exception or for exceeding the limit."""
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


def _integers(answer: Any, number: int, agent: int) -> NDArray[np.int64]:
    """An answer as actions; the agent is blamed for an answer that is not an array of integers."""
    try:
        given = np.asarray(answer)
    except Exception as error:
        text = f"answered with a {type(answer).__name__} instead of an array: {error!r}"
        raise Blamed(agent, NONSENSE, text) from None
    if given.shape != (number,) or given.dtype.kind not in "iu":
        text = f"answered with a {type(answer).__name__} of dtype {given.dtype}, shape {given.shape}"
        raise Blamed(agent, NONSENSE, f"{text}; it must answer with integers of shape ({number},)")
    if given.dtype.kind == "u":
        given = np.minimum(given, np.iinfo(np.int64).max)
    return given.astype(np.int64)
