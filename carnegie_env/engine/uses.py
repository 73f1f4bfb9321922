"""The loops that the library contains: each with arguments of the types that it is called with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from carnegie_env.agents import evaluation, inputs, network, search
from carnegie_env.agents.greedy import loops as greedy
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import kernels
from carnegie_env.core.game import Game
from carnegie_env.datasets import replay
from carnegie_env.steel_driver.game import STEEL_DRIVER
from training import value_learning
from training.rivals import GREEDY, Rival
from training.value_players import Course, Part, Player
from training.value_settings import Settings

Use = tuple[Any, tuple[Any, ...]]  # a `jit` function, and arguments


def _array(dtype: Any, dimensions: int = 1) -> Any:
    return np.zeros((1,) * dimensions, dtype)


def of(game: Game) -> Iterator[Use]:
    """The loops for a game's records."""
    games, whole, seeds = _array(game.record), _array(np.int64), _array(np.uint64)
    floats, flags = _array(np.float32), _array(np.bool_)
    yield kernels.start, (games, games, seeds)
    yield kernels.check, (games, whole, 1, True)
    yield kernels.are_legal, (1, games, whole, flags)
    yield kernels._play, (games, whole, seeds)
    yield kernels.byte_masks, (games, _array(np.int8, 2))
    yield kernels.rebuild, (games,)
    yield kernels.refresh, (games,)
    yield kernels.verify, (games, whole)
    yield kernels.score, (games, _array(np.int64, 3))
    yield kernels.observe, (games, whole, _array(np.float32, 2))
    yield kernels.observe_bytes, (games, whole, floats, floats, _array(np.uint8, 2))
    yield kernels.next_seeds, (games, seeds)
    yield kernels.redraw_hidden, (games, whole, seeds)
    yield kernels.run, (games, games, seeds, 1)
    if game.fields.invariants is not None:
        yield game.fields.invariants.inspect, (games[0],)

    options = game.options.from_dict({"num_players": max(game.seats[0], 2)})
    net = network.zeros(inputs.size(game, options), 16, 16)
    room = evaluation.room(game, options, net, 1)
    worths = _array(np.float64, 2)
    yield evaluation.choose, (games, 1, seeds, net, room, worths, whole)
    yield evaluation.outlook, (games, net, room, worths, worths)
    plans, rated = _array(np.int64, 2), _array(np.float64, 3)
    yield search.play_futures, (games, whole, seeds, 1, 0.0, whole, net, net, room, plans, rated, worths[0])
    if game.name in greedy.GAMES:
        greedy_room = greedy.room(game, 1)
        yield greedy.rate, (games, greedy_room, worths)
        yield greedy.stand, (games, greedy_room, worths)

    numbers, table = _array(np.int64, 2), _array(np.float32, 2)
    block = replay.Block(
        whole, seeds, whole, _array(np.uint16), numbers, numbers, table, _array(np.bool_, 2),
        whole, floats, whole, floats,
    )  # fmt: skip
    work = replay.Work(games, games, numbers, whole, whole, whole, whole)
    yield replay.fill, (block, whole, whole, work, replay.Kept(games, whole, floats, whole, table, table))

    player = Player(Course(game, [options], Settings(hidden=16, middle=16), {}, [Rival(GREEDY)]))
    shown, results = player.room_for(1), value_learning.outcome(game, 1)
    part = Part(0, 0, 1)
    yield value_learning.play, (
        part.seeds, player._templates, net, player._room, player._deep, player._met, player._style, player._rivals[0],
        shown, results,
    )  # fmt: skip


def all_games() -> Iterator[Use]:
    """Everything in the library."""
    for game in (CARNEGIE, STEEL_DRIVER):
        yield from of(game)
    yield from of_learning()


def of_learning() -> Iterator[Use]:
    """The loops that see no record."""
    net, whole = network.zeros(16, 16, 16), _array(np.int64)
    shown = value_learning.chains(1, 1, 1)
    yield value_learning.add_gradients, (whole, shown, net, *[0.1] * 6, value_learning.learner(net))
    yield value_learning.adam, (*(part for part in [_array(np.float32)] * 4), 0.1, 0.1, 0.1)
