"""Layouts of named features, and the positions and helpers for compiled functions."""

import copy
import pickle

import numpy as np
import pytest

from carnegie_env.core import layout as core
from carnegie_env.core.layout import Feature, Layout, numbers

TABLE = (
    Feature("phase", "what is being decided", (("deal", "bet", "show"),)),
    Feature("pot", "chips in the middle", most=100, scale=10),
)
SEAT = (
    Feature("folded", "is out"),
    Feature("cards", "held, by suit and rank", (("red", "black"), numbers(3, 1)), 2, 2),
)


def game(seats: int = 2) -> Layout:
    return Layout(f"a card game of {seats}", [("", TABLE), *((f"seat{k}", SEAT) for k in range(seats))])


def test_features_are_consecutive():
    layout = game()
    assert layout.names == ("phase", "pot", "seat0.folded", "seat0.cards", "seat1.folded", "seat1.cards")
    assert layout.size == 3 + 1 + 2 * (1 + 6) == len(layout.low) == len(layout.high) == len(layout.labels)
    taken = np.zeros(layout.size, int)
    for name, feature in layout.items():
        assert feature.name == name and layout.slices[name] == feature.slice
        taken[feature.slice] += 1
    assert (taken == 1).all()
    assert layout["seat1.cards"].shape == (2, 3) and layout["pot"].shape == () and layout["pot"].size == 1
    assert layout.labels[-1] == "seat1.cards[black][3]" and layout.labels[3] == "pot"
    assert layout.high[layout["pot"].slice] == 10 and (layout.high[layout["seat0.cards"].slice] == 1).all()
    assert not layout.low.any() and layout.low.dtype == layout.high.dtype == np.float32


def test_reading_raw_numbers():
    layout = game()
    seen = np.arange(2 * layout.size, dtype=np.float32).reshape(2, layout.size)
    assert layout.read(seen[0], "pot") == 30  # the fourth number, 3, is a tenth of it
    cards = layout.read(seen, "seat0.cards")
    assert cards.shape == (2, 2, 3) and cards[0, 0].tolist() == [10, 12, 14]
    assert layout.named(seen[1]).keys() == set(layout)


def test_the_markdown_table():
    lines = game(1).markdown().splitlines()
    assert lines[2] == "| `phase` | 0-2 | 3 | 1 | 0 or 1 | what is being decided |"
    assert lines[3] == "| `pot` | 3 | - | 10 | 1/10 | chips in the middle |"
    assert lines[5] == "| `seat0.cards` | 5-10 | 2 x 3 | 1 | 1/2 | held, by suit and rank |"
    assert len(lines) == 2 + len(game(1)) and str(game(1)) == game(1).markdown()
    assert repr(game(1)) == "Layout(a card game of 1: 4 features, 11 numbers)"


def test_equal_layouts_and_copies():
    layout = game()
    assert layout == game() and layout != game(1)
    for other in (pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout)):
        assert other == layout and other.names == layout.names and repr(other) == repr(layout)
        assert not other.high.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        layout.high[0] = 2


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ([], "at least one feature"),
        ([("", TABLE), ("", TABLE)], "two features have the name phase"),
        ([("me", (Feature("x", "nothing", ((),)),))], "me.x needs entries"),
        ([("", (Feature("x", "unbounded", most=0),))], "x needs entries, and `most`"),
        ([("", (Feature("x", "unscaled", scale=0),))], "x needs entries, and `most`"),
    ],
)
def test_invalid_layouts(sections, said):
    with pytest.raises(ValueError, match=said):
        Layout("nothing", sections)


def test_positions_and_factors_of_sections_agree_with_the_layout():
    layout, at = game(), core.size(TABLE)
    table, seat, by = core.starts(TABLE), core.starts(SEAT, at), core.factors(SEAT)
    assert table._asdict() == {"phase": 0, "pot": 3} and core.factors(TABLE).pot == np.float32(0.1)
    assert seat.cards == layout["seat0.cards"].start and seat.cards + core.size(SEAT) == layout["seat1.cards"].start
    assert by.cards == 0.5 and type(by.cards) is np.float32


def test_writing_groups():
    out = np.full(8, -1, np.float32)
    small = np.array([3, 0, 3], np.int8)
    core.put(out, 0, small, np.float32(0.5))
    core.mark_equal(out, 3, small, 3)
    assert out.tolist() == [1.5, 0, 1.5, 1, 0, 1, -1, -1]
    out[:] = 0
    core.mark(out, 2, np.int8(4))
    core.mark(out, 2, -1)
    core.mark_bits(out, 1, 0b101)
    assert out.tolist() == [0, 1, 0, 1, 0, 0, 1, 0]
