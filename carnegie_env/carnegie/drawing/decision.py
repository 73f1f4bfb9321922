"""The decision at hand, with a button for each action that has no place on the board; the end of the game."""

from __future__ import annotations

import functools
import math

from carnegie_env.carnegie import actions, board, state
from carnegie_env.carnegie import names as words
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.drawing import letters, places, signs
from carnegie_env.carnegie.drawing.colours import COLOURS
from carnegie_env.carnegie.drawing.scene import Scene
from carnegie_env.carnegie.rules import event, new_start
from carnegie_env.render import svg
from carnegie_env.render.text import join, victory

BUTTON, BETWEEN = 22, 5  # height of a button, space between two
PAD, TIGHT = 18, 9  # beside the label of a button, with many buttons
FIRST_ROW = 42  # where the buttons begin
# Rows of buttons: a bid has the most actions at once, one for each $ of the sheet.
_BID = max(letters.width(str(t.LARGEST_BID), 11, True) + TIGHT, 24) + BETWEEN
ROWS = max(2, math.ceil((t.LARGEST_BID + 3) * _BID / 1220))
HEIGHT = FIRST_ROW + ROWS * (BUTTON + 3) + 2


def draw(scene: Scene, x: float, y: float, width: float, totals: list[int]) -> None:
    """The decision at hand, or the result of the game by the scores of the sides."""
    buttons = scene.at.pop(places.BUTTON, [])
    with scene.panel(x, y, width, HEIGHT):
        if scene.mover < 0:
            scene.part("decision", *_end(scene, totals), "scores")
            return
        heading, hand = _words(scene)
        title = f"{words.OWNERS[scene.mover]} {heading}{'; ' if hand else ''}{hand}"
        with scene.pencil.part("decision", title, help="decision"):
            scene.pencil.raw(_heading(scene.theme, scene.mover, heading, hand, width))
            if scene.game.phase == state.PANELS:
                scene.pencil.raw(_new_donations(scene.theme, tuple(scene.game.panel), width))
            foot = _buttons(scene, buttons, width)
            if scene.at and foot + 20 < HEIGHT:
                scene.pencil.text(14, foot + 16, _elsewhere(scene), 11, scene.colours.faint)


def _words(scene: Scene) -> tuple[str, str]:
    """The decision, and what is in hand for it, as far as the viewer knows it."""
    game = scene.game
    heading = words.PHASES[state.PHASES[game.phase]]
    if game.phase == state.TURN and game.action != state.NONE:
        heading = f"uses departments of {words.ACTIONS[game.action]}"
    if game.phase == state.DONATION:
        heading += " with this event"
    found = board.in_hand(scene.fields)
    if game.phase == state.SHEET and scene.knows(scene.mover):
        found.append(board.own_sheet(scene.fields, scene.ask(new_start.cost, scene.mover)))
    if game.phase == state.RECOVER:
        heading = f"recovers employees from missions in the {words.REGIONS[scene.ask(event.region)]}"
    return heading, "; ".join(found)


def _elsewhere(scene: Scene) -> str:
    """The places on the board with legal actions."""
    where = sorted({_GROUPS[name.partition("_")[0]] for name in scene.at})
    return f"Framed on the board: {join(where)}"


_GROUPS = {
    "space": "spaces on the map", "company": "spaces of the company", "tab": "project tabs",
    "track": "transport tracks", "timeline": "the timeline", "donation": "donations",
    "donations": "panels of donations", "display": "departments on display", "reserved": "the reserved department",
}  # fmt: skip


@functools.lru_cache(256)
def _heading(theme: str, seat: int, heading: str, hand: str, width: float) -> str:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    pencil.rect(0, 0, 6, HEIGHT, signs.colour(theme, seat), corner=3)
    pencil.raw(signs.at(24, 22, signs.disk(theme, seat, 11)))
    shown = f"{words.OWNERS[seat]} {heading}"
    pencil.text(44, 27, shown, 15, bold=True)
    left = 44 + letters.width(shown, 15, True) + 16
    if hand:
        pencil.text(width - 14, 27, letters.fitting(hand, width - 14 - left, 12), 12, colours.ink, "end")
    return pencil.shapes()


@functools.lru_cache(256)
def _new_donations(theme: str, taken: tuple[int, ...], width: float) -> str:
    """A line for each tile that can be taken: the counts of its cells."""
    pencil = signs.sheet(theme)
    left = 262
    for tile, column in enumerate(t.FACTS.expansion.new_donations.panels):
        if tile not in taken:
            name = words.COLUMNS[t.DONATION_COLUMNS.index(column)]
            rules = range(t.NUM_DONATIONS + tile * t.PANEL_ROWS, t.NUM_DONATIONS + (tile + 1) * t.PANEL_ROWS)
            cells = " · ".join(f"{t.RULE_VP[rule]} {words.SHORT_RULES[rule]}" for rule in rules)
            cells = cells.replace(words.LINKED, "\0", 1).replace(words.LINKED, "").replace("\0", words.LINKED)
            foot = FIRST_ROW + 4 + 14 * tile
            room = width - left - 14 - letters.width(f"{name}: ", 11, True)
            pencil.text(left, foot, f"{name}:", 11, bold=True)
            pencil.text(width - 14 - room, foot, letters.fitting(cells, room, 11), 11)
    return pencil.shapes()


def _buttons(scene: Scene, numbers: list[int], width: float) -> float:
    """A button for each action, in two rows; returns the lower end of the buttons."""
    labels = [_label(number) or words.action(scene.fields, number) for number in numbers]
    pad = PAD if len(numbers) <= 20 else TIGHT
    x, y = 12.0, float(FIRST_ROW)
    for number, label in zip(numbers, labels, strict=True):
        wide = round(max(letters.width(label, 11, True) + pad, 24), 1)
        if x + wide > width - 10:
            x, y = 12.0, y + BUTTON + 3
        with scene.pencil.part(f"button_{number}", words.action(scene.fields, number), [number], _help(number)):
            scene.pencil.raw(_button(scene.theme, x, y, wide, label))
        x += wide + BETWEEN
    return y + BUTTON if numbers else y - 6


@functools.lru_cache(4096)
def _button(theme: str, x: float, y: float, wide: float, label: str) -> str:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    pencil.rect(x, y, wide, BUTTON - 1, COLOURS[theme].slot, colours.legal, 2, 6)
    pencil.text(x + wide / 2, y + 15, label, 11, anchor="middle", bold=True)
    return pencil.shapes()


@functools.cache
def _help(action: int) -> str:
    """The topic that explains a button."""
    return _TOPICS.get(int(actions.VERB[action]), "decision")


_TOPICS = {
    actions.V_WAIT: "wait", actions.V_SHEET: "sheet", actions.V_BID: "sheet", actions.V_RECOVER: "missions",
    actions.V_TAKE: "tab", actions.V_NEW_LOBBY: "department_new_lobby",
}  # fmt: skip


@functools.cache
def _label(action: int) -> str:
    """The label of an action's button if it is not :func:`names.action`, else an empty text."""
    verb, argument = int(actions.VERB[action]), int(actions.ARGUMENT[action])
    if verb == actions.V_SHEET:
        line, choice = divmod(argument, actions.OFFERS)
        amount, cost = t.NEW_START_OFFERS[line, choice].tolist()
        price = f"costs ${cost}" if cost > 0 else f"brings ${-cost}" if cost < 0 else "free"
        return f"{amount} {t.NEW_START_LINES[line]}, {price}"
    if verb == actions.V_BID:
        return "bid $0" if argument == 0 else f"{argument}"
    if verb == actions.V_MONEY:
        return f"{argument} for money"
    return ""


def _end(scene: Scene, totals: list[int]) -> tuple[str, str]:
    """The winners; the scores are below."""
    pencil, colours = signs.sheet(scene.theme), scene.colours
    owners = scene.position.game.sides(scene.options)
    best = max(totals)
    winners = [owner for owner, total in zip(owners, totals, strict=True) if total == best]
    shown = f"{victory([words.OWNERS[owner] for owner in winners])} with {best} VP"
    shown = shown[:1].upper() + shown[1:]
    for k, owner in enumerate(winners):
        pencil.raw(signs.at(26 + 26 * k, HEIGHT / 2 - 6, signs.disk(scene.theme, owner, 12)))
    left = 26 * len(winners) + 22
    pencil.text(left, HEIGHT / 2, shown, 18, bold=True)
    others = [f"{words.OWNERS[owner]} {total} VP" for owner, total in zip(owners, totals, strict=True)
              if owner not in winners]  # fmt: skip
    pencil.text(left, HEIGHT / 2 + 22, "The game is over. " + ", ".join(others), 12, colours.faint)
    return f"The game is over: {shown}", pencil.shapes()
