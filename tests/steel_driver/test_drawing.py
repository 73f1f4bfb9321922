"""The picture of Steel Driver shows the position, with every legal action at its place."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from carnegie_env.steel_driver import actions, names, topics
from carnegie_env.steel_driver import map as plans
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import BID, BUILD, GOODS, OPEN, OVER
from tests.steel_driver.walks import at, first, walk

SVG = "{http://www.w3.org/2000/svg}"
EACH_PHASE = pytest.mark.parametrize("phase", [OPEN, BID, BUILD, GOODS, OVER])


def parts(position, seat=None):
    """The parts of a picture by name."""
    root = ElementTree.fromstring(position.to_svg(seat))
    return {element.get("data-part"): element for element in root.iter(f"{SVG}g") if element.get("data-part")}


def title(part):
    return part.get("aria-label")


def words(part):
    return [element.text for element in part.iter(f"{SVG}text")]


def chosen(part):
    return [actions.TEXTS[int(number)] for number in part.get("data-actions", "").split()]


def positions(phase):
    """Some of a game's positions in a phase."""
    records = walk(4, "opener", 3)
    skips = [0] if phase == OVER else [0, 9, 25]
    return [at(records, first(records, phase, skip)) for skip in skips]


@EACH_PHASE
def test_links_cities_and_goods(phase):
    for position in positions(phase):
        d, found = position.to_dict(), parts(position)
        builders = {route: name for name, company in d["companies"].items() for route in company["links"]}
        for route in t.ROUTES:
            part = found[f"route_{route.replace(' ', '_')}"]
            number = t.ROUTES.index(route)
            if route in builders:
                company = t.COMPANIES.index(builders[route])
                assert f"a link of {builders[route]}" in title(part) and words(part) == [plans.sign(company)]
            else:
                assert f"{t.ROUTE_COST[number]} cubes" in title(part) and words(part) == [str(t.ROUTE_COST[number])]
        for city, name in enumerate(t.CITIES):
            part, colour = found[f"city_{name}"], t.GOODS[t.CITY_GOODS[city]]
            assert words(part)[0] == f"{t.CITY_VALUE[city]}{colour[0]}" and words(part)[-1] == names.CITIES[city]
            assert ("start city" in title(part)) == bool(t.START_CITIES >> city & 1)
            assert len(list(part.iter(f"{SVG}polygon"))) == (t.START_CITIES >> city & 1)
            assert (len(words(part)) == 3) == (name in d["goods"]) == ("cube lies there" in title(part))


@EACH_PHASE
def test_companies_and_players(phase):
    for position in positions(phase):
        d, found = position.to_dict(), parts(position)
        order = [name.removeprefix("company_") for name in found if name.startswith("company_")]
        assert order == d["order"]
        for name, company in d["companies"].items():
            said = title(found[f"company_{name}"])
            holder = company["controller"]
            assert ("nobody controls" if holder is None else f"player_{holder} controls") in said
            assert f"{len(company['links'])}/17 links" in said and f"${company['profit']}" in said
            if phase in (GOODS, OVER):
                assert "goods: " + ", ".join(f"{n} {colour}" for colour, n in company["goods"].items()) in said
            else:
                assert f"cubes {company['cubes']}," in said
            assert ("has passed" in said) == (name in d["passed"])
        for seat, player in enumerate(d["players"]):
            said = title(found[f"player_{seat}"])
            assert f"${player['cash']}" in said and ("decides" in said) == (seat == d["to_play"])
            for name, number in player["shares"].items():
                assert (f"{number} of {name}" in said) == (number > 0)
        supply = re.search(r"(\d+) investment cubes", title(found["supply"]))
        assert int(supply[1]) == d["supply"]
        assert ("not yet" in title(found["transcontinental"])) == (d["transcontinental"] is None)


@EACH_PHASE
def test_legal_actions_are_at_their_places(phase):
    for position in positions(phase):
        found, legal = parts(position), set(position.legal_actions())
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
            assert all(f"{text} earns $" in title(part) for text in words), k
        for name in t.CITIES:
            assert set(chosen(found[f"city_{name}"])) == {f"take goods {name}"} & legal
        other = parts(position, (position.to_play or 0) + 1 if (position.to_play or 0) < 3 else 0)
        assert position.is_over or not any(part.get("data-actions") for part in other.values())


def test_the_result_is_shown():
    (position,) = positions(OVER)
    winner = position.places().index(0)
    assert f"player_{winner} wins" in title(parts(position)["decision"])
    assert "first place" in title(parts(position)[f"player_{winner}"])


def test_signs_and_colours_are_unique():
    assert len({plans.sign(company) for company in range(t.NUM_COMPANIES)}) == t.NUM_COMPANIES
    assert set(plans.COMPANY_FILLS) == set(t.COMPANIES) and set(plans.GOODS_FILLS) == set(t.GOODS)
    assert len({colour[0] for colour in t.GOODS}) == t.NUM_GOODS


def test_topics_name_their_rules():
    assert all("rulebook" in topic.source for topic in topics.topics().values())
    assert f"${t.BUILDER_BONUS}" in topics.topics()["transcontinental"].text
