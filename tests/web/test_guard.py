"""What comes in, and how it goes out: hosts, origins, types, sizes, rates, headers, the files of the page."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from carnegie_env.web import app
from carnegie_env.web.guard import HEADERS, Limits, Rates
from carnegie_env.web.players import Players
from tests.web.served import Here

TABLE = b'{"game": "carnegie", "seats": [{"kind": "here"}]}'
SEATS = {"game": "carnegie", "seats": [{"kind": "here"}]}


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]:8000", "127.0.0.1"])
def test_the_loopbacks_names_are_answered(server: Here, host: str) -> None:
    assert server.ask("GET", "/api/about", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "evil.example:8000", "", "192.168.0.7", "localhost@evil.example", "a/b",
     "localhost:port", "[::1", "127.0.0.1:99999999", "0x7f.1", "localhost, evil.example"],
)  # fmt: skip
def test_other_names_are_not(server: Here, host: str) -> None:
    answer = server.ask("GET", "/api/about", headers={"host": host})
    assert answer.status_code == 403 and "--allow-host" in answer.json()["error"]


def test_names_that_were_allowed_and_addresses(tmp_path: Path) -> None:
    with Here(tmp_path, players=Players(workers=1), hosts=["Games.example"], numbers=True) as server:
        for host, status in (
            ("games.example:80", 200),
            ("192.168.0.7:8000", 200),
            ("[fe80::1]", 200),
            ("x.example", 403),
        ):
            assert server.ask("GET", "/api/about", headers={"host": host}).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"origin": "http://127.0.0.1:8000"}, 201),
        ({"origin": "https://127.0.0.1:8000", "sec-fetch-site": "same-origin"}, 201),
        ({"origin": "http://127.0.0.1:9000"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
)
def test_other_pages_change_nothing_here(server: Here, headers: dict[str, str], status: int) -> None:
    before = server.store.count()
    assert server.ask("POST", "/api/tables", server.host, SEATS, headers=headers).status_code == status
    assert server.store.count() == before + (status == 201)
    assert server.ask("GET", "/api/about", headers=headers).status_code == 200  # reading needs a key where it matters


@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({"content-type": "application/json; charset=utf-8"}, TABLE, 201),
        ({"content-type": "text/plain"}, b"{}", 415),
        ({}, b"{}", 415),
        ({"content-type": "application/x-www-form-urlencoded"}, b"game=carnegie", 415),
        ({"content-type": "application/json", "content-encoding": "gzip"}, b"{}", 415),
        ({"content-type": "application/json"}, b"{", 400),
        ({"content-type": "application/json"}, b"\xff\xfe", 400),
        ({"content-type": "application/json"}, b"[" * 100_000, 400),
        ({"content-type": "application/json"}, b'{"seed": ' + b"9" * 5000 + b"}", 400),
        ({"content-type": "application/json"}, b"[]", 422),
        ({"content-type": "application/json"}, b"NaN", 422),
        ({"content-type": "application/json"}, b'{"game": "\\ud800", "seats": [{"kind": "here"}]}', 422),
        ({"content-type": "application/json"}, TABLE[:-3] + b', "name": "\\ud800"}]}', 422),
        ({"content-type": "application/json"}, TABLE[:-3] + b', "name": "\\u0000"}]}', 422),
        ({"content-type": "application/json", "content-length": "x"}, b"{}", 400),
        ({"content-type": "application/json", "content-length": "9" * 40}, b"{}", 413),
    ],
)  # fmt: skip
def test_contents(server: Here, headers: dict[str, str], content: bytes, status: int) -> None:
    answer = server.ask("POST", "/api/tables", server.host, headers=headers, content=content)
    assert answer.status_code == status, answer.text
    assert status == 201 or set(answer.json()) == {"error"}


def test_contents_in_pieces_have_a_limit_too(server: Here) -> None:
    async def pieces() -> Any:
        for _ in range(50):
            yield b" " * 50_000

    answer = server.ask(
        "POST", "/api/tables", server.host, headers={"content-type": "application/json"}, content=pieces()
    )
    assert answer.status_code == 413


def test_a_content_that_never_comes(tmp_path: Path) -> None:
    async def slow() -> Any:
        yield b"{"
        await asyncio.sleep(5)
        yield b"}"

    with Here(tmp_path, Limits(body_seconds=0.3), Players(workers=1)) as server:
        answer = server.ask(
            "POST", "/api/tables", server.host, headers={"content-type": "application/json"}, content=slow()
        )
        assert answer.status_code == 408


# ---------------------------------------------------------------- how much
def test_rates_are_token_buckets() -> None:
    now = 100.0
    rates = Rates(5, lambda: now)
    assert [rates.take(b"a") for _ in range(60)] == [True] * 50 + [False] * 10
    assert rates.take(b"b")
    now += 1
    assert [rates.take(b"a") for _ in range(8)] == [True] * 5 + [False] * 3
    now += 1000
    assert [rates.take(b"a") for _ in range(60)].count(True) == 50


def test_too_many_requests(tmp_path: Path) -> None:
    with Here(tmp_path, Limits(per_key=2, per_address=5), Players(workers=1)) as server:
        found = [server.ask("GET", "/api/tables", server.host) for _ in range(25)]
        assert [answer.status_code for answer in found[:20]] == [200] * 20 and found[-1].status_code == 429
        assert found[-1].headers["retry-after"] == "1" and "with this key" in found[-1].json()["error"]
        found = [server.ask("GET", "/api/about") for _ in range(40)]
        assert found[0].status_code == 200 and "from your address" in found[-1].json()["error"]


def test_too_many_tables(tmp_path: Path) -> None:
    with Here(tmp_path, Limits(tables=2), Players(workers=1)) as server:
        server.new("carnegie", "here"), server.new("carnegie", "here")
        assert "delete some first" in server.post("/api/tables", server.host, SEATS, 409)["error"]


def test_too_many_long_polls(tmp_path: Path) -> None:
    with Here(tmp_path, Limits(polls=2), Players(workers=1)) as server:
        made = server.new("carnegie", "here")
        path = f"http://127.0.0.1:8000/api/tables/{made['table']}?since=0&wait=1"

        async def several() -> list[int]:
            import httpx

            transport = httpx.ASGITransport(server.app)
            async with httpx.AsyncClient(
                transport=transport, headers={"authorization": f"Bearer {made['key']}"}
            ) as client:
                return [answer.status_code for answer in await asyncio.gather(*(client.get(path) for _ in range(5)))]

        assert sorted(server.do(several())) == [200, 200, 429, 429, 429]
        assert server.ask("GET", path, made["key"]).status_code == 200  # those are over


# ---------------------------------------------------------------- what goes out
def test_every_answer_carries_the_headers(server: Here) -> None:
    for method, path in (("GET", "/api/about"), ("GET", "/nothing"), ("GET", "/api/tables"), ("PUT", "/api/about"),
                         ("GET", "/openapi.json"), ("GET", "/"), ("POST", "/api/invitations/x")):  # fmt: skip
        answer = server.ask(method, path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (path, name)
        if path.startswith("/api"):
            assert answer.headers["cache-control"] == "no-store"
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    refused = server.ask("GET", "/api/about", headers={"host": "evil.example"})
    assert refused.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api", 404), ("GET", "/api/", 404), ("GET", "/api/nothing", 404), ("DELETE", "/api/about", 405),
     ("GET", "/api/about/", 404), ("GET", "/../setup.py", 404), ("GET", "/%2e%2e/app.py", 404),
     ("GET", "/..%2fapp.py", 404), ("GET", "/%00", 404), ("TRACE", "/api/about", 405), ("GET", "/app.py", 404)],
)  # fmt: skip
def test_what_is_not_there(server: Here, method: str, path: str, status: int) -> None:
    answer = server.ask(method, path)
    assert answer.status_code == status and set(answer.json()) == {"error"}


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(app, "PAGE", tmp_path / "page")
    yield tmp_path / "page"


def test_the_files_of_the_page(server: Here, page: Path) -> None:
    assert server.ask("GET", "/").status_code == 404  # no page: the rest works
    page.mkdir()
    (page / "index.html").write_text("<!doctype html><title>x</title>")
    (page / "parts").mkdir()
    (page / "parts" / "board.js").write_text("export const x = 1;")
    (page / ".secret.js").write_text("")
    (page / "notes.md").write_text("")
    (page.parent / "outside.js").write_text("")
    (page / "linked.js").symlink_to(page.parent / "outside.js")
    first = server.ask("GET", "/")
    assert first.headers["content-type"] == "text/html; charset=utf-8" and first.headers["cache-control"] == "no-cache"
    assert server.ask("GET", "/parts/board.js").headers["content-type"] == "text/javascript; charset=utf-8"
    again = server.ask("GET", "/", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304 and not again.content and again.headers["etag"] == first.headers["etag"]
    for name in (".secret.js", "notes.md", "../outside.js", "%2e%2e/outside.js", "linked.js", "parts", "x.js"):
        assert server.ask("GET", f"/{name}").status_code == 404, name


def test_a_failure_is_in_the_log_and_not_in_the_answer(
    server: Here, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr(app.about, "about", broken)
    with caplog.at_level(logging.ERROR):
        answer = server.ask("GET", "/api/about")
    assert answer.status_code == 500 and "secret detail" not in answer.text and set(answer.json()) == {"error"}
    assert "a secret detail" in caplog.text
