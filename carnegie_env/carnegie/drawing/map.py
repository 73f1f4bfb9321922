"""The map: regions, cities, the lines between them, construction spaces and the disks on them."""

from __future__ import annotations

import functools
import math

from carnegie_env.carnegie import names as words
from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.drawing import geography, letters, places, signs
from carnegie_env.carnegie.drawing.colours import COLOURS
from carnegie_env.carnegie.drawing.scene import Scene
from carnegie_env.core.facts import members
from carnegie_env.render import svg
from carnegie_env.render.text import join, number_of

LEGEND = 42  # height of the words below the map
TARGET = 14.5  # radius of the mark on a space with legal actions
EDGES = tuple((t.CITIES.index(a), t.CITIES.index(b)) for a, b in t.FACTS.board.network.edges)
_CITY_OF_SPACE = tuple(t.SPACE_CITY.tolist())


def draw(scene: Scene, x: float, y: float, width: float, height: float) -> None:
    """The map and its legend, in a panel with this upper left corner."""
    aside = (width - geography.WIDTH) / 2
    with scene.panel(x, y, width, height):
        scene.part("legend", _legend_words(), _legend(scene.theme, height), "space")
        with scene.moved(aside, aside):
            scene.pencil.raw(_ground(scene.theme))
            for region, name in enumerate(t.REGIONS):
                scene.part(f"region_{name}", _region_words(region), _region(scene.theme, region), "region")
            _links(scene)
            for city in range(t.NUM_CITIES):
                scene.part(f"city_{t.CITIES[city]}", _city_words(city), _city(scene.theme, city), "city")
            for space in range(t.NUM_SPACES):
                owner = scene.game.owner[space]
                scene.part(_NAMES[space], _space_words(space, owner), _space(scene.theme, space, owner), "space",
                           _target(scene.theme, space))  # fmt: skip


# ---------------------------------------------------------------- fixed parts
@functools.cache
def _ground(theme: str) -> str:
    """The land, its borders, the printed lines."""
    pencil, own, colours = signs.sheet(theme), COLOURS[theme], svg.theme(theme)
    layout = geography.layout()
    pencil.rect(0, 0, geography.WIDTH, geography.HEIGHT, own.sea, corner=6)
    for city, ground in enumerate(layout.grounds):
        if len(ground) > 2:
            fill = own.regions[t.CITY_REGION[city]]
            pencil.polygon(ground, fill, fill, 1.2)
    pencil.polygon(layout.coast, "none", colours.line, 1.2)
    for start, end in layout.borders:
        pencil.line(start, end, colours.line, 1.4, 'stroke-dasharray="2 5" stroke-linecap="round"')
    for one, other in EDGES:
        pencil.line(layout.cities[one], layout.cities[other], colours.line, 2.2)
    return pencil.shapes()


@functools.cache
def _region(theme: str, region: int) -> str:
    pencil = signs.sheet(theme)
    x, y = geography.layout().titles[region]
    name = words.REGIONS[region].upper()
    pencil.text(x, y, name, 20, svg.theme(theme).faint, "middle", True, 'opacity="0.45"')
    return pencil.shapes()


@functools.cache
def _region_words(region: int) -> str:
    cities = [words.CITIES[city] for city in range(t.NUM_CITIES) if t.CITY_REGION[city] == region]
    return f"{words.REGIONS[region]}: {join(cities) or 'no city'}"


@functools.cache
def _city(theme: str, city: int) -> str:
    """The plate of a city, its name, points, link points and wheel."""
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    x, y = geography.layout().cities[city]
    spaces = int(t.CITY_FIRST_SPACE[city + 1] - t.CITY_FIRST_SPACE[city])
    large = t.CITY_LINK_POINTS[city] > 0
    if spaces > 1:
        half = (spaces - 1) * geography.STEP / 2 + geography.STEP + 1.5
        pencil.rect(x - half, y - geography.RISE - 13.5, 2 * half, 2 * geography.RISE + 27, colours.panel, colours.line,
                    1.8 if large else 1, 13, 'fill-opacity="0.85"')  # fmt: skip
    width, foot = geography.label_width(city), y + geography.label_below(city)
    left = x - width / 2
    size = geography.NAME
    fill = COLOURS[theme].regions[t.CITY_REGION[city]]
    pencil.rect(left - 2, foot - size + 0.5, width + 4, size + 3, fill, corner=4, more='fill-opacity="0.8"')
    pencil.rect(left, foot - 10.5, 13, 13, colours.ink, corner=3)
    pencil.text(left + 6.5, foot, t.CITY_POINTS[city], 11, colours.panel, "middle", True)
    left += geography.SIGN
    if large:
        middle = left + 8
        pencil.polygon([(middle, foot - 13), (middle + 9, foot - 4), (middle, foot + 5), (middle - 9, foot - 4)],
                       colours.panel, colours.ink, 1.2)  # fmt: skip
        pencil.text(middle, foot, t.CITY_LINK_POINTS[city], 11, anchor="middle", bold=True)
        left += geography.LINK_SIGN
    if t.CITY_BONUS[city]:
        pencil.raw(signs.at(left + 6, foot - 4, signs.bonus(theme)))
        left += geography.SIGN
    pencil.text(left, foot, words.CITIES[city], size, bold=large)
    return pencil.shapes()


@functools.cache
def _city_words(city: int) -> str:
    found = [f"{words.CITIES[city]}, {words.REGIONS[t.CITY_REGION[city]]}: {t.CITY_POINTS[city]} VP for each disk"]
    if t.CITY_LINK_POINTS[city]:
        found.append(number_of(int(t.CITY_LINK_POINTS[city]), "link points"))
    if t.CITY_BONUS[city]:
        found.append("building here pays the transport income of the region at once")
    lines = [words.CITIES[other] for other in range(t.NUM_CITIES) if t.CITY_ADJACENT[city] >> other & 1]
    return ", ".join(found) + (f"; lines to {join(lines)}" if lines else "")


@functools.cache
def _legend(theme: str, height: float) -> str:
    """The forms on the map, and the VP of links."""
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    y = height - LEGEND + 14
    x = 14.0
    for kind, name in enumerate((*t.PROJECTS, "any project")):
        pencil.raw(signs.at(x + 8, y - 4, signs.kind(theme, kind, 9.5)))
        text = name
        if kind < t.NUM_PROJECT_TYPES:
            text = f"{name}, {number_of(int(t.PROJECT_GOODS[kind]), 'goods')}"
        pencil.text(x + 22, y, text, 11, colours.faint)
        x += 36 + letters.width(text, 11)
    pencil.raw(signs.at(x + 6, y - 4, signs.bonus(theme)))
    pencil.text(x + 16, y, "pays income at once", 11, colours.faint)
    pencil.text(14, y + 19, f"Links, VP by their points and the lowest level ({', '.join(t.LEVELS)}):  "
                + " · ".join(f"{points}: {worth}" for points, worth in _link_worth()), 11, colours.faint)  # fmt: skip
    return pencil.shapes()


def _link_worth() -> list[tuple[int, str]]:
    return [(points, "/".join(map(str, t.LINK_VP.tolist()[points]))) for points in range(2, 6)]


@functools.cache
def _legend_words() -> str:
    goods = [f"{name} {number_of(int(t.PROJECT_GOODS[kind]), 'goods')}" for kind, name in enumerate(words.PROJECTS)]
    links = [f"{points} link points {worth}" for points, worth in _link_worth()]
    return f"What building costs: {', '.join(goods)}. VP of links by the lowest level: {', '.join(links)}"


# ---------------------------------------------------------------- changing parts
_NAMES = tuple(places.space(space) for space in range(t.NUM_SPACES))


@functools.cache
def _space(theme: str, space: int, owner: int) -> str:
    x, y = geography.layout().spaces[space]
    sign = signs.kind(theme, int(t.SPACE_TYPE[space]), letter=owner == state.NONE)
    return signs.at(x, y, sign + (signs.disk(theme, owner) if owner != state.NONE else ""))


@functools.cache
def _space_words(space: int, owner: int) -> str:
    city = int(t.SPACE_CITY[space])
    number = space - int(t.CITY_FIRST_SPACE[city]) + 1
    where = words.CITIES[city] + (f", space {number}" if not t.CITY_SMALL[city] else "")
    whose = "free" if owner == state.NONE else f"disk of {words.OWNERS[owner]}"
    return f"{where}, {words.SPACES[t.SPACE_TYPE[space]]}: {whose}"


@functools.cache
def _target(theme: str, space: int) -> str:
    x, y = geography.layout().spaces[space]
    stroke = svg.theme(theme).legal
    return f'<circle cx="{x:g}" cy="{y:g}" r="{TARGET}" fill="none" stroke="{stroke}" stroke-width="3"/>'


def _links(scene: Scene) -> None:
    """Lines between cities where a seat has disks in both, in its colour; those of several seats side by side."""
    has: list[int] = [0] * t.NUM_CITIES
    for space, owner in enumerate(scene.game.owner):
        if 0 <= owner < state.SEATS:
            has[_CITY_OF_SPACE[space]] |= 1 << owner
    for edge, (one, other) in enumerate(EDGES):
        if bits := has[one] & has[other]:
            name, title = _link_words(edge, bits)
            scene.part(name, title, _link(scene.theme, edge, bits), "link")


@functools.cache
def _link_words(edge: int, bits: int) -> tuple[str, str]:
    one, other = EDGES[edge]
    owners = join([words.OWNERS[owner] for owner in members(bits)])
    return (f"link_{t.CITIES[one]}_{t.CITIES[other]}",
            f"{words.CITIES[one]} and {words.CITIES[other]} are linked for {owners}")  # fmt: skip


@functools.cache
def _link(theme: str, edge: int, bits: int) -> str:
    pencil, ink = signs.sheet(theme), svg.theme(theme).ink
    (ax, ay), (bx, by) = (geography.layout().cities[city] for city in EDGES[edge])
    size = math.hypot(bx - ax, by - ay) or 1
    across = (by - ay) / size, (ax - bx) / size
    owners = members(bits)
    pencil.line((ax, ay), (bx, by), ink, 4 * len(owners) + 2.5)
    for k, owner in enumerate(owners):
        off = 4 * (k - (len(owners) - 1) / 2)
        dx, dy = round(off * across[0], 1), round(off * across[1], 1)
        pencil.line((ax + dx, ay + dy), (bx + dx, by + dy), signs.colour(theme, owner), 4)
    return pencil.shapes()
