"""How fast value learning is, by threads and on a Ray of its own, and whom the learner keeps up with:
`python -m benchmarks.training`. Without Ray installed, by threads alone.

All take turns, some rounds of games each time, and the best of some turns counts: other programs on the machine disturb
that least. By the clock, two who play beside one who learns want a machine with three free cores; CPU time, that of
Ray's own processes among it, is the same on a busy one.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents import cluster
from benchmarks.throughput import Row, mode, print_table
from carnegie_env import collection
from carnegie_env.core.game import Game
from training.value_cluster import Nodes, trimmed
from training.value_players import Course, Part, Player, Players, Threads
from training.value_settings import Settings
from training.value_trainer import Trainer

FIRST_ROUNDS = 2  # of each, that do not count: nothing is learned from in the very first


def trainer(game: Game, options: Any, players: Callable[[Course], Players]) -> Trainer:
    """A training from nothing with the settings that it has by default."""
    made = Trainer(game, [options], Settings(), 0, players)
    made.compile()
    for _ in range(FIRST_ROUNDS):
        made.round(0.0)
    return made


def rates(training: Trainer, rounds: int) -> tuple[float, float]:
    """Decisions from which the network learns, over some rounds: a second, and a second of CPU time."""
    decisions, begun, spent = 0.0, time.perf_counter(), cpu_time()
    for _ in range(rounds):
        decisions += training.round(0.0)["decisions_per_game"] * training.settings.round_games
    return decisions / (time.perf_counter() - begun), decisions / (cpu_time() - spent)


def cpu_time() -> float:
    """CPU seconds of this process and, on Linux, of all that it has started and that is still there."""
    parents, ticks = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # gone
            fields = file.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            parents[int(file.parent.name)], ticks[int(file.parent.name)] = int(fields[1]), sum(map(int, fields[11:13]))
    mine = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sum(ticks[pid] for pid in mine) / os.sysconf("SC_CLK_TCK") if ticks else time.process_time()


def parts_rows(game: Game, options: Any, repeats: int) -> list[Row]:
    """Playing and learning on a core each, in CPU time, and what is sent."""
    settings = Settings()
    course, games = Course(game, [options], settings), settings.round_games
    training, player = trainer(game, options, lambda course: Threads(course, 1)), Player(course)
    room, playing, learning = player.room_for(games), [], []
    for k in range(repeats):
        begun = time.thread_time()
        player.play(Part(k, k * games, games, 0.0, 0.0), training.net, room)
        playing.append((time.thread_time() - begun) / games)
        begun = time.thread_time()
        training.round(0.0)
        learning.append((time.thread_time() - begun) / games - playing[-1])
    sent, weights = sum(part.nbytes for part in trimmed(room)), sum(part.nbytes for part in training.net)
    play, learn = min(playing), float(np.median(learning))
    return [
        Row("a core plays", 1 / play, "games/s"),
        Row("the learner learns, each game 3 times", 1 / learn, "games/s"),
        Row("cores that play, with whom it keeps up", play / learn, "cores"),
        Row("what a game shows, as it is sent", sent / games, "bytes"),
        Row("weights, to each node once a round", weights / 1024, "KiB"),
    ]


def speed_rows(game: Game, options: Any, rounds: int, repeats: int) -> list[Row]:
    """The whole of it, by threads and on nodes, in turn."""
    who: dict[str, Callable[[Course], Players]] = {
        "1 thread plays": lambda course: Threads(course, 2),
        "2 threads play": lambda course: Threads(course, 3),
    }
    with contextlib.ExitStack() as held:
        if importlib.util.find_spec("ray") is not None:
            joined = held.enter_context(cluster.connect(cpus=3, unit="games"))
            who["1 worker of Ray plays"] = lambda course: Nodes(joined, course, slots=1)
            who["2 workers of Ray play"] = lambda course: Nodes(joined, course, slots=2)
        trainings = {name: trainer(game, options, players) for name, players in who.items()}
        found: dict[str, tuple[float, ...]] = dict.fromkeys(trainings, (0.0, 0.0))
        for _ in range(repeats):
            for name, training in trainings.items():
                speeds = zip(found[name], rates(training, rounds), strict=True)
                found[name] = tuple(max(pair) for pair in speeds)
        for training in trainings.values():
            training.close()
    rows = [Row(f"{name}, one learns", speed, "decisions/s") for name, (speed, _) in found.items()]
    rows += [Row(f"{name}, one learns: by CPU time", speed, "decisions/s") for name, (_, speed) in found.items()]
    for many, one in (("2 threads play", "1 thread plays"), ("2 workers of Ray play", "1 worker of Ray plays")):
        if many in found:
            rows.append(Row(f"{many}, beside one", found[many][0] / found[one][0], "x"))
    for ray, thread in (("1 worker of Ray plays", "1 thread plays"), ("2 workers of Ray play", "2 threads play")):
        if ray in found:
            rows.append(Row(f"{ray}, beside threads", found[ray][0] / found[thread][0], "x"))
            rows.append(Row(f"{ray}, beside threads: by CPU time", found[ray][1] / found[thread][1], "x"))
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=(__doc__ or "").split(":")[0])
    parser.add_argument(
        "--game", choices=collection.PACKAGES, default=collection.DEFAULT, help="(default: %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=4, help="of 256 games, in a turn (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each (default: %(default)s)")
    given = parser.parse_args(arguments)
    game = collection.find(given.game)
    table = {"num_players": max(game.seats[0], 2)}
    options = game.options.from_dict(table)
    print(f"{game.title}, {mode(table)}", flush=True)
    rows = parts_rows(game, options, given.repeats) + speed_rows(game, options, given.rounds, given.repeats)
    print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
