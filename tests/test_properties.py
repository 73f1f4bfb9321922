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
from carnegie_env.carnegie import actions, codec, observation, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import MODULES
from carnegie_env.carnegie.rules import new_start, setup
from carnegie_env.core import kernels
from tests import players
from tests.amounts import some
from tests.players import ALL_ON, EXPANDED, MODES, STYLES, redraw_hidden

EMPLOYEES, DISKS, ANDREW_DISKS, ROUNDS = 15, 30, 26, 20
TILES_OFF = {1: 16, 2: 16, 3: 8, 4: 4}  # taken out of the game, by players
NEUTRAL = {1: 18, 2: 18, 3: 9, 4: 0}
LEAST_VP = -6  # what a sheet of the new start can cost
ADVANCED = {"beginner": 0, "normal": 5, "difficult": 10, "expert": 15}


def examples(number: int) -> settings:
    """So many examples. An example is a whole game, which takes a moment on a busy machine."""
    return settings(max_examples=number, suppress_health_check=[HealthCheck.too_slow])


modes = st.builds(
    lambda mode, rows, forced: mode | {"timeline_tiles": ["columns", "rows"][rows], "show_forced": forced},
    st.sampled_from(MODES) | st.sampled_from(EXPANDED)
    | st.builds(players.mixed, st.sampled_from(MODES), st.integers(0, 99)),
    st.booleans(), st.booleans(),
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
    assert min(company["money"], company["goods"], company["reserve"], company["disks"]) >= 0
    assert company["vp"] >= (LEAST_VP if d["options"]["new_start"] else 0)
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
        found.update(set(company["departments"].values()) - set(t.DEPARTMENTS[t.START_HUMAN_RESOURCES : t.LOBBY]))
        found.update([company["reserved"]] if company["reserved"] else [])
    found.update(d["andrew"]["departments"] if d["andrew"] else {})
    return found


def check_pieces(d: dict) -> None:
    players_ = d["options"]["num_players"]
    for seat in range(players_):
        check_company(d, seat)
    tiles = tiles_in_game(d)
    check_tiles(d, tiles)
    assert disks_of(d, "neutral") <= NEUTRAL[players_]
    assert all(len(set(owners)) == len(owners) for owners in d["donations"].values())
    if d["andrew"]:
        deck = d["andrew"]["deck"]
        assert len(set(deck)) == len(deck) == ROUNDS
        assert sum(bool(t.CARD_ADVANCED[t.CARDS.index(card)]) for card in deck) == ADVANCED[d["options"]["difficulty"]]
        assert d["andrew"]["disks"] + disks_of(d, "andrew") == ANDREW_DISKS
    markers = [company["transport"] for company in d["companies"]] + ([d["andrew"]["transport"]] if d["andrew"] else [])
    archives = sum("archives" in company["departments"].values() for company in d["companies"])
    for region in t.REGIONS:
        assert sum(one[region] == 4 for one in markers) <= 1 + archives
    check_modules(d)


def check_tiles(d: dict, tiles: collections.Counter) -> None:
    copies, different = (1, 32) if d["options"]["diverse_setup"] else (2, 16)
    assert sum(tiles.values()) == copies * different - TILES_OFF[len(d["companies"])]
    assert max(tiles.values()) <= copies and len(tiles) <= different
    types = collections.Counter(t.ACTION_TYPES[t.DEPARTMENT_TYPE[t.DEPARTMENTS.index(tile)]] for tile in tiles)
    assert max(types.values()) <= (8 if d["options"]["diverse_setup"] else 4)
    if not d["options"]["diverse_setup"] and not d["options"]["new_departments"]:
        assert all(t.DEPARTMENTS.index(tile) <= t.BASE_TILES for tile in tiles)


def check_modules(d: dict) -> None:
    """What modules bring is there when they are on, and only then."""
    on = d["options"]
    assert (d["panels"] is not None) == on["new_donations"] and d["waiting"] <= on["wait"]
    placed = [tile for tile in (d["panels"] or {}).values() if tile]
    assert len(set(placed)) == len(placed) <= len(d["companies"])
    for company in d["companies"]:
        assert (company["sheet"] is not None) == on["new_start"]
        assert on["secret_donation"] or company["secret"] is None
        if on["new_start"] and d["phase"] != "sheet":
            check_sheet(d, company["sheet"])
    if on["secret_donation"]:
        chosen = sum(company["secret"] is not None for company in d["companies"])
        assert d["phase"] == "secret" or chosen == (len(d["companies"]) if d["round"] else 0)


def check_sheet(d: dict, sheet: dict) -> None:
    cost = 0
    for k, line in enumerate(t.NEW_START_LINES):
        cost += dict(t.NEW_START_OFFERS[k].tolist())[sheet[line]]
    assert (sheet["bid"] is None) == (len(d["companies"]) == 1)
    assert cost + (sheet["bid"] or 0) <= 50


def stays(before: dict, after: dict) -> None:
    """What no decision can change or take back."""
    assert tiles_in_game(before) == tiles_in_game(after)
    assert before["options"] == after["options"]
    assert before["rng"] == after["rng"]
    for column, tile in (before["panels"] or {}).items():
        assert tile in (None, after["panels"][column])
    assert before["timeline"]["spaces"] == after["timeline"]["spaces"]
    assert before["round"] <= after["round"]  # a round may go by without a decision
    for city, owners in before["cities"].items():
        assert all(old in (None, new) for old, new in zip(owners, after["cities"][city], strict=True))
    for cell, owners in before["donations"].items():
        assert set(owners) <= set(after["donations"][cell])
    for old, new in zip(before["companies"], after["companies"], strict=True):
        assert old["secret"] in (None, new["secret"])
        for key, chosen in (old["sheet"] or {}).items():
            assert chosen in (None, new["sheet"][key])
        assert old["departments"].items() <= new["departments"].items()
        assert all(old["transport"][region] <= new["transport"][region] for region in t.REGIONS)
        assert all(old["tabs"][tab]["uncovered"] <= new["tabs"][tab]["uncovered"] for tab in t.PROJECTS)
        if before["phase"] != "sheet":  # the reveal says what everybody starts with
            assert old["reserve"] >= new["reserve"] and old["action_choice"] >= new["action_choice"]
    if before["andrew"]:
        assert before["andrew"]["deck"] == after["andrew"]["deck"]
        assert before["andrew"]["disks"] >= after["andrew"]["disks"]


@pytest.mark.parametrize("rich", [False, True], ids=["start", "rich"])
@pytest.mark.parametrize("mode", [*MODES, *EXPANDED], ids=players.mode_name)
def test_no_piece_is_lost_or_made(mode: dict, rich: bool) -> None:
    for seed, style in some(list(enumerate(STYLES)), 2, rich) if mode not in players.ALONE else [(2, STYLES[2])]:
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
            assert min(value for name, value in parts.items() if name != "immediate") >= 0
            assert all(0 <= vp <= most for vp in row["donations"].values())
            assert ("final_effects" in parts) == (owner != "andrew" and new_tiles(d))
            assert ("secret_donation" in parts) == (owner != "andrew" and d["options"]["secret_donation"])
            assert parts.get("secret_donation", 0) <= most
            assert sorted(row["donations"]) == sorted(c for c, owners in d["donations"].items() if owner in owners)
            if owner != "andrew":
                company = d["companies"][seat]
                assert row["immediate"] == company["vp"]
                assert (row["action_choice"] > 0) == company["action_choice"]
                active = sum(here["active"] for here in company["employees"].values())
                assert row["active_employees"] == active


def new_tiles(d: dict) -> bool:
    """Whether tiles of expansion 1 are in the game."""
    return d["options"]["new_departments"] or d["options"]["diverse_setup"]


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
    masks = np.zeros((len(game.games), num_actions(game.games[0])), np.int8)
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
    batch.load(position)
    batch.step(legal)
    assert players.faults(batch.games) == []
    decided = position.record.decisions + 1
    for k, action in enumerate(legal.tolist()):
        assert batch.games[k].decisions == decided
        if k % 5 == 0:
            child = Position._of(batch.games[k : k + 1].copy())
            by_text = position.copy()
            by_text.apply(actions.TEXTS[action])
            assert by_text == child == Position.from_dict(child.to_dict())
            check_pieces(child.to_dict())


@examples(20)
@given(spots())
def test_every_other_action_is_refused_without_a_change(position: Position) -> None:
    before, legal = players.mark(position.games), set(position.legal_numbers().tolist())
    known = num_actions(position.record)
    for action in range(-2, known + 2):
        chosen = np.array([action], np.int64)
        taken = kernels.check(position._games, chosen, position.game.num_actions(position.options), False) == -1
        assert taken == (action in legal)
        if action not in legal and action % 7 == 0:
            for name in [action] + ([actions.TEXTS[action]] if 0 <= action < known else []):
                if name not in short_names(position):
                    with pytest.raises(ValueError, match="player_"):
                        position.apply(name)
    assert players.mark(position.games) == before


def num_actions(game: np.record) -> int:
    return actions.NUM_ACTIONS if game.modules else actions.NUM_BASE_ACTIONS


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
    first, started = game.games["first_player"], game.games["phase"] != state.SHEET
    # The first player of the first round: by the bids of a new start, else seat 0.
    begins = int((first - passed)[started][0]) % int(game.games["num_players"][0])
    assert begins == 0 or game.games[0].modules & state.NEW_START
    assert (first[started] == (begins + passed[started]) % game.games["num_players"][0]).all()
    assert (first[~started] == 0).all()


# ---------------------------------------------------------------- what a seat sees
def public(d: dict, seat: int) -> str:
    """What a seat may know (ruling 32: of Andrew's deck the faces turned up, the backs of this card and the next;
    rulings 40 and 44: one's own sheet and secret donation, the others' sheets once they are revealed)."""
    shown = {key: value for key, value in d.items() if key not in ("rng", "decisions", "andrew")} | {"from": seat}
    shown["options"] = {k: v for k, v in d["options"].items() if k not in ("show_forced", "timeline_tiles")}
    shown["donations"] = {cell: sorted(owners) for cell, owners in sorted(d["donations"].items())}
    shown["companies"] = [
        company if owner == seat else hidden(d, company) for owner, company in enumerate(d["companies"])
    ]
    if d["andrew"]:
        deck, places = d["andrew"]["deck"], d["andrew"]["places"]
        seen = d["round"] - (d["phase"] == "timeline")
        backs = [t.CARDS.index(card) for card in deck[max(d["round"] - 1, 0) : d["round"] + 1]]
        shown["andrew"] = {key: d["andrew"][key] for key in ("departments", "transport", "disks")} | {
            "faces": sorted(zip(deck[:seen], places[:seen], strict=True)),  # the order they came in is the past
            "backs": [(int(t.CARD_BACK[card]), bool(t.CARD_ADVANCED[card])) for card in backs],
        }
    return json.dumps(shown, sort_keys=True)


def hidden(d: dict, company: dict) -> dict:
    """A company as the other seats see it."""
    return company | {"secret": None} | ({"sheet": None} if d["phase"] == "sheet" else {})


@pytest.mark.parametrize("mode", [*MODES, *ALL_ON], ids=players.mode_name)
def test_observations_differ_where_public_positions_do_and_only_there(mode: dict) -> None:
    by_position: dict[str, bytes] = {}
    for seed, style in enumerate(some(STYLES, 2)):
        game = players.whole_game(mode | {"show_forced": seed == 1}, 10 + seed, style, rich=seed % 2 == 0)
        for seat in range(mode["num_players"]):
            out = observed(game.games, seat)
            for record, vector in zip(game.games, out, strict=True):
                shown = public(codec.to_dict(record), seat)
                assert by_position.setdefault(shown, vector.tobytes()) == vector.tobytes()
    # Seats are seen in relative order: with several players the same vector can come from two seats, not from one.
    by_seat = collections.Counter((json.loads(shown)["from"], vector) for shown, vector in by_position.items())
    assert max(by_seat.values()) == 1 and len(by_position) > 100


def observed(games_: np.ndarray, seats: int | np.ndarray) -> np.ndarray:
    """What seats see of records of one mode."""
    layout = observation.layout(int(games_[0].num_players), bool(games_[0].modules))
    out = np.zeros((len(games_), layout.size), np.float32)
    kernels.observe(games_, np.broadcast_to(np.asarray(seats, np.int64), len(games_)).copy(), out)
    return out


SMALL_CHANGES = ("money", "goods", "vp")
several = st.sampled_from(MODES[4:])
with_modules = st.builds(players.mixed, several, st.integers(0, 99)) | st.sampled_from(ALL_ON[1:])
hidden_games = st.builds(
    players.whole_game, with_modules, st.integers(0, 999), st.sampled_from(STYLES), st.booleans()
)


@examples(40)
@given(spots(), st.sampled_from(SMALL_CHANGES), st.integers(0, 3))
def test_the_smallest_change_of_what_is_public_is_seen_by_all(position: Position, what: str, seat: int) -> None:
    if position.round == 0 and (what == "vp" or position.phase == "sheet"):
        return
    d = position.to_dict()
    d["companies"][seat % position.num_players][what] += 1
    other = Position.from_dict(d)
    for viewer in range(position.num_players):
        assert not np.array_equal(position.observe(viewer), other.observe(viewer))


@examples(40)
@given(st.sampled_from(ALL_ON[1:]), st.integers(0, 99), st.integers(0, 3))
def test_a_sealed_sheet_is_seen_by_its_owner_only_until_the_reveal(mode: dict, seed: int, seat: int) -> None:
    games_ = players.whole_game(mode, seed, "uniform").games
    sealed = games_[(games_["phase"] == state.SHEET) & (games_["to_play"] > 0)].copy()
    seat %= mode["num_players"] - 1
    sealed = sealed[sealed["to_play"] > seat]  # his sheet is full
    sheets = np.flatnonzero((games_["sheet"][:, seat] != -1).all(axis=1))
    other = sealed.copy()
    other["sheet"][:, seat] = np.where(other["sheet"][:, seat] == 0, 1, 0)  # most likely cheaper
    other["bid"][:, seat] = (other["bid"][:, seat] + 1) % 3
    for record in other:
        assert Position.from_dict(codec.to_dict(record)).phase == "sheet"  # another legal sheet
    for viewer in range(mode["num_players"]):
        same = (observed(sealed, viewer) == observed(other, viewer)).all(axis=1)
        assert same.all() if viewer != seat else not same.any()
    revealed = games_[sheets[-1] : sheets[-1] + 1].copy()  # the last position: everybody sees it
    changed = revealed.copy()
    changed["sheet"][0, seat, new_start.GOODS] = (changed["sheet"][0, seat, new_start.GOODS] + 1) % 5
    for viewer in range(mode["num_players"]):
        assert not np.array_equal(observed(revealed, viewer), observed(changed, viewer))


@examples(40)
@given(hidden_games, st.integers(0, 3), st.integers(1, 19))
def test_a_secret_donation_is_seen_by_its_owner_only(game: players.Played, seat: int, step: int) -> None:
    seat %= int(game.games[0].num_players)
    chosen = game.games[game.games["secret"][:, seat] >= 0].copy()
    if not len(chosen):
        return
    other = chosen.copy()
    other["secret"][:, seat] = (other["secret"][:, seat] + step) % len(t.DONATIONS)
    for viewer in range(int(game.games[0].num_players)):
        same = (observed(chosen, viewer) == observed(other, viewer)).all(axis=1)
        assert same.all() if viewer != seat else not same.any()


@examples(25)
@given(hidden_games, st.integers(0, 999))
def test_what_others_hide_is_redrawn_and_nothing_else(game: players.Played, seed: int) -> None:
    before = game.games[:-1]
    after = before.copy()
    redraw_hidden(after, np.arange(len(after), dtype=np.uint64) * np.uint64(31) + np.uint64(seed))
    assert np.array_equal(observed(before, before["to_play"]), observed(after, before["to_play"]))
    for name in state.GAME.names:
        if name not in ("sheet", "bid", "secret", "rng"):
            assert np.array_equal(before[name], after[name]), name
    check_generators(before, after)
    for old, new in zip(before, after, strict=True):
        own = old.to_play
        sealed = old.phase == state.SHEET
        for name in ("sheet", "bid", "secret"):
            assert np.array_equal(old[name][own], new[name][own])
            if name != "secret" and not sealed:
                assert np.array_equal(old[name], new[name])
        assert ((old["secret"] >= 0) == (new["secret"] >= 0)).all() and new["secret"].max() < len(t.DONATIONS)
    for k in range(0, len(after), 17):
        Position.from_dict(codec.to_dict(after[k]))  # legal sheets, within the budget
    again = after.copy()
    kernels.refresh(again)
    assert np.array_equal(again["legal"], before["legal"])


@pytest.mark.parametrize("players_", [2, 3, 4])
def test_sheets_and_secrets_of_others_come_in_every_way(players_: int) -> None:
    mode = ALL_ON[players_ - 1]
    games_ = players.whole_game(mode, 3, "patient").games
    last = np.flatnonzero(games_["phase"] == state.SHEET)[-1]
    drawn = np.repeat(games_[last : last + 1], 4000)
    redraw_hidden(drawn, np.arange(4000, dtype=np.uint64))
    for seat in range(players_ - 1):  # the last seat is filling in his own
        assert all(set(drawn["sheet"][:, seat, line].tolist()) == set(range(5)) for line in range(4))
        assert drawn["bid"][:, seat].min() == 0 and drawn["bid"][:, seat].max() > 20
        cost = sum(t.NEW_START_OFFERS[k][drawn["sheet"][:, seat, k], t.OFFER_COST] for k in range(4))
        assert (cost + drawn["bid"][:, seat]).max() <= t.NEW_START_BUDGET
    for at in (len(games_) // 2, np.flatnonzero(games_["phase"] == state.SECRET)[-1]):
        drawn = np.repeat(games_[at : at + 1], 20_000)
        redraw_hidden(drawn, np.arange(20_000, dtype=np.uint64) * np.uint64(977))
        for seat in range(players_):
            kept = drawn["secret"][:, seat]
            if seat == games_[at].to_play or games_[at]["secret"][seat] < 0:
                assert (kept == games_[at]["secret"][seat]).all()
            else:
                counts = np.bincount(kept, minlength=len(t.DONATIONS))
                assert chi_square(counts) < most_likely_below(len(t.DONATIONS) - 1)


def test_playouts_do_not_know_what_is_hidden() -> None:
    """Other secrets and other sealed sheets of the others: the same play-outs."""
    for mode in ALL_ON[1:]:
        games_ = players.whole_game(mode, 5, "patient").games
        for at in (np.flatnonzero(games_["phase"] == state.SHEET)[-1], len(games_) * 2 // 3):
            one, other = games_[at : at + 1].copy(), games_[at : at + 1].copy()
            for seat in range(mode["num_players"]):
                if seat != one["to_play"][0]:
                    if one["secret"][0, seat] >= 0:
                        other["secret"][0, seat] = (one["secret"][0, seat] + 7) % len(t.DONATIONS)
                    if one["phase"][0] == state.SHEET:
                        other["sheet"][0, seat], other["bid"][0, seat] = 0, 1
            assert players.mark(one) != players.mark(other)
            first, second = (Batch.playouts(record, 40, seed=9, num_threads=1) for record in (one, other))
            assert np.array_equal(first, second) and len(np.unique(first, axis=0)) > 20


# Every part of the position that the modules bring, changed: all seats see it.
PUBLIC_CHANGES = {
    "panel": lambda game: game["panel"].__setitem__(2, (game["panel"][2] + 2) % 5 - 1),
    "waiting": lambda game: game.__setitem__("waiting", 1 - game["waiting"]),
    "relocations": lambda game: game.__setitem__("relocations", game["relocations"] + 1),
    "projects": lambda game: game.__setitem__("projects", game["projects"] + 1),
    "level_region": lambda game: game.__setitem__("level_region", (game["level_region"] + 2) % 5 - 1),
    "payroll_activated": lambda game: game.__setitem__("payroll_activated", game["payroll_activated"] + 1),
    "modules": lambda game: game.__setitem__("modules", game["modules"] ^ state.WAIT),
    "vp": lambda game: game["vp"].__setitem__(0, -1 if game["vp"][0] == -2 else -2),
    "display": lambda game: game["display"].__setitem__(t.POST_OFFICE, game["display"][t.POST_OFFICE] + 1),
    "tile": lambda game: game.__setitem__("tile", t.GREEN_SPACES if game["tile"] != t.GREEN_SPACES else t.ARCHIVES),
    "reserved": lambda game: game["reserved"].__setitem__(1, t.BRANDING if game["reserved"][1] == 18 else 18),
    "department": lambda game: game["department"].__setitem__((1, 0), 31 if game["department"][1, 0] == 30 else 30),
    "sheet": lambda game: game["sheet"].__setitem__((1, 3), (game["sheet"][1, 3] + 1) % 5),
    "bid": lambda game: game["bid"].__setitem__(1, game["bid"][1] + 1),
    "phase": lambda game: game.__setitem__("phase", state.HALVES if game["phase"] != state.HALVES else state.LEVEL),
}


@pytest.mark.parametrize("what", PUBLIC_CHANGES)
def test_all_that_modules_bring_is_seen_by_all(what: str) -> None:
    games_ = players.whole_game(ALL_ON[3], 8, "busy").games
    for at in range(0, len(games_) - 1, len(games_) // 12):
        if games_[at].phase == state.SHEET:
            continue
        other = games_[at : at + 1].copy()
        PUBLIC_CHANGES[what](other[0])
        for viewer in range(4):
            assert not np.array_equal(observed(games_[at : at + 1], viewer), observed(other, viewer)), (what, viewer)


def test_modules_are_only_sizes_apart() -> None:
    """All sizes depend on whether any module is on, not on which."""
    for players_ in (1, 2, 3, 4):
        sizes = set()
        for mode in [*EXPANDED, *MODES]:
            if mode["num_players"] == players_:
                batch = Batch(1, num_threads=1, **mode)
                on = any(mode.get(module) for module in MODULES)
                sizes.add((on, batch.num_actions, batch.observation_size))
                base = observation.layout(players_, False)
                assert batch.observation_layout.names[: len(base)] == base.names
        assert len(sizes) == 2 and (False, 333, base.size) in sizes
        assert {(on, number) for on, number, _ in sizes} == {(False, 333), (True, 673)}


# ---------------------------------------------------------------- hidden cards
solo_games = st.builds(
    players.whole_game,
    st.sampled_from(MODES[:4]) | st.just(ALL_ON[0]),
    st.integers(0, 999),
    st.sampled_from(STYLES),
    st.booleans(),
)


@examples(30)
@given(solo_games, st.integers(0, 999))
def test_hidden_cards_change_nothing_that_the_player_sees(game: players.Played, seed: int) -> None:
    other = game.games.copy()
    redraw_hidden(other, np.arange(len(other), dtype=np.uint64) + np.uint64(seed))
    assert np.array_equal(observed(game.games, 0), observed(other, 0))
    assert players.faults(other) == []
    for name in state.GAME.names:
        if name not in ("deck", "rng"):
            assert np.array_equal(game.games[name], other[name]), name
    check_generators(game.games, other)
    again = other.copy()
    kernels.refresh(again)  # legal actions tell nothing of hidden cards
    assert np.array_equal(again["legal"][:-1], game.games["legal"][:-1])
    for before, after in zip(game.games, other, strict=True):
        check_redrawn(before, after)


def check_generators(before: np.ndarray, after: np.ndarray) -> None:
    """Chance to come is hidden, too: where neutral disks will lie (ruling 3), what the next game is."""
    assert (before["rng"] != after["rng"]).all()


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
    redraw_hidden(drawn, np.arange(len(drawn), dtype=np.uint64))
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
    redraw_hidden(drawn, np.arange(len(drawn), dtype=np.uint64) * np.uint64(977))
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
