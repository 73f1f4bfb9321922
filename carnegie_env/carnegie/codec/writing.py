"""A record of one game as a dictionary of JSON types (docs/design.md, section 5)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.codec import shape
from carnegie_env.carnegie.options import MODULES, TIMELINE_TILES, Options

OPTION_FIELDS = ("num_players", "difficulty", "tiles_in_rows", "show_forced", "modules")


def to_dict(record: np.record) -> dict[str, Any]:
    """One game as a dictionary of JSON types; complete, hidden cards included.

    Args:
        record: one of dtype ``state.GAME`` at a decision or over.

    Returns:
        The dictionary of docs/design.md, section 5; every key is always present.
    """
    options = options_of(record).to_dict()
    game = state.fields(record)
    seats = range(int(game.num_players))
    return {
        "game": shape.GAME,
        "version": shape.VERSION,
        "options": options,
        "rng": int(game.rng),
        "decisions": int(game.decisions),
        "phase": state.PHASES[game.phase],
        "to_play": None if game.to_play == state.NONE else int(game.to_play),
        "round": int(game.round_number),
        "first_player": int(game.first_player),
        "timeline": _timeline_to_dict(game),
        "display": _tiles_to_dict(game.display),
        "cities": {
            city: [None if owner == state.NONE else shape.OWNERS[owner] for owner in game.owner[first:last].tolist()]
            for city, first, last in zip(t.CITIES, t.CITY_FIRST_SPACE, t.CITY_FIRST_SPACE[1:], strict=False)
        },
        "donations": {
            t.DONATIONS[cell]: [shape.OWNERS[owner] for owner in range(len(shape.OWNERS)) if disks >> owner & 1]
            for cell, disks in enumerate(game.donation.tolist())
            if disks
        },
        "companies": [_company_to_dict(game, seat) for seat in seats],
        "panels": _panels_to_dict(game),
        "waiting": bool(game.waiting),
        "andrew": _andrew_to_dict(game) if game.difficulty != state.NONE else None,
        "turn": _turn_to_dict(game),
    }


def options_of(game: np.record) -> Options:
    """The options that a game was set up with."""
    return _options(*(int(np.void.__getitem__(game, name)) for name in OPTION_FIELDS))  # attributes are slow


@functools.lru_cache(1000)  # there are some hundreds, and every copy of a position asks
def _options(num_players: int, difficulty: int, tiles_in_rows: int, show_forced: int, modules: int) -> Options:
    return Options(
        num_players=num_players,
        difficulty=_name(t.DIFFICULTIES, difficulty),
        timeline_tiles=TIMELINE_TILES[tiles_in_rows],
        show_forced=bool(show_forced),
        **{module: bool(modules >> k & 1) for k, module in enumerate(MODULES)},
    )


def _name(names: Sequence[str], code: int) -> str | None:
    return None if code == state.NONE else names[code]


def _tiles_to_dict(copies: np.ndarray) -> dict[str, int]:
    return {t.DEPARTMENTS[number]: count for number, count in enumerate(copies.tolist()) if count}


def _timeline_to_dict(game: SimpleNamespace) -> dict[str, Any]:
    regions, donations = game.event_region.tolist(), game.event_donation.tolist()
    return {
        "spaces": {
            row: [
                ([t.REGIONS[region]] if region != state.NONE else []) + (["donation"] if donation else [])
                for region, donation in zip(regions[r], donations[r], strict=True)
            ]
            for r, row in enumerate(t.ACTION_TYPES)
        },
        "markers": dict(zip(t.ACTION_TYPES, game.marker.tolist(), strict=True)),
        "chosen": _name(t.ACTION_TYPES, game.chosen_row),
        "advancing": _name(t.ACTION_TYPES, game.advancing_row),
    }


def _company_to_dict(game: SimpleNamespace, seat: int) -> dict[str, Any]:
    active, inactive = game.active[seat].tolist(), game.inactive[seat].tolist()
    return {
        "money": int(game.money[seat]),
        "goods": int(game.goods[seat]),
        "vp": int(game.vp[seat]),
        "reserve": int(game.reserve[seat]),
        "disks": int(game.disks[seat]),
        "donations_made": int(game.donations_made[seat]),
        "missions": dict(zip(t.REGIONS, game.missions[seat].tolist(), strict=True)),
        "employees": {
            space: {"active": active[s], "inactive": inactive[s]}
            for s, space in enumerate(t.SPACE_IDS)
            if active[s] or inactive[s]
        },
        "departments": {
            t.SPACE_IDS[space]: t.DEPARTMENTS[code]
            for space, code in enumerate(game.department[seat].tolist())
            if code not in (0, t.LOBBY)
        },
        "reserved": t.DEPARTMENTS[game.reserved[seat]] or None,
        "tabs": {
            project: {
                "side": _name(shape.SIDES, game.tab_side[seat, k]),
                "uncovered": int(game.tab_pulled[seat, k]) + 1,
                "built": int(game.tab_built[seat, k]),
            }
            for k, project in enumerate(t.PROJECTS)
        },
        "transport": dict(zip(t.REGIONS, game.track[seat].tolist(), strict=True)),
        "action_choice": bool(game.action_tile[seat]),
        "sheet": _sheet_to_dict(game, seat),
        "secret": _name(t.DONATIONS, game.secret[seat]),
    }


def _sheet_to_dict(game: SimpleNamespace, seat: int) -> dict[str, int | None] | None:
    if not game.modules & state.NEW_START:
        return None
    offers = t.NEW_START_OFFERS[:, :, t.OFFER_AMOUNT].tolist()
    sheet = {
        line: None if k == state.NONE else amounts[k]
        for line, amounts, k in zip(t.NEW_START_LINES, offers, game.sheet[seat].tolist(), strict=True)
    }
    return sheet | {"bid": None if game.bid[seat] == state.NONE else int(game.bid[seat])}


def _panels_to_dict(game: SimpleNamespace) -> dict[str, str | None] | None:
    if not game.modules & state.NEW_DONATIONS:
        return None
    tiles = t.FACTS.expansion.new_donations.panels
    return {column: _name(tiles, tile) for column, tile in zip(t.DONATION_COLUMNS, game.panel.tolist(), strict=True)}


def _andrew_to_dict(game: SimpleNamespace) -> dict[str, Any]:
    return {
        "deck": [t.CARDS[card] for card in game.deck.tolist()],
        "places": game.card_place[: game.round_number].tolist(),
        "departments": _tiles_to_dict(game.andrew_tiles),
        "transport": dict(zip(t.REGIONS, game.track[state.ANDREW].tolist(), strict=True)),
        "disks": int(game.disks[state.ANDREW]),
    }


def _turn_to_dict(game: SimpleNamespace) -> dict[str, Any]:
    lifted = None
    if game.lifted != state.NONE:
        lifted = {"space": t.SPACE_IDS[game.lifted], "state": shape.STATES[game.lifted_active]}
    choice = None
    if game.choice != state.NONE:
        project, section = divmod(int(game.choice), t.TAB_SECTIONS)
        choice = {"project": t.PROJECTS[project], "section": section}
    return {
        "action": _name(t.ACTION_TYPES, game.action),
        "started": bool(game.started),
        "moves": int(game.moves),
        "research": int(game.research),
        "arrivals": int(game.arrivals),
        "lifted": lifted,
        "tile": t.DEPARTMENTS[game.tile] or None,
        "site": _name(t.SPACE_IDS, game.site),
        "income_choice": choice,
        "department": _name(t.SPACE_IDS, game.department_in_use),
        "ready": {t.SPACE_IDS[s]: n for s, n in enumerate(game.ready.tolist()) if n},
        "diagonal_moves": bool(game.diagonal_moves),
        "relocations": int(game.relocations),
        "projects": int(game.projects),
        "level_region": _name(t.REGIONS, game.level_region),
        "payroll_activated": int(game.payroll_activated),
    }
