"""`carnegie-env serve`: a web page for playing, watching and analysing games (docs/web.md)."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from carnegie_env.cli.common import add_allow, check_allowed, listen
from carnegie_env.core.arguments import check_least

FILE = "games.sqlite"
LARGEST_PORT = 65_535
LONGEST_SHUTDOWN = 5  # s for requests to be answered
IDLE = 75  # s that a connection stays open without a request
LARGEST_HEAD = 32_768  # bytes of a request before its body
NO_EXTRA = "the page needs more packages: pip install 'carnegie_env[web]'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `serve`."""
    add = parser.add_argument
    add("--port", type=int, default=0, metavar="N", help="port of the server (default: a free one)")
    text = "address to listen on (default: %(default)s, which only this computer can reach)"
    add("--host", default="127.0.0.1", metavar="ADDRESS", help=text)
    text = "another name by which browsers reach the server; can be repeated"
    add("--allow-host", action="append", default=[], metavar="NAME", help=text)
    text = f"database file of the games, or a folder for {FILE} (default: {default_folder()})"
    add("--data", metavar="PATH", help=text)
    add_allow(add)
    add("--processes", type=int, metavar="N", help="worker processes for agents (default: number of cores + 1)")
    text = "limit for a decision of an agent, in addition to the agent's own budget (default: %(default)g)"
    add("--seconds", type=float, default=60, metavar="SECONDS", help=text)


def default_folder() -> Path:
    """The user's folder for application data."""
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local", "carnegie_env")
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "carnegie_env"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share", "carnegie_env")


def is_installed() -> bool:
    """Whether the packages of the page are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("fastapi", "uvicorn"))


def serve(given: argparse.Namespace) -> None:
    """Serve until Ctrl-C."""
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise ValueError(f"{NO_EXTRA} ({error})") from None
    if not 0 <= given.port <= LARGEST_PORT:
        raise ValueError(f"--port must be a whole number from 0 to {LARGEST_PORT}, not {given.port}")
    check_least(given, processes=1)
    if not 0 < given.seconds < float("inf"):
        raise ValueError(f"--seconds must be a finite number above 0, not {given.seconds}")
    check_allowed(given.allow)
    file = _file(given.data)
    listening = listen(given.host, given.port, "omit --port to use a free one")
    from carnegie_env.web.store import Store

    try:
        store = Store(file)
    except OSError as error:
        raise ValueError(f"{error.filename or file}: {error.strerror or error}; --data PATH saves the games elsewhere"
                         ) from None  # fmt: skip
    _run(given, store, listening)


def _file(path: str | None) -> Path:
    if path is None:
        return default_folder() / FILE
    if not path:
        raise ValueError("--data must name a file or a folder, not an empty text")
    return Path(path, FILE) if os.path.isdir(path) or path.endswith(os.sep) else Path(path)


def address_of(host: str, port: int) -> str:
    """The address of a server for a browser."""
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return f"http://{host}:{port}/"
    if number.is_unspecified:  # all addresses of this computer, including this one
        number = ipaddress.ip_address("127.0.0.1" if number.version == 4 else "::1")
    return f"http://[{number}]:{port}/" if number.version == 6 else f"http://{number}:{port}/"


def settings() -> dict[str, Any]:
    """The settings of uvicorn."""
    from carnegie_env.web import connections

    return {
        "http": connections.limited(),
        "ws": "none",
        "lifespan": "on",
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "timeout_keep_alive": IDLE,
        "timeout_graceful_shutdown": LONGEST_SHUTDOWN,
        "h11_max_incomplete_event_size": LARGEST_HEAD,
    }


def _run(given: argparse.Namespace, store: Any, listening: socket.socket) -> None:
    """Serve a file's games until Ctrl-C."""
    import uvicorn

    from carnegie_env.web.app import make_app
    from carnegie_env.web.players import Players

    players = Players(given.allow, given.processes, given.seconds)
    app = make_app(store, players, hosts=[given.host, *given.allow_host], numbers=not _is_loopback(given))

    class Server(uvicorn.Server):
        """Answers long polls before it ends; Ctrl-C is not an error."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

        def handle_exit(self, sig: int, frame: Any) -> None:
            app.server.stop()
            super().handle_exit(sig, frame)

    print(f"{address_of(given.host, listening.getsockname()[1])}#host={store.host_key()}", flush=True)
    print(f"Games are saved in {store.path}. Press Ctrl-C to stop the server.", flush=True)
    try:
        Server(uvicorn.Config(app, **settings())).run([listening])
    finally:
        store.close()


def _is_loopback(given: argparse.Namespace) -> bool:
    try:
        return ipaddress.ip_address(given.host).is_loopback
    except ValueError:
        return str(given.host).lower() == "localhost"
