"""Sixes: a toy game of dice and secret numbers for one to five players that uses every part of the core.

Each player draws a secret number from 1 to 6 and has 6 tokens. In each round the players secretly bet one to three
tokens in turn; a player without tokens bets nothing. Then the bets are revealed and one die is rolled for all. In turn,
the players take or pass. A player who takes wins a point for each token bet if the die is not above their number; else
they lose the tokens and a point. Every take reveals something about the number. After the last round the player with
the most points wins; tokens left break ties.

At a table of one the bank also plays: it bets one token in each round and takes exactly when that wins.

These are the complete rules.
"""

import dataclasses
import functools
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.core import game, masks, rng
from carnegie_env.core.arrays import Vector, float32
from carnegie_env.core.fields import Fields, Kind
from carnegie_env.core.game import Game, Losses, Presentation
from carnegie_env.core.jit import jit
from carnegie_env.core.layout import Feature, Layout, factors, mark, numbers, size, starts
from carnegie_env.core.options import BaseOptions, whole
from carnegie_env.core.rules import Rules

# ---------------------------------------------------------------- the components
SEATS = 5
BANK = SEATS  # the automatic opponent's row
ROWS = SEATS + 1
SIDES = 6  # of the die, and the greatest number
TOKENS = 6
MOST_BET = 3
MOST_ROUNDS = 9
MOST_POINTS = MOST_ROUNDS * MOST_BET
TEXTS = ("pass", "take", *(f"bet {n}" for n in range(1, MOST_BET + 1)))
PASS, TAKE, BET = range(3)  # BET + n - 1 is `bet n`
PHASES = ("bet", "take", "over")
BETTING, TAKING, OVER = range(3)


# ---------------------------------------------------------------- options, record
@dataclasses.dataclass(frozen=True)
class Options(BaseOptions):
    """How a game is set up.

    Args:
        num_players: 1 (against the bank) to 5.
        rounds: 1 to 9.
        open_hands: numbers and bets are public.
        show_forced: leave decisions with one legal action to the player instead of playing them.
    """

    num_players: int = whole(2, 1, SEATS)
    rounds: int = whole(3, 1, MOST_ROUNDS)
    open_hands: bool = False
    show_forced: bool = False


class Record(game.Record):
    """One game. Arrays have a row for each seat; the last row is the bank's."""

    rounds: Annotated[int, Kind("i1"), "rounds in the game"]
    open_hands: Annotated[int, Kind("i1"), "1 if numbers and bets are public"]
    phase: Annotated[int, Kind("i1", most=OVER), "position in PHASES"]
    round_number: Annotated[int, Kind("i1", least=1, most=MOST_ROUNDS), "from 1"]
    die: Annotated[int, Kind("i1", most=SIDES), "the die; 0 during betting"]
    number: Annotated[Vector[int], Kind("i1", most=SIDES, shape=(ROWS,)), "the secret number; 0 if not in play"]
    least: Annotated[
        Vector[int], Kind("i1", most=SIDES, shape=(ROWS,)), "the least possible number, as far as the others know"
    ]
    most: Annotated[Vector[int], Kind("i1", most=SIDES, shape=(ROWS,)), "the greatest possible number"]
    tokens: Annotated[Vector[int], Kind("i1", most=TOKENS, shape=(ROWS,)), "tokens, including those bet"]
    bet: Annotated[
        Vector[int], Kind("i1", most=MOST_BET, shape=(ROWS,)), "tokens bet in this round, until they are decided"
    ]
    won: Annotated[Vector[int], Kind("i1", most=MOST_POINTS, shape=(ROWS,)), "points won"]
    failed: Annotated[Vector[int], Kind("i1", most=MOST_ROUNDS, shape=(ROWS,)), "failed takes, a point each"]
    stakes: Annotated[int, Kind("i1", derived=True), "the sum of the bets"]


FAULTS = (
    "", "a number contradicts the known limits", "points and tokens don't fit the takes so far", "a bet is impossible",
    "the derived fields are stale", "phase, die, round and to_play don't fit together", "a forced decision",
)  # fmt: skip
_, NUMBER, POINTS, BETS, DERIVED, TURN, FORCED = range(len(FAULTS))
FIELDS = Fields("sixes", Record, Options, TEXTS, FAULTS)


def template(options: Options) -> NDArray[Any]:
    """The record before anything is drawn: shape (1,)."""
    games = FIELDS.blank(options)
    playing = list(sides(options))
    games["round_number"] = 1
    games["least"][0, playing] = 1
    games["most"][0, playing] = SIDES
    games["tokens"][0, playing] = TOKENS
    return games


def sides(options: Options) -> tuple[int, ...]:
    """The rows in play."""
    return (0, BANK) if options.num_players == 1 else tuple(range(options.num_players))


@jit
def plays(game: Record, row: int) -> bool:
    """Whether a row belongs to a seat in play, or to the bank at a table of one."""
    return row < game.num_players or (row == BANK and game.num_players == 1)


# ---------------------------------------------------------------- the rules
@jit
def deal(game: Record, seed: np.uint64) -> None:
    """Draw the secret numbers."""
    game.rng = rng.mix(seed)
    for row in range(ROWS):
        if plays(game, row):
            game.number[row] = 1 + rng.draw(game, SIDES)


@jit
def proceed(game: Record) -> None:
    """When all have bet, roll the die; when all have decided, begin the next round."""
    while game.to_play == game.num_players:
        game.to_play = 0
        if game.phase == BETTING:
            roll(game)
            game.phase = TAKING
        else:
            if game.num_players == 1:
                play_bank(game)
            game.die = 0
            game.phase = BETTING
            if game.round_number == game.rounds:
                game.phase = OVER
                game.to_play = -1
            else:
                game.round_number += 1


@jit
def roll(game: Record) -> None:
    """Roll the die. The seed of the next game does not depend on how this one is played."""
    kept = rng.set_apart(game, game.round_number)
    game.die = 1 + rng.draw(game, SIDES)
    game.rng = kept


@jit
def play_bank(game: Record) -> None:
    """The bank takes if that wins; otherwise everybody learns that it would have lost."""
    if game.die <= game.number[BANK]:
        win(game, BANK, 1)
    else:
        game.most[BANK] = min(game.most[BANK], game.die - 1)


@jit
def legal(game: Record) -> int:
    """Bet one to three tokens; take or pass after a bet."""
    masks.clear(game.legal)
    most = min(game.tokens[game.to_play], MOST_BET)
    if game.phase == BETTING and most > 0:
        masks.put_bits(game.legal, BET, (1 << most) - 1)
        return most
    masks.put(game.legal, PASS)
    if game.phase == BETTING or game.bet[game.to_play] == 0:
        return 1
    masks.put(game.legal, TAKE)
    return 2


@jit
def apply(game: Record, action: int) -> None:
    """Bet, or take or pass, which ends the bet."""
    seat = game.to_play
    if game.phase == BETTING:
        game.bet[seat] = max(action - BET + 1, 0)
        game.stakes += game.bet[seat]
    else:
        if action == TAKE:
            take(game, seat)
        game.stakes -= game.bet[seat]
        game.bet[seat] = 0
    game.to_play += 1


@jit
def take(game: Record, seat: int) -> None:
    """Win as many points as the bet if the die is not above the number, else lose the bet and a point."""
    if game.die <= game.number[seat]:
        win(game, seat, game.bet[seat])
    else:
        game.tokens[seat] -= game.bet[seat]
        game.failed[seat] += 1
        game.most[seat] = min(game.most[seat], game.die - 1)


@jit
def win(game: Record, row: int, points: int) -> None:
    """Score a take, which reveals that the number is not below the die."""
    game.won[row] += points
    game.least[row] = max(game.least[row], game.die)


@jit
def score(game: Record, out: Any) -> None:
    """Points and tokens of each row."""
    for row in range(ROWS):
        out[row, 0] = game.won[row] - game.failed[row]
        out[row, 1] = game.tokens[row]


@jit
def rebuild(game: Record) -> None:
    """Recompute the derived field."""
    game.stakes = game.bet.sum()


@jit
def redraw_hidden(game: Record, seat: int) -> None:
    """Redraw the others' numbers, within the known limits, and their unrevealed bets."""
    if game.open_hands:
        return
    for row in range(ROWS):
        if row != seat and plays(game, row):
            game.number[row] = game.least[row] + rng.draw(game, game.most[row] - game.least[row] + 1)
            if game.phase == BETTING and game.bet[row] > 0:
                game.bet[row] = 1 + rng.draw(game, min(game.tokens[row], MOST_BET))
    rebuild(game)


@jit
def verify(game: Record) -> int:
    """The index in FAULTS of a position's fault. Not every unreachable position is found."""
    stakes = 0
    for row in range(ROWS):
        fault = verify_row(game, row)
        if fault:
            return fault
        stakes += game.bet[row]
    if stakes != game.stakes:
        return DERIVED
    if (game.phase == OVER) != (game.to_play < 0) or (game.phase == TAKING) != (game.die > 0):
        return TURN
    if game.round_number > game.rounds or (game.phase == OVER and game.round_number != game.rounds):
        return TURN
    if game.decisions > 2 * game.num_players * game.rounds:
        return TURN
    if game.phase == BETTING and game.tokens[game.to_play] < (1 if game.show_forced else 2):
        return FORCED
    if game.phase == TAKING and game.bet[game.to_play] == 0:
        return FORCED
    return 0


@jit
def verify_row(game: Record, row: int) -> int:
    """The fault of one row: its number, points, tokens and bet."""
    if not plays(game, row):
        used = game.number[row] + game.least[row] + game.most[row] + game.tokens[row] + game.bet[row]
        return POINTS if used + game.won[row] + game.failed[row] > 0 else 0
    won, failed, lost = game.won[row], game.failed[row], TOKENS - game.tokens[row]
    if not 1 <= game.least[row] <= game.number[row] <= game.most[row]:
        return NUMBER
    if (won == 0 and game.least[row] > 1) or (row != BANK and (failed > 0) != (game.most[row] < SIDES)):
        return NUMBER
    decided = game.phase == OVER or (game.phase == TAKING and row < game.to_play)
    takes = game.round_number - (0 if decided else 1)
    largest = 1 if row == BANK else MOST_BET
    if (won + largest - 1) // largest + failed > takes or not failed <= lost <= failed * largest:
        return POINTS
    has_bet = (game.phase == BETTING and row < game.to_play) or (game.phase == TAKING and row >= game.to_play)
    if row == BANK or not has_bet or game.tokens[row] == 0:
        return BETS if game.bet[row] > 0 else 0
    return 0 if 1 <= game.bet[row] <= game.tokens[row] else BETS


# ---------------------------------------------------------------- observations
PLAYER = (
    Feature("number", "the possible numbers; one if it is known", (numbers(SIDES, 1),)),
    Feature("tokens", "tokens", most=TOKENS, scale=TOKENS),
    Feature("bet", "tokens bet, if they are visible", most=MOST_BET, scale=MOST_BET),
    Feature("won", "points won", most=MOST_POINTS, scale=10),
    Feature("failed", "failed takes", most=MOST_ROUNDS, scale=10),
)
TABLE = (
    Feature("phase", "what is being decided", (PHASES,)),
    Feature("die", "the die", (numbers(SIDES, 1),)),
    Feature("round", "the round", most=MOST_ROUNDS, scale=MOST_ROUNDS),
    Feature("rounds", "rounds in the game", most=MOST_ROUNDS, scale=MOST_ROUNDS),
    Feature("stakes", "the sum of the bets, once they are visible", most=SEATS * MOST_BET, scale=SEATS * MOST_BET),
)
WIDTH = size(PLAYER)
P, P_FACTOR = starts(PLAYER), factors(PLAYER)
T, T_FACTOR = starts(TABLE), factors(TABLE)


@functools.cache
def layout(num_players: int) -> Layout:
    """The layout: the observing seat, the others clockwise (or the bank), the table."""
    others = ["bank"] if num_players == 1 else [f"left_{k}" for k in range(1, num_players)]
    players = [(owner, PLAYER) for owner in ("own", *others)]
    return Layout(f"Sixes, {num_players} players", [*players, ("", TABLE)])


@jit
def observe(game: Record, seat: int, out: Vector[float]) -> None:
    """A seat's observation."""
    out[:] = 0
    shown = game.open_hands or game.phase != BETTING
    start = 0
    for k in range(max(game.num_players, 2)):
        row = BANK if game.num_players == 1 and k == 1 else (seat + k) % game.num_players
        if k == 0 or game.open_hands:
            mark(out, start + P.number, game.number[row] - 1)
        else:
            out[start + P.number + game.least[row] - 1 : start + P.number + game.most[row]] = 1
        if k == 0 or shown:
            out[start + P.bet] = float32(game.bet[row]) * P_FACTOR.bet
        out[start + P.tokens] = float32(game.tokens[row]) * P_FACTOR.tokens
        out[start + P.won] = float32(game.won[row]) * P_FACTOR.won
        out[start + P.failed] = float32(game.failed[row]) * P_FACTOR.failed
        start += WIDTH
    mark(out, start + T.phase, game.phase)
    mark(out, start + T.die, game.die - 1)
    out[start + T.round] = float32(game.round_number) * T_FACTOR.round
    out[start + T.rounds] = float32(game.rounds) * T_FACTOR.rounds
    if shown:
        out[start + T.stakes] = float32(game.stakes) * T_FACTOR.stakes


@jit
def insight(game: Record, seat: int, out: Vector[float]) -> None:
    """The probability that a take wins, and the expected points."""
    chance = game.number[seat] / SIDES
    out[0] = chance
    out[1] = chance * game.bet[seat]


@jit
def guess(game: Record, seat: int) -> float:
    """A point for each later round, times the probability that a take wins."""
    return (game.rounds - game.round_number) * game.number[seat] / SIDES


# ---------------------------------------------------------------- presentation
def phase(record: Any) -> str:
    """The phase; visible bets have their own, because they are not secret."""
    return "open bet" if record.open_hands and record.phase == BETTING else PHASES[record.phase]


def statistics(batch: Any, played: NDArray[np.int64]) -> list[tuple[str, list[tuple[str, str]]]]:
    """How often each action was played."""
    return [("actions per game", [(TEXTS[a], f"{n / batch.num_games:.2f}") for a, n in enumerate(played)])]


# ---------------------------------------------------------------- the game
SIXES = Game(
    name="sixes",
    options=Options,
    fields=FIELDS,
    template=template,
    texts=TEXTS,
    rules=Rules(
        deal=deal, proceed=proceed, legal=legal, apply=apply, score=score, observe=observe, rebuild=rebuild,
        verify=verify, redraw_hidden=redraw_hidden, insight=insight, guess=guess,
    ),
    layout=lambda options: layout(options.num_players),
    score_columns=("points", "tokens"),
    rank_by=("points", "tokens"),
    opponent="bank",
    random="the secret numbers, and the die of each round",
    hides=lambda options: not options.open_hands,
    longest=2 * SEATS * MOST_ROUNDS,
    losses=Losses(margin=-40, score=-10),
    insights=("chance", "expected"),
    variants=({}, {"rounds": 9}, {"open_hands": True}),
    presentation=Presentation(
        hidden="the others' numbers, and their bets until all have bet",
        phase=phase,
        secret_phases={"bet": "bets"},
        statistics=statistics,
    ),
)  # fmt: skip
Batch, Position, GameRecord = SIXES.batch_class, SIXES.position_class, SIXES.record_class
