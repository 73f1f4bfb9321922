"""Checks of requests, headers of responses, and the files of the page."""

import asyncio
import functools
import itertools
import logging
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from carnegie_env.web import app, guard
from carnegie_env.web.guard import HEADERS, Limits, Rates
from tests.web.served import ADDRESS, NO_LIMITS, TABLE, Here

JSON = {"content-type": "application/json"}
BODY = b'{"game": "carnegie", "seats": [{"kind": "here"}]}'


# ---------------------------------------------------------------- hosts and origins
@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]:8000", "127.0.0.1"])
def test_the_names_of_the_loopback_are_accepted(server: Here, host: str) -> None:
    assert server.ask("GET", "/api/about", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "evil.example:8000", "", "192.168.0.7", "localhost@evil.example", "a/b",
     "localhost:port", "[::1", "127.0.0.1:99999999", "0x7f.1", "localhost, evil.example"],
)  # fmt: skip
def test_other_names_are_refused(server: Here, host: str) -> None:
    answer = server.ask("GET", "/api/about", headers={"host": host})
    assert answer.status_code == 403 and "--allow-host" in answer.json()["error"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_allowed_names_and_ip_addresses_are_accepted(tmp_path: Path) -> None:
    with Here(tmp_path, hosts=["Games.example"], numbers=True) as server:
        for host in ("games.example:80", "192.168.0.7:8000", "[fe80::1]"):
            assert server.ask("GET", "/api/about", headers={"host": host}).status_code == 200
        assert server.ask("GET", "/api/about", headers={"host": "x.example"}).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"origin": "http://127.0.0.1:8000"}, 201),
        ({"origin": "https://127.0.0.1:8000", "sec-fetch-site": "same-origin"}, 201),
        *(({"origin": origin}, 403) for origin in ("http://127.0.0.1:9000", "http://evil.example", "null", "")),
        *(({"sec-fetch-site": site}, 403) for site in ("cross-site", "same-site")),
    ],
)
def test_pages_of_other_sites_change_nothing(server: Here, headers: dict[str, str], status: int) -> None:
    before = server.store.count()
    assert server.ask("POST", "/api/tables", server.host, TABLE, headers=headers).status_code == status
    assert server.store.count() == before + (status == 201)
    assert server.ask("GET", "/api/about", headers=headers).status_code == 200  # reading needs a key where it matters


# ---------------------------------------------------------------- bodies
@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({"content-type": "application/json; charset=utf-8"}, BODY, 201),
        ({"content-type": "text/plain"}, b"{}", 415),
        ({}, b"{}", 415),
        ({"content-type": "application/x-www-form-urlencoded"}, b"game=carnegie", 415),
        ({**JSON, "content-encoding": "gzip"}, b"{}", 415),
        *((JSON, content, 400) for content in (b"{", b"\xff\xfe", b"[" * 100_000, b'{"seed": ' + b"9" * 5000 + b"}")),
        *((JSON, content, 422) for content in (b"[]", b"NaN", BODY.replace(b"carnegie", b"\\ud800"))),
        *((JSON, BODY[:-3] + b', "name": "%b"}]}' % name, 422) for name in (b"\\ud800", b"\\u0000")),
        ({**JSON, "content-length": "9" * 40}, b"{}", 413),
    ],
)  # fmt: skip
def test_bodies(server: Here, headers: dict[str, str], content: bytes, status: int) -> None:
    answer = server.ask("POST", "/api/tables", server.host, headers=headers, content=content)
    assert answer.status_code == status, answer.text
    assert status == 201 or set(answer.json()) == {"error"}


def test_repeated_headers_are_refused(server: Here) -> None:
    headers = [("origin", ADDRESS), ("origin", "http://evil.example")]
    answer = server.do(server.client.request("GET", f"{ADDRESS}/api/about", headers=headers))
    assert answer.status_code == 400 and "origin appears more than once" in answer.json()["error"]


def test_chunked_bodies_are_limited_in_size_and_time(tmp_path: Path) -> None:
    async def large() -> Any:
        for _ in range(50):
            yield b" " * 50_000

    async def slow() -> Any:
        yield b"{"
        await asyncio.sleep(5)
        yield b"}"

    for content, limits, status in ((large(), Limits(), 413), (slow(), Limits(body_seconds=0.3), 408)):
        with Here(tmp_path, limits) as server:
            answer = server.ask("POST", "/api/tables", server.host, headers=JSON, content=content)
            assert answer.status_code == status


# ---------------------------------------------------------------- rates and numbers
def test_rates_are_token_buckets() -> None:
    now = 100.0
    rates = Rates(5, lambda: now)
    assert [rates.take(b"a") for _ in range(60)] == [True] * 50 + [False] * 10
    assert rates.take(b"b")
    now += 1
    assert [rates.take(b"a") for _ in range(8)] == [True] * 5 + [False] * 3
    now += 1000
    assert [rates.take(b"a") for _ in range(60)].count(True) == 50


def test_too_many_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "Rates", functools.partial(Rates, clock=lambda: 0.0))  # no tokens come back
    with Here(tmp_path, Limits(per_key=2, per_address=5)) as server:
        found = [server.ask("GET", "/api/tables", server.host) for _ in range(25)]
        assert [answer.status_code for answer in found] == [200] * 20 + [429] * 5
        assert found[-1].headers["retry-after"] == "1" and "with this key" in found[-1].json()["error"]
        found = [server.ask("GET", "/api/about") for _ in range(40)]
        assert [answer.status_code for answer in found] == [200] * 25 + [429] * 15
        assert "from your address" in found[-1].json()["error"]


def test_too_many_tables(tmp_path: Path) -> None:
    with Here(tmp_path, Limits(tables=2)) as server:
        server.new(), server.new()
        assert "delete some first" in server.post("/api/tables", server.host, TABLE, 409)["error"]


def test_too_many_long_polls(tmp_path: Path) -> None:
    with Here(tmp_path, Limits(polls=2)) as server:
        made = server.new()
        path = f"{made.path}?since=0&wait=30"

        async def several() -> tuple[list[int], list[asyncio.Task[httpx.Response]]]:
            headers = {"authorization": f"Bearer {made['key']}"}
            asked = [asyncio.create_task(server.client.get(ADDRESS + path, headers=headers)) for _ in range(5)]
            refused = [await each for each in itertools.islice(asyncio.as_completed(asked), 3)]
            return [answer.status_code for answer in refused], [each for each in asked if not each.done()]

        refused, waiting = server.do(several())
        assert refused == [429, 429, 429]
        server.decide(made, server.view(made))  # answers the others
        assert [server.do(finished(each)).status_code for each in waiting] == [200, 200]
        assert server.ask("GET", path, made["key"]).status_code == 200  # the others are over


async def finished(task: asyncio.Task[httpx.Response]) -> httpx.Response:
    return await task


# ---------------------------------------------------------------- responses
@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [*((*each.split(" "), 200, None) for each in (
        "GET /api/about", "HEAD /api/about", "HEAD /", "HEAD /app.js", "GET /openapi.json")),
     ("GET", "/api/tables", 401, None), ("POST", "/api/invitations/x", 404, None),
     *((*each.split(" "), 404, None) for each in (
        "GET /api", "GET /api/", "GET /api/nothing", "GET /api/about/", "GET /../setup.py", "GET /%2e%2e/app.py",
        "GET /..%2fapp.py", "GET /%00", "GET /%00.js", f"GET /{1000 * 'x'}.js", "GET /app.py", "HEAD /nothing",
        "POST /nothing", "POST /api/nothing")),
     ("DELETE", "/api/about", 405, "GET, HEAD"), ("TRACE", "/api/about", 405, "GET, HEAD"),
     ("POST", "/app.js", 405, "GET, HEAD"), ("PUT", "/api/tables", 405, "GET, HEAD, POST"),
     ("GET", "/api/invitations/x", 405, "POST"), ("HEAD", "/api/invitations/x", 405, "POST")],
)  # fmt: skip
def test_statuses_and_security_headers(server: Here, method: str, path: str, status: int, allow: str | None) -> None:
    answer = server.ask(method, path)
    assert (answer.status_code, answer.headers.get("allow")) == (status, allow)
    assert HEADERS.items() <= dict(answer.headers).items()
    is_file = path in ("/", "/app.js") and status == 200
    assert answer.headers["cache-control"] == ("no-cache" if is_file else "no-store")
    assert not answer.content if method == "HEAD" else status == 200 or set(answer.json()) == {"error"}


def test_the_files_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page"
    (page / "parts").mkdir(parents=True)
    (page / "index.html").write_text("<!doctype html><title>x</title>")
    (page / "parts" / "board.js").write_text("export const x = 1;")
    for name in (".secret.js", "notes.md", "../outside.js"):
        (page / name).write_text("")
    (page / "linked.js").symlink_to(tmp_path / "outside.js")
    monkeypatch.setattr(app, "PAGE", page)
    with Here(tmp_path, NO_LIMITS) as server:
        first = server.ask("GET", "/")
        assert first.headers["content-type"] == "text/html; charset=utf-8"
        assert first.headers["cache-control"] == "no-cache"
        script = server.ask("GET", "/parts/board.js")
        assert script.headers["content-type"] == "text/javascript; charset=utf-8"
        again = server.ask("GET", "/", headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304 and not again.content and again.headers["etag"] == first.headers["etag"]
        for name in (".secret.js", "notes.md", "../outside.js", "%2e%2e/outside.js", "linked.js", "parts", "x.js"):
            assert server.ask("GET", f"/{name}").status_code == 404, name


def test_a_failure_is_in_the_log_and_not_in_the_response(
    server: Here, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr(app.about, "about", broken)
    with caplog.at_level(logging.ERROR):
        answer = server.ask("GET", "/api/about")
    assert answer.status_code == 500 and "secret detail" not in answer.text and set(answer.json()) == {"error"}
    assert "a secret detail" in caplog.text


def test_games_can_be_searched_for(tmp_path: Path) -> None:
    with Here(tmp_path) as server:
        one = server.new("carnegie", "here")
        two = server.new("steel_driver", "random", "random", "random")
        zoe = server.post("/api/tables", server.host, {"seats": [{"kind": "here", "name": "Zoë B"}]}, 201)
        cases = (("carneg", [zoe, one]), ("steel random", [two]), ("Zoë", [zoe]), ("kind", []), ("taken", []))
        for find, found in (*cases, ("%", []), ("", [zoe, two, one])):
            rows = server.get(f"/api/tables?find={quote(find)}", server.host)["tables"]
            assert [row["table"] for row in rows] == [each["table"] for each in found], find


def test_errors_about_values_are_in_words(tmp_path: Path) -> None:
    with Here(tmp_path) as server:
        made = server.new("carnegie", "here", "invited")
        for action in ("x" * 100_000, None, [1]):
            error = server.post(f"{made.path}/decisions", made["key"], {"decisions": 0, "action": action}, 422)["error"]
            assert error == "action: must be the number or the text of a legal action"
        for name in ("a\0b", "a\u202eb"):
            path = f"/api/invitations/{made['invitations'][0]['code']}"
            assert server.post(path, None, {"name": name}, 422)["error"] == "name: must not have control characters"
        for body in (b"[" * 100_000, b"\xff"):
            json_of = {"authorization": f"Bearer {server.host}", "content-type": "application/json"}
            answer = server.raw("POST", "/api/tables", json_of, body)
            assert answer and answer.status_code == 400 and "can't be read as JSON" in answer.json()["error"]
