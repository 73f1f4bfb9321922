"""The places of cities, land and regions on the map, for any table of cities.

Cities are at their `xy`, moved apart where they would overlap. The land is that of coast.toml, divided among the
regions: each point belongs to the region of the nearest city. If a city is off that land, the land fills the whole
rectangle instead. All of this is computed once, for the first picture.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import tomllib
from collections.abc import Sequence
from pathlib import Path

from carnegie_env.carnegie import names as words
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.drawing import letters
from carnegie_env.render.svg import Point

WIDTH, HEIGHT = 784, 474  # of the map
MARGIN = 8  # between cities and the map's border
NAME = 11  # size of a city's name
SIGN, LINK_SIGN = 16, 20  # width of a sign before the name, of the sign of link points
STEP, RISE = 13, 11  # between construction spaces in a zigzag; from its axis to a space
SMALL_BELOW, LARGE_BELOW = 24, 34  # from a city's centre to the baseline of its name
ROUNDS = 400  # most rounds of moving cities apart
VIEW = (0.075, 0.365, 0.875, 0.965)  # the visible part of the land: left, top, right, bottom

Box = tuple[float, float, float, float]  # left, top, right, bottom
Segment = tuple[Point, Point]


@dataclasses.dataclass(frozen=True)
class Map:
    """The map in units of the picture, its own upper left corner at 0, 0.

    Args:
        cities: the centre of each city.
        spaces: the centre of each construction space.
        grounds: the land around each city, as polygons of at least three corners.
        coast: the land's outline within the frame.
        borders: the lines between regions.
        titles: the place of each region's name.
    """

    cities: tuple[Point, ...]
    spaces: tuple[Point, ...]
    grounds: tuple[tuple[Point, ...], ...]
    coast: tuple[Point, ...]
    borders: tuple[Segment, ...]
    titles: tuple[Point, ...]


@functools.cache
def layout() -> Map:
    """The map of the tables in use."""
    wanted = [city.xy for city in t.FACTS.board.city]
    coast = [(x, y) for x, y in _outline()]
    has_coast = all(_inside(place, coast) for place in wanted)
    view = VIEW if has_coast else _around(wanted)
    places = _apart([_scaled(place, view) for place in wanted])
    corners = [(0.0, 0.0), (WIDTH, 0.0), (float(WIDTH), float(HEIGHT)), (0.0, float(HEIGHT))]
    land = [_scaled(place, view) for place in coast] if has_coast else corners
    land = _cut_to_frame(land)
    grounds = [_cell(city, places, land) for city in range(t.NUM_CITIES)]
    return Map(
        cities=tuple(places),
        spaces=tuple(_space(space, places) for space in range(t.NUM_SPACES)),
        grounds=tuple(tuple((round(x, 1), round(y, 1)) for x, y in ground) for ground in grounds),
        coast=tuple((round(x, 1), round(y, 1)) for x, y in land),
        borders=tuple(_borders(places, corners, land)),
        titles=tuple(_title(region, places, grounds) for region in range(t.NUM_REGIONS)),
    )


@functools.cache
def _outline() -> tuple[Point, ...]:
    found = tomllib.loads(Path(__file__).with_name("coast.toml").read_text(encoding="utf-8"))
    return tuple((x, y) for x, y in found["outline"])


def _around(wanted: Sequence[Point]) -> Box:
    """The rectangle around all cities."""
    xs, ys = zip(*wanted, strict=True)
    return min(xs), min(ys), max(max(xs), min(xs) + 0.1), max(max(ys), min(ys) + 0.1)


def _scaled(place: Point, view: Box) -> Point:
    left, top, right, bottom = view
    x, y = (place[0] - left) / (right - left), (place[1] - top) / (bottom - top)
    return round(x * WIDTH, 1), round(y * HEIGHT, 1)


# ---------------------------------------------------------------- cities
def offsets(spaces: int) -> list[Point]:
    """A city's construction spaces relative to its centre: a zigzag that begins below."""
    if spaces == 1:
        return [(0, 0)]
    first = -STEP * (spaces - 1) / 2
    return [(first + STEP * k, RISE if k % 2 == 0 else -RISE) for k in range(spaces)]


def label_width(city: int) -> float:
    """The width of a city's name and the signs before it."""
    large, bonus = bool(t.CITY_LINK_POINTS[city] > 0), bool(t.CITY_BONUS[city])
    return letters.width(words.CITIES[city], NAME, large) + SIGN * (1 + bonus) + LINK_SIGN * large


def label_below(city: int) -> int:
    """From the centre of a city to the baseline of its name."""
    return SMALL_BELOW if t.CITY_SMALL[city] else LARGE_BELOW


def _box(city: int) -> Box:
    """The box of a city around its centre."""
    spaces = int(t.CITY_FIRST_SPACE[city + 1] - t.CITY_FIRST_SPACE[city])
    half = max((spaces - 1) * STEP / 2 + STEP, label_width(city) / 2) + 2
    top = 13 if spaces == 1 else RISE + 13
    return -half, -top, half, label_below(city) + 4


def _apart(wanted: list[Point]) -> list[Point]:
    """Cities moved apart as little as needed, and into the frame."""
    boxes = [_box(city) for city in range(t.NUM_CITIES)]
    places = [list(place) for place in wanted]
    for _ in range(ROUNDS):
        moved = False
        for one, other in itertools.combinations(range(t.NUM_CITIES), 2):
            moved |= _push(places[one], boxes[one], places[other], boxes[other])
        for place, (left, top, right, bottom) in zip(places, boxes, strict=True):
            place[0] = min(max(place[0], MARGIN - left), WIDTH - MARGIN - right)
            place[1] = min(max(place[1], MARGIN - top), HEIGHT - MARGIN - bottom)
        if not moved:
            break
    return [(round(x, 1), round(y, 1)) for x, y in places]


def _push(one: list[float], its: Box, other: list[float], others: Box) -> bool:
    """Move two overlapping cities apart along the shorter direction; return whether they overlapped."""
    wide = min(one[0] + its[2], other[0] + others[2]) - max(one[0] + its[0], other[0] + others[0])
    high = min(one[1] + its[3], other[1] + others[3]) - max(one[1] + its[1], other[1] + others[1])
    if wide <= 0 or high <= 0:
        return False
    axis, much = (0, wide) if wide < high else (1, high)
    towards = 1 if one[axis] <= other[axis] else -1
    one[axis] -= towards * (much / 2 + 0.3)
    other[axis] += towards * (much / 2 + 0.3)
    return True


def _space(space: int, places: Sequence[Point]) -> Point:
    city = int(t.SPACE_CITY[space])
    first, end = int(t.CITY_FIRST_SPACE[city]), int(t.CITY_FIRST_SPACE[city + 1])
    x, y = offsets(end - first)[space - first]
    return round(places[city][0] + x, 1), round(places[city][1] + y, 1)


# ---------------------------------------------------------------- land
def _inside(place: Point, corners: Sequence[Point]) -> bool:
    """Whether a point lies in a polygon: a ray from it crosses the border an odd number of times."""
    x, y = place
    found = False
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            found = not found
    return found


def _cut(corners: Sequence[Point], a: float, b: float, c: float) -> list[Point]:
    """The part of a polygon where a x + b y <= c."""
    found = []
    for one, other in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        before, after = a * one[0] + b * one[1] - c, a * other[0] + b * other[1] - c
        if before <= 0:
            found.append(one)
        if (before < 0 < after) or (after < 0 < before):
            share = before / (before - after)
            found.append((one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])))
    return found


def _cut_to_frame(corners: Sequence[Point]) -> list[Point]:
    found = list(corners)
    for a, b, c in ((-1, 0, 0), (1, 0, WIDTH), (0, -1, 0), (0, 1, HEIGHT)):
        found = _cut(found, a, b, c)
    return found


def _nearer(one: Point, other: Point) -> tuple[float, float, float]:
    """a, b and c of a x + b y <= c: the points nearer to one than to the other."""
    a, b = 2 * (other[0] - one[0]), 2 * (other[1] - one[1])
    return a, b, other[0] ** 2 + other[1] ** 2 - one[0] ** 2 - one[1] ** 2


def _cell(city: int, places: Sequence[Point], land: Sequence[Point]) -> list[Point]:
    """The land to which a city is the nearest."""
    found = list(land)
    for place in places:
        if place != places[city]:
            found = _cut(found, *_nearer(places[city], place))
    return found


def _borders(places: Sequence[Point], corners: Sequence[Point], land: Sequence[Point]) -> list[Segment]:
    """The lines on land between the grounds of cities in different regions."""
    found = []
    cells = [_cell(city, places, corners) for city in range(t.NUM_CITIES)]
    for one, other in itertools.combinations(range(t.NUM_CITIES), 2):
        if t.CITY_REGION[one] == t.CITY_REGION[other] or places[one] == places[other]:
            continue
        a, b, c = _nearer(places[one], places[other])
        size = math.hypot(a, b)
        ends = [point for point in cells[one] if abs(a * point[0] + b * point[1] - c) < 1e-6 * size * WIDTH]
        if len(ends) >= 2:
            found += _on_land(min(ends), max(ends), land)
    return found


def _on_land(one: Point, other: Point, land: Sequence[Point]) -> list[Segment]:
    """The parts of a line that lie in a polygon."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    shares = [0.0, 1.0]
    for (ax, ay), (bx, by) in zip(land, [*land[1:], *land[:1]], strict=True):
        ex, ey = bx - ax, by - ay
        cross = dx * ey - dy * ex
        if cross:
            share = ((ax - one[0]) * ey - (ay - one[1]) * ex) / cross
            along = ((ax - one[0]) * dy - (ay - one[1]) * dx) / cross
            if 0 < share < 1 and 0 <= along <= 1:
                shares.append(share)
    points = [(round(one[0] + s * dx, 1), round(one[1] + s * dy, 1)) for s in sorted(shares)]
    return [
        (start, end)
        for start, end in itertools.pairwise(points)
        if _inside(((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), land)
    ]


def _title(region: int, places: Sequence[Point], grounds: Sequence[Sequence[Point]]) -> Point:
    """The place of a region's name: the point of its land, on a grid, that is farthest from cities' boxes."""
    half = letters.width(words.REGIONS[region].upper(), 20, True) / 2 + 6
    boxes = [tuple(value + places[c][k % 2] for k, value in enumerate(_box(c))) for c in range(t.NUM_CITIES)]
    own = [ground for c, ground in enumerate(grounds) if t.CITY_REGION[c] == region and len(ground) > 2]
    best, found = -math.inf, places[next((c for c in range(t.NUM_CITIES) if t.CITY_REGION[c] == region), 0)]
    xs, ys = [x for ground in own for x, _ in ground], [y for ground in own for _, y in ground]
    for x in range(int(min(xs, default=0) + half), int(max(xs, default=0) - half), 8):
        for y in range(int(min(ys, default=0)) + 24, int(max(ys, default=0)) - 4, 8):
            clear = min(
                max(left - x - half, x - half - right, top - y, y - 18 - bottom) for left, top, right, bottom in boxes
            )
            ends = ((x + across * (half - 4), y - up) for across in (-1, 0, 1) for up in (-1, 16))
            if clear > best and all(any(_inside(end, ground) for ground in own) for end in ends):
                best, found = clear, (x, y)
    return found
