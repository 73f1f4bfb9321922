"""The small signs of the picture: employees, project types, department types, cubes. Each has a form of its own.

Signs are SVG texts at the origin, made once for each theme and moved to their places.
"""

from __future__ import annotations

import functools

from carnegie_env.carnegie import names as words
from carnegie_env.carnegie import state
from carnegie_env.carnegie.drawing.colours import COLOURS
from carnegie_env.render import svg

KIND_SIZE = 11  # half the width of a construction space
DISK = 8.5  # radius of a disk on one
_FORMS = (  # of construction spaces, in the order of tables.SPACE_TYPES, from -1 to 1
    ((-0.9, 1), (-0.9, -0.25), (0, -1), (0.9, -0.25), (0.9, 1)),  # a house
    ((-0.92, -0.92), (0.92, -0.92), (0.92, 0.92), (-0.92, 0.92)),  # a square
    ((-0.55, -1), (0.55, -1), (1, 0), (0.55, 1), (-0.55, 1), (-1, 0)),  # a hexagon
    ((-0.9, -1), (0.9, -1), (0.9, 0.25), (0, 1), (-0.9, 0.25)),  # a shield
    ((0, -1.1), (1.1, 0), (0, 1.1), (-1.1, 0)),  # a diamond
)


def sheet(theme: str) -> svg.Drawing:
    """An empty drawing for a piece of a picture."""
    return svg.Drawing(0, 0, svg.theme(theme), "")


def colour(theme: str, owner: int) -> str:
    """The colour of an owner's pieces."""
    colours = svg.theme(theme)
    if owner == state.ANDREW:
        return colours.opponent
    return colours.nobody if owner == state.NEUTRAL else colours.seats[owner]


def at(x: float, y: float, sign: str) -> str:
    """A sign moved to a place."""
    return f'<g transform="translate({x:g} {y:g})">{sign}</g>'


@functools.cache
def kind(theme: str, number: int, size: float = KIND_SIZE, letter: bool = True) -> str:
    """A construction space: its form with its letter."""
    pencil, colours = sheet(theme), svg.theme(theme)
    points = [(round(x * size, 2), round(y * size, 2)) for x, y in _FORMS[number]]
    pencil.polygon(points, COLOURS[theme].kinds[number], colours.ink, 1.2)
    if letter and number < len(words.PROJECTS):
        low = {0: 5.5, 3: 2.5}.get(number, 4)
        pencil.text(0, low, words.SPACE_LETTERS[number], 11, anchor="middle", bold=True)
    return pencil.shapes()


@functools.cache
def disk(theme: str, owner: int, radius: float = DISK) -> str:
    """A disk with the sign of its owner."""
    pencil = sheet(theme)
    fill, ink = colour(theme, owner), svg.theme(theme).ink
    pencil.circle(0, 0, radius, fill, ink, 1.3)
    size = max(11, round(radius * 1.35, 1))
    pencil.text(0, size * 0.36, words.SIGNS[owner], size, svg.contrast(fill), "middle", bold=True, more=svg.OWNER)
    return pencil.shapes()


@functools.cache
def employee(theme: str, seat: int, standing: bool, ready: bool = False) -> str:
    """An employee, 9 wide and 17 high, standing on the origin, or lying if inactive; underlined if able to act."""
    colours = svg.theme(theme)
    fill, ink = (colour(theme, seat), colours.ink) if seat >= 0 else (colours.panel, colours.ink)
    pawn = (
        f'<path d="M-4.5 0v-5.2a4.5 5 0 0 1 9 0v5.2z" fill="{fill}" stroke="{ink}" stroke-width="1"/>'
        f'<circle cx="0" cy="-12.6" r="3.6" fill="{fill}" stroke="{ink}" stroke-width="1"/>'
    )
    if not standing:
        return f'<g transform="rotate(90)">{pawn}</g>'
    return pawn + (f'<rect x="-5.5" y="1.6" width="11" height="2.6" fill="{colours.ink}"/>' if ready else "")


@functools.cache
def action(theme: str, number: int, size: float = 5) -> str:
    """A type of action and department: circle, square, triangle, diamond."""
    ink = svg.theme(theme).ink
    s = size
    return (
        f'<circle r="{s * 0.95:g}" fill="none" stroke="{ink}" stroke-width="1.6"/>',
        f'<rect x="{-s * 0.85:g}" y="{-s * 0.85:g}" width="{s * 1.7:g}" height="{s * 1.7:g}" fill="{ink}"/>',
        f'<path d="M0 {-s:g}L{s:g} {s * 0.85:g}H{-s:g}z" fill="{ink}"/>',
        f'<path d="M0 {-s * 1.15:g}L{s * 1.15:g} 0L0 {s * 1.15:g}L{-s * 1.15:g} 0z" fill="none" '
        f'stroke="{ink}" stroke-width="1.6"/>',
    )[number]


@functools.cache
def bonus(theme: str) -> str:
    """A wheel: building here pays the transport income at once."""
    ink = svg.theme(theme).ink
    return (
        f'<circle r="5" fill="none" stroke="{ink}" stroke-width="1.6"/>'
        f'<path d="M-5 0H5M0 -5V5" stroke="{ink}" stroke-width="1.2"/>'
    )


@functools.cache
def cube(theme: str) -> str:
    """A goods cube, 11 wide."""
    ink, fill = svg.theme(theme).ink, COLOURS[theme].marked
    return (
        f'<path d="M-5 -3L0 -6L5 -3V3L0 6L-5 3z" fill="{fill}" stroke="{ink}" stroke-width="1"/>'
        f'<path d="M-5 -3L0 0L5 -3M0 0V6" fill="none" stroke="{ink}" stroke-width="1"/>'
    )
