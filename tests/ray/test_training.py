"""Value learning on two Ray nodes of this machine, which lose a worker and a node. Run by `make test-ray`."""

import csv
import json
import time

import numpy as np
import pytest

pytest.importorskip("ray")
from carnegie_env.agents import registry
from carnegie_env.steel_driver.game import STEEL_DRIVER
from carnegie_env.workers import cluster as joining
from carnegie_env.workers.cluster import connect
from tests.commands import refused
from tests.ray import training_workers as workers
from tests.ray.nodes import Nodes as Machines
from tests.toy.game import SIXES
from training import value, value_cluster
from training.value_cluster import Nodes
from training.value_players import CannotContinue, Threads
from training.value_settings import Settings
from training.value_trainer import Trainer

pytestmark = pytest.mark.ray
TABLE = {"num_players": 2, "rounds": 6}
SMALL = Settings(hidden=8, middle=5, round_games=40, rounds_kept=2, chains=4, reuse=2.0)
SHARES = [0.0, 0.2, 0.4, 0.6, 0.8]
TINY = ["--game", "steel_driver", "--num-players", "3", "--round-games", "16", "--hidden", "8", "--middle", "4"]
SHORT = ["--eval-games", "2", "--threads", "2"]


@pytest.fixture(scope="module")
def marks(tmp_path_factory):
    return tmp_path_factory.mktemp("marks")


@pytest.fixture(scope="module")
def compiled(marks):
    """A cluster that compiles, because training is too slow in plain Python."""
    with Machines(**{workers.MARKS: str(marks)}) as machines:
        machines.start("one")
        yield machines


@pytest.fixture
def two(compiled):
    """Two nodes with a core each."""
    if "two" not in compiled.names:
        compiled.start("two")
    return compiled


@pytest.fixture
def joined(two):
    with connect(two.address, unit="games") as joined:
        yield joined


def sixes(players):
    return Trainer(SIXES, [SIXES.options.from_dict(TABLE)], SMALL, 3, players)


def wait_for(nodes, number):
    """Wait until that many nodes are ready to play."""
    end = time.monotonic() + 300
    while sum(actor.ready for actor in list(nodes._pool._actors.values())) < number:
        assert time.monotonic() < end
        time.sleep(0.1)


def trained(players, number=0, between=lambda k: None):
    """Train for five rounds; returns the final state, and the measurements of each round without times.

    Args:
        players: see Trainer.
        number: the nodes that must be ready first.
        between: called before each round with its number.
    """
    training, measured = sixes(players), []
    training.compile()
    if number:
        wait_for(training.players, number)
    for k, share in enumerate(SHARES):
        between(k)
        measured.append(training.round(share, len(SHARES) - k))
        del measured[-1]["games_per_second"]
    training.close()
    return training.state(), measured


def assert_same(one, other):
    for name, array in one[0].items():
        np.testing.assert_array_equal(array, other[0][name], err_msg=name)
    assert str(one[1]) == str(other[1])


def test_training_is_the_same_bit_for_bit_with_threads_and_nodes(two, joined, monkeypatch, marks):
    """Threads or nodes, one or two of them; a worker dies during a part, and a node is lost."""
    threads = trained(lambda course: Threads(course, 3))
    assert_same(threads, trained(lambda course: Nodes(joined, course, ahead=1), 2))
    assert len([work for work in joined.work.values() if work.units]) == 2

    def three_ahead(course):
        return Nodes(joined, course, part_games=7, ahead=3)

    ahead = trained(three_ahead)
    with pytest.raises(AssertionError):
        assert_same(threads, ahead)  # an older network plays the games of a round
    monkeypatch.setattr(value_cluster, "NodePlayer", workers.DiesOnce)
    assert_same(ahead, trained(three_ahead, 2))
    lost = sum(work.lost for work in joined.work.values())
    assert (marks / "died").exists() and lost > 0
    monkeypatch.undo()

    def lose_one(k):
        if k == 1:
            two.kill("two")

    assert_same(ahead, trained(three_ahead, 2, lose_one))
    assert sum(work.lost for work in joined.work.values()) > lost


def test_a_run_continues_with_another_number_of_workers(two, tmp_path, capsys):
    """Two nodes, then one, then threads of this process. The network then plays as an agent."""
    folder = tmp_path / "run"
    assert value.main([*TINY, *SHORT, "--games", "48", "--run-dir", str(folder), "--ray", two.address]) == 0
    assert "games/s" in capsys.readouterr().out
    two.kill("two")
    more = ["--part-games", "3", "--ahead", "3"]
    assert value.main(["--resume", str(folder), *SHORT, "--games", "32", "--ray", two.address, *more]) == 0
    assert value.main(["--resume", str(folder), *SHORT, "--games", "16"]) == 0
    rows = list(csv.DictReader((folder / "learning_curve.csv").open()))
    assert [int(row["steps"]) for row in rows] == [16, 32, 48, 64, 80, 96]
    assert json.loads((folder / "progress.json").read_text())["steps"] == 96
    batch = STEEL_DRIVER.batch_class(4, num_players=3)
    batch.reset(seed=0)
    assert batch.action_masks()[np.arange(4), registry.make_agent(f"value:{folder}").act_batch(batch)].all()


def test_a_training_that_loses_its_nodes_saves_and_says_how_to_resume(two, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "run"
    monkeypatch.setattr(value_cluster, "NodePlayer", workers.AlwaysDies)
    monkeypatch.setattr(joining, "NO_NODES", 1.0)
    given = [*TINY, *SHORT, "--games", "96", "--run-dir", str(folder), "--ray", two.address, "--ahead", "1"]
    assert value.main(given) == 1
    said = capsys.readouterr().err
    left = f"--games {96 - 16 * workers.FATAL}"
    assert f"--resume {folder} {left} " in said and f"--ahead 1 --ray {two.address}" in said
    assert json.loads((folder / "progress.json").read_text())["steps"] == 16 * workers.FATAL
    monkeypatch.undo()
    assert value.main(["--resume", str(folder), *SHORT, "--games", "16", "--ray", two.address]) == 0


def test_errors_of_a_node_are_reported(joined, monkeypatch):
    monkeypatch.setattr(value_cluster, "NodePlayer", workers.Raises)
    training = sixes(lambda course: Nodes(joined, course))
    with pytest.raises(CannotContinue, match="a mistake in the rules"):
        training.round(0.0)
    training.close()
    monkeypatch.setattr(value_cluster, "sources", lambda: "others")
    training = sixes(lambda course: Nodes(joined, course))
    with pytest.raises(CannotContinue, match=r"training has other sources \(.*\) than where the learner is \(others\)"):
        training.round(0.0)
    training.close()


# ---------------------------------------------------------------- without a cluster


def test_an_address_without_a_cluster_is_refused(tmp_path, capsys):
    given = ["--ray", "127.0.0.1:1", "--run-dir", str(tmp_path / "run")]
    assert "nothing answers there" in refused(capsys, value.main, given)
    assert not (tmp_path / "run").exists()
