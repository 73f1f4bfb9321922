"""The result of a match, as text."""

from __future__ import annotations

import numpy as np

from carnegie_env.arena import statistics
from carnegie_env.arena.match import Outcome
from carnegie_env.arena.sequential import FIRST_LOOK, H0, H1, Test
from carnegie_env.arena.standings import Standings
from carnegie_env.arena.statistics import Estimate
from carnegie_env.core.validation import printable
from carnegie_env.render.text import columns, number_of

MOST_PAIRS = 6  # of agents for which the saving is listed pair by pair


def report(outcome: Outcome) -> str:
    """All tables, as paragraphs."""
    standings = outcome.standings
    parts = [_settings(outcome), _agents(standings)]
    if len(standings.agents) > 1:
        parts.append(_cross_table(standings))
    parts += [_categories(standings), _saving(standings)]
    if outcome.test is not None:
        parts.append(verdict(standings, outcome.test))
    parts.append(_faults(standings))
    return printable("\n\n".join(part for part in parts if part))


def _settings(outcome: Outcome) -> str:
    header, standings = outcome.header, outcome.standings
    chosen = {name: value for name, value in header.options.items() if value not in (None, False)}
    options = ", ".join(name if value is True else f"{name} {value}" for name, value in chosen.items())
    games, deals = len(standings.lines), len(standings.deals)
    played = f"{number_of(games, 'games')} on {number_of(deals, 'deals')}"
    way = "side by side (each decision's time is its share of the call)" if header.deals_at_once else "one by one"
    return (
        f"{header.game}: {options}; engine {header.signature}\n"
        f"{played} from seed {header.seed}, {games / deals:g} on each deal, played {way}"
    )


def _agents(standings: Standings) -> str:
    """Rating, shares, ranks, scores and times of each agent, best first."""
    ratings = standings.ratings()
    rows = [["agent", "rating", "wins", "rank", "margin", "score", "ms: mean", "99 %", "worst", "faults"]]
    for agent in sorted(range(len(standings.agents)), key=lambda k: -ratings[k].mean):
        times = standings.times(agent)
        spent = [f"{1000 * each:.3g}" if times.decisions else "-" for each in (times.mean, times.p99, times.worst)]
        rows.append(
            [
                standings.labels[agent],
                ratings[agent].rating(),
                standings.win_share(agent).percent(),
                standings.rank(agent).text(2),
                _text(standings.margin(agent)),
                _text(standings.score(agent)),
                *spent,
                str(len(standings.faults(agent))),
            ]
        )
    if standings.opponent is not None:
        total = standings.categories(None).get("total")
        score = "-" if total is None else f"{total:.1f}"
        rows.append([standings.opponent, ratings[-1].rating(), "", "", "", score, "", "", "", ""])
    return "\n".join(columns(rows, left=1))


def _cross_table(standings: Standings) -> str:
    """The share of games in which each agent finishes ahead of each other one."""
    where = "on the same deal" if standings.opponent is not None else "in the same game"
    rows = [[f"ahead of, % ({where})", *standings.labels]]
    for one, label in enumerate(standings.labels):
        found = [None if one == other else standings.ahead(one, other) for other in range(len(standings.agents))]
        cells = ["." if each is None else each.percent().replace(" %", "") for each in found]
        rows.append([label, *cells])
    return "\n".join(columns(rows, left=1))


def _categories(standings: Standings) -> str:
    found = [standings.categories(side) for _, side in standings.sides]
    names = dict.fromkeys(name for points in found for name in points if name != "total")
    if not names:
        return ""  # no game was finished
    rows = [[f"mean score, {standings.game.presentation.point}", *(label for label, _ in standings.sides)]]
    for name in [*names, "total"]:
        cells = [f"{points[name]:.1f}" if name in points else "" for points in found]
        rows.append([name.replace("_", " "), *cells])
    return "\n".join(columns(rows, left=1))


def _saving(standings: Standings) -> str:
    """The variance saved by playing the same deals in rotated seats."""
    agents = range(len(standings.agents))
    pairs = [(one, other) for one in agents for other in agents if one < other]
    found = {pair: saving for pair in pairs if (saving := standings.saving(*pair)) is not None}
    if not found:
        return ""
    title = "variance of the difference in wins with the same deals in rotated seats, compared with separate deals"
    if len(found) > MOST_PAIRS:
        least, middle, most = (_variance(float(np.quantile(list(found.values()), q))) for q in (0, 0.5, 1))
        return f"{title}\n  between {least} and {most}; the median of {len(found)} pairs is {middle}"
    rows = [
        f"  {standings.labels[one]} - {standings.labels[other]}: {_variance(factor)} (separate deals need "
        f"{factor:.2f} times as many games)"
        for (one, other), factor in found.items()
    ]
    return "\n".join([title, *rows])


def _variance(factor: float) -> str:
    return f"{abs(1 - 1 / factor):.0%} {'less' if factor >= 1 else 'more'}"


def verdict(standings: Standings, test: Test) -> str:
    """The question of a sequential test, its answer and the measured difference, as text."""
    question = test.question
    one, other = standings.labels.index(question.better), standings.labels.index(question.than)
    by, scale, unit = "margin", 1, standings.game.presentation.point
    if question.by == "wins":
        by, scale, unit = "win share", 100, "%"
    measured = statistics.mean(scale * standings.differences(one, other, question.by)).text(2)
    low, high = (f"{scale * bound:g} {unit}" for bound in (question.low, question.high))
    answer = {
        H1: f"yes (H1 accepted: the difference is {high} rather than {low})",
        H0: f"no (H0 accepted: the difference is {low} rather than {high})",
    }.get(test.verdict, "undecided")
    if test.deals < FIRST_LOOK:
        answer += f"; the test starts at {FIRST_LOOK} deals"
    return (
        f"is {question.better} better than {question.than}? {answer}\n"
        f"  log-likelihood ratio {test.ratio:.2f}, bounds {question.lower:.2f} and {question.upper:.2f} "
        f"(alpha {question.alpha:g}, beta {question.beta:g}); {test.deals} deals\n"
        f"  difference in {by}: {measured} {unit} (interval for a fixed number of deals, slightly biased by early "
        "stopping)"
    )


def _faults(standings: Standings) -> str:
    """The number of games lost by faults, and the text of the first fault."""
    texts = []
    for agent, label in enumerate(standings.labels):
        faults = standings.faults(agent)
        if not faults:
            continue
        kinds = [fault.kind for fault in faults]
        counts = ", ".join(f"{kind} {kinds.count(kind)}" for kind in dict.fromkeys(kinds))
        first = next(line for line in standings.lines if line.fault is not None and line.fault.agent == agent)
        where = f"deal {first.deal}, game {first.number}, after {number_of(faults[0].decision, 'decisions')}"
        text = "\n".join(f"    {line}" for line in faults[0].text.strip().splitlines())
        lost = number_of(len(faults), "games")
        texts.append(f"{label} lost {lost} by faults ({counts})\n  the first: {where}\n{text}")
    return "\n\n".join(texts)


def _text(estimate: Estimate | None) -> str:
    return "-" if estimate is None else estimate.text()
