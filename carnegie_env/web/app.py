"""The application: its routes and its life cycle. Apart from guard.py and connections.py the only module that knows
HTTP."""

# No `from __future__ import annotations` here: FastAPI reads the types of the routes, which are made in a function.
import asyncio
import collections
import contextlib
import hashlib
import json
import logging
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import anyio
import anyio.to_thread
from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

import carnegie_env
from carnegie_env import collection
from carnegie_env.core.record import name_in
from carnegie_env.web import about, analysis, messages, views
from carnegie_env.web.guard import FAILED, Guard, Limits
from carnegie_env.web.players import Players
from carnegie_env.web.store import Key, NotSaved, Store
from carnegie_env.web.tables import AGENT, Refused, Start, Table, Tables

PAGE = Path(__file__).resolve().parent / "page"
TYPES = {  # of the files of the page, by the end of their names
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".webmanifest": "application/manifest+json",
}  # fmt: skip
PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")  # of the path of a file of the page
THREADS = 4  # that work for requests
LONGEST_WAIT = 30  # s of a long poll
LONGEST_LIST = 100  # tables in one answer
LAST_OFFSET = 10**6
T = TypeVar("T")
log = logging.getLogger(__name__)

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": messages.Error, "description": "not understood"},
    401: {"model": messages.Error, "description": "no key, or one that isn't known"},
    403: {"model": messages.Error, "description": "the key is for something else"},
    404: {"model": messages.Error, "description": "there is no such thing"},
    409: {"model": messages.Error, "description": "not as things are now"},
    413: {"model": messages.Error, "description": "too large"},
    415: {"model": messages.Error, "description": "not JSON"},
    422: {"model": messages.Error, "description": "a value is wrong"},
    429: {"model": messages.Error, "description": "too many requests"},
    507: {"model": messages.Error, "description": "it could not be saved, as on a full disk; nothing has changed"},
}
SVG_ANSWER: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {}}, "description": "a picture"}}
TEXT_ANSWER: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}, "description": "a game record"}}
JSON_ANSWER: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {}}, "description": "a position"}}


class Json(Response):
    """An answer in JSON; plain ASCII, so that it can contain any text."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


def make_app(
    store: Store, players: Players, limits: Limits | None = None, hosts: Iterable[str] = (), numbers: bool = False
) -> Any:
    """The application (ASGI), which has an attribute ``server``: the :class:`Server`.

    Args:
        store: of the games.
        players: the agents.
        limits: of requests.
        hosts: names that it is reached by, beside those of the loopback.
        numbers: it is reached by any IP address as well.
    """
    server = Server(store, players, limits or Limits())
    guard = Guard(server.app, server.limits, hosts, numbers)
    guard.server = server  # type: ignore[attr-defined]
    return guard


class Server:
    """The state that the routes share.

    Attributes:
        app: the application, without its guard.
        tables: its tables.
        limits: of requests.
    """

    def __init__(self, store: Store, players: Players, limits: Limits) -> None:
        self.limits = limits
        self.store = store
        self.players = players
        self.tables = Tables(store, players, self._changed, limits.tables)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bells: dict[str, set[asyncio.Event]] = {}
        self._busy: collections.Counter[tuple[str, str]] = collections.Counter()
        self._threads: anyio.CapacityLimiter | None = None
        self._stopping = False
        self.app = FastAPI(
            title="carnegie_env", version=carnegie_env.__version__, docs_url=None, redoc_url=None,
            redirect_slashes=False, lifespan=self._life,
            description="Games to play, watch and analyse. Keys are sent as `Authorization: Bearer KEY`; docs/web.md "
            "says which key does what.",
        )  # fmt: skip
        _add_errors(self.app)
        access = Access(self)
        _add_offers(self.app, self)
        for add in (_add_tables, _add_playing, _add_analysis, _add_downloads):
            add(self.app, self, access)
        _add_page(self.app)

    @contextlib.asynccontextmanager
    async def _life(self, app: FastAPI) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        self._threads = anyio.CapacityLimiter(THREADS)
        self.players.later(self.tables.wake)
        try:
            yield
        finally:
            self._loop = None
            await anyio.to_thread.run_sync(self.players.close)

    async def run(self, do: Callable[..., T], *arguments: Any) -> T:
        """Call a function in a thread."""
        return await anyio.to_thread.run_sync(do, *arguments, limiter=self._threads)

    # ---- long polls
    def _changed(self, table: str) -> None:
        """A table has changed; called from any thread."""
        with contextlib.suppress(RuntimeError):  # the server is ending
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._ring, table)

    def _ring(self, table: str) -> None:
        for bell in self._bells.get(table, ()):
            bell.set()

    def stop(self) -> None:
        """Answer all long polls: the server is ending."""
        self._stopping = True
        for table in list(self._bells):
            self._ring(table)

    def stop_soon(self) -> None:
        """The same, from another thread."""
        with contextlib.suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self.stop)

    @contextlib.contextmanager
    def busy(self, what: str, key: str, most: int, together: int | None = None) -> Iterator[None]:
        """Around an activity of which a key may have ``most`` at once, and all keys ``together``; else Refused."""
        mine, all_of = (what, key), (what, "")
        if self._busy[mine] >= most or (together is not None and self._busy[all_of] >= together):
            raise Refused(429, f"too many {what} at once")
        self._busy.update([mine, all_of])
        try:
            yield
        finally:
            self._busy.subtract([mine, all_of])
            if not self._busy[mine]:
                del self._busy[mine]

    async def wait(self, table: Table, since: int, seconds: float, request: Request) -> None:
        """Wait until the table has another version, the time is up, or the client is gone."""
        bell, name = asyncio.Event(), table.row.id
        self._bells.setdefault(name, set()).add(bell)
        gone = asyncio.ensure_future(_gone(request))
        try:
            until = asyncio.get_running_loop().time() + seconds
            while table.row.version == since and not (table.deleted or self._stopping or gone.done()):
                left = until - asyncio.get_running_loop().time()
                if left <= 0:
                    break
                ringing = asyncio.ensure_future(bell.wait())
                await asyncio.wait({ringing, gone}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                ringing.cancel()
                bell.clear()
        finally:
            gone.cancel()
            self._bells[name].discard(bell)
            if not self._bells[name]:
                del self._bells[name]


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


# ---------------------------------------------------------------- errors
def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Json:
        return Json({"error": str(error)}, error.status, {"retry-after": "1"} if error.status == 429 else None)

    @app.exception_handler(NotSaved)
    async def not_saved(request: Request, error: NotSaved) -> Json:
        log.error("%s %s: %s", request.method, request.url.path, error)
        return Json({"error": str(error)}, 507)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Json:
        texts = {404: "there is nothing at this address", 405: f"{request.method} is not for this address"}
        return Json({"error": texts.get(error.status_code, str(error.detail))}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Json:  # the guard logs it
        return Json({"error": FAILED}, 500)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Json:
        first = error.errors()[0]
        where = ".".join(str(part)[:40] for part in first["loc"][1:])
        if first["type"] == "json_invalid":
            return Json({"error": "the request is no JSON"}, 400)
        return Json({"error": f"{where}: {first['msg']}" if where else first["msg"]}, 422)


# ---------------------------------------------------------------- keys
_bearer = HTTPBearer(auto_error=False, description="a host key, a seat key or a watch key")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
TableName = Annotated[str, InPath(max_length=40, description="id of a table")]
At = Annotated[int | None, Query(ge=0, description="after this number of decisions; all, if it isn't given")]


Found = tuple[Table, tuple[int, ...], str]  # the table, the seats of the key, and the key


class Access:
    """The routes' dependencies: who may do what, by key."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def _key(self, bearer: HTTPAuthorizationCredentials | None) -> Key:
        wanted = "a key is needed, as `Authorization: Bearer KEY`"
        if bearer is None:
            raise Refused(401, wanted)
        key = self._server.store.key(bearer.credentials)
        if key is None:
            raise Refused(401, f"{wanted}, and this server does not know this one")
        return key

    def host(self, bearer: Bearer) -> None:
        if self._key(bearer).kind != "host":
            raise Refused(403, "the host key is needed for this")

    async def at_table(self, table: TableName, bearer: Bearer) -> Found:
        key = self._key(bearer)
        assert bearer is not None
        if key.table != table:
            if self._server.store.row(table) is None:
                raise Refused(404, "there is no such table")
            raise Refused(403, "this key is not for this table")
        return await self._server.run(self._server.tables.get, table), key.seats, bearer.credentials

    async def at_seat(self, table: TableName, bearer: Bearer) -> Found:
        found = await self.at_table(table, bearer)
        if not found[1]:
            raise Refused(403, "this key is for watching only: a seat's key is needed")
        return found

    async def at_seat_or_host(self, table: TableName, bearer: Bearer) -> Found:
        """As at a seat; the host key counts as a spectator's."""
        if self._key(bearer).kind != "host":
            return await self.at_seat(table, bearer)
        assert bearer is not None
        return await self._server.run(self._server.tables.get, table), (), bearer.credentials


def _summary(server: Server, row: Any) -> dict[str, Any]:
    wrong = None
    try:
        title = collection.find(row.game).title
    except ValueError as error:
        title, wrong = row.game, str(error)
    if wrong is None and row.made_by != carnegie_env.__version__:
        try:
            server.tables.get(row.id)
        except Refused as error:
            wrong = str(error)
    return views.summary(row, server.store.keys_of(row.id), title, wrong)


def _locked(do: Callable[..., T], table: Table, *arguments: Any) -> T:
    with table.lock:
        return do(table, *arguments)


# ---------------------------------------------------------------- routes
def _add_offers(app: FastAPI, server: Server) -> None:
    @app.get("/api/about", response_model=messages.About, tags=["what there is"])
    async def what_there_is() -> Response:
        """The games with their options, and the agents."""
        return Json(await server.run(about.about, server.players.about()))

    @app.get("/api/help/{game}", response_model=dict[str, messages.Topic], responses=_some(404), tags=["what there is"])
    async def help_on_a_game(game: Annotated[str, InPath(max_length=40)]) -> Response:
        """What the things on a board are, by the keys that parts of the picture name (`data-help`)."""
        try:
            found = collection.find(game)
        except ValueError as error:
            raise Refused(404, str(error)) from None
        return Json(await server.run(about.help_of, found))


def _add_tables(app: FastAPI, server: Server, access: Access) -> None:
    Host = Depends(access.host)

    @app.get("/api/tables", response_model=messages.Tables, responses=_some(401, 403), dependencies=[Host],
             tags=["tables"])  # fmt: skip
    async def list_tables(
        offset: Annotated[int, Query(ge=0, le=LAST_OFFSET)] = 0,
        limit: Annotated[int, Query(ge=1, le=LONGEST_LIST)] = 50,
    ) -> Response:
        """The tables of this server, the newest first (host key)."""

        def listed() -> dict[str, Any]:
            rows = server.store.rows(offset, limit + 1)
            return {"tables": [_summary(server, row) for row in rows[:limit]], "more": len(rows) > limit}

        return Json(await server.run(listed))

    @app.post("/api/tables", response_model=messages.Summary, status_code=201, dependencies=[Host], tags=["tables"],
              responses=_some(400, 401, 403, 409, 413, 415, 422))  # fmt: skip
    async def make_a_table(asked: messages.NewTable) -> Response:
        """A new table (host key): of options and a seed, or a record, or a position."""
        start = await server.run(start_of, asked)
        for name in sorted({name for kind, name in start.seats if kind == AGENT}):
            try:
                await asyncio.wrap_future(server.players.check(name, start.position))
            except ValueError as error:
                raise Refused(422, str(error)) from None
        return Json(await server.run(lambda: _summary(server, server.tables.add(start))), 201)

    @app.delete("/api/tables/{table}", status_code=204, dependencies=[Host], tags=["tables"],
                responses=_some(401, 403, 404))  # fmt: skip
    async def delete_a_table(table: TableName) -> Response:
        """Delete a table and its game for good (host key)."""
        await server.run(server.tables.delete, table)
        return Response(status_code=204)

    @app.post("/api/invitations/{code}", response_model=messages.Taken, responses=_some(400, 404, 409, 415, 422),
              tags=["tables"])  # fmt: skip
    async def take_a_seat(code: Annotated[str, InPath(max_length=40)], guest: messages.Guest | None = None) -> Response:
        """Take the seat of an invitation; it works once, and the key is shown to nobody else."""
        table, key, seat = await server.run(server.tables.take, code, guest.name.strip() if guest else "")
        return Json({"table": table, "key": key, "seat": seat})


def _add_playing(app: FastAPI, server: Server, access: Access) -> None:
    AtTable = Annotated[Found, Depends(access.at_table)]
    AtSeat = Annotated[Found, Depends(access.at_seat)]
    AtSeatOrHost = Annotated[Found, Depends(access.at_seat_or_host)]

    async def after(change: Callable[[], None], table: Table, seats: tuple[int, ...]) -> Response:
        def changed() -> dict[str, Any]:
            change()
            return _locked(views.view, table, seats)

        return Json(await server.run(changed))

    @app.get("/api/tables/{table}", response_model=messages.View, responses=_some(401, 403, 404, 409, 429),
             tags=["playing"])  # fmt: skip
    async def look(
        found: AtTable,
        request: Request,
        since: Annotated[int | None, Query(description="a `version`: the answer waits for another one")] = None,
        wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT, allow_inf_nan=False, description="at most, seconds")] = 0,
    ) -> Response:
        """The table as you see it (key of a seat, or for watching)."""
        table, seats, key = found
        if since is not None and wait > 0 and table.row.version == since:
            with server.busy("long polls", key, server.limits.polls, server.limits.polls_together):
                await server.wait(table, since, wait, request)
        if table.deleted:
            raise Refused(404, "there is no such table")
        return Json(await server.run(_locked, views.view, table, seats))

    @app.post("/api/tables/{table}/decisions", response_model=messages.View, responses=ERRORS, tags=["playing"])
    async def decide(found: AtSeat, decision: messages.Decision) -> Response:
        """Take a decision (key of the seat that is to play)."""
        table, seats, _ = found
        return await after(
            lambda: server.tables.decide(table, seats, decision.decisions, decision.action), table, seats
        )

    @app.post("/api/tables/{table}/undo", response_model=messages.View, responses=ERRORS, tags=["playing"])
    async def undo(found: AtSeat, asked: messages.Undo) -> Response:
        """Take back your last decision and all since, where one person plays."""
        table, seats, _ = found
        return await after(lambda: server.tables.undo(table, seats, asked.decisions), table, seats)

    @app.post("/api/tables/{table}/resume", response_model=messages.View, responses=ERRORS, tags=["playing"])
    async def resume(found: AtSeatOrHost) -> Response:
        """Ask the agent that stopped the table again (key of a seat, or the host's: agents may be alone)."""
        table, seats, _ = found
        return await after(lambda: server.tables.resume(table), table, seats)

    @app.get("/api/tables/{table}/picture.svg", response_class=Response, responses={**SVG_ANSWER, **ERRORS},
             tags=["playing"])  # fmt: skip
    async def picture(found: AtTable, theme: messages.Theme = "light", at: At = None) -> Response:
        """The board as you see it."""
        table, seats, _ = found
        text = await server.run(_locked, views.picture, table, seats, at, theme)
        return Response(text, media_type="image/svg+xml")


def _add_analysis(app: FastAPI, server: Server, access: Access) -> None:
    AtTable = Annotated[Found, Depends(access.at_table)]

    @app.get("/api/tables/{table}/at/{decisions}", response_model=messages.View, responses=ERRORS, tags=["analysis"])
    async def look_back(found: AtTable, decisions: Annotated[int, InPath(ge=0)]) -> Response:
        """An earlier position; `legal` is there for every seat."""
        table, seats, _ = found
        return Json(await server.run(_locked, views.view, table, seats, decisions))

    @app.get("/api/tables/{table}/scores", response_model=messages.Scores, responses=_some(401, 403, 404),
             tags=["analysis"])  # fmt: skip
    async def scores(found: AtTable) -> Response:
        """The scores as if the game had ended with each round, as far as you can know them."""
        table, seats, _ = found
        return Json(await server.run(_locked, views.scores_by_round, table, seats))

    @app.post("/api/tables/{table}/analysis", response_model=messages.Analysis, responses=ERRORS, tags=["analysis"])
    async def analyse(found: AtTable, asked: messages.Analyse) -> Response:
        """What an agent expects of each legal action."""
        table, seats, key = found
        with server.busy("analyses", key, server.limits.analyses):
            return Json(await analysis.analyse(server.run, server.players, table, seats, asked))

    @app.post("/api/tables/{table}/variation", response_model=messages.Variation, responses=ERRORS, tags=["analysis"])
    async def vary(found: AtTable, asked: messages.Vary) -> Response:
        """A position that might come; chance and what you can't see are as they may be."""
        table, seats, _ = found
        arguments = (seats, asked.at, asked.variation, asked.theme)
        return Json(await server.run(_locked, views.view_of_variation, table, *arguments))


def _add_downloads(app: FastAPI, server: Server, access: Access) -> None:
    AtTable = Annotated[Found, Depends(access.at_table)]

    @app.get("/api/tables/{table}/record", response_class=Response, responses={**TEXT_ANSWER, **ERRORS},
             tags=["to keep"])  # fmt: skip
    async def record(found: AtTable) -> Response:
        """The game as a record, when nothing of it is secret any more."""
        table, _, _ = found
        text = await server.run(_locked, views.record, table)
        return _download(text, "text/plain; charset=utf-8", f"{table.game.name}-{table.row.id}.txt")

    @app.get("/api/tables/{table}/position", response_class=Response, responses={**JSON_ANSWER, **ERRORS},
             tags=["to keep"])  # fmt: skip
    async def position(found: AtTable) -> Response:
        """The position as JSON; as you see it while the game runs."""
        table, seats, _ = found
        text = await server.run(_locked, views.position_as_json, table, seats)
        return _download(text, "application/json", f"{table.game.name}-{table.row.id}.json")


def _some(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: ERRORS[status] for status in statuses}


def _download(text: str, kind: str, name: str) -> Response:
    return Response(text, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


# ---------------------------------------------------------------- new tables
def start_of(asked: messages.NewTable) -> Start:
    """How a new table begins; Refused if it can't."""
    if asked.record is not None and asked.position is not None:
        raise Refused(422, "a table begins with a record or with a position, not with both")
    uploaded = asked.record is not None or asked.position is not None
    if uploaded and (asked.options is not None or asked.seed is not None):
        raise Refused(422, "a record or a position has its options and its seed; leave yours out")
    seed, decisions = asked.seed, list[tuple[int, str]]()
    try:
        if asked.record is not None:
            kind = _game(asked, name_in(asked.record)).record_class
            found = kind.from_text(asked.record)
            position, seed = kind.position.new(found.options, found.seed), found.seed
            deciders = [each.to_play for each in found.positions()]
            decisions = list(zip(deciders, found.actions, strict=False))
        elif asked.position is not None:
            position = _game(asked, str(asked.position.get("game", ""))).position_class.from_dict(asked.position)
        else:
            seed = secrets.randbits(64) if seed is None else seed
            options = {"num_players": len(asked.seats), **(asked.options or {})}
            position = _game(asked, asked.game or "").position_class.new(options, seed)
    except ValueError as error:  # a RecordError names the line
        raise Refused(422, str(error)) from None
    if position.num_players != len(asked.seats):
        raise Refused(422, f"this game has {position.num_players} seats, but {len(asked.seats)} are given")
    seats = [(seat.kind, seat.name.strip()) for seat in asked.seats]
    return Start(position, seed, decisions, seats, asked.undo, uploaded)


def _game(asked: messages.NewTable, name: str) -> Any:
    if asked.game is not None and name != asked.game:
        raise ValueError(f"this is a game of {name[:40]!r}, not of {asked.game!r}")
    return collection.find(name or collection.DEFAULT)


# ---------------------------------------------------------------- the page
def _add_page(app: FastAPI) -> None:
    @app.get("/{name:path}", include_in_schema=False)
    async def page(request: Request, name: str) -> Response:
        parts = (name or "index.html").split("/")
        file = PAGE.joinpath(*parts)
        if parts[0] == "api" or not all(PART.fullmatch(part) for part in parts) or file.suffix not in TYPES:
            raise HTTPException(404)
        try:
            content = file.read_bytes() if file.resolve().is_relative_to(PAGE.resolve()) else None
        except OSError:
            content = None
        if content is None:
            raise HTTPException(404)
        mark = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        headers = {"etag": mark, "cache-control": "no-cache"}
        if mark in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, headers={**headers, "content-type": TYPES[file.suffix]})
