"""The log, the board as text, and the statistics."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from carnegie_env.core import log
from carnegie_env.steel_driver import board, events, names, state, usage
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.game import STEEL_DRIVER, Batch, Position
from carnegie_env.steel_driver.rules import transcontinental
from tests.steel_driver.test_scenarios import SCENARIOS, start
from tests.steel_driver.test_scenarios import games as scenario_games
from tests.steel_driver.walks import at, first, played, walk


def told(position, action):
    """The log of a decision and the forced ones after it."""
    return [line for step in log.steps(position, action) for line in log.tell(STEEL_DRIVER, step, 0)]


def play(position, *actions):
    for action in actions:
        position.apply(action)


def sold():
    """A game of three players with three companies sold."""
    position = Position.new({"num_players": 3})
    play(position, "open red 9", "pass", "pass", "open yellow 9", "pass", "open green 10")
    assert position.phase == "open"
    return position


def test_auctions_are_told():
    position = Position.new({"num_players": 3})
    assert told(position, "open red 3") == told(position, "pass") == []
    play(position, "open red 3", "bid 5")
    assert told(position, "bid 6") == []
    play(position, "bid 6", "pass")
    assert told(position, "pass") == [("player_2", "bought red for 6")]
    assert told(position, "bid 9") == []
    outbid = ("player_2", "could not bid more than 10")
    assert told(position, "bid 10")[:2] == [outbid, ("player_1", "bought red for 10")]
    assert ("player_0", "bought blue for 10") in told(Position.new({"num_players": 3}), "open blue 10")


def test_a_round_is_told():
    position = sold()
    while position.phase == "open":
        position.apply("pass")
    assert told(position, "build baltimore pittsburgh")[0] == ("player_0", "red paid 3 cubes, earned $40")
    play(position, "build baltimore pittsburgh")
    assert told(position, "build new_york boston") == [("player_1", "yellow paid 2 cubes, earned $30")]
    play(position, "build new_york boston")
    lines = told(position, "build charleston atlanta")
    assert lines[0] == ("player_2", "green paid 2 cubes, earned $30")
    play(position, "build charleston atlanta")
    while position.round == 1:
        action = position.legal_actions()[0]
        lines += told(position, action)
        position.apply(action)
    passes = [text.removesuffix(" passed") for who, text in lines if not who and text.endswith("passed")]
    assert sorted(passes) == sorted(t.COMPANIES) and passes[:3] == ["blue", "grey", "brown"]
    assert position.to_dict()["order"] == passes
    for seat, player in enumerate(position.to_dict()["players"]):
        profits = [re.fullmatch(r"got \$(\d+) from \w+", text) for who, text in lines if who == f"player_{seat}"]
        assert sum(int(found[1]) for found in profits if found) == player["cash"]
    assert lines[-1] == ("", "round 2: player_0 has the active-player marker, each player gets 10 cubes")


@pytest.mark.parametrize("style", ["opener", "high"])
def test_events_agree_with_the_positions(style):
    counts = Counter()
    for seed in range(3):
        games, actions = played(5, style, seed)
        for k, action in enumerate(actions):
            for step in log.steps(at(games, k), action):
                before, after = step.before, step.after
                handed_on = [arguments[0] for kind, arguments in step.events if kind == events.NO_CUBES]
                if handed_on and after.phase == state.OPEN:
                    assert handed_on == [(after.marker - k) % 5 for k in range(len(handed_on), 0, -1)]
                    counts["no cubes"] += 1
                for kind, arguments in step.events:
                    if kind == events.ROUND and after.phase == state.OPEN and not handed_on:
                        assert arguments[:2] == (after.round_number, after.marker)
                        counts["round"] += after.marker > 0
                    elif kind == events.CONTROLS:
                        assert after.controller[arguments[1]] == arguments[0] >= 0
                        counts["controls"] += 1
                    elif kind == events.SETS:
                        company = arguments[1]
                        assert arguments[0] == before.to_play
                        assert arguments[2:] == (before.profit[company], after.profit[company])
                        counts["sets"] += 1
    assert counts["round"] and counts["controls"] and counts["sets"] and (counts["no cubes"] or style == "opener")


def test_the_transcontinental_link_and_the_end_are_told():
    games, actions = next(game for seed in range(9) if (game := played(4, "opener", seed))[0][-1]["transcontinental"])
    found = dict.fromkeys(("completed the transcontinental link", "by the transcontinental link", "final scoring phase",
                           "took control of ", "'s sets $"), 0)  # fmt: skip
    for k, action in enumerate(actions):
        for _, text in told(at(games, k), action):
            for words in found:
                found[words] += words in text
    assert found == {
        "completed the transcontinental link": 1,
        "by the transcontinental link": int(games[-1]["transcontinental"]).bit_count(),
        "final scoring phase": 1,
        "took control of ": (games[-1]["controller"] >= 0).sum(),
        "'s sets $": games[-1]["goods"].sum(),
    }
    bonuses = [transcontinental.bonus(games[-1], company) for company in range(t.NUM_COMPANIES)]
    took_part = [int(games[-1]["transcontinental"]) >> company & 1 for company in range(t.NUM_COMPANIES)]
    assert [bonus > 0 for bonus in bonuses] == took_part and min(bonuses) == 0


def test_nobody_controls_a_company_that_was_never_sold():
    position, lines = sold(), []
    while not position.is_over:
        action = "pass" if "pass" in position.legal_actions() else position.legal_actions()[0]
        lines += told(position, action)
        position.apply(action)
    controlled = [text.removeprefix("took control of ") for _, text in lines if text.startswith("took control of ")]
    assert sorted(controlled) == ["green", "red", "yellow"]


def test_every_kind_of_event_is_emitted():
    found = set()
    games = [(Position.new({"num_players": players}, 1), played(players, "opener", 1)[1]) for players in (3, 4, 6)]
    games += [(next(scenario_games(each, Position)), each.get("actions", [])) for each in SCENARIOS.values()]
    for position, actions in games:
        for action in actions:
            found |= {kind for step in log.steps(position, action) for kind, _ in step.events}
            position.apply(action)
    assert found == set(range(len(events.EVENTS)))


def test_the_board():
    games = walk(6, "opener", 1)
    for k in range(0, len(games), 9):
        position = at(games, k)
        for width in (80, 100, 120):
            lines = position.render(width).splitlines()
            assert max(map(len, lines)) <= width and "" in lines
        text = position.render(120)
        for name, company in position.to_dict()["companies"].items():
            row = next(line for line in lines if line.startswith(f"{name} ") and "$" in line)
            assert f"${company['profit']}" in row
            for city in {city for link in company["links"] for city in link.split()}:
                code = t.CITIES.index(city)
                assert f"{names.CITIES[code]}:{t.CITY_VALUE[code]}{t.GOODS[t.CITY_GOODS[code]][0]}" in text
    assert "FINAL SCORE" in at(games, len(games) - 1).render()


def test_the_board_in_auctions():
    """It lists the next links of every company for sale with cost and $, and how often the marker was passed."""
    position = Position.from_dict(start(SCENARIOS["transcontinental:denver_omaha"]))
    while position.phase == "build":
        position.apply(next(text for text in ("build omaha denver", *position.legal_actions()) if
                            text in position.legal_actions()))  # fmt: skip
    assert position.phase == "open"
    lines = position.render(120).splitlines()
    shown = position.to_dict()
    assert lines[1] == f"auctions, marker passed 0 times: player_{position.to_play} decides"
    links = lines[next(k for k, line in enumerate(lines) if line.startswith("NEXT LINKS")) :]
    taken = {link for company in shown["companies"].values() for link in company["links"]}
    for name, company in shown["companies"].items():
        k = next(k for k, line in enumerate(links) if line.startswith(f"  {name}: "))
        block = [links[k], *itertools.takewhile(lambda line: line.startswith("    "), links[k + 1 :])]
        found = " ".join(" ".join(block).split()).removeprefix(f"{name}: ")
        cities = {city for link in company["links"] for city in link.split()}
        wanted = {}
        for route, cost in zip(t.ROUTES, t.ROUTE_COST.tolist(), strict=True):
            new = [city for city in route.split() if city not in cities]
            if len(new) == 1 and route not in taken:
                city = t.CITIES.index(new[0])
                wanted[city] = min(cost, wanted.get(city, 99))
        prices = {f"{names.CITIES[city]} {cost}/${t.CITY_VALUE[city]}" for city, cost in wanted.items()}
        assert set(found.split(", ")) == (prices or {"-"})
    position.apply("pass")
    assert position.render(80).splitlines()[1] == f"auctions, marker passed 1 time: player_{position.to_play} decides"


def test_first_links_and_the_bonus_on_the_board():
    new = " ".join(Position.new({"num_players": 3}).render(80).split())
    assert "red, yellow, green, blue, grey, brown: Boston-Albany 2/$20, Boston-New York 2/$50, New York-Boston" in new
    assert "Baltimore-Pittsburgh 3/$40" in new and "Pittsburgh-Baltimore" not in new
    written = start(SCENARIOS["transcontinental:denver_omaha"])
    for company in written["companies"].values():
        company |= {"controller": None, "sold": False}
    written["players"][0]["cubes"], written["supply"] = 1, written["supply"] - 1
    position = Position.from_dict(written | {"phase": "open", "active": None, "passed": [], "to_play": 0, "marker": 0})
    text = " ".join(position.render(80).split())
    assert "Omaha 4/$30 + $50, Kansas City 5/$40 + $50" in text


def test_choices_name_what_is_legal():
    games = walk(4, "opener", 1)
    opening = at(games, first(games, state.OPEN))
    cities = "red, yellow, green, blue, grey, brown"
    assert board.choices(opening, 120) == [f"pass, open COMPANY CUBES: {cities}; 1 to 8"]
    bidding = at(games, first(games, state.BID))
    raised = bidding.record.bid + 1
    assert board.choices(bidding, 120) == [f"pass, bid CUBES: {raised} to 8" if raised < 8 else "pass, bid CUBES: 8"]
    last = Position.new({"num_players": 3})
    play(last, "open red 9")
    assert board.choices(last, 120) == ["pass, bid CUBES: 10"]
    for phase in (state.BUILD, state.GOODS):
        for skip in (0, 8):
            position = at(games, first(games, phase, skip))
            lines = " ".join(" ".join(board.choices(position, 200)).split())
            assert all(names.WORDINGS[number] in lines for number in position.legal_numbers())
    red = Position.new({"num_players": 3})
    play(red, "open red 9", "pass", "pass", *["pass"] * 3)
    assert "build Baltimore to Pittsburgh (3 cubes, $40)" in " ".join(board.choices(red, 500))
    assert "build New York to Boston (2 cubes, $30)" in " ".join(board.choices(red, 500))


def test_the_bonus_of_a_transcontinental_link():
    """The rulebook's example: choices show the bonus with the link, the log shows it separately."""
    position = Position.from_dict(start(SCENARIOS["transcontinental:denver_omaha"]))
    lines = " ".join(board.choices(position, 500))
    assert "build Omaha to Denver (4 cubes, $30 + $50)" in lines
    assert "build Kansas City to Denver (5 cubes, $40 + $50)" in lines
    assert lines.count(" + $50") == 2
    assert told(position, "build omaha denver") == [
        ("player_2", "green paid 4 cubes, earned $30"),
        ("", "green completed the transcontinental link"),
        *(
            ("", f"{name} earned ${bonus} by the transcontinental link")
            for name, bonus in (("red", 30), ("yellow", 30), ("green", 50), ("brown", 30))
        ),
    ]


def test_statistics():
    batch = Batch(20, num_threads=1)
    batch.reset(0)
    counts, generator = np.zeros(len(STEEL_DRIVER.texts), np.int64), np.random.default_rng(0)
    while not batch.done.all():
        chosen = batch.sample_actions(generator)
        np.add.at(counts, chosen[chosen >= 0], 1)
        batch.step(chosen)
    (_, kinds), (_, companies), (_, linked) = usage.tables(batch, counts)
    assert [name for name, _ in kinds] == ["pass", "bid", "open", "build", "take goods"]
    assert np.isclose(sum(float(n) for _, n in kinds), counts.sum() / 20, atol=0.05)
    assert [name for name, _ in companies] == list(t.COMPANIES)
    assert 0 < float(linked[0][1]) < 1
