"""The observation: the position can be read back from it, and derived features are right."""

import numpy as np
import pytest

from carnegie_env.steel_driver import observation, state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import Position
from tests.reading_back import marked, one_of, whole
from tests.steel_driver.test_scenarios import SCENARIOS, start
from tests.steel_driver.walks import STYLES, at, walk


def seen(position, seat):
    layout = position.observation_layout
    return layout, layout.named(position.observe(seat))


def money(number):
    return whole(number * 10).tolist()


def read_back(position, seat):
    """The position's dictionary as far as the observation contains it, with links as a set."""
    layout, f = seen(position, seat)
    n = position.num_players
    names = observation.SEAT_NAMES[:n]
    seats = [(seat + k) % n for k in range(n)]

    def who(feature, company):
        holders = [s for name, s in zip(names, seats, strict=True) if f[f"{name}.{feature}"][company]]
        assert len(holders) <= 1
        return holders[0] if holders else None

    def only(feature):
        return next((s for name, s in zip(names, seats, strict=True) if f[f"{name}.{feature}"]), None)

    companies = {
        name: {
            "controller": who("controls", k), "last_controller": who("bought_last", k), "sold": bool(f[f"{name}.sold"]),
            "cubes": int(whole(f[f"{name}.cubes"])), "profit": money(f[f"{name}.profit"]),
            "start": one_of(f[f"{name}.start"], layout[f"{name}.start"].axes[0]),
            "links": marked(f[f"{name}.links"], t.ROUTES),
            "goods": dict(zip(t.GOODS, whole(f[f"{name}.goods"]).tolist(), strict=True)),
        }
        for k, name in enumerate(t.COMPANIES)
    }  # fmt: skip
    players = {
        s: {"cash": money(f[f"{name}.cash"]), "cubes": int(whole(f[f"{name}.cubes"])),
            "shares": dict(zip(t.COMPANIES, whole(f[f"{name}.shares"]).tolist(), strict=True))}
        for name, s in zip(names, seats, strict=True)
    }  # fmt: skip
    auction = one_of(f["auction"], t.COMPANIES)
    link = one_of(f["link_builder"], t.COMPANIES)
    places = [f[f"{name}.place"] for name in t.COMPANIES], [f[f"{name}.passed"] for name in t.COMPANIES]
    rows = [[one_of([row[k] for row in of], t.COMPANIES) for k in range(6)] for of in places]
    goods = marked(f["goods_left"], t.CITIES)
    return {
        "round": int(one_of(f["round"], [str(k) for k in range(1, 6)])), "phase": one_of(f["phase"], state.PHASES),
        "to_play": only("to_play"), "marker": only("marker"), "marker_passes": int(whole(f["marker_passes"])),
        "auction": auction and {
            "company": auction, "bid": int(whole(f["bid"])), "bidder": only("bidder"),
            "passed": sorted(s for name, s in zip(names, seats, strict=True) if f[f"{name}.out"]),
        },
        "order": rows[0], "passed": [name for name in rows[1] if name], "active": one_of(f["active"], t.COMPANIES),
        "supply": int(whole(f["supply"])), "players": [players[s] for s in range(n)], "companies": companies,
        "goods": {name: t.GOODS[t.CITY_GOODS[t.CITIES.index(name)]] for name in goods},
        "transcontinental": link and {"builder": link, "companies": marked(f["transcontinental"], t.COMPANIES)},
    }  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("num_players", range(3, 7))
def test_the_position_can_be_read_back(num_players, style):
    games = walk(num_players, style, 3)
    for k in [*range(0, len(games), 23), len(games) - 1]:
        position = at(games, k)
        written = position.to_dict()
        for key in ("game", "version", "options", "rng", "decisions"):
            del written[key]
        for company in written["companies"].values():
            company["links"] = [route for route in t.ROUTES if route in company["links"]]
        for seat in range(num_players):
            assert read_back(position, seat) == written


def test_derived_features():
    """Networks, possible links, their earnings, and leads, computed again from the dictionary."""
    built = {"can": 0, "best": 0}
    for num_players, style in ((3, "opener"), (4, "low"), (6, "high")):
        games = walk(num_players, style, 5)
        for k in range(0, len(games), 5):
            position = at(games, k)
            written = position.to_dict()
            layout, f = seen(position, 0)
            taken = {route for company in written["companies"].values() for route in company["links"]}
            due = np.zeros(num_players, int)
            for c, (name, company) in enumerate(written["companies"].items()):
                cities = {city for route in company["links"] for city in route.split()}
                assert marked(f[f"{name}.network"], t.CITIES) == [city for city in t.CITIES if city in cities]
                colours = [t.GOODS[t.CITY_GOODS[t.CITIES.index(city)]] for city in cities]
                assert whole(f[f"{name}.colours"]).tolist() == [colours.count(colour) for colour in t.GOODS]
                assert whole(f[f"{name}.links_left"]) == 17 - len(company["links"])
                earnings = list(links_of(company, cities, taken, written["transcontinental"] is not None))
                assert bool(f[f"{name}.can_build"]) == bool(earnings)
                assert money(f[f"{name}.best"]) == max(earnings, default=0)
                built["can"] += bool(earnings)
                built["best"] += max(earnings, default=0) > 0
                if company["controller"] is not None and written["phase"] in ("open", "bid", "build"):
                    due[company["controller"]] += company["profit"]
                shares = [player["shares"][name] for player in written["players"]]
                last = company["last_controller"]
                order = [(last + j) % num_players for j in range(num_players)] if last is not None else []
                leader = next((seat for seat in order if shares[seat] == max(shares)), None)
                leads = [bool(f[f"{owner}.leads"][c]) for owner in observation.SEAT_NAMES[:num_players]]
                assert leads == [seat == leader for seat in range(num_players)]
            names = observation.SEAT_NAMES[:num_players]
            assert [money(f[f"{owner}.due"]) for owner in names] == due.tolist()
    assert min(built.values()) > 50


def links_of(company, cities, taken, exists):
    """$ of every link that a company can build, including the bonus of a transcontinental link."""
    if len(company["links"]) == t.LINKS:
        return
    for k, route in enumerate(t.ROUTES):
        if route in taken or t.ROUTE_COST[k] > company["cubes"]:
            continue
        for origin, other in (route.split(), route.split()[::-1]):
            if origin in cities or (not cities and t.START_CITIES >> t.CITIES.index(origin) & 1):
                bonus = 50 if not exists and connects({*taken, route}) else 0
                yield bonus + (0 if other in cities else int(t.CITY_VALUE[t.CITIES.index(other)]))


def connects(routes):
    """Whether links on these routes connect New York and San Francisco."""
    routes, found, before = list(routes), {"new_york"}, set()
    while found != before:
        before = set(found)
        found.update(city for route in routes for city in route.split() if found.intersection(route.split()))
    return "san_francisco" in found


def test_the_bonus_of_a_transcontinental_link():
    """The rulebook's example: green may earn $40 in Kansas City and $50 more, no other company as much."""

    def best(position):
        f = seen(position, 0)[1]
        return {name: money(f[f"{name}.best"]) for name in t.COMPANIES}

    position = Position.from_dict(start(SCENARIOS["transcontinental:denver_omaha"]))
    found = best(position)
    assert found.pop("green") == 40 + 50 and max(found.values()) <= 50
    position.apply("build omaha denver")
    assert max(best(position).values()) <= 50


def test_bounds_hold_for_the_largest_numbers():
    """Every raw number, scaled in float32, is within the layout's bounds."""
    for feature in observation.layout(6).values():
        factor = np.float32(1 / feature.scale)
        numbers = np.arange(int(feature.most) + 1, dtype=np.float32) * factor
        assert (numbers <= np.float32(feature.high)).all(), feature.name
