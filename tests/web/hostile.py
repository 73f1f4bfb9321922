"""Hostile requests, generated from seeds. Each gets a clear 4xx, or a normal response if it happens to be valid. None
gets a 5xx, leaves an exception in the log or changes a game. ``python -m tests.web --hostile`` sends 20,000.

There are two kinds: valid requests in which path, method, key, headers, type, values, encoding or size are mutated, and
bytes on a socket, some of which are not HTTP at all.
"""

from __future__ import annotations

import collections
import contextlib
import json
import logging
import random
import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

from carnegie_env import Position
from tests.spoiling import spoil
from tests.web.served import Here

Json = Any
MUTATED = [0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8]  # parts of a request, see below
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "BREW"]
WORDS = [
    "", " ", "0", "-1", "null", "../../etc/passwd", "%2e%2e%2f", "%00", "%ff%fe", "é", "\u202e", "x" * 3000,
    "'; DROP TABLE tables;--", "{{7*7}}", "<script>", "1e309", "NaN", "9" * 400, "true", "[]", "__proto__", "..;/",
    "\\", "%", "?#",
]  # fmt: skip
VALUES = (
    None, True, False, 0, -1, 1.5, 10**30, -(10**30), 2**64, 2**63, "", "x", "\ud800", "\x00", "x" * 70_000, [], {},
    [[]], [None] * 50, {"": {}}, {"a": [1, {"b": None}]}, "é\u202e", "../..", "player_0", 1e308,
)  # fmt: skip
TYPES = [
    "application/json", "application/json; charset=utf-16", "text/plain", "", "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded", "application/xml", "x" * 500,
]  # fmt: skip
HOSTS = [
    "127.0.0.1:8000", "evil.example", "", "localhost:8000:8000", "127.0.0.1 evil", "[::1", "user@localhost",
    "x" * 999,
]  # fmt: skip
ORIGINS = [
    "null", "http://evil.example", "http://127.0.0.1:8000", "file://", "", "http://127.0.0.1:8000.evil.example",
    "\t",
]  # fmt: skip


class Targets:
    """Tables of several kinds, with everything that an attacker may know: keys of other tables, and of deleted ones."""

    def __init__(self, server: Here) -> None:
        self.server = server
        made = [
            server.new("carnegie", "here", seed=1),
            server.new("carnegie", "here", "invited", "random", options={"modules": "all"}, seed=2),
            server.new("steel_driver", "here", "here", "random", seed=3),
        ]
        position = Position.new({"num_players": 1}, 4)
        while not position.is_over:
            position.apply(position.legal_actions()[-1])
        made.append(server.new("carnegie", "here", record=position.game.record_class.of(position).to_text()))
        self.position, self.record = position.to_dict(), position.game.record_class.of(position).to_text()
        for table in made[:3]:
            for _ in range(5):
                if (view := server.view(table))["your_turn"]:
                    server.decide(table, view)
        gone = server.new("carnegie", "here")
        server.ask("DELETE", f"/api/tables/{gone['table']}", server.host)
        self.tables = [table["table"] for table in made] + [gone["table"], "0" * 16]
        self.keys = [key for table in [*made, gone] for key in (table["key"], table["watch"])]
        self.own = {table["table"]: table["key"] for table in [*made, gone]}
        self.protected = {table["table"] for table in made}

    def state(self) -> Json:
        """The stored tables, which must not change."""
        rows = [row for row in self.server.store.rows(0, 100_000) if row.id in self.protected]
        return [(row, self.server.store.decisions(row.id)) for row in rows]


# ---------------------------------------------------------------- mutated requests
def request(targets: Targets, generator: random.Random) -> tuple[str, str, dict[str, str], bytes | None]:
    """Method, path, headers and content of a valid request with one or more mutations.

    None of the valid requests changes a table: a player has the right key, but a wrong number of decisions, or an
    action that is not legal.
    """
    table = generator.choice(targets.tables)
    key = generator.choice([*targets.keys, "", "x" * 22, targets.server.host])
    if generator.random() < 0.7:
        key = targets.own.get(table, key)
    path = f"/api/tables/{table}"
    kinds: list[tuple[str, str, Json]] = [
        ("GET", "/api/about", None),
        ("GET", "/api/help/carnegie", None),
        ("GET", "/api/tables?offset=0&limit=3", None),
        ("GET", path, None),
        ("GET", f"{path}?since=1000000&wait=1", None),
        ("GET", f"{path}/picture.svg?theme=dark&at=1", None),
        ("GET", f"{path}/at/1", None),
        ("GET", f"{path}/scores", None),
        ("GET", f"{path}/record", None),
        ("GET", f"{path}/position", None),
        ("POST", f"{path}/variation", {"at": 1, "variation": [1, 2], "theme": "light"}),
        ("POST", f"{path}/analysis", {"at": 1, "variation": [], "agent": "random"}),
        ("POST", f"{path}/resume", None),
        ("POST", f"{path}/decisions", {"decisions": generator.choice([0, 10**6, -1]), "action": 10**5}),
        ("POST", f"{path}/undo", {"decisions": 10**6}),
        ("POST", "/api/invitations/AAAAAAAAAAAAAAAAAAAAAA", {"name": "x"}),
        ("POST", "/api/tables", {"game": "carnegie", "options": {"difficulty": "easy"}, "seats": [{"kind": "here"}]}),
        ("POST", "/api/tables", {"position": targets.position, "seats": [{"kind": "here"}] * 2}),
        ("POST", "/api/tables", {"record": targets.record, "seats": [{"kind": "here"}] * 2}),
        ("GET", "/", None),
        ("GET", "/index.html", None),
        ("GET", "/openapi.json", None),
    ]
    method, path, content = generator.choice(kinds)
    if path.startswith("/api/tables") and table not in path and generator.random() < 0.7:
        key = targets.server.host
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    body = None if content is None else json.dumps(content).encode()
    for _ in range(generator.choice([1, 1, 1, 2, 3])):
        match generator.choice(MUTATED):
            case 0:
                method = generator.choice(METHODS)
                if method == "DELETE":
                    headers["authorization"] = f"Bearer {generator.choice(targets.keys)}"  # not the host key
            case 1:
                path = _mutated_path(path, generator)
            case 2 if content is not None:
                content = spoil(json.loads(json.dumps(content)), generator, VALUES)  # without shared parts
                body = json.dumps(content).encode()
            case 3 if body is not None:
                body = _mutated_bytes(body, generator)
            case 4:
                headers["content-type"] = generator.choice(TYPES)
            case 5:
                headers["host"] = generator.choice(HOSTS)
            case 6:
                headers["origin"] = generator.choice(ORIGINS)
            case 7:
                headers["authorization"] = generator.choice(
                    ["", "Bearer", "Basic eDp4", "Bearer " + "é" * 30, "bearer  x", "x" * 5000]
                )
            case _:
                headers["content-encoding"] = generator.choice(["gzip", "br", "identity", "x"])
    return method, path, headers, body


def _mutated_path(path: str, generator: random.Random) -> str:
    match generator.randrange(4):
        case 0:
            parts = path.split("/")
            parts[generator.randrange(1, len(parts))] = _quoted(generator.choice(WORDS))
            return "/".join(parts)
        case 1:
            return f"{path}/{_quoted(generator.choice(WORDS))}"
        case 2:
            name = generator.choice(["since", "wait", "at", "theme", "offset", "limit", "x"])
            return f"{path}{'&' if '?' in path else '?'}{name}={_quoted(generator.choice(WORDS))}"
        case _:
            k = generator.randrange(1, len(path) + 1)
            return path[:k] + generator.choice(["/", "%", ".", "//", "\\", ";", "%25"]) + path[k:]


def _quoted(word: str) -> str:
    return quote(word, safe="!\"$%&'()*+,/:;<=>@[\\]^`{|}")


def _mutated_bytes(body: bytes, generator: random.Random) -> bytes:
    match generator.randrange(6):
        case 0:
            return body[: generator.randrange(len(body) + 1)]
        case 1:
            k = generator.randrange(len(body) + 1)
            return body[:k] + generator.randbytes(generator.randrange(1, 9)) + body[k:]
        case 2:
            return b"[" * generator.choice([10, 1000, 100_000])
        case 3:
            return b'{"a":' * generator.choice([10, 5000]) + b"1"
        case 4:
            return body + b" " * generator.choice([10, 1_100_000])
        case _:
            return generator.choice(
                [body.decode("latin-1").encode("utf-16"), b"\xef\xbb\xbf" + body, b"NaN", b"", b'{"seed": 1e999}']
            )


# ---------------------------------------------------------------- bytes on a socket
def raw(targets: Targets, generator: random.Random) -> bytes:
    """Bytes that violate HTTP or carry a mutated request."""
    method, path, headers, body = request(targets, generator)
    path = path if path.isascii() else _quoted(path)
    headers = {"host": "127.0.0.1:8000", **headers, "connection": "close"}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    body = body or b""
    match generator.randrange(10):
        case 0:
            lines.append(f"content-length: {generator.choice([-1, 'x', 10**30, len(body) + 10, 3, ''])}")
        case 1:
            lines += ["transfer-encoding: chunked", f"content-length: {len(body)}"]
        case 2:
            lines.append("transfer-encoding: chunked")
            body = generator.choice(
                [b"5\r\nabc", b"zz\r\n", b"-1\r\n\r\n", b"ffffffffffffffff\r\n", b"0\r\n\r\n" + body]
            )
        case 3:
            lines[0] = generator.choice([
                f"{method} {path}", f"{method} {path} HTTP/9.9", "GET / HTTP/1.1\x00", "\x16\x03\x01",
                f"{method}  {path}  HTTP/1.1", "", "GET http://evil.example/ HTTP/1.1", "PRI * HTTP/2.0",
            ])  # fmt: skip
        case 4:
            lines.append(
                generator.choice(["no colon", ": no name", " folded: x", "x" * 40_000 + ": y", "a\x00b: c", "é: ü"])
            )
        case 5:
            lines += ["host: evil.example"]
        case 6:
            lines += [f"x-{k}: {k}" for k in range(300)]
        case 7:
            return generator.randbytes(generator.randrange(1, 300))
        case _:
            lines.append(f"content-length: {len(body)}")
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def sent(port: int, content: bytes) -> bytes:
    """The response to some bytes; empty if the server closes the connection or waits for more."""
    with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
        try:
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
            found = b""
            while len(found) < 100_000 and (part := connection.recv(65_536)):
                found += part
        except OSError:
            return b""
        return found


# ---------------------------------------------------------------- checking
class Log(logging.Handler):
    """Collects log messages at level error or with an exception."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR or record.exc_info:
            self.messages.append(self.format(record))

    @classmethod
    @contextlib.contextmanager
    def listening(cls) -> Iterator[Log]:
        """Listen to all loggers; those of uvicorn do not propagate to the root."""
        log, loggers = cls(), [logging.getLogger(name) for name in ("", "carnegie_env.web", "uvicorn.error")]
        for each in loggers:
            each.addHandler(log)
        try:
            yield log
        finally:
            for each in loggers:
                each.removeHandler(log)


def wrong_with(status: int, content: bytes, method: str) -> str:
    """The fault in a response to a hostile request; "" if there is none."""
    if not 200 <= status < 500:
        return f"status {status}"
    if status < 400 or method == "HEAD":
        return ""
    try:
        found = json.loads(content)
    except ValueError:
        return f"status {status} with {content[:200]!r}, not JSON"
    if set(found) != {"error"} or not isinstance(found["error"], str) or not 3 <= len(found["error"]) <= 1200:
        return f"status {status} with {content[:300]!r}"
    if "Traceback" in found["error"] or 'File "' in found["error"]:
        return f"a traceback: {found['error'][:300]}"
    return ""


def attack(targets: Targets, seeds: range) -> collections.Counter[int]:
    """Send a request for each seed and count the statuses.

    Raises:
        AssertionError: with the seed of a request that was answered wrongly or changed a game.
    """

    def ask(generator: random.Random) -> tuple[int | None, str, str]:
        method, path, headers, body = request(targets, generator)
        answer = targets.server.raw(method, path, headers, body)
        shown = f"{method} {path[:200]!r} {headers} {(body or b'')[:300]!r}"
        if answer is None:  # the client can't send it
            return None, "", shown
        return answer.status_code, wrong_with(answer.status_code, answer.content, method), shown

    return _attack(targets, seeds, ask)


def attack_socket(targets: Targets, port: int, seeds: range) -> collections.Counter[int]:
    """The same with bytes on a socket; 0 counts connections that were closed without a response."""

    def ask(generator: random.Random) -> tuple[int, str, str]:
        content = raw(targets, generator)
        found = sent(port, content)
        first = found.partition(b"\r\n")[0].split(b" ")
        status = int(first[1]) if len(first) > 1 and first[0].startswith(b"HTTP/") and first[1].isdigit() else 0
        return status, "" if status < 500 else repr(found[:300]), repr(content[:300])

    return _attack(targets, seeds, ask)


def _attack(
    targets: Targets, seeds: range, ask: Callable[[random.Random], tuple[int | None, str, str]]
) -> collections.Counter[int]:
    """``ask`` sends a request and returns its status, the fault in the response, and the request for messages."""
    statuses = collections.Counter[int]()
    with Log.listening() as log:
        before = targets.state()
        for number, seed in enumerate(seeds, 1):
            status, wrong, shown = ask(random.Random(seed))
            assert not wrong and not log.messages, f"seed {seed}: {shown}: {wrong} {log.messages}"
            if status is not None:
                statuses[status] += 1
            if number % 500 == 0 or number == len(seeds):
                assert targets.state() == before, f"one of the last 500 requests up to seed {seed} changed a game"
    return statuses
