"""Matches: agents play deals until all are played or a sequential test has an answer."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from carnegie_env.arena.journal import Journal
from carnegie_env.arena.lines import FORMAT, Entrant, GameLine, Header
from carnegie_env.arena.nodes import NodePool, make_pool
from carnegie_env.arena.pool import Games, WorkerPool
from carnegie_env.arena.schedule import Seating, table_seatings
from carnegie_env.arena.sequential import UNDECIDED, Question, Test
from carnegie_env.arena.standings import Standings
from carnegie_env.arena.worker import Setup
from carnegie_env.core.game import Game
from carnegie_env.core.signature import signature
from carnegie_env.core.validation import seed_of, whole_number
from carnegie_env.core.versions import versions
from carnegie_env.workers.cluster import Cluster

GAMES_AT_ONCE = 128  # roughly, if games are played side by side
MOST_DEALS = 10**9
TIME_LIMIT = 60.0  # s for a decision
FIRST_LIMIT = 300.0  # s for the first decision in a process, which loads and compiles code


class DoesNotPlay(ValueError):
    """An agent does not play the game, or not with its options."""


@dataclasses.dataclass(frozen=True)
class Match:
    """The settings of a match.

    Args:
        game: the game.
        options: of the game, by name, including ``num_players``.
        agents: pairs of a label and the registry's name; labels are unique.
        deals: the largest number of deals; deal d has the seed ``seed + d``.
        seed: of the first deal; the agents' seeds are derived from it.
        tables: agents that sit together, by number: each table plays every deal in all rotations, or in all
            arrangements if an agent has several seats; None: all agents play each other (schedule.py).
        question: play stops when it is answered; None: all deals are played.
        time_limit: seconds for a decision.
        first_limit: seconds for making an agent and, in each process, for its first decision.
        side_by_side: play games of many deals at once; None: if all agents benefit (:attr:`Agent.side_by_side`).

    Raises:
        ValueError: a wrong value.
    """

    game: Game
    options: dict[str, Any]
    agents: tuple[tuple[str, str], ...]
    deals: int
    seed: int = 0
    tables: tuple[tuple[int, ...], ...] | None = None
    question: Question | None = None
    time_limit: float = TIME_LIMIT
    first_limit: float = FIRST_LIMIT
    side_by_side: bool | None = None

    def __post_init__(self) -> None:
        whole_number("deals", self.deals, 1, MOST_DEALS)
        seed_of(self.seed)
        seed_of(self.seed + self.deals - 1)
        labels = check_agents(self.agents, self.time_limit, self.first_limit)
        for agent in (self.question.better, self.question.than) if self.question else ():
            if agent not in labels:
                raise ValueError(f"the test compares {agent}, which is not one of the agents {', '.join(labels)}")
        players = self.game.options.from_dict(self.options).num_players
        if self.tables is not None and not self.tables:
            raise ValueError("tables must be None, or at least one table")
        for table in self.tables or ():
            if len(table) != players:
                raise ValueError(f"a table of {players} players needs {players} agents, not {len(table)}")
            for number in table:
                whole_number("an agent at a table", number, 0, len(labels) - 1)

    def seatings(self, deal: int) -> list[Seating]:
        """The games of a deal: the agent on each seat."""
        players = self.game.options.from_dict(self.options).num_players
        return table_seatings(len(self.agents), players, self.tables, deal)


def check_agents(agents: Sequence[tuple[str, str]], time_limit: float, first_limit: float) -> list[str]:
    """The labels of agents; a ValueError if there is none, a label is wrong or not unique, or a time limit is wrong."""
    labels = [Entrant(*agent).label for agent in agents]
    if not labels:
        raise ValueError("at least one agent is needed")
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise ValueError(f"two agents are called {twice[0]}; rename one with NAME=AGENT")
    for name, limit in (("time_limit", time_limit), ("first_limit", first_limit)):
        if not 0 < limit < 1e9:
            raise ValueError(f"{name} must be a number of seconds above 0, not {limit:g}")
    return labels


def play(
    match: Match,
    *,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    processes: int | None = None,
    cluster: Cluster | None = None,
    watch: Callable[[int, int], None] = lambda played, total: None,
) -> Outcome:
    """Play a match.

    Args:
        match: its settings.
        output: a file for the games (journal.py); None: no file.
        resume: continue that file if it exists.
        processes: worker processes, on each node of a cluster; None: one per core.
        cluster: its nodes play; None: this machine plays.
        watch: called from time to time with the number of games played and of all games.

    Raises:
        DoesNotPlay: an agent does not play this game.
        ValueError: an agent can't be made, the file has other settings, or a node has another installation.
        OSError: the file can't be written.
    """
    specs = tuple(spec for _, spec in match.agents)
    setup = Setup(match.game, match.options, specs, match.seed, match.time_limit, match.first_limit)
    with make_pool(setup, processes, cluster) as pool:
        about = pool.look()
        if wrong := [each for each in about if each.wrong]:
            raise (DoesNotPlay if wrong[0].is_made else ValueError)(wrong[0].wrong)
        together = all(each.side_by_side for each in about) if match.side_by_side is None else match.side_by_side
        at_once = max(GAMES_AT_ONCE // len(match.seatings(0)), 1) if together else 0
        entrants = [Entrant(label, spec, each.version) for (label, spec), each in zip(match.agents, about, strict=True)]
        header = _header(match, entrants, at_once)
        if output is None:
            return _play(match, header, pool, None, watch)
        with Journal(output, header, resume) as journal:
            return _play(match, header, pool, journal, watch)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of a match: its settings, its games, and its sequential test, if any."""

    header: Header
    standings: Standings
    test: Test | None


def outcome(game: Game, header: Header, lines: Sequence[GameLine], file: str = "the file") -> Outcome:
    """The result of games read from a file, without an unfinished deal.

    Args:
        game: the game.
        header: the first line.
        lines: the games.
        file: its name, for errors.

    Raises:
        ValueError: the file is damaged, or no deal is complete.
    """
    agents = tuple((each.label, each.spec) for each in header.agents)
    try:
        if "num_players" not in header.options:
            raise ValueError("the options need num_players")
        question = None if header.question is None else Question(**header.question)
        match = Match(game, header.options, agents, 1, header.seed, header.tables, question, header.time_limit)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{file} is damaged: line 1: {error}") from None
    if not (deals := _complete(match, lines, file)):
        raise ValueError(f"{file}: no deal has been completed yet")
    return _outcome(header, Standings(game, header.agents, lines[: deals * len(match.seatings(0))]))


def _outcome(header: Header, standings: Standings) -> Outcome:
    test = _test(header)
    _ask(test, standings)
    return Outcome(header, standings, test)


def _header(match: Match, agents: Sequence[Entrant], at_once: int) -> Header:
    return Header(
        arena=FORMAT,
        game=match.game.name,
        options=match.game.options.from_dict(match.options).to_dict(),
        agents=tuple(agents),
        tables=match.tables,
        seed=match.seed,
        deals_at_once=at_once,
        time_limit=match.time_limit,
        question=dataclasses.asdict(match.question) if match.question else None,
        signature=signature(match.game),
        versions=versions(),
        edition=match.game.edition,
    )


def _play(
    match: Match,
    header: Header,
    pool: WorkerPool | NodePool,
    journal: Journal | None,
    watch: Callable[[int, int], None],
) -> Outcome:
    game, per_deal, at_once = match.game, len(match.seatings(0)), max(header.deals_at_once, 1)
    lines = journal.lines[:] if journal else []
    done = min(_complete(match, lines, str(journal.path)), match.deals) if journal else 0
    if done:
        now = _outcome(header, Standings(game, header.agents, lines[: done * per_deal]))
        if done >= match.deals or _is_answered(now.test):
            return now
    first = done // at_once  # complete chunks; each chunk has new agents, so the next ones are played the same way
    del lines[first * at_once * per_deal :]
    if journal is not None:
        journal.keep(len(lines))
    test = _outcome(header, Standings(game, header.agents, lines)).test if lines else _test(header)
    total = match.deals * per_deal
    watch(len(lines), total)
    for chunk in in_order(pool.play(_chunks(match, first, at_once, header.deals_at_once > 0))):
        played = _ask(test, Standings(game, header.agents, chunk)) * per_deal
        lines += chunk[:played]
        if journal is not None:
            journal.add(chunk[:played])
        watch(len(lines), total)
        if _is_answered(test):
            break
    return Outcome(header, Standings(game, header.agents, lines), test)


def _chunks(match: Match, first: int, at_once: int, together: bool) -> Iterator[tuple[Games, bool]]:
    """The chunks from number ``first`` on, each with ``together``."""
    for start in range(first * at_once, match.deals, at_once):
        deals = range(start, min(start + at_once, match.deals))
        games = ((deal, number, seating) for deal in deals for number, seating in enumerate(match.seatings(deal)))
        yield tuple(games), together


def in_order(chunks: Iterator[tuple[int, list[GameLine]]]) -> Iterator[list[GameLine]]:
    """Chunks in the order of their numbers, so that the output does not depend on the speed of processes."""
    waiting: dict[int, list[GameLine]] = {}
    due = 0
    for number, lines in chunks:
        waiting[number] = lines
        while due in waiting:
            yield waiting.pop(due)
            due += 1


def _complete(match: Match, lines: Sequence[GameLine], file: str) -> int:
    """The number of complete deals; a ValueError if the games do not follow the schedule or lack results."""
    sides, keys = len(match.game.sides(match.game.options.from_dict(match.options))), len(match.game.rank_by)
    seatings = match.seatings(0)
    per_deal = len(seatings)
    for k, line in enumerate(lines):
        deal, number = divmod(k, per_deal)
        seatings = match.seatings(deal) if number == 0 else seatings
        wrong = ""
        if (line.deal, line.number, line.seats) != (deal, number, seatings[number]):
            wrong = f"is not game {number} of deal {deal} in the schedule"
        elif line.fault is not None:
            if line.fault.agent not in line.seats:
                wrong = f"must blame one of its agents {line.seats}, not {line.fault.agent}"
        elif ([*map(len, line.results)], len(line.categories)) != ([keys] * sides, sides):
            wrong = f"must have results and categories of {sides} sides, and {keys} numbers for each result"
        if wrong:
            raise ValueError(f"{file} is damaged: line {k + 2} {wrong}")
    return len(lines) // per_deal


def _test(header: Header) -> Test | None:
    return Test(Question(**header.question)) if header.question else None


def _ask(test: Test | None, standings: Standings) -> int:
    """Add deals to the test, if any, until it is answered; returns the number of deals that it needed."""
    if test is not None:
        one, other = map(standings.labels.index, (test.question.better, test.question.than))
        for number, difference in enumerate(standings.differences(one, other, test.question.by).tolist(), 1):
            if test.add(difference) != UNDECIDED:
                return number
    return len(standings.deals)


def _is_answered(test: Test | None) -> bool:
    return test is not None and test.verdict != UNDECIDED
