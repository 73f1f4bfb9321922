"""A picture of a match: ratings with their intervals, and scores by category. Needs matplotlib."""

from __future__ import annotations

import io
import os
from pathlib import Path

from carnegie_env.arena.match import Outcome
from carnegie_env.core import files

SUFFIXES = (".png", ".svg", ".pdf")


def check(path: str | os.PathLike[str]) -> Path:
    """The path of a picture; a ValueError for a wrong suffix or folder, or without matplotlib."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{path}: the name of a picture must end with {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError:
        raise ValueError("a picture needs matplotlib: pip install 'carnegie_env[arena]'") from None
    return path


def draw(outcome: Outcome, path: str | os.PathLike[str]) -> None:
    """Draw a match into a file."""
    target = check(path)
    from matplotlib.figure import Figure

    standings = outcome.standings
    sides = sorted(zip(standings.ratings(), standings.sides, strict=True), key=lambda side: side[0].mean)
    figure = Figure(figsize=(12, 2.2 + 0.45 * len(sides)), layout="constrained")
    left, right = figure.subplots(1, 2)
    for place, (rating, _) in enumerate(sides):
        left.plot([rating.low, rating.high], [place, place], color="tab:blue", linewidth=2)
        left.plot([rating.mean], [place], "o", color="tab:blue")
    for axes in (left, right):
        axes.set_yticks(range(len(sides)), [label for _, (label, _) in sides])
        axes.set_ylim(-0.5, len(sides) - 0.5)
    left.set_xlabel("rating (400 points: odds of 10 to 1), 95 % intervals")
    left.grid(axis="x", alpha=0.4)

    found = [standings.categories(agent) for _, (_, agent) in sides]
    names = list(dict.fromkeys(name for each in found for name in each if name != "total"))
    colours = {name: f"C{number % 10}" for number, name in enumerate(names)}
    for place, each in enumerate(found):
        right_end = left_end = 0.0  # positive scores are stacked to the right, negative ones to the left
        for name in names:
            points = each.get(name, 0.0)
            start = right_end if points >= 0 else left_end
            hatch = "//" if names.index(name) >= 10 else None
            right.barh(place, points, left=start, color=colours[name], hatch=hatch, label=name.replace("_", " "))
            right_end, left_end = right_end + max(points, 0), left_end + min(points, 0)
    right.set_xlabel(f"mean score by category, {standings.game.presentation.point}")
    handles, texts = right.get_legend_handles_labels()
    unique = dict(zip(texts, handles, strict=True))
    right.legend(unique.values(), unique.keys(), loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=5, fontsize=8)
    games, deals = len(standings.lines), len(standings.deals)
    figure.suptitle(f"{standings.game.title}: {games} games on {deals} deals")
    content = io.BytesIO()
    figure.savefig(content, format=target.suffix[1:].lower(), dpi=120)
    files.write_whole(target, content.getvalue())
