"""Rulebook 2.5 and 3.2, the end of the game: links, donations, the score by category; Andrew's by rulebook 4.3.

What the donations pay is written here once more, as the rulebook has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .andrew import VP_ROW
from .components import CITIES, DEPARTMENTS, EDGES, LINK_VP, REGIONS, ROW_POINTS, STARTING, TABS, TRACKS
from .position import ANDREW, Company, Game, player

ACTION_CHOICE_VP = 3  # 2.5.2
DONATION_LIMIT = 12  # 2.5.2, 3.2
ANDREW_DEPARTMENT_VP = 2  # 4.3
ANDREW_TRACK_VP = 6  # 4.3
LEVELS = ["wagon", "stagecoach", "railroad"]


def score_breakdown(g: Game) -> list[dict]:
    """Per seat, then Andrew: as if the game ended now."""
    scores = [_player_score(g, seat) for seat in range(len(g.companies))]
    if g.solo:
        scores.append(_andrew_score(g))
    return scores


# ------------------------------------------------------------------------------------------------ a player (2.5.2)
def _player_score(g: Game, seat: int) -> dict:
    c = g.companies[seat]
    parts = {
        "immediate": c.vp,
        "action_choice": ACTION_CHOICE_VP if c.action_choice else 0,
        "active_employees": c.active_employees(),
        "departments": sum(ROW_POINTS[space] for space, dep in c.departments.items() if dep not in STARTING),
        "tabs": sum(tab_points(c, project) for project in TABS),
        "links": link_points(g, seat),
        "cities": city_points(g, player(seat)),
    }
    donations = donation_scores(g, seat)
    return parts | {"donations": donations, "total": sum(parts.values()) + sum(donations.values())}


def tab_points(c: Company, project: str) -> int:
    """2.3.4: by the number of VP sections uncovered."""
    facts, tab = TABS[project], c.tabs[project]
    uncovered = tab.uncovered - facts.blank_sections - facts.project_sections
    return facts.points[tab.side][uncovered - 1] if uncovered > 0 and tab.side is not None else 0


def donation_limit(c: Company) -> int:
    """3.2: 12, and 3 more for every "+3" tab end that is uncovered."""
    limit = DONATION_LIMIT
    for project, facts in TABS.items():
        tab = c.tabs[project]
        if tab.uncovered == facts.sections and tab.side is not None:
            limit += facts.donation_limit[tab.side]
    return limit


def disks_of(g: Game, owner: str) -> list[str]:
    """The cities of the owner's disks, one entry per disk."""
    return [city for city, owners in g.cities.items() for other in owners if other == owner]


def city_points(g: Game, owner: str) -> int:
    return sum(CITIES[city].points for city in disks_of(g, owner))


# --------------------------------------------------------------------------------------------------- links (2.5.1)
def link_points(g: Game, seat: int) -> int:
    """2.5.1, ruling 29: of the player's networks the best one."""
    return max((_network_points(g.companies[seat], network) for network in networks(g, seat)), default=0)


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


def _network_points(c: Company, network: set[str]) -> int:
    large = [CITIES[city] for city in network if CITIES[city].large]
    if len(large) < 2:
        return 0
    lowest = min((level(c, city.region) for city in large), key=LEVELS.index)
    return LINK_VP[sum(city.link_points for city in large)][lowest]


def level(c: Company, region: str) -> str:
    return TRACKS[region].level[c.transport[region]]


# ------------------------------------------------------------------------------------------------- donations (3.2)
def donation_value(g: Game, seat: int, cell: str) -> int:
    """3.2: the VP of the cell by what the player has achieved, without limit; not the cells with payments."""
    c = g.companies[seat]
    types = [DEPARTMENTS[department].type for department in c.departments.values()]
    cities = [CITIES[city] for city in disks_of(g, player(seat))]
    match cell.split("_", 1):
        case ["education", "any_department"]:
            return 1 * len(types)
        case ["education", department_type]:
            return 3 * types.count(department_type)
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
    raise ValueError(cell)


PAYMENT_CELLS = ["welfare_goods", "welfare_money", "welfare_money_and_goods"]


def cells_of(g: Game, owner: str) -> list[str]:
    return [cell for cell, owners in g.donations.items() if owner in owners]


def donation_scores(g: Game, seat: int) -> dict[str, int]:
    limit, cells = donation_limit(g.companies[seat]), cells_of(g, player(seat))
    scores = {cell: min(limit, donation_value(g, seat, cell)) for cell in cells if cell not in PAYMENT_CELLS}
    payments = own_payments(g, seat)
    return scores | {cell: payments.vp(cell, limit) for cell in cells if cell in PAYMENT_CELLS}


# ------------------------------------------------------------------------------------ payments for welfare (3.2, 30)
@dataclass(frozen=True)
class Payments:
    """How often each of the three is paid, and what is left then."""

    goods_paid: int  # 1 good for 2 VP, up to 6 times
    money_paid: int  # $5 for 2 VP, up to 6 times
    both_paid: int  # $5 and 1 good for 4 VP, up to 3 times
    money_left: int
    goods_left: int

    def vp(self, cell: str, limit: int) -> int:
        vp = {
            "welfare_goods": 2 * self.goods_paid,
            "welfare_money": 2 * self.money_paid,
            "welfare_money_and_goods": 4 * self.both_paid,
        }
        return min(limit, vp[cell])

    def total(self, cells: list[str], limit: int) -> int:
        return sum(self.vp(cell, limit) for cell in cells)


def possible_payments(cells: list[str], money: int, goods: int) -> Iterator[Payments]:
    """Ruling 30: goods may be sold at $1 where that helps (ruling 14: just enough of them)."""
    for x in range(7 if "welfare_goods" in cells else 1):
        for y in range(7 if "welfare_money" in cells else 1):
            for z in range(4 if "welfare_money_and_goods" in cells else 1):
                goods_left = goods - x - z
                money_left = money - 5 * (y + z)
                sold = max(0, -money_left)
                if goods_left >= sold:
                    yield Payments(x, y, z, money_left + sold, goods_left - sold)


def own_payments(g: Game, seat: int) -> Payments:
    """Rulings 30, 37: the best total; among equals what leaves Andrew least; then most paid in goods, then in money."""
    c, limit = g.companies[seat], donation_limit(g.companies[seat])
    cells = [cell for cell in cells_of(g, player(seat)) if cell in PAYMENT_CELLS]
    possible = list(possible_payments(cells, c.money, c.goods))
    best = max(payments.total(cells, limit) for payments in possible)
    equals = [payments for payments in possible if payments.total(cells, limit) == best]
    andrews_cells = [cell for cell in cells_of(g, ANDREW) if cell in PAYMENT_CELLS]

    def rank(payments: Payments) -> tuple[int, int, int]:
        for_andrew = andrews_payments(andrews_cells, payments).total(andrews_cells, DONATION_LIMIT)
        return -for_andrew, payments.goods_paid, payments.money_paid

    return max(equals, key=rank)


def andrews_payments(cells: list[str], player_paid: Payments) -> Payments:
    """Ruling 37: one pot for all his cells, what the player has left; at Andrew's best, ties as for the player."""
    return max(
        possible_payments(cells, player_paid.money_left, player_paid.goods_left),
        key=lambda payments: (payments.total(cells, DONATION_LIMIT), payments.goods_paid, payments.money_paid),
    )


# ---------------------------------------------------------------------------------------------------- Andrew (4.3)
def _andrew_score(g: Game) -> dict:
    a = g.andrew
    parts = {
        "cards": sum(VP_ROW[place] for place in a.places),
        "departments": ANDREW_DEPARTMENT_VP * sum(a.departments.values()),
        "transport": ANDREW_TRACK_VP * sum(a.transport[region] == TRACKS[region].last for region in REGIONS),
        "cities": city_points(g, ANDREW),
    }
    cells = cells_of(g, ANDREW)
    pay_cells = [cell for cell in cells if cell in PAYMENT_CELLS]
    payments = andrews_payments(pay_cells, own_payments(g, 0))
    donations = {cell: min(DONATION_LIMIT, donation_value(g, 0, cell)) for cell in cells if cell not in pay_cells}
    donations |= {cell: payments.vp(cell, DONATION_LIMIT) for cell in pay_cells}
    return parts | {"donations": donations, "total": sum(parts.values()) + sum(donations.values())}
