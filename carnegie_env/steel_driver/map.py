"""The drawn map: the places of cities, their names and routes, and the drawing itself, with or without a game."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from carnegie_env.render.svg import Drawing, Point, contrast
from carnegie_env.steel_driver import names
from carnegie_env.steel_driver import tables as t

WIDTH, HEIGHT = 1248, 606
RADIUS = 14  # of a city
COST_RADIUS = 7.5
BADGE = 10  # radius of the sign on a link
CUBE = 14  # wide
NAME = 12  # size of a city's name
GOODS_FILLS = {"white": "#ffffff", "black": "#2b2b2b", "green": "#7fbf7f", "orange": "#f5a742", "pink": "#f2a0c0"}
COMPANY_FILLS = {"red": "#cf2e2e", "yellow": "#f2c500", "green": "#1b8a4b", "blue": "#2a62c4", "grey": "#8d8d8d",
                 "brown": "#7a4a21"}  # fmt: skip
_ASIDE, _ABOVE = 46, 32  # free around the cities
_WIDE, _HIGH = 0.56 * NAME, 1.2 * NAME  # a letter of a name, on the average; the name
Box = tuple[float, float, float, float]  # left, top, right, bottom
_AROUND = ((13, -13), (-13, -13), (13, 13), (-13, 13), (0, -18), (0, 18), (19, 0), (-19, 0))  # a city, for a cube
_HEXAGON = ((1.2, 0), (0.6, 1.05), (-0.6, 1.05), (-1.2, 0), (-0.6, -1.05), (0.6, -1.05))


def sign(company: int) -> str:
    """Two letters that identify a company without its colour: the first and the last of its name."""
    word = t.COMPANIES[company]
    return word[0].upper() + word[-1]


@dataclasses.dataclass(frozen=True)
class Plan:
    """The places of things on the map.

    Args:
        cities: the centre of each city.
        names: the centre of each city's name.
        costs: the centre of each route.
        cubes: the centre of a goods cube at each city.
    """

    cities: tuple[Point, ...]
    names: tuple[Point, ...]
    costs: tuple[Point, ...]
    cubes: tuple[Point, ...]


@functools.cache
def plan(left: float, top: float) -> Plan:
    """The map with its upper left corner at a point."""
    cities = [_place(left, top, *city.xy) for city in t.FACTS.steel_driver.city]
    ends = zip(t.ROUTE_FROM.tolist(), t.ROUTE_TO.tolist(), strict=True)
    costs = [((cities[a][0] + cities[b][0]) / 2, (cities[a][1] + cities[b][1]) / 2) for a, b in ends]
    taken = [_box(x, y, 2.3 * RADIUS, 2 * RADIUS) for x, y in cities]
    taken += [_box(x, y, 2 * BADGE, 2 * BADGE) for x, y in costs]
    labels = [_free(_around_for_a_name(city, x, y), len(names.CITIES[city]) * _WIDE, _HIGH, taken)
              for city, (x, y) in enumerate(cities)]  # fmt: skip
    cubes = [_free([(x + a, y + b) for a, b in _AROUND], CUBE, CUBE, taken) for x, y in cities]
    return Plan(tuple(cities), tuple(labels), tuple(costs), tuple(cubes))


def _place(left: float, top: float, x: float, y: float) -> Point:
    """The point of a city; the shipped map leaves a strip free at the top and at the bottom."""
    down = (y - 0.1) / 0.7
    return round(left + _ASIDE + x * (WIDTH - 2 * _ASIDE)), round(top + _ABOVE + down * (HEIGHT - 2 * _ABOVE))


def _around_for_a_name(city: int, x: float, y: float) -> list[Point]:
    """Possible centres of a city's name: below, above, beside, and towards the corners."""
    aside, away = 1.2 * RADIUS + len(names.CITIES[city]) * _WIDE / 2 + 3, RADIUS + _HIGH / 2 + 2
    sides = [(x, y + away), (x, y - away), (x + aside, y), (x - aside, y)]
    sides += [(x + a * (aside - 6), y + b * (away - 6)) for a in (1, -1) for b in (1, -1)]
    return sides + [(x + a * aside, y + b * 7) for a in (1, -1) for b in (1, -1)]


def _free(places: Sequence[Point], width: float, height: float, taken: list[Box]) -> Point:
    """The first place where a box overlaps least with boxes taken; the box is then taken as well."""
    boxes = [_box(x, y, width, height) for x, y in places]
    covered = [sum(_overlap(box, other) for other in taken) for box in boxes]
    best = covered.index(min(covered))
    taken.append(boxes[best])
    return places[best]


def _box(x: float, y: float, width: float, height: float) -> Box:
    """Left, top, right, bottom."""
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _overlap(one: Box, other: Box) -> float:
    """The area that two boxes have in common."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0) * max(height, 0)


# ---------------------------------------------------------------- drawing
def draw_route(drawing: Drawing, where: Plan, route: int, company: int | None = None, legal: bool = False) -> None:
    """A route with its cost, or a company's link with its sign.

    Args:
        drawing: the target.
        where: the plan.
        route: the route's number.
        company: the company with a link there.
        legal: whether a link can be built now.
    """
    theme = drawing.theme
    one, other = where.cities[t.ROUTE_FROM[route]], where.cities[t.ROUTE_TO[route]]
    x, y = where.costs[route]
    if company is not None:
        fill = COMPANY_FILLS[t.COMPANIES[company]]
        drawing.line(one, other, theme.ink, 9)
        drawing.line(one, other, fill, 6)
        drawing.circle(x, y, BADGE, fill, theme.ink, 1.5)
        drawing.text(x, y + 4, sign(company), 11, contrast(fill), "middle", bold=True)
        return
    if legal:
        drawing.line(one, other, theme.legal, 6, 'stroke-dasharray="9 3"')
    else:
        drawing.line(one, other, theme.line, 2.5)
    drawing.circle(x, y, COST_RADIUS, theme.panel, theme.legal if legal else "none", 2)
    drawing.text(x, y + 4.5, t.ROUTE_COST[route], 12, theme.ink, "middle", bold=legal)


def draw_city(drawing: Drawing, where: Plan, city: int, cube: bool = False, legal: bool = False) -> None:
    """A city with its value and the letter of its goods, a start city as a hexagon.

    Args:
        drawing: the target.
        where: the plan.
        city: the city's number.
        cube: whether a goods cube lies there.
        legal: whether the cube can be taken now.
    """
    theme = drawing.theme
    (x, y), goods = where.cities[city], t.GOODS[t.CITY_GOODS[city]]
    fill, stroke, line = GOODS_FILLS[goods], theme.ink, 1.5
    if legal:
        drawing.circle(x, y, RADIUS + 6, theme.panel, theme.legal, 4)
    if t.START_CITIES >> city & 1:
        drawing.polygon([(x + RADIUS * a, y + RADIUS * b) for a, b in _HEXAGON], fill, stroke, line)
    else:
        drawing.circle(x, y, RADIUS, fill, stroke, line)
    drawing.text(x, y + 4, f"{t.CITY_VALUE[city]}{goods[0]}", 11, contrast(fill), "middle", bold=True)
    if cube:
        draw_cube(drawing, *where.cubes[city], goods)
    halo = f'stroke="{theme.panel}" stroke-width="3" paint-order="stroke"'  # names stay readable on lines
    drawing.text(where.names[city][0], where.names[city][1] + 4, names.CITIES[city], NAME, anchor="middle", more=halo)


def draw_cube(drawing: Drawing, x: float, y: float, goods: str) -> None:
    """A goods cube around a point."""
    fill = GOODS_FILLS[goods]
    drawing.rect(x - CUBE / 2, y - CUBE / 2, CUBE, CUBE, fill, contrast(fill), 2, 2)
    drawing.text(x, y + 4, goods[0], 11, contrast(fill), "middle", bold=True)
