"""What holds in every position that can be reached: conservation of pieces, and the phase with what belongs to it.

:func:`check` looks at a record of one game and refuses it with the path of the value in the position's dictionary
(docs/design.md, section 5), what is wrong and what would be right. It never refuses a position that play can reach;
money, goods and points are free. One function for each part of the game, in the order of the dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.state import ANDREW, NEUTRAL, NONE
from carnegie_env.core.reading import refuse

HOUSED_LATER = (state.SHEET, state.SIDES, state.HOUSING, state.RESERVE)
SET_UP = (*HOUSED_LATER, state.PANELS, state.SETUP_MOVES, state.SECRET)
ANY_ROUND = (state.DESTINATION, state.ACTIVATION)  # in set-up as well as in a round
INCOME = (state.RECOVER, state.LOBBY_RECOVER, state.RESEARCH, state.TAB_INCOME, state.LOBBY_TAB)
TURN = (
    state.TURN, state.DESTINATION, state.LOBBY_TURN, state.SITE, state.PROPERTY, state.CHARITY, state.RELOCATION,
    state.HALVES,
)  # fmt: skip
LOBBY = (state.LOBBY_RECOVER, state.LOBBY_TAB, state.LOBBY_TURN)
LAST_SPACE = t.TRACK_SPACES - 1
ROW_SPACES = 5


def check(record: np.record) -> None:
    """Refuse a record that no play can lead to.

    Args:
        record: one of dtype ``state.GAME`` whose codes are all in their ranges; derived fields are not looked at.

    Raises:
        ValueError: the path of the first value found wrong, what is wrong, what would be right.
    """
    game = state.fields(record)
    _check_round(game)
    _check_timeline_tiles(game)
    _check_timeline(game)
    _check_tiles(game)
    _check_cities(game)
    _check_donations(game)
    for seat in _seats(game):
        path = f"companies[{seat}]"
        _check_employees(game, seat, path)
        _check_departments(game, seat, path)
        _check_tabs(game, seat, path)
        _check_projects(game, seat, path)
        _check_disks(game, seat, path)
        _check_set_up(game, seat, path)
    _check_tracks(game)
    _check_action_choice(game)
    if _solo(game):
        _check_andrew(game)
    _check_turn(game)
    if in_turn(game):
        _check_departments_used(game)
        _check_diagonal(game, int(game.to_play))
    _check_hand(game)


def _seats(game: SimpleNamespace) -> range:
    return range(int(game.num_players))


def _solo(game: SimpleNamespace) -> bool:
    return bool(game.difficulty != NONE)


def _in_round(game: SimpleNamespace) -> bool:
    return bool(game.round_number > 0)


def in_turn(game: SimpleNamespace) -> bool:
    """Whether a seat's turn is going on; a level of income is chosen in turns and in events."""
    return _in_round(game) and (game.phase in TURN or (game.phase == state.LEVEL and game.action != NONE))


def in_income(game: SimpleNamespace) -> bool:
    """Whether an income event is going on."""
    return game.phase in INCOME or (game.phase == state.LEVEL and game.action == NONE)


def place(game: SimpleNamespace, seat: int) -> int:
    """A seat's place in the turn order of the first round, 0 the first."""
    first = int(game.first_player) - _rounds_played(game)
    return (seat - first) % int(game.num_players)


def _phase(game: SimpleNamespace) -> str:
    return state.PHASES[game.phase]


# ---------------------------------------------------------------- round, phase, whose decision
def _check_round(game: SimpleNamespace) -> None:
    phase, number, players = game.phase, game.round_number, int(game.num_players)
    if phase in SET_UP:
        right, what = number == 0, "0"
    elif phase in ANY_ROUND:
        right, what = True, ""
    elif phase == state.OVER:
        right, what = number == t.ROUNDS, str(t.ROUNDS)
    else:
        right, what = number >= 1, f"1 to {t.ROUNDS}"
    if not right:
        refuse("round", f"{number}, but in phase {_phase(game)} it is {what}")
    if game.first_player >= players:
        refuse("first_player", f"{game.first_player}; it is a seat from 0 to {players - 1}")
    passed = _rounds_played(game)
    if game.first_player != passed % players and not game.modules & state.NEW_START:
        refuse(
            "first_player",
            f"{game.first_player}; seat 0 begins and the marker moves on clockwise after each round, so after {passed} "
            f"rounds with {players} seats it is {passed % players}",
        )
    if phase == state.OVER:
        if game.to_play != NONE:
            refuse("to_play", f"{game.to_play}, but the game is over; then it is null")
    elif not 0 <= game.to_play < players:
        found = "null" if game.to_play == NONE else game.to_play
        refuse("to_play", f"{found}; in phase {_phase(game)} it is a seat from 0 to {players - 1}")


def _rounds_played(game: SimpleNamespace) -> int:
    return t.ROUNDS if game.phase == state.OVER else max(game.round_number - 1, 0)


# ---------------------------------------------------------------- timeline
def _check_timeline_tiles(game: SimpleNamespace) -> None:
    """The first four columns (rows, by option) are sides of four different tiles; the fifth space is the End tile's."""
    for r, row in enumerate(t.ACTION_TYPES):
        for k in range(ROW_SPACES):
            region, donation = game.event_region[r, k], game.event_donation[r, k]
            path = f"timeline.spaces.{row}[{k}]"
            if k < 4 and (region != NONE) == (donation != 0):
                refuse(path, "two events; only the fifth space, on the End tile, has a region and a donation")
            if k == 4 and (region != t.END_REGION[r] or not donation):
                refuse(path, f"is not the End tile's; that is {t.REGIONS[t.END_REGION[r]]} and donation")
    events = np.where(game.event_donation[:, :4] != 0, t.DONATION, game.event_region[:, :4])
    lines = events if game.tiles_in_rows else events.T
    candidates = []
    for k, line in enumerate(lines):
        fitting = {tile for tile, sides in enumerate(t.TIMELINE_TILES) if any((side == line).all() for side in sides)}
        if not fitting:
            names = ", ".join((*t.REGIONS, "donation")[event] for event in line)
            what = (
                f"row {t.ACTION_TYPES[k]}, left to right,"
                if game.tiles_in_rows
                else f"space {k} of the rows, downwards,"
            )
            refuse(
                "timeline.spaces",
                f"{what} reads {names}, which no timeline tile has (option timeline_tiles: "
                f"{'rows' if game.tiles_in_rows else 'columns'})",
            )
        candidates.append(fitting)
    if not _can_differ(candidates, set()):
        refuse("timeline.spaces", "a timeline tile lies there twice; there is one of each, with two sides")


def _can_differ(candidates: list[set[int]], taken: set[int]) -> bool:
    """Whether one member can be picked of every set, all different."""
    if not candidates:
        return True
    return any(_can_differ(candidates[1:], taken | {tile}) for tile in candidates[0] - taken)


def _check_timeline(game: SimpleNamespace) -> None:
    passed, markers = _rounds_played(game), int(game.marker.sum())
    if markers != passed:
        refuse("timeline.markers", f"they have passed {markers} spaces in all, but {passed} rounds have been played")
    chosen = game.phase not in (*SET_UP, state.TIMELINE, state.OVER) and _in_round(game)
    for key, row in (("chosen", game.chosen_row), ("advancing", game.advancing_row)):
        if (row != NONE) != chosen:
            found = "null" if row == NONE else t.ACTION_TYPES[row]
            wanted = "an action type" if chosen else "null"
            refuse(
                f"timeline.{key}",
                f"{found}, but in phase {_phase(game)} of round {game.round_number} it is {wanted}",
            )
    if not chosen:
        return
    if _solo(game) and game.round_number % 2 == 0 and game.chosen_row != t.CARD_BACK[game.deck[game.round_number - 1]]:
        back = t.ACTION_TYPES[t.CARD_BACK[game.deck[game.round_number - 1]]]
        refuse(
            "timeline.chosen",
            f"{t.ACTION_TYPES[game.chosen_row]}, but Andrew chooses in even rounds, and the back of his card "
            f"{t.CARDS[game.deck[game.round_number - 1]]} says {back}",
        )
    row = int(game.chosen_row)
    while game.marker[row] == ROW_SPACES:
        row = (row + 1) % 4
    if game.advancing_row != row:
        refuse(
            "timeline.advancing",
            f"{t.ACTION_TYPES[game.advancing_row]}, but it is {t.ACTION_TYPES[row]}: the chosen row, or the next one "
            "below it that has not ended",
        )


def event(game: SimpleNamespace) -> tuple[int, bool]:
    """The mission region (-1 if none) of the round's event and whether it has a donation."""
    row = game.advancing_row
    return int(game.event_region[row, game.marker[row]]), bool(game.event_donation[row, game.marker[row]])


# ---------------------------------------------------------------- department tiles
def _check_tiles(game: SimpleNamespace) -> None:
    found = game.display.astype(int) + game.andrew_tiles
    for seat in _seats(game):
        found[game.reserved[seat]] += 1
        for code in game.department[seat]:
            if code <= t.NUM_TILES:
                found[code] += 1
    found[0] = 0
    copies, tiles = t.TILE_COPIES, t.BASE_TILES
    if game.modules & state.DIVERSE_SETUP:
        copies, tiles = 1, t.NUM_TILES
    elif game.modules & state.NEW_DEPARTMENTS:
        tiles = t.TILES_PER_TYPE * len(t.ACTION_TYPES)
        for kind, name in enumerate(t.ACTION_TYPES):
            different = np.flatnonzero((found > 0) & (t.DEPARTMENT_TYPE[: len(found)] == kind))
            if len(different) > t.TILES_PER_TYPE:
                ids = ", ".join(t.DEPARTMENTS[number] for number in different)
                refuse(
                    "display",
                    f"{len(different)} different {name} tiles in the game ({ids}); {t.TILES_PER_TYPE} of each type are "
                    "drawn",
                )
    for number in np.flatnonzero(found > copies):
        refuse(
            "display",
            f"{t.DEPARTMENTS[number]}: {found[number]} copies in the display, reserved, built and with Andrew "
            f"together; there are {copies}",
        )
    in_play = tiles * copies - t.DEPARTMENTS_REMOVED[game.num_players]
    if found.sum() != in_play:
        refuse(
            "display",
            f"{found.sum()} department tiles in the display, reserved, built and with Andrew together; with "
            f"{game.num_players} players {in_play} are in the game",
        )


# ---------------------------------------------------------------- the board
def _check_cities(game: SimpleNamespace) -> None:
    neutral = int((game.owner == NEUTRAL).sum() + (game.donation >> NEUTRAL & 1).sum())
    most = int(t.NEUTRAL_DISKS[game.num_players])
    if neutral and game.phase in (state.SHEET, state.SIDES):  # ruling 3
        refuse("cities", f"{neutral} neutral disks in the cities and on donations; they come after the tab sides")
    if neutral > most:
        refuse(
            "cities",
            f"{neutral} neutral disks in the cities and on donations; with {game.num_players} players there are {most} "
            "at most",
        )


def _check_donations(game: SimpleNamespace) -> None:
    """A cell is taken once; further disks there are copies by Charitable Giving (ruling 26)."""
    for cell, disks in enumerate(game.donation.tolist()):
        owners = [owner for owner in range(NEUTRAL + 1) if disks >> owner & 1]
        path = f"donations.{t.DONATIONS[cell]}"
        if NEUTRAL in owners and len(owners) > 1:
            refuse(path, "a disk beside the neutral one; a cell with a neutral disk takes no other")
        first = [o for o in owners if o >= state.SEATS or t.CHARITABLE_GIVING not in game.department[o]]
        if len(first) > 1:
            names = " and ".join("andrew" if owner == ANDREW else f"player_{owner}" for owner in first)
            refuse(path, f"disks of {names}, none of whom has Charitable Giving to copy the other's")
    for seat in _seats(game):
        cells = _cells_of(game, seat)
        if game.donations_made[seat] != cells:
            refuse(
                f"companies[{seat}].donations_made",
                f"{game.donations_made[seat]}, but player_{seat} has {cells} disks on donations",
            )


def _cells_of(game: SimpleNamespace, owner: int) -> int:
    return int((game.donation >> owner & 1).sum())


# ---------------------------------------------------------------- a company
def _check_employees(game: SimpleNamespace, seat: int, path: str) -> None:
    arriving = int(game.arrivals) if seat == game.to_play else 0
    counts = {
        "in reserve": int(game.reserve[seat]),
        "on missions": int(game.missions[seat].sum()),
        "on the company board": int(game.active[seat].sum() + game.inactive[seat].sum()),
        "arriving": arriving,
    }
    total = sum(counts.values())
    if total != t.EMPLOYEES:
        parts = " + ".join(f"{count} {where}" for where, count in counts.items() if count)
        refuse(f"{path}.employees", f"{total} employees ({parts}); a company has {t.EMPLOYEES}")
    for space in np.flatnonzero(game.active[seat]):
        code, active = int(game.department[seat, space]), int(game.active[seat, space])
        if active > t.WORKSTATIONS[code]:
            refuse(
                f"{path}.employees.{t.SPACE_IDS[space]}.active",
                f"{active} active employees on {_named(code)}, which has {t.WORKSTATIONS[code]} workstations",
            )


def _named(code: int) -> str:
    return t.DEPARTMENTS[code] or "an empty space"


def _check_departments(game: SimpleNamespace, seat: int, path: str) -> None:
    for code, space in zip(range(t.START_HUMAN_RESOURCES, t.LOBBY), t.START_SPACE, strict=True):
        if game.department[seat, space] != code:
            refuse(
                f"{path}.departments.{t.SPACE_IDS[space]}",
                f"{_named(game.department[seat, space])} stands there, but {t.DEPARTMENTS[code]} is printed on it",
            )
    seen: dict[int, int] = {}
    for space, code in enumerate(game.department[seat].tolist()):
        if code and code in seen:
            refuse(
                f"{path}.departments.{t.SPACE_IDS[space]}",
                f"a second {_named(code)}, as on {t.SPACE_IDS[seen[code]]}; a company has a department once",
            )
        seen[code] = space
    built = [t.DEPARTMENTS[code] for code in seen if 0 < code <= t.NUM_TILES]
    if game.reserved[seat] and built:  # ruling 5
        refuse(
            f"{path}.reserved",
            f"{t.DEPARTMENTS[game.reserved[seat]]} is still reserved, but {built[0]} is built; the reserved department "
            "is the first one built",
        )
    if _in_round(game) and not game.reserved[seat] and not built:
        refuse(f"{path}.reserved", "null, but no department has been built; it is the one chosen in set-up until then")


def uncovered_projects(game: SimpleNamespace, seat: int, tab: int) -> int:
    """Project sections of a tab that are uncovered; each holds a disk until it is built."""
    return int(min(max(game.tab_pulled[seat, tab] + 1 - t.TAB_BLANK[tab], 0), t.TAB_PROJECTS[tab]))


def _check_tabs(game: SimpleNamespace, seat: int, path: str) -> None:
    for tab, project in enumerate(t.PROJECTS):
        where, pulled = f"{path}.tabs.{project}", int(game.tab_pulled[seat, tab])
        if pulled > t.TAB_LENGTH[tab]:
            refuse(f"{where}.uncovered", f"{pulled + 1} sections; the tab has {t.TAB_LENGTH[tab] + 1}")
        ready = uncovered_projects(game, seat, tab)
        if game.tab_built[seat, tab] > ready:
            refuse(
                f"{where}.built",
                f"{game.tab_built[seat, tab]} projects built, but {ready} project sections uncovered",
            )
        if game.phase not in (state.SHEET, state.SIDES) and game.tab_side[seat, tab] == NONE:
            refuse(f"{where}.side", f"null, but in phase {_phase(game)} the sides are chosen: a or b")


def _check_projects(game: SimpleNamespace, seat: int, path: str) -> None:
    """Every project built is a disk in a city: on a space of its type, or in a small city (else Political Lobbying)."""
    types = t.SPACE_TYPE[game.owner == seat]
    built = int(game.tab_built[seat].sum())
    if len(types) != built:
        refuse(f"{path}.tabs", f"{built} projects built, but player_{seat} has {len(types)} disks in the cities")
    if t.POLITICAL_LOBBYING in game.department[seat]:
        return
    for tab, project in enumerate(t.PROJECTS):
        typed = int((types == tab).sum())
        if typed > game.tab_built[seat, tab]:
            refuse(
                f"{path}.tabs.{project}.built",
                f"{game.tab_built[seat, tab]}, but player_{seat} has disks on {typed} {project} spaces",
            )


def _check_disks(game: SimpleNamespace, seat: int, path: str) -> None:
    on_tabs = sum(uncovered_projects(game, seat, tab) - int(game.tab_built[seat, tab]) for tab in range(4))
    counts = {
        "for the score": 1,
        "transport markers": len(t.REGIONS),
        "in reserve": int(game.disks[seat]),
        "on tabs": on_tabs,
        "in cities": int((game.owner == seat).sum()),
        "on donations": _cells_of(game, seat),
    }
    total = sum(counts.values())
    if total != t.DISKS:
        parts = " + ".join(f"{count} {where}" for where, count in counts.items())
        refuse(
            f"{path}.disks",
            f"{total} disks ({parts}); a player has {t.DISKS}, so the reserve would hold "
            f"{game.disks[seat] + t.DISKS - total}",
        )


def _check_set_up(game: SimpleNamespace, seat: int, path: str) -> None:
    """Set-up's decisions go round the table in order (ruling 3), and nothing else happens before round 1."""
    housed = bool((t.SPACE_TYPE[game.owner == seat] == 0).any())
    if game.phase not in HOUSED_LATER and not housed:
        refuse(
            f"{path}.tabs.housing.built",
            f"player_{seat} has no disk on a housing space of a medium or large city; the first one is placed there in "
            "set-up",
        )
    if _in_round(game):
        return
    still = {
        "missions": game.missions[seat].any(),
        "transport": game.track[seat].any(),
        "tabs": game.tab_pulled[seat].any() or game.tab_built[seat, 1:].any() or game.tab_built[seat, 0] > 1,
        "donations_made": game.donations_made[seat] > 0,
        "departments": (game.department[seat] != t.START_DEPARTMENT).any(),
        "reserve": game.reserve[seat] != t.START_RESERVE and not revealed(game),
        "vp": game.vp[seat] != 0 and not revealed(game),
    }
    for key, moved in still.items():
        if moved:
            refuse(f"{path}.{key}", "is not as at the start, but nothing changes it in set-up, before round 1")
    own, to_play = place(game, seat), place(game, int(game.to_play))
    if game.phase in (state.SHEET, state.SIDES):  # clockwise from the first player, tab by tab
        chosen = int((game.tab_side[seat] != NONE).sum())
        right = chosen == 4 if own < to_play else chosen < 4 if own == to_play else chosen == 0
        if game.phase == state.SHEET:
            right = chosen == 0
        if not right or (game.tab_side[seat, chosen:] != NONE).any():
            refuse(
                f"{path}.tabs",
                f"{chosen} sides chosen; with seat {game.to_play} to play in phase {_phase(game)}, the seats before "
                f"him have chosen all four, he the first few in the order {', '.join(t.PROJECTS)}, the others none",
            )
    last = to_play if game.phase in (state.HOUSING, state.RESERVE) else NONE  # counter-clockwise to the first player
    done = game.phase not in (state.SHEET, state.SIDES) and own > last
    now = game.phase == state.RESERVE and own == last
    if bool(game.tab_built[seat, 0]) != (done or now):
        built = 1 if done or now else 0
        refuse(
            f"{path}.tabs.housing.built",
            f"{game.tab_built[seat, 0]}; in phase {_phase(game)} with seat {game.to_play} to play it is {built}",
        )
    if bool(game.reserved[seat]) != done:
        wanted = "a department tile" if done else "null"
        refuse(
            f"{path}.reserved",
            f"{t.DEPARTMENTS[game.reserved[seat]] or 'null'}; in phase {_phase(game)} with seat {game.to_play} to play "
            f"it is {wanted}",
        )


def revealed(game: SimpleNamespace) -> bool:
    """Whether sheets of a new start were chosen and shown; they then say what everybody starts with."""
    return bool(game.modules & state.NEW_START) and game.phase != state.SHEET


# ---------------------------------------------------------------- between the companies
def _owners(game: SimpleNamespace) -> Iterator[tuple[str, int]]:
    for seat in _seats(game):
        yield f"companies[{seat}]", seat
    if _solo(game):
        yield "andrew", ANDREW


def _check_tracks(game: SimpleNamespace) -> None:
    for r, region in enumerate(t.REGIONS):
        last = [
            path
            for path, owner in _owners(game)
            if game.track[owner, r] == LAST_SPACE and (owner == ANDREW or t.ARCHIVES not in game.department[owner])
        ]
        if len(last) > 1:
            refuse(
                f"{last[1]}.transport.{region}",
                f"{LAST_SPACE}, the last space, where {last[0]} is; it takes one marker, and those of the owners of "
                "Archives",
            )


def _check_action_choice(game: SimpleNamespace) -> None:
    for seat in _seats(game):
        if game.action_tile[seat] and not _was_dealt_choice(game, seat):
            dealt = [str(other) for other in _seats(game) if _was_dealt_choice(game, other)]
            who = f"seats {', '.join(dealt)} get one" if dealt else "nobody gets one"
            refuse(f"companies[{seat}].action_choice", f"true, but with {game.num_players} players {who}")


def _was_dealt_choice(game: SimpleNamespace, seat: int) -> bool:
    return bool(t.ACTION_CHOICE[game.num_players, place(game, seat)])


# ---------------------------------------------------------------- Andrew
def _check_andrew(game: SimpleNamespace) -> None:
    cards = [t.CARDS[card] for card in game.deck]
    for k, card in enumerate(cards):
        if card in cards[:k]:
            refuse(f"andrew.deck[{k}]", f"{card} is there already; there is one of each card")
    advanced, wanted = int(t.CARD_ADVANCED[game.deck].sum()), int(t.DIFFICULTY_ADVANCED[game.difficulty])
    if advanced != wanted:
        refuse("andrew.deck", f"{advanced} advanced cards; difficulty {t.DIFFICULTIES[game.difficulty]} has {wanted}")
    if game.phase == state.TIMELINE:
        if game.round_number % 2 == 0:
            refuse("phase", f"timeline, but in round {game.round_number} Andrew chooses; the player does in odd rounds")
        if game.card_place[game.round_number - 1]:
            refuse(
                f"andrew.places[{game.round_number - 1}]",
                f"{game.card_place[game.round_number - 1]}, but before the choice of the timeline the round's card "
                "lies at 0",
            )
    cities, cells = int((game.owner == ANDREW).sum()), _cells_of(game, ANDREW)
    total = int(game.disks[ANDREW]) + cities + cells
    if total != t.ANDREW_DISKS:
        refuse(
            "andrew.disks",
            f"{game.disks[ANDREW]} with {cities} in cities and {cells} on donations make {total}; he has "
            f"{t.ANDREW_DISKS}",
        )
    if not _in_round(game):
        for key, used in (("departments", game.andrew_tiles.any()), ("transport", game.track[ANDREW].any()),
                          ("disks", game.disks[ANDREW] != t.ANDREW_DISKS)):  # fmt: skip
            if used:
                refuse(f"andrew.{key}", "is not as at the start, but Andrew does nothing in set-up")


# ---------------------------------------------------------------- what is in hand
def _check_turn(game: SimpleNamespace) -> None:
    """What belongs to a phase is there, the rest is empty."""
    phase, turn = game.phase, in_turn(game)
    set_up_moves = phase == state.SETUP_MOVES or (phase == state.DESTINATION and not turn)
    recovered = phase == state.LEVEL and not turn
    relocating = phase == state.RELOCATION or (phase == state.DESTINATION and game.relocations > 0)
    using = relocating or phase in (state.SITE, state.PROPERTY, state.CHARITY, state.HALVES)
    wanted = {  # key: (is it in use, may it be in use, must it be in use)
        "action": (game.action != NONE, turn, turn),
        "started": (game.started != 0, turn, turn and phase != state.TURN),
        "moves": (
            game.moves != 0,
            turn or set_up_moves,
            set_up_moves or (phase == state.DESTINATION and not relocating),
        ),
        "research": (
            game.research != 0,
            turn or phase in (state.LOBBY_RECOVER, state.RESEARCH),
            phase == state.RESEARCH,
        ),
        "arrivals": (game.arrivals != 0, phase in LOBBY or recovered, phase in LOBBY or recovered),
        "lifted": (game.lifted != NONE, phase == state.DESTINATION, phase == state.DESTINATION),
        "tile": (game.tile != 0, phase == state.SITE, phase == state.SITE),
        "site": (game.site != NONE, phase == state.PROPERTY, phase == state.PROPERTY),
        "income_choice": (game.choice != NONE, *[phase in (state.TAB_INCOME, state.LOBBY_TAB)] * 2),
        "department": (game.department_in_use != NONE, turn, using),
        "ready": (game.ready.any(), turn, False),
        "diagonal_moves": (game.diagonal_moves != 0, turn, False),
        "relocations": (game.relocations != 0, relocating and turn, relocating),
        "projects": (game.projects != 0, phase == state.HALVES, phase == state.HALVES),
        "level_region": (game.level_region != NONE, phase == state.LEVEL, phase == state.LEVEL),
        "payroll_activated": (game.payroll_activated != 0, phase == state.ACTIVATION and _in_round(game), False),
    }
    for key, (used, may, must) in wanted.items():
        if used and not may:
            refuse(f"turn.{key}", f"is in use, but in phase {_phase(game)} of round {game.round_number} it is empty")
        if must and not used:
            refuse(f"turn.{key}", f"is empty, but it belongs to phase {_phase(game)}")
    most = setup_moves(game)
    if set_up_moves and game.moves > most:
        refuse("turn.moves", f"{game.moves}; set-up has {most} moves")


def setup_moves(game: SimpleNamespace) -> int:
    """The moves of set-up for the seat to play."""
    if not game.modules & state.NEW_START:
        return t.SETUP_MOVES
    line = t.NEW_START_LINES.index("moves")
    return int(t.NEW_START_OFFERS[line, game.sheet[game.to_play, line], t.OFFER_AMOUNT])


def _check_departments_used(game: SimpleNamespace) -> None:
    """The turn's action type, the department in use, and who can still act."""
    seat, action = int(game.to_play), int(game.action)
    kinds = t.DEPARTMENT_TYPE[game.department[seat]]
    if action != game.chosen_row:  # ruling 16
        holder = _was_dealt_choice(game, seat) and not game.action_tile[seat] and seat != game.first_player
        if not holder or not game.started:
            refuse(
                "turn.action",
                f"{t.ACTION_TYPES[action]}, but the round's is {t.ACTION_TYPES[game.chosen_row]}; only a seat that was "
                "dealt an Action Choice tile, has spent it and is not the first player can differ, with started true",
            )
    if game.moves and action != t.DEPARTMENT_TYPE[t.START_HUMAN_RESOURCES]:
        refuse("turn.moves", f"{game.moves}, but the turn's action is {t.ACTION_TYPES[action]}; it is human_resources")
    bonus = t.DEPARTMENT_TYPE[[t.START_CONSTRUCTION, t.START_RESEARCH_AND_DEVELOPMENT]]
    if game.research and action not in bonus:
        refuse("turn.research", f"{game.research}, but a turn of {t.ACTION_TYPES[action]} brings no research points")
    used = int(game.department_in_use)
    if used != NONE and kinds[used] != action:
        refuse("turn.department", f"{t.SPACE_IDS[used]} holds no {t.ACTION_TYPES[action]} department")
    for space in range(t.COMPANY_SPACES):
        _check_ready(game, space, int(game.active[seat, space]), kinds[space] == action)
    if used != NONE and game.phase in (state.SITE, state.PROPERTY):
        check_spent(game)
    if not game.started and used != NONE:
        refuse("turn.started", "false, but a department has been used")


def _check_ready(game: SimpleNamespace, space: int, active: int, of_type: bool) -> None:
    """Who can still act on a space (ruling 17): in a department not used yet all who are active, in one left nobody."""
    ready, path = int(game.ready[space]), f"turn.ready.{t.SPACE_IDS[space]}"
    if not of_type:
        if ready:
            refuse(path, f"{ready}, but no {t.ACTION_TYPES[game.action]} department stands there")
        return
    if ready > active:
        refuse(path, f"{ready}, but {active} employees are active there; nobody gets active during a turn")
    used = game.department_in_use
    if ready != active and used == NONE:
        refuse(path, f"{ready}, but {active} employees are active there and no department has been used")
    if 0 < ready < active and space != used:
        refuse(path, f"{ready} of {active}, but it is not the department in use; there all can still act, or none")


def check_spent(game: SimpleNamespace) -> None:
    """Refuse a phase that follows a use without a mission if nobody in the department in use is spent."""
    space = int(game.department_in_use)
    if game.ready[space] == game.active[game.to_play, space]:
        refuse(
            f"turn.ready.{t.SPACE_IDS[space]}",
            f"{game.ready[space]}, all who are active there; in phase {_phase(game)} at least one of them is spent",
        )


def _check_diagonal(game: SimpleNamespace, seat: int) -> None:
    """Corporate Communications works for the whole turn if somebody was active there when it began (ruling 42)."""
    home = np.flatnonzero(game.department[seat] == t.CORPORATE_COMMUNICATIONS)
    active = len(home) > 0 and bool(game.active[seat, home[0]])
    moves = game.action == t.DEPARTMENT_TYPE[t.START_HUMAN_RESOURCES]
    if game.diagonal_moves and not (moves and len(home)):
        refuse("turn.diagonal_moves", "true, but that takes a turn of human_resources and corporate_communications")
    if game.diagonal_moves and not active and not game.started:
        refuse("turn.diagonal_moves", "true, but at the turn's start nobody in corporate_communications is active")
    if moves and active and not game.diagonal_moves:
        refuse("turn.diagonal_moves", "false, but an employee is active in corporate_communications")


def _check_hand(game: SimpleNamespace) -> None:
    """What the phase itself says: there is an event for it, a piece in hand, somebody to take it."""
    phase, seat = game.phase, int(game.to_play)
    company = f"companies[{seat}]"
    if in_income(game) or phase == state.DONATION:
        region, donation = event(game)
        if phase == state.DONATION and not donation:
            refuse("phase", "donation, but the round's event is none")
        if in_income(game) and region == NONE:
            refuse("phase", f"{_phase(game)}, but the round's event is no mission region")
        if phase == state.RECOVER and game.missions[seat, region] == 0:
            refuse(f"{company}.missions.{t.REGIONS[region]}", "0, so in phase recover nobody could come back")
    if phase == state.TIMELINE and seat != game.first_player:
        refuse("to_play", f"{seat}, but the first player chooses the timeline, seat {game.first_player}")
    if phase in LOBBY and t.NEW_LOBBY not in game.department[seat]:
        refuse(f"{company}.departments", f"no new_lobby, so there is nothing to decide in phase {_phase(game)}")
    if phase == state.DESTINATION:
        here = (game.active if game.lifted_active else game.inactive)[seat, game.lifted]
        if here == 0:
            kind = "active" if game.lifted_active else "inactive"
            refuse("turn.lifted", f"there is no {kind} employee on {t.SPACE_IDS[game.lifted]}")
    if phase in (state.TAB_INCOME, state.LOBBY_TAB):
        _check_income_choice(game, seat)
    in_use = game.department[seat, game.department_in_use] if game.department_in_use != NONE else 0
    needed = {state.SITE: t.START_STRATEGIC_PLANNING, state.PROPERTY: t.START_STRATEGIC_PLANNING,
              state.CHARITY: t.CHARITABLE_GIVING}.get(int(phase))  # fmt: skip
    if needed and in_use != needed:
        refuse("turn.department", f"{_named(in_use)}, but phase {_phase(game)} belongs to {t.DEPARTMENTS[needed]}")
    if phase == state.SITE:
        _check_tile_in_hand(game, seat)
    if phase == state.PROPERTY:
        code = game.department[seat, game.site]
        if not 0 < code <= t.NUM_TILES or game.active[seat, game.site]:
            refuse(
                "turn.site",
                f"{t.SPACE_IDS[game.site]} holds {_named(code)}, with {game.active[seat, game.site]} active employees; "
                "it is a department just built",
            )
        home = np.flatnonzero(game.department[seat] == t.PROPERTY_MANAGEMENT)
        if not len(home) or not game.active[seat, home[0]]:
            refuse("phase", "property, but the company has no Property Management with an active employee")
    if phase == state.CHARITY or phase == state.DONATION:
        _check_can_donate(game, seat)


def _check_income_choice(game: SimpleNamespace, seat: int) -> None:
    tab, section = divmod(int(game.choice), t.TAB_CHOICE.shape[1])
    kind, built = t.TAB_CHOICE[tab, section], game.tab_built[seat, tab]
    if kind == 0 or section >= built:
        why = f"{built} built" if section >= built else "its income is no choice"
        refuse("turn.income_choice", f"section {section} of {t.PROJECTS[tab]}: {why}")
    if game.phase == state.LOBBY_TAB and kind != t.CHOICE_EMPLOYEE_OR_MONEY:
        refuse("turn.income_choice", f"section {section} of {t.PROJECTS[tab]} brings no employee into a lobby")
    if game.phase == state.LOBBY_TAB and game.arrivals != 1:
        refuse("turn.arrivals", f"{game.arrivals}, but a tab income brings one employee")


def _check_tile_in_hand(game: SimpleNamespace, seat: int) -> None:
    tile, reserved = int(game.tile), int(game.reserved[seat])
    if reserved and tile != reserved:
        refuse("turn.tile", f"{t.DEPARTMENTS[tile]}, but the reserved {t.DEPARTMENTS[reserved]} is built first")
    if not reserved and not game.display[tile]:
        refuse("turn.tile", f"{t.DEPARTMENTS[tile]} is not in the display")
    if tile in game.department[seat]:
        refuse("turn.tile", f"{t.DEPARTMENTS[tile]} is in the company already")


def _check_can_donate(game: SimpleNamespace, seat: int) -> None:
    """The next donation's cost can be paid, goods sold at $1 (rulings 13, 14)."""
    communications = (game.department[seat] == t.COMMUNICATIONS) & (game.active[seat] > 0)
    step = t.EFFECT[t.COMMUNICATIONS, t.EFFECT_DONATION_STEP] if communications.any() else t.DONATION_STEP
    cost = int(step) * (int(game.donations_made[seat]) + 1)
    if int(game.money[seat]) + int(game.goods[seat]) < cost:
        refuse(
            f"companies[{seat}].money",
            f"{game.money[seat]}, with {game.goods[seat]} goods to sell, cannot pay the donation of ${cost} that phase "
            f"{_phase(game)} offers",
        )
    if not game.disks[seat]:
        refuse(f"companies[{seat}].disks", f"0, but phase {_phase(game)} needs one for the donation")
