"""A position of Carnegie as an SVG picture, 1,280 wide and readable without its colours.

Panels from the top: the decision, the map beside timeline and donations, regions with missions and transport tracks,
the display of departments, the companies (solo: Andrew beside the one), the scores. A picture's height depends on the
options of the game only, so all pictures of a game have one size.

Most pieces of a picture are the same from one decision to the next. A piece is a cached function of a few small numbers
(the pieces on a space, the owner); nothing of a position is kept.
"""

from __future__ import annotations

from typing import Any

from carnegie_env.carnegie import names as words
from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.drawing import companies, decision, map, scores, table
from carnegie_env.carnegie.drawing.scene import GAP, MARGIN, WIDTH, Scene
from carnegie_env.render import svg

INNER = WIDTH - 2 * MARGIN
HEAD = 40  # height of the title
SIDE = 450  # width of the panels beside the map
MAP = INNER - SIDE - GAP


def draw(position: Any, seat: int | None, theme: str) -> str:
    """The board as SVG.

    Args:
        position: a ``carnegie_env.Position``.
        seat: the viewer; None: what everybody sees.
        theme: a name of ``render.svg.THEMES``.

    Raises:
        ValueError: no such theme.
    """
    svg.theme(theme)  # refuses unknown themes
    options = position.options
    sides = 2 if options.solo else options.num_players
    beside = table.TIMELINE_HEIGHT + GAP + table.DONATIONS_HEIGHT
    kinds = table.kinds_of_a_type(options)
    display = table.display_height(kinds)
    three = options.num_players == 3  # the scores are beside the third company
    floors = -(-sides // 2)
    tops: list[float] = [HEAD]
    for height in (decision.HEIGHT, beside, table.REGION_HEIGHT, display, floors * (companies.HEIGHT + GAP) - GAP):
        tops.append(tops[-1] + height + GAP)
    bottom = tops[-1] - GAP if three else tops[-1] + scores.height(sides)

    scene = Scene(position, seat, theme, bottom + MARGIN, _title(position))
    found = scores.rows(scene, position.record)
    _head(scene)
    decision.draw(scene, MARGIN, tops[0], INNER, [row["total"] for row in found])
    map.draw(scene, MARGIN, tops[1], MAP, beside)
    right = MARGIN + MAP + GAP
    table.timeline(scene, right, tops[1], SIDE)
    table.donation_table(scene, right, tops[1] + table.TIMELINE_HEIGHT + GAP, SIDE)
    table.regions(scene, MARGIN, tops[2], INNER, GAP)
    table.display(scene, MARGIN, tops[3], INNER, display)
    half = (INNER - GAP) / 2
    for k in range(sides):
        x, y = MARGIN + (k % 2) * (half + GAP), tops[4] + (k // 2) * (companies.HEIGHT + GAP)
        if k < position.num_players:
            companies.company(scene, k, x, y, half)
        else:
            companies.andrews(scene, x, y, half)
    if three:
        scores.draw(scene, found, MARGIN + half + GAP, tops[4] + companies.HEIGHT + GAP, half)
    else:
        scores.draw(scene, found, MARGIN, tops[5], INNER)
    return scene.pencil.svg()


def _title(position: Any) -> str:
    when = "the game is over" if position.is_over else _when(position)
    return f"Carnegie, {_who(position.options)}, {when}"


def _who(options: Any) -> str:
    return f"solo against Andrew, {options.difficulty}" if options.solo else f"{options.num_players} players"


def _when(position: Any) -> str:
    return f"round {position.round} of {t.ROUNDS}" if position.round else "set-up"


def _head(scene: Scene) -> None:
    """The title of the picture."""
    position, pencil, colours = scene.position, scene.pencil, scene.colours
    action = scene.game.action
    now = _when(position) + (f", {words.ACTIONS[action]}" if action != state.NONE and not position.is_over else "")
    with pencil.panel(MARGIN, 4, INNER, HEAD - 8):
        pencil.text(MARGIN + 2, 27, "Carnegie", 19, bold=True)
        with pencil.part("round", f"{_who(scene.options)}, {now}", help="round"):
            pencil.text(MARGIN + 118, 27, f"{_who(scene.options)}   ·   {now}", 13)
        if scene.options.modules:
            modules = ", ".join(name.replace("_", " ") for name in scene.options.modules)
            pencil.text(WIDTH - MARGIN, 27, modules, 11, colours.faint, "end")
