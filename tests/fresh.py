"""Fresh processes for tests of compiled code, forked from one that has imported Numba but not this package.

This saves the second that Python and Numba take to start.
"""

import multiprocessing
import os
import sys
import tempfile
from pathlib import Path


class Process:
    """A process that runs code as `python -c` does, with an interface like `subprocess.Popen`."""

    _server = multiprocessing.get_context("forkserver")
    _server.set_forkserver_preload(["numba"])

    def __init__(self, code: str, environment: dict[str, str], cwd: Path) -> None:
        self._streams = [tempfile.NamedTemporaryFile() for _ in range(2)]
        names = [stream.name for stream in self._streams]
        self._process = self._server.Process(target=_run, args=(code, environment, cwd, names))
        self._process.start()
        self.returncode: int | None = None

    def communicate(self) -> tuple[str, str]:
        """Wait for its end; returns what it wrote to stdout and stderr."""
        self._process.join(300)
        self.returncode = self._process.exitcode
        out, err = (Path(stream.name).read_text() for stream in self._streams)
        return out, err


def _run(code: str, environment: dict[str, str], cwd: Path, streams: list[str]) -> None:
    for number, name in enumerate(streams, 1):
        os.dup2(os.open(name, os.O_WRONLY), number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    tempfile.tempdir = None
    # The package recognizes worker processes by these, and is silent in them.
    multiprocessing.current_process().name = "MainProcess"
    multiprocessing.process._parent_process = None  # type: ignore[attr-defined]
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
