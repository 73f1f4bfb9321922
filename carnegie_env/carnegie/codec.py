"""Positions as dictionaries: a record of one game to JSON types and back (docs/design.md, section 5).

:func:`to_dict` writes, :func:`from_dict` reads. Reading goes in three steps, each of which names the value it refuses:
JSON types and nothing else, the shape (the structs below), then the ids, which turn into codes. What the values say
together is looked at by :mod:`carnegie_env.carnegie.consistency`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from carnegie_env.carnegie import consistency, consistency_expansion, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.consistency import refuse
from carnegie_env.carnegie.options import MODULES, TIMELINE_TILES, Options
from carnegie_env.carnegie.rules import setup

GAME = "carnegie"
VERSION = 2
OWNERS = (*(f"player_{seat}" for seat in range(state.SEATS)), "andrew", "neutral")  # by owner code
OPEN_PHASES = state.PHASES[: state.START_ROUND]  # those in which a game can be handed out
SIDES = "ab"
STATES = ("inactive", "active")
EVENTS = (*t.REGIONS, "donation")
LINES = t.NEW_START_LINES
LARGEST = 10_000  # $, goods and VP: far above what a game brings, far below what the record's int16 holds
DEEPEST = 8  # levels of the dictionary, more than any position has
MOST_VALUES = 20_000  # in the dictionary, far more than any position has
LARGEST_RNG = 2**64 - 1
MOST_RELOCATIONS = t.COMPANY_SPACES * int(t.EFFECT[t.HR_ADMINISTRATION, t.EFFECT_RELOCATIONS])


# ---------------------------------------------------------------- the shape
# Maps by city, tile, cell or company space are plain dictionaries here and taken apart below, so that a message can
# name the key.
class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One object of the dictionary: every key must be there, no other may be."""


_Amount = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
_Points = Annotated[int, msgspec.Meta(ge=-LARGEST, le=LARGEST)]
_Pool = Annotated[int, msgspec.Meta(ge=0, le=1000)]
_Employees = Annotated[int, msgspec.Meta(ge=0, le=t.EMPLOYEES)]
_Disks = Annotated[int, msgspec.Meta(ge=0, le=t.DISKS)]
_Copies = Annotated[int, msgspec.Meta(ge=0, le=t.TILE_COPIES)]
_Cells = Annotated[int, msgspec.Meta(ge=0, le=len(t.DONATIONS))]
_TrackSpace = Annotated[int, msgspec.Meta(ge=0, le=t.TRACK_SPACES - 1)]
_Passed = Annotated[int, msgspec.Meta(ge=0, le=5)]
_Seat = Annotated[int, msgspec.Meta(ge=0, le=state.SEATS - 1)]
_Place = Annotated[int, msgspec.Meta(ge=0, le=len(t.ANDREW_VP_ROW) - 1)]
_Events = Annotated[list[list[t.Event]], msgspec.Meta(min_length=5, max_length=5)]


class _Missions(_Part, frozen=True):
    west: _Employees
    midwest: _Employees
    east: _Employees
    south: _Employees


class _Transport(_Part, frozen=True):
    west: _TrackSpace
    midwest: _TrackSpace
    east: _TrackSpace
    south: _TrackSpace


class _Markers(_Part, frozen=True):
    human_resources: _Passed
    management: _Passed
    construction: _Passed
    research: _Passed


class _Spaces(_Part, frozen=True):
    human_resources: _Events
    management: _Events
    construction: _Events
    research: _Events


class _Tab(_Part, frozen=True):
    side: Literal["a", "b"] | None
    uncovered: Annotated[int, msgspec.Meta(ge=1, le=int(t.TAB_LENGTH.max()) + 1)]
    built: Annotated[int, msgspec.Meta(ge=0, le=int(t.TAB_PROJECTS.max()))]


class _Tabs(_Part, frozen=True):
    housing: _Tab
    commerce: _Tab
    industry: _Tab
    public: _Tab


class _Here(_Part, frozen=True):
    active: _Employees
    inactive: _Employees


class _Timeline(_Part, frozen=True):
    spaces: _Spaces
    markers: _Markers
    chosen: t.ActionType | None
    advancing: t.ActionType | None


class _Sheet(_Part, frozen=True):
    goods: int | None
    employees: int | None
    points: int | None
    moves: int | None
    bid: Annotated[int, msgspec.Meta(ge=0, le=t.LARGEST_BID)] | None


class _Panels(_Part, frozen=True):
    education: t.Column | None
    human_rights: t.Column | None
    welfare: t.Column | None
    health: t.Column | None


class _Company(_Part, frozen=True):
    money: _Amount
    goods: _Amount
    vp: _Points
    reserve: _Employees
    disks: _Disks
    donations_made: _Cells
    missions: _Missions
    employees: dict[str, Any]
    departments: dict[str, Any]
    reserved: str | None
    tabs: _Tabs
    transport: _Transport
    action_choice: bool
    sheet: _Sheet | None
    secret: str | None


class _Andrew(_Part, frozen=True):
    deck: Annotated[list[str], msgspec.Meta(min_length=t.DECK_SIZE, max_length=t.DECK_SIZE)]
    places: Annotated[list[_Place], msgspec.Meta(max_length=t.DECK_SIZE)]
    departments: dict[str, Any]
    transport: _Transport
    disks: Annotated[int, msgspec.Meta(ge=0, le=t.ANDREW_DISKS)]


class _Lifted(_Part, frozen=True):
    space: str
    state: Literal["active", "inactive"]


class _Choice(_Part, frozen=True):
    project: t.Project
    section: Annotated[int, msgspec.Meta(ge=0, le=3)]


class _Turn(_Part, frozen=True):
    action: t.ActionType | None
    started: bool
    moves: _Pool
    research: _Pool
    arrivals: _Employees
    lifted: _Lifted | None
    tile: str | None
    site: str | None
    income_choice: _Choice | None
    department: str | None
    ready: dict[str, Any]
    diagonal_moves: bool
    relocations: Annotated[int, msgspec.Meta(ge=0, le=MOST_RELOCATIONS)]
    projects: Annotated[int, msgspec.Meta(ge=0, le=int(t.TAB_PROJECTS.sum()))]
    level_region: t.Region | None
    payroll_activated: _Employees


class _Position(_Part, frozen=True):
    game: Literal["carnegie"]
    version: Literal[2]
    options: dict[str, Any]
    rng: int
    decisions: Annotated[int, msgspec.Meta(ge=0, le=2**30)]
    phase: str
    to_play: _Seat | None
    round: Annotated[int, msgspec.Meta(ge=0, le=t.ROUNDS)]
    first_player: _Seat
    timeline: _Timeline
    display: dict[str, Any]
    cities: dict[str, Any]
    donations: dict[str, Any]
    companies: Annotated[list[_Company], msgspec.Meta(max_length=state.SEATS)]
    panels: _Panels | None
    waiting: bool
    andrew: _Andrew | None
    turn: _Turn


_PARTS: dict[str, type[_Part]] = {  # where each part stands, for messages about keys
    "": _Position, "timeline": _Timeline, "timeline.spaces": _Spaces, "timeline.markers": _Markers,
    "companies": _Company, "companies.missions": _Missions, "companies.tabs": _Tabs, "companies.transport": _Transport,
    **{f"companies.tabs.{project}": _Tab for project in t.PROJECTS}, "companies.employees": _Here,
    "companies.sheet": _Sheet, "panels": _Panels, "andrew": _Andrew, "andrew.transport": _Transport,
    "turn": _Turn, "turn.lifted": _Lifted, "turn.income_choice": _Choice,
}  # fmt: skip


# ---------------------------------------------------------------- writing
def to_dict(record: np.record) -> dict[str, Any]:
    """One game as a dictionary of JSON types; complete, hidden cards included.

    Args:
        record: one of dtype ``state.GAME`` at a decision or over.

    Returns:
        The dictionary of docs/design.md, section 5; every key is always present.
    """
    options = options_of(record).to_dict()
    game = consistency.fields(record)
    seats = range(int(game.num_players))
    return {
        "game": GAME,
        "version": VERSION,
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
            city: [None if owner == state.NONE else OWNERS[owner] for owner in game.owner[first:last].tolist()]
            for city, first, last in zip(t.CITIES, t.CITY_FIRST_SPACE, t.CITY_FIRST_SPACE[1:], strict=False)
        },
        "donations": {
            t.DONATIONS[cell]: [OWNERS[owner] for owner in range(len(OWNERS)) if disks >> owner & 1]
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
    return Options(
        num_players=int(game.num_players),
        difficulty=None if game.difficulty == state.NONE else t.DIFFICULTIES[game.difficulty],
        timeline_tiles=TIMELINE_TILES[game.tiles_in_rows],
        show_forced=bool(game.show_forced),
        **{module: bool(int(game.modules) >> k & 1) for k, module in enumerate(MODULES)},
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
                "side": _name(SIDES, game.tab_side[seat, tab]),
                "uncovered": int(game.tab_pulled[seat, tab]) + 1,
                "built": int(game.tab_built[seat, tab]),
            }
            for tab, project in enumerate(t.PROJECTS)
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
        for line, amounts, k in zip(LINES, offers, game.sheet[seat].tolist(), strict=True)
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
        lifted = {"space": t.SPACE_IDS[game.lifted], "state": STATES[game.lifted_active]}
    choice = None
    if game.choice != state.NONE:
        tab, section = divmod(int(game.choice), t.TAB_CHOICE.shape[1])
        choice = {"project": t.PROJECTS[tab], "section": section}
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


# ---------------------------------------------------------------- reading
def from_dict(position: Any) -> np.ndarray:
    """The record of a position; the derived fields and the legal actions are not made yet.

    Args:
        position: a dictionary as :func:`to_dict` makes it, of JSON types only.

    Returns:
        Array of shape (1,), dtype ``state.GAME``.

    Raises:
        ValueError: with the path to the value that is wrong, what is wrong with it, and what would be right.
    """
    _check_json(position, "", 0, MOST_VALUES)
    parts = _convert(position, _Position, "")
    games = setup.template(_options(parts.options))
    game = games[0]
    if len(parts.companies) != game.num_players:
        refuse("companies", f"{len(parts.companies)} companies, but options.num_players is {game.num_players}")
    if (parts.andrew is None) == (game.difficulty != state.NONE):
        wrong = "missing in a solo game" if parts.andrew is None else "there, but the game is not solo"
        refuse("andrew", f"{wrong}; it is null with 2 to 4 players and an object in a solo game")
    if not 0 <= parts.rng <= LARGEST_RNG:
        refuse("rng", f"{parts.rng} is not a number from 0 to {LARGEST_RNG}")
    game.rng = parts.rng
    game.decisions = parts.decisions
    game.phase = _code("phase", parts.phase, OPEN_PHASES, "phase")
    game.to_play = state.NONE if parts.to_play is None else parts.to_play
    game["round_number"] = parts.round
    game.first_player = parts.first_player
    _read_timeline(game, parts.timeline)
    _read_tiles(game, "display", parts.display, game.display)
    _read_cities(game, parts.cities)
    _read_donations(game, parts.donations)
    for seat, company in enumerate(parts.companies):
        _read_company(game, seat, company, f"companies[{seat}]")
    _read_panels(game, parts.panels)
    game.waiting = parts.waiting
    if parts.andrew is not None:
        _read_andrew(game, parts.andrew)
    _read_turn(game, parts.turn)
    consistency.check(game)
    consistency_expansion.check(game)
    return games


def _check_json(value: Any, path: str, depth: int, left: int) -> int:
    """Refuse what JSON does not have, and sizes that no position has: later steps then meet no surprise.

    ``left`` values may still come; returns how many after these.
    """
    if left == 0:
        refuse(path, f"more than {MOST_VALUES} values, no position has so many")
    left -= 1
    if type(value) in (dict, list):
        if depth == DEEPEST:
            refuse(path, f"is {DEEPEST} levels deep, no position is")
        items: Iterable[tuple[Any, Any]] = value.items() if type(value) is dict else enumerate(value)
        for key, part in items:
            if type(value) is dict and (type(key) is not str or not re.fullmatch("[a-z0-9_]{1,60}", key)):
                shown = _show(key) if type(key) in (str, int) else f"a {type(key).__name__}"
                refuse(path, f"{shown} is no key of a position; they are made of a-z, 0-9 and _")
            left = _check_json(part, f"{path}[{key}]" if type(value) is list else _join(path, key), depth + 1, left)
    elif type(value) is int:
        if value.bit_length() > 64:
            refuse(path, "is a number of more than 64 bits")
    elif value is not None and type(value) not in (str, bool, float):
        refuse(path, f"is a {type(value).__name__}; only JSON types are read: dict, list, str, int, bool, None")
    return left


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _show(value: Any) -> str:
    """A value for a message, not too long."""
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _convert(value: Any, kind: Any, path: str) -> Any:
    """msgspec's conversion, with its complaint in our words: the path, what is there, what would be right."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        found = re.fullmatch(r"(.*) - at `\$([^`]*)`", str(error), re.DOTALL)
        message, where = (found[1], found[2]) if found else (str(error), "")
    last = ""
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", where):
        value = value[name or int(index)]
        path = _join(path, name) if name else f"{path}[{index}]"
        last = name or last
    key = re.search("field `(.*)`", message)
    if key:
        part = _PARTS.get(re.sub(r"\[\d+\]|\.r\dc\d$", "", path))
        known = f"; the keys there are {', '.join(part.__struct_fields__)}" if part else ""
        refuse(_join(path, key[1]), ("is missing" if "missing" in message else "is an unknown key") + known)
    if isinstance(value, dict | list) and "length" in message:
        refuse(path, f"{message}, got {len(value)}")
    if "enum value" in message:
        message = f"must be one of {', '.join(_ONE_OF[last])}"
    if not isinstance(value, dict | list):
        message += f" {_show(value)}" if ", got " in message else f", got {_show(value)}"
    refuse(path, message)


_ONE_OF = {  # the keys with a few words to choose from
    "game": (GAME,), "version": (str(VERSION),), "side": (*SIDES, "null"), "state": STATES, "project": t.PROJECTS,
    **dict.fromkeys(t.DONATION_COLUMNS, (*t.DONATION_COLUMNS, "null")), "level_region": (*t.REGIONS, "null"),
    **dict.fromkeys(("chosen", "advancing", "action"), (*t.ACTION_TYPES, "null")),
    **dict.fromkeys(t.ACTION_TYPES, EVENTS),
}  # fmt: skip


def _code(path: str, value: Any, names: Sequence[str], what: str) -> int:
    """The code of an id."""
    if type(value) is not str:
        refuse(path, f"{_show(value)} is not a string, the id of one {what}")
    if value in names and value:
        return names.index(value)
    known = [name for name in names if name]
    close = difflib.get_close_matches(value[:60], known, 3, 0.6)
    hint = f"; did you mean {' or '.join(close)}?" if close else f"; there are {', '.join(known)}"
    refuse(path, f"there is no {what} {_show(value)}{hint}")


def _options(values: dict[str, Any]) -> Options:
    known = list(Options().to_dict())
    for key in values:
        _code("options", key, known, "option")
    for key in known:
        if key not in values:
            refuse(f"options.{key}", "is missing; every option must be there")
    try:
        options = Options.from_dict(values)
    except ValueError as error:
        refuse("options", str(error))
    for key, value in options.to_dict().items():
        if values[key] != value:
            refuse(f"options.{key}", f"{_show(values[key])}, but a solo game has one of {', '.join(t.DIFFICULTIES)}")
    return options


def _read_timeline(game: np.record, timeline: _Timeline) -> None:
    for r, row in enumerate(t.ACTION_TYPES):
        for k, events in enumerate(getattr(timeline.spaces, row)):
            regions = [t.REGIONS.index(event) for event in events if event != "donation"]
            if len(regions) > 1 or len(set(events)) != len(events) or not events:
                refuse(f"timeline.spaces.{row}[{k}]", f"{_show(events)} is not one event, or a region with a donation")
            game.event_region[r, k] = regions[0] if regions else state.NONE
            game.event_donation[r, k] = "donation" in events
        game.marker[r] = getattr(timeline.markers, row)
    game.chosen_row = state.NONE if timeline.chosen is None else t.ACTION_TYPES.index(timeline.chosen)
    game.advancing_row = state.NONE if timeline.advancing is None else t.ACTION_TYPES.index(timeline.advancing)


def _read_tiles(game: np.record, path: str, tiles: dict[str, Any], copies: np.ndarray) -> None:
    for tile, count in tiles.items():
        number = _tile(game, path, tile)
        copies[number] = _convert(count, _Copies, f"{path}.{tile}")


def _tiles(game: np.record) -> tuple[str, ...]:
    """The ids of the department tiles of the game's edition, by number; "" is none."""
    expanded = game.modules & (state.NEW_DEPARTMENTS | state.DIVERSE_SETUP)
    return t.DEPARTMENTS[: (t.NUM_TILES if expanded else t.BASE_TILES) + 1]


def _tile(game: np.record, path: str, tile: Any) -> int:
    return _code(path, tile, _tiles(game), "department tile")


def _read_panels(game: np.record, panels: _Panels | None) -> None:
    _need_module("panels", panels, game.modules & state.NEW_DONATIONS, "new_donations")
    if panels is not None:
        tiles = t.FACTS.expansion.new_donations.panels
        for k, column in enumerate(t.DONATION_COLUMNS):
            tile = getattr(panels, column)
            game.panel[k] = state.NONE if tile is None else tiles.index(tile)


def _need_module(path: str, part: Any, on: int, module: str) -> None:
    """A part of the dictionary is there if the module is on, else null."""
    if (part is None) == bool(on):
        refuse(path, f"{'null' if part is None else 'there'}, but options.{module} is {'true' if on else 'false'}")


def _read_sheet(game: np.record, seat: int, sheet: _Sheet | None, path: str) -> None:
    _need_module(path, sheet, game.modules & state.NEW_START, "new_start")
    if sheet is None:
        return
    for line, name in enumerate(LINES):
        amounts, chosen = t.NEW_START_OFFERS[line, :, t.OFFER_AMOUNT].tolist(), getattr(sheet, name)
        if chosen is not None and chosen not in amounts:
            refuse(f"{path}.{name}", f"{chosen}; the sheet offers {', '.join(map(str, amounts))}")
        game.sheet[seat, line] = state.NONE if chosen is None else amounts.index(chosen)
    game.bid[seat] = state.NONE if sheet.bid is None else sheet.bid


def _read_cities(game: np.record, cities: dict[str, Any]) -> None:
    for city in cities:
        _code("cities", city, t.CITIES, "city")
    for c, city in enumerate(t.CITIES):
        path, first, last = f"cities.{city}", t.CITY_FIRST_SPACE[c], t.CITY_FIRST_SPACE[c + 1]
        owners = cities.get(city)
        if type(owners) is not list or len(owners) != last - first:
            wrong = "is missing" if city not in cities else f"{_show(owners)} is wrong"
            refuse(path, f"{wrong}; it is a list of {last - first}: an owner or null for each space")
        for k, owner in enumerate(owners):
            game.owner[first + k] = state.NONE if owner is None else _owner(game, f"{path}[{k}]", owner)


def _owner(game: np.record, path: str, owner: Any) -> int:
    code = _code(path, owner, OWNERS, "owner")
    if code < state.SEATS and code >= game.num_players:
        refuse(path, f"there is no {owner} in a game with options.num_players {game.num_players}")
    if code == state.ANDREW and game.difficulty == state.NONE:
        refuse(path, "Andrew has disks in a solo game only")
    return code


def _read_donations(game: np.record, donations: dict[str, Any]) -> None:
    for cell, owners in donations.items():
        path = f"donations.{cell}"
        code = _code("donations", cell, t.DONATIONS, "donation cell")
        if type(owners) is not list:
            refuse(path, f"{_show(owners)} is not a list of owners")
        for k, owner in enumerate(owners):
            bit = 1 << _owner(game, f"{path}[{k}]", owner)
            if game.donation[code] & bit:
                refuse(f"{path}[{k}]", f"{owner} stands there twice; nobody makes a donation twice")
            game.donation[code] |= bit


def _read_company(game: np.record, seat: int, company: _Company, path: str) -> None:
    for field in ("money", "goods", "vp", "reserve", "disks", "donations_made"):
        game[field][seat] = getattr(company, field)
    game.missions[seat] = [getattr(company.missions, region) for region in t.REGIONS]
    game.track[seat] = [getattr(company.transport, region) for region in t.REGIONS]
    game.active[seat] = game.inactive[seat] = 0
    for space, here in company.employees.items():
        s = _code(f"{path}.employees", space, t.SPACE_IDS, "company space")
        here = _convert(here, _Here, f"{path}.employees.{space}")
        game.active[seat, s], game.inactive[seat, s] = here.active, here.inactive
    game.department[seat] = 0
    game.department[seat, t.LOBBY_SPACE] = t.LOBBY
    known = [*_tiles(game), *t.DEPARTMENTS[t.START_HUMAN_RESOURCES : t.LOBBY]]
    for space, department in company.departments.items():
        s = _code(f"{path}.departments", space, t.SPACE_IDS, "company space")
        _code(f"{path}.departments.{space}", department, known, "department")
        if s == t.LOBBY_SPACE:
            refuse(f"{path}.departments.{space}", f"{department} cannot stand there: {space} is the lobby")
        game.department[seat, s] = t.DEPARTMENTS.index(department)
    game.reserved[seat] = 0 if company.reserved is None else _tile(game, f"{path}.reserved", company.reserved)
    for tab, project in enumerate(t.PROJECTS):
        part = getattr(company.tabs, project)
        game.tab_side[seat, tab] = state.NONE if part.side is None else SIDES.index(part.side)
        game.tab_pulled[seat, tab] = part.uncovered - 1
        game.tab_built[seat, tab] = part.built
    game.action_tile[seat] = company.action_choice
    _read_sheet(game, seat, company.sheet, f"{path}.sheet")
    if company.secret is not None:
        game.secret[seat] = _code(f"{path}.secret", company.secret, t.DONATIONS, "donation cell")


def _read_andrew(game: np.record, andrew: _Andrew) -> None:
    for k, card in enumerate(andrew.deck):
        game.deck[k] = _code(f"andrew.deck[{k}]", card, t.CARDS, "card")
    if len(andrew.places) != game.round_number:
        refuse("andrew.places", f"{len(andrew.places)} entries; round {game.round_number} has one for each round begun")
    game.card_place[: game.round_number] = andrew.places
    _read_tiles(game, "andrew.departments", andrew.departments, game.andrew_tiles)
    game.track[state.ANDREW] = [getattr(andrew.transport, region) for region in t.REGIONS]
    game.disks[state.ANDREW] = andrew.disks


def _read_turn(game: np.record, turn: _Turn) -> None:
    game.action = state.NONE if turn.action is None else t.ACTION_TYPES.index(turn.action)
    for field in (
        "started", "moves", "research", "arrivals", "diagonal_moves", "relocations", "projects", "payroll_activated",
    ):  # fmt: skip
        game[field] = getattr(turn, field)
    game.level_region = state.NONE if turn.level_region is None else t.REGIONS.index(turn.level_region)
    if turn.lifted is not None:
        game.lifted = _code("turn.lifted.space", turn.lifted.space, t.SPACE_IDS, "company space")
        game.lifted_active = STATES.index(turn.lifted.state)
    game.tile = 0 if turn.tile is None else _tile(game, "turn.tile", turn.tile)
    for field, key in (("site", "site"), ("department_in_use", "department")):
        space = getattr(turn, key)
        if space is not None:
            game[field] = _code(f"turn.{key}", space, t.SPACE_IDS, "company space")
    if turn.income_choice is not None:
        tab = t.PROJECTS.index(turn.income_choice.project)
        game.choice = tab * t.TAB_CHOICE.shape[1] + turn.income_choice.section
    for space, number in turn.ready.items():
        s = _code("turn.ready", space, t.SPACE_IDS, "company space")
        game.ready[s] = _convert(number, _Employees, f"turn.ready.{space}")
