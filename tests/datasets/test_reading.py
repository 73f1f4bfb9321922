"""Datasets as they are read: what stands in files and manifest, damage of every kind, games as records."""

import json
import os

import msgspec
import pytest

pytest.importorskip("pyarrow")

import pyarrow
import pyarrow.parquet as pq

from carnegie_env.datasets import DamagedShard, Dataset, columns
from carnegie_env.datasets.manifest import MANIFEST, encode
from tests.datasets.games import SIGNATURE, make, plan, replace_shard
from tests.toy.game import SIXES


@pytest.fixture
def made(tmp_path):
    return make(tmp_path / "games", "Last", "random")


def test_a_row_says_all_of_a_game(made):
    tables = [pq.read_table(made.path / shard.name) for shard in made.shards]
    assert [table.num_rows for table in tables] == [25, 25, 10]
    rows = [row for table in tables for row in table.to_pylist()]
    for number, (row, game) in enumerate(zip(rows, made, strict=True)):
        assert row["seed"] == 3 + number == game.seed and row["signature"] == SIGNATURE
        assert json.loads(row["options"]) == made.options.to_dict()
        assert game.agents == (("Last", "random"), ("random", "Last"))[number % 2]
        assert tuple(agent["name"] for agent in row["agents"]) == game.agents
        assert {agent["agent"] for agent in row["agents"]} == {"random", "tests.arena.misfits:Last"}
        assert row["actions"] == game.actions.tolist() and row["decisions"] == len(game.actions)
        assert (tuple(row["scores"]), tuple(row["result"])) == (game.scores, game.places)
    settings = json.loads(tables[2].schema.metadata[b"carnegie_env"])
    assert settings == json.loads(json.dumps(made.manifest.settings()))
    assert settings["seed"] == 3 and "shards" not in settings
    assert len(made) == 60 and made.num_decisions == sum(len(game.actions) for game in made)
    assert made[59].number == 59 and (made[31].actions == [*made][31].actions).all()
    for number in (60, 10**9):
        with pytest.raises(IndexError, match=f"game {number} is not there; there are 60 of 60"):
            made[number]
    with pytest.raises(ValueError, match="a game's number must be a whole number"):
        made["first"]


def test_a_game_as_a_record(made, tmp_path):
    record = made.record(30)
    record.save(tmp_path / "game.txt")
    assert SIXES.record_class.load(tmp_path / "game.txt") == record
    assert tuple(record.replay().scores()) == made[30].scores


def test_the_manifest_says_what_is_there(made):
    said = json.loads((made.path / MANIFEST).read_text())
    assert said["schema"] == 1 and said["games"] == 60 and said["shard_games"] == 25 and said["values"] is False
    assert [shard["first"] for shard in said["shards"]] == [0, 25, 50]
    assert {"carnegie_env", "python", "numpy", "numba", "pyarrow"} == said["versions"].keys()
    assert made.manifest.is_complete and made.manifest.num_shards == 3
    (made.path / MANIFEST).write_bytes(encode(msgspec.structs.replace(made.manifest, shards=made.shards[1:])))
    half = Dataset(made.path, game=SIXES)
    assert len(half) == 35 and not half.manifest.is_complete and [game.number for game in half] == [*range(25, 60)]
    assert half[25].seed == 28
    with pytest.raises(IndexError):
        half[24]


def spoilt(content, kind):
    middle = len(content) // 2
    return {
        "a bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "cut": content[:-10],
        "longer": content + b"\0",
        "empty": b"",
        "other": b"PAR1" + os.urandom(200) + b"PAR1",
    }[kind]


@pytest.mark.parametrize("kind", ["a bit", "cut", "longer", "empty", "other", "missing"])
def test_a_damaged_shard_is_named_and_refused_or_skipped(made, kind):
    path = made.path / made.shards[1].name
    if kind == "missing":
        path.unlink()
    else:
        path.write_bytes(spoilt(path.read_bytes(), kind))
    wrong = "it is not there" if kind == "missing" else "not that of which the manifest has the checksum"
    for look in (lambda: [*made], lambda: made[30], lambda: [*made.replay(8)], made.verify, lambda: made.columns(1)):
        with pytest.raises(DamagedShard, match=f"games-00001.parquet: .*{wrong}") as said:
            look()
        assert said.value.shard == path
    assert made[3].seed == 6  # nobody looks at it before it is needed
    skipping = Dataset(made.path, "skip", game=SIXES)
    with pytest.warns(UserWarning, match="a damaged shard is left out: .*games-00001.parquet"):
        assert [game.number for game in skipping] == [*range(25), *range(50, 60)]
    assert {game for batch in skipping.replay(16) for game in batch.games.tolist()} == {*range(25), *range(50, 60)}
    assert list(skipping.skipped) == [path.name]


def changed(found, name, value):
    array = getattr(found, name).copy()
    array[4] = value
    return found._replace(**{name: array})


WRONG = {
    "seed": (lambda found: changed(found, "seeds", 5), "game 29 has another seed than its number says"),
    "fewer": (
        lambda found: found._replace(
            seeds=found.seeds[:9], seats=found.seats[:9], edges=found.edges[:10], scores=found.scores[:9],
            actions=found.actions[: found.edges[9]], places=found.places[:9],
        ),
        "it has 9 games, not 25",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_games_that_can_not_be_there(made, name):
    change, message = WRONG[name]
    replace_shard(made, 1, change(made.columns(1)))
    with pytest.raises(DamagedShard, match=message):
        Dataset(made.path, game=SIXES).columns(1)


def rewritten(table, name, array):
    return table.set_column(table.schema.get_field_index(name), table.schema.field(name), array)


OTHER_TABLES = {
    "column": (lambda table: table.drop_columns("scores"), "its columns are seed uint64.*they must be"),
    "type": (
        lambda table: table.set_column(0, "seed", table.column("seed").cast(pyarrow.int64())),
        "its columns are seed int64",
    ),
    "settings": (lambda table: table.replace_schema_metadata({b"carnegie_env": b"{}"}), "other settings"),
    "nothing": (
        lambda table: rewritten(table, "seed", pyarrow.array([None] * 25, pyarrow.uint64())),
        "in the column seed something is missing",
    ),
    "options": (lambda table: rewritten(table, "options", pyarrow.array(["{}"] * 25)), "game 25 has another options"),
    "signature": (
        lambda table: rewritten(table, "signature", pyarrow.array([78] * 25, pyarrow.int64())),
        "game 25 has another signature",
    ),
    "scores": (
        lambda table: rewritten(table, "scores", pyarrow.array([[1]] * 25, pyarrow.list_(pyarrow.int32()))),
        "game 25 has not 2 numbers in scores",
    ),
    "decisions": (
        lambda table: rewritten(table, "decisions", pyarrow.array([1] * 25, pyarrow.int32())),
        "game 25 has another number of decisions",
    ),
    "agents": (
        lambda table: rewritten(
            table,
            "agents",
            pyarrow.array([[{"name": "x", "agent": "x", "version": ""}] * 2] * 25, table.schema.field("agents").type),
        ),
        "game 25 has an agent that the manifest does not know",
    ),
}


@pytest.mark.parametrize("name", OTHER_TABLES)
def test_tables_that_are_none_of_a_dataset(made, name):
    change, message = OTHER_TABLES[name]
    out = pyarrow.BufferOutputStream()
    pq.write_table(change(pq.read_table(made.path / made.shards[1].name)), out)
    with pytest.raises(ValueError, match=message):
        columns.decode(out.getvalue().to_pybytes(), made.manifest, SIXES, range(25, 50))


MANIFESTS = {
    "no JSON": (b"{", "manifest.json is no manifest of a dataset, or is damaged"),
    "a list": (b"[]", "is no manifest"),
    "schema": (b'{"schema": 2}', "it has schema 2; this program reads schema 1"),
    "nothing": (b"{}", "is no manifest"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_manifests_that_are_none(tmp_path, name):
    content, message = MANIFESTS[name]
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        Dataset(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"games": 0}, "games must be"),
        ({"shard_games": 10**6}, "shard_games must be"),
        ({"seed": 2**64 - 3}, "a seed must be"),
        ({"agents": []}, "different names"),
        ({"shards": [{"name": "../x", "first": 0, "games": 1, "decisions": 1, "bytes": 1, "sha256": "0"}]}, "no shard"),
    ],
)  # fmt: skip
def test_manifests_with_something_that_can_not_be(made, change, message):
    said = json.loads((made.path / MANIFEST).read_text())
    (made.path / MANIFEST).write_text(json.dumps(said | change))
    with pytest.raises(ValueError, match=message):
        Dataset(made.path, game=SIXES)


def test_what_is_no_dataset(made, tmp_path):
    with pytest.raises(ValueError, match="is no dataset: it has no manifest.json"):
        Dataset(tmp_path)
    with pytest.raises(ValueError, match="is no dataset"):
        Dataset(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="damaged must be 'refuse' or 'skip', not 'ignore'"):
        Dataset(made.path, "ignore", game=SIXES)
    with pytest.raises(ValueError, match="there is no game 'sixes'"):
        Dataset(made.path)
    with pytest.raises(ValueError, match="has games of sixes, not of carnegie"):
        Dataset(made.path, game="carnegie")


def test_seats_change_as_in_the_arena():
    """All rotations in both directions, before another order; one that is named twice in all ways."""
    three = plan("First", "Last", "random", players=3)
    assert sorted(three.seating(k) for k in range(6)) == sorted(
        [(0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (1, 0, 2), (0, 2, 1)]
    )
    assert [three.seating(k) for k in range(6)] == [three.seating(k) for k in range(6, 12)]
    twice = plan("First", "Last", players=3, tables=((0, 1, 1),))
    assert sorted(twice.seating(k) for k in range(3)) == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    assert [plan("First", "Last", players=1).seating(k) for k in range(4)] == [(0,), (1,), (0,), (1,)]
