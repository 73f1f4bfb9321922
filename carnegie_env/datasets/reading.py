"""Reading a dataset: games one by one, shards with all their checks, replayed games."""

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
from carnegie_env.core.validation import observation_dtype, shortened, whole_number
from carnegie_env.datasets import columns, replay
from carnegie_env.datasets.columns import Columns, DamagedShard
from carnegie_env.datasets.manifest import Manifest, Shard, read

REFUSE, SKIP = "refuse", "skip"
MOST_LEGAL = 64  # legal actions in a decision, on average: an estimate for the memory that values take


@dataclasses.dataclass(frozen=True, eq=False)
class PlayedGame:
    """One game.

    Args:
        number: its number in the dataset.
        seed: the seed of the deal.
        agents: the name of the agent on each seat.
        actions: the action numbers of all decisions, uint16.
        scores: the score of each side: the seats, then the automatic opponent.
        places: the number of sides ahead of each side.
        values: for each decision the agent's values of the legal actions, in order of their numbers, float32; empty if
            the agent gave none. None if values were not recorded.
        visits: the visits of these actions by the agent's search, uint32; as for values.
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
    """The finished part of a dataset that `carnegie-env generate` made.

    Args:
        path: its folder.
        damaged: what to do with a damaged shard: "refuse" raises :class:`DamagedShard`, "skip" leaves it out, with a
            warning that names it.
        game: the game, if it is not in `carnegie_env.games()`.

    Raises:
        ValueError: there is no dataset, or ``damaged`` is invalid.

    Attributes:
        path: the folder.
        manifest: its settings, see :class:`~carnegie_env.datasets.manifest.Manifest`.
        game: the game.
        options: the game's options.
        skipped: the reason for each damaged shard found so far, by its name.
    """

    def __init__(self, path: str | os.PathLike[str], damaged: str = REFUSE, game: Game | None = None) -> None:
        if damaged not in (REFUSE, SKIP):
            raise ValueError(f"damaged must be {REFUSE!r} or {SKIP!r}, not {shortened(damaged)}")
        self.path = Path(path)
        self.damaged = damaged
        self.manifest: Manifest = read(path)
        self.game = collection.find(game or self.manifest.game)
        if self.game.name != self.manifest.game:
            raise ValueError(f"{path} has games of {self.manifest.game}, not {self.game.name}")
        self.options = self.game.options.from_dict({**self.manifest.options, "edition": self.manifest.edition})
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
        """The number of decisions in all finished shards."""
        return sum(shard.decisions for shard in self.shards)

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents."""
        return tuple(agent.name for agent in self.manifest.agents)

    def __len__(self) -> int:
        """The number of games in all finished shards."""
        return sum(shard.games for shard in self.shards)

    # ---- shards
    def columns(self, index: int) -> Columns:
        """The games of a shard as arrays, checked except for the legality of actions.

        Args:
            index: the shard's index among the finished ones.

        Raises:
            DamagedShard: its content is wrong.
            OSError: it can't be read.
        """
        shard = self.shards[index]
        path = self.path / shard.name
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise DamagedShard(path, "the file is missing") from None
        if len(content) != shard.bytes or hashlib.sha256(content).hexdigest() != shard.sha256:
            raise DamagedShard(path, "its content does not match the checksum in the manifest")
        try:
            games = columns.decode(content, self.manifest, self.game, self._numbers(index))
        except ValueError as error:
            raise DamagedShard(path, str(error)) from None
        if len(games.actions) != shard.decisions:
            raise DamagedShard(path, f"it has {len(games.actions)} decisions, not {shard.decisions}")
        return games

    def playable(self, index: int) -> Columns | None:
        """Like :meth:`columns`, but None for a damaged shard if those are skipped; then it also replays all games."""
        if self.shards[index].name in self.skipped:
            return None
        try:
            games = self.columns(index)
            if self.damaged == SKIP:
                self._replay_all(index, games)
            return games
        except DamagedShard as error:
            if self.damaged == REFUSE:
                raise
            self.skipped[error.shard.name] = str(error)
            warnings.warn(f"skipping a damaged shard: {error}", stacklevel=2)
            return None

    def verify(self) -> None:
        """Check everything: checksums, columns, and the scores and places of all games by replaying them.

        Raises:
            DamagedShard: the first damaged shard.
        """
        for index in range(len(self.shards)):
            self._replay_all(index, self.columns(index))

    def _replay_all(self, index: int, games: Columns) -> None:
        replay.Replayer(self, None, values=self.manifest.values).check(index, games)

    def _numbers(self, index: int) -> range:
        shard = self.shards[index]
        return range(shard.first, shard.first + shard.games)

    def where(self, number: int) -> tuple[int, int]:
        """A game's shard, by index, and its row there; an IndexError if the game does not exist."""
        index = bisect.bisect_right(self._starts, number) - 1
        if index < 0 or number not in self._numbers(index):
            raise IndexError(f"there is no game {number}; {len(self)} of {self.manifest.games} games exist")
        return index, number - self._starts[index]

    # ---- games
    def __getitem__(self, number: int) -> PlayedGame:
        """Game ``number``, dealt from ``manifest.seed + number``.

        Raises:
            IndexError: it does not exist (yet).
            ValueError: not a whole number of 0 or more.
            DamagedShard: its shard is damaged.
        """
        index, row = self.where(whole_number("a game's number", number, 0))
        if self._last is None or self._last[0] != index:
            self._last = index, self.columns(index)
        return self._game(index, row, self._last[1])

    def __iter__(self) -> Iterator[PlayedGame]:
        """All finished games, in order."""
        for index in range(len(self.shards)):
            if (games := self.playable(index)) is not None:
                for row in range(len(games.seeds)):
                    yield self._game(index, row, games)

    def _game(self, index: int, row: int, games: Columns) -> PlayedGame:
        first, last = int(games.edges[row]), int(games.edges[row + 1])
        return PlayedGame(
            number=self._starts[index] + row,
            seed=int(games.seeds[row]),
            agents=tuple(self.agents[agent] for agent in games.seats[row]),
            actions=games.actions[first:last],
            scores=tuple(games.scores[row].tolist()),
            places=tuple(games.places[row].tolist()),
            values=games.values.of(first, last) if games.values else None,
            visits=games.visits.of(first, last) if games.visits else None,
        )

    def record(self, number: int) -> Any:
        """A game as a :class:`~carnegie_env.core.record.GameRecord`, which can be saved and shown.

        Raises:
            IndexError, DamagedShard: as for a game.
        """
        game = self[number]
        texts = self.game.texts
        if len(game.actions) and int(game.actions.max()) >= len(texts):
            path = self.path_of(self.where(number)[0])
            raise DamagedShard(path, f"game {number} has the action {game.actions.max()}, which does not exist")
        return self.game.record_class(self.options, game.seed, tuple(texts[action] for action in game.actions))

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
        """Replay the games: all decisions, in batches of arrays.

        Args:
            batch_size: decisions in a batch, 1 or more; the last batch of a buffer may be smaller.
            shuffle: decisions in the shuffle buffer, rounded up to whole batches; 0 keeps the order of the games.
            seed: the seed of the order.
            mix: the number of shards to draw games from at a time, with ``shuffle``.
            dtype: the type of the observations, float32, float16 or uint8, as for :meth:`Batch.observe`.
            reward: the kind of returns: "win", "rank", "margin" or "score".
            agents: the names of the agents whose decisions are included; None for all.
            opening: include the random decisions at the start of games without chance.
            values: include the agents' values; the dataset must have them.
            worker, workers: this worker's number, from 0, and the number of workers that share the games.
            reuse: overwrite each batch with the next one, which is faster.

        Yields:
            :class:`~carnegie_env.datasets.replay.Decisions`.

        Raises:
            ValueError: a wrong argument.
            DamagedShard: while iterating, if a shard is damaged, an action is illegal, or a game does not end with the
                stored scores and places.
        """
        if agents is not None and (isinstance(agents, str) or not agents):
            raise ValueError(
                f"agents must be names of the dataset's agents, {', '.join(self.agents)}, not {shortened(agents)}"
            )
        replayer = replay.Replayer(
            self, None if agents is None else tuple(agents), dtype=dtype, reward=reward, opening=opening, values=values
        )
        sizes = _checked_sizes(batch_size, shuffle, mix)
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
        """The memory that :meth:`replay` needs with these arguments, in bytes: buffer, shards as arrays, one batch.

        Raises:
            ValueError: a wrong argument.
        """
        batch_size, shuffle = _checked_sizes(batch_size, shuffle, mix)
        actions = self.game.num_actions(self.options)
        wide = 8 * actions if values else 0  # float32, twice
        room = max(-(-shuffle // batch_size), 1) * batch_size
        largest = sorted(self.shards, key=lambda shard: -shard.decisions)[: mix if shuffle else 1]
        games, decisions = (sum(getattr(shard, name) for shard in largest) for name in ("games", "decisions"))
        seats, sides = self.options.num_players, len(self.game.sides(self.options))
        by_decision = 2 + (2 * (8 + 4 * MOST_LEGAL) if self.manifest.values else 0)
        shards = 2 * (games * (24 + 13 * seats + 13 * sides) + decisions * by_decision)  # as read, and concatenated
        features = self.game.layout(self.options).size
        batch = batch_size * (features * observation_dtype(dtype).itemsize + actions + wide + 28)
        return int(room * (self.game.record.itemsize + wide + 20) + shards + batch)

    def path_of(self, index: int) -> Path:
        """The path of a shard's file."""
        return self.path / self.shards[index].name


def _checked_sizes(batch_size: int, shuffle: int, mix: int) -> tuple[int, int]:
    """The sizes of batches and of the shuffle buffer; a ValueError for a wrong one, or for a wrong ``mix``."""
    whole_number("mix", mix, 1)
    return whole_number("batch_size", batch_size, 1, 2**24), whole_number("shuffle", shuffle, 0, 2**30)
