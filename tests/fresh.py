"""Fresh processes for tests of compiled code: forked from one that has imported Numba, and nothing of this package.

So each costs what it does, not the second of Python's and Numba's start. They share Python's seed of hashes: where that
may matter a test starts a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SECONDS = 300  # after which a process is ended
SERVER = f"""
import json, os, signal, sys, tempfile, traceback
import numba
numba.njit(lambda a: a + 1)(1)  # what Numba puts off until it compiles for the first time
paths = list(sys.path)

def run(code, environment, cwd, streams):
    os.chdir(cwd)
    for number, name in enumerate(streams):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), number)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = [*filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)), *paths]
    tempfile.tempdir = None
    exec(compile(code, "<string>", "exec"), {{"__name__": "__main__"}})

for line in sys.stdin:
    asked = json.loads(line)
    if "wait" in asked:
        answer = os.waitstatus_to_exitcode(os.waitpid(asked["wait"], 0)[1])
    else:
        answer = os.fork()
        if not answer:
            status = 1
            try:
                signal.alarm({SECONDS})
                run(**asked)
                status = 0
            except SystemExit as ended:
                status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
    print(answer, flush=True)
"""


class Process:
    """One of them; in use like `subprocess.Popen`."""

    def __init__(self, origin: Origin, pid: int, folder: Path) -> None:
        self._origin, self._pid, self._folder = origin, pid, folder
        self.returncode: int | None = None

    def communicate(self) -> tuple[str, str]:
        """Wait for its end: what it wrote to stdout and stderr."""
        self.returncode = self._origin.ask({"wait": self._pid})
        out, err = (Path(self._folder, name).read_text() for name in ("out", "err"))
        return out, err


class Origin:
    """The process that they are forked from; a context manager."""

    def __enter__(self) -> Origin:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        command = [sys.executable, "-c", SERVER]
        pipe = subprocess.PIPE
        self._folder = tempfile.TemporaryDirectory()
        self._number = 0
        self._server = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()
        self._folder.cleanup()

    def ask(self, request: dict[str, Any]) -> int:
        """A process's number, or how it has ended."""
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def start(self, code: str, environment: dict[str, str], cwd: Path) -> Process:
        """Run code as `python -c` would, with these variables and no others."""
        self._number += 1
        folder = Path(self._folder.name, str(self._number))
        folder.mkdir()
        streams = [os.devnull, *(str(folder / name) for name in ("out", "err"))]
        pid = self.ask({"code": code, "environment": environment, "cwd": str(cwd), "streams": streams})
        return Process(self, pid, folder)
