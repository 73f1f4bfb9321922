"""What holds in every game, whoever plays it: nothing is lost or made, every legal action can be taken and no other,
the observation shows all that is public and nothing else, a game has 20 rounds.

Hypothesis draws games (options, seed, playing style) and places in them. The checks read the position's dictionary
(docs/design.md, section 5) and count for themselves; what the rules do is checked by the referee and the scenarios.
"""

from __future__ import annotations

import collections
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carnegie_env import Batch, Position
from carnegie_env.carnegie import actions, codec, kernels, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import setup
from tests import players
from tests.players import MODES, STYLES

EMPLOYEES, DISKS, ANDREW_DISKS, ROUNDS = 15, 30, 26, 20
TILES = {1: 16, 2: 16, 3: 24, 4: 28}  # department tiles in the game, by players
NEUTRAL = {1: 18, 2: 18, 3: 9, 4: 0}
ADVANCED = {"beginner": 0, "normal": 5, "difficult": 10, "expert": 15}


def examples(number: int) -> settings:
    """So many examples. An example is a whole game, which takes a moment on a busy machine."""
    return settings(max_examples=number, suppress_health_check=[HealthCheck.too_slow])


modes = st.builds(
    lambda mode, rows, forced: mode | {"timeline_tiles": ["columns", "rows"][rows], "show_forced": forced},
    st.sampled_from(MODES), st.booleans(), st.booleans(),
)  # fmt: skip
games = st.builds(players.whole_game, modes, st.integers(0, 999), st.sampled_from(STYLES), st.booleans())


@st.composite
def spots(draw: st.DrawFn, least: float = 0.0) -> Position:
    """A position before the end, of a random game."""
    game = draw(games)
    at = draw(st.floats(least, 1, exclude_max=True))
    return game.position(int(at * len(game)))


# ---------------------------------------------------------------- pieces
def disks_of(d: dict, owner: str) -> int:
    cities = sum(owners.count(owner) for owners in d["cities"].values())
    return cities + sum(owners.count(owner) for owners in d["donations"].values())


def check_company(d: dict, seat: int) -> None:
    company, owner = d["companies"][seat], f"player_{seat}"
    here = company["employees"].values()
    employees = company["reserve"] + sum(company["missions"].values())
    employees += sum(space["active"] + space["inactive"] for space in here)
    employees += d["turn"]["arrivals"] if d["to_play"] == seat else 0
    assert employees == EMPLOYEES
    assert min(company["money"], company["goods"], company["vp"], company["reserve"], company["disks"]) >= 0
    assert all(min(space["active"], space["inactive"]) >= 0 for space in here)
    on_tabs = 0
    for k, project in enumerate(t.PROJECTS):
        tab = company["tabs"][project]
        open_sections = min(max(tab["uncovered"] - int(t.TAB_BLANK[k]), 0), int(t.TAB_PROJECTS[k]))
        assert 0 <= tab["built"] <= open_sections
        on_tabs += open_sections - tab["built"]
    assert sum(tab["built"] for tab in company["tabs"].values()) == sum(o.count(owner) for o in d["cities"].values())
    assert company["donations_made"] == sum(o.count(owner) for o in d["donations"].values())
    # one disk counts the points, four are the transport markers
    assert 1 + 4 + company["disks"] + on_tabs + disks_of(d, owner) == DISKS


def tiles_in_game(d: dict) -> collections.Counter:
    found = collections.Counter(d["display"])
    for company in d["companies"]:
        found.update(set(company["departments"].values()) - set(t.STARTING_IDS))
        found.update([company["reserved"]] if company["reserved"] else [])
    found.update(d["andrew"]["departments"] if d["andrew"] else {})
    return found


def check_pieces(d: dict) -> None:
    players_ = d["options"]["num_players"]
    for seat in range(players_):
        check_company(d, seat)
    tiles = tiles_in_game(d)
    assert sum(tiles.values()) == TILES[players_] and max(tiles.values()) <= 2
    assert disks_of(d, "neutral") <= NEUTRAL[players_]
    assert all(len(set(owners)) == len(owners) for owners in d["donations"].values())
    if d["andrew"]:
        deck = d["andrew"]["deck"]
        assert len(set(deck)) == len(deck) == ROUNDS
        assert sum(bool(t.CARD_ADVANCED[t.CARDS.index(card)]) for card in deck) == ADVANCED[d["options"]["difficulty"]]
        assert d["andrew"]["disks"] + disks_of(d, "andrew") == ANDREW_DISKS
    markers = [company["transport"] for company in d["companies"]] + ([d["andrew"]["transport"]] if d["andrew"] else [])
    for region in t.REGIONS:
        assert sum(one[region] == 4 for one in markers) <= 1


def stays(before: dict, after: dict) -> None:
    """What no decision can change or take back."""
    assert tiles_in_game(before) == tiles_in_game(after)
    for key in ("options", "rng"):
        assert before[key] == after[key]
    assert before["timeline"]["spaces"] == after["timeline"]["spaces"]
    assert before["round"] <= after["round"]  # a round may go by without a decision
    for city, owners in before["cities"].items():
        assert all(old in (None, new) for old, new in zip(owners, after["cities"][city], strict=True))
    for cell, owners in before["donations"].items():
        assert set(owners) <= set(after["donations"][cell])
    for old, new in zip(before["companies"], after["companies"], strict=True):
        assert old["departments"].items() <= new["departments"].items()
        assert all(old["transport"][region] <= new["transport"][region] for region in t.REGIONS)
        assert all(old["tabs"][tab]["uncovered"] <= new["tabs"][tab]["uncovered"] for tab in t.PROJECTS)
        assert old["reserve"] >= new["reserve"] and old["action_choice"] >= new["action_choice"]
    if before["andrew"]:
        assert before["andrew"]["deck"] == after["andrew"]["deck"]
        assert before["andrew"]["disks"] >= after["andrew"]["disks"]


@pytest.mark.parametrize("rich", [False, True], ids=["start", "rich"])
@pytest.mark.parametrize("mode", MODES, ids=players.mode_name)
def test_no_piece_is_lost_or_made(mode: dict, rich: bool) -> None:
    for seed, style in enumerate(STYLES):
        options = mode | {"timeline_tiles": ["columns", "rows"][seed % 2], "show_forced": seed > 1}
        game = players.whole_game(options, 40 + seed, style, rich)
        assert players.faults(game.games) == []
        dicts = [codec.to_dict(record) for record in game.games]
        for d in dicts:
            check_pieces(d)
        for before, after in itertools.pairwise(dicts):
            stays(before, after)
            assert after["decisions"] == before["decisions"] + 1


# ---------------------------------------------------------------- scores
@examples(40)
@given(games)
def test_the_score_breakdown_adds_up(game: players.Played) -> None:
    for k in {0, len(game) // 2, len(game)}:
        position = game.position(k)
        d, breakdown = position.to_dict(), position.score_breakdown()
        assert position.scores() == [row["total"] for row in breakdown]
        for seat, row in enumerate(breakdown):
            parts = {name: value for name, value in row.items() if name not in ("donations", "total")}
            assert row["total"] == sum(parts.values()) + sum(row["donations"].values())
            owner = f"player_{seat}" if seat < len(d["companies"]) else "andrew"
            most = 12 if owner == "andrew" else 12 + 4 * 3  # four fully pulled tabs with +3 (ruling 30)
            assert min(parts.values()) >= 0 and all(0 <= vp <= most for vp in row["donations"].values())
            assert sorted(row["donations"]) == sorted(c for c, owners in d["donations"].items() if owner in owners)
            if owner != "andrew":
                company = d["companies"][seat]
                assert row["immediate"] == company["vp"]
                assert (row["action_choice"] > 0) == company["action_choice"]
                active = sum(here["active"] for here in company["employees"].values())
                assert row["active_employees"] == active


# ---------------------------------------------------------------- copies and dictionaries
@examples(60)
@given(spots())
def test_a_position_comes_back_from_its_dictionary(position: Position) -> None:
    d = position.to_dict()
    again = Position.from_dict(d)
    assert again == position and players.mark(again.games) == players.mark(position.games)
    assert again.to_dict() == d
    assert Position.from_json(position.to_json()) == position
    assert json.loads(json.dumps(d)) == d


@examples(30)
@given(spots(), st.integers(0, 999))
def test_a_copy_plays_on_identically(position: Position, seed: int) -> None:
    generator, before = np.random.default_rng(seed), players.mark(position.games)
    copies = [position.copy(), Position.from_dict(position.to_dict())]
    while not copies[0].is_over:
        legal = copies[0].legal_numbers()
        action = int(generator.choice(legal))
        for copy in copies:
            assert np.array_equal(copy.legal_numbers(), legal)
            copy.apply(action)
        assert copies[0] == copies[1]
    assert players.mark(position.games) == before


# ---------------------------------------------------------------- actions
@examples(60)
@given(games)
def test_there_is_a_choice_until_the_end(game: players.Played) -> None:
    masks = np.zeros((len(game.games), actions.NUM_ACTIONS), np.int8)
    kernels.byte_masks(game.games, masks)
    counts = masks.sum(axis=1)
    only_one = counts[:-1] == 1
    assert counts[-1] == 0 and (counts[:-1] > 0).all()
    if game.games[0].show_forced:
        assert not masks[:-1][only_one][:, actions.PASS].any()
    else:
        assert not only_one.any()
    assert (game.games["to_play"][:-1] >= 0).all() and game.games["to_play"][-1] == -1


@examples(40)
@given(spots())
def test_every_legal_action_applies(position: Position) -> None:
    legal = position.legal_numbers()
    batch = Batch(len(legal), num_threads=1, **position.options.to_dict())
    batch.games[:] = np.repeat(position.games, len(legal))
    batch.step(legal)
    assert players.faults(batch.games) == []
    decided = position.record.decisions + 1
    for k, action in enumerate(legal.tolist()):
        assert batch.games[k].decisions == decided
        if k % 5 == 0:
            child = Position(batch.games[k : k + 1])
            by_text = position.copy()
            by_text.apply(actions.TEXTS[action])
            assert by_text == child == Position.from_dict(child.to_dict())
            check_pieces(child.to_dict())


@examples(20)
@given(spots())
def test_every_other_action_is_refused_without_a_change(position: Position) -> None:
    before, legal = players.mark(position.games), set(position.legal_numbers().tolist())
    for action in range(-2, actions.NUM_ACTIONS + 2):
        chosen = np.array([action], np.int64)
        assert (kernels.check(position.games, chosen) == -1) == (action in legal)
        if action not in legal and action % 7 == 0:
            for name in [action] + ([actions.TEXTS[action]] if 0 <= action < actions.NUM_ACTIONS else []):
                if name not in short_names(position):
                    with pytest.raises(ValueError, match="player_"):
                        position.apply(name)
    assert players.mark(position.games) == before


def short_names(position: Position) -> set[str]:
    """Texts that stand for the first legal one that goes on with a space's number (see Position.apply)."""
    return {text.partition(" space ")[0] for text in position.legal_actions()}


# ---------------------------------------------------------------- the length of a game
@examples(60)
@given(games)
def test_a_game_has_20_rounds_and_all_markers_end_on_the_end_tile(game: players.Played) -> None:
    rounds, phases = game.games["round_number"], game.games["phase"]
    assert (np.diff(rounds) >= 0).all() and rounds[-1] == ROUNDS
    assert phases[-1] == state.OVER and (phases[:-1] != state.OVER).all()
    last = game.position(len(game)).to_dict()
    assert set(last["timeline"]["markers"].values()) == {5}
    assert last["to_play"] is None and last["timeline"]["chosen"] is None
    passed = game.games["marker"].sum(axis=1)
    assert (passed == np.maximum(rounds - (phases != state.OVER), 0)).all()
    first = game.games["first_player"]
    assert (first == passed % game.games["num_players"]).all()


# ---------------------------------------------------------------- what a seat sees
def public(d: dict, seat: int) -> str:
    """What a seat may know (ruling 32: of Andrew's deck the faces turned up, the backs of this card and the next)."""
    shown = {key: value for key, value in d.items() if key not in ("rng", "decisions", "andrew")} | {"from": seat}
    shown["options"] = {k: v for k, v in d["options"].items() if k not in ("show_forced", "timeline_tiles")}
    shown["donations"] = {cell: sorted(owners) for cell, owners in sorted(d["donations"].items())}
    if d["andrew"]:
        deck, places = d["andrew"]["deck"], d["andrew"]["places"]
        seen = d["round"] - (d["phase"] == "timeline")
        backs = [t.CARDS.index(card) for card in deck[max(d["round"] - 1, 0) : d["round"] + 1]]
        shown["andrew"] = {key: d["andrew"][key] for key in ("departments", "transport", "disks")} | {
            "faces": sorted(zip(deck[:seen], places[:seen], strict=True)),  # the order they came in is the past
            "backs": [(int(t.CARD_BACK[card]), bool(t.CARD_ADVANCED[card])) for card in backs],
        }
    return json.dumps(shown, sort_keys=True)


@pytest.mark.parametrize("mode", MODES, ids=players.mode_name)
def test_observations_differ_where_public_positions_do_and_only_there(mode: dict) -> None:
    by_position: dict[str, bytes] = {}
    for seed, style in enumerate(STYLES):
        game = players.whole_game(mode | {"show_forced": seed == 1}, 10 + seed, style, rich=seed % 2 == 0)
        for seat in range(mode["num_players"]):
            seen = Batch(1, num_threads=1, **mode).observation_size
            out = np.zeros((len(game.games), seen), np.float32)
            kernels.observe(game.games, np.full(len(game.games), seat, np.int64), out)
            for record, vector in zip(game.games, out, strict=True):
                shown = public(codec.to_dict(record), seat)
                assert by_position.setdefault(shown, vector.tobytes()) == vector.tobytes()
    # Seats are seen in relative order: with several players the same vector can come from two seats, not from one.
    by_seat = collections.Counter((json.loads(shown)["from"], vector) for shown, vector in by_position.items())
    assert max(by_seat.values()) == 1 and len(by_position) > 100


SMALL_CHANGES = ("money", "goods", "vp")


@examples(40)
@given(spots(), st.sampled_from(SMALL_CHANGES), st.integers(0, 3))
def test_the_smallest_change_of_what_is_public_is_seen_by_all(position: Position, what: str, seat: int) -> None:
    if what == "vp" and position.round == 0:
        return
    d = position.to_dict()
    d["companies"][seat % position.num_players][what] += 1
    other = Position.from_dict(d)
    for viewer in range(position.num_players):
        assert not np.array_equal(position.observe(viewer), other.observe(viewer))


# ---------------------------------------------------------------- hidden cards
solo_games = st.builds(
    players.whole_game, st.sampled_from(MODES[:4]), st.integers(0, 999), st.sampled_from(STYLES), st.booleans()
)


@examples(30)
@given(solo_games, st.integers(0, 999))
def test_hidden_cards_change_nothing_that_the_player_sees(game: players.Played, seed: int) -> None:
    other = game.games.copy()
    kernels.redraw_hidden(other, np.arange(len(other), dtype=np.uint64) + np.uint64(seed))
    out = np.zeros((2, len(other), Batch(1, **MODES[0]).observation_size), np.float32)
    for k, records in enumerate((game.games, other)):
        kernels.observe(records, np.zeros(len(records), np.int64), out[k])
    assert np.array_equal(out[0], out[1])
    assert players.faults(other) == []
    for name in state.GAME.names:
        if name != "deck":  # the random generator, too, is left alone
            assert np.array_equal(game.games[name], other[name]), name
    again = other.copy()
    kernels.refresh(again)  # legal actions tell nothing of hidden cards
    assert np.array_equal(again["legal"][:-1], game.games["legal"][:-1])
    for before, after in zip(game.games, other, strict=True):
        check_redrawn(before, after)


def known_cards(game: np.record) -> tuple[int, int]:
    """How many cards of the deck are known by face, and how many by their back (ruling 32)."""
    faces = int(game.round_number) - (game.phase == state.TIMELINE)
    return faces, min(int(game.round_number) + 1, ROUNDS)


def check_redrawn(before: np.record, after: np.record) -> None:
    faces, backs = known_cards(before)
    old, new = before["deck"].tolist(), after["deck"].tolist()
    assert new[:faces] == old[:faces] and len(set(new)) == ROUNDS
    for r in range(faces, backs):
        assert t.CARD_BACK[new[r]] == t.CARD_BACK[old[r]] and t.CARD_ADVANCED[new[r]] == t.CARD_ADVANCED[old[r]]
    assert sum(t.CARD_ADVANCED[new]) == sum(t.CARD_ADVANCED[old])


def possible_decks(game: np.record) -> list[tuple[int, ...]]:
    """Every way the hidden cards can lie, to the end of the deck."""
    faces, backs = known_cards(game)
    deck, advanced = game["deck"].tolist(), int(sum(t.CARD_ADVANCED[game["deck"]]))

    def fits(r: int, card: int) -> bool:
        same = t.CARD_BACK[card] == t.CARD_BACK[deck[r]] and t.CARD_ADVANCED[card] == t.CARD_ADVANCED[deck[r]]
        return r >= backs or bool(same)

    found = [tuple(deck[:faces])]
    for r in range(faces, ROUNDS):
        found = [one + (c,) for one in found for c in range(len(t.CARDS)) if c not in one and fits(r, c)]
    return [one for one in found if sum(t.CARD_ADVANCED[list(one)]) == advanced]


def most_likely_below(freedom: int) -> float:
    """A value of chi-square that chance exceeds about once in 10,000 times (Wilson and Hilferty's approximation)."""
    return freedom * (1 - 2 / (9 * freedom) + 3.72 * math.sqrt(2 / (9 * freedom))) ** 3


def chi_square(counts: np.ndarray) -> float:
    expected = counts.sum() / counts.size
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.parametrize(("difficulty", "first_round"), [("normal", 19), ("difficult", 18), ("expert", 18)])
def test_hidden_cards_are_drawn_alike_among_all_that_can_be(difficulty: str, first_round: int) -> None:
    """Near the end of the deck, where all ways it can lie can be listed."""
    game = players.whole_game({"num_players": 1, "difficulty": difficulty}, 3, "busy")
    at = np.flatnonzero(game.games["round_number"] >= first_round)[0]
    record = game.games[at : at + 1]
    decks = {deck: k for k, deck in enumerate(possible_decks(record[0]))}
    drawn = np.repeat(record, min(40 * len(decks), 60_000))
    kernels.redraw_hidden(drawn, np.arange(len(drawn), dtype=np.uint64))
    counts = np.zeros(len(decks))
    for deck in drawn["deck"].tolist():
        counts[decks[tuple(deck)]] += 1
    assert len(decks) > 5 and counts.min() > 0
    assert chi_square(counts) < most_likely_below(len(decks) - 1)


def test_hidden_cards_are_drawn_alike_at_the_start() -> None:
    """In set-up only the back of the first card is known; every place beyond is alike, for each kind of card."""
    games_ = setup.template(players.Position.new(MODES[2]).options)
    kernels.start(games_, games_.copy(), np.array([5], np.uint64))
    drawn = np.repeat(games_, 40_000)
    kernels.redraw_hidden(drawn, np.arange(len(drawn), dtype=np.uint64) * np.uint64(977))
    deck, first = drawn["deck"], games_["deck"][0, 0]
    same_back = (t.CARD_BACK == t.CARD_BACK[first]) & (t.CARD_ADVANCED == t.CARD_ADVANCED[first])
    tops = np.bincount(deck[:, 0], minlength=len(t.CARDS))
    assert (tops[~same_back] == 0).all() and chi_square(tops[same_back]) < most_likely_below(int(same_back.sum()) - 1)
    others = np.array([np.bincount(deck[:, r], minlength=len(t.CARDS)) for r in range(1, ROUNDS)])
    for kind in (0, 1):
        for of_first in (True, False):
            alike = others[:, (t.CARD_ADVANCED == kind) & (same_back == of_first)]
            if alike.size:
                # 19 places of one game are not independent; a few are
                assert chi_square(alike[[0, 9, 18]]) < most_likely_below(3 * alike.shape[1] - 1)
