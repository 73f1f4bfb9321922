"""Every fault put into a record is found; tests/conformance covers the positions of games."""

import numpy as np
import pytest

from carnegie_env.core import kernels
from carnegie_env.steel_driver import invariants as i
from carnegie_env.steel_driver import state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import Position
from carnegie_env.steel_driver.invariants import INVARIANTS
from tests.conformance.tables import faults
from tests.steel_driver.walks import first, walk


def changed(phase, field, place, value):
    """A record in a phase with one field changed: by a number, or to a function of the old value."""
    games = walk(4, "opener", 1)
    k = first(games, phase)
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
    games = changed(phase, field, place, value)
    if field == "num_passed" and phase == state.BUILD:
        games["passed"][0, 0] = games["order"][0, 0]
    assert broken(games) is predicate


def broken(games):
    """The predicate that a record breaks; the reader's message is its sentence."""
    (number,) = faults(games).tolist()
    words = INVARIANTS.words(number, games[0])
    for each in INVARIANTS.listed:
        places = [(k,) for k in range(t.NUM_COMPANIES)] if each.axes else [()]
        if number in [INVARIANTS.number(each.predicate, *place) for place in places]:
            break
    assert words[1] == each.sentence and words[0].startswith(each.path.partition("{")[0])
    return each.predicate


def test_every_invariant_is_tried():
    """Two have their own tests below."""
    (cases,) = (mark for mark in test_a_fault_is_found.pytestmark if mark.name == "parametrize")
    assert {each.predicate for each in INVARIANTS.listed} == {row[-1] for row in cases.args[1]} | {i.routes, i.builder}


def test_stale_fields_are_found():
    games = walk(4, "opener", 1)[-1:].copy()
    for name in ("network", "reach", "built"):
        stale = games.copy()
        stale[name][0, ..., 0] ^= 1
        assert faults(stale).tolist() == [INVARIANTS.derived]


def test_a_route_has_one_link():
    """Two companies with the same link are refused."""
    games = walk(4, "opener", 1)
    for k in range(first(games, state.BUILD), len(games)):
        one = games[k : k + 1].copy()
        if (one["num_links"][0] > 0).sum() >= 2 and one["phase"][0] == state.BUILD:
            a, b = np.flatnonzero(one["num_links"][0] > 0)[:2]
            one["links"][0, b] = one["links"][0, a]
            one["num_links"][0, b], one["start"][0, b] = one["num_links"][0, a], one["start"][0, a]
            one["profit"][0, b] = one["profit"][0, a]
            kernels.rebuild(one)
            assert faults(one).tolist() == [INVARIANTS.number(i.routes)]
            return
    pytest.fail("no two companies with links")


def test_goods_must_be_taken_from_cities_of_the_company():
    """Two companies with each other's cubes are refused, though all counts are right."""
    game = walk(4, "opener", 1)[-1:].copy()
    game["show_forced"] = 1
    companies = np.argsort(game["goods"][0].sum(axis=1))
    least, most = int(companies[0]), int(companies[-1])
    game["goods"][0, [least, most]] = game["goods"][0, [most, least]]
    game["profit"][0, [least, most]] = game["profit"][0, [most, least]]
    assert faults(game).tolist() == [INVARIANTS.number(i.goods_cubes)]
    with pytest.raises(ValueError, match="goods.* cube for each connected city"):
        Position(game)
