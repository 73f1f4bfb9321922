"""Rulebook 1.3, the set-up: the neutral disks, and the players' decisions. The engine deals the rest."""

from . import lots
from .building import free_sites, meaning, place_project
from .company import legal_lifts
from .components import CARDS, CITIES, DEPARTMENTS, PANELS, PROJECTS, TABS
from .position import NEUTRAL, Game, Turn

NEUTRAL_DISKS = {1: 18, 2: 18, 3: 9, 4: 0}  # step 9
MOVES = 6  # step 11


# --------------------------------------------------------------------------------------------------------- chance
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


def action_choice_holders(num_players: int, first_player: int) -> list[int]:
    """Step 8, ruling 16: with four players all; with three the third in turn order."""
    if num_players == 4:
        return [0, 1, 2, 3]
    if num_players == 3:
        return [(first_player + 2) % 3]
    return []


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
