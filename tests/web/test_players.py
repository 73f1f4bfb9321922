"""Agents at tables: a failing agent stops only its own table, and no code is loaded for a name in a request."""

import os
import re
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from carnegie_env import Position
from carnegie_env.agents import registry
from carnegie_env.web import messages
from carnegie_env.web.players import NotAllowed, Players, Question
from carnegie_env.web.store import NotSaved
from tests.paths import ROOT
from tests.web.served import NO_LIMITS, Here, Made

MISFITS = "tests.web.misfits:"
OWN = [MISFITS + name for name in ("Misfit", "Crashes", "Dies", "Hangs", "Nonsense", "Words", "Refuses", "Recovers",
                                   "Liar")]  # fmt: skip
FIRST = Position.new({"num_players": 2}, 1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    folder = tmp_path_factory.mktemp("games")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOVERED", str(folder / "recovered"))
        with Here(folder, NO_LIMITS, Players(OWN, workers=2, seconds=60, first_seconds=240)) as here:
            yield here


@pytest.fixture
def players() -> Iterator[Players]:
    made = Players(workers=1)
    yield made
    made.close()


def begun(server: Here, agent: str) -> Made:
    """A table where the person has taken decisions until it was the agent's turn."""
    made = server.new("carnegie", "here", agent, seed=3)
    view = server.settled(made)
    for _ in range(20):
        if view["stopped"] or not view["your_turn"]:
            break
        server.decide(made, view)
        view = server.settled(made)
    return made


def test_agents_of_the_package_play_and_rate(server: Here) -> None:
    made = server.new("carnegie", "here", "greedy", seed=3)
    view = server.play_out(made, most=25)
    assert any(line["who"] == "player_1" for line in view["told"]) and view["stopped"] is None
    asked = {"at": view["decisions"], "agent": "greedy"}
    found = server.post(f"{made.path}/analysis", made["watch"], asked)
    messages.Analysis.model_validate(found)
    values = [each["value"] for each in found["values"]]
    assert values == sorted(values, reverse=True) and found["agent"] == "greedy" and found["point"] == "VP"
    legal = server.get(f"{made.path}/at/{view['decisions']}", made["key"])["legal"]
    assert {each["action"] for each in found["values"]} <= {each["action"] for each in legal}
    for agent, error in (("random", "does not rate"), ("os:system", "there is no agent"), (OWN[8], "not legal")):
        refused = server.post(f"{made.path}/analysis", made["key"], {**asked, "agent": agent}, 422)
        assert error in refused["error"]


def test_the_page_knows_the_agents_of_the_package() -> None:
    script = (ROOT / "carnegie_env" / "web" / "page" / "dom.js").read_text(encoding="utf-8")
    found = re.search(r"^const SHIPPED = /\^\(([a-z|]+)\)\$/;", script, re.MULTILINE)
    assert found is not None and set(found[1].split("|")) == set(registry.AGENTS)


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("Crashes", "RuntimeError: I can't go on"),
        ("Dies", "was killed by SIGKILL"),
        ("Nonsense", "there is no action 1000000"),
        ("Words", "TypeError"),
        ("Hangs", "took more than"),
    ],
)
def test_a_failing_agent_stops_only_its_own_table(
    server: Here, agent: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = server.players._ask

    def soon(worker: Any, job: Any, limit: float) -> Any:
        """Only its decisions have little time, as a process may have to be started before."""
        return ask(worker, job, 1.0 if job.what == "act" and job.question.name == MISFITS + "Hangs" else limit)

    with monkeypatch.context() as patch:
        patch.setattr(server.players, "_ask", soon)
        made = begun(server, MISFITS + agent)
        view = server.settled(made)
    assert view["stopped"].startswith(f"player_1, {MISFITS}{agent}: ") and view["thinking"] is None
    assert why in view["stopped"] and "Traceback" not in view["stopped"]
    listed = next(t for t in server.get("/api/tables", server.host)["tables"] if t["table"] == made["table"])
    assert listed["state"] == "stopped" and listed["stopped"] == view["stopped"]
    assert server.settled(begun(server, OWN[0]))["stopped"] is None


def test_an_agent_that_has_recovered_is_asked_again(server: Here) -> None:
    made = begun(server, MISFITS + "Recovers")
    assert "not yet" in server.settled(made)["stopped"]
    server.post(f"{made.path}/resume", made["key"])
    assert "not yet" in server.settled(made)["stopped"]
    Path(os.environ["RECOVERED"]).touch()
    server.post(f"{made.path}/resume", made["key"])
    view = server.settled(made)
    assert view["stopped"] is None and any(line["who"] == "player_1" for line in view["told"])
    assert "is not stopped" in server.post(f"{made.path}/resume", made["key"], None, 409)["error"]


def test_undo_at_a_stopped_table(server: Here) -> None:
    made = begun(server, MISFITS + "Crashes")
    view = server.settled(made)
    assert view["can_undo"]
    found = server.post(f"{made.path}/undo", made["key"], {"decisions": view["decisions"]})
    assert found["stopped"] is None and found["your_turn"]


def test_an_answer_about_an_undone_position_is_not_played(server: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Question, Future[int]]] = []

    def decide(question: Question) -> Future[int]:
        asked.append((question, Future()))
        asked[-1][1].set_running_or_notify_cancel()  # so that it can't be cancelled
        return asked[-1][1]

    monkeypatch.setattr(server.players, "decide", decide)
    made = server.new("carnegie", "here", OWN[0], seed=3)
    view = server.view(made)
    while not asked:
        view = server.decide(made, view)
    back = server.post(f"{made.path}/undo", made["key"], {"decisions": view["decisions"]})
    again = server.decide(made, back, back["legal"][1]["action"])
    assert again["decisions"] == view["decisions"] and len(asked) == 2  # as many decisions, but other ones
    for (question, answer), played in zip(asked[:2], (False, True), strict=True):
        answer.set_result(int(question.position.legal_numbers()[0]))
        assert (server.view(made)["decisions"] > view["decisions"]) == played


def test_a_cancelled_question_is_not_asked(players: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(players, "_may_begin", lambda job: False)
        first, _ = (players.decide(Question("greedy", seed, FIRST)) for seed in (1, 2))
        first.cancel()
        players._next()
        assert [job.question.seed for job in players._waiting] == [2]


def test_a_worker_that_can_not_start_its_process_reports_that_and_goes_on(
    players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = Question("greedy", 1, FIRST)
    with monkeypatch.context() as patch:
        patch.setattr(players._workers[0], "_start", lambda: (_ for _ in ()).throw(OSError("no memory")))
        with pytest.raises(ValueError, match="can't be asked now: no memory"):
            players.rate(question).result(60)
    assert players.rate(question).result(240)


def test_a_full_disk_stops_agents_until_they_are_asked_again(server: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise NotSaved("the game could not be saved: disk full")

    with monkeypatch.context() as patch:
        patch.setattr(server.store, "change", full)
        made = server.new("steel_driver", "random", "greedy", "random", seed=2)
        assert made["key"] is None and "disk full" in server.view(made)["stopped"]
        assert "disk full" in server.post(f"{made.path}/resume", server.host, None, 507)["error"]
    assert "a seat key" in server.post(f"{made.path}/resume", made["watch"], None, 403)["error"]
    assert server.post(f"{made.path}/resume", server.host)["stopped"] is None  # all seats are agents'
    assert server.settled(made)["is_over"]


def test_an_agent_that_does_not_play_the_game_makes_no_table(server: Here) -> None:
    asked = {"game": "steel_driver", "seats": [{"kind": "agent", "name": OWN[6]}] * 3}
    assert "Refuses does not play steel_driver" in server.post("/api/tables", server.host, asked, 422)["error"]


def test_a_hanging_agent_delays_no_other_table(tmp_path: Path) -> None:
    with Here(tmp_path, NO_LIMITS, Players(OWN, workers=2, seconds=200)) as server:
        made = begun(server, OWN[0])
        slow = server.new("carnegie", OWN[3], "here", seed=3)
        before = server.settled(made)["decisions"]
        assert server.play_out(made, most=before + 6)["decisions"] >= before + 6
        still = server.view(slow)
        assert still["thinking"] == OWN[3] and still["stopped"] is None and still["decisions"] == 0


@pytest.mark.parametrize(
    "name",
    ["", "ppo:runs", "value:/etc/passwd", "value:network=x", "search:ms=1,network=x", "search:threads=9", "search:ms=",
     "search:ms=1e3", "search:ms=0", "search:ms=10001", "search:ms=-1", "search:evals=99999999999999999999", "random:1",
     "greedy:", "tests.web.misfits:Misfit", "os:system", "search:depth=5", "value:draws=65", "search:ms=٣", "level:0",
     "level:11", "level:x", "level:"],
)  # fmt: skip
def test_no_code_is_loaded_for_a_name_in_a_request(
    name: str, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "_put", lambda *_: pytest.fail("the agent was asked"))
    with pytest.raises(NotAllowed):
        players.check(name, FIRST)
    with pytest.raises(NotAllowed):
        players.rate(Question(name, 0, FIRST))
