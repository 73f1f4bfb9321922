"""`carnegie-env review`: what a game's decisions cost, and what was luck."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from carnegie_env.cli.common import progress, record_in, width
from carnegie_env.core.arguments import check_least
from carnegie_env.render import text

HEIGHT = 12  # lines of the chart
LEFT = 8  # columns before the chart
MARKS = "ox+*#@"  # the seats in the chart


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `review`."""
    parser.add_argument("file", metavar="FILE", help="game record, written by `play --record` for example")
    add = parser.add_argument
    add("--thorough", action="store_true", help="larger budget: on an idle core 30 s for 250 decisions, instead of 6")
    add("--seat", type=int, metavar="N", help="list only this seat's decisions (default: all seats')")
    add("--worst", type=int, default=6, metavar="N", help="list at most N decisions (default: %(default)s)")
    add("--json", action="store_true", help="print the whole review as JSON")
    add("--again", action="store_true", help="make the review again, even if it is in the cache")


def review(given: argparse.Namespace) -> None:
    """Review a recorded game."""
    from carnegie_env import review as reviews

    check_least(given, worst=1)
    record = record_in(given.file, given.named)
    players = record.options.num_players
    if given.seat is not None and not 0 <= given.seat < players:
        raise ValueError(f"--seat must be a whole number from 0 to {players - 1}, not {given.seat}")
    name = "thorough" if given.thorough else "quick"
    with progress("decisions played") as watch:
        found = reviews.review(record, reviews.BUDGETS[name], cached=not given.again, progress=watch)
    if given.json:
        print(found.to_json().decode())
        return
    where = "the end" if found.over else "the last position"
    decisions = text.number_of(len(found.decisions), "decisions")
    print(f"{given.file}: {decisions}, {name} review; all margins in {found.point}")
    if found.estimates != "network":
        print("There is no network for these options: the review uses play-outs of greedy, a weaker judge.")
    print(f"\nexpected margin over the best other side, from the first decision to {where}:")
    names = [seat.name for seat in found.seats]
    print(*chart(found.expected, width()), sep="\n")
    print(" " * LEFT + "  ".join(f"{mark} {name}" for mark, name in zip(MARKS, names, strict=False)), end="\n\n")
    print(*table(found.seats), sep="\n")
    worst = found.worst(given.worst, given.seat)
    print("\nmost expensive decisions:" if worst else "\nno decision clearly cost anything")
    line = reviews.Line.of(record)
    for each in worst:
        before = line.records[each.number - 1]
        taken, best = (line.game.wording(before, line.game.texts.index(text)) for text in (each.action, each.best))
        print(*told(each, names[each.seat], found.point, taken, best), sep="\n")


def chart(values: Sequence[Sequence[float]], columns: int) -> list[str]:
    """Lines over the game as text, one for each seat: ``values`` by decision and seat, in ``columns`` columns."""
    across = max(min(columns - LEFT, len(values)), 1)
    shown = [values[(k * (len(values) - 1)) // max(across - 1, 1)] for k in range(across)]
    low, high = (choose(0.0, choose(map(choose, shown))) for choose in (min, max))
    step = max(high - low, 1.0) / (HEIGHT - 1)
    lines = []
    for row in range(HEIGHT - 1, -1, -1):
        cells = [" -"[row == round(-low / step)]] * across
        for k, at in enumerate(shown):
            for seat in range(len(at) - 1, -1, -1):
                if round((at[seat] - low) / step) == row:
                    cells[k] = MARKS[seat % len(MARKS)]
        label = f"{low + row * step:+.0f}" if row % 3 == 0 or row == HEIGHT - 1 else ""
        lines.append(f"{label:>{LEFT - 2}}  {''.join(cells)}".rstrip())
    return lines


def table(seats: Sequence[Any]) -> list[str]:
    """The sums of the seats as a table."""
    heads = ("", "result", "= par", "+ deal", "+ luck", "+ skill", "+ others", "+ remainder", "adjusted",
             "loss/decision", "accuracy", "performance")  # fmt: skip
    rows = [heads]
    for seat in seats:
        sums = (seat.result, seat.par, seat.deal, seat.luck, seat.skill, seat.others, seat.remainder, seat.adjusted)
        rating = "-" if seat.rating is None else f"{seat.rating[0]} [{seat.rating[1]}, {seat.rating[2]}]"
        accuracy = "-" if seat.accuracy is None else f"{seat.accuracy:.0f}"
        loss = f"{seat.loss:.2f} ± {1.96 * seat.error:.2f}"
        rows.append((seat.name, *(f"{round(value, 1) + 0.0:+.1f}" for value in sums), loss, accuracy, rating))
    return text.columns(rows, left=1)


def told(decision: Any, name: str, point: str, taken: str, best: str) -> list[str]:
    """One decision in a few lines, with its actions in words."""
    when = f"round {decision.round}" if decision.round else "set-up"
    lines = [
        f"{decision.number:5}  {when}, {name}: {taken}",
        f"       better: {best}  (loss {decision.loss:.1f} ± {1.96 * decision.error:.1f} {point}; "
        f"win {decision.best_win:.0%} instead of {decision.win:.0%})",
    ]
    if decision.why:
        changes = sorted(decision.why.items(), key=lambda each: -abs(each[1]))
        lines.append(
            "       with it: " + ", ".join(f"{key.replace('_', ' ')} {change:+.1f}" for key, change in changes[:6])
        )
    return lines
