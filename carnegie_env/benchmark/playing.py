"""An agent plays a task: against each opponent a match on the task's deals, whose games are kept in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from carnegie_env.arena import match
from carnegie_env.arena.lines import Entrant, GameLine
from carnegie_env.arena.match import Match, Outcome
from carnegie_env.arena.standings import Standings
from carnegie_env.benchmark import results
from carnegie_env.benchmark.results import Column, Result, Training
from carnegie_env.benchmark.tasks import AGENTS, Player, Task

Watch = Callable[[int, int], None]


def player_of(label: str, spec: str) -> Player:
    """An agent of the leaderboard by its label, or any other agent; a ValueError if the label is taken."""
    if label in AGENTS and spec in (label, AGENTS[label].spec):
        return AGENTS[label]
    if label in AGENTS:
        raise ValueError(f"the label {label} belongs to an agent of the leaderboard; choose another one, LABEL={spec}")
    return Player(label, spec)


def play(
    name: str,
    task: Task,
    player: Player,
    games: Path,
    *,
    training: Training | None = None,
    deals: int | None = None,
    processes: int | None = None,
    watch: Watch = lambda played, total: None,
) -> Result:
    """Have an agent play a task.

    Args:
        name, task: the task.
        player: the agent.
        games: a folder for the games. An interrupted run continues there, and so does one with fewer deals.
        training: of the agent.
        deals: the largest number of deals; None: all.
        processes: worker processes; None: one per core.
        watch: called from time to time with the number of games played and of all games against one opponent.

    Raises:
        ValueError: the agent can't be made or does not play the game, or the folder has games with other settings.
        OSError: a file can't be written.
    """
    most = min(each for each in (task.deals, deals, player.deals) if each is not None)
    columns: list[Column] = []
    outcomes: list[Outcome] = []
    opponents: Sequence[Player | None] = [each for each in task.opponents if each.label != player.label]
    if task.players == 1:
        opponents = [None]
    if not opponents:
        raise ValueError(f"{name} has no opponent for {player.label} except itself")
    for opponent in opponents:
        number = most if opponent is None or opponent.deals is None else min(most, opponent.deals)
        agents = [(player.label, player.spec_in(task))]
        if opponent is not None:
            agents.append((opponent.label, opponent.spec_in(task)))
        tables = None if opponent is None else ((0, *[1] * (task.players - 1)),)
        settings = Match(task.rules, dict(task.options), tuple(agents), number, seed=task.seed, tables=tables)
        file = games / f"{name}-{player.label}-{'solo' if opponent is None else opponent.label}.jsonl"
        games.mkdir(parents=True, exist_ok=True)
        outcome = match.play(settings, output=file, resume=True, processes=processes, watch=watch)
        if opponent is None:
            versioned = Entrant(str(task.rules.opponent), "")
        else:
            versioned = Entrant(opponent.label, opponent.spec, opponent.version(task))
        columns.append(results.column(task, versioned, outcome.standings))
        outcomes.append(outcome)
    return _result(name, task, player, training, columns, outcomes)


def _result(
    name: str,
    task: Task,
    player: Player,
    training: Training | None,
    columns: list[Column],
    outcomes: Sequence[Outcome],
) -> Result:
    header = outcomes[0].header
    alike = [outcome for outcome in outcomes if (outcome.header.deals_at_once > 0) == (header.deals_at_once > 0)]
    lines: list[GameLine] = [line for outcome in alike for line in outcome.standings.lines]
    pairs = [outcome.standings for outcome in outcomes]
    times = Standings(task.rules, header.agents, lines).times(0)
    faults = Counter(fault.kind for standings in pairs for fault in standings.faults(0))
    return Result(
        format=results.FORMAT,
        task=name,
        revision=task.revision,
        edition=header.edition,
        agent=Entrant(player.label, player.spec, header.agents[0].version),
        training=training,
        columns=columns,
        milliseconds={kind: round(1000 * getattr(times, kind), 4) for kind in ("mean", "p99", "worst")},
        side_by_side=header.deals_at_once > 0,
        faults=dict(faults),
        signature=header.signature,
        versions=header.versions,
    )
