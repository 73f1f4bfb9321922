"""What comes from outside is read with every value checked; what is wrong is named with its path."""

from __future__ import annotations

from typing import Any

import pytest

from carnegie_env.core.reading import at_path, check_json, code_of, join, number_at, refuse, show


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


def test_names():
    names = ("", "boston", "houston", "chicago")
    assert code_of("city", "houston", names) == 2
    for value, missing, message in (
        ("bosten", False, "city: 'bosten'; it is one of boston, houston, chicago"),
        ("", False, "city: ''; it is one of"),
        (None, True, "city: null; it is one of boston, houston, chicago, null"),
        (1, False, "city: 1; it is one of"),
    ):
        with pytest.raises(ValueError, match=f"^{message}"):
            code_of("city", value, names, missing)
    with pytest.raises(ValueError, match="^switch: 1; it is one of false, true$"):
        code_of("switch", 1, (False, True))
    many = [f"city_{letter}" for letter in "abcdefghijklm"]
    with pytest.raises(ValueError, match=r"there is no 'citya'; did you mean city_a or city_\w or city_\w\?"):
        code_of("city", "citya", many)
    with pytest.raises(ValueError, match=r"there is no 7; it is one of city_a, .*, \.\.\."):
        code_of("city", 7, many)


def test_numbers():
    assert number_at("money", 7, 0, 7) == 7
    for value in (8, -1, True, 7.0, "7", None):
        with pytest.raises(ValueError, match="^money: .*; it is a whole number from 0 to 7$"):
            number_at("money", value, 0, 7)


def test_what_is_at_a_path():
    whole = {"seats": [{"money": 3}], "goods": {}}
    assert at_path(whole, "seats[0].money") == 3 and at_path(whole, "seats") == [{"money": 3}]
    assert at_path(whole, "goods.boston") is at_path(whole, "seats[1].money") is at_path(whole, "seats.x") is None


def test_words():
    assert (join("", "a"), join("a", "b")) == ("a", "a.b")
    assert (show(None), show(False), show("x"), len(show("x" * 1000))) == ("null", "false", "'x'", 60)
    with pytest.raises(ValueError, match="^a.b: is wrong$"):
        refuse("a.b", "is wrong")
