"""Compiled loops that evaluate the position after each legal action with the network.

A value is the mean over several samples of the hidden information, the same samples for every action. One sample is
enough for an action that reveals nothing: by ``Rules.revealed`` or, if that is unknown, because the first two samples
look the same to the player afterwards. Only samples are evaluated, never the game itself, so values can't depend on
hidden information.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import inputs, network
from carnegie_env.agents.network import Floats, Weights
from carnegie_env.core import kernels, masks, rng, rules
from carnegie_env.core.arrays import Records
from carnegie_env.core.game import Game
from carnegie_env.core.jit import jit

EVALUATIONS, DECISIONS = 0, 1  # places in Room.used
SCORE, MARGIN = 0, 1  # places in Room.units
RANKS = 2  # in Room.numbers


class Room(NamedTuple):
    """The working memory of evaluations, one for each thread."""

    played: Records  # (1,): a game that is played further
    trials: Records  # (draws + 1,): samples of the game, and one in which an action is tried
    before: Floats  # (F,): the inputs of the current position
    after: Floats  # (F,): the inputs after an action
    other: Floats  # (F,): the inputs after it, in another sample
    sums_before: Floats  # (H,): the first layer's sums for `before`
    sums: Floats  # (H,)
    middle: Floats  # (M,)
    places: NDArray[np.int64]  # (F,): the inputs that differ
    by: Floats  # (F,): their differences
    rows: NDArray[np.int64]  # (score rows, score columns)
    sides: NDArray[np.int64]  # (sides,): see inputs.write
    numbers: NDArray[np.int64]  # features, insights; from RANKS on, the score columns that rank
    units: NDArray[np.float64]  # (2,): points in one unit of a score input, and of a margin output
    used: NDArray[np.int64]  # (2,): positions evaluated, decisions played


def room(game: Game, options: Any, net: Weights, draws: int) -> Room:
    size, hidden, middle = net.first.shape[0], net.first.shape[1], net.second.shape[0]
    numbers = game.layout(options).size, len(game.insights), *game.rank_columns
    return Room(
        played=np.zeros(1, game.record),
        trials=np.zeros(draws + 1, game.record),
        before=np.zeros(size, np.float32),
        after=np.zeros(size, np.float32),
        other=np.zeros(size, np.float32),
        sums_before=np.zeros(hidden, np.float32),
        sums=np.zeros(hidden, np.float32),
        middle=np.zeros(middle, np.float32),
        places=np.zeros(size, np.int64),
        by=np.zeros(size, np.float32),
        rows=np.zeros((game.score_rows, len(game.score_columns)), np.int64),
        sides=np.array(game.sides(options), np.int64),
        numbers=np.array(numbers, np.int64),
        units=np.array([inputs.score_unit(game), inputs.margin_unit(game)]),
        used=np.zeros(2, np.int64),
    )


def rooms(game: Game, options: Any, net: Weights, draws: int, number: int) -> list[Room]:
    """Rooms with counts of 0; a thread gets the same ones again, because allocating them is slow."""
    key = game, options, net.first.shape, net.second.shape, draws, number
    if getattr(_last, "key", None) != key:
        _last.rooms = [room(game, options, net, draws) for _ in range(number)]
        _last.key = key
    for each in _last.rooms:
        each.used[:] = 0
    found: list[Room] = _last.rooms
    return found


_last = threading.local()  # the rooms of each thread's last call, and its arguments


# ---------------------------------------------------------------- one position
@jit
def write(game: Any, seat: int, room: Room, out: Floats) -> float:
    """Write the inputs of a seat into ``out``; returns its margin as if the game ended now."""
    return inputs.write(
        game, seat, room.numbers[0], room.numbers[1], room.sides, room.numbers[RANKS], room.units[SCORE], out, room.rows
    )


@jit
def look(game: Any, seat: int, net: Weights, room: Room) -> float:
    """Make a position the current one: its inputs, and its first layer's sums. Returns the margin now."""
    now = write(game, seat, room, room.before)
    network.begin(net, room.before, room.sums_before, room.places)
    return now


@jit
def look_on(game: Any, seat: int, net: Weights, room: Room) -> float:
    """As :func:`look`, from the differences to the current position."""
    now = write(game, seat, room, room.after)
    network.change(net, room.before, room.after, room.sums_before, room.sums, room.places, room.by)
    network.copy(room.after, room.before)
    network.copy(room.sums, room.sums_before)
    return now


@jit
def _outputs(net: Weights, room: Room) -> tuple[float, float]:
    """The network's outputs for the inputs ``room.after``."""
    network.change(net, room.before, room.after, room.sums_before, room.sums, room.places, room.by)
    return network.finish(net, room.sums, room.middle)


@jit
def _margin(now: float, net: Weights, room: Room) -> float:
    """The expected margin of a position with inputs ``room.after`` and margin ``now``."""
    return float(now + room.units[MARGIN] * _outputs(net, room)[0])


@jit
def value(game: Any, seat: int, net: Weights, room: Room) -> float:
    """The final margin that a seat can expect, in points; the true one if the game is over.

    Call :func:`look` first, for this position or an earlier one.
    """
    room.used[EVALUATIONS] += 1
    now = write(game, seat, room, room.after)
    return now if game.to_play < 0 else _margin(now, net, room)


@jit
def _same(one: Floats, other: Floats) -> bool:
    different = 0
    for i in range(one.shape[0]):
        different |= one[i] != other[i]
    return different == 0


@jit
def value_after(action: int, draws: int, seat: int, net: Weights, room: Room) -> float:
    """The mean value after an action over the first ``draws`` games of ``room.trials``."""
    last = room.trials.shape[0] - 1
    trial = room.trials[last]
    total = 0.0
    before = rules.revealed(room.trials[0])
    for k in range(draws):
        room.trials[last] = room.trials[k]
        kernels.advance(trial, action)
        now = write(trial, seat, room, room.after)
        if draws > 1 and before < 0:
            if k == 0:
                network.copy(room.after, room.other)
            elif k == 1 and _same(room.other, room.after):
                return total
        room.used[EVALUATIONS] += 1
        total += now if trial.to_play < 0 else _margin(now, net, room)
        if k == 0 and before >= 0 and rules.revealed(trial) == before:
            return total
    return total / draws


@jit
def draw(game: Any, seat: int, draws: int, seed: np.uint64, room: Room) -> None:
    """Write ``draws`` samples of a game, as a seat sees it, into ``room.trials``."""
    source = seed
    for k in range(draws):
        source = rng.advance(source)
        room.trials[k] = game
        room.trials[k].rng = rng.mix(source)
        rules.redraw_hidden(room.trials[k], seat)


@jit
def rate(game: Any, draws: int, seed: np.uint64, net: Weights, room: Room, out: NDArray[np.float64]) -> int:
    """Write the value of each legal action into ``out``, float64 (A,), -inf for the others; returns the best action.

    Args:
        game: a game that is not over.
        draws: the number of samples of the hidden information.
        seed: of these samples.
        net: the network.
        room: working memory for that many samples.
        out: the values.
    """
    seat = game.to_play
    draw(game, seat, draws, seed, room)
    look(room.trials[0], seat, net, room)
    out[:] = -np.inf
    best = action = masks.first(game.legal)
    while action >= 0:
        out[action] = value_after(action, draws, seat, net, room)
        if out[action] > out[best]:
            best = action
        action = masks.after(game.legal, action)
    return best


@jit
def best_action(
    game: Any, source: np.uint64, noise: float, net: Weights, room: Room, values: NDArray[np.float64] | None = None
) -> int:
    """The best action with one sample of the hidden information; call :func:`look` first.

    ``noise``: the temperature of a softmax of the values, in points, from which the action is drawn instead; 0: none.
    ``values``: receives the values of the legal actions, float64 (A,).
    """
    seat = game.to_play
    draw(game, seat, 1, source, room)
    best = action = masks.first(game.legal)
    best_value = -np.inf
    while action >= 0:
        worth = value_after(action, 1, seat, net, room)
        if values is not None:
            values[action] = worth
        if noise > 0:  # the best value with Gumbel noise is a draw from the softmax
            source = rng.advance(source)
            worth -= noise * np.log(-np.log((np.float64(rng.mix(source) >> np.uint64(12)) + 0.5) / 2.0**52))
        if worth > best_value:
            best, best_value = action, worth
        action = masks.after(game.legal, action)
    return best


@jit
def choose(
    games: Records,
    draws: int,
    seeds: NDArray[np.uint64],
    net: Weights,
    room: Room,
    values: NDArray[np.float64],
    out: NDArray[np.int64],
) -> None:
    """Write the best action of every game into ``out``, int64 (n,), and the values of all actions into ``values``,
    float64 (n, A). No game may be over."""
    for i in range(games.shape[0]):
        out[i] = rate(games[i], draws, seeds[i], net, room, values[i])


@jit
def outlook(games: Records, net: Weights, room: Room, margins: NDArray[np.float64], wins: NDArray[np.float64]) -> None:
    """Write what every seat of every game can expect: the final margin in points into ``margins`` and the win
    probability into ``wins``, float64 (n, seats). After the end the margins are the true ones."""
    for i in range(games.shape[0]):
        for seat in range(margins.shape[1]):
            now = look(games[i], seat, net, room)
            network.copy(room.before, room.after)
            margin, win = _outputs(net, room)
            margins[i, seat] = now if games[i].to_play < 0 else now + room.units[MARGIN] * margin
            wins[i, seat] = 1 / (1 + np.exp(-win))
