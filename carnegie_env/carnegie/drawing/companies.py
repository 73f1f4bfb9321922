"""The companies: departments with workstations and employees, project tabs, goods and money; and Andrew's side."""

from __future__ import annotations

import functools

from carnegie_env.carnegie import board, state
from carnegie_env.carnegie import names as words
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.drawing import letters, places, signs
from carnegie_env.carnegie.drawing.colours import COLOURS
from carnegie_env.carnegie.drawing.scene import Scene
from carnegie_env.carnegie.rules import andrew, donations, new_start, tabs, timeline
from carnegie_env.render import svg
from carnegie_env.render.text import join, number_of

SPACE_WIDTH, SPACE_HEIGHT = 95, 52
TOP = 50  # of a company's spaces
FLOOR = 18  # width of the VP of a floor, on its left
TABS_LEFT = FLOOR + 8 + t.COMPANY_COLUMNS * SPACE_WIDTH + 8
SECTION = min(25, 178 // int(t.TAB_LENGTH.max() + 1))  # width of a tab's section
TAB_HEIGHT = 44
HEIGHT = TOP + t.COMPANY_ROWS * SPACE_HEIGHT + 8
STATION = 17  # width of a workstation
MANY = 2  # most inactive employees drawn one by one

_TYPE = tuple(t.DEPARTMENT_TYPE.tolist())
_TAB_INCOME = t.TAB_INCOME.tolist()


def company(scene: Scene, seat: int, x: float, y: float, width: float) -> None:
    """A company, in a panel with this upper left corner."""
    game = scene.game
    with scene.panel(x, y, width, HEIGHT):
        _head(scene, seat, width)
        with scene.moved(8, TOP):
            scene.pencil.raw(_floors(scene.theme))
        for space in range(t.COMPANY_SPACES):
            mine = seat == scene.mover and game.action != state.NONE
            ready = game.ready[space] if mine else 0
            role = (seat == scene.mover) * ((space == game.lifted) + 2 * (space == game.department_in_use))
            title, body = _space(scene.theme, seat, space, game.department[seat][space], game.active[seat][space],
                                 game.inactive[seat][space], ready, role)  # fmt: skip
            row, column = divmod(space, t.COMPANY_COLUMNS)
            code = game.department[seat][space]
            with scene.moved(8 + FLOOR + column * SPACE_WIDTH, TOP + row * SPACE_HEIGHT):
                scene.part(places.company(seat, space), f"{words.OWNERS[seat]}, {title}", body,
                           f"department_{t.DEPARTMENTS[code]}" if code else "employees",
                           (2, 2, SPACE_WIDTH - 4, SPACE_HEIGHT - 4))  # fmt: skip
        for project in range(t.NUM_PROJECT_TYPES):
            title, body = _tab(scene.theme, seat, project, game.tab_side[seat][project],
                               scene.ask(tabs.uncovered, seat, project),
                               scene.ask(tabs.ready, seat, project), game.tab_built[seat][project])  # fmt: skip
            with scene.moved(TABS_LEFT, TOP + project * (TAB_HEIGHT + 8)):
                scene.part(f"tab_{seat}_{t.PROJECTS[project]}", f"{words.OWNERS[seat]}, {title}", body, "tab",
                           (-4, 0, width - TABS_LEFT - 4, TAB_HEIGHT + 4))  # fmt: skip


# ---------------------------------------------------------------- the head of a company
def _head(scene: Scene, seat: int, width: float) -> None:
    """The owner, with money, goods, points and reserve."""
    game = scene.game
    roles = (seat == game.first_player) + 2 * (seat == scene.mover) + 4 * game.waiting * (seat == game.first_player)
    scene.part(f"player_{seat}", *_name(scene.theme, seat, roles if scene.mover >= 0 else 0), "company")
    right = width - 12.0
    for name, amount, help in (("vp", game.vp[seat], "points"), ("goods", game.goods[seat], "goods"),
                               ("money", game.money[seat], "money")):  # fmt: skip
        title, body, wide = _purse(scene.theme, name, amount)
        with scene.moved(right, 0):
            scene.part(f"{name}_{seat}", f"{words.OWNERS[seat]} has {title}", body, help)
        right -= wide + 16
    cost = scene.ask(donations.donation_cost, seat)
    title, body = _stock(scene.theme, seat, game.reserve[seat], game.disks[seat], game.donations_made[seat], cost)
    scene.part(f"stock_{seat}", f"{words.OWNERS[seat]}: {title}", body, "reserve")
    notes = []
    if number := game.reserved[seat]:
        notes.append((f"reserved_{seat}", f"next {words.SHORT_DEPARTMENTS[number]}",
                      f"{words.OWNERS[seat]} has reserved {words.department(number)}: it is built first",
                      f"department_{t.DEPARTMENTS[number]}"))  # fmt: skip
    if game.action_tile[seat]:
        notes.append((f"action_choice_{seat}", "Action Choice", f"{words.OWNERS[seat]} holds an Action Choice tile",
                      "action_choice"))  # fmt: skip
    if scene.ask(new_start.revealed):
        whole = board.sheet(scene.fields, seat)
        amounts = "/".join(str(scene.ask(new_start.amount, seat, line)) for line in range(new_start.NUM_LINES))
        notes.append((f"sheet_{seat}", f"sheet {amounts}", f"{words.OWNERS[seat]} chose on the sheet: {whole}",
                      "sheet"))  # fmt: skip
    secret = game.secret[seat]
    if secret != state.NONE:
        seen = scene.knows(seat)
        said = f"the secret donation {words.RULES[scene.ask(donations.rule_of, secret)]}"
        column, row = divmod(secret, t.PANEL_ROWS)
        short = f"secret {words.COLUMNS[column].rpartition(' ')[2].capitalize()} {row + 1}"
        notes.append((f"secret_{seat}", short if seen else "secret donation",
                      f"{words.OWNERS[seat]} has {said if seen else 'a secret donation'}",
                      "secret_donation"))  # fmt: skip
    right = width - 12.0
    for name, short, title, help in notes:
        wide = letters.width(short, 11) + 12
        with scene.moved(right - wide, 29):
            scene.part(name, title, _note(scene.theme, short, wide), help, (0, 0, wide, 17))
        right -= wide + 6


@functools.lru_cache(256)
def _name(theme: str, seat: int, roles: int) -> tuple[str, str]:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    pencil.raw(signs.at(20, 18, signs.disk(theme, seat, 10)))
    pencil.text(36, 23, words.OWNERS[seat], 14, bold=True)
    x = 36 + letters.width(words.OWNERS[seat], 14, True) + 12
    said = []
    for bit, role in ((2, "decides"), (1, "first player"), (4, "waits")):
        if roles & bit:
            wide = letters.width(role, 11) + 14
            filled = bit == 2
            pencil.rect(x, 9, wide, 18, colours.ink if filled else "none", colours.ink, 1, 9)
            pencil.text(x + wide / 2, 22, role, 11, colours.panel if filled else colours.ink, "middle")
            x += wide + 6
            said.append(role)
    return f"{words.OWNERS[seat]}{': ' if said else ''}{join(said)}", pencil.shapes()


@functools.lru_cache(1024)
def _purse(theme: str, name: str, amount: int) -> tuple[str, str, float]:
    """An amount to the left of the origin, and its width."""
    pencil = signs.sheet(theme)
    shown = {"money": f"${amount}", "goods": str(amount), "vp": f"{amount} VP"}[name]
    pencil.text(0, 23, shown, 15, anchor="end", bold=True)
    wide = letters.width(shown, 15, True)
    if name == "goods":
        pencil.raw(signs.at(-wide - 8, 18, signs.cube(theme)))
        wide += 14
    title = {"money": f"${amount}", "goods": number_of(amount, "goods"), "vp": f"{amount} immediate VP"}[name]
    return title, pencil.shapes(), wide


@functools.lru_cache(1024)
def _stock(theme: str, seat: int, employees: int, disks: int, made: int, cost: int) -> tuple[str, str]:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    pencil.raw(signs.at(9, 38, signs.employee(theme, seat, False)))
    pencil.text(29, 42, employees, 11, colours.faint)
    pencil.circle(56, 38, 5.5, signs.colour(theme, seat), colours.ink)
    pencil.text(65, 42, disks, 11, colours.faint)
    pencil.text(88, 42, f"{made} donated, next ${cost}", 11, colours.faint)
    return (f"{number_of(employees, 'employees')} and {number_of(disks, 'disks')} in reserve, "
            f"{number_of(made, 'donations')} made, the next costs ${cost}"), pencil.shapes()  # fmt: skip


@functools.lru_cache(1024)
def _note(theme: str, short: str, wide: float) -> str:
    pencil, colours, own = signs.sheet(theme), svg.theme(theme), COLOURS[theme]
    pencil.rect(0, 0, wide, 17, own.slot, colours.line, 1, 4)
    pencil.text(wide / 2, 12.5, short, 11, anchor="middle")
    return pencil.shapes()


# ---------------------------------------------------------------- the company board
@functools.cache
def _floors(theme: str) -> str:
    """The VP of departments by floor."""
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    for row in range(t.COMPANY_ROWS):
        worth = int(t.SPACE_POINTS[row * t.COMPANY_COLUMNS])
        pencil.text(6, row * SPACE_HEIGHT + SPACE_HEIGHT / 2 + 4, worth, 11, colours.faint, "middle")
    return pencil.shapes()


LIFTED, IN_USE = 1, 2  # the role of a company space in the decision, as bits


@functools.lru_cache(16384)
def _space(
    theme: str, seat: int, space: int, code: int, active: int, inactive: int, ready: int, role: int
) -> tuple[str, str]:
    """A space of a company: its department, employees standing at workstations, employees lying."""
    pencil, colours, own = signs.sheet(theme), svg.theme(theme), COLOURS[theme]
    wide, high = SPACE_WIDTH - 4, SPACE_HEIGHT - 4
    if code == 0:
        pencil.rect(2, 2, wide, high, "none", colours.line, 1, 4, 'stroke-dasharray="3 3"')
    else:
        tile = code <= t.NUM_TILES
        pencil.rect(2, 2, wide, high, own.marked if role & IN_USE else own.slot, colours.ink if tile else colours.line,
                    1.4 if tile else 1, 4)  # fmt: skip
    left = 8.0
    if code and _TYPE[code] >= 0:
        pencil.raw(signs.at(11, 10.5, signs.action(theme, _TYPE[code], 4)))
        left = 19
    if code:
        pencil.text(left, 14.5, letters.fitting(words.SHORT_DEPARTMENTS[code], SPACE_WIDTH - left - 3, 11), 11)
    permanent = int(t.PERMANENT_EMPLOYEES[code])
    x = 6.0
    costs = t.ACTIVATION_COST[code, : t.WORKSTATIONS[code]].tolist() if code else []
    for k in range(permanent + len(costs)):
        standing = k < permanent + active
        pencil.rect(x, 20, STATION - 1.5, 28, colours.panel, colours.line, 1, 3)
        if standing:
            sign = signs.employee(theme, seat if k >= permanent else -1, True, permanent <= k < permanent + ready)
            pencil.raw(signs.at(x + STATION / 2 - 0.7, 43, sign))
        else:
            pencil.text(x + STATION / 2 - 0.7, 39, costs[k - permanent], 11, colours.faint, "middle")
        x += STATION
    for k in range(min(inactive, MANY) if inactive <= MANY else 1):
        pencil.raw(signs.at(SPACE_WIDTH - 23, 41 - 12 * k, signs.employee(theme, seat, False)))
    if inactive > MANY:
        pencil.text(SPACE_WIDTH - 6, 31, f"×{inactive}", 11, anchor="end", bold=True)
    if role & LIFTED:
        pencil.rect(2, 2, wide, high, "none", colours.ink, 2.5, 4, 'stroke-dasharray="7 4"')
    what = words.department(code) if code else "empty space"
    said = [f"{active} active" if code and costs else "", f"{inactive} inactive" if inactive else ""]
    said += [f"{permanent} permanent employee" if permanent else "", f"{ready} can still act" if ready else ""]
    said += ["in use" if role & IN_USE else "", "an employee is lifted here" if role & LIFTED else ""]
    shown = ", ".join(part for part in said if part)
    return f"{words.place(space)}: {what}{'; ' if shown else ''}{shown}", pencil.shapes()


# ---------------------------------------------------------------- tabs
@functools.lru_cache(4096)
def _tab(theme: str, seat: int, project: int, side: int, uncovered: int, ready: int, built: int) -> tuple[str, str]:
    """A tab: its sections with their incomes, and disks on projects that are ready to be built."""
    pencil, colours, own = signs.sheet(theme), svg.theme(theme), COLOURS[theme]
    pencil.raw(signs.at(8, 27, signs.kind(theme, project, 10)))
    shown = f"{t.PROJECTS[project]}" + (f", side {'ab'[side]}" if side != state.NONE else ", no side yet")
    pencil.text(0, 11, shown, 11, colours.faint)
    cost = int(t.TAB_STEP_COST[project])
    if uncovered <= t.TAB_LENGTH[project]:
        pencil.text(TAB_RIGHT, 11, f"step {cost} R&D", 11, colours.faint, "end")
    x = 24.0
    for k in range(int(t.TAB_LENGTH[project]) + 1):
        kind, label = _section(project, max(side, 0), k)
        open_ = k < uncovered
        fill, stroke = (colours.panel, colours.ink) if open_ else (own.done, colours.line)
        pencil.rect(x, 15, SECTION - 2, 25, fill, stroke, 1.2 if open_ else 1, 3)
        number = k - int(t.TAB_BLANK[project])
        if kind == "project" and open_ and number >= built:
            pencil.raw(signs.at(x + SECTION / 2 - 1, 27.5, signs.disk(theme, seat, 9)))
        else:
            pencil.text(x + SECTION / 2 - 1, 31.5, label, 11, colours.ink if open_ else colours.faint, "middle",
                        open_ and kind != "blank")  # fmt: skip
        x += SECTION
    whole = f"{t.PROJECTS[project]} tab, {'side ' + 'ab'[side] if side != state.NONE else 'side not chosen'}"
    return (f"{whole}: {uncovered} of {t.TAB_LENGTH[project] + 1} sections uncovered, "
            f"{number_of(ready, 'projects')} ready, {built} built; "
            f"{number_of(cost, 'research points')} for the next section"), pencil.shapes()  # fmt: skip


TAB_RIGHT = 24 + SECTION * int(t.TAB_LENGTH.max() + 1) - 2


@functools.cache
def _section(project: int, side: int, k: int) -> tuple[str, str]:
    """The kind of a section, and its label: an income, or VP at the end."""
    number = k - int(t.TAB_BLANK[project])
    if number < 0:
        return "blank", "-"
    if number < t.TAB_PROJECTS[project]:
        money, goods, vp, _, employees = _TAB_INCOME[project][number]
        choice = int(t.TAB_CHOICE[project, number])
        if choice:
            return "project", "e/$" if choice == t.CHOICE_EMPLOYEE_OR_MONEY else "g/$"
        short = f"${money}" if money else f"{goods}g" if goods else f"{vp}vp" if vp else f"{employees}e"
        return "project", short
    section = number - int(t.TAB_PROJECTS[project]) + 1
    if k == t.TAB_LENGTH[project] and t.TAB_LIMIT[project, side]:
        return "points", f"+{t.TAB_LIMIT[project, side]}"
    return "points", str(t.TAB_POINTS[project, side, section])


# ---------------------------------------------------------------- Andrew
def andrews(scene: Scene, x: float, y: float, width: float) -> None:
    """Andrew's visible cards, tiles and disks."""
    game = scene.game
    with scene.panel(x, y, width, HEIGHT):
        decides = game.round_number > 0 and scene.mover >= 0 and scene.ask(timeline.is_andrews)
        title, body = _andrew_head(scene.theme, game.disks[state.ANDREW], bool(decides), width)
        scene.part("andrew", title, body, "andrew")
        counts = [0] * t.VP_ROW_PLACES
        for place in game.card_place[: game.round_number]:
            counts[place] += 1
        current = game.round_number - 1
        here = game.card_place[current] if 0 <= current and scene.mover >= 0 else state.NONE
        for place in range(t.VP_ROW_PLACES):
            title, body = _place(scene.theme, place, counts[place], place == here)
            with scene.moved(12 + place * PLACE, 40):
                scene.part(f"andrew_row_{place + 1}", title, body, "andrew_cards")
        turned_up = scene.ask(andrew.cards_turned_up) > current
        if current >= 0:
            card = game.deck[current]
            face = _face(scene.theme, card) if turned_up else _back(scene.theme, *_looks(card), "card of the round")
            with scene.moved(12, 108):
                scene.part("card_now", *face, "andrew_cards")
        if current + 1 < t.ROUNDS and scene.mover >= 0:
            following = _back(scene.theme, *_looks(game.deck[current + 1]), "next card")
            with scene.moved(12, 206):
                scene.part("card_next", *following, "andrew_cards")
        with scene.moved(12 + CARD + 14, 108):
            tiles = tuple((n, copies) for n, copies in enumerate(game.andrew_tiles) if copies)
            scene.part("andrew_tiles", *_andrew_tiles(scene.theme, tiles, width - CARD - 38), "andrew")


PLACE, CARD = 86, 300  # width of a place in Andrew's VP row, and of a card


def _looks(card: int) -> tuple[int, bool]:
    """The type on the back of a card, and whether it is an advanced card."""
    return int(t.CARD_BACK[card]), bool(t.CARD_ADVANCED[card])


@functools.lru_cache(256)
def _andrew_head(theme: str, disks: int, decides: bool, width: float) -> tuple[str, str]:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    pencil.raw(signs.at(20, 18, signs.disk(theme, state.ANDREW, 10)))
    pencil.text(36, 23, "Andrew", 14, bold=True)
    said = "chose the timeline" if decides else ""
    if decides:
        pencil.text(104, 23, said, 11, colours.faint)
    pencil.text(width - 12, 23, number_of(disks, "disks"), 13, anchor="end", bold=True)
    return f"Andrew: {number_of(disks, 'disks')} left{', ' if said else ''}{said}", pencil.shapes()


@functools.lru_cache(1024)
def _place(theme: str, place: int, cards: int, here: bool) -> tuple[str, str]:
    pencil, colours, own = signs.sheet(theme), svg.theme(theme), COLOURS[theme]
    pencil.rect(0, 0, PLACE - 6, 56, own.marked if here else own.slot, colours.ink if here else colours.line, 1.4, 5)
    pencil.text((PLACE - 6) / 2, 19, f"{t.ANDREW_VP_ROW[place]} VP", 13, anchor="middle", bold=True)
    pencil.text((PLACE - 6) / 2, 36, number_of(cards, "cards"), 11, colours.faint, "middle")
    if here:
        pencil.text((PLACE - 6) / 2, 50, "this one", 11, anchor="middle")
    title = f"Andrew's VP row, {t.ANDREW_VP_ROW[place]} VP: {number_of(cards, 'cards')}"
    return f"{title}{', that of the round among them' if here else ''}", pencil.shapes()


@functools.lru_cache(64)
def _back(theme: str, kind: int, advanced: bool, which: str) -> tuple[str, str]:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    pencil.rect(0, 0, CARD, 40, colours.ink, corner=6)
    pencil.rect(4, 4, CARD - 8, 32, colours.panel, corner=4)
    pencil.raw(signs.at(22, 20, signs.action(theme, kind, 7)))
    pencil.text(38, 17, which, 11, colours.faint)
    pencil.text(38, 31, words.ACTIONS[kind] + (", advanced" if advanced else ""), 12, bold=True)
    what = f"{words.ACTIONS[kind]}{', advanced' if advanced else ''}"
    return f"Andrew's {which}, its back: {what}", pencil.shapes()


@functools.lru_cache(256)
def _face(theme: str, card: int) -> tuple[str, str]:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    kind, _ = _looks(card)
    pencil.rect(0, 0, CARD, 92, colours.panel, colours.ink, 1.6, 6)
    donation = words.RULES[t.CARD_DONATION[card]]
    departments = [words.ACTIONS[k] for k in t.CARD_DEPARTMENTS[card, : t.CARD_NUM_DEPARTMENTS[card]].tolist()]
    cities = [words.CITIES[city] for city in t.CARD_CITIES[card, : t.CARD_NUM_CITIES[card]].tolist()]
    steps = f"{words.REGIONS[t.CARD_REGION[card]]}, {number_of(int(t.CARD_STEPS[card]), 'steps')}"
    column = words.COLUMNS[t.DONATION_COLUMN[t.CARD_DONATION[card]]]
    short = f"{column}: {words.SHORT_RULES[t.CARD_DONATION[card]]}"
    lines = [f"moves {number_of(int(t.CARD_SHIFT[card]), 'places')}",
             _short_departments(t.CARD_DEPARTMENTS[card, : t.CARD_NUM_DEPARTMENTS[card]].tolist()),
             ", ".join(cities), steps]  # fmt: skip
    pencil.text(10, 15, f"{t.CARDS[card]}  {short}", 11, bold=True)
    for row, line in enumerate(lines):
        pencil.raw(signs.at(17, 28 + 16.5 * row, signs.action(theme, row, 5)))
        if row == kind:
            pencil.circle(17, 28 + 16.5 * row, 8.2, "none", colours.ink, 1.2)
        pencil.text(32, 32 + 16.5 * row, letters.fitting(line, CARD - 36, 11), 11)
    title = f"Andrew's card of the round, {t.CARDS[card]}: {words.ACTIONS[kind]} best; donation {donation}; "
    title += f"human resources {lines[0]}; management takes {join(departments)}; construction in "
    return f"{title}{join(cities)}; R&D {steps}", pencil.shapes()


def _short_departments(kinds: list[int]) -> str:
    found = {kind: kinds.count(kind) for kind in kinds}
    return ", ".join(f"{number} {words.ACTIONS[kind]}" for kind, number in found.items())


@functools.lru_cache(512)
def _andrew_tiles(theme: str, tiles: tuple[tuple[int, int], ...], width: float) -> tuple[str, str]:
    pencil, colours = signs.sheet(theme), svg.theme(theme)
    number = sum(copies for _, copies in tiles)
    pencil.text(0, 12, f"{number_of(number, 'departments')} taken", 11, colours.faint)
    half = width / 2
    names = [words.SHORT_DEPARTMENTS[n] + (f" ×{copies}" if copies > 1 else "") for n, copies in tiles]
    for k, (name, (code, _)) in enumerate(zip(names, tiles, strict=True)):
        column, row = divmod(k, 9)
        if column < 2:
            pencil.raw(signs.at(column * half + 6, 26 + 14 * row, signs.action(theme, _TYPE[code], 4)))
            pencil.text(column * half + 15, 30 + 14 * row, letters.fitting(name, half - 15, 11), 11)
    whole = [words.DEPARTMENTS[n] + (f" {copies} times" if copies > 1 else "") for n, copies in tiles]
    return f"Andrew has taken {number_of(number, 'departments')}: {join(whole) or 'none'}", pencil.shapes()
