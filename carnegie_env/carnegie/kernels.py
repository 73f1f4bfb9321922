"""Compiled loops over many games: the doors between Python and the rules.

``games`` is a C-contiguous array of dtype ``state.GAME``, shape (n,), n >= 1. The loops release the GIL, so slices of
one array can run in threads. One game is an array of length 1 (a call costs about half a microsecond).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carnegie_env.carnegie import actions, engine, observation, state
from carnegie_env.carnegie.rules import andrew, new_start, scoring, secret_donation
from carnegie_env.core import masks, rng
from carnegie_env.core.arrays import Records
from carnegie_env.core.jit import jit, prefetch


@jit
def start(games: Records, template: Records, seeds: NDArray[np.uint64]) -> None:
    """Deal new games of ``template`` (shape (1,)) from ``seeds`` (uint64, (n,)); forced decisions are played."""
    for i in range(games.shape[0]):
        games[i] = template[0]
        engine.start(games[i], seeds[i])


@jit
def check(games: Records, chosen: NDArray[np.int64]) -> int:
    """Index of the first game whose action in ``chosen`` (int64, (n,)) can't be taken there; -1 if there is none.

    The action of a game that is over is -1.
    """
    for i in range(games.shape[0]):
        action = chosen[i]
        if games[i].to_play < 0:
            if action != -1:
                return i
        elif action < 0 or action >= actions.NUM_ACTIONS or not masks.test(games[i].legal, action):
            return i
    return -1


@jit
def step(games: Records, chosen: NDArray[np.int64]) -> None:
    """Take one decision in each game; ``chosen`` must have passed :func:`check`; -1 leaves a game alone."""
    for i in range(games.shape[0]):
        prefetch(games, i + 1)
        if chosen[i] >= 0:
            engine.step(games[i], chosen[i])


@jit
def byte_masks(games: Records, out: NDArray[np.int8]) -> None:
    """Legal actions as 0/1 bytes into ``out`` (int8, (n, actions)); zeros for a game that is over."""
    for i in range(games.shape[0]):
        masks.to_bytes(games[i].legal, out[i])


@jit
def refresh(games: Records) -> None:
    """Make derived fields and legal words anew, e.g. after fields were set from outside. Plays nothing."""
    for i in range(games.shape[0]):
        state.rebuild_derived(games[i])
        engine.legal(games[i])


@jit
def score(games: Records, out: NDArray[np.int64]) -> None:
    """Scores as if the games ended now into ``out`` (int64, (n, 5, scoring.NUM_SCORES))."""
    for i in range(games.shape[0]):
        scoring.score(games[i], out[i])


@jit
def observe(games: Records, seats: NDArray[np.int64], out: NDArray[np.float32]) -> None:
    """Observations of ``seats`` (int64, (n,)) into ``out`` (float32, (n, layout size))."""
    for i in range(games.shape[0]):
        prefetch(games, i + 1)
        observation.write_observation(games[i], seats[i], out[i])


@jit
def next_seeds(games: Records, out: NDArray[np.uint64]) -> None:
    """The seed of each row's next game (uint64, (n,)), drawn from the game's own generator."""
    for i in range(games.shape[0]):
        out[i] = rng.next_u64(games[i])


@jit
def redraw_hidden(games: Records, seeds: NDArray[np.uint64]) -> None:
    """Draw anew, from ``seeds`` (uint64, (n,)), what the player to move cannot see; the generators are not touched."""
    for i in range(games.shape[0]):
        game = games[i]
        kept = game.rng
        game.rng = rng.mix(seeds[i])
        if game.difficulty != state.NONE:
            andrew.redraw_hidden(game)
        if game.phase == state.SHEET:
            new_start.redraw_hidden(game)
        if game.modules & state.SECRET_DONATION:
            secret_donation.redraw_hidden(game)
        game.rng = kept


@jit
def play_out(games: Records, seeds: NDArray[np.uint64]) -> int:
    """Play every game to its end with uniformly random legal actions drawn from ``seeds`` (uint64, (n,)).

    Returns the number of decisions taken. The generators in the records are not touched.
    """
    decisions = 0
    for i in range(games.shape[0]):
        game = games[i]
        kept = game.rng
        game.rng = rng.mix(seeds[i])
        while game.phase != state.OVER:
            engine.step(game, masks.pick(game.legal, rng.draw(game, engine.number_legal(game))))
            decisions += 1
        game.rng = kept
    return decisions


@jit
def run(games: Records, template: Records, seeds: NDArray[np.uint64], decisions: int) -> int:
    """Random self-play for measuring: so many decisions in each game, new games for those that end.

    Returns the number of games that ended.
    """
    ended = 0
    for i in range(games.shape[0]):
        game = games[i]
        source = np.zeros(1, state.GAME)[0]
        source.rng = rng.mix(seeds[i])
        for _ in range(decisions):
            if game.phase == state.OVER:
                ended += 1
                games[i] = template[0]
                engine.start(game, rng.next_u64(source))
            engine.step(game, masks.pick(game.legal, rng.draw(source, engine.number_legal(game))))
    return ended
