"""Reference suites: fixed deals, options and opponents, for comparing agents that have never met.

Their deals have seeds from ``RESERVED``, on which nothing may be trained, tuned or chosen. A change to a suite raises
its revision and invalidates older results.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from carnegie_env.arena.lines import Entrant
from carnegie_env.arena.match import FIRST_LIMIT, TIME_LIMIT, Match, Outcome, play
from carnegie_env.arena.statistics import Estimate
from carnegie_env.core.game import Game

RESERVED = range(2**40, 2**41)  # seeds of the suites' deals; nothing else uses them
BLOCK = 2**32  # seeds for each suite


@dataclasses.dataclass(frozen=True)
class Suite:
    """Deals and opponents.

    Args:
        number: of its block of the reserved seeds.
        text: a description.
        options: of the game.
        tables: the agent's opponents at each table, none in solo games; each table plays every deal, with the agent on
            every seat in turn.
        deals: the number of deals.
        revision: raised with every change.
    """

    number: int
    text: str
    options: Mapping[str, Any]
    tables: tuple[tuple[str, ...], ...]
    deals: int
    revision: int = 1

    @property
    def seed(self) -> int:
        """Of the first deal."""
        return RESERVED.start + self.number * BLOCK


# By game, in the order of the leaderboard.
SUITES: dict[str, dict[str, Suite]] = {
    "carnegie": {
        "solo-normal": Suite(0, "solo against Andrew, normal", {"num_players": 1, "difficulty": "normal"}, ((),), 400),
        "solo-expert": Suite(1, "solo against Andrew, expert", {"num_players": 1, "difficulty": "expert"}, ((),), 400),
        "duel": Suite(2, "2 players", {"num_players": 2}, (("greedy",), ("value",)), 200),
        "table-3": Suite(3, "3 players", {"num_players": 3}, (("greedy",) * 2, ("value",) * 2), 100),
        "table-4": Suite(4, "4 players", {"num_players": 4}, (("greedy",) * 3, ("value",) * 3), 100),
        "expansion": Suite(
            5, "3 players, all modules", {"num_players": 3, "modules": "all"}, (("greedy",) * 2, ("value",) * 2), 100
        ),
    }
}


def find(game: str, name: str) -> Suite:
    """A suite of a game; for an unknown name, a ValueError lists the suites."""
    suites = SUITES.get(game, {})
    if name not in suites:
        raise ValueError(f"{game} has no suite {name!r}; it has {', '.join(suites) or 'none'}")
    return suites[name]


# ---------------------------------------------------------------- results
class Interval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mean and its 95 % interval; None without an interval, with a single deal."""

    mean: float
    low: float | None
    high: float | None

    def estimate(self) -> Estimate:
        return Estimate(
            self.mean, -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        )


def _interval(estimate: Estimate) -> Interval:
    """An estimate, rounded to six decimals."""
    low, high = (round(end, 6) if math.isfinite(end) else None for end in (estimate.low, estimate.high))
    return Interval(round(estimate.mean, 6), low, high)


class Against(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Results against one table of opponents: win share, and margin in finished games."""

    opponents: tuple[str, ...]
    games: int
    wins: Interval
    margin: Interval | None


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A suite's result, the content of its file.

    Args:
        suite, revision, game, options, seed: the settings.
        deals, games: the numbers of deals, from the suite's first one on, and of games.
        agent: the agent that played the suite.
        opponents: with their versions.
        wins: win share.
        margin: score minus the best other score in finished games; None without any.
        tables: the same by table of opponents.
        milliseconds: per decision: "mean", "p99", "worst".
        side_by_side: whether games were played side by side; a decision counts with its share of the call.
        faults: the number of games lost, by kind of fault.
        signature: of the engine.
        versions: of the programs.
    """

    suite: str
    revision: int
    game: str
    options: dict[str, Any]
    seed: int
    deals: int
    games: int
    agent: Entrant
    opponents: tuple[Entrant, ...]
    wins: Interval
    margin: Interval | None
    tables: tuple[Against, ...]
    milliseconds: dict[str, float]
    side_by_side: bool
    faults: dict[str, int]
    signature: int
    versions: dict[str, str]

    def line(self, point: str) -> str:
        """The result in one line; ``point`` is the unit of scores."""
        margin = "" if self.margin is None else f", margin {self.margin.estimate().text()} {point}"
        faults = f", {sum(self.faults.values())} games lost by faults" if self.faults else ""
        return (
            f"{self.suite}: {self.agent.label} wins {self.wins.estimate().percent()}{margin}{faults}; "
            f"{self.deals} deals, {self.games} games, {self.milliseconds['mean']:.3g} ms per decision, "
            f"engine {self.signature}"
        )


def match_of(game: Game, name: str, label: str, spec: str, deals: int | None = None, **limits: Any) -> Match:
    """The match of a suite, or of its first ``deals`` deals.

    Args:
        game: the game.
        name: of the suite.
        label, spec: the agent's label, and the registry's name.
        deals: None: all.
        **limits: see :class:`~.match.Match`.
    """
    suite = find(game.name, name)
    deals = suite.deals if deals is None else deals
    if deals > suite.deals:
        raise ValueError(f"the suite {name} has {suite.deals} deals, not {deals}")
    opponents = list(dict.fromkeys(spec for table in suite.tables for spec in table))
    agents = [(label, spec), *((f"{spec} of the suite", spec) for spec in opponents)]
    tables = tuple((0, *(1 + opponents.index(each) for each in table)) for table in suite.tables)
    return Match(game, dict(suite.options), tuple(agents), deals, seed=suite.seed, tables=tables, **limits)


def run(
    game: Game,
    name: str,
    label: str,
    spec: str,
    *,
    deals: int | None = None,
    time_limit: float = TIME_LIMIT,
    first_limit: float = FIRST_LIMIT,
    **arguments: Any,
) -> Result:
    """Have an agent play a suite; see :func:`match_of`, and :func:`~.match.play` for the other arguments and errors."""
    match = match_of(game, name, label, spec, deals, time_limit=time_limit, first_limit=first_limit)
    return result_of(name, find(game.name, name), play(match, **arguments))


def result_of(name: str, suite: Suite, outcome: Outcome) -> Result:
    """The result of a suite's match."""
    header, standings = outcome.header, outcome.standings
    agent, *opponents = header.agents
    specs = {entrant.spec for entrant in opponents}
    assert specs == {spec for table in suite.tables for spec in table}
    margin, times, faults = standings.margin(0), standings.times(0), standings.faults(0)
    tables = []
    for opponents_there in suite.tables:
        numbers = {k for k, entrant in enumerate(header.agents) if k and entrant.spec in opponents_there}
        lines = [line for line in standings.lines if {*line.seats} == {0, *numbers}]
        part = type(standings)(standings.game, header.agents, lines)
        there = part.margin(0)
        margin_there = None if there is None else _interval(there)
        tables.append(Against(opponents_there, len(lines), _interval(part.win_share(0)), margin_there))
    return Result(
        suite=name,
        revision=suite.revision,
        game=header.game,
        options=header.options,
        seed=header.seed,
        deals=len(standings.deals),
        games=len(standings.lines),
        agent=agent,
        opponents=tuple(opponents),
        wins=_interval(standings.win_share(0)),
        margin=None if margin is None else _interval(margin),
        tables=tuple(tables),
        milliseconds={name: round(1000 * getattr(times, name), 4) for name in ("mean", "p99", "worst")},
        side_by_side=header.deals_at_once > 0,
        faults=dict(Counter(fault.kind for fault in faults)),
        signature=header.signature,
        versions=header.versions,
    )


def file_name(suite: str, label: str) -> str:
    return f"{suite}-{re.sub('[^A-Za-z0-9._=,-]+', '_', label)}.json"


def encode(result: Result) -> bytes:
    return msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"


# ---------------------------------------------------------------- the leaderboard
def read(path: str | os.PathLike[str]) -> Result:
    """A result from a file; a ValueError if it is damaged, or if its suite has changed or does not exist."""
    try:
        result = msgspec.json.decode(Path(path).read_bytes(), type=Result)
        suite = find(result.game, result.suite)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not the result of a suite: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if result.revision != suite.revision or result.seed != suite.seed:
        raise ValueError(
            f"{path} is a result of revision {result.revision} of the suite {result.suite}, which now has revision "
            f"{suite.revision}; have the agent play it again"
        )
    return result


def leaderboard(results: Sequence[Result]) -> str:
    """A table in Markdown: a row for each agent, best first, and a column for each suite with a result.

    Raises:
        ValueError: there are no results, results of different games, engines or versions of opponents, or two results
            of the same agent in the same suite.
    """
    if not results:
        raise ValueError("there are no results for a table")
    for field in ("game", "signature"):
        if len(found := {str(getattr(result, field)) for result in results}) > 1:
            raise ValueError(f"results with different {field}s can't be compared: {', '.join(sorted(found))}")
    cells: dict[tuple[str, str], Result] = {}
    for result in results:
        key = result.agent.label, result.suite
        if key in cells:
            raise ValueError(f"there are two results of {result.agent.label} in {result.suite}")
        cells[key] = result
    suites = {name: suite for name, suite in SUITES[results[0].game].items() if any(key[1] == name for key in cells)}
    for name in suites:
        if len({result.opponents for key, result in cells.items() if key[1] == name}) > 1:
            raise ValueError(f"the opponents have different versions in the results of {name}")
    labels = sorted({label for label, _ in cells}, key=lambda label: _merit(label, cells, list(suites)))
    heads = [f"{name}: {suite.text}, {_opponents(suite)}".removesuffix(", ") for name, suite in suites.items()]
    lines = [f"| agent | {' | '.join(heads)} |", "|---" * (len(suites) + 1) + "|"]
    for label in labels:
        entries = [_cell(cells.get((label, name))) for name in suites]
        lines.append(f"| `{label}` | {' | '.join(entries)} |")
    return "\n".join(lines)


def _opponents(suite: Suite) -> str:
    """The opponents in words."""
    parts = [", ".join(f"{table.count(spec)} {spec}" for spec in dict.fromkeys(table)) for table in suite.tables]
    return " or ".join(f"against {part}" for part in parts if part)


def _merit(label: str, cells: Mapping[tuple[str, str], Result], suites: Sequence[str]) -> tuple[float, float, str]:
    """The sort key of agents: the mean win share over all suites (0 if missing), then the mean margin."""
    found = [cells[label, name] for name in suites if (label, name) in cells]
    margins = [result.margin.mean for result in found if result.margin is not None]
    return -sum(result.wins.mean for result in found), -sum(margins) / max(len(margins), 1), label


def _cell(result: Result | None) -> str:
    if result is None:
        return ""
    margin = "" if result.margin is None else f", {result.margin.mean:+.1f} ± {result.margin.estimate().half_width:.1f}"
    return f"{result.wins.estimate().percent()}{margin} ({result.games} games, {result.milliseconds['mean']:.2g} ms)"


SECTION = re.compile(r"(<!-- leaderboard -->\n).*?(<!-- end -->)", re.DOTALL)


def insert(text: str, table: str) -> str:
    """A document with the table inserted between its lines `<!-- leaderboard -->` and `<!-- end -->`."""
    if SECTION.search(text) is None:
        raise ValueError("the table needs the lines <!-- leaderboard --> and <!-- end --> around it")
    return SECTION.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text, count=1)
