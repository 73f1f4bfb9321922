"""Ray nodes on this machine, started as by hand, and killed as by a power cut."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 180  # s for whatever a busy machine is waited for
MARK = "CARNEGIE_ENV_TEST_NODE"  # in the environment of all processes of a node: so they are found


def environment(**more: str) -> dict[str, str]:
    """What nodes and commands run with: this checkout, the programs beside this Python, no reports to anybody."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
    return os.environ | quiet | {"PATH": programs} | more


def processes(mark: str, named: str = "") -> list[int]:
    """The processes of a node; those only whose command line has a text."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and f"{MARK}={mark}\0".encode() in (folder / "environ").read_bytes() + b"\0":
                if named.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
        except OSError:  # gone, or somebody else's
            continue
    return found


def kill(pids: list[int]) -> None:
    """Kill -9."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


class Nodes:
    """A cluster of this machine; a context manager, which ends it.

    Args:
        more: environment of its processes.

    Attributes:
        address: of its head.
        client: where it is joined from outside.
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
        """Start a node, the first one being the head. It is there when this returns."""
        place = [f"--address={self.address}"]
        if not self._marks:
            place = ["--head", f"--port={self.address.rpartition(':')[2]}", "--include-dashboard=false"]
            place += [f"--ray-client-server-port={self.client.rpartition(':')[2]}", "--node-ip-address=127.0.0.1"]
        mark = self._marks[name] = uuid.uuid4().hex
        command = ["ray", "start", *place, f"--node-name={name}", f"--num-cpus={cpus}", "--disable-usage-stats"]
        command += [f"--object-store-memory={100 * 2**20}"]
        started = subprocess.run(
            command, env=environment(**{MARK: mark}, **self._more), capture_output=True, text=True, timeout=PATIENCE
        )
        assert started.returncode == 0, started.stdout + started.stderr

    def actors(self, name: str) -> list[int]:
        """The processes of our actors on a node."""
        return processes(self._marks[name], "ray::Seat")

    def kill(self, name: str) -> None:
        """Kill all processes of a node at once."""
        mark = self._marks.pop(name)
        until = time.monotonic() + PATIENCE
        while pids := processes(mark):  # one may have started another meanwhile
            kill(pids)
            assert time.monotonic() < until, f"the node {name} can't be killed"
            time.sleep(0.1)
