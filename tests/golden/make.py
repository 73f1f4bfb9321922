"""Golden games: whole games kept as records, each with a signature over all its positions.

    python -m tests.golden.make

writes them again. Do that only after an intended change of behaviour: results with the old signature can't be repeated
with the new one. Say why in CHANGELOG.md. Old records that can still be replayed keep their actions, so that the
difference shows what changed; the others are played again.
"""

import hashlib
import json
import random
import sys
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

# name: (options, seed, style). The seeds were chosen among many for the kinds of actions in their games.
CARNEGIE = {
    "solo-beginner": ({"num_players": 1, "difficulty": "beginner"}, 19, "manager"),
    "solo-normal": ({"num_players": 1, "difficulty": "normal"}, 55, "manager"),
    "solo-normal-columns": ({"num_players": 1, "difficulty": "normal", "timeline_tiles": "columns"}, 10, "manager"),
    "solo-difficult": ({"num_players": 1, "difficulty": "difficult", "show_forced": True}, 3, "manager"),
    "solo-expert": ({"num_players": 1, "difficulty": "expert"}, 23, "manager"),
    "two": ({"num_players": 2}, 2, "manager"),
    "two-columns": ({"num_players": 2, "timeline_tiles": "columns"}, 34, "manager"),
    "two-forced": ({"num_players": 2, "show_forced": True}, 6, "manager"),
    "three": ({"num_players": 3}, 21, "manager"),
    "three-columns": ({"num_players": 3, "timeline_tiles": "columns", "show_forced": True}, 44, "manager"),
    "four": ({"num_players": 4}, 2, "manager"),
    "four-columns": ({"num_players": 4, "timeline_tiles": "columns"}, 26, "manager"),
    # with all modules of expansion 1 that go with the players
    "solo-modules": (players.ALL_ON[0], 36, "manager"),
    "two-modules": (players.ALL_ON[1], 51, "manager"),
    "three-modules": (players.ALL_ON[2] | {"timeline_tiles": "columns", "show_forced": True}, 21, "manager"),
    "four-modules": (players.ALL_ON[3], 36, "manager"),
}
# Together the games contain the rare cases of tests/steel_driver/test_lockstep.py.
STEEL_DRIVER = {
    "steel-three": ({"num_players": 3}, 1, "builder"),
    "steel-four": ({"num_players": 4}, 1, "coast"),
    "steel-five": ({"num_players": 5}, 1, "any"),
    "steel-six": ({"num_players": 6}, 1, "verbs"),
    "steel-forced": ({"num_players": 4, "show_forced": True}, 1, "rich"),
    "steel-links": ({"num_players": 3}, 1, "links"),
    "steel-shortage": ({"num_players": 3}, 1, "passer"),
}
GAMES: dict[str, tuple[dict[str, Any], int, str]] = CARNEGIE | STEEL_DRIVER


def load(name: str) -> BaseRecord[Any]:
    """The stored record of a golden game; OSError or ValueError if it is missing or refused."""
    return (GameRecord if name in CARNEGIE else steel_driver.GameRecord).load(FOLDER / f"{name}.txt")


def new_game(name: str) -> BaseRecord[Any]:
    """Play a golden game again."""
    kind, choose = (GameRecord, play.choose) if name in CARNEGIE else (steel_driver.GameRecord, steel_play.choose)
    options, seed, style = GAMES[name]
    position, chance = kind.position.new(options, seed), random.Random(seed)
    while not position.is_over:
        position.apply(choose(chance, position.to_dict(), set(position.legal_actions()), style))
    return kind.of(position)


def signature(record: BaseRecord[Any]) -> str:
    """A hash over all positions of a game: dictionary, legal actions and scores after every decision.

    It doesn't depend on the layout of the record in memory, which may change.
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
            print(f"{name}: played again ({error})")
            record = new_game(name)
            record.save(FOLDER / f"{name}.txt")
        found[name] = signature(record)
        same = before.get(name) == found[name]
        print(f"{name}: {len(record.actions)} decisions, {'unchanged' if same else 'changed'}")
    SIGNATURES.write_text(json.dumps(found, indent=2) + "\n")
    for file in FOLDER.glob("*.txt"):
        if file.stem not in GAMES:
            file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
