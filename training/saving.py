"""Saving that tolerates a full disk: training continues, and saving is tried again."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable

from carnegie_env.core.validation import error_text
from training.run_folder import RunFolder

LAST_SAVE = 120.0  # seconds for which the last save is retried if the disk is full
LAST_SAVE_PAUSE = 15.0  # seconds between these attempts


class Saver:
    """Writes the files of a run, and remembers those that could not be written.

    Args:
        folder: of the run.
        save_in: saves everything that a resumed run needs, in a run folder.
        model: its name in messages.
        say: prints a message.
    """

    def __init__(
        self, folder: RunFolder, save_in: Callable[[RunFolder], None], model: str, say: Callable[[str], None]
    ) -> None:
        self.folder, self.model, self.say = folder, model, say
        self._save_in = save_in
        self.unsaved: dict[str, Callable[[], None]] = {}  # functions that write the missing files, by name
        self._given_up = False

    def save(self) -> bool:
        """Save everything that a resumed run needs; returns whether that succeeded. If not, the old files stay."""
        return self._try(self.model, lambda: self._save_in(self.folder))

    def write(self, name: str, content: str | bytes) -> bool:
        """Write a file of the run; returns whether that succeeded."""
        return self._try(name, lambda: self.folder.write(name, content))

    def _try(self, name: str, write: Callable[[], None]) -> bool:
        """Write a part of the run; if that fails, it is kept for :meth:`save_rest`."""
        try:
            write()
        except OSError as error:
            if name not in self.unsaved:
                self.say(f"NOT SAVED: {error_text(error)}. The job continues and will try again.")
            self.unsaved[name] = write
            return False
        if self.unsaved.pop(name, None) is not None:
            self.say(f"{self.folder / name} is saved now.")
        return True

    def save_rest(self, seconds: float = LAST_SAVE) -> bool:
        """Write everything that could not be written so far; the model elsewhere, if that still fails.

        Args:
            seconds: for which it is tried again.

        Returns:
            Whether everything is in the run folder.
        """
        end = time.monotonic() + (0.0 if self._given_up else seconds)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                for name, write in list(self.unsaved.items()):
                    self._try(name, write)
                if not self.unsaved:
                    break
                if (left := end - time.monotonic()) <= 0:
                    break
                self.say(
                    f"Not saved in {self.folder}: {', '.join(self.unsaved)}. Free some space; trying again for "
                    f"{left:.0f} s, Ctrl-C stops."
                )
                time.sleep(min(LAST_SAVE_PAUSE, left))
        if self.model in self.unsaved and not self._given_up:
            self._rescue()
        self._given_up = bool(self.unsaved)
        if self.unsaved:
            self.say(f"NOT SAVED in {self.folder}: {', '.join(self.unsaved)}.")
        return not self.unsaved

    def _rescue(self) -> None:
        """Save the model in the system's temporary folder, which may be on another disk."""
        try:
            other = type(self.folder)(tempfile.mkdtemp(prefix="carnegie-run-"))
            other.write_config(self.folder.config)
            self._save_in(other)
            self.say(f"The model is saved in {other} instead, a run folder that --resume {other} continues")
        except OSError as error:
            self.say(f"It could not be saved elsewhere: {error_text(error)}. All progress since the last save is LOST.")
