"""What happens between two decisions of Carnegie, in a few words each, for people who follow a game in the terminal.

Only what lies open on the table is told, and of that what the text of the decision does not say itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from carnegie_env.carnegie import actions, codec, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import event
from carnegie_env.carnegie.rules.company import CONSTRUCTION, HUMAN_RESOURCES, MANAGEMENT, RESEARCH
from carnegie_env.carnegie.state import ANDREW, NEUTRAL, NONE
from carnegie_env.core.patience import seldom
from carnegie_env.render import text

Told = list[tuple[str, str]]
Fields = SimpleNamespace

_moving_row = seldom(event.moving_row)
_region, _donation = seldom(event.region), seldom(event.donation)


def tell(before: Any, action: int, after: Any, seat: int | None) -> Told:
    """What a seat sees happen; see :class:`carnegie_env.core.game.Game`.

    Args:
        before, after: records of dtype ``state.GAME``.
        action: the number of the decision that lies between them; what follows by itself may go on for two rounds.
        seat: whose moves, research points, ... in hand are told, too, and where he had nothing to decide; None: of
            nobody.
    """
    old, new = state.fields(before), state.fields(after)
    told: Told = []
    for company in range(new.num_players):
        told += [(codec.OWNERS[company], words) for words in _company(old, new, company)]
    told += _set_up(old, new, after)
    andrews = _Andrew(old, new)
    for number, row, game in _rounds(before, action, after):
        if number > old.round_number:
            told.append(("", _beginning(new, number, row)))
        if row == NONE:
            continue
        if number > old.round_number or old.chosen_row == NONE:
            told.append(("", f"event: {_event(game, row)}"))
            if new.difficulty != NONE:
                told += [(codec.OWNERS[ANDREW], words) for words in andrews.card(number, row, _donation(game))]
        if seat is None:
            continue
        place = (seat - _first_player(new, number)) % new.num_players
        if not new.modules & state.WAIT and _stage(old) < (number, place) < _stage(new):
            told.append((codec.OWNERS[seat], f"can do nothing in {t.ACTION_TYPES[row]}"))
    if seat is not None and new.to_play == seat:
        told += [(codec.OWNERS[seat], words) for words in _in_hand(old, new, seat)]
    return told


# ---------------------------------------------------------------- companies
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
        found.append(_number_of(hired, "new employees"))
    if old.action_tile[seat] > new.action_tile[seat]:
        found.append("spends the Action Choice tile")
    return found


def _in_hand(old: Fields, new: Fields, seat: int) -> list[str]:
    """What changed of a seat's moves, research points, ...; or what it begins with."""
    goes_on = old.to_play == seat and old.round_number == new.round_number
    found = []
    for name, words in text.IN_HAND.items():
        was, is_now = getattr(old, name) if goes_on else 0, getattr(new, name)
        if was != is_now:
            found.append(f"{words} {was} -> {is_now}" if was else _number_of(is_now, words))
    return found


def _number_of(number: int, words: str) -> str:
    return f"{number} {words.removesuffix('s') if number == 1 else words}"


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


# ---------------------------------------------------------------- rounds
def _rounds(before: Any, action: int, after: Any) -> Iterator[tuple[int, int, Any]]:
    """The rounds from one decision to the next: number, row of the timeline (-1: not chosen yet, or set-up), and a
    record as the event of that round finds the timeline."""
    game = before.copy()
    for number in range(before.round_number, after.round_number + 1):
        if number == before.round_number and before.phase != state.TIMELINE:
            row = int(before.chosen_row)
        elif number == before.round_number:
            row = int(actions.ARGUMENT[action])
        elif after.difficulty != NONE and number % 2 == 0:
            row = int(t.CARD_BACK[after.deck[number - 1]])
        else:
            row = NONE  # to be chosen: the next decision
        if row != NONE:
            game.advancing_row = _moving_row(game, row)
        yield number, row, game
        if row != NONE:
            game.marker[game.advancing_row] += 1


def _first_player(new: Fields, number: int) -> int:
    """The first player of a round, which a record of a later one, or of that, tells."""
    over = new.phase == state.OVER  # passed on after the last round, too
    return int(new.first_player - (new.round_number + over - number)) % int(new.num_players)


def _beginning(new: Fields, number: int, row: int) -> str:
    if new.num_players > 1:
        return f"round {number}: {codec.OWNERS[_first_player(new, number)]} is first player"
    return f"round {number}" + (f": {codec.OWNERS[ANDREW]} chooses {t.ACTION_TYPES[row]}" if row != NONE else "")


def _event(game: Any, row: int) -> str:
    region = _region(game)
    brought = [f"income of {t.REGIONS[region]}"] if region != NONE else []
    brought += ["donation"] if _donation(game) else []
    if game.advancing_row == row:
        return " and ".join(brought)
    return f"{' and '.join(brought)} (of {t.ACTION_TYPES[game.advancing_row]}, for {t.ACTION_TYPES[row]} has ended)"


def _stage(game: Fields) -> tuple[int, int]:
    """How far the game is: the round, and in it -1 before the turns, a seat's place in order in its turn, then more."""
    players = int(game.num_players)
    if game.phase == state.OVER:
        return int(game.round_number), players + 1
    if game.phase == state.ACTIVATION:
        return int(game.round_number), players
    return int(game.round_number), int(game.to_play - game.first_player) % players if game.action != NONE else -1


# ---------------------------------------------------------------- Andrew
class _Andrew:
    """What he did between two records, handed out card by card."""

    def __init__(self, old: Fields, new: Fields) -> None:
        self.new = new
        self.cells = _cells(old, new, ANDREW)
        self.tiles = Counter(dict(enumerate((new.andrew_tiles - old.andrew_tiles).tolist())))
        self.cities = Counter(t.SPACE_CITY[(new.owner == ANDREW) & (old.owner != ANDREW)].tolist())
        self.track = old.track[ANDREW].copy()

    def card(self, number: int, row: int, donation: bool) -> list[str]:
        """What he did with the card of a round, its row and whether the event has a donation given; his misses."""
        card = int(self.new.deck[number - 1])
        done, missed = [f"turns up {t.CARDS[card]}"], []
        cell = int(t.CARD_DONATION[card])
        if cell in self.cells:
            self.cells.remove(cell)
            done.append(f"donates {t.DONATIONS[cell]}")
        elif donation:
            missed.append(f"donation {t.DONATIONS[cell]}")
        if row == HUMAN_RESOURCES:
            done.append(f"moves it by {t.CARD_SHIFT[card]}")
        elif row == MANAGEMENT:
            wanted = Counter(t.CARD_DEPARTMENTS[card, : t.CARD_NUM_DEPARTMENTS[card]].tolist())
            taken = self._tiles_of(wanted)
            done += [f"takes {t.DEPARTMENTS[number]}" for number in taken]
            wanted -= Counter(int(t.DEPARTMENT_TYPE[number]) for number in taken)
            missed += [f"a department of {t.ACTION_TYPES[kind]}" for kind in wanted.elements()]
        elif row == CONSTRUCTION:
            wanted = Counter(t.CARD_CITIES[card, : t.CARD_NUM_CITIES[card]].tolist())
            built = wanted & self.cities
            self.cities -= built
            done += [f"builds in {t.CITIES[city]}" for city in built.elements()]
            missed += [t.CITIES[city] for city in (wanted - built).elements()]
        elif row == RESEARCH:
            region, steps = int(t.CARD_REGION[card]), int(t.CARD_STEPS[card])
            was = int(self.track[region])
            self.track[region] = min(was + steps, self.new.track[ANDREW, region])
            taken_steps = int(self.track[region]) - was
            done += [f"{t.REGIONS[region]} track {was} -> {was + taken_steps}"] if taken_steps else []
            if steps > taken_steps:
                missed.append(f"{_number_of(steps - taken_steps, 'steps')} in {t.REGIONS[region]}")
        worth = t.ANDREW_VP_ROW[self.new.card_place[number - 1]]
        return [*done, *(f"misses {what}" for what in missed), f"{t.CARDS[card]} is worth {worth} VP"]

    def _tiles_of(self, wanted: Counter[int]) -> list[int]:
        """The tiles that he took for a card: of each type the lowest ones (ruling 34)."""
        taken = []
        for kind, number in wanted.items():
            tiles = [tile for tile in sorted(self.tiles) if t.DEPARTMENT_TYPE[tile] == kind and self.tiles[tile] > 0]
            taken += tiles[:number]
        self.tiles -= Counter(taken)
        return taken
