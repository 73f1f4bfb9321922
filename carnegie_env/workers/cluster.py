"""Work on the nodes of a Ray cluster (docs/cluster.md): joining one, and a pool of workers there.

The only module that uses Ray. On each node there is one actor with a worker that does tasks, several at a time. A task
contains everything that its result depends on except the workers' settings: when its actor or node is lost, it is done
again elsewhere, with the same result.
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
from typing import Any, Protocol, Self

from carnegie_env.core import cache, progress
from carnegie_env.core.validation import whole_number
from carnegie_env.core.versions import versions
from carnegie_env.workers.processes import ONE_THREAD

REACHED = 10.0  # s for a connection to an address
# Ray's head starts a process for each client from outside: now and then it dies at once.
NOT_STARTED = "Starting Ray client server failed"
ATTEMPTS = 3  # to join, if it does
MET = 120.0  # s that the first node may take to say what is installed there
NO_NODES = 60.0  # s that work waits while there is no node
LOOK_FOR_NODES = 5.0  # s between two looks for nodes that have come
AHEAD = 2  # tasks that a node has, for each that it does at a time: it need not wait for the next ones
WINDOW = 4  # tasks, for each that is done at a time anywhere, that may be begun behind one that is not done yet
MOST_LOSSES = 5  # of a task: so often it may be chance
MOST_DEATHS = 3  # of a node's actor in a row, without a task done
LATER: Any = object()  # in place of a task: there is none yet, but there will be
LOOK_FOR_TASKS = 0.05  # s, at most, between two looks for one then
CLOSED = 5.0  # s that workers have to close what they have open, before they are ended
REPORT = 60.0  # s between two reports of what each node has done
MOST_NAMED = 20  # nodes: of more, a report has a summary
STORE = 512 * 2**20  # the most shared memory, in bytes, of a Ray started here
# A Ray started here reports no usage statistics, and its workers run at normal priority.
OF_ITS_OWN = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
LEAST_STORE = 80 * 2**20  # that Ray asks for


class Lost(RuntimeError):
    """Work can't continue: no node is left, or a task was lost again and again; the message says which."""


class Worker(Protocol):
    """Does tasks on a node; it is called from as many threads as the node does tasks at a time.

    If it has a method ``close``, that is called when the pool is closed.
    """

    def do(self, task: Any, /) -> Any:
        """The result of a task. Both can be pickled. An exception ends the work."""


@dataclasses.dataclass(frozen=True)
class Node:
    """A computer of the cluster.

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
    """What a node has done.

    Args:
        tasks, units: the number of tasks, and of what they count, such as games.
        lost: tasks that had to be done again, because the actor or node was lost.
        begun: when it got the first one, by the monotonic clock; None: it has got none.
        ended: when its last result came.
    """

    tasks: int = 0
    units: int = 0
    lost: int = 0
    begun: float | None = None
    ended: float = 0.0

    @property
    def rate(self) -> float:
        """Units a second, from the first task handed out to the last result."""
        return 0.0 if self.begun is None or self.ended <= self.begun else self.units / (self.ended - self.begun)


# ---------------------------------------------------------------- joining
class Cluster:
    """A cluster that was joined: see :func:`connect`.

    Args:
        unit: what results count, for reports.

    Attributes:
        work: what each node has done, by its name, for all pools together.
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
        """A node's name, or its address; with a part of the id if another has that name."""
        key = str(node["NodeID"])
        if key not in self._names:
            name = str(node.get("NodeName") or node["NodeManagerAddress"])
            self._names[key] = f"{name}/{key[:6]}" if name in self._names.values() else name
        return self._names[key]

    def text(self) -> str:
        """What nodes have done so far, and how fast: a line each, or one for all if there are many."""
        unit, found = self.unit, {name: work for name, work in self.work.items() if work.tasks or work.lost}
        total = sum(work.units for work in found.values())
        if len(found) > MOST_NAMED:
            rates = {work.rate: name for name, work in found.items()}
            ends = ", ".join(f"{rates[end(rates)]} {end(rates):,.1f}" for end in (min, max))
            lost = sum(work.lost for work in found.values())
            return (
                f"{len(found):,} nodes: {total:,} {unit}, {sum(work.rate for work in found.values()):,.1f} {unit}/s, "
                f"{lost:,} tasks lost and done again; slowest and fastest: {ends}"
            )
        rows = [(name, f"{work.units:,} {unit}", f"{work.rate:,.1f} {unit}/s") for name, work in found.items()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for (name, units, rate), work in zip(rows, found.values(), strict=True):
            again = f"  {work.lost} task{'s' if work.lost > 1 else ''} lost and done again" if work.lost else ""
            lines.append(f"{name:{widths[0]}}  {units:>{widths[1]}}  {rate:>{widths[2]}}{again}")
        return "\n".join(lines)

    @staticmethod
    def put(value: Any) -> Any:
        """Share an object, such as weights, with many tasks: it goes to each node once. :meth:`take` returns it."""
        return _ray().put(value)

    @staticmethod
    def take(put: Any) -> Any:
        """The object that :meth:`put` was given. Arrays are read-only: they are in the node's memory."""
        return _ray().get(put)


@contextlib.contextmanager
def connect(address: str | None = None, cpus: int | None = None, unit: str = "tasks") -> Iterator[Cluster]:
    """Join a cluster while the context lasts; one that this process has joined already is used, and stays joined.

    Args:
        address: ``HOST:PORT`` of a cluster's head; ``auto``: the cluster that this machine is a node of;
            ``ray://HOST:PORT``: one seen from outside (Ray Client); None: a Ray of its own on this machine.
        cpus: cores of a Ray of its own; None: all.
        unit: see :class:`Cluster`.

    Raises:
        ValueError: Ray is not installed; no cluster answers; it has another version of Ray or Python; a wrong number of
            cores. The message says what would be right.
    """
    if cpus is not None:
        whole_number("cpus", cpus, 1)
    ray = _ray()
    if ray.is_initialized():
        yield Cluster(unit)
        return
    quiet = {"logging_level": "error", "log_to_driver": False}  # what is to be said is said here
    if address is None:
        for name, value in OF_ITS_OWN.items():
            os.environ.setdefault(name, value)
        more = {"num_cpus": cpus, "include_dashboard": False, "object_store_memory": _store()}
        _join(lambda: ray.init("local", **more, **quiet), "a Ray of its own on this machine")
    else:
        where = f"the Ray cluster at {address}"
        if address == "auto":
            where = "the Ray cluster that this machine is a node of"
            _check_remembered(where)
        else:
            _check_reachable(address, where, "`ray start --head` prints the address on the first node")
        _join(lambda: ray.init(address, **quiet), where)
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
        raise ValueError(
            "work on a cluster needs Ray, which is not installed: pip install 'carnegie_env[ray]'"
        ) from None


def _join(join: Callable[[], Any], where: str) -> None:
    """Join, or say why not, and leave nothing of the attempt."""
    ray = _ray()
    wrong = OSError, RuntimeError, ValueError, AssertionError, ImportError, ray.exceptions.RayError
    for attempt in range(1, ATTEMPTS + 1):
        try:
            join()
            return
        except wrong as error:
            said = " ".join(str(error).split())
            ray.shutdown()  # or Ray takes this process for a client that has lost its cluster, and joins no other
            if "ersion mismatch" in said:
                here = f"Ray {metadata.version('ray')} and Python {platform.python_version()}"
                raise ValueError(f"{where} has other versions than this machine, which has {here}: {said}") from None
            if NOT_STARTED not in said or attempt == ATTEMPTS:
                raise ValueError(f"can't join {where}: {said}") from None


def _check_reachable(address: str, where: str, advice: str) -> None:
    """Refuse an address that does not answer; Ray itself would try for a minute."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()):
        raise ValueError(
            f"{address!r} is no address of a Ray cluster; use HOST:PORT, auto, or ray://HOST:PORT from outside"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACHED).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"can't join {where}: nothing answers there ({error}). {advice}") from None


def _check_remembered(where: str) -> None:
    """Refuse the cluster that `auto` means if it is gone, as after a power cut; Ray itself would try for ever."""
    address = os.environ.get("RAY_ADDRESS", "")
    if address not in ("", "auto"):
        if address != "local":
            _check_reachable(address, f"{where}, {address}", "That address is RAY_ADDRESS in the environment")
        return
    places = (os.environ[name] for name in ("RAY_TMPDIR", "TMPDIR") if name in os.environ)
    note = Path(next(places, "/tmp"), "ray", "ray_current_cluster")  # as the documentation of `ray.init` says
    try:
        address = note.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return  # Ray says what it finds
    forget = f"`ray start` wrote that address into {note}; `ray stop` has it forgotten, `ray start` joins another one"
    _check_reachable(address, f"{where}, {address}", forget)


def _store() -> int:
    """Bytes for the objects of a Ray of its own: at most half of the shared memory."""
    try:
        found = os.statvfs("/dev/shm")
    except OSError:
        return STORE
    return max(min(STORE, found.f_bavail * found.f_frsize // 2), LEAST_STORE)


# ---------------------------------------------------------------- what is on a node
def installed() -> dict[str, str]:
    """Everything that results depend on, by name: versions, and a hash of the sources of the games and agents."""
    return versions() | {"sources of games and agents": cache.rules_hash(), "processor": cache.processor()}


def begin(content: bytes, slots: int) -> Any:
    """Called by an actor to make its worker: see :class:`Pool`."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # Ray says as many as the actor has cores
    make, arguments = pickle.loads(content)
    return make(*arguments, slots)


def _actor(ray: Any) -> Any:
    """The class of the actors. A class in a function is sent along, so that it can report that a node lacks the
    package."""

    class Actor:
        def installed(self) -> tuple[str, Any]:
            """What is on the node; or "wrong" and why nothing is."""
            import sys

            try:
                from carnegie_env.workers import cluster

                return "found", cluster.installed()
            except Exception as error:
                return "wrong", f"{type(error).__name__}: {error} (with {sys.executable})"

        def begin(self, content: bytes, slots: int) -> tuple[str, str]:
            """Make the worker; "wrong" and why it can't be."""
            from carnegie_env.workers import cluster

            try:
                from carnegie_env.workers import cluster

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
class Pool:
    """Workers on all nodes of a cluster, also on those that join later; a context manager, which ends them.

    Args:
        cluster: see :func:`connect`.
        make: called on each node with ``arguments`` and the number of tasks at a time; returns its :class:`Worker`. A
            function or class of a module that the nodes have as well. Its ValueError or ImportError ends the work and
            is shown.
        arguments: can be pickled; they go to each node once.
        slots: tasks that a node does at a time, and cores that it takes; None: all its cores.

    Raises:
        ValueError: there is no node with a core; a node's installation differs from this one.
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
        self._left_out: set[str] = set()  # nodes by id
        self._looked = self._reported = self._idle = time.monotonic()
        try:
            self._look_for_nodes()
            self._meet()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers; the pool can't be used again."""
        closing = [actor.handle.close.remote() for actor in self._actors.values() if actor.ready and not actor.tasks]
        if closing:
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.wait(closing, num_returns=len(closing), timeout=CLOSED)
        for actor in self._actors.values():
            actor.end()
        self._actors.clear()

    @property
    def slots(self) -> int:
        return sum(actor.slots for actor in self._actors.values())

    def run(self, tasks: Iterator[Any], units: Callable[[Any], int] = lambda result: 1) -> Iterator[tuple[int, Any]]:
        """Have tasks done.

        Args:
            tasks: taken as nodes become free: a node has at most ``AHEAD`` for each that it does at a time, and none is
                begun that is ``WINDOW`` times as many behind the first one that is not done. An iterator that has no
                task yet yields ``LATER`` and is asked again soon.
            units: of a result: see :class:`Work`.

        Yields:
            The number of a task, from 0, and its result, in the order in which they are done.

        Raises:
            ValueError: a worker can't be made.
            Lost: no node is left; a task was lost again and again.
            Exception: an exception of a worker.
        """
        todo = _Todo(tasks)
        try:
            while self._hand_out(todo):
                for actor, flight in self._landed(todo.waits):
                    if self._actors.get(actor.node.id) is not actor:
                        continue  # lost with another result: all that it had is done again already
                    try:
                        result = self._ray.get(flight)
                    except self._ray.exceptions.RayTaskError as error:
                        raise _cause(error) from error
                    except self._ray.exceptions.RayError as error:
                        self._lost(actor, todo, error)
                        continue
                    task = actor.done(flight, units(result))
                    todo.done(task)
                    yield task.number, result
        finally:
            for actor in self._actors.values():
                actor.tasks.clear()  # of a run that was given up: the results are nobody's

    # ---- nodes
    def _look_for_nodes(self) -> None:
        """Have an actor on each node."""
        self._looked = time.monotonic()
        for node in self.cluster.nodes():
            if node.id not in self._actors and node.id not in self._left_out:
                self._add(node)

    def _add(self, node: Node, deaths: int = 0) -> None:
        slots = min(self._slots or node.cpus, node.cpus)
        work = self.cluster.work.setdefault(node.name, Work())
        self._actors[node.id] = _Actor(self._ray, node, slots, work, deaths)

    def _meet(self) -> None:
        """Wait until a node has reported its installation, and refuse the cluster if one differs."""
        until = time.monotonic() + MET
        while True:
            starting = [actor for actor in self._actors.values() if not actor.met]
            if not self._actors:
                raise ValueError("the Ray cluster has no node with a core to work with")
            if not starting:
                return
            ready, _ = self._ray.wait([actor.starting for actor in starting], num_returns=len(starting), timeout=5)
            for actor in starting:
                if actor.starting in ready:
                    self._started(actor, strict=True)
            if any(actor.met for actor in self._actors.values()) and len(ready) < len(starting):
                return  # others are busy, or slow: they join in when they can
            if time.monotonic() > until:
                raise ValueError(
                    f"none of the {len(self._actors)} nodes of the Ray cluster has found a free core for this work in "
                    f"{MET:g} s: other work has them (`ray status` shows it)"
                )

    def _started(self, actor: _Actor, strict: bool) -> None:
        """Take a new actor's answer: first on its installation, then on its worker."""
        try:
            kind, said = self._ray.get(actor.starting)
        except self._ray.exceptions.RayTaskError as error:
            raise _cause(error) from error
        except self._ray.exceptions.RayError as error:
            self._lost(actor, None, error)
            return
        name = actor.node.name
        if kind == "ready":
            actor.ready = True
        elif kind == "wrong" and actor.met:
            raise ValueError(f"on the node {name}: {said}")
        elif kind == "wrong" or (other := self._different(said)):
            text = f"carnegie_env can't be loaded there: {said}" if kind == "wrong" else other
            text = f"the node {name} can't take part: {text}"
            if strict:
                raise ValueError(
                    f"{text}. Install the same on all nodes, with the same `pip install` (docs/cluster.md)"
                )
            progress.say(f"{text}; it is left out")
            self._left_out.add(actor.node.id)
            self._remove(actor)
        else:
            actor.begin(self._content)

    def _different(self, there: dict[str, str]) -> str:
        """How a node's installation differs from this one; "" if it does not."""
        found = [
            f"{name} {there.get(name)}, here {mine}" for name, mine in self._here.items() if there.get(name) != mine
        ]
        if found and there.get("processor") != self._here["processor"]:
            found = [each for each in found if not each.startswith("processor")]
            progress.tell(
                "processors",
                "nodes have different processors: networks may compute different last digits there. "
                "NUMBA_CPU_NAME=generic on all of them makes results the same bit by bit",
            )
        return "it has " + "; ".join(found) if found else ""

    def _remove(self, actor: _Actor) -> None:
        actor.end()
        del self._actors[actor.node.id]

    def _lost(self, actor: _Actor, todo: _Todo | None, error: Exception) -> None:
        """An actor, or the whole node, is gone: its tasks are done again, and it is restarted if possible."""
        if self._actors.get(actor.node.id) is not actor:
            return  # heard of before
        self._remove(actor)
        actor.work.lost += len(actor.tasks)
        if todo is not None:
            todo.again(list(actor.tasks.values()), error)
        alive = any(node.id == actor.node.id for node in self.cluster.nodes())
        progress.say(f"{'a worker on ' if alive else ''}the node {actor.node.name} was lost; its work is done again")
        if alive and actor.deaths + 1 >= MOST_DEATHS:
            progress.say(
                f"the node {actor.node.name} is left out: its worker ended {MOST_DEATHS} times without a task done"
            )
            self._left_out.add(actor.node.id)
        elif alive:
            self._add(actor.node, actor.deaths + 1)

    # ---- tasks
    def _hand_out(self, todo: _Todo) -> bool:
        """Give tasks to actors that have room; returns whether anything is left to wait for."""
        window = WINDOW * max(self.slots, 1)
        actors = sorted((actor for actor in self._actors.values() if actor.ready), key=lambda actor: actor.load)
        while actors:
            for actor in actors:
                if actor.room and (task := todo.next(window)) is not None:
                    actor.give(task)
            if not todo.has_next(window):
                break
            actors = [actor for actor in actors if actor.room]
        return todo.is_open

    def _landed(self, waits: bool) -> list[tuple[_Actor, Any]]:
        """Wait for results and for new actors: the references that are ready, with their actors.

        ``waits``: also for a task that does not exist yet.
        """
        self._wait_for_nodes()
        if time.monotonic() > self._reported + REPORT:
            self._reported = time.monotonic()
            progress.say(f"so far\n{self.cluster.text()}")
        flights = {flight: actor for actor in self._actors.values() for flight in actor.tasks}
        starting = {actor.starting: actor for actor in self._actors.values() if not actor.ready}
        everything = [*flights, *starting]
        timeout = LOOK_FOR_TASKS if waits else 1
        if not everything:
            time.sleep(timeout)
            self._idle = time.monotonic()
            return []
        ready, _ = self._ray.wait(everything, num_returns=1, timeout=timeout)
        if ready:
            ready, _ = self._ray.wait(everything, num_returns=len(everything), timeout=0)
        if not flights and not ready and not waits and time.monotonic() > self._idle + MET:
            progress.tell("waiting", "no node has free cores for this work yet: `ray status` shows what has them")
        elif flights or ready or waits:
            self._idle = time.monotonic()
        for each in ready:
            if each in starting:
                self._started(starting[each], strict=False)
        return [(flights[each], each) for each in ready if each in flights]

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
    """The tasks of a run: the next one, and those that are not done yet."""

    def __init__(self, tasks: Iterator[Any]) -> None:
        self._tasks = tasks
        self._open: dict[int, _Task] = {}  # begun and not done, by number: in their order
        self._again: list[_Task] = []
        self._following: _Task | None = None
        self._begun = 0
        self._ended = False
        self.waits = False  # for a task to come
        self._look()

    def _look(self) -> None:
        """Fetch the next task, if it is unknown."""
        self.waits = False
        if self._following is None and not self._ended:
            content = next(self._tasks, _END)
            self._ended, self.waits = content is _END, content is LATER
            if not self._ended and not self.waits:
                self._following = _Task(self._begun, content)

    @property
    def is_open(self) -> bool:
        """Whether any task is left."""
        if not self._open:
            self._look()
        return bool(self._open or self._following or not self._ended)

    def has_next(self, window: int) -> bool:
        """Whether a task may be begun."""
        if self._again:
            return True
        self._look()
        first = next(iter(self._open), None)
        return self._following is not None and (first is None or self._following.number < first + window)

    def next(self, window: int) -> _Task | None:
        """The task to begin next, if one may be: lost ones first."""
        if not self.has_next(window):
            return None
        if self._again:
            return self._again.pop(0)
        task = self._following
        assert task is not None
        self._open[task.number] = task
        self._following = None
        self._begun += 1
        return task

    def done(self, task: _Task) -> None:
        del self._open[task.number]

    def again(self, tasks: list[_Task], error: Exception) -> None:
        for task in tasks:
            task.losses += 1
            if task.losses >= MOST_LOSSES:
                raise Lost(f"task {task.number} was lost {task.losses} times with its worker; the last time: {error}")
        self._again = sorted(self._again + tasks, key=lambda task: task.number)


class _Actor:
    """An actor on a node, and its tasks."""

    def __init__(self, ray: Any, node: Node, slots: int, work: Work, deaths: int) -> None:
        self._ray, self.node, self.slots, self.work, self.deaths = ray, node, slots, work, deaths
        self.met = self.ready = False
        self.tasks: dict[Any, _Task] = {}  # by the reference of the result
        there = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node.id, soft=False)
        self.handle = _actor(ray).options(num_cpus=slots, max_concurrency=slots, scheduling_strategy=there).remote()
        self.starting = self.handle.installed.remote()

    def begin(self, content: Any) -> None:
        self.met = True
        self.starting = self.handle.begin.remote(content, self.slots)

    @property
    def load(self) -> float:
        return len(self.tasks) / self.slots

    @property
    def room(self) -> bool:
        """Whether it may be given another task."""
        return len(self.tasks) < AHEAD * self.slots

    def give(self, task: _Task) -> None:
        if self.work.begun is None:
            self.work.begun = time.monotonic()
        self.tasks[self.handle.do.remote(task.content)] = task

    def done(self, flight: Any, units: int) -> _Task:
        task = self.tasks.pop(flight)
        self.deaths = 0
        self.work.tasks += 1
        self.work.units += units
        self.work.ended = time.monotonic()
        return task

    def end(self) -> None:
        with contextlib.suppress(Exception):  # it may be gone
            self._ray.kill(self.handle)


def _cause(error: Any) -> Exception:
    """The exception that was raised in an actor; it is raised from Ray's error, which says where."""
    found = getattr(error, "cause", None)
    return found if isinstance(found, Exception) else Exception(str(error))
