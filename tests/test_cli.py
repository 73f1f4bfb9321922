"""The command `carnegie-env`: its output, and its error messages with exit code 2."""

import errno
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import carnegie_env
from carnegie_env import GameRecord, Options, Position, cli, collection, make_agent
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import MODULES
from carnegie_env.cli import measure, opponents, play
from carnegie_env.core import signature
from carnegie_env.core.facts import unprinted
from tests import players
from tests.commands import completed, refused, run
from tests.toy.game import SIXES

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
process = partial(completed, "-m", "carnegie_env")


@pytest.fixture(autouse=True)
def terminal(monkeypatch: Patch) -> None:
    """A terminal of 120 columns, without messages about compiling."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("CARNEGIE_ENV_QUIET", "1")


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[Path, GameRecord]:
    record = players.record_of({"num_players": 2}, 12)
    record.save(tmp_path / "game.txt")
    return tmp_path / "game.txt", record


@pytest.mark.parametrize(
    ("command", "players"), [("arena", "one for each agent"), ("generate", "one for each agent"), ("new", "2")]
)
def test_the_help_names_the_number_of_players(capsys: Capture, command: str, players: str) -> None:
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    assert f"1 (solo against Andrew) to 4 (default: {players})" in " ".join(capsys.readouterr().out.split())


# ---------------------------------------------------------------- facts, new
def test_facts_lists_values_that_are_not_printed(capsys: Capture) -> None:
    out = run(capsys, "facts")
    rows = unprinted(t.FACTS)
    assert out.startswith(f"{len(rows)} component values are not printed on the components (")
    for file, table, key, _, mark in rows:
        assert file in out
        assert re.search(rf"^  {re.escape(f'{table} {key}')} +{mark} ", out, re.MULTILINE)
    assert "starting_department human_resources workstations           reconstructed  [1, 1]" in out


def test_new(capsys: Capture) -> None:
    assert run(capsys, "new").rstrip("\n") == Position.new(seed=0).render()
    with pytest.raises(SystemExit):
        cli.main(["new", "--help"])
    shown = capsys.readouterr().out
    assert all(f"--{name.replace('_', '-')}" in shown for name in (*Options().to_dict(), "modules"))


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ("--difficulty expert --timeline-tiles rows", {"difficulty": "expert", "timeline_tiles": "rows"}),
        ("--num-players 3 --new-start --secret-donation --show-forced",
         {"num_players": 3, "new_start": True, "secret_donation": True, "show_forced": True}),
        ("--players 1 --modules all", {"modules": "all"}),
        ("--players 4 --modules all", {"num_players": 4} | dict.fromkeys(MODULES, True)),
        ("--players 2 --modules 'wait, new_start'", {"num_players": 2, "wait": True, "new_start": True}),
    ],
)  # fmt: skip
def test_options_of_the_game(capsys: Capture, arguments: str, options: dict[str, Any]) -> None:
    shown = json.loads(run(capsys, "new", "--json", "--seed", 5, *shlex.split(arguments)))
    assert shown == Position.new({"num_players": 1, **options}, 5).to_dict()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--num-players", 5), "num_players must be a whole number from 1 to 4"),
        *((words, "difficulty") for words in (("--players", 2, "--difficulty", "expert"), ("--difficulty", "brutal"))),
        (("--timeline-tiles", "circle"), "timeline_tiles must be one of columns, rows"),
        (("--seed", -1), "a seed must be a whole number"),
        (("--modules", "new_star"), "there is no module 'new_star'; there are new_start, new_departments"),
        (("--modules", ""), "there is no module ''"),
        (("--facts", ""), "--facts must name a folder or a .toml file, not ''"),
        (("--modules", "wait,all"), "all stands by itself"),
        (("--players", 1, "--modules", "new_start,wait"), "wait is not available in the solo game"),
        (("--difficulty", "expert", "--modules", "secret_donation"), "secret_donation is not available in the solo"),
    ],
)
def test_wrong_options(capsys: Capture, arguments: tuple[object, ...], message: str) -> None:
    for command in ("new", "play", "simulate"):
        assert message in run(capsys, command, *arguments, code=2)


def test_without_arguments_it_says_what_to_do_first(capsys: Capture) -> None:
    out = run(capsys)
    assert re.search(r"^  carnegie-env play  ", out, re.MULTILINE) and "All commands: about, facts, new, play" in out
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0 and capsys.readouterr().out == f"carnegie_env {carnegie_env.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("dance", "invalid choice: 'dance'"),
        ("new --players two", "invalid int value: 'two'"),
        ("replay", "the following arguments are required: FILE"),
        ("pley", "; did you mean play?"),
        ("play --palyers 3", "; did you mean --players?"),
        ("new --game steel_drive", "; did you mean steel_driver?"),
        ("simulate --gmaes=3", "; did you mean --games?"),
    ],
)
def test_wrong_arguments(capsys: Capture, arguments: str, said: str) -> None:
    err = refused(capsys, cli.main, arguments.split())
    assert err.startswith("usage: carnegie-env") and said in err.splitlines()[-1]


def test_completion(capsys: Capture) -> None:
    pytest.importorskip("shtab")
    with pytest.raises(SystemExit) as end:
        cli.main(["--print-completion", "bash"])
    out = capsys.readouterr().out
    assert end.value.code == 0 and "export-minari" in out and "--secret-donation" in out
    assert subprocess.run(["bash", "-n"], input=out, text=True).returncode == 0
    assert "the shells are bash" in refused(capsys, cli.main, ["--print-completion", "sh"])


def test_training_without_its_programs_says_where_they_are(capsys: Capture, monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "training.job", None)
    assert "the training programs are in the repository" in run(capsys, "train", "value", code=2)
    monkeypatch.setitem(sys.modules, "training.job", sys)
    monkeypatch.setitem(sys.modules, "training.ppo", None)
    assert "pip install -e '.[train]'" in run(capsys, "train", "ppo", code=2)


@pytest.mark.parametrize(
    "arguments", ("train value --minutes 1", "train value --game steel_driver", "--game steel_driver train value")
)
def test_the_game_reaches_the_training(capsys: Capture, monkeypatch: Patch, arguments: str) -> None:
    monkeypatch.setitem(sys.modules, "training.job", sys)
    monkeypatch.setitem(sys.modules, "training.value", SimpleNamespace(main=print))
    assert ("'--game', 'steel_driver'" in run(capsys, *arguments.split())) == ("steel_driver" in arguments)


def test_ppo_refuses_another_game(capsys: Capture) -> None:
    said = run(capsys, "--game", "steel_driver", "train", "ppo", code=2)
    assert "carnegie-env train value --game steel_driver" in said


def test_ctrl_c_reaches_other_programs_that_import_the_package(tmp_path: Path) -> None:
    """A package that registers environments imports this one while `python -m` looks for its module."""
    (tmp_path / "games").mkdir()
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); import carnegie_env"
    (tmp_path / "games" / "__init__.py").write_text(code)
    (tmp_path / "games" / "train.py").write_text("import signal; print(signal.getsignal(signal.SIGINT).__name__)")
    done = completed("-m", "games.train", PYTHONPATH=f"{tmp_path}:{os.environ['PYTHONPATH']}")
    assert done.stdout == "default_int_handler\n", done.stderr


@pytest.mark.parametrize(
    ("arguments", "seconds"), [(["facts"], 0.2), (["arena", "--agents", "random", "--players", "2"], 2)]
)
def test_ctrl_c_ends_a_command_without_a_traceback(arguments: list[str], seconds: float, tmp_path: Path) -> None:
    command, said = [sys.executable, "-X", "importtime", "-m", "carnegie_env", *arguments], tmp_path / "stderr"
    with said.open("w") as err, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, text=True, cwd=tmp_path,
                          env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
                          preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL)) as running:  # fmt: skip
        until = time.monotonic() + 60
        while "gymnasium" not in said.read_text() and time.monotonic() < until:  # until then Python prints one
            time.sleep(0.01)
        time.sleep(seconds)
        begun = time.monotonic()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert "Traceback" not in said.read_text() and running.returncode in (0, 130, -signal.SIGINT)
    assert time.monotonic() - begun < 30  # at once on an idle machine


def test_ctrl_c_in_a_match_says_what_is_kept(capsys: Capture, monkeypatch: Patch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("carnegie_env.arena.match.play", interrupted)
    assert cli.main(["arena", "--agents", "random", "--players", "2"]) == 130
    assert capsys.readouterr().err == "\nInterrupted. No game is kept; --output FILE keeps them.\n"


# ---------------------------------------------------------------- other component data
def test_other_facts(tmp_path: Path, capsys: Capture) -> None:
    company = (t.SHIPPED / "company.toml").read_text()
    (tmp_path / "company.toml").write_text(
        company.replace("money = 12 ", "money = 17 ", 1).replace("money = 12\n", "money = 17\n", 1)
    )
    for arguments in (["--facts", tmp_path, "new", "--json"], ["new", "--json", "--facts", tmp_path]):
        done = process(*arguments, NUMBA_DISABLE_JIT="1")  # these tables are not worth compiling
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["companies"][0]["money"] == 17
    (tmp_path / "company.toml").write_text(company.replace("rows = 4", "rows = 5"))
    done = process("--facts", tmp_path, "facts")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("carnegie-env: error: ") and "company.toml: board rows: 5 is wrong" in done.stderr
    assert "has already loaded the component tables" in run(capsys, "--facts", tmp_path, "facts", code=2)


# ---------------------------------------------------------------- replay
def test_replay(capsys: Capture, recorded: tuple[Path, GameRecord]) -> None:
    file, record = recorded
    out = run(capsys, "replay", file)
    assert out.startswith(f"{file}: {len(record.actions)} decisions, seed 12, ")
    assert re.search(r"^set-up\n    1  player_0  side housing [ab]\n", out, re.MULTILINE)
    assert all(f"round {k}\n" in out for k in (1, 2, 10, 20))
    assert all(f"{k:5}  player_" in out for k in range(1, len(record.actions) + 1))
    assert out.endswith(record.replay().render() + "\n")


def test_replay_of_one_step_of_all_and_of_the_last(capsys: Capture, recorded: tuple[Path, GameRecord]) -> None:
    file, record = recorded
    for step in (0, 7, len(record.actions)):
        assert run(capsys, "replay", file, "--step", step) == record.replay(step).render() + "\n"
    assert run(capsys, "replay", file, "--last") == record.replay().render() + "\n"
    out = run(capsys, "replay", file, "--all")
    assert out.count("CARNEGIE   2 players") == len(record.actions) + 1
    assert all(action in out for action in record.actions)


def test_replay_refuses_damaged_records(capsys: Capture, recorded: tuple[Path, GameRecord]) -> None:
    file, record = recorded
    assert "--step must be a whole number from 0 to" in run(capsys, "replay", file, "--step", 10**6, code=2)
    assert f"{file.parent / 'none'}: No such file" in run(capsys, "replay", file.parent / "none", code=2)
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:30]))
    assert f"{file}:30: the file ends here" in run(capsys, "replay", file, code=2)
    at = next(k for k, line in enumerate(lines) if line.strip().startswith("3  "))
    lines[at] = "3  player_0  dance"
    file.write_text("\n".join(lines))
    assert f"{file}:{at + 1}: there is no action 'dance'" in run(capsys, "replay", file, code=2)


@pytest.mark.parametrize("arguments", ["", "--print-completion bash"])
def test_a_pipe_that_nobody_reads_is_not_an_error(arguments: str) -> None:
    command = f"{sys.executable} -m carnegie_env {arguments} | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=300)
    assert done.stderr == ""


@pytest.mark.skipif(shutil.which("head") is None, reason="needs head")
def test_a_closed_pipe_is_not_an_error(recorded: tuple[Path, GameRecord]) -> None:
    command = f"{sys.executable} -m carnegie_env replay {recorded[0]} --all | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=300)
    assert done.stderr == "" and done.stdout.startswith(str(recorded[0]))


# ---------------------------------------------------------------- play
class Person:
    """Plays in a terminal: `person(lines or a function of the position, *arguments)` returns the output.

    Attributes:
        seen: the positions at which the last game asked for an action.
    """

    def __init__(self, capsys: Capture, monkeypatch: Patch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch
        self.seen: list[Position] = []

    def __call__(self, answer: Any, *arguments: object, code: int = 0) -> str:
        tables: list[Any] = []
        set_up, lines = play._Table.__init__, None if callable(answer) else iter(answer)
        self.seen = []

        def remember(table: Any, *given: Any) -> None:
            set_up(table, *given)
            tables.append(table)

        def typed(prompt: str) -> str:
            self.seen.append(tables[-1].position.copy())
            try:
                return answer(self.seen[-1]) if lines is None else next(lines)
            except StopIteration:
                raise EOFError from None

        with self._monkeypatch.context() as patch:
            patch.setattr(play._Table, "__init__", remember)
            patch.setattr("builtins.input", typed)
            assert cli.main(["play", *map(str, arguments)]) == code
        out, err = self._capsys.readouterr()
        assert err.splitlines()[-1].startswith("carnegie-env: error: ") if code else err == ""
        return err or out


@pytest.fixture
def person(capsys: Capture, monkeypatch: Patch) -> Person:
    return Person(capsys, monkeypatch)


def _log(out: str) -> str:
    """The output with each line of the log unwrapped."""
    return re.sub(r"\n    (?=\S)", " ", out)


def test_play(person: Person, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    saves = f"save {tmp_path / 'saved.txt'}", f"save {tmp_path / 'nowhere' / 'x'}"
    lines = ["help", "side housing b", "s com a", "undo", "SIDE COMMERCE B", "side", "dance", "side housing a", "legal"]
    out = person([*lines, "score", "board", "", *saves, "quit"], "--seed", 3, "--record", file)
    record = GameRecord.load(file)
    assert record.seed == 3 and record.actions == ("side housing b", "side commerce b")
    assert GameRecord.load(tmp_path / "saved.txt") == record
    for said in (
        "Words can be shortened", "'side' matches 'side industry a', 'side industry b'", "there is no action 'dance'",
        "'side housing a' is not legal now", "player_0: 5\n", "/nowhere/x: No such file or directory",
        f"recorded in {file}",
    ):  # fmt: skip
        assert said in out


@pytest.mark.parametrize("name", ["carnegie", "steel_driver"])
def test_the_help_shows_an_action_of_the_game(name: str) -> None:
    game = collection.find(name)
    short, action = re.findall("`(.*?)`", play._help(game).splitlines()[0])
    assert action in game.texts and len(short) < len(action) and play._shortens(short, action)


def test_play_resumes_a_record_and_plays_to_the_end(person: Person, recorded: tuple[Path, GameRecord]) -> None:
    file, record = recorded
    half = len(record.actions) // 2
    GameRecord(record.options, record.seed, record.actions[:half]).save(file)
    out = person(record.actions[half:], "--resume", file, "--seats", "0, 1", "--record", file)
    assert GameRecord.load(file) == record
    assert "FINAL SCORE" in out


def test_play_against_the_usual_agents_until_the_input_ends(person: Person) -> None:
    out = person([], "--players", 3, "--seats", "2")
    assert "player_0 is level:5, player_1 is level:5" in out
    assert re.search(
        r"^player_0: housing tab, side [AB], commerce tab, side [AB], industry tab, side [AB], pub", out, re.M
    )
    assert "player_1: housing tab, side" in out and "PLAYER_2 CAN PLAY" in out
    assert "you have not taken an action yet" in person(["undo"], "--difficulty", "normal")


def test_ctrl_d_ends_the_questions_about_the_table(capsys: Capture, monkeypatch: Patch) -> None:
    answers = iter(["steel", "4"])

    def typed(prompt: str) -> str:
        if (line := next(answers, None)) is None:
            raise EOFError
        return line

    monkeypatch.setattr("builtins.input", typed)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    assert "Opponents: random, " in run(capsys, "play")


def test_agents_at_the_other_seats(person: Person, tmp_path: Path) -> None:
    """Every decision is in the record and in the log, with its seat. Other agents can continue the game."""
    file, typed = tmp_path / "game.txt", []

    def answer(position: Position) -> str:
        typed.append(position.legal_actions()[-1] if position.round < 4 else "quit")
        return typed[-1]

    arguments = ("--players", 3, "--seats", 1, "--seed", 4, "--record", file, "--hints", "greedy")
    out = _log(person(answer, *arguments, "--against", "greedy", "random"))
    assert "player_0 is greedy, player_2 is random" in out
    positions = list(GameRecord.load(file).positions())
    decisions = [(p.to_play, a) for p, a in zip(positions, GameRecord.load(file).actions, strict=False)]
    wordings = [p.game.wording(p.record, p.number(a)) for p, (_, a) in zip(positions, decisions, strict=False)]
    assert [action for seat, action in decisions if seat == 1] == typed[:-1]
    greedy = make_agent("greedy", 4)
    for position, (seat, action) in zip(positions, decisions, strict=False):
        if seat == 0:
            assert position.number(action) == greedy.act(position)
    for seat in (0, 2):
        lines = [line for line in out.splitlines() if line.startswith(f"player_{seat}: ")]
        said = re.sub(r" \([^)]*\)", "", ", ".join(line.partition(": ")[2] for line in lines))
        counted = " ".join(words for (decider, _), words in zip(decisions, wordings, strict=True) if decider == seat)
        assert re.findall(r"\w+", said)[:20] == re.findall(r"\w+", counted)[:20]
    assert "event: " in out and "round 3: player_2 is first player" in out and re.search(r"\(\$\d+ -> \$\d+", out)
    same = f"play --resume {file} --record {file} --seats 1 --against greedy random --hints greedy"
    assert out.splitlines()[-1] == f"recorded in {file}; continue with: carnegie-env {same}"
    out = person(answer, "--resume", file, "--record", file, "--seats", 1, "--against", "random")
    assert "player_0 is random, player_2 is random" in out and f"recorded in {file}" in out


def test_undo_also_takes_back_the_agents_decisions(person: Person, tmp_path: Path) -> None:
    file, seen = tmp_path / "game.txt", []

    def answer(position: Position) -> str:
        seen.append((position.copy(), GameRecord.load(file).actions))
        return {5: "undo", 6: "undo", 7: "undo", 9: "quit"}.get(len(seen), position.legal_actions()[0])

    out = person(answer, "--seed", 3, "--record", file)
    assert [seen[k][0] for k in (5, 6, 7)] == [seen[k][0] for k in (3, 2, 1)]
    assert [seen[k][1] for k in (5, 6, 7)] == [seen[k][1] for k in (3, 2, 1)]
    assert len(seen[4][1]) > 4 + 4  # player_1 has chosen sides and a city in between
    first = seen[3][0].legal_actions()[0]
    assert f"taken back: {first}, and {len(seen[4][1]) - 4} later decisions" in out
    assert f"taken back: {seen[2][0].legal_actions()[0]}\n" in out


@pytest.mark.parametrize("command", [["play", "--resume"], ["replay"], ["review"]])
def test_a_record_of_another_game_than_the_named_one(
    capsys: Capture, recorded: tuple[Path, GameRecord], command: list[str]
) -> None:
    said = run(capsys, *command, recorded[0], "--game", "steel_driver", code=2)
    assert "this is a game of carnegie, not of steel_driver; omit --game" in said


def test_one_decision(capsys: Capture, recorded: tuple[Path, GameRecord]) -> None:
    file, record = recorded
    GameRecord(record.options, record.seed, record.actions[:1]).save(file)
    assert f"{file}: 1 decision, seed" in run(capsys, "replay", file)


def test_undo_in_a_resumed_game(person: Person, recorded: tuple[Path, GameRecord]) -> None:
    file, record = recorded
    *own, now = [k for k, position in enumerate(record.positions()) if position.to_play == 1][:6]
    GameRecord(record.options, record.seed, record.actions[:now]).save(file)
    out = person(["undo"] * 6 + ["quit"], "--resume", file, "--seats", "1", "--against", "random")
    assert [len(position.history or []) for position in person.seen] == [now, *own[::-1], own[0]]
    assert out.count("taken back: ") == 5 and "you have not taken an action yet" in out
    deciders = [position.to_play for position in record.positions()]
    now = next(k for k in range(3, len(deciders)) if deciders[k - 2 : k + 1] == [1, 0, 1])
    GameRecord(record.options, record.seed, record.actions[:now]).save(file)
    out = person(["undo", "quit"], "--resume", file, "--seats", "1", "--against", "random")
    assert f"taken back: {record.actions[now - 2]}, and 1 later decision\n" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("play --players 1 --against greedy", "agents can't play in the solo game, the opponent is andrew"),
        ("play --against greedy random", "--against greedy random: name one agent, not 2"),
        ("play --players 4 --against greedy random", "one agent for all other seats, or 3 agents, not 2"),
        ("play --seats 0,1 --against greedy", "you play all seats"),
        ("play --against nobody", "unknown agent 'nobody'"),
        ("play --hints nobody", "unknown agent 'nobody'"),
        *((f"play --seats={n}", "--seats must be whole numbers from 0 to 1") for n in ("2", "-1", "x", "", "0,,1")),
        ("play --players 2 --seats 0,0", "--seats names seat 0 twice"),
        ("serve --allow nope", "--allow nope: there is no such agent; the agents are random"),
        ("serve --allow ppo:nowhere", "--allow ppo:nowhere: no trained model at nowhere"),
        ("serve --allow search:zzz=1", "--allow search:zzz=1: "),
        ("serve --data ''", "--data must name a file or a folder, not an empty text"),
        ("serve --data /proc/self/games/", "--data PATH saves the games elsewhere"),
        ("simulate --games 0", "--games must be a whole number of 1 or more, not 0"),
        ("play --resume game.txt --players 3", "--resume continues the game with the options in the file"),
        *((f"{command} ''", "error: '': ") for command in ("replay", "play --resume", "play --record")),
    ],
)
def test_wrong_values_are_refused(capsys: Capture, arguments: str, message: str) -> None:
    assert message in run(capsys, *shlex.split(arguments), code=2)


class Failing:
    """An agent with a given answer."""

    name = "failing"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def check_plays(self, game: Any, options: Any) -> None:
        pass

    def act(self, position: Position) -> Any:
        return self.answer() if callable(self.answer) else self.answer

    def rate(self, position: Position) -> Any:
        return self.act(position)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda: 1 // 0, "player_1, failing: ZeroDivisionError"),
        (0, "player_1, failing: action 0 (pass) is not legal now"),
        (None, "player_1, failing: an action must be a text or a whole number, not None"),
    ],
    ids=["raises", "illegal", "nothing"],
)
def test_an_agent_that_fails_ends_the_game_but_keeps_its_record(
    person: Person, monkeypatch: Patch, tmp_path: Path, answer: Any, message: str
) -> None:
    file = tmp_path / "game.txt"
    monkeypatch.setattr(opponents, "make_agent", lambda name, seed: Failing(answer))
    lines = ["side housing a", "side commerce a", "side industry a", "side public a", "?best"]
    assert message in person(lines, "--record", file, "--against", "failing", code=2)
    assert len(GameRecord.load(file).actions) == 4


# ---------------------------------------------------------------- hints
def test_hints(person: Person, monkeypatch: Patch) -> None:
    lines = ["?best", "side housing b", "best", "quit"]
    out = person(lines, "--difficulty", "expert", "--seed", 3, "--hints", "greedy")
    for position in (person.seen[0], person.seen[2]):
        ratings = make_agent("greedy", 3).rate(position)
        assert ratings is not None
        for number, value in ratings:
            assert f"\n  {value:+7.1f}  {position.game.texts[number]}\n" in out
    assert out.count("greedy expects these margins over the best opponent, in VP:") == 2
    assert person.seen[0] == person.seen[1]

    def answer(position: Position) -> str:
        many = len(position.legal_actions()) > 5
        return position.legal_actions()[0] if not many else "quit" if position == person.seen[-2] else "?best"

    def make(name: str, seed: int) -> Any:
        return make_agent("greedy" if name == "search" else name, seed)

    monkeypatch.setattr(opponents, "make_agent", make)  # by default search gives hints
    out = person(answer, "--seed", 3)
    ratings = make_agent("greedy", 3).rate(person.seen[-1])
    assert ratings is not None and f"  and {len(ratings) - 5} more" in out and "search expects these margins" in out
    assert len(re.findall(r"^  +[+-]\d+\.\d  build ", out, re.MULTILINE)) == 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--hints", "random"), "no hints: random does not rate actions; choose another agent with --hints AGENT"),
        (("--hints", "failing"), "no hints: ZeroDivisionError"),
        (("--against", "random"), "no hints: no agent rates actions"),
    ],
)
def test_no_hints(capsys: Capture, monkeypatch: Patch, arguments: tuple[str, ...], said: str) -> None:
    """The game continues."""

    def make(name: str, seed: int) -> Any:
        return Failing(lambda: 1 // 0) if name in ("failing", "search", "greedy") else make_agent(name, seed)

    lines = iter(["?best", "side housing b", "quit"])
    monkeypatch.setattr(opponents, "make_agent", make)
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    assert cli.main(["play", *arguments]) == 0
    assert said in capsys.readouterr().out


def test_agents_and_hints_do_not_see_hidden_information(person: Person, monkeypatch: Patch) -> None:
    """They get positions that look the same to the seat, with the deck and secret donations redrawn."""
    shown: list[tuple[Any, Position]] = []

    class Watching(Failing):
        def act(self, position: Position) -> Any:
            shown.append((None, position.copy()))
            return position.legal_numbers()[0]

        def rate(self, position: Position) -> Any:
            shown.append((person.seen[-1], position.copy()))
            return [(int(number), 0.0) for number in position.legal_numbers()]

    def answer(position: Position) -> str:
        asked = person.seen[-2:-1] == [position]
        return "quit" if position.round > 2 else position.legal_actions()[0] if asked else "?best"

    monkeypatch.setattr(opponents, "make_agent", lambda name, seed: Watching(None))
    for arguments in (("--difficulty", "expert"), ("--players", 2, "--secret-donation", "--against", "watching")):
        shown.clear()
        person(answer, "--hints", "watching", *arguments)
        asked = [(position, copy) for position, copy in shown if position is not None]
        for position, copy in asked:
            assert (copy.observe() == position.observe()).all()
            assert copy.legal_actions() == position.legal_actions() and copy.to_play == position.to_play
            assert (copy.record.rng != position.record.rng) and copy.history is None
        field = "deck" if "expert" in arguments else "secret"
        assert any((copy.record[field] != position.record[field]).any() for position, copy in asked)
        assert field == "deck" or len(shown) > len(asked)  # the opponent was also asked


def test_scores_do_not_reveal_secret_donations(person: Person) -> None:
    def answer(position: Position) -> str:
        if position.round < 6:
            return position.legal_actions()[0]
        return "quit" if person.seen[-2] == position else "score"

    out, asked = person(answer, "--secret-donation", "--seed", 8), person.seen[-1]
    found = re.search(r"player_1: (-?\d+) to (-?\d+), depending on hidden information", out)
    assert found is not None and int(found[1]) <= asked.scores()[1] <= int(found[2])
    assert f"player_0: {asked.scores()[0]}\n" in out


# ---------------------------------------------------------------- agents in a process with compiled rules
def test_agents_run_in_another_process(tmp_path: Path) -> None:
    """They play the same actions and give hints."""
    file = tmp_path / "game.txt"
    lines = ["side housing a", "side commerce a", "side industry a", "?best", "side public a", "quit"]
    arguments = ("play", "--seed", 3, "--record", file, "--hints", "greedy", "--against")
    done = process(*arguments, "greedy", typed="\n".join(lines))
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert "greedy expects these margins" in done.stdout and "player_1: housing tab, side" in _log(done.stdout)
    record, greedy = GameRecord.load(file), make_agent("greedy", 4)
    for position, action in zip(record.positions(), record.actions, strict=False):
        if position.to_play == 1:
            assert position.number(action) == greedy.act(position)
    done = process(*arguments, "nobody")
    assert done.returncode == 2 and done.stderr.startswith("carnegie-env: error: unknown agent 'nobody'")


def test_the_process_with_the_agents() -> None:
    agents = opponents.CompiledAgents()
    position = Position.new(seed=3)
    try:
        with pytest.raises(ValueError, match="greedy does not play sixes"):
            agents.ask("check", "greedy", 1, SIXES.position_class.new())
        agents.warm_up("nobody", position)
        assert agents.ask("rate", "random", 1, position) is None
        agents._process._process.kill()
        agents._process._process.join()
        with pytest.raises(ValueError, match="the process with the agents has ended"):
            agents.ask("act", "random", 1, position)
    finally:
        agents.close()


def test_a_record_is_complete_after_every_decision(person: Person, tmp_path: Path) -> None:
    file, seen = tmp_path / "game.txt", []

    def answer(position: Position) -> str:
        seen.append(GameRecord.load(file).actions)  # a process killed here would leave this
        return ("side housing b", "undo", "side housing a", "dance", "side commerce b", "quit")[len(seen) - 1]

    person(answer, "--players", 2, "--seats", "0,1", "--seed", 3, "--record", file)
    one, other = ("side housing b",), ("side housing a",)
    assert seen == [(), one, (), other, other, (*other, "side commerce b")]
    assert os.listdir(tmp_path) == ["game.txt"]


def test_play_checks_first_whether_the_record_can_be_written(
    capsys: Capture, recorded: tuple[Path, GameRecord], tmp_path: Path
) -> None:
    file, record = recorded
    before = file.read_bytes()
    said = run(capsys, "play", "--record", file, code=2)
    assert f"{file}: there is a file of that name" in said and f"a recorded game with --resume {file}" in said
    other = tmp_path / "other.txt"
    GameRecord(record.options, record.seed, ()).save(other)
    assert "stays as it is" in run(capsys, "play", "--record", file, "--resume", other, code=2)
    assert file.read_bytes() == before
    assert f"{tmp_path}/no/x: No such file or directory" in run(capsys, "play", "--record", tmp_path / "no/x", code=2)
    for more in ((), ("--resume", file)):
        said = run(capsys, "play", "--record", tmp_path, *more, code=2)
        assert f"{tmp_path}: there is a folder of that name; name a file with --record" in said
    assert "not a regular file" in run(capsys, "play", "--record", "/dev/null", code=2)
    assert sorted(os.listdir(tmp_path)) == ["game.txt", "other.txt"]


def test_play_on_a_full_disk(person: Person, monkeypatch: Patch, tmp_path: Path) -> None:
    file, other, full = tmp_path / "game.txt", tmp_path / "other.txt", []
    replace = os.replace

    def renamed(source: object, target: Path) -> None:
        if full and target.name == "game.txt":
            raise OSError(errno.ENOSPC, "No space left on device", str(source))
        replace(source, target)  # type: ignore[arg-type]

    def lines(*given: object) -> Iterator[object]:
        """The lines of a person; True fills the disk, False makes room."""
        for line in given:
            if isinstance(line, bool):
                full[:] = [line] * line
            else:
                yield line

    def played(*given: object, code: int = 0) -> str:
        full.clear()
        file.unlink(missing_ok=True)
        return person(lines(*given), "--players", 2, "--seats", "0,1", "--seed", 3, "--record", file, code=code)

    monkeypatch.setattr(os, "replace", renamed)
    both = ("side housing b", "side commerce b")
    out = played(both[0], True, both[1], False, "side industry a", "quit")
    assert f"{file} can't be written: No space left on device; the next decision tries again" in out
    assert f"{file} has been written" in out and GameRecord.load(file).actions == (*both, "side industry a")
    out = played(both[0], True, both[1], "quit", "", False, "")
    assert out.count("Press Enter to try again") == 2 and GameRecord.load(file).actions == both
    played(both[0], True, both[1], "quit", str(other))
    assert GameRecord.load(other).actions == both and GameRecord.load(file).actions == both[:1]
    assert f"{file}: No space left on device" in played(both[0], True, both[1], code=2)
    assert GameRecord.load(file).actions == both[:1]
    assert sorted(os.listdir(tmp_path)) == ["game.txt", "other.txt"]


def test_save_only_overwrites_records(person: Person, tmp_path: Path) -> None:
    letter, game = tmp_path / "letter.txt", tmp_path / "game.txt"
    letter.write_text("Dear Andrew")
    saves = [f"save {file}" for file in (game, letter, tmp_path)]
    out = person([saves[0], "side housing b", *saves, "quit"], "--seed", 3)
    assert GameRecord.load(game).actions == ("side housing b",)
    assert letter.read_text() == "Dear Andrew" and f"{letter} exists and is not a game record" in out
    assert f"{tmp_path}: Is a directory" in out


# ---------------------------------------------------------------- simulate, bench
@pytest.mark.parametrize("modules", [False, True], ids=["base", "all modules"])
@pytest.mark.parametrize("mode", [("--players", 4), ("--difficulty", "expert")], ids=["4", "solo"])
def test_simulate(capsys: Capture, mode: tuple[object, ...], modules: bool) -> None:
    arguments = ("simulate", "--games", 50, "--seed", 2, *mode, *(["--modules", "all"] if modules else []))
    out, several = run(capsys, *arguments), "--players" in mode
    title = "4 players" if several else "solo, expert"
    assert out.startswith(f"50 random games, {title}{', new_start' if modules else ''}, ")
    tiles = t.DEPARTMENTS[1 : (t.NUM_TILES if modules else t.BASE_TILES) + 1]
    for word in (*tiles, *t.DONATIONS, "decisions per game: mean", "lift inactive", "player_0"):
        assert word in out
    assert ("player_3" in out) == several and ("andrew" in out) != several and ("sheet" in out) == modules
    for word in (*t.NEW_DONATIONS, "secret donations: VP per player and game", "bid", "panel"):
        assert (word in out) == (several and modules), word
    assert run(capsys, *arguments).split("\n")[1:] == out.split("\n")[1:]


def test_play_with_modules(person: Person, capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    lines = ["sheet goods 4", "sheet em 5", "sheet points 0", "sheet moves 6", "bid 3", "quit"]
    out = person(lines, "--modules", "new_start", "--players", 2, "--record", file)
    assert "goods on the sheet: 2 for $6" in out and "player_1: fills in more of a sealed sheet" in out
    assert "player_1: sheet " not in out and "player_1: bid" not in out  # sealed (ruling 40)
    assert out.count("player_1: sheet: ") == 1 == out.count("player_0: sheet: ")  # revealed, at once
    record = GameRecord.load(file)
    assert record.options.modules == ("new_start",) and record.actions[4] == "bid 3"
    assert "new_start" in run(capsys, "replay", file, "--last")


def test_secret_donations_are_not_in_the_log(person: Person) -> None:
    """The log says that a donation was chosen, but not which one; not even your own."""
    out = person(
        lambda position: "quit" if position.round > 0 else position.legal_actions()[0],
        "--secret-donation", "--players", 3, "--seats", 1, "--seed", 2,
    )  # fmt: skip
    chosen = person.seen[-1].record.secret
    assert out.count("chooses a secret donation") == 2 and (chosen[:3] >= 0).all()
    assert re.search(r"^player_0: .*chooses a secret donation", _log(out), re.MULTILINE)
    before = out[: out.index("round 1: ")]
    assert not re.search(r"^player_\d: .*donate ", _log(before), re.MULTILINE)


def test_bench_prints_the_speed_and_a_constant_signature(capsys: Capture, monkeypatch: Patch) -> None:
    monkeypatch.setattr(measure, "BENCH_GAMES", 200)
    monkeypatch.setattr(signature, "SIGNED_GAMES", 5)
    first, second = (run(capsys, "bench").splitlines() for _ in range(2))
    assert len(first) == 2 and re.fullmatch(r"\d+ decisions/s", first[0]) and re.fullmatch(r"signature \d+", first[1])
    assert first[1] == second[1]
    monkeypatch.setattr(signature, "SIGNED_GAMES", 6)
    assert run(capsys, "bench").splitlines()[1] != first[1]
