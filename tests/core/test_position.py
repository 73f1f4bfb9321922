"""Positions: actions by text and number, equality, and refused arguments.

tests/conformance covers copies, undo and round trips for every game.
"""

import numpy as np
import pytest

from carnegie_env import Position
from carnegie_env.carnegie import actions
from tests import walks


@pytest.mark.parametrize(
    ("options", "seed", "message"),
    [
        ({"num_players": 5}, 0, "num_players must be a whole number from 1 to 4"),
        ({"players": 2}, 0, "got an unexpected keyword argument 'players'; the options are num_players"),
        ({"num_players": 1, "new_donations": True}, 0, "new_donations is not available in the solo game"),
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
        *((value, f"an action must be a text or a whole number, not {value}") for value in (True, 1.0, None)),
        *((value, "an action must be a text or a whole number") for value in (np.True_, np.float64(1), b"pass", [1])),
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
    position = Position.new({"num_players": 4}, 3)
    while position.phase != "housing":
        position.apply(position.legal_actions()[0])
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


def test_text_that_is_not_a_position() -> None:
    text = Position.new(seed=1).to_json()
    for other in ("", "a position", text[:-1]):
        with pytest.raises(ValueError, match="not a position: the text is not JSON: "):
            Position.from_json(other)
    with pytest.raises(ValueError, match="the key 'rng' occurs twice"):
        Position.from_json(text.replace('"rng":', '"rng": 1, "rng":'))


def test_observations_after_the_end_and_of_invalid_seats() -> None:
    last = list(walks.walk({"num_players": 3}, seed=1))[-1]
    assert last.is_over and np.array_equal(last.observe(), last.observe(0))
    for seat in (3, -1, True, 1.0, "0"):
        with pytest.raises(ValueError, match="seat must be a whole number from 0 to 2"):
            last.observe(seat)


def test_invalid_numbers_of_decisions_to_undo() -> None:
    position = Position.new(seed=4)
    position.apply(position.legal_actions()[-1])
    before = position.copy()
    for wrong in (0, -1, 2, True, 1.0, "1"):
        with pytest.raises(ValueError, match="at most|whole number"):
            position.undo(wrong)
    assert position == before
