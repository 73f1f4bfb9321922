"""`carnegie-env serve` as users start it, and the client."""

import doctest
import http.client
import re
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from carnegie_env import cli
from carnegie_env.cli import serve
from carnegie_env.web import client
from carnegie_env.web.app import LONGEST_WAIT
from carnegie_env.web.client import Server, ServerError
from tests.commands import completed
from tests.paths import ROOT
from tests.web.served import Process, process

DOCUMENT = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")


def test_the_command_serves_until_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = time.monotonic()
    first = Process(tmp_path / "games.sqlite", "--processes", "1", NUMBA_DISABLE_JIT="1")
    host = Server(f"{first.address}/#host={first.key}")
    assert time.monotonic() - begun < 120  # a second or two on an idle machine
    seat = host.new_table("carnegie", ["here", "invited"], seed=1).seat()
    view = seat.view()
    found: list[object] = []
    waiting = threading.Thread(target=lambda: found.append(seat.wait_for_change()))  # a long poll
    asked, response = threading.Event(), http.client.HTTPConnection.getresponse

    def getresponse(connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        asked.set()
        return response(connection)

    monkeypatch.setattr(http.client.HTTPConnection, "getresponse", getresponse)
    waiting.start()
    assert asked.wait(60)
    host.about()  # the server answers this after it has read the other request
    begun = time.monotonic()
    assert first.stop() == (0, "")  # uvicorn reports an error if it has to cut the request off
    waiting.join(60)
    assert found and time.monotonic() - begun < LONGEST_WAIT
    with process(tmp_path / "games.sqlite", "--port", str(first.port), NUMBA_DISABLE_JIT="1") as second:
        assert second.port == first.port and second.key == first.key and second.line == first.line
        assert seat.view() == view  # the client reconnects


def test_a_port_in_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert cli.main(["serve", "--port", str(port), "--data", str(tmp_path / "games.sqlite")]) == 2
    assert f"port {port} of 127.0.0.1 is in use by another program" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--port", "70000"], "--port must be a whole number from 0 to 65535, not 70000"),
        (["--processes", "0"], "--processes must be 1 or more"),
        (["--seconds", "nan"], "--seconds must be a finite number above 0"),
        (["--host", "no such host"], "can't listen on no such host"),
    ],
)
def test_invalid_arguments(
    arguments: list[str], error: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["serve", *arguments, "--data", str(tmp_path / "games.sqlite")]) == 2
    assert error in capsys.readouterr().err


def test_the_path_of_the_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert serve._file(None) == tmp_path / "carnegie_env" / "games.sqlite"
    assert serve._file(str(tmp_path)) == tmp_path / "games.sqlite"
    assert serve._file(f"{tmp_path}/new/") == tmp_path / "new" / "games.sqlite"
    assert serve._file(f"{tmp_path}/mine.db") == tmp_path / "mine.db"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/home/ada")
    assert serve.default_folder() == Path("/home/ada/.local/share/carnegie_env")


def test_the_error_without_the_extra_says_what_to_install(tmp_path: Path) -> None:
    program = "import sys; sys.modules['fastapi'] = None; from carnegie_env.cli import main; sys.exit(main(['serve']))"
    run = completed("-c", program, cwd=tmp_path, NUMBA_DISABLE_JIT="1")
    assert run.returncode == 2 and "pip install 'carnegie_env[web]'" in run.stderr


# ---------------------------------------------------------------- the client
@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Process:
    made = Process(tmp_path_factory.mktemp("games") / "games.sqlite", "--processes", "1", NUMBA_DISABLE_JIT="1")
    yield made  # type: ignore[misc]
    made.kill()


def test_the_example_in_the_documentation_plays(served: Process) -> None:
    (example,) = [text for text in re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL) if "Server(" in text]
    program = re.sub(r'"http://[^"]+"', repr(served.line), example)
    assert program != example
    names: dict[str, object] = {}
    exec(program, names)
    assert names["view"]["is_over"]  # type: ignore[index]


def test_the_example_in_the_docstring(served: Process) -> None:
    text = (client.__doc__ or "").replace("http://127.0.0.1:8000/#host=KEY", served.line).replace("greedy", "random")
    test = doctest.DocTestParser().get_doctest(text, {"Server": Server}, "client", None, None)
    assert doctest.DocTestRunner().run(test) == (0, 3)


def test_all_requests_of_the_client(served: Process) -> None:
    host = Server(served.line)
    assert host.about()["games"][0]["name"] == "carnegie"
    table = host.new_table("carnegie", ["here", "invited", "random"], options={"modules": "all"}, undo=False, seed=8)
    one, other, watcher = table.seat(), host.join(table.invitations()[0], "Ada"), table.watcher()
    assert host.tables()[0].summary["table"] == table.summary["table"] == one.table
    for _ in range(5):
        for seat in (one, other):
            view = seat.view()
            while view["your_turn"]:
                view = seat.play(view["legal"][0]["text"])
    assert watcher.view()["last"] > 5 and watcher.picture("dark").startswith("<svg ")
    assert one.position()["game"] == "carnegie" and one.scores()["rounds"]
    for refused, status in ((one.record, 409), (one.resume, 409), (one.undo, 409), (lambda: watcher.play(1), 403),
                            (lambda: one.analysis("nobody"), 422), (lambda: host.join("x"), 404)):  # fmt: skip
        with pytest.raises(ServerError) as error:
            refused()
        assert error.value.status == status and str(error.value)
    table.delete()
    with pytest.raises(ServerError):
        one.view()
    own = host.new_table("carnegie")
    solo, same = own.seat(), own.seat()
    first = same.view()
    solo.view()
    solo.play(first["legal"][0]["action"])
    with pytest.raises(ServerError):
        same.play(first["legal"][0]["action"])  # it has not seen the other one's decision
    assert same.wait_for_turn()["decisions"] == 1  # not the view that was refused
    assert solo.undo()["decisions"] == 0
    with pytest.raises(ValueError, match="begins with http"):
        Server("127.0.0.1:8000")
    with pytest.raises(OSError):
        client.Connection("http://127.0.0.1:1")._once("GET", "/", None, {})
