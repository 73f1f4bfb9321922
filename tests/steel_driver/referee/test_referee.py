"""The referee of Steel Driver by itself: its transcontinental links against slower, simpler code, and the ranks. The
rulebook's examples are scenarios (tests/steel_driver/scenarios), and the lock-step test plays whole games."""

import random
from collections.abc import Iterator

from tests.steel_driver.referee import Referee, transcontinental
from tests.steel_driver.referee.components import COLOURS, COMPANIES, ROUTES, Route

# ------------------------------------------------------------------------------------------- the transcontinental link
Line = tuple[frozenset[str], int]  # companies, number of links


def lines(links: dict[str, list[Route]], city: str, seen: frozenset[str], used: Line) -> Iterator[Line]:
    """Every path from a city to San Francisco that visits no city twice."""
    if city == "san_francisco":
        yield used
        return
    companies, number = used
    for name, own in links.items():
        for link in own:
            if city in link.ends and link.other_end(city) not in seen:
                there = link.other_end(city)
                yield from lines(links, there, seen | {there}, (companies | {name}, number + 1))


def by_enumeration(links: dict[str, list[Route]]) -> set[str]:
    """The companies by the wording of ruling 50."""
    found = list(lines(links, "new_york", frozenset({"new_york"}), (frozenset(), 0)))
    if not found:
        return set()
    fewest = min(len(companies) for companies, _ in found)
    shortest = min(number for companies, number in found if len(companies) == fewest)
    tied = [companies for companies, number in found if len(companies) == fewest and number == shortest]
    return set().union(*tied)


def test_the_line_is_the_one_that_enumeration_finds() -> None:
    """On maps where random companies have built a third to a half of all routes; some have no line."""
    rng, sizes = random.Random(7), set()
    for _ in range(300):
        links: dict[str, list[Route]] = {name: [] for name in COMPANIES}
        few = rng.sample(COMPANIES, rng.randrange(2, 7))
        for route in rng.sample(list(ROUTES.values()), rng.randrange(20, 34)):
            links[rng.choice(few)].append(route)
        wanted = by_enumeration(links)
        assert transcontinental.companies_of_the_line(links) == wanted
        sizes.add(len(wanted))
    assert sizes >= {0, 2, 3, 4}


# ------------------------------------------------------------------------------------------------ the final phase
def test_ranks() -> None:
    """Ruling 55: the tie-break also decides ranks below the first; further ties are shared."""
    d = Referee(6).to_dict() | {"phase": "over", "to_play": None, "round": 5}
    for seat, cash in enumerate((100, 200, 100, 300, 100, 50)):
        d["players"][seat]["cash"] = cash
    d["companies"]["red"] |= {"controller": 2, "goods": dict.fromkeys(COLOURS, 1)}
    referee = Referee.from_dict(d)
    assert referee.ranks() == [4, 2, 3, 1, 4, 6]
    assert [row["goods"] for row in referee.score_breakdown()] == [0, 0, 5, 0, 0, 0]
