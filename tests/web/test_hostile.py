"""A share of the hostile requests; `python -m tests.web --hostile` sends all 20,000."""

from pathlib import Path

from carnegie_env.web.players import Players
from tests.web import hostile
from tests.web.served import NO_LIMITS, Here

REQUESTS, RAW = 800, 200


def test_hostile_requests_get_a_clear_answer_and_change_nothing(tmp_path: Path) -> None:
    with Here(tmp_path, NO_LIMITS, Players(workers=1)) as server:
        statuses = hostile.attack(hostile.Targets(server), range(REQUESTS))
    assert {400, 401, 403, 404, 405, 409, 415, 422} <= set(statuses) and sum(statuses.values()) > REQUESTS * 0.8


def test_bytes_that_are_no_requests(tmp_path: Path) -> None:
    with Here(tmp_path, NO_LIMITS, Players(workers=1)) as server, server.socket() as port:
        statuses = hostile.attack_socket(hostile.Targets(server), port, range(RAW))
        assert server.get("/api/about")["games"]
    assert {400, 401, 404} <= set(statuses)
