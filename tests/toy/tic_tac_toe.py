"""Tic-tac-toe: a whole game in one file. docs/adding-a-game.md opens with it."""

import dataclasses
from typing import Annotated, Any

from carnegie_env.core import game, masks, rules
from carnegie_env.core.arrays import Vector
from carnegie_env.core.fields import Fields, Kind
from carnegie_env.core.jit import jit
from carnegie_env.core.layout import Feature, Layout, numbers
from carnegie_env.core.options import BaseOptions, whole

TEXTS = ("pass", *(f"mark {square}" for square in range(1, 10)))
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclasses.dataclass(frozen=True)
class Options(BaseOptions):
    """How a game is set up.

    Args:
        num_players: 2.
        show_forced: leave the last square to the player instead of playing it.
    """

    num_players: int = whole(2, 2, 2)
    show_forced: bool = False


class Record(game.Record):
    squares: Annotated[Vector[int], Kind("i1", most=2, shape=(9,)), "0: free, else 1 + the seat that marked it"]


@jit
def has_line(game: Record, seat: int) -> bool:
    found = False
    for a, b, c in LINES:
        found |= game.squares[a] == game.squares[b] == game.squares[c] == seat + 1
    return found


@jit
def legal(game: Record) -> int:
    masks.clear(game.legal)
    for square in range(9):
        if game.squares[square] == 0:
            masks.put(game.legal, square + 1)
    return masks.count(game.legal)


@jit
def proceed(game: Record) -> None:
    free = legal(game)
    over = free == 0 or has_line(game, 0) or has_line(game, 1)
    game.to_play = -1 if over else (9 - free) % 2


@jit
def apply(game: Record, action: int) -> None:
    game.squares[action - 1] = game.to_play + 1


@jit
def score(game: Record, out: Any) -> None:
    out[0, 0], out[1, 0] = has_line(game, 0), has_line(game, 1)


@jit
def observe(game: Record, seat: int, out: Vector[float]) -> None:
    for square, mark in enumerate(game.squares):
        out[square], out[9 + square], out[18 + square] = mark == seat + 1, mark == 2 - seat, mark == 0


LAYOUT = Layout("Tic-tac-toe", [("", (Feature("squares", "whose", (("own", "other", "free"), numbers(9, 1))),))])
TIC_TAC_TOE = game.Game(
    name="tic_tac_toe", options=Options, fields=Fields("tic_tac_toe", Record, Options, TEXTS), texts=TEXTS, longest=9,
    rules=rules.Rules(proceed=proceed, legal=legal, apply=apply, score=score, observe=observe),
    layout=lambda options: LAYOUT, score_columns=("line",),
)  # fmt: skip
