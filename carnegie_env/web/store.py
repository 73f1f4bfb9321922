"""The games of a server in one SQLite file.

The file is in WAL mode. Each change is one transaction, committed before the request is answered, so a killed process
loses nothing that was answered. A power failure may lose the last moments, but does not corrupt the file. One server at
a time has the file open. A file that is deleted, replaced or cut while it is open takes no more changes, and its games
are copied to a new file.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import logging
import os
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

APPLICATION = 0x6365_6E76  # SQLite's application_id of our files
SCHEMA = 1  # version of the tables below, SQLite's user_version
KEY_BYTES = 16
log = logging.getLogger(__name__)

_TABLES = """
CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    options TEXT NOT NULL,  -- JSON
    seed TEXT,  -- of the deal; NULL if the game began as a position
    start TEXT,  -- that position, JSON
    seats TEXT NOT NULL,  -- JSON: [{kind, name, taken}]
    undo INTEGER NOT NULL,
    uploaded INTEGER NOT NULL,
    made_by TEXT NOT NULL,  -- version of carnegie_env
    created REAL NOT NULL,
    updated REAL NOT NULL,
    version INTEGER NOT NULL,  -- number of changes
    decisions INTEGER NOT NULL,
    round INTEGER NOT NULL,
    to_play INTEGER,
    stopped TEXT
) STRICT;
CREATE INDEX tables_by_age ON tables (created DESC, id);
CREATE TABLE decisions (
    table_id TEXT NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,  -- from 0
    seat INTEGER NOT NULL,
    action TEXT NOT NULL,
    PRIMARY KEY (table_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE keys (
    hash BLOB PRIMARY KEY,  -- SHA-256, so that the time of a look-up reveals nothing about keys
    table_id TEXT REFERENCES tables (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,  -- host, seat, watch, invitation
    seats TEXT NOT NULL,  -- JSON
    plain TEXT  -- the key itself, if the host may know it
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_by_table ON keys (table_id);
"""


class StoreError(ValueError):
    """A file that can't be used; the message says why."""


class NotSaved(RuntimeError):
    """A change that could not be written, for example because the disk is full. Nothing has changed."""


@dataclasses.dataclass
class Row:
    """A stored table; see the columns above.

    Args:
        seed: of the deal; None if the game began as ``start``.
        start: a position as a dictionary.
        seats: ``{"kind": "here" / "invited" / "agent", "name": text, "taken": bool}`` each.
        version: number of changes.
        to_play: the seat to play; None when the game is over.
        stopped: why the table is stopped; None if it isn't.
    """

    id: str
    game: str
    options: dict[str, Any]
    seed: int | None
    start: dict[str, Any] | None
    seats: list[dict[str, Any]]
    undo: bool
    uploaded: bool
    made_by: str
    created: float
    updated: float
    version: int = 0
    decisions: int = 0
    round: int = 0
    to_play: int | None = None
    stopped: str | None = None


@dataclasses.dataclass(frozen=True)
class Key:
    """The rights of a key.

    Args:
        kind: "host", "seat", "watch", or "invitation".
        table: None for the host key.
        seats: the seats that it plays.
        plain: the key itself; None if only its owner knows it.
    """

    kind: str
    table: str | None
    seats: tuple[int, ...]
    plain: str | None = None


def new_key() -> str:
    """128 random bits, as text for URLs."""
    return secrets.token_urlsafe(KEY_BYTES)


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


_JSON_COLUMNS = ("options", "start", "seats")
_COLUMNS = tuple(field.name for field in dataclasses.fields(Row))
_STATE = "CASE WHEN to_play IS NULL THEN 'over' WHEN stopped IS NOT NULL THEN 'stopped' ELSE 'running' END"
_NAMES = "(SELECT group_concat(json_extract(value, '$.name'), ' ') FROM json_each(seats))"
_SEARCHED = f"(replace(game, '_', ' ') || ' ' || {_NAMES} || ' ' || id || ' ' || {_STATE})"
_CHANGING = ("seats", "updated", "version", "decisions", "round", "to_play", "stopped")


class Store:
    """The file of a server's games. Threads may share it.

    Args:
        path: of the file, which is created if it doesn't exist.

    Raises:
        StoreError: the file is in use, no SQLite file, another program's, or of a newer version.
        OSError: its folder can't be created or written to.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._lost = False  # whether the file was deleted or replaced, so that nothing can be saved any more
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.path.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # other users can't read the games
        try:
            self._open()
        except sqlite3.OperationalError as error:
            wrong = "another server has it open" if "locked" in str(error) else f"it can't be used: {error}"
            raise StoreError(f"{self.path}: {wrong}") from None
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path}: this is not a file of games ({error})") from None

    def _open(self) -> None:
        self._db = db = sqlite3.connect(self.path, timeout=1, check_same_thread=False, isolation_level=None)
        try:
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            application, version, tables = (
                db.execute(question).fetchone()[0]
                for question in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
            )
            if application != APPLICATION and (application or tables):
                raise StoreError(f"{self.path}: this is another program's SQLite file")
            if version > SCHEMA:
                raise StoreError(f"{self.path}: the file has version {version}, made by a newer carnegie_env; this "
                                 f"one reads versions up to {SCHEMA}")  # fmt: skip
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA foreign_keys = ON")
            if application != APPLICATION:
                with self._transaction():
                    for statement in _TABLES.split(";\n"):
                        db.execute(statement)
                    db.execute(f"PRAGMA application_id = {APPLICATION}")
                    db.execute(f"PRAGMA user_version = {SCHEMA}")
                    self._add_key(new_key(), "host", None, ())
            else:
                with self._transaction():  # takes the lock, which fails if another server has it
                    pass
            self._files = self._identity()
        except BaseException:
            db.close()
            raise

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk may have ended it already
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _change(self) -> Iterator[None]:
        """A transaction that changes games; NotSaved if it can't be written."""
        try:
            with self._lock:
                self._check_files()
                with self._transaction():
                    yield
                self._files = self._identity() or self._files  # the file may have grown
        except sqlite3.OperationalError as error:
            raise NotSaved(f"the game could not be saved: {error}") from error

    # ---- the file while it is open
    def _identity(self) -> tuple[int, ...]:
        """Device and inode of the file and of SQLite's log, and the file's size; empty if one of them is missing."""
        try:
            file, logged = os.stat(self.path), os.stat(f"{self.path}-wal")
        except OSError:
            return ()
        return file.st_dev, file.st_ino, file.st_size, logged.st_dev, logged.st_ino

    def _check_files(self) -> None:
        """NotSaved if the file has been deleted, replaced or cut: SQLite would go on writing to a file without a name,
        which is gone when it is closed."""
        if not self._lost and self._identity() == self._files:
            return
        if not self._lost:
            self._lost = True
            log.error("%s was deleted or replaced by another program: nothing can be saved any more, restart the "
                      "server. %s", self.path, self._rescue())  # fmt: skip
        raise NotSaved("the game could not be saved: the file of the games was deleted or replaced by another program; "
                       "restart the server")  # fmt: skip

    def _rescue(self) -> str:
        """Copy the games up to the last change to a new file; returns a sentence for the log."""
        copied = self.path.with_name(f"{self.path.name}.rescued-{time.strftime('%Y%m%d-%H%M%S')}")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(copied, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            with contextlib.closing(sqlite3.connect(copied)) as new:
                self._db.backup(new)
            return f"The games so far are in {copied}"
        except (OSError, sqlite3.Error) as error:
            return f"The games so far could not be copied to {copied}: {error}"

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            with contextlib.suppress(NotSaved):
                self._check_files()
            self._db.close()

    # ---- keys
    def _add_key(self, key: str, kind: str, table: str | None, seats: Sequence[int], plain: bool = True) -> None:
        row = (_hash(key), table, kind, json.dumps(list(seats)), key if plain else None)
        self._db.execute("INSERT INTO keys (hash, table_id, kind, seats, plain) VALUES (?, ?, ?, ?, ?)", row)

    def host_key(self) -> str:
        """The host key."""
        with self._lock:
            key: str = self._db.execute("SELECT plain FROM keys WHERE kind = 'host'").fetchone()[0]
        return key

    def key(self, key: str) -> Key | None:
        """The rights of a key; None if it does not exist."""
        found = self._keys("hash = ? AND kind != 'invitation'", _hash(key))
        return dataclasses.replace(found[0], plain=None) if found else None

    def keys_of(self, table: str) -> list[Key]:
        """The keys of a table that the host may know."""
        return self._keys("table_id = ? AND plain IS NOT NULL ORDER BY seats", table)

    def invitation(self, code: str) -> Key | None:
        """The seat of an invitation; None if it does not exist. A used invitation has no ``plain``."""
        found = self._keys("hash = ? AND kind = 'invitation'", _hash(code))
        return found[0] if found else None

    def _keys(self, where: str, value: str | bytes) -> list[Key]:
        with self._lock:
            found = self._db.execute(
                f"SELECT kind, table_id, seats, plain FROM keys WHERE {where}", (value,)
            ).fetchall()
        return [Key(kind, table, tuple(json.loads(seats)), plain) for kind, table, seats, plain in found]

    def take(self, code: str, row: Row) -> str | None:
        """Use an invitation: the new key of its seat, known to no one else; None if it was used before. ``row`` is the
        table with the seat taken."""
        key = new_key()
        with self._change():
            spent = self._db.execute(
                "UPDATE keys SET plain = NULL WHERE hash = ? AND kind = 'invitation' AND plain IS NOT NULL",
                (_hash(code),),
            )
            if spent.rowcount != 1:
                return None
            found = self.invitation(code)
            assert found is not None
            self._add_key(key, "seat", found.table, found.seats, plain=False)
            self._update(row)
        return key

    # ---- tables
    def add(self, row: Row, decisions: Sequence[tuple[int, str]], keys: Sequence[Key]) -> None:
        """Add a table with its decisions and keys."""
        values = [json.dumps(value) if name in _JSON_COLUMNS and value is not None else value
                  for name, value in dataclasses.asdict(row).items()]  # fmt: skip
        values[_COLUMNS.index("seed")] = None if row.seed is None else str(row.seed)
        with self._change():
            marks = ", ".join("?" * len(_COLUMNS))
            self._db.execute(f"INSERT INTO tables ({', '.join(_COLUMNS)}) VALUES ({marks})", values)
            self._append(row.id, 0, decisions)
            for key in keys:
                self._add_key(key.plain or new_key(), key.kind, row.id, key.seats)

    def _append(self, table: str, first: int, decisions: Sequence[tuple[int, str]]) -> None:
        rows = [(table, number, seat, action) for number, (seat, action) in enumerate(decisions, first)]
        self._db.executemany("INSERT INTO decisions (table_id, number, seat, action) VALUES (?, ?, ?, ?)", rows)

    def _update(self, row: Row) -> None:
        values = [json.dumps(row.seats) if name == "seats" else getattr(row, name) for name in _CHANGING]
        sets = ", ".join(f"{name} = ?" for name in _CHANGING)
        self._db.execute(f"UPDATE tables SET {sets} WHERE id = ?", (*values, row.id))

    def change(self, row: Row, first: int, decisions: Sequence[tuple[int, str]]) -> None:
        """Save a change of a table.

        Args:
            row: its new row.
            first: the number of decisions to keep; later ones are deleted.
            decisions: seat and action text of each new decision after those.
        """
        with self._change():
            self._db.execute("DELETE FROM decisions WHERE table_id = ? AND number >= ?", (row.id, first))
            self._append(row.id, first, decisions)
            self._update(row)

    def delete(self, table: str) -> None:
        """Delete a table with its decisions and keys."""
        with self._change():
            self._db.execute("DELETE FROM tables WHERE id = ?", (table,))

    def count(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM tables").fetchone()[0])

    def row(self, table: str) -> Row | None:
        """A table; None if it does not exist."""
        found = self._rows("WHERE id = ?", (table,))
        return found[0] if found else None

    def rows(self, offset: int, limit: int, find: str = "") -> list[Row]:
        """Tables, newest first; ``find``: words, all of which the game, its players' names, state or id contain."""
        words = [re.sub(r"([%_\\])", r"\\\1", word) for word in find.split()]
        where = " AND ".join([f"{_SEARCHED} LIKE ? ESCAPE '\\'"] * len(words))
        values = [f"%{word}%" for word in words]
        return self._rows(f"{where and f'WHERE {where}'} ORDER BY created DESC, id LIMIT ? OFFSET ?",
                          (*values, limit, offset))  # fmt: skip

    def running(self) -> list[Row]:
        """Tables whose game is neither over nor stopped."""
        return self._rows("WHERE to_play IS NOT NULL AND stopped IS NULL ORDER BY updated DESC", ())

    def _rows(self, which: str, values: Sequence[Any]) -> list[Row]:
        with self._lock:
            found = self._db.execute(f"SELECT {', '.join(_COLUMNS)} FROM tables {which}", values).fetchall()
        rows = []
        for each in found:
            named = dict(zip(_COLUMNS, each, strict=True))
            for name in _JSON_COLUMNS:
                named[name] = None if named[name] is None else json.loads(named[name])
            named["seed"] = None if named["seed"] is None else int(named["seed"])
            named["undo"], named["uploaded"] = bool(named["undo"]), bool(named["uploaded"])
            rows.append(Row(**named))
        return rows

    def decisions(self, table: str) -> list[tuple[int, str]]:
        """Seat and action text of each decision."""
        with self._lock:
            return self._db.execute(
                "SELECT seat, action FROM decisions WHERE table_id = ? ORDER BY number", (table,)
            ).fetchall()
