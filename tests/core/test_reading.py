"""What comes from outside is read with every value checked; what is wrong is named with its path."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
import pytest

from carnegie_env.core.reading import Part, check_json, code_of, convert, join, refuse, show

Chips = Annotated[int, msgspec.Meta(ge=0, le=100)]


class Card(Part, frozen=True):
    suit: Literal["red", "black"]
    rank: Annotated[int, msgspec.Meta(ge=1, le=13)]


class Seat(Part, frozen=True):
    chips: Chips
    cards: Annotated[list[Card], msgspec.Meta(max_length=2)]
    bet: Literal["call", "fold"] | None
    last: Card | None


class Table(Part, frozen=True):
    version: Literal[2]
    seats: list[Seat]
    notes: dict[str, Any]


def table() -> dict[str, Any]:
    card = {"suit": "red", "rank": 3}
    seat = {"chips": 5, "cards": [card], "bet": None, "last": dict(card)}
    return {"version": 2, "seats": [seat, seat | {"bet": "call", "last": None}], "notes": {"any": 1}}


def test_a_right_value_is_read():
    found: Table = convert(table(), Table, "")
    assert found.seats[0].cards[0] == Card(suit="red", rank=3) and found.seats[1].last is None


def changed(*path: Any, to: Any) -> dict[str, Any]:
    whole: Any = table()
    part = whole
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = to
    return whole


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (changed("version", to=3), "version: must be one of 2, got 3"),
        (changed("seats", 0, "bet", to="raise"), "seats[0].bet: must be one of call, fold, null, got 'raise'"),
        (changed("seats", 0, "chips", to=101), "seats[0].chips: Expected `int` <= 100, got 101"),
        (changed("seats", 0, "chips", to=True), "seats[0].chips: Expected `int`, got `bool` true"),
        (changed("seats", 0, "cards", 0, "suit", to="blue"), "seats[0].cards[0].suit: must be one of red, black, got"),
        (changed("seats", 0, "cards", 0, "joker", to=1), "seats[0].cards[0].joker: is an unknown key; the keys"),
        (
            changed("seats", 0, "last", to={"suit": "red"}),
            "seats[0].last.rank: is missing; the keys there are suit",
        ),
        (changed("seats", 1, "cards", to=[{}] * 3), "seats[1].cards: Expected `array` of length <= 2, got 3"),
        (changed("seats", 1, "cards", to="none"), "seats[1].cards: Expected `array`, got `str` 'none'"),
        ({"version": 2}, "seats: is missing; the keys there are version, seats, notes"),
        ([], "the position: Expected `object`, got `array`"),
        (changed("seats", 0, "bet", to="x - at `$.version`"), "seats[0].bet: must be one of call"),
    ],
)
def test_a_wrong_value_is_named(value: Any, message: str):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        convert(value, Table, "")
    with pytest.raises(ValueError, match=re.escape(message.removeprefix("the position: "))):
        convert(value, Table, "tables[7]")


def test_a_value_alone():
    assert convert(7, Chips, "pot") == 7
    with pytest.raises(ValueError, match="^pot: Expected `int` >= 0, got -1$"):
        convert(-1, Chips, "pot")


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((1, 2), "the position: is a tuple; only JSON types are read"),
        ({"a": [1, {2}]}, r"a\[1\]: is a set; only JSON types"),
        ({"a": {"b": 2**64}}, "a.b: is a number of more than 64 bits"),
        ({"a": {1: 2}}, "a: 1 is no key"),
        ({"A": 1}, "the position: 'A' is no key of a position; they are made of a-z"),
        ({"a" * 61: 1}, "is no key"),
        ({None: 1}, "the position: a NoneType is no key"),
        ([0] * 100, r"\[99\]: more than 100 values"),
        (nested(4), "a.a.a: too many levels deep"),
    ],
)
def test_what_json_does_not_have(value: Any, message: str):
    with pytest.raises(ValueError, match=message):
        check_json(value, 3, 100)


def test_what_json_has():
    check_json({"a": [None, True, 2**64 - 1, -5, 1.5, "any text"], "b_2": {}}, 3, 100)
    check_json(nested(3), 3, 100)
    check_json([0] * 99, 3, 100)


def test_ids():
    names = ("", "boston", "houston", "chicago")
    assert code_of("city", "houston", names, "city") == 2
    with pytest.raises(ValueError, match="^city: there is no city 'bosten'; did you mean boston or houston\\?$"):
        code_of("city", "bosten", names, "city")
    for value in ("", "x"):
        with pytest.raises(ValueError, match=f"there is no city '{value}'; there are boston, houston, chicago$"):
            code_of("city", value, names, "city")
    with pytest.raises(ValueError, match="null is not a string, the id of one city"):
        code_of("city", None, names, "city")


def test_words():
    assert (join("", "a"), join("a", "b")) == ("a", "a.b")
    assert (show(None), show(False), show("x"), len(show("x" * 1000))) == ("null", "false", "'x'", 60)
    with pytest.raises(ValueError, match="^a.b: is wrong$"):
        refuse("a.b", "is wrong")
