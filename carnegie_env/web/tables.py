"""Tables: games with people and agents at their seats. This module knows nothing of HTTP.

A table is in memory while it is used; later it is rebuilt from its decisions. Every change goes to the store first.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import hashlib
import logging
import secrets
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

import carnegie_env
from carnegie_env import collection
from carnegie_env.core.facts import FIRST_EDITION
from carnegie_env.core.log import steps
from carnegie_env.core.position import BasePosition
from carnegie_env.render.text import number_of
from carnegie_env.web.players import AT_ONCE, Players, Question
from carnegie_env.web.store import Key, NotSaved, Row, Store, new_key

HERE, INVITED, AGENT = "here", "invited", "agent"
IN_MEMORY = 300  # tables
AT_A_STRETCH = 40  # decisions of agents that answer at once, before other work gets its turn
log = logging.getLogger(__name__)


class Refused(ValueError):
    """A request that is refused.

    Args:
        status: an HTTP status: 403 not permitted, 404 not found, 409 not possible now, 422 invalid value.
        text: the reason, and how to correct it.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclasses.dataclass(frozen=True)
class Start:
    """The start of a table.

    Args:
        position: the first position.
        seed: of the deal; None if the position was uploaded.
        decisions: seat and action text of each decision so far.
        seats: ``(kind, name)`` of each seat.
        undo: whether people may undo decisions.
        uploaded: whether the host knows the whole game so far.
    """

    position: BasePosition[Any]
    seed: int | None
    decisions: Sequence[tuple[int, str]]
    seats: Sequence[tuple[str, str]]
    undo: bool
    uploaded: bool


class Table:
    """One game. Hold its ``lock`` while you use it.

    Attributes:
        row: the stored row.
        game: the game's rules and presentation.
        records: the record before each decision, and the current one: arrays of shape (1,).
        actions: the number of each decision's action.
        deciders: the seat of each decision.
        told: the log of the decisions so far, by viewer (views.py).
        scores: the scores known to a viewer, by viewer and number of decisions (views.py).
        asked: the pending answer of an agent about the current position.
        deleted: whether the table has been deleted.
    """

    def __init__(self, row: Row, position: BasePosition[Any], decisions: Sequence[tuple[int, str]]) -> None:
        self.row = row
        self.game = position.game
        self.options = position.options
        self.lock = threading.RLock()
        self.records = [position.games.copy()]
        self.actions: list[int] = []
        self.deciders: list[int] = []
        self.told: dict[int, list[list[dict[str, Any]]]] = {}
        self.scores: dict[tuple[int, int], Any] = {}
        self.asked: Future[int] | None = None
        self.deleted = False
        for number, (seat, action) in enumerate(decisions, 1):
            if self.to_play != seat:
                raise ValueError(f"decision {number}: player_{seat}, but player_{self.to_play} decides there")
            try:
                self.append(*self.after(action))
            except ValueError as error:
                raise ValueError(f"decision {number}: {error}") from None

    # ---- state
    @property
    def to_play(self) -> int | None:
        """The seat to play, None when the game is over."""
        seat = int(self.records[-1]["to_play"][0])
        return None if seat < 0 else seat

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.to_play is None

    @property
    def thinking(self) -> str | None:
        """The name of the agent to play; None if it is no agent's turn, or the table is stopped."""
        seat = None if self.to_play is None else self.row.seats[self.to_play]
        return seat["name"] if seat and seat["kind"] == AGENT and self.row.stopped is None else None

    @property
    def is_open(self) -> bool:
        """Whether nothing in it is secret: it is over, or the person who uploaded it is the only one at the table."""
        return self.is_over or (self.row.uploaded and INVITED not in [seat["kind"] for seat in self.row.seats])

    def position(self, at: int | None = None) -> BasePosition[Any]:
        """A copy of the game after ``at`` decisions, by default after all."""
        return self.game.position_class._of(self.records[-1 if at is None else at].copy())

    def has_one_person(self) -> bool:
        """Whether all seats that are not agents' belong to one person."""
        kinds = [seat["kind"] for seat in self.row.seats]
        return kinds.count(INVITED) + (HERE in kinds) == 1

    def own_decision(self, seats: Sequence[int]) -> int | None:
        """The index of the last decision of these seats; None if there is none."""
        return max((k for k, seat in enumerate(self.deciders) if seat in seats), default=None)

    def can_undo(self, seats: Sequence[int]) -> bool:
        """Whether these seats may undo a decision."""
        return self.row.undo and self.has_one_person() and self.own_decision(seats) is not None

    # ---- changes
    def after(self, action: str | int) -> tuple[int, Any]:
        """The number of a legal action, and the record after it; a ValueError if it isn't legal."""
        position = self.position()
        number = position.number(action)
        return number, np.array([steps(position, number)[-1].after], self.game.record)

    def append(self, number: int, after: Any) -> None:
        """Add a decision."""
        self.deciders.append(int(self.records[-1]["to_play"][0]))
        self.actions.append(number)
        self.records.append(after)

    def truncate(self, decisions: int) -> None:
        """Undo all but the first decisions."""
        del self.actions[decisions:], self.deciders[decisions:], self.records[decisions + 1 :]
        for lines in self.told.values():
            del lines[decisions:]
        self.scores = {key: value for key, value in self.scores.items() if key[1] <= decisions}


class Tables:
    """All tables of a server. Threads may share it.

    Args:
        store: keeps the tables.
        players: the agents.
        changed: called, from any thread, with the id of a table that has changed.
        most: maximum number of stored tables.
    """

    def __init__(self, store: Store, players: Players, changed: Callable[[str], None], most: int) -> None:
        self.store = store
        self.players = players
        self._changed = changed
        self._most = most
        self._lock = threading.Lock()
        self._recent: collections.OrderedDict[str, Table] = collections.OrderedDict()
        self._loaded: weakref.WeakValueDictionary[str, Table] = weakref.WeakValueDictionary()  # every table in use
        self._moving: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()  # locks, see _alone

    # ---- making and finding
    def add(self, start: Start) -> Row:
        """Add a table whose agents have been checked; Refused if there are too many tables."""
        if self.store.count() >= self._most:
            raise Refused(409, f"the limit of {self._most} tables is reached; delete some first")
        position, now = start.position, time.time()
        row = Row(
            id=secrets.token_hex(8), game=position.game.name, options=_options(position), seed=start.seed,
            start=position.to_dict() if start.seed is None else None,
            seats=[{"kind": kind, "name": name or f"player_{seat}", "taken": kind != INVITED}
                   for seat, (kind, name) in enumerate(start.seats)],
            undo=start.undo, uploaded=start.uploaded, made_by=carnegie_env.__version__, created=now, updated=now,
        )  # fmt: skip
        table = Table(row, position, start.decisions)
        table.row = row = dataclasses.replace(row, **_progress(table, len(table.actions), table.records[-1][0]))
        kinds = [kind for kind, _ in start.seats]
        here = tuple(seat for seat, kind in enumerate(kinds) if kind == HERE)
        keys = [Key("watch", row.id, (), new_key())] + ([Key("seat", row.id, here, new_key())] if here else [])
        keys += [Key("invitation", row.id, (seat,), new_key()) for seat, kind in enumerate(kinds) if kind == INVITED]
        self.store.add(row, start.decisions, keys)
        self._keep(table)
        self.go_on(table)
        return row

    def _keep(self, table: Table) -> None:
        with self._lock:
            self._loaded[table.row.id] = self._recent[table.row.id] = table
            self._recent.move_to_end(table.row.id)
            while len(self._recent) > IN_MEMORY:
                self._recent.popitem(last=False)

    def get(self, name: str) -> Table:
        """A table by its id; Refused if it does not exist or can't be read."""
        if (table := self._in_memory(name)) is None:
            with self._alone(name):  # so that it is read only once
                if (table := self._in_memory(name)) is None:
                    row = self.store.row(name)
                    if row is None:
                        raise Refused(404, "there is no such table")
                    table = self._read(row)
                    self._keep(table)
        return table

    def _in_memory(self, name: str) -> Table | None:
        with self._lock:
            if (table := self._loaded.get(name)) is not None:
                self._recent[name] = table
                self._recent.move_to_end(name)
        return table

    @contextlib.contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        """Hold a table's lock for loading and deleting."""
        with self._lock:
            own = self._moving.setdefault(name, threading.Lock())
        with own:
            yield

    def _read(self, row: Row) -> Table:
        try:
            kind = collection.find(row.game).position_class
            if row.seed is not None:
                position = kind.new({"edition": FIRST_EDITION, **row.options}, row.seed)
            else:
                position = kind.from_dict(row.start or {})
            return Table(row, position, self.store.decisions(row.id))
        except ValueError as error:
            raise Refused(409, f"this table can't be read: it was made by carnegie_env {row.made_by}, this is "
                               f"{carnegie_env.__version__}; {error}") from None  # fmt: skip

    def delete(self, name: str) -> None:
        """Delete a table; Refused if it does not exist."""
        if self.store.row(name) is None:
            raise Refused(404, "there is no such table")
        with self._alone(name):  # so that it is not read from the file meanwhile
            table = self._in_memory(name)
            with table.lock if table is not None else contextlib.nullcontext():
                self.store.delete(name)
                if table is not None:
                    table.deleted = True
                    self._forget_question(table)
            with self._lock:
                self._loaded.pop(name, None)
                self._recent.pop(name, None)
        self._changed(name)

    def take(self, code: str, name: str) -> tuple[str, str, int]:
        """Take the seat of an invitation.

        Args:
            code: of the invitation.
            name: of the person; "" keeps the host's name for the seat.

        Returns:
            The table, the new key and the seat.

        Raises:
            Refused: the invitation does not exist, or has been used.
        """
        found = self.store.invitation(code)
        if found is None or found.table is None:
            raise Refused(404, "there is no such invitation")
        table, seat = self.get(found.table), found.seats[0]
        with table.lock:
            self._check_exists(table)
            seats = [dict(each) for each in table.row.seats]
            seats[seat]["taken"] = True
            seats[seat]["name"] = name or seats[seat]["name"]
            row = self._changed_row(table, seats=seats)
            key = self.store.take(code, row)
            if key is None:
                raise Refused(409, "this invitation has been used, so its seat is taken; ask for another table")
            table.row = row
        self._changed(found.table)
        return found.table, key, seat

    # ---- playing
    def _changed_row(self, table: Table, **values: Any) -> Row:
        return dataclasses.replace(table.row, updated=time.time(), version=table.row.version + 1, **values)

    def _commit(self, table: Table, number: int, after: Any, seat: int) -> None:
        """Take a decision: first in the store, then in memory."""
        row = self._changed_row(table, stopped=None, **_progress(table, len(table.actions) + 1, after[0]))
        self.store.change(row, len(table.actions), [(seat, table.game.texts[number])])
        table.append(number, after)
        table.row = row

    def decide(self, table: Table, seats: Sequence[int], decisions: int, action: str | int) -> None:
        """Take a person's decision; Refused if it is not legal or not their turn, or ``decisions`` is out of date."""
        with table.lock:
            self._check_number(table, decisions)
            if table.to_play is None:
                raise Refused(409, "the game is over")
            if table.to_play not in seats:
                raise Refused(409, f"it is the turn of player_{table.to_play}, not yours")
            try:
                number, after = table.after(action)
            except ValueError as error:
                raise Refused(422, str(error)) from None
            self._commit(table, number, after, table.to_play)
        self._changed(table.row.id)
        self.go_on(table)

    def _check_number(self, table: Table, decisions: int) -> None:
        self._check_exists(table)
        if decisions != len(table.actions):
            seen = number_of(decisions, "decisions")
            raise Refused(409, f"you have seen {seen}, but the game now has {len(table.actions)}")

    def _check_exists(self, table: Table) -> None:
        if table.deleted:
            raise Refused(404, "there is no such table")

    def undo(self, table: Table, seats: Sequence[int], decisions: int) -> None:
        """Undo a person's last decision and everything after it; Refused if that is not possible, or ``decisions`` is
        out of date."""
        with table.lock:
            self._check_number(table, decisions)
            first = table.own_decision(seats)
            if first is None or not table.can_undo(seats):
                wrong = "you have not taken any decision"
                if not table.row.undo:
                    wrong = "this table does not allow it"
                if not table.has_one_person():
                    wrong = "several people play at this table"
                raise Refused(409, f"undo is not possible: {wrong}")
            row = self._changed_row(table, stopped=None, **_progress(table, first, table.records[first][0]))
            self.store.change(row, first, [])
            table.truncate(first)
            table.row = row
            self._forget_question(table)
        self._changed(table.row.id)

    def resume(self, table: Table) -> None:
        """Ask the agent that stopped a table again; Refused if the table is not stopped."""
        with table.lock:
            self._check_exists(table)
            if table.row.stopped is None:
                raise Refused(409, "the table is not stopped")
            row = self._changed_row(table, stopped=None)
            self.store.change(row, len(table.actions), [])
            table.row = row
        self._changed(table.row.id)
        self.go_on(table)

    # ---- agents
    def go_on(self, table: Table) -> None:
        """Have agents decide while it is their turn; returns at once."""
        for _ in range(AT_A_STRETCH):
            with table.lock:
                name, seat = table.thinking, table.to_play
                if name is None or seat is None or table.deleted or table.asked is not None:
                    return
                question = Question(name, self._seed(table, seat), table.position())
                if name != AT_ONCE:
                    table.asked = self.players.decide(question)
                    table.asked.add_done_callback(functools.partial(self._answer, table))
                    return
                try:
                    self._commit(table, *table.after(self.players.at_once(question)), seat)
                except NotSaved as error:
                    self._stop(table, seat, str(error))
            self._changed(table.row.id)
        self.players.later(lambda: self.go_on(table))

    def _forget_question(self, table: Table) -> None:
        """Drop the question to an agent, because its position is gone."""
        if table.asked is not None:
            answer, table.asked = table.asked, None
            answer.cancel()

    def _stop(self, table: Table, seat: int, wrong: str) -> None:
        """Stop a table because the agent at a seat has failed."""
        name = table.row.seats[seat]["name"]
        log.warning("table %s is stopped: %s: %s", table.row.id, name, wrong)
        row = self._changed_row(table, stopped=f"player_{seat}, {name}: {wrong}")
        with contextlib.suppress(NotSaved):  # which may be the reason
            self.store.change(row, len(table.actions), [])
        table.row = row

    def _answer(self, table: Table, answer: Future[int]) -> None:
        """Take the decision of an agent, or stop its table."""
        with table.lock:
            if table.asked is not answer or table.deleted:
                return  # its position has been undone
            table.asked = None
            seat = table.to_play
            assert seat is not None
            try:
                self._commit(table, *table.after(answer.result()), seat)
            except (ValueError, NotSaved) as error:
                self._stop(table, seat, str(error))
        self._changed(table.row.id)
        self.go_on(table)

    def wake(self) -> None:
        """After a start, have agents decide at all tables where it is their turn."""
        for row in self.store.running():
            if row.to_play is not None and row.seats[row.to_play]["kind"] == AGENT:
                try:
                    self.go_on(self.get(row.id))
                except Refused as error:
                    log.warning("table %s: %s", row.id, error)

    @staticmethod
    def _seed(table: Table, seat: int) -> int:
        """The seed of an agent's random choices, which reveals nothing about the deal."""
        return int.from_bytes(hashlib.sha256(f"{table.row.id} {seat}".encode()).digest()[:7], "big")


def _options(position: BasePosition[Any]) -> dict[str, Any]:
    """The options of a game, with its edition if it isn't the first one."""
    options: dict[str, Any] = position.options.to_dict()
    edition = position.game.edition
    return options if edition == FIRST_EDITION else options | {"edition": edition}


def _progress(table: Table, decisions: int, record: Any) -> dict[str, Any]:
    """The columns of a table that follow from its game after this number of decisions."""
    to_play = int(record["to_play"])
    return {"decisions": decisions, "round": table.game.round(record), "to_play": None if to_play < 0 else to_play}
