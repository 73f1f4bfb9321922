"""A server, and a browser that is watched: each page must leave its console empty, send no request to another server,
and keep to the content security policy."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT
from tests.web.served import Process

SCREENSHOTS = ROOT / ".screenshots"
BROWSER = os.environ.get("CARNEGIE_BROWSER", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
FAILING = "tests.web.misfits:Recovers"  # an agent that fails until this file exists in the server's folder:
RECOVERED = "recovered"
TIMEOUT = 20_000  # ms for anything on a page
WIDE, PHONE = {"width": 1400, "height": 900}, {"width": 360, "height": 740}


def start(folder: Path, *arguments: str) -> Process:
    """A server in plain Python, so that no test waits for a compiler."""
    environment = {"RECOVERED": str(folder / RECOVERED), "NUMBA_DISABLE_JIT": "1"}
    return Process(folder / "games.sqlite", "--allow", FAILING, *arguments, **environment)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's folder."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="session")
def server(folder: Path) -> Iterator[Process]:
    running = start(folder)
    yield running
    running.kill()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    sync_api.expect.set_options(timeout=TIMEOUT)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield browser
        browser.close()


class Visitors:
    """Independent browser contexts, and the problems found in them."""

    def __init__(self, chromium: Any, server: Process) -> None:
        self._chromium = chromium
        self._server = server
        self._contexts: list[Any] = []
        self._problems: list[str] = []
        self._expected: list[str] = []

    def come(self, address: str | None = None, **options: Any) -> Any:
        """A page in a new context, by default at the host's address."""
        context = self._chromium.new_context(**{"viewport": WIDE, **options})
        context.set_default_timeout(TIMEOUT)
        context.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('CSP', e.violatedDirective, e.sourceFile))"
        )
        self._contexts.append(context)
        return self.page(context, address)

    def page(self, context: Any, address: str | None = None) -> Any:
        """Another page of a context."""
        page = context.new_page()
        page.on("console", lambda message: self._problems.append(f"console, {message.type}: {message.text}"))
        page.on("pageerror", lambda error: self._problems.append(f"error: {error}"))
        page.on("request", lambda request: self._check(request.url))
        page.goto(address or self._server.line)
        return page

    def _check(self, url: str) -> None:
        if not url.startswith((self._server.address + "/", "blob:" + self._server.address)):
            self._problems.append(f"request to {url}")

    def expect(self, text: str) -> None:
        """Accept console messages with this text, which the browser writes when a request fails."""
        self._expected.append(text)

    def leave(self) -> list[str]:
        """Close all contexts and return the problems."""
        for context in self._contexts:
            context.close()
        return [problem for problem in self._problems if not any(text in problem for text in self._expected)]


@pytest.fixture
def visitors(chromium: Any, server: Process) -> Iterator[Visitors]:
    found = Visitors(chromium, server)
    yield found
    assert found.leave() == []


@pytest.fixture
def page(visitors: Visitors) -> Any:
    """A page at the host's address."""
    return visitors.come()


def shot(page: Any, name: str, *, full: bool = False) -> None:
    """Save a screenshot."""
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=full, caret="initial")
