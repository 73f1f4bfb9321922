"""Generating datasets: the same bytes with any number of processes, killed or not; failing agents end it."""

import os
import signal
from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("pyarrow")

from carnegie_env.arena.play import OPENING
from carnegie_env.benchmark.tasks import RESERVED
from carnegie_env.core import files
from carnegie_env.datasets import Dataset
from carnegie_env.datasets import manifest as manifests
from carnegie_env.datasets.manifest import MANIFEST
from carnegie_env.datasets.writing import Writer
from carnegie_env.steel_driver.game import STEEL_DRIVER
from carnegie_env.workers import generate as generating
from carnegie_env.workers.generate import Plan
from tests.arena.misfits import MISFITS
from tests.commands import Program, is_gone
from tests.datasets.games import SIGNATURE, contents, make, manifest_of, plan, write
from tests.toy.game import SIXES


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """A fixed signature, which would otherwise need compiling, and several chunks in a shard."""
    monkeypatch.setattr(generating, "signature", lambda game: SIGNATURE)
    monkeypatch.setattr(generating, "AT_ONCE", 10)


def generate(*arguments, **more):
    """Generate in processes that don't compile, which is faster for games of Sixes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("NUMBA_DISABLE_JIT", "1")
        return generating.generate(*arguments, **more)


# ---------------------------------------------------------------- reproducible files
def test_the_number_of_processes_changes_nothing(tmp_path):
    wanted = plan("random", "Thoughtful", games=60, values=True)
    seen: list[tuple[int, int]] = []
    done = generate(wanted, tmp_path / "one", processes=1, watch=lambda *numbers: seen.append(numbers))
    generate(wanted, tmp_path / "two", processes=2)
    make(tmp_path / "here", "random", "Thoughtful", games=60, values=True)
    assert contents(tmp_path / "one") == contents(tmp_path / "two") == contents(tmp_path / "here")
    assert seen == [(number, 60) for number in (0, 10, 20, 25, 35, 45, 50, 60)] and done.is_complete
    dataset = Dataset(tmp_path / "one", game=SIXES)
    dataset.verify()
    assert [player.version for player in dataset.manifest.agents] == ["", manifest_of(wanted).agents[1].version]
    more = generate(plan("random", "Thoughtful", games=80, values=True), tmp_path / "one", processes=1)
    assert more.games == 80 and [shard.games for shard in more.shards] == [25, 25, 25, 5]
    make(tmp_path / "whole", "random", "Thoughtful", games=80, values=True)
    assert contents(tmp_path / "one") == contents(tmp_path / "whole")


def test_a_shard_depends_only_on_its_range(tmp_path):
    """Shards can be made in any order, and again."""
    made = make(tmp_path / "all")
    manifest = manifest_of(plan())
    write(tmp_path / "backwards", plan(), manifest, backwards=True)
    assert contents(made.path) == contents(tmp_path / "backwards")
    wrong = pytest.raises(ValueError, match="shard 0 must have games 0 to 24")
    with Writer(made.path, manifest, SIXES) as writer, wrong:
        writer.add(0, made.columns(1))


PROGRAM = """
    import sys, time
    from pathlib import Path
    from carnegie_env.workers import generate
    from tests.datasets.games import plan

    def watch(games, total):
        while games > 45 and not Path("may_end").exists():  # not before it is killed
            time.sleep(0.01)

    if __name__ == "__main__":
        generate.signature = lambda game: 77
        generate.AT_ONCE = 10
        games = plan("Slow", "random", games=60, shard_games=5)
        generate.generate(games, sys.argv[1], processes=2, watch=watch)
"""


def test_the_same_dataset_if_killed_at_any_moment(tmp_path):
    """The program is killed twice, a worker process once; the program continues each time, repeating no shard."""
    program, folder = Program(tmp_path, PROGRAM), tmp_path / "games"

    def shards():
        return len(list(folder.glob("games-*.parquet")))

    def workers():
        return [int(marker.name.removeprefix("process-")) for marker in tmp_path.glob("process-*")]

    for wanted in (2, 6):
        running = program.start(folder, lambda wanted=wanted: shards() >= wanted)
        running.kill()
        running.wait()
        before = {name: text for name, text in contents(folder).items() if name.endswith("parquet")}
        assert len(before) < 12
        half = Dataset(folder, game=SIXES)  # can be read at any time
        half.verify()
        assert {shard.name for shard in half.shards} <= set(before)
        assert all(map(is_gone, workers()))
    for marker in tmp_path.glob("process-*"):
        marker.unlink()
    running = program.start(folder, lambda: shards() >= 8 and workers())  # a worker begins after these shards
    os.kill(workers()[0], signal.SIGKILL)
    (tmp_path / "may_end").touch()
    assert running.wait(240) == 0 and shards() == 12
    assert all(contents(folder)[name] == text for name, text in before.items())
    program.run(tmp_path / "calm")
    assert contents(folder) == contents(tmp_path / "calm")
    dataset = Dataset(folder, game=SIXES)
    dataset.verify()
    assert [game.seed for game in dataset] == [*range(3, 63)]


def test_files_of_a_killed_writer(tmp_path):
    """A finished shard that the manifest lacks is kept, a half-written file removed, a wrong shard written again."""
    made = make(tmp_path)
    whole = contents(tmp_path)
    behind = msgspec.structs.replace(made.manifest, shards=made.shards[:1])
    (tmp_path / MANIFEST).write_bytes(manifests.encode(behind))
    (tmp_path / ".games-00002.parquet.0123456789abcdef.tmp").write_bytes(b"half")
    with Writer(tmp_path, manifest_of(plan()), SIXES) as writer:
        assert writer.missing() == [] and writer.num_games() == 60
    assert contents(tmp_path) == whole
    (tmp_path / MANIFEST).write_bytes(manifests.encode(behind))
    (tmp_path / made.shards[1].name).write_bytes(whole[made.shards[0].name])  # other games
    (tmp_path / made.shards[2].name).write_bytes(whole[made.shards[2].name][:-1])
    (tmp_path / made.shards[0].name).unlink()
    with Writer(tmp_path, manifest_of(plan()), SIXES) as writer:
        assert writer.missing() == [0, 1, 2]
    make(tmp_path)
    assert contents(tmp_path) == whole


def test_finished_games_are_kept_while_a_dataset_is_enlarged(tmp_path):
    """The last shard stays until the larger one replaces it, whatever interrupts the program in between."""
    whole = make(tmp_path / "whole")
    made = make(tmp_path / "games", games=10)
    larger = manifest_of(plan())

    def readable() -> int:
        dataset = Dataset(made.path, game=SIXES)
        dataset.verify()
        assert dataset[len(dataset) - 1].seed == 2 + len(dataset)
        return len(dataset)

    behind = msgspec.structs.replace(made.manifest, shards=())  # killed before the shard was in the manifest
    (made.path / MANIFEST).write_bytes(manifests.encode(behind))
    for manifest in (manifest_of(plan(games=20)), larger, larger):
        with Writer(made.path, manifest, SIXES) as writer:
            assert writer.missing() == [*range(manifest.num_shards)] and writer.num_games() == 0
        assert readable() == 10
    early = (made.path / MANIFEST).read_bytes()
    with Writer(made.path, larger, SIXES) as writer:
        writer.add(0, whole.columns(0))
        assert readable() == 25
    (made.path / MANIFEST).write_bytes(early)  # killed before the larger shard was in the manifest
    with Writer(made.path, larger, SIXES) as writer:
        assert writer.missing() == [1, 2] and writer.num_games() == readable() == 25
    make(made.path)
    assert contents(made.path) == contents(whole.path)


def test_an_error_while_writing_keeps_finished_shards(tmp_path, monkeypatch):
    real, calls = files.write_whole, []

    def full(path, content):
        calls.append(path)
        if Path(path).name == "games-00001.parquet":
            raise OSError(28, "No space left on device", str(path))
        real(path, content)

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left"):
        patched.setattr(files, "write_whole", full)
        make(tmp_path)
    assert sorted(contents(tmp_path)) == sorted(["games-00000.parquet", MANIFEST]) and len(calls) >= 3
    assert len(make(tmp_path)) == 60


# ---------------------------------------------------------------- errors
OTHERS = {
    "seed": (plan(seed=4), "seed 3, not 4"),
    "agents": (plan("random", "First"), "agents random, Last .*, not random, First"),
    "options": (plan(options={"rounds": 4}), "options rounds 3, not 4"),
    "shards": (plan(shard_games=30), "shard games 25, not 30"),
    "values": (plan(values=True), "values False, not True"),
    "tables": (plan(tables=((0, 1),)), r"tables None, not \(\(0, 1\),\)"),
    "games": (plan(games=50), "games 60, not 50 .*can only be increased"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_settings_are_refused_before_anything_is_played(tmp_path, name):
    made = make(tmp_path)
    before = contents(tmp_path)
    other, message = OTHERS[name]
    with pytest.raises(ValueError, match=f"is a dataset with other settings: {message}"):
        generate(other, tmp_path)
    assert contents(tmp_path) == before and len(made) == 60


def test_another_version_or_engine_is_refused(tmp_path):
    make(tmp_path, "Thoughtful", "random")
    manifest = manifest_of(plan("Thoughtful", "random"))
    other = msgspec.structs.replace(manifest.agents[0], version="v8")
    newer = msgspec.structs.replace(manifest, agents=(other, manifest.agents[1]))
    with pytest.raises(ValueError, match=r"agents Thoughtful \(v7-.*\), random, not Thoughtful \(v8\), random"):
        Writer(tmp_path, newer, SIXES)
    with pytest.raises(ValueError, match="signature 77, not 78"):
        Writer(tmp_path, msgspec.structs.replace(manifest, signature=78), SIXES)
    Writer(tmp_path, msgspec.structs.replace(manifest, versions={"python": "4"}), SIXES).__exit__()


def test_folders_with_other_files_and_locked_folders(tmp_path):
    (tmp_path / "letter.txt").write_text("Dear Andrew")
    with pytest.raises(ValueError, match=r"is not a dataset, but it is not empty: it has letter\.txt"):
        make(tmp_path)
    with Writer(tmp_path / "games", manifest_of(plan()), SIXES):
        with pytest.raises(ValueError, match="games is being written by another program"):
            Writer(tmp_path / "games", manifest_of(plan()), SIXES)


def test_another_dataset_that_has_taken_the_place_is_left_alone(tmp_path):
    folder = tmp_path / "games"
    with Writer(folder, manifest_of(plan()), SIXES) as writer:
        folder.rename(tmp_path / "moved")
        make(folder, games=30)
        before = contents(folder)
        with pytest.raises(OSError, match="another folder has taken its place"):
            writer.finish()
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Crashes", r"the game of seed \d+: Crashes failed on seat 0, after \d+ decisions \(crash\):.*out of ideas"),
        ("PlaysIllegally", r"the game of seed \d+: PlaysIllegally failed on seat 0, .*illegal action -7"),
        ("Dies", r"the game of seed \d+: Dies failed on seat 0, .*ended with exit code 7"),
        ("Babbler", r"the game of seed \d+: Babbler failed .*its values of a legal action can't be stored"),
        ("Chatterbox", r"the game of seed \d+: Chatterbox failed .*judge answered with a tuple instead of a Judgement"),
        ("Secretive", r"the game of seed \d+: Secretive failed .*its values must be an array, not a Secretive"),
        ("Fickle", "the games of the seeds 3 to 12: an agent failed when played side by side, but not .*too many"),
    ],
)
def test_a_failing_agent_is_reported_with_its_game(tmp_path, name, text):
    wanted = plan(name, "Last", games=12, values=name in ("Babbler", "Chatterbox", "Secretive"))
    with pytest.raises(ValueError, match=f"(?s){text}"):
        generate(wanted, tmp_path, processes=1)
    assert not list(tmp_path.glob("games-*"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"games": 0}, "games must be a whole number from 1"),
        ({"shard_games": 0}, "shard_games must be a whole number from 1 to 100000"),
        ({"seed": -1}, "a seed must be"),
        ({"seed": 2**64 - 5}, "a seed must be"),
        ({"seed": RESERVED.start - 5}, "are reserved for the benchmark"),
        ({"agents": (("a", "random"), ("a", "greedy"))}, "two agents are called a"),
    ],
)
def test_invalid_plans(change, message):
    arguments = {"agents": (("random", "random"),), "games": 10} | change
    with pytest.raises(ValueError, match=message):
        Plan(SIXES, {"num_players": 2}, arguments.pop("agents"), arguments.pop("games"), **arguments)


def test_the_last_game_may_have_the_largest_seed():
    assert plan(games=5, seed=2**64 - 5).games == 5


def test_games_are_played_one_by_one_if_an_agent_needs_it(tmp_path):
    done = generate(plan("First", "Last", games=3, shard_games=None), tmp_path, processes=1)
    assert (done.games_at_once, done.shard_games) == (1, 100)
    Dataset(tmp_path, game=SIXES).verify()
    again = Plan.of(msgspec.structs.replace(done, game="steel_driver"))
    assert again.agents == (("First", f"{MISFITS}First"), ("Last", f"{MISFITS}Last")) and again.games == 3


def test_the_opening_of_a_game_without_chance_is_left_out(tmp_path):
    wanted = Plan(STEEL_DRIVER, {"num_players": 3}, (("random", "random"),), 3, 8)
    manifest = generating.manifest_of(wanted, [""], True, SIGNATURE)
    assert manifest.opening == OPENING
    write(tmp_path, wanted, manifest)
    dataset = Dataset(tmp_path)
    dataset.verify()
    total = dataset.num_decisions
    assert sum(len(batch.actions) for batch in dataset.replay(64)) == total - 3 * OPENING
    assert sum(len(batch.actions) for batch in dataset.replay(64, opening=True)) == total
    first = [game.actions[:OPENING].tolist() for game in dataset]
    assert len(np.unique(first, axis=0)) > 1
