"""The referee by itself: whole games keep all pieces, and the rulebook's worked examples come out."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.referee import Referee, play, setup
from tests.referee.components import (
    ALL_TILES,
    CARDS,
    CITIES,
    DEPARTMENTS,
    DONATION_CELLS,
    LOBBY,
    PANELS,
    REGIONS,
    ROWS,
    SHEET,
    TABS,
    TILES,
)

MODES = [(1, "beginner"), (1, "normal"), (1, "difficult"), (1, "expert"), (2, None), (3, None), (4, None)]
SPACE = {department: space for space, department in setup.STARTING_SPACE.items()}


# -------------------------------------------------------------------------------------------- positions by hand
def table(num_players: int = 2, modules: tuple[str, ...] = ()) -> dict:
    """A fixed start: timeline tiles 1-4 front side up, one copy of tiles taken out; no tiles of expansion 1."""
    return setup.start_position(
        num_players=num_players,
        first_player=0,
        timeline=[(1, "front"), (2, "front"), (3, "front"), (4, "front")],
        removed=TILES if num_players <= 2 else TILES[: setup.TILES_REMOVED[num_players]],
        deck=[f"N{n:02}" for n in range(1, 21)] if num_players == 1 else None,
        difficulty="beginner" if num_players == 1 else None,
        modules=modules,
    )


def first_round(num_players: int = 2, modules: tuple[str, ...] = ()) -> dict:
    """Before the first timeline is chosen: nobody moved anybody, nobody has goods or money, the events to come find
    nobody on a mission."""
    referee = Referee.from_dict(table(num_players, modules))
    while referee.phase != "timeline":
        legal = referee.legal_actions()
        referee.apply("pass" if "pass" in legal else min(legal))
    d = referee.to_dict()
    for c in d["companies"]:
        c["money"] = c["goods"] = 0
    for row in ROWS:
        d["timeline"]["spaces"][row][:4] = [["west"], ["midwest"], ["east"], ["south"]]
    return d


def employees(active: int = 0, inactive: int = 0) -> dict:
    return {"active": active, "inactive": inactive}


def played(d: dict, *actions: str) -> Referee:
    referee = Referee.from_dict(d)
    for action in actions:
        referee.apply(action)
    return referee


def company(referee: Referee, seat: int = 0) -> dict:
    return referee.to_dict()["companies"][seat]


# ---------------------------------------------------------------------------------------------------- whole games
def check_pieces(d: dict) -> None:
    for seat, c in enumerate(d["companies"]):
        name = f"player_{seat}"
        on_tabs = 0
        for project, tab in c["tabs"].items():
            facts = TABS[project]
            developed = min(max(tab["uncovered"] - facts.blank_sections, 0), facts.project_sections)
            assert 0 <= tab["built"] <= developed
            on_tabs += developed - tab["built"]
        in_cities = sum(owners.count(name) for owners in d["cities"].values())
        given = sum(owners.count(name) for owners in d["donations"].values())
        assert in_cities == sum(tab["built"] for tab in c["tabs"].values())
        assert given == c["donations_made"]
        assert c["disks"] >= 0 and c["disks"] + on_tabs + in_cities + given == 30 - 1 - 4  # score and transport markers
        on_board = sum(here["active"] + here["inactive"] for here in c["employees"].values())
        arriving = d["turn"]["arrivals"] if d["to_play"] == seat else 0
        assert on_board + sum(c["missions"].values()) + c["reserve"] + arriving == 15
        for space, here in c["employees"].items():
            department = c["departments"].get(space)
            assert here["active"] <= (len(DEPARTMENTS[department].workstations) if department else 0)
        assert len(set(c["departments"].values())) == len(c["departments"]) and LOBBY not in c["departments"]
        assert min(c["money"], c["goods"], c["reserve"]) >= 0
        assert c["vp"] >= (min(c["sheet"]["points"] or 0, 0) if c["sheet"] else 0)
    if d["andrew"]:
        disks = d["andrew"]["disks"]
        disks += sum(owners.count("andrew") for owners in [*d["cities"].values(), *d["donations"].values()])
        assert disks == 26
    built = [tile for c in d["companies"] for tile in c["departments"].values() if tile in ALL_TILES]
    built += [c["reserved"] for c in d["companies"] if c["reserved"]]
    andrews = sum(d["andrew"]["departments"].values()) if d["andrew"] else 0
    assert len(built) + andrews + sum(d["display"].values()) == 32 - setup.TILES_REMOVED[len(d["companies"])]
    copies = Counter(built) + Counter(d["display"]) + Counter(d["andrew"]["departments"] if d["andrew"] else {})
    options = d["options"]
    assert max(copies.values()) <= (1 if options["diverse_setup"] else 2)
    if options["new_departments"] and not options["diverse_setup"]:
        assert max(Counter(DEPARTMENTS[tile].type for tile in copies).values()) <= setup.PER_TYPE
    elif not options["diverse_setup"]:
        assert set(copies) <= set(TILES)
    for region in REGIONS:
        markers = [c["transport"][region] for c in [*d["companies"], *([d["andrew"]] if d["andrew"] else [])]]
        assert markers.count(4) <= 1 or "archives" in built
    assert all((c["sheet"] is not None) == options["new_start"] for c in d["companies"])
    assert (d["panels"] is not None) == options["new_donations"]
    tiles = [tile for tile in (d["panels"] or {}).values() if tile is not None]
    assert len(set(tiles)) == len(tiles) <= len(d["companies"])


def play_out(referee: Referee, rng: random.Random, style: str) -> int:
    decisions = 0
    while legal := referee.legal_actions():
        d = referee.to_dict()
        check_pieces(d)
        assert Referee.from_dict(d).legal_actions() == legal
        assert len(legal) > 1 or d["options"]["show_forced"]
        referee.apply(play.choose(rng, d, legal, style))
        decisions += 1
    return decisions


@pytest.mark.parametrize("style", play.STYLES)
@pytest.mark.parametrize(("num_players", "difficulty"), MODES)
def test_whole_games(num_players: int, difficulty: str | None, style: str) -> None:
    rng = random.Random(f"{num_players} {difficulty} {style}")
    for timeline_tiles, show_forced in [("columns", False), ("rows", True)]:
        referee = Referee.from_dict(play.random_start(rng, num_players, difficulty, timeline_tiles, show_forced))
        play_out(referee, rng, style)
        d = referee.to_dict()
        assert (d["phase"], d["to_play"], d["round"]) == ("over", None, 20)
        assert set(d["timeline"]["markers"].values()) == {5}
        scores = referee.score_breakdown()
        assert len(scores) == num_players + (num_players == 1)
        for score in scores:
            parts = sum(vp for name, vp in score.items() if name not in ("donations", "total"))
            assert score["total"] == parts + sum(score["donations"].values())


def combinations(num_players: int) -> list[tuple[str, ...]]:
    """Expansion 1: all modules that go together in the game, and each of them alone."""
    allowed = [module for module in setup.MODULES if num_players > 1 or module not in setup.NOT_IN_SOLO]
    return [tuple(allowed), *((module,) for module in allowed)]


@pytest.mark.parametrize(("num_players", "difficulty"), MODES)
def test_whole_games_with_the_expansion(num_players: int, difficulty: str | None) -> None:
    rng = random.Random(f"{num_players} {difficulty} expansion")
    for modules in [*combinations(num_players), combinations(num_players)[0]]:
        referee = Referee.from_dict(play.random_start(rng, num_players, difficulty, modules=modules))
        while referee.phase != "timeline" or referee.round < 3:
            referee.apply(play.choose(rng, referee.to_dict(), referee.legal_actions(), "manager"))
        rich = play.enrich(rng, referee.to_dict())
        referee = Referee.from_dict(rich)
        assert referee.to_dict() == rich
        play_out(referee, rng, "manager")
        for score in referee.score_breakdown()[:num_players]:
            assert ("final_effects" in score) == (not {"new_departments", "diverse_setup"}.isdisjoint(modules))
            assert ("secret_donation" in score) == ("secret_donation" in modules)
            parts = sum(vp for name, vp in score.items() if name not in ("donations", "total"))
            assert score["total"] == parts + sum(score["donations"].values())


@pytest.mark.parametrize(("num_players", "difficulty"), [(1, "normal"), (3, None)])
def test_a_game_goes_on_the_same_from_its_dictionary(num_players: int, difficulty: str | None) -> None:
    """Every position is complete: a referee made anew at each decision plays the same game."""
    rng = random.Random(5)
    modules = combinations(num_players)[0] if num_players > 1 else ()
    referee = Referee.from_dict(play.random_start(rng, num_players, difficulty, modules=modules))
    while legal := referee.legal_actions():
        action = play.choose(rng, referee.to_dict(), legal, "manager")
        anew = Referee.from_dict(referee.to_dict())
        referee.apply(action)
        anew.apply(action)
        assert anew.to_dict() == referee.to_dict()
        assert anew.score_breakdown() == referee.score_breakdown()


@pytest.mark.parametrize(("num_players", "difficulty"), MODES)
def test_richer_positions_are_complete(num_players: int, difficulty: str | None) -> None:
    rng = random.Random(num_players)
    referee = Referee.from_dict(play.random_start(rng, num_players, difficulty))
    while referee.phase != "timeline":
        referee.apply(play.choose(rng, referee.to_dict(), referee.legal_actions(), "manager"))
    rich = play.enrich(rng, referee.to_dict())
    check_pieces(rich)
    play_out(Referee.from_dict(rich), rng, "manager")


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(ValueError, match="timeline"):
        Referee.from_dict(first_round()).apply("pass")


# --------------------------------------------------------------------------------------------------- set-up (1.3)
def test_neutral_disks() -> None:
    cells, spaces = setup.place_neutral_disks(["N01", "N02", "A01", "N05"], 10)
    # A01 names a cell and two small cities that are taken already: all three are skipped, not spent
    assert cells == ["education_human_resources", "education_management", "health_midwest"]
    assert spaces == [
        ("salt_lake_city", 0),
        ("reno", 0),
        ("st_louis", 0),
        ("chicago", 0),
        ("san_francisco", 0),
        ("santa_fe", 0),
    ]
    assert setup.place_neutral_disks(["N12", "N16"], 4)[1] == [("new_york", 0), ("chicago", 0), ("new_orleans", 0)]
    every_card = setup.place_neutral_disks(list(CARDS), 18)
    assert len(every_card[0]) + len(every_card[1]) == 18
    # a city is filled from the left
    assert setup.place_neutral_disks(["N05", "N06", "N20"], 9)[1][::2] == [
        ("san_francisco", 0),
        ("san_francisco", 1),
        ("san_francisco", 2),
    ]


def test_timeline_as_columns_and_rows() -> None:
    tiles = [(1, "front"), (2, "back"), (3, "front"), (4, "front")]
    columns = setup.timeline_spaces(tiles, "columns")
    assert columns["human_resources"] == [["west"], ["south"], ["east"], ["south"], ["east", "donation"]]
    assert columns["research"] == [["east"], ["donation"], ["donation"], ["donation"], ["west", "donation"]]
    rows = setup.timeline_spaces(tiles, "rows")
    assert rows["management"] == [["south"], ["west"], ["midwest"], ["donation"], ["midwest", "donation"]]


@pytest.mark.parametrize("difficulty", ["beginner", "normal", "difficult", "expert"])
def test_andrews_deck(difficulty: str) -> None:
    deck = play.random_start(random.Random(1), 1, difficulty)["andrew"]["deck"]
    assert [name for name in setup.ADVANCED_CARDS if setup.deck_fits(deck, name)] == [difficulty]


@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
def test_order_of_the_set_up(num_players: int) -> None:
    """Ruling 3: sides clockwise; housing and reserve counter-clockwise, ending with the first; moves clockwise."""
    rng = random.Random(3)
    d = play.random_start(rng, num_players, "normal" if num_players == 1 else None)
    d["first_player"] = d["to_play"] = first = num_players // 2
    seats: dict[str, list[int]] = {}
    referee = Referee.from_dict(d)
    while referee.phase != "timeline":
        seen = seats.setdefault(referee.phase, [])
        if not seen or seen[-1] != referee.to_play:
            seen.append(referee.to_play)
        legal = referee.legal_actions()
        referee.apply("pass" if "pass" in legal and rng.random() < 0.2 else rng.choice(sorted(legal)))
    clockwise = [(first + i) % num_players for i in range(num_players)]
    assert seats["sides"] == seats["setup_moves"] == clockwise
    assert seats["housing"] == seats["reserve"] == clockwise[1:][::-1] + [first]
    for c in referee.to_dict()["companies"]:
        assert c["tabs"]["housing"] | {"side": "-"} == {"side": "-", "uncovered": 1, "built": 1}
        assert c["disks"] == 22 and c["reserved"] in TILES


def test_solo_offers_every_equal_space() -> None:
    """Ruling 23."""
    for num_players in (1, 2):
        d = table(num_players)
        d["phase"] = "housing"
        legal = Referee.from_dict(d).legal_actions()
        assert ("build housing in new_orleans" in legal) == (d["cities"]["new_orleans"][0] is None)
        d["cities"]["new_orleans"] = [None] * 5
        legal = Referee.from_dict(d).legal_actions()
        assert "build housing in new_orleans" in legal
        assert ("build housing in new_orleans space 3" in legal) == (num_players == 1)
        d["cities"]["new_orleans"][0] = "neutral"
        assert "build housing in new_orleans space 3" in Referee.from_dict(d).legal_actions()


# ------------------------------------------------------------------------------------- the rulebook's worked examples
def test_activating_what_can_be_paid() -> None:
    """1.4.2: with $4 the employees whose workstations are cheap are activated, the one for $5 is not."""
    d = first_round()
    d |= {"phase": "activation", "to_play": 1, "round": 1}
    d["timeline"] |= {"chosen": "research", "advancing": "research"}
    c = d["companies"][1]
    c |= {"money": 4}
    c["departments"]["r0c0"] = "safety_and_quality"  # $5
    c["employees"]["r0c0"] = employees(inactive=1)
    c["employees"][SPACE["human_resources"]] = employees(inactive=2)  # $1 each
    c["employees"][SPACE["construction"]] = employees(inactive=1)  # $2
    referee = Referee.from_dict(d)
    assert "activate r0c0" not in referee.legal_actions()
    for space in (SPACE["construction"], SPACE["human_resources"]):
        referee.apply(f"activate {space}")
    assert referee.legal_actions() == {"pass", f"activate {SPACE['human_resources']}"}
    referee.apply(f"activate {SPACE['human_resources']}")
    assert company(referee, 1)["money"] == 0
    assert referee.phase == "timeline"


def test_a_row_that_has_ended() -> None:
    """2.1, Thomas: Human Resources has ended; Management is flipped, gives the event and advances."""
    d = first_round()
    d["timeline"]["markers"] = {"human_resources": 5, "management": 4, "construction": 0, "research": 0}
    d["companies"][0]["missions"]["midwest"] = 1  # the region of Management's End space
    d["companies"][0]["employees"][LOBBY]["inactive"] -= 1
    d["companies"][0]["money"] = 5
    referee = played(d, "timeline human_resources")
    assert referee.phase == "recover"
    t = referee.to_dict()["timeline"]
    assert (t["chosen"], t["advancing"]) == ("human_resources", "management")
    referee.apply("recover 1")
    assert referee.phase == "donation"  # the End space has both events
    referee.apply("pass")
    assert referee.to_dict()["turn"]["action"] == "human_resources"
    while referee.phase != "timeline":
        referee.apply("pass")
    markers = referee.to_dict()["timeline"]["markers"]
    assert markers == {"human_resources": 5, "management": 5, "construction": 0, "research": 0}
    # and with Management ended, too, Construction is flipped
    assert played(referee.to_dict(), "timeline human_resources").to_dict()["timeline"]["advancing"] == "construction"


def test_income_example() -> None:
    """2.2.1, Maria: two employees from the Midwest earn $2 each; her two projects earn $2 and 1 good."""
    d = first_round()
    d["timeline"]["spaces"]["research"][0] = ["midwest"]
    c = d["companies"][0]
    c["missions"]["midwest"] = 2
    c["employees"][LOBBY]["inactive"] -= 2
    c["transport"]["midwest"] = 1
    c["tabs"]["industry"]["built"] = 1
    d["cities"]["san_francisco"][2] = "player_0"
    referee = played(d, "timeline research", "recover 2")
    after = company(referee)
    assert (after["money"], after["goods"]) == (4 + 2, 1)
    assert after["employees"][LOBBY] == employees(inactive=5)
    nothing = company(played(d, "timeline research", "recover 0"))
    assert (nothing["money"], nothing["goods"], nothing["missions"]["midwest"]) == (0, 0, 2)


def test_income_choices() -> None:
    """Rulings 10-12: transport per employee, research spent at once or lost, then tab choices one by one."""
    d = first_round()
    d["timeline"]["spaces"]["research"][0] = ["midwest"]
    c = d["companies"][0]
    c["missions"]["midwest"] = 1
    c["employees"][LOBBY]["inactive"] -= 1
    c["transport"]["midwest"] = 2  # 3 research points per employee
    c["departments"]["r0c0"] = "new_lobby"
    c["tabs"]["housing"] |= {"uncovered": 2, "built": 2}
    c["tabs"]["commerce"] |= {"uncovered": 2, "built": 2}
    c["disks"] -= 2
    referee = played(d, "timeline research", "recover 1")
    assert referee.phase == "lobby_recover"
    assert referee.legal_actions() == {"new lobby 0", "new lobby 1"}
    referee.apply("new lobby 1")
    assert referee.phase == "research" and referee.to_dict()["turn"]["research"] == 3
    assert "advance midwest" in referee.legal_actions() and "advance public" not in referee.legal_actions()
    referee.apply("advance housing")  # 1 point is left: it pays for a first step in the South
    assert referee.legal_actions() == {"pass", "advance south"}
    referee.apply("pass")
    assert referee.phase == "tab_income" and company(referee)["money"] == 4  # $2 of housing, $2 of commerce
    assert referee.legal_actions() == {"take employee", "take money"}
    referee.apply("take employee")
    referee.apply("new lobby 0")
    assert referee.legal_actions() == {"take goods", "take money"}
    referee.apply("take money")
    after = company(referee)
    assert (after["money"], after["reserve"]) == (7, 4)
    assert after["employees"]["r0c0"] == employees(inactive=1) and after["employees"][LOBBY] == employees(inactive=5)


def test_donation_costs() -> None:
    """2.2.2: $5, $10, $15; 3.3.12: $3, $6, $9 with Communications."""
    for communications, costs in [(False, [5, 10, 15]), (True, [3, 6, 9])]:
        d = first_round()
        d["timeline"]["spaces"]["construction"][0] = ["donation"]
        d["donations"] = {}
        c = d["companies"][0]
        c["money"], c["goods"] = 29, 1
        c["departments"]["r0c0"] = "communications"
        c["employees"]["r0c0"] = employees(active=int(communications), inactive=1)
        wealth = 30
        for n, cell in enumerate(["welfare_goods", "welfare_money", "health_west"]):
            referee = played(d, "timeline construction", f"donate {cell}")
            after = company(referee)
            wealth -= costs[n]
            assert after["money"] + after["goods"] == wealth and after["donations_made"] == n + 1
            assert after["disks"] == 22 - n - 1
            d["companies"][0] |= {k: after[k] for k in ("money", "goods", "donations_made", "disks")}
            d["donations"] = referee.to_dict()["donations"]
        assert "player_0" in d["donations"]["health_west"]


def test_human_resources_example() -> None:
    """2.3.1, Marie: one employee and the permanent one make 6 moves; 2 to Human Resources, 2 + 2 to Construction."""
    d = first_round()
    d["companies"][0]["employees"][LOBBY] = employees(inactive=5)
    referee = played(d, "timeline human_resources")
    assert referee.to_dict()["turn"]["moves"] == 6
    for to in ("construction", "construction"):
        referee.apply(f"lift inactive {LOBBY}")
        referee.apply(f"to {SPACE[to]}")
    assert referee.to_dict()["turn"]["moves"] == 2
    # an active employee of Human Resources who moves lies down; the moves stay
    referee.apply(f"lift active {SPACE['human_resources']}")
    assert referee.legal_actions() >= {f"to {SPACE['construction']}", f"to {LOBBY}"}
    referee.apply(f"to {SPACE['construction']}")
    assert referee.to_dict()["turn"]["moves"] == 1
    assert company(referee)["employees"][SPACE["construction"]] == employees(active=1, inactive=3)
    assert SPACE["human_resources"] not in company(referee)["employees"]


def test_management_example() -> None:
    """2.3.2, Thomas: 2 goods from Trade and Finance, then a department on an empty space for 2 goods."""
    d = first_round()
    c = d["companies"][0]
    c["employees"][SPACE["trade_and_finance"]] = employees(active=2)
    c["reserved"] = "engineering"
    referee = played(d, "timeline management", "trade_and_finance goods")
    assert not any(action.startswith("department") for action in referee.legal_actions())  # no employee lies on a site
    referee.apply("trade_and_finance goods")
    assert {a for a in referee.legal_actions() if a.startswith("department")} == {"department engineering"}
    referee.apply("department engineering")
    assert len(referee.legal_actions()) == 10
    referee.apply("to r0c3")
    after = company(referee)
    assert (after["goods"], after["departments"]["r0c3"], after["reserved"]) == (0, "engineering", None)
    assert referee.to_play == 1  # nothing but passing was left: Trade and Finance is used up


def test_building_price_with_an_employee() -> None:
    """2.3.2: 1 good where an employee is; 3.3.4: the New Lobby costs 2 more; one legal site is played at once."""
    d = first_round()
    c = d["companies"][0]
    c["goods"], c["reserved"] = 3, "new_lobby"
    c["employees"]["r0c1"] = employees(inactive=1)
    c["employees"][LOBBY]["inactive"] -= 1
    referee = played(d, "timeline management", "department new_lobby")
    assert company(referee)["departments"]["r0c1"] == "new_lobby" and company(referee)["goods"] == 0


def test_construction_example() -> None:
    """2.3.3, Marie: 2 goods build two housing projects or one industry; in Cincinnati the track pays her 2 goods."""
    d = first_round()
    c = d["companies"][0]
    c["employees"][SPACE["construction"]] = employees(active=3)
    c["employees"][LOBBY]["inactive"] -= 2
    c["tabs"]["housing"]["uncovered"] = 3
    c["disks"] -= 2
    c["goods"] = 2
    c["transport"]["midwest"] = 3
    d["cities"]["chicago"] = [None] * 5
    d["cities"]["cincinnati"] = [None]
    start = played(d, "timeline construction").to_dict()
    chicago = played(start, "build industry in chicago")
    after = company(chicago)
    assert (after["goods"], after["missions"]["midwest"], after["tabs"]["industry"]["built"]) == (0, 1, 1)
    assert after["employees"][SPACE["construction"]] == employees(active=2)
    assert chicago.to_dict()["cities"]["chicago"] == ["player_0", None, None, None, None]
    cincinnati = played(start, "build industry in cincinnati")
    assert company(cincinnati)["goods"] == 2
    housing = played(start, "build housing in chicago", "build housing in denver")
    assert company(housing)["goods"] == 0 and company(housing)["tabs"]["housing"]["built"] == 3


def test_research_example() -> None:
    """2.3.4, Marie: 3 + 4 + 4 + 4 = 15 points; the industry tab twice (3 VP now), the West three steps."""
    d = first_round()
    c = d["companies"][0]
    c["departments"]["r0c0"] = "advanced_design"
    c["employees"]["r0c0"] = employees(active=3)
    c["employees"][LOBBY]["inactive"] -= 3
    c["tabs"]["industry"] |= {"uncovered": 3, "side": "a"}
    c["disks"] -= 2
    referee = played(d, "timeline research")
    assert referee.to_dict()["turn"]["research"] == 15
    referee.apply("advance industry")
    assert company(referee)["disks"] == c["disks"] - 1
    assert referee.score_breakdown()[0]["tabs"] == 0
    referee.apply("advance industry")
    assert company(referee)["disks"] == c["disks"] - 1
    assert referee.score_breakdown()[0]["tabs"] == 3
    assert referee.to_dict()["turn"]["research"] == 7
    for _ in range(3):
        referee.apply("advance west")
    assert company(referee)["transport"]["west"] == 3
    assert referee.to_dict()["to_play"] == 1  # 0 points left: the turn is over


def test_last_space_of_a_track() -> None:
    """3.1: its reward at once, one marker only; 3.3.16: Telegraph Operators make a step cheaper, at least 1."""
    d = first_round()
    for c in d["companies"]:
        c["transport"] |= {"west": 3, "south": 0}
        c["departments"]["r0c0"] = "telegraph_operators"
        c["employees"]["r0c0"] = employees(active=1)
        c["employees"][SPACE["research_and_development"]] = employees(active=2)
        c["employees"][LOBBY]["inactive"] -= 2
    referee = played(d, "timeline research", "advance west")
    assert company(referee)["goods"] == 3 and referee.to_dict()["turn"]["research"] == 6 - (5 - 1)
    referee.apply("advance south")
    assert referee.to_dict()["turn"]["research"] == 1
    referee.apply("pass")
    assert referee.to_play == 1 and "advance west" not in referee.legal_actions()


def linked(cities: list[str], levels: dict[str, int]) -> int:
    d = first_round()
    for city, owners in d["cities"].items():
        d["cities"][city] = [None] * len(owners)
        if city in cities:
            d["cities"][city][-1] = "player_0"
    d["companies"][0]["transport"] |= levels
    return Referee.from_dict(d).score_breakdown()[0]["links"]


def test_links_examples() -> None:
    """2.5.1: Marie 27, Thomas 18; of two networks the better one counts."""
    west = ["san_francisco", "reno", "salt_lake_city", "denver"]
    assert linked([*west, "omaha", "chicago", "pittsburgh", "new_york"], {"west": 3, "midwest": 2, "east": 1}) == 27
    # San Francisco, New Orleans and Chicago: only "stagecoach" in the West
    chain = [*west, "kansas_city", "chicago", "dallas", "memphis", "new_orleans"]
    assert linked(chain, {"west": 2, "midwest": 2, "south": 2}) == 18
    assert linked([*chain, "pittsburgh", "new_york"], {"west": 3, "midwest": 2, "east": 1, "south": 2}) == 36
    two = ["san_francisco", "reno", "salt_lake_city", "denver", "omaha", "chicago", "new_orleans", "atlanta",
           "washington", "new_york"]  # fmt: skip
    assert linked(two, {"west": 0, "midwest": 4, "east": 4, "south": 4}) == 9
    assert linked(two, {"west": 3, "midwest": 4, "east": 0, "south": 0}) == 18
    assert linked(["san_francisco", "chicago"], {"west": 4, "midwest": 4}) == 0


# ------------------------------------------------------------------------------------------------ department tiles
def with_tile(tile: str, active: int = 1, **changes: object) -> dict:
    d = first_round()
    c = d["companies"][0]
    c["departments"]["r0c0"] = tile
    c["employees"]["r0c0"] = employees(active=active)
    c["employees"][LOBBY]["inactive"] -= active
    c |= changes
    return d


@pytest.mark.parametrize(
    ("tile", "actions", "gains"),
    [
        ("training_and_partnerships", ["training_and_partnerships money mission west"], {"money": 8}),
        ("recruiting", ["recruiting employee mission east"], {"reserve": -1}),
        ("safety_and_quality", ["safety_and_quality mission south"], {"vp": 3}),  # 5 of 6 are left: 3 pairs
        ("purchasing", ["purchasing money mission west"], {"money": 8}),
        ("purchasing", ["purchasing goods mission west"], {"goods": 3}),
        ("sales", ["sales 3"], {"money": 18, "goods": -3}),
        ("logistics", ["logistics 2"], {"money": 6, "vp": 2, "goods": -2}),
        ("supply_chain", ["supply_chain 3"], {"money": -3, "goods": 3}),
        ("construction_outsourcing", ["use construction_outsourcing", "build commerce in boise"],
         {"money": -3, "goods": -1}),
        ("engineering", ["use engineering", "build commerce in boise"], {"goods": -1}),
    ],
)  # fmt: skip
def test_tiles(tile: str, actions: list[str], gains: dict[str, int]) -> None:
    d = with_tile(tile, money=5, goods=4)
    d["cities"]["boise"] = [None]
    before = d["companies"][0]
    after = company(played(d, f"timeline {DEPARTMENTS[tile].type}", *actions))
    for key in ("money", "goods", "vp", "reserve"):
        assert after[key] - before[key] == gains.get(key, 0), key
    on_mission = int("mission" in actions[-1] or tile == "engineering")
    assert sum(after["missions"].values()) == on_mission
    assert after["employees"].get("r0c0", employees())["active"] == 1 - on_mission


def test_tiles_with_moves_and_points() -> None:
    referee = played(with_tile("training_and_partnerships"), "timeline human_resources")
    referee.apply("training_and_partnerships moves mission west")
    assert referee.to_dict()["turn"]["moves"] == 6 + 8
    referee = played(with_tile("recruiting", 2), "timeline human_resources", "recruiting moves", "recruiting moves")
    assert referee.to_dict()["turn"]["moves"] == 6 + 4 + 4
    assert "recruiting moves" not in referee.legal_actions()
    referee = played(with_tile("advanced_research"), "timeline research", "advanced_research mission west")
    assert referee.to_dict()["turn"]["research"] == 3 + 7


def test_new_lobby_in_a_turn() -> None:
    """3.3.4: a recruit, and one that a city's bonus brings, may go to either lobby."""
    d = with_tile("recruiting", reserve=4)
    d["companies"][0]["departments"]["r0c1"] = "new_lobby"
    referee = played(d, "timeline human_resources", "recruiting employee mission west")
    assert referee.phase == "lobby_turn" and referee.to_dict()["turn"]["arrivals"] == 1
    referee.apply("new lobby 1")
    assert company(referee)["employees"]["r0c1"] == employees(inactive=1) and company(referee)["reserve"] == 3


def test_a_new_project_needs_a_disk() -> None:
    """Ruling 27; a section with final VP needs none."""
    d = first_round()
    c = d["companies"][0]
    c["disks"] = 0
    c["tabs"]["housing"]["uncovered"] = 4
    c["employees"][SPACE["research_and_development"]] = employees(active=3)
    legal = played(d, "timeline research").legal_actions()
    assert "advance housing" in legal and "advance commerce" not in legal and "advance public" not in legal


def test_property_management() -> None:
    """3.3.8: any employee may come to the new department; not asked while nobody works in it."""
    d = with_tile("property_management", goods=4)
    d["companies"][0]["reserved"] = "new_lobby"
    referee = played(d, "timeline management", "department new_lobby", "to r0c1")
    assert referee.phase == "property" and referee.to_dict()["turn"]["site"] == "r0c1"
    referee.apply("lift active r0c0")
    assert company(referee)["employees"]["r0c1"] == employees(inactive=1)
    d["companies"][0]["employees"]["r0c0"] = employees(inactive=1)
    assert played(d, "timeline management", "department new_lobby", "to r0c1").phase != "property"


def test_charitable_giving() -> None:
    """3.3.15, ruling 26: another player's cell, not one's own, not a neutral one; it counts for later costs."""
    d = with_tile("charitable_giving", 2, money=20)
    d["donations"] = {
        "welfare_flat": ["player_1"],
        "welfare_goods": ["player_0", "player_1"],
        "welfare_money": ["neutral"],
        "health_west": ["player_1"],
    }
    d["companies"][0]["donations_made"] = 1
    referee = played(d, "timeline research", "charitable_giving mission south")
    assert referee.phase == "charity"
    assert referee.legal_actions() == {"donate welfare_flat", "donate health_west"}
    referee.apply("donate welfare_flat")
    assert company(referee)["money"] == 10 and company(referee)["donations_made"] == 2
    assert referee.to_dict()["donations"]["welfare_flat"] == ["player_0", "player_1"]
    assert not any(action.startswith("charitable") for action in referee.legal_actions())  # the third would cost $15
    del d["donations"]["welfare_flat"], d["donations"]["health_west"]
    assert not any(a.startswith("charitable") for a in played(d, "timeline research").legal_actions())


def test_departments_one_after_the_other() -> None:
    """2.3, ruling 17: a department that was left is finished for the turn."""
    d = with_tile("purchasing", 2, goods=1)
    d["companies"][0]["employees"][SPACE["trade_and_finance"]] = employees(active=2)
    referee = played(d, "timeline management", "purchasing money mission west", "trade_and_finance money")
    legal = referee.legal_actions()
    assert "trade_and_finance money" in legal and "purchasing money mission west" not in legal
    assert referee.to_dict()["turn"]["ready"] == {SPACE["trade_and_finance"]: 1, SPACE["strategic_planning"]: 1}


def test_who_builds() -> None:
    """With two departments that could build, ``use`` says which; going on finishes the one before."""
    d = with_tile("construction_outsourcing", money=3, goods=4)
    d["companies"][0]["tabs"]["commerce"]["uncovered"] = 3
    d["companies"][0]["disks"] -= 2
    start = played(d, "timeline construction")
    assert start.legal_actions() == {"pass", "use construction", "use construction_outsourcing"}
    referee = played(start.to_dict(), "use construction")
    assert "use construction_outsourcing" in referee.legal_actions()
    assert "build commerce in los_angeles" in referee.legal_actions()
    referee.apply("build commerce in los_angeles")  # the one employee of Construction leaves
    referee.apply("build commerce in denver")  # Outsourcing is the only one left
    after = company(referee)
    assert (after["money"], after["goods"], after["missions"]["west"]) == (0, 2, 1)


def test_action_choice() -> None:
    """Ruling 16: not for the first player, only at the start of the turn; unused ones are 3 VP."""
    d = first_round(3)
    assert [c["action_choice"] for c in d["companies"]] == [False, False, True]
    d["companies"][0]["action_choice"] = True
    referee = played(d, "timeline human_resources")
    assert not any(action.startswith("timeline") for action in referee.legal_actions())
    referee.apply("pass")
    referee.apply("pass")
    assert referee.to_play == 2
    assert referee.legal_actions() >= {"timeline management", "timeline construction", "timeline research"}
    assert "timeline human_resources" not in referee.legal_actions()
    assert referee.score_breakdown()[2]["action_choice"] == 3
    after = played(referee.to_dict(), "timeline management")
    assert after.to_dict()["turn"]["action"] == "management" and after.to_dict()["turn"]["moves"] == 0
    assert after.score_breakdown()[2]["action_choice"] == 0
    moved = played(referee.to_dict(), f"lift inactive {LOBBY}", f"to {SPACE['human_resources']}")
    assert "timeline management" not in moved.legal_actions()


# ------------------------------------------------------------------------------------------------------- scoring
def scored(donations: list[str], num_players: int = 2, **changes: object) -> dict[str, int]:
    d = first_round(num_players)
    d["donations"] = {cell: ["player_0"] for cell in donations}
    for owners in d["cities"].values():
        owners[:] = [None] * len(owners)
    d["companies"][0] |= {"donations_made": len(donations), **changes}
    return Referee.from_dict(d).score_breakdown()[0]["donations"]


def test_donations() -> None:
    starting = scored(DONATION_CELLS[:5])
    assert starting == {
        "education_human_resources": 3,
        "education_management": 6,
        "education_construction": 3,
        "education_research": 3,
        "education_any_department": 5,
    }
    assert scored(["welfare_flat", "welfare_active_employees", "human_rights_donations"]) == {
        "welfare_flat": 7,
        "welfare_active_employees": 5,
        "human_rights_donations": 6,
    }
    assert scored(["human_rights_railroad"], transport={"west": 3, "midwest": 2, "east": 1, "south": 1}) == {
        "human_rights_railroad": 9
    }


def test_donation_limit() -> None:
    """12 VP, and 3 more for each "+3" end of a tab."""
    tabs = {
        "housing": {"side": "b", "uncovered": 7, "built": 4},
        "commerce": {"side": "a", "uncovered": 7, "built": 4},
        "industry": {"side": "b", "uncovered": 6, "built": 4},
        "public": {"side": "a", "uncovered": 1, "built": 0},
    }
    assert scored(["human_rights_housing_commerce"], tabs=tabs) == {"human_rights_housing_commerce": 15}
    tabs["housing"]["uncovered"] = 6
    assert scored(["human_rights_housing_commerce"], tabs=tabs) == {"human_rights_housing_commerce": 12}


def test_welfare_payments() -> None:
    cells = ["welfare_goods", "welfare_money", "welfare_money_and_goods"]
    assert scored(cells, money=0, goods=6) == {"welfare_goods": 12, "welfare_money": 0, "welfare_money_and_goods": 0}
    # a good sold for the missing $1
    assert scored(["welfare_money"], money=4, goods=1) == {"welfare_money": 2}
    assert scored(["welfare_money"], money=99, goods=9) == {"welfare_money": 12}
    assert scored(["welfare_money_and_goods"], money=9, goods=3) == {"welfare_money_and_goods": 8}
    # $5 and 1 good: two single payments or a double one are equal; goods come first
    assert scored(cells, money=5, goods=1) == {"welfare_goods": 2, "welfare_money": 2, "welfare_money_and_goods": 0}


# ------------------------------------------------------------------------------------------------------ Andrew (4)
def solo(**changes: object) -> dict:
    d = first_round(1)
    d["andrew"] |= changes
    return d


def test_andrew_acts_before_the_player() -> None:
    d = solo()
    d["timeline"]["spaces"]["construction"][0] = ["donation"]
    d["donations"] = {}
    d["cities"] |= {"salt_lake_city": [None], "reno": ["neutral"]}
    referee = played(d, "timeline construction")  # N01: Salt Lake City and Reno
    after = referee.to_dict()
    assert after["donations"] == {"education_human_resources": ["andrew"]}
    assert after["cities"]["salt_lake_city"] == ["andrew"]
    assert after["andrew"]["disks"] == 24
    assert after["andrew"]["places"][0] == 1  # Reno was taken


def test_andrew_chooses_even_rounds() -> None:
    d = solo(deck=["N01", "N09", *[f"N{n:02}" for n in range(2, 9)], *[f"N{n}" for n in range(10, 21)]])
    d["display"] = {"advanced_research": 2, "charitable_giving": 1}
    referee = played(d, "timeline human_resources", "pass")
    after = referee.to_dict()
    assert after["round"] == 3 or after["timeline"]["chosen"] == "management"  # N09: three R&D departments
    assert after["andrew"]["departments"] == {"advanced_research": 1, "charitable_giving": 1}
    assert after["andrew"]["places"][:2] == [4, 1]  # shift of N01: 4 steps, to the 10-VP card; one department missed


def test_andrew_on_the_tracks() -> None:
    d = solo(deck=["A20", *[f"N{n:02}" for n in range(1, 20)]], transport=dict.fromkeys(REGIONS, 2))
    d["companies"][0]["transport"]["west"] = 4
    after = played(d, "timeline research").to_dict()["andrew"]  # 4 steps West
    assert (after["transport"]["west"], after["places"][0]) == (3, 3)
    d["companies"][0]["transport"]["west"] = 0
    after = played(d, "timeline research").to_dict()["andrew"]
    assert (after["transport"]["west"], after["places"][0]) == (4, 2)


def test_andrews_score() -> None:
    """4.3: five projects in the West make his cell worth 10."""
    d = solo(places=[0, 1, 2, 3, 4], departments={"sales": 2})
    d["andrew"]["transport"] = {"west": 4, "midwest": 3, "east": 4, "south": 0}
    for owners in d["cities"].values():
        owners[:] = [None] * len(owners)
    for city in ("seattle", "helena", "reno", "boise"):
        d["cities"][city] = ["player_0"]
    d["cities"]["denver"][1] = "player_0"
    d["cities"]["boston"] = ["andrew", "andrew", None]
    d["donations"] = {"health_west": ["andrew"], "welfare_money": ["andrew"], "welfare_goods": ["andrew", "player_0"]}
    d["companies"][0] |= {"money": 4, "goods": 7}
    player_score, andrew_score = Referee.from_dict(d).score_breakdown()
    assert player_score["donations"] == {"welfare_goods": 12}
    assert player_score["cities"] == sum(CITIES[c].points for c in ("seattle", "helena", "reno", "boise", "denver"))
    assert andrew_score == {
        "cards": 0 + 1 + 3 + 6 + 10,
        "departments": 4,
        "transport": 12,
        "cities": 6,
        # $4 and 1 good are left: a good for 2 VP, or sold for the fifth dollar and 2 VP: goods first
        "donations": {"health_west": 10, "welfare_money": 0, "welfare_goods": 2},
        "total": 20 + 4 + 12 + 6 + 12,
    }


def test_the_player_leaves_andrew_least() -> None:
    """Ruling 37: of equally good own payments the one that leaves Andrew least."""
    d = solo()
    d["donations"] = {"welfare_goods": ["player_0", "andrew"], "welfare_money": ["player_0"]}
    d["companies"][0] |= {"money": 30, "goods": 6}
    # both cells in full: 12 + 12, nothing is left to Andrew
    assert [s["donations"] for s in Referee.from_dict(d).score_breakdown()] == [
        {"welfare_goods": 12, "welfare_money": 12},
        {"welfare_goods": 0},
    ]
    d["donations"] = {"welfare_money_and_goods": ["player_0"], "welfare_money": ["player_0", "andrew"]}
    d["companies"][0] |= {"money": 15, "goods": 3}
    assert [s["donations"] for s in Referee.from_dict(d).score_breakdown()][0]["welfare_money_and_goods"] == 12


# ------------------------------------------------------------------------------- expansion 1, chapter 1: a new start
def filled(*sheets: tuple[int, ...], rng: int = 0) -> dict:
    """After the reveal of sheets of goods, employees, points, moves and bid (solo: none)."""
    d = table(len(sheets), ("new_start",)) | {"rng": rng}
    referee = Referee.from_dict(d)
    for seat, amounts in enumerate(sheets):
        for line, amount in zip(SHEET, amounts[:4], strict=True):
            assert (referee.phase, referee.to_play) == ("sheet", seat)
            referee.apply(f"sheet {line} {amount}")
        if len(sheets) > 1:
            referee.apply(f"bid {amounts[4]}")
    assert referee.phase == "sides"
    return referee.to_dict()


def test_the_sheet_of_the_rules() -> None:
    """Marie: 5 goods ($15), 4 employees ($8), 8 moves ($15), 3 VP sold for $6: $18 left, or $15 as first player."""
    marie, base = (5, 4, -3, 8, 3), (4, 5, 0, 6, 2)
    for sheets, first, money in [((base, marie), 1, [12, 15]), ((marie, base[:4] + (4,)), 1, [18, 8])]:
        d = filled(*sheets)
        assert (d["first_player"], d["to_play"]) == (first, first)
        assert [c["money"] for c in d["companies"]] == money
        c = d["companies"][sheets.index(marie)]
        assert (c["goods"], c["vp"], c["reserve"]) == (5, -3, 6)
        assert c["employees"][LOBBY] == employees(inactive=4)
        assert c["sheet"] == {"goods": 5, "employees": 4, "points": -3, "moves": 8, "bid": 3}
        moves = set()
        referee = Referee.from_dict(d)
        while referee.phase != "timeline":
            legal = referee.legal_actions()
            if referee.phase == "setup_moves":
                moves.add((referee.to_play, referee.to_dict()["turn"]["moves"]))
            referee.apply("pass" if "pass" in legal else min(legal))
        assert moves == {(sheets.index(marie), 8), (1 - sheets.index(marie), 6)}


def test_what_a_sheet_may_cost() -> None:
    """Each line leaves enough for the cheapest of those to come; an only choice is played at once."""
    referee = Referee.from_dict(table(2, ("new_start",)))
    assert referee.legal_actions() == {f"sheet goods {n}" for n in (2, 3, 4, 5, 6)}
    referee.apply("sheet goods 6")  # $18
    referee.apply("sheet employees 7")  # $32: only points can pay for the moves
    assert referee.legal_actions() == {"sheet points -6", "sheet points -3"}
    two_left = played(referee.to_dict(), "sheet points -3")  # $6 for moves: only 4 for $5, played at once
    assert two_left.legal_actions() == {"bid 0", "bid 1"}
    assert two_left.to_dict()["companies"][0]["sheet"] == {
        "goods": 6, "employees": 7, "points": -3, "moves": 4, "bid": None,
    }  # fmt: skip
    c = two_left.to_dict()["companies"][0]  # until the reveal nothing of it shows
    assert (c["money"], c["goods"], c["reserve"], c["vp"]) == (12, 4, 5, 0)
    referee.apply("sheet points -6")  # $12
    assert referee.legal_actions() == {"sheet moves 4", "sheet moves 5", "sheet moves 6"}
    # four lines that cost less than nothing: $6 + $0 - $12 + $5
    less = played(table(2, ("new_start",)), "sheet goods 2", "sheet employees 3", "sheet points -6", "sheet moves 4")
    assert less.legal_actions() == {f"bid {n}" for n in range(52)}


def test_no_bid_in_solo() -> None:
    d = filled((6, 3, 6, 10))
    assert (d["to_play"], d["companies"][0]["money"]) == (0, 50 - 18 - 12 - 20)
    assert d["companies"][0]["sheet"]["bid"] is None


def test_equal_bids() -> None:
    """The larger cost of the other lines; then a lot between those who are still equal."""
    cheap, dear = (2, 3, 0, 4, 5), (6, 3, 0, 4, 5)
    assert filled(cheap, dear, cheap)["first_player"] == 1
    assert filled(cheap, dear, dear, rng=7)["rng"] == 7  # the lot has a generator of its own
    firsts = [filled(cheap, dear, dear, dear, rng=seed)["first_player"] for seed in range(60)]
    assert set(firsts) == {1, 2, 3}
    # 1 xor 1, the number of this lot, is 0, and so is 0 scrambled: the first number of SplitMix64 from there is
    # 0xE220A8397B1DCDAF, in the upper one of two halves
    assert filled(dear, dear, rng=1)["first_player"] == 1
    # Action Choice by the turn order: with three players the third one
    for seed in range(3):
        d = filled(dear, dear, dear, rng=seed)
        holder = [c["action_choice"] for c in d["companies"]].index(True)
        assert holder == (d["first_player"] + 2) % 3


# ----------------------------------------------------------------------- expansion 1, chapter 2: the departments' uses
def test_tiles_of_a_game() -> None:
    """Ruling 41: four of each type, both copies; diverse: one copy of all 32."""
    drawn = play.draw_new_departments(random.Random(1))
    assert setup.draw_fits(drawn) and not setup.draw_fits(TILES[:15] + ["renovation"])
    assert setup.tiles_of_the_game(drawn) == dict.fromkeys(drawn, 2)
    for new in (None, drawn):
        assert setup.tiles_of_the_game(new, diverse_setup=True) == dict.fromkeys(ALL_TILES, 1)
    d = play.random_start(random.Random(2), 3, modules=("new_departments", "diverse_setup"))
    assert sum(d["display"].values()) == 32 - 8 and set(d["display"].values()) == {1}


def cleared(d: dict) -> dict:
    """Nobody has a disk on the map."""
    for owners in d["cities"].values():
        owners[:] = [None] * len(owners)
    for c in d["companies"]:
        for tab in c["tabs"].values():
            tab["built"] = 0
    return d


def built_in(d: dict, *cities: str, seat: int = 0) -> dict:
    """Disks on the left-most free spaces."""
    for city in cities:
        d["cities"][city][d["cities"][city].index(None)] = f"player_{seat}"
    return d


@pytest.mark.parametrize(
    ("tile", "gains"),
    [("accounting", {"money": 9}), ("production_lines", {"goods": 2}), ("rd_coordination", {"research": 3 + 2 * 2})],
)
def test_inner_specialisation(tile: str, gains: dict[str, int]) -> None:
    """Tiles 21, 25, 29: per department of the type, starting ones and itself included; the employee leaves."""
    referee = played(with_tile(tile), f"timeline {DEPARTMENTS[tile].type}", f"{tile} mission south")
    after = company(referee) | {"research": referee.to_dict()["turn"]["research"]}
    assert {key: after[key] for key in gains} == gains
    assert after["missions"]["south"] == 1 and "r0c0" not in after["employees"]


def test_hr_administration() -> None:
    """Tile 17, rulings 41, P13: here three departments, so three employees, anywhere, without moves."""
    d = with_tile("hr_administration")
    d["companies"][0]["departments"]["r0c3"] = "new_lobby"
    referee = played(d, "timeline human_resources", "hr_administration mission east")
    turn = referee.to_dict()["turn"]
    assert (referee.phase, turn["relocations"], turn["moves"]) == ("relocation", 3, 6)
    referee.apply(f"lift inactive {LOBBY}")
    assert len(referee.legal_actions()) == 15
    referee.apply("to r0c3")
    referee.apply(f"lift active {SPACE['construction']}")
    referee.apply(f"to {LOBBY}")
    assert (referee.phase, referee.to_dict()["turn"]["relocations"]) == ("relocation", 1)
    after = company(referee)
    assert after["employees"]["r0c3"] == employees(inactive=1)
    assert after["employees"][LOBBY] == employees(inactive=4)
    referee.apply("pass")
    turn = referee.to_dict()["turn"]
    assert (referee.phase, turn["relocations"], turn["moves"]) == ("turn", 0, 6)


def test_hr_administration_with_nobody_left() -> None:
    d = with_tile("hr_administration")
    d["companies"][0]["employees"] = {"r0c0": employees(active=1)}
    d["companies"][0]["missions"]["south"] = 9
    referee = played(d, "timeline human_resources", "hr_administration mission east")
    assert referee.to_play == 1 and referee.to_dict()["turn"]["relocations"] == 0


@pytest.mark.parametrize(
    ("tile", "other", "each"),
    [("local_partners", "moves", 2), ("branding", "goods", 1), ("renovation", "vp", 1),
     ("knowledge_sharing", "research", 2)],
)  # fmt: skip
def test_local_agencies(tile: str, other: str, each: int) -> None:
    """Tiles 18, 22, 26, 30: of five projects in a region three pay $2, the others the other half; nobody leaves."""
    d = built_in(cleared(with_tile(tile)), "chicago", "chicago", "st_louis", "omaha", "duluth", "denver")
    built_in(d, "boston", seat=1)
    action = DEPARTMENTS[tile].type
    referee = played(d, f"timeline {action}")
    before = company(referee) | referee.to_dict()["turn"]
    offered = {a for a in referee.legal_actions() if a.startswith(tile)}
    assert offered == {f"{tile} midwest", f"{tile} west"}  # ruling P10
    referee.apply(f"{tile} midwest")
    assert (referee.phase, referee.to_dict()["turn"]["projects"]) == ("halves", 5)
    assert referee.legal_actions() == {f"money {n}" for n in range(6)}
    rest = played(referee.to_dict(), "money 3").to_dict()
    after = rest["companies"][0] | rest["turn"]
    assert after["money"] - before["money"] == 6
    if rest["to_play"] == 0:
        assert after[other] - before[other] == 2 * each
        assert f"{tile} west" not in played(referee.to_dict(), "money 3").legal_actions()  # used up
    assert after["employees"]["r0c0"] == employees(active=1)
    for key in {"goods", "vp"} - {other}:
        assert after[key] == before[key]


def test_corporate_communications() -> None:
    """Tile 19, ruling 42: diagonal steps all turn, if somebody was active there when it began."""
    d = with_tile("corporate_communications")
    referee = played(d, "timeline human_resources", f"lift inactive {LOBBY}")  # r3c1; six moves
    assert f"to {LOBBY}" not in referee.legal_actions() and len(referee.legal_actions()) == 15
    referee.apply("to r0c2")  # three steps instead of four
    assert referee.to_dict()["turn"]["moves"] == 3
    referee.apply("lift active r0c0")  # the effect lasts
    assert len(referee.legal_actions()) == 15
    referee.apply("to r1c1")
    assert referee.to_dict()["turn"]["moves"] == 2
    d["companies"][0]["employees"]["r0c0"] = employees(inactive=1)
    referee = played(d, "timeline human_resources", f"lift inactive {LOBBY}", "to r0c2")
    assert referee.to_dict()["turn"]["moves"] == 2


def at_activation(payroll: dict, **changes: object) -> dict:
    d = first_round()
    d |= {"phase": "activation", "to_play": 0, "round": 1}
    d["timeline"] |= {"chosen": "research", "advancing": "research"}
    c = d["companies"][0]
    c["departments"] |= {"r0c0": "payroll_management", "r0c1": "public_relations"}  # $5, $10
    c["employees"] |= {"r0c0": payroll, "r0c1": employees(inactive=1)}
    c["employees"][LOBBY] = employees(inactive=3)
    c |= changes
    return d


def test_payroll_management() -> None:
    """Tile 23: the cost, or $2 more for 1 VP, or $1 for a VP that one has."""
    both = {"activate r0c1", "activate r0c1 gain vp", "activate r0c1 lose vp", "pass"}
    d = at_activation(employees(active=1), money=12, vp=1)
    referee = Referee.from_dict(d)
    assert referee.legal_actions() == both
    assert [company(played(d, action))[key] for action in sorted(both - {"pass"}) for key in ("money", "vp")] == [
        2, 1, 0, 2, 11, 0,
    ]  # fmt: skip
    for changes, legal in [({"vp": 0}, "gain vp"), ({"vp": -3}, "gain vp"), ({"money": 11}, "lose vp")]:
        legal_now = Referee.from_dict(at_activation(employees(active=1), **{"money": 12, "vp": 1} | changes))
        assert legal_now.legal_actions() == {"activate r0c1", f"activate r0c1 {legal}", "pass"}
    poor = Referee.from_dict(at_activation(employees(active=1), goods=1, vp=1))
    assert poor.legal_actions() == {"activate r0c1 lose vp", "pass"}


def test_payroll_management_of_this_round() -> None:
    """Ruling 42: the employee activated just now doesn't count yet; in the next round he does."""
    referee = played(at_activation(employees(inactive=1), money=30, vp=5), "activate r0c0")
    assert referee.to_dict()["turn"]["payroll_activated"] == 1
    assert referee.legal_actions() == {"activate r0c1", "pass"}
    referee.apply("pass")
    assert referee.to_dict()["turn"]["payroll_activated"] == 0 and referee.phase == "timeline"
    for row, mission in [("research", "r0c1")]:
        referee.apply(f"timeline {row}")
        while referee.phase != "activation" or referee.to_play != 0:
            referee.apply("pass")
        assert f"activate {mission} gain vp" in referee.legal_actions()


def test_political_lobbying() -> None:
    """Tile 27, rulings 46, P16: any space; 1 VP on a space of the type or in a small city."""
    d = cleared(with_tile("political_lobbying", goods=9))
    d["companies"][0]["employees"][SPACE["construction"]] = employees(active=3)
    d["companies"][0]["employees"][LOBBY]["inactive"] -= 2
    start = played(d, "timeline construction")
    chicago = {a for a in start.legal_actions() if a.startswith("build commerce in chicago")}
    assert chicago == {f"build commerce in chicago{on}" for on in ("", " on industry", " on housing", " on public")}
    for action, vp, index in [("in chicago", 1, 1), ("in chicago on industry", 0, 0), ("in boise", 1, 0)]:
        referee = played(start.to_dict(), f"build commerce {action}")
        assert company(referee)["vp"] == vp
        assert referee.to_dict()["cities"][action.split()[1]][index] == "player_0"
    d["cities"]["chicago"][0] = "player_1"
    assert "build commerce in chicago on industry space 3" in played(d, "timeline construction").legal_actions()
    d["companies"][0]["employees"]["r0c0"] = employees(inactive=1)
    assert not any(" on " in action for action in played(d, "timeline construction").legal_actions())


def test_political_lobbying_in_solo() -> None:
    """Ruling 23: there every equal space is offered."""
    d = cleared(first_round(1))
    c = d["companies"][0]
    c["departments"]["r0c0"] = "political_lobbying"
    c["employees"]["r0c0"] = employees(active=1)
    c |= {"goods": 9, "reserve": 4}
    d["display"] = {}
    d["phase"], d["to_play"], d["round"] = "timeline", 0, 1
    legal = played(d, "timeline construction").legal_actions()
    assert legal >= {f"build commerce in new_orleans{on}" for on in ("", " on housing", " on housing space 3")}


def test_archives_in_an_income() -> None:
    """Tile 31, ruling P14: one space of the track, up to the marker, for all employees recovered."""
    d = with_tile("archives")
    d["timeline"]["spaces"]["management"][0] = ["east"]
    c = d["companies"][0]
    c["missions"]["east"], c["transport"]["east"] = 2, 3
    c["employees"][LOBBY]["inactive"] -= 2
    referee = played(d, "timeline management", "recover 2")
    turn = referee.to_dict()["turn"]
    assert (referee.phase, turn["level_region"], turn["arrivals"]) == ("level", "east", 2)
    assert referee.legal_actions() == {"level 0", "level 1", "level 2", "level 3"}
    after = [company(played(referee.to_dict(), f"level {k}")) for k in range(4)]
    # and $2 for the housing project
    assert [(a["money"], a["reserve"], a["vp"]) for a in after] == [(4, 5, 0), (10, 5, 0), (2, 3, 0), (2, 5, 4)]
    assert after[2]["employees"][LOBBY]["inactive"] == c["employees"][LOBBY]["inactive"] + 4
    c["transport"]["east"] = 0
    assert company(played(d, "timeline management", "recover 2"))["money"] == 4


def test_archives_in_a_small_city() -> None:
    """Ruling 46: for its bonus, too; the building's points of a lower space go to the pool."""
    d = cleared(with_tile("archives", goods=2))
    d["companies"][0]["transport"]["midwest"] = 3
    referee = played(d, "timeline construction", "build commerce in omaha")
    turn = referee.to_dict()["turn"]
    assert (referee.phase, turn["level_region"], turn["arrivals"]) == ("level", "midwest", 0)
    referee.apply("level 2")
    assert referee.to_dict()["turn"]["research"] == 3 and referee.phase == "turn"
    assert referee.to_dict()["turn"]["level_region"] is None
    assert company(played(d, "timeline construction", "build commerce in boise"))["missions"]["west"] == 1  # no bonus


def test_archives_on_the_last_space() -> None:
    """The marker enters it although somebody is there, and has the reward."""
    d = with_tile("archives")
    d["companies"][0]["transport"]["south"], d["companies"][1]["transport"]["south"] = 3, 4
    d["companies"][0]["employees"][SPACE["research_and_development"]] = employees(active=2)
    d["companies"][0]["employees"][LOBBY]["inactive"] -= 1
    referee = played(d, "timeline research", "advance south")
    assert (company(referee)["transport"]["south"], company(referee)["goods"]) == (4, 3)
    d["companies"][0]["employees"]["r0c0"] = employees(inactive=1)
    assert "advance south" not in played(d, "timeline research").legal_actions()


# ------------------------------------------------------------------------------ expansion 1: final effects and links
def final(tile: str, cities: list[str], levels: dict[str, int] | None = None, active: int = 1) -> tuple[int, int]:
    """Final effects and links of a company with the tile at the end."""
    d = cleared(with_tile(tile, active))
    d["options"]["new_departments"] = True
    built_in(d, *cities)
    d["companies"][0]["transport"] |= levels or {}
    score = Referee.from_dict(d).score_breakdown()[0]
    return score["final_effects"], score["links"]


def test_final_effects() -> None:
    """Tiles 20, 24, 32: while somebody is active there."""
    cities = ["boise", "reno", "denver", "chicago", "chicago", "boston", "albany", "memphis", "dallas"]
    assert final("green_spaces", []) == (18, 0)  # 16 spaces, less the lobby and six departments
    assert final("public_relations", cities) == (6, 0)
    assert final("network_libraries", cities) == (8, 0)
    assert final("network_libraries", cities[:-2]) == (0, 0)
    for tile in ("green_spaces", "public_relations", "network_libraries"):
        assert final(tile, cities, active=0) == (0, 0)


def test_post_office() -> None:
    """Tile 28, ruling 45: a link point more for two large cities and above; six score as five and 9 VP."""
    west = ["san_francisco", "reno", "salt_lake_city", "denver"]
    railroad = {"west": 3, "midwest": 2, "east": 1, "south": 2}
    two = [*west, "omaha", "chicago"]  # 3 points
    three = [*two, "pittsburgh", "new_york"]
    four = [*three, "kansas_city", "dallas", "memphis", "new_orleans"]
    assert final("post_office", two, railroad) == (0, 27)
    assert final("post_office", three, railroad) == (0, 36)
    assert final("post_office", four, railroad) == (9, 36)
    assert final("post_office", four) == (9, 18)
    assert final("post_office", west) == (0, 0)
    assert final("post_office", two, railroad, active=0) == (0, 18)


# ------------------------------------------------------------------------- expansion 1, chapter 3: new donation tiles
def test_covering_panels() -> None:
    """After the last reservation: clockwise, one tile or none, each tile and each panel once."""
    rng = random.Random(4)
    referee = Referee.from_dict(table(3, ("new_donations",)))
    d = referee.to_dict() | {"first_player": 1, "to_play": 1}
    assert d["panels"] == dict.fromkeys(PANELS)
    referee = Referee.from_dict(d)
    while referee.phase != "panels":
        referee.apply(rng.choice(sorted(referee.legal_actions())))
    assert referee.to_play == 1 and len(referee.legal_actions()) == 17
    referee.apply("panel education over health")
    assert referee.to_play == 2 and len(referee.legal_actions()) == 10
    assert "panel health over education" in referee.legal_actions()
    referee.apply("pass")
    referee.apply("panel health over education")
    assert referee.phase == "setup_moves" and referee.to_play == 1
    assert referee.to_dict()["panels"] == {
        "education": "health", "human_rights": None, "welfare": None, "health": "education",
    }  # fmt: skip


def panel_scores(tile: str, column: str = "health", other: tuple[str, ...] = (), **changes: object) -> list[int]:
    """What the five cells of the tile score on the column, one by one, with further donations of the player."""
    cells = [cell for cell in DONATION_CELLS if cell.startswith(column)]
    scores = []
    for cell in cells:
        d = cleared(first_round(2, ("new_donations",)))
        d["panels"][column] = tile
        built_in(d, *changes.get("cities", ()))
        d["donations"] = {other_cell: ["player_0"] for other_cell in (cell, *other)}
        d["companies"][0] |= {"donations_made": 1 + len(other)}
        d["companies"][0] |= {key: value for key, value in changes.items() if key != "cities"}
        scores.append(Referee.from_dict(d).score_breakdown()[0]["donations"][cell])
    return scores


def test_new_education_donations() -> None:
    departments = {"r0c0": "sales", "r0c3": "archives", "r1c0": "logistics", "r3c3": "recruiting", "r2c3": "renovation"}
    departments |= setup.STARTING_SPACE
    made = ("education_management", "human_rights_public")
    # two of Management; all four types; two in the left column; two in the top row; itself and one more: 4 each
    scores = panel_scores("education", departments=departments, other=made)
    assert scores == [8, 12, 6, 6, 8]
    assert panel_scores("education") == [0, 0, 0, 0, 4]  # starting departments were not added


def test_new_human_rights_donations() -> None:
    tabs = {
        "housing": {"side": "a", "uncovered": 4, "built": 3},
        "commerce": {"side": "a", "uncovered": 2, "built": 2},
        "industry": {"side": "a", "uncovered": 1, "built": 0},
        "public": {"side": "a", "uncovered": 2, "built": 1},
    }
    made = ("education_management", "welfare_flat", "welfare_goods")
    # three of one type; three types; six projects; three types of donation; the cell alone is Human Rights
    assert panel_scores("human_rights", tabs=tabs, other=made) == [9, 9, 6, 9, 4]


def test_new_welfare_donations() -> None:
    at_work = {
        SPACE["human_resources"]: employees(active=1),  # $1
        SPACE["trade_and_finance"]: employees(active=2, inactive=1),  # $0
        SPACE["construction"]: employees(active=1),  # $2
        LOBBY: employees(inactive=1),
        "r0c0": employees(inactive=1),
    }
    missions = {"west": 1, "midwest": 0, "east": 1, "south": 0}
    changes = {"employees": at_work, "missions": missions, "money": 8, "goods": 3}
    # ten empty spaces: the limit; five inactive; two at paid workstations; twice $3 and a good, once with a good sold..
    assert panel_scores("welfare", **changes) == [12, 10, 4, 6, 4]
    assert panel_scores("welfare", **changes | {"goods": 4})[3] == 9  # ..a fourth good is the ninth dollar
    assert panel_scores("welfare", money=40, goods=9)[3] == 12  # four times at the most


def test_new_health_donations() -> None:
    """Ruling 46: medium cities linked to the large one by own disks, through small ones, too."""
    cities = ["san_francisco", "los_angeles", "phoenix", "santa_fe", "denver", "chicago", "st_louis", "boston",
              "pittsburgh"]  # fmt: skip
    # New York: no disk there; Chicago: St. Louis and Pittsburgh; New Orleans; San Francisco: Los Angeles and Denver
    assert panel_scores("health", "welfare", cities=cities) == [0, 4, 0, 4, 4]


def test_a_covered_panel_is_of_its_tiles_type() -> None:
    """Ruling P15: cells keep their names; a panel covered by another type counts as that type; neutral disks stay."""
    d = first_round(2, ("new_donations",))
    d["panels"] |= {"health": "education", "education": "welfare"}
    d["donations"] = {
        "health_small_cities": ["player_0"],  # 4 per Education donation: this one and the other on the tile
        "health_east": ["player_0"],
        "education_management": ["player_0"],  # 2 per inactive employee
        "education_any_department": ["player_0"],  # 4 per Welfare donation: the two on the tile and the printed one
        "welfare_flat": ["player_0"],
    }
    d["companies"][0] |= {"donations_made": 5}
    score = Referee.from_dict(d).score_breakdown()[0]["donations"]
    assert score == {
        "health_east": 0,
        "health_small_cities": 8,
        "education_management": 10,
        "education_any_department": 12,
        "welfare_flat": 7,
    }


def test_payments_on_new_panels() -> None:
    """Ruling P1: the table's order decides between equal plans, wherever the cells lie."""
    d = first_round(2, ("new_donations",))
    d["panels"] |= {"education": "welfare"}
    d["donations"] = {"education_research": ["player_0"], "welfare_goods": ["player_0"], "welfare_money": ["player_0"]}
    d["companies"][0] |= {"donations_made": 3, "money": 6, "goods": 2}
    # two goods and $6: twice $3 and a good (6 VP); two goods and $5: 6 VP, too. The first cell of the table comes first
    assert Referee.from_dict(d).score_breakdown()[0]["donations"] == {
        "education_research": 6, "welfare_goods": 0, "welfare_money": 0,
    }  # fmt: skip


# ------------------------------------------------------------------------------ expansion 1, chapter 4: optional rules
def test_waiting() -> None:
    """Rulings 43, P11: the first player only, before anything else; then he comes last."""
    d = first_round(3, ("wait",))
    referee = played(d, "timeline human_resources")
    assert "wait" in referee.legal_actions() and not referee.to_dict()["waiting"]
    begun = played(referee.to_dict(), f"lift inactive {LOBBY}", "to r3c0")
    assert "wait" not in begun.legal_actions()
    referee.apply("wait")
    for seat in (1, 2):
        assert referee.to_play == seat and referee.to_dict()["waiting"]
        assert "wait" not in referee.legal_actions()
        referee.apply("pass")
    assert (referee.phase, referee.to_play, referee.to_dict()["waiting"]) == ("turn", 0, True)
    assert "wait" not in referee.legal_actions() and referee.to_dict()["turn"]["moves"] == 6
    referee.apply("pass")
    assert referee.phase == "timeline" and not referee.to_dict()["waiting"]
    assert referee.to_play == 1


def test_no_waiting_with_nothing_to_do() -> None:
    d = first_round(2, ("wait",))
    d["companies"][0]["employees"][SPACE["construction"]] = employees(inactive=1)
    assert played(d, "timeline construction").to_dict()["round"] == 2  # nobody has goods


def test_a_turn_that_waiting_has_spoilt() -> None:
    """The only free space is taken by the next player: no decision is left for the one who waited."""
    d = cleared(first_round(2, ("wait",)))
    for city, owners in d["cities"].items():
        d["cities"][city] = ["neutral"] * len(owners)
    d["cities"]["boise"] = [None]
    for c in d["companies"]:
        c["goods"] = 2
    referee = played(d, "timeline construction", "wait", "build commerce in boise")
    after = referee.to_dict()
    assert (after["round"], after["waiting"], after["cities"]["boise"]) == (2, False, ["player_1"])


def test_secret_donation() -> None:
    """Ruling 44: after the set-up, clockwise, any cell; free, no donation made, nothing on the table."""
    referee = Referee.from_dict(table(2, ("secret_donation",)) | {"first_player": 1, "to_play": 1})
    while referee.phase != "secret":
        legal = referee.legal_actions()
        referee.apply("pass" if "pass" in legal else min(legal))
    assert referee.to_play == 1 and referee.legal_actions() == {f"donate {cell}" for cell in DONATION_CELLS}
    before = referee.to_dict()
    referee.apply("donate welfare_flat")
    assert referee.to_play == 0 and "donate welfare_flat" in referee.legal_actions()
    referee.apply("donate health_west")
    after = referee.to_dict()
    assert [c["secret"] for c in after["companies"]] == ["health_west", "welfare_flat"]
    assert (after["phase"], after["round"], after["to_play"]) == ("timeline", 1, 1)
    assert after["donations"] == before["donations"]
    assert after["companies"][1] == before["companies"][1] | {"secret": "welfare_flat"}
    assert referee.score_breakdown()[1]["secret_donation"] == 7
    assert "secret_donation" not in Referee.from_dict(first_round()).score_breakdown()[0]


def secret(cell: str, cells: tuple[str, ...], **changes: object) -> tuple[dict, int]:
    d = first_round(2, ("secret_donation",))
    d["donations"] = {made: ["player_0"] for made in cells}
    d["companies"][0] |= {"secret": cell, "donations_made": len(cells), **changes}
    score = Referee.from_dict(d).score_breakdown()[0]
    return score["donations"], score["secret_donation"]


def test_a_secret_donation_scores_twice() -> None:
    assert secret("welfare_flat", ("welfare_flat",)) == ({"welfare_flat": 7}, 7)
    assert secret("human_rights_donations", ("welfare_flat", "welfare_money")) == (
        {"welfare_flat": 7, "welfare_money": 0},
        4,  # it is not one that was made
    )


def test_payments_of_a_secret_donation() -> None:
    """Ruling 30: one plan for all; each with its own number; P1: the table first, the secret one last."""
    assert secret("welfare_goods", ("welfare_goods",), money=0, goods=8) == ({"welfare_goods": 12}, 4)
    assert secret("welfare_goods", ("welfare_goods",), money=0, goods=15) == ({"welfare_goods": 12}, 12)
    # the best plan of both together: $5 and a good for 4 VP, the other good for 2 VP
    assert secret("welfare_goods", ("welfare_money_and_goods",), money=5, goods=2) == (
        {"welfare_money_and_goods": 4},
        2,
    )
    assert secret("education_research", (), money=0, goods=0) == ({}, 3)
