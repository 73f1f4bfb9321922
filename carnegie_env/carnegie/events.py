"""The kinds of events in Carnegie, their numbers, and their words in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carnegie_env.carnegie import names, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.names import ACTIONS, CITIES, DEPARTMENTS, OWNERS, REGIONS
from carnegie_env.core import events
from carnegie_env.core.events import Kind, Line
from carnegie_env.render.text import number_of

if TYPE_CHECKING:
    from carnegie_env.core.log import Step

_ANDREW = OWNERS[state.ANDREW]
IN_HAND = {
    "moves": "moves", "research": "research points", "arrivals": "arriving employees", "relocations": "relocations",
    "projects": "paying projects",
}  # fmt: skip


def _round(number: int, first_player: int) -> Line:
    return "", f"round {number}" + (f": {OWNERS[first_player]} is first player" if first_player != state.NONE else "")


def _event(row: int, advancing: int, region: int, donation: int) -> Line:
    brought = [f"income of {REGIONS[region]}"] if region != state.NONE else []
    brought += ["donation"] if donation else []
    instead = f" (of {ACTIONS[advancing]}, for {ACTIONS[row]} has ended)" if advancing != row else ""
    return "", f"event: {' and '.join(brought)}{instead}"


def sheet(goods: int, employees: int, points: int, moves: int, bid: int) -> str:
    """The choices on a new start's sheet in words; -1 is not chosen yet."""
    chosen = zip(t.NEW_START_LINES, t.NEW_START_OFFERS[:, :, t.OFFER_AMOUNT], (goods, employees, points, moves),
                 strict=True)  # fmt: skip
    lines = [f"{amounts[k]} {line}" for line, amounts, k in chosen if k != state.NONE]
    return ", ".join(lines + ([f"bid ${bid}"] if bid != state.NONE else []))


EVENTS = (
    Kind("a sheet is revealed: seat, choice on each line, bid", lambda seat, *chosen: (
        OWNERS[seat], f"sheet: {sheet(*chosen)}")),
    Kind("the bids decide who begins: seat", lambda seat: ("", f"{OWNERS[seat]} is first player")),
    Kind("neutral disks are placed: in cities, on donations", lambda cities, cells: (
        "", f"neutral disks are placed: {cities} in cities, {cells} on donations")),
    Kind("a round begins: number, first player, -1 in a solo game", _round),
    Kind("the row of the round: row, row that advances, region or -1, whether it has a donation", _event),
    Kind("employees leave the reserve: seat, number", lambda seat, number: (
        OWNERS[seat], number_of(number, "new employees"))),
    Kind("an Action Choice tile is spent: seat", lambda seat: (OWNERS[seat], "spent the Action Choice tile")),
    Kind("a turn in which nothing can be done: seat, action type", lambda seat, action: (
        OWNERS[seat], f"could do nothing in {ACTIONS[action]}"), private=True),
    Kind("Andrew chooses a row: row", lambda row: (_ANDREW, f"chose {ACTIONS[row]}")),
    Kind("Andrew's card is turned up: card", lambda card: (_ANDREW, f"turned up {t.CARDS[card]}")),
    Kind("Andrew makes a donation: cell", lambda cell: (_ANDREW, f"donated to {names.donation(cell)}")),
    Kind("Andrew can't make it: cell", lambda cell: (_ANDREW, f"missed the donation to {names.donation(cell)}")),
    Kind("Human Resources moves Andrew's card: places", lambda places: (_ANDREW, f"moved the card by {places}")),
    Kind("Andrew takes a department: tile", lambda tile: (_ANDREW, f"took {DEPARTMENTS[tile]}")),
    Kind("there is no department for Andrew: type", lambda kind: (_ANDREW, f"missed a department of {ACTIONS[kind]}")),
    Kind("Andrew builds: city", lambda city: (_ANDREW, f"built in {CITIES[city]}")),
    Kind("Andrew can't build: city", lambda city: (_ANDREW, f"missed {CITIES[city]}")),
    Kind("Andrew's marker advances: region, from space, to space", lambda region, old, new: (
        _ANDREW, f"{REGIONS[region]} track {old} -> {new}")),
    Kind("Andrew's marker can't advance: region, steps", lambda region, steps: (
        _ANDREW, f"missed {number_of(steps, 'steps')} in {REGIONS[region]}")),
    Kind("the worth of Andrew's card: card, place in the VP row", lambda card, place: (
        _ANDREW, f"{t.CARDS[card]} is worth {t.ANDREW_VP_ROW[place]} VP")),
)  # fmt: skip
(
    SHEET, FIRST_PLAYER, NEUTRAL_DISKS, ROUND, EVENT, RECRUITS, SPENDS_TILE, IDLE, ANDREW_CHOOSES, CARD, ANDREW_DONATES,
    ANDREW_MISSES_DONATION, CARD_MOVES, ANDREW_TAKES, ANDREW_MISSES_DEPARTMENT, ANDREW_BUILDS, ANDREW_MISSES_CITY,
    ANDREW_ADVANCES, ANDREW_MISSES_STEPS, CARD_WORTH,
) = range(len(EVENTS))  # fmt: skip


def tell(step: Step, seat: int | None) -> list[Line]:
    """The log of a seat, see ``Presentation.tell``; moves and points in hand are only for itself."""
    told = events.changes(step, {"money": "${}", "goods": "goods {}", "vp": "VP {}"})
    told += events.lines(EVENTS, step.events, seat)
    if seat is not None and step.after.to_play == seat:
        goes_on = step.before.to_play == seat and step.before.round_number == step.after.round_number
        for name, words in IN_HAND.items():
            old, new = step.before[name] if goes_on else 0, step.after[name]
            if old != new:
                told.append((OWNERS[seat], f"{words} {old} -> {new}" if old else number_of(new, words)))
    return told
