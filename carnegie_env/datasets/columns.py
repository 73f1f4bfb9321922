"""The games of a shard as arrays and as the bytes of a Parquet file.

Every Parquet reader can read the file: options and agents are dictionary-encoded in the file format but not in the
schema, because some readers don't support dictionary types.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from carnegie_env.core.facts import FIRST_EDITION
from carnegie_env.core.game import Game
from carnegie_env.datasets.manifest import Manifest

METADATA = b"carnegie_env"  # the key of the settings in the schema's metadata
COMPRESSION_LEVEL = 9
_DICTIONARIES = ["options", "agents.list.element.name", "agents.list.element.agent", "agents.list.element.version",
                 "signature"]  # fmt: skip
_PLAYER = pa.struct([("name", pa.string()), ("agent", pa.string()), ("version", pa.string())])
_FIELDS = [
    ("seed", pa.uint64()),
    ("options", pa.string()),
    ("agents", pa.list_(_PLAYER)),
    ("actions", pa.list_(pa.uint16())),
    ("scores", pa.list_(pa.int32())),
    ("result", pa.list_(pa.uint8())),
    ("decisions", pa.int32()),
    ("signature", pa.int64()),
]
_VALUES = [("values", pa.list_(pa.list_(pa.float32()))), ("visits", pa.list_(pa.list_(pa.uint32())))]


class DamagedShard(ValueError):
    """A shard that does not match its manifest or whose games can't be replayed.

    Attributes:
        shard: the path of its file.
    """

    def __init__(self, shard: Path, reason: str) -> None:
        super().__init__(f"{shard}: {reason}")
        self.shard = shard


class Lists(NamedTuple):
    """A list of numbers for each decision: decision k has ``numbers[edges[k] : edges[k + 1]]``."""

    edges: NDArray[np.int64]
    numbers: NDArray[Any]

    def of(self, first: int, last: int) -> list[NDArray[Any]]:
        """The lists of decisions ``first`` to ``last - 1``."""
        return [self.numbers[self.edges[k] : self.edges[k + 1]] for k in range(first, last)]


def edges_of(lengths: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
    """Where the lists of these lengths begin, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.asarray(lengths, np.int64))])


class Columns(NamedTuple):
    """n games with Z decisions in total, with P seats and S sides.

    Args:
        seeds: uint64 (n,).
        seats: int64 (n, P): the index of the agent on each seat.
        edges: int64 (n + 1,): where each game's decisions begin.
        actions: uint16 (Z,).
        scores: int32 (n, S).
        places: uint8 (n, S): the number of sides ahead.
        values: the agents' values of the legal actions, float32; None if they were not recorded.
        visits: the visits of these actions by the agents' searches, uint32; None as well.
    """

    seeds: NDArray[np.uint64]
    seats: NDArray[np.int64]
    edges: NDArray[np.int64]
    actions: NDArray[np.uint16]
    scores: NDArray[np.int32]
    places: NDArray[np.uint8]
    values: Lists | None
    visits: Lists | None


# ---------------------------------------------------------------- writing
def schema_of(manifest: Manifest) -> pa.Schema:
    """The schema of a dataset's shards, with its settings as metadata."""
    fields = _FIELDS + (_VALUES if manifest.values else [])
    return pa.schema(fields, metadata={METADATA: _settings_of(manifest)[0]})


def _settings_of(manifest: Manifest) -> list[bytes]:
    """The settings as stored in a shard, and as earlier versions, which had only the first edition, stored them."""
    settings = manifest.settings()
    written = [settings]
    if settings["edition"] == FIRST_EDITION:
        written.append({name: value for name, value in settings.items() if name != "edition"})
    return [json.dumps(each, sort_keys=True).encode() for each in written]


def has_settings_of(manifest: Manifest, schema: pa.Schema) -> bool:
    """Whether the metadata of a shard's schema are a dataset's settings."""
    return (schema.metadata or {}).get(METADATA) in _settings_of(manifest)


def encode(manifest: Manifest, columns: Columns) -> bytes:
    """The content of a Parquet file with these games: always the same bytes for the same games."""
    number, seats = columns.seats.shape
    players = pa.StructArray.from_arrays(
        [
            pa.array([getattr(agent, name) for agent in manifest.agents], pa.string()).take(columns.seats.ravel())
            for name in ("name", "agent", "version")
        ],
        fields=list(_PLAYER),
    )
    arrays = [
        pa.array(columns.seeds),
        pa.repeat(pa.scalar(json.dumps(manifest.options, sort_keys=True)), number),
        _list(np.arange(number + 1) * seats, players),
        _list(columns.edges, pa.array(columns.actions)),
        _list(np.arange(number + 1) * columns.scores.shape[1], pa.array(columns.scores.ravel())),
        _list(np.arange(number + 1) * columns.places.shape[1], pa.array(columns.places.ravel())),
        pa.array(np.diff(columns.edges).astype(np.int32)),
        pa.array(np.full(number, manifest.signature, np.int64)),
    ]
    for lists in (columns.values, columns.visits):
        if lists is not None:
            arrays.append(_list(columns.edges, _list(lists.edges, pa.array(lists.numbers))))
    table = pa.Table.from_arrays(arrays, schema=schema_of(manifest))
    out = pa.BufferOutputStream()
    pq.write_table(
        table,
        out,
        version="2.6",
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        use_dictionary=_DICTIONARIES,
        row_group_size=max(number, 1),
    )
    content: bytes = out.getvalue().to_pybytes()
    return content


def _list(edges: NDArray[Any], values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(edges.astype(np.int32)), values)


# ---------------------------------------------------------------- reading
def decode(content: bytes, manifest: Manifest, game: Game, numbers: range) -> Columns:
    """The games ``numbers`` of a shard, from the content of its file.

    Raises:
        ValueError: the content is wrong; the message names the game. Illegal actions are only found by replaying.
    """
    try:
        metadata = pq.read_metadata(pa.BufferReader(content))
        _check(metadata, manifest, game, len(numbers))
        # as dictionaries, because a small file can repeat a long text in every row
        with pq.ParquetFile(pa.BufferReader(content), metadata=metadata, read_dictionary=_DICTIONARIES) as file:
            table = file.read(use_threads=False)
        table.validate(full=True)  # for instance indices into the dictionaries
    except (pa.ArrowException, OSError, KeyError) as error:  # a KeyError: other columns
        raise ValueError(f"it can't be read as a Parquet file: {str(error)[:200]}") from None
    if table.num_rows != len(numbers):
        raise ValueError(f"it has {table.num_rows} games, not {len(numbers)}")
    return _columns(table, manifest, game, numbers)


def _check(found: pq.FileMetaData, manifest: Manifest, game: Game, games: int) -> None:
    """Raise a ValueError if a file has other columns or settings, or more values than its games can have."""
    schema, wanted = found.schema.to_arrow_schema(), schema_of(manifest)
    if not schema.equals(wanted):
        raise ValueError(f"its columns are {_shown(schema)}; they must be {_shown(wanted)}")
    if not has_settings_of(manifest, schema):
        settings = (schema.metadata or {}).get(METADATA, b"")
        raise ValueError(f"its settings differ from the manifest's: {settings[:300]!r}")
    actions = game.num_actions(game.options.from_dict(manifest.options))
    for place in range(found.num_columns):
        name = found.schema.column(place).path.partition(".")[0]
        most = games * game.longest * (actions if name in ("values", "visits") else 1)
        parts = [found.row_group(group).column(place) for group in range(found.num_row_groups)]
        size = sum(part.total_uncompressed_size for part in parts)
        if sum(part.num_values for part in parts) > most or size > 16 * most + 2**20:  # with levels, texts and headers
            raise ValueError(f"the column {name} must have at most {most} values")


def _shown(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema)[:300]


def _columns(table: pa.Table, manifest: Manifest, game: Game, numbers: range) -> Columns:
    options = game.options.from_dict(manifest.options)
    sides = len(game.sides(options))
    seeds = _numbers(table, "seed")
    wrong = seeds != np.uint64(manifest.seed) + np.arange(numbers.start, numbers.stop, dtype=np.uint64)
    _refuse(wrong, numbers, "the seed does not match its number")
    for name, value in (("options", json.dumps(manifest.options, sort_keys=True)), ("signature", manifest.signature)):
        coded = _whole(table, name).dictionary_encode()
        _refuse(_by_code(coded, {value: 0}) < 0, numbers, f"{name} differs from the manifest's")
    edges, actions = _flat(table, "actions")
    actions = actions.to_numpy(zero_copy_only=False)
    _refuse(_numbers(table, "decisions") != np.diff(edges), numbers, "decisions must be the number of actions")
    lists = [_lists(table, name, edges) if manifest.values else None for name in ("values", "visits")]
    return Columns(
        seeds,
        _seats(table, manifest, options.num_players, numbers),
        edges,
        actions,
        _rows(table, "scores", sides, numbers),
        _rows(table, "result", sides, numbers),
        *lists,
    )


def _whole(table: pa.Table, name: str) -> pa.Array:
    """A column as one array; a ValueError if it has nulls."""
    column = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # without rows, and in older versions of pyarrow
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    return _complete(name, column)


def _complete(name: str, array: pa.Array) -> pa.Array:
    if array.null_count:
        raise ValueError(f"the column {name} has missing values")
    return array


def _numbers(table: pa.Table, name: str) -> NDArray[Any]:
    found: NDArray[Any] = _whole(table, name).to_numpy(zero_copy_only=False)
    return found


def _flat(table: pa.Table, name: str) -> tuple[NDArray[np.int64], pa.Array]:
    """A column of lists as the lists' edges and all values."""
    return _flattened(name, _whole(table, name))


def _flattened(name: str, column: pa.Array) -> tuple[NDArray[np.int64], pa.Array]:
    edges = column.offsets.to_numpy().astype(np.int64)
    return edges - edges[0], _complete(name, column.values.slice(edges[0], edges[-1] - edges[0]))


def _rows(table: pa.Table, name: str, width: int, numbers: range) -> NDArray[Any]:
    """A column of lists of the same length, as an array (n, width)."""
    edges, values = _flat(table, name)
    _refuse(np.diff(edges) != width, numbers, f"{name} must have {width} numbers")
    rows: NDArray[Any] = values.to_numpy(zero_copy_only=False).reshape(-1, width)
    return rows


def _lists(table: pa.Table, name: str, edges: NDArray[np.int64]) -> Lists:
    outer, inner = _flat(table, name)
    if not np.array_equal(outer, edges):
        raise ValueError(f"the column {name} must have one entry for each action")
    starts, numbers = _flattened(name, inner)
    return Lists(starts, numbers.to_numpy(zero_copy_only=False))


def _seats(table: pa.Table, manifest: Manifest, players: int, numbers: range) -> NDArray[np.int64]:
    """The index of the agent on each seat."""
    edges, values = _flat(table, "agents")
    _refuse(np.diff(edges) != players, numbers, f"there must be {players} agents")
    coded = _complete("agents", values.field("name")).dictionary_encode()
    seats = _by_code(coded, {agent.name: index for index, agent in enumerate(manifest.agents)}).reshape(-1, players)
    _refuse(np.asarray((seats < 0).any(axis=1)), numbers, "an agent is not in the manifest")
    return seats


def _by_code(coded: pa.DictionaryArray, known: dict[Any, int]) -> NDArray[np.int64]:
    """The numbers of the values of an array, -1 for unknown ones."""
    by_code = np.array([known.get(value, -1) for value in coded.dictionary.to_pylist()], np.int64)
    return np.asarray(by_code[coded.indices.to_numpy(zero_copy_only=False)])


def _refuse(wrong: NDArray[np.bool_], numbers: range, reason: str) -> None:
    if wrong.any():
        raise ValueError(f"game {numbers[int(wrong.argmax())]}: {reason}")
