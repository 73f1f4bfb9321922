"""The picture of Steel Driver shows the position, with every legal action at its place."""

import re

import pytest

from carnegie_env.steel_driver import actions, names, topics
from carnegie_env.steel_driver import map as plans
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import BID, BUILD, GOODS, OPEN, OVER
from tests.pictures import parts
from tests.steel_driver.walks import at, first, walk

EACH_PHASE = pytest.mark.parametrize("phase", [OPEN, BID, BUILD, GOODS, OVER])


def chosen(part):
    return [actions.TEXTS[number] for number in part.actions]


def positions(phase):
    """Some of a game's positions in a phase."""
    records = walk(4, "opener", 3)
    skips = [0] if phase == OVER else [0, 9, 25]
    return [at(records, first(records, phase, skip)) for skip in skips]


@EACH_PHASE
def test_links_cities_and_goods(phase):
    for position in positions(phase):
        d, found = position.to_dict(), parts(position.to_svg())
        builders = {route: name for name, company in d["companies"].items() for route in company["links"]}
        for route in t.ROUTES:
            part = found[f"route_{route.replace(' ', '_')}"]
            number = t.ROUTES.index(route)
            if route in builders:
                company = t.COMPANIES.index(builders[route])
                assert f"a link of {builders[route]}" in part.title and part.texts == (plans.sign(company),)
            else:
                assert f"{t.ROUTE_COST[number]} cubes" in part.title and part.texts == (str(t.ROUTE_COST[number]),)
        for city, name in enumerate(t.CITIES):
            part, colour = found[f"city_{name}"], t.GOODS[t.CITY_GOODS[city]]
            assert part.texts[0] == f"{t.CITY_VALUE[city]}{colour[0]}" and part.texts[-1] == names.CITIES[city]
            assert ("start city" in part.title) == bool(t.START_CITIES >> city & 1)
            assert part.svg.count("<ns0:polygon") == (t.START_CITIES >> city & 1)
            assert (len(part.texts) == 3) == (name in d["goods"]) == ("cube lies there" in part.title)


@EACH_PHASE
def test_companies_and_players(phase):
    for position in positions(phase):
        d, found = position.to_dict(), parts(position.to_svg())
        order = [name.removeprefix("company_") for name in found if name.startswith("company_")]
        assert order == d["order"]
        for name, company in d["companies"].items():
            said = found[f"company_{name}"].title
            holder = company["controller"]
            assert ("nobody controls" if holder is None else f"player_{holder} controls") in said
            assert f"{len(company['links'])}/17 links" in said and f"${company['profit']}" in said
            if phase in (GOODS, OVER):
                assert "goods: " + ", ".join(f"{n} {colour}" for colour, n in company["goods"].items()) in said
            else:
                assert f"cubes {company['cubes']}," in said
            assert ("has passed" in said) == (name in d["passed"])
        for seat, player in enumerate(d["players"]):
            said = found[f"player_{seat}"].title
            assert f"${player['cash']}" in said and ("decides" in said) == (seat == d["to_play"])
            for name, number in player["shares"].items():
                assert (f"{number} of {name}" in said) == (number > 0)
        supply = re.search(r"(\d+) investment cubes", found["supply"].title)
        assert int(supply[1]) == d["supply"]
        assert ("not yet" in found["transcontinental"].title) == (d["transcontinental"] is None)


@EACH_PHASE
def test_legal_actions_are_at_their_places(phase):
    for position in positions(phase):
        found, legal = parts(position.to_svg()), set(position.legal_actions())
        assert chosen(found["decision"]) == [text for text in legal if text == "pass"]
        for name in t.COMPANIES:
            offers = chosen(found[f"company_{name}"])
            up = phase == BID and position.to_dict()["auction"]["company"] == name
            assert all(text.startswith("bid " if up else f"open {name} ") for text in offers)
        for k, route in enumerate(t.ROUTES):
            both = {f"build {route}", "build " + " ".join(reversed(route.split()))}
            part = found[f"route_{route.replace(' ', '_')}"]
            assert set(chosen(part)) == both & legal
            words = [names.WORDINGS[position.number(text)] for text in both & legal]
            assert all(f"{text} earns $" in part.title for text in words), k
        for name in t.CITIES:
            assert set(chosen(found[f"city_{name}"])) == {f"take goods {name}"} & legal
        other = parts(position.to_svg(((position.to_play or 0) + 1) % 4))
        assert position.is_over or not any(part.actions for part in other.values())


def test_the_result_is_shown():
    (position,) = positions(OVER)
    winner = position.places().index(0)
    assert f"player_{winner} wins" in parts(position.to_svg())["decision"].title
    assert "first place" in parts(position.to_svg())[f"player_{winner}"].title


def test_signs_and_colours_are_unique():
    assert len({plans.sign(company) for company in range(t.NUM_COMPANIES)}) == t.NUM_COMPANIES
    assert set(plans.COMPANY_FILLS) == set(t.COMPANIES) and set(plans.GOODS_FILLS) == set(t.GOODS)
    assert len({colour[0] for colour in t.GOODS}) == t.NUM_GOODS


def test_topics_name_their_rules():
    assert all("rulebook" in topic.source for topic in topics.topics().values())
    assert f"${t.BUILDER_BONUS}" in topics.topics()["transcontinental"].text
