"""The command `carnegie-env`: what it prints, and messages with exit code 2 where something is wrong."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from carnegie_env import GameRecord, Options, Position, cli
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import MODULES
from carnegie_env.cli import measure
from carnegie_env.core import signature
from carnegie_env.core.facts import unprinted
from tests import walks


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    """Run the command in this process; returns what it wrote (to stderr if it must fail)."""
    assert cli.main([str(argument) for argument in arguments]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    if code:
        assert err.startswith("carnegie-env: error: ")
        return err
    assert err == ""
    return out


def process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "carnegie_env.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, timeout=300)


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 120 columns, whatever the tests run in."""
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[Path, GameRecord]:
    position = list(walks.walk({"num_players": 2}, seed=12))[-1]
    record = GameRecord.of(position)
    record.save(tmp_path / "game.txt")
    return tmp_path / "game.txt", record


# ---------------------------------------------------------------- facts, new
def test_facts_lists_all_that_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "facts")
    rows = unprinted(t.FACTS)
    assert out.startswith(f"{len(rows)} component values are not printed on the components (")
    for file, table, key, _, mark in rows:
        assert file in out
        assert re.search(rf"^  {re.escape(f'{table} {key}')} +{mark} ", out, re.MULTILINE)
    assert "starting_department human_resources workstations           reconstructed  [1, 1]" in out


def test_new(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "new").rstrip("\n") == Position.new(seed=0).render()
    arguments = ("new", "--difficulty", "expert", "--seed", 5, "--timeline-tiles", "rows", "--show-forced", "--json")
    shown = json.loads(run(capsys, *arguments))
    options = {"num_players": 1, "difficulty": "expert", "timeline_tiles": "rows", "show_forced": True}
    assert shown == Position.new(options, 5).to_dict()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--num-players", 5), "num_players must be 1 (solo) to 4"),
        (("--players", 2, "--difficulty", "expert"), "difficulty"),
        (("--difficulty", "brutal"), "difficulty"),
        (("--timeline-tiles", "circle"), "timeline_tiles must be one of columns, rows"),
        (("--seed", -1), "a seed must be a whole number"),
        (("--modules", "new_star"), "there is no module 'new_star'; there are new_start, new_departments"),
        (("--modules", ""), "there is no module ''"),
        (("--modules", "wait,all"), "there is no module 'all'"),
        (("--players", 1, "--modules", "new_start,wait"), "wait does not go with the solo game"),
        (("--difficulty", "expert", "--modules", "secret_donation"), "secret_donation does not go with the solo game"),
    ],
)
def test_wrong_options(capsys: pytest.CaptureFixture[str], arguments: tuple[object, ...], message: str) -> None:
    for command in ("new", "play", "simulate"):
        assert message in run(capsys, command, *arguments, code=2)


def test_every_option_has_its_name_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["new", "--help"])
    shown = capsys.readouterr().out
    for name in (*Options().to_dict(), "modules"):
        assert f"--{name.replace('_', '-')}" in shown
    arguments = ["new", "--num-players", 3, "--new-start", "--secret-donation", "--show-forced", "--json"]
    options = {"num_players": 3, "new_start": True, "secret_donation": True, "show_forced": True}
    assert json.loads(run(capsys, *arguments)) == Position.new(options).to_dict()
    everything = json.loads(run(capsys, "new", "--players", 1, "--modules", "all", "--json"))
    assert everything == Position.new({"num_players": 1, "modules": "all"}).to_dict()


@pytest.mark.parametrize(
    "arguments", [[], ["dance"], ["new", "--players", "two"], ["replay"], ["replay", "f", "--step", "x"]]
)
def test_wrong_arguments(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        cli.main(arguments)
    assert error.value.code == 2
    assert "usage: carnegie-env" in capsys.readouterr().err


# ---------------------------------------------------------------- other component data
def test_own_facts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    company = (t.SHIPPED / "company.toml").read_text()
    (tmp_path / "company.toml").write_text(
        company.replace("money = 12 ", "money = 17 ", 1).replace("money = 12\n", "money = 17\n", 1)
    )
    for arguments in (["--facts", tmp_path, "new", "--json"], ["new", "--json", "--facts", tmp_path]):
        done = process(*arguments, NUMBA_DISABLE_JIT="1")  # not worth compiling for other tables
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["companies"][0]["money"] == 17
    (tmp_path / "company.toml").write_text(company.replace("rows = 4", "rows = 5"))
    done = process("--facts", tmp_path, "facts")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("carnegie-env: error: ") and "company.toml: board rows: 5 is wrong" in done.stderr
    assert "loaded in this process already" in run(capsys, "--facts", tmp_path, "facts", code=2)


def test_no_facts_there(tmp_path: Path) -> None:
    done = process("facts", "--facts", tmp_path / "none")
    assert done.returncode == 2 and "no such folder or file of facts" in done.stderr and "Traceback" not in done.stderr


# ---------------------------------------------------------------- replay
def test_replay(capsys: pytest.CaptureFixture[str], recorded: tuple[Path, GameRecord]) -> None:
    file, record = recorded
    out = run(capsys, "replay", file)
    assert out.startswith(f"{file}: {len(record.actions)} decisions, seed 12, ")
    assert re.search(r"^set-up\n    1  player_0  side housing [ab]\n", out, re.MULTILINE)
    assert all(f"round {k}\n" in out for k in (1, 2, 10, 20))
    assert all(f"{k:5}  player_" in out for k in range(1, len(record.actions) + 1))
    assert out.endswith(record.replay().render() + "\n")


def test_replay_of_a_step_of_all_and_of_the_last(
    capsys: pytest.CaptureFixture[str], recorded: tuple[Path, GameRecord]
) -> None:
    file, record = recorded
    for step in (0, 7, len(record.actions)):
        assert run(capsys, "replay", file, "--step", step) == record.replay(step).render() + "\n"
    assert run(capsys, "replay", file, "--last") == record.replay().render() + "\n"
    out = run(capsys, "replay", file, "--all")
    assert out.count("CARNEGIE   2 players") == len(record.actions) + 1
    assert all(action in out for action in record.actions)


def test_replay_of_what_is_no_record(capsys: pytest.CaptureFixture[str], recorded: tuple[Path, GameRecord]) -> None:
    file, record = recorded
    assert "the record has decisions 0 to" in run(capsys, "replay", file, "--step", 10**6, code=2)
    assert f"{file.parent / 'none'}: No such file" in run(capsys, "replay", file.parent / "none", code=2)
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:30]))
    assert f"{file}:30: the file ends here" in run(capsys, "replay", file, code=2)
    at = next(k for k, line in enumerate(lines) if line.strip().startswith("3  "))
    lines[at] = "3  player_0  dance"
    file.write_text("\n".join(lines))
    assert f"{file}:{at + 1}: there is no action 'dance'" in run(capsys, "replay", file, code=2)


def test_a_reader_that_stops_is_no_error(recorded: tuple[Path, GameRecord]) -> None:
    if shutil.which("head") is None:
        pytest.skip("no head")
    command = f"{sys.executable} -m carnegie_env.cli replay {recorded[0]} --all | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=300)
    assert done.stderr == "" and done.stdout.startswith(str(recorded[0]))


# ---------------------------------------------------------------- play
def _type(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines) + "\n" if lines else ""))


def test_play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    lines = ["help", "side housing b", "s com a", "undo", "SIDE COMMERCE B", "side", "dance", "side housing a", "legal"]
    _type(monkeypatch, *lines, "score", "board", "", f"save {tmp_path / 'saved.txt'}", "save /nonexistent/x", "quit")
    out = run(capsys, "play", "--seed", 3, "--record", file)
    record = GameRecord.load(file)
    assert record.seed == 3 and record.actions == ("side housing b", "side commerce b")
    assert GameRecord.load(tmp_path / "saved.txt") == record
    for said in (
        "words may be cut short", "'side' may be 'side industry a', 'side industry b'", "there is no action 'dance'",
        "'side housing a' is not legal now", "player_0: 5\n", "/nonexistent/x: No such file or directory",
        f"recorded in {file}",
    ):  # fmt: skip
        assert said in out


def test_play_goes_on_to_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, recorded: tuple[Path, GameRecord]
) -> None:
    file, record = recorded
    half = len(record.actions) // 2
    GameRecord(record.options, record.seed, record.actions[:half]).save(file)
    _type(monkeypatch, *record.actions[half:])
    out = run(capsys, "play", "--resume", file, "--seats", "0, 1", "--record", file)
    assert GameRecord.load(file) == record
    assert "FINAL SCORE" in out


def test_play_against_chance_and_running_out_of_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _type(monkeypatch)
    out = run(capsys, "play", "--players", 3, "--seats", "2")
    assert "player_0: side housing" in out and "player_1: side public" in out and "PLAYER_2 CAN PLAY" in out
    _type(monkeypatch, "undo")
    assert "nothing to take back" in run(capsys, "play", "--difficulty", "normal")


def test_a_record_is_whole_after_every_decision(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, seen = tmp_path / "game.txt", []

    def lines() -> str:
        seen.append(GameRecord.load(file).actions)  # what a process killed here would leave
        return ("side housing b", "undo", "side housing a", "dance", "side commerce b", "quit")[len(seen) - 1]

    monkeypatch.setattr("builtins.input", lambda prompt: lines())
    run(capsys, "play", "--players", 2, "--seats", "0,1", "--seed", 3, "--record", file)
    one, other = ("side housing b",), ("side housing a",)
    assert seen == [(), one, (), other, other, (*other, "side commerce b")]
    assert os.listdir(tmp_path) == ["game.txt"]


def test_a_killed_game_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    command = [sys.executable, "-m", "carnegie_env.cli", "play", "--seed", "3", "--record", str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as game:
        assert game.stdin is not None and game.stdout is not None
        game.stdin.write("side housing b\n")
        game.stdin.flush()
        while "COMMERCE" not in game.stdout.readline().upper():
            assert game.poll() is None
        deadline = time.monotonic() + 60
        while len(GameRecord.load(file).actions) < 1 and time.monotonic() < deadline:
            time.sleep(0.02)
        game.kill()
    assert GameRecord.load(file).actions == ("side housing b",)
    done = process("replay", file)
    assert done.returncode == 0 and "side housing b" in done.stdout


def test_play_finds_out_first_that_the_record_cannot_be_written(
    capsys: pytest.CaptureFixture[str], recorded: tuple[Path, GameRecord], tmp_path: Path
) -> None:
    file, record = recorded
    before = file.read_bytes()
    said = run(capsys, "play", "--record", file, code=2)
    assert f"{file}: there is a file of that name, which stays as it is; if it is a game, --resume {file}" in said
    other = tmp_path / "other.txt"
    GameRecord(record.options, record.seed, ()).save(other)
    assert "stays as it is" in run(capsys, "play", "--record", file, "--resume", other, code=2)
    assert file.read_bytes() == before
    assert f"{tmp_path}/no/x: No such file or directory" in run(capsys, "play", "--record", tmp_path / "no/x", code=2)
    assert f"{tmp_path}: there is a file of that name" in run(capsys, "play", "--record", tmp_path, code=2)
    assert "not a regular file" in run(capsys, "play", "--record", "/dev/null", code=2)
    assert sorted(os.listdir(tmp_path)) == ["game.txt", "other.txt"]


def test_play_on_a_full_disk(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, other, full = tmp_path / "game.txt", tmp_path / "other.txt", []
    replace = os.replace

    def renamed(source: object, target: Path) -> None:
        if full and target.name == "game.txt":
            raise OSError(errno.ENOSPC, "No space left on device", str(source))
        replace(source, target)  # type: ignore[arg-type]

    def lines(*given: object):
        """The lines of a person; True fills the disk, False makes room."""
        for line in given:
            if isinstance(line, bool):
                full[:] = [line] * line
            else:
                yield line

    def play(*given: object, code: int = 0) -> str:
        full.clear()
        file.unlink(missing_ok=True)
        said = lines(*given)

        def answer(prompt: str) -> str:
            try:
                return next(said)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        return run(capsys, "play", "--players", 2, "--seats", "0,1", "--seed", 3, "--record", file, code=code)

    monkeypatch.setattr(os, "replace", renamed)
    both = ("side housing b", "side commerce b")
    out = play(both[0], True, both[1], False, "side industry a", "quit")
    assert f"{file} can't be written: No space left on device; tried again as the game goes" in out
    assert f"{file} is written again" in out and GameRecord.load(file).actions == (*both, "side industry a")
    out = play(both[0], True, both[1], "quit", "", False, "")
    assert out.count("Enter tries again") == 2 and GameRecord.load(file).actions == both
    play(both[0], True, both[1], "quit", str(other))
    assert GameRecord.load(other).actions == both and GameRecord.load(file).actions == both[:1]
    assert f"{file}: No space left on device" in play(both[0], True, both[1], code=2)
    assert GameRecord.load(file).actions == both[:1]
    assert sorted(os.listdir(tmp_path)) == ["game.txt", "other.txt"]


def test_save_writes_over_records_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    letter, game = tmp_path / "letter.txt", tmp_path / "game.txt"
    letter.write_text("Dear Andrew")
    _type(monkeypatch, f"save {game}", "side housing b", f"save {game}", f"save {letter}", f"save {tmp_path}", "quit")
    out = run(capsys, "play", "--seed", 3)
    assert GameRecord.load(game).actions == ("side housing b",)
    assert letter.read_text() == "Dear Andrew" and f"{letter} is there and is no game record" in out
    assert f"{tmp_path}: Is a directory" in out


@pytest.mark.parametrize("seats", ["2", "-1", "x", "", "0,,1"])
def test_play_at_seats_that_are_none(capsys: pytest.CaptureFixture[str], seats: str) -> None:
    assert "the seats are whole numbers from 0 to 1" in run(capsys, "play", f"--seats={seats}", code=2)


# ---------------------------------------------------------------- simulate, bench
@pytest.mark.parametrize("mode", [("--players", 3), ("--difficulty", "expert")])
def test_simulate(capsys: pytest.CaptureFixture[str], mode: tuple[object, ...]) -> None:
    out = run(capsys, "simulate", "--games", 40, "--seed", 2, *mode)
    assert out.startswith(f"40 random games, {'3 players' if 3 in mode else 'solo, expert'}, seed 2: ")
    for word in (
        *t.DEPARTMENTS[1 : t.BASE_TILES + 1],
        *t.DONATIONS,
        "decisions a game: mean",
        "lift inactive",
        "player_0",
    ):
        assert word in out
    assert ("player_2" in out) == (3 in mode) and ("andrew" in out) == (3 not in mode)
    assert run(capsys, "simulate", "--games", 40, "--seed", 2, *mode).split("\n")[1:] == out.split("\n")[1:]
    assert "--games must be 1 or more" in run(capsys, "simulate", "--games", 0, code=2)


def test_new_with_modules(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, mode, modules in (
        (("--players", 4, "--modules", "all"), {"num_players": 4}, MODULES),
        (("--modules", "wait, new_start"), {"num_players": 2}, ("wait", "new_start")),
        (("--difficulty", "expert", "--modules", "all"), {"num_players": 1, "difficulty": "expert"},
         ("new_start", "new_departments", "diverse_setup")),
    ):  # fmt: skip
        shown = json.loads(run(capsys, "new", "--seed", 4, "--json", *arguments))
        assert shown == Position.new(mode | dict.fromkeys(modules, True), 4).to_dict()


@pytest.mark.parametrize("mode", [("--players", 4), ("--difficulty", "expert")])
def test_simulate_with_all_modules(capsys: pytest.CaptureFixture[str], mode: tuple[object, ...]) -> None:
    out = run(capsys, "simulate", "--games", 50, "--seed", 2, "--modules", "all", *mode)
    several = "--players" in mode
    assert out.startswith(f"50 random games, {'4 players' if several else 'solo, expert'}, new_start, new_departments")
    for word in (*t.DEPARTMENTS[1 : t.NUM_TILES + 1], *t.DONATIONS, "sheet"):
        assert word in out
    for word in (*t.NEW_DONATIONS, "secret donations: VP per player and game", "player_3", "bid", "panel"):
        assert (word in out) == several, word
    again = run(capsys, "simulate", "--games", 50, "--seed", 2, "--modules", "all", *mode)
    assert again.split("\n")[1:] == out.split("\n")[1:]


def test_play_with_modules(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "game.txt"
    _type(monkeypatch, "sheet goods 4", "sheet em 5", "sheet points 0", "sheet moves 6", "bid 3", "quit")
    out = run(capsys, "play", "--modules", "new_start", "--players", 2, "--record", file)
    assert "goods on the sheet: 2 for $6" in out and "player_1: goes on with his sheet" in out
    assert "player_1: sheet" not in out and "player_1: bid" not in out  # sealed (ruling 40)
    record = GameRecord.load(file)
    assert record.options.modules == ("new_start",) and record.actions[4] == "bid 3"
    assert "new_start" in run(capsys, "replay", file, "--last")


def test_bench_prints_speed_and_a_signature_that_stays(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "BENCH_GAMES", 200)
    monkeypatch.setattr(signature, "SIGNED_GAMES", 5)
    first, second = (run(capsys, "bench").splitlines() for _ in range(2))
    assert len(first) == 2 and re.fullmatch(r"\d+ decisions/s", first[0]) and re.fullmatch(r"signature \d+", first[1])
    assert first[1] == second[1]
    monkeypatch.setattr(signature, "SIGNED_GAMES", 6)
    assert run(capsys, "bench").splitlines()[1] != first[1]


def test_the_module_is_the_command() -> None:
    done = process("--help")
    assert done.returncode == 0
    for name in ("facts", "new", "play", "replay", "simulate", "bench"):
        assert re.search(rf"^    {name} ", done.stdout, re.MULTILINE)
