"""The compiled loops over games: the entry points from Python to the rules of any game.

``games`` is a C-contiguous array of a game's records, shape (n,); its dtype selects the rules (rules.py). The loops
release the GIL, so slices of one array can run in threads. One game is an array of length 1 (a call takes about half a
microsecond). The loops don't validate their arguments; batch.py and position.py do.

Functions that take a small part of any program's time are only lightly optimised (`light`), which halves the time to
compile them.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import masks, rng, rules
from carnegie_env.core.arrays import Records
from carnegie_env.core.jit import jit, prefetch

CHECK = os.environ.get("CARNEGIE_CHECK", "") not in ("", "0")
NOTHING = 0  # the action `pass` of every game; a lone `pass` is always played automatically
NOT_MOVED = -2  # instead of an action when only some games move: this one does not


# ---------------------------------------------------------------- one game
@jit
def settle(game: Any) -> int:
    """Advance to the next decision, playing forced ones unless ``show_forced`` is set (a lone `pass` always).

    Returns:
        The number of legal actions; 0 when the game is over.
    """
    while True:
        rules.proceed(game)
        if game.to_play < 0:
            masks.clear(game.legal)
            return 0
        number = rules.legal(game)
        if number > 1:
            return number
        only = masks.first(game.legal)
        if game.show_forced and only != NOTHING:  # a lone `pass` is never a decision
            return number
        rules.apply(game, only)


@jit
def advance(game: Any, action: int) -> int:
    """Take one decision and advance to the next; return the number of legal actions, 0 when the game is over."""
    game.decisions += 1
    rules.apply(game, action)
    number = settle(game)
    if CHECK:  # a constant alone in its condition, so that Numba omits the code below
        if rules.verify(game):
            raise AssertionError("a position breaks the rules; the game's verify says how")
    return number


@jit
def begin(game: Any, seed: np.uint64) -> int:
    """Deal a copy of a template and advance to the first decision; return the number of legal actions."""
    rules.deal(game, seed)
    return settle(game)


# ---------------------------------------------------------------- many games
@jit(light=True)
def start(games: Records, template: Records, seeds: NDArray[np.uint64]) -> None:
    """Deal new games of ``template`` (shape (1,)) from ``seeds`` (uint64, (n,)); forced decisions are played."""
    for i in range(games.shape[0]):
        games[i] = template[0]
        begin(games[i], seeds[i])


@jit
def check(games: Records, chosen: NDArray[np.int64], num_actions: int, some: bool) -> int:
    """The index of the first game whose action in ``chosen`` (int64, (n,)) is illegal; -1 if there is none.

    The action of a game that is over must be -1. If only ``some`` games move, the action of the others is NOT_MOVED.
    """
    for i in range(games.shape[0]):
        action = chosen[i]
        if some and action == NOT_MOVED:
            continue
        if games[i].to_play < 0:
            if action != -1:
                return i
        elif action < 0 or action >= num_actions or not masks.test(games[i].legal, action):
            return i
    return -1


@jit
def are_legal(num_actions: int, games: Records, chosen: NDArray[np.int64], out: NDArray[np.bool_]) -> None:
    """Write whether each action in ``chosen`` (int64, (n,)) is legal into ``out`` (bool, (n,)); False after the end."""
    for i in range(games.shape[0]):
        action = chosen[i]
        out[i] = 0 <= action and action < num_actions and masks.test(games[i].legal, action)


def step(games: Records, chosen: NDArray[np.int64]) -> None:
    """Take one decision in each game; ``chosen`` must have passed :func:`check`. Actions below 0 are skipped."""
    _play(games, chosen, _NO_SEEDS)


@jit
def byte_masks(games: Records, out: NDArray[np.int8]) -> None:
    """Write legal actions as 0/1 bytes into ``out`` (int8, (n, actions)); zeros for a game that is over."""
    for i in range(games.shape[0]):
        masks.to_bytes(games[i].legal, out[i])


@jit(light=True)
def rebuild(games: Records) -> None:
    """Recompute the derived fields, except the legal actions."""
    for i in range(games.shape[0]):
        rules.rebuild(games[i])


@jit(light=True)
def refresh(games: Records) -> None:
    """Recompute the derived fields and the legal actions, for instance after fields were set from outside."""
    for i in range(games.shape[0]):
        rules.rebuild(games[i])
        if games[i].to_play < 0:
            masks.clear(games[i].legal)
        else:
            rules.legal(games[i])


@jit(light=True)
def verify(games: Records, out: NDArray[np.int64]) -> None:
    """Write the number of each position's fault into ``out`` (int64, (n,)); 0: none."""
    for i in range(games.shape[0]):
        out[i] = rules.verify(games[i])


@jit
def score(games: Records, out: NDArray[np.int64]) -> None:
    """Write the scores as if the games ended now into ``out`` (int64, (n, score rows, score columns))."""
    for i in range(games.shape[0]):
        rules.score(games[i], out[i])


@jit
def observe(games: Records, seats: NDArray[np.int64], out: NDArray[np.float32]) -> None:
    """Write the observations of ``seats`` (int64, (n,)) into ``out`` (float32, (n, layout size))."""
    for i in range(games.shape[0]):
        prefetch(games, i + 1)
        rules.observe(games[i], seats[i], out[i])


@jit
def observe_bytes(
    games: Records, seats: NDArray[np.int64], factors: NDArray[np.float32], row: NDArray[np.float32],
    out: NDArray[np.uint8],
) -> None:  # fmt: skip
    """Write the observations of ``seats`` as raw numbers, at most 255, into ``out`` (uint8, (n, layout size)).

    ``factors`` is 1 / the layout's units (division would take longer than everything else), ``row`` is space for one
    observation, both float32 (layout size,).
    """
    for i in range(games.shape[0]):
        prefetch(games, i + 1)
        rules.observe(games[i], seats[i], row)
        raw = out[i]
        for k in range(row.shape[0]):
            raw[k] = np.uint8(np.int32(min(row[k] * factors[k] + np.float32(0.5), np.float32(255))))


@jit(light=True)
def next_seeds(games: Records, out: NDArray[np.uint64]) -> None:
    """Draw the seed of each row's next game (uint64, (n,)) from the game's own generator."""
    for i in range(games.shape[0]):
        out[i] = rng.next_u64(games[i])


@jit(light=True)
def redraw_hidden(games: Records, seats: NDArray[np.int64], seeds: NDArray[np.uint64]) -> None:
    """Redraw what each of ``seats`` (int64, (n,)) cannot see, and all future chance, from ``seeds`` (uint64, (n,)).

    The legal actions don't change, because the player to move sees them.
    """
    for i in range(games.shape[0]):
        game = games[i]
        game.rng = rng.mix(seeds[i])
        rules.redraw_hidden(game, seats[i])


def play_out(games: Records, seeds: NDArray[np.uint64]) -> int:
    """Play every game to its end with uniformly random legal actions drawn from ``seeds`` (uint64, (n,)).

    Return the number of decisions. The generators in the records are restored afterwards.
    """
    return _play(games, _NO_ACTIONS, seeds)


_NO_SEEDS, _NO_ACTIONS = np.zeros(0, np.uint64), np.zeros(0, np.int64)


@jit
def _play(games: Records, chosen: NDArray[np.int64], seeds: NDArray[np.uint64]) -> int:
    """Take the ``chosen`` decisions, or play to the end if there are ``seeds``: one program. Return the number."""
    decisions = 0
    for i in range(chosen.shape[0]):
        prefetch(games, i + 1)
        if chosen[i] >= 0:
            advance(games[i], chosen[i])
            decisions += 1
    for i in range(seeds.shape[0]):
        game = games[i]
        kept = game.rng
        game.rng = rng.mix(seeds[i])
        number = masks.count(game.legal)
        while number > 0:
            number = advance(game, masks.pick(game.legal, rng.draw(game, number)))
            decisions += 1
        game.rng = kept
    return decisions


@jit
def run(games: Records, template: Records, seeds: NDArray[np.uint64], decisions: int) -> int:
    """Play ``decisions`` random decisions in each row, for benchmarks; a new game replaces each finished one.

    Return the number of finished games.
    """
    ended = 0
    for i in range(games.shape[0]):
        game = games[i]
        source = rng.mix(seeds[i])
        number = masks.count(game.legal)
        for _ in range(decisions):
            if number == 0:
                ended += 1
                games[i] = template[0]
                source = rng.advance(source)
                number = begin(game, rng.mix(source))
            source = rng.advance(source)
            number = advance(game, masks.pick(game.legal, rng.below(rng.mix(source), number)))
    return ended
