"""Golden games: whole games kept as records, each with a signature over all its positions.

    python -m tests.golden.make

writes them anew. Do that only when a change of behaviour is meant: an experiment that was run with the old signature
cannot be repeated with the new one. Say why in CHANGELOG.md. Where the old records can still be replayed their actions
are kept, so that the difference shows what changed; the others are played anew.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path

from carnegie_env import GameRecord, Position
from tests import players
from tests.referee import play

FOLDER = Path(__file__).parent
SIGNATURES = FOLDER / "signatures.json"

# name: options and seed. Of many seeds those whose games meet most kinds of actions.
GAMES: dict[str, tuple[dict, int]] = {
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


def file_of(name: str) -> Path:
    """The record of a golden game."""
    return FOLDER / f"{name}.txt"


def new_game(name: str) -> GameRecord:
    """Play a golden game anew."""
    options, seed = GAMES[name]
    position, chance = Position.new(options, seed), random.Random(seed)
    while not position.is_over:
        position.apply(play.choose(chance, position.to_dict(), set(position.legal_actions()), "manager"))
    return GameRecord.of(position)


def signature(record: GameRecord) -> str:
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
            record = GameRecord.load(file_of(name))
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
