"""What happens between two decisions of Steel Driver, in a few words each, for people who follow it in the terminal."""

from __future__ import annotations

from typing import Any

from carnegie_env.core.facts import members
from carnegie_env.core.patience import seldom
from carnegie_env.steel_driver import actions, outlook
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import GOODS, NONE

Told = list[tuple[str, str]]

_link_of = seldom(outlook.link_of)


def tell(before: Any, action: int, after: Any, seat: int | None) -> Told:
    """What a seat sees happen; see :class:`carnegie_env.core.game.Game`. All is public: it is the same for each seat.

    Args:
        before, after: records of dtype ``state.GAME``.
        action: the number of the decision that lies between them; what follows by itself may be more than a round.
        seat: who is told.
    """
    told = _link(before, action) + _take(before, action, after) + _sales(before, action, after)
    if after.transcontinental and not before.transcontinental:
        told.append(("", _transcontinental(after)))
    told += [("", f"{t.COMPANIES[company]} passes") for company in _passed(before, after)]
    for player in range(after.num_players):
        if before.cash[player] != after.cash[player]:
            told.append((_name(player), f"${before.cash[player]} -> ${after.cash[player]}"))
    for number in range(before.round_number + 1, after.round_number + 1):
        told.append(("", f"round {number}: {_name(after.marker)} has the active-player marker"))
    for player in range(after.num_players):
        if before.cubes[player] != after.cubes[player]:
            told.append((_name(player), f"cubes {before.cubes[player]} -> {after.cubes[player]}"))
    if after.phase >= GOODS > before.phase:
        told.append(("", f"final scoring phase: {_control(after)}"))
    return told


def _name(player: int) -> str:
    return f"player_{player}"


def _link(before: Any, action: int) -> Told:
    """What a link costs and earns."""
    if not actions.BUILD <= action < actions.TAKE:
        return []
    cost, earned, _ = _link_of(before, action)
    paid = f"{t.COMPANIES[before.order[before.place]]} pays {cost} cubes, earns ${earned}"
    return [(_name(before.to_play), paid)]


def _take(before: Any, action: int, after: Any) -> Told:
    """What a goods cube adds to a company's sets."""
    if action < actions.TAKE:
        return []
    company = before.order[before.place]
    sets = f"{t.COMPANIES[company]}'s sets ${before.profit[company]} -> ${after.profit[company]}"
    return [(_name(before.to_play), sets)]


def _sales(before: Any, action: int, after: Any) -> Told:
    """Who bought a control marker."""
    offered = action - actions.OPEN if before.auction == NONE else NONE
    company, bid = (offered // t.CUBES, offered % t.CUBES + 1) if offered >= 0 else (before.auction, before.bid)
    if company == NONE or offered >= t.CUBES * t.NUM_COMPANIES:
        return []
    if actions.BID <= action < actions.OPEN:
        bid = action - actions.BID + 1
    buyers = [seat for seat in range(after.num_players) if after.shares[seat, company] > before.shares[seat, company]]
    return [(_name(seat), f"buys {t.COMPANIES[company]} for {bid}") for seat in buyers]


def _transcontinental(after: Any) -> str:
    names = [t.COMPANIES[k] for k in members(after.transcontinental) if k != after.link_builder]
    others = f", {', '.join(names)} ${t.OTHERS_BONUS}" if names else ""
    return f"transcontinental link: {t.COMPANIES[after.link_builder]} earns ${t.BUILDER_BONUS}{others}"


def _passed(before: Any, after: Any) -> list[int]:
    """Companies that have passed, in order."""
    goes_on = before.round_number == after.round_number and (before.phase >= GOODS or after.phase < GOODS)
    if goes_on:
        found = after.passed[before.num_passed : after.num_passed]
    else:  # the order of the round, or of the final scoring phase, is that of the passes before it
        found = [*after.order[before.num_passed :], *after.passed[: after.num_passed]]
    return [int(company) for company in found]


def _control(after: Any) -> str:
    found = [f"{_name(after.controller[k])} controls {name}" for k, name in enumerate(t.COMPANIES)
             if after.controller[k] != NONE]  # fmt: skip
    return ", ".join(found) or "nobody controls a company"
