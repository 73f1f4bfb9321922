"""The final phase: goods cubes, their sets, the shares; who wins."""

from collections.abc import Collection
from functools import cache
from itertools import combinations

from .components import CITIES
from .position import Company, Game

SET_VALUES = {1: 10, 2: 30, 3: 60, 4: 100, 5: 150}  # $, by different colours in a set


def prepare(g: Game) -> None:
    """Cubes go back, goods come onto connected cities, control goes to the most shares."""
    for company in g.companies.values():
        g.supply += company.cubes
        company.cubes = 0
    connected = {city for company in g.companies.values() for city in company.cities}
    g.goods = {city: CITIES[city].goods for city in CITIES if city in connected}
    for name, company in g.companies.items():
        company.controller = final_controller(g, name)


def final_controller(g: Game, name: str) -> int | None:
    """Most shares; ties go to the first clockwise, starting with the last controller (ruling 51). A company without
    shares has no controller (ruling 55)."""
    most = max(player.shares[name] for player in g.players)
    if most == 0:
        return None
    clockwise = g.clockwise_from(g.companies[name].last_controller)
    return next(seat for seat in clockwise if g.players[seat].shares[name] == most)


def claimable(g: Game, company: Company) -> list[str]:
    """The cities whose goods cube the company can take: it is connected to them itself."""
    return [] if company.controller is None else [city for city in g.goods if city in company.cities]


def claim(g: Game, name: str, city: str) -> None:
    company = g.companies[name]
    company.goods[g.goods.pop(city)] += 1
    company.profit = value_of_sets(company.goods.values())


def value_of_sets(numbers: Collection[int]) -> int:
    """$ of the best arrangement in sets of different colours (ruling 52); numbers: cubes of each colour."""
    return _best(tuple(sorted(number for number in numbers if number > 0)))


@cache
def _best(numbers: tuple[int, ...]) -> int:
    """Try every set that contains the first colour, with the best arrangement of the rest."""
    if not numbers:
        return 0
    found = []
    for size in range(1, len(numbers) + 1):
        for others in combinations(range(1, len(numbers)), size - 1):
            rest = [number - (k == 0 or k in others) for k, number in enumerate(numbers)]
            found.append(SET_VALUES[size] + value_of_sets(rest))
    return max(found)


# --------------------------------------------------------------------------------------------------------- the result
def scores(g: Game) -> list[dict[str, int]]:
    """By seat: cash, $ for shares, goods cubes of the companies controlled, $ in total; as if the game ended now."""
    rows = []
    for seat, player in enumerate(g.players):
        companies = g.companies.items()
        shares = sum(player.shares[name] * value_of_sets(c.goods.values()) for name, c in companies)
        goods = sum(sum(c.goods.values()) for _name, c in companies if c.controller == seat)
        rows.append({"cash": player.cash, "shares": shares, "goods": goods, "total": player.cash + shares})
    return rows


def ranks(g: Game) -> list[int]:
    """Ranks by seat, 1 is the winner: by money, then by goods cubes; further ties share a rank (rulings 52, 55)."""
    results = [(row["total"], row["goods"]) for row in scores(g)]
    return [1 + sum(other > result for other in results) for result in results]
