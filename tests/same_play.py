"""The library of compiled loops plays what Numba's code plays: `make same-play`.

One process plays with the library, then another one plays the same games with Numba: random, greedy and value play at
tables of all kinds. Records and scores are hashed after every step of the agents, and at least every thousand random
decisions; a game that went another way stays different, because its generator is in its record.

    python -m tests.same_play [--decisions 1000000000] [--greedy 250000] [--value 1000000] [--seed 1]
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from carnegie_env import collection, make_agent
from carnegie_env.core import kernels, library
from tests import players

GAMES = 256  # of a table
CHUNK = 1000  # random decisions of each game between two looks at the records
CARNEGIE = [
    mode | {"timeline_tiles": ("columns", "rows")[k % 2], "show_forced": k % 3 == 2}
    for k, mode in enumerate((*players.MODES, *players.EXPANDED))
]
STEEL_DRIVER = [{"num_players": seats, "show_forced": shown} for seats in range(3, 7) for shown in (False, True)]
TABLES = [("carnegie", options) for options in CARNEGIE] + [("steel_driver", options) for options in STEEL_DRIVER]


def play(name: str, options: dict[str, Any], player: str, decisions: int, seed: int) -> tuple[int, str]:
    """Play about as many decisions at a table; the number, and a digest of the games."""
    batch = collection.find(name).batch_class(GAMES, num_threads=1, autoreset=True, **options)
    batch.reset(seed)
    agent = None if player == "random" else make_agent(player)
    digest, done, seeds = hashlib.sha256(), 0, np.arange(GAMES, dtype=np.uint64) + np.uint64(seed)
    while done < decisions:
        if agent is None:
            kernels.run(batch._games, batch._template, seeds, CHUNK)
            seeds += np.uint64(GAMES)
            done += GAMES * CHUNK
        else:
            batch.step(agent.choose(batch))
            done += GAMES
        digest.update(batch.games.tobytes() + batch.scores().tobytes())
    return done, digest.hexdigest()


def work(shares: dict[str, int], seed: int) -> Iterator[tuple[str, int, str]]:
    """Play at all tables: for each table and player, its name, the number of decisions and a digest."""
    for player, decisions in shares.items():
        for k, (name, options) in enumerate(TABLES):
            yield f"{player}, {name} {options}", *play(name, options, player, decisions // len(TABLES), seed + k)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--decisions", type=int, default=1_000_000_000, help="of random players (default: %(default)s)")
    parser.add_argument("--greedy", type=int, default=250_000, help="decisions of the agent (default: %(default)s)")
    parser.add_argument("--value", type=int, default=1_000_000, help="decisions of the agent (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first game; others follow (default: 1)")
    parser.add_argument("--engine", choices=["library", "numba"], help="only play with it, and print digests")
    given = parser.parse_args()
    if given.engine:
        if given.engine != ("numba" if library.module is None else "library"):
            print(f"the library does not serve: {library.reason}", file=sys.stderr)
            return 1
        shares = {"random": given.decisions, "greedy": given.greedy, "value": given.value}
        for line in work(shares, given.seed):
            print(json.dumps(line), flush=True)
        return 0
    command, found = [sys.executable, "-m", "tests.same_play", *sys.argv[1:]], []
    for engine in ("library", "numba"):
        settings = os.environ | {"CARNEGIE_ENGINE": "numba" if engine == "numba" else ""}
        done = subprocess.run([*command, "--engine", engine], env=settings, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            return 1
        found.append([json.loads(line) for line in done.stdout.splitlines()])
    different = [one[0] for one, other in zip(*found, strict=True) if one != other]
    for player in ("random", "greedy", "value"):
        number = sum(done for what, done, _ in found[0] if what.startswith(player))
        print(f"{number:>14,} decisions of {player} play at {len(TABLES)} tables")
    print(*(f"DIFFERENT: {what}" for what in different), sep="\n" if different else "")
    print("the library and Numba play differently" if different else "the library and Numba play the same games")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
