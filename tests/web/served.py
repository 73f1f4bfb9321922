"""Servers for tests: the application in this process, and a real server process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from carnegie_env.cli.serve import settings
from carnegie_env.web.app import make_app
from carnegie_env.web.guard import Limits
from carnegie_env.web.players import Players
from carnegie_env.web.store import Store

Json = dict[str, Any]
NO_LIMITS = Limits(per_key=1e9, per_address=1e9)
ADDRESS = "http://127.0.0.1:8000"
TABLE = {"game": "carnegie", "seats": [{"kind": "here"}]}  # a request for a new table


class Here:
    """The application in this process, without a socket; a context manager.

    Args:
        folder: for its games.
        limits: see guard.py.
        players: by default, with one process.
    """

    def __init__(self, folder: Path, limits: Limits = NO_LIMITS, players: Players | None = None, **more: Any) -> None:
        self.store = Store(Path(folder, "games.sqlite"))
        self.players = players or Players(workers=1)
        self.app = make_app(self.store, self.players, limits, **more)
        self.tables = self.app.server.tables
        self.host = self.store.host_key()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(self.app, raise_app_exceptions=False))
        self.answers: list[tuple[str, str, bytes]] = []  # key, path and content of every response

    def __enter__(self) -> Here:
        self._thread.start()
        self._lifespan = self.app.server.app.router.lifespan_context(self.app.server.app)
        self.do(self._lifespan.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self._lifespan.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.store.close()

    def do(self, coroutine: Any) -> Any:
        """Run a coroutine in the application's event loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(600)

    def ask(self, method: str, path: str, key: str | None = None, value: Any = None, **more: Any) -> httpx.Response:
        """Send a request; ``value`` is sent as JSON."""
        headers = {**({"authorization": f"Bearer {key}"} if key else {}), **more.pop("headers", {})}
        if value is not None:
            more["json"] = value
        answer: httpx.Response = self.do(self.client.request(method, ADDRESS + path, headers=headers, **more))
        self.answers.append((key or "", path, answer.content))
        return answer

    def raw(self, method: str, path: str, headers: dict[str, str], content: bytes | None) -> httpx.Response | None:
        """Send a request without any conversion; None if the client can't send it."""
        encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
        try:
            found: httpx.Response = self.do(
                self.client.request(method, ADDRESS + path, headers=encoded, content=content)
            )
        except (httpx.InvalidURL, UnicodeError):
            return None
        return found

    @contextlib.contextmanager
    def socket(self) -> Iterator[int]:
        """Serve the application with uvicorn on a real socket: its port."""
        listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        served = uvicorn.Server(uvicorn.Config(self.app, **{**settings(), "lifespan": "off"}))
        running = asyncio.run_coroutine_threadsafe(served.serve([listening]), self._loop)
        try:
            yield listening.getsockname()[1]
        finally:
            served.should_exit = True
            running.result(120)

    def get(self, path: str, key: str | None = None, status: int = 200) -> Any:
        """The JSON of a response with this status."""
        return self._json(self.ask("GET", path, key), status)

    def post(self, path: str, key: str | None = None, content: Any = None, status: int = 200) -> Any:
        """The same for a POST request."""
        return self._json(self.ask("POST", path, key, content), status)

    @staticmethod
    def _json(answer: httpx.Response, status: int) -> Any:
        assert answer.status_code == status, (answer.status_code, answer.text[:500])
        return json.loads(answer.content) if answer.content else None

    def new(self, game: str = "carnegie", *seats: str, **more: Any) -> Made:
        """Make a table and return its summary. ``seats``: "here", "invited", or an agent; by default one "here"."""
        named = [{"kind": s} if s in ("here", "invited") else {"kind": "agent", "name": s} for s in seats or ["here"]]
        return Made(self.post("/api/tables", self.host, {"game": game, "seats": named, **more}, 201))

    def view(self, made: Made) -> Json:
        """A table as the seats `here` see it, or as a spectator does if there are none."""
        found: Json = self.get(made.path, made["key"] or made["watch"])
        return found

    def settled(self, made: Made) -> Json:
        """The same when no agent is thinking any more."""
        view, until = self.view(made), time.monotonic() + 200
        while view["thinking"] is not None and time.monotonic() < until:
            view = self.get(f"{made.path}?since={view['version']}&wait=5", made["key"] or made["watch"])
        return view

    def decide(self, made: Made, view: Json, action: int | str | None = None, status: int = 200) -> Json:
        """Take a decision, by default the first legal action."""
        asked = {"decisions": view["decisions"], "action": view["legal"][0]["action"] if action is None else action}
        found: Json = self.post(f"{made.path}/decisions", made["key"], asked, status)
        return found

    def play_out(self, made: Made, seed: int = 1, most: int = 10_000) -> Json:
        """Play randomly at a table with one person, to the end or for some decisions: the last view."""
        generator, view = random.Random(seed), self.settled(made)
        while view["your_turn"] and view["decisions"] < most:
            self.decide(made, view, generator.choice(view["legal"])["action"])
            view = self.settled(made)
        assert view["stopped"] is None, view["stopped"]
        return view


class Made(dict[str, Any]):
    """The summary of a new table."""

    @property
    def path(self) -> str:
        """The path of its requests."""
        return f"/api/tables/{self['table']}"


class Process:
    """A server as users start it: a process with a socket.

    Args:
        file: of its games.
        arguments: of the command.
        environment: added to this process's.
    """

    def __init__(self, file: Path, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "carnegie_env", "serve", "--data", str(file), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=file.parent, process_group=0,
            env=os.environ | {"CARNEGIE_ENV_QUIET": "1"} | environment,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline().strip()
        found = re.fullmatch(r"(http://.+:(\d+))/#host=([\w-]{22})", self.line)
        if found is None:
            raise AssertionError(f"{self.line!r}, {self.process.communicate(timeout=10)}")
        self.address, self.port, self.key = found[1], int(found[2]), found[3]

    def kill(self) -> None:
        """Kill the process and everything it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def stop(self) -> tuple[int, str]:
        """Interrupt the process as Ctrl-C does: its exit code and error output."""
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
