"""The file of the games: what is refused, what survives."""

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
from carnegie_env.web.players import Players
from carnegie_env.web.store import _TABLES, APPLICATION, Store, StoreError
from carnegie_env.web.tables import Refused
from tests.amounts import LONG
from tests.web.served import Here, process

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
    assert (tmp_path / "games.sqlite").stat().st_mode & 0o077 == 0  # others on this computer don't read games


def test_other_files_are_refused_and_stay_as_they_are(tmp_path: Path) -> None:
    text, other, newer = (tmp_path / name for name in ("notes.txt", "other.sqlite", "newer.sqlite"))
    text.write_text("no database at all, but long enough to be looked at\n" * 100)
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE tables (id TEXT)")
    with sqlite3.connect(newer) as db:
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute("PRAGMA user_version = 99")
    for file, why in ((text, "no file of games"), (other, "another program's"), (newer, "it is version 99")):
        before = file.read_bytes()
        with pytest.raises(StoreError, match=why):
            Store(file)
        assert file.read_bytes() == before


def test_keys_are_not_kept_where_their_owner_alone_knows_them(tmp_path: Path) -> None:
    with Here(tmp_path, players=Players(workers=1)) as server:
        made = server.new("carnegie", "here", "invited")
        code = made["invitations"][0]["code"]
        taken = server.post(f"/api/invitations/{code}")["key"]
        found = "\n".join(server.store._db.iterdump())
    assert made["key"] in found and made["watch"] in found  # the host may ask for them again
    assert taken not in found and code not in found


def test_a_full_disk_is_said_and_changes_nothing(tmp_path: Path) -> None:
    with Here(tmp_path, players=Players(workers=1)) as server:
        db, asked = server.store._db, {"game": "carnegie", "seats": [{"kind": "here"}]}
        made = [server.new("carnegie", "here")["table"]]
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        while (answer := server.ask("POST", "/api/tables", server.host, asked)).status_code == 201 and len(made) < 50:
            made.insert(0, answer.json()["table"])
        assert answer.status_code == 507 and "could not be saved" in answer.json()["error"]
        assert [each["table"] for each in server.get("/api/tables", server.host)["tables"]] == made
        db.execute("PRAGMA max_page_count = 1000000")
        made.insert(0, server.new("carnegie", "here")["table"])
        assert [each["table"] for each in server.get("/api/tables", server.host)["tables"]] == made


def test_a_disk_without_room_for_a_new_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carnegie_env.web.store._TABLES", f"PRAGMA max_page_count = 1;\n{_TABLES}")
    with pytest.raises(StoreError, match=r"games\.sqlite: it can't be used: .*full"):
        Store(tmp_path / "games.sqlite")
    monkeypatch.undo()
    Store(tmp_path / "games.sqlite").close()  # nothing of it was written


def test_a_table_is_not_read_while_it_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Here(tmp_path, players=Players(workers=1)) as server:
        tables, name = server.tables, server.new("carnegie", "here")["table"]
        tables._recent.clear()  # it is only in the file now
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
        assert begun.wait(10)
        tables.delete(name)
        reading.join()
        assert found[0].deleted and not tables._moving
        with pytest.raises(Refused, match="no such table"):
            tables.get(name)


def test_tables_are_read_again_from_their_decisions(tmp_path: Path) -> None:
    with Here(tmp_path, players=Players(workers=1)) as server:
        made = [server.new("carnegie", "here", "random", options={"modules": "all"}), server.new("carnegie", "here")]
        views = []
        for table in made:
            path, key = f"/api/tables/{table['table']}", table["key"]
            for _ in range(12):
                view = server.get(path, key)
                while not view["your_turn"]:
                    view = server.get(f"{path}?since={view['version']}&wait=9", key)
                asked = {"decisions": view["decisions"], "action": view["legal"][-1]["action"]}
                server.post(f"{path}/decisions", key, asked)
            view = server.get(path, key)
            while not view["your_turn"]:
                view = server.get(f"{path}?since={view['version']}&wait=9", key)
            views.append(view)
    with Here(tmp_path, players=Players(workers=1)) as server:
        for table, view in zip(made, views, strict=True):
            assert server.get(f"/api/tables/{table['table']}", table["key"]) == view
        # one that another version has made, whose decisions mean nothing now
        server.tables._recent.clear()
        broken, name = made[1]["table"], "UPDATE decisions SET action = 'fly' WHERE table_id = ? AND number = 3"
        with server.store._change():
            server.store._db.execute(name, (broken,))
            server.store._db.execute("UPDATE tables SET made_by = '0.0.1'")
        found = {table["table"]: table for table in server.get("/api/tables", server.host)["tables"]}
        assert found[broken]["state"] == "unreadable" and "0.0.1" in found[broken]["stopped"]
        assert "decision 4: there is no action 'fly'" in found[broken]["stopped"]
        assert found[made[0]["table"]]["state"] == "running"
        assert "can't be read" in server.get(f"/api/tables/{broken}", made[1]["key"], 409)["error"]
        assert server.ask("DELETE", f"/api/tables/{broken}", server.host).status_code == 204


# ---------------------------------------------------------------- kill -9
class Bot(threading.Thread):
    """Plays at tables of its own until the server is gone, and remembers what it was answered last."""

    def __init__(self, address: str, key: str, seed: int) -> None:
        super().__init__(daemon=True)
        self._server, self._generator = Server(address, key), random.Random(seed)
        self.known: dict[str, tuple[Any, dict[str, Any]]] = {}  # by table: its seat, the last answer
        self.answers = 0
        self.wrong = ""

    def run(self) -> None:
        try:
            while True:
                seat = self._server.new_table(
                    "carnegie", ["here", "random"], seed=self._generator.getrandbits(60)
                ).seat()
                self.known[seat.table] = seat, seat.wait_for_turn()
                for _ in range(25):
                    view = seat.wait_for_turn()
                    if view["is_over"]:
                        break
                    self.known[seat.table] = seat, seat.play(self._generator.choice(view["legal"])["action"])
                    self.answers += 1
                if self._generator.random() < 0.3 and seat.view()["can_undo"]:
                    self.known[seat.table] = seat, seat.undo()
        except (OSError, ServerError) as error:
            if isinstance(error, ServerError):
                self.wrong = str(error)


def test_nothing_that_was_answered_is_lost_when_the_server_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, generator = tmp_path / "games.sqlite", random.Random(1)
    known: dict[str, tuple[Any, dict[str, Any]]] = {}
    for round_number in range(KILLS):
        with process(file, "--processes", "1", NUMBA_DISABLE_JIT="1") as server:
            for table, (seat, view) in known.items():
                found = Server(server.address, server.key)._connection.json("GET", "/tables?limit=100")
                summary = next(each for each in found["tables"] if each["table"] == table)
                now = type(seat)(server.address, table, summary["key"]).view()
                assert now["last"] >= view["decisions"] and now["version"] >= view["version"], (now, view)
                told = [line for line in now["told"] if line["decisions"] <= view["decisions"]]
                assert told == view["told"][-len(told) :]
            known, gone = {}, threading.Event()
            # a client asks a server that isn't there for some 12 s; here it is known that it won't come back
            monkeypatch.setattr(client, "time", types.SimpleNamespace(sleep=gone.wait))
            bots = [Bot(server.address, server.key, 10 * round_number + k) for k in range(4)]
            for bot in bots:
                bot.start()
            until = time.monotonic() + 60
            while sum(bot.answers for bot in bots) < 60 and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(generator.random() / 3)  # at any moment
            server.kill()
            gone.set()
            for bot in bots:
                bot.join(120)
                assert not bot.wrong
                known |= bot.known
            assert sum(bot.answers for bot in bots) >= 60
    store = Store(file)
    for row in store.rows(0, 1000):
        decisions = store.decisions(row.id)
        assert len(decisions) == row.decisions
        GameRecord(GameRecord.position.new(row.options, row.seed or 0).options, row.seed or 0,
                   tuple(action for _, action in decisions)).verify()  # fmt: skip
    store.close()
