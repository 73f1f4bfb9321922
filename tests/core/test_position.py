"""Positions: actions by text and number, equality, JSON, scores, and refused arguments.

tests/conformance covers copies, undo and round trips for every game.
"""

from __future__ import annotations

import numpy as np
import pytest

from carnegie_env import Options, Position
from carnegie_env.carnegie import actions
from carnegie_env.carnegie.rules import scoring
from tests import walks


def test_options_and_seed_determine_a_new_game() -> None:
    assert Position.new({"num_players": 3}, 5) == Position.new(Options(num_players=3), 5)
    assert Position.new(seed=5) == Position.new({"num_players": 2}, np.uint64(5))
    assert Position.new(seed=5) != Position.new(seed=6)
    assert Position.new({"num_players": 1}).options == Options(num_players=1, difficulty="normal")


@pytest.mark.parametrize(
    ("options", "seed", "message"),
    [
        ({"num_players": 5}, 0, "num_players must be 1 .solo. to 4"),
        ({"players": 2}, 0, "got an unexpected keyword argument 'players'; the options are num_players"),
        ({"num_players": 1, "new_donations": True}, 0, "new_donations does not go with the solo game"),
        ([2], 0, "options must be a dictionary or Options"),
        *((None, seed, "a seed must be a whole number") for seed in (-1, 2**64, True, 1.0, "1", None)),
    ],
)
def test_invalid_options_and_seeds(options: object, seed: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Position.new(options, seed)


def test_texts_and_numbers_of_all_types_are_the_same_actions() -> None:
    by_text, by_number = Position.new(seed=1), Position.new(seed=1)
    for kind in (int, np.int64, np.uint16) * 10:
        numbers = by_text.legal_numbers()
        assert by_text.legal_actions() == [actions.TEXTS[number] for number in numbers]
        by_text.apply(by_text.legal_actions()[-1])
        by_number.apply(kind(numbers[-1]))
        assert by_text == by_number
    assert by_text.history == by_number.history and len(by_text.history) == by_text.record.decisions


def test_a_game_without_modules_lacks_their_actions() -> None:
    position, other = Position.new(seed=1), Position.new({"wait": True}, seed=1)
    for action in ("wait", "bid 3", "sheet goods 4", "department archives", "money 1", "level 2"):
        with pytest.raises(ValueError, match=f"there is no action '{action}'"):
            position.apply(action)
        with pytest.raises(ValueError, match=f"'{action}' is not legal now"):
            other.apply(action)
    with pytest.raises(ValueError, match="there is no action 333; the numbers are 0 to 332"):
        position.apply(actions.SHEET)
    with pytest.raises(ValueError, match=r"action 333 \(sheet goods 2\) is not legal now"):
        other.apply(actions.SHEET)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("side housing c", "there is no action 'side housing c'; player_0 can play 'side housing b', 'side housing a'"),
        ("pass", "'pass' is not legal now; player_0 can play 'side housing a', 'side housing b'"),
        ("", "there is no action ''"),
        ("a" * 10**6, "there is no action 'aaaa"),
        (-1, "there is no action -1; the numbers are 0 to"),
        (10**200, "there is no action 1000"),
        (10**5000, "there is no action a very long int"),
        (0, r"action 0 \(pass\) is not legal now"),
        (True, "an action must be a text or a whole number, not True"),
        (np.True_, "an action must be a text or a whole number"),
        (1.0, "an action must be a text or a whole number, not 1.0"),
        (np.float64(1), "an action must be a text or a whole number"),
        (None, "an action must be a text or a whole number, not None"),
        (b"pass", "an action must be a text or a whole number"),
        ([1], "an action must be a text or a whole number"),
    ],
    ids=lambda value: repr(value)[:20] if not isinstance(value, int) or abs(value) < 10**9 else "long",
)
def test_an_illegal_action_changes_nothing(action: object, message: str) -> None:
    position = Position.new(seed=1)
    before = position.copy()
    with pytest.raises(ValueError, match=message) as error:
        position.apply(action)
    assert len(str(error.value)) < 2000
    assert position == before and position.history == []


def test_an_error_lists_close_matches_first() -> None:
    position = next(p for p in walks.walk({"num_players": 2}, seed=1) if len(p.legal_actions()) > 14)
    wanted = position.legal_actions()[-1]
    with pytest.raises(ValueError) as error:
        position.apply(wanted + "s")
    assert f"can play '{wanted}', " in str(error.value)
    assert str(error.value).endswith(f", and {len(position.legal_actions()) - 12} more")
    with pytest.raises(ValueError, match="the game is over"):
        list(walks.walk({"num_players": 2}, seed=1))[-1].apply("pass")


def test_a_short_text_means_the_left_most_free_space() -> None:
    """The first and third space of New Orleans are for housing; with four players there are no neutral disks."""
    position = next(p for p in walks.walk({"num_players": 4}, seed=3) if p.phase == "housing")
    position.apply("build housing in new_orleans")
    assert position.to_dict()["cities"]["new_orleans"] == ["player_3", None, None, None, None]
    position.apply(position.legal_actions()[0])
    assert "build housing in new_orleans" not in position.legal_actions()
    assert "build housing in new_orleans space 3" in position.legal_actions()
    position.apply("build housing in new_orleans")
    assert position.to_dict()["cities"]["new_orleans"] == ["player_3", None, "player_2", None, None]
    assert actions.TEXTS[position.history[-3]] == "build housing in new_orleans"
    assert actions.TEXTS[position.history[-1]] == "build housing in new_orleans space 3"
    position.apply(position.legal_actions()[0])
    with pytest.raises(ValueError, match="'build housing in new_orleans' is not legal now"):
        position.apply("build housing in new_orleans")


def test_equality_ignores_only_the_history() -> None:
    position = Position.new(seed=9)
    read = Position.from_dict(position.to_dict())
    assert read == position and read.history is None and position.history == []
    read._games["money"][0, 1] += 1
    assert read != position
    assert position != 1 and (position == "x") is False
    with pytest.raises(TypeError):
        hash(position)


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", "1", '"x"', "{}", "[" * 100_000, '{"a":' * 100_000, '{"rng": NaN}', '{"a": 1, "a": 2}',
     "9" * 5000, b"\xff\xfe", b"\x00", None, 1, "\ud800"],
    ids=lambda text: repr(text)[:20],
)  # fmt: skip
def test_invalid_json(text: object) -> None:
    with pytest.raises(ValueError):
        Position.from_json(text)


def test_a_duplicate_key_in_json() -> None:
    text = Position.new(seed=1).to_json()
    with pytest.raises(ValueError, match="the key 'rng' occurs twice"):
        Position.from_json(text.replace('"rng":', '"rng": 1, "rng":'))


def test_scores_are_the_sums_of_their_parts() -> None:
    for mode in walks.ALL_MODES:
        for k, position in enumerate(walks.walk(mode, seed=6, rich=True)):
            if k % 20 and not position.is_over:
                continue
            parts = position.score_breakdown()
            assert len(parts) == len(position.scores()) == position.num_players + (mode["num_players"] == 1)
            for scores, total in zip(parts, position.scores(), strict=True):
                sums = [v for key, v in scores.items() if key not in ("donations", "total")]
                assert sum(sums) + sum(scores["donations"].values()) == scores["total"] == total
            owners = [f"player_{seat}" for seat in range(position.num_players)] + ["andrew"]
            for owner, scores in zip(owners, parts, strict=False):
                donations = position.to_dict()["donations"]
                assert set(scores["donations"]) == {cell for cell, disks in donations.items() if owner in disks}


def test_the_keys_of_the_scores() -> None:
    player, andrew = Position.new({"num_players": 1}).score_breakdown()
    assert list(player) == [
        "immediate", "action_choice", "active_employees", "departments", "tabs", "links", "cities", "donations",
        "total",
    ]  # fmt: skip
    players = Position.new({"num_players": 3, "new_departments": True, "secret_donation": True}).score_breakdown()
    assert list(players[2]) == [*list(player)[:-2], "final_effects", "secret_donation", "donations", "total"]
    for module, key in (("diverse_setup", "final_effects"), ("secret_donation", "secret_donation"), ("wait", None)):
        keys = list(Position.new({module: True}).score_breakdown()[0])
        assert keys == [*list(player)[:-2], *([key] if key else []), "donations", "total"]
    assert list(Position.new({"num_players": 1, "diverse_setup": True}).score_breakdown()[1]) == list(andrew)
    assert list(andrew) == ["cards", "departments", "transport", "cities", "donations", "total"]
    assert Position.new({"num_players": 1}).breakdown().shape == (2, scoring.NUM_SCORES)


def test_observations_after_the_end_and_of_invalid_seats() -> None:
    last = list(walks.walk({"num_players": 3}, seed=1))[-1]
    assert last.is_over and np.array_equal(last.observe(), last.observe(0))
    for seat in (3, -1, True, 1.0, "0"):
        with pytest.raises(ValueError, match="seat must be a whole number from 0 to 2"):
            last.observe(seat)


def test_texts_for_people() -> None:
    position = Position.new({"num_players": 2}, 1)
    assert repr(position) == "<Position of Carnegie: 2 players, round 0, phase sides, player_0 to play>"
    assert str(position) == position.render()
    assert (position.phase, position.round, position.to_play, position.num_players) == ("sides", 0, 0, 2)


def test_invalid_numbers_of_decisions_to_undo() -> None:
    position = Position.new(seed=4)
    position.apply(position.legal_actions()[-1])
    before = position.copy()
    for wrong in (0, -1, 2, True, 1.0, "1"):
        with pytest.raises(ValueError, match="taken back|whole number"):
            position.undo(wrong)
    assert position == before


def test_redrawn_positions_have_no_history() -> None:
    position = Position.new({"num_players": 1}, 1)
    position.apply(position.legal_actions()[0])
    seen = position.observe()
    other = position.copy()
    other.redraw_hidden(seed=3)
    assert other.history is None and other.seed is None and np.array_equal(other.observe(), seen)
    assert not np.array_equal(other.record.deck, position.record.deck)
