"""The file of the games: files it refuses, and changes that survive."""

import gc
import random
import sqlite3
import threading
import time
import types
from pathlib import Path
from typing import Any

import pytest

from carnegie_env import GameRecord
from carnegie_env.web import client
from carnegie_env.web.client import Server, ServerError
from carnegie_env.web.store import _TABLES, APPLICATION, Store, StoreError
from carnegie_env.web.tables import Refused
from tests.amounts import LONG
from tests.web.served import TABLE, Here, process

KILLS = 10 if LONG else 2


def test_a_file_is_for_one_server_at_a_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.sqlite")
    key = store.host_key()
    with pytest.raises(StoreError, match=r"games\.sqlite: another server has it open"):
        Store(tmp_path / "games.sqlite")
    store.close()
    again = Store(tmp_path / "games.sqlite")
    assert again.host_key() == key and len(key) == 22
    again.close()
    assert (tmp_path / "games.sqlite").stat().st_mode & 0o077 == 0  # other users can't read the games


def test_other_files_are_refused_and_not_changed(tmp_path: Path) -> None:
    text, other, newer = (tmp_path / name for name in ("notes.txt", "other.sqlite", "newer.sqlite"))
    text.write_text("no database at all, but long enough to be looked at\n" * 100)
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE tables (id TEXT)")
    with sqlite3.connect(newer) as db:
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute("PRAGMA user_version = 99")
    for file, why in ((text, "not a file of games"), (other, "another program's"), (newer, "the file has version 99")):
        before = file.read_bytes()
        with pytest.raises(StoreError, match=why):
            Store(file)
        assert file.read_bytes() == before


def test_keys_known_only_to_their_owner_are_not_stored(tmp_path: Path) -> None:
    with Here(tmp_path) as server:
        made = server.new("carnegie", "here", "invited")
        code = made["invitations"][0]["code"]
        taken = server.post(f"/api/invitations/{code}")["key"]
        found = "\n".join(server.store._db.iterdump())
    assert made["key"] in found and made["watch"] in found  # the host may look them up
    assert taken not in found and code not in found


def test_a_full_disk_is_reported_and_changes_nothing(tmp_path: Path) -> None:
    with Here(tmp_path) as server:
        db, made = server.store._db, [server.new()["table"]]
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        while (answer := server.ask("POST", "/api/tables", server.host, TABLE)).status_code == 201 and len(made) < 50:
            made.insert(0, answer.json()["table"])
        assert answer.status_code == 507 and "could not be saved" in answer.json()["error"]
        assert [each["table"] for each in server.get("/api/tables", server.host)["tables"]] == made
        db.execute("PRAGMA max_page_count = 1000000")
        made.insert(0, server.new()["table"])
        assert [each["table"] for each in server.get("/api/tables", server.host)["tables"]] == made


@pytest.mark.parametrize("end", ["", "-wal"])
@pytest.mark.parametrize("replaced", [False, True], ids=["deleted", "replaced"])
def test_no_game_is_lost_when_the_file_is_deleted_or_replaced(
    tmp_path: Path, end: str, replaced: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with Here(tmp_path) as server:
        made, file = server.new(), Path(f"{server.store.path}{end}")
        view = server.decide(made, server.view(made))
        file.rename(tmp_path / "moved")
        if replaced:
            file.write_bytes((tmp_path / "moved").read_bytes())
        for _ in range(2):
            error = server.decide(made, view, status=507)["error"]
            assert "was deleted or replaced by another program; restart the server" in error
        assert server.view(made)["decisions"] == 1  # nothing has changed
    assert [f"{file.parent / 'games.sqlite'} was deleted or replaced" in each.message for each in caplog.records
            if each.name.endswith("store")] == [True]  # fmt: skip
    (rescued,) = tmp_path.glob("*.rescued-*")
    store = Store(rescued)
    assert [(row.id, row.decisions) for row in store.rows(0, 9)] == [(made["table"], 1)]
    assert len(store.decisions(made["table"])) == 1 and rescued.stat().st_mode & 0o077 == 0
    store.close()


def test_a_disk_too_full_for_a_new_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carnegie_env.web.store._TABLES", f"PRAGMA max_page_count = 1;\n{_TABLES}")
    with pytest.raises(StoreError, match=r"games\.sqlite: it can't be used: .*full"):
        Store(tmp_path / "games.sqlite")
    monkeypatch.undo()
    Store(tmp_path / "games.sqlite").close()  # nothing was written


def test_a_table_is_not_read_while_it_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Here(tmp_path) as server:
        tables, name = server.tables, server.new()["table"]
        tables._recent.clear()  # now it is only in the file
        gc.collect()
        read, begun = tables._read, threading.Event()

        def slowly(row: Any) -> Any:
            begun.set()
            time.sleep(0.3)
            return read(row)

        monkeypatch.setattr(tables, "_read", slowly)
        found: list[Any] = []
        reading = threading.Thread(target=lambda: found.append(tables.get(name)))
        reading.start()
        assert begun.wait(60)
        tables.delete(name)
        reading.join()
        assert found[0].deleted and not tables._moving
        with pytest.raises(Refused, match="no such table"):
            tables.get(name)


def test_tables_are_rebuilt_from_their_decisions(tmp_path: Path) -> None:
    with Here(tmp_path) as server:
        made = [server.new("carnegie", "here", "random", options={"modules": "all"}), server.new()]
        views = [server.play_out(table, most=15) for table in made]
    with Here(tmp_path) as server:
        for table, view in zip(made, views, strict=True):
            assert server.view(table) == view
        server.tables._recent.clear()
        broken = made[1]["table"]
        with server.store._change():  # as if another version had other actions
            server.store._db.execute("UPDATE decisions SET action = 'fly' WHERE table_id = ? AND number = 3", (broken,))
            server.store._db.execute("UPDATE tables SET made_by = '0.0.1'")
        found = {table["table"]: table for table in server.get("/api/tables", server.host)["tables"]}
        assert found[broken]["state"] == "unreadable" and "0.0.1" in found[broken]["stopped"]
        assert "decision 4: there is no action 'fly'" in found[broken]["stopped"]
        assert found[made[0]["table"]]["state"] == "running"
        assert "can't be read" in server.get(made[1].path, made[1]["key"], 409)["error"]
        assert server.ask("DELETE", made[1].path, server.host).status_code == 204


# ---------------------------------------------------------------- kill -9
class Bot(threading.Thread):
    """Plays at its own tables until the server is gone, and remembers the last response about each."""

    def __init__(self, address: str, key: str, seed: int) -> None:
        super().__init__(daemon=True)
        self._server, self._generator = Server(address, key), random.Random(seed)
        self.known: dict[str, tuple[Any, dict[str, Any]]] = {}  # by table: its seat and the last view
        self.answers = 0
        self.wrong = ""

    def run(self) -> None:
        try:
            while True:
                seed = self._generator.getrandbits(60)
                seat = self._server.new_table("carnegie", ["here", "random"], seed=seed).seat()
                self.known[seat.table] = seat, seat.wait_for_turn()
                for _ in range(25):
                    view = seat.wait_for_turn()
                    if view["is_over"]:
                        break
                    self.known[seat.table] = seat, seat.play(self._generator.choice(view["legal"])["action"])
                    self.answers += 1
                if self._generator.random() < 0.3 and seat.view()["can_undo"]:
                    self.known[seat.table] = seat, seat.undo()
        except ServerError as error:
            self.wrong = str(error)
        except OSError:
            pass


def test_a_killed_server_loses_nothing_that_was_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, generator = tmp_path / "games.sqlite", random.Random(1)
    known: dict[str, tuple[Any, dict[str, Any]]] = {}
    for round_number in range(KILLS):
        with process(file, "--processes", "1", NUMBA_DISABLE_JIT="1") as server:
            tables = {each.summary["table"]: each for each in Server(server.address, server.key).tables(limit=100)}
            for table, (_, view) in known.items():
                now = tables[table].seat().view()
                assert now["last"] >= view["decisions"] and now["version"] >= view["version"], (now, view)
                told = [line for line in now["told"] if line["decisions"] <= view["decisions"]]
                assert told == view["told"][-len(told) :]
            known, gone = {}, threading.Event()
            # clients retry for 12 s; here they stop as soon as the server is killed
            monkeypatch.setattr(client, "time", types.SimpleNamespace(sleep=gone.wait))
            bots = [Bot(server.address, server.key, 10 * round_number + k) for k in range(4)]
            for bot in bots:
                bot.start()
            until = time.monotonic() + 200
            while sum(bot.answers for bot in bots) < 60 and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(generator.random() / 3)
            server.kill()
            gone.set()
            for bot in bots:
                bot.join(120)
                assert not bot.wrong
                known |= bot.known
            assert sum(bot.answers for bot in bots) >= 60
    store = Store(file)
    for row in store.rows(0, 1000):
        actions = tuple(action for _, action in store.decisions(row.id))
        assert len(actions) == row.decisions
        options = GameRecord.position.new(row.options, row.seed or 0).options
        GameRecord(options, row.seed or 0, actions).verify()
    store.close()
