"""Checks between the values of the component tables; an error names the file, the table and the value.

The rules are written for the components in the shipped files. A user's edition may change their numbers, but not their
kinds (FIXED), and only as far as the rules support it: everything else is refused here.
"""

from __future__ import annotations

import msgspec

from carnegie_env.carnegie import codes, schema
from carnegie_env.carnegie.codes import ACTION_TYPES, DONATION_COLUMNS, LEVELS, PROJECTS, REGIONS
from carnegie_env.carnegie.schema import DIFFICULTIES, NEW_START_LINES, Facts, Gain
from carnegie_env.core.facts import keys, need, need_each, need_same, need_unique

MAX_BITS = 62  # members of a set, at most: sets are bit masks in an int64
MOST = 127  # of a number in an int8
COMPANY_LINE = 4  # rows and columns of the company board
BASE_TILES = 16
EMPLOYEES = 15
ROUNDS = codes.TIMELINE_ROWS * codes.TIMELINE_SPACES
CARDS = 40
OFFERS = 5  # on each line of the bid sheet
MOST_LINK_POINTS = 5  # the last row of [links], without the Post Office
MOST_RELOCATIONS = 7  # by HR Administration

# Values that must equal those of the shipped files, by file and table; of a dictionary, its keys.
FIXED: dict[str, dict[str, tuple[str, ...]]] = {
    "company": {"starting_department": ("id", "type", "effect")},
    "departments": {"department": ("number", "id", "type", "passive", "final", "effect")},
    "donations": {"donation": ("column", "row"), "new_donation": ("column", "row")},
    "timeline_tiles": {"tile": ("id",)},
}

# The additional value that a donation's count needs.
COUNT_NEEDS: dict[str, str] = {
    "department_type": "types",
    "project": "types",
    "region": "region",
    "pay": "pay",
    "company_column": "company_column",
    "company_row": "company_row",
    "donations_of_column": "of_column",
    "paid_workstations": "least_cost",
    "medium_cities": "city",
}


def check(facts: Facts, shipped: Facts) -> None:
    """Raise a ValueError that says what would be right if the rules can't play with these tables.

    Args:
        facts: the tables to check.
        shipped: the shipped tables.
    """
    for name, tables in FIXED.items():
        for table, fixed in tables.items():
            found, known = (getattr(getattr(edition, name), table) for edition in (facts, shipped))
            need_same(facts.sources[name], table, found, known, fixed)
    for part in (_check_board, _check_company, _check_departments, _check_donations, _check_andrew, _check_expansion):
        part(facts)


# ---------------------------------------------------------------- board.toml
def _check_board(facts: Facts) -> None:
    board, file = facts.board, facts.sources["board"]
    ids = [city.id for city in board.city]
    need_unique(file, "city", ids)
    need(1 <= len(ids) <= MAX_BITS, file, "city", len(ids), f"1 to {MAX_BITS} cities")
    for city in board.city:
        _check_city(file, city)
    links = sum(city.link_points for city in board.city)
    need(links <= MOST_LINK_POINTS, file, "city link_points", links,
         f"at most {MOST_LINK_POINTS} in all, the last row of [links]")  # fmt: skip
    for kind in PROJECTS:
        builds = sum(space in (kind, "any") for city in board.city for space in city.spaces)
        need(builds <= MAX_BITS, file, "city spaces", builds, f"at most {MAX_BITS} spaces that take {kind}")
    for edge in board.network.edges:
        for city_id in edge:
            need(city_id in ids, file, "network edges", city_id, "the id of a city of this file")
        need(edge[0] != edge[1], file, "network edges", edge, "two different cities")
    need_unique(file, "network edges", (tuple(sorted(edge)) for edge in board.network.edges))
    need_each(file, "track", [track.region for track in board.track], REGIONS)
    for track in board.track:
        _check_track(file, track)


def _check_city(file: str, city: schema.City) -> None:
    where, size = f"city {city.id}", len(city.spaces)
    need(all(0 <= v <= 1 for v in city.xy), file, f"{where} xy", city.xy, "two numbers from 0 to 1")
    need(size in (codes.SMALL, codes.MEDIUM, codes.LARGE), file, f"{where} spaces", city.spaces, "1, 3 or 5 spaces")
    need(
        (size == codes.SMALL) == ("any" in city.spaces),
        file,
        f"{where} spaces",
        city.spaces,
        '["any"], or 3 or 5 others',
    )
    equal = max(city.spaces.count(kind) for kind in city.spaces)
    need(equal <= 3, file, f"{where} spaces", city.spaces, "a list with at most 3 equal spaces")
    need(not city.link_points or size == codes.LARGE, file, f"{where} link_points", city.link_points,
         "left out: only a large city (5 spaces) has them")  # fmt: skip


def _check_track(file: str, track: schema.Track) -> None:
    where, codes = f"track {track.region}", [LEVELS.index(level) for level in track.level]
    need(codes == sorted(codes), file, f"{where} level", track.level, "never falling")
    _need_rule_pays(file, f"{where} first_reward", track.first_reward)


def _need_rule_pays(file: str, where: str, gain: Gain) -> None:
    """Only an income's choice pays employees, and only transport incomes pay research points."""
    need(not gain.research and not gain.employees, file, where, msgspec.to_builtins(gain),
         "of money, goods and vp: the rules pay nothing else there")  # fmt: skip


# ---------------------------------------------------------------- company.toml
def _check_company(facts: Facts) -> None:
    company, file = facts.company, facts.sources["company"]
    _check_company_board(file, company.board, company.starting_department)
    for department in company.starting_department:
        _check_starting_department(file, department)
    need_each(file, "tab", [tab.project for tab in company.tab], PROJECTS)
    for tab in company.tab:
        _check_tab(file, tab, getattr(facts.board.project, f"{tab.project}_goods"))
    on_tabs = sum(tab.blank_sections == 0 for tab in company.tab)
    _check_start(file, company.start, len(company.starting_department), on_tabs)
    seats = company.action_choice
    for key, chosen, players in (("three_players", seats.three_players, 3), ("four_players", seats.four_players, 4)):
        need_unique(file, f"action_choice {key}", chosen)
        right = all(seat < players for seat in chosen)
        need(right, file, f"action_choice {key}", chosen, f"seats from 0 to {players - 1}")


def _check_company_board(file: str, board: schema.CompanyBoard, departments: list[schema.StartingDepartment]) -> None:
    spaces = COMPANY_LINE * COMPANY_LINE
    need(board.rows == COMPANY_LINE, file, "board rows", board.rows, f"{COMPANY_LINE}: the board has {spaces} spaces")
    need(board.columns == COMPANY_LINE, file, "board columns", board.columns,
         f"{COMPANY_LINE}: the board has {spaces} spaces")  # fmt: skip
    need(len(board.row_points) == COMPANY_LINE, file, "board row_points", board.row_points, f"{COMPANY_LINE} numbers")
    cells = {"board lobby": board.lobby} | {f"starting_department {d.id} space": d.space for d in departments}
    for where, cell in cells.items():
        need(max(cell) < COMPANY_LINE, file, where, cell, f"[row, column], each 0 to {COMPANY_LINE - 1}")
    need_unique(file, "starting_department space", cells.values())


def _check_starting_department(file: str, department: schema.StartingDepartment) -> None:
    where = f"starting_department {department.id}"
    need(len(department.workstations) >= 1, file, f"{where} workstations", department.workstations, "one or more")
    right = department.type == "human_resources" or department.permanent_employees == 0
    need(right, file, f"{where} permanent_employees", department.permanent_employees,
         "left out: the rules know a permanent employee in human_resources only")  # fmt: skip


def _check_tab(file: str, tab: schema.Tab, goods: int) -> None:
    """Check a project tab; ``goods``: the cost of such a project in board.toml."""
    where = f"tab {tab.project}"
    need(tab.goods == goods, file, f"{where} goods", tab.goods, f"{goods}, as in board.toml")
    need(tab.blank_sections <= 1, file, f"{where} blank_sections", tab.blank_sections, "0 or 1")
    need(len(tab.income) == tab.project_sections, file, f"{where} income", len(tab.income),
         f"{tab.project_sections} entries, one for each project section")  # fmt: skip
    for section in tab.income:
        _need_rule_pays(file, f"{where} income", section)
        if section.choice:
            fixed = any((section.money, section.goods, section.vp, section.research, section.employees))
            right = not fixed and _is_offered(section.choice)
            need(right, file, f"{where} income", msgspec.to_builtins(section),
                 "a choice of two alone: { employees = 1 } or { goods = n }, then { money = n }")  # fmt: skip


def _is_offered(choice: list[Gain]) -> bool:
    """Whether the rules know the choice: an employee or money, or goods or money."""
    if len(choice) != 2:
        return False
    first, second = choice
    one_of_first = first == Gain(employees=1) or (first.goods > 0 and first == Gain(goods=first.goods))
    return one_of_first and second.money > 0 and second == Gain(money=second.money)


def _check_start(file: str, start: schema.Start, departments: int, tabs_with_a_disk: int) -> None:
    active = start.employees_active
    need(active == departments, file, "start employees_active", active, f"{departments}")
    reserve = start.disks - 1 - len(REGIONS) - tabs_with_a_disk  # one on the score track, one on each transport track
    need(start.disks_reserve == reserve, file, "start disks_reserve", start.disks_reserve, f"{reserve}")
    need(start.disks <= MAX_BITS, file, "start disks", start.disks, f"at most {MAX_BITS}")
    employees = active + start.employees_lobby + start.employees_reserve
    need(employees == EMPLOYEES, file, "start employees_*", employees, f"{EMPLOYEES} in all")
    need(start.rounds == ROUNDS, file, "start rounds", start.rounds, f"{ROUNDS}: four rows of five spaces")


# ---------------------------------------------------------------- departments.toml
def _check_departments(facts: Facts) -> None:
    departments, file = facts.departments, facts.sources["departments"]
    tiles = departments.tiles
    need(tiles.base == BASE_TILES, file, "tiles base", tiles.base, f"{BASE_TILES}")
    for kind in ACTION_TYPES:
        found = sum(d.type == kind for d in departments.department)
        need(found >= tiles.per_type, file, "department type", found, f"{tiles.per_type} or more of type {kind}")
    effects = {d.id: d.effect for d in departments.department}
    per = effects["safety_and_quality"]["per"]
    need(per >= 1, file, "department safety_and_quality effect", per, "a `per` of 1 or more")
    moved = effects["property_management"]["relocations"]
    need(moved == 1, file, "department property_management effect relocations", moved, "1, the rules can't vary it")
    moved, most = effects["hr_administration"]["relocations"], MOST_RELOCATIONS
    need(moved <= most, file, "department hr_administration effect relocations", moved, f"{most} or less")
    points, most = effects["post_office"]["link_points_max"], MOST_LINK_POINTS + 1
    need(points <= most, file, "department post_office effect", points, f"a `link_points_max` of {most} or less")
    need(tiles.copies <= MOST, file, "tiles copies", tiles.copies, f"{MOST} or less")
    different = min(tiles.base, tiles.per_type * len(ACTION_TYPES))
    fewest = min(different * tiles.copies, len(departments.department))  # in the diverse set-up one of each
    removed = facts.company.start.departments_removed
    for players, key in enumerate(keys(type(removed)), 1):  # each of them reserves a tile
        value, most = getattr(removed, key), fewest - players
        need(value <= most, facts.sources["company"], f"start departments_removed {key}", value, f"{most} or less")


# ---------------------------------------------------------------- donations.toml
def _check_donations(facts: Facts) -> None:
    tables = {"donation": facts.donations.donation, "new_donation": facts.donations.new_donation}
    need_unique(facts.sources["donations"], "donation id", (d.id for cells in tables.values() for d in cells))
    large = [city.id for city in facts.board.city if len(city.spaces) == codes.LARGE]
    for table, donations in tables.items():
        for d in donations:
            _check_donation(facts.sources["donations"], f"{table} {d.id}", d, large)


def _check_donation(file: str, where: str, d: schema.Donation, large_cities: list[str]) -> None:
    for key in COUNT_NEEDS.values():
        given, wanted = getattr(d, key) is not None, COUNT_NEEDS.get(d.count) == key
        need(given or not wanted, file, f"{where} {key}", None, f"given: the count {d.count!r} needs it")
        need(wanted or not given, file, f"{where} {key}", getattr(d, key), f"left out with the count {d.count!r}")
    if d.types is not None:
        known = ACTION_TYPES if d.count == "department_type" else PROJECTS
        need(bool(d.types) and set(d.types) <= set(known), file, f"{where} types", d.types, f"some of {known}")
    if d.city is not None:
        need(d.city in large_cities, file, f"{where} city", d.city, f"a large city: {', '.join(large_cities)}")
    if d.pay is not None:
        need(d.pay.money + d.pay.goods > 0, file, f"{where} pay", d.pay.money, "money or goods of 1 or more")
    if d.company_row is not None or d.company_column is not None:
        line = (d.company_row or 0) + (d.company_column or 0)
        need(line < COMPANY_LINE, file, where, line, f"a row or column from 0 to {COMPANY_LINE - 1}")


# ---------------------------------------------------------------- andrew_cards.toml
def _check_andrew(facts: Facts) -> None:
    cards, andrew, file = facts.andrew_cards.card, facts.andrew_cards.andrew, facts.sources["andrew_cards"]
    need_unique(file, "card id", (card.id for card in cards))
    disks = facts.company.start.disks
    need(andrew.disks <= disks, file, "andrew disks", andrew.disks, f"{disks} or less, as a player has")
    need(len(cards) == CARDS, file, "card", len(cards), f"{CARDS} cards")
    need(
        len(andrew.vp_row) == codes.VP_ROW_PLACES,
        file,
        "andrew vp_row",
        andrew.vp_row,
        f"{codes.VP_ROW_PLACES} numbers",
    )
    cities = {city.id for city in facts.board.city}
    donations = {d.id for d in facts.donations.donation}
    for card in cards:
        need(card.donation in donations, file, f"card {card.id} donation", card.donation, "the id of a donation")
        for city in card.cities:
            need(city in cities, file, f"card {card.id} cities", city, "the id of a city of board.toml")
    advanced = sum(card.advanced for card in cards)
    for key in DIFFICULTIES:
        value = getattr(andrew.difficulty, key)
        right = value <= advanced and 0 <= andrew.deck - value <= len(cards) - advanced
        need(right, file, f"andrew difficulty {key}", value, f"advanced cards that a deck of {andrew.deck} can have")
    rounds = facts.company.start.rounds
    need(andrew.deck >= rounds, file, "andrew deck", andrew.deck, f"a card for each of the {rounds} rounds")


# ---------------------------------------------------------------- expansion.toml
def _check_expansion(facts: Facts) -> None:
    sheet, file = facts.expansion.new_start, facts.sources["expansion"]
    start = facts.company.start
    most = start.employees_lobby + start.employees_reserve
    for key in NEW_START_LINES:
        offers = getattr(sheet, key)
        need(len(offers) == OFFERS, file, f"new_start {key}", len(offers), f"{OFFERS} offers")
        for offer in offers:
            right = key == "points" or (offer.amount >= 0 and (key != "employees" or offer.amount <= most))
            need(right, file, f"new_start {key} amount", offer.amount, "0 or more, employees within the reserve")
    cheapest = sum(min(offer.cost for offer in getattr(sheet, key)) for key in NEW_START_LINES)
    need(cheapest <= sheet.budget, file, "new_start budget", sheet.budget, f"{cheapest} or more, the cheapest offers")
    most = cheapest + MOST  # $ of a bid
    need(sheet.budget <= most, file, "new_start budget", sheet.budget, f"{most} or less, for a bid of {MOST} or less")
    panels = facts.expansion.new_donations.panels
    need(panels == DONATION_COLUMNS, file, "new_donations panels", panels, f"{', '.join(DONATION_COLUMNS)}")
