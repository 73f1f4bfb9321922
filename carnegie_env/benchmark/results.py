"""The result of an agent in a task, as a file. It has the values by deal, from which all figures are computed."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from carnegie_env.arena import statistics
from carnegie_env.arena.lines import Entrant
from carnegie_env.arena.standings import Standings
from carnegie_env.arena.statistics import Estimate, share_of_groups
from carnegie_env.benchmark import tasks
from carnegie_env.benchmark.tasks import AGENTS, Task
from carnegie_env.core.facts import FIRST_EDITION
from carnegie_env.core.validation import cut

FORMAT = 1  # of the file; readers refuse others
BUDGETS = {"1M": 10**6, "20M": 2 * 10**7}  # decisions in the training; above, or unknown: open
OPEN = "open"
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
MOST_REWARD, MOST_NOTES = 100, 1000  # characters
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
Count = Annotated[int, msgspec.Meta(ge=0)]


def budget_of(decisions: float) -> str:
    """The smallest budget that a training of this length keeps within, or "open"."""
    return next((name for name, most in BUDGETS.items() if decisions <= most), OPEN)


class Outdated(ValueError):
    """A result of another format or of another revision of its task, with which nothing can be compared."""


class Training(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The training of an agent.

    Args:
        seed: of the training; results of the same label with other seeds are other trainings by the same method.
        decisions: the decisions that it learned from, of all seats that learned.
        core_hours: processor time of all its processes, in hours of one core.
        reward: that it was trained with, such as "dense_margin".
        notes: the network it started from, opponents and teachers, a GPU and its hours, the address of the code.
        open: whether it used what only the class "open" may use (docs/benchmark.md).
    """

    seed: Count
    decisions: Annotated[int, msgspec.Meta(gt=0)]
    core_hours: Annotated[float, msgspec.Meta(gt=0)]
    reward: Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_REWARD)]
    notes: Annotated[str, msgspec.Meta(max_length=MOST_NOTES)] = ""
    open: bool = False

    @property
    def budget(self) -> str:
        """Its class: the smallest budget in decisions that it kept within, or "open"."""
        return OPEN if self.open else budget_of(self.decisions)


def row(label: str, training: Training | None) -> str:
    """The name of a row in tables: the agent's label, and the class of its training, as in `dqn 1M`."""
    return label if training is None else f"{label} {training.budget}"


def file_name(task: str, label: str, training: Training | None) -> str:
    """The name of the file of a result."""
    seed = "" if training is None else f"-{training.seed}"
    return f"{task}-{row(label, training).replace(' ', '-')}{seed}.json"


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The games against one opponent, which had all other seats.

    Args:
        opponent: its label in the pool; in solo games the automatic opponent.
        version: of the opponent.
        games: the number of games.
        wins: the win share of the agent's seat by deal; ties are shared.
        ahead: the share of opponents that the agent finished ahead of, by deal; a tie counts half.
        margins: the mean margin by deal: the agent's score minus the best other score; None without a finished game.
    """

    opponent: str
    version: str
    games: Annotated[int, msgspec.Meta(gt=0)]
    wins: list[Share]
    ahead: list[Share]
    margins: list[float | None]

    @property
    def win_share(self) -> Estimate:
        """The mean with Wilson's interval, for at most as many independent values as games."""
        return share_of_groups(self.wins, most=self.games)

    @property
    def margin(self) -> Estimate | None:
        return mean([each for each in self.margins if each is not None])


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a file.

    Args:
        format: :data:`FORMAT`.
        task, revision: the task.
        edition: of the component tables.
        agent: the agent: its label, its name in the registry (of agents of the leaderboard: with {network}), and its
            version.
        training: None: it was not trained for this benchmark.
        columns: by opponent, in the order of the pool, without the agent itself.
        milliseconds: per decision: "mean", "p99", "worst".
        side_by_side: whether games were played side by side; a decision counts with its share of the call.
        faults: the number of games lost, by kind of fault.
        signature: of the engine.
        versions: of the programs.
    """

    format: int
    task: str
    revision: int
    edition: str
    agent: Entrant
    training: Training | None
    columns: list[Column]
    milliseconds: dict[str, Annotated[float, msgspec.Meta(ge=0)]]
    side_by_side: bool
    faults: dict[str, Count]
    signature: int
    versions: dict[str, str]

    @property
    def budget(self) -> str:
        """The class of the training; "open" without one."""
        return OPEN if self.training is None else self.training.budget

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(each.games for each in self.columns)

    @property
    def row(self) -> str:
        return row(self.agent.label, self.training)

    @property
    def file_name(self) -> str:
        return file_name(self.task, self.agent.label, self.training)

    def check_owner(self, task: str, label: str, spec: str, training: Training | None) -> None:
        """Raise a ValueError unless it is a result of this task, agent and training."""
        name = file_name(task, label, training)
        if (self.task, self.row) != (task, row(label, training)):
            raise ValueError(f"{name} is a result of {self.row} in {self.task}; choose another label")
        known = [each and (each.decisions, each.reward) for each in (self.training, training)]
        if self.agent.spec != spec or known[0] != known[1]:
            raise ValueError(f"{name} is of another agent or training; choose another label, or delete it")

    def check_replaces(self, other: Result) -> None:
        """Raise a ValueError unless it may replace another one: of the same agent and training, with as many games."""
        other.check_owner(self.task, self.agent.label, self.agent.spec, self.training)
        if self.games < other.games:
            raise ValueError(
                f"{self.file_name} has {other.games} games, the new result only {self.games}; delete it to replace it"
            )

    def check(self) -> None:
        """Raise a ValueError for a result that this version of the benchmark does not compare."""
        if self.format != FORMAT:
            raise Outdated(f"it has format {self.format}; this program reads format {FORMAT}")
        task = tasks.find(self.task)
        if self.revision != task.revision:
            raise Outdated(
                f"it is a result of revision {self.revision} of {self.task}, which now has revision {task.revision}; "
                "have the agent play it again"
            )
        label = self.agent.label
        check_label(label, task)
        if label in AGENTS and not AGENTS[label].plays(task):
            raise ValueError(f"{label} does not play {self.task}")
        if label in AGENTS and (self.agent.spec != AGENTS[label].spec or self.training is not None):
            raise ValueError(f"the label {label} belongs to an agent of the leaderboard; choose another one")
        if label in AGENTS and self.agent.version != AGENTS[label].version(task):
            wanted = AGENTS[label].version(task)
            raise ValueError(f"the version of {label} must be {wanted!r}, not {self.agent.version!r}")
        if [each.opponent for each in self.columns] != (needed := columns_of(task, label)):
            raise ValueError(f"its columns must be {', '.join(needed)}, in this order")
        if set(self.milliseconds) != {"mean", "p99", "worst"}:
            raise ValueError("milliseconds must have mean, p99 and worst")
        for column in self.columns:
            _check_column(task, column)
        if (lost := sum(self.faults.values())) > self.games:
            raise ValueError(f"it has {lost} faults in {self.games} games")


def check_label(label: str, task: Task) -> None:
    """Raise a ValueError for a label that no agent can have in a task."""
    if _LABEL.fullmatch(label) is None:
        raise ValueError(f"a label must have 1 to 40 letters, digits, _ . and -, not {label!r}; name one, LABEL=AGENT")
    if label == task.rules.opponent:
        raise ValueError(f"the label {label} belongs to the automatic opponent; choose another one")


def columns_of(task: Task, label: str) -> list[str]:
    """The opponents of an agent: those of the task except itself."""
    if task.players == 1:
        return [str(task.rules.opponent)]
    return [each.label for each in task.opponents if each.label != label]


def _check_column(task: Task, column: Column) -> None:
    where, deals = f"against {column.opponent}", len(column.wins)
    wanted = next((each.version(task) for each in task.opponents if each.label == column.opponent), "")
    if column.version != wanted:
        raise ValueError(f"{where}: the opponent's version must be {wanted!r}, not {column.version!r}")
    if not 1 <= deals <= task.deals or len(column.ahead) != deals or len(column.margins) != deals:
        raise ValueError(f"{where}: wins, ahead and margins must have 1 to {task.deals} values, one for each deal")
    if column.games != deals * task.players:
        raise ValueError(f"{where}: {deals} deals have {deals * task.players} games, not {column.games}")
    if any(wins > ahead + 1e-4 for wins, ahead in zip(column.wins, column.ahead, strict=True)):
        raise ValueError(f"{where}: a winner is ahead of all others, so wins can't be more than ahead")


# ---------------------------------------------------------------- from games
def column(task: Task, opponent: Entrant, standings: Standings) -> Column:
    """The games of a match of two, the agent and an opponent; or of a solo match."""
    ranks, seats = standings.results.ranks, standings.seats
    mine = seats == 0
    if task.players == 1:
        ahead = standings.results.wins[:, 0]
    else:
        own = ranks[mine]
        ahead = (np.sign(ranks - own[:, None]) * ~mine / 2).sum(axis=1) / (task.players - 1) + 0.5
    by_deal = np.bincount(standings.deal, ahead) / np.bincount(standings.deal)
    margins = [None if math.isnan(each) else round(each, 3) for each in standings.margins[:, 0].tolist()]
    return Column(
        opponent.label,
        opponent.version,
        len(standings.lines),
        [round(each, 4) for each in standings.wins[:, 0].tolist()],
        [round(each, 4) for each in by_deal.tolist()],
        margins,
    )


def mean(values: ArrayLike) -> Estimate | None:
    """The mean with Student's interval; None without values, an infinite interval with one."""
    sample: NDArray[np.float64] = np.asarray(values, np.float64)
    return statistics.mean(sample) if len(sample) else None


# ---------------------------------------------------------------- files
def encode(result: Result) -> bytes:
    """The content of a file, with a line for each field of a column."""
    text = msgspec.json.format(msgspec.json.encode(result), indent=1).decode()
    return re.sub(r"\n +(?=-?[\d]|null|\](?=[,\n]))", "", text).encode() + b"\n"


def read(path: str | os.PathLike[str]) -> Result:
    """A result from a file; a ValueError if it is damaged, an Outdated if it is of another version of the benchmark."""
    try:
        result = msgspec.json.decode(Path(path).read_bytes(), type=Result)
        result.check()
    except Outdated as error:
        raise Outdated(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise ValueError(f"{path} is not a valid result: {cut(str(error), 300)}") from None
    return result


def read_all(folder: str | os.PathLike[str], left_out: Callable[[Outdated], object] | None = None) -> list[Result]:
    """The results in a folder.

    Args:
        folder: the folder.
        left_out: called for each result of another version of the benchmark; None: its error is raised.

    Raises:
        ValueError: a file is damaged, or some can't be compared: other engines, editions or a result twice.
    """
    found = []
    for path in sorted(Path(folder).glob("*.json")):
        try:
            found.append(read(path))
        except Outdated as error:
            if left_out is None:
                raise
            left_out(error)
    comparable(found)
    return found


def comparable(found: Sequence[Result]) -> None:
    """Raise a ValueError if results can't stand in one table."""
    for result in found:
        if result.edition != FIRST_EDITION:
            name = result.file_name
            raise ValueError(f"{name}: the leaderboard is for edition {FIRST_EDITION}, not {result.edition}")
    for game in {tasks.find(result.task).game for result in found}:
        signatures = {result.signature for result in found if tasks.find(result.task).game == game}
        if len(signatures) > 1:
            raise ValueError(f"results with different engines can't be compared: {', '.join(map(str, signatures))}")
    names = [result.file_name for result in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"there are two results for {twice[0]}: each needs its own label, or its own training seed")
