"""The entry point: it checks all requests (host, origin, type, size, rate), and sets the headers of all answers."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import ipaddress
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

HEADERS = {  # of every answer
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
READS = ("GET", "HEAD")
REMEMBERED = 10_000  # addresses and keys whose rates are known
FAILED = "the server has failed; its log says how"
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Limits:
    """The limits of a server.

    Args:
        body: bytes of a request.
        body_seconds: for it to arrive.
        per_key: requests a second with one key, sustained; ten seconds' worth at once.
        per_address: the same from one address.
        tables: kept in the store.
        polls: long polls at once, with one key; all together ``polls_together``.
        analyses: at once, with one key.
    """

    body: int = 1_000_000
    body_seconds: float = 20
    per_key: float = 30
    per_address: float = 1000
    tables: int = 10_000
    polls: int = 6
    polls_together: int = 2_000
    analyses: int = 1


class Rates:
    """Token buckets: ``rate`` a second sustained, ten seconds' worth at once."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._left: OrderedDict[bytes, tuple[float, float]] = OrderedDict()  # tokens, and when

    def take(self, who: bytes) -> bool:
        """Whether one more is allowed."""
        now, most = self._clock(), 10 * self._rate
        left, then = self._left.pop(who, (most, now))
        left = min(most, left + (now - then) * self._rate)
        self._left[who] = (left - 1 if left >= 1 else left), now
        while len(self._left) > REMEMBERED:
            self._left.popitem(last=False)
        return left >= 1


class Turned(Exception):
    """A request that is turned away."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Guard:
    """Middleware (ASGI) around the whole application.

    Args:
        app: the application.
        limits: see :class:`Limits`.
        hosts: names and addresses that the server is reached by, beside those of the loopback: a foreign page whose
            name leads here (DNS rebinding) is not answered.
        numbers: accept any IP address as well: nobody can redirect those.
    """

    def __init__(self, app: App, limits: Limits, hosts: Iterable[str] = (), numbers: bool = False) -> None:
        self._app = app
        self._limits = limits
        self._numbers = numbers
        self._hosts = {host.lower() for host in (*LOOPBACK, *hosts)}
        self._keys, self._addresses = Rates(limits.per_key), Rates(limits.per_address)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, or have the application do it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # a WebSocket: there are none here
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                there = {name.lower() for name, _ in message["headers"]}
                more = {**HEADERS, **({} if b"cache-control" in there else {"cache-control": "no-store"})}
                message["headers"] = [*message["headers"], *((k.encode(), v.encode()) for k, v in more.items())]
            await send(message)

        try:
            headers = self._headers(scope)
            self._check(scope, headers)
            body = await self._body(scope, headers, receive)
            await self._app(scope, _replayed(body, receive), send_with_headers)
        except Turned as turned:
            await answer(send_with_headers, turned.status, str(turned))
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            if not started:
                await answer(send_with_headers, 500, FAILED)

    # ---- requests
    @staticmethod
    def _headers(scope: MutableMapping[str, Any]) -> dict[str, str]:
        found: dict[str, str] = {}
        for raw, value in scope["headers"]:
            name = raw.decode("latin-1").lower()
            if name in found and name in ("host", "origin", "content-type", "content-length", "authorization"):
                raise Turned(400, f"the header {name} is there twice")
            found[name] = value.decode("latin-1").strip()
        return found

    def _check(self, scope: MutableMapping[str, Any], headers: dict[str, str]) -> None:
        address = (scope.get("client") or ("",))[0]
        if not self._addresses.take(address.encode()):
            raise Turned(429, "too many requests from your address; wait a little")
        host = headers.get("host", "")
        name = _name_of(f"//{host}")
        if name not in self._hosts and not (self._numbers and _is_number(name)):
            raise Turned(403, "this server isn't called so; if it should be, start it with --allow-host NAME")
        if scope["method"] not in READS:
            origin, site = headers.get("origin"), headers.get("sec-fetch-site")
            if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
                raise Turned(403, "this request comes from another page than this server's own")
            if site is not None and site not in ("same-origin", "none"):
                raise Turned(403, "this request comes from another page than this server's own")
        if (key := headers.get("authorization")) is not None:
            if not self._keys.take(hashlib.sha256(key.encode()).digest()):
                raise Turned(429, "too many requests with this key; wait a little")

    async def _body(self, scope: MutableMapping[str, Any], headers: dict[str, str], receive: Receive) -> bytes:
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()):
            raise Turned(400, "content-length is no whole number")
        if int(length[:20]) > self._limits.body:
            raise Turned(413, f"a request has at most {self._limits.body} bytes")
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise Turned(400, "the request was cut off")
                    body += message.get("body", b"")
                    if len(body) > self._limits.body:
                        raise Turned(413, f"a request has at most {self._limits.body} bytes")
                    if not message.get("more_body"):
                        break
        except TimeoutError:
            raise Turned(408, f"the request took more than {self._limits.body_seconds:g} s to come in") from None
        if body:
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json" or headers.get("content-encoding", "identity").lower() != "identity":
                raise Turned(415, "a request's content must be application/json, not encoded")
        return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The application's input: the whole body, then the rest."""
    given = False

    async def next_message() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message


def _name_of(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  (a ValueError if it is none)
        return None if parts.username is not None or parts.path or parts.query or parts.fragment else parts.hostname
    except ValueError:
        return None


def _is_number(name: str | None) -> bool:
    try:
        ipaddress.ip_address(name or "")
    except ValueError:
        return False
    return True


async def answer(send: Send, status: int, text: str) -> None:
    """Send an error."""
    content = json.dumps({"error": text}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    if status == 429:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
