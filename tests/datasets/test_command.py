"""`carnegie-env generate` and `export-minari`: output, files, error messages."""

import re
import sys

import pytest

pytest.importorskip("pyarrow")

from carnegie_env.datasets import Dataset, export_minari
from carnegie_env.datasets.manifest import MANIFEST
from carnegie_env.datasets.writing import Writer
from carnegie_env.workers import generate as generating
from tests.commands import run, undisturbed
from tests.datasets.games import manifest_of, plan
from tests.toy.game import SIXES


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    undisturbed(monkeypatch, tmp_path, generating)


def test_a_dataset_is_made_and_continued(capsys, tmp_path):
    arguments = ("generate", "--agents", "one=random", "two=random", "--new-start", "--seed", 9, "--out", "games")
    out = run(capsys, *arguments, "--games", 5, "--shard-games", 3, "--processes", 1)
    found = re.fullmatch(
        r"games: 5 games of carnegie, (\d+) decisions, in 2 shards; (\d+) bytes, (\d+) per game\n", out
    )
    dataset = Dataset("games")
    assert found and int(found[1]) == dataset.num_decisions and len(dataset) == 5
    assert dataset.options.new_start and dataset.options.num_players == 2 and dataset.agents == ("one", "two")
    assert [game.seed for game in dataset] == [9, 10, 11, 12, 13] and dataset[1].agents == ("two", "one")
    before = {path.name: path.read_bytes() for path in (tmp_path / "games").iterdir()}
    assert run(capsys, *arguments, "--games", 5, "--shard-games", 3) == out  # the same command again
    (tmp_path / "games" / "games-00001.parquet").unlink()
    assert run(capsys, "generate", "--resume", "--out", "games", "--processes", 1) == out
    assert {path.name: path.read_bytes() for path in (tmp_path / "games").iterdir()} == before
    message = run(capsys, *arguments, "--games", 5, "--shard-games", 4, code=2)
    assert "games is a dataset with other settings: shard games 3, not 4" in message
    message = run(capsys, "generate", "--resume", "--out", "games", "--seed", 1, code=2)
    assert "--resume without --agents takes all settings from the dataset" in message
    manifest = (tmp_path / "games" / MANIFEST).read_text()
    (tmp_path / "mine.py").write_text("raise SystemExit('run')")
    for program in ("mine:Agent", "bot:mine.py,trusted=yes", "bot:network=mine.py, trusted = yes"):
        changed = manifest.replace('"agent": "random"', f'"agent": "{program}"', 1)
        assert changed != manifest
        (tmp_path / "games" / MANIFEST).write_text(changed)
        message = run(capsys, "generate", "--resume", "--out", "games", code=2)
        assert f"does not run a program that the dataset names, such as '{program}'" in message


WRONG = {
    "nobody": (("--games", 3), "--agents is missing; the agents are random, greedy"),
    "how many": (("--agents", "random"), "--games N is missing"),
    "processes": (("--agents", "random", "--games", 3, "--processes", 0), "--processes must be 1 or more, not 0"),
    "unknown": (("--agents", "clever", "--games", 3), "unknown agent 'clever'"),
    "resume": (("--resume",), "--resume continues the dataset in --out, but there is none in out"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name, capsys, tmp_path):
    arguments, message = WRONG[name]
    assert message in run(capsys, "generate", *arguments, "--out", "out", code=2)
    assert not list(tmp_path.iterdir())


def test_without_pyarrow(capsys, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("pyarrow") or "datasets" in name.split(".")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "carnegie_env.workers.generate")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = run(capsys, "generate", "--agents", "random", "--games", 3, "--out", "out", code=2)
    assert "datasets need pyarrow: pip install 'carnegie_env[data]'" in message


def test_export_without_a_dataset(capsys):
    assert "is not a dataset" in run(capsys, "export-minari", "nothing", "--id", "x/y-v0", code=2)


def test_export_without_a_game(tmp_path):
    with Writer(tmp_path, manifest_of(plan()), SIXES):
        pass
    with pytest.raises(ValueError, match="the dataset has no finished game; continue it with"):
        export_minari(Dataset(tmp_path, game=SIXES), "x/y-v0")


def test_a_file_in_place_of_the_folder(capsys, tmp_path):
    (tmp_path / "out").write_text("mine")
    message = run(capsys, "generate", "--agents", "random", "--games", 3, "--out", "out", code=2)
    assert "--out must be a folder; out is a file" in message and (tmp_path / "out").read_text() == "mine"


def test_without_minari(capsys, monkeypatch):
    run(capsys, "generate", "--agents", "random", "--games", 3, "--out", "games", "--processes", 1)
    monkeypatch.setitem(sys.modules, "minari", None)
    message = run(capsys, "export-minari", "games", "--id", "x/y-v0", code=2)
    assert "Minari is not installed: pip install 'minari[hdf5]'" in message
