"""Rounds and the choice of the timeline (rulebook part 2, chapter 1; solo: part 4, chapters 2.1 and 2.2)."""

from __future__ import annotations

from carnegie_env.carnegie import actions, events, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import andrew, event
from carnegie_env.carnegie.state import Record
from carnegie_env.core import masks
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit

ALL_ROWS = (1 << t.TIMELINE_ROWS) - 1


@jit
def start_round(game: Record) -> None:
    """The next round begins, or the game is over after the last one."""
    if game.round_number == t.ROUNDS:
        game.phase = state.OVER
        game.to_play = state.NONE
        return
    game.round_number += 1
    game.to_play = game.first_player
    game.phase = state.TIMELINE
    emit(events.ROUND, game.round_number, game.first_player if game.num_players > 1 else state.NONE)
    if is_andrews(game):
        row = t.CARD_BACK[game.deck[game.round_number - 1]]
        emit(events.ANDREW_CHOOSES, row)
        choose_row(game, row)


@jit
def is_andrews(game: Record) -> bool:
    """Whether Andrew chooses the row of the round: solo, in even rounds (ruling 32)."""
    return game.difficulty != state.NONE and game.round_number % 2 == 0


@jit
def rounds_played(game: Record) -> int:
    """Rounds that are over."""
    return game.round_number if game.phase == state.OVER else max(game.round_number - 1, 0)


@jit
def first_place(game: Record, seat: int) -> int:
    """A seat's place in the turn order of the first round, 0 for the first player."""
    return (seat - game.first_player + rounds_played(game)) % game.num_players


@jit
def legal_timeline(game: Record) -> None:
    """Any row, whether or not its marker can still move (ruling 8)."""
    masks.put_bits(game.legal, actions.TIMELINE, ALL_ROWS)


@jit
def choose_row(game: Record, row: int) -> None:
    """Choose a row; if it has ended, the next lower one that can move is flipped (ruling 8)."""
    game.chosen_row = row
    game.advancing_row = event.moving_row(game, row)
    emit(events.EVENT, row, game.advancing_row, event.region(game), event.donation(game))
    if game.difficulty != state.NONE:
        andrew.take_turn(game)  # before the player resolves the event (part 4, chapter 2.3)
    game.phase = state.NEXT_INCOME
    game.to_play = game.first_player


@jit
def end_round(game: Record) -> None:
    """Advance the marker that triggered the event, and move the first player's marker to the left."""
    game.marker[game.advancing_row] += 1
    game.chosen_row = state.NONE
    game.advancing_row = state.NONE
    game.first_player = (game.first_player + 1) % game.num_players
    game.phase = state.START_ROUND
