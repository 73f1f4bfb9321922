"""Whether the rules are compiled. If not, the server starts in plain Python while `python -m carnegie_env.web.ready`
compiles them."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # importing these loads the rules, maybe before it is decided whether to compile them
    from carnegie_env.web.tables import Table, Tables

MARK = "web-ready"  # a file next to the compiled code
NICENESS = 15  # so that the server comes first


def is_compiled() -> bool:
    """Whether the cache of compiled code is complete. Does not import the rules."""
    from carnegie_env.core import library

    if library.module is not None:  # nothing needs to be compiled
        return True
    from carnegie_env.core import cache

    return any((folder / MARK).exists() for folder in cache.folders())


def compile_all() -> None:
    """Run everything that a server does, for all games and variants, and mark the cache as complete."""
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
                    wanted = messages.NewTable(game=game.name, options=options, seed=1, seats=seats)
                    table = tables.get(tables.add(start_of(wanted)).id)
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
    """Play a game to its end and look at it in every way."""
    from carnegie_env.web import views
    from carnegie_env.web.players import Question

    seats = tuple(range(table.options.num_players))
    while not table.is_over:
        number = tables.players.at_once(Question("random", 1, table.position()))
        if len(table.actions) % 8 == 0:
            for viewers in ((), seats):
                views.view(table, viewers)
                views.picture(table, viewers, None, "light")
                views.position_as_json(table, viewers)
        tables.decide(table, seats, len(table.actions), number)
    views.view(table, seats)
    views.scores_by_round(table, seats)
    views.view_of_variation(table, seats, 0, table.actions[:2], "light")
    views.record(table, seats)
    tables.undo(table, seats, len(table.actions))


if __name__ == "__main__":
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    if not is_compiled():
        compile_all()
