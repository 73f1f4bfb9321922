"""Rulebook 1.3, the set-up: chance, as pure functions of the numbers drawn; then the players' decisions."""

from . import lots
from .building import free_sites, meaning, place_project
from .company import legal_lifts
from .components import (
    ALL_TILES,
    CARDS,
    CITIES,
    DEPARTMENTS,
    END_TILE,
    LOBBY,
    PANELS,
    PROJECTS,
    REGIONS,
    ROWS,
    SHEET_LINES,
    STARTING_SPACE,
    TABS,
    TILES,
    TIMELINE_TILES,
)
from .position import NEUTRAL, Game, Turn, turn_to_dict

MONEY, GOODS = 12, 4  # step 6A
LYING_IN_LOBBY, NOT_IN_PLAY = 5, 5  # step 6C
DISKS_IN_RESERVE = 22  # step 6D
COPIES = 2  # of every department tile (chapter 2)
PER_TYPE = 4  # different tiles of each type with expansion 1's tiles (expansion 1, chapter 2)
TILES_REMOVED = {1: 16, 2: 16, 3: 8, 4: 4}  # step 4; solo as for two (4.1)
NEUTRAL_DISKS = {1: 18, 2: 18, 3: 9, 4: 0}  # step 9
MOVES = 6  # step 11
ANDREWS_DISKS = 26  # ruling 36
ADVANCED_CARDS = {"beginner": 0, "normal": 5, "difficult": 10, "expert": 15}  # 4.1.4, of 20


# --------------------------------------------------------------------------------------------------------- chance
def timeline_spaces(tiles: list[tuple[int, str]], layout: str) -> dict[str, list[list[str]]]:
    """Step 2 and ruling 7: the four drawn tiles, a side up each, as "columns" or "rows"; the End tile is fifth."""
    drawn = [TIMELINE_TILES[number][side] for number, side in tiles]
    spaces = {}
    for i, row in enumerate(ROWS):
        four = [tile[i] for tile in drawn] if layout == "columns" else drawn[i]
        spaces[row] = [[event] for event in four] + [[END_TILE[row], "donation"]]
    return spaces


MODULES = ["new_start", "new_departments", "new_donations", "diverse_setup", "wait", "secret_donation"]
NOT_IN_SOLO = ["new_donations", "wait", "secret_donation"]  # expansion 1, page 1


def tiles_of_the_game(new_departments: list[str] | None, diverse_setup: bool = False) -> dict[str, int]:
    """The tiles before step 4, by copies; expansion 1, chapters 2 and 4, ruling 41.

    ``new_departments``: four different tiles of each type, as drawn."""
    if diverse_setup:
        return dict.fromkeys(ALL_TILES, 1)
    return dict.fromkeys(TILES if new_departments is None else new_departments, COPIES)


def draw_fits(new_departments: list[str]) -> bool:
    types = [DEPARTMENTS[tile].type for tile in set(new_departments)]
    return len(types) == len(new_departments) and all(types.count(row) == PER_TYPE for row in ROWS)


def display_without(removed: list[str], tiles: dict[str, int]) -> dict[str, int]:
    """Step 4: the tiles left, one entry of ``removed`` per tile taken out."""
    display = {tile: copies - removed.count(tile) for tile, copies in tiles.items()}
    return {tile: copies for tile, copies in display.items() if copies}


def place_neutral_disks(card_order: list[str], count: int) -> tuple[list[str], list[tuple[str, int]]]:
    """Step 9 and ruling 4: the donation cells and the city spaces (city, index) that get a neutral disk.

    For each card its donation cell, then the left-most free space of each of its cities in order. Disks that can't be
    placed are skipped, not used up. Nothing else is on the board yet: they come after the tab sides (ruling 3)."""
    cells: list[str] = []
    spaces: list[tuple[str, int]] = []
    for card_id in card_order:
        card = CARDS[card_id]
        if len(cells) + len(spaces) < count and card.donation not in cells:
            cells.append(card.donation)
        for city in card.cities:
            taken = sum(1 for other, _index in spaces if other == city)
            if len(cells) + len(spaces) < count and taken < len(CITIES[city].spaces):
                spaces.append((city, taken))
    return cells, spaces


def deck_fits(deck: list[str], difficulty: str) -> bool:
    """4.1.4, ruling 38: 20 different cards, as many advanced ones as the difficulty says."""
    advanced = sum(CARDS[card].advanced for card in deck)
    return len(deck) == len(set(deck)) == 20 and advanced == ADVANCED_CARDS[difficulty]


def action_choice_holders(num_players: int, first_player: int) -> list[int]:
    """Step 8, ruling 16: with four players all; with three the third in turn order."""
    if num_players == 4:
        return [0, 1, 2, 3]
    if num_players == 3:
        return [(first_player + 2) % 3]
    return []


def start_company(action_choice: bool, new_start: bool) -> dict:
    """Step 6: a company before its owner has decided anything."""
    employees = {space: {"active": 1, "inactive": 0} for space in STARTING_SPACE}
    employees[LOBBY] = {"active": 0, "inactive": LYING_IN_LOBBY}
    return {
        "money": MONEY,
        "goods": GOODS,
        "vp": 0,
        "reserve": NOT_IN_PLAY,
        "disks": DISKS_IN_RESERVE,
        "donations_made": 0,
        "missions": dict.fromkeys(REGIONS, 0),
        "employees": employees,
        "departments": dict(STARTING_SPACE),
        "reserved": None,
        "tabs": {project: {"side": None, "uncovered": 1, "built": 0} for project in PROJECTS},
        "transport": dict.fromkeys(REGIONS, 0),
        "action_choice": action_choice,
        "sheet": dict.fromkeys([*SHEET_LINES, "bid"]) if new_start else None,
        "secret": None,
    }


def start_position(
    *,
    num_players: int,
    first_player: int,
    timeline: list[tuple[int, str]],
    removed: list[str],
    deck: list[str] | None = None,
    difficulty: str | None = None,
    timeline_tiles: str = "rows",
    show_forced: bool = False,
    rng: int = 0,
    modules: tuple[str, ...] = (),
    new_departments: list[str] | None = None,
) -> dict:
    """The position before the first decision, from the components drawn (the dictionary of the design page).

    Nothing is on the board: the neutral disks come after the tab sides (ruling 3), drawn from ``rng``.
    ``modules``: those of expansion 1 that are in the game; ``new_departments``: the 16 tiles drawn for that one. With
    a new start, seat 0 is first player until the sheets are revealed."""
    holders = action_choice_holders(num_players, first_player)
    return {
        "game": "carnegie",
        "version": 2,
        "options": {
            "num_players": num_players,
            "difficulty": difficulty,
            "timeline_tiles": timeline_tiles,
            "show_forced": show_forced,
        }
        | {module: module in modules for module in MODULES},
        "rng": rng,
        "decisions": 0,
        "phase": "sheet" if "new_start" in modules else "sides",
        "to_play": first_player,
        "round": 0,
        "first_player": first_player,
        "timeline": {
            "spaces": timeline_spaces(timeline, timeline_tiles),
            "markers": dict.fromkeys(ROWS, 0),
            "chosen": None,
            "advancing": None,
        },
        "display": display_without(removed, tiles_of_the_game(new_departments, "diverse_setup" in modules)),
        "cities": {city.id: [None] * len(city.spaces) for city in CITIES.values()},
        "donations": {},
        "companies": [start_company(seat in holders, "new_start" in modules) for seat in range(num_players)],
        "andrew": None
        if deck is None
        else {  # ruling 6: only transport markers
            "deck": list(deck),
            "places": [],
            "departments": {},
            "transport": dict.fromkeys(REGIONS, 0),
            "disks": ANDREWS_DISKS,
        },
        "turn": turn_to_dict(Turn()),
        "panels": dict.fromkeys(PANELS) if "new_donations" in modules else None,
        "waiting": False,
    }


def deal_neutral_disks(g: Game) -> None:
    """Step 9, rulings 3 and 4, after all sides are chosen. The 40 cards are shuffled (design page, section 2): from the
    last place to the second, each is swapped with the card at a random place."""
    if NEUTRAL_DISKS[len(g.companies)] == 0:
        return
    cards, lot = list(CARDS), lots.Lot(g, lots.NEUTRAL_DISKS)
    for last in range(len(cards) - 1, 0, -1):
        other = lot.draw(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    cells, spaces = place_neutral_disks(cards, NEUTRAL_DISKS[len(g.companies)])
    for cell in cells:
        g.donations[cell].append(NEUTRAL)
    for city, index in spaces:
        g.cities[city][index] = NEUTRAL


# ------------------------------------------------------------------------------------------------------ decisions
def next_tab(g: Game) -> str | None:
    """Step 6B: the tab whose side the player to move chooses next."""
    return next((project for project in PROJECTS if g.company.tabs[project].side is None), None)


def legal_sides(g: Game) -> set[str]:
    return {f"side {next_tab(g)} {side}" for side in TABS[next_tab(g)].points}


def legal_housing(g: Game) -> set[str]:
    """Step 10: a free housing space of a medium or large city."""
    return {text for text in free_sites(g, "housing") if not CITIES[meaning(text)[1]].small}


def place_housing(g: Game, text: str) -> None:
    """Step 10: the disk of the housing tab; nothing is paid and nothing earned."""
    place_project(g, g.to_play, text)


def legal_reservations(g: Game) -> set[str]:
    return {f"department {tile}" for tile, copies in g.display.items() if copies and tile in DEPARTMENTS}


def reserve(g: Game, tile: str) -> None:
    """Step 10, ruling 5: out of the display, into the player's own reserve."""
    g.display[tile] -= 1
    g.company.reserved = tile


def next_counter_clockwise(g: Game) -> int | None:
    """Step 10 starts to the right of the first player and ends with the first player."""
    if g.to_play == g.first_player:
        return None
    return (g.to_play - 1) % len(g.companies)


def start_moves(g: Game, seat: int) -> None:
    """Step 11 for a seat; with a new start, the moves on its sheet."""
    sheet = g.companies[seat].sheet
    g.turn = Turn(moves=MOVES if sheet is None else sheet["moves"])


def legal_moves(g: Game) -> set[str]:
    return legal_lifts(g.company) | {"pass"}


# ------------------------------------------------------------------------ expansion 1: new donations, secret donation
def legal_panels(g: Game) -> set[str]:
    """Chapter 3, ruling P15: each tile over any panel that is still as printed."""
    tiles = [tile for tile in PANELS if tile not in g.panels.values()]
    columns = [column for column, tile in g.panels.items() if tile is None]
    return {f"panel {tile} over {column}" for tile in tiles for column in columns} | {"pass"}


def legal_secrets(g: Game) -> set[str]:
    """Chapter 4, ruling 44: any cell, taken or not."""
    return {f"donate {cell}" for cell in g.donations}
