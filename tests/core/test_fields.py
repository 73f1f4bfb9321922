"""Options, record and codec of small games from their declarations."""

import copy
import dataclasses
from typing import Annotated

import numpy as np
import pytest

from carnegie_env.core import game
from carnegie_env.core.arguments import UnexpectedArgument
from carnegie_env.core.fields import HEADER, Fields, Kind
from carnegie_env.core.options import BaseOptions, whole
from tests.spoiling import put
from tests.toy.game import FIELDS, Options, Position


def test_options_convert_numpys_types():
    assert Options() == Options(num_players=np.int64(2), rounds=3, open_hands=np.bool_(False))
    assert type(Options(num_players=np.int64(2)).num_players) is int
    assert type(Options(open_hands=np.bool_(True)).open_hands) is bool
    assert Options.from_dict({"rounds": 9}).to_dict() == {
        "num_players": 2, "rounds": 9, "open_hands": False, "show_forced": False
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rounds": 0}, "rounds must be a whole number from 1 to 9, not 0"),
        ({"rounds": 10}, "rounds must be a whole number from 1 to 9, not 10"),
        ({"rounds": True}, "rounds must be a whole number from 1 to 9, not True"),
        ({"rounds": 2.0}, "rounds must be a whole number from 1 to 9, not 2.0"),
        ({"num_players": "2"}, "num_players must be a whole number from 1 to 5, not '2'"),
        ({"open_hands": 1}, "open_hands must be True or False, not 1"),
        ({"open_hand": True}, "unexpected keyword argument 'open_hand'; the options are num_players, rounds"),
    ],
)
def test_invalid_options(values, message):
    with pytest.raises(ValueError, match=message):
        Options.from_dict(values)


def test_the_error_for_an_unknown_option_lists_the_callers_arguments():
    with pytest.raises(UnexpectedArgument, match="show_forced, edition, reward$"):
        Options.from_dict({"rewards": "win"}, also=("reward",))


@dataclasses.dataclass(frozen=True)
class SmallOptions(BaseOptions):
    num_players: int = whole(2, 2, 2)
    show_forced: bool = False


class Small(game.Record):
    """Fields of several types and shapes, one of which follows from the others."""

    money: Annotated[int, Kind("i2", least=-5, most=300), "money"]
    board: Annotated[object, Kind("u1", most=200, shape=(2, 3)), "stones"]
    total: Annotated[int, Kind("i8", derived=True), "of the stones"]


def test_the_record_has_the_fields_of_the_core_and_the_games_own():
    fields = Fields("small", Small, SmallOptions, ["pass"] * 65, [""])
    names = fields.dtype.names
    assert names == (*HEADER, "money", "board", "total", "legal")
    types = {name: np.dtype(kind.type) for name, (kind, _) in HEADER.items()}
    assert {name: fields.dtype[name] for name in HEADER} == types
    assert fields.dtype["board"].shape == (2, 3) and fields.dtype["legal"].shape == (2,)
    assert fields.derived == {"total", "legal"} and fields.meanings["board"] == "stones"
    record = fields.blank(SmallOptions(show_forced=True))[0]
    assert (record.num_players, record.show_forced, record.money) == (2, 1, 0) and not record.board.any()
    record.money, record.board[1, 2] = -3, 7
    assert fields.to_dict(record) == {
        "game": "small", "version": 1, "options": {"num_players": 2, "show_forced": True}, "rng": 0, "decisions": 0,
        "to_play": 0, "money": -3, "board": [[0, 0, 0], [0, 0, 7]],
    }  # fmt: skip


def test_an_option_without_a_field():
    @dataclasses.dataclass(frozen=True)
    class More(SmallOptions):
        rounds: int = whole(1, 1, 2)

    with pytest.raises(ValueError, match="small: the record needs a field for the option 'rounds'"):
        Fields("small", Small, More, ["pass"], [""])


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("game",), "chess", "game: must be sixes, not 'chess'"),
        (("version",), 2, "version: must be 1, not 2"),
        (("rng",), -1, "rng: must be a whole number from 0 to .*, not -1"),
        (("to_play",), 2, "to_play: must be a whole number from 0 to 1, not 2"),
        (("to_play",), -2, "to_play: must be .*, not -2"),
        (("options", "rounds"), 10, "options.rounds: must be a whole number from 1 to 9, not 10"),
        (("options", "open_hands"), 1, "options.open_hands: must be one of false, true, not 1"),
        (("die",), 7, "die: must be a whole number from 0 to 6, not 7"),
        (("decisions",), -1, "decisions: must be .*, not -1"),
        (("tokens", 1), 7, r"tokens\[1\]: must be .*, not 7"),
        (("tokens",), [6, 6], "tokens: must have 6 entries, not 2"),
        (("number", 0), 0, "the position: cannot occur in play: a number contradicts the known limits"),
        (("won", 0), 1, "points and tokens don't fit the takes"),
        (("tokens", 4), 6, "points and tokens don't fit the takes"),
        *((path, 1, "a bet is impossible") for path in (("bet", 0), ("phase",))),
        *(((k,), n, "phase, die, round and to_play") for k, n in (("die", 1), ("round_number", 4), ("decisions", 100))),
    ],
)
def test_invalid_values_are_refused_with_their_paths(path, value, message):
    position = Position.new().to_dict()
    put(position, path, value)
    with pytest.raises(ValueError, match=message):
        Position.from_dict(position)


def test_a_missing_and_an_unknown_key():
    position = Position.new().to_dict()
    missing = copy.deepcopy(position)
    del missing["options"]["rounds"]
    with pytest.raises(ValueError, match=r"options\.rounds: is missing; the keys are num_players, rounds"):
        Position.from_dict(missing)
    for name in sorted(FIELDS.derived):
        with pytest.raises(ValueError, match=f"{name}: is an unknown key; the keys are game, version"):
            Position.from_dict(position | {name: 0})


def test_a_forced_decision_is_a_position_only_if_it_is_shown():
    """A player with one token left must bet it."""
    position = Position.new({"show_forced": True}, 1).to_dict()
    position |= {"tokens": [1, 6, 0, 0, 0, 0], "failed": [2, 0, 0, 0, 0, 0], "round_number": 3, "decisions": 8}
    position |= {"number": [1, 1, 0, 0, 0, 0], "most": [1, 6, 0, 0, 0, 0]}
    assert Position.from_dict(position).legal_actions() == ["bet 1"]
    position["options"]["show_forced"] = False
    with pytest.raises(ValueError, match="a forced decision"):
        Position.from_dict(position)
