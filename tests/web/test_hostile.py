"""A share of the hostile requests; `python -m tests.web --hostile` sends all 20,000."""

from __future__ import annotations

from pathlib import Path

import pytest

from carnegie_env.web.players import Players
from tests.web import hostile
from tests.web.served import NO_LIMITS, Here

REQUESTS, RAW = 800, 200


def test_hostile_requests_get_a_clear_answer_and_change_nothing(tmp_path: Path) -> None:
    with Here(tmp_path, NO_LIMITS, Players(desks=1)) as server:
        statuses = hostile.attack(hostile.Targets(server), range(REQUESTS))
    assert {400, 401, 403, 404, 405, 409, 415, 422} <= set(statuses) and sum(statuses.values()) > REQUESTS * 0.8


def test_bytes_that_are_no_requests(tmp_path: Path) -> None:
    with Here(tmp_path, NO_LIMITS, Players(desks=1)) as server, server.socket() as port:
        statuses = hostile.attack_socket(hostile.Targets(server), port, range(RAW))
        assert server.get("/api/about")["games"]
    assert {400, 401, 404} <= set(statuses)


def test_the_judge_notices() -> None:
    assert hostile.wrong_with(500, "", b'{"error": "x"}', "GET") == "status 500"
    assert "no JSON" in hostile.wrong_with(404, "", b"Not Found", "GET")
    assert "traceback" in hostile.wrong_with(422, "", b'{"error": "Traceback (most recent call last)"}', "GET")
    assert hostile.wrong_with(422, "", b'{"detail": []}', "GET")
    assert not hostile.wrong_with(404, "", b'{"error": "there is no such table"}', "GET")


def test_a_change_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Here(tmp_path, NO_LIMITS, Players(desks=1)) as server:
        targets = hostile.Targets(server)
        table = server.tables.get(targets.tables[0])
        with table.lock:
            number, after = table.after(int(table.position().legal_numbers()[0]))
        right = server.raw

        def one_that_plays(*arguments: object) -> object:
            if len(table.actions) == 5:
                server.tables._commit(table, number, after, 0)
            return right(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(server, "raw", one_that_plays)
        with pytest.raises(AssertionError, match="has changed a game"):
            hostile.attack(targets, range(5))
