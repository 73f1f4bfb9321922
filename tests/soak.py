"""Millions of decisions with the checks compiled into every step: `make soak`.

With CARNEGIE_CHECK=1 the game's rule `verify` checks every position; a fault stops the run and prints the game. There
are several playing styles, because uniformly random players seldom build a company, or pay too much for it. Half of
Carnegie's games start from rich companies, half have modules of expansion 1. Between steps, scores, observations and
redrawn hidden cards are computed.

    CARNEGIE_CHECK=1 python -m tests.soak [--game carnegie] [--decisions 50000000] [--seed 1] [--jobs 2]
    NUMBA_BOUNDSCHECK=1 CARNEGIE_CHECK=1 python -m tests.soak --decisions 2000000

The second also checks every array index; run it after a change of the rules.
"""

import dataclasses
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env import collection
from carnegie_env.core import kernels, masks, rng
from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import actions as steel_actions
from tests import longrun, players, verify
from tests.players import redraw_hidden

GAMES = 512
STEPS = 512
RICH_STARTS = 8  # of a job; each is used many times
SEEDS = 16  # of the weights of a job
DECISIONS = {"carnegie": 50_000_000, "steel_driver": 20_000_000}


@dataclasses.dataclass(frozen=True)
class Play:
    """How the games of a job start and are played.

    Attributes:
        options: of the game.
        style: of play.
        group: a name for the games in the counts.
        weights: of all actions, float64 (actions,), by style and seed; see players.weights.
        rich: makes a later start from options and seed; None starts with the set-up.
    """

    options: dict
    style: str
    group: str
    weights: Callable[[str, int], NDArray[np.float64]]
    rich: Callable[[dict, int], Any] | None = None

    def __str__(self) -> str:
        return f"{self.options}, {self.style}, rich {self.rich is not None}"


# ---------------------------------------------------------------- Carnegie
def carnegie(number: int) -> Play:
    """Jobs take turns through modes, styles and starts; half of them have modules."""
    number, mode = divmod(number, len(players.MODES))
    number, style = divmod(number, len(players.STYLES))
    forced, rows = number % 5 == 4, number // 2 % 2
    mode_on = players.MODES[mode]
    if (mode + style + number // 2) % 2:
        mode_on = verify.with_modules(mode_on, mode + style + len(players.STYLES) * number)
    options = mode_on | {"timeline_tiles": ["columns", "rows"][rows], "show_forced": forced}
    rich = players.rich_start if number % 2 == 1 else None
    return Play(options, players.STYLES[style], verify.group_of(options), players.weights, rich)


# ---------------------------------------------------------------- Steel Driver
STEEL_STYLES = ("uniform", "builder", "saver", "whims")


def steel_weights(style: str, seed: int) -> NDArray[np.float64]:
    """Weights of all actions: "uniform" gives equal weights, so wild bids; "builder" bids low, and all companies are
    sold; "saver" mostly passes, so cubes pile up; "whims" bids low, with random weights drawn from the seed."""
    bids = [float(text.split()[-1]) if text.startswith(("bid", "open")) else 0.0 for text in steel_actions.TEXTS]
    weights = np.ones(len(bids)) if style == "uniform" else np.exp(-np.array(bids) / 3)
    if style == "saver":
        weights[steel_actions.PASS] = 40.0
    if style == "whims":
        weights *= np.exp(np.random.default_rng(seed).normal(0, 1.2, len(weights)))
    return weights


def steel(number: int) -> Play:
    """Jobs take turns through numbers of players and styles; one in five shows forced decisions."""
    number, seats = divmod(number, 4)
    number, style = divmod(number, len(STEEL_STYLES))
    options = {"num_players": seats + 3, "show_forced": number % 5 == 4}
    return Play(options, STEEL_STYLES[style], f"{seats + 3} players, {STEEL_STYLES[style]}", steel_weights)


# ---------------------------------------------------------------- all games
PLAYS: dict[str, Callable[[int], Play]] = {"carnegie": carnegie, "steel_driver": steel}  # by the number of the job


@jit
def draw(games, weight, source, out):
    """players.choose, compiled: draw legal actions by weight (float64 (n, actions)) into `out` (int64 (n,))."""
    for i in range(games.shape[0]):
        total = 0.0
        for k in range(masks.count(games[i].legal)):
            total += weight[i, masks.pick(games[i].legal, k)]
        drawn = total * (np.float64(rng.next_u64(source[0]) >> np.uint64(11)) / 2.0**53)
        out[i] = -1
        for k in range(masks.count(games[i].legal)):
            out[i] = masks.pick(games[i].legal, k)
            drawn -= weight[i, out[i]]
            if drawn < 0:
                break


def work(job: tuple[str, int, int]) -> longrun.Result:
    """Play a batch for a while; games that end start again."""
    name, seed, number = job
    play = PLAYS[name](number)
    chance = np.random.default_rng([seed, number])
    batch = collection.find(name).batch_class(GAMES, num_threads=1, **play.options)
    batch.reset(int(chance.integers(2**62)))
    if play.rich:
        starts = [play.rich(play.options, int(s)).games for s in chance.integers(2**31, size=RICH_STARTS)]
        pool = np.concatenate(starts)
        batch._games[:] = pool[np.arange(GAMES) % RICH_STARTS]
    weight = np.array([play.weights(play.style, int(s)) for s in chance.integers(2**31, size=SEEDS)])
    weight = np.repeat(weight, GAMES // SEEDS, axis=0)
    result = longrun.Result()
    source, chosen, before = np.zeros(1, batch.games.dtype), np.zeros(GAMES, np.int64), batch.games.copy()
    source["rng"] = chance.integers(2**62)
    ended = f"games ended, {play.group}"
    try:
        for step in range(STEPS):
            np.copyto(before, batch.games)
            draw(batch._games, weight, source, chosen)
            batch.step(chosen)
            result.done += GAMES
            if step % 32 == 0:
                look_around(batch, seed + step)
            over = batch.done
            if over.any():
                result.outcomes[ended] += int(over.sum())
                batch.reset(mask=over)
                if play.rich:
                    batch._games[over] = pool[chance.integers(RICH_STARTS, size=int(over.sum()))]
    except Exception as error:
        what = f"{play}: {type(error).__name__}: {error}"
        result.wrong.append(f"job {job}, {what}\n{broken(batch, before)}")
    return result


def look_around(batch: Any, seed: int) -> None:
    """What players and programs compute between steps, on a copy."""
    other = batch.copy()
    other.observe()
    other.breakdown()
    redraw_hidden(other._games, np.arange(GAMES, dtype=np.uint64) + np.uint64(seed))
    kernels.refresh(other._games)
    assert np.array_equal(other.games["legal"], batch.games["legal"])


def broken(batch: Any, before: np.ndarray) -> str:
    """The first game with a fault, before and after the step."""
    game = batch.game
    for row, record in enumerate(batch.games):
        fault = game.rules.verify(record)
        if fault:
            found = [json.dumps(game.codec.to_dict(record)) for record in (before[row], record)]
            return f"game {row}: fault {fault} of its invariants\nbefore: {found[0]}\nafter: {found[1]}"
    return "no single game has a fault"


if __name__ == "__main__":
    os.environ["CARNEGIE_CHECK"] = "1"  # inherited by the processes, which compile the checks in
    sys.exit(longrun.main(__doc__, work, DECISIONS))
