"""The invariants hold in play, and every fault put into a record is found."""

from __future__ import annotations

import numpy as np
import pytest

from carnegie_env.core import kernels
from carnegie_env.steel_driver import invariants as i
from carnegie_env.steel_driver import state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import Position
from carnegie_env.steel_driver.invariants import INVARIANTS
from carnegie_env.steel_driver.rules import rounds
from tests.steel_driver.walks import STYLES, first, walk


def found(records):
    """The fault of each record."""
    out = np.empty(len(records), np.int64)
    kernels.verify(records.copy(), out)
    return out


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("num_players", range(3, 7))
def test_nothing_is_found_in_play(num_players, style):
    for seed in range(4):
        assert not found(walk(num_players, style, seed, show_forced=bool(seed & 1))).any()


@pytest.mark.parametrize("num_players", range(3, 7))
def test_cubes_are_conserved(num_players):
    """60 investment cubes: in the supply, with players, on companies; what links cost goes back to the supply."""
    games = walk(num_players, "opener", 1)
    spent = np.where(games["links"] >= 0, t.ROUTE_COST[games["links"]], 0).sum(axis=(1, 2))
    held = games["cubes"].sum(axis=1) + games["company_cubes"].sum(axis=1)
    handed_out = games["round_number"].astype(int) * num_players * t.ROUND_CUBES[num_players]
    playing = games["phase"] < state.GOODS
    assert (held + spent == handed_out)[playing].all()  # nobody holds so many that the supply runs short
    assert [int(rounds.supply(game)) for game in games] == (t.CUBES - held).tolist()
    assert (games["company_cubes"][~playing] == 0).all()


def test_money_comes_from_links():
    for seed in range(3):
        last = walk(4, "opener", seed)[-1]
        earned = 0
        for company in range(t.NUM_COMPANIES):
            cities = {int(last.start[company])}
            for route in last.links[company, : last.num_links[company]]:
                new = {int(t.ROUTE_FROM[route]), int(t.ROUTE_TO[route])} - cities
                earned += sum(int(t.CITY_VALUE[city]) for city in new)
                cities |= new
        others = bin(last.transcontinental).count("1") - 1
        bonus = t.BUILDER_BONUS + others * t.OTHERS_BONUS if last.transcontinental else 0
        assert 0 <= earned + bonus - last.cash.sum() <= others * t.OTHERS_BONUS if bonus else earned == last.cash.sum()


def spoilt(phase, field, place, value, skip=0, seed=1):
    """A record of a game with one field changed: added to, or set by a function of what is there."""
    games = walk(4, "opener", seed)
    k = first(games, phase, skip)
    games = games[k : k + 1].copy()
    before = games[field][(0, *place)]
    games[field][(0, *place)] = value(before) if callable(value) else before + value
    kernels.rebuild(games)
    return games


@pytest.mark.parametrize(
    ("phase", "field", "place", "value", "predicate"),
    [
        (state.OPEN, "to_play", (), lambda seat: (seat + 1) % 4, i.turn),
        (state.OPEN, "auction", (), lambda _: 2, i.turn),
        (state.OPEN, "marker_passes", (), lambda _: 5, i.turn),
        (state.OPEN, "place", (), lambda _: 0, i.turn),
        (state.BID, "marker_passes", (), lambda _: 1, i.turn),
        (state.BUILD, "to_play", (), lambda seat: (seat + 1) % 4, i.turn),
        (state.GOODS, "round_number", (), -1, i.turn),
        (state.OPEN, "shares", (0, 0), 5, i.control),
        (state.BUILD, "sold", (), lambda _: 0, i.control),
        (state.BUILD, "last_controller", (0,), lambda _: -1, i.control),
        (state.OPEN, "company_cubes", (0,), 1, i.company_cubes),
        (state.GOODS, "company_cubes", (0,), 1, i.company_cubes),
        (state.GOODS, "start", (0,), lambda _: t.CITIES.index("denver"), i.start),
        (state.GOODS, "start", (0,), lambda _: -1, i.start),
        (state.OPEN, "start", (2,), lambda _: t.CITIES.index("boston"), i.start),
        (state.OPEN, "company_cubes", (3,), 1, i.company_cubes),
        (state.GOODS, "links", (0, 0), lambda _: t.ROUTES.index("portland san_francisco"), i.links),
        (state.OPEN, "cubes", (1,), 1, i.cubes),
        (state.BUILD, "profit", (0,), 1, i.profit),
        (state.GOODS, "profit", (0,), 1, i.profit),
        (state.OPEN, "cash", (0,), 10, i.cash),
        (state.GOODS, "cash", (1,), -10, i.cash),
        (state.GOODS, "transcontinental", (), lambda bits: 0 if bits else 1, i.transcontinental_link),
        (state.GOODS, "link_builder", (), lambda company: -1 if company >= 0 else 2, i.transcontinental_link),
        (state.OPEN, "goods_left", (), lambda _: 1, i.goods_cubes),
        (state.GOODS, "goods_left", (), lambda bits: bits & bits - 1, i.goods_cubes),
        (state.BID, "bid", (), lambda _: t.CUBES, i.auction),
        (state.BID, "passed_bidders", (), lambda _: 15, i.auction),
        (state.BUILD, "num_passed", (), lambda _: 1, i.passed),
        (state.OVER, "num_passed", (), -1, i.passed),
        (state.OPEN, "order", (0,), lambda company: (company + 1) % 6, i.order),
        (state.OPEN, "cubes", (0,), lambda _: 0, i.choice),
    ],
)
def test_a_fault_is_found(phase, field, place, value, predicate):
    games = spoilt(phase, field, place, value)
    if field == "num_passed" and phase == state.BUILD:
        games["passed"][0, 0] = games["order"][0, 0]
    assert broken(games) is predicate


def broken(games):
    """The predicate that a record does not fulfil; its sentence is what the reader says."""
    (number,) = found(games).tolist()
    words = INVARIANTS.words(number, games[0])
    for each in INVARIANTS.listed:
        places = [(k,) for k in range(t.NUM_COMPANIES)] if each.axes else [()]
        if number in [INVARIANTS.number(each.predicate, *place) for place in places]:
            break
    assert words[1] == each.sentence and words[0].startswith(each.path.partition("{")[0])
    return each.predicate


def test_every_invariant_is_tried():
    """The others have tests of their own."""
    (cases,) = (mark for mark in test_a_fault_is_found.pytestmark if mark.name == "parametrize")
    assert {each.predicate for each in INVARIANTS.listed} == {row[-1] for row in cases.args[1]} | {i.routes, i.builder}


def test_stale_fields_are_found():
    games = walk(4, "opener", 1)[-1:].copy()
    for name in ("network", "reach", "built"):
        stale = games.copy()
        stale[name][0, ..., 0] ^= 1
        assert found(stale).tolist() == [INVARIANTS.derived]


def test_a_route_has_one_link():
    """Two companies with the same link: the one that came second is refused."""
    games = walk(4, "opener", 1)
    for k in range(first(games, state.BUILD), len(games)):
        one = games[k : k + 1].copy()
        if (one["num_links"][0] > 0).sum() >= 2 and one["phase"][0] == state.BUILD:
            a, b = np.flatnonzero(one["num_links"][0] > 0)[:2]
            one["links"][0, b] = one["links"][0, a]
            one["num_links"][0, b], one["start"][0, b] = one["num_links"][0, a], one["start"][0, a]
            one["profit"][0, b] = one["profit"][0, a]
            kernels.rebuild(one)
            assert found(one).tolist() == [INVARIANTS.number(i.routes)]
            return
    pytest.fail("no two companies with links")


def test_goods_must_be_taken_from_cities_of_the_company():
    """A company with the cubes of another one's cities, all counts right: the reader says no."""
    games = walk(4, "opener", 1)
    game = games[-1:].copy()
    game["show_forced"] = 1
    companies = np.argsort(game["goods"][0].sum(axis=1))
    least, most = int(companies[0]), int(companies[-1])
    game["goods"][0, [least, most]] = game["goods"][0, [most, least]]
    game["profit"][0, [least, most]] = game["profit"][0, [most, least]]
    assert found(game).tolist() == [INVARIANTS.number(i.goods_cubes)]
    with pytest.raises(ValueError, match="goods: cubes on the map and those of the companies"):
        Position(game)
