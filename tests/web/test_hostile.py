"""A share of the hostile requests; `python -m tests.web --hostile` sends all 20,000."""

from tests.web import hostile
from tests.web.served import Here

REQUESTS, RAW = 800, 200


def test_hostile_requests_get_a_clear_answer_and_change_nothing(server: Here) -> None:
    statuses = hostile.attack(hostile.Targets(server), range(REQUESTS))
    assert {400, 401, 403, 404, 405, 409, 415, 422} <= set(statuses) and sum(statuses.values()) > REQUESTS * 0.8


def test_malformed_http_on_a_socket(server: Here) -> None:
    with server.socket() as port:
        statuses = hostile.attack_socket(hostile.Targets(server), port, range(RAW))
        assert server.get("/api/about")["games"]
    assert {400, 401, 404} <= set(statuses)
