"""The derived numbers for networks: missing cities between large ones, against a slow search, and the guess."""

import heapq
import itertools

import numpy as np
import pytest

from carnegie_env import Batch, Position
from carnegie_env.carnegie import insight
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.game import CARNEGIE
from tests.players import ALL_ON, mode_name

TABLES = ({"num_players": 1}, {"num_players": 2}, {"num_players": 4}, ALL_ON[2])
EDGES = [(t.CITIES.index(a), t.CITIES.index(b)) for a, b in t.FACTS.board.network.edges]
LARGE = [city for city in range(t.NUM_CITIES) if t.CITY_LINK_POINTS[city] > 0]
NEIGHBOURS = [{a + b - city for a, b in EDGES if city in (a, b)} for city in range(t.NUM_CITIES)]


def missing(owner, seat, start, end):
    """Cities that a seat has to build in to link two (Dijkstra 1959); it can't pass cities without a free space."""

    def cost(city):
        owners = owner[city == t.SPACE_CITY]
        return 0 if seat in owners else 1 if -1 in owners else None

    known, open_ways = set(), [(cost(start), start)] if cost(start) is not None else []
    while open_ways:
        built, city = heapq.heappop(open_ways)
        if city == end:
            return min(built, insight.FARTHEST)
        if city not in known:
            known.add(city)
            for other in NEIGHBOURS[city] - known:
                if cost(other) is not None:
                    heapq.heappush(open_ways, (built + cost(other), other))
    return insight.FARTHEST


def boards(table):
    """Records after random play, and with random disks on the board."""
    generator = np.random.default_rng(1)
    batch = Batch(12, num_threads=1, **table)
    batch.reset(seed=1)
    for _ in range(150):
        batch.step(batch.sample_actions(generator))
    yield from batch.games.copy()
    for game, share in zip(batch.games.copy(), np.linspace(0.1, 0.9, 12), strict=True):
        drawn = generator.integers(0, table["num_players"] + 1, game["owner"].shape)
        free = generator.random(game["owner"].shape) > share
        game["owner"][:] = np.where(free, -1, drawn)
        yield game


@pytest.mark.parametrize("table", TABLES, ids=mode_name)
def test_missing_cities_agree_with_a_slow_search(table):
    labels = CARNEGIE.insights
    met = set()
    for game in boards(table):
        seat = int(game["rng"] % np.uint64(table["num_players"]))
        out = np.full(insight.SIZE, np.nan, np.float32)
        insight.insight(game, seat, out)
        wanted = {f"round[{game['round_number']}]"}
        for a, b in itertools.combinations(LARGE, 2):
            steps = missing(game["owner"], seat, a, b)
            wanted.add(f"missing[{t.CITIES[a]} - {t.CITIES[b]}][{steps}]")
            met.add(steps)
        assert {labels[k] for k in np.flatnonzero(out)} == wanted
        assert set(out) <= {0, 1} and len(labels) == insight.SIZE
    assert met == set(range(insight.FARTHEST + 1))


def guess_of(position, seat=0):
    return insight.guess(position.games.copy()[0], seat)


def test_the_guess_grows_with_wealth_and_fades():
    position = Position.new({"num_players": 2}, seed=1)
    while position.round < 2:
        position.apply(position.legal_numbers()[0])
    start = position.to_dict()
    richer = position.to_dict()
    richer["companies"][0]["money"] += 10
    assert guess_of(Position.from_dict(richer)) == pytest.approx(guess_of(position) + 10 * insight.MONEY)
    assert guess_of(Position.from_dict(richer), 1) == guess_of(position, 1) > 0
    games = position.games.copy()
    games["round_number"] = t.ROUNDS - insight.FADING_ROUNDS // 2
    assert insight.guess(games[0], 0) == pytest.approx(guess_of(Position.from_dict(start)) / 2)
    games["round_number"] = t.ROUNDS
    assert insight.guess(games[0], 0) == 0


@pytest.mark.parametrize("table", TABLES[1:3], ids=mode_name)
def test_the_guess_contains_the_best_incomplete_link(table):
    found = []
    for game in boards(table):
        best = 0.0
        for a, b in itertools.combinations(LARGE, 2):
            steps = missing(game["owner"], 1, a, b)
            points = t.LINK_VP[t.CITY_LINK_POINTS[a] + t.CITY_LINK_POINTS[b], t.LEVEL_RAILROAD]
            if 0 < steps < insight.FARTHEST:
                best = max(best, insight.LINK * points * insight.NEARER**steps)
        found.append(best)
        wanted = insight.fading(game) * (insight.holdings(game, 1) + best)
        assert insight.guess(game, 1) == pytest.approx(wanted)
    assert len(set(found)) > 3
