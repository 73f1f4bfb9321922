"""The record of a position's dictionary (docs/design.md, section 5).

Reading goes in steps, each of which names the value it refuses: JSON types and nothing else, the shape, the ids, which
turn into codes (:mod:`carnegie_env.core.reading`), then what the values say together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.codec import shape
from carnegie_env.carnegie.codec.words import refuse_faults
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.rules import setup
from carnegie_env.core.reading import check_json, code_of, convert, refuse, show


def from_dict(position: Any) -> np.ndarray:
    """The record of a position; the derived fields and the legal actions are not made yet.

    Args:
        position: a dictionary as :func:`to_dict` makes it, of JSON types only.

    Returns:
        Array of shape (1,), dtype ``state.GAME``.

    Raises:
        ValueError: with the path to the value that is wrong, what is wrong with it, and what would be right.
    """
    check_json(position, shape.DEEPEST, shape.MOST_VALUES)
    parts: shape.Position = convert(position, shape.Position, "")
    games = setup.template(_options(parts.options))
    game = games[0]
    _read_head(game, parts)
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
    refuse_faults(game)
    return games


def _read_head(game: np.record, parts: shape.Position) -> None:
    """Who plays, and what is decided."""
    if len(parts.companies) != game.num_players:
        refuse("companies", f"{len(parts.companies)} companies, but options.num_players is {game.num_players}")
    if (parts.andrew is None) == (game.difficulty != state.NONE):
        wrong = "missing in a solo game" if parts.andrew is None else "there, but the game is not solo"
        refuse("andrew", f"{wrong}; it is null with 2 to 4 players and an object in a solo game")
    if not 0 <= parts.rng <= shape.LARGEST_RNG:
        refuse("rng", f"{parts.rng} is not a number from 0 to {shape.LARGEST_RNG}")
    game.rng = parts.rng
    game.decisions = parts.decisions
    game.phase = code_of("phase", parts.phase, shape.OPEN_PHASES, "phase")
    game.to_play = state.NONE if parts.to_play is None else parts.to_play
    game["round_number"] = parts.round
    game.first_player = parts.first_player


def _options(values: dict[str, Any]) -> Options:
    known = list(Options().to_dict())
    for key in values:
        code_of("options", key, known, "option")
    for key in known:
        if key not in values:
            refuse(f"options.{key}", "is missing; every option must be there")
    try:
        options = Options.from_dict(values)
    except ValueError as error:
        refuse("options", str(error))
    for key, value in options.to_dict().items():
        if values[key] != value:
            refuse(f"options.{key}", f"{show(values[key])}, but a solo game has one of {', '.join(t.DIFFICULTIES)}")
    return options


def _read_timeline(game: np.record, timeline: shape.Timeline) -> None:
    for r, row in enumerate(t.ACTION_TYPES):
        for k, events in enumerate(getattr(timeline.spaces, row)):
            regions = [t.REGIONS.index(event) for event in events if event != "donation"]
            if len(regions) > 1 or len(set(events)) != len(events) or not events:
                refuse(f"timeline.spaces.{row}[{k}]", f"{show(events)} is not one event, or a region with a donation")
            game.event_region[r, k] = regions[0] if regions else state.NONE
            game.event_donation[r, k] = "donation" in events
        game.marker[r] = getattr(timeline.markers, row)
    game.chosen_row = state.NONE if timeline.chosen is None else t.ACTION_TYPES.index(timeline.chosen)
    game.advancing_row = state.NONE if timeline.advancing is None else t.ACTION_TYPES.index(timeline.advancing)


def _read_tiles(game: np.record, path: str, tiles: dict[str, Any], copies: np.ndarray) -> None:
    for tile, count in tiles.items():
        number = _tile(game, path, tile)
        copies[number] = convert(count, shape.Copies, f"{path}.{tile}")


def _tiles(game: np.record) -> tuple[str, ...]:
    """The ids of the department tiles of the game's edition, by number; "" is none."""
    return t.DEPARTMENTS[: (t.NUM_TILES if game.modules & state.NEW_TILES else t.BASE_TILES) + 1]


def _tile(game: np.record, path: str, tile: Any) -> int:
    return code_of(path, tile, _tiles(game), "department tile")


def _read_panels(game: np.record, panels: shape.Panels | None) -> None:
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


def _read_sheet(game: np.record, seat: int, sheet: shape.Sheet | None, path: str) -> None:
    _need_module(path, sheet, game.modules & state.NEW_START, "new_start")
    if sheet is None:
        return
    for line, name in enumerate(t.NEW_START_LINES):
        amounts, chosen = t.NEW_START_OFFERS[line, :, t.OFFER_AMOUNT].tolist(), getattr(sheet, name)
        if chosen is not None and chosen not in amounts:
            refuse(f"{path}.{name}", f"{chosen}; the sheet offers {', '.join(map(str, amounts))}")
        game.sheet[seat, line] = state.NONE if chosen is None else amounts.index(chosen)
    game.bid[seat] = state.NONE if sheet.bid is None else sheet.bid


def _read_cities(game: np.record, cities: dict[str, Any]) -> None:
    for city in cities:
        code_of("cities", city, t.CITIES, "city")
    for c, city in enumerate(t.CITIES):
        path, first, last = f"cities.{city}", t.CITY_FIRST_SPACE[c], t.CITY_FIRST_SPACE[c + 1]
        owners = cities.get(city)
        if type(owners) is not list or len(owners) != last - first:
            wrong = "is missing" if city not in cities else f"{show(owners)} is wrong"
            refuse(path, f"{wrong}; it is a list of {last - first}: an owner or null for each space")
        for k, owner in enumerate(owners):
            game.owner[first + k] = state.NONE if owner is None else _owner(game, f"{path}[{k}]", owner)


def _owner(game: np.record, path: str, owner: Any) -> int:
    code = code_of(path, owner, shape.OWNERS, "owner")
    if code < state.SEATS and code >= game.num_players:
        refuse(path, f"there is no {owner} in a game with options.num_players {game.num_players}")
    if code == state.ANDREW and game.difficulty == state.NONE:
        refuse(path, "Andrew has disks in a solo game only")
    return code


def _read_donations(game: np.record, donations: dict[str, Any]) -> None:
    for cell, owners in donations.items():
        path = f"donations.{cell}"
        code = code_of("donations", cell, t.DONATIONS, "donation cell")
        if type(owners) is not list:
            refuse(path, f"{show(owners)} is not a list of owners")
        for k, owner in enumerate(owners):
            bit = 1 << _owner(game, f"{path}[{k}]", owner)
            if game.donation[code] & bit:
                refuse(f"{path}[{k}]", f"{owner} stands there twice; nobody makes a donation twice")
            game.donation[code] |= bit


def _read_company(game: np.record, seat: int, company: shape.Company, path: str) -> None:
    for field in ("money", "goods", "vp", "reserve", "disks", "donations_made"):
        game[field][seat] = getattr(company, field)
    game.missions[seat] = [getattr(company.missions, region) for region in t.REGIONS]
    game.track[seat] = [getattr(company.transport, region) for region in t.REGIONS]
    game.active[seat] = game.inactive[seat] = 0
    for space, here in company.employees.items():
        s = code_of(f"{path}.employees", space, t.SPACE_IDS, "company space")
        here = convert(here, shape.Here, f"{path}.employees.{space}")
        game.active[seat, s], game.inactive[seat, s] = here.active, here.inactive
    game.department[seat] = 0
    game.department[seat, t.LOBBY_SPACE] = t.LOBBY
    known = [*_tiles(game), *t.DEPARTMENTS[t.START_HUMAN_RESOURCES : t.LOBBY]]
    for space, department in company.departments.items():
        s = code_of(f"{path}.departments", space, t.SPACE_IDS, "company space")
        code_of(f"{path}.departments.{space}", department, known, "department")
        if s == t.LOBBY_SPACE:
            refuse(f"{path}.departments.{space}", f"{department} cannot stand there: {space} is the lobby")
        game.department[seat, s] = t.DEPARTMENTS.index(department)
    game.reserved[seat] = 0 if company.reserved is None else _tile(game, f"{path}.reserved", company.reserved)
    for k, project in enumerate(t.PROJECTS):
        tab: shape.Tab = getattr(company.tabs, project)
        game.tab_side[seat, k] = state.NONE if tab.side is None else shape.SIDES.index(tab.side)
        game.tab_pulled[seat, k] = tab.uncovered - 1
        game.tab_built[seat, k] = tab.built
    game.action_tile[seat] = company.action_choice
    _read_sheet(game, seat, company.sheet, f"{path}.sheet")
    if company.secret is not None:
        game.secret[seat] = code_of(f"{path}.secret", company.secret, t.DONATIONS, "donation cell")


def _read_andrew(game: np.record, andrew: shape.Andrew) -> None:
    for k, card in enumerate(andrew.deck):
        game.deck[k] = code_of(f"andrew.deck[{k}]", card, t.CARDS, "card")
    if len(andrew.places) != game.round_number:
        refuse("andrew.places", f"{len(andrew.places)} entries; round {game.round_number} has one for each round begun")
    game.card_place[: game.round_number] = andrew.places
    _read_tiles(game, "andrew.departments", andrew.departments, game.andrew_tiles)
    game.track[state.ANDREW] = [getattr(andrew.transport, region) for region in t.REGIONS]
    game.disks[state.ANDREW] = andrew.disks


def _read_turn(game: np.record, turn: shape.Turn) -> None:
    game.action = state.NONE if turn.action is None else t.ACTION_TYPES.index(turn.action)
    for field in (
        "started", "moves", "research", "arrivals", "diagonal_moves", "relocations", "projects", "payroll_activated",
    ):  # fmt: skip
        game[field] = getattr(turn, field)
    game.level_region = state.NONE if turn.level_region is None else t.REGIONS.index(turn.level_region)
    if turn.lifted is not None:
        game.lifted = code_of("turn.lifted.space", turn.lifted.space, t.SPACE_IDS, "company space")
        game.lifted_active = shape.STATES.index(turn.lifted.state)
    game.tile = 0 if turn.tile is None else _tile(game, "turn.tile", turn.tile)
    for field, key in (("site", "site"), ("department_in_use", "department")):
        space = getattr(turn, key)
        if space is not None:
            game[field] = code_of(f"turn.{key}", space, t.SPACE_IDS, "company space")
    if turn.income_choice is not None:
        project = t.PROJECTS.index(turn.income_choice.project)
        game.choice = project * t.TAB_SECTIONS + turn.income_choice.section
    for space, number in turn.ready.items():
        s = code_of("turn.ready", space, t.SPACE_IDS, "company space")
        game.ready[s] = convert(number, shape.Employees, f"turn.ready.{space}")
