"""Connections: their time limits and their number. Their content is guard.py's concern."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 2_500
SPARE_FILES = 200  # of those that a process may have open: the games, the page, agents' processes


def limited() -> type[Connection]:
    """The class of a server's connections: as many as it may have files open, but not more than ``MOST``."""
    most = MOST
    with contextlib.suppress(ImportError):  # Windows has no such limit
        import resource

        least, largest = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST + SPARE_FILES
        if least != resource.RLIM_INFINITY and least < wanted:
            least = wanted if largest == resource.RLIM_INFINITY else min(wanted, largest)
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (least, largest))
            most = max(resource.getrlimit(resource.RLIMIT_NOFILE)[0] - SPARE_FILES, 1)
    return type("LimitedConnection", (Connection,), {"most": most})


class Connection(H11Protocol):
    """A connection of uvicorn that can't be held without sending a request, or without reading the answer.

    uvicorn itself ends it only if it is idle after an answer. Here the head of a request has to arrive some seconds
    after its first byte, the first one's after the connection was opened; answers have to be read within a time; and at
    the limit, a new connection replaces the one that has asked nothing for longest. One whose request is being
    answered, as a long poll's, stays.

    Attributes:
        most: connections at once.
        head_seconds: for the head of a request.
        take_seconds: for an answer to be read, or after the connection was to be closed.
    """

    most = MOST
    head_seconds = 20.0
    take_seconds = 30.0

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._timers: dict[str, asyncio.TimerHandle] = {}  # "head", "take": each ends the connection
        self._last = 0.0  # when something came

    def is_answering(self) -> bool:
        """Whether a request has arrived that is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    # ---- as asyncio and uvicorn tell it
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._last = self.loop.time()
        self._expect_a_head()
        if len(self.connections) > self.most:
            idle = [other for other in self.connections if other is not self and not other.is_answering()]  # type: ignore[union-attr]
            gone: Any = min(idle, key=lambda other: other._last, default=self)  # type: ignore[union-attr]
            self.connections.discard(gone)
            gone.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop("head")
        self._stop("take")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._last = self.loop.time()
        super().data_received(data)
        self._expect_a_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._begin("take", self.take_seconds)
        elif self.conn.trailing_data[0]:
            self._expect_a_head()

    def send_400_response(self, msg: str) -> None:
        if self.is_answering():  # a request before it, whose answer nobody can take any more
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        super().send_400_response(msg)
        self._begin("take", self.take_seconds)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._begin("take", self.take_seconds)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._begin("take", self.take_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self._stop("take")

    # ---- times
    def _expect_a_head(self) -> None:
        """A request has to come, unless one is being answered."""
        if self.is_answering():
            self._stop("head")
        else:
            self._begin("head", self.head_seconds)

    def _begin(self, timer: str, seconds: float) -> None:
        """End the connection after a time, unless it is closed by then."""
        if timer not in self._timers:
            self._timers[timer] = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self, timer: str) -> None:
        if timer in self._timers:
            self._timers.pop(timer).cancel()
