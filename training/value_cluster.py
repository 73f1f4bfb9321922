"""Value learning on a Ray cluster: the nodes play the parts of rounds, this process learns (docs/training.md).

A round's weights go through Ray's object store, once to each node. The result does not depend on the node that plays a
part, and a lost part is played again: a training by games is the same bit for bit with any number of nodes.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from carnegie_env.agents.network import Weights, zeros
from carnegie_env.core import library
from carnegie_env.workers.cluster import LATER, Cluster, Lost, Pool
from training.value_learning import Chains
from training.value_players import PART_GAMES, CannotContinue, Course, Part, Played, Player

AHEAD = 2  # rounds that are played while the learner learns; with 1 the nodes would wait after each round
ROUNDS_HELD = 4  # rounds whose weights a node keeps
NAMED = 4  # most nodes that the progress line lists by name


class Task(NamedTuple):
    """A part to play."""

    part: Part
    net: Any  # a reference to the weights, see Cluster.put


class NodePlayer:
    """The worker of a node (:class:`carnegie_env.workers.cluster.Worker`): a player for each parallel task.

    Args:
        course: of the training.
        sources_there: the learner's :func:`sources`; a ValueError if this node has others.
        slots: parallel tasks.
    """

    def __init__(self, course: Course, sources_there: str, slots: int) -> None:
        if (here := sources()) != sources_there:
            raise ValueError(f"training has other sources ({here}) than where the learner is ({sources_there})")
        players = [Player(course) for _ in range(slots)]
        players[0].compile(zeros(*course.shape))
        self._free: queue.SimpleQueue[Player] = queue.SimpleQueue()
        for player in players:
            self._free.put(player)
        self._nets: OrderedDict[int, Weights] = OrderedDict()  # by round
        self._lock = threading.Lock()

    def do(self, task: Task, /) -> Played:
        """Play a part; the result has no unused memory."""
        net = self._net(task)
        player = self._free.get()
        try:
            played = player.play(task.part, net)
        finally:
            self._free.put(player)
        return played._replace(chains=trimmed(played.chains))

    def _net(self, task: Task) -> Weights:
        """A writable copy of the weights of a round; the object store's arrays are read-only."""
        with self._lock:
            if task.part.round not in self._nets:
                self._nets[task.part.round] = writable(Cluster.take(task.net))
                if len(self._nets) > ROUNDS_HELD:
                    self._nets.popitem(last=False)
            return self._nets[task.part.round]


class Nodes:
    """Players on the nodes of a cluster; see :class:`training.value_players.Players`.

    A thread distributes the parts and collects the results while the main thread learns.

    Args:
        cluster: a connected cluster.
        course: of the training.
        part_games: the largest number of games in a part.
        ahead: rounds that are played while the learner learns.

    Raises:
        ValueError: the nodes can't take part; see :class:`carnegie_env.workers.cluster.Pool`.
    """

    def __init__(self, cluster: Cluster, course: Course, part_games: int = PART_GAMES, ahead: int = AHEAD) -> None:
        self.ahead = ahead
        self._cluster, self._part_games = cluster, part_games
        self._pool = Pool(cluster, NodePlayer, (course, sources()))
        self._tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._rounds: deque[range] = deque()  # the task numbers of each round
        self._number = 0
        self._since: tuple[float, dict[str, int]] = time.monotonic(), {}  # time and games from which rates are computed
        self._played: dict[int, Played] = {}  # by task number
        self._failed: BaseException | None = None
        self._news = threading.Condition()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="parts", daemon=True)
        self._thread.start()

    def parts(self, games: int) -> int:
        """See :meth:`Players.parts`; independent of the number of nodes, so results are as well."""
        return -(-games // self._part_games)

    def compile(self, net: Weights) -> None:
        """Wait until a node has made its worker, which compiles."""
        self.begin([Part(0, 0, 0)], net)
        self.finish()
        self._since = time.monotonic(), {name: work.units for name, work in list(self._cluster.work.items())}

    def begin(self, parts: Sequence[Part], net: Weights) -> None:
        reference = self._cluster.put(net)
        self._rounds.append(range(self._number, self._number + len(parts)))
        self._number += len(parts)
        for part in parts:
            self._tasks.put(Task(part, reference))

    def finish(self) -> list[Played]:
        """See :meth:`Players.finish`; CannotContinue if no node is left, or a part is lost repeatedly."""
        numbers = self._rounds.popleft()
        with self._news:
            self._news.wait_for(lambda: self._failed is not None or all(k in self._played for k in numbers))
            if self._failed is not None:
                kind = "" if isinstance(self._failed, ValueError | Lost) else f"{type(self._failed).__name__}: "
                raise CannotContinue(f"{kind}{self._failed}") from self._failed
            return [self._played.pop(k) for k in numbers]

    def done_with(self, played: Sequence[Chains]) -> None:
        """Nothing to do: these arrays are never reused."""

    def status(self) -> str:
        """Games per second by node, since everything was compiled."""
        begun, before = self._since
        seconds = max(time.monotonic() - begun, 1e-9)
        games = {name: work.units - before.get(name, 0) for name, work in list(self._cluster.work.items())}
        rates = {name: number / seconds for name, number in games.items() if number}
        if len(rates) <= NAMED:
            return ", ".join(f"{name} {rate:,.0f}/s" for name, rate in rates.items())
        return f"{len(rates)} nodes, {min(rates.values()):,.0f} to {max(rates.values()):,.0f}/s each"

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._pool.close()

    # ---- the thread
    def _run(self) -> None:
        try:
            for number, played in self._pool.run(self._stream(), lambda played: len(played.outcome.decisions)):
                mine = Played(writable(played.chains), writable(played.outcome))
                with self._news:
                    self._played[number] = mine
                    self._news.notify()
        except _Closing:
            pass
        except BaseException as error:
            with self._news:
                self._failed = error
                self._news.notify()

    def _stream(self) -> Iterator[Any]:
        while True:
            if self._closing.is_set():
                raise _Closing
            try:
                yield self._tasks.get_nowait()
            except queue.Empty:
                yield LATER


class _Closing(Exception):
    """The results are no longer needed."""


def trimmed(shown: Chains) -> Chains:
    """Chains without unused memory."""
    chains = int(shown.used[0])
    positions = int(shown.position[chains])
    changes = int(shown.change[positions])
    groups = int(shown.used[1])
    tried = int(shown.group[groups])
    tried_changes = int(shown.tried[tried])
    lengths = {
        "position": chains + 1, "change": positions + 1, "index": changes, "by": changes, "used": 2,
        "searched": positions, "group": groups + 1, "tried": tried + 1, "tried_index": tried_changes,
        "tried_by": tried_changes, "tried_now": tried, "goal": tried,
    }  # fmt: skip
    lengths |= dict.fromkeys(("margin", "bonus", "win", "tasted"), chains)
    return Chains(*(part[: lengths.get(name, positions)] for name, part in shown._asdict().items()))


def writable(arrays: Any) -> Any:
    """A writable copy of a tuple of arrays."""
    return type(arrays)(*(np.array(each) for each in arrays))


def sources() -> str:
    """A hash of all sources that the games of a training depend on: the rules, the agents and the training."""
    return library.rules_hash(Path(__file__).parent)
