"""Values from outside are validated, and errors give their paths."""

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
        ((1, 2), "the position: must be a dict, list, str, int, float, bool or None, not a tuple"),
        ({"a": [1, {2}]}, r"a\[1\]: must be .*, not a set"),
        ({"a": {"b": 2**64}}, "a.b: must fit into 64 bits"),
        ({"a": {1: 2}}, "a: 1 is not a valid key"),
        ({"A": 1}, "the position: 'A' is not a valid key; keys consist of a-z"),
        ({"a" * 61: 1}, "is not a valid key"),
        ({None: 1}, "the position: a NoneType is not a valid key"),
        ([0] * 100, r"\[99\]: a position must not have more than 100 values"),
        (nested(4), "a.a.a: is nested too deeply"),
    ],
)
def test_anything_but_json_is_refused(value: Any, message: str):
    with pytest.raises(ValueError, match=message):
        check_json(value, 3, 100)


def test_json_is_accepted():
    check_json({"a": [None, True, 2**64 - 1, -5, 1.5, "any text"], "b_2": {}}, 3, 100)
    check_json(nested(3), 3, 100)
    check_json([0] * 99, 3, 100)


def test_names():
    names = ("", "boston", "houston", "chicago")
    assert code_of("city", "houston", names) == 2
    for value, missing, message in (
        ("bosten", False, "boston, houston, chicago, not 'bosten'"),
        ("", False, "boston, houston, chicago, not ''"),
        (None, True, "boston, houston, chicago, null, not null"),
        (1, False, "boston, houston, chicago, not 1"),
    ):
        with pytest.raises(ValueError, match=f"^city: must be one of {message}$"):
            code_of("city", value, names, missing)
    with pytest.raises(ValueError, match="^switch: must be one of false, true, not 1$"):
        code_of("switch", 1, (False, True))
    with pytest.raises(ValueError, match="^game: must be chess, not 'go'$"):
        code_of("game", "go", ("chess",))
    many = [f"city_{letter}" for letter in "abcdefghijklm"]
    with pytest.raises(ValueError, match=r"there is no 'citya'; did you mean city_a or city_\w or city_\w\?"):
        code_of("city", "citya", many)
    with pytest.raises(ValueError, match=r"^city: must be one of city_a, .*, \.\.\., not 7$"):
        code_of("city", 7, many)


def test_numbers():
    assert number_at("money", 7, 0, 7) == 7
    for value in (8, -1, True, 7.0, "7", None):
        with pytest.raises(ValueError, match="^money: must be a whole number from 0 to 7, not "):
            number_at("money", value, 0, 7)


def test_the_value_at_a_path():
    whole = {"seats": [{"money": 3}], "goods": {}}
    assert at_path(whole, "seats[0].money") == 3 and at_path(whole, "seats") == [{"money": 3}]
    assert at_path(whole, "goods.boston") is at_path(whole, "seats[1].money") is at_path(whole, "seats.x") is None


def test_texts_of_messages():
    assert (join("", "a"), join("a", "b")) == ("a", "a.b")
    assert (show(None), show(False), show("x"), len(show("x" * 1000))) == ("null", "false", "'x'", 60)
    with pytest.raises(ValueError, match="^a.b: is wrong$"):
        refuse("a.b", "is wrong")
