"""The folder of a training run. Each file is written completely or not at all.

| file | content |
|---|---|
| config.json | the setup: settings, seed, the meaning of observations and actions, versions |
| progress.json | the progress of the training, and digests of the files saved with it |
| learning_curve.csv | one row for each update |

A subclass of :class:`RunFolder` names the other files. The files of a save change together, so a run is consistent at
every moment; config.json alone is a run that was never saved. A folder with missing or inconsistent files is refused
and not changed.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import hashlib
import io
import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, get_type_hints

from carnegie_env.agents.configuration import CONFIG_FILE, read_object
from carnegie_env.core import files

PROGRESS_FILE = "progress.json"
CURVE_FILE = "learning_curve.csv"


@dataclasses.dataclass
class Progress:
    """The progress of a training.

    Args:
        share: of the planned training that is done, 0 to 1; the learning rate falls with it.
        steps: decisions or games.
        seconds: of training, without evaluation.
    """

    share: float = 0.0
    steps: int = 0
    seconds: float = 0.0


class Damaged(ValueError):
    """A run folder with missing or inconsistent files."""

    def __init__(self, folder: Path, wrong: str) -> None:
        super().__init__(
            f"the run in {folder} is damaged: {wrong}. Nothing was changed. Restore the file from a copy, or start a "
            "new run in another folder"
        )


@contextlib.contextmanager
def locked(path: Path) -> Iterator[Callable[[], None]]:
    """Hold a run's folder for one job, see :func:`carnegie_env.core.files.lock`; a ValueError if another one does."""
    with contextlib.ExitStack() as held:
        try:
            check = held.enter_context(files.lock(path))
        except BlockingIOError:
            raise ValueError(f"another job is using the run in {path}: wait for it, or end it") from None
        yield check


class RunFolder:
    """A run's files by name, locked for one job from :meth:`create` or :meth:`open` to :meth:`close`.

    Attributes:
        saved: names of the files of a save, besides the learning curve and progress.json, which has their digests.
        columns: of the learning curve; set by :meth:`check_config` at the latest.
        config: the run's configuration, from :meth:`create` or :meth:`open`.
    """

    saved: ClassVar[tuple[str, ...]]
    columns: tuple[str, ...]

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.config: dict[str, Any] = {}
        self._lock = contextlib.ExitStack()
        self._check_held: Callable[[], None] = lambda: None

    def __str__(self) -> str:
        return str(self.path)

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def create(self, config: dict[str, Any]) -> None:
        """Make the folder of a new run; a ValueError if it is not empty, an OSError if it can't be written."""
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"{self.path} is a file; a run needs a folder")
        self.path.mkdir(parents=True, exist_ok=True)
        self._check_held = self._lock.enter_context(locked(self.path))
        try:
            files.remove_leftovers(self.path)
            if any(self.path.iterdir()):
                raise ValueError(f"{self.path} already exists: continue it with --resume, or choose another folder")
            self.write_config(config)
        except BaseException:
            self.close()
            raise

    def check_config(self, config: dict[str, Any]) -> None:
        """Raise a ValueError for a configuration that is not valid for this kind of run."""
        raise NotImplementedError

    def open(self) -> tuple[dict[str, Any], Progress, LearningCurve]:
        """Open a run: its configuration, progress and learning curve. A save that a killed process left unfinished is
        completed first.

        Raises:
            Damaged: files are missing or inconsistent.
            ValueError: it is not the folder of a run, or another job is using it.
            OSError: it can't be read or written.
        """
        if not self.path.is_dir():
            wrong = "it is not a folder" if self.path.exists() else "there is no such folder"
            raise ValueError(f"{self.path} is not the folder of a run: {wrong}")
        self._check_held = self._lock.enter_context(locked(self.path))
        try:
            try:
                files.finish(self.path)
            except ValueError as error:
                raise Damaged(self.path, str(error)) from None
            files.remove_leftovers(self.path)
            opened = self._read_config(), *self._read_saved()
            self._check_writable()
            return opened
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the folder."""
        self._lock.close()

    def _check_writable(self) -> None:
        """Raise an OSError with the folder's name now, not after hours of training."""
        try:
            with tempfile.TemporaryFile(dir=self.path):
                pass
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from None

    # ---- reading
    def _read(self, name: str) -> dict[str, Any]:
        try:
            return read_object(self / name)
        except FileNotFoundError:
            raise Damaged(self.path, f"there is no {name}") from None
        except ValueError as error:
            raise Damaged(self.path, str(error)) from None

    @property
    def _parts(self) -> tuple[str, ...]:
        return CURVE_FILE, *self.saved

    def _read_config(self) -> dict[str, Any]:
        if not (self / CONFIG_FILE).exists():
            if any((self / name).exists() for name in (*self._parts, PROGRESS_FILE)):
                raise Damaged(self.path, f"there is no {CONFIG_FILE}")
            raise ValueError(f"{self.path} is not the folder of a run: there is no {CONFIG_FILE} in it")
        config = self._read(CONFIG_FILE)
        try:
            self.check_config(config)
        except ValueError as error:
            raise Damaged(self.path, str(error)) from None
        self.config = config
        return config

    def _read_saved(self) -> tuple[Progress, LearningCurve]:
        found = [name for name in (*self._parts, PROGRESS_FILE) if (self / name).exists()]
        if not found:
            return Progress(), LearningCurve(self.columns)
        for name in (*self._parts, PROGRESS_FILE):
            if name not in found:
                raise Damaged(self.path, f"there is no {name}, but {', '.join(found)}")
            if not (self / name).is_file():
                raise Damaged(self.path, f"{self / name} is not a file")
        content = self._read(PROGRESS_FILE)
        progress, digests = self._progress(content), content["sha256"]
        for name in self._parts:
            data = (self / name).read_bytes()
            if hashlib.sha256(data).hexdigest() != digests[name]:
                wrong = f"is not the file that was saved with {PROGRESS_FILE}" if data else "is empty"
                raise Damaged(self.path, f"{self / name} {wrong}")
        try:
            return progress, LearningCurve.load(self / CURVE_FILE, self.columns, progress.steps)
        except ValueError as error:
            raise Damaged(self.path, str(error)) from None

    def _progress(self, content: dict[str, Any]) -> Progress:
        numbers: dict[str, Any] = {field.name: content.get(field.name) for field in dataclasses.fields(Progress)}
        digests: Any = content.get("sha256")
        valid = all(type(value) in (int, float) and 0 <= value < 1e15 for value in numbers.values())
        valid = valid and type(content["steps"]) is int and content["share"] <= 1 and isinstance(digests, dict)
        if not valid or set(content) != {*numbers, "sha256"} or set(digests) != set(self._parts):
            raise Damaged(self.path, f"{self / PROGRESS_FILE} must have share, steps, seconds, and sha256 of the files")
        return Progress(**numbers)

    # ---- writing
    def write(self, name: str, content: str | bytes) -> None:
        """Write a file; an OSError if it can't be written, or if this is no longer the folder of the run."""
        self._check_held()
        files.write_whole(self / name, content)

    def write_config(self, config: dict[str, Any]) -> None:
        """Write config.json, as :meth:`write` does."""
        self.write(CONFIG_FILE, json.dumps(config, indent=1) + "\n")
        self.config = config

    def save(self, content: Mapping[str, bytes], progress: Progress, curve: LearningCurve) -> None:
        """Save everything that a resumed run needs. After any interruption all files are the new ones, or none.

        Args:
            content: the files in :attr:`saved`.
            progress, curve: the state of the training.

        Raises:
            OSError: as in :meth:`write`; nothing has changed.
        """
        self._check_held()
        if set(content) != set(self.saved):
            raise ValueError(f"the files of a save must be {', '.join(self.saved)}, not {', '.join(content)}")
        parts = {CURVE_FILE: curve.to_csv().encode(), **content}
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}
        text = json.dumps(dataclasses.asdict(progress) | {"sha256": digests}, indent=1) + "\n"
        files.write_together(self.path, {**parts, PROGRESS_FILE: text})


def check_same(folder: Path, found: Mapping[str, Any], wanted: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise a ValueError if the run in a folder can't be continued because its configuration is another one.

    Args:
        folder, found: of the run.
        wanted: the configuration of the run that is to be continued.
        names: the entries that must be the same.
    """
    for name in names:
        if found.get(name) != wanted[name]:
            raise ValueError(f"{folder} has a run with {name} {found.get(name)}, not {wanted[name]}")


def check_settings(config: Mapping[str, Any], settings: type[Any]) -> None:
    """Raise a ValueError for a configuration without a seed, or whose settings don't match a dataclass.

    Args:
        config: the content of config.json.
        settings: the dataclass (:mod:`training.settings`).
    """
    if type(config.get("seed")) is not int or config["seed"] < 0:
        raise ValueError(f"{CONFIG_FILE}: seed must be a whole number of 0 or more")
    kinds = get_type_hints(settings)
    found = config.get("settings")
    if not isinstance(found, dict) or set(found) != set(kinds):
        raise ValueError(f"{CONFIG_FILE}: the settings must be {', '.join(kinds)}")
    for name, value in found.items():
        if type(value) not in (int, kinds[name]):
            kind = "a whole number" if kinds[name] is int else "a number"
            raise ValueError(f"{CONFIG_FILE}: the setting {name} must be {kind}, not {value!r:.40}")
    try:
        settings(**found)
    except ValueError as error:
        raise ValueError(f"{CONFIG_FILE}: {error}") from None


class LearningCurve:
    """The measurements of the training, one row for each update.

    Args:
        columns: names, including `seconds` and `steps` of training.
        rows: values by name; None where nothing was measured.
    """

    WHOLE = ("steps", "games")  # columns of counts

    def __init__(self, columns: Sequence[str], rows: list[dict[str, float | None]] | None = None) -> None:
        self.columns = tuple(columns)
        self.rows = rows or []

    @classmethod
    def load(cls, path: Path, columns: Sequence[str], steps: int) -> LearningCurve:
        """Read the curve of a run after ``steps`` steps; a ValueError if the file is malformed or incomplete."""
        rows: list[dict[str, float | None]] = []
        try:
            with path.open(newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file, strict=True)
                if tuple(reader.fieldnames or ()) != tuple(columns):
                    raise ValueError("the first line must name the columns")
                for texts in reader:
                    if None in texts or None in texts.values():
                        raise ValueError(f"line {reader.line_num} must have {len(columns)} values")
                    rows.append({name: float(text) if text else None for name, text in texts.items()})
            before = 0.0
            for row in rows:
                steps_now = row["steps"]
                if steps_now is None or not before < steps_now < math.inf:
                    raise ValueError("the steps must increase from row to row")
                before = steps_now
            if rows and rows[-1]["steps"] != steps or not rows and steps:
                raise ValueError(f"the last row must be of {steps} steps")
        except (ValueError, csv.Error) as error:
            raise ValueError(f"{path} is not the learning curve of the run: {error}") from None
        return cls(columns, rows)

    def to_csv(self) -> str:
        """The rows as CSV."""
        out = io.StringIO()
        writer = csv.DictWriter(out, self.columns, restval="", lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            formats = {name: ".0f" if name in self.WHOLE else ".6g" for name in self.columns}
            writer.writerow({k: "" if row.get(k) is None else f"{row[k]:{formats[k]}}" for k in self.columns})
        return out.getvalue()

    def picture(self, title: str, panels: Sequence[tuple[str, str]], baselines: Mapping[str, float]) -> bytes:
        """The curve over the minutes of training, as PNG.

        Args:
            title: of the figure.
            panels: a column and a label for each panel; the first is three times as high as the others.
            baselines: values of horizontal lines in the first panel, by name.
        """
        from matplotlib.figure import Figure  # not pyplot: no display, no global state

        figure = Figure(figsize=(10, 9), layout="constrained")
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=[3] + [1] * (len(panels) - 1))
        minutes = [row["seconds"] / 60 for row in self.rows]  # type: ignore[operator]
        for axis, (column, label) in zip(axes[:, 0], panels, strict=True):
            values = [float("nan") if row.get(column) is None else row[column] for row in self.rows]
            axis.plot(minutes, values, color="tab:blue")
            axis.set_ylabel(label)
            axis.grid(alpha=0.3)
        first = axes[0, 0]
        for (name, value), colour in zip(baselines.items(), ("tab:gray", "tab:orange", "tab:green"), strict=False):
            first.axhline(value, color=colour, linestyle="--", label=f"{name}, evaluated")
        first.axhline(0, color="black", linewidth=0.8)
        if baselines:
            first.legend(loc="lower right")
        first.set_title(title)
        axes[-1, 0].set_xlabel("minutes of training")
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=110)
        return out.getvalue()
