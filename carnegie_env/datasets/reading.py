"""Reading a dataset: games one by one, shards with all their checks, and games played again."""

from __future__ import annotations

import bisect
import dataclasses
import hashlib
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from carnegie_env import collection
from carnegie_env.core.game import Game
from carnegie_env.core.validation import shortened, whole_number
from carnegie_env.datasets import columns, replay
from carnegie_env.datasets.columns import Columns, DamagedShard
from carnegie_env.datasets.manifest import Manifest, Shard, read

REFUSE, SKIP = "refuse", "skip"
MOST_LEGAL = 64  # actions of a decision, on average, for a guess of what values take


@dataclasses.dataclass(frozen=True, eq=False)
class PlayedGame:
    """One game.

    Args:
        number: in its dataset.
        seed: of the deal.
        agents: the name of the agent on each seat.
        actions: the numbers of all decisions, uint16.
        scores: of each side: the seats, then the automatic opponent.
        places: for each side, the number of sides ahead of it.
        values: for each decision the agent's values of the legal actions, in order of their numbers, float32; empty, if
            it gave none. None: they were not asked for.
        visits: likewise how often its search tried them, uint32.
    """

    number: int
    seed: int
    agents: tuple[str, ...]
    actions: NDArray[np.uint16]
    scores: tuple[int, ...]
    places: tuple[int, ...]
    values: list[NDArray[np.float32]] | None = None
    visits: list[NDArray[np.uint32]] | None = None


class Dataset:
    """A dataset that `carnegie-env generate` made: the finished part of it.

    Args:
        path: its folder.
        damaged: the treatment of a damaged shard: "refuse", a :class:`DamagedShard`, or "skip": it is left out, with a
            warning that names it.
        game: the game, if it is not in the collection.

    Raises:
        ValueError: no dataset, or another value of ``damaged``.

    Attributes:
        path: the folder.
        manifest: its settings, see :class:`~carnegie_env.datasets.manifest.Manifest`.
        game: which.
        options: of its games.
        skipped: the damaged shards found so far, by name, with the reason.
    """

    def __init__(self, path: str | os.PathLike[str], damaged: str = REFUSE, game: Game | None = None) -> None:
        if damaged not in (REFUSE, SKIP):
            raise ValueError(f"damaged must be {REFUSE!r} or {SKIP!r}, not {shortened(damaged)}")
        self.path = Path(path)
        self.damaged = damaged
        self.manifest: Manifest = read(path)
        self.game = collection.find(game or self.manifest.game)
        if self.game.name != self.manifest.game:
            raise ValueError(f"{path} has games of {self.manifest.game}, not of {self.game.name}")
        self.options = self.game.options.from_dict(self.manifest.options)
        self.skipped: dict[str, str] = {}
        self._starts = [shard.first for shard in self.manifest.shards]
        self._last: tuple[int, Columns] | None = None

    # ---- attributes
    @property
    def shards(self) -> tuple[Shard, ...]:
        """The finished shards."""
        return self.manifest.shards

    @property
    def num_decisions(self) -> int:
        """Decisions in all finished shards."""
        return sum(shard.decisions for shard in self.shards)

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents."""
        return tuple(agent.name for agent in self.manifest.agents)

    def __len__(self) -> int:
        """Games in all finished shards."""
        return sum(shard.games for shard in self.shards)

    # ---- shards
    def columns(self, index: int) -> Columns:
        """The games of a shard as arrays; everything but the legality of actions is checked.

        Args:
            index: of the shard among the finished ones.

        Raises:
            DamagedShard: its content is wrong.
            OSError: it can't be read.
        """
        shard = self.shards[index]
        path = self.path / shard.name
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise DamagedShard(path, "it is not there") from None
        if len(content) != shard.bytes or hashlib.sha256(content).hexdigest() != shard.sha256:
            raise DamagedShard(path, "its content is not that of which the manifest has the checksum")
        try:
            found = columns.decode(content, self.manifest, self.game, self._numbers(index))
        except ValueError as error:
            raise DamagedShard(path, str(error)) from None
        if len(found.actions) != shard.decisions:
            raise DamagedShard(path, f"it has {len(found.actions)} decisions, not {shard.decisions}")
        return found

    def playable(self, index: int) -> Columns | None:
        """The same; None for a damaged shard that is skipped, for which its games have been played as well."""
        if self.shards[index].name in self.skipped:
            return None
        try:
            found = self.columns(index)
            if self.damaged == SKIP:
                self._play(index, found)
            return found
        except DamagedShard as error:
            if self.damaged == REFUSE:
                raise
            self.skipped[error.shard.name] = str(error)
            warnings.warn(f"a damaged shard is left out: {error}", stacklevel=2)
            return None

    def verify(self) -> None:
        """Check everything: checksums, columns, and every game played again to its scores.

        Raises:
            DamagedShard: the first shard in which something is wrong.
        """
        for index in range(len(self.shards)):
            self._play(index, self.columns(index))

    def _play(self, index: int, found: Columns) -> None:
        replay.Replayer(self, None, values=self.manifest.values).check(index, found)

    def _numbers(self, index: int) -> range:
        shard = self.shards[index]
        return range(shard.first, shard.first + shard.games)

    def where(self, number: int) -> tuple[int, int]:
        """The place of a game: index of its shard, row in it; an IndexError if it does not exist."""
        index = bisect.bisect_right(self._starts, number) - 1
        if index < 0 or number not in self._numbers(index):
            raise IndexError(f"game {number} is not there; there are {len(self)} of {self.manifest.games}")
        return index, number - self._starts[index]

    # ---- games
    def __getitem__(self, number: int) -> PlayedGame:
        """The game with a number, dealt from ``manifest.seed + number``.

        Raises:
            IndexError: it does not exist (yet).
            DamagedShard: its shard is damaged.
        """
        index, row = self.where(whole_number("a game's number", number, 0))
        if self._last is None or self._last[0] != index:
            self._last = index, self.columns(index)
        return self._game(index, row, self._last[1])

    def __iter__(self) -> Iterator[PlayedGame]:
        """All finished games, in order."""
        for index in range(len(self.shards)):
            if (found := self.playable(index)) is not None:
                for row in range(len(found.seeds)):
                    yield self._game(index, row, found)

    def _game(self, index: int, row: int, found: Columns) -> PlayedGame:
        first, last = int(found.edges[row]), int(found.edges[row + 1])
        return PlayedGame(
            number=self._starts[index] + row,
            seed=int(found.seeds[row]),
            agents=tuple(self.agents[agent] for agent in found.seats[row]),
            actions=found.actions[first:last],
            scores=tuple(found.scores[row].tolist()),
            places=tuple(found.places[row].tolist()),
            values=found.values.of(first, last) if found.values else None,
            visits=found.visits.of(first, last) if found.visits else None,
        )

    def record(self, number: int) -> Any:
        """A game as the game's :class:`~carnegie_env.core.record.GameRecord`, to be saved and shown.

        Raises:
            IndexError, DamagedShard: as for a game.
        """
        game = self[number]
        texts = self.game.texts
        if len(game.actions) and int(game.actions.max()) >= len(texts):
            raise DamagedShard(self._path(number), f"game {number} has an action {game.actions.max()}, which is none")
        return self.game.record_class(self.options, game.seed, tuple(texts[action] for action in game.actions))

    def _path(self, number: int) -> Path:
        return self.path_of(self.where(number)[0])

    # ---- decisions
    def replay(
        self,
        batch_size: int = 4096,
        *,
        shuffle: int = 0,
        seed: int = 0,
        mix: int = 8,
        dtype: DTypeLike = np.float32,
        reward: str = "win",
        agents: Sequence[str] | None = None,
        opening: bool = False,
        values: bool = False,
        worker: int = 0,
        workers: int = 1,
        reuse: bool = False,
    ) -> Iterator[replay.Decisions]:
        """Play the games again: all decisions, in batches of arrays.

        Args:
            batch_size: decisions in a batch, 1 or more; the last ones of a buffer may be fewer.
            shuffle: decisions in the buffer from which they are drawn, rounded up to whole batches; 0: in the order in
                which they were taken.
            seed: of the order.
            mix: shards whose games are drawn from at a time, with ``shuffle``.
            dtype: of the observations, as for :meth:`Batch.observe`: float32, float16 or uint8.
            reward: kind of returns: "win", "rank", "margin" or "score".
            agents: names of agents whose decisions are wanted; None: all.
            opening: include the random decisions at the start of games without chance.
            values: include the agents' values; the dataset must have them.
            worker, workers: this worker's number, from 0, and the number of workers that share the games.
            reuse: overwrite the batch with the next one: faster, if you are done with it by then.

        Yields:
            :class:`~carnegie_env.datasets.replay.Decisions`.

        Raises:
            ValueError: a wrong argument.
            DamagedShard: while iterating: a shard is damaged, an action is not legal, a game ends otherwise than
                stored.
        """
        if agents is not None and (isinstance(agents, str) or not agents):
            raise ValueError(
                f"agents must be names of the dataset's agents, {', '.join(self.agents)}, not {shortened(agents)}"
            )
        replayer = replay.Replayer(
            self, None if agents is None else tuple(agents), dtype=dtype, reward=reward, opening=opening, values=values
        )
        sizes = whole_number("batch_size", batch_size, 1, 2**24), whole_number("shuffle", shuffle, 0, 2**30)
        whole_number("mix", mix, 1)
        whole_number("workers", workers, 1)
        whole_number("worker", worker, 0, workers - 1)
        whole_number("seed", seed, 0)
        return replayer.decisions(*sizes, seed=seed, mix=mix, worker=worker, workers=workers, reuse=reuse)

    def memory(
        self,
        batch_size: int = 4096,
        *,
        shuffle: int = 0,
        mix: int = 8,
        dtype: DTypeLike = np.float32,
        values: bool = False,
    ) -> int:
        """The bytes of memory that :meth:`replay` takes with these arguments: buffer, shards as arrays, one batch."""
        actions = self.game.num_actions(self.options)
        wide = 8 * actions if values else 0  # float32, twice
        room = max(-(-shuffle // batch_size), 1) * batch_size
        largest = sorted(self.shards, key=lambda shard: -shard.decisions)[: mix if shuffle else 1]
        games, decisions = (sum(getattr(shard, name) for shard in largest) for name in ("games", "decisions"))
        seats, sides = self.options.num_players, len(self.game.sides(self.options))
        by_decision = 2 + (2 * (8 + 4 * MOST_LEGAL) if self.manifest.values else 0)
        shards = 2 * (games * (24 + 13 * seats + 13 * sides) + decisions * by_decision)  # as read, and put together
        features = self.game.layout(self.options).size
        batch = batch_size * (features * np.dtype(dtype).itemsize + actions + wide + 28)
        return int(room * (self.game.record.itemsize + wide + 20) + shards + batch)

    def path_of(self, index: int) -> Path:
        """The file of a shard."""
        return self.path / self.shards[index].name
