"""Rulebook 3.2 and expansion 1, chapters 3 and 4: the VP of donations at the end, including secret ones.

The numbers of the cells are repeated here from the rules; values are before the limit of a donation."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from .components import (
    CITIES,
    DEPARTMENTS,
    EDGES,
    NEW_DONATION,
    PLACE_OF_CELL,
    PROJECTS,
    REGIONS,
    ROWS,
    STARTING,
    TABS,
    TRACKS,
)
from .position import Company, Game, player

DONATION_LIMIT = 12  # 2.5.2, 3.2


def donation_limit(c: Company) -> int:
    """3.2: 12, and 3 more for every "+3" tab end that is uncovered."""
    limit = DONATION_LIMIT
    for project, facts in TABS.items():
        tab = c.tabs[project]
        if tab.uncovered == facts.sections and tab.side is not None:
            limit += facts.donation_limit[tab.side]
    return limit


# ------------------------------------------------------------------------------------------------------ the table
def printed_on(panels: dict[str, str | None] | None, cell: str) -> str:
    """The rule in a cell: the board's, or that of the same row of the new tile that covers the panel."""
    column, row = PLACE_OF_CELL[cell]
    tile = None if panels is None else panels[column]
    return cell if tile is None else NEW_DONATION[tile, row]


def type_of(g: Game, cell: str) -> str:
    """Ruling P15: a covered panel is of its tile's type."""
    column, _row = PLACE_OF_CELL[cell]
    tile = None if g.panels is None else g.panels[column]
    return column if tile is None else tile


def cells_of(g: Game, owner: str) -> list[str]:
    """The cells with a disk of the owner, in the order of the table."""
    return [cell for cell, owners in g.donations.items() if owner in owners]


# --------------------------------------------------------------------------------------------------- cities (2.5.1)
def disks_of(g: Game, owner: str) -> list[str]:
    """The cities of the owner's disks, one entry per disk."""
    return [city for city, owners in g.cities.items() for other in owners if other == owner]


def networks(g: Game, seat: int) -> list[set[str]]:
    """Cities with the player's disk, joined by printed lines between two such cities."""
    left = set(disks_of(g, player(seat)))
    found = []
    while left:
        network = {left.pop()}
        grown = True
        while grown:
            grown = False
            for a, b in EDGES:
                for here, there in ((a, b), (b, a)):
                    if here in network and there in left:
                        left.remove(there)
                        network.add(there)
                        grown = True
        found.append(network)
    return found


def level(c: Company, region: str) -> str:
    return TRACKS[region].level[c.transport[region]]


# -------------------------------------------------------------------------------------------------- counts
def donation_value(g: Game, seat: int, cell: str) -> int:
    """The VP of a cell without payments, before the limit."""
    printed = printed_on(g.panels, cell)
    return _new_value(g, seat, printed) if printed.startswith("new_") else _base_value(g, seat, printed)


def _base_value(g: Game, seat: int, printed: str) -> int:
    """3.2."""
    c = g.companies[seat]
    cities = [CITIES[city] for city in disks_of(g, player(seat))]
    match printed.split("_", 1):
        case ["education", "any_department"]:
            return 1 * len(c.departments)
        case ["education", department_type]:
            return 3 * c.count(department_type)
        case ["human", "rights_public"]:
            return 4 * c.tabs["public"].built
        case ["human", "rights_industry"]:
            return 3 * c.tabs["industry"].built
        case ["human", "rights_housing_commerce"]:
            return 2 * (c.tabs["housing"].built + c.tabs["commerce"].built)
        case ["human", "rights_railroad"]:
            return 3 * [level(c, region) for region in REGIONS].count("railroad")
        case ["human", "rights_donations"]:
            return 2 * c.donations_made
        case ["welfare", "flat"]:
            return 7
        case ["welfare", "active_employees"]:
            return 1 * c.active_employees()
        case ["health", "small_cities"]:
            return 2 * sum(city.small for city in cities)
        case ["health", region] if region in REGIONS:
            return 2 * [city.region for city in cities].count(region)
    raise ValueError(printed)


def _new_value(g: Game, seat: int, printed: str) -> int:
    """Expansion 1, chapter 3. Ruling 44: a secret donation is not one that was made."""
    c = g.companies[seat]
    added = {space: department for space, department in c.departments.items() if department not in STARTING}
    added_types = [DEPARTMENTS[department].type for department in added.values()]
    built = [c.tabs[project].built for project in PROJECTS]
    made = [type_of(g, cell) for cell in cells_of(g, player(seat))]
    match printed.removeprefix("new_"):
        case "one_department_type":
            return 4 * max(added_types.count(row) for row in ROWS)
        case "department_types":
            return 3 * len(set(added_types))
        case "left_column":
            return 3 * sum(space.endswith("c0") for space in added)
        case "top_row":
            return 3 * sum(space.startswith("r0") for space in added)
        case "one_project_type":
            return 3 * max(built)
        case "project_types":
            return 3 * sum(number > 0 for number in built)
        case "projects":
            return 1 * sum(built)
        case "donation_types":
            return 3 * len(set(made))
        case "empty_spaces":
            return 2 * len(c.empty_spaces())
        case "inactive_employees":  # ruling 25: lobbies, empty spaces and missions, not the reserve
            return 2 * (sum(c.inactive.values()) + sum(c.missions.values()))
        case "paid_workstations":
            return 2 * sum(_at_paid_workstations(c, space) for space in c.departments)
        case "education_donations" | "human_rights_donations" | "welfare_donations" | "health_donations":
            return 4 * made.count(printed.removeprefix("new_").removesuffix("_donations"))
        case cities if cities.startswith("medium_cities_"):
            return 2 * _medium_cities_linked(g, seat, cities.removeprefix("medium_cities_"))
    raise ValueError(printed)


def _at_paid_workstations(c: Company, space: str) -> int:
    """Employees fill the cheapest workstations first (ruling P9)."""
    costs = sorted(DEPARTMENTS[c.departments[space]].workstations)
    return sum(cost >= 1 for cost in costs[: c.active[space]])


def _medium_cities_linked(g: Game, seat: int, large_city: str) -> int:
    """Ruling 46: the player has disks in the large city, the medium cities and all cities between."""
    for network in networks(g, seat):
        if large_city in network:
            return sum(CITIES[city].medium for city in network)
    return 0


# ----------------------------------------------------------------------------------- payments (3.2, ruling 30, P1)
@dataclass(frozen=True)
class Payment:
    money: int
    goods: int
    times: int
    vp: int


PAYMENTS = {
    "welfare_goods": Payment(0, 1, 6, 2),
    "welfare_money": Payment(5, 0, 6, 2),
    "welfare_money_and_goods": Payment(5, 1, 3, 4),
    "new_money_and_goods": Payment(3, 1, 4, 3),
}


def payment_in(panels: dict[str, str | None] | None, cell: str) -> Payment | None:
    return PAYMENTS.get(printed_on(panels, cell))


@dataclass(frozen=True)
class Plan:
    """The number of payments for each cell, in order; the VP of each; and the money and goods left."""

    times: tuple[int, ...]
    points: tuple[int, ...]
    money_left: int
    goods_left: int

    @property
    def total(self) -> int:
        return sum(self.points)


def plans(payments: list[Payment], money: int, goods: int, limit: int) -> Iterator[Plan]:
    """Ruling 30: goods may be sold at $1 if that helps (ruling 14: just enough of them)."""
    for times in product(*(range(payment.times + 1) for payment in payments)):
        goods_left, money_left = goods, money
        for payment, n in zip(payments, times, strict=True):
            goods_left -= n * payment.goods
            money_left -= n * payment.money
        sold = max(0, -money_left)
        if goods_left >= sold:
            points = tuple(min(limit, n * payment.vp) for payment, n in zip(payments, times, strict=True))
            yield Plan(times, points, money_left + sold, goods_left - sold)


@dataclass
class Donations:
    """The VP of a player's donations, and the money and goods left after all payments."""

    cells: dict[str, int]
    secret: int
    money_left: int
    goods_left: int


def players_donations(g: Game, seat: int, left_for_andrew: list[Payment]) -> Donations:
    """Payments: the best total of all cells and the secret donation together; ties go to the plan that leaves Andrew
    least (ruling 37), then with the most on the first cell of the table, the second, ..., the secret donation (P1).

    ``left_for_andrew``: the payments of Andrew's cells."""
    c, limit = g.companies[seat], donation_limit(g.companies[seat])
    made = cells_of(g, player(seat))
    scoring = [*made, c.secret] if c.secret is not None else made
    paying = [i for i, cell in enumerate(scoring) if payment_in(g.panels, cell) is not None]
    possible = list(plans([payment_in(g.panels, scoring[i]) for i in paying], c.money, c.goods, limit))
    best = max(plan.total for plan in possible)

    def rank(plan: Plan) -> tuple[int, tuple[int, ...]]:
        return -andrews_plan(left_for_andrew, plan.money_left, plan.goods_left).total, plan.times

    plan = max((plan for plan in possible if plan.total == best), key=rank)
    points = dict(zip(paying, plan.points, strict=True))
    for i, cell in enumerate(scoring):
        if i not in points:
            points[i] = min(limit, donation_value(g, seat, cell))
    cells = {cell: points[i] for i, cell in enumerate(made)}
    return Donations(cells, sum(points.values()) - sum(cells.values()), plan.money_left, plan.goods_left)


def andrews_plan(payments: list[Payment], money: int, goods: int) -> Plan:
    """Ruling 37: one pool for all Andrew's cells, left by the player; the best plan for Andrew, ties as for players."""
    return max(plans(payments, money, goods, DONATION_LIMIT), key=lambda plan: (plan.total, plan.times))
