"""The map as an SVG picture: `python -m carnegie_env.steel_driver.picture FILE` (CARNEGIE_ENV_FACTS: of one's own)."""

from __future__ import annotations

import html
import sys
from pathlib import Path

from carnegie_env.core.files import write_whole
from carnegie_env.steel_driver import tables as t

WIDTH, HEIGHT = 1900, 1250
MARGIN = 70
RADIUS = 16
COST_RADIUS = 9
LETTER = 7.2  # width of a letter of a name, on the average
GROUND = "#f4efe2"
HALO = f' stroke="{GROUND}" stroke-width="3" paint-order="stroke"'  # names stay readable on lines
Point = tuple[float, float]
FILLS = {"white": "#ffffff", "black": "#333333", "green": "#7fbf7f", "orange": "#f5a742", "pink": "#f2a0c0"}


def svg() -> str:
    """The picture: start cities are hexagons, all others circles, with their value in their colour of goods."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>',
    ]
    places = [_place(*city.xy) for city in t.FACTS.steel_driver.city]
    for route in range(t.NUM_ROUTES):
        lines += _route(places[t.ROUTE_FROM[route]], places[t.ROUTE_TO[route]], t.ROUTE_COST[route])
    for city, label in enumerate(_labels(places)):
        lines += _city(city, *places[city], label)
    return "\n".join([*lines, "</svg>\n"])


def _name(city: int) -> str:
    return t.CITIES[city].replace("_", " ").title()


def _labels(places: list[Point]) -> list[Point]:
    """The middle of each city's name: below it, above, right or left, where it covers least of what is drawn there."""
    taken = [_box(x, y, 2 * RADIUS, 2 * RADIUS) for x, y in places]
    for one, other in zip(t.ROUTE_FROM.tolist(), t.ROUTE_TO.tolist(), strict=True):
        taken.append(_box(*_middle(places[one], places[other]), 2 * COST_RADIUS, 2 * COST_RADIUS))
    found = []
    for city, (x, y) in enumerate(places):
        width = len(_name(city)) * LETTER
        aside, away = 1.2 * RADIUS + width / 2 + 4, RADIUS + LETTER + 3
        sides = [(x, y + away), (x, y - away), (x + aside, y), (x - aside, y)]
        boxes = [_box(*side, width, 2 * LETTER) for side in sides]
        covered = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = covered.index(min(covered))
        taken.append(boxes[best])
        found.append(sides[best])
    return found


def _middle(one: Point, other: Point) -> Point:
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


def _box(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    """Left, top, right, bottom."""
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The area that two boxes have in common."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0) * max(height, 0)


def _place(x: float, y: float) -> Point:
    """Where a city is drawn; the shipped map leaves a strip free at the top and at the bottom."""
    return round(MARGIN + x * (WIDTH - 2 * MARGIN)), round(MARGIN + (y - 0.1) / 0.7 * (HEIGHT - 2 * MARGIN))


def _text(x: float, y: float, text: object, size: int, colour: str = "#222222", more: str = "") -> str:
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="middle" fill="{colour}"{more}>'
            f"{html.escape(str(text))}</text>")  # fmt: skip


def _route(one: Point, other: Point, cost: int) -> list[str]:
    """A line with its cost in the middle."""
    x, y = _middle(one, other)
    line = f'<line x1="{one[0]}" y1="{one[1]}" x2="{other[0]}" y2="{other[1]}" stroke="#a08860" stroke-width="4"/>'
    return [line, f'<circle cx="{x:g}" cy="{y:g}" r="{COST_RADIUS}" fill="{GROUND}"/>', _text(x, y + 5, cost, 14)]


def _city(city: int, x: float, y: float, label: Point) -> list[str]:
    """A city with its value, and its name around a point."""
    goods = t.GOODS[t.CITY_GOODS[city]]
    style = f'fill="{FILLS[goods]}" stroke="#222222" stroke-width="2"'
    if t.START_CITIES >> city & 1:
        corners = ((1.2, 0), (0.6, 1.05), (-0.6, 1.05), (-1.2, 0), (-0.6, -1.05), (0.6, -1.05))
        points = " ".join(f"{x + RADIUS * a:g},{y + RADIUS * b:g}" for a, b in corners)
        shape = f'<polygon points="{points}" {style}/>'
    else:
        shape = f'<circle cx="{x}" cy="{y}" r="{RADIUS}" {style}/>'
    ink = "#ffffff" if goods == "black" else "#222222"
    value = _text(x, y + 5, t.CITY_VALUE[city], 14, ink)
    return [shape, value, _text(label[0], label[1] + 5, _name(city), 13, more=HALO)]


def main() -> int:
    """Write the picture into the file that is named."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    write_whole(Path(sys.argv[1]), svg())
    return 0


if __name__ == "__main__":
    sys.exit(main())
