"""Rulebook 2.3, a player's turn: using the departments. The effects of tiles (3.3; 17-32: expansion 1, chapter 2) are
written here with their numbers."""

from functools import cache

from .building import disks_on_tab, free_sites, meaning, place_project, suits, transport_income
from .company import can_pay, gain, legal_lifts, pay, send_on_mission
from .components import (
    CITIES,
    DEPARTMENTS,
    DIAGONAL_DISTANCE,
    DISTANCE,
    PERMANENT_EMPLOYEES,
    PROJECTS,
    REGIONS,
    ROWS,
    TABS,
)
from .events import can_donate, legal_copies
from .position import Company, Game, Turn, player
from .research import legal_advances

BUILDERS = ["construction", "engineering", "construction_outsourcing"]
OUTSOURCING_MONEY = 3  # 3.3.10
GOODS_WITH_EMPLOYEE, GOODS_WITHOUT = 1, 2  # 2.3.2, Strategic Planning


# ------------------------------------------------------------------------------------------- the start of a turn
def start(g: Game, seat: int, action: str) -> None:
    """The turn of the seat with this action type begins (rulings 17, 19, 20)."""
    c = g.companies[seat]
    g.turn = Turn(action=action)
    for space, department in c.departments.items():
        if DEPARTMENTS[department].type == action:
            g.turn.ready[space] = c.active[space]
    if action == "human_resources":
        g.turn.diagonal_moves = c.works("corporate_communications")  # ruling 42
        # 2.3.1: 3 moves per active employee, the permanent one included
        g.turn.moves = 3 * (_active_in(c, "human_resources") + PERMANENT_EMPLOYEES["human_resources"])
    if action == "research":
        # 2.3.4: 3 points per active employee; 3.3.14: 4 in Advanced Design
        g.turn.research = 3 * _active_in(c, "research_and_development") + 4 * _active_in(c, "advanced_design")


def _active_in(c: Company, department: str) -> int:
    space = c.space_of(department)
    return 0 if space is None else c.active[space]


# ---------------------------------------------------------------------------------------------------------- legal
def legal(g: Game) -> set[str]:
    c, turn = g.company, g.turn
    legal = {"pass"}
    if may_spend_action_choice(g):
        legal |= {f"timeline {row}" for row in ROWS if row != g.chosen}
    if turn.moves:
        legal |= legal_lifts(c)
    if turn.research:
        legal |= legal_advances(g)
    for space, department in c.departments.items():
        if department not in BUILDERS and turn.ready.get(space, 0):
            legal |= uses(g, department)
    if turn.action == "construction":
        legal |= legal_builds(g)
    if may_wait(g) and legal != {"pass"}:
        legal.add("wait")
    return legal


def may_wait(g: Game) -> bool:
    """Expansion 1, chapter 4, rulings 43, P11: the first player, before any action, once a round."""
    return g.options["wait"] and g.to_play == g.first_player and not g.turn.started and not g.waiting


def may_spend_action_choice(g: Game) -> bool:
    """2.3, ruling 16: not the first player, and only at the start of a turn."""
    return g.company.action_choice and not g.turn.started and g.to_play != g.first_player


def moves_away(g: Game, state: str, space: str) -> None:
    """Ruling 17: of the active employees there, one who has acted leaves, if any, else one who could still act."""
    spent = g.company.active[space] - g.turn.ready.get(space, 0)
    if state == "active" and spent == 0:
        g.turn.ready[space] -= 1


@cache
def _missions(text: str) -> frozenset[str]:
    return frozenset(f"{text} mission {region}" for region in REGIONS)


def uses(g: Game, department: str) -> set[str] | frozenset[str]:
    """The possible uses of a department that has a use left. Ruling 18: a mission may yield nothing."""
    c = g.company
    match department:
        case "trade_and_finance":  # 2.3.2
            return (
                {"trade_and_finance money", "trade_and_finance goods"}
                | _missions("trade_and_finance money")
                | _missions("trade_and_finance goods")
            )
        case "strategic_planning":  # 2.3.2
            return legal_tiles(g)
        case "training_and_partnerships":  # 3.3.1
            return _missions("training_and_partnerships money") | _missions("training_and_partnerships moves")
        case "recruiting":  # 3.3.2
            if c.reserve == 0:
                return {"recruiting moves"}
            return {"recruiting moves"} | _missions("recruiting employee")
        case "safety_and_quality":  # 3.3.3
            return _missions("safety_and_quality")
        case "purchasing":  # 3.3.5
            return _missions("purchasing money") | _missions("purchasing goods")
        case "sales":  # 3.3.6
            return {f"sales {n}" for n in (1, 2, 3) if c.goods >= n}
        case "logistics":  # 3.3.7
            return {f"logistics {n}" for n in (1, 2, 3) if c.goods >= n}
        case "supply_chain":  # 3.3.11: $1 each
            return {f"supply_chain {n}" for n in (1, 2, 3) if can_pay(c, n)}
        case "advanced_research":  # 3.3.13
            return _missions("advanced_research")
        case "charitable_giving":  # 3.3.15, ruling 26
            if can_donate(c) and legal_copies(g, g.to_play):
                return _missions("charitable_giving")
            return set()
        case "hr_administration" | "accounting" | "production_lines" | "rd_coordination":  # 17, 21, 25, 29
            return _missions(department)
        case "local_partners" | "branding" | "renovation" | "knowledge_sharing":  # 18, 22, 26, 30; ruling P10
            return {f"{department} {region}" for region in REGIONS if projects_in(g, g.to_play, region)}
        case _:  # Human Resources, R&D and Advanced Design act at the turn's start; the blue and final tiles later
            return set()


# --------------------------------------------------------------------------------------------- using a department
def use(g: Game, text: str) -> None:
    """One use of the department at the start of the text; game.py handles further decisions (charity, a lobby)."""
    c, turn, words = g.company, g.turn, text.split()
    department = words[0]
    act(g, department)
    mission = "mission" in words
    if mission:
        send_on_mission(c, turn.department, words[-1])
    match words[:2]:
        case ["trade_and_finance", "money"]:
            c.money += 6 if mission else 3
        case ["trade_and_finance", "goods"]:
            c.goods += 2 if mission else 1
        case ["training_and_partnerships", "money"]:
            c.money += 8
        case ["training_and_partnerships", "moves"]:
            turn.moves += 8
        case ["recruiting", "moves"]:
            turn.moves += 4
        case ["recruiting", "employee"]:
            _research, turn.arrivals = gain(c, {"employees": 1})
        case ["safety_and_quality", _]:
            c.vp += (c.active_employees() + 1) // 2  # one per pair, rounded up; ruling 25: without the employee used
        case ["purchasing", "money"]:
            c.money += 8
        case ["purchasing", "goods"]:
            c.goods += 3
        case ["sales", n]:
            c.goods -= int(n)
            c.money += 6 * int(n)
        case ["logistics", n]:
            c.goods -= int(n)
            c.money += 3 * int(n)
            c.vp += int(n)
        case ["supply_chain", n]:
            pay(c, int(n))
            c.goods += int(n)
        case ["advanced_research", _]:
            turn.research += 7
        case ["charitable_giving", _]:
            pass  # the cell is chosen next
        case ["hr_administration", _]:
            turn.relocations = c.count("human_resources")  # ruling 41: starting one, New Lobby and itself included
        case ["accounting", _]:
            c.money += 3 * c.count("management")
        case ["production_lines", _]:
            c.goods += 1 * c.count("construction")
        case ["rd_coordination", _]:
            turn.research += 2 * c.count("research")
        case ["local_partners" | "branding" | "renovation" | "knowledge_sharing", region]:
            turn.projects = projects_in(g, g.to_play, region)  # the halves are chosen next


def enter(g: Game, department: str) -> None:
    """2.3, ruling 17: using another department ends the use of the one before."""
    space, turn = g.company.space_of(department), g.turn
    if space != turn.department:
        if turn.department is not None:
            turn.ready[turn.department] = 0
        turn.department = space


def act(g: Game, department: str) -> None:
    """One employee of the department acts, who can't act again in this turn."""
    enter(g, department)
    g.turn.ready[g.turn.department] -= 1


def projects_in(g: Game, seat: int, region: str) -> int:
    return sum(owners.count(player(seat)) for city, owners in g.cities.items() if CITIES[city].region == region)


def pay_halves(g: Game, with_money: int) -> None:
    """Tiles 18, 22, 26, 30: each project of the region pays $2 or the other half."""
    c, turn = g.company, g.turn
    others = turn.projects - with_money
    turn.projects = 0
    c.money += 2 * with_money
    match c.departments[turn.department]:
        case "local_partners":
            turn.moves += 2 * others
        case "branding":
            c.goods += 1 * others
        case "renovation":
            c.vp += 1 * others
        case "knowledge_sharing":
            turn.research += 2 * others


# --------------------------------------------------------------------------------------------------- moves (2.3.1)
def distance(g: Game, origin: str, destination: str) -> int:
    """Orthogonal steps; ruling 42: also diagonal ones if Corporate Communications worked at the turn's start."""
    if g.turn.diagonal_moves:
        return DIAGONAL_DISTANCE[origin, destination]
    return DISTANCE[origin, destination]


# ------------------------------------------------------------------------------------- Strategic Planning (2.3.2)
def legal_tiles(g: Game) -> set[str]:
    """Ruling 5: the reserved tile comes first. Otherwise any tile of the display that the company lacks."""
    c = g.company
    if c.reserved is not None:
        tiles = [c.reserved]
    else:
        tiles = [tile for tile, copies in g.display.items() if copies and c.space_of(tile) is None]
    return {f"department {tile}" for tile in tiles if sites(c, tile)}


def goods_to_build(c: Company, tile: str, space: str) -> int:
    """Ruling 21: 1 good on a space with an employee, 2 elsewhere; the New Lobby costs 2 more (3.3.4)."""
    here = c.active[space] + c.inactive[space] > 0
    return (GOODS_WITH_EMPLOYEE if here else GOODS_WITHOUT) + DEPARTMENTS[tile].extra_goods


def sites(c: Company, tile: str) -> list[str]:
    """The empty spaces where the company can pay for the tile."""
    return [space for space in c.empty_spaces() if can_pay(c, 0, goods_to_build(c, tile, space))]


def choose_tile(g: Game, tile: str) -> None:
    """The use of Strategic Planning; nothing is paid before the site is known."""
    act(g, "strategic_planning")
    g.turn.tile = tile


def build_department(g: Game, space: str) -> None:
    c, tile = g.company, g.turn.tile
    pay(c, 0, goods_to_build(c, tile, space))
    c.departments[space] = tile
    if c.reserved == tile:
        c.reserved = None
    else:
        g.display[tile] -= 1
    g.turn.tile = None


def legal_relocations(g: Game) -> set[str]:
    """3.3.8, ruling 21: Property Management moves any employee to the new department."""
    return {text for text in legal_lifts(g.company) if not text.endswith(g.turn.site)}


# --------------------------------------------------------------------------------- the building departments (2.3.3)
def legal_builds(g: Game) -> set[str]:
    """``build``, and ``use`` where it is not clear which department builds (design page, section 3)."""
    c = g.company
    builds = {}  # by candidate
    sites_of = {}
    lobbying = c.works("political_lobbying")
    for department in BUILDERS:
        space = c.space_of(department)
        if space is not None and g.turn.ready.get(space, 0):
            texts: set[str] = set()
            for project in PROJECTS:
                if disks_on_tab(c, project) > 0 and can_pay(c, money_to_build(department), TABS[project].goods):
                    if project not in sites_of:
                        sites_of[project] = free_sites(g, project, mismatches=lobbying)
                    texts |= sites_of[project]
            if texts:
                builds[department] = texts
    in_use = c.departments.get(g.turn.department)
    if in_use in builds:
        return builds[in_use] | {f"use {department}" for department in builds if department != in_use}
    if len(builds) == 1:
        return next(iter(builds.values()))
    return {f"use {department}" for department in builds}


def money_to_build(department: str) -> int:
    """3.3.10: Outsourcing pays $3 in addition to the goods."""
    return OUTSOURCING_MONEY if department == "construction_outsourcing" else 0


def build(g: Game, text: str) -> None:
    """2.3.3: the employee leaves for the city's region (not from Outsourcing), goods are paid, the disk is placed."""
    c, turn = g.company, g.turn
    project, city, index = meaning(text)
    act(g, _who_builds(g, project))
    department = c.departments[turn.department]
    if department != "construction_outsourcing":
        send_on_mission(c, turn.department, CITIES[city].region)
    pay(c, money_to_build(department), TABS[project].goods)
    place_project(g, g.to_play, text)
    if c.works("political_lobbying") and suits(project, city, index):  # ruling 46
        c.vp += 1


def bonus(g: Game, region: str, space: int) -> None:
    """2.3.3: the transport income that some small cities pay, of this space of the track."""
    research, g.turn.arrivals = transport_income(g.company, region, 1, space)
    g.turn.research += research


def _who_builds(g: Game, project: str) -> str:
    """The department in use if it can build anything, else the only one that can."""
    c = g.company
    candidates = []
    for department in BUILDERS:
        space = c.space_of(department)
        if space is not None and g.turn.ready.get(space, 0):
            if can_pay(c, money_to_build(department), TABS[project].goods):
                candidates.append(department)
    in_use = c.departments.get(g.turn.department)
    if in_use in candidates:
        return in_use
    return candidates[0]
