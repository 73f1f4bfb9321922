"""Names as the rulebook prints them, short names for the cells of a board, and :func:`action` for every action.

Files and interfaces use the ids of the tables and the texts of the actions instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import donations
from carnegie_env.core.lazy import lazily_compiled
from carnegie_env.render.text import number_of

REGIONS = tuple(region.title() for region in t.REGIONS)
ACTIONS = ("Human Resources", "Management", "Construction", "R&D")
PHASES = {  # what the player to move does
    "sides": "chooses the side of a project tab",
    "housing": "builds the first housing project",
    "reserve": "reserves a department",
    "setup_moves": "moves employees before the game begins",
    "destination": "chooses where the lifted employee goes",
    "activation": "activates employees",
    "timeline": "chooses a row of the timeline",
    "recover": "recovers employees from their missions",
    "lobby_recover": "chooses how many of the arriving employees go to the New Lobby",
    "research": "spends the research points of an income",
    "tab_income": "chooses the income of a project",
    "lobby_tab": "chooses the lobby of a new employee",
    "donation": "may make a donation",
    "turn": "uses departments",
    "lobby_turn": "chooses how many of the arriving employees go to the New Lobby",
    "site": "chooses where to build the department",
    "property": "may move an employee to the department just built",
    "charity": "copies another player's donation",
    "sheet": "fills in the sealed sheet",
    "panels": "may cover a panel of donations with a tile",
    "secret": "chooses a secret donation",
    "relocation": "may relocate an employee",
    "halves": "chooses how many projects pay money",
    "level": "chooses the level of a transport income",
}
PROJECTS = ("housing", "commerce", "industry", "public infrastructure")
SPACES = (*PROJECTS, "any project")
SPACE_LETTERS = "HCIP*"
OWNERS = state.OWNERS
SIGNS = "0123An"  # by owner code


def _title(name: str) -> str:
    special = {"and": "and", "hr": "HR", "rd": "R&D"}
    return " ".join(special.get(word, word.capitalize()) for word in name.split("_"))


CITIES = tuple(map(_title, t.CITIES))
DEPARTMENTS = tuple(map(_title, t.DEPARTMENTS))
_SHORT = {
    "training_and_partnerships": "Training", "safety_and_quality": "Safety", "property_management": "Property",
    "construction_outsourcing": "Outsourcing", "communications": "Communic.", "advanced_research": "Adv. Res.",
    "advanced_design": "Adv Design", "charitable_giving": "Charity", "telegraph_operators": "Telegraph",
    "human_resources": "Human Res", "trade_and_finance": "Trade & Fin", "strategic_planning": "Strategy",
    "research_and_development": "R & D", "hr_administration": "HR Admin", "local_partners": "Loc Partners",
    "corporate_communications": "Corp. Com.", "green_spaces": "Green Sp.", "payroll_management": "Payroll",
    "public_relations": "Public Relat", "production_lines": "Production", "political_lobbying": "Lobbying",
    "rd_coordination": "R&D Coordin", "knowledge_sharing": "Knowledge", "network_libraries": "Libraries",
}  # fmt: skip
SHORT_DEPARTMENTS = tuple(_SHORT.get(name, whole) for name, whole in zip(t.DEPARTMENTS, DEPARTMENTS, strict=True))
COLUMNS = tuple(map(_title, t.DONATION_COLUMNS))
RULE_IDS = (*t.DONATIONS, *t.NEW_DONATIONS)
RULES = tuple(rule.rule for rule in (*t.FACTS.donations.donation, *t.FACTS.donations.new_donation))


def place(space: int, column: str = "column") -> str:
    """A company space by its row and column."""
    return f"row {space // t.COMPANY_COLUMNS + 1}, {column} {space % t.COMPANY_COLUMNS + 1}"


def gain(amounts: Sequence[int]) -> str:
    """An income in short, as a picture shows it: `$3`, `2 goods`."""
    money, goods, vp, research, employees = amounts
    parts = [f"${money}"] if money else []
    parts += [number_of(goods, "goods")] if goods else []
    parts += [f"{vp} VP"] if vp else []
    parts += [f"{research} R&D"] if research else []
    parts += [f"{employees} empl."] if employees else []
    return " + ".join(parts) or "-"


LINKED = "medium city linked to "


def _count(rule: int) -> str:
    """What a donation counts, in a few words that fit into its cell."""
    count, argument = t.COUNTS[t.RULE_COUNT[rule]], int(t.RULE_ARG[rule])
    if count == "department_type":
        kinds = [name for k, name in enumerate(("HR", "Mgmt", "Constr.", "R&D")) if argument >> k & 1]
        return f"{'/'.join(kinds)} dept"
    if count == "project":
        kinds = [name for k, name in enumerate(("housing", "comm.", "industry", "public")) if argument >> k & 1]
        return "any project" if len(kinds) == t.NUM_PROJECT_TYPES else f"{', '.join(kinds)} project"
    if count == "region":
        return f"disk in {REGIONS[argument]}"
    if count == "medium_cities":
        return f"{LINKED}{CITIES[argument]}"
    if count in ("company_column", "company_row"):
        return f"dept in {count.removeprefix('company_')} {argument + 1}"
    if count == "donations_of_column":
        return f"{COLUMNS[argument]} don."
    if count == "pay":
        money, goods, times = t.RULE_PAY.tolist()[rule]
        price = "+".join([f"${money}"] * (money > 0) + [f"{goods} good"] * (goods > 0))
        return f"per {price} max {times}x"
    return {
        "departments": "any dept", "railroad_regions": "railroad region", "donations": "donation made", "flat": "VP",
        "active_employees": "active employee", "small_cities": "disk in small city",
        "best_department_type": "dept of one type", "department_types": "dept type",
        "best_project_type": "project of one type", "project_types": "project type",
        "donation_columns": "donation type", "empty_spaces": "empty space", "inactive_employees": "inactive employee",
        "paid_workstations": "paid workstation",
    }[count]  # fmt: skip


SHORT_RULES = tuple(_count(rule) for rule in range(len(RULE_IDS)))


def costs(code: int) -> str:
    """The activation costs of a department's workstations, in short."""
    return "·".join(f"{cost}" for cost in t.ACTIVATION_COST[code, : t.WORKSTATIONS[code]].tolist())


def department(code: int) -> str:
    """A department with its type and its workstations."""
    if t.DEPARTMENT_TYPE[code] < 0:
        return DEPARTMENTS[code]
    found = t.ACTIVATION_COST[code, : t.WORKSTATIONS[code]].tolist()
    stations = f"workstations {', '.join(f'${cost}' for cost in found)}" if found else "no workstation"
    return f"{DEPARTMENTS[code]}, {ACTIONS[t.DEPARTMENT_TYPE[code]]}, {stations}"


# ---------------------------------------------------------------- actions
def company_space(game: Any, seat: int, space: int) -> str:
    """A company space by its department, or if it is empty by its row and column."""
    return DEPARTMENTS[game.department[seat][space]] or place(space)


def donation(rule: int) -> str:
    """A donation by its column and what it counts."""
    column = rule // t.PANEL_ROWS if rule < t.NUM_DONATIONS else NEW_COLUMNS[(rule - t.NUM_DONATIONS) // t.PANEL_ROWS]
    flat = f"{t.RULE_VP[rule]} " if t.RULE_COUNT[rule] == t.COUNT_FLAT else ""
    return f"{COLUMNS[column]}: {flat}{SHORT_RULES[rule]}"


NEW_COLUMNS = tuple(t.DONATION_COLUMNS.index(column) for column in t.FACTS.expansion.new_donations.panels)
_rule_of = lazily_compiled(donations.rule_of)


def action(game: Any, number: int) -> str:
    """An action in words.

    Args:
        game: the record before the action.
        number: the action's number.
    """
    return " ".join(filter(None, action_in_two(game, number)))


def action_in_two(game: Any, number: int) -> tuple[str, str]:
    """The words of an action in two parts: the start, which it shares with similar actions, and its own end."""
    verb, argument = int(actions.VERB[number]), int(actions.ARGUMENT[number])
    if verb in _ON_SPACES:
        return _ON_SPACES[verb], company_space(game, game.to_play, argument)
    if verb == actions.V_DONATE:
        return "donate to", donation(int(_rule_of(game, argument)))
    if verb == actions.V_TIMELINE:
        return "switch to" if game.phase == state.TURN else "choose", ACTIONS[argument]
    if verb == actions.V_DEPARTMENT:
        return "reserve" if game.phase == state.RESERVE else "build", DEPARTMENTS[argument + 1]
    if verb == actions.V_LEVEL:
        income = gain(t.TRACK_INCOME[game.level_region, argument].tolist())
        return "take the income of", f"space {argument + 1}: {income}"
    return _STATIC[number]


_ON_SPACES = {
    actions.V_TO: "move to", actions.V_ACTIVATE: "activate", actions.V_LIFT_INACTIVE: "lift an inactive employee from",
    actions.V_LIFT_ACTIVE: "lift an active employee from", actions.V_GAIN_VP: "pay more for VP to activate",
    actions.V_LOSE_VP: "lose VP to activate",
}  # fmt: skip
_FORMS: dict[int, Callable[[int], tuple[str, str]]] = {  # both parts by the action's argument
    actions.V_SIDE: lambda k: (f"{PROJECTS[k // t.TAB_SIDES]} tab, side", "AB"[k % t.TAB_SIDES]),
    actions.V_RECOVER: lambda k: ("recover", number_of(k, "employees")),
    actions.V_NEW_LOBBY: lambda k: ("New Lobby:", number_of(k, "employees")),
    actions.V_TAKE: lambda k: ("take", ("an employee", "goods", "money")[k]),
    actions.V_BUILD: lambda build: (f"build {PROJECTS[t.BUILD_TYPE[build]]} in", _site(build)),
    actions.V_ADVANCE_TAB: lambda project: ("advance", f"the {PROJECTS[project]} tab"),
    actions.V_ADVANCE_TRACK: lambda region: ("advance", f"in the {REGIONS[region]}"),
    actions.V_USE: lambda k: ("use", DEPARTMENTS[actions.BUILDERS[k]]),
    actions.V_SHEET: lambda k: (
        "fill in", f"{t.NEW_START_OFFERS[k // actions.OFFERS, k % actions.OFFERS, t.OFFER_AMOUNT]} "
        f"{t.NEW_START_LINES[k // actions.OFFERS]}"),
    actions.V_BID: lambda bid: ("bid", f"${bid}"),
    actions.V_MONEY: lambda k: ("take money for", number_of(k, "projects")),
    actions.V_PANEL: lambda k: (f"put the {COLUMNS[NEW_COLUMNS[k // len(COLUMNS)]]} tile over",
                                COLUMNS[k % len(COLUMNS)]),
}  # fmt: skip


def _site(build: int) -> str:
    """Where a project is built: the city with its VP, and the space if it isn't clear which."""
    space = int(t.BUILD_SPACE[build])
    city, text = int(t.SPACE_CITY[space]), (*t.BUILD_TEXT, *t.MISMATCH_TEXT)[build]
    kind = f" {SPACES[t.SPACE_TYPE[space]]}" if build >= t.NUM_BUILDS else ""
    which = f" {text.split()[-1]}" if " space " in text else ""
    shown = f",{kind} space{which}" if kind or which else ""
    return f"{CITIES[city]} ({t.CITY_POINTS[city]} VP{shown})"


def _static(number: int) -> tuple[str, str]:
    """The words of an action that are the same in every position."""
    verb, argument, text = int(actions.VERB[number]), int(actions.ARGUMENT[number]), actions.TEXTS[number]
    first, *words = text.split()
    if verb in _FORMS:
        return _FORMS[verb](argument)
    if first not in t.DEPARTMENTS:
        return (first, " ".join(words))
    name = DEPARTMENTS[t.DEPARTMENTS.index(first)]
    if words[-1] not in t.REGIONS:  # a number of goods, or what the department gives
        return f"{name}:", number_of(int(words[-1]), "goods") if words[-1].isdigit() else words[-1]
    use = f": {words[0]}, mission" if "mission" in words[1:] else ", mission" if words[0] == "mission" else ""
    return f"{name}{use} in the", REGIONS[t.REGIONS.index(words[-1])]


_STATIC = tuple(("", "") if verb in (*_ON_SPACES, actions.V_DONATE, actions.V_TIMELINE, actions.V_DEPARTMENT,
                                     actions.V_LEVEL) else _static(number)
                for number, verb in enumerate(actions.VERB.tolist()))  # fmt: skip
