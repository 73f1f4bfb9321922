"""Set-up (rulebook part 1, chapter 3), steps 1 to 12; solo: part 4, chapter 1.

:func:`template` makes what is the same for every game of the same options, :func:`deal` draws the rest from the seed.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import actions, events, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.rules import company, new_departments, new_start
from carnegie_env.carnegie.rules.construction import put_build_bits
from carnegie_env.carnegie.rules.management import put_tiles
from carnegie_env.carnegie.rules.tabs import HOUSING
from carnegie_env.carnegie.state import ANDREW, NEUTRAL, Record, add_donation, bit, left_most_free_space, occupy
from carnegie_env.core import masks, rng
from carnegie_env.core.arrays import Vector, int64
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit


def template(options: Options) -> np.ndarray:
    """The record of a game before anything is drawn or chosen.

    Args:
        options: the switches.

    Returns:
        Array of shape (1,), dtype ``state.GAME``.
    """
    games = state.FIELDS.blank(options)
    game = games[0]
    for seat in range(options.num_players):  # step 6
        game.money[seat] = t.START_MONEY
        game.goods[seat] = t.START_GOODS
        game.reserve[seat] = t.START_RESERVE
        game.disks[seat] = t.START_DISKS
        game.department[seat] = t.START_DEPARTMENT
        game.active[seat, t.START_SPACE] = 1
        game.inactive[seat, t.LOBBY_SPACE] = t.START_LOBBY
        game.action_tile[seat] = t.ACTION_CHOICE[options.num_players, seat]  # step 8; seat 0 is the first player
    if options.solo:
        game.disks[ANDREW] = t.ANDREW_DISKS
    state.rebuild_derived(game)
    return games


@jit
def deal(game: Record, seed: np.uint64) -> None:
    """Draw everything except the neutral disks; then the first seat chooses its tab sides (or fills in its sheet)."""
    game.rng = rng.mix(seed)
    _deal_timeline(game)
    _deal_display(game)
    if game.difficulty != state.NONE:
        _deal_deck(game)
    game.phase = state.SHEET if game.modules & state.NEW_START else state.SIDES
    game.to_play = game.first_player


@jit
def _deal_timeline(game: Record) -> None:
    """Step 2: four of the eight tiles with random sides, as columns or rows (ruling 7), and the End tile."""
    tiles = np.arange(t.TIMELINE_TILES.shape[0])
    rng.shuffle(game, tiles)
    for k in range(t.TIMELINE_TILES_DEALT):
        side = rng.draw(game, t.TIMELINE_TILES.shape[1])
        for j in range(t.TILE_EVENTS):
            row, column = (k, j) if game.tiles_in_rows else (j, k)
            event = t.TIMELINE_TILES[tiles[k], side, j]
            game.event_region[row, column] = state.NONE if event == t.DONATION else event
            game.event_donation[row, column] = event == t.DONATION
    for row in range(t.TIMELINE_ROWS):
        game.event_region[row, t.END_SPACE] = t.END_REGION[row]
        game.event_donation[row, t.END_SPACE] = 1


@jit
def _deal_display(game: Record) -> None:
    """Steps 3 and 4: remove some department tiles; the others are the display."""
    new_departments.choose_tiles(game)
    left = game.display.sum()
    for _ in range(t.DEPARTMENTS_REMOVED[game.num_players]):
        k = rng.draw(game, left)
        left -= 1
        for number in range(1, t.NUM_TILES + 1):
            if k < game.display[number]:
                game.display[number] -= 1
                break
            k -= game.display[number]


@jit
def _deal_neutral_disks(game: Record) -> None:
    """Step 9, after all tab sides are chosen (ruling 3), so that nobody knows the disks before."""
    number = t.NEUTRAL_DISKS[game.num_players]
    if number > 0:
        cards: Vector[int] = np.arange(t.NUM_CARDS)
        kept = rng.set_apart(game, state.LOT_OF_NEUTRAL_DISKS)
        rng.shuffle(game, cards)
        game.rng = kept
        place_neutral_disks(game, cards, number)


@jit
def place_neutral_disks(game: Record, cards: Vector[int], number: int) -> None:
    """Step 9 by ruling 4: go through Andrew's cards; disks that can't be placed are skipped, not used up."""
    placed, in_cities = 0, 0
    for card in cards:
        cell = t.CARD_DONATION[card]
        if placed < number and game.donation[cell] == 0:
            add_donation(game, cell, NEUTRAL)
            placed += 1
        for k in range(t.CARD_NUM_CITIES[card]):
            space = left_most_free_space(game, t.CARD_CITIES[card, k])
            if placed < number and space != state.NONE:
                occupy(game, space, NEUTRAL)
                placed += 1
                in_cities += 1
    emit(events.NEUTRAL_DISKS, in_cities, placed - in_cities)


@jit
def _deal_deck(game: Record) -> None:
    """Solo: Andrew's deck, drawn at random, with advanced cards by difficulty (ruling 38)."""
    advanced = t.DIFFICULTY_ADVANCED[game.difficulty]
    normal = t.DECK_SIZE - advanced
    cards = np.arange(t.NUM_CARDS)
    rng.shuffle(game, cards)
    drawn = 0
    for k in range(cards.shape[0]):
        card = cards[k]
        if t.CARD_ADVANCED[card]:
            take = advanced > 0
            advanced -= 1
        else:
            take = normal > 0
            normal -= 1
        if take:
            game.deck[drawn] = card
            drawn += 1


# ---- the players' choices, in the order of ruling 3
@jit
def _next_tab(game: Record) -> int:
    project = 0
    while game.tab_side[game.to_play, project] != state.NONE:
        project += 1
    return project


@jit
def legal_sides(game: Record) -> None:
    """Step 6B: the two sides of the next tab."""
    masks.put_bits(game.legal, actions.SIDE + t.TAB_SIDES * _next_tab(game), bit(t.TAB_SIDES) - 1)


@jit
def apply_sides(game: Record, argument: int) -> None:
    """Choose a tab side; after the fourth the next seat follows, after the last seat neutral disks and step 10."""
    seat = game.to_play
    game.tab_side[seat, argument // t.TAB_SIDES] = argument % t.TAB_SIDES
    if game.tab_side[seat, t.NUM_PROJECT_TYPES - 1] == state.NONE:
        return
    if not company.pass_clockwise(game):
        _deal_neutral_disks(game)
        game.phase = state.HOUSING
        game.to_play = (game.first_player - 1) % game.num_players


@jit
def legal_housing(game: Record) -> None:
    """Step 10: a free housing space in a medium or large city."""
    put_build_bits(game, HOUSING, game.free_builds[HOUSING] & ~t.BUILD_SMALL_MASK[HOUSING])


@jit
def apply_housing(game: Record, build: int) -> None:
    """Place the housing tab's disk, free of charge."""
    occupy(game, t.BUILD_SPACE[build], game.to_play)
    game.tab_built[game.to_play, HOUSING] += 1
    game.phase = state.RESERVE


@jit
def legal_reserve(game: Record) -> None:
    """Step 10: any department tile of the display."""
    tiles = int64(0)
    for number in range(1, t.NUM_TILES + 1):
        if game.display[number] > 0:
            tiles |= bit(number - 1)
    put_tiles(game, tiles)


@jit
def apply_reserve(game: Record, number: int) -> None:
    """Reserve a tile (ruling 5). Seats decide counter-clockwise; then come the moves (or the panels)."""
    seat = game.to_play
    game.display[number] -= 1
    game.reserved[seat] = number
    game.phase = state.HOUSING
    game.to_play = (seat - 1) % game.num_players
    if seat == game.first_player:
        game.to_play = seat
        if game.modules & state.NEW_DONATIONS:
            game.phase = state.PANELS
        else:
            begin_setup_moves(game)


@jit
def setup_moves(game: Record, seat: int) -> int:
    """The moves of step 11; with a new start, the sheet's last line."""
    return new_start.amount(game, seat, new_start.MOVES) if game.modules & state.NEW_START else t.SETUP_MOVES


@jit
def begin_setup_moves(game: Record) -> None:
    """Step 11 for the seat to play."""
    game.moves = setup_moves(game, game.to_play)
    game.phase = state.SETUP_MOVES


@jit
def end_setup_moves(game: Record) -> None:
    """End step 11 for this seat; after the last seat comes step 12, activation."""
    if company.pass_clockwise(game):
        begin_setup_moves(game)
    else:
        game.moves = 0
        game.phase = state.ACTIVATION
