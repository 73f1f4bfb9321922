"""Golden games: whole games kept as records, each with a signature over all its positions.

    python -m tests.golden.make

writes them anew. Do that only when a change of behaviour is meant: an experiment that was run with the old signature
cannot be repeated with the new one. Say why in CHANGELOG.md. Where the old records can still be replayed their actions
are kept, so that the difference shows what changed; the others are played anew.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from carnegie_env import GameRecord
from carnegie_env.core.record import GameRecord as BaseRecord
from carnegie_env.steel_driver import game as steel_driver
from tests import players
from tests.referee import play
from tests.steel_driver.referee import play as steel_play

FOLDER = Path(__file__).parent
SIGNATURES = FOLDER / "signatures.json"


@dataclasses.dataclass(frozen=True)
class Golden:
    """A golden game: how it is begun, and how it is played anew where its record no longer can be.

    Attributes:
        record: the game's class of records.
        options, seed: of the game.
        choose: an action, from chance, the position's dictionary and the legal texts.
    """

    record: type[BaseRecord[Any]]
    options: dict
    seed: int
    choose: Callable[[random.Random, dict, set[str]], str]


# name: options and seed. Of many seeds those whose games meet most kinds of actions.
CARNEGIE: dict[str, tuple[dict, int]] = {
    "solo-beginner": ({"num_players": 1, "difficulty": "beginner"}, 19),
    "solo-normal": ({"num_players": 1, "difficulty": "normal"}, 55),
    "solo-normal-columns": ({"num_players": 1, "difficulty": "normal", "timeline_tiles": "columns"}, 10),
    "solo-difficult": ({"num_players": 1, "difficulty": "difficult", "show_forced": True}, 3),
    "solo-expert": ({"num_players": 1, "difficulty": "expert"}, 23),
    "two": ({"num_players": 2}, 2),
    "two-columns": ({"num_players": 2, "timeline_tiles": "columns"}, 34),
    "two-forced": ({"num_players": 2, "show_forced": True}, 6),
    "three": ({"num_players": 3}, 21),
    "three-columns": ({"num_players": 3, "timeline_tiles": "columns", "show_forced": True}, 44),
    "four": ({"num_players": 4}, 2),
    "four-columns": ({"num_players": 4, "timeline_tiles": "columns"}, 26),
    # with all modules of expansion 1 that go with the players
    "solo-modules": (players.ALL_ON[0], 36),
    "two-modules": (players.ALL_ON[1], 51),
    "three-modules": (players.ALL_ON[2] | {"timeline_tiles": "columns", "show_forced": True}, 21),
    "four-modules": (players.ALL_ON[3], 36),
}
# The same and a style; together the games meet what seldom comes about (tests/steel_driver/test_lockstep.py).
STEEL_DRIVER: dict[str, tuple[dict, int, str]] = {
    "steel-three": ({"num_players": 3}, 1, "builder"),
    "steel-four": ({"num_players": 4}, 1, "coast"),
    "steel-five": ({"num_players": 5}, 1, "any"),
    "steel-six": ({"num_players": 6}, 1, "verbs"),
    "steel-forced": ({"num_players": 4, "show_forced": True}, 1, "rich"),
    "steel-links": ({"num_players": 3}, 1, "links"),
    "steel-shortage": ({"num_players": 3}, 1, "passer"),
}


def _golden(record: type[BaseRecord[Any]], options: dict, seed: int, choose: Any, style: str) -> Golden:
    return Golden(record, options, seed, lambda chance, position, legal: choose(chance, position, legal, style))


GAMES = {name: _golden(GameRecord, *begun, play.choose, "manager") for name, begun in CARNEGIE.items()}
GAMES |= {name: _golden(steel_driver.GameRecord, options, seed, steel_play.choose, style)
          for name, (options, seed, style) in STEEL_DRIVER.items()}  # fmt: skip


def file_of(name: str) -> Path:
    """The record of a golden game."""
    return FOLDER / f"{name}.txt"


def load(name: str) -> BaseRecord[Any]:
    """The record of a golden game as it is kept; OSError or ValueError if it cannot be had."""
    return GAMES[name].record.load(file_of(name))


def new_game(name: str) -> BaseRecord[Any]:
    """Play a golden game anew."""
    game = GAMES[name]
    position, chance = game.record.position.new(game.options, game.seed), random.Random(game.seed)
    while not position.is_over:
        position.apply(game.choose(chance, position.to_dict(), set(position.legal_actions())))
    return game.record.of(position)


def signature(record: BaseRecord[Any]) -> str:
    """A hash over all positions of a game: dictionary, legal actions and scores after every decision.

    The dictionary and the texts count, not the bytes of the record: how a game is kept in memory may change freely.
    """
    digest = hashlib.sha256()
    for position in record.positions():
        shown = [position.to_dict(), position.legal_actions(), position.score_breakdown()]
        digest.update(json.dumps(shown, sort_keys=True).encode())
    return digest.hexdigest()


def main() -> int:
    """Write all records and signatures."""
    before = json.loads(SIGNATURES.read_text()) if SIGNATURES.exists() else {}
    found = {}
    for name in GAMES:
        try:
            record = load(name)
        except (OSError, ValueError) as error:
            print(f"{name}: played anew ({error})")
            record = new_game(name)
            record.save(file_of(name))
        found[name] = signature(record)
        same = before.get(name) == found[name]
        print(f"{name}: {len(record.actions)} decisions, {'as before' if same else 'changed'}")
    SIGNATURES.write_text(json.dumps(found, indent=2) + "\n")
    for file in FOLDER.glob("*.txt"):
        if file.stem not in GAMES:
            file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
