"""Connections held open without a request, with half a request, without reading the response, and too many of them."""

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from carnegie_env.web.connections import Connection, limited
from tests.web.served import NO_LIMITS, Here

GET = b"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
SHORT = 0.4  # seconds
LONG = 60.0  # where a slow machine must not be too late


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Here, int]]:
    """A server with short time limits, and its port."""
    monkeypatch.setattr(Connection, "head_seconds", SHORT)
    monkeypatch.setattr(Connection, "read_seconds", SHORT)
    with Here(tmp_path, NO_LIMITS) as here, here.socket() as port:
        yield here, port


def opened(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=LONG)


def answer(connection: socket.socket) -> int:
    """Read a response to its end and return its status."""
    found = http.client.HTTPResponse(connection)
    found.begin()
    found.read()
    return found.status


def is_closed(connection: socket.socket) -> bool:
    """Whether the server closes the connection before the timeout."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_a_request_has_to_arrive_within_a_time(served: tuple[Here, int], monkeypatch: pytest.MonkeyPatch) -> None:
    _, port = served
    monkeypatch.setattr(Connection, "head_seconds", LONG)
    with opened(port) as second:
        second.sendall(GET)
        assert answer(second) == 200
        monkeypatch.setattr(Connection, "head_seconds", SHORT)
        check_late_requests(port, second)


def check_late_requests(port: int, second: socket.socket) -> None:
    with opened(port) as nothing, opened(port) as half, opened(port) as slow:
        second.sendall(GET[:20])
        with contextlib.suppress(ConnectionError):  # closed already, if the machine is slow
            half.sendall(GET[:20])

        def letters() -> None:  # one at a time: never idle, never complete
            for letter in GET[:-1]:
                try:
                    slow.send(bytes([letter]))
                except OSError:
                    return
                time.sleep(SHORT / 8)

        sending = threading.Thread(target=letters)
        sending.start()
        assert all(map(is_closed, (nothing, half, second, slow)))
        sending.join()


def test_an_idle_connection_is_kept_between_requests(served: tuple[Here, int], monkeypatch: pytest.MonkeyPatch) -> None:
    _, port = served

    def seconds(connection: Connection) -> float:  # short only where the time must not begin
        begins = connection.cycle is None or connection.conn.trailing_data[0]
        return LONG if begins else SHORT

    monkeypatch.setattr(Connection, "head_seconds", property(seconds))
    with opened(port) as connection:
        for _ in range(2):
            connection.sendall(GET[:30])
            time.sleep(SHORT / 4)
            connection.sendall(GET[30:])
            assert answer(connection) == 200
            time.sleep(2 * SHORT)  # idle: the time for the next request has not begun


def test_a_response_has_to_be_read(served: tuple[Here, int], monkeypatch: pytest.MonkeyPatch) -> None:
    _, port = served
    ended, lost = threading.Event(), Connection.connection_lost

    def connection_lost(connection: Connection, exc: Exception | None) -> None:
        lost(connection, exc)
        ended.set()

    monkeypatch.setattr(Connection, "connection_lost", connection_lost)
    with socket.socket() as connection:
        connection.settimeout(LONG)
        connection.connect(("127.0.0.1", port))
        asked = 500
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * asked)
        assert ended.wait(LONG)  # nothing is read
        found = b""
        try:
            while more := connection.recv(1 << 20):
                found += more
        except ConnectionError:
            pass
        assert 0 < found.count(b"HTTP/1.1 200") < asked  # it was cut off


def test_a_malformed_head_request_is_refused(served: tuple[Here, int], caplog: pytest.LogCaptureFixture) -> None:
    _, port = served
    with opened(port) as connection:
        connection.sendall(b"HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        assert connection.makefile("rb").read().startswith(b"HTTP/1.1 400 ")
    assert not [record for record in caplog.records if record.exc_info]


def test_a_new_connection_replaces_the_one_silent_for_longest(
    served: tuple[Here, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = served
    monkeypatch.setattr(Connection, "head_seconds", LONG)
    made = here.new()
    monkeypatch.setattr("carnegie_env.web.connections.MOST", 3)
    with here.socket() as port, opened(port) as poll, opened(port) as oldest:
        poll.sendall(
            f"GET {made.path}?since=0&wait=30 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {made['key']}\r\n\r\n".encode()
        )
        time.sleep(0.2)
        with opened(port) as other:
            other.sendall(GET)
            assert answer(other) == 200
            with opened(port) as new:
                new.sendall(GET)
                assert answer(new) == 200 and is_closed(oldest)
                other.sendall(GET)
                assert answer(other) == 200  # it has sent a request since
        here.decide(made, here.view(made))
        assert answer(poll) == 200


def test_the_limit_of_open_files_allows_for_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    found = [(256, 300)]
    monkeypatch.setattr(resource, "getrlimit", lambda which: found[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: found.append(limits))
    assert limited().most == 100 and found[-1] == (300, 300)
    found[:] = [(1024, resource.RLIM_INFINITY)]
    assert limited().most == Connection.most and found[-1][0] > Connection.most
