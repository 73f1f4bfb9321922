"""The referee by itself: whole games keep all pieces, what chance does in set-up is right. The rulebook's worked
examples are scenarios (tests/scenarios), for referee and engine."""

import random
from collections import Counter

import pytest

from tests.referee import Referee, play, setup
from tests.referee.components import ALL_TILES, CARDS, DEPARTMENTS, LOBBY, REGIONS, SHEET, TABS, TILES

MODES = [(1, "beginner"), (1, "normal"), (1, "difficult"), (1, "expert"), (2, None), (3, None), (4, None)]


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
    """Every position is complete: one made from its dictionary at each decision plays the same game."""
    rng = random.Random(5)
    modules = combinations(num_players)[0] if num_players > 1 else ()
    referee = Referee.from_dict(play.random_start(rng, num_players, difficulty, modules=modules))
    while legal := referee.legal_actions():
        action = play.choose(rng, referee.to_dict(), legal, "manager")
        other = Referee.from_dict(referee.to_dict())
        referee.apply(action)
        other.apply(action)
        assert other.to_dict() == referee.to_dict()
        assert other.score_breakdown() == referee.score_breakdown()


# --------------------------------------------------------------------------------------------------- set-up (1.3)
def test_neutral_disks() -> None:
    cells, spaces = setup.place_neutral_disks(["N01", "N02", "A01", "N05"], 10)
    # A01 names a cell and two small cities that are taken already: all three are skipped, not spent
    assert cells == ["education_human_resources", "education_management", "health_midwest"]
    cities = ("salt_lake_city", "reno", "st_louis", "chicago", "san_francisco", "santa_fe")
    assert spaces == [(city, 0) for city in cities]
    assert setup.place_neutral_disks(["N12", "N16"], 4)[1] == [("new_york", 0), ("chicago", 0), ("new_orleans", 0)]
    every_card = setup.place_neutral_disks(list(CARDS), 18)
    assert len(every_card[0]) + len(every_card[1]) == 18
    filled_from_the_left = setup.place_neutral_disks(["N05", "N06", "N20"], 9)[1][::2]
    assert filled_from_the_left == [("san_francisco", k) for k in range(3)]


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


# ------------------------------------------------------------------------------------------- set-up of expansion 1
def filled(*sheets: tuple[int, ...], rng: int = 0) -> dict:
    """After the reveal of sheets of goods, employees, points, moves and bid."""
    start = setup.start_position(
        num_players=len(sheets), first_player=0, timeline=[(k, "front") for k in range(1, 5)],
        removed=TILES[: setup.TILES_REMOVED[len(sheets)]], modules=("new_start",),
    )  # fmt: skip
    referee = Referee.from_dict(start | {"rng": rng})
    for seat, amounts in enumerate(sheets):
        for line, amount in zip(SHEET, amounts[:4], strict=True):
            assert (referee.phase, referee.to_play) == ("sheet", seat)
            referee.apply(f"sheet {line} {amount}")
        referee.apply(f"bid {amounts[4]}")
    assert referee.phase == "sides"
    return referee.to_dict()


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


def test_tiles_of_a_game() -> None:
    """Ruling 41: four of each type, both copies; diverse: one copy of all 32."""
    drawn = play.draw_new_departments(random.Random(1))
    assert setup.draw_fits(drawn) and not setup.draw_fits(TILES[:15] + ["renovation"])
    assert setup.tiles_of_the_game(drawn) == dict.fromkeys(drawn, 2)
    for new in (None, drawn):
        assert setup.tiles_of_the_game(new, diverse_setup=True) == dict.fromkeys(ALL_TILES, 1)
    d = play.random_start(random.Random(2), 3, modules=("new_departments", "diverse_setup"))
    assert sum(d["display"].values()) == 32 - 8 and set(d["display"].values()) == {1}
