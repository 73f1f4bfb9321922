"""The estimates for networks, on hand-made positions and in games."""

import numpy as np
import pytest

from carnegie_env.core import kernels
from carnegie_env.core.jit import jit
from carnegie_env.steel_driver import insight, outlook, state
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import STEEL_DRIVER, Position
from carnegie_env.steel_driver.rules import goods
from tests.conformance.test_observations import compute_insights
from tests.steel_driver.test_observation import connects
from tests.steel_driver.test_scenarios import SCENARIOS, start
from tests.steel_driver.walks import first, walk


@jit
def look(games, company, more, out):
    """Of each game: prospect, expected sets, value of the sets."""
    for i in range(games.shape[0]):
        out[i, 0] = outlook.prospect(games[i], company, more)
        out[i, 1] = outlook.expected_sets(games[i], company)
        out[i, 2] = goods.value_of_sets(games[i], company)


def looked(games, company, more=0):
    out = np.empty((len(games), 3))
    look(games.copy(), company, more, out)
    return out


def estimates(games, seat):
    out, guesses = np.empty((len(games), len(STEEL_DRIVER.insights)), np.float32), np.empty(len(games))
    compute_insights(games.copy(), np.full(len(games), seat), out, guesses)
    return out, guesses


def test_prospects_at_the_start():
    """The first link is the one with the most $ per cube."""
    earned = [looked(walk(4, "any")[:1], 0, more)[0, 0] for more in (0, 1, 2, 3, 4, 6)]
    assert earned[:2] == [0, 0] and earned == sorted(earned)
    best = max(
        max(t.CITY_VALUE[ends[1 - k]] / t.ROUTE_COST[r] for k in (0, 1) if t.START_CITIES >> ends[k] & 1)
        for r, ends in enumerate(zip(t.ROUTE_FROM.tolist(), t.ROUTE_TO.tolist(), strict=True))
        if t.ROUTE_COST[r] == 2 and any(t.START_CITIES >> end & 1 for end in ends)
    )
    assert earned[2] == 2 * best


def test_prospects_are_the_earnings_of_greedy_building():
    """A company that builds by the same rule, without competition, earns its prospect."""
    games = walk(3, "opener", 4)
    for k in range(0, len(games), 9):
        game = games[k : k + 1].copy()
        if game["phase"][0] > state.BUILD:
            continue
        for company in range(t.NUM_COMPANIES):
            network, built = int(game["network"][0, company]), game["links"][0][game["links"][0] >= 0].tolist()
            linked = bool(game["transcontinental"][0])
            left, links, earned = int(game["company_cubes"][0, company]) + 6, int(game["num_links"][0, company]), 0
            while links < t.LINKS:
                free = [row for row in rates(network, left) if row[0] not in built]
                found = [(value / t.ROUTE_COST[r], -r, value) for r, value in with_bonus(free, built, linked)]
                if not found or max(found)[0] == 0:
                    break
                _, r, value = max(found)
                earned, left, links = earned + value, left - int(t.ROUTE_COST[-r]), links + 1
                built.append(-r)
                linked = linked or connects(t.ROUTES[r] for r in built)
                network |= int(t.ROUTE_ENDS[-r])
            assert looked(game, company, 6)[0, 0] == earned


def rates(network, left):
    """The routes that a network can be extended by, with the $ of their cities."""
    origins = network or t.START_CITIES
    for r in range(t.NUM_ROUTES):
        one, other = int(t.ROUTE_FROM[r]), int(t.ROUTE_TO[r])
        ways = [int(t.CITY_VALUE[b]) for a, b in ((one, other), (other, one))
                if origins >> a & 1 and not network >> b & 1]  # fmt: skip
        if ways and t.ROUTE_COST[r] <= left:
            yield r, max(ways)
        elif origins & int(t.ROUTE_ENDS[r]) and t.ROUTE_COST[r] <= left:
            yield r, 0


def with_bonus(rows, built, linked):
    """The same with the bonus of a transcontinental link that a route would complete."""
    for r, value in rows:
        completes = not linked and connects(t.ROUTES[k] for k in [*built, r])
        yield r, value + (t.BUILDER_BONUS if completes else 0)


def test_the_bonus_of_a_transcontinental_link():
    """The rulebook's example: green builds to Omaha for four cubes, $30 and $50, then it has one left; yellow, with
    four, would go on from Omaha to Denver, $50 and $50."""
    written = start(SCENARIOS["transcontinental:denver_omaha"])
    games = Position.from_dict(written).games
    green, yellow = t.COMPANIES.index("green"), t.COMPANIES.index("yellow")
    assert looked(games, green)[0, 0] == 30 + 50
    assert looked(games, yellow, 1)[0, 0] == 50 + 50
    position = Position.from_dict(written)
    position.apply("build omaha denver")
    assert looked(position.games, yellow, 1)[0, 0] < 100


@pytest.mark.parametrize("seed", range(4))
def test_expected_sets_become_the_sets(seed):
    """At the end they are the value of the sets; before they are within the possible values."""
    games = walk(4, "opener", seed)
    for company in range(t.NUM_COMPANIES):
        found = looked(games, company)
        assert np.isclose(found[-1, 1], found[-1, 2])
        assert (found[:, 1] >= 0).all() and (found[:, 1] <= t.NUM_CITIES * t.SET_VALUE[5]).all()
        assert (np.diff(found[games["phase"] == state.GOODS, 2]) >= 0).all()


def test_expected_sets_of_a_company_alone():
    """The rulebook's example: cubes for sets of 4, 2, 1 and 1 are worth $150."""
    game = walk(4, "opener", 1)[-1:].copy()
    game["goods"][0, 1] = [4, 2, 1, 1, 0]
    assert looked(game, 1)[0].tolist() == [looked(game, 1)[0, 0], 150, 150]
    game["goods"][0, 1] = [3, 3, 3, 3, 3]
    assert looked(game, 1)[0, 1:].tolist() == [450, 450]
    game["goods"][0, 1] = 0
    assert looked(game, 1)[0, 1:].tolist() == [0, 0]


def test_insights():
    games = walk(4, "opener", 2)
    build = first(games, state.BUILD)
    for seat in range(4):
        found, guesses = estimates(games, seat)
        assert np.isfinite(found).all() and np.isfinite(guesses).all()
        assert not found[-1].any() and guesses[-1] == 0  # nothing is left to come
        earns = found[:, : 6 * len(insight.MORE)].reshape(-1, 6, len(insight.MORE))
        sold = games["sold"][:, None] >> np.arange(6) & 1 == 1
        for k in range(1, len(insight.MORE)):
            auctions = (games["phase"] <= state.BID)[:, None] & ~sold
            assert (earns[..., k] >= earns[..., 0])[auctions].all() and not earns[..., k][~auctions].any()
        mine = games["controller"][build] == seat
        wanted = (earns[build, :, 0] + games["profit"][build] / 100)[mine].sum()
        assert np.isclose(found[build, -2], wanted)
        sets = found[:, 6 * len(insight.MORE) : -2]
        assert np.allclose((sets * games["shares"][:, seat])[:-1].sum(axis=1), found[:-1, -1], atol=1e-4)


def test_the_guess_is_close():
    """Late in the game the guess is close to the gain still to come, and it is never absurd."""
    for seed in range(4):
        games = walk(4, "opener", seed)
        k = first(games, state.GOODS)
        scores = np.zeros((2, 6, 4), np.int64)
        kernels.score(games[[k, -1]].copy(), scores)
        for seat in range(4):
            _, guesses = estimates(games, seat)
            assert abs(scores[0, seat, 3] + guesses[k] - scores[1, seat, 3]) < 0.35 * scores[1, seat, 3]
            assert (guesses[:-1] >= 0).all() and guesses.max() < 3000
