"""Digests of some games by this process's rules, compiled or plain Python: `python -m tests.conformance.plain`."""

import dataclasses
import warnings
from collections.abc import Iterator

import numpy as np

from carnegie_env.core import kernels, masks, rules
from carnegie_env.core.game import Game
from tests.amounts import LONG
from tests.conformance.tables import GAMES, Table, faults, tables
from tests.players import mark, rich_start

LOOK_EVERY = 8  # decisions between the calls of all queries


def game_lines(table: Table, seed: int, rich: bool) -> Iterator[str]:
    """A line for every decision of a game; `rich` (Carnegie) begins in an early round with wealthy companies."""
    batch, generator = table.batch(1, seed), np.random.default_rng(seed)
    if rich:
        batch.load(rich_start(table.options.to_dict(), seed))
    number = 0
    while not batch.done[0]:
        chosen = batch.sample_actions(generator)
        line = f"{table} {number}: {mark(batch.games)} {table.game.texts[chosen[0]]}"
        if number % LOOK_EVERY == 0:
            line += look(batch.copy())
        yield line
        batch.step(chosen)
        number += 1
    yield f"{table} over: {mark(batch.games)} {batch.breakdown().tolist()}"
    batch.reset()
    yield f"{table} next: {mark(batch.games)}"


def look(batch) -> str:
    """The results of all queries of a batch with one game; changes the batch."""
    (fault,) = faults(batch.games)
    views = mark(*[batch.observe(seat=seat) for seat in range(batch.options.num_players)])
    mask = mark(batch.action_masks())
    before = f" views {views} mask {mask} scores {batch.breakdown().tolist()} fault {fault}"
    batch.redraw_hidden(seed=3)
    after = f" redrawn {mark(batch.games)}"
    again = batch.games.copy()
    kernels.refresh(again)
    return f"{before}{after} refreshed {mark(again)}"


def lines() -> list[str]:
    """A game at every eighth table (at every other one with CARNEGIE_LONG=1); half of them show forced decisions."""
    found = []
    for game in GAMES.values():
        for number, table in enumerate(tables(game)):
            if number % 4 in (0, 3) if LONG else number % 8 == 3 * (number // 8 % 2):
                rich = game.name == "carnegie" and number % 3 == 0
                found += game_lines(table, 30 + number, rich)
    return found


def watch(game: Game) -> None:
    """Check every call of a game's rules, including those for forced decisions. Only in plain Python."""

    def legal(record) -> int:
        number = game.rules.legal(record)
        assert number == masks.count(record.legal) > 0, "legal counts other actions than it writes"
        actions = game.num_actions(game.codec.options_of(record))
        assert not any(masks.test(record.legal, action) for action in range(actions, 64 * len(record.legal)))
        return number

    def apply(record, action: int) -> None:
        assert masks.test(record.legal, action)
        game.rules.apply(record, action)

    rules.register(game.name, game.record, dataclasses.replace(game.rules, legal=legal, apply=apply))


if __name__ == "__main__":
    for each in GAMES.values():
        watch(each)
    warnings.simplefilter("error", RuntimeWarning)  # a small integer that overflows is an error
    print("\n".join(lines()))
