"""The arena on a cluster: agents play in worker processes of all nodes.

Each node has its own worker pools (pool.py), which handle agents' faults. The files of networks are sent to the nodes;
the classes of your own agents must be installed there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import queue
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from carnegie_env.agents import registry
from carnegie_env.agents.configuration import CONFIG_FILE
from carnegie_env.agents.value import WEIGHTS_FILE
from carnegie_env.arena.lines import GameLine
from carnegie_env.arena.pool import Games, WorkerPool
from carnegie_env.arena.worker import About, Setup
from carnegie_env.core.validation import number_of_threads
from carnegie_env.workers.cluster import Cluster, Pool

OWN = (
    ". Your own agent must be on every node: install its package there, or add the folder of {}.py to PYTHONPATH "
    "before `ray start`"
)
Packed = dict[str, dict[str, tuple[bytes, int]]]  # files with their modes
_LINES = msgspec.msgpack.Decoder(list[GameLine])


def make_pool(setup: Setup, processes: int | None, cluster: Cluster | None) -> WorkerPool | NodePool:
    """Worker processes on this machine, or on all nodes of a cluster; by default one per core."""
    number = number_of_threads(processes)
    return WorkerPool(setup, number) if cluster is None else NodePool(setup, processes, cluster)


class NodePool(contextlib.AbstractContextManager["NodePool"]):
    """Like :class:`~.pool.WorkerPool`, on the nodes of a cluster; a context manager, which ends all workers.

    Args:
        setup: shared by all processes.
        processes: on each node; None: one per core.
        cluster: the cluster.

    Attributes:
        apart: see :class:`~.pool.WorkerPool`.
    """

    def __init__(self, setup: Setup, processes: int | None, cluster: Cluster) -> None:
        self._setup, self._processes, self._cluster = setup, processes, cluster
        self._held = contextlib.ExitStack()
        self._about: list[About] = []
        self.apart: dict[int, str] = {}

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def look(self) -> list[About]:
        """The properties of the agents on this machine; they must be the same on all nodes."""
        with WorkerPool(self._setup, 1) as pool:
            self._about = pool.look()
        return self._about

    def play(self, chunks: Iterator[tuple[Games, bool]]) -> Iterator[tuple[int, list[GameLine]]]:
        """Play chunks of games, after :meth:`look`; see :meth:`WorkerPool.play`.

        Raises:
            ValueError: a node lacks the package or an agent.
            RuntimeError: see :meth:`WorkerPool.play`; in particular Lost: nodes are lost again and again.
        """
        arguments = (self._setup, _packed(self._setup.specs), self._about, os.getcwd())
        nodes = self._held.enter_context(Pool(self._cluster, NodeWorker, arguments, self._processes))
        for number, (lines, apart, _) in nodes.run(chunks, units=lambda result: int(result[2])):
            if apart is not None:
                self.apart[number] = apart
            yield number, _LINES.decode(lines)


class NodeWorker:
    """Plays chunks of games on a node: a worker of :class:`~carnegie_env.workers.cluster.Pool`.

    Args:
        setup: shared by all processes, with paths of the driver's machine.
        packed: the files of :func:`_packed`.
        about: the properties of the agents on the driver's machine.
        folder: the driver's current folder; the node also imports modules from it if it exists there.
        slots: chunks that are played at a time.

    Raises:
        ValueError: an agent can't be made here, or has another version.
    """

    def __init__(self, setup: Setup, packed: Packed, about: Sequence[About], folder: str, slots: int) -> None:
        if os.path.isdir(folder) and folder not in sys.path:
            sys.path.insert(0, folder)
        self._folder = tempfile.mkdtemp(prefix="arena")
        specs = tuple(_unpacked(spec, packed, Path(self._folder)) for spec in setup.specs)
        here = dataclasses.replace(setup, specs=specs)
        self._pools = [WorkerPool(here, 1) for _ in range(slots)]
        self._free: queue.SimpleQueue[WorkerPool] = queue.SimpleQueue()
        for pool in self._pools:
            self._free.put(pool)
        try:
            self._compare(setup.specs, about)
        except BaseException:
            self.close()
            raise

    def _compare(self, specs: Sequence[str], about: Sequence[About]) -> None:
        """Refuse agents that differ from the agents on the driver's machine."""
        for spec, wanted, found in zip(specs, about, self._pools[0].look(), strict=True):
            if found.wrong:
                kind = spec.partition(":")[0]
                raise ValueError(found.wrong + ("" if kind in registry.AGENTS else OWN.format(kind)))
            if found != wanted:
                raise ValueError(f"{spec} has version {found.version!r} there, {wanted.version!r} here")

    def do(self, chunk: tuple[Games, bool]) -> tuple[bytes, str | None, int]:
        """Play a chunk: its lines as msgpack, the entry in :attr:`WorkerPool.apart` if any, and the number of games."""
        pool = self._free.get()
        try:
            pool.apart.clear()
            ((_, lines),) = pool.play(iter([chunk]))
            return msgspec.msgpack.encode(lines), pool.apart.get(0), len(lines)
        finally:
            self._free.put(pool)

    def close(self) -> None:
        for pool in self._pools:
            pool.__exit__()
        shutil.rmtree(self._folder, ignore_errors=True)


# ---------------------------------------------------------------- networks and bots
def _packed(specs: Sequence[str]) -> Packed:
    """The agents' networks and bots, by the path in the agent's name, then by file name."""
    found: Packed = {}
    for path in {path for spec in specs if (path := registry.path_of(spec)) is not None}:
        given = Path(path)
        folder, file = (given, WEIGHTS_FILE) if given.is_dir() else (given.parent, given.name)
        files = [each for name in (file, CONFIG_FILE) if (each := folder / name).is_file()]
        found[path] = {each.name: (each.read_bytes(), each.stat().st_mode & 0o777) for each in files}
    return found


def _unpacked(spec: str, packed: Packed, folder: Path) -> str:
    """Write an agent's files into a folder on this node; returns the agent's name with their path."""
    path = registry.path_of(spec)
    if path is None:
        return spec
    place = folder / f"{list(packed).index(path)}"
    place.mkdir(exist_ok=True)
    for name, (content, mode) in packed[path].items():
        (place / name).write_bytes(content)
        (place / name).chmod(mode | 0o600)  # bots may be programs; two agents may have the same file
    file = Path(path).name
    return registry.with_path(spec, str(place / file if file in packed[path] else place))
