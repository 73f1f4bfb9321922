"""The greedy agent inside compiled loops, for any game with an evaluation."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import rules
from carnegie_env.core.arrays import Matrix, Records, Vector
from carnegie_env.core.game import Game
from carnegie_env.core.jit import jit

GAMES = ("carnegie", "steel_driver")  # games with an evaluation: a module of this package with the game's name
TRIALS = 3  # records that an evaluation may use


class Room(NamedTuple):
    """Working memory of a loop."""

    trials: Records  # (TRIALS + 1,); the last is a sample of the game as a seat sees it
    scores: NDArray[np.int64]  # (score rows, score columns)
    worths: NDArray[np.float64]  # (A,)


def room(game: Game, num_actions: int) -> Room:
    return Room(
        np.zeros(TRIALS + 1, game.record),
        np.zeros((game.score_rows, len(game.score_columns)), np.int64),
        np.empty(num_actions),
    )


@jit
def _rate_nothing(game: Any, trials: Records, scores: Matrix[int], out: Vector[float]) -> None:
    """For games without an evaluation; never called."""
    out[:] = 0


@jit
def _stand_nowhere(game: Any, seat: int, scores: Matrix[int]) -> float:
    """For games without an evaluation; never called."""
    return 0.0


def evaluation(record: np.dtype[Any]) -> Any:
    """The module with the evaluation of a game; None if there is none."""
    name = rules.game_of(record)
    return importlib.import_module(f".{name}", __package__) if name in GAMES else None


_rate = rules.ByRecord("greedy's rate", lambda record: getattr(evaluation(record), "rate", _rate_nothing))
_stand = rules.ByRecord("greedy's stand", lambda record: getattr(evaluation(record), "stand", _stand_nowhere))


@jit
def rate(games: Records, room: Room, out: Matrix[float]) -> None:
    """Write the value of every legal action into ``out``, float64 (n, A), else -inf. No game may be over."""
    for i in range(games.shape[0]):
        _rate(games[i], room.trials, room.scores, out[i])


@jit
def stand(games: Records, room: Room, out: Matrix[float]) -> None:
    """Write the value of each seat's position into ``out``, float64 (n, seats). No game may be over."""
    for i in range(games.shape[0]):
        for seat in range(out.shape[1]):
            out[i, seat] = _stand(games[i], seat, room.scores)


@jit
def best(game: Any, seed: np.uint64, room: Room) -> int:
    """The best action, the first if tied, with a sample of the hidden information from ``seed``."""
    guessed = room.trials[TRIALS]
    room.trials[TRIALS] = game
    guessed.rng = seed
    rules.redraw_hidden(guessed, game.to_play)
    _rate(guessed, room.trials, room.scores, room.worths)
    return int(np.argmax(room.worths))
