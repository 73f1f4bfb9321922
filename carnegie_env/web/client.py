"""A client for bots and scripts: `Server` makes tables and takes seats, `Seat` plays. It needs only Python.

>>> server = Server("http://127.0.0.1:8000/#host=KEY")
>>> seat = server.new_table("carnegie", ["here", "greedy"]).seat()
>>> while not (view := seat.wait_for_turn())["is_over"]:
...     view = seat.play(view["legal"][0]["action"])
"""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import json
import threading
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

LONG_POLL = 25  # s
TIMEOUT = 60  # s to wait for a response: more than a long poll takes
TRIES = 8  # to reach a server that is down or overloaded
PEOPLE = ("here", "invited")
Json = dict[str, Any]


class ServerError(Exception):
    """The server has refused a request.

    Attributes:
        status: the HTTP status: 409 not possible now, 422 invalid value, ...
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Connection:
    """Sends requests with one key, one at a time. Threads may share it.

    Args:
        address: of the server, as it prints it.
        key: sent with every request; "" for none.
    """

    def __init__(self, address: str, key: str = "") -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"a server's address begins with http:// or https://, not {address[:80]!r}")
        self.address = f"{parts.scheme}://{parts.netloc}"
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=TIMEOUT)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._lock = threading.Lock()

    def ask(self, method: str, path: str, content: Any = None) -> bytes:
        """The server's response to a request.

        A request is repeated if the server is restarting or overloaded, unless it may already have been carried out.

        Raises:
            ServerError: the server refuses the request.
            OSError: the server can't be reached.
        """
        body = None if content is None else json.dumps(content).encode()
        headers = self._headers | ({"Content-Type": "application/json"} if body is not None else {})
        for attempt in range(TRIES):
            try:
                with self._lock:
                    status, answer = self._once(method, f"/api{path}", body, headers)
            except (OSError, http.client.HTTPException) as error:
                sent = not isinstance(error, ConnectionRefusedError)
                if attempt == TRIES - 1 or (sent and method != "GET"):
                    raise error if isinstance(error, OSError) else ConnectionError(str(error)) from None
            else:
                if status < 400:
                    return answer
                if status != 429 or attempt == TRIES - 1:
                    raise ServerError(status, _error_text(answer))
            time.sleep(0.1 * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        reused = self._connection.sock is not None
        try:
            try:
                return self._sent(method, path, body, headers)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                if not reused:
                    raise
                self._connection.close()  # the server has closed it for being idle, and has read nothing
                return self._sent(method, path, body, headers)
        except BaseException:
            self._connection.close()
            raise

    def _sent(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def json(self, method: str, path: str, content: Any = None) -> Any:
        """The same, parsed as JSON."""
        return json.loads(self.ask(method, path, content))


def _error_text(answer: bytes) -> str:
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return str(json.loads(answer)["error"])
    return answer[:200].decode("utf-8", "replace")


class Server:
    """A server. With the host key you can make tables there.

    Args:
        address: of the server as it prints it, with or without the host key after `#`.
        key: the host key, if it isn't in the address.
    """

    def __init__(self, address: str, key: str = "") -> None:
        key = key or (parse_qs(urlsplit(address).fragment).get("host") or [""])[0]
        self._connection = Connection(address, key)

    def about(self) -> Json:
        """The version, the games with their options, and the agents."""
        return dict(self._connection.json("GET", "/about"))

    def tables(self, offset: int = 0, limit: int = 50) -> list[Table]:
        """Tables, newest first."""
        found = self._connection.json("GET", f"/tables?offset={offset}&limit={limit}")
        return [Table(self._connection, each) for each in found["tables"]]

    def new_table(
        self, game: str | None = None, seats: Sequence[str] = ("here",), *, options: Json | None = None,
        seed: int | None = None, record: str | None = None, position: Json | None = None, undo: bool = True,
    ) -> Table:  # fmt: skip
        """Make a table.

        Args:
            game: its name; None with a record or a position.
            seats: for each seat "here" (yours), "invited", or the name of an agent, such as `search:ms=200`.
            options, seed: of the game.
            record, position: start from these instead: a record's text, a position's dictionary.
            undo: whether a single person may undo decisions.
        """
        named = [{"kind": seat} if seat in PEOPLE else {"kind": "agent", "name": seat} for seat in seats]
        values = {"game": game, "seats": named, "options": options, "seed": seed, "record": record,
                  "position": position, "undo": undo}  # fmt: skip
        given = {name: value for name, value in values.items() if value is not None}
        return Table(self._connection, self._connection.json("POST", "/tables", given))

    def join(self, code: str, name: str = "") -> Seat:
        """Take the seat of an invitation."""
        found = self._connection.json("POST", f"/invitations/{quote(code, safe='')}", {"name": name})
        return Seat(self._connection.address, found["table"], found["key"])


@dataclasses.dataclass(frozen=True)
class Table:
    """A table as its host sees it.

    Args:
        summary: the server's description; see docs/server.md.
    """

    _connection: Connection
    summary: Json

    def seat(self) -> Seat:
        """The seats `here`; a ValueError if there are none."""
        if self.summary["key"] is None:
            raise ValueError("no seat of this table is played here")
        return Seat(self._connection.address, self.summary["table"], self.summary["key"])

    def watcher(self) -> Seat:
        """A spectator."""
        return Seat(self._connection.address, self.summary["table"], self.summary["watch"])

    def invitations(self) -> list[str]:
        """The codes of the unused invitations, by seat."""
        return [each["code"] for each in self.summary["invitations"]]

    def delete(self) -> None:
        """Delete the table and its game permanently."""
        self._connection.ask("DELETE", f"/tables/{self.summary['table']}")


class Seat:
    """A player or spectator at a table.

    Args:
        address: of the server.
        table: its id.
        key: a seat key or a watch key.
    """

    def __init__(self, address: str, table: str, key: str) -> None:
        self.table, self.key = table, key
        self._connection = Connection(address, key)
        self._view: Json | None = None

    def view(self) -> Json:
        """The table as it is now; see docs/server.md."""
        return self._new_view("GET", "")

    def wait_for_change(self) -> Json:
        """The table after its next change, or after half a minute."""
        if self._view is None:
            return self.view()
        return self._new_view("GET", f"?since={self._view['version']}&wait={LONG_POLL}")

    def wait_for_turn(self) -> Json:
        """The table when it is your turn or the game is over; a ServerError if an agent has stopped the table."""
        view = self._view or self.view()
        while not (view["your_turn"] or view["is_over"]):
            if view["stopped"]:
                raise ServerError(409, view["stopped"])
            view = self.wait_for_change()
        return view

    def play(self, action: int | str) -> Json:
        """Take a decision, by the number or text of a legal action; returns the table after it."""
        return self._new_view("POST", "/decisions", {"decisions": self._decisions(), "action": action})

    def undo(self) -> Json:
        """Undo your last decision and everything after it; returns the table after that."""
        return self._new_view("POST", "/undo", {"decisions": self._decisions()})

    def resume(self) -> Json:
        """Ask the agent that stopped the table again."""
        return self._new_view("POST", "/resume")

    def picture(self, theme: str = "light") -> str:
        """The board, as SVG."""
        return self._connection.ask("GET", f"/tables/{self.table}/picture.svg?theme={theme}").decode()

    def position(self) -> Json:
        """The position as a dictionary for ``Position.from_dict``, with hidden information sampled."""
        return self._json("GET", "/position")

    def record(self) -> str:
        """The game as a record, when it is over."""
        return self._connection.ask("GET", f"/tables/{self.table}/record").decode()

    def scores(self) -> Json:
        """The scores as if the game had ended after each round."""
        return self._json("GET", "/scores")

    def analysis(self, agent: str, at: int | None = None, variation: Sequence[int] = ()) -> Json:
        """An agent's values of the legal actions: now, or after ``at`` decisions, and after more actions."""
        at = self.view()["decisions"] if at is None else at
        return self._json("POST", "/analysis", {"at": at, "variation": list(variation), "agent": agent})

    def _decisions(self) -> int:
        return int((self._view or self.view())["decisions"])

    def _json(self, method: str, rest: str, content: Any = None) -> Json:
        return dict(self._connection.json(method, f"/tables/{self.table}{rest}", content))

    def _new_view(self, method: str, rest: str, content: Any = None) -> Json:
        self._view = None  # out of date if the server refuses the request
        self._view = self._json(method, rest, content)
        return self._view
