"""Pictures are well-formed, show every legal action and contain no information hidden from the viewer."""

import dataclasses
import functools
import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import carnegie_env
from carnegie_env.core.game import Topic
from carnegie_env.render import svg
from tests.amounts import some
from tests.conformance.tables import AMOUNT, EACH_GAME, PLAIN_TABLES, tables, walk
from tests.pictures import SVG, parts

DRAWN = tuple(table for table in PLAIN_TABLES if table.game.presentation.draw is not None)
EACH_DRAWN = pytest.mark.parametrize("table", DRAWN, ids=str)
SOME = AMOUNT  # positions of a game, besides the first of each phase
WIDTH, LEAST_HEIGHT, MOST_HEIGHT = 1280, 500, 2400
LARGEST = 600_000  # characters
SMALLEST = 11  # font size in units
SHAPES = {"svg", "title", "g", "rect", "circle", "ellipse", "polygon", "polyline", "path", "line", "text", "tspan"}
FORBIDDEN = ("<style", "<script", "href", "url(", "style=", "<!DOCTYPE", "<!ENTITY")
MOVED = re.compile(r"translate\(([-.\d]+)[ ,]([-.\d]+)\)")
NOT_A_NUMBER = re.compile(r'[" ,(-](nan|inf|None)[" ,)]')
MARKS = re.compile(r' class="legal" data-actions="[\d ]*" tabindex="0" role="button"| role="img"')


# ---------------------------------------------------------------- reading
@dataclasses.dataclass(frozen=True)
class Label:
    """A text that is not rotated, with its bounding box."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def read(text):
    """A picture's root element."""
    root = ElementTree.fromstring(text)
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
    return root


def labels_of(root):
    """The texts of a picture with approximate bounding boxes, including moved ones, but not rotated ones."""
    found = []

    def look(element, x, y):
        if turn := element.get("transform"):
            moved = MOVED.fullmatch(turn)
            if not moved:
                return
            x, y = x + float(moved[1]), y + float(moved[2])
        if element.tag == "text":
            words, size = "".join(element.itertext()), float(element.get("font-size"))
            width = len(words) * size * svg.LETTER
            before = width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor")]
            left, bottom = x + float(element.get("x")) - before, y + float(element.get("y"))
            found.append(Label(words, left, bottom - 0.73 * size, left + width, bottom))
        for child in element:
            look(child, x, y)

    look(root, 0, 0)
    return found


def overlapping(labels):
    """Pairs of labels of which one covers half of the other."""
    labels = sorted(labels, key=lambda label: label.top)
    for number, one in enumerate(labels):
        for other in itertools.takewhile(lambda label, one=one: label.top < one.bottom, labels[number + 1 :]):
            width = min(one.right, other.right) - max(one.left, other.left)
            height = min(one.bottom, other.bottom) - other.top
            least = min((label.right - label.left) * (label.bottom - label.top) for label in (one, other))
            if width > 0 and width * height >= 0.5 * least:
                yield one, other


@functools.cache
def chosen(table):
    """Numbers of decisions of a random game: the first of each phase, some others and the end."""
    whole = walk(table)
    firsts: dict[str, int] = {}
    for k in range(len(whole)):
        firsts.setdefault(table.game.phase(whole.records[k]), k)
    return sorted({*firsts.values(), *whole.some(SOME + 2)})


def views(position):
    """Viewers: a spectator, the seat to move, and another seat if there is one."""
    seat = position.to_play or 0
    return [None, *dict.fromkeys([seat, (seat + 1) % position.num_players])]


# ---------------------------------------------------------------- content
def test_every_game_of_the_package_has_pictures():
    assert all(game.presentation.draw is not None for game in carnegie_env.games().values())
    assert any(table.game.hides(table.options) for table in DRAWN)  # or hidden information would not be tested


@EACH_GAME
def test_arguments_of_to_svg(game):
    position = tables(game)[0].position()
    if game.presentation.draw is None:
        with pytest.raises(ValueError, match=f"{game.title} has no pictures"):
            position.to_svg()
        assert position._repr_svg_() is None
        return
    assert position._repr_svg_() == position.to_svg()  # used by notebooks
    with pytest.raises(ValueError, match="theme must be one of light, dark, not 'sepia'"):
        position.to_svg(theme="sepia")
    for seat in (-1, position.num_players, "0", True):
        with pytest.raises(ValueError, match="seat"):
            position.to_svg(seat=seat)


@EACH_GAME
def test_topics(game):
    for key, topic in game.presentation.topics().items():
        assert isinstance(topic, Topic) and re.fullmatch("[a-z0-9_]+", key)
        for text in (topic.title, topic.text, topic.source):
            assert isinstance(text, str) and text == text.strip() != ""
        assert 20 <= len(topic.text) <= 900 and len(topic.title) <= 60


@EACH_DRAWN
def test_pictures_are_well_formed(table):
    """Parts have names and titles, every legal action is at a part, and there are only shapes and legible text.

    All pictures of a game have the same size: films and windows need this.
    """
    topics, known, heights = table.game.presentation.topics(), set(), set()
    for number, k in enumerate(chosen(table)):
        position = walk(table).position(k)
        legal = set(position.legal_numbers().tolist())
        for seat in some(views(position), 2, number):
            text = position.to_svg(seat)
            assert len(text) <= LARGEST and not [word for word in FORBIDDEN if word in text]
            assert not any(NOT_A_NUMBER.search(tag) for tag in re.findall("<[^>]*>", text))
            root = read(text)
            left, top, width, height = map(float, root.get("viewBox").split())
            assert (left, top, width) == (0, 0, WIDTH) and LEAST_HEIGHT <= height <= MOST_HEIGHT
            assert float(root.get("width")) == width and float(root.get("height")) == height
            assert {element.tag for element in root.iter()} <= SHAPES
            assert {element.get("class") for element in root.iter()} <= {None, "legal"}
            assert not any(name.startswith("on") for element in root.iter() for name in element.attrib)

            named = parts(text)
            assert "decision" in named and all(re.fullmatch("[a-z0-9_]+", name) for name in named)
            assert all(part.title == part.title.strip() != "" for part in named.values())
            at_parts = {action for part in named.values() for action in part.actions}
            assert at_parts == (legal if seat in (None, position.to_play) else set())
            assert all(len(set(part.actions)) == len(part.actions) for part in named.values())
            used = {part.help for part in named.values()} - {""}
            assert used <= set(topics)
            known |= used

            sizes = [float(element.get("font-size")) for element in root.iter("text")]
            assert min(sizes) >= SMALLEST
            labels = labels_of(root)
            cut = [label for label in labels if label.left < -1 or label.right > width + 12 or label.top < 0]
            assert not cut and max(label.bottom for label in labels) <= height
            assert not list(overlapping(labels))
            heights.add(height)
    assert known and len(heights) == 1


@EACH_DRAWN
def test_the_same_position_has_the_same_picture(table):
    for k in chosen(table)[::3]:
        position = walk(table).position(k)
        before = position.games.copy()
        drawn = position.to_svg(position.to_play)
        assert position.to_svg(position.to_play) == drawn and (position.games == before).all()
        assert type(position).from_dict(position.to_dict()).to_svg(position.to_play) == drawn


@EACH_DRAWN
def test_themes_differ_only_in_colours(table):
    for k in chosen(table)[:: max(len(chosen(table)) // 2, 1)]:
        light, dark = (walk(table).position(k).to_svg(theme=theme) for theme in ("light", "dark"))
        assert light != dark
        uncoloured = [re.sub("#[0-9a-f]{6}", "#", text) for text in (light, dark)]
        assert uncoloured[0] == uncoloured[1]


@EACH_DRAWN
def test_every_decision_changes_the_picture(table):
    whole = walk(table)
    for k in whole.some(SOME + 3)[:-1]:
        assert whole.position(k).to_svg() != whole.position(k + 1).to_svg()


# ---------------------------------------------------------------- hidden information
@EACH_DRAWN
def test_pictures_contain_no_hidden_information(table):
    """Redrawing what a seat can't see leaves its picture and the spectator's unchanged."""
    changed = 0
    for k in chosen(table):
        position = walk(table).position(k)
        seen = {seat: position.to_svg(seat) for seat in (None, *table.seats)}
        for seat in table.seats:
            other = position.copy()
            other.redraw_hidden(seat, k)
            names = [name for name in table.game.record.names if name != "rng"]
            changed += not all(np.array_equal(position.games[name], other.games[name]) for name in names)
            assert other.to_svg(seat) == seen[seat]
            if seat == position.to_play:
                assert other.to_svg() == seen[None]
            elif not table.game.phase_is_secret(position.record):  # there, legal actions may depend on secrets
                assert MARKS.sub("", other.to_svg()) == MARKS.sub("", seen[None])
    assert changed or not table.game.hides(table.options)


# ---------------------------------------------------------------- the renderer
def test_only_parts_with_actions_are_buttons():
    drawing = svg.Drawing(200, 100, svg.theme("light"), "A picture with <signs> & more")
    with drawing.part("plain", 'What it "is"'):
        drawing.text(10, 20, "a < b", 12)
    with drawing.part("chosen", "To choose", [3, 1], help="topic"):
        drawing.rect(0, 30, 10, 10, "#ffffff")
    root = read(drawing.svg())
    plain, to_choose = (element for element in root.iter("g") if "data-part" in element.attrib)
    assert plain.get("role") == "img" and "class" not in plain.attrib and plain.get("aria-label") == 'What it "is"'
    assert to_choose.get("role") == "button" and to_choose.get("data-actions") == "3 1"
    assert to_choose.get("data-help") == "topic" and plain.findtext("text") == "a < b"


def test_colours_have_enough_contrast():
    """Texts and seat numbers are legible on their backgrounds."""
    for theme in svg.THEMES.values():
        colours = [theme.ground, theme.panel, theme.ink, theme.faint, theme.line, theme.legal, *theme.seats]
        assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in [*colours, theme.opponent, theme.nobody])
        assert len(set(theme.seats)) == len(theme.seats) >= 6
        for text in (theme.ink, theme.faint, theme.legal):
            for ground in (theme.ground, theme.panel):
                assert ratio(text, ground) >= 4.5
        for colour in theme.seats:
            assert ratio(svg.contrast(colour), colour) >= 4.5


def ratio(one, other):
    """The contrast ratio of two colours according to the Web Content Accessibility Guidelines."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
