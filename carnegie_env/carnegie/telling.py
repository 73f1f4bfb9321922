"""What happens between two records of Carnegie, in a few words each, for people who follow a game in the terminal.

Only what lies open on the table is told, and of that what the text of the decision does not say itself.
"""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

from carnegie_env.carnegie import codec, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import andrew
from carnegie_env.carnegie.rules.company import CONSTRUCTION, HUMAN_RESOURCES, MANAGEMENT, RESEARCH
from carnegie_env.carnegie.state import ANDREW, NEUTRAL, NONE
from carnegie_env.render import text

Told = list[tuple[str, str]]
Fields = SimpleNamespace


def tell(before: Any, after: Any, seat: int) -> Told:
    """What a seat sees happen; see :class:`carnegie_env.core.game.Game`.

    Args:
        before, after: records of dtype ``state.GAME`` that one decision lies between, and what follows by itself.
        seat: whose moves, research points, ... in hand are told, too.
    """
    old, new = state.fields(before), state.fields(after)
    told: Told = []
    for company in range(new.num_players):
        told += [(codec.OWNERS[company], words) for words in _company(old, new, company)]
    told += _set_up(old, new, after)
    told += [("", words) for words in _rounds(old, new)]
    if new.difficulty != NONE:
        turned_up = range(andrew.cards_turned_up(before), andrew.cards_turned_up(after))
        told += [(codec.OWNERS[ANDREW], words) for words in _andrew(old, new, turned_up)]
    if new.to_play == seat:
        told += [(codec.OWNERS[seat], words) for words in _in_hand(old, new, seat)]
    return told


def _company(old: Fields, new: Fields, seat: int) -> list[str]:
    """What changed on a company's board, but for what the decision says."""
    found = []
    if new.money[seat] != old.money[seat]:
        found.append(f"${old.money[seat]} -> ${new.money[seat]}")
    for name, word in (("goods", "goods"), ("vp", "VP")):
        was, is_now = getattr(old, name)[seat], getattr(new, name)[seat]
        if was != is_now:
            found.append(f"{word} {was} -> {is_now}")
    hired = int(old.reserve[seat]) - int(new.reserve[seat])
    if hired > 0 and old.phase != state.SHEET:
        found.append(f"{hired} new employee{'s' if hired > 1 else ''}")
    if old.action_tile[seat] > new.action_tile[seat]:
        found.append("spends the Action Choice tile")
    return found


def _set_up(old: Fields, new: Fields, after: Any) -> Told:
    """Sheets that are revealed, neutral disks that are placed."""
    told: Told = []
    if old.phase == state.SHEET != new.phase:
        told += [(codec.OWNERS[seat], f"sheet: {text.sheet(after, seat)}") for seat in range(new.num_players)]
        if new.num_players > 1:
            told.append(("", f"{codec.OWNERS[new.first_player]} is first player"))
    spaces = int((new.owner == NEUTRAL).sum() - (old.owner == NEUTRAL).sum())
    cells = len(_cells(old, new, NEUTRAL))
    if spaces + cells > 0:
        told.append(("", f"neutral disks are placed: {spaces} in cities, {cells} on donations"))
    return told


def _cells(old: Fields, new: Fields, owner: int) -> list[int]:
    """Donation cells on which an owner has put a disk."""
    laid = (new.donation & ~old.donation).tolist()
    return [cell for cell, owners in enumerate(laid) if owners >> owner & 1]


def _in_hand(old: Fields, new: Fields, seat: int) -> list[str]:
    """What changed of a seat's moves, research points, ...; or what it begins with."""
    goes_on = old.to_play == seat and old.round_number == new.round_number
    found = []
    for name, words in text.IN_HAND.items():
        was, is_now = getattr(old, name), getattr(new, name)
        if goes_on and was != is_now:
            found.append(f"{words} {was} -> {is_now}")
        elif not goes_on and is_now:
            found.append(f"{is_now} {words}")
    return found


def _rounds(old: Fields, new: Fields) -> list[str]:
    """Rounds that begin, and what the last one is about, if that is known already and not over again."""
    lines = []
    for number in range(old.round_number + 1, new.round_number + 1):
        first = (new.first_player - new.round_number + number) % new.num_players
        lines.append(f"round {number}" + (f": {codec.OWNERS[first]} is first player" if new.num_players > 1 else ""))
    is_new = old.chosen_row == NONE or old.round_number < new.round_number
    if new.chosen_row == NONE or not is_new:
        return lines
    row, place = new.advancing_row, new.marker[new.advancing_row]
    events = [f"income of {t.REGIONS[new.event_region[row, place]]}"] if new.event_region[row, place] != NONE else []
    events += ["donation"] if new.event_donation[row, place] else []
    event = f"event: {' and '.join(events)}"
    if row != new.chosen_row:
        event += f" (from {t.ACTION_TYPES[row]}, for {t.ACTION_TYPES[new.chosen_row]} has ended)"
    if lines:  # nobody at the table had to choose
        lines[-1] += f": {codec.OWNERS[ANDREW]} chooses {t.ACTION_TYPES[new.chosen_row]}; {event}"
    else:
        lines.append(event)
    return lines


# ---------------------------------------------------------------- Andrew
def _andrew(old: Fields, new: Fields, rounds: range) -> list[str]:
    """The cards turned up in some rounds (from 0), and what came of them."""
    found = [f"turns up {t.CARDS[new.deck[number]]}" for number in rounds]
    found += [f"donates {t.DONATIONS[cell]}" for cell in _cells(old, new, ANDREW)]
    tiles = Counter(dict(enumerate((new.andrew_tiles - old.andrew_tiles).tolist())))
    found += [f"takes {t.DEPARTMENTS[number]}" for number in tiles.elements()]
    cities = Counter(int(city) for city in t.SPACE_CITY[(new.owner == ANDREW) & (old.owner != ANDREW)])
    found += [f"builds in {t.CITIES[city]}" for city in cities.elements()]
    steps = (new.track[ANDREW] - old.track[ANDREW]).tolist()
    found += [
        f"{t.REGIONS[region]} track {old.track[ANDREW, region]} -> {new.track[ANDREW, region]}"
        for region in range(t.NUM_REGIONS)
        if steps[region]
    ]
    if len(rounds) == 1 and new.chosen_row != NONE:  # else one can't tell any more which of them did what
        found += _misses(new, int(new.deck[rounds[0]]), not _cells(old, new, ANDREW), tiles, cities, sum(steps))
    places = [(t.CARDS[new.deck[number]], t.ANDREW_VP_ROW[new.card_place[number]]) for number in rounds]
    return found + [f"{card} lies at {vp} VP" for card, vp in places]


def _misses(
    new: Fields, card: int, no_donation: bool, tiles: Counter[int], cities: Counter[int], steps: int
) -> list[str]:
    """What a card asked for that was not to be had: each moves it a step to the right, as does the shift of HR."""
    missed = []
    row = new.advancing_row
    if no_donation and new.event_donation[row, new.marker[row]]:
        missed.append(f"donation {t.DONATIONS[t.CARD_DONATION[card]]}")
    if new.chosen_row == MANAGEMENT:
        types = Counter(t.CARD_DEPARTMENTS[card, : t.CARD_NUM_DEPARTMENTS[card]].tolist())
        types -= Counter(int(t.DEPARTMENT_TYPE[number]) for number in tiles.elements())
        missed += [f"a department of {t.ACTION_TYPES[kind]}" for kind in types.elements()]
    elif new.chosen_row == CONSTRUCTION:
        wanted = Counter(t.CARD_CITIES[card, : t.CARD_NUM_CITIES[card]].tolist()) - cities
        missed += [t.CITIES[city] for city in wanted.elements()]
    elif new.chosen_row == RESEARCH and t.CARD_STEPS[card] > steps:
        missed.append(f"{t.CARD_STEPS[card] - steps} of {t.CARD_STEPS[card]} steps in {t.REGIONS[t.CARD_REGION[card]]}")
    shifted = [f"shifts it by {t.CARD_SHIFT[card]}"] if new.chosen_row == HUMAN_RESOURCES and t.CARD_SHIFT[card] else []
    return [f"misses {what}" for what in missed] + shifted
