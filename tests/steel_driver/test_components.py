"""The component file against a second transcription of the map (components.txt) and the numbers in the rulebook.

Games rarely depend on a single value of a city or a route. Each line is composed from the arrays that the rules read,
so every wrong value shows.
"""

from pathlib import Path

from carnegie_env.steel_driver import tables as t

LINES = [
    line
    for line in Path(__file__).with_name("components.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def line_of(city: int) -> str:
    """A city's line, composed from the arrays."""
    start = " start" if t.START_CITIES >> city & 1 else ""
    routes = [
        (int(end), int(t.ROUTE_COST[route]))
        for route in range(t.NUM_ROUTES)
        for end, other in ((t.ROUTE_TO[route], t.ROUTE_FROM[route]), (t.ROUTE_FROM[route], t.ROUTE_TO[route]))
        if other == city
    ]
    ways = ", ".join(f"{t.CITIES[end]} {cost}" for end, cost in routes)
    return f"{t.CITIES[city]}: {t.GOODS[t.CITY_GOODS[city]]} {t.CITY_VALUE[city]}{start}; {ways}"


def test_the_map() -> None:
    assert [line_of(city) for city in range(t.NUM_CITIES)] == LINES


def test_the_numbers_in_the_rulebook() -> None:
    assert t.COMPANIES == ("red", "yellow", "green", "blue", "grey", "brown")
    assert (t.ROUNDS, t.SHARES, t.LINKS, t.CUBES) == (5, 5, 17, 60)
    assert t.ROUND_CUBES.tolist() == [0, 0, 0, 10, 8, 7, 6]
    assert t.SET_VALUE.tolist() == [0, 10, 30, 60, 100, 150]
    assert (t.BUILDER_BONUS, t.OTHERS_BONUS) == (50, 30)
    assert {t.CITIES[t.EAST], t.CITIES[t.WEST]} == {"new_york", "san_francisco"}


def test_the_longest_game() -> None:
    """With six players: each round 36 bids, 30 passes in six auctions, 31 of the marker; all links, all goods cubes."""
    assert t.LONGEST == 5 * (36 + 6 * 5 + 31) + 77 + 38 == 600


def test_sets_of_routes_are_those_of_the_routes() -> None:
    """The sets of routes of a city, by cost and for first links contain the right routes."""
    for route in range(t.NUM_ROUTES):
        word, bit = divmod(route, t.WORD_BITS)
        first, second = int(t.ROUTE_FROM[route]), int(t.ROUTE_TO[route])
        assert int(t.ROUTE_ENDS[route]) == 1 << first | 1 << second
        for city in range(t.NUM_CITIES):
            assert (int(t.CITY_ROUTES[city, word]) >> bit & 1) == (city in (first, second))
        for cubes in range(t.CUBES + 1):
            assert (int(t.PAYABLE[cubes, word]) >> bit & 1) == (t.ROUTE_COST[route] <= cubes)
        starts = t.START_CITIES & (1 << first | 1 << second)
        assert (int(t.START_ROUTES[word]) >> bit & 1) == (starts != 0)
        assert (int(t.FORWARD_STARTS[word]) >> bit & 1) == (t.START_CITIES >> first & 1)
        assert (route in t.BACKWARD) == bool(t.START_CITIES >> second & 1)
    for colour in range(t.NUM_GOODS):
        assert int(t.GOODS_CITIES[colour]) == sum(1 << c for c in range(t.NUM_CITIES) if t.CITY_GOODS[c] == colour)
