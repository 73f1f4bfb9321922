"""What holds in every game of Steel Driver, whoever plays it: nothing is lost or made, every legal action can be taken,
a round pays what companies have earned. The checks read the position's dictionary and count for themselves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carnegie_env.steel_driver.game import Position
from tests.steel_driver import pieces
from tests.steel_driver.referee import play
from tests.steel_driver.referee.components import COMPANIES


def games(number: int) -> settings:
    """So many examples, each a whole game."""
    return settings(max_examples=number, suppress_health_check=[HealthCheck.too_slow])


tables = st.tuples(st.integers(3, 6), st.integers(0, 999), st.sampled_from(play.STYLES), st.booleans())


@cache
def positions(num_players: int, seed: int, style: str, show_forced: bool) -> list[tuple[Position, str]]:
    """A game: the position at every decision with the action taken there, and at last the end with none."""
    position = Position.new({"num_players": num_players, "show_forced": show_forced}, seed)
    chance, found = random.Random(seed), []
    while not position.is_over:
        found.append((position.copy(), play.choose(chance, position.to_dict(), set(position.legal_actions()), style)))
        position.apply(found[-1][1])
    return [*found, (position, "")]


def steps(table: tuple[int, int, str, bool]) -> Iterator[tuple[dict, str, dict]]:
    """Every decision: the position before it, the action, the position after it."""
    game = positions(*table)
    for (before, action), (after, _) in zip(game, game[1:], strict=False):
        yield before.to_dict(), action, after.to_dict()


@games(12)
@given(tables)
def test_nothing_is_lost_or_made(table: tuple[int, int, str, bool]) -> None:
    for position, _ in positions(*table):
        pieces.check(position.to_dict())


@games(6)
@given(tables)
def test_decisions_are_choices(table: tuple[int, int, str, bool]) -> None:
    for position, action in positions(*table):
        legal = position.legal_actions()
        assert len(set(legal)) == len(legal) and (action in legal if action else not legal)
        assert len(legal) != 1 or (table[3] and legal != ["pass"])


@games(6)
@given(tables)
def test_the_auctions(table: tuple[int, int, str, bool]) -> None:
    """Nobody bids more than he has, not less than the standing bid; a company is sold once a round."""
    for before, action, _ in steps(table):
        has = before["players"][before["to_play"]]["cubes"] if before["to_play"] is not None else 0
        match action.split():
            case ["open", name, cubes]:
                assert before["phase"] == "open" and not before["companies"][name]["sold"]
                assert 1 <= int(cubes) <= has and before["to_play"] == before["marker"]
            case ["bid", cubes]:
                assert before["phase"] == "bid" and before["auction"]["bid"] < int(cubes) <= has
                assert before["to_play"] != before["auction"]["bidder"]
                assert before["to_play"] not in before["auction"]["passed"]


@games(6)
@given(tables)
def test_rounds(table: tuple[int, int, str, bool]) -> None:
    """At the end of a round the order of passing is the new order, profits are paid, nothing is controlled any more."""
    for before, _, after in steps(table):
        last = after["phase"] in ("goods", "over") and before["phase"] not in ("goods", "over")
        if after["round"] == before["round"] and not last:
            assert after["order"] == before["order"]
            assert [p["cash"] for p in after["players"]] == [p["cash"] for p in before["players"]]
            continue
        assert last or after["round"] == before["round"] + 1
        assert after["order"][: len(before["passed"])] == before["passed"]
        if not last:
            assert not any(company["sold"] for company in after["companies"].values())
        for seat, player in enumerate(before["players"]):
            profits = [c["profit"] for c in before["companies"].values() if c["controller"] == seat]
            assert after["players"][seat]["cash"] >= player["cash"] + sum(profits)


@games(6)
@given(tables)
def test_the_end(table: tuple[int, int, str, bool]) -> None:
    """The score is what the dictionary says: cash and shares at the value of the sets; goods of whom one controls."""
    position, _ = positions(*table)[-1]
    d = position.to_dict()
    assert (d["phase"], d["round"], d["active"], d["to_play"]) == ("over", pieces.ROUNDS, None, None)
    values = {name: pieces.sets_of(d["companies"][name]) for name in COMPANIES}
    results = []
    for seat, row in enumerate(position.score_breakdown()):
        player = d["players"][seat]
        assert row["cash"] == player["cash"]
        assert row["shares"] == sum(player["shares"][name] * values[name] for name in COMPANIES)
        controlled = [company for company in d["companies"].values() if company["controller"] == seat]
        assert row["goods"] == sum(sum(company["goods"].values()) for company in controlled)
        assert row["total"] == row["cash"] + row["shares"]
        results.append((row["total"], row["goods"]))
    assert position.places() == [sum(other > result for other in results) for result in results]


def test_the_seed_changes_nothing() -> None:
    """Ruling 55: nothing is drawn, seat 0 begins."""
    one, other = (Position.new({"num_players": 4}, seed).to_dict() for seed in (1, 2))
    assert one["rng"] != other["rng"] and one | {"rng": 0} == other | {"rng": 0}
