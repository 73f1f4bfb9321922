"""Whether the rules that a server needs are compiled; if not, it starts in plain Python, and `python -m
carnegie_env.web.ready` compiles them beside it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # not while running: with them come the rules, and whether to compile them may be still to be said
    from carnegie_env.web.tables import Table, Tables

MARK = "web-ready"  # a file beside the compiled code
NICER = 15  # than the server that this runs beside


def is_compiled() -> bool:
    """Whether everything is in the cache of compiled code; callable before the rules are imported."""
    from carnegie_env.core import cache

    return any((folder / MARK).exists() for folder in cache.folders())


def compile_all() -> None:
    """Do once everything a server does, at tables of every kind, and note that it is compiled."""
    from carnegie_env import collection
    from carnegie_env.core import cache
    from carnegie_env.web import messages
    from carnegie_env.web.app import start_of
    from carnegie_env.web.players import Players
    from carnegie_env.web.store import Store
    from carnegie_env.web.tables import Tables

    with tempfile.TemporaryDirectory() as folder:
        store, players = Store(Path(folder, "games.sqlite")), Players(workers=1)
        tables = Tables(store, players, lambda name: None, most=1000)
        try:
            for game in collection.games().values():
                for options in game.variants:
                    number = game.options.from_dict(options).num_players
                    seats = [messages.NewSeat(kind="here")] * number
                    asked = messages.NewTable(game=game.name, options=options, seed=1, seats=seats)
                    table = tables.get(tables.add(start_of(asked)).id)
                    _play(table, tables)
                    record, position = table.game.record_class, table.position(2).to_dict()
                    start_of(messages.NewTable(position=position, seats=seats))
                    texts = tuple(game.texts[number] for number in table.actions)
                    start_of(messages.NewTable(record=record(table.options, 1, texts).to_text(), seats=seats))
        finally:
            players.close()
            store.close()
    for written in cache.folders()[:1]:
        written.mkdir(parents=True, exist_ok=True)
        (written / MARK).touch()


def _play(table: Table, tables: Tables) -> None:
    """Play a game to its end, with every view of it."""
    from carnegie_env.web import views
    from carnegie_env.web.players import Question

    seats = tuple(range(table.options.num_players))
    while not table.is_over:
        number = tables.players.at_once(Question("random", 1, table.position()))
        if len(table.actions) % 8 == 0:
            for those in ((), seats):
                views.view(table, those)
                views.picture(table, those, None, "light")
                views.position_as_json(table, those)
        tables.decide(table, seats, len(table.actions), number)
    views.view(table, seats)
    views.scores_by_round(table, seats)
    views.view_of_variation(table, seats, 0, table.actions[:2], "light")
    views.record(table)
    tables.undo(table, seats, len(table.actions))


if __name__ == "__main__":
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICER)
    if not is_compiled():
        compile_all()
