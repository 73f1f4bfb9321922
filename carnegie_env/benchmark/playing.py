"""An agent plays a task: against each opponent a match on the task's deals, whose games are kept in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from carnegie_env.arena import match
from carnegie_env.arena.lines import Entrant
from carnegie_env.arena.match import DoesNotPlay, Match, Outcome
from carnegie_env.arena.standings import Standings
from carnegie_env.benchmark import results
from carnegie_env.benchmark.results import Column, Result, Training
from carnegie_env.benchmark.tasks import AGENTS, Player, Task

Watch = Callable[[int, int], None]


def player_of(label: str, spec: str, training: Training | None = None) -> Player:
    """An agent of the leaderboard by its label, or any other agent; a ValueError if the label is taken."""
    if label in AGENTS and spec in (label, AGENTS[label].spec) and training is None:
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
        DoesNotPlay: the agent does not play the game.
        ValueError: the agent's label is invalid, it can't be made, the folder has games with other settings, or an
            opponent lost games by faults, which would count as wins.
        OSError: a file can't be written.
    """
    results.check_label(player.label, task)
    if not player.plays(task):
        raise DoesNotPlay(f"{player.label} does not play {name}")
    most = min(each for each in (task.deals, deals, player.deals) if each is not None)
    opponents = [None] if task.players == 1 else [each for each in task.opponents if each.label != player.label]
    games.mkdir(parents=True, exist_ok=True)
    columns: list[Column] = []
    outcomes: list[Outcome] = []
    for opponent in opponents:
        agents, tables, number = [(player.label, player.spec_in(task))], None, most
        other, against = Entrant(str(task.rules.opponent), ""), "solo"
        if opponent is not None:
            agents.append((opponent.label, opponent.spec_in(task)))
            tables, number = ((0, *[1] * (task.players - 1)),), min(most, opponent.deals or most)
            other, against = Entrant(opponent.label, opponent.spec, opponent.version(task)), opponent.label
        settings = Match(task.rules, dict(task.options), tuple(agents), number, seed=task.seed, tables=tables)
        file = games / f"{name}-{player.label}-{against}.jsonl"
        outcome = match.play(settings, output=file, resume=True, processes=processes, watch=watch)
        if opponent is not None and (lost := outcome.standings.faults(1)):
            kinds = ", ".join(f"{kind}: {number}" for kind, number in Counter(fault.kind for fault in lost).items())
            raise ValueError(
                f"{opponent.label}, an opponent, lost games by faults ({kinds}), which {file} describes; delete it to "
                "play them again"
            )
        columns.append(results.column(task, other, outcome.standings))
        outcomes.append(outcome)
    header = outcomes[0].header
    side_by_side = header.deals_at_once > 0
    alike = [outcome for outcome in outcomes if (outcome.header.deals_at_once > 0) == side_by_side]
    lines = [line for outcome in alike for line in outcome.standings.lines]
    times = Standings(task.rules, header.agents, lines).times(0)
    faults = Counter(fault.kind for outcome in outcomes for fault in outcome.standings.faults(0))
    return Result(
        format=results.FORMAT,
        task=name,
        revision=task.revision,
        edition=header.edition,
        agent=Entrant(player.label, player.spec, header.agents[0].version),
        training=training,
        columns=columns,
        milliseconds={kind: round(1000 * getattr(times, kind), 4) for kind in ("mean", "p99", "worst")},
        side_by_side=side_by_side,
        faults=dict(faults),
        signature=header.signature,
        versions=header.versions,
    )
