"""A plot of the score categories over the training."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from training.run_folder import LearningCurve

POINTS = 200  # on the time axis; rows between them are averaged
LARGEST = 12  # categories shown by name; the others are added up


def picture(curve: LearningCurve, columns: Sequence[str], total: str, title: str, point: str = "points") -> bytes:
    """A stacked plot of the mean own score by category over the minutes of training, as PNG.

    Args:
        curve: has a column for each category.
        columns: score columns of the game.
        total: the column that is the sum of the others.
        title: of the plot.
        point: the unit of the score.

    Raises:
        ValueError: nothing was measured yet.
    """
    from matplotlib.figure import Figure  # not pyplot: no display, no global state

    names = [name for name in columns if name != total] or [total]
    rows = [row for row in curve.rows if row.get(total) is not None]
    if not rows:
        raise ValueError(f"the column {total} of the learning curve is empty")
    parts = np.array_split(np.arange(len(rows)), min(POINTS, len(rows)))
    minutes = [np.mean([rows[i]["seconds"] / 60 for i in part]) for part in parts]
    scores = np.array([[np.mean([rows[i][name] for i in part]) for part in parts] for name in names])
    order = np.argsort(-scores[:, -1], kind="stable")
    shown, others = order[:LARGEST], order[LARGEST:]
    bands = [scores[k] for k in shown] + ([scores[others].sum(axis=0)] if len(others) else [])
    labels = [f"{names[k].replace('_', ' ')}: {scores[k, -1]:.1f}" for k in shown]
    labels += [f"others: {scores[others, -1].sum():.1f}"] if len(others) else []
    figure = Figure(figsize=(11, 6.5), layout="constrained")
    axis = figure.subplots()
    colours = [f"C{k}" for k in range(10)] + ["gold", "navy", "lightgray"]
    axis.stackplot(minutes, np.maximum(bands, 0), labels=labels, colors=colours[: len(bands)])
    axis.plot(minutes, scores.sum(axis=0), color="black", linewidth=1)
    axis.set_xlabel("minutes of training")
    axis.set_ylabel(f"own score ({point})")
    axis.set_title(title)
    handles, texts = axis.get_legend_handles_labels()
    axis.legend(handles[::-1], texts[::-1], loc="center left", bbox_to_anchor=(1, 0.5), title="at the end")
    axis.grid(alpha=0.3)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()
