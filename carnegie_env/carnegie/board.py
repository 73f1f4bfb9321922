"""A position of Carnegie as text for a terminal: plain ASCII, at most 120 columns.

The text shows what lies open on the table: of Andrew's deck the backs of this card and the next, and the face of this
card once it has been turned up (rulings 32, 33). The sheet and the secret donation of the player to move, which the
others don't know (rulings 40, 44), are part of the decision.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from carnegie_env.carnegie import events, names, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import andrew, company, donations, new_start, tabs, transport
from carnegie_env.carnegie.state import ANDREW, NONE
from carnegie_env.core.facts import members
from carnegie_env.render.text import columns, number_of, victory

WIDTH = 120
NARROWEST = 80  # companies below each other
GAP = 3  # columns between blocks side by side
CELL = 13  # columns of a company space
PANEL = 4 * (CELL + 1) + 1
MANY = 5  # most employees drawn one by one
LEVELS = ("wagon", "coach", "rail")  # of transport, short enough for two companies side by side
SPACE_SIGNS = names.SPACE_LETTERS.lower()  # a free construction space, by type; * takes any


def render(position: Any, width: int = WIDTH, seat: int | None = None) -> str:
    """The whole board.

    Args:
        position: a ``carnegie_env.Position``.
        width: columns, 80 to 120.
        seat: see ``Presentation.board``.

    Returns:
        Lines of ASCII, none longer than ``width``, joined by newlines.

    Raises:
        ValueError: a width out of range.
    """
    if isinstance(width, bool) or not isinstance(width, int) or not NARROWEST <= width <= WIDTH:
        raise ValueError(f"width must be from {NARROWEST} to {WIDTH} columns, not {width!r}")
    game = position.record
    parts = [
        textwrap.wrap(_title(position), width, subsequent_indent="  "),
        _timeline(game, width),
        _cities(game, width),
        _donations(game, width),
        _display(game, width),
        _companies(position, width),
        _scores(position) if position.is_over else _decision(position, width, seat),
    ]
    lines = [line[:width].rstrip() for part in parts for line in [*part, ""]]
    return "\n".join(lines[:-1])


def actions(position: Any, width: int = WIDTH) -> list[str]:
    """The legal actions in a few lines: those that differ only in their end share one."""
    game, groups = position.record, dict[str, list[str]]()
    for number in position.legal_numbers().tolist():
        start, end = names.action_in_two(game, number)
        groups.setdefault(start, []).append(end)
    lines = []
    for start, ends in groups.items():
        colon = ":" if len(ends) > 1 and not start.endswith(":") else ""
        lines += _wrapped(f"{start}{colon} ", " | ".join(ends), width, "    ")
    return lines + (_sheet_costs(game, width) if position.phase == "sheet" else [])


# ---------------------------------------------------------------- helpers
def _wrapped(start: str, text: str, width: int, indent: str = "") -> list[str]:
    text = start + text
    return textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  " + indent, break_on_hyphens=False)


def _beside(blocks: Sequence[Sequence[str]], width: int) -> list[str]:
    """Blocks of lines: as many side by side as fit, the others below."""
    lines: list[str] = []
    row: list[Sequence[str]] = []
    used = 0
    for block in blocks:
        own = max(map(len, block))
        if row and used + GAP + own > width:
            lines += [*_joined(row), ""]
            row, used = [], 0
        used += own + (GAP if row else 0)
        row.append(block)
    return lines + _joined(row)


def _joined(blocks: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, block)) for block in blocks]
    lines = []
    for k in range(max(map(len, blocks))):
        cells = [(block[k] if k < len(block) else "").ljust(w) for block, w in zip(blocks, widths, strict=True)]
        lines.append((" " * GAP).join(cells).rstrip())
    return lines


def _owners(disks: int) -> str:
    return "".join(names.SIGNS[owner] for owner in members(disks)) or "."


def _tiles(copies: Iterable[int], kind: int) -> str:
    found = [
        f"{names.DEPARTMENTS[number]}{f' x{count}' if count > 1 else ''}"
        for number, count in enumerate(copies)
        if count and t.DEPARTMENT_TYPE[number] == kind
    ]
    return ", ".join(found) or "-"


# ---------------------------------------------------------------- the board
def _title(position: Any) -> str:
    options, game = position.options, position.record
    who = f"solo against Andrew, {options.difficulty}" if options.solo else f"{options.num_players} players"
    when = "set-up" if position.round == 0 else f"round {position.round} of {t.ROUNDS}"
    modules = f"   ({', '.join(options.modules)})" if options.modules else ""
    text = f"CARNEGIE   {who}{modules}   {when}"
    if position.is_over:
        return f"{text}   the game is over"
    action = f" ({names.ACTIONS[game.action]})" if game.action != NONE else ""
    waiting = f", player_{game.first_player} waits" if game.waiting and game.to_play != game.first_player else ""
    return f"{text}   player_{position.to_play} {names.PHASES[position.phase]}{action}{waiting}"


def _timeline(game: Any, width: int) -> list[str]:
    rows = [["TIMELINE", *(str(k + 1) for k in range(t.END_SPACE)), "End"]]
    for r, row in enumerate(names.ACTIONS):
        sign = "*" if r == game.chosen_row else "+" if r == game.advancing_row else " "
        cells = [f"{sign} {row}"]
        for k in range(t.TIMELINE_SPACES):
            here = [names.REGIONS[game.event_region[r, k]]] if game.event_region[r, k] != NONE else []
            here += ["donation"] if game.event_donation[r, k] else []
            passed = "x" if k < game.marker[r] else ">" if k == game.marker[r] else " "
            cells.append(f"{passed} {'+'.join(here)}")
        rows.append(cells)
    legend = "  x passed   > next space   * chosen   + flipped: it advances instead"
    return [*columns(rows, 2 if width >= 90 else 1), legend]


def _cities(game: Any, width: int) -> list[str]:
    blocks = []
    for r, region in enumerate(t.REGIONS):
        cities = [c for c in range(t.NUM_CITIES) if t.CITY_REGION[c] == r]
        longest = max(len(names.CITIES[c]) for c in cities)
        block = [region.upper()]
        for c in cities:
            spaces = range(t.CITY_FIRST_SPACE[c], t.CITY_FIRST_SPACE[c + 1])
            signs = [
                SPACE_SIGNS[t.SPACE_TYPE[s]] if game.owner[s] == NONE else names.SIGNS[game.owner[s]] for s in spaces
            ]
            bonus = "+" if t.CITY_BONUS[c] else " "
            block.append(f"{t.CITY_POINTS[c]}{bonus} {names.CITIES[c]:{longest}} {' '.join(signs)}")
        blocks.append(block)
    lines = [f"  {line}".rstrip() for line in _beside(blocks, width - 2)]
    return [
        "CITIES   free: h housing, c commerce, i industry, p public, * any; + has a bonus",
        *lines,
        "  disks: 0-3 seats" + (", A Andrew" if game.difficulty != NONE else "") + ", n neutral",
    ]


def _donations(game: Any, width: int) -> list[str]:
    blocks = []
    for c, column in enumerate(names.COLUMNS):
        cells = range(c * t.PANEL_ROWS, (c + 1) * t.PANEL_ROWS)
        tile = game.panel[c]
        title = column if tile == NONE else f"{column}, under the {names.COLUMNS[names.NEW_COLUMNS[tile]]} tile"
        rules = [int(donations.rule_of(game, cell)) for cell in cells]
        shown = [f"{t.RULE_VP[rule]} {names.SHORT_RULES[rule]}" for rule in rules]
        longest = max(map(len, shown))
        block = [
            f"  {name:{longest}} {_owners(int(game.donation[cell]))}" for name, cell in zip(shown, cells, strict=True)
        ]
        blocks.append([title, *block])
    return ["DONATIONS", *(f"  {line}".rstrip() for line in _beside(blocks, width - 2))]


def _display(game: Any, width: int) -> list[str]:
    lines = ["DEPARTMENTS ON DISPLAY"]
    copies = game.display.tolist()
    for kind, name in enumerate(names.ACTIONS):
        lines += _wrapped(f"{name}: ", _tiles(copies, kind), width, "    ")
    return lines


# ---------------------------------------------------------------- companies and Andrew
def _companies(position: Any, width: int) -> list[str]:
    game = position.record
    panels = [_company(game, seat) for seat in range(position.num_players)]
    if position.options.solo:
        panels.append(_andrew(game))
    signs = "@ active, P permanent, . free workstation, o inactive employee"
    return [f"COMPANIES   {signs}", *_beside(panels, width)]


def _company(game: Any, seat: int) -> list[str]:
    roles = (["first player"] if seat == game.first_player else []) + (["decides"] if seat == game.to_play else [])
    title = f"PLAYER_{seat}" + (f"  ({', '.join(roles)})" if roles else "")
    purse = f"${game.money[seat]}  {number_of(game.goods[seat], 'goods')}  {game.vp[seat]} VP"
    reserved = names.DEPARTMENTS[game.reserved[seat]] or "-"
    lines = [
        f"{title}{purse:>{PANEL - len(title)}}",
        f"reserve: {number_of(game.reserve[seat], 'employees')}, {number_of(game.disks[seat], 'disks')}   "
        f"donations: {game.donations_made[seat]}",
        f"reserved: {reserved}{'   Action Choice' if game.action_tile[seat] else ''}",
    ]
    if new_start.revealed(game):
        lines.append(f"sheet: {sheet(game, seat)}")
    border = ("+" + "-" * CELL) * t.COMPANY_COLUMNS + "+"
    for row in range(t.COMPANY_ROWS):
        spaces = range(row * t.COMPANY_COLUMNS, (row + 1) * t.COMPANY_COLUMNS)
        shown = [names.SHORT_DEPARTMENTS[game.department[seat, s]] or names.place(s, "col") for s in spaces]
        lines += [
            border,
            "|" + "|".join(f"{name:{CELL}}" for name in shown) + "|",
            "|" + "|".join(f"{_employees(game, seat, s):{CELL}}" for s in spaces) + "|",
        ]
    lines.append(border)
    lines_of_tabs = [["", *t.PROJECTS], ["tab side"], ["uncovered"], ["ready/built"]]
    for project in range(t.NUM_PROJECT_TYPES):
        side = game.tab_side[seat, project]
        lines_of_tabs[1].append("-" if side == NONE else state.SIDE_NAMES[side])
        lines_of_tabs[2].append(f"{tabs.uncovered(game, seat, project)} of {t.TAB_LENGTH[project] + 1}")
        lines_of_tabs[3].append(f"{tabs.ready(game, seat, project)} / {game.tab_built[seat, project]}")
    tracks = [["", *names.REGIONS], ["transport"], ["missions"]]
    for region in range(t.NUM_REGIONS):
        tracks[1].append(_track(int(game.track[seat, region]), region))
        tracks[2].append(str(game.missions[seat, region]))
    return lines + columns(lines_of_tabs) + columns(tracks)


def _sheet_costs(game: Any, width: int) -> list[str]:
    """The offers of the sheet's next line."""
    filled = new_start.lines_filled(game, game.to_play)
    if filled == new_start.NUM_LINES:
        return _wrapped("", "only the highest bidder pays the bid", width)
    costs = [f"{amount} for ${cost}" for amount, cost in t.NEW_START_OFFERS[filled, :].tolist()]
    return _wrapped(f"{t.NEW_START_LINES[filled]} on the sheet: ", ", ".join(costs).replace("$-", "-$"), width, "    ")


def sheet(game: Any, seat: int) -> str:
    """The lines of a new start's sheet that are filled in."""
    goods, employees, points, moves = game.sheet[seat]
    return events.sheet(goods, employees, points, moves, game.bid[seat])


def _track(space: int, region: int) -> str:
    last = "!" if space == transport.LAST_SPACE else ""
    return f"{space}{last} {LEVELS[t.TRACK_LEVEL[region, space]]}"


def _employees(game: Any, seat: int, space: int) -> str:
    """The employees on a company space: @ active, P permanent, . free workstation, o inactive."""
    code, active = int(game.department[seat, space]), int(game.active[seat, space])
    inactive = int(game.inactive[seat, space])
    free = int(company.free_workstations(game, seat, space))
    stations = "P" * int(t.PERMANENT_EMPLOYEES[code]) + "@" * active + "." * free
    lying = "o" * inactive if inactive <= MANY else f"o x{inactive}"
    return f" {stations}{' ' if stations and lying else ''}{lying}"


def _andrew(game: Any) -> list[str]:
    places = game.card_place[: game.round_number].tolist()
    row = "   ".join(f"{vp} VP: {places.count(k)}" for k, vp in enumerate(t.ANDREW_VP_ROW))
    lines = [
        f"ANDREW{number_of(game.disks[ANDREW], 'disks'):>{PANEL - 6}}",
        f"cards  {row}",
        *_card_lines(game),
        "departments",
    ]
    copies = game.andrew_tiles.tolist()
    for kind, name in enumerate(names.ACTIONS):
        lines += _wrapped(f"{name}: ", _tiles(copies, kind), PANEL, "  ")
    levels = (_track(int(game.track[ANDREW, region]), region) for region in range(t.NUM_REGIONS))
    return lines + columns([["", *names.REGIONS], ["transport", *levels]])


def _card_lines(game: Any) -> list[str]:
    current = game.round_number - 1
    if current < 0:
        return ["no card drawn yet"]
    card = game.deck[current]
    lines = [f"card of the round: back {_back(card)}"]
    if andrew.cards_turned_up(game) > current:
        departments = ", ".join(names.ACTIONS[k] for k in t.CARD_DEPARTMENTS[card, : t.CARD_NUM_DEPARTMENTS[card]])
        cities = ", ".join(names.CITIES[city] for city in t.CARD_CITIES[card, : t.CARD_NUM_CITIES[card]])
        at = t.ANDREW_VP_ROW[game.card_place[current]]
        lines += _wrapped(
            f"{t.CARDS[card]} at {at} VP, ", f"donation to {names.donation(t.CARD_DONATION[card])}", PANEL, "  "
        )
        lines += _wrapped("departments: ", departments, PANEL, "  ")
        lines += _wrapped("cities: ", cities, PANEL, "  ")
        steps = f"{names.REGIONS[t.CARD_REGION[card]]} {t.CARD_STEPS[card]}"
        lines.append(f"  transport: {steps}   shift: {t.CARD_SHIFT[card]}")
    if current + 1 < t.ROUNDS:
        lines.append(f"next card: back {_back(game.deck[current + 1])}")
    return lines


def _back(card: int) -> str:
    return names.ACTIONS[t.CARD_BACK[card]] + (" (advanced)" if t.CARD_ADVANCED[card] else "")


# ---------------------------------------------------------------- the decision, the end
def _decision(position: Any, width: int, seat: int | None) -> list[str]:
    """What is in hand, what only a seat knows, and without a seat the legal actions."""
    game, mover = position.record, position.to_play
    hand = in_hand(game) + ["the turn has begun"] * bool(game.started)
    known = _known(game, mover if seat is None else seat)
    if seat is None:
        titles, lines = [f"PLAYER_{mover} CAN PLAY{_noted(hand + known)}"], actions(position, width)
    else:
        titles, lines = [f"PLAYER_{mover} DECIDES{_noted(hand)}"], []
        titles += [f"ONLY PLAYER_{seat} KNOWS{_noted(known)}"] if known else []
    return [line for title in titles for line in textwrap.wrap(title, width, subsequent_indent="  ")] + lines


def _noted(notes: Sequence[str]) -> str:
    return f"   ({'; '.join(notes)})" if notes else ""


def _known(game: Any, seat: int) -> list[str]:
    """What only a seat knows: its sheet and its secret donation."""
    known = []
    if game.phase == state.SHEET:
        known.append(own_sheet(game, new_start.cost(game, seat), seat))
    if game.secret[seat] != NONE:
        known.append(f"secret donation to {names.donation(game.secret[seat])}")
    return known


def own_sheet(game: Any, cost: int, seat: int | None = None) -> str:
    """The sealed sheet of a seat (None: the seat to move); ``cost``: $ of its lines so far."""
    chosen = sheet(game, game.to_play if seat is None else seat) or "nothing chosen yet"
    return f"${t.NEW_START_BUDGET - cost} of ${t.NEW_START_BUDGET} left; {chosen}"


def in_hand(game: Any) -> list[str]:
    """What the player to move has in hand, as far as everybody knows it."""
    amounts = ((getattr(game, name), words) for name, words in events.IN_HAND.items())
    hand = [number_of(amount, words) for amount, words in amounts if amount]
    if game.level_region != NONE:
        hand.append(f"an income of {names.REGIONS[game.level_region]} at a level of your choice")
    if game.lifted != NONE:
        place = names.company_space(game, game.to_play, game.lifted)
        hand.append(f"{state.STATES[game.lifted_active]} employee lifted from {place}")
    if game.tile:
        hand.append(f"{names.DEPARTMENTS[game.tile]} to build")
    if game.site != NONE:
        hand.append(f"just built on {names.place(game.site)}")
    if game.choice != NONE:
        project, section = divmod(int(game.choice), t.TAB_SECTIONS)
        hand.append(f"income of {names.PROJECTS[project]} section {section + 1}")
    if game.department_in_use != NONE:
        code = game.department[game.to_play, game.department_in_use]
        hand.append(f"using {names.DEPARTMENTS[code]}, {game.ready[game.department_in_use]} there can still act")
    return hand


def _scores(position: Any) -> list[str]:
    """The final score by category."""
    found = position.score_breakdown()
    sides = [names.OWNERS[owner] for owner in position.game.sides(position.options)]
    rows = [["FINAL SCORE", *sides]]
    for key in dict.fromkeys(key for scores in found for key in scores if key not in ("donations", "total")):
        rows.append([f"  {key.replace('_', ' ')}", *(str(scores.get(key, "-")) for scores in found)])
    rows.append(["  donations", *(str(sum(scores["donations"].values())) for scores in found)])
    rows.append(["  total", *(str(scores["total"]) for scores in found)])
    best = max(scores["total"] for scores in found)
    winners = [name for name, scores in zip(sides, found, strict=True) if scores["total"] == best]
    return [*columns(rows), f"  {victory(winners)}"]
