"""The referee by itself: whole games, and chance in set-up.

The rulebook's examples are scenarios (tests/scenarios). The engine's invariants count the pieces, and the lock-step
test compares the positions.
"""

import random

import pytest

from tests.referee import Referee, play, setup
from tests.referee.components import ALL_TILES, CARDS, SHEET, TILES

MODES = [(1, "beginner"), (1, "normal"), (1, "difficult"), (1, "expert"), (2, None), (3, None), (4, None)]


# ---------------------------------------------------------------------------------------------------- whole games
def play_out(referee: Referee, rng: random.Random, style: str) -> int:
    decisions = 0
    while legal := referee.legal_actions():
        d = referee.to_dict()
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
    """Expansion 1: all modules allowed with this number of players, and each of them alone."""
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
def test_a_game_continues_from_its_dictionary(num_players: int, difficulty: str | None) -> None:
    """Every position is complete: a referee made from it continues the same way."""
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
    # A01 names a cell and two small cities that are already taken: all three are skipped, not used up
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
    """The position after the reveal of sheets with these goods, employees, points, moves and bids."""
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
    """The higher cost of the other lines wins, then chance."""
    cheap, dear = (2, 3, 0, 4, 5), (6, 3, 0, 4, 5)
    assert filled(cheap, dear, cheap)["first_player"] == 1
    assert filled(cheap, dear, dear, rng=7)["rng"] == 7  # the lot has a generator of its own
    firsts = [filled(cheap, dear, dear, dear, rng=seed)["first_player"] for seed in range(60)]
    assert set(firsts) == {1, 2, 3}
    # The state 1 xor the number of this draw, 1, is 0, and 0 scrambled is 0: SplitMix64's first number from there is
    # 0xE220A8397B1DCDAF, in the upper half
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
