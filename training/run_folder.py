"""The folder of a training run: what is in it, and how it is written (each file whole or not at all).

| file | what |
|---|---|
| config.json | how the run was set up: settings, seed, what observations and actions mean, versions |
| model.zip | the model, as Stable-Baselines3 saves it |
| progress.json | how far training has come; a resumed run goes on from here |
| learning_curve.csv, .png | one row for each update; the picture of it |
| tensorboard/ | the same for TensorBoard |
| evaluation.txt, .csv, .json | the table of the evaluation against Andrew |
| game.txt | one game of the trained agent, as a record for `carnegie-env replay` |
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from agents.learned import CONFIG_FILE, MODEL_FILE

PROGRESS_FILE = "progress.json"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it is never seen half written: into a temporary file beside it, then renamed."""
    data = content.encode() if isinstance(content, str) else content
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


@dataclasses.dataclass
class Progress:
    """How far training has come.

    Args:
        share: of the training that was planned, 0 to 1; the learning rate falls with it.
        steps: decisions taken.
        seconds: of training, evaluation not counted.
    """

    share: float = 0.0
    steps: int = 0
    seconds: float = 0.0


class RunFolder:
    """A run's files by name.

    Args:
        path: the folder; it need not exist.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __str__(self) -> str:
        return str(self.path)

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def create(self, config: dict[str, Any]) -> None:
        """Make the folder of a new run.

        Raises:
            ValueError: there is something in it already.
        """
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise ValueError(f"{self.path} exists already: go on with it by --resume, or take another folder")
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self / CONFIG_FILE, json.dumps(config, indent=1) + "\n")

    def read_config(self) -> dict[str, Any]:
        """The configuration of the run.

        Raises:
            ValueError: it is not a run's folder, or the file is broken.
        """
        return self._read(CONFIG_FILE)

    def read_progress(self) -> Progress:
        """How far the run has come; the beginning if nothing was saved yet.

        Raises:
            ValueError: the file is broken.
        """
        if not (self / PROGRESS_FILE).exists() or not (self / MODEL_FILE).exists():
            return Progress()
        try:
            return Progress(**self._read(PROGRESS_FILE))
        except TypeError as error:
            raise ValueError(f"{self / PROGRESS_FILE} is broken: {error}") from error

    def _read(self, name: str) -> dict[str, Any]:
        try:
            value = json.loads((self / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ValueError(f"{self.path} is not the folder of a run: there is no {name} in it") from None
        except ValueError as error:
            raise ValueError(f"{self / name} is broken: {error}") from error
        if not isinstance(value, dict):
            raise ValueError(f"{self / name} is broken: it holds no JSON object")
        return value

    def save(self, model: Any, progress: Progress, curve: LearningCurve) -> None:
        """Save all that a resumed run needs, the file that says how far it has come last."""
        buffer = io.BytesIO()
        model.save(buffer)
        write_whole(self / "learning_curve.csv", curve.to_csv())
        write_whole(self / MODEL_FILE, buffer.getvalue())
        write_whole(self / PROGRESS_FILE, json.dumps(dataclasses.asdict(progress), indent=1) + "\n")


class LearningCurve:
    """What was measured at each update, a row of numbers each.

    Attributes:
        rows: dictionaries by :attr:`COLUMNS`; an empty value (None) where no game ended.
    """

    COLUMNS = (
        "seconds", "steps", "games", "own", "andrew", "margin", "win_rate", "decisions_per_game", "steps_per_second",
        "learning_rate", "entropy", "value_loss", "policy_loss", "explained_variance", "approx_kl", "clip_fraction",
    )  # fmt: skip

    def __init__(self, rows: list[dict[str, float | None]] | None = None) -> None:
        self.rows = rows or []

    @classmethod
    def load(cls, path: Path, steps: int) -> LearningCurve:
        """Read the rows up to a number of steps; no file is an empty curve.

        Raises:
            ValueError: not such a file.
        """
        if not path.exists():
            return cls()
        try:
            with path.open(newline="", encoding="utf-8") as file:
                rows = [{k: float(v) if v else None for k, v in row.items()} for row in csv.DictReader(file)]
            return cls([row for row in rows if row["steps"] <= steps])  # type: ignore[operator]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path} is not a learning curve: {error!r}") from error

    def to_csv(self) -> str:
        """The rows as CSV."""
        out = io.StringIO()
        writer = csv.DictWriter(out, self.COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            writer.writerow({k: "" if row.get(k) is None else f"{row[k]:.6g}" for k in self.COLUMNS})
        return out.getvalue()

    def picture(self, title: str, baselines: dict[str, float]) -> bytes:
        """The curve as PNG: margin and win rate over time, with a line for each baseline's margin, and entropy."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # no display, no global state
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10, 9), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(3, 1, sharex=True, height_ratios=[3, 1, 1])
        minutes = [row["seconds"] / 60 for row in self.rows]  # type: ignore[operator]
        for panel, column, label in (
            (panels[0], "margin", "margin over Andrew (VP)"),
            (panels[1], "win_rate", "win rate"),
            (panels[2], "entropy", "entropy (nats)"),
        ):
            values = [float("nan") if row.get(column) is None else row[column] for row in self.rows]
            panel.plot(minutes, values, color="tab:blue")
            panel.set_ylabel(label)
            panel.grid(alpha=0.3)
        for (name, margin), colour in zip(baselines.items(), ("tab:gray", "tab:orange", "tab:green"), strict=False):
            panels[0].axhline(margin, color=colour, linestyle="--", label=f"{name}, evaluated")
        panels[0].axhline(0, color="black", linewidth=0.8)
        if baselines:
            panels[0].legend(loc="lower right")
        steps = self.rows[-1]["steps"] if self.rows else 0
        panels[0].set_title(f"{title}: {steps:,.0f} decisions")
        panels[-1].set_xlabel("minutes of training")
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=110)
        return out.getvalue()
