"""Plays random games of all kinds of tables, and prints how: `python same_games.py GAMES DECISIONS [AGENT]...`

It prints JSON: whether the library of compiled loops serves, whether Numba was imported, and for each table a digest of
all records, observations and scores after every decision, and of the agents' choices at the end. The digests are the
same on every platform, with the library, with Numba, and as plain Python.
"""

import hashlib
import json
import sys

import numpy as np

from carnegie_env import collection, make_agent
from carnegie_env.core import library

TABLES = {
    "carnegie": [
        {"num_players": 1},
        {"num_players": 1, "difficulty": "expert", "modules": "all"},
        {"num_players": 2},
        {"num_players": 3, "modules": "all"},
        {"num_players": 4},
        {"num_players": 4, "modules": "all"},
    ],
    "steel_driver": [{"num_players": 4}],
}
games, decisions = map(int, sys.argv[1:3])
digests = {}
for name, tables in TABLES.items():
    game = collection.find(name)
    for options in tables:
        batch = game.batch_class(games, num_threads=1, **options)
        batch.reset(seed=1)
        digest, generator = hashlib.sha256(), np.random.default_rng(1)
        for _ in range(decisions):
            batch.step(batch.sample_actions(generator))
            digest.update(batch.games.tobytes() + batch.observe(dtype="uint8").tobytes() + batch.scores().tobytes())
        batch.redraw_hidden(seat=0, seed=3)
        digest.update(batch.games.tobytes())
        for agent in map(make_agent, sys.argv[3:]):
            if not batch.done.all():
                digest.update(agent.choose(batch).tobytes())
        digests[f"{name} {options}"] = digest.hexdigest()[:16]
print(json.dumps([library.module is not None, "numba" in sys.modules, digests]))
