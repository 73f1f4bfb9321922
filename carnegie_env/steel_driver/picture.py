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
GROUND = "#f4efe2"
HALO = f' stroke="{GROUND}" stroke-width="3" paint-order="stroke"'  # names stay readable on lines
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
    for city, place in enumerate(places):
        lines += _city(city, *place)
    return "\n".join([*lines, "</svg>\n"])


def _place(x: float, y: float) -> tuple[int, int]:
    """Where a city is drawn; the shipped map leaves a strip free at the top and at the bottom."""
    return round(MARGIN + x * (WIDTH - 2 * MARGIN)), round(MARGIN + (y - 0.1) / 0.7 * (HEIGHT - 2 * MARGIN))


def _text(x: float, y: float, text: object, size: int, colour: str = "#222222", more: str = "") -> str:
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="middle" fill="{colour}"{more}>'
            f"{html.escape(str(text))}</text>")  # fmt: skip


def _route(one: tuple[int, int], other: tuple[int, int], cost: int) -> list[str]:
    """A line with its cost in the middle."""
    x, y = (one[0] + other[0]) / 2, (one[1] + other[1]) / 2
    line = f'<line x1="{one[0]}" y1="{one[1]}" x2="{other[0]}" y2="{other[1]}" stroke="#a08860" stroke-width="4"/>'
    return [line, f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="{GROUND}"/>', _text(x, y + 5, cost, 14)]


def _city(city: int, x: int, y: int) -> list[str]:
    """A city with its value and its name below."""
    goods = t.GOODS[t.CITY_GOODS[city]]
    style = f'fill="{FILLS[goods]}" stroke="#222222" stroke-width="2"'
    if t.START_CITIES >> city & 1:
        corners = ((1.2, 0), (0.6, 1.05), (-0.6, 1.05), (-1.2, 0), (-0.6, -1.05), (0.6, -1.05))
        points = " ".join(f"{x + RADIUS * a:g},{y + RADIUS * b:g}" for a, b in corners)
        shape = f'<polygon points="{points}" {style}/>'
    else:
        shape = f'<circle cx="{x}" cy="{y}" r="{RADIUS}" {style}/>'
    ink = "#ffffff" if goods == "black" else "#222222"
    name = t.CITIES[city].replace("_", " ").title()
    return [shape, _text(x, y + 5, t.CITY_VALUE[city], 14, ink), _text(x, y + RADIUS + 14, name, 13, more=HALO)]


def main() -> int:
    """Write the picture into the file that is named."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    write_whole(Path(sys.argv[1]), svg())
    return 0


if __name__ == "__main__":
    sys.exit(main())
