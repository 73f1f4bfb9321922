"""The job of value learning: the run folder, resuming, Ctrl-C, invalid options, other games."""

import csv
import json
import shutil
import signal
from functools import partial

import numpy as np
import pytest
from safetensors.numpy import save

from carnegie_env import Batch
from carnegie_env.agents import inputs, registry
from carnegie_env.agents.tensors import LARGEST_FILE
from carnegie_env.agents.value import FOLDER, ValueAgent
from carnegie_env.arena.play import main as play_main
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.carnegie.tables import DIFFICULTIES
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.commands import refused
from tests.networks import network_file
from tests.toy.game import SIXES
from training import tables, value
from training.job import check_new
from training.tables import Table
from training.value_trainer import Trainer

TINY = ["--games", "16", "--round-games", "8", "--hidden", "8", "--middle", "4", "--eval-games", "2", "--threads", "1"]
SAVED = {"config.json", "progress.json", "learning_curve.csv", *value.ValueFolder.saved}
FILES = SAVED | {"learning_curve.png", "categories.png", "evaluation.txt", "evaluation.csv", "evaluation.json",
                 "game.txt"}  # fmt: skip
PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished tiny run."""
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    assert value.main([*TINY, "--run-dir", str(folder), "--seed", "7"]) == 0
    return folder


@pytest.fixture
def copied(run, tmp_path):
    """A copy of the files that a resumed run needs."""
    return shutil.copytree(run, tmp_path / "copy", ignore=lambda folder, names: set(names) - SAVED)


def resume(folder, *more):
    return value.main(["--resume", str(folder), "--games", "8", "--eval-games", "2", "--threads", "1", *more])


@pytest.mark.parametrize(
    ("arguments", "search", "begins"),
    [
        ([], 25.0, 0.5),
        (["--search", "0"], 0.0, 0.5),
        (["--search-from", "0.2"], 25.0, 0.2),
        (["--num-players", "2"], 0.0, 0.0),
        (["--start", str(FOLDER / "carnegie-1.safetensors")], 0.0, 0.0),
    ],
)
def test_new_solo_runs_search_in_the_second_half(arguments, search, begins):
    settings = check_new(value.Job, value.make_parser().parse_args(arguments))["settings"]
    assert (settings["search"], settings["search_from"]) == (search, begins)


def test_a_run_writes_all_files(run):
    assert {file.name for file in run.iterdir()} == FILES  # no temporary files
    assert all((run / name).read_bytes().startswith(PNG) for name in ("learning_curve.png", "categories.png"))
    config = json.loads((run / "config.json").read_text())
    assert (config["seed"], config["settings"]["hidden"], config["settings"]["round_games"]) == (7, 8, 8)
    assert [each["difficulty"] for each in config["options"]] == list(DIFFICULTIES)
    progress = json.loads((run / "progress.json").read_text())
    assert progress["steps"] == 16 and progress["share"] == 1
    rows = list(csv.DictReader((run / "learning_curve.csv").open()))
    assert [int(row["steps"]) for row in rows] == [8, 16]
    names = [name for name in CARNEGIE.score_columns if name != "total"]
    for row in rows:
        assert sum(float(row[name]) for name in names) == pytest.approx(float(row["total"]), abs=1e-3)
        assert float(row["total"]) == pytest.approx(float(row["own"]), abs=1e-3)


def test_the_network_plays(run, capsys):
    batch = Batch(4, num_players=1)
    batch.reset(seed=0)
    actions = registry.make_agent(f"value:{run}").act_batch(batch)
    assert batch.action_masks()[np.arange(4), actions].all()
    np.testing.assert_array_equal(actions, registry.make_agent(f"value:{run}/weights.safetensors").act_batch(batch))
    found = registry.make_agent(f"search:network={run},evals=1,depth=1,candidates=2").act_batch(batch, [2])
    assert batch.action_masks()[2, found[0]]
    assert play_main(["--agents", f"value:{run}", "--games", "2", "--difficulty", "beginner"]) == 0
    assert f"value:{run}" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"no network in .* for carnegie with .*'num_players': 2"):
        registry.make_agent(f"value:{run}").act_batch(Batch(1, num_players=2))


def test_same_seed_same_training(run, tmp_path):
    folder = tmp_path / "again"
    assert value.main([*TINY[:-1], "2", "--run-dir", str(folder), "--seed", "7"]) == 0
    one, other = (value.value.read(each / "weights.safetensors") for each in (folder, run))
    assert one[1:] == other[1:]
    for mine, theirs in zip(one.weights, other.weights, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_resume(copied):
    before = ValueAgent(str(copied)).version
    assert resume(copied, "--games", "16") == 0  # the first round can't learn from earlier games
    rows = list(csv.DictReader((copied / "learning_curve.csv").open()))
    assert [int(row["steps"]) for row in rows] == [8, 16, 24, 32]
    assert {file.name for file in copied.iterdir()} == FILES
    assert ValueAgent(str(copied)).version != before


def test_the_state_of_a_large_network_is_read(tmp_path):
    size = LARGEST_FILE // 4 + 1
    (tmp_path / "state").write_bytes(save({"net.first": np.zeros(size, np.float32)}))
    assert value.read_state(tmp_path / "state")["net.first"].size == size


def test_evaluate_only(copied):
    before = (copied / "weights.safetensors").read_bytes()
    assert value.main(["--resume", str(copied), "--minutes", "0", "--eval-games", "2", "--threads", "1"]) == 0
    assert (copied / "weights.safetensors").read_bytes() == before and (copied / "evaluation.txt").exists()


@pytest.mark.parametrize(
    "interrupt",
    [partial(signal.default_int_handler, signal.SIGINT, None), partial(signal.raise_signal, signal.SIGTERM)],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_an_interrupted_run_is_saved_and_prints_the_command_that_continues(interrupt, tmp_path, monkeypatch, capsys):
    """Here during the warm-up: the saved network plays the solo game."""
    folder, rounds = tmp_path / "run", Trainer.round

    def interrupted(self, *given):
        if self.games >= 8:
            interrupt()
        return rounds(self, *given)

    monkeypatch.setattr(Trainer, "round", interrupted)
    handler = signal.getsignal(signal.SIGTERM)
    assert value.main([*TINY, "--warm-up", "0.8", "--games", "80", "--run-dir", str(folder)]) == 130
    assert signal.getsignal(signal.SIGTERM) is handler
    monkeypatch.undo()
    assert f"--resume {folder} --games 72 --threads 1" in capsys.readouterr().out
    assert json.loads((folder / "progress.json").read_text())["steps"] == 8
    batch = Batch(2, num_players=1)
    batch.reset(seed=0)
    assert batch.action_masks()[np.arange(2), registry.make_agent(f"value:{folder}").act_batch(batch)].all()
    assert resume(folder, "--games", "48") == 0
    over_andrew = [row["margin"] != "" for row in csv.DictReader((folder / "learning_curve.csv").open())]
    assert over_andrew == [False] * 6 + [True]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": []}, "options must be a list"),
        ({"game": "chess"}, "there is no game 'chess'; the games are carnegie, steel_driver"),
        ({"game": 1}, "game must be the name of a game"),
        ({"options": [{"num_players": 9}]}, "num_players must be"),
        ({"inputs": "another"}, "its inputs"),
        ({"seed": -1}, "seed must be"),
        *(({"lean": lean}, "lean must be points") for lean in (None, {"money": "much"})),
        *(({"warm_up": share}, "warm_up must be a share of the training") for share in ("long", 1.5)),
        ({"lean": {"no such inputs": 1}}, "there are no inputs named 'no such inputs'"),
    ],
)
def test_messages_name_wrong_values_in_the_configuration(copied, change, message, capsys):
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | change))
    assert message in refused(capsys, resume, copied)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "{tmp}/nothing"], "not the folder of a run"),
        (["--resume", "{run}", "--seed", "1"], "--seed can't be changed"),
        (["--resume", "{run}", "--hidden", "8"], "--hidden can't be changed"),
        (["--resume", "{run}", "--game", "carnegie"], "--game can't be changed"),
        (["--run-dir", "{run}"], "--resume"),
        *((["--minutes", minutes], "--minutes") for minutes in ("-1", "nan")),
        (["--eval-games", "1"], "--eval-games must be 2 or more"),
        (["--games", "0"], "--games must be 1 or more"),
        (["--seed", "-1"], "--seed must be a whole number"),
        (["--hidden", "5000"], "hidden must be 1 to 4,096"),
        (["--trace", "2"], "trace must be 0 to 1"),
        (["--lean", "tabs"], "it must be a name of inputs and points"),
        (["--num-players", "5"], "--num-players must be 1 to 4 for carnegie, not 5"),
        (["--game", "steel_driver", "--num-players", "2"], "--num-players must be 3 to 6 for steel_driver, not 2"),
        (["--game", "sixes"], "invalid choice: 'sixes'"),
        (["--game", "steel_driver", "--difficulty", "normal"], "steel_driver has no --difficulty"),
        (["--game", "steel_driver", "--modules", "all"], "steel_driver has no --modules"),
        (["--difficulty", "hard"], "--difficulty must be one of beginner, normal"),
        (["--warm-up", "1.5"], "--warm-up must be 0 to 0.9, not 1.5"),
        (["--warm-up", "0.2", "--num-players", "2"], "--warm-up is for solo games without --start"),
        (["--num-players", "2", "--difficulty", "normal"], "--difficulty is for games against Andrew"),
        (["--start", "{tmp}/none"], "there is no network at"),
        (["--start", "{run}/weights.safetensors", "--hidden", "7"], "--hidden must be 8 or more, as in the network of"),
        (["--rivals", "greedy"], "--rivals greedy: the solo game has no rivals"),
        (["--rivals", "{tmp}/none", "--num-players", "2"], "there is no network at"),
        (["--rivals", "{sixes}", "--num-players", "2"], "it must be a network for carnegie with"),
        (["--rivals", "ppo:{tmp}/none", "--num-players", "2"], "no trained model"),
        (["--start", "{sixes}"], "--start needs a network for carnegie"),
        (["--game", "steel_driver", "--start", "{run}/weights.safetensors"], "needs a network for steel_driver"),
        (["--ppo", "{tmp}/none"], "no trained model"),
        (["--ahead", "2"], "--ahead is for training on a cluster and needs --ray"),
        (["--part-games", "8"], "--part-games is for training on a cluster"),
        (["--ray", "--part-games", "0"], "--part-games must be 1 or more, not 0"),
    ],
)
def test_bad_options(arguments, message, run, tmp_path, capsys):
    sixes = network_file(tmp_path, SIXES, {})
    folder = [] if "--resume" in arguments or "--run-dir" in arguments else ["--run-dir", str(tmp_path / "new")]
    given = [argument.format(run=run, tmp=tmp_path, sixes=sixes) for argument in arguments]
    assert message in refused(capsys, value.main, given + folder)
    assert not (tmp_path / "new").exists()


# ---------------------------------------------------------------- another game
@pytest.fixture(scope="module")
def steel_run(tmp_path_factory):
    """A finished tiny run of Steel Driver."""
    folder = tmp_path_factory.mktemp("runs") / "steel"
    assert value.main([*TINY, "--game", "steel_driver", "--num-players", "4", "--run-dir", str(folder)]) == 0
    return folder


def test_another_game_is_trained(steel_run):
    """The run has the game's options, score columns and opponents, and no shaping."""
    assert {file.name for file in steel_run.iterdir()} == FILES
    config = json.loads((steel_run / "config.json").read_text())
    assert (config["game"], config["title"], config["lean"]) == ("steel_driver", "Steel Driver, 4 players", {})
    assert [each["num_players"] for each in config["options"]] == [4]
    for row in csv.DictReader((steel_run / "learning_curve.csv").open()):
        assert float(row["cash"]) + float(row["shares"]) == pytest.approx(float(row["total"]), abs=1e-2)
        assert float(row["total"]) == pytest.approx(float(row["own"]), abs=1e-2) and float(row["goods"]) > 1
        assert float(row["total"]) > 300
    rows = list(csv.DictReader((steel_run / "evaluation.csv").open()))
    expected = {(a, b) for a in ("random", "greedy") for b in ("random", "greedy", "value")}
    assert {(row["against"], row["agent"]) for row in rows} == expected
    record = STEEL_DRIVER.record_class.load(steel_run / "game.txt")
    assert record.options.num_players == 4 and record.replay().is_over


def test_the_network_of_another_game_plays_and_is_trained_further(steel_run, capsys):
    commands = ["--game", "steel_driver", "--num-players", "4", "--games", "2"]
    assert play_main(["--agents", f"value:{steel_run}", "greedy", *commands]) == 0
    assert play_main(["--agents", f"search:network={steel_run},evals=40,depth=1,candidates=2", *commands]) == 0
    assert f"value:{steel_run}" in capsys.readouterr().out
    with pytest.raises(ValueError, match="there is no network in .* for carnegie, only for steel_driver"):
        registry.make_agent(f"value:{steel_run}").act_batch(Batch(1, num_players=2))
    assert resume(steel_run) == 0
    said = capsys.readouterr().out
    assert f"--agents value:{steel_run} greedy --game steel_driver --num-players 4" in said and " $" in said
    assert len(list(csv.DictReader((steel_run / "learning_curve.csv").open()))) == 3


@pytest.mark.parametrize(("more", "units"), [([], (8, 4)), (["--hidden", "12", "--middle", "5"], (12, 5))])
def test_start_from_another_number_of_players(steel_run, tmp_path, more, units):
    start = ["--start", str(steel_run / "weights.safetensors"), "--run-dir", str(tmp_path / "six"), "--threads", "1"]
    given = ["--game", "steel_driver", "--num-players", "6", *start, *more]
    job = value.Job(value.make_parser().parse_args(given), None)
    job.close()
    options = [STEEL_DRIVER.options(num_players=n) for n in (4, 6)]
    there, here = (inputs.labels(STEEL_DRIVER, each) for each in options)
    source = value.value.read(steel_run / "weights.safetensors").weights
    assert (job.trainer.net.first.shape[1], len(job.trainer.net.second)) == units
    for name in ("earns[red][4]", "red.sold", "total of own"):
        np.testing.assert_array_equal(job.trainer.net.first[here.index(name), :8], source.first[there.index(name)])


def test_runs_without_the_name_of_a_game_are_carnegies(copied):
    """Early run folders."""
    config = json.loads((copied / "config.json").read_text())
    del config["game"]
    (copied / "config.json").write_text(json.dumps(config))
    assert resume(copied) == 0


def test_tables():
    solo, table = Table(CARNEGIE, 1, "all"), Table(STEEL_DRIVER, 3)
    assert solo.against == DIFFICULTIES and solo.names == ("difficulty", "andrew") and solo.title == "against Andrew"
    assert solo.options("expert") == {"num_players": 1, "difficulty": "expert", "modules": "all"}
    assert table.against == ("random", "greedy") and table.options("greedy") == {"num_players": 3}
    assert table.flags == " --game steel_driver --num-players 3" and solo.flags == " --modules all"
    bank = Table(SIXES, 1)  # an automatic opponent without difficulties
    assert (bank.against, bank.names, bank.options("bank")) == (("bank",), ("against", "bank"), {"num_players": 1})
    assert tables.dealt(SIXES, 1) == [{"num_players": 1}]
    assert tables.categories(STEEL_DRIVER) == ("cash", "shares", "total")
    assert tables.categories(CARNEGIE) == CARNEGIE.score_columns


def test_mixed_modules_are_valid_options():
    for players in (1, 2, 4):
        found = tables.dealt(CARNEGIE, players, modules="mixed")
        options = [CARNEGIE.options.from_dict(each) for each in found]
        assert len({value.value.meaning(CARNEGIE, each) for each in options}) == 1
        assert len(found) == tables.MIXED_MODULES * (len(DIFFICULTIES) if players == 1 else 1)
        assert all(each.modules for each in options)
