"""The FastAPI application: routes, keys, long polls and lifespan. Besides it, only guard.py and connections.py know
HTTP."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import dataclasses
import json
import logging
import math
import secrets
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path, PurePath
from typing import Annotated, Any, TypeVar

import anyio
import anyio.to_thread
from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

import carnegie_env
from carnegie_env import collection
from carnegie_env.core.facts import FIRST_EDITION
from carnegie_env.core.record import name_in
from carnegie_env.render.text import number_of
from carnegie_env.web import about, messages, views
from carnegie_env.web.guard import RETRY, Guard, Limits
from carnegie_env.web.players import Players
from carnegie_env.web.store import Key, NotSaved, Row, Store
from carnegie_env.web.tables import AGENT, Refused, Start, Table, Tables

PAGE = Path(__file__).resolve().parent / "page"
TYPES = {  # of the page's files; not left to the system's table, as browsers refuse scripts with another type
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".webmanifest": "application/manifest+json",
    ".woff": "font/woff", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
NOTHING_HERE = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Nothing here</title><link rel="stylesheet" href="/style.css"><main class="panel narrow"><h1>Nothing here</h1>
<p>There is nothing at this address.</p><p><a href="/">To the games</a></p></main></html>
"""
THREADS = 4  # for requests
LONGEST_WAIT = 30  # s of a long poll
LONGEST_LIST = 100  # tables in one response
LAST_OFFSET = 10**6
T = TypeVar("T")
log = logging.getLogger(__name__)

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": messages.Error, "description": description}
    for status, description in {
        400: "malformed request",
        401: "missing or unknown key",
        403: "the key does not permit this",
        404: "not found",
        409: "not possible in the current state",
        413: "request body too large",
        415: "request body is not JSON",
        422: "invalid value",
        429: "too many requests",
        507: "could not be saved, for example because the disk is full; nothing has changed",
    }.items()
}


def _content(kind: str, description: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {kind: {}}, "description": description}}


class Json(Response):
    """A JSON response in plain ASCII, which can represent any text, even lone surrogates."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


def make_app(
    store: Store, players: Players, limits: Limits | None = None, hosts: Iterable[str] = (), numbers: bool = False
) -> Any:
    """The ASGI application; its attribute ``server`` is the :class:`Server`.

    Args:
        store: keeps the games.
        players: the agents.
        limits: of requests.
        hosts: accepted host names beside the loopback's.
        numbers: also accept any IP address as the host.
    """
    server = Server(store, players, limits or Limits())
    guard = Guard(server.app, server.limits, hosts, numbers)
    guard.server = server  # type: ignore[attr-defined]
    return guard


class Server:
    """The state shared by the routes.

    Attributes:
        app: the application without its guard.
        tables: the tables.
        limits: of requests.
    """

    def __init__(self, store: Store, players: Players, limits: Limits) -> None:
        self.limits = limits
        self.store = store
        self.players = players
        self.tables = Tables(store, players, self._changed, limits.tables)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changes: weakref.WeakValueDictionary[str, asyncio.Event] = weakref.WeakValueDictionary()  # by table
        self._busy: collections.Counter[tuple[str, ...]] = collections.Counter()
        self._stopping = False
        self.app = FastAPI(
            title="carnegie_env", version=carnegie_env.__version__, docs_url=None, redoc_url=None,
            redirect_slashes=False, lifespan=self._lifespan,
            description="Games to play, watch and analyse. Send keys as `Authorization: Bearer KEY`; docs/server.md "
            "says what each key permits.",
        )  # fmt: skip
        self.app.state.server = self
        for kind, handler in HANDLERS.items():
            self.app.add_exception_handler(kind, handler)
        for router in (offers, tables, playing, analysing, downloads):
            self.app.include_router(router, responses=ERRORS)
        self.app.mount("/", Page(directory=PAGE))

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        self.players.later(self.tables.wake)
        try:
            yield
        finally:
            self._loop = None
            await anyio.to_thread.run_sync(self.players.close)

    # ---- long polls
    def _changed(self, table: str) -> None:
        """Answer the long polls of a table; called from any thread."""
        with contextlib.suppress(RuntimeError):  # the server is shutting down
            if (loop := self._loop) is not None:  # it may become None at any moment
                loop.call_soon_threadsafe(self._wake, table)

    def _wake(self, table: str) -> None:
        if (change := self._changes.pop(table, None)) is not None:
            change.set()

    def stop(self) -> None:
        """Answer all long polls, because the server is shutting down."""
        self._stopping = True
        for table in list(self._changes):
            self._wake(table)

    @contextlib.contextmanager
    def busy(self, activity: str, key: str, most: int, together: float = math.inf) -> Iterator[None]:
        """Limit an activity to ``most`` at once per key and ``together`` in total; beyond that, Refused."""
        if self._busy[activity, key] >= most or self._busy[(activity,)] >= together:
            raise Refused(429, f"too many {activity} at once")
        self._busy.update([(activity, key), (activity,)])
        try:
            yield
        finally:
            self._busy.subtract([(activity, key), (activity,)])
            if not self._busy[activity, key]:
                del self._busy[activity, key]

    async def wait(self, table: Table, since: int, seconds: float, request: Request) -> None:
        """Wait until the table has another version, the time is up, or the client has disconnected."""
        with anyio.move_on_after(seconds):
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_on_disconnect, request, group.cancel_scope)
                while True:
                    # First, because the handler of Ctrl-C, which looks for it, may run between any two lines.
                    change = self._changes.setdefault(table.row.id, asyncio.Event())
                    if table.row.version != since or table.deleted or self._stopping:
                        break
                    await change.wait()
                group.cancel_scope.cancel()


async def _cancel_on_disconnect(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


# ---------------------------------------------------------------- errors
async def _refused(request: Request, error: Refused) -> Json:
    return Json({"error": str(error)}, error.status, RETRY if error.status == 429 else None)


async def _not_saved(request: Request, error: NotSaved) -> Json:
    log.error("%s %s: %s", request.method, request.url.path, error)
    return Json({"error": str(error)}, 507)


async def _http_error(request: Request, error: HTTPException) -> Response:
    status, headers = error.status_code, dict(error.headers or {})
    if status in (404, 405):
        allowed = _allowed(request)
        headers = {"allow": ", ".join(sorted(allowed))}
        status = 405 if allowed else 404
    if status == 404 and "text/html" in request.headers.get("accept", ""):  # a person's browser
        return Response(NOTHING_HERE, status, media_type="text/html")
    texts = {
        400: "the request body can't be read as JSON",
        404: "there is nothing at this address",
        405: f"this address does not support {request.method}",
    }
    return Json({"error": texts.get(status, str(error.detail))}, status, headers if status != 404 else None)


def _allowed(request: Request) -> set[str]:
    """The methods that work at an address; none if there is nothing."""
    found: set[str] = set()
    for method in ("GET", "POST", "DELETE"):
        for route in request.app.routes:
            match, _ = route.matches({**request.scope, "method": method})
            if match is Match.FULL and isinstance(route, Mount):
                page: Any = route.app
                found |= {"GET"} if method == "GET" and page.lookup_path(request.url.path[1:] or ".")[1] else set()
            elif match is Match.FULL:
                found.add(method)
    return found | ({"HEAD"} if "GET" in found else set())


async def _failed(request: Request, error: Exception) -> Json:  # the guard logs it
    return Json({"error": "internal server error; see the server's log"}, 500)


TEXTS = {"string_pattern_mismatch": "must not have control characters"}


async def _invalid(request: Request, error: RequestValidationError) -> Json:
    first = error.errors()[0]
    first["msg"] = TEXTS.get(first["type"], first["msg"])
    if first["loc"][-2:-1] == ("action",):  # neither of its two types fits
        first |= {"loc": first["loc"][:-1], "msg": "must be the number or the text of a legal action"}
    if first["type"] == "json_invalid":
        return Json({"error": "the request body is not valid JSON"}, 400)
    where = ".".join(str(part)[:40] for part in first["loc"][1:])
    return Json({"error": f"{where}: {first['msg']}" if where else first["msg"]}, 422)


HANDLERS: dict[type[Exception], Any] = {
    Refused: _refused, NotSaved: _not_saved, HTTPException: _http_error, RequestValidationError: _invalid,
    Exception: _failed,
}  # fmt: skip


# ---------------------------------------------------------------- keys
async def _server(request: Request) -> Server:
    found: Server = request.app.state.server
    return found


_bearer = HTTPBearer(auto_error=False, description="a host key, a seat key or a watch key")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
InServer = Annotated[Server, Depends(_server)]
TableId = Annotated[str, InPath(max_length=40, description="id of a table")]
At = Annotated[int | None, Query(ge=0, description="number of decisions after which to look; default: all")]


async def _key(server: InServer, bearer: Bearer) -> Key:
    """The key of a request, with its text."""
    wanted = "a key is needed, as `Authorization: Bearer KEY`"
    if bearer is None:
        raise Refused(401, wanted)
    key = server.store.key(bearer.credentials)
    if key is None:
        raise Refused(401, f"{wanted}; this server does not know the one given")
    return dataclasses.replace(key, plain=bearer.credentials)


AnyKey = Annotated[Key, Depends(_key)]


async def _host(key: AnyKey) -> None:
    if key.kind != "host":
        raise Refused(403, "this needs the host key")


@dataclasses.dataclass(frozen=True)
class Visit:
    """A request for a table.

    Args:
        server: the server.
        table: the table.
        seats: the seats of the key; none for watching.
        key: text of the key.
    """

    server: Server
    table: Table
    seats: tuple[int, ...]
    key: str

    def ask(self, do: Callable[..., T], *arguments: Any) -> T:
        """Call a function of the table, the seats and more, while no one else changes the table."""
        with self.table.lock:
            return do(self.table, self.seats, *arguments)

    def view(self) -> Json:
        """The table as these seats see it."""
        return Json(self.ask(views.view))


def _visit(server: InServer, table: TableId, key: AnyKey) -> Visit:
    if key.kind != "host" and key.table != table:
        if server.store.row(table) is None:
            raise Refused(404, "there is no such table")
        raise Refused(403, "this key is for another table")
    return Visit(server, server.tables.get(table), key.seats, key.plain or "")


AnyVisit = Annotated[Visit, Depends(_visit)]


async def _at_table(visit: AnyVisit, key: AnyKey) -> Visit:
    if key.kind == "host":
        raise Refused(403, "this needs a key of the table, not the host key")
    return visit


async def _at_seat_or_host(visit: AnyVisit, key: AnyKey) -> Visit:
    """At a seat, or with the host key, which counts as a spectator's."""
    if not visit.seats and key.kind != "host":
        raise Refused(403, "this key is only for watching; this needs a seat key")
    return visit


AtTable = Annotated[Visit, Depends(_at_table)]
AtSeatOrHost = Annotated[Visit, Depends(_at_seat_or_host)]


async def _at_seat(visit: AtTable, same: AtSeatOrHost) -> Visit:
    return visit


AtSeat = Annotated[Visit, Depends(_at_seat)]


# ---------------------------------------------------------------- routes
# FastAPI runs routes without `async` in its threads. The asynchronous ones wait for agents, or for news.
offers = APIRouter(prefix="/api", tags=["games and agents"])
tables = APIRouter(prefix="/api", tags=["tables"])
playing = APIRouter(prefix="/api/tables/{table}", tags=["playing"])
analysing = APIRouter(prefix="/api/tables/{table}", tags=["analysis"])
downloads = APIRouter(prefix="/api/tables/{table}", tags=["downloads"])
ForHost = Depends(_host)


@offers.get("/about", response_model=messages.About)
def get_about(server: InServer) -> Response:
    """The games with their options, and the agents."""
    return Json(about.about(server.players.about()))


@offers.get("/help/{game}", response_model=dict[str, messages.Topic])
def get_help(game: Annotated[str, InPath(max_length=40)]) -> Response:
    """Help topics on the parts of a board, by the keys in the picture's `data-help` attributes."""
    try:
        found = collection.find(game)
    except ValueError as error:
        raise Refused(404, str(error)) from None
    return Json(about.help_of(found))


@tables.get("/tables", response_model=messages.Tables, dependencies=[ForHost])
def list_tables(
    server: InServer,
    offset: Annotated[int, Query(ge=0, le=LAST_OFFSET)] = 0,
    limit: Annotated[int, Query(ge=1, le=LONGEST_LIST)] = 50,
    find: Annotated[
        str, Query(max_length=60, description="words in the names of the game or of seats, or a state")
    ] = "",
) -> Response:
    """The tables of this server, newest first (host key)."""
    rows = server.store.rows(offset, limit + 1, find)
    return Json({"tables": [_summary(server, row) for row in rows[:limit]], "more": len(rows) > limit})


@tables.post("/tables", response_model=messages.Summary, status_code=201, dependencies=[ForHost])
async def make_table(server: InServer, wanted: messages.NewTable) -> Response:
    """Make a table from options and a seed, from a record, or from a position (host key)."""
    start = await anyio.to_thread.run_sync(start_of, wanted)
    for name in sorted({name for kind, name in start.seats if kind == AGENT}):
        try:
            await asyncio.wrap_future(server.players.check(name, start.position))
        except ValueError as error:
            raise Refused(422, str(error)) from None
    return Json(await anyio.to_thread.run_sync(lambda: _summary(server, server.tables.add(start))), 201)


@tables.delete("/tables/{table}", status_code=204, dependencies=[ForHost])
def delete_table(server: InServer, table: TableId) -> None:
    """Delete a table and its game permanently (host key)."""
    server.tables.delete(table)


@tables.post("/invitations/{code}", response_model=messages.Taken)
def take_seat(
    server: InServer, code: Annotated[str, InPath(max_length=40)], guest: messages.Guest | None = None
) -> Response:
    """Take the seat of an invitation. An invitation works once; its key is shown to no one else."""
    table, key, seat = server.tables.take(code, guest.name.strip() if guest else "")
    return Json({"table": table, "key": key, "seat": seat})


async def _news(
    visit: AtTable,
    request: Request,
    since: Annotated[int | None, Query(description="wait while the table has this `version`")] = None,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT, allow_inf_nan=False, description="at most, in seconds")] = 0,
) -> Visit:
    server, table = visit.server, visit.table
    if since is not None and wait > 0 and table.row.version == since:
        with server.busy("long polls", visit.key, server.limits.polls, server.limits.polls_together):
            await server.wait(table, since, wait, request)
    if table.deleted:
        raise Refused(404, "there is no such table")
    return visit


@playing.get("", response_model=messages.View)
def get_view(visit: Annotated[Visit, Depends(_news)]) -> Response:
    """The table as you see it (seat key or watch key)."""
    return visit.view()


@playing.post("/decisions", response_model=messages.View)
def decide(visit: AtSeat, decision: messages.Decision) -> Response:
    """Take a decision (key of the seat to play)."""
    visit.server.tables.decide(visit.table, visit.seats, decision.decisions, decision.action)
    return visit.view()


@playing.post("/undo", response_model=messages.View)
def undo(visit: AtSeat, wanted: messages.Undo) -> Response:
    """Undo your last decision and everything after it, at tables with one person."""
    visit.server.tables.undo(visit.table, visit.seats, wanted.decisions)
    return visit.view()


@playing.post("/resume", response_model=messages.View)
def resume(visit: AtSeatOrHost) -> Response:
    """Ask the agent that stopped the table again (seat key, or the host key, as all seats may be agents')."""
    visit.server.tables.resume(visit.table)
    return visit.view()


@playing.get("/picture.svg", response_class=Response, responses=_content("image/svg+xml", "a picture"))
def get_picture(visit: AtTable, theme: messages.Theme = "light", at: At = None) -> Response:
    """The board as you see it."""
    return Response(visit.ask(views.picture, at, theme), media_type="image/svg+xml")


@analysing.get("/at/{decisions}", response_model=messages.View)
def look_back(visit: AtTable, decisions: Annotated[int, InPath(ge=0)]) -> Response:
    """An earlier position, with the legal actions of whichever seat decided there."""
    return Json(visit.ask(views.view, decisions))


@analysing.get("/scores", response_model=messages.Scores)
def get_scores(visit: AtTable) -> Response:
    """The scores as if the game had ended after each round, as far as you can know them."""
    return Json(visit.ask(views.scores_by_round))


@analysing.post("/analysis", response_model=messages.Analysis)
async def analyse(visit: AtTable, wanted: messages.Analyse) -> Response:
    """The value that an agent expects of each legal action."""
    server = visit.server
    with server.busy("analyses", visit.key, server.limits.analyses):
        question = await anyio.to_thread.run_sync(visit.ask, views.question, wanted)
        try:
            ratings = await asyncio.wrap_future(server.players.rate(question))
        except ValueError as error:
            raise Refused(422, str(error)) from None
    return Json(views.analysis(question, ratings))


@analysing.post("/review", response_class=Response, responses=_content("application/json", "see docs/review.md"))
async def review(visit: AtTable, wanted: messages.Reviewing) -> Response:
    """What each decision cost, and what was luck, once nothing in the game is secret."""
    server = visit.server
    with server.busy("reviews", visit.key, server.limits.analyses):
        line = await anyio.to_thread.run_sync(visit.ask, views.line)
        try:
            found = await asyncio.wrap_future(server.players.review(line, wanted.budget))
        except ValueError as error:
            raise Refused(422, str(error)) from None
    return Response(found, media_type="application/json")


@analysing.post("/variation", response_model=messages.Variation)
def vary(visit: AtTable, wanted: messages.Vary) -> Response:
    """A possible continuation, with chance and hidden information sampled."""
    return Json(visit.ask(views.view_of_variation, wanted.at, wanted.variation, wanted.theme))


@downloads.get("/record", response_class=Response, responses=_content("text/plain", "a game record"))
def get_record(visit: AtTable) -> Response:
    """The game as a record, once nothing in it is secret any more."""
    return _download(visit, views.record, "text/plain; charset=utf-8", "txt")


@downloads.get("/position", response_class=Response, responses=_content("application/json", "a position"))
def get_position(visit: AtTable) -> Response:
    """The position as JSON; while the game runs, as you see it."""
    return _download(visit, views.position_as_json, "application/json", "json")


def _download(visit: Visit, do: Callable[..., str], kind: str, suffix: str) -> Response:
    text, name = visit.ask(do), f"{visit.table.game.name}-{visit.table.row.id}.{suffix}"
    return Response(text, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


# ---------------------------------------------------------------- tables
def _summary(server: Server, row: Row) -> dict[str, Any]:
    wrong = None
    try:
        game = collection.find(row.game)
        title = game.title
        if (row.made_by, row.options.get("edition", FIRST_EDITION)) != (carnegie_env.__version__, game.edition):
            server.tables.get(row.id)
    except Refused as error:
        wrong = str(error)
    except ValueError as error:
        title, wrong = row.game, str(error)
    return views.summary(row, server.store.keys_of(row.id), title, wrong)


def start_of(wanted: messages.NewTable) -> Start:
    """The start of a new table; Refused if it is not possible."""
    if wanted.record is not None and wanted.position is not None:
        raise Refused(422, "a table begins with a record or a position, not with both")
    uploaded = wanted.record is not None or wanted.position is not None
    if uploaded and (wanted.options is not None or wanted.seed is not None):
        raise Refused(422, "a record or a position already has options and a seed; leave out yours")
    seed, decisions = wanted.seed, list[tuple[int, str]]()
    try:
        if wanted.record is not None:
            kind = _game(wanted, name_in(wanted.record)).record_class
            found = kind.from_text(wanted.record)
            position, seed = kind.position.new(found.options, found.seed), found.seed
            deciders = [each.to_play for each in found.positions()]
            decisions = list(zip(deciders, found.actions, strict=False))
        elif wanted.position is not None:
            position = _game(wanted, str(wanted.position.get("game", ""))).position_class.from_dict(wanted.position)
        else:
            seed = secrets.randbits(64) if seed is None else seed
            options = {"num_players": len(wanted.seats), **(wanted.options or {})}
            position = _game(wanted, wanted.game or "").position_class.new(options, seed)
    except ValueError as error:  # a RecordError names the line
        raise Refused(422, str(error)) from None
    if position.num_players != len(wanted.seats):
        raise Refused(422, f"this game needs {number_of(position.num_players, 'seats')}, not {len(wanted.seats)}")
    seats = [(seat.kind, seat.name.strip()) for seat in wanted.seats]
    return Start(position, seed, decisions, seats, wanted.undo, uploaded)


def _game(wanted: messages.NewTable, name: str) -> Any:
    if name and wanted.game is not None and name != wanted.game:
        raise ValueError(f"this is a game of {name[:40]!r}, not of {wanted.game!r}")
    return collection.find(name or wanted.game or collection.DEFAULT)


# ---------------------------------------------------------------- the page
class Page(StaticFiles):
    """The files of the page; hidden files and other types are not found."""

    def lookup_path(self, path: str) -> Any:
        name = PurePath("index.html" if path == "." else path)
        if name.suffix not in TYPES or any(part.startswith(".") for part in name.parts):
            return "", None
        try:
            return super().lookup_path(str(name))
        except (OSError, ValueError):  # the name is too long, or has a null byte
            return "", None

    def file_response(self, full_path: Any, *arguments: Any, **named: Any) -> Response:
        response = super().file_response(full_path, *arguments, **named)
        response.headers["content-type"] = TYPES[PurePath(full_path).suffix]
        response.headers["cache-control"] = "no-cache"
        return response
