"""Servers for tests: the application asked directly, and a real process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from carnegie_env.web.app import make_app
from carnegie_env.web.guard import Limits
from carnegie_env.web.players import Players
from carnegie_env.web.store import Store

ROOT = Path(__file__).resolve().parents[2]
NO_LIMITS = Limits(per_key=1e9, per_address=1e9)


class Here:
    """The application in this process, asked without a socket; a context manager.

    Args:
        folder: where its games are.
        limits: see guard.py.
        players: see players.py; by default it has one process.
    """

    def __init__(self, folder: Path, limits: Limits = NO_LIMITS, players: Players | None = None, **more: Any) -> None:
        self.store = Store(Path(folder, "games.sqlite"))
        self.players = players or Players(workers=1)
        self.app = make_app(self.store, self.players, limits, **more)
        self.tables = self.app.server.tables
        self.host = self.store.host_key()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.answers: list[tuple[str, str, bytes]] = []  # key, path, content: all that was ever answered

    def __enter__(self) -> Here:
        self._thread.start()
        self._life = self.app.server.app.router.lifespan_context(self.app.server.app)
        self.do(self._life.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self._life.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.store.close()

    def do(self, coroutine: Any) -> Any:
        """Run a coroutine where the application runs."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(120)

    def ask(self, method: str, path: str, key: str | None = None, value: Any = None, **more: Any) -> httpx.Response:
        """A request; ``value`` is sent as JSON."""
        headers = {**({"authorization": f"Bearer {key}"} if key else {}), **more.pop("headers", {})}

        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
                if value is not None:
                    more["json"] = value
                return await client.request(method, path, headers=headers, **more)

        answer: httpx.Response = self.do(asked())
        self.answers.append((key or "", path, answer.content))
        return answer

    def raw(self, method: str, path: str, headers: dict[str, str], content: bytes | None) -> httpx.Response | None:
        """A request as it is; None if no client would send it."""

        async def asked() -> httpx.Response | None:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport) as client:
                try:
                    encoded = [(name.encode(), value.encode("utf-8")) for name, value in headers.items()]
                    return await client.request(
                        method, f"http://127.0.0.1:8000{path}", headers=encoded, content=content
                    )
                except (httpx.InvalidURL, UnicodeError):
                    return None

        found: httpx.Response | None = self.do(asked())
        return found

    @contextlib.contextmanager
    def socket(self) -> Iterator[int]:
        """The application behind a real socket, with uvicorn: its port."""
        import socket

        import uvicorn

        from carnegie_env.cli.serve import settings

        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bind(("127.0.0.1", 0))
        listening.listen(100)
        guard = self.app

        async def without_life(scope: Any, receive: Any, send: Any) -> None:
            await guard(scope, receive, send)

        served = uvicorn.Server(uvicorn.Config(without_life, **{**settings(), "lifespan": "off"}))
        served.install_signal_handlers = lambda: None  # type: ignore[attr-defined]  # not in this thread
        running = asyncio.run_coroutine_threadsafe(served.serve([listening]), self._loop)
        try:
            yield listening.getsockname()[1]
        finally:
            served.should_exit = True
            running.result(30)

    def get(self, path: str, key: str | None = None, status: int = 200) -> Any:
        """The JSON of an answer that has this status."""
        return self._json(self.ask("GET", path, key), status)

    def post(self, path: str, key: str | None = None, content: Any = None, status: int = 200) -> Any:
        """The same of a POST."""
        return self._json(self.ask("POST", path, key, content), status)

    @staticmethod
    def _json(answer: httpx.Response, status: int) -> Any:
        assert answer.status_code == status, (answer.status_code, answer.text[:500])
        return json.loads(answer.content) if answer.content else None

    def new(self, game: str, *seats: str, **more: Any) -> dict[str, Any]:
        """A new table: the host's summary. ``seats``: "here", "invited", or an agent."""
        named = [{"kind": s} if s in ("here", "invited") else {"kind": "agent", "name": s} for s in seats]
        found: dict[str, Any] = self.post("/api/tables", self.host, {"game": game, "seats": named, **more}, 201)
        return found


class Process:
    """A server as users start it: a process with a socket.

    Args:
        file: of its games.
        arguments: of the command.
        environment: beside this process's.
    """

    def __init__(self, file: Path, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "carnegie_env.cli", "serve", "--data", str(file), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=file.parent,
            env=os.environ | {"CARNEGIE_ENV_QUIET": "1"} | environment,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline().strip()
        found = re.fullmatch(r"(http://.+:(\d+))/#host=([\w-]{22})", self.line)
        if found is None:
            raise AssertionError(f"{self.line!r}, {self.process.communicate(timeout=10)}")
        self.address, self.port, self.key = found[1], int(found[2]), found[3]

    def kill(self) -> None:
        """Without a chance to say anything more."""
        self.process.kill()
        self.process.communicate()

    def stop(self) -> tuple[int, str]:
        """As Ctrl-C does it: the exit code, and what it had to say."""
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@contextlib.contextmanager
def process(file: Path, *arguments: str, **environment: str) -> Iterator[Process]:
    """A server process that ends with the block."""
    served = Process(file, *arguments, **environment)
    try:
        yield served
    finally:
        served.kill()
