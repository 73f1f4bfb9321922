"""Answers that are wrong or unclear are refused with the reason; games in messages handle them."""

import json
import socket

import pytest

import carnegie_env
from carnegie_env import text
from carnegie_env.cli import main

CARNEGIE = carnegie_env.games()["carnegie"]


@pytest.fixture
def position():
    """A decision with several actions that have the same first word."""
    found = CARNEGIE.position_class.new({"num_players": 2}, 1)
    while found.phase != "reserve":
        found.apply(found.legal_actions()[0])
    return found


def test_the_place_of_the_name(position):
    one, two, three = position.legal_actions()[:3]
    numbers = {name: position.number(name) for name in (one, two, three)}
    for answer, named in [
        (f"I prefer {one} to {two}.\nAction: {three}", three),
        (f"Action: {one}\nNo, better:\nAction: {two}", two),
        (f"{one} and {two} are weak. So I take {three}.", three),
        (f"{one}\n{two}\n", two),
        (json.dumps({"reason": f"{one} is weak", "action": two}), two),
        (json.dumps({"action": numbers[two], "reason": "no"}), two),
        (f"```\n{{'move': '{two}'}}\n```", two),
        (f"<think>{one} or {two}? Action: {two}</think>{three}", three),
        (f"**{numbers[one]}**", one),
        (f"[{two}]", two),
        (three.replace("_", " ").upper(), three),
    ]:
        assert text.read_answer(position, answer) == numbers[named], answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "the answer is empty; player_.* can play 'department"),
        ("<think>all day", "the answer is empty"),
        ("I resign.", "there is no action 'I resign.'; player_.* can play 'department"),
        ("Action: build a castle", "there is no action 'build a castle'; player_"),
        ("Action: donate health_west", r"action \d+ \(donate health_west\) is not legal now; player_"),
        ("4000", "there is no action '4000'; player_"),
        ("Action: department sales or department logistics", "ambiguous: it names 'department .*', 'department .*'"),
        ("12: department sales", "ambiguous"),
    ],
)
def test_refused_answers(position, answer, message):
    with pytest.raises(text.AnswerError, match=message):
        text.read_answer(position, answer)


def test_refused_answers_lose_the_game():
    game = text.TextGame("carnegie", {"num_players": 3}, seed=2, seats=[0, 1], opponents="random", tries=2)
    seat = game.to_play
    assert not game.answer("fly").is_legal and game.prompt().startswith("Refused: there is no action 'fly'")
    assert game.answer(game.position.legal_actions()[0]).is_legal  # the tries begin again
    while not game.is_over:
        loser = game.to_play
        reply = game.answer("fly")
    assert not reply.is_legal and game.forfeited_by == loser and sum(game.refused.values()) == 3 and seat in game.seats
    assert game.rewards("win")[loser] == -1 and game.rewards("margin")[loser] == CARNEGIE.losses.margin
    said = game.messages(loser)[-1]["content"]
    assert f"Refused: {reply.text}. Tries left: 0.\n\nplayer_{loser} has forfeited" in said
    assert "Refused" not in game.prompt(1 - loser)


def test_prompts_without_legal_actions():
    listed, unlisted = (text.TextGame("carnegie", seats="all", list_actions=listed) for listed in (True, False))
    assert "Your legal actions" in listed.prompt() and "Your legal actions" not in unlisted.prompt()
    assert "(12 in all)" not in listed.rules() and " in all)" in unlisted.rules()
    assert len(unlisted.prompt()) < len(listed.prompt())


def test_what_a_decision_leads_to_is_news():
    game = text.TextGame("carnegie", {"num_players": 1}, seed=3)
    seen = 0
    while not game.is_over:
        before = len(game.log())
        game.answer(game.position.legal_actions()[-1])
        news, told = game.log()[before:], game.prompt().split("\n\n")[0].splitlines()
        assert told == ["Since your last decision:", *news]
        seen += any(line.startswith("andrew") for line in news)
    assert seen


def test_the_rules_can_contain_the_components():
    plain, whole = (text.TextGame("carnegie", components=each).rules() for each in (False, True))
    assert text.components("carnegie") in whole and text.components("carnegie") not in plain


def test_a_number_with_thousands_of_digits_is_refused():
    game = text.TextGame("carnegie", tries=9)
    for answer in ("Action: " + "1" * 5000, "1" * 5000, "Action: " + "1" * 5000 + " pass"):
        assert not game.answer(answer).is_legal
    assert game.refused == {0: 3}


def test_the_log_is_told_once():
    game = text.TextGame("carnegie", {"num_players": 2}, seed=2, seats=0, opponents="random")
    told = []
    while not game.is_over:
        prompt = game.prompt()
        if prompt.startswith("Since"):
            told += prompt.split("\n\n")[0].splitlines()[1:]
        game.answer(game.position.legal_actions()[0])
    told += game.prompt().split("\n\n")[0].splitlines()[1:]
    others = [line for line in game.log() if line.startswith("player_1")]
    assert len(others) > 20 and [line for line in told if line.startswith("player_1")] == others


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seats": 2}, "seat"),
        ({"seats": "both"}, "seats must be whole numbers from 0 to 1"),
        ({"seats": []}, "at least one seat"),
        ({"opponents": ["random", "random"]}, "opponents must be one agent; got 2"),
        ({"options": {"num_players": 3}, "opponents": ["random"] * 3}, "one agent, or 2, one for each"),
        ({"opponents": "nobody"}, "unknown agent"),
        ({"style": "long"}, "style must be one of full, compact"),
        ({"tries": 0}, "tries"),
        ({"options": {"players": 2}}, "players"),
        ({"game": "chess"}, "chess"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        text.TextGame(**arguments)


def test_other_seats_are_not_shown():
    game = text.TextGame("carnegie", {"num_players": 2}, seats=0, opponents="random")
    with pytest.raises(ValueError, match="player_1 is played by random; text players are"):
        game.look(1)
    with pytest.raises(ValueError, match="reward must be one of win, rank, margin, score, regret"):
        game.rewards("money")


def test_after_an_agent_has_failed(monkeypatch):
    game = text.TextGame("carnegie", {"num_players": 2}, seats=0, opponents="random")

    def fail(position):
        raise ValueError("out of ideas")

    monkeypatch.setattr(game._agents[1], "act", fail)
    with pytest.raises(ValueError, match="player_1, random: out of ideas"):
        while True:
            game.answer(game.position.legal_actions()[0])
    assert game.prompt() == game.prompt(0)
    with pytest.raises(ValueError, match="player_1 is played by random"):
        game.answer("pass")
    with pytest.raises(ValueError, match="player_1, random: out of ideas"):
        game.play_agents()
    monkeypatch.undo()
    game.play_agents()
    assert game.to_play == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--http", "0"], "--http must be a port from 1 to 65535, not 0"),
        (["--host", "0.0.0.0"], "--host needs --http PORT"),
        (["--allow", "foo"], "--allow foo: there is no such agent"),
        (["--allow", "ppo:nowhere"], "--allow ppo:nowhere: no trained model at nowhere"),
    ],
)
def test_the_server_refuses_wrong_arguments_at_the_start(arguments, message, capsys):
    assert main(["mcp", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_port_in_use(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["mcp", "--http", str(port)]) == 2
    said = f"carnegie-env: error: port {port} of 127.0.0.1 is in use by another program; choose another one with --http"
    assert capsys.readouterr().err == f"{said}\n"


def test_the_command_names_the_missing_extra(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mcp.server", None)
    assert main(["mcp"]) == 2
    assert "pip install 'carnegie_env[mcp]'" in capsys.readouterr().err
