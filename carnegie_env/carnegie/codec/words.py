"""What :mod:`carnegie_env.carnegie.checks` finds wrong, in words: the path in the position's dictionary, what is wrong,
what would be right.

Nothing is tested here. A function for each invariant takes the fields of the record and the details that the check
found, and returns the path and the words.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from carnegie_env.carnegie import checks, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.checks import faults
from carnegie_env.carnegie.codec import shape
from carnegie_env.carnegie.options import MODULES
from carnegie_env.carnegie.rules import new_departments
from carnegie_env.carnegie.rules.tabs import HOUSING
from carnegie_env.carnegie.state import ANDREW, NONE
from carnegie_env.core.patience import seldom
from carnegie_env.core.reading import refuse

Words = tuple[str, str]
Explain = Callable[[SimpleNamespace, int, int, int], Words]
_EXPLAIN: dict[int, Explain] = {}
_PANELS = t.FACTS.expansion.new_donations.panels


def refuse_faults(game: Any) -> None:
    """Refuse a record that no play can lead to; derived fields and legal actions need not be made yet.

    Args:
        game: one of dtype ``state.GAME``.

    Raises:
        ValueError: the path of the first value found wrong, what is wrong, what would be right.
    """
    words = explain(game)
    if words is not None:
        refuse(*words)


PATIENCE = 300  # positions that are read before the checks are compiled: plain Python takes some 20 ms for each
_inspect = seldom(checks.inspect, PATIENCE)


def explain(game: Any) -> Words | None:
    """The path of what is wrong with a record, and what is; None if nothing is.

    Args:
        game: one of dtype ``state.GAME``, of any content.
    """
    found = np.zeros(faults.DETAILS, np.int64)
    fault = int(_inspect(game, found))
    if fault == 0:
        return None
    if fault not in _EXPLAIN:
        return "", f"does not obey: {faults.FAULTS[fault]}"
    return _EXPLAIN[fault](state.fields(game), *found.tolist())


def _of(*faults: int) -> Callable[[Explain], Explain]:
    def note(function: Explain) -> Explain:
        _EXPLAIN.update(dict.fromkeys(faults, function))
        return function

    return note


# ---------------------------------------------------------------- words
def _phase(game: SimpleNamespace) -> str:
    return state.PHASES[game.phase]


def _company(seat: int, *keys: str) -> str:
    return ".".join((f"companies[{seat}]", *keys))


def _department(code: int) -> str:
    return t.DEPARTMENTS[code] or "an empty space"


def _bool(value: int) -> str:
    return "true" if value else "false"


def _seats(bits: int) -> str:
    return ", ".join(str(seat) for seat in range(state.SEATS) if bits >> seat & 1)


def _rounds(game: SimpleNamespace) -> str:
    return f"phase {_phase(game)} of round {game.round_number}"


def _parts(counts: dict[str, int]) -> str:
    return " + ".join(f"{count} {where}" for where, count in counts.items())


# ---------------------------------------------------------------- round, timeline
@_of(faults.ROUND)
def _round(game: SimpleNamespace, *_: int) -> Words:
    if game.phase == state.OVER:
        wanted = str(t.ROUNDS)
    else:
        wanted = "0" if game.round_number > 0 else f"1 to {t.ROUNDS}"
    return "round", f"{game.round_number}, but in phase {_phase(game)} it is {wanted}"


@_of(faults.FIRST_PLAYER)
def _first_player(game: SimpleNamespace, passed: int, *_: int) -> Words:
    players = int(game.num_players)
    if game.first_player >= players:
        return "first_player", f"{game.first_player}; it is a seat from 0 to {players - 1}"
    return "first_player", (
        f"{game.first_player}; seat 0 begins and the marker moves on clockwise after each round, so after {passed} "
        f"rounds with {players} seats it is {passed % players}"
    )


@_of(faults.TO_PLAY)
def _to_play(game: SimpleNamespace, *_: int) -> Words:
    if game.phase == state.OVER:
        return "to_play", f"{game.to_play}, but the game is over; then it is null"
    found = "null" if game.to_play == NONE else game.to_play
    return "to_play", f"{found}; in phase {_phase(game)} it is a seat from 0 to {game.num_players - 1}"


@_of(faults.EVENT_SPACE)
def _event_space(game: SimpleNamespace, row: int, space: int, _: int) -> Words:
    return (
        f"timeline.spaces.{t.ACTION_TYPES[row]}[{space}]",
        "two events; only the fifth space, on the End tile, has a region and a donation",
    )


@_of(faults.END_TILE)
def _end_tile(game: SimpleNamespace, row: int, *_: int) -> Words:
    wrong = f"is not the End tile's; that is {t.REGIONS[t.END_REGION[row]]} and donation"
    return f"timeline.spaces.{t.ACTION_TYPES[row]}[{t.END_SPACE}]", wrong


@_of(faults.TIMELINE_TILE)
def _timeline_tile(game: SimpleNamespace, k: int, *_: int) -> Words:
    events = np.where(game.event_donation != 0, t.DONATION, game.event_region)[:, : t.END_SPACE]
    line = events[k] if game.tiles_in_rows else events[:, k]
    names = ", ".join(shape.EVENTS[event] for event in line)
    if game.tiles_in_rows:
        where, option = f"row {t.ACTION_TYPES[k]}, left to right,", "rows"
    else:
        where, option = f"space {k} of the rows, downwards,", "columns"
    return "timeline.spaces", f"{where} reads {names}, which no timeline tile has (option timeline_tiles: {option})"


@_of(faults.TIMELINE_TWICE)
def _timeline_twice(game: SimpleNamespace, *_: int) -> Words:
    return "timeline.spaces", "a timeline tile lies there twice; there is one of each, with two sides"


@_of(faults.MARKERS)
def _markers(game: SimpleNamespace, passed: int, rounds: int, _: int) -> Words:
    wrong = f"they have passed {passed} spaces in all, but {rounds} rounds have been played"
    return "timeline.markers", wrong


@_of(faults.CHOSEN)
def _chosen(game: SimpleNamespace, advancing: int, wanted: int, _: int) -> Words:
    key, row = ("advancing", game.advancing_row) if advancing else ("chosen", game.chosen_row)
    found = "null" if row == NONE else t.ACTION_TYPES[row]
    return f"timeline.{key}", f"{found}, but in {_rounds(game)} it is {'an action type' if wanted else 'null'}"


@_of(faults.ANDREW_ROW)
def _andrew_row(game: SimpleNamespace, *_: int) -> Words:
    card = game.deck[game.round_number - 1]
    return "timeline.chosen", (
        f"{t.ACTION_TYPES[game.chosen_row]}, but Andrew chooses in even rounds, and the back of his card "
        f"{t.CARDS[card]} says {t.ACTION_TYPES[t.CARD_BACK[card]]}"
    )


@_of(faults.ADVANCING)
def _advancing(game: SimpleNamespace, row: int, *_: int) -> Words:
    return "timeline.advancing", (
        f"{t.ACTION_TYPES[game.advancing_row]}, but it is {t.ACTION_TYPES[row]}: the chosen row, or the next one "
        "below it that has not ended"
    )


# ---------------------------------------------------------------- tiles and the board
def _tile_counts(game: SimpleNamespace) -> np.ndarray:
    players = int(game.num_players)
    lying = np.concatenate([game.reserved[:players], game.department[:players].ravel()])
    counts = np.bincount(lying, minlength=t.NUM_DEPARTMENTS)[: t.NUM_TILES + 1] + game.display + game.andrew_tiles
    return np.where(np.arange(t.NUM_TILES + 1) > 0, counts, 0)


@_of(faults.TILE_TYPES)
def _tile_types(game: SimpleNamespace, action: int, different: int, _: int) -> Words:
    there = np.flatnonzero(_tile_counts(game)).tolist()
    ids = ", ".join(t.DEPARTMENTS[number] for number in there if t.DEPARTMENT_TYPE[number] == action)
    return "display", (
        f"{different} different {t.ACTION_TYPES[action]} tiles in the game ({ids}); {t.TILES_PER_TYPE} of each type "
        "are drawn"
    )


@_of(faults.TILE_COPIES)
def _tile_copies(game: SimpleNamespace, number: int, copies: int, most: int) -> Words:
    return "display", (
        f"{t.DEPARTMENTS[number]}: {copies} copies in the display, reserved, built and with Andrew together; there are "
        f"{most}"
    )


@_of(faults.TILES)
def _tiles(game: SimpleNamespace, number: int, wanted: int, _: int) -> Words:
    return "display", (
        f"{number} department tiles in the display, reserved, built and with Andrew together; with {game.num_players} "
        f"players {wanted} are in the game"
    )


@_of(faults.CITY_OWNER)
def _city_owner(game: SimpleNamespace, space: int, owner: int, _: int) -> Words:
    city = t.SPACE_CITY[space]
    path = f"cities.{t.CITIES[city]}[{space - t.CITY_FIRST_SPACE[city]}]"
    return path, f"a disk of {shape.OWNERS[owner]}, who is not in the game"


@_of(faults.CELL_OWNER)
def _cell_owner(game: SimpleNamespace, cell: int, owner: int, _: int) -> Words:
    return f"donations.{t.DONATIONS[cell]}", f"a disk of {shape.OWNERS[owner]}, who is not in the game"


@_of(faults.NEUTRAL_EARLY)
def _neutral_early(game: SimpleNamespace, disks: int, *_: int) -> Words:
    return "cities", f"{disks} neutral disks in the cities and on donations; they come after the tab sides"


@_of(faults.NEUTRAL_MOST)
def _neutral_most(game: SimpleNamespace, disks: int, most: int, _: int) -> Words:
    return "cities", (
        f"{disks} neutral disks in the cities and on donations; with {game.num_players} players there are {most} at "
        "most"
    )


@_of(faults.CELL_NEUTRAL)
def _cell_neutral(game: SimpleNamespace, cell: int, *_: int) -> Words:
    wrong = "a disk beside the neutral one; a cell with a neutral disk takes no other"
    return f"donations.{t.DONATIONS[cell]}", wrong


@_of(faults.CELL_SHARED)
def _cell_shared(game: SimpleNamespace, cell: int, first: int, second: int) -> Words:
    names = f"{shape.OWNERS[first]} and {shape.OWNERS[second]}"
    wrong = f"disks of {names}, none of whom has Charitable Giving to copy the other's"
    return f"donations.{t.DONATIONS[cell]}", wrong


@_of(faults.DONATIONS)
def _donations(game: SimpleNamespace, seat: int, disks: int, _: int) -> Words:
    wrong = f"{game.donations_made[seat]}, but player_{seat} has {disks} disks on donations"
    return _company(seat, "donations_made"), wrong


# ---------------------------------------------------------------- a company
@_of(faults.EMPLOYEES)
def _employees(game: SimpleNamespace, seat: int, total: int, _: int) -> Words:
    counts = {
        "in reserve": int(game.reserve[seat]),
        "on missions": int(game.missions[seat].sum()),
        "on the company board": int(game.active[seat].sum() + game.inactive[seat].sum()),
        "arriving": int(game.arrivals) if seat == game.to_play else 0,
    }
    parts = _parts({where: count for where, count in counts.items() if count})
    return _company(seat, "employees"), f"{total} employees ({parts}); a company has {t.EMPLOYEES}"


@_of(faults.WORKSTATIONS)
def _workstations(game: SimpleNamespace, seat: int, space: int, _: int) -> Words:
    code = game.department[seat, space]
    return _company(seat, "employees", t.SPACE_IDS[space], "active"), (
        f"{game.active[seat, space]} active employees on {_department(code)}, which has {t.WORKSTATIONS[code]} "
        "workstations"
    )


@_of(faults.PRINTED)
def _printed(game: SimpleNamespace, seat: int, space: int, _: int) -> Words:
    stands, printed = _department(game.department[seat, space]), t.DEPARTMENTS[t.START_DEPARTMENT[space]]
    return _company(seat, "departments", t.SPACE_IDS[space]), f"{stands} stands there, but {printed} is printed on it"


@_of(faults.DEPARTMENT_TWICE)
def _department_twice(game: SimpleNamespace, seat: int, space: int, first: int) -> Words:
    name = _department(game.department[seat, space])
    return (
        _company(seat, "departments", t.SPACE_IDS[space]),
        f"a second {name}, as on {t.SPACE_IDS[first]}; a company has a department once",
    )


@_of(faults.RESERVED_BUILT)
def _reserved_built(game: SimpleNamespace, seat: int, built: int, _: int) -> Words:
    return _company(seat, "reserved"), (
        f"{t.DEPARTMENTS[game.reserved[seat]]} is still reserved, but {t.DEPARTMENTS[built]} is built; the reserved "
        "department is the first one built"
    )


@_of(faults.RESERVED_LOST)
def _reserved_lost(game: SimpleNamespace, seat: int, *_: int) -> Words:
    wrong = "null, but no department has been built; it is the one chosen in set-up until then"
    return _company(seat, "reserved"), wrong


def _tab(seat: int, project: int, key: str) -> str:
    return _company(seat, "tabs", t.PROJECTS[project], key)


@_of(faults.TAB_LENGTH)
def _tab_length(game: SimpleNamespace, seat: int, project: int, _: int) -> Words:
    found, most = game.tab_pulled[seat, project] + 1, t.TAB_LENGTH[project] + 1
    return _tab(seat, project, "uncovered"), f"{found} sections; the tab has {most}"


@_of(faults.TAB_BUILT)
def _tab_built(game: SimpleNamespace, seat: int, project: int, uncovered: int) -> Words:
    wrong = f"{game.tab_built[seat, project]} projects built, but {uncovered} project sections uncovered"
    return _tab(seat, project, "built"), wrong


@_of(faults.TAB_SIDE)
def _tab_side(game: SimpleNamespace, seat: int, project: int, _: int) -> Words:
    return _tab(seat, project, "side"), f"null, but in phase {_phase(game)} the sides are chosen: a or b"


@_of(faults.PROJECTS)
def _projects(game: SimpleNamespace, seat: int, disks: int, _: int) -> Words:
    built = game.tab_built[seat].sum()
    return _company(seat, "tabs"), f"{built} projects built, but player_{seat} has {disks} disks in the cities"


@_of(faults.PROJECT_TYPES)
def _project_types(game: SimpleNamespace, seat: int, project: int, disks: int) -> Words:
    built, name = game.tab_built[seat, project], t.PROJECTS[project]
    return _tab(seat, project, "built"), f"{built}, but player_{seat} has disks on {disks} {name} spaces"


@_of(faults.DISKS)
def _disks(game: SimpleNamespace, seat: int, total: int, _: int) -> Words:
    in_cities, on_donations = int((game.owner == seat).sum()), int((game.donation >> seat & 1).sum())
    counts = {"for the score": 1, "transport markers": t.NUM_REGIONS, "in reserve": int(game.disks[seat])}
    counts["on tabs"] = total - sum(counts.values()) - in_cities - on_donations
    counts |= {"in cities": in_cities, "on donations": on_donations}
    return _company(seat, "disks"), (
        f"{total} disks ({_parts(counts)}); a player has {t.DISKS}, so the reserve would hold "
        f"{game.disks[seat] + t.DISKS - total}"
    )


@_of(faults.HOUSED)
def _housed(game: SimpleNamespace, seat: int, *_: int) -> Words:
    return _tab(seat, HOUSING, "built"), (
        f"player_{seat} has no disk on a housing space of a medium or large city; the first one is placed there in "
        "set-up"
    )


@_of(faults.STILL)
def _still(game: SimpleNamespace, seat: int, k: int, _: int) -> Words:
    wrong = "is not as at the start, but nothing changes it in set-up, before round 1"
    return _company(seat, faults.KEPT[k]), wrong


@_of(faults.SIDES_ORDER)
def _sides_order(game: SimpleNamespace, seat: int, chosen: int, _: int) -> Words:
    return _company(seat, "tabs"), (
        f"{chosen} sides chosen; with seat {game.to_play} to play in phase {_phase(game)}, the seats before him have "
        f"chosen all four, he the first few in the order {', '.join(t.PROJECTS)}, the others none"
    )


@_of(faults.HOUSING_ORDER)
def _housing_order(game: SimpleNamespace, seat: int, wanted: int, _: int) -> Words:
    path, found = _tab(seat, HOUSING, "built"), game.tab_built[seat, HOUSING]
    return path, f"{found}; in phase {_phase(game)} with seat {game.to_play} to play it is {wanted}"


@_of(faults.RESERVED_ORDER)
def _reserved_order(game: SimpleNamespace, seat: int, wanted: int, _: int) -> Words:
    found, right = t.DEPARTMENTS[game.reserved[seat]] or "null", "a department tile" if wanted else "null"
    return (
        _company(seat, "reserved"),
        f"{found}; in phase {_phase(game)} with seat {game.to_play} to play it is {right}",
    )


# ---------------------------------------------------------------- between the companies, Andrew
def _owner_path(owner: int) -> str:
    return "andrew" if owner == ANDREW else _company(owner)


@_of(faults.LAST_SPACE)
def _last_space(game: SimpleNamespace, region: int, first: int, second: int) -> Words:
    return f"{_owner_path(second)}.transport.{t.REGIONS[region]}", (
        f"{game.track[second, region]}, the last space, where {_owner_path(first)} is; it takes one marker, and those "
        "of the owners of Archives"
    )


@_of(faults.ACTION_CHOICE)
def _action_choice(game: SimpleNamespace, seat: int, dealt: int, _: int) -> Words:
    who = f"seats {_seats(dealt)} get one" if dealt else "nobody gets one"
    return _company(seat, "action_choice"), f"true, but with {game.num_players} players {who}"


@_of(faults.CARD_TWICE)
def _card_twice(game: SimpleNamespace, k: int, *_: int) -> Words:
    return f"andrew.deck[{k}]", f"{t.CARDS[game.deck[k]]} is there already; there is one of each card"


@_of(faults.ADVANCED_CARDS)
def _advanced_cards(game: SimpleNamespace, advanced: int, *_: int) -> Words:
    name, wanted = t.DIFFICULTIES[game.difficulty], t.DIFFICULTY_ADVANCED[game.difficulty]
    return "andrew.deck", f"{advanced} advanced cards; difficulty {name} has {wanted}"


@_of(faults.ANDREW_CHOOSES)
def _andrew_chooses(game: SimpleNamespace, *_: int) -> Words:
    return "phase", f"timeline, but in round {game.round_number} Andrew chooses; the player does in odd rounds"


@_of(faults.CARD_PLACE)
def _card_place(game: SimpleNamespace, k: int, *_: int) -> Words:
    wrong = f"{game.card_place[k]}, but before the choice of the timeline the round's card lies at 0"
    return f"andrew.places[{k}]", wrong


@_of(faults.ANDREW_DISKS)
def _andrew_disks(game: SimpleNamespace, total: int, *_: int) -> Words:
    cities, cells = int((game.owner == ANDREW).sum()), int((game.donation >> ANDREW & 1).sum())
    return "andrew.disks", (
        f"{game.disks[ANDREW]} with {cities} in cities and {cells} on donations make {total}; he has {t.ANDREW_DISKS}"
    )


@_of(faults.ANDREW_EARLY)
def _andrew_early(game: SimpleNamespace, k: int, *_: int) -> Words:
    return f"andrew.{faults.ANDREW_KEPT[k]}", "is not as at the start, but Andrew does nothing in set-up"


# ---------------------------------------------------------------- what is in hand
@_of(faults.NOT_IN_HAND)
def _not_in_hand(game: SimpleNamespace, k: int, *_: int) -> Words:
    return f"turn.{faults.HAND[k]}", f"is in use, but in {_rounds(game)} it is empty"


@_of(faults.IN_HAND)
def _in_hand(game: SimpleNamespace, k: int, *_: int) -> Words:
    return f"turn.{faults.HAND[k]}", f"is empty, but it belongs to phase {_phase(game)}"


@_of(faults.SETUP_MOVES)
def _setup_moves(game: SimpleNamespace, most: int, *_: int) -> Words:
    return "turn.moves", f"{game.moves}; set-up has {most} moves"


@_of(faults.ACTION)
def _action(game: SimpleNamespace, *_: int) -> Words:
    return "turn.action", (
        f"{t.ACTION_TYPES[game.action]}, but the round's is {t.ACTION_TYPES[game.chosen_row]}; only a seat that was "
        "dealt an Action Choice tile, has spent it and is not the first player can differ, with started true"
    )


@_of(faults.MOVES_OF)
def _moves_of(game: SimpleNamespace, *_: int) -> Words:
    return "turn.moves", f"{game.moves}, but the turn's action is {t.ACTION_TYPES[game.action]}; it is human_resources"


@_of(faults.RESEARCH_OF)
def _research_of(game: SimpleNamespace, *_: int) -> Words:
    wrong = f"{game.research}, but a turn of {t.ACTION_TYPES[game.action]} brings no research points"
    return "turn.research", wrong


@_of(faults.IN_USE_TYPE)
def _in_use_type(game: SimpleNamespace, *_: int) -> Words:
    where = t.SPACE_IDS[game.department_in_use]
    return "turn.department", f"{where} holds no {t.ACTION_TYPES[game.action]} department"


def _ready(game: SimpleNamespace, space: int) -> tuple[str, int, int]:
    """The path, who can act, who is active."""
    return f"turn.ready.{t.SPACE_IDS[space]}", int(game.ready[space]), int(game.active[game.to_play, space])


@_of(faults.READY_TYPE)
def _ready_type(game: SimpleNamespace, space: int, *_: int) -> Words:
    path, ready, _active = _ready(game, space)
    return path, f"{ready}, but no {t.ACTION_TYPES[game.action]} department stands there"


@_of(faults.READY_ACTIVE)
def _ready_active(game: SimpleNamespace, space: int, *_: int) -> Words:
    path, ready, active = _ready(game, space)
    return path, f"{ready}, but {active} employees are active there; nobody gets active during a turn"


@_of(faults.READY_ALL)
def _ready_all(game: SimpleNamespace, space: int, *_: int) -> Words:
    path, ready, active = _ready(game, space)
    return path, f"{ready}, but {active} employees are active there and no department has been used"


@_of(faults.READY_SPLIT)
def _ready_split(game: SimpleNamespace, space: int, *_: int) -> Words:
    path, ready, active = _ready(game, space)
    return path, f"{ready} of {active}, but it is not the department in use; there all can still act, or none"


@_of(faults.SPENT)
def _spent(game: SimpleNamespace, *_: int) -> Words:
    path, ready, _active = _ready(game, int(game.department_in_use))
    return path, f"{ready}, all who are active there; in phase {_phase(game)} at least one of them is spent"


@_of(faults.STARTED)
def _started(game: SimpleNamespace, *_: int) -> Words:
    return "turn.started", "false, but a department has been used"


@_of(faults.DIAGONAL)
def _diagonal(game: SimpleNamespace, *_: int) -> Words:
    return "turn.diagonal_moves", "true, but that takes a turn of human_resources and corporate_communications"


@_of(faults.DIAGONAL_AT_START)
def _diagonal_at_start(game: SimpleNamespace, *_: int) -> Words:
    return "turn.diagonal_moves", "true, but at the turn's start nobody in corporate_communications is active"


@_of(faults.DIAGONAL_MISSING)
def _diagonal_missing(game: SimpleNamespace, *_: int) -> Words:
    return "turn.diagonal_moves", "false, but an employee is active in corporate_communications"


# ---------------------------------------------------------------- the phase
@_of(faults.NO_DONATION)
def _no_donation(game: SimpleNamespace, *_: int) -> Words:
    return "phase", "donation, but the round's event is none"


@_of(faults.NO_REGION)
def _no_region(game: SimpleNamespace, *_: int) -> Words:
    return "phase", f"{_phase(game)}, but the round's event is no mission region"


@_of(faults.NOBODY_BACK)
def _nobody_back(game: SimpleNamespace, region: int, *_: int) -> Words:
    path = _company(game.to_play, "missions", t.REGIONS[region])
    return path, "0, so in phase recover nobody could come back"


@_of(faults.CHOOSER)
def _chooser(game: SimpleNamespace, *_: int) -> Words:
    return "to_play", f"{game.to_play}, but the first player chooses the timeline, seat {game.first_player}"


@_of(faults.NO_NEW_LOBBY)
def _no_new_lobby(game: SimpleNamespace, *_: int) -> Words:
    wrong = f"no new_lobby, so there is nothing to decide in phase {_phase(game)}"
    return _company(game.to_play, "departments"), wrong


@_of(faults.LIFTED)
def _lifted(game: SimpleNamespace, *_: int) -> Words:
    where = t.SPACE_IDS[game.lifted]
    return "turn.lifted", f"there is no {shape.STATES[game.lifted_active]} employee on {where}"


@_of(faults.INCOME_CHOICE)
def _income_choice(game: SimpleNamespace, project: int, section: int, _: int) -> Words:
    built = game.tab_built[game.to_play, project]
    why = f"{built} built" if section >= built else "its income is no choice"
    return "turn.income_choice", f"section {section} of {t.PROJECTS[project]}: {why}"


@_of(faults.LOBBY_CHOICE)
def _lobby_choice(game: SimpleNamespace, project: int, section: int, _: int) -> Words:
    return "turn.income_choice", f"section {section} of {t.PROJECTS[project]} brings no employee into a lobby"


@_of(faults.LOBBY_ARRIVALS)
def _lobby_arrivals(game: SimpleNamespace, *_: int) -> Words:
    return "turn.arrivals", f"{game.arrivals}, but a tab income brings one employee"


@_of(faults.IN_USE)
def _in_use(game: SimpleNamespace, used: int, needed: int, _: int) -> Words:
    return "turn.department", f"{_department(used)}, but phase {_phase(game)} belongs to {t.DEPARTMENTS[needed]}"


@_of(faults.TILE_RESERVED)
def _tile_reserved(game: SimpleNamespace, reserved: int, *_: int) -> Words:
    return "turn.tile", f"{t.DEPARTMENTS[game.tile]}, but the reserved {t.DEPARTMENTS[reserved]} is built first"


@_of(faults.TILE_DISPLAY)
def _tile_display(game: SimpleNamespace, *_: int) -> Words:
    return "turn.tile", f"{t.DEPARTMENTS[game.tile]} is not in the display"


@_of(faults.TILE_OWNED)
def _tile_owned(game: SimpleNamespace, *_: int) -> Words:
    return "turn.tile", f"{t.DEPARTMENTS[game.tile]} is in the company already"


@_of(faults.SITE)
def _site(game: SimpleNamespace, *_: int) -> Words:
    code, active = game.department[game.to_play, game.site], game.active[game.to_play, game.site]
    return "turn.site", (
        f"{t.SPACE_IDS[game.site]} holds {_department(code)}, with {active} active employees; it is a department just "
        "built"
    )


@_of(faults.NO_PROPERTY)
def _no_property(game: SimpleNamespace, *_: int) -> Words:
    return "phase", "property, but the company has no Property Management with an active employee"


@_of(faults.DONATION_MONEY)
def _donation_money(game: SimpleNamespace, cost: int, *_: int) -> Words:
    seat = game.to_play
    return _company(seat, "money"), (
        f"{game.money[seat]}, with {game.goods[seat]} goods to sell, cannot pay the donation of ${cost} that phase "
        f"{_phase(game)} offers"
    )


@_of(faults.DONATION_DISK)
def _donation_disk(game: SimpleNamespace, *_: int) -> Words:
    return _company(game.to_play, "disks"), f"0, but phase {_phase(game)} needs one for the donation"


# ---------------------------------------------------------------- modules
@_of(faults.MODULE_PHASE)
def _module_phase(game: SimpleNamespace, bits: int, *_: int) -> Words:
    names = " or ".join(name for k, name in enumerate(MODULES) if bits >> k & 1)
    return "phase", f"{_phase(game)} belongs to the module {names}, which is off"


@_of(faults.LEAST_VP)
def _least_vp(game: SimpleNamespace, seat: int, least: int, _: int) -> Words:
    return _company(seat, "vp"), f"{game.vp[seat]}; the start and the rules lead to {least} at least"


@_of(faults.SHEET_START)
def _sheet_start(game: SimpleNamespace, seat: int, k: int, _: int) -> Words:
    return _company(seat, faults.START_KEPT[k]), "is not as at the start, but the sheets are not revealed yet"


@_of(faults.SHEET_LINES)
def _sheet_lines(game: SimpleNamespace, seat: int, *_: int) -> Words:
    return _company(seat, "sheet"), f"its lines are filled in order: {', '.join(t.NEW_START_LINES)}, bid"


@_of(faults.SHEET_BID)
def _sheet_bid(game: SimpleNamespace, seat: int, *_: int) -> Words:
    why = "in a solo game nobody bids" if game.num_players == 1 else "the other lines come first"
    return _company(seat, "sheet", "bid"), f"{game.bid[seat]}, but {why}"


@_of(faults.SHEET_EARLY)
def _sheet_early(game: SimpleNamespace, seat: int, *_: int) -> Words:
    wrong = f"is filled in, but seat {game.to_play} fills in his, then those after him theirs"
    return _company(seat, "sheet"), wrong


@_of(faults.SHEET_EMPTY)
def _sheet_empty(game: SimpleNamespace, seat: int, *_: int) -> Words:
    return _company(seat, "sheet"), "is not filled in to the end"


@_of(faults.SHEET_BUDGET)
def _sheet_budget(game: SimpleNamespace, seat: int, cost: int, least: int) -> Words:
    left = f", of which the lines left take {least} at least" if least else ""
    return _company(seat, "sheet"), f"its choices cost ${cost}; the budget is ${t.NEW_START_BUDGET}{left}"


@_of(faults.SHEET_FIRST)
def _sheet_first(game: SimpleNamespace, *_: int) -> Words:
    return "first_player", f"{game.first_player}; until the sheets are revealed it is 0"


@_of(faults.BIDS)
def _bids(game: SimpleNamespace, first: int, best: int, _: int) -> Words:
    return "first_player", (
        f"{game.first_player}, so seat {first} began; by the sheets it was seat {_seats(best)} (the highest bid, then "
        "the larger cost of the other lines)"
    )


@_of(faults.PANEL_TWICE)
def _panel_twice(game: SimpleNamespace, tile: int, *_: int) -> Words:
    return "panels", f"the {_PANELS[tile]} tile lies on two panels; there is one"


@_of(faults.PANELS)
def _panels(game: SimpleNamespace, covered: int, most: int, _: int) -> Words:
    return "panels", f"{covered} are covered, but so far {most} players could do that, one panel each"


@_of(faults.SECRET)
def _secret(game: SimpleNamespace, seat: int, wanted: int, _: int) -> Words:
    found = "null" if game.secret[seat] == NONE else t.DONATIONS[game.secret[seat]]
    on = _bool(int(game.modules) & state.SECRET_DONATION)
    return _company(seat, "secret"), (
        f"{found}; with options.secret_donation {on}, in {_rounds(game)}, it is "
        f"{'a cell of the donation table' if wanted else 'null'}"
    )


@_of(faults.WAITING_OFF)
def _waiting_off(game: SimpleNamespace, *_: int) -> Words:
    return "waiting", "true, but options.wait is false"


@_of(faults.WAITING)
def _waiting(game: SimpleNamespace, *_: int) -> Words:
    return "waiting", f"true, but in phase {_phase(game)} nobody takes a turn"


@_of(faults.RELOCATIONS_OF)
def _relocations_of(game: SimpleNamespace, *_: int) -> Words:
    return "turn.relocations", f"{game.relocations}, but the department in use is not hr_administration"


@_of(faults.RELOCATIONS_MOST)
def _relocations_most(game: SimpleNamespace, most: int, *_: int) -> Words:
    return "turn.relocations", f"{game.relocations}; the company's departments give {most}"


@_of(faults.HALVES_OF)
def _halves_of(game: SimpleNamespace, used: int, *_: int) -> Words:
    names = ", ".join(code for number, code in enumerate(t.DEPARTMENTS) if new_departments.has_halves(number))
    return "turn.department", f"{t.DEPARTMENTS[used] or 'none'}; phase halves belongs to {names}"


@_of(faults.HALVES_PROJECTS)
def _halves_projects(game: SimpleNamespace, *_: int) -> Words:
    regions = t.CITY_REGION[t.SPACE_CITY[game.owner == game.to_play]]
    built = np.bincount(regions, minlength=t.NUM_REGIONS).tolist()
    wrong = f"{game.projects}; the company has built {built} projects in {', '.join(t.REGIONS)}"
    return "turn.projects", wrong


@_of(faults.PAYROLL)
def _payroll(game: SimpleNamespace, active: int, *_: int) -> Words:
    wrong = f"{game.payroll_activated}, but {active} are active in payroll_management"
    return "turn.payroll_activated", wrong


@_of(faults.NO_ARCHIVES)
def _no_archives(game: SimpleNamespace, *_: int) -> Words:
    return "phase", "level, but the company has no Archives with an active employee"


@_of(faults.LEVEL_START)
def _level_start(game: SimpleNamespace, *_: int) -> Words:
    path = _company(game.to_play, "transport", t.REGIONS[game.level_region])
    return path, "0, so there is no level to choose in phase level"


@_of(faults.LEVEL_CITY)
def _level_city(game: SimpleNamespace, *_: int) -> Words:
    region = t.REGIONS[game.level_region]
    return "turn.level_region", f"{region}, where the company has no disk in a city with a bonus"


@_of(faults.LEVEL_TURN)
def _level_turn(game: SimpleNamespace, *_: int) -> Words:
    return "turn.action", f"{t.ACTION_TYPES[game.action]}, but a city's bonus comes with a build"


@_of(faults.LEVEL_EVENT)
def _level_event(game: SimpleNamespace, region: int, *_: int) -> Words:
    found, right = t.REGIONS[game.level_region], t.REGIONS[region]
    return "turn.level_region", f"{found}, but the round's income is that of {right}"
