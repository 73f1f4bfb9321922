"""Generate datasets: games between agents, in shards of consecutive seeds (docs/datasets.md).

The arena's processes play the games, in chunks. The agents of a chunk are made for it, so its games depend only on the
plan and the number of its first game, and any process can play it, even twice.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env import collection
from carnegie_env.arena.lines import GameLine, Moves
from carnegie_env.arena.match import FIRST_LIMIT, TIME_LIMIT, check_agents, in_order
from carnegie_env.arena.nodes import NodePool, make_pool
from carnegie_env.arena.play import opening
from carnegie_env.arena.pool import Games, WorkerPool
from carnegie_env.arena.schedule import Seating, table_seatings
from carnegie_env.arena.worker import Setup
from carnegie_env.benchmark.tasks import RESERVED
from carnegie_env.core import rewards
from carnegie_env.core.game import Game
from carnegie_env.core.signature import signature
from carnegie_env.core.validation import seed_of, whole_number
from carnegie_env.core.versions import versions as made_with
from carnegie_env.datasets.columns import Columns, Lists, edges_of
from carnegie_env.datasets.manifest import MOST_GAMES, MOST_IN_A_SHARD, SCHEMA, Manifest, Player
from carnegie_env.datasets.writing import Writer
from carnegie_env.workers.cluster import Cluster

AT_ONCE = 500  # games in a chunk if all agents are faster with many games
SHARD_GAMES = 10_000  # default
SHARD_GAMES_ONE_BY_ONE = 100


@dataclasses.dataclass(frozen=True)
class Plan:
    """The settings of a dataset.

    Args:
        game, options, agents, tables, first_limit: as in :class:`~.arena.match.Match`; seats change from game to game.
        games: the number of games; game i is dealt from ``seed + i``.
        seed: of the first game; the agents' seeds are derived from it.
        shard_games: games in a shard; None: 10,000, or 100 if an agent plays games one by one.
        values: also store the agents' values of actions.
        time_limit: seconds for a decision, or for all decisions of one call.

    Raises:
        ValueError: a wrong value.
    """

    game: Game
    options: dict[str, Any]
    agents: tuple[tuple[str, str], ...]
    games: int
    seed: int = 0
    tables: tuple[tuple[int, ...], ...] | None = None
    shard_games: int | None = None
    values: bool = False
    time_limit: float = TIME_LIMIT
    first_limit: float = FIRST_LIMIT

    def __post_init__(self) -> None:
        whole_number("games", self.games, 1, MOST_GAMES)
        if self.shard_games is not None:
            whole_number("shard_games", self.shard_games, 1, MOST_IN_A_SHARD)
        seed_of(self.seed)
        seed_of(self.seed + self.games - 1)
        if self.seed < RESERVED.stop and self.seed + self.games > RESERVED.start:
            raise ValueError(
                f"some of the seeds {self.seed} to {self.seed + self.games - 1} are reserved for the benchmark "
                f"({RESERVED.start} to {RESERVED.stop - 1}), on which nothing may be trained or chosen"
            )
        check_agents(self.agents, self.time_limit, self.first_limit)

    @classmethod
    def of(cls, manifest: Manifest, **limits: float) -> Plan:
        """The plan of an existing dataset; playing it runs the agents that the dataset names (SECURITY.md)."""
        agents = tuple((player.name, player.agent) for player in manifest.agents)
        names = "options", "games", "seed", "tables", "shard_games", "values"
        settings: dict[str, Any] = {name: getattr(manifest, name) for name in names}
        return cls(collection.find(manifest.game), agents=agents, **settings | limits)

    @functools.cached_property
    def num_players(self) -> int:
        """The number of seats."""
        players: int = self.game.options.from_dict(self.options).num_players
        return players

    def seating(self, number: int) -> Seating:
        """The agent on each seat of a game: the arena's schedule, with a new deal for each game."""
        settings = len(self.agents), self.num_players, self.tables
        deal, place = divmod(number, len(_seatings(*settings, 0)))
        return _seatings(*settings, deal)[place]


_seatings = functools.lru_cache(maxsize=16)(table_seatings)


def generate(
    plan: Plan,
    folder: str | os.PathLike[str],
    *,
    processes: int | None = None,
    cluster: Cluster | None = None,
    watch: Callable[[int, int], None] = lambda played, total: None,
) -> Manifest:
    """Make a dataset, or continue one.

    Args:
        plan: its settings.
        folder: see :class:`~carnegie_env.datasets.writing.Writer`.
        processes: worker processes, on each node of a cluster; None: one per core.
        cluster: its nodes play; None: this machine plays. This machine writes the files in both cases.
        watch: called from time to time with the number of finished games and of all games.

    Returns:
        The manifest of the complete dataset.

    Raises:
        ValueError: an agent can't be made, does not play this game, fails or plays illegally (the message names it and
            the game's seed); the folder has other contents; a node has another installation.
        OSError: files can't be written.
    """
    specs = tuple(spec for _, spec in plan.agents)
    setup = Setup(
        plan.game, plan.options, specs, plan.seed, plan.time_limit, plan.first_limit, moves=True, values=plan.values
    )
    with make_pool(setup, processes, cluster) as pool:
        about = pool.look()
        if wrong := [each.wrong for each in about if each.wrong]:
            raise ValueError(wrong[0])
        together = all(each.side_by_side for each in about)
        manifest = manifest_of(plan, [each.version for each in about], together)
        with Writer(folder, manifest, plan.game) as writer:
            _play(plan, manifest, pool, writer, watch)
            return writer.manifest


def manifest_of(plan: Plan, versions: Sequence[str], together: bool, signed: int | None = None) -> Manifest:
    """The manifest of a plan, without shards.

    Args:
        plan: the settings.
        versions: of its agents.
        together: whether all agents are faster with many games at once.
        signed: the signature of the engine; None: it is computed.
    """
    players = [Player(label, spec, version) for (label, spec), version in zip(plan.agents, versions, strict=True)]
    return Manifest(
        schema=SCHEMA,
        game=plan.game.name,
        options=plan.game.options.from_dict(plan.options).to_dict(),
        agents=tuple(players),
        tables=plan.tables,
        seed=plan.seed,
        shard_games=plan.shard_games or (SHARD_GAMES if together else SHARD_GAMES_ONE_BY_ONE),
        games_at_once=AT_ONCE if together else 1,
        values=plan.values,
        opening=opening(plan.game),
        signature=signature(plan.game) if signed is None else signed,
        edition=plan.game.edition,
        games=plan.games,
        versions=made_with("pyarrow"),
    )


# ---------------------------------------------------------------- chunks
def chunks_of(manifest: Manifest, shard: int) -> list[range]:
    """The numbers of the games in each chunk of a shard."""
    games, size = manifest.games_of(shard), manifest.games_at_once
    return [range(first, min(first + size, games.stop)) for first in range(games.start, games.stop, size)]


def _play(
    plan: Plan, manifest: Manifest, pool: WorkerPool | NodePool, writer: Writer, watch: Callable[[int, int], None]
) -> None:
    missing = writer.missing()
    played = writer.num_games()
    watch(played, manifest.games)
    together = manifest.games_at_once > 1

    def chunks() -> Iterator[tuple[Games, bool]]:
        for shard in missing:
            for numbers in chunks_of(manifest, shard):
                yield tuple((number, 0, plan.seating(number)) for number in numbers), together

    numbered = enumerate(in_order(pool.play(chunks())))
    for shard in missing:
        games: list[GameLine] = []
        for _ in chunks_of(manifest, shard):
            chunk, lines = next(numbered)
            check_chunk(plan, lines, pool.apart.get(chunk))
            games += lines
            played += len(lines)
            watch(played, manifest.games)
        writer.add(shard, columns_of(plan, games))
    writer.finish()


def check_chunk(plan: Plan, lines: Sequence[GameLine], apart: str | None) -> None:
    """Refuse a chunk with a fault, because its games could not be reproduced."""
    for line in lines:
        if (fault := line.fault) is not None:
            where = f"on seat {fault.seat}, after {fault.decision} decisions" if fault.seat >= 0 else "at the start"
            raise ValueError(
                f"the game of seed {plan.seed + line.deal}: {plan.agents[fault.agent][0]} failed {where} "
                f"({fault.kind}): {fault.text.strip()}"
            )
    if apart is not None:
        first, last = (plan.seed + line.deal for line in (lines[0], lines[-1]))
        raise ValueError(
            f"the games of the seeds {first} to {last}: an agent failed when played side by side, but not one by one: "
            f"{apart.strip()}"
        )


def columns_of(plan: Plan, lines: Sequence[GameLine]) -> Columns:
    """Finished games as arrays."""
    moves = [line.moves for line in lines if line.moves is not None]
    actions = _joined([each.actions for each in moves], "<u2")
    edges = edges_of([len(each.actions) // 2 for each in moves])
    results = np.array([line.results for line in lines], np.int64)
    return Columns(
        seeds=np.array([plan.seed + line.deal for line in lines], np.uint64),
        seats=np.array([line.seats for line in lines], np.int64),
        edges=edges,
        actions=actions,
        scores=results[:, :, 0].astype(np.int32),
        places=rewards.places(results).astype(np.uint8),
        values=_lists(moves, "valued", "values", "<f4") if plan.values else None,
        visits=_lists(moves, "visited", "visits", "<u4") if plan.values else None,
    )


def _lists(moves: Sequence[Moves], counts: str, numbers: str, dtype: str) -> Lists:
    lengths = _joined([getattr(each, counts) for each in moves], "<u2")
    return Lists(edges_of(lengths), _joined([getattr(each, numbers) for each in moves], dtype))


def _joined(parts: Sequence[bytes], dtype: str) -> NDArray[Any]:
    found = np.frombuffer(b"".join(parts), dtype)
    return found.astype(found.dtype.newbyteorder("="), copy=False)
