"""Limits on connections: their number, and how long they may be held. guard.py limits the requests."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 2_500
SPARE_FILES = 200  # file descriptors left for the games, the page and agents' processes


def limited() -> type[Connection]:
    """The class of a server's connections, at most ``MOST`` or as many as the limit of open files allows."""
    most = MOST
    with contextlib.suppress(ImportError):  # Windows has no such limit
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST + SPARE_FILES
        if soft != resource.RLIM_INFINITY and soft < wanted:
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            most = max(resource.getrlimit(resource.RLIMIT_NOFILE)[0] - SPARE_FILES, 1)
    return type("LimitedConnection", (Connection,), {"most": most})


class Connection(H11Protocol):
    """A uvicorn connection that can't be held open without sending a request or reading the response.

    uvicorn itself closes a connection only if it is idle after a response. Here the head of a request has to arrive
    within a time of its first byte, or of the opening of the connection, and responses have to be read within a time.
    At the limit, a new connection replaces the one that has been silent for longest; connections with a request in
    progress, such as a long poll, are kept.

    Attributes:
        most: maximum number of connections.
        head_seconds: for the head of a request to arrive.
        read_seconds: for a response to be read, or for a closing connection to close.
    """

    most = MOST
    head_seconds = 20.0
    read_seconds = 30.0

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._timers: dict[str, asyncio.TimerHandle] = {}  # "head" and "read"; each aborts the connection
        self._last = 0.0  # time of the last data

    def is_answering(self) -> bool:
        """Whether a request is in progress."""
        return self.cycle is not None and not self.cycle.response_complete

    # ---- callbacks of asyncio and uvicorn
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._last = self.loop.time()
        self._expect_head()
        if len(self.connections) > self.most:
            others: list[Any] = [other for other in self.connections if other is not self]
            idle = [other for other in others if not other.is_answering()]
            replaced = min(idle, key=lambda other: other._last, default=self)
            self.connections.discard(replaced)
            replaced.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop("head")
        self._stop("read")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._last = self.loop.time()
        super().data_received(data)
        self._expect_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._begin("read", self.read_seconds)
        elif self.conn.trailing_data[0]:
            self._expect_head()

    def send_400_response(self, msg: str) -> None:
        if self.is_answering():  # an earlier request, whose response can't be sent
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        try:
            super().send_400_response(msg)
        except LocalProtocolError:  # to a HEAD request: uvicorn has sent the head, and h11 refuses the body
            self.transport.close()
        self._begin("read", self.read_seconds)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._begin("read", self.read_seconds)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._begin("read", self.read_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self._stop("read")

    # ---- timers
    def _expect_head(self) -> None:
        """Start the time for a request to arrive, unless one is in progress."""
        if self.is_answering():
            self._stop("head")
        else:
            self._begin("head", self.head_seconds)

    def _begin(self, timer: str, seconds: float) -> None:
        """Abort the connection after a time."""
        if timer not in self._timers:
            self._timers[timer] = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self, timer: str) -> None:
        if timer in self._timers:
            self._timers.pop(timer).cancel()
