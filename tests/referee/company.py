"""Rulebook 1.4, how a company works: paying, employees, lobbies, missions, activation."""

from .components import DEPARTMENTS, LOBBY
from .position import Company


# ---------------------------------------------------------------------------------------------- money and goods
def can_pay(c: Company, money: int, goods: int = 0) -> bool:
    """Ruling 14: missing money may come from selling goods at $1 each, but not from goods that this payment needs."""
    return c.goods >= goods and c.money + (c.goods - goods) >= money


def pay(c: Company, money: int, goods: int = 0) -> None:
    """Rulings 14, 15: just enough goods are sold."""
    c.goods -= goods
    sold = max(0, money - c.money)
    c.goods -= sold
    c.money += sold - money


def gain(c: Company, gains: dict[str, int], times: int = 1) -> tuple[int, int]:
    """Take money, goods and VP; return the research points and the number of new employees.

    The new employees leave the reserve and arrive at a lobby. Ruling 11: no more than there are in the reserve."""
    c.money += times * gains.get("money", 0)
    c.goods += times * gains.get("goods", 0)
    c.vp += times * gains.get("vp", 0)
    recruits = min(c.reserve, times * gains.get("employees", 0))
    c.reserve -= recruits
    return times * gains.get("research", 0), recruits


# ------------------------------------------------------------------------------------------------------ employees
def legal_lifts(c: Company) -> set[str]:
    """Any employee on the board can be moved; the permanent one never (ruling 19)."""
    return {f"lift active {space}" for space, n in c.active.items() if n} | {
        f"lift inactive {space}" for space, n in c.inactive.items() if n
    }


def move(c: Company, state: str, origin: str, destination: str) -> None:
    """4.2: an employee who moves is inactive afterwards."""
    if state == "active":
        c.active[origin] -= 1
    else:
        c.inactive[origin] -= 1
    c.inactive[destination] += 1


def send_on_mission(c: Company, space: str, region: str) -> None:
    """4.3: the active employee used for the action goes."""
    c.active[space] -= 1
    c.missions[region] += 1


def has_new_lobby(c: Company) -> bool:
    return c.space_of("new_lobby") is not None


def enter_lobbies(c: Company, arrivals: int, to_new_lobby: int) -> None:
    """4.4 and 3.3.4: employees arrive inactive, in the printed lobby or in the New Lobby."""
    if to_new_lobby:
        c.inactive[c.space_of("new_lobby")] += to_new_lobby
    c.inactive[LOBBY] += arrivals - to_new_lobby


# ----------------------------------------------------------------------------------------------------- activation
PAYROLL_SURCHARGE, PAYROLL_PRICE, PAYROLL_VP = 2, 1, 1  # expansion 1, tile 23


def legal_activations(c: Company, payroll_activated: int) -> set[str]:
    """4.2, ruling 28: an inactive employee of a department, a free workstation, its cost payable.

    Expansion 1, tile 23: with Payroll Management also $2 more for 1 VP, or $1 for a VP if there is one to lose."""
    legal = set()
    payroll = payroll_works(c, payroll_activated)
    for space, department in c.departments.items():
        if c.inactive[space]:
            cost = next_workstation(c, space, department)
            if cost is None:
                continue
            if can_pay(c, cost):
                legal.add(f"activate {space}")
            if payroll and can_pay(c, cost + PAYROLL_SURCHARGE):
                legal.add(f"activate {space} gain vp")
            if payroll and c.vp > 0 and can_pay(c, PAYROLL_PRICE):
                legal.add(f"activate {space} lose vp")
    return legal


def payroll_works(c: Company, payroll_activated: int) -> bool:
    """Ruling 42: an employee there who was active before this round's activations."""
    space = c.space_of("payroll_management")
    return space is not None and c.active[space] > payroll_activated


def next_workstation(c: Company, space: str, department: str) -> int | None:
    """The cost of the cheapest free workstation; None if none is free."""
    costs = sorted(DEPARTMENTS[department].workstations)
    taken = c.active[space]
    return costs[taken] if taken < len(costs) else None


def activate(c: Company, space: str, payroll: str) -> None:
    """``payroll``: "", "gain vp" or "lose vp"."""
    cost = next_workstation(c, space, c.departments[space])
    match payroll:
        case "gain vp":
            cost += PAYROLL_SURCHARGE
            c.vp += PAYROLL_VP
        case "lose vp":
            cost = PAYROLL_PRICE
            c.vp -= PAYROLL_VP
    pay(c, cost)
    c.inactive[space] -= 1
    c.active[space] += 1
