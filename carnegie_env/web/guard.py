"""The entry point for all requests: checks host, origin, content type, size and rate, and sets security headers."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import ipaddress
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {  # of every response
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
SINGLE = ("host", "origin", "content-type", "content-length", "authorization")  # headers that may not be repeated
REMEMBERED = 10_000  # addresses and keys whose request rates are tracked
RETRY = {"retry-after": "1"}
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Limits:
    """The limits of a server.

    Args:
        body: maximum size of a request body in bytes.
        body_seconds: time within which the body has to arrive.
        per_key: sustained requests per second with one key; bursts may use ten seconds' worth.
        per_address: the same for requests from one address.
        tables: maximum number of stored tables.
        polls: concurrent long polls per key.
        polls_together: concurrent long polls of all keys together.
        analyses: concurrent analyses per key.
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
    """Token buckets that refill at ``rate`` tokens per second and hold ten seconds' worth."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[bytes, tuple[float, float]] = OrderedDict()  # tokens and the time of the last use

    def take(self, client: bytes) -> bool:
        """Whether the client may make another request."""
        now, capacity = self._clock(), 10 * self._rate
        tokens, used = self._buckets.pop(client, (capacity, now))
        tokens = min(capacity, tokens + (now - used) * self._rate)
        self._buckets[client] = (tokens - 1 if tokens >= 1 else tokens), now
        while len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
        return tokens >= 1


class Guard:
    """ASGI middleware around the whole application.

    Args:
        app: the application.
        limits: see :class:`Limits`.
        hosts: accepted host names and addresses beside the loopback's. Other names are refused, which protects against
            DNS rebinding.
        numbers: also accept any IP address: those can't be rebound.
    """

    def __init__(self, app: ASGIApp, limits: Limits, hosts: Iterable[str], numbers: bool) -> None:
        self._app = app
        self._limits = limits
        self._numbers = numbers
        self._hosts = {host.lower() for host in (*LOOPBACK, *hosts)}
        self._keys, self._addresses = Rates(limits.per_key), Rates(limits.per_address)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and pass it on to the application, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                found.update(HEADERS)
                found.setdefault("cache-control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        try:
            self._check(scope, headers)
            body = await self._body(headers, receive)
        except HTTPException as error:
            refusal = JSONResponse({"error": error.detail}, error.status_code, error.headers)
            await refusal(scope, receive, send_with_headers)
            return
        if scope["method"] == "HEAD":  # uvicorn leaves out the response's body
            scope = {**scope, "method": "GET"}
        try:
            await self._app(scope, _replay(body, receive), send_with_headers)
        except Exception:  # the application has answered
            log.exception("%s %s failed", scope["method"], scope["path"])

    def _check(self, scope: Scope, headers: Headers) -> None:
        for header in SINGLE:
            if len(headers.getlist(header)) > 1:
                raise HTTPException(400, f"the header {header} appears more than once")
        address = (scope.get("client") or ("",))[0]
        if not self._addresses.take(address.encode()):
            raise HTTPException(429, "too many requests from your address; wait a moment", RETRY)
        host = headers.get("host", "")
        name = _hostname(host) or ""
        if name not in self._hosts and not (self._numbers and _is_ip_address(name)):
            raise HTTPException(403, "unknown host name; to accept it, start the server with --allow-host NAME")
        if scope["method"] not in ("GET", "HEAD"):
            own = (f"http://{host.lower()}", f"https://{host.lower()}")
            same_site = headers.get("sec-fetch-site", "none") in ("same-origin", "none")
            if headers.get("origin", own[0]).lower() not in own or not same_site:
                raise HTTPException(403, "this request comes from another site's page")
        key = headers.get("authorization")
        if key is not None and not self._keys.take(hashlib.sha256(key.encode()).digest()):
            raise HTTPException(429, "too many requests with this key; wait a moment", RETRY)

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        too_large = HTTPException(413, f"the request body may have at most {self._limits.body} bytes")
        if int(headers.get("content-length", "0")) > self._limits.body:  # the server has checked that it is a number
            raise too_large
        body, more = bytearray(), True
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise HTTPException(400, "the client disconnected before the request was complete")
                    body += message.get("body", b"")
                    if len(body) > self._limits.body:
                        raise too_large
                    more = message.get("more_body", False)
        except TimeoutError:
            seconds = f"{self._limits.body_seconds:g}"
            raise HTTPException(408, f"the request body did not arrive within {seconds} s") from None
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if body and (kind != "application/json" or headers.get("content-encoding", "identity").lower() != "identity"):
            raise HTTPException(415, "the request body must be application/json without content encoding")
        return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that returns the whole body first."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return messages.pop() if messages else await receive()

    return next_message


def _hostname(host: str) -> str | None:
    """The name in a Host header, without its port; None if it is malformed."""
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018  (raises ValueError if it is not a number)
        return None if parts.username is not None or parts.path or parts.query or parts.fragment else parts.hostname
    except ValueError:
        return None


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
