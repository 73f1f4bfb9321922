"""Agents at tables: what they fail at stops their own table only, and what a request names is never loaded."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from carnegie_env import Position
from carnegie_env.web import messages
from carnegie_env.web.players import NotAllowed, Players, Question
from carnegie_env.web.store import NotSaved
from tests.web.served import NO_LIMITS, Here
from tests.web.test_tables import play_out

OWN = [f"tests.web.misfits:{name}" for name in ("Misfit", "Crashes", "Dies", "Hangs", "Nonsense", "Words", "Refuses",
                                                "Recovers", "Liar")]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    folder = tmp_path_factory.mktemp("games")
    patch = pytest.MonkeyPatch()
    patch.setenv("RECOVERED", str(folder / "recovered"))
    with Here(folder, NO_LIMITS, Players(OWN, workers=2, seconds=60, first_seconds=240)) as here:
        yield here
    patch.undo()


def settled(server: Here, made: dict[str, Any], seconds: float = 200) -> dict[str, Any]:
    """The table when no agent is at it."""
    until, path = time.monotonic() + seconds, f"/api/tables/{made['table']}"
    view: dict[str, Any] = server.get(path, made["key"])
    while view["thinking"] is not None and time.monotonic() < until:
        view = server.get(f"{path}?since={view['version']}&wait=5", made["key"])
    return view


def begun(server: Here, agent: str) -> dict[str, Any]:
    """A table at which the person has taken what decisions came first."""
    made = server.new("carnegie", "here", agent, seed=3)
    path = f"/api/tables/{made['table']}"
    view = settled(server, made)
    for _ in range(20):
        if view["stopped"] or not view["your_turn"]:
            break
        asked = {"decisions": view["decisions"], "action": view["legal"][0]["action"]}
        server.post(f"{path}/decisions", made["key"], asked)
        view = settled(server, made)
    return made


def test_agents_of_the_package_play_and_rate(server: Here) -> None:
    made = server.new("carnegie", "here", "greedy", seed=3)
    view = play_out(server, made["table"], made["key"], most=25)
    assert any(line["who"] == "player_1" for line in view["told"]) and view["stopped"] is None
    asked = {"at": view["decisions"], "agent": "greedy"}
    found = server.post(f"/api/tables/{made['table']}/analysis", made["watch"], asked)
    messages.Analysis.model_validate(found)
    values = [each["value"] for each in found["values"]]
    assert values == sorted(values, reverse=True) and found["agent"] == "greedy" and found["point"] == "VP"
    assert {each["action"] for each in found["values"]} <= {
        each["action"]
        for each in server.get(f"/api/tables/{made['table']}/at/{view['decisions']}", made["key"])["legal"]
    }
    for agent, error in (("random", "doesn't rate"), ("os:system", "there is no agent"), (OWN[8], "not legal")):
        refused = server.post(f"/api/tables/{made['table']}/analysis", made["key"], {**asked, "agent": agent}, 422)
        assert error in refused["error"]


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("Crashes", "RuntimeError: I can't go on"),
        ("Dies", "was ended by SIGKILL"),
        ("Nonsense", "there is no action 1000000"),
        ("Words", "TypeError"),
        ("Hangs", "took more than"),
    ],
)
def test_what_fails_stops_its_table_and_no_other(
    server: Here, agent: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        if agent == "Hangs":
            patched.setattr(server.players, "_first_seconds", 1.0)
            patched.setattr(server.players, "_seconds", 1.0)
        made = begun(server, f"tests.web.misfits:{agent}")
        view = settled(server, made)
    assert view["stopped"] is not None and why in view["stopped"] and "Traceback" not in view["stopped"]
    assert view["stopped"].startswith(f"player_1, tests.web.misfits:{agent}: ") and view["thinking"] is None
    listed = next(t for t in server.get("/api/tables", server.host)["tables"] if t["table"] == made["table"])
    assert listed["state"] == "stopped" and listed["stopped"] == view["stopped"]
    monkeypatch.undo()  # the other one may have to wait for a process to start
    other = begun(server, OWN[0])
    assert settled(server, other)["stopped"] is None


def test_an_agent_that_has_recovered_is_asked_again(server: Here) -> None:
    import os

    made = begun(server, "tests.web.misfits:Recovers")
    path = f"/api/tables/{made['table']}"
    assert "not yet" in settled(server, made)["stopped"]
    assert "not yet" in (server.post(f"{path}/resume", made["key"]), settled(server, made)["stopped"])[1]
    Path(os.environ["RECOVERED"]).touch()
    server.post(f"{path}/resume", made["key"])
    view = settled(server, made)
    assert view["stopped"] is None and any(line["who"] == "player_1" for line in view["told"])
    assert "has not been stopped" in server.post(f"{path}/resume", made["key"], None, 409)["error"]


def test_taking_back_while_an_agent_is_stuck(server: Here) -> None:
    made = begun(server, "tests.web.misfits:Crashes")
    view = settled(server, made)
    assert view["can_undo"]
    found = server.post(f"/api/tables/{made['table']}/undo", made["key"], {"decisions": view["decisions"]})
    assert found["stopped"] is None and found["your_turn"]


def test_an_answer_about_what_was_taken_back_is_not_played(server: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Question, Any]] = []
    monkeypatch.setattr(server.players, "decide", lambda question, done: asked.append((question, done)))
    made = server.new("carnegie", "here", OWN[0], seed=3)
    path = f"/api/tables/{made['table']}"
    view = server.get(path, made["key"])

    def decide(view: Any, number: int) -> Any:
        chosen = {"decisions": view["decisions"], "action": view["legal"][number]["action"]}
        return server.post(f"{path}/decisions", made["key"], chosen)

    while not asked:
        view = decide(view, 0)
    back = server.post(f"{path}/undo", made["key"], {"decisions": view["decisions"]})
    again = decide(back, 1)
    assert again["decisions"] == view["decisions"] and len(asked) == 2  # as many, but others
    (_, late), (question, done) = asked
    late(int(question.position.legal_numbers()[0]), None)
    assert server.get(path, made["key"])["decisions"] == view["decisions"]
    done(int(question.position.legal_numbers()[0]), None)
    assert server.get(path, made["key"])["decisions"] > view["decisions"]


def test_a_question_that_was_taken_back_waits_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    players = Players(workers=1)
    try:
        monkeypatch.setattr(players, "_may_begin", lambda job: False)
        questions = [Question("greedy", seed, Position.new({"num_players": 2}, 1)) for seed in (1, 2)]
        for question in questions:
            players.decide(question, lambda answer, wrong: None)
        players.forget(questions[0])
        assert [job.question.seed for job in players._waiting] == [2]
    finally:
        players.close()


def test_a_desk_without_a_process_answers_that_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    players = Players(workers=1)
    question = Question("greedy", 1, Position.new({"num_players": 2}, 1))
    try:
        with monkeypatch.context() as patch:
            patch.setattr(players._workers[0], "_start", lambda: (_ for _ in ()).throw(OSError("no memory")))
            with pytest.raises(ValueError, match="can't be asked now: no memory"):
                players.rate(question).result(60)
        assert players.rate(question).result(240)
    finally:
        players.close()


def test_what_can_not_be_saved_stops_agents_until_they_are_asked_again(
    server: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise NotSaved("the game could not be saved: disk full")

    with monkeypatch.context() as patch:
        patch.setattr(server.store, "change", full)
        made = server.new("steel_driver", "random", "random", "random", seed=2)
        path = f"/api/tables/{made['table']}"
        assert "disk full" in server.get(path, made["watch"])["stopped"]
        assert "disk full" in server.post(f"{path}/resume", server.host, None, 507)["error"]
    assert "a seat's key is needed" in server.post(f"{path}/resume", made["watch"], None, 403)["error"]
    assert server.post(f"{path}/resume", server.host)["stopped"] is None  # agents alone: the host asks them again
    until = time.monotonic() + 100
    while not server.get(path, made["watch"])["is_over"] and time.monotonic() < until:
        time.sleep(0.05)
    assert server.get(path, made["watch"])["is_over"]


def test_an_agent_that_does_not_play_the_game_makes_no_table(server: Here) -> None:
    asked = {"game": "steel_driver", "seats": [{"kind": "agent", "name": OWN[6]}] * 3}
    assert "Refuses does not play steel_driver" in server.post("/api/tables", server.host, asked, 422)["error"]


def test_thinking_of_one_does_not_keep_others_waiting(tmp_path: Path) -> None:
    hangs = "tests.web.misfits:Hangs"
    with Here(tmp_path, NO_LIMITS, Players(OWN, workers=2, seconds=200)) as server:
        made = begun(server, "tests.web.misfits:Misfit")
        slow = server.new("carnegie", hangs, "here", seed=3)
        view, numbers = settled(server, made), []
        while len(numbers) < 6 and not view["is_over"]:
            asked = {"decisions": view["decisions"], "action": view["legal"][0]["action"]}
            server.post(f"/api/tables/{made['table']}/decisions", made["key"], asked)
            view = settled(server, made)
            numbers.append(view["decisions"])
        assert len(set(numbers)) == 6 and view["stopped"] is None  # it went on
        still = server.get(f"/api/tables/{slow['table']}", slow["key"])
        assert still["thinking"] == hangs and still["stopped"] is None and still["decisions"] == 0


def test_agents_against_agents(server: Here) -> None:
    made = server.new("steel_driver", "random", "greedy", "random", seed=2)
    path, until = f"/api/tables/{made['table']}", time.monotonic() + 200
    view = server.get(path, made["watch"])
    while not view["is_over"] and time.monotonic() < until:
        view = server.get(f"{path}?since={view['version']}&wait=5", made["watch"])
    assert view["is_over"] and made["key"] is None and sorted(view["places"])[0] == 0


@pytest.mark.parametrize(
    "name",
    ["", "ppo:runs", "value:/etc/passwd", "value:network=x", "search:ms=1,network=x", "search:threads=9", "search:ms=",
     "search:ms=1e3", "search:ms=0", "search:ms=10001", "search:ms=-1", "search:evals=99999999999999999999", "random:1",
     "greedy:", "tests.web.misfits:Misfit", "os:system", "search:depth=5", "value:draws=65", "search:ms=٣"],
)  # fmt: skip
def test_nothing_is_loaded_for_a_name_that_came_in_a_request(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    players = Players(workers=1)
    try:
        monkeypatch.setattr(players, "_put", lambda *_: pytest.fail("it was asked"))
        position = Position.new({"num_players": 2}, 1)
        with pytest.raises(NotAllowed):
            players.check(name, position)
        with pytest.raises(NotAllowed):
            players.rate(Question(name, 0, position))
    finally:
        players.close()
