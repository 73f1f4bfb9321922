"""The panels beside the map: timeline, donations, mission zones and transport tracks, departments on display."""

from __future__ import annotations

import functools
import itertools
import textwrap

from carnegie_env.carnegie import codes, state
from carnegie_env.carnegie import names as words
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.drawing import letters, places, signs
from carnegie_env.carnegie.drawing.colours import COLOURS
from carnegie_env.carnegie.drawing.scene import HEAD, Scene
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.rules import donations, event
from carnegie_env.core.facts import members
from carnegie_env.render import svg
from carnegie_env.render.text import join, number_of

SPACE = 58  # width of a timeline space
ROW = 38
LEFT = 148  # of a timeline row, before its spaces
TIMELINE_HEIGHT = HEAD + t.TIMELINE_ROWS * ROW + 8

CELL = 54  # height of a donation cell
COLUMN_HEAD = 20
DONATIONS_HEIGHT = HEAD + COLUMN_HEAD + t.PANEL_ROWS * CELL + 10

TRACK_CELL = 57.6, 62
BAND = 16  # height of the names of the levels
REGION_HEIGHT = HEAD + BAND + TRACK_CELL[1] + 8

CHIP = 24  # height of a department in the display
CHIPS = 2  # side by side
LEVELS = ("wagon", "coach", "railroad")
_TRACK_LEVEL, _TRACK_INCOME, _TRACK_REWARD = t.TRACK_LEVEL.tolist(), t.TRACK_INCOME.tolist(), t.TRACK_REWARD.tolist()


# ---------------------------------------------------------------- timeline
def timeline(scene: Scene, x: float, y: float, width: float) -> None:
    """The timeline, a row for each action: spaces passed, the marker, future events, the row of the round."""
    game = scene.game
    with scene.panel(x, y, width, TIMELINE_HEIGHT, "Timeline"):
        scene.pencil.raw(_timeline_head(scene.theme))
        for row in range(t.TIMELINE_ROWS):
            role = (row == game.chosen_row) + 2 * (row == game.advancing_row)
            events = tuple(2 * region + donation for region, donation in
                           zip(game.event_region[row], game.event_donation[row], strict=True))  # fmt: skip
            title, body = _timeline_row(scene.theme, row, game.marker[row], events, role)
            with scene.moved(0, HEAD + row * ROW):
                scene.part(f"timeline_{t.ACTION_TYPES[row]}", title, body, "timeline",
                           (6, 1, width - 12, ROW - 2))  # fmt: skip


@functools.cache
def _timeline_head(theme: str) -> str:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    for k in range(t.TIMELINE_SPACES):
        name = "End" if k == t.END_SPACE else str(k + 1)
        pencil.text(LEFT + (k + 0.5) * SPACE, 18, name, 11, colours.faint, "middle")
    return pencil.shapes()


CHOSEN, ADVANCING = 1, 2  # the role of a row in this round, as bits


@functools.lru_cache(4096)
def _timeline_row(theme: str, row: int, marker: int, events: tuple[int, ...], role: int) -> tuple[str, str]:
    """The title and shapes of a row; an event is 2 * region (-1: none), plus 1 with a donation."""
    pencil, colours, own = signs.sheet(theme), svg.theme(theme), COLOURS[theme]
    if role:
        pencil.rect(6, 1, LEFT + t.TIMELINE_SPACES * SPACE, ROW - 2, own.marked, corner=4)
    pencil.raw(signs.at(17, ROW / 2, signs.action(theme, row)))
    pencil.text(28, ROW / 2 + 4, words.ACTIONS[row], 11)
    said = []
    for k, code in enumerate(events):
        region, donation = code >> 1, code & 1
        names = [words.REGIONS[region]] * (region != state.NONE) + ["donation"] * donation
        left, passed, due = LEFT + k * SPACE, k < marker, k == marker and role & ADVANCING
        fill = own.done if passed else own.slot
        pencil.rect(left + 1.5, 3, SPACE - 3, ROW - 6, colours.panel if due else fill, colours.ink if due else "none",
                    2, 4)  # fmt: skip
        ink = colours.faint if passed else colours.ink
        for line, name in enumerate(names if k != marker - 1 else ()):  # the marker covers it
            foot = ROW / 2 + 4 + (line - (len(names) - 1) / 2) * 12
            pencil.text(left + SPACE / 2, foot, name, 11, ink, "middle",
                        more='opacity="0.6"' if passed else "")  # fmt: skip
        if not passed:
            said.append(f"{'End' if k == t.END_SPACE else k + 1} {' and '.join(names) or 'nothing'}")
    place = LEFT + (marker - 0.5) * SPACE if marker else LEFT - 9
    pencil.circle(place, ROW / 2, 9, colours.ink, colours.panel, 1.5)
    pencil.polygon([(place - 3, ROW / 2 - 5), (place + 5, ROW / 2), (place - 3, ROW / 2 + 5)], colours.panel)
    title = f"{words.ACTIONS[row]}: {marker} of {t.TIMELINE_SPACES} spaces passed"
    title += f", to come {', '.join(said)}" if said else ""
    if role:
        title += {CHOSEN: "; chosen, but ended", ADVANCING: "; flipped, it advances"}.get(role, "; chosen")
    return title, pencil.shapes()


# ---------------------------------------------------------------- donations
def donation_table(scene: Scene, x: float, y: float, width: float) -> None:
    """The donation table: the count of each cell, and its disks."""
    game = scene.game
    column_width = (width - 16) / t.NUM_DONATION_COLUMNS
    mine = scene.game.secret[scene.seat] if scene.seat is not None else state.NONE
    with scene.panel(x, y, width, DONATIONS_HEIGHT, "Donations", f"at most {t.DONATION_LIMIT} VP each"):
        for column, name in enumerate(t.DONATION_COLUMNS):
            with scene.moved(8 + column * column_width, HEAD):
                title, body = _column(scene.theme, column, game.panel[column], column_width)
                scene.part(f"donations_{name}", title, body, "donations",
                           (1, 0, column_width - 2, COLUMN_HEAD - 2))  # fmt: skip
                for row in range(t.PANEL_ROWS):
                    cell = column * t.PANEL_ROWS + row
                    rule = scene.ask(donations.rule_of, cell)
                    title, body = _cell(scene.theme, cell, rule, game.donation[cell], cell == mine, column_width)
                    scene.part(f"donation_{t.DONATIONS[cell]}", title, body, f"donation_{words.RULE_IDS[rule]}",
                               (2, COLUMN_HEAD + row * CELL + 1, column_width - 4, CELL - 3))  # fmt: skip


@functools.lru_cache(256)
def _column(theme: str, column: int, tile: int, width: float) -> tuple[str, str]:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    name = words.COLUMNS[column]
    if tile == state.NONE:
        pencil.text(width / 2, 13, name, 11, colours.faint, "middle", True)
        return f"Donations: {name}", pencil.shapes()
    over = words.COLUMNS[codes.DONATION_COLUMNS.index(t.FACTS.expansion.new_donations.panels[tile])]
    pencil.rect(2, 1, width - 4, 16, colours.ink, corner=3)
    pencil.text(width / 2, 13, f"+ {over}", 11, colours.panel, "middle", True)
    return f"Donations: {name}, under the new {over} tile", pencil.shapes()


@functools.lru_cache(4096)
def _cell(theme: str, cell: int, rule: int, disks: int, secret: bool, width: float) -> tuple[str, str]:
    pencil, colours, own = signs.sheet(theme), svg.theme(theme), COLOURS[theme]
    top = COLUMN_HEAD + int(t.DONATION_ROW[cell]) * CELL
    pencil.rect(2, top + 1, width - 4, CELL - 3, own.slot, colours.ink if secret else "none", 1.5, 4,
                'stroke-dasharray="4 3"' if secret else "")  # fmt: skip
    pencil.text(7, top + 18, t.RULE_VP[rule], 15, bold=True)
    for line, text in enumerate(textwrap.wrap(words.SHORT_RULES[rule], 13, break_on_hyphens=False)[:3]):
        pencil.text(21, top + 14 + 13 * line, text, 11)
    owners = members(disks)
    for k, owner in enumerate(owners):
        pencil.raw(signs.at(width - 13 - 15 * (len(owners) - 1 - k), top + CELL - 11, signs.disk(theme, owner, 7)))
    if secret:
        pencil.text(7, top + CELL - 7, "secret", 11, colours.faint)
    whose = f"disks of {join([words.OWNERS[owner] for owner in owners])}" if owners else "free"
    kept = "; your secret donation" if secret else ""
    return f"Donation {words.COLUMNS[t.DONATION_COLUMN[cell]]}: {words.RULES[rule]}; {whose}{kept}", pencil.shapes()


# ---------------------------------------------------------------- regions
def regions(scene: Scene, x: float, y: float, width: float, gap: float) -> None:
    """A panel for each region: employees on missions, and the transport track with its markers."""
    game = scene.game
    own = (width - (t.NUM_REGIONS - 1) * gap) / t.NUM_REGIONS
    due = scene.ask(event.region) if game.advancing_row != state.NONE else state.NONE
    owners = [*range(scene.players), *([state.ANDREW] if scene.options.solo else [])]
    for region, name in enumerate(t.REGIONS):
        with scene.panel(x + region * (own + gap), y, own, REGION_HEIGHT):
            numbers = tuple(game.missions[seat][region] for seat in range(scene.players))
            title, body = _missions(scene.theme, region, numbers, region == due, own)
            scene.part(f"missions_{name}", title, body, "missions")
            left = (own - t.TRACK_SPACES * TRACK_CELL[0]) / 2
            with scene.moved(left, HEAD):
                scene.pencil.raw(_levels(scene.theme, region))
            for space in range(t.TRACK_SPACES):
                markers = tuple(owner for owner in owners if game.track[owner][region] == space)
                title, body = _track(scene.theme, region, space, markers)
                with scene.moved(left + space * TRACK_CELL[0], HEAD + BAND):
                    scene.part(places.track(region, space), title, body, "track",
                               (1, 0, TRACK_CELL[0] - 2, TRACK_CELL[1]))  # fmt: skip


@functools.lru_cache(4096)
def _missions(theme: str, region: int, numbers: tuple[int, ...], due: bool, width: float) -> tuple[str, str]:
    pencil, own, colours = signs.sheet(theme), COLOURS[theme], svg.theme(theme)
    name = words.REGIONS[region]
    pencil.rect(1, 1, width - 2, HEAD - 4, own.marked if due else own.regions[region], corner=7)
    pencil.text(12, 17, name.upper(), 12, bold=True)
    said = []
    x = width - 12.0
    for seat in reversed(range(len(numbers))):
        if numbers[seat]:
            pencil.text(x, 17, f"×{numbers[seat]}", 11, anchor="end")
            x -= 6 + len(str(numbers[seat])) * 7 + 9
            pencil.raw(signs.at(x, 20, signs.employee(theme, seat, True)))
            x -= 17
            pencil.raw(signs.at(x, 12, signs.disk(theme, seat, 7)))
            x -= 14
            said.append(f"{numbers[seat]} of {words.OWNERS[seat]}")
    if not said:
        pencil.text(width - 12, 17, "no missions", 11, colours.faint, "end")
    where = f"Mission zone {name}: {join(said[::-1]) or 'nobody'}"
    return f"{where}{'; its income is due' if due else ''}", pencil.shapes()


@functools.cache
def _levels(theme: str, region: int) -> str:
    """The levels of a track, each above its spaces."""
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    first = 0
    for level, spaces in itertools.groupby(_TRACK_LEVEL[region]):
        number = len(list(spaces))
        left, right = first * TRACK_CELL[0] + 3, (first + number) * TRACK_CELL[0] - 3
        half = letters.width(LEVELS[level], 11) / 2 + 3
        middle = (left + right) / 2
        if middle - half > left:
            pencil.line((left, 6.5), (middle - half, 6.5), colours.line)
            pencil.line((middle + half, 6.5), (right, 6.5), colours.line)
        pencil.text(middle, 10.5, LEVELS[level], 11, colours.faint, "middle")
        first += number
    return pencil.shapes()


@functools.lru_cache(4096)
def _track(theme: str, region: int, space: int, markers: tuple[int, ...]) -> tuple[str, str]:
    pencil, colours, own = signs.sheet(theme), svg.theme(theme), COLOURS[theme]
    width, height = TRACK_CELL
    pencil.rect(1.5, 0.5, width - 3, height - 1, own.slot, corner=4)
    level = t.LEVELS[t.TRACK_LEVEL[region, space]]
    title = f"Transport {words.REGIONS[region]}, space {space + 1}: {level}, income"
    income = words.gain(_TRACK_INCOME[region][space])
    if space > 0:
        cost = int(t.TRACK_COST[region, space - 1])
        pencil.raw(signs.at(8, 9, signs.action(theme, 3, 3.5)))
        pencil.text(14, 13, cost, 11, bold=True)
    pencil.text(width / 2, 29, income, 12, anchor="middle", bold=True)
    title += f" {income}" + (f", {number_of(cost, 'research points')} to enter" if space > 0 else "")
    if space == t.TRACK_SPACES - 1:
        reward = words.gain(_TRACK_REWARD[region])
        pencil.text(width - 3, 13, f"+{reward.replace(' goods', 'g')}", 11, colours.faint, "end")
        title += f", {reward} on entering"
    for k, owner in enumerate(markers):
        x = width / 2 + (k - (len(markers) - 1) / 2) * min(15, (width - 16) / max(len(markers) - 1, 1))
        pencil.raw(signs.at(x, height - 10, signs.disk(theme, owner, 7)))
    if markers:
        title += f"; markers of {join([words.OWNERS[owner] for owner in markers])}"
    return title, pencil.shapes()


# ---------------------------------------------------------------- the display
def display_height(kinds: int) -> float:
    """The panel's height for a number of different departments of a type."""
    return HEAD + 18 + -(-kinds // CHIPS) * CHIP + 6


def kinds_of_a_type(options: Options) -> int:
    """The most different departments of a type in a game with these options."""
    return max(map(len, _known(options)))


def _known(options: Options) -> list[list[int]]:
    """By type, the tiles in the game; with new_departments, as many as in the game."""
    last = t.NUM_TILES if options.diverse_setup else t.BASE_TILES
    return [[n for n in range(1, last + 1) if _TYPES[n] == kind] for kind in range(t.NUM_ACTION_TYPES)]


def kinds_in_play(scene: Scene) -> list[list[int]]:
    """By type, the tiles in the game, as far as they are known."""
    game = scene.game
    if not scene.options.new_departments or scene.options.diverse_setup:
        return _known(scene.options)
    seen = {code for seat in range(scene.players) for code in (*game.department[seat], game.reserved[seat])}
    known = [n for n in range(1, t.NUM_TILES + 1) if game.display[n] or game.andrew_tiles[n] or n in seen]
    return [[n for n in known if _TYPES[n] == kind] for kind in range(t.NUM_ACTION_TYPES)]


_TYPES = tuple(t.DEPARTMENT_TYPE.tolist())


def display(scene: Scene, x: float, y: float, width: float, height: float) -> None:
    """The available department tiles, by type."""
    column_width = (width - 16) / t.NUM_ACTION_TYPES
    chip_width = (column_width - 8) / CHIPS
    with scene.panel(x, y, width, height, "Departments on display"):
        for kind, tiles in enumerate(kinds_in_play(scene)):
            with scene.moved(8 + kind * column_width, HEAD):
                scene.pencil.raw(signs.at(10, 8, signs.action(scene.theme, kind)))
                scene.pencil.text(22, 12, words.ACTIONS[kind], 11, scene.colours.faint, bold=True)
                for k, number in enumerate(tiles):
                    row, column = divmod(k, CHIPS)
                    title, body = _chip(scene.theme, number, scene.game.display[number], chip_width)
                    name = t.DEPARTMENTS[number]
                    with scene.moved(column * chip_width, 18 + row * CHIP):
                        scene.part(f"display_{name}", title, body, f"department_{name}",
                                   (2, 1, chip_width - 4, CHIP - 3))  # fmt: skip


@functools.lru_cache(1024)
def _chip(theme: str, number: int, copies: int, width: float) -> tuple[str, str]:
    pencil, colours, own = signs.sheet(theme), svg.theme(theme), COLOURS[theme]
    ink = colours.ink if copies else colours.faint
    pencil.rect(2, 1, width - 4, CHIP - 3, own.slot if copies else own.done, corner=4)
    pencil.text(8, 15, words.SHORT_DEPARTMENTS[number], 11, ink)
    pencil.text(width - 8, 15, f"×{copies}" if copies else "-", 11, ink, "end", copies > 0)
    pencil.text(width - 30, 15, words.costs(number), 11, colours.faint, "end")
    left = f"{number_of(copies, 'tiles')} on display" if copies else "none left"
    return f"{words.department(number)}: {left}", pencil.shapes()
