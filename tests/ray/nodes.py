"""Ray nodes on this machine, started like `ray start` by hand and killed like a power cut."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

TIMEOUT = 180  # s for anything on a busy machine
MARK = "CARNEGIE_ENV_TEST_NODE"  # in the environment of all processes of a node, to find them


def environment(**more: str) -> dict[str, str]:
    """The environment of nodes and commands: this Python's programs first, no usage reports."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
    return os.environ | quiet | {"PATH": programs} | more


def processes(mark: str, named: str = "") -> list[int]:
    """The processes of a node whose command line contains a text."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            if folder.name.isdecimal() and f"{MARK}={mark}\0".encode() in (folder / "environ").read_bytes() + b"\0":
                if named.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
    return found


def kill(mark: str) -> None:
    """Kill all processes of a node, including any that they start meanwhile."""
    until = time.monotonic() + TIMEOUT
    while pids := processes(mark):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert time.monotonic() < until, f"processes can't be killed: {pids}"
        time.sleep(0.1)


class Nodes:
    """A cluster on this machine; a context manager, which ends it.

    Args:
        more: environment of its processes.

    Attributes:
        address: of its head.
        client: the address for joining from outside.
    """

    def __init__(self, **more: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("127.0.0.1", 0)) as other:
            self.address, self.client = (f"127.0.0.1:{each.getsockname()[1]}" for each in (free, other))
        self._more = more
        self._marks: dict[str, str] = {}

    def __enter__(self) -> Nodes:
        return self

    def __exit__(self, *_: object) -> None:
        for name in [*self._marks]:
            self.kill(name)

    @property
    def names(self) -> list[str]:
        """The nodes that have not been killed."""
        return [*self._marks]

    def start(self, name: str, cpus: int = 1) -> None:
        """Start a node, the head first, and wait until it is ready."""
        place = [f"--address={self.address}"]
        if not self._marks:
            place = ["--head", f"--port={self.address.rpartition(':')[2]}", "--include-dashboard=false"]
            place += [f"--ray-client-server-port={self.client.rpartition(':')[2]}", "--node-ip-address=127.0.0.1"]
        mark = self._marks[name] = uuid.uuid4().hex
        command = ["ray", "start", *place, f"--node-name={name}", f"--num-cpus={cpus}", "--disable-usage-stats"]
        command += [f"--object-store-memory={100 * 2**20}"]
        started = subprocess.run(
            command, env=environment(**{MARK: mark}, **self._more), capture_output=True, text=True, timeout=TIMEOUT
        )
        assert started.returncode == 0, started.stdout + started.stderr

    def actors(self, name: str) -> list[int]:
        """The processes of the pool's actors on a node."""
        return processes(self._marks[name], "ray::Actor")

    def kill(self, name: str) -> None:
        """Kill all processes of a node at once."""
        kill(self._marks.pop(name))
