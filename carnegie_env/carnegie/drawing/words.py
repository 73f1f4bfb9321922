"""Names as the picture writes them, short ones for its cells and whole ones for who hears it."""

from __future__ import annotations

from collections.abc import Sequence

from carnegie_env.carnegie import codec, state
from carnegie_env.carnegie import tables as t
from carnegie_env.render import text

REGIONS = tuple(region.title() for region in t.REGIONS)
ACTIONS = ("Human Resources", "Management", "Construction", "R&D")
PROJECTS = ("housing", "commerce", "industry", "public infrastructure")
SPACES = (*PROJECTS, "any project")
SPACE_LETTERS = "HCIP*"
OWNERS = tuple(codec.OWNERS)  # by owner code
SIGNS = tuple(text.OWNER_SIGNS[owner] for owner in range(state.NEUTRAL + 1))


def _capital(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


CITIES = tuple(city.replace("_", " ").title() for city in t.CITIES)
DEPARTMENTS = tuple(_capital(name).replace("Hr ", "HR ").replace("Rd ", "R&D ") for name in t.DEPARTMENTS)
# The terminal's short names, but for those whose letters are too wide for a company space.
_SHORT = text.SHORT | {
    "lobby": "Lobby", "communications": "Communic.", "advanced_research": "Adv. Res.", "green_spaces": "Green Sp.",
    "corporate_communications": "Corp. Com.",
}  # fmt: skip
SHORT_DEPARTMENTS = tuple(_SHORT.get(name, whole) for name, whole in zip(t.DEPARTMENTS, DEPARTMENTS, strict=True))
COLUMNS = tuple(_capital(column) for column in t.DONATION_COLUMNS)
RULE_IDS = (*t.DONATIONS, *t.NEW_DONATIONS)
RULES = tuple(rule.rule for rule in (*t.FACTS.donations.donation, *t.FACTS.donations.new_donation))


def join(things: Sequence[str]) -> str:
    """A list in words: one, one and two, one, two and three."""
    return ", ".join(things[:-1]) + (" and " if len(things) > 1 else "") + "".join(things[-1:])


def number_of(number: int, what: str) -> str:
    """A number of things, the name of many given: 1 employee, 2 employees."""
    return f"{number} {what.removesuffix('s') if number == 1 else what}"


def place(space: int) -> str:
    """A company space."""
    return f"row {space // t.COMPANY_COLUMNS + 1}, column {space % t.COMPANY_COLUMNS + 1}"


def owners_of(bits: int) -> list[int]:
    """The owners of a bit set."""
    return [owner for owner in range(state.NEUTRAL + 1) if bits >> owner & 1]


def gain(amounts: Sequence[int]) -> str:
    """An income in a few letters: `$3`, `2 goods`; for who sees it."""
    money, goods, vp, research, employees = amounts
    parts = [f"${money}"] if money else []
    parts += [f"{goods} good{'s' if goods > 1 else ''}"] if goods else []
    parts += [f"{vp} VP"] if vp else []
    parts += [f"{research} R&D"] if research else []
    parts += [f"{employees} empl."] if employees else []
    return " + ".join(parts) or "-"


LINKED = "medium city linked to "


def _count(rule: int) -> str:
    """What a donation counts, in two or three words that fit its cell."""
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
    """The activation costs of a department's workstations, short."""
    return "·".join(f"{cost}" for cost in t.ACTIVATION_COST[code, : t.WORKSTATIONS[code]].tolist())


def department(code: int) -> str:
    """A department, its type and its workstations, for who hears it."""
    if t.DEPARTMENT_TYPE[code] < 0:
        return DEPARTMENTS[code]
    found = t.ACTIVATION_COST[code, : t.WORKSTATIONS[code]].tolist()
    stations = f"workstations {', '.join(f'${cost}' for cost in found)}" if found else "no workstation"
    return f"{DEPARTMENTS[code]}, {ACTIONS[t.DEPARTMENT_TYPE[code]]}, {stations}"
