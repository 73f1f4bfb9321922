"""Tables: a game with people and agents at its seats, its keys, its decisions. This module knows nothing of HTTP.

A table lives in memory while it is used, and is rebuilt from its decisions when it is asked for later. All changes go
to the store first.
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
from typing import Any

import numpy as np

import carnegie_env
from carnegie_env import collection
from carnegie_env.core.log import steps
from carnegie_env.core.position import BasePosition
from carnegie_env.web.players import Players, Question
from carnegie_env.web.store import Key, NotSaved, Row, Store, new_key

HERE, INVITED, AGENT = "here", "invited", "agent"
LONGEST_NAME = 60
IN_MEMORY = 300  # tables
AT_A_STRETCH = 40  # decisions of agents that answer at once, between two looks at what else there is to do
log = logging.getLogger(__name__)


class Refused(ValueError):
    """A request that can't be met.

    Args:
        status: as in HTTP: 403 not yours, 404 not there, 409 not now, 422 a wrong value.
        text: what is wrong, and what would be right.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclasses.dataclass(frozen=True)
class Start:
    """The beginning of a table.

    Args:
        position: the first one.
        seed: of the deal; None: the position was uploaded.
        decisions: seats and actions' texts so far.
        seats: ``(kind, name)`` of each seat.
        undo: whether people may take back.
        uploaded: the maker of the table has seen all of it.
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
        row: as it is stored.
        game: which game.
        records: the record before each decision, and the current one: arrays of shape (1,).
        actions: number of each decision's action.
        deciders: the seat of each decision.
        told: by viewer, the log of the decisions so far (views.py).
        scores: by viewer and number of decisions, the scores that the viewer knows (views.py).
        asked: the open question to an agent about the current position.
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
        self.asked: Question | None = None
        self.deleted = False
        for number, (seat, action) in enumerate(decisions, 1):
            if self.to_play != seat:
                raise ValueError(f"decision {number}: player_{seat}, but player_{self.to_play} decides there")
            try:
                self.append(*self.after(action))
            except ValueError as error:
                raise ValueError(f"decision {number}: {error}") from None

    # ---- what is
    @property
    def to_play(self) -> int | None:
        """The seat that decides, None when the game is over."""
        seat = int(self.records[-1]["to_play"][0])
        return None if seat < 0 else seat

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.to_play is None

    @property
    def thinking(self) -> str | None:
        """The name of the agent that is to decide; None if none is."""
        if self.to_play is None or self.row.stopped is not None or self.row.seats[self.to_play]["kind"] != AGENT:
            return None
        name: str = self.row.seats[self.to_play]["name"]
        return name

    @property
    def is_open(self) -> bool:
        """Whether nothing of it is secret: it is over, or its uploader plays it alone."""
        return self.is_over or (self.row.uploaded and INVITED not in [seat["kind"] for seat in self.row.seats])

    def position(self, at: int | None = None) -> BasePosition[Any]:
        """A copy of the game after ``at`` decisions (None: after all)."""
        return self.game.position_class._of(self.records[-1 if at is None else at].copy())

    def people_alone(self) -> bool:
        """Whether one person plays all seats that people have."""
        kinds = [seat["kind"] for seat in self.row.seats]
        return kinds.count(INVITED) + (HERE in kinds) == 1

    def own_decision(self, seats: Sequence[int]) -> int | None:
        """The number of the last decision of these seats, from 0; None if there is none."""
        taken = [number for number, seat in enumerate(self.deciders) if seat in seats]
        return taken[-1] if taken else None

    def can_undo(self, seats: Sequence[int]) -> bool:
        """Whether these seats may take back."""
        return self.row.undo and self.people_alone() and self.own_decision(seats) is not None

    # ---- what happens
    def after(self, action: str | int) -> tuple[int, Any]:
        """The number of a legal action, and the record that it leads to; a ValueError says why it isn't legal."""
        position = self.position()
        number = position.number(action)
        after = steps(position, number)[-1].after
        return number, np.array([after], self.game.record)

    def append(self, number: int, after: Any) -> None:
        """Add a decision."""
        self.deciders.append(int(self.records[-1]["to_play"][0]))
        self.actions.append(number)
        self.records.append(after)

    def truncate(self, decisions: int) -> None:
        """Take back all but the first decisions."""
        del self.actions[decisions:], self.deciders[decisions:], self.records[decisions + 1 :]
        for lines in self.told.values():
            del lines[decisions:]
        self.scores = {key: value for key, value in self.scores.items() if key[1] <= decisions}


class Tables:
    """All tables of a server. Threads may share it.

    Args:
        store: keeps them.
        players: the agents.
        changed: called, from any thread, with the id of a table that has changed.
        most: tables that may be kept.
    """

    def __init__(self, store: Store, players: Players, changed: Callable[[str], None], most: int) -> None:
        self.store = store
        self.players = players
        self._changed = changed
        self._most = most
        self._lock = threading.Lock()
        self._recent: collections.OrderedDict[str, Table] = collections.OrderedDict()
        self._loaded: weakref.WeakValueDictionary[str, Table] = weakref.WeakValueDictionary()  # also those in use
        self._moving: dict[str, tuple[threading.Lock, int]] = {}  # see _alone: how many want the lock

    # ---- making and finding
    def add(self, start: Start) -> Row:
        """Add a table whose agents have been checked; Refused if there are too many."""
        if self.store.count() >= self._most:
            raise Refused(409, f"there are {self._most} tables, more are not kept here; delete some first")
        position, now = start.position, time.time()
        row = Row(
            id=secrets.token_hex(8), game=position.game.name, options=position.options.to_dict(), seed=start.seed,
            start=position.to_dict() if start.seed is None else None,
            seats=[{"kind": kind, "name": name or f"player_{seat}", "taken": kind != INVITED}
                   for seat, (kind, name) in enumerate(start.seats)],
            undo=start.undo, uploaded=start.uploaded, made_by=carnegie_env.__version__, created=now, updated=now,
        )  # fmt: skip
        table = Table(row, position, start.decisions)
        self._bring_up_to_date(row, table)
        here = tuple(seat for seat, (kind, _) in enumerate(start.seats) if kind == HERE)
        keys = [Key("watch", row.id, (), new_key())] + ([Key("seat", row.id, here, new_key())] if here else [])
        keys += [Key("invitation", row.id, (seat,), new_key())
                 for seat, (kind, _) in enumerate(start.seats) if kind == INVITED]  # fmt: skip
        self.store.add(row, start.decisions, keys)
        self._keep(table)
        self.go_on(table)
        return row

    def _bring_up_to_date(self, row: Row, table: Table) -> None:
        row.decisions, row.to_play = len(table.actions), table.to_play
        row.round = table.game.round(table.records[-1][0])

    def _keep(self, table: Table) -> None:
        with self._lock:
            self._loaded[table.row.id] = self._recent[table.row.id] = table
            self._recent.move_to_end(table.row.id)
            while len(self._recent) > IN_MEMORY:
                self._recent.popitem(last=False)

    def get(self, name: str) -> Table:
        """A table by its id; Refused if it does not exist or can't be read."""
        if (table := self._in_memory(name)) is None:
            with self._alone(name):  # it is read once
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
        """While a table is loaded, or deleted."""
        with self._lock:
            own, users = self._moving.get(name, (threading.Lock(), 0))
            self._moving[name] = own, users + 1
        try:
            with own:
                yield
        finally:
            with self._lock:
                own, users = self._moving.pop(name)
                if users > 1:
                    self._moving[name] = own, users - 1

    def _read(self, row: Row) -> Table:
        try:
            kind = collection.find(row.game).position_class
            if row.seed is not None:
                position = kind.new(row.options, row.seed)
            else:
                position = kind.from_dict(row.start or {})
            return Table(row, position, self.store.decisions(row.id))
        except ValueError as error:
            raise Refused(409, f"this table can't be read: version {row.made_by} of carnegie_env has made it, this is "
                               f"{carnegie_env.__version__}; {error}") from None  # fmt: skip

    def delete(self, name: str) -> None:
        """Delete a table; Refused if it does not exist."""
        if self.store.row(name) is None:
            raise Refused(404, "there is no such table")
        with self._alone(name):  # else it could be read from the file meanwhile
            with self._lock:
                table = self._loaded.pop(name, None)
                self._recent.pop(name, None)
            with table.lock if table is not None else contextlib.nullcontext():
                if table is not None:
                    table.deleted = True
                    self._forget_question(table)
                self.store.delete(name)
        self._changed(name)

    def take(self, code: str, name: str) -> tuple[str, str, int]:
        """Take the seat of an invitation: the table, the new key, the seat.

        Args:
            code: of the invitation.
            name: of the person; "": the host's name for the seat.

        Raises:
            Refused: no such invitation, or it was used.
        """
        found = self.store.invitation(code)
        if found is None or found.table is None:
            raise Refused(404, "there is no such invitation")
        table, seat = self.get(found.table), found.seats[0]
        with table.lock:
            self._check_there(table)
            seats = [dict(each) for each in table.row.seats]
            seats[seat]["taken"] = True
            seats[seat]["name"] = name or seats[seat]["name"]
            row = self._changed_row(table, seats=seats)
            key = self.store.take(code, row)
            if key is None:
                raise Refused(409, "this invitation has been used; its seat is taken. Ask for another table")
            table.row = row
        self._changed(found.table)
        return found.table, key, seat

    # ---- playing
    def _changed_row(self, table: Table, **values: Any) -> Row:
        return dataclasses.replace(table.row, updated=time.time(), version=table.row.version + 1, **values)

    def _commit(self, table: Table, number: int, after: Any, seat: int, stopped: str | None = None) -> None:
        """Take a decision: first in the store, then here."""
        record = after[0]
        to_play = int(record["to_play"])
        row = self._changed_row(
            table, decisions=len(table.actions) + 1, round=table.game.round(record),
            to_play=None if to_play < 0 else to_play, stopped=stopped,
        )  # fmt: skip
        self.store.change(row, len(table.actions), [(seat, table.game.texts[number])])
        table.append(number, after)
        table.row = row

    def decide(self, table: Table, seats: Sequence[int], decisions: int, action: str | int) -> None:
        """Take a person's decision; Refused if it is not legal, not their turn, or others have decided meanwhile."""
        with table.lock:
            self._check_number(table, decisions)
            if table.to_play is None:
                raise Refused(409, "the game is over")
            if table.to_play not in seats:
                raise Refused(409, f"player_{table.to_play} is to decide, not you")
            try:
                number, after = table.after(action)
            except ValueError as error:
                raise Refused(422, str(error)) from None
            self._commit(table, number, after, table.to_play)
        self._changed(table.row.id)
        self.go_on(table)

    def _check_number(self, table: Table, decisions: int) -> None:
        self._check_there(table)
        if decisions != len(table.actions):
            raise Refused(409, f"you have seen {decisions} decisions, but there are {len(table.actions)}: look again")

    def _check_there(self, table: Table) -> None:
        if table.deleted:
            raise Refused(404, "there is no such table")

    def undo(self, table: Table, seats: Sequence[int], decisions: int) -> None:
        """Take back a person's last decision and all since; Refused if that may not be, or others have decided."""
        with table.lock:
            self._check_number(table, decisions)
            if not table.can_undo(seats):
                wrong = "decisions stand at this table" if not table.row.undo else "you have taken no decision"
                if not table.people_alone():
                    wrong = "decisions stand where several people play"
                raise Refused(409, f"nothing can be taken back: {wrong}")
            first = table.own_decision(seats)
            assert first is not None
            record = table.records[first][0]
            row = self._changed_row(table, decisions=first, round=table.game.round(record),
                                    to_play=int(record["to_play"]), stopped=None)  # fmt: skip
            self.store.change(row, first, [])
            table.truncate(first)
            table.row = row
            self._forget_question(table)
        self._changed(table.row.id)

    def resume(self, table: Table) -> None:
        """Ask the agent that stopped a table again; Refused if it is not stopped."""
        with table.lock:
            self._check_there(table)
            if table.row.stopped is None:
                raise Refused(409, "the table has not been stopped")
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
                name = table.thinking
                if name is None or table.deleted or table.asked is not None:
                    return
                seat = table.to_play
                assert seat is not None
                question = Question(name, self._seed(table, seat), table.position())
                if not self.players.answers_at_once(name):
                    table.asked = question
                    self.players.decide(question, functools.partial(self._answer, table, question))
                    return
                try:
                    self._commit(table, *table.after(self.players.at_once(question)), seat)
                except NotSaved as error:
                    self._stop(table, seat, str(error))
            self._changed(table.row.id)
        self.players.later(lambda: self.go_on(table))

    def _forget_question(self, table: Table) -> None:
        """The position that an agent was asked about is taken back: its answer is not awaited."""
        if table.asked is not None:
            self.players.forget(table.asked)
            table.asked = None

    def _stop(self, table: Table, seat: int, wrong: str) -> None:
        """Stop a table because the agent of a seat has not decided."""
        name = table.row.seats[seat]["name"]
        log.warning("table %s stands still: %s: %s", table.row.id, name, wrong)
        row = self._changed_row(table, stopped=f"player_{seat}, {name}: {wrong}")
        with contextlib.suppress(NotSaved):  # it may be that which went wrong
            self.store.change(row, len(table.actions), [])
        table.row = row

    def _answer(self, table: Table, question: Question, action: Any, wrong: str | None) -> None:
        """An agent has decided, or failed to."""
        with table.lock:
            if table.asked is not question or table.deleted:
                return  # what it was asked about has been taken back
            table.asked = None
            seat = table.to_play
            assert seat is not None
            if wrong is None:
                try:
                    self._commit(table, *table.after(action), seat)
                except (ValueError, NotSaved) as error:
                    wrong = str(error)
            if wrong is not None:
                self._stop(table, seat, wrong)
        self._changed(table.row.id)
        self.go_on(table)

    def wake(self) -> None:
        """Have the agents decide at all tables where it is their turn: after a start."""
        for row in self.store.running():
            if row.to_play is not None and row.seats[row.to_play]["kind"] == AGENT:
                try:
                    self.go_on(self.get(row.id))
                except Refused as error:
                    log.warning("table %s: %s", row.id, error)

    @staticmethod
    def _seed(table: Table, seat: int) -> int:
        """Of an agent's random choices; it reveals nothing of the deal."""
        return int.from_bytes(hashlib.sha256(f"{table.row.id} {seat}".encode()).digest()[:7], "big")
