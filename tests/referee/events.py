"""Rulebook 2.2, the events: incomes and donations."""

from .building import transport_income
from .company import can_pay, gain, pay
from .components import PROJECTS, TABS
from .position import ANDREW, Company, Game, player
from .timeline import income_region


# --------------------------------------------------------------------------------------------------------- income
def recover(g: Game, employees: int) -> None:
    """2.2.1, ruling 10: recovered employees wait before they enter a lobby."""
    g.company.missions[income_region(g)] -= employees
    g.turn.arrivals = employees


def income_of_the_recovered(g: Game, space: int) -> None:
    """2.2.1, ruling 10: transport income for each employee recovered, of this space of the track."""
    research, recruits = transport_income(g.company, income_region(g), g.turn.arrivals, space)
    g.turn.research = research
    g.turn.arrivals += recruits


def fixed_tab_incomes(c: Company) -> None:
    """2.2.1: the income of every built project, once; incomes with a choice follow one by one."""
    for project in PROJECTS:
        for section in range(c.tabs[project].built):
            income = TABS[project].income[section]
            if "choice" not in income:
                gain(c, income)


def income_choices(c: Company) -> list[tuple[str, int]]:
    """The built projects whose income is a choice: tabs in order, sections in order (ruling 11)."""
    return [
        (project, section)
        for project in PROJECTS
        for section in range(c.tabs[project].built)
        if "choice" in TABS[project].income[section]
    ]


def next_income_choice(c: Company, after: tuple[str, int] | None) -> tuple[str, int] | None:
    choices = income_choices(c)
    following = choices if after is None else choices[choices.index(after) + 1 :]
    return following[0] if following else None


def _halves(g: Game) -> dict[str, dict[str, int]]:
    """The two halves of the income in hand by their text."""
    project, section = g.turn.income_choice
    verbs = {"employees": "take employee", "goods": "take goods", "money": "take money"}
    return {verbs[kind]: half for half in TABS[project].income[section]["choice"] for kind in half}


def legal_takes(g: Game) -> set[str]:
    """Ruling 11: without an employee in the reserve only the other half is legal."""
    legal = set(_halves(g))
    if g.company.reserve == 0:
        legal.discard("take employee")
    return legal


def take(g: Game, text: str) -> None:
    _research, g.turn.arrivals = gain(g.company, _halves(g)[text])


# ------------------------------------------------------------------------------------------------------- donation
DONATION_STEP = 5  # 2.2.2: $5, $10, $15, ...
DONATION_STEP_COMMUNICATIONS = 3  # 3.3.12


def donation_cost(c: Company) -> int:
    """Ruling 13: 5n for the n-th, $3n while Communications holds an active employee; copies count."""
    step = DONATION_STEP_COMMUNICATIONS if c.works("communications") else DONATION_STEP
    return step * (c.donations_made + 1)


def can_donate(c: Company) -> bool:
    return c.disks > 0 and can_pay(c, donation_cost(c))


def legal_donations(g: Game) -> set[str]:
    """2.2.2: any cell without a disk."""
    if not can_donate(g.company):
        return set()
    return {f"donate {cell}" for cell in g.free_cells()}


def legal_copies(g: Game, seat: int) -> set[str]:
    """3.3.15, ruling 26: cells with a disk of another player (solo: Andrew) and none of the seat's own. Neutral disks
    don't count."""
    rivals = {player(other) for other in range(len(g.companies)) if other != seat} | {ANDREW}
    return {
        f"donate {cell}"
        for cell, owners in g.donations.items()
        if player(seat) not in owners and not rivals.isdisjoint(owners)
    }


def donate(g: Game, cell: str) -> None:
    c = g.company
    pay(c, donation_cost(c))
    c.disks -= 1
    c.donations_made += 1
    g.donations[cell].append(player(g.to_play))
