"""Reading datasets: the content of files and manifest, damaged files, games as records."""

import hashlib
import json
import os
import types
from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("pyarrow")

import pyarrow
import pyarrow.parquet as pq

from carnegie_env.arena.schedule import seatings, table_seatings
from carnegie_env.datasets import DamagedShard, Dataset, columns, for_minari
from carnegie_env.datasets.manifest import MANIFEST, encode
from carnegie_env.datasets.writing import Writer
from tests.datasets.games import SIGNATURE, make, plan, replace_shard
from tests.toy.game import SIXES


@pytest.fixture
def made(tmp_path):
    return make(tmp_path / "games", "Last", "random")


def test_rows_and_games_agree(made):
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
        with pytest.raises(IndexError, match=f"there is no game {number}; 60 of 60 games exist"):
            made[number]
    with pytest.raises(ValueError, match="a game's number must be a whole number"):
        made["first"]


def test_a_game_as_a_record(made, tmp_path):
    record = made.record(30)
    record.save(tmp_path / "game.txt")
    assert SIXES.record_class.load(tmp_path / "game.txt") == record
    assert tuple(record.replay().scores()) == made[30].scores


def test_the_manifest_lists_the_finished_shards(made):
    fields = json.loads((made.path / MANIFEST).read_text())
    assert fields["schema"] == 1 and fields["games"] == 60 and fields["shard_games"] == 25 and not fields["values"]
    assert [shard["first"] for shard in fields["shards"]] == [0, 25, 50]
    assert {"carnegie_env", "python", "numpy", "numba", "pyarrow"} == fields["versions"].keys()
    assert made.manifest.is_complete and made.manifest.num_shards == 3
    (made.path / MANIFEST).write_bytes(encode(msgspec.structs.replace(made.manifest, shards=made.shards[1:])))
    half = Dataset(made.path, game=SIXES)
    assert len(half) == 35 and not half.manifest.is_complete and [game.number for game in half] == [*range(25, 60)]
    assert half[25].seed == 28
    with pytest.raises(IndexError):
        half[24]


def damaged(content, kind):
    middle = len(content) // 2
    return {
        "a bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "cut": content[:-10],
        "longer": content + b"\0",
        "empty": b"",
        "other": b"PAR1" + bytes(range(200)) + b"PAR1",
    }[kind]


@pytest.mark.parametrize("kind", ["a bit", "cut", "longer", "empty", "other", "missing"])
def test_a_damaged_shard_is_named_and_refused_or_skipped(made, kind):
    path = made.path / made.shards[1].name
    if kind == "missing":
        path.unlink()
    else:
        path.write_bytes(damaged(path.read_bytes(), kind))
    wrong = "the file is missing" if kind == "missing" else "does not match the checksum in the manifest"
    for look in (lambda: [*made], lambda: made[30], lambda: [*made.replay(8)], made.verify, lambda: made.columns(1)):
        with pytest.raises(DamagedShard, match=f"games-00001.parquet: .*{wrong}") as error:
            look()
        assert error.value.shard == path
    assert made[3].seed == 6  # other shards are not affected
    skipping = Dataset(made.path, "skip", game=SIXES)
    with pytest.warns(UserWarning, match="skipping a damaged shard: .*games-00001.parquet"):
        assert [game.number for game in skipping] == [*range(25), *range(50, 60)]
    assert {game for batch in skipping.replay(16) for game in batch.games.tolist()} == {*range(25), *range(50, 60)}
    assert list(skipping.skipped) == [path.name]


def with_nine_games(games):
    first = {name: getattr(games, name)[:9] for name in ("seeds", "seats", "scores", "places")}
    return games._replace(edges=games.edges[:10], actions=games.actions[: games.edges[9]], **first)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda games: games._replace(seeds=games.seeds + (np.arange(25) == 4)), "game 29: the seed does not match"),
        (with_nine_games, "it has 9 games, not 25"),
    ],
)
def test_games_that_do_not_match_the_manifest(made, change, message):
    replace_shard(made, 1, change(made.columns(1)))
    with pytest.raises(DamagedShard, match=message):
        Dataset(made.path, game=SIXES).columns(1)


OTHER_SCHEMAS = {
    "column": (lambda table: table.drop_columns("scores"), "its columns are seed uint64.*they must be"),
    "coded column": (lambda table: table.drop_columns("signature"), "its columns are seed uint64.*they must be"),
    "type": (
        lambda table: table.set_column(0, "seed", table.column("seed").cast(pyarrow.int64())),
        "its columns are seed int64",
    ),
    "settings": (lambda table: table.replace_schema_metadata({b"carnegie_env": b"{}"}), "its settings differ"),
}


def with_column(name, value):
    """A function that sets a column to the same value in every row."""

    def change(table):
        field = table.schema.field(name)
        return table.set_column(table.schema.get_field_index(name), field, pyarrow.array([value] * 25, field.type))

    return change


OTHER_COLUMNS = {
    "seed": (None, "the column seed has missing values"),
    "options": ("{}", "game 25: options differs from the manifest's"),
    "signature": (78, "game 25: signature differs from the manifest's"),
    "scores": ([1], "game 25: scores must have 2 numbers"),
    "decisions": (1, "game 25: decisions must be the number of actions"),
    "actions": ([0] * 91, "the column actions must have at most 2250 values"),
    "agents": ([{"name": "x", "agent": "x", "version": ""}] * 2, "game 25: an agent is not in the manifest"),
}
NO_NAME = with_column("agents", [{"name": None, "agent": "x", "version": ""}] * 2)
OTHER_TABLES = OTHER_SCHEMAS | {
    name: (with_column(name, value), message) for name, (value, message) in OTHER_COLUMNS.items()
}
OTHER_TABLES["names"] = NO_NAME, "the column agents has missing values"


def content_of(table):
    out = pyarrow.BufferOutputStream()
    pq.write_table(table, out)
    return out.getvalue().to_pybytes()


@pytest.mark.parametrize("name", OTHER_TABLES)
def test_tables_that_do_not_match_the_manifest(made, name):
    change, message = OTHER_TABLES[name]
    content = content_of(change(pq.read_table(made.path / made.shards[1].name)))
    with pytest.raises(ValueError, match=message):
        columns.decode(content, made.manifest, SIXES, range(25, 50))


def test_a_number_that_is_not_in_the_columns_dictionary(made):
    table = pq.read_table(made.path / made.shards[1].name)
    out = pyarrow.BufferOutputStream()
    pq.write_table(table, out, compression="none")
    content = bytearray(out.getvalue().to_pybytes())
    chunk = pq.read_metadata(pyarrow.BufferReader(content)).row_group(0).column(1)
    assert chunk.path_in_schema == "options"
    content[chunk.dictionary_page_offset + chunk.total_compressed_size - 1] = 158  # in every row
    with pytest.raises(ValueError, match="can't be read as a Parquet file.*158"):
        columns.decode(bytes(content), made.manifest, SIXES, range(25, 50))


def test_a_text_in_every_row_is_in_memory_once(made):
    change = with_column("options", "x" * 900_000)
    content = content_of(change(pq.read_table(made.path / made.shards[1].name)))
    usual = pyarrow.default_memory_pool()
    used = pyarrow.proxy_memory_pool(usual)
    pyarrow.set_memory_pool(used)
    try:
        with pytest.raises(ValueError, match="options differs"):
            columns.decode(content, made.manifest, SIXES, range(25, 50))
    finally:
        pyarrow.set_memory_pool(usual)
    assert used.max_memory() < 10 * 900_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "manifest.json is not a valid manifest"),
        (b"[]", "is not a valid manifest"),
        (b'{"schema": 2}', "it has schema 2; this program reads schema 1"),
        (b"{}", "is not a valid manifest"),
    ],
)
def test_invalid_manifest_files(tmp_path, content, message):
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        Dataset(tmp_path)


SHARD = {"name": "games-00000.parquet", "first": 0, "games": 25, "decisions": 1, "bytes": 1, "sha256": "0"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"games": 0}, "games must be"),
        ({"shard_games": 10**6}, "shard_games must be"),
        ({"seed": 2**64 - 3}, "a seed must be"),
        ({"agents": []}, "one or more agents with different names"),
        ({"shards": [SHARD | {"name": "../x"}]}, "not a shard"),
        ({"shards": [SHARD | {"games": 0}]},
         "the number of games in games-00000.parquet must be a whole number from 1 to 25, not 0"),
        ({"shards": [SHARD | {"first": 3}]}, "the first game of games-00000.parquet must be 0, not 3"),
    ],
)  # fmt: skip
def test_invalid_manifest_values(made, change, message):
    (made.path / MANIFEST).write_text(json.dumps(json.loads((made.path / MANIFEST).read_text()) | change))
    with pytest.raises(ValueError, match=message):
        Dataset(made.path, game=SIXES)


def test_folders_made_by_earlier_versions(made):
    """The manifest had another name, and neither it nor the shards named an edition."""
    old = made.path / "manifest.json"
    (made.path / MANIFEST).rename(old)
    fields = json.loads(old.read_text())
    assert fields.pop("edition") == "2026"
    shards = []
    for shard in fields["shards"]:
        table = pq.read_table(made.path / shard["name"])
        settings = json.loads(table.schema.metadata[columns.METADATA])
        del settings["edition"]
        table = table.replace_schema_metadata({columns.METADATA: json.dumps(settings, sort_keys=True)})
        pq.write_table(table, made.path / shard["name"])
        content = (made.path / shard["name"]).read_bytes()
        shards.append(shard | {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()})
    old.write_text(json.dumps(fields | {"shards": shards}))
    found = Dataset(made.path, game=SIXES)
    assert found.manifest.edition == "2026" and [game.actions.tolist() for game in found] == [
        game.actions.tolist() for game in make(made.path.parent / "new", "Last", "random")
    ]
    with Writer(made.path, found.manifest, SIXES) as writer:
        assert writer.missing() == []
    assert not old.exists() and Dataset(made.path, game=SIXES).manifest == found.manifest


def test_a_dataset_of_another_edition(made):
    fields = json.loads((made.path / MANIFEST).read_text())
    (made.path / MANIFEST).write_text(json.dumps(fields | {"edition": "1999"}))
    with pytest.raises(ValueError, match="edition must be '2026', the one that this process has loaded, not '1999'"):
        Dataset(made.path, game=SIXES)


def test_wrong_arguments(made, tmp_path):
    for path, more, message in (
        (tmp_path, {}, "is not a dataset: it has no _manifest.json"),
        (tmp_path / "nowhere", {}, "is not a dataset"),
        (made.path_of(0), {}, "is not a dataset: it is not a folder"),
        (made.path, {"damaged": "ignore", "game": SIXES}, "damaged must be 'refuse' or 'skip', not 'ignore'"),
        (made.path, {}, "there is no game 'sixes'"),
        (made.path, {"game": "carnegie"}, "has games of sixes, not carnegie"),
    ):
        with pytest.raises(ValueError, match=message):
            Dataset(path, **more)


def test_an_export_to_minari_reads_only_its_games(made, monkeypatch):
    (made.path / made.shards[1].name).unlink()
    monkeypatch.setattr(for_minari, "_episode", lambda minari, env, dataset, game, number: game.number)
    assert [*for_minari._episodes(None, None, made, 25, lambda done, total: None)] == [*range(25)]


def test_an_export_to_minari_stays_in_its_file_system(tmp_path, monkeypatch):
    """The folder of Minari's datasets may be a link, or a file system by itself."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "datasets").symlink_to(tmp_path / "disk")
    monkeypatch.setenv(for_minari.ROOT, str(tmp_path / "datasets"))
    namespace = types.SimpleNamespace(list_local_namespaces=lambda: ["carnegie"])
    with for_minari._whole_or_not(types.SimpleNamespace(namespace=namespace), "carnegie/value-v0"):
        folder = Path(os.environ[for_minari.ROOT])
        assert folder.resolve().parent == tmp_path / "disk" and folder.name.startswith(".")
        (folder / "carnegie" / "value-v0").mkdir(parents=True)
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["carnegie"]


def test_seats_rotate_as_in_the_arena():
    """The games of one deal there are here games with deals of their own."""
    three, pairs = plan("First", "Last", "random", players=3), ((0, 1, 1),)
    assert [three.seating(k) for k in range(12)] == seatings(3, 3, 0) + seatings(3, 3, 1)
    twice = plan("First", "Last", players=3, tables=pairs)
    assert [twice.seating(k) for k in range(3)] == table_seatings(2, 3, pairs, 0)
