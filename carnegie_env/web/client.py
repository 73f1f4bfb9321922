"""A client for bots and scripts: `Server` makes tables and takes seats, `Seat` plays. It needs nothing but Python.

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
TRIES = 8  # to reach a server that is not there, or has too much to do
PEOPLE = ("here", "invited")
Json = dict[str, Any]


class ServerError(Exception):
    """The server has refused a request.

    Attributes:
        status: as in HTTP: 409 not as things are now, 422 a wrong value, ...
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Connection:
    """Requests with one key, over one connection at a time. Threads may share it.

    Args:
        address: of the server, as it prints it.
        key: sent with every request; "" for none.
        timeout: seconds to wait for an answer, beside those of a long poll.
    """

    def __init__(self, address: str, key: str = "", timeout: float = 60) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"a server's address begins with http:// or https://, not {address[:80]!r}")
        self.address = f"{parts.scheme}://{parts.netloc}"
        self._kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._where, self._timeout = (parts.hostname, parts.port), timeout
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._lock = threading.Lock()
        self._open: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, content: Any = None) -> bytes:
        """The server's answer.

        A request is repeated after a moment if the server is restarting or overloaded; but one that may have been
        carried out is not sent twice.

        Raises:
            ServerError: it refuses.
            OSError: it can't be reached.
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
                    raise ServerError(status, _text(answer))
            time.sleep(0.1 * 2**attempt)
        raise AssertionError("the last try returns or raises")

    def _once(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        fresh = self._open is None
        connection = self._open or self._kind(*self._where, timeout=self._timeout)
        self._open = None
        try:
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                if fresh:
                    raise
                connection.close()  # one that was idle for too long: the server has closed it, and read nothing
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
            found = answer.status, answer.read()
        except BaseException:
            connection.close()
            raise
        self._open = connection
        return found

    def json(self, method: str, path: str, content: Any = None) -> Any:
        """The same, read as JSON."""
        return json.loads(self.ask(method, path, content))

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None


def _text(answer: bytes) -> str:
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return str(json.loads(answer)["error"])
    return answer[:200].decode("utf-8", "replace")


class Server:
    """A server; with the host key you can make tables there.

    Args:
        address: of the server: as it prints it, with the host key behind `#`; or without.
        key: the host key, if it isn't in the address.
    """

    def __init__(self, address: str, key: str = "") -> None:
        key = key or (parse_qs(urlsplit(address).fragment).get("host") or [""])[0]
        self._connection = Connection(address, key)

    def about(self) -> Json:
        found: Json = self._connection.json("GET", "/about")
        return found

    def tables(self, offset: int = 0, limit: int = 50) -> list[Table]:
        """Tables, the newest first."""
        found = self._connection.json("GET", f"/tables?offset={offset}&limit={limit}")
        return [Table(self._connection, each) for each in found["tables"]]

    def new_table(
        self, game: str | None = None, seats: Sequence[str] = ("here",), *, options: Json | None = None,
        seed: int | None = None, record: str | None = None, position: Json | None = None, undo: bool = True,
    ) -> Table:  # fmt: skip
        """Make a table.

        Args:
            game: its name; None with a record or a position.
            seats: for each seat "here" (one of yours), "invited", or the name of an agent, as in `search:ms=200`.
            options, seed: of the game.
            record, position: to begin with instead: a record's text, a position's dictionary.
            undo: whether a single person may take back.
        """
        named = [{"kind": seat} if seat in PEOPLE else {"kind": "agent", "name": seat} for seat in seats]
        asked = {"game": game, "seats": named, "options": options, "seed": seed, "record": record,
                 "position": position, "undo": undo}  # fmt: skip
        given = {name: value for name, value in asked.items() if value is not None}
        return Table(self._connection, self._connection.json("POST", "/tables", given))

    def join(self, code: str, name: str = "") -> Seat:
        """Take the seat of an invitation."""
        found = self._connection.json("POST", f"/invitations/{quote(code, safe='')}", {"name": name})
        return Seat(self._connection.address, found["table"], found["key"])


@dataclasses.dataclass(frozen=True)
class Table:
    """A table as its host sees it.

    Args:
        summary: the server's description; see docs/web.md.
    """

    _connection: Connection
    summary: Json

    def seat(self) -> Seat:
        """The seats `here`; a ValueError if there are none."""
        if self.summary["key"] is None:
            raise ValueError("at this table no seat is played here")
        return Seat(self._connection.address, self.summary["table"], self.summary["key"])

    def watcher(self) -> Seat:
        """A spectator."""
        return Seat(self._connection.address, self.summary["table"], self.summary["watch"])

    def invitations(self) -> list[str]:
        """The unused invitations, by seat."""
        return [each["code"] for each in self.summary["invitations"]]

    def delete(self) -> None:
        """Delete it, and its game, for good."""
        self._connection.ask("DELETE", f"/tables/{self.summary['table']}")


class Seat:
    """A player or spectator at a table.

    Args:
        address: of the server.
        table: its id.
        key: of a seat, or for watching.
    """

    def __init__(self, address: str, table: str, key: str) -> None:
        self.table, self.key = table, key
        self._connection = Connection(address, key)
        self._path = f"/tables/{table}"
        self._view: Json | None = None

    def view(self) -> Json:
        """The table as it is now; see docs/web.md."""
        return self._seen(self._connection.json("GET", self._path))

    def wait_for_change(self) -> Json:
        """The same, after something has happened since the last look, or after half a minute."""
        if self._view is None:
            return self.view()
        since = self._view["version"]
        return self._seen(self._connection.json("GET", f"{self._path}?since={since}&wait={LONG_POLL}"))

    def wait_for_turn(self) -> Json:
        """The table when it is your turn, or the game is over; a ServerError if an agent has stopped the table."""
        view = self._view or self.view()
        while not (view["your_turn"] or view["is_over"]):
            if view["stopped"]:
                raise ServerError(409, view["stopped"])
            view = self.wait_for_change()
        return view

    def play(self, action: int | str) -> Json:
        """Take a decision, by the number or the text of a legal action; returns the table after it. A ServerError if it
        is refused."""
        view = self._view or self.view()
        asked = {"decisions": view["decisions"], "action": action}
        return self._seen(self._connection.json("POST", f"{self._path}/decisions", asked))

    def undo(self) -> Json:
        """Take back your last decision and all since: the table after it."""
        view = self._view or self.view()
        return self._seen(self._connection.json("POST", f"{self._path}/undo", {"decisions": view["decisions"]}))

    def resume(self) -> Json:
        """Ask the agent that stopped the table again."""
        return self._seen(self._connection.json("POST", f"{self._path}/resume"))

    def picture(self, theme: str = "light") -> str:
        """The board, as SVG."""
        return self._connection.ask("GET", f"{self._path}/picture.svg?theme={theme}").decode()

    def position(self) -> Json:
        """The position as a dictionary for ``Position.from_dict``, hidden information sampled."""
        found: Json = self._connection.json("GET", f"{self._path}/position")
        return found

    def record(self) -> str:
        """The game as a record, when it is over."""
        return self._connection.ask("GET", f"{self._path}/record").decode()

    def scores(self) -> Json:
        """The scores as if the game had ended with each round."""
        found: Json = self._connection.json("GET", f"{self._path}/scores")
        return found

    def analysis(self, agent: str, at: int | None = None, variation: Sequence[int] = ()) -> Json:
        """An agent's values of the legal actions: now, or after ``at`` decisions and some more."""
        at = self.view()["decisions"] if at is None else at
        asked = {"at": at, "variation": list(variation), "agent": agent}
        found: Json = self._connection.json("POST", f"{self._path}/analysis", asked)
        return found

    def _seen(self, view: Json) -> Json:
        self._view = view
        return view
