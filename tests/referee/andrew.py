"""Rulebook 4, the solo game: Andrew's moves in a round. The score is in scoring.py."""

from .components import CARDS, DEPARTMENTS, TRACKS, Card
from .position import ANDREW, Game
from .timeline import donation_event

VP_ROW = [0, 1, 3, 6, 10]  # the five VP cards (ruling 36)


def draw(g: Game) -> None:
    """4.2.1: the next card goes, face down, under the 0-VP card."""
    g.andrew.places.append(0)


def card_of_the_round(g: Game) -> Card:
    return CARDS[g.andrew.deck[g.round - 1]]


def chooses(g: Game) -> bool:
    """Ruling 32: the player chooses in odd rounds, Andrew in even ones."""
    return g.solo and g.round % 2 == 0


def shift(g: Game, steps: int = 1) -> None:
    """Ruling 36: never past the 10-VP card."""
    g.andrew.places[-1] = min(g.andrew.places[-1] + steps, len(VP_ROW) - 1)


def resolve(g: Game) -> None:
    """4.2.3: first the event, then the action of the chosen row."""
    card = card_of_the_round(g)
    if donation_event(g):
        _donate(g, card.donation)
    match g.chosen:
        case "human_resources":
            shift(g, card.shift)
        case "management":
            _take_departments(g, card.departments)
        case "construction":
            for city in card.cities:
                _build(g, city)
        case "research":
            for _ in range(card.transport["steps"]):
                _advance(g, card.transport["region"])


def _donate(g: Game, cell: str) -> None:
    """4.2.3.1, ruling 33."""
    if g.andrew.disks and not g.donations[cell]:
        g.andrew.disks -= 1
        g.donations[cell].append(ANDREW)
    else:
        shift(g)


def _take_departments(g: Game, types: list[str]) -> None:
    """4.2.3.2, ruling 34: of each type in order the lowest number available, no two equal tiles in one action."""
    taken: list[str] = []
    for wanted in types:
        tiles = [
            tile
            for tile, copies in g.display.items()
            if copies and DEPARTMENTS[tile].type == wanted and tile not in taken
        ]
        if tiles:
            tile = min(tiles, key=lambda t: DEPARTMENTS[t].number)
            g.display[tile] -= 1
            g.andrew.departments[tile] = g.andrew.departments.get(tile, 0) + 1
            taken.append(tile)
        else:
            shift(g)


def _build(g: Game, city: str) -> None:
    """4.2.3.2, ruling 35: the left-most free space of any type."""
    owners = g.cities[city]
    if g.andrew.disks and None in owners:
        g.andrew.disks -= 1
        owners[owners.index(None)] = ANDREW
    else:
        shift(g)


def _advance(g: Game, region: str) -> None:
    """4.2.3.2, ruling 35: one step; the last space takes one marker; Andrew gets no track rewards."""
    place, last = g.andrew.transport[region], TRACKS[region].last
    taken = any(c.transport[region] == last for c in g.companies)
    if place == last or (place + 1 == last and taken):
        shift(g)
    else:
        g.andrew.transport[region] += 1
