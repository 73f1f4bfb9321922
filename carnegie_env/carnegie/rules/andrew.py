"""Andrew Carnegie, the solo opponent (rulebook part 4, chapter 2.3; rulings 32-36)."""

from __future__ import annotations

from carnegie_env.carnegie import events, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import event, transport
from carnegie_env.carnegie.rules.company import CONSTRUCTION, HUMAN_RESOURCES, MANAGEMENT
from carnegie_env.carnegie.state import ANDREW, Record, add_donation, bit, left_most_free_space, occupy
from carnegie_env.core import rng
from carnegie_env.core.arrays import int64
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit, popcount, trailing_zeros


@jit
def take_turn(game: Record) -> None:
    """Resolve the event and the action with the card of the round; each miss moves the card one step right."""
    card = game.deck[game.round_number - 1]
    emit(events.CARD, card)
    place = _resolve_event(game, card)
    if game.chosen_row == HUMAN_RESOURCES:
        emit(events.CARD_MOVES, t.CARD_SHIFT[card])
        place += t.CARD_SHIFT[card]
    elif game.chosen_row == MANAGEMENT:
        place += _take_departments(game, card)
    elif game.chosen_row == CONSTRUCTION:
        place += _build(game, card)
    else:
        place += _advance(game, card)
    place = min(place, t.VP_ROW_PLACES - 1)  # never past the 10-VP card (ruling 36)
    emit(events.CARD_WORTH, card, place)
    game.card_place[game.round_number - 1] = place


@jit
def _resolve_event(game: Record, card: int) -> int:
    """Andrew takes part only in donations, also those of a flipped row (ruling 33). Returns the misses."""
    if not event.donation(game):
        return 0
    cell = t.CARD_DONATION[card]
    if game.donation[cell] != 0 or game.disks[ANDREW] == 0:
        emit(events.ANDREW_MISSES_DONATION, cell)
        return 1
    emit(events.ANDREW_DONATES, cell)
    game.disks[ANDREW] -= 1
    add_donation(game, cell, ANDREW)
    return 0


@jit
def _take_departments(game: Record, card: int) -> int:
    """Management: the lowest tile of each type on the card, never a tile twice (ruling 34). Returns the misses."""
    misses = 0
    taken = int64(0)
    for k in range(t.CARD_NUM_DEPARTMENTS[card]):
        found = 0
        for number in range(1, t.NUM_TILES + 1):
            if (
                t.DEPARTMENT_TYPE[number] == t.CARD_DEPARTMENTS[card, k]
                and game.display[number] > 0
                and taken & bit(number) == 0
            ):
                found = number
                break
        if found == 0:
            emit(events.ANDREW_MISSES_DEPARTMENT, t.CARD_DEPARTMENTS[card, k])
            misses += 1
        else:
            emit(events.ANDREW_TAKES, found)
            taken |= bit(found)
            game.display[found] -= 1
            game.andrew_tiles[found] += 1
    return misses


@jit
def _build(game: Record, card: int) -> int:
    """Construction: the left-most free space of each city of the card (ruling 35). Returns the misses."""
    misses = 0
    for k in range(t.CARD_NUM_CITIES[card]):
        space = left_most_free_space(game, t.CARD_CITIES[card, k])
        if space == state.NONE or game.disks[ANDREW] == 0:
            emit(events.ANDREW_MISSES_CITY, t.CARD_CITIES[card, k])
            misses += 1
        else:
            emit(events.ANDREW_BUILDS, t.CARD_CITIES[card, k])
            game.disks[ANDREW] -= 1
            occupy(game, space, ANDREW)
    return misses


@jit
def _advance(game: Record, card: int) -> int:
    """R&D: the steps of the card for the marker, without rewards (ruling 35). Returns the misses."""
    misses = 0
    region = t.CARD_REGION[card]
    was = game.track[ANDREW, region]
    for _ in range(t.CARD_STEPS[card]):
        if transport.can_step(game, ANDREW, region):
            game.track[ANDREW, region] += 1
        else:
            misses += 1
    if game.track[ANDREW, region] > was:
        emit(events.ANDREW_ADVANCES, region, was, game.track[ANDREW, region])
    if misses > 0:
        emit(events.ANDREW_MISSES_STEPS, region, misses)
    return misses


@jit
def cards_turned_up(game: Record) -> int:
    """The number of cards turned up: the round's card is turned up once its row is chosen (ruling 32)."""
    return game.round_number - (game.phase == state.TIMELINE)


@jit
def redraw_hidden(game: Record) -> None:
    """Draw the unknown part of the deck again, uniformly among all decks that agree with the known part.

    The player knows the faces of resolved cards, and the backs (type, and whether advanced) of the round's card and the
    next one (ruling 32; P8).
    """
    shown = cards_turned_up(game)  # faces known
    backs = min(game.round_number + 1, t.DECK_SIZE)  # backs known
    known = int64(0)
    for r in range(shown):
        known |= bit(game.deck[r])
    for r in range(shown, backs):
        game.deck[r] = _draw_card(game, known, t.CARD_BACK[game.deck[r]], t.CARD_ADVANCED[game.deck[r]])
        known |= bit(game.deck[r])
    advanced = t.DIFFICULTY_ADVANCED[game.difficulty]
    for r in range(backs):
        advanced -= t.CARD_ADVANCED[game.deck[r]]
    for r in range(backs, t.DECK_SIZE):
        is_advanced = int64(rng.draw(game, t.DECK_SIZE - r) < advanced)
        advanced -= is_advanced
        game.deck[r] = _draw_card(game, known, state.NONE, is_advanced)
        known |= bit(game.deck[r])


@jit
def _draw_card(game: Record, known: int, back: int, advanced: int) -> int:
    """A random card not in ``known`` with that back; any type if ``back`` is -1."""
    left = t.CARDS_LIKE[back, advanced] & ~known
    for _ in range(rng.draw(game, popcount(left))):
        left &= left - 1  # remove the first one
    return trailing_zeros(left) if left != 0 else state.NONE
