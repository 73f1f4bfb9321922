"""Rulebook 2.5, the end of the game: links and the score by category; Andrew's by rulebook 4.3; the final effects of
expansion 1, chapter 2, group 4. Donations: donations.py."""

from .andrew import VP_ROW
from .components import CITIES, LINK_VP, REGIONS, ROW_POINTS, STARTING, TABS, TRACKS
from .donations import (
    DONATION_LIMIT,
    Donations,
    Payment,
    andrews_plan,
    cells_of,
    disks_of,
    donation_value,
    level,
    networks,
    payment_in,
    players_donations,
)
from .position import ANDREW, Company, Game, player
from .turn import projects_in

ACTION_CHOICE_VP = 3  # 2.5.2
ANDREW_DEPARTMENT_VP = 2  # 4.3
ANDREW_TRACK_VP = 6  # 4.3
LEVELS = ["wagon", "stagecoach", "railroad"]
POST_OFFICE_MOST, POST_OFFICE_VP = 6, 9  # expansion 1, tile 28


def score_breakdown(g: Game) -> list[dict]:
    """Per seat, then Andrew: as if the game ended now."""
    donations = [players_donations(g, seat, _andrews_payments(g)) for seat in range(len(g.companies))]
    scores = [_player_score(g, seat, donations[seat]) for seat in range(len(g.companies))]
    if g.solo:
        scores.append(_andrew_score(g, donations[0]))
    return scores


# ------------------------------------------------------------------------------------------------ a player (2.5.2)
def _player_score(g: Game, seat: int, donations: Donations) -> dict:
    c = g.companies[seat]
    links, for_six = link_points(g, seat)
    parts = {
        "immediate": c.vp,
        "action_choice": ACTION_CHOICE_VP if c.action_choice else 0,
        "active_employees": c.active_employees(),
        "departments": sum(ROW_POINTS[space] for space, dep in c.departments.items() if dep not in STARTING),
        "tabs": sum(tab_points(c, project) for project in TABS),
        "links": links,
        "cities": city_points(g, player(seat)),
    }
    if g.options["new_departments"] or g.options["diverse_setup"]:
        parts["final_effects"] = final_effects(g, seat) + for_six
    if g.options["secret_donation"]:
        parts["secret_donation"] = donations.secret
    return parts | {"donations": donations.cells, "total": sum(parts.values()) + sum(donations.cells.values())}


def tab_points(c: Company, project: str) -> int:
    """2.3.4: by the number of VP sections uncovered."""
    facts, tab = TABS[project], c.tabs[project]
    uncovered = tab.uncovered - facts.blank_sections - facts.project_sections
    return facts.points[tab.side][uncovered - 1] if uncovered > 0 and tab.side is not None else 0


def city_points(g: Game, owner: str) -> int:
    return sum(CITIES[city].points for city in disks_of(g, owner))


def final_effects(g: Game, seat: int) -> int:
    """Expansion 1, tiles 20, 24, 32: with an active employee at the end; ruling 45: for the best region."""
    c = g.companies[seat]
    projects = [projects_in(g, seat, region) for region in REGIONS]
    vp = 0
    if c.works("green_spaces"):
        vp += 2 * len(c.empty_spaces())
    if c.works("public_relations"):
        vp += 2 * max(projects)
    if c.works("network_libraries"):
        vp += 4 * min(projects)
    return vp


# --------------------------------------------------------------------------------------------------- links (2.5.1)
def link_points(g: Game, seat: int) -> tuple[int, int]:
    """2.5.1, rulings 29, 45: the player's best network: its VP in the table of links, and the VP that the Post Office
    adds at six points."""
    scores = [_network_points(g.companies[seat], network) for network in networks(g, seat)]
    return max(scores, key=sum, default=(0, 0))


def _network_points(c: Company, network: set[str]) -> tuple[int, int]:
    large = [CITIES[city] for city in network if CITIES[city].large]
    if len(large) < 2:
        return 0, 0
    lowest = min((level(c, city.region) for city in large), key=LEVELS.index)
    points = sum(city.link_points for city in large)
    if c.works("post_office"):
        points = min(points + 1, POST_OFFICE_MOST)
    if points == POST_OFFICE_MOST:
        return LINK_VP[POST_OFFICE_MOST - 1][lowest], POST_OFFICE_VP
    return LINK_VP[points][lowest], 0


# ---------------------------------------------------------------------------------------------------- Andrew (4.3)
def _andrews_payments(g: Game) -> list[Payment]:
    payments = [payment_in(g.panels, cell) for cell in cells_of(g, ANDREW)]
    return [payment for payment in payments if payment is not None]


def _andrew_score(g: Game, players: Donations) -> dict:
    a = g.andrew
    parts = {
        "cards": sum(VP_ROW[place] for place in a.places),
        "departments": ANDREW_DEPARTMENT_VP * sum(a.departments.values()),
        "transport": ANDREW_TRACK_VP * sum(a.transport[region] == TRACKS[region].last for region in REGIONS),
        "cities": city_points(g, ANDREW),
    }
    cells = cells_of(g, ANDREW)
    pay_cells = [cell for cell in cells if payment_in(g.panels, cell) is not None]
    plan = andrews_plan(_andrews_payments(g), players.money_left, players.goods_left)
    donations = {cell: min(DONATION_LIMIT, donation_value(g, 0, cell)) for cell in cells if cell not in pay_cells}
    donations |= dict(zip(pay_cells, plan.points, strict=True))
    return parts | {"donations": donations, "total": sum(parts.values()) + sum(donations.values())}
