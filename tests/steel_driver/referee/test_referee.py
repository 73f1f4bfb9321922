"""The referee of Steel Driver by itself: whole games, and its transcontinental links and sets against slower, simpler
code. The rulebook's examples are scenarios (tests/steel_driver/scenarios), for referee and engine. The engine's
invariants count the pieces, and the lock-step test compares the positions."""

import random
from collections.abc import Iterator

import pytest

from tests.steel_driver import pieces
from tests.steel_driver.referee import Referee, final, play, transcontinental
from tests.steel_driver.referee.components import CITIES, COLOURS, COMPANIES, INVESTMENT_CUBES, ROUTES, Route


@pytest.mark.parametrize("style", play.STYLES)
@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_whole_games(num_players: int, style: str) -> None:
    """Every position is complete: a referee made from it continues the same way."""
    for show_forced in (False, True):
        rng = random.Random(f"{num_players} {style} {show_forced}")
        referee = Referee(num_players, show_forced)
        while legal := referee.legal_actions():
            d = referee.to_dict()
            assert len(legal) > 1 or (show_forced and legal != {"pass"})
            other, action = Referee.from_dict(d), play.choose(rng, d, legal, style)
            referee.apply(action)
            other.apply(action)
            assert other.to_dict() == referee.to_dict() and other.score_breakdown() == referee.score_breakdown()
        assert (referee.phase, referee.round, referee.to_play) == ("over", 5, None)


def test_illegal_actions_are_refused() -> None:
    referee = Referee(3)
    for text in ("open red 11", "bid 1", "build new_york boston", "take goods boston", "open pink 1", ""):
        before = referee.to_dict()
        with pytest.raises(ValueError, match="illegal in phase open"):
            referee.apply(text)
        assert referee.to_dict() == before


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
def test_values_of_sets() -> None:
    """The rulebook's table and example, and random cubes against filling one set after the other."""
    assert [final.value_of_sets([1] * size) for size in range(6)] == [0, 10, 30, 60, 100, 150]
    assert final.value_of_sets([4, 2, 1, 1]) == 150
    assert final.value_of_sets([12, 12, 6, 5, 3]) == 3 * 150 + 2 * 100 + 60 + 6 * 30
    rng = random.Random(3)
    for _ in range(200):
        numbers = [rng.randrange(7) for _ in COLOURS]
        assert final.value_of_sets(numbers) == pieces.sets_of({"goods": dict(zip(COLOURS, numbers, strict=True))})


def test_ranks() -> None:
    """Ruling 55: the tie-break also decides ranks below the first; further ties are shared."""
    d = Referee(6).to_dict() | {"phase": "over", "to_play": None, "round": 5}
    for seat, cash in enumerate((100, 200, 100, 300, 100, 50)):
        d["players"][seat]["cash"] = cash
    d["companies"]["red"] |= {"controller": 2, "goods": dict.fromkeys(COLOURS, 1)}
    referee = Referee.from_dict(d)
    assert referee.ranks() == [4, 2, 3, 1, 4, 6]
    assert [row["goods"] for row in referee.score_breakdown()] == [0, 0, 5, 0, 0, 0]


# ------------------------------------------------------------------------------------------------- the components
def test_the_map_is_as_the_rules_describe_it() -> None:
    assert len(CITIES) == 38 and INVESTMENT_CUBES == 60
    assert [sum(city.goods == colour for city in CITIES.values()) for colour in COLOURS] == [12, 12, 6, 5, 3]
    assert all(end in CITIES for route in ROUTES.values() for end in route.ends)
    assert {route.cost for route in ROUTES.values()} == {2, 3, 4, 5, 6}
    assert CITIES["baltimore"].start and ROUTES["baltimore pittsburgh"].cost == 3 and CITIES["pittsburgh"].value == 40
