"""A server with tables of its own, and a browser whose every page is watched: nothing in its console, no request to
anywhere else, nothing against the content security policy."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / ".screenshots"
BROWSER = os.environ.get("CARNEGIE_BROWSER", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
FAILING = "tests.web.misfits:Recovers"  # an agent that fails until there is this file in the server's folder:
RECOVERED = "recovered"
START = 60  # seconds that a server may take to start
PATIENCE = 20_000  # milliseconds that anything on a page may take
WIDE, PHONE = {"width": 1400, "height": 900}, {"width": 360, "height": 740}


class Server:
    """`carnegie-env serve` in a process of its own.

    Args:
        folder: of its games and its log.
        arguments: of the command.
        environment: beside this process's.

    Attributes:
        address: with the host's key, as it was printed last.
    """

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.folder, self._arguments, self._environment = folder, arguments, environment
        self._process: subprocess.Popen[str] | None = None
        self.address = ""
        self.start()

    @property
    def origin(self) -> str:
        """Where it is, without the key."""
        return self.address.partition("/#")[0]

    def start(self) -> None:
        """Start it, at the port it had before."""
        port = self.origin.rpartition(":")[2] or "0"
        command = [sys.executable, "-m", "carnegie_env.cli", "serve", "--port", port, "--data",
                   str(self.folder / "games.sqlite"), *self._arguments]  # fmt: skip
        # Plain Python, so that no test waits for a compiler.
        environment = {**os.environ, "CARNEGIE_ENV_QUIET": "1", "NUMBA_DISABLE_JIT": "1"}
        environment |= self._environment
        with open(self.folder / "server.log", "a") as log:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True,
                process_group=0,
            )  # fmt: skip
        late = threading.Timer(START, self.kill)
        late.start()
        assert self._process.stdout is not None
        printed = []
        for line in self._process.stdout:
            printed.append(line)
            if found := re.search(r"http://\S+/#host=\S+", line):
                self.address = found[0]
                break
        late.cancel()
        log_text = (self.folder / "server.log").read_text()
        assert found, f"the server printed no address: {''.join(printed)}{log_text}"

    def kill(self) -> None:
        """As kill -9 does it, with all that it has started."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("fastapi")
    folder = tmp_path_factory.mktemp("server")
    running = Server(folder, "--allow", FAILING, RECOVERED=str(folder / RECOVERED))
    yield running
    running.kill()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    sync_api.expect.set_options(timeout=PATIENCE)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield browser
        browser.close()


class Visitors:
    """Browsers that know nothing of each other, and what went wrong in any of them."""

    def __init__(self, chromium: Any, server: Server) -> None:
        self._chromium = chromium
        self._server = server
        self._contexts: list[Any] = []
        self._wrong: list[str] = []
        self._expected: list[str] = []

    def come(self, address: str | None = None, **context: Any) -> Any:
        """A page in a new browser, at the host's address or another one."""
        new = self._chromium.new_context(viewport=context.pop("viewport", WIDE), **context)
        new.set_default_timeout(PATIENCE)
        self._contexts.append(new)
        new.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('CSP', e.violatedDirective, e.sourceFile))"
        )
        return self.page(new, address)

    def page(self, context: Any, address: str | None = None) -> Any:
        """A further page of a browser."""
        page = context.new_page()
        page.on("console", lambda message: self._wrong.append(f"console, {message.type}: {message.text}"))
        page.on("pageerror", lambda error: self._wrong.append(f"error: {error}"))
        page.on("request", lambda request: self._look_at(request.url))
        page.goto(address or self._server.address)
        return page

    def _look_at(self, url: str) -> None:
        if not url.startswith((self._server.origin + "/", "blob:" + self._server.origin)):
            self._wrong.append(f"request to {url}")

    def expect(self, text: str) -> None:
        """A message in the console that the browser itself writes, for a test provokes it: as when a request fails."""
        self._expected.append(text)

    def leave(self) -> list[str]:
        """What went wrong."""
        for context in self._contexts:
            context.close()
        return [wrong for wrong in self._wrong if not any(text in wrong for text in self._expected)]


@pytest.fixture
def visitors(chromium: Any, server: Server) -> Iterator[Visitors]:
    found = Visitors(chromium, server)
    yield found
    assert found.leave() == []


@pytest.fixture
def page(visitors: Visitors) -> Any:
    """A page at the host's address."""
    return visitors.come()


def shot(page: Any, name: str, *, full: bool = False) -> None:
    """Keep a picture of a page in the folder of screenshots."""
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=full, caret="initial")
