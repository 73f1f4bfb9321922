"""`carnegie-env arena` and `leaderboard`: their output, files and error messages."""

import re

import msgspec
import pytest

from carnegie_env.arena import match as matches
from carnegie_env.arena.lines import Entrant
from tests.arena.headers import header
from tests.commands import run, undisturbed


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    undisturbed(monkeypatch, tmp_path, matches)


def test_a_match(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    arguments = ("arena", "--agents", "one=random", "two=random", "--deals", 3, "--seed", 9, "--new-start")
    files = ("--output", "games.jsonl", "--picture", "games.png")
    out = run(capsys, *arguments, *files, "--better", "two", "one", "--processes", 1)
    assert "carnegie: num_players 2, timeline_tiles rows, new_start; engine 77" in out
    assert "6 games on 3 deals from seed 9, 2 on each deal, played side by side" in out
    assert re.search(r"^is two better than one\? undecided; the test starts at 10 deals$", out, re.MULTILINE)
    assert re.search(r"^one +[+-]\d+ \[", out, re.MULTILINE) and "donations" in out
    assert (tmp_path / "games.png").read_bytes().startswith(b"\x89PNG")
    assert run(capsys, "arena", "--show", "games.jsonl") == out
    assert "exists; continue it with --resume" in run(capsys, *arguments, *files, code=2)
    for more in ((), ("--resume",)):
        said = run(capsys, *arguments, "--output", tmp_path, *more, code=2)
        assert f"{tmp_path}: there is a folder of that name; name a file with --output" in said
    assert run(capsys, *arguments, *files, "--better", "two", "one", "--resume", "--processes", 1) == out
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 7


def test_an_agent_named_twice_takes_two_seats_and_a_solo_option_implies_one_player(capsys):
    out = run(capsys, "arena", "--agents", "one=random", "random", "random", "--deals", 2, "--processes", 1)
    assert "num_players 3" in out and "6 games on 2 deals" in out
    assert len([row for row in out.splitlines() if row.startswith("random ")]) >= 2
    out = run(capsys, "arena", "--agents", "random", "--difficulty", "expert", "--deals", 2, "--one-by-one")
    assert "num_players 1, difficulty expert" in out and "andrew" in out


def test_fewer_agents_than_the_game_has_players_take_the_smallest_table(capsys):
    two = ("--game", "steel_driver", "--agents", "one=random", "two=random", "--deals", 1, "--processes", 1)
    assert "num_players 3" in run(capsys, "arena", *two)


ARENA = {
    "nobody": ((), "--agents is missing; the agents are random, greedy"),
    "unknown": (("--agents", "clever"), "unknown agent 'clever'"),
    "deals": (("--agents", "random", "--deals", 0), "--deals must be 1 or more, not 0"),
    "processes": (("--agents", "random", "--processes", -1), "--processes must be 1 or more"),
    "seats": (("--agents", "random", "random", "greedy", "--players", 2), "2 players need 2 names, not 3"),
    "players": (("--agents", "random", "--players", 7), "num_players must be a whole number from 1 to 4, not 7"),
    "resume": (("--agents", "random", "--resume"), "--resume continues the file named by --output"),
    "picture": (("--agents", "random", "--picture", "p.txt"), "the name of a picture must end with .png, .svg or .pdf"),
    "folder": (("--agents", "random", "--picture", "no/p.png"), "there is no folder no"),
    "margin": (("--better", "random", "greedy", "--by", "margin"), "--by margin needs --bounds LOW HIGH"),
    "bounds": (("--better", "random", "greedy", "--bounds", 1, 0), "the lower first, not 1 and 0"),
    "same": (("--better", "random", "random"), "not random with itself"),
    "no test": (("--agents", "random", "--alpha", "0.1"), "--alpha can't be used without --better"),
    "show": (("--show", "nothing.jsonl"), "nothing.jsonl: No such file"),
    "show and play": (("--show", "f", "--agents", "random"), "--agents can't be used with --show"),
}


@pytest.mark.parametrize("name", ARENA)
def test_wrong_arguments(name, capsys, tmp_path):
    arguments, message = ARENA[name]
    assert message in run(capsys, "arena", *arguments, code=2)
    assert not list(tmp_path.iterdir())


def test_a_file_of_an_unknown_game_is_named(capsys, tmp_path):
    settings = header((Entrant("random", "random"),), game="chess")
    (tmp_path / "games.jsonl").write_bytes(msgspec.json.encode(settings) + b"\n")
    assert "games.jsonl: there is no game 'chess'" in run(capsys, "arena", "--show", "games.jsonl", code=2)
