"""The arena on a cluster: on each node a post, where agents play in processes of that node as they do at home.

A post has the crew (crew.py) of one machine, so that an agent that hangs, crashes or plays nonsense is dealt with
there, in the same way. What an agent's network is read from goes along; a class of one's own has to be there.
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
from typing import Self

import msgspec

from carnegie_env.core.incoming import number_of_threads

from .. import registry
from ..cluster import Cluster, Pool
from ..configuration import CONFIG_FILE
from ..value import WEIGHTS_FILE
from .crew import Crew, Games
from .lines import GameLine
from .worker import About, Setup

OWN = (
    ". An agent of one's own has to be on every node: install its package there, or have the folder of {}.py in "
    "PYTHONPATH where `ray start` is called"
)
_LINES = msgspec.msgpack.Decoder(list[GameLine])


def crew_of(setup: Setup, processes: int | None, cluster: Cluster | None) -> Crew | Posts:
    """Who plays: processes of this machine, or of all nodes of a cluster. Both play the same games.

    Args:
        setup: what they all know.
        processes: how many agents think at a time, on each node; None: as many as there are cores.
        cluster: None: this machine.

    Raises:
        ValueError: a number of processes that is none.
    """
    here = number_of_threads(processes)  # what is wrong is refused in either case
    return Crew(setup, here) if cluster is None else Posts(setup, processes, cluster)


class Posts:
    """What :class:`~.crew.Crew` is on one machine, on the nodes of a cluster; a context manager, which ends all.

    Args:
        setup: what all processes know.
        processes: how many on each node; None: as many as it has cores.
        cluster: which.

    Attributes:
        apart: as there.
    """

    def __init__(self, setup: Setup, processes: int | None, cluster: Cluster) -> None:
        self._setup, self._processes, self._cluster = setup, processes, cluster
        self._held = contextlib.ExitStack()
        self._about: list[About] = []
        self.apart: dict[int, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def look(self) -> list[About]:
        """What there is to know of the agents, on this machine; nodes must find the same (see :class:`Post`)."""
        with Crew(self._setup, 1) as crew:
            self._about = crew.look()
        return self._about

    def play(self, chunks: Iterator[tuple[Games, bool]]) -> Iterator[tuple[int, list[GameLine]]]:
        """Play chunks of games, after :meth:`look`; see :meth:`Crew.play`.

        Raises:
            ValueError: a node has not what is here: the package, an agent of one's own.
            RuntimeError: as there; Lost, which is one, where nodes are lost again and again.
        """
        arguments = (self._setup, _packed(self._setup.specs), self._about, os.getcwd())
        pool = self._held.enter_context(Pool(self._cluster, Post, arguments, self._processes))
        for number, (lines, apart, _) in pool.run(chunks, units=lambda result: int(result[2])):
            if apart is not None:
                self.apart[number] = apart
            yield number, _LINES.decode(lines)


class Post:
    """Plays chunks of games on a node: a worker of :class:`~agents.cluster.Pool`.

    Args:
        setup: what all processes know, with paths of the machine that asks.
        packed: the files of :func:`_packed`.
        about: what that machine found of the agents.
        folder: its current one, where a node that has it looks for modules, too.
        slots: chunks that are played at a time.

    Raises:
        ValueError: an agent can't be made here, or is of another version.
    """

    def __init__(
        self, setup: Setup, packed: dict[str, dict[str, bytes]], about: Sequence[About], folder: str, slots: int
    ) -> None:
        if os.path.isdir(folder) and folder not in sys.path:
            sys.path.insert(0, folder)
        self._folder = tempfile.mkdtemp(prefix="arena")
        specs = tuple(_unpacked(spec, packed, Path(self._folder)) for spec in setup.specs)
        here = dataclasses.replace(setup, specs=specs)
        self._crews = [Crew(here, 1) for _ in range(slots)]
        self._free: queue.SimpleQueue[Crew] = queue.SimpleQueue()
        for crew in self._crews:
            self._free.put(crew)
        try:
            self._compare(setup.specs, about)
        except BaseException:
            self.close()
            raise

    def _compare(self, specs: Sequence[str], about: Sequence[About]) -> None:
        """Refuse to play with agents that are not those of the machine that asks."""
        for spec, wanted, found in zip(specs, about, self._crews[0].look(), strict=True):
            if found.wrong:
                kind = spec.partition(":")[0]
                raise ValueError(found.wrong + ("" if kind in registry.AGENTS else OWN.format(kind)))
            if found != wanted:
                raise ValueError(f"{spec} is of version {found.version!r} there, of {wanted.version!r} here")

    def do(self, chunk: tuple[Games, bool]) -> tuple[bytes, str | None, int]:
        """Play a chunk: its lines as msgpack, why it was played apart, if it had to be, and the number of games."""
        crew = self._free.get()
        try:
            crew.apart.clear()
            ((_, lines),) = crew.play(iter([chunk]))
            return msgspec.msgpack.encode(lines), crew.apart.get(0), len(lines)
        finally:
            self._free.put(crew)

    def close(self) -> None:
        """End all processes."""
        for crew in self._crews:
            crew.__exit__()
        shutil.rmtree(self._folder, ignore_errors=True)


# ---------------------------------------------------------------- networks
def _packed(specs: Sequence[str]) -> dict[str, dict[str, bytes]]:
    """The files that agents' networks are read from: by the path that the agent's name has, then by name."""
    found: dict[str, dict[str, bytes]] = {}
    for path in {path for spec in specs if (path := registry.path_of(spec)) is not None}:
        given = Path(path)
        folder, file = (given, WEIGHTS_FILE) if given.is_dir() else (given.parent, given.name)
        found[path] = {name: (folder / name).read_bytes() for name in (file, CONFIG_FILE) if (folder / name).is_file()}
    return found


def _unpacked(spec: str, packed: dict[str, dict[str, bytes]], folder: Path) -> str:
    """The agent's name with the path where its files are on this node; they are written into the folder."""
    path = registry.path_of(spec)
    if path is None:
        return spec
    place = folder / f"{list(packed).index(path)}"
    place.mkdir(exist_ok=True)
    for name, content in packed[path].items():
        (place / name).write_bytes(content)
    file = Path(path).name
    return registry.with_path(spec, str(place / file if file in packed[path] else place))
