"""Replaying games in a compiled loop: observations, masks, actions and returns of every decision.

The shuffle buffer stores a decision as the game's record, because an observation is several times as large.

Malformed files can't make the loop access memory out of bounds: an action is taken only if it is legal, and no other
number of a file is used as an index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from carnegie_env.core import kernels, masks, rewards, rules
from carnegie_env.core.arrays import Records, int64
from carnegie_env.core.jit import jit, prefetch
from carnegie_env.core.records import take_records
from carnegie_env.core.validation import observation_dtype, shortened
from carnegie_env.datasets.columns import Columns, DamagedShard, Lists, edges_of

if TYPE_CHECKING:
    from carnegie_env.datasets.reading import Dataset

GAME, ACTION, FAULT = range(3)  # entries of a cursor
ILLEGAL, LONGER, SHORTER, OTHER_SCORES, OTHER_PLACES, OTHER_VALUES = range(1, 7)
_MESSAGES = {
    LONGER: "the game is over before this decision",
    SHORTER: "the game is not over after its last decision",
    OTHER_SCORES: "the game does not end with the stored scores",
    OTHER_PLACES: "the game does not end with the stored places",
    OTHER_VALUES: "the numbers of values, visits and legal actions differ",
}


class Decisions(NamedTuple):
    """B decisions, with F features and A actions. :class:`TorchDataset` yields tensors of the same types.

    Args:
        observations: (B, F), as seen from the seat to move.
        masks: int8 (B, A): legal actions as 0/1.
        actions: int64 (B,): the decisions.
        returns: float32 (B,): the return of the seat to move.
        seats: int64 (B,): the seat to move.
        games: int64 (B,): the number of the game in the dataset.
        values: float32 (B, A): the agent's value of each action, NaN for illegal actions and where it gave none; None
            if values were not requested.
        visits: float32 (B, A): the visits of each action by the agent's search; as for values.
    """

    observations: Any
    masks: Any
    actions: Any
    returns: Any
    seats: Any
    games: Any
    values: Any = None
    visits: Any = None


class Block(NamedTuple):
    """n games with Z decisions in total, to replay."""

    ids: NDArray[np.int64]  # (n,): their numbers in the dataset
    seeds: NDArray[np.uint64]  # (n,)
    edges: NDArray[np.int64]  # (n + 1,): where their decisions begin
    actions: NDArray[np.uint16]  # (Z,)
    scores: NDArray[np.int64]  # (n, sides)
    places: NDArray[np.int64]  # (n, sides)
    returns: NDArray[np.float32]  # (n, seats)
    wanted: NDArray[np.bool_]  # (n, seats): whether the seat's decisions are included
    value_edges: NDArray[np.int64]  # (Z + 1,), or (0,) without values
    values: NDArray[np.float32]
    visit_edges: NDArray[np.int64]
    visits: NDArray[np.float32]


class Kept(NamedTuple):
    """A buffer for K decisions."""

    records: Records  # (K,)
    actions: NDArray[np.int64]  # (K,)
    returns: NDArray[np.float32]  # (K,)
    ids: NDArray[np.int64]  # (K,)
    values: NDArray[np.float32]  # (K, A), or (0, A) without values
    visits: NDArray[np.float32]


class Work(NamedTuple):
    """The other arrays of the loop."""

    template: Records  # (1,): a game before anything is drawn
    now: Records  # (1,): the current game
    rows: NDArray[np.int64]  # (score rows, score columns)
    sides: NDArray[np.int64]  # (sides,): the score rows of the sides
    ranks: NDArray[np.int64]  # the columns that rank the sides, in order of precedence; the first is the score
    numbers: NDArray[np.int64]  # (2,): the number of actions A, opening decisions to leave out
    cursor: NDArray[np.int64]  # (3,): the current game's place in the order, decisions made in it, its fault


@jit
def _spread(
    game: Any, edges: NDArray[np.int64], numbers: NDArray[np.float32], at: int, actions: int, out: NDArray[np.float32]
) -> bool:
    """Write a decision's numbers to its legal actions, NaN to the others; False if it has neither none nor one each."""
    first, last = edges[at], edges[at + 1]
    for action in range(actions):
        out[action] = np.nan
    if last == first:
        return True
    if last - first != masks.count(game.legal):
        return False
    for action in range(actions):
        if masks.test(game.legal, action):
            out[action] = numbers[first]
            first += 1
    return True


@jit
def _place(work: Work, side: int) -> int:
    """The number of sides ahead of a side."""
    own, number = work.sides[side], 0
    for other in work.sides:
        for column in work.ranks:
            if work.rows[other, column] != work.rows[own, column]:
                number += work.rows[other, column] > work.rows[own, column]
                break
    return number


@jit
def fill(block: Block, order: NDArray[np.int64], slots: NDArray[np.int64], work: Work, kept: Kept) -> int:
    """Continue to replay games and store the decisions that are included.

    Args:
        block: the games.
        order: int64 (m,): the games to replay, in this order, beginning at ``work.cursor``.
        slots: int64 (k,): where to store decisions.
        work, kept: the state of the loop and the buffer.

    Returns:
        The number of decisions stored: k, or fewer if there are no more games or if ``work.cursor[FAULT]`` is set.
    """
    cursor, game = work.cursor, work.now[0]
    actions, opening = work.numbers[0], work.numbers[1]
    number = 0
    while cursor[GAME] < order.shape[0] and number < slots.shape[0]:
        g = order[cursor[GAME]]
        start, length = block.edges[g], block.edges[g + 1] - block.edges[g]
        k = cursor[ACTION]
        if k == 0:
            work.now[0] = work.template[0]
            kernels.begin(game, block.seeds[g])
        while k < length and number < slots.shape[0]:
            action = int64(block.actions[start + k])
            cursor[ACTION] = k
            if game.to_play < 0:
                cursor[FAULT] = LONGER
                return number
            if action >= actions or not masks.test(game.legal, action):
                cursor[FAULT] = ILLEGAL
                return number
            if k >= opening and block.wanted[g, game.to_play]:
                slot = slots[number]
                prefetch(kept.records, slots[min(number + 1, slots.shape[0] - 1)])
                kept.records[slot] = game
                kept.actions[slot] = action
                kept.returns[slot] = block.returns[g, game.to_play]
                kept.ids[slot] = block.ids[g]
                if kept.values.shape[0] > 0:
                    if not (
                        _spread(game, block.value_edges, block.values, start + k, actions, kept.values[slot])
                        and _spread(game, block.visit_edges, block.visits, start + k, actions, kept.visits[slot])
                    ):
                        cursor[FAULT] = OTHER_VALUES
                        return number
                number += 1
            kernels.advance(game, action)
            k += 1
        cursor[ACTION] = k
        if k == length:
            if game.to_play >= 0:
                cursor[FAULT] = SHORTER
                return number
            rules.score(game, work.rows)
            for side in range(work.sides.shape[0]):
                if work.rows[work.sides[side], work.ranks[0]] != block.scores[g, side]:
                    cursor[FAULT] = OTHER_SCORES
                    return number
                if _place(work, side) != block.places[g, side]:
                    cursor[FAULT] = OTHER_PLACES
                    return number
            cursor[GAME] += 1
            cursor[ACTION] = 0
    return number


class Replayer:
    """Replays the games of a dataset.

    Args:
        dataset: the dataset.
        agents: the names of the agents whose decisions are included; None for all.
        dtype, reward, opening, values: as for :meth:`Dataset.replay`.

    Raises:
        ValueError: a wrong argument.
    """

    def __init__(
        self,
        dataset: Dataset,
        agents: tuple[str, ...] | None,
        *,
        dtype: DTypeLike = np.float32,
        reward: str = "win",
        opening: bool = False,
        values: bool = False,
    ) -> None:
        self._dataset, manifest = dataset, dataset.manifest
        self._dtype = observation_dtype(dtype)
        self._reward = rewards.check_name(reward, dense=False)
        for name in agents or ():
            if name not in dataset.agents:
                raise ValueError(f"the dataset has no agent {shortened(name)}, only {', '.join(dataset.agents)}")
        if values and not manifest.values:
            raise ValueError("the dataset has no values; generate it with --values")
        self._values = bool(values)
        self._of = np.array([agents is None or name in agents for name in dataset.agents], np.bool_)
        game, options = dataset.game, dataset.options
        self._batch = game.batch_class(1, num_threads=1, **options.to_dict())
        first = 0 if opening else manifest.opening
        self._work = Work(
            self._batch._template,
            np.zeros(1, game.record),
            np.zeros((game.score_rows, len(game.score_columns)), np.int64),
            np.array(game.sides(options), np.int64),
            np.array(game.rank_columns, np.int64),
            np.array([self._batch.num_actions, first], np.int64),
            np.zeros(3, np.int64),
        )

    def check(self, index: int, columns: Columns) -> None:
        """Replay all games of a shard; raises DamagedShard at the first wrong one."""
        block = self._block([(index, columns)])
        order, slots = np.arange(len(block.seeds)), np.zeros(len(block.actions) + 1, np.int64)  # all in one slot
        self._work.cursor[:] = 0
        fill(block, order, slots, self._work, self._room(1))
        self._refuse(block, order)

    # ---- the loop's arrays
    def _room(self, number: int) -> Kept:
        shape = (number if self._values else 0, self._batch.num_actions)
        return Kept(
            np.zeros(number, self._dataset.game.record),
            np.zeros(number, np.int64),
            np.zeros(number, np.float32),
            np.zeros(number, np.int64),
            np.zeros(shape, np.float32),
            np.zeros(shape, np.float32),
        )

    def _block(self, parts: list[tuple[int, Columns]]) -> Block:
        """The games of some shards."""
        dataset = self._dataset
        shards = [columns for _, columns in parts]
        places = np.concatenate([shard.places for shard in shards]).astype(np.int64)
        scores = np.concatenate([shard.scores for shard in shards]).astype(np.int64)
        # `win` and `rank` follow from places, the other rewards from scores
        ranked = -places if self._reward in ("win", "rank") else scores
        seats = dataset.options.num_players
        lengths = np.concatenate([np.diff(shard.edges) for shard in shards])
        values, visits = (self._numbers([getattr(shard, name) for shard in shards]) for name in ("values", "visits"))
        starts = [dataset.shards[index].first for index, _ in parts]
        ids = [start + np.arange(len(shard.seeds)) for start, shard in zip(starts, shards, strict=True)]
        return Block(
            np.concatenate(ids).astype(np.int64),
            np.concatenate([shard.seeds for shard in shards]),
            edges_of(lengths),
            np.concatenate([shard.actions for shard in shards]),
            scores,
            places,
            rewards.returns(self._reward, ranked[:, :, None], seats),
            self._of[np.concatenate([shard.seats for shard in shards])],
            *values,
            *visits,
        )

    def _numbers(self, lists: list[Lists | None]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        present = [each for each in lists if each is not None]
        if not self._values:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        edges = edges_of(np.concatenate([np.diff(each.edges) for each in present]))
        return edges, np.concatenate([each.numbers for each in present]).astype(np.float32)

    def _refuse(self, block: Block, order: NDArray[np.int64]) -> None:
        """Raise the fault that the loop found, if any."""
        game, decision, fault = self._work.cursor.tolist()
        if fault == 0:
            return
        row = int(order[game])
        number = int(block.ids[row])
        reason = _MESSAGES.get(fault, "")
        if fault == ILLEGAL:
            self._batch.load(self._dataset.game.position_class._of(self._work.now.copy()))
            action = int(block.actions[block.edges[row] + decision])
            reason = self._batch.why_illegal(0, action).removeprefix("game 0: ")
        index = self._dataset.where(number)[0]
        raise DamagedShard(
            self._dataset.path_of(index),
            f"game {number} (seed {block.seeds[row]}), decision {decision}: {reason}; the file was changed, or this "
            f"engine's rules differ from those of signature {self._dataset.manifest.signature}",
        )

    # ---- batches of decisions
    def decisions(
        self, batch_size: int, shuffle: int, *, seed: int, mix: int, worker: int, workers: int, reuse: bool
    ) -> Iterator[Decisions]:
        """See :meth:`Dataset.replay`."""
        generator = np.random.default_rng([seed, worker]) if shuffle else None
        room = -(-max(shuffle, batch_size) // batch_size) * batch_size
        kept = self._room(room)
        views = self._views(batch_size) if reuse else None
        slots, filled = _slots(room, generator), 0
        for block, rows in self._blocks(seed, mix if shuffle else 1, bool(shuffle), worker, workers):
            order = rows if generator is None else generator.permutation(rows)
            self._work.cursor[:] = 0
            while True:
                filled += fill(block, order, slots[filled:], self._work, kept)
                self._refuse(block, order)
                if filled < room:
                    break
                for first in range(0, room, batch_size):
                    yield self._shown(kept, first, first + batch_size, views)
                slots, filled = _slots(room, generator), 0
        if filled:  # the used slots are random, so sorting them keeps the decisions shuffled
            used = np.sort(slots[:filled])
            more = (part[used] if len(part) else part for part in (kept.values, kept.visits))
            rest = Kept(take_records(kept.records, used), kept.actions[used], kept.returns[used], kept.ids[used], *more)
            for first in range(0, filled, batch_size):
                yield self._shown(rest, first, min(first + batch_size, filled), views)

    def _blocks(
        self, seed: int, mix: int, shuffled: bool, worker: int, workers: int
    ) -> Iterator[tuple[Block, NDArray[np.int64]]]:
        """The games of ``mix`` shards at a time, and this worker's rows among them."""
        shards = np.arange(len(self._dataset.shards))
        if shuffled:  # in the same order for all workers
            shards = np.random.default_rng([seed]).permutation(shards)
        by_shard = workers <= len(shards)
        mine = shards[worker::workers] if by_shard else shards
        for first in range(0, len(mine), mix):
            found = ((index, self._dataset.playable(index)) for index in mine[first : first + mix].tolist())
            if parts := [(index, columns) for index, columns in found if columns is not None]:
                block = self._block(parts)
                rows = np.arange(len(block.ids))
                yield block, rows if by_shard else rows[block.ids % workers == worker]

    def _views(self, batch_size: int) -> tuple[NDArray[Any], NDArray[np.int8]]:
        shape = batch_size, self._batch.observation_size
        return np.empty(shape, self._dtype), np.empty((batch_size, self._batch.num_actions), np.int8)

    def _shown(
        self, kept: Kept, first: int, last: int, views: tuple[NDArray[Any], NDArray[np.int8]] | None
    ) -> Decisions:
        cut = slice(first, last)
        games = kept.records[cut]
        seats = games["to_play"].astype(np.int64)
        observations, legal = (view[: last - first] for view in views or self._views(last - first))
        self._batch._observe(games, seats, observations)
        self._batch._masks(games, legal)
        more = [part[cut].copy() if self._values else None for part in (kept.values, kept.visits)]
        return Decisions(
            observations, legal, kept.actions[cut].copy(), kept.returns[cut].copy(), seats, kept.ids[cut].copy(), *more
        )


def _slots(room: int, generator: np.random.Generator | None) -> NDArray[np.int64]:
    """The slots for decisions, in the order of filling them."""
    return np.arange(room) if generator is None else generator.permutation(room)
