"""The components against a second transcription (components.txt) with a line for each component.

Games rarely depend on a single value of a card, a tile or a city. Each line is composed from the arrays that the rules
read, so every wrong value shows.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from carnegie_env.carnegie import tables as t

FILE = Path(__file__).with_name("components.txt")
GAINS = ("money", "goods", "vp", "research", "employees")  # the columns of incomes and rewards
SHORT = ("HR", "Man", "Con", "R&D")  # the types of departments, on a card of Andrew's


def sections() -> dict[str, list[str]]:
    """The lines of the file by section, without comments and empty lines; several blanks are one."""
    found: dict[str, list[str]] = {}
    for text in FILE.read_text(encoding="utf-8").splitlines():
        line = " ".join(text.partition("#")[0].split())
        if line.startswith("["):
            found[line.strip("[]")] = of_section = []
        elif line:
            of_section.append(line)
    return found


WRITTEN = sections()


# ---------------------------------------------------------------- words for values
def words(names: Iterable[object]) -> str:
    return " ".join(map(str, names))


def named(known: tuple[str, ...], codes: Iterable[int]) -> str:
    """The names of codes, without the -1 that fill rows of arrays."""
    return words(known[code] for code in codes if code >= 0)


def gain(row: Iterable[int]) -> str:
    return words(f"{number} {name}" for name, number in zip(GAINS, row, strict=True) if number)


def effect(code: int) -> str:
    numbers = ((name, t.EFFECT[code, k]) for k, name in enumerate(t.EFFECTS))
    return words(f"{name} {number}" for name, number in numbers if number)


def costs(code: int) -> str:
    return words(f"${cost}" for cost in t.ACTIVATION_COST[code] if cost != t.NO_WORKSTATION) or "no workstation"


def line(*parts: object) -> str:
    """The nonempty parts of a line."""
    return ", ".join(str(part) for part in parts if part not in ("", None))


# ---------------------------------------------------------------- the components, line by line
def cities() -> Iterator[str]:
    for city, name in enumerate(t.CITIES):
        first, last = t.CITY_FIRST_SPACE[city : city + 2]
        spaces = named(t.SPACE_TYPES, t.SPACE_TYPE[first:last])
        bonus = "transport income" if t.CITY_BONUS[city] else ""
        links = f"{t.CITY_LINK_POINTS[city]} link points" if t.CITY_LINK_POINTS[city] else ""
        yield line(f"{name}: {t.REGIONS[t.CITY_REGION[city]]}", spaces, f"{t.CITY_POINTS[city]} VP", bonus, links)


def lines() -> Iterator[str]:
    for city, name in enumerate(t.CITIES):
        others = [t.CITIES[other] for other in range(t.NUM_CITIES) if int(t.CITY_ADJACENT[city]) >> other & 1]
        yield f"{name}: {words(others)}"


def tracks() -> Iterator[str]:
    for region, name in enumerate(t.REGIONS):
        yield line(f"{name} costs: {words(t.TRACK_COST[region])}", f"first at the end: {gain(t.TRACK_REWARD[region])}")
        yield f"{name} incomes: {line(*map(gain, t.TRACK_INCOME[region]))}"
        yield f"{name} levels: {named(t.LEVELS, t.TRACK_LEVEL[region])}"


def links() -> Iterator[str]:
    for points, row in enumerate(t.LINK_VP):
        yield f"{points}: {words(row)}"


def tiles() -> Iterator[str]:
    printed = t.FACTS.departments
    yield f"{printed.tiles.copies} copies, {t.BASE_TILES} in the base game, {t.TILES_PER_TYPE} of a type"
    for code, tile in enumerate(printed.department, 1):
        goods = f"{t.EXTRA_GOODS[code]} goods more" if t.EXTRA_GOODS[code] else ""
        kind = f"{tile.number} {t.DEPARTMENTS[code]}: {t.ACTION_TYPES[t.DEPARTMENT_TYPE[code]]}"
        used = "passive" if tile.passive else "final" if tile.final else ""
        yield line(kind, costs(code), goods, used, effect(code))


def company_board() -> Iterator[str]:
    yield f"{t.COMPANY_ROWS} rows, {t.COMPANY_COLUMNS} columns, lobby {t.SPACE_IDS[t.LOBBY_SPACE]}"
    yield f"VP of the rows: {words(t.SPACE_POINTS[:: t.COMPANY_COLUMNS])}"
    for k, space in enumerate(t.START_SPACE):
        code = t.START_HUMAN_RESOURCES + k
        staff = f"{t.PERMANENT_EMPLOYEES[code]} permanent" if t.PERMANENT_EMPLOYEES[code] else ""
        kind = f"{t.DEPARTMENTS[code]}: {t.ACTION_TYPES[t.DEPARTMENT_TYPE[code]]}"
        yield line(kind, t.SPACE_IDS[space], costs(code), staff, effect(code))


def tabs() -> Iterator[str]:
    for tab, name in enumerate(t.PROJECTS):
        goods = f"{t.TAB_GOODS[tab]} goods"
        yield line(f"{name}: {goods}", f"{t.TAB_STEP_COST[tab]} research a step", f"{t.TAB_BLANK[tab]} blank")
        yield f"{name} incomes: {line(*(section(tab, k) for k in range(t.TAB_PROJECTS[tab])))}"
        sides = [f"{words(t.TAB_POINTS[tab, side, 1:])} VP" for side in range(t.TAB_SIDES)]
        yield line(f"{name} sides: {sides[0]}", sides[1], f"limit +{t.TAB_LIMIT[tab, 1]}")


def section(tab: int, k: int) -> str:
    """The income of a section, or the choice of two."""
    money, goods = f"{t.TAB_CHOICE_MONEY[tab, k]} money", f"{t.TAB_CHOICE_GOODS[tab, k]} goods"
    choice = ("", f"1 employees or {money}", f"{goods} or {money}")[t.TAB_CHOICE[tab, k]]
    return choice or gain(t.TAB_INCOME[tab, k])


def start() -> Iterator[str]:
    yield f"money {t.START_MONEY}, goods {t.START_GOODS}, moves {t.SETUP_MOVES}, rounds {t.ROUNDS}"
    yield f"employees: {t.START_ACTIVE} active, {t.START_LOBBY} in the lobby, {t.START_RESERVE} in reserve"
    yield f"disks: {t.DISKS}, {t.START_DISKS} in reserve"
    yield f"neutral disks by players: {words(t.NEUTRAL_DISKS[1:])}"
    yield f"departments removed by players: {words(t.DEPARTMENTS_REMOVED[1:])}"
    for players in range(1, t.SEATS + 1):
        seats = [seat for seat in range(t.SEATS) if t.ACTION_CHOICE[players, seat]]
        yield f"action choice, {players} players: {words(seats) or 'nobody'}"
    yield f"End tile: {named(t.REGIONS, t.END_REGION)}"
    yield f"scoring: action choice {t.ACTION_CHOICE_VP}, active employee {t.ACTIVE_EMPLOYEE_VP}"


def timeline_tiles() -> Iterator[str]:
    for number, tile in enumerate(t.FACTS.timeline_tiles.tile):
        front, back = (named(t.EVENTS, side) for side in t.TIMELINE_TILES[number])
        yield f"{tile.id}: {front} | {back}"


def donations() -> Iterator[str]:
    yield f"limit {t.DONATION_LIMIT}, step ${t.DONATION_STEP}"
    for rule, cell in enumerate((*t.FACTS.donations.donation, *t.FACTS.donations.new_donation)):
        needs = (cell.types and words(cell.types), cell.region, cell.city, cell.of_column, cell.company_row,
                 cell.company_column, cell.least_cost)  # fmt: skip
        need = next((f" {value}" for value in needs if value is not None), "")
        money, goods, times = t.RULE_PAY[rule]
        pay = f"pay ${money} and {goods} goods up to {times} times" if times else ""
        counted = f"{t.RULE_VP[rule]} VP for {t.COUNTS[t.RULE_COUNT[rule]]}{need}"
        yield line(f"{cell.column} {cell.row} {cell.id}: {counted}", pay)


def andrew() -> Iterator[str]:
    yield f"VP row {words(t.ANDREW_VP_ROW)}, disks {t.ANDREW_DISKS}, deck {t.DECK_SIZE}"
    yield f"a department {t.ANDREW_DEPARTMENT_VP} VP, a track {t.ANDREW_TRACK_VP} VP, limit {t.ANDREW_DONATION_LIMIT}"
    advanced = zip(t.DIFFICULTIES, t.DIFFICULTY_ADVANCED, strict=True)
    yield f"advanced: {line(*(f'{name} {number}' for name, number in advanced))}"


def cards() -> Iterator[str]:
    for card, name in enumerate(t.CARDS):
        yield " | ".join(
            (
                f"{'NA'[t.CARD_ADVANCED[card]]}{name[1:]} {SHORT[t.CARD_BACK[card]]}",
                t.DONATIONS[t.CARD_DONATION[card]],
                str(t.CARD_SHIFT[card]),
                named(SHORT, t.CARD_DEPARTMENTS[card]),
                named(t.CITIES, t.CARD_CITIES[card]),
                f"{t.REGIONS[t.CARD_REGION[card]]} {t.CARD_STEPS[card]}",
            )
        )


def expansion() -> Iterator[str]:
    yield f"budget ${t.NEW_START_BUDGET}"
    for name, offers in zip(t.NEW_START_LINES, t.NEW_START_OFFERS, strict=True):
        yield f"{name}: {line(*(f'{amount} for {cost}' for amount, cost in offers))}"
    yield f"solo: {words(name for name, goes in t.SOLO_MODULES.items() if goes)}"
    yield f"panels: {words(t.FACTS.expansion.new_donations.panels)}"


DESCRIBED: dict[str, Callable[[], Iterator[str]]] = {
    "cities": cities, "lines": lines, "tracks": tracks, "links": links, "department tiles": tiles,
    "company board": company_board, "project tabs": tabs, "start": start, "timeline tiles": timeline_tiles,
    "donations": donations, "Andrew": andrew, "Andrew's cards": cards, "expansion": expansion,
}  # fmt: skip


@pytest.mark.parametrize("section", DESCRIBED)
def test_components_agree_with_the_second_transcription(section: str) -> None:
    assert list(DESCRIBED[section]()) == WRITTEN[section]


def test_every_section_is_compared() -> None:
    assert list(WRITTEN) == list(DESCRIBED)
