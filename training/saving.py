"""Saving that survives a temporarily full disk: training continues, and saving is tried again."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable

from carnegie_env.agents.configuration import CONFIG_FILE
from carnegie_env.core.files import write_whole
from training.run_folder import RunFolder

LAST_SAVE = 120.0  # seconds in which the last save is tried again where the disk is full
LAST_SAVE_PAUSE = 15.0  # seconds between these tries


class Saver:
    """Writes the files of a run, and remembers those that could not be written.

    Args:
        folder: of the run.
        save_in: saves everything that a resumed run needs in a run folder.
        model: its name in messages.
        say: tells the user.
    """

    def __init__(
        self, folder: RunFolder, save_in: Callable[[RunFolder], None], model: str, say: Callable[[str], None]
    ) -> None:
        self.folder, self.model, self.say = folder, model, say
        self._save_in = save_in
        self.unsaved: dict[str, Callable[[], None]] = {}  # what could not be written, by file: how to write it

    def save(self) -> bool:
        """Save everything that a resumed run needs; whether that succeeded. If not, the old files stay."""
        return self._try(self.model, lambda: self._save_in(self.folder))

    def write(self, name: str, content: str | bytes) -> bool:
        """Write a file of the run; whether that succeeded."""
        return self._try(name, lambda: write_whole(self.folder / name, content))

    def _try(self, name: str, write: Callable[[], None]) -> bool:
        """Write a part of the run; one that can't be written is kept for :meth:`at_last`."""
        try:
            write()
        except OSError as error:
            if name not in self.unsaved:
                self.say(f"NOT SAVED: {said_of(error)}. The job continues and will try again.")
            self.unsaved[name] = write
            return False
        if self.unsaved.pop(name, None) is not None:
            self.say(f"{self.folder / name} is saved now.")
        return True

    def at_last(self) -> bool:
        """Write everything that could not be written so far; the model elsewhere, if the run's disk has no room for it.

        Returns:
            Whether everything is in the run folder.
        """
        end = time.monotonic() + LAST_SAVE
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                for name, write in list(self.unsaved.items()):
                    self._try(name, write)
                if not self.unsaved:
                    break
                left = end - time.monotonic()
                if left <= 0:
                    break
                self.say(
                    f"{', '.join(self.unsaved)} in {self.folder}: not saved. Make room there; tried again for "
                    f"{left:.0f} s more, Ctrl-C ends that."
                )
                time.sleep(min(LAST_SAVE_PAUSE, left))
        if self.model in self.unsaved:
            self._rescue()
        if self.unsaved:
            self.say(f"NOT SAVED in {self.folder}: {', '.join(self.unsaved)}.")
        return not self.unsaved

    def _rescue(self) -> None:
        """Save the model in the folder for temporary files, which may be on another disk."""
        try:
            other = type(self.folder)(tempfile.mkdtemp(prefix="carnegie-run-"))
            write_whole(other / CONFIG_FILE, (self.folder / CONFIG_FILE).read_bytes())
            self._save_in(other)
            self.say(f"The model is saved in {other} instead, a run folder: --resume {other} continues it")
        except OSError as error:
            self.say(f"Nor could it be saved elsewhere: {said_of(error)}. What was learned since is LOST.")


def said_of(error: OSError) -> str:
    """An error of the system in words, with its file."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)
