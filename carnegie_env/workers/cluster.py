"""Work on the nodes of a Ray cluster (docs/cluster.md): joining a cluster, and a pool of workers on its nodes.

The only module that uses Ray. Each node has one actor with a worker, which does several tasks at a time. The result of
a task depends on nothing but the task and the worker's settings, so a task whose actor or node is lost is done again
elsewhere, with the same result.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import pickle
import platform
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from carnegie_env.core import library, progress
from carnegie_env.core.validation import whole_number
from carnegie_env.core.versions import versions
from carnegie_env.render.text import columns
from carnegie_env.workers.processes import ONE_THREAD

CONNECT_TIMEOUT = 10.0  # s
# Ray's head starts a process for each client that joins from outside. Sometimes this process dies at once.
NOT_STARTED = "Starting Ray client server failed"
ATTEMPTS = 3  # to join in this case
NO_CORE = 120.0  # s to wait for the first node with a free core
NO_NODES = 60.0  # s to wait while there is no node
LOOK_FOR_NODES = 5.0  # s between two looks for new nodes
AHEAD = 2  # tasks that a node holds for each one that it does at a time, so that it never waits for the next one
WINDOW = 4  # times the number of tasks done at a time: how far a task may be ahead of the first unfinished one
MOST_LOSSES = 5  # of a task: fewer may be chance
MOST_DEATHS = 3  # of a node's actor in a row, without a task done
LATER: Any = object()  # instead of a task: the next one does not exist yet
LOOK_FOR_TASKS = 0.05  # s between two looks for a task after LATER
CLOSE_TIMEOUT = 5.0  # s for workers to close
REPORT = 60.0  # s between two reports of the work of each node
STORE = 512 * 2**20  # bytes of the object store of a local Ray
LOCAL = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}  # environment of a local Ray


class Lost(RuntimeError):
    """Work can't continue: no node is left, or a task was lost again and again. The message says which."""


class Worker(Protocol):
    """Does tasks on a node. It is called from as many threads as the node does tasks at a time.

    If it has a method ``close``, closing the pool calls it.
    """

    def do(self, task: Any, /) -> Any:
        """The result of a task. Both must be picklable. An exception ends the run."""


@dataclasses.dataclass(frozen=True)
class Node:
    """A machine of the cluster.

    Args:
        id: Ray's, a hexadecimal number.
        name: for people, unique.
        cpus: cores that Ray may use there.
    """

    id: str
    name: str
    cpus: int


@dataclasses.dataclass
class Work:
    """The work that a node has done.

    Args:
        tasks, units: the number of tasks, and of the units that they count, such as games.
        lost: tasks that had to be done again because the actor or the node was lost.
        begun: monotonic time of the first task; None: there was none.
        ended: monotonic time of the last result.
    """

    tasks: int = 0
    units: int = 0
    lost: int = 0
    begun: float | None = None
    ended: float = 0.0

    @property
    def rate(self) -> float:
        """Units per second, from the first task to the last result."""
        return 0.0 if self.begun is None or self.ended <= self.begun else self.units / (self.ended - self.begun)


# ---------------------------------------------------------------- joining
class Cluster:
    """A cluster that this process has joined with :func:`connect`.

    Args:
        unit: the unit of results, for reports.

    Attributes:
        work: the work of each node by its name, for all pools together.
    """

    def __init__(self, unit: str = "tasks") -> None:
        self.unit = unit
        self.work: dict[str, Work] = {}
        self._names: dict[str, str] = {}  # by Ray's id

    def nodes(self) -> list[Node]:
        """The nodes that are alive and have a core."""
        found = [each for each in _ray().nodes() if each["Alive"] and each["Resources"].get("CPU", 0) >= 1]
        return [Node(each["NodeID"], self._name(each), int(each["Resources"]["CPU"])) for each in found]

    def _name(self, node: dict[str, Any]) -> str:
        """A node's name or address, with a part of the id if another node has the same name."""
        key = str(node["NodeID"])
        if key not in self._names:
            name = str(node.get("NodeName") or node["NodeManagerAddress"])
            self._names[key] = f"{name}/{key[:6]}" if name in self._names.values() else name
        return self._names[key]

    def text(self) -> str:
        """The work of the nodes so far and their speed, a line for each node."""
        found = {name: work for name, work in self.work.items() if work.tasks or work.lost}
        rows = [
            (name, f"{work.units:,} {self.unit}", f"{work.rate:,.1f} {self.unit}/s") for name, work in found.items()
        ]
        lines = []
        for line, work in zip(columns(rows, left=1), found.values(), strict=True):
            again = f"  {work.lost} task{'s' if work.lost > 1 else ''} lost and done again" if work.lost else ""
            lines.append(line + again)
        return "\n".join(lines)

    @staticmethod
    def put(value: Any) -> Any:
        """Share an object, such as weights, with many tasks: it goes to each node once. :meth:`take` returns it."""
        return _ray().put(value)

    @staticmethod
    def take(put: Any) -> Any:
        """The object that :meth:`put` was given. Arrays are read-only, in the node's shared memory."""
        return _ray().get(put)


@contextlib.contextmanager
def connect(address: str | None = None, cpus: int | None = None, unit: str = "tasks") -> Iterator[Cluster]:
    """Join a cluster while the context lasts. If this process has joined one already, use it and stay joined.

    Args:
        address: ``HOST:PORT`` of the cluster's head; ``auto``: the cluster that this machine belongs to;
            ``ray://HOST:PORT``: join from outside (Ray Client); None: start a local Ray.
        cpus: cores of a local Ray; None: all.
        unit: see :class:`Cluster`.

    Raises:
        ValueError: Ray is not installed, no cluster answers, the cluster has another version of Ray or Python, or the
            number of cores is wrong.
    """
    if cpus is not None:
        whole_number("cpus", cpus, 1)
    ray = _ray()
    if ray.is_initialized():
        yield Cluster(unit)
        return
    if address is None:
        for name, value in LOCAL.items():
            os.environ.setdefault(name, value)
        more = {"num_cpus": cpus, "include_dashboard": False, "object_store_memory": STORE}
        _join("a local Ray", "local", **more)
    else:
        where = f"the Ray cluster at {address}"
        if address == "auto":
            where = "the Ray cluster of this machine"
            _check_remembered(where)
        else:
            _check_reachable(address, where, "`ray start --head` prints the address on the first node")
        _join(where, address)
    try:
        yield Cluster(unit)
    finally:
        ray.shutdown()


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise ValueError("a cluster needs Ray, which is not installed: pip install 'carnegie_env[ray]'") from None


def _join(where: str, address: str, **more: Any) -> None:
    """Join a cluster, or say why not and leave no trace of the attempt."""
    ray = _ray()
    wrong = OSError, RuntimeError, ValueError, AssertionError, ImportError, ray.exceptions.RayError
    for attempt in range(1, ATTEMPTS + 1):
        try:
            ray.init(address, logging_level="error", log_to_driver=False, **more)
            return
        except wrong as error:
            reason = " ".join(str(error).split())
            ray.shutdown()  # else Ray takes this process for a client that has lost its cluster, and joins no other
            if "ersion mismatch" in reason:
                here = f"Ray {metadata.version('ray')} and Python {platform.python_version()}"
                raise ValueError(f"{where} has other versions than this machine ({here}): {reason}") from None
            if NOT_STARTED not in reason or attempt == ATTEMPTS:
                raise ValueError(f"can't join {where}: {reason}") from None


def _check_reachable(address: str, where: str, advice: str) -> None:
    """Refuse an address that does not answer; Ray itself would try for a minute."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()):
        raise ValueError(
            f"{address!r} is not the address of a Ray cluster; use HOST:PORT, auto, or ray://HOST:PORT from outside"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"can't join {where}: nothing answers there ({error}). {advice}") from None


def _check_remembered(where: str) -> None:
    """Refuse the cluster that `auto` means if it is gone, as after a power cut; Ray itself would try forever."""
    address = os.environ.get("RAY_ADDRESS", "")
    advice = "RAY_ADDRESS in the environment is this address"
    if address in ("", "auto"):
        folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
        note = Path(folder, "ray", "ray_current_cluster")  # see the documentation of `ray.init`
        try:
            address = note.read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return  # Ray reports this itself
        advice = f"`ray start` wrote this address to {note}; `ray stop` removes it, `ray start` joins another cluster"
    if address != "local":
        _check_reachable(address, f"{where}, {address}", advice)


# ---------------------------------------------------------------- on a node
def installed() -> dict[str, str]:
    """Everything that results depend on, by name: versions, and a hash of the sources of games and agents."""
    return versions() | {"sources of games and agents": library.rules_hash(), "processor": library.processor()}


def begin(content: bytes, slots: int) -> Any:
    """Make the worker of an actor; see :class:`Pool`."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # Ray sets the number of the actor's cores
    make, arguments = pickle.loads(content)
    return make(*arguments, slots)


def _actor(ray: Any) -> Any:
    """The class of the actors. Ray sends a local class along with its code, so that a node without the package can
    report that."""

    class Actor:
        def installed(self) -> tuple[str, Any]:
            """("found", the node's :func:`installed`), or ("wrong", the reason why the package can't be loaded)."""
            import sys

            try:
                from carnegie_env.workers import cluster

                return "found", cluster.installed()
            except Exception as error:
                return "wrong", f"{type(error).__name__}: {error} (with {sys.executable})"

        def begin(self, content: bytes, slots: int) -> tuple[str, str]:
            """Make the worker: ("ready", ""), or ("wrong", the reason why it can't be made)."""
            from carnegie_env.workers import cluster

            try:
                self.worker = cluster.begin(content, slots)
            except (ImportError, ValueError) as error:
                kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
                return "wrong", f"{kind}{error}"
            return "ready", ""

        def do(self, task: Any) -> Any:
            return self.worker.do(task)

        def close(self) -> None:
            close = getattr(getattr(self, "worker", None), "close", None)
            if close is not None:
                close()

    return ray.remote(Actor)


# ---------------------------------------------------------------- the pool
class Pool(contextlib.AbstractContextManager["Pool"]):
    """Workers on all nodes of a cluster, including nodes that join later; a context manager, which ends them.

    Args:
        cluster: see :func:`connect`.
        make: called on each node with ``arguments`` and the number of tasks at a time; returns a :class:`Worker`. A
            function or class of a module that the nodes also have. Its ValueError or ImportError ends the run.
        arguments: picklable; sent to each node once.
        slots: tasks that a node does at a time, and cores that it reserves for them; None: all its cores.

    Raises:
        ValueError: there is no node with a core, or a node has another installation.
    """

    def __init__(
        self, cluster: Cluster, make: Callable[..., Worker], arguments: Sequence[Any] = (), slots: int | None = None
    ) -> None:
        self.cluster = cluster
        self._ray = _ray()
        self._slots = slots
        self._here = installed()
        self._content = self._ray.put(pickle.dumps((make, tuple(arguments))))
        self._actors: dict[str, _Actor] = {}  # by Ray's id of the node
        self._left_out: set[str] = set()  # ids of nodes
        self._looked = self._reported = self._idle = time.monotonic()
        try:
            self._look_for_nodes()
            self._check_nodes()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers. The pool can't be used again."""
        closing = [actor.handle.close.remote() for actor in self._actors.values() if actor.ready and not actor.tasks]
        if closing:
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.wait(closing, num_returns=len(closing), timeout=CLOSE_TIMEOUT)
        for actor in self._actors.values():
            actor.end()
        self._actors.clear()

    @property
    def slots(self) -> int:
        """The number of tasks that all nodes do at a time."""
        return sum(actor.slots for actor in self._actors.values())

    def run(self, tasks: Iterator[Any], units: Callable[[Any], int] = lambda result: 1) -> Iterator[tuple[int, Any]]:
        """Do tasks.

        Args:
            tasks: taken as nodes become free (see ``AHEAD`` and ``WINDOW``). If the next task does not exist yet, the
                iterator yields ``LATER`` and is asked again soon.
            units: the number of units in a result: see :class:`Work`.

        Yields:
            The number of a task, from 0, and its result, in the order of completion.

        Raises:
            ValueError: a worker can't be made.
            Lost: no node is left, or a task was lost again and again.
            Exception: an exception of a worker.
        """
        todo = _Todo(tasks)
        try:
            while self._hand_out(todo):
                for actor, reference in self._wait(todo.following is LATER):
                    if self._actors.get(actor.node.id) is not actor:
                        continue  # another result has shown that it is lost; its tasks are done again
                    try:
                        result = self._ray.get(reference)
                    except self._ray.exceptions.RayTaskError as error:
                        raise _cause(error) from error
                    except self._ray.exceptions.RayError as error:
                        self._lost(actor, todo, error)
                        continue
                    task = actor.done(reference, units(result))
                    todo.done(task)
                    yield task.number, result
        finally:
            for actor in self._actors.values():
                actor.tasks.clear()  # nobody waits for the results of an abandoned run

    # ---- nodes
    def _look_for_nodes(self) -> None:
        """Start an actor on each new node."""
        self._looked = time.monotonic()
        for node in self.cluster.nodes():
            if node.id not in self._actors and node.id not in self._left_out:
                self._add(node)

    def _add(self, node: Node, deaths: int = 0) -> None:
        slots = min(self._slots or node.cpus, node.cpus)
        work = self.cluster.work.setdefault(node.name, Work())
        self._actors[node.id] = _Actor(self._ray, node, slots, work, deaths)

    def _check_nodes(self) -> None:
        """Wait until a node has reported its installation; refuse the cluster if one differs."""
        until = time.monotonic() + NO_CORE
        while not any(actor.checked for actor in self._actors.values()):  # those that are busy or slow join in later
            if not self._actors:
                raise ValueError("the Ray cluster has no node with a core to work with")
            if time.monotonic() > until:
                raise ValueError(
                    f"none of the {len(self._actors)} nodes of the Ray cluster had a free core within {NO_CORE:g} s; "
                    "`ray status` shows what uses them"
                )
            starting = [*self._actors.values()]
            ready, _ = self._ray.wait([actor.starting for actor in starting], num_returns=len(starting), timeout=5)
            for actor in starting:
                if actor.starting in ready:
                    self._started(actor, strict=True)

    def _started(self, actor: _Actor, strict: bool) -> None:
        """Take a new actor's answer: first about its installation, then about its worker."""
        try:
            kind, answer = self._ray.get(actor.starting)
        except self._ray.exceptions.RayTaskError as error:
            raise _cause(error) from error
        except self._ray.exceptions.RayError as error:
            self._lost(actor, None, error)
            return
        name = actor.node.name
        if kind == "ready":
            actor.ready = True
        elif kind == "wrong" and actor.checked:
            raise ValueError(f"on the node {name}: {answer}")
        elif kind == "wrong" or (other := self._different(answer)):
            reason = f"carnegie_env can't be loaded there: {answer}" if kind == "wrong" else other
            text = f"the node {name} can't take part: {reason}"
            if strict:
                raise ValueError(f"{text}. Install the same versions on all nodes (docs/cluster.md)")
            progress.say(f"{text}; it is left out")
            self._left_out.add(actor.node.id)
            self._remove(actor)
        else:
            actor.begin(self._content)

    def _different(self, there: dict[str, str]) -> str:
        """How a node's installation differs from this one; "" if it does not."""
        found = {
            name: f"{name} {there.get(name)}, here {mine}"
            for name, mine in self._here.items()
            if there.get(name) != mine
        }
        if found.pop("processor", None):
            progress.tell(
                "processors",
                "nodes have different processors: the last digits of networks' outputs may differ. "
                "CARNEGIE_ENGINE=numba NUMBA_CPU_NAME=generic on all nodes makes results identical bit by bit",
            )
        return "it has " + "; ".join(found.values()) if found else ""

    def _remove(self, actor: _Actor) -> None:
        actor.end()
        del self._actors[actor.node.id]

    def _lost(self, actor: _Actor, todo: _Todo | None, error: Exception) -> None:
        """Do the tasks of a lost actor or node again, and restart the actor if its node is alive."""
        if self._actors.get(actor.node.id) is not actor:
            return  # known already
        self._remove(actor)
        actor.work.lost += len(actor.tasks)
        if todo is not None:
            todo.again(list(actor.tasks.values()), error)
        name = actor.node.name
        alive = any(node.id == actor.node.id for node in self.cluster.nodes())
        progress.say(f"{'a worker on ' if alive else ''}the node {name} was lost; its work is done again")
        if alive and actor.deaths + 1 >= MOST_DEATHS:
            progress.say(f"the node {name} is left out: its worker died {MOST_DEATHS} times without finishing a task")
            self._left_out.add(actor.node.id)
        elif alive:
            self._add(actor.node, actor.deaths + 1)

    # ---- tasks
    def _hand_out(self, todo: _Todo) -> bool:
        """Give tasks to actors that have room; returns whether any task is left to wait for."""
        window = WINDOW * max(self.slots, 1)
        while free := [actor for actor in self._actors.values() if actor.ready and actor.load < AHEAD]:
            if (task := todo.next(window)) is None:
                break
            min(free, key=lambda actor: actor.load).give(task)
        return todo.look()

    def _wait(self, waits: bool) -> list[tuple[_Actor, Any]]:
        """Wait for results and for new actors; returns the references of results, with their actors.

        Args:
            waits: whether the next task does not exist yet.
        """
        self._wait_for_nodes()
        if time.monotonic() > self._reported + REPORT:
            self._reported = time.monotonic()
            progress.say(f"so far\n{self.cluster.text()}")
        results = {reference: actor for actor in self._actors.values() for reference in actor.tasks}
        starting = {actor.starting: actor for actor in self._actors.values() if not actor.ready}
        everything = [*results, *starting]
        timeout = LOOK_FOR_TASKS if waits else 1
        if not everything:
            time.sleep(timeout)
            self._idle = time.monotonic()
            return []
        ready, _ = self._ray.wait(everything, num_returns=1, timeout=timeout)
        if ready:
            ready, _ = self._ray.wait(everything, num_returns=len(everything), timeout=0)
        if results or ready or waits:
            self._idle = time.monotonic()
        elif time.monotonic() > self._idle + NO_CORE:
            progress.tell("waiting", "no node has a free core for this work yet; `ray status` shows what uses them")
        for reference in ready:
            if reference in starting:
                self._started(starting[reference], strict=False)
        return [(results[reference], reference) for reference in ready if reference in results]

    def _wait_for_nodes(self) -> None:
        if time.monotonic() > self._looked + LOOK_FOR_NODES:
            self._look_for_nodes()
        until = time.monotonic() + NO_NODES
        while not self._actors:
            if time.monotonic() > until:
                raise Lost(f"the Ray cluster has had no node to work with for {NO_NODES:g} s")
            time.sleep(0.5)
            self._look_for_nodes()


@dataclasses.dataclass
class _Task:
    number: int
    content: Any
    losses: int = 0


_END = object()


class _Todo:
    """The tasks of a run: the next one, and those that have begun but are not done."""

    def __init__(self, tasks: Iterator[Any]) -> None:
        self._tasks = tasks
        self._begun = 0  # the number of tasks that have begun
        self._open: dict[int, _Task] = {}  # begun and not done, in the order of their numbers
        self._again: list[_Task] = []
        self.following: Any = LATER  # the next task, LATER or _END

    def look(self) -> bool:
        """Fetch the next task, unless it is known; returns whether any task is left."""
        if self.following is LATER:
            self.following = next(self._tasks, _END)
        return bool(self._open) or self.following is not _END

    def next(self, window: int) -> _Task | None:
        """The task to begin next, lost ones first; None if there is none, or it is outside the window."""
        if self._again:
            return self._again.pop(0)
        self.look()
        number, content = self._begun, self.following
        if content is LATER or content is _END or number >= next(iter(self._open), number) + window:
            return None
        self._begun, self.following = number + 1, LATER
        self._open[number] = task = _Task(number, content)
        return task

    def done(self, task: _Task) -> None:
        del self._open[task.number]

    def again(self, tasks: list[_Task], error: Exception) -> None:
        """Have lost tasks done again."""
        for task in tasks:
            task.losses += 1
            if task.losses >= MOST_LOSSES:
                raise Lost(f"task {task.number} was lost with its worker {task.losses} times, most recently: {error}")
        self._again = sorted(self._again + tasks, key=lambda task: task.number)


class _Actor:
    """An actor on a node, and its tasks."""

    def __init__(self, ray: Any, node: Node, slots: int, work: Work, deaths: int) -> None:
        self._ray, self.node, self.slots, self.work, self.deaths = ray, node, slots, work, deaths
        self.checked = self.ready = False  # its installation; its worker
        self.tasks: dict[Any, _Task] = {}  # by the reference of the result
        there = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node.id, soft=False)
        self.handle = _actor(ray).options(num_cpus=slots, max_concurrency=slots, scheduling_strategy=there).remote()
        self.starting = self.handle.installed.remote()

    def begin(self, content: Any) -> None:
        self.checked = True
        self.starting = self.handle.begin.remote(content, self.slots)

    @property
    def load(self) -> float:
        return len(self.tasks) / self.slots

    def give(self, task: _Task) -> None:
        if self.work.begun is None:
            self.work.begun = time.monotonic()
        self.tasks[self.handle.do.remote(task.content)] = task

    def done(self, reference: Any, units: int) -> _Task:
        task = self.tasks.pop(reference)
        self.deaths = 0
        self.work.tasks += 1
        self.work.units += units
        self.work.ended = time.monotonic()
        return task

    def end(self) -> None:
        with contextlib.suppress(Exception):  # it may be gone
            self._ray.kill(self.handle)


def _cause(error: Any) -> Exception:
    """The exception that an actor raised."""
    found = getattr(error, "cause", None)
    return found if isinstance(found, Exception) else Exception(str(error))
