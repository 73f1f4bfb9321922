"""Datasets and the arena on two nodes: the same games as on one machine, whatever dies."""

import dataclasses
import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("ray")
pytest.importorskip("pyarrow")

from carnegie_env import make_agent
from carnegie_env.arena import match
from carnegie_env.arena.journal import read
from carnegie_env.arena.match import Match
from carnegie_env.arena.nodes import NodePool, _packed, _unpacked
from carnegie_env.workers import cluster, generate
from carnegie_env.workers.cluster import connect
from carnegie_env.workers.generate import Plan
from tests.arena.misfits import MISFITS
from tests.datasets.games import contents
from tests.paths import ROOT
from tests.ray.nodes import TIMEOUT, environment
from tests.toy.game import SIXES

pytestmark = pytest.mark.ray
AGENTS = (("patient", f"{MISFITS}Patient"), ("random", "random"), ("first", f"{MISFITS}First"))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No signature of the toy game, which would have to be compiled, and several chunks."""
    for module in (generate, match):
        monkeypatch.setattr(module, "signature", lambda game: 77)
    monkeypatch.setattr(generate, "AT_ONCE", 10)
    monkeypatch.setattr(cluster, "LOOK_FOR_NODES", 0.5)


def untimed(lines):
    """Games without times, and without the texts of faults, which name processes."""
    found = []
    for line in lines:
        about = (line.deal, line.number, line.seats, line.decisions, line.results, line.categories)
        fault = line.fault and (line.fault.agent, line.fault.seat, line.fault.kind, line.fault.decision)
        found.append((*about, fault))
    return found


class Deaths:
    """Kills a worker of the second node, and later the whole node, when enough games have been played."""

    def __init__(self, nodes, *when):
        self.nodes, self.when, self.done = nodes, when, 0

    def __call__(self, played, total):
        while self.done < len(self.when) and played >= self.when[self.done]:
            if self.done == 0:
                for pid in self.nodes.actors("two"):
                    os.kill(pid, signal.SIGKILL)
            elif self.done == 1:
                self.nodes.kill("two")
            self.done += 1


# ---------------------------------------------------------------- datasets
def test_a_dataset_is_the_same_byte_for_byte_if_a_worker_and_a_node_die(nodes, tmp_path):
    plan = Plan(SIXES, {"num_players": 2}, AGENTS, 150, seed=5, shard_games=25)
    deaths = Deaths(nodes, 20, 60)
    with connect(nodes.address, unit="games") as joined:
        done = generate.generate(plan, tmp_path / "ray", cluster=joined, watch=deaths)
        work = joined.work
    assert deaths.done == 2 and done.games == 150 and len(done.shards) == 6
    assert work["one"].units + work["two"].units == 150 and work["two"].units > 0 and work["two"].lost >= 2
    generate.generate(plan, tmp_path / "local", processes=2)
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")


def test_games_side_by_side_and_a_resumed_dataset_are_the_same(nodes, tmp_path):
    agents = (("last", f"{MISFITS}Last"), ("random", "random"))
    plan = Plan(SIXES, {"num_players": 3}, agents, 100, seed=2, shard_games=30, values=True)
    generate.generate(plan, tmp_path / "local", processes=1)
    generate.generate(dataclasses.replace(plan, games=30), tmp_path / "ray", processes=1)
    with connect(nodes.address) as joined:
        generate.generate(plan, tmp_path / "ray", cluster=joined)
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")


def test_an_agent_that_fails_gives_the_same_error_on_a_node(nodes, tmp_path):
    plan = Plan(SIXES, {"num_players": 2}, (("bad", f"{MISFITS}Crashes"), ("random", "random")), 20)
    with pytest.raises(ValueError) as here:
        generate.generate(plan, tmp_path / "local", processes=1)
    with connect(nodes.address) as joined, pytest.raises(ValueError) as there:
        generate.generate(plan, tmp_path / "ray", cluster=joined)
    assert str(here.value).splitlines()[0] == str(there.value).splitlines()[0]


# ---------------------------------------------------------------- the arena
def test_a_match_is_the_same_if_a_worker_and_a_node_die(nodes, tmp_path):
    played = Match(SIXES, {"num_players": 2}, AGENTS, 30, seed=7)
    deaths = Deaths(nodes, 15, 60)
    with connect(nodes.address) as joined:
        there = match.play(played, output=tmp_path / "ray.jsonl", cluster=joined, watch=deaths)
    here = match.play(played, processes=2)
    assert deaths.done == 2 and len(there.standings.lines) == 180
    assert untimed(there.standings.lines) == untimed(here.standings.lines) == untimed(read(tmp_path / "ray.jsonl")[1])
    assert there.header == here.header


def test_failing_agents_lose_the_same_games_on_nodes(nodes):
    bad = (("bad", f"{MISFITS}Crashes"), ("gone", f"{MISFITS}Exits"), ("random", "random"))
    played = Match(SIXES, {"num_players": 2}, bad, 4, seed=7)
    with connect(nodes.address) as joined:
        there = match.play(played, cluster=joined).standings.lines
    here = match.play(played, processes=1).standings.lines
    assert untimed(there) == untimed(here) and {line.fault.kind for line in here if line.fault} == {"crash"}


def test_an_agent_that_is_missing_on_the_nodes_is_refused(nodes, tmp_path, monkeypatch):
    (tmp_path / "here_only.py").write_text("from tests.arena.misfits import Last\n\n\nclass Mine(Last):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    played = Match(SIXES, {"num_players": 2}, (("mine", "here_only:Mine"), ("random", "random")), 2)
    with connect(nodes.address) as joined:
        with pytest.raises(ValueError, match="on the node (one|two): .*no module 'here_only'.*must be on every node"):
            match.play(played, cluster=joined)


def test_an_agent_of_another_version_is_refused(nodes, monkeypatch):
    look = NodePool.look

    def other(self):
        self._about = [dataclasses.replace(each, version="p0") for each in look(self)]
        return self._about

    monkeypatch.setattr(NodePool, "look", other)
    played = Match(SIXES, {"num_players": 2}, AGENTS[:2], 2)
    with connect(nodes.address) as joined:
        with pytest.raises(ValueError, match="Patient has version 'p1-.*' there, 'p0' here"):
            match.play(played, cluster=joined)


# ---------------------------------------------------------------- the commands
def command(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "carnegie_env", *map(str, arguments)],
        env=environment(**more), cwd=ROOT, capture_output=True, text=True, timeout=10 * TIMEOUT,
    )  # fmt: skip


def test_a_network_is_sent_to_the_nodes(nodes, tmp_path):
    (source, *_) = sorted((ROOT / "agents" / "weights").glob("carnegie*1*.safetensors"))
    given = "value:network=net.safetensors"
    (tmp_path / "net.safetensors").write_bytes(source.read_bytes())
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path)
        packed = _packed([given])
        assert [*packed] == ["net.safetensors"]
        with connect(nodes.address) as joined, cluster.Pool(joined, Reads, (packed, given)) as pool:
            versions = {version for _, version in pool.run(iter(range(6)))}
        assert versions == {make_agent(given).version}


class Reads:
    """Makes an agent from the files that were sent."""

    def __init__(self, packed, spec, slots):
        import tempfile
        from pathlib import Path

        with tempfile.TemporaryDirectory() as folder:
            self.version = make_agent(_unpacked(spec, packed, Path(folder))).version

    def do(self, task):
        return self.version


def test_without_an_address_a_local_ray_plays(tmp_path):
    some = ["--agents", "random", "--games", 4, "--players", 2, "--processes", 1]
    done = command("generate", *some, "--out", tmp_path / "ray", "--ray")
    assert done.returncode == 0, done.stderr
    assert "4 games of carnegie" in done.stdout and "games/s" in done.stderr
    assert command("generate", *some, "--out", tmp_path / "local").returncode == 0
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")


def test_ray_client_reaches_the_cluster_from_outside(nodes):
    played = Match(SIXES, {"num_players": 2}, AGENTS, 2, seed=7)
    with connect(f"ray://{nodes.client}") as joined:
        there = match.play(played, cluster=joined).standings.lines
    assert untimed(there) == untimed(match.play(played, processes=1).standings.lines)


def test_auto_is_the_cluster_of_this_machine_while_it_is_alive(nodes, tmp_path, monkeypatch):
    with connect("auto") as joined:
        assert sorted(node.name for node in joined.nodes()) == ["one", "two"]
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))  # with the note that a power cut leaves
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("127.0.0.1:1")
    with pytest.raises(ValueError, match="127.0.0.1:1: nothing answers there .*`ray stop` removes it"):
        connect("auto").__enter__()


def test_a_wrong_token_is_reported(nodes, tmp_path):
    some = ["generate", "--agents", "random", "--games", 4, "--out", tmp_path / "out"]
    done = command(*some, "--ray", nodes.address, RAY_AUTH_TOKEN="0" * 32)
    assert done.returncode != 0 and "can't join the Ray cluster at" in done.stderr and "oken" in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "out").exists()
