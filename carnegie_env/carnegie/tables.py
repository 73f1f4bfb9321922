"""The component tables: facts/*.toml loaded, checked and frozen into arrays.

The rules read every number of the game here (`CITY_POINTS[city]`, never a literal 3), or :func:`load_facts` refuses to
have it changed: what the rules can't vary never passes unseen. Only names, words and where a city is drawn are free.
Arrays are read-only, int64
unless said, and compiled into the rules as constants, so a changed table takes effect in the next process.

Names of things are codes: positions in REGIONS, ACTION_TYPES, PROJECTS, LEVELS, CITIES, DEPARTMENTS, DONATIONS, CARDS.
Sets of things are bit masks in an int64, which is why no set may have more than MAX_BITS members.

A user's own data: the environment variable CARNEGIE_ENV_FACTS names a folder (or one .toml file) whose files replace
the shipped files of the same name. It is read once, when this module is imported.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.arrays import IntTable

SHIPPED = Path(__file__).parent / "facts"
MAX_BITS = 62
LONGEST_MESSAGE = 400  # characters; what a file says can be as long as it likes

Region = Literal["west", "midwest", "east", "south"]
ActionType = Literal["human_resources", "management", "construction", "research"]
Project = Literal["housing", "commerce", "industry", "public"]
Level = Literal["wagon", "stagecoach", "railroad"]
Column = Literal["education", "human_rights", "welfare", "health"]
Event = Literal[Region, "donation"]
Mark = Literal["printed", "forced", "reconstructed"]
Count = Literal[
    "department_type", "departments", "project", "railroad_regions", "donations", "flat", "pay", "active_employees",
    "region", "small_cities", "best_department_type", "department_types", "company_column", "company_row",
    "donations_of_column", "best_project_type", "project_types", "donation_columns", "empty_spaces",
    "inactive_employees", "paid_workstations", "medium_cities",
]  # fmt: skip
EffectName = Literal[
    "money", "goods", "vp", "research", "employees", "moves", "up_to", "price", "per", "mission_money", "mission_goods",
    "goods_occupied", "goods_empty", "donation_step", "discount", "least", "relocations", "surcharge", "vp_lost",
    "link_points", "link_points_max", "levels_below",
]  # fmt: skip
REGIONS: tuple[str, ...] = get_args(Region)
ACTION_TYPES: tuple[str, ...] = get_args(ActionType)
PROJECTS: tuple[str, ...] = get_args(Project)
LEVELS: tuple[str, ...] = get_args(Level)
DONATION_COLUMNS: tuple[str, ...] = get_args(Column)
Number = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Id = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$")]
Cell = tuple[Number, Number]


# ---------------------------------------------------------------- the shape of the files
class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One table of a file; `marks` says which of its values are not printed."""

    marks: dict[str, Mark | list[Mark]] = {}


class Gain(Table, frozen=True):
    """What an income or a reward pays; every part 0 if left out."""

    money: Number = 0
    goods: Number = 0
    vp: Number = 0
    research: Number = 0
    employees: Number = 0


class City(Table, frozen=True):
    """A city of the board: its spaces from left to right, VP of a disk there, its bonus and link points."""

    id: Id
    xy: tuple[float, float]
    region: Region
    spaces: list[Literal[Project, "any"]]
    points: Number
    transport_bonus: bool
    link_points: Number = 0


class ProjectGoods(Table, frozen=True):
    """Goods paid to build a project, by type."""

    housing_goods: Number
    commerce_goods: Number
    industry_goods: Number
    public_goods: Number


class Network(Table, frozen=True):
    """The printed lines: pairs of city ids, undirected."""

    edges: list[tuple[str, str]]


class Track(Table, frozen=True):
    """A region's transport track: cost to leave each space, income and level of each, reward at the end."""

    region: Region
    cost: tuple[Positive, Positive, Positive, Positive]
    income: tuple[Gain, Gain, Gain, Gain, Gain]
    level: tuple[Level, Level, Level, Level, Level]
    first_reward: Gain


class LinkRow(Table, frozen=True):
    """VP of a network by the lowest level of its regions."""

    wagon: Number
    stagecoach: Number
    railroad: Number


class Links(Table, frozen=True):
    """VP of networks by link points; more than 5 count as 5."""

    points_2: LinkRow
    points_3: LinkRow
    points_4: LinkRow
    points_5: LinkRow


class Board(Table, frozen=True):
    """board.toml: the main board."""

    project: ProjectGoods
    city: list[City]
    network: Network
    track: list[Track]
    links: Links


class CompanyBoard(Table, frozen=True):
    """The company board: 4 x 4 spaces, VP of a department by row, the printed lobby's [row, column]."""

    rows: Positive
    columns: Positive
    row_points: list[Number]
    lobby: Cell


class StartingDepartment(Table, frozen=True):
    """A printed department: its space [row, column], activation costs in $, numbers of its rule."""

    id: Id
    type: ActionType
    space: Cell
    workstations: Annotated[list[Number], msgspec.Meta(max_length=4)]
    permanent_employees: Number = 0
    effect: dict[EffectName, Number] = {}


class Section(Gain, frozen=True):
    """The income of a project section: fixed gains, or a choice of two."""

    choice: list[Gain] = []


class Tab(Table, frozen=True):
    """A project tab: goods to build, points to advance it, its sections, the VP of its two sides."""

    project: Project
    goods: Number
    step_cost: Positive
    blank_sections: Number
    project_sections: Annotated[int, msgspec.Meta(ge=1, le=4)]
    income: list[Section]
    side_a_points: tuple[Number, Number, Number]
    side_b_points: tuple[Number, Number, Number]
    side_b_donation_limit: Number


class ByPlayers(Table, frozen=True):
    """A number for each number of players."""

    one_player: Number
    two_players: Number
    three_players: Number
    four_players: Number


class EndTile(Table, frozen=True):
    """The End tile: the region of the fifth space of each row."""

    human_resources: Region
    management: Region
    construction: Region
    research: Region


class Start(Table, frozen=True):
    """Where a game begins: pieces of a company, set-up, rounds."""

    money: Number
    goods: Number
    employees_active: Number
    employees_lobby: Number
    employees_reserve: Number
    disks: Number
    disks_reserve: Number
    setup_moves: Number
    neutral_disks: ByPlayers
    departments_removed: ByPlayers
    rounds: Positive
    end_tile: EndTile


class ActionChoice(Table, frozen=True):
    """The seats with an Action Choice tile, counted clockwise from the first player."""

    three_players: list[Number]
    four_players: list[Number]


class Scoring(Table, frozen=True):
    """VP that no component shows."""

    unused_action_choice: Number
    active_employee: Number


class Company(Table, frozen=True):
    """company.toml: the company board, the tabs, the start."""

    board: CompanyBoard
    starting_department: list[StartingDepartment]
    tab: list[Tab]
    start: Start
    action_choice: ActionChoice
    scoring: Scoring


class Tiles(Table, frozen=True):
    """How many department tiles there are."""

    copies: Positive
    base: Positive
    per_type: Positive


class Department(Table, frozen=True):
    """A department tile: activation costs in $, goods on top of its price, numbers of its rule."""

    number: Positive
    id: Id
    type: ActionType
    workstations: Annotated[list[Number], msgspec.Meta(max_length=4)]
    extra_goods: Number = 0
    passive: bool = False
    final: bool = False
    effect: dict[EffectName, Number] = {}


class Departments(Table, frozen=True):
    """departments.toml: the 32 tiles, by number."""

    tiles: Tiles
    department: list[Department]


class Pay(Table, frozen=True):
    """A payment at final scoring, up to so many times."""

    times: Positive
    money: Number = 0
    goods: Number = 0


class Donation(Table, frozen=True):
    """A cell of the donation table or of a tile over it: what is counted, VP for each; see COUNT_NEEDS."""

    id: Id
    column: Column
    row: Positive
    rule: str
    count: Count
    vp: Number
    types: list[str] | None = None
    region: Region | None = None
    city: str | None = None
    company_row: Number | None = None
    company_column: Number | None = None
    of_column: Column | None = None
    least_cost: Number | None = None
    pay: Pay | None = None


class DonationRules(Table, frozen=True):
    """VP that a donation scores at most, $ by which the next one costs more."""

    limit: Number
    cost_step: Number


class Donations(Table, frozen=True):
    """donations.toml: the cells of the table, and those of expansion 1's tiles."""

    rules: DonationRules
    donation: list[Donation]
    new_donation: list[Donation]


class Difficulty(Table, frozen=True):
    """Advanced cards in Andrew's deck."""

    beginner: Number
    normal: Number
    difficult: Number
    expert: Number


class Andrew(Table, frozen=True):
    """Andrew's numbers: the VP row, his disks, what he scores, his deck."""

    vp_row: list[Number]
    disks: Number
    department_vp: Number
    track_vp: Number
    donation_limit: Number
    deck: Positive
    difficulty: Difficulty


class Steps(Table, frozen=True):
    """A region's marker, and how far it goes."""

    region: Region
    steps: Number


class Card(Table, frozen=True):
    """A card of Andrew's: its back, and what he does for each action and for a donation event."""

    id: str
    advanced: bool
    back: ActionType
    donation: str
    shift: Number
    departments: Annotated[list[ActionType], msgspec.Meta(min_length=1, max_length=3)]
    cities: Annotated[list[str], msgspec.Meta(min_length=1, max_length=4)]
    transport: Steps


class AndrewCards(Table, frozen=True):
    """andrew_cards.toml: Andrew and his 40 cards."""

    andrew: Andrew
    card: list[Card]


class TimelineTile(Table, frozen=True):
    """A timeline tile: the four events of each side, from left to right (ruling 7)."""

    id: Positive
    front: tuple[Event, Event, Event, Event]
    back: tuple[Event, Event, Event, Event]


class Timeline(Table, frozen=True):
    """timeline_tiles.toml: the eight tiles."""

    tile: list[TimelineTile]


class SoloModules(Table, frozen=True):
    """Which modules go with the solo game."""

    new_start: bool
    new_departments: bool
    new_donations: bool
    diverse_setup: bool
    wait: bool
    secret_donation: bool


class Offer(Table, frozen=True):
    """An entry of the bid sheet: what it gives, and its price in $."""

    amount: Annotated[int, msgspec.Meta(ge=-100, le=100)]
    cost: Annotated[int, msgspec.Meta(ge=-100, le=100)]


class NewStart(Table, frozen=True):
    """The bid sheet: the budget and the offers of its lines."""

    budget: Number
    goods: list[Offer]
    employees: list[Offer]
    points: list[Offer]
    moves: list[Offer]


class NewDonations(Table, frozen=True):
    """The columns that expansion 1's donation tiles belong to."""

    panels: tuple[Column, Column, Column, Column]


class Expansion(Table, frozen=True):
    """expansion.toml: what the modules of expansion 1 need."""

    solo: SoloModules
    new_start: NewStart
    new_donations: NewDonations


class Facts(msgspec.Struct, frozen=True):
    """All tables. `sources` says which file each came from, for messages."""

    board: Board
    company: Company
    departments: Departments
    donations: Donations
    andrew_cards: AndrewCards
    timeline_tiles: Timeline
    expansion: Expansion
    sources: dict[str, str]


FILES: dict[str, type[Table]] = {
    "board": Board,
    "company": Company,
    "departments": Departments,
    "donations": Donations,
    "andrew_cards": AndrewCards,
    "timeline_tiles": Timeline,
    "expansion": Expansion,
}
OTHER_GAMES = ("steel_driver.toml",)  # a folder of facts may serve several games

# The rules are written for these things: a user may change their numbers, not what they are. By file and table, what
# must be as in the shipped file.
FIXED: dict[str, dict[str, tuple[str, ...]]] = {
    "company": {"starting_department": ("id", "type")},
    "departments": {"department": ("number", "id", "type", "passive", "final")},
    "donations": {"donation": ("column", "row"), "new_donation": ("column", "row")},
    "timeline_tiles": {"tile": ("id",)},
}

# What a donation's count needs beside it.
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


# ---------------------------------------------------------------- loading
def load_facts(path: str | os.PathLike[str] | None = None) -> Facts:
    """Load and check all tables.

    path: a folder, or one .toml file, that replaces the shipped files of the same name; None for the shipped files.
    Raises ValueError naming the file, the table and the value, and what would be right.
    """
    sources = {name: SHIPPED / f"{name}.toml" for name in FILES}
    for file in _user_files(path):
        sources[file.stem] = file
    tables = {name: _load_file(source, FILES[name]) for name, source in sources.items()}
    facts = Facts(**tables, sources={name: str(source) for name, source in sources.items()})  # type: ignore[arg-type]
    for check in (_check_board, _check_company, _check_departments, _check_donations, _check_andrew, _check_rest):
        check(facts)
    return facts


def _user_files(path: str | os.PathLike[str] | None) -> list[Path]:
    if path is None:
        return []
    given = Path(path)
    if given.is_dir():
        files = sorted(given.glob("*.toml"))
    elif given.is_file():
        files = [given]
    else:
        raise ValueError(f"{given}: no such folder or file of facts")
    files = [file for file in files if file.name not in OTHER_GAMES]
    for file in files:
        if file.suffix != ".toml" or file.stem not in FILES:
            raise ValueError(f"{file}: not a file of facts; their names are {', '.join(f'{n}.toml' for n in FILES)}")
    if not files:
        raise ValueError(f"{given}: holds no file of facts; their names are {', '.join(f'{n}.toml' for n in FILES)}")
    return files


def _load_file(file: Path, shape: type[Table]) -> Table:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:  # e.g. a folder of that name
        raise _wrong(file, f"cannot be read: {error.strerror}") from None
    except ValueError as error:  # of the encoding, of TOML, of a number too long for Python
        raise _wrong(file, f"not valid TOML: {error}") from None
    try:
        table = msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at ")
        raise _wrong(file, f"{_describe(data, where.strip('`'))}: {message}") from None
    for label, part in _walk(table):
        _check_marks(file, label, part)
    return table


def _describe(data: Any, where: str) -> str:
    """Words for a place such as $.city[3].points: the tables on the way with their ids, and the value found."""
    words: list[str] = []
    for step in re.findall(r"\.(\w+)|\[(\d+)\]", where):
        key = step[0] or int(step[1])
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            words.append(f"{key}")
            break
        label = _id_of(data) if isinstance(data, dict) else None
        words.append(label or (step[0] or f"[{key}]"))
    value = "" if isinstance(data, (dict, list)) else f" = {data!r}"
    return (" ".join(words) or "the top of the file") + value


def _id_of(table: dict[str, Any]) -> str | None:
    for key in ("id", "region", "project"):
        if isinstance(table.get(key), (str, int)):
            return str(table[key])
    return None


def _walk(table: Table, label: str = "") -> Iterator[tuple[str, Table]]:
    """Every table within a table, with its name, outermost first."""
    yield label, table
    for name in table.__struct_fields__:
        value = getattr(table, name)
        for part in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(part, Table):
                own = {key: getattr(part, key, None) for key in ("id", "region", "project")}
                yield from _walk(part, " ".join(filter(None, (label, name, _id_of(own)))))


def _check_marks(file: Path, label: str, table: Table) -> None:
    for key, mark in table.marks.items():
        _need(key in table.__struct_fields__, file, f"{label} marks", key, "a key of that table")
        if isinstance(mark, list):
            value = getattr(table, key)
            right = isinstance(value, (list, tuple)) and len(value) == len(mark)
            _need(right, file, f"{label} marks.{key}", mark, "one mark for each entry of the list")


def unprinted(facts: Facts) -> list[tuple[str, str, str, Any, str]]:
    """All values that are not printed, as (file, table, key, value, mark)."""
    rows: list[tuple[str, str, str, Any, str]] = []
    for name in FILES:
        for label, table in _walk(getattr(facts, name)):
            for key, mark in table.marks.items():
                value = msgspec.to_builtins(getattr(table, key))
                if isinstance(mark, str):
                    rows.append((f"{name}.toml", label, key, _without_marks(value), mark))
                else:
                    rows += [
                        (f"{name}.toml", label, f"{key}[{i}]", _without_marks(value[i]), m) for i, m in enumerate(mark)
                    ]
    return [row for row in rows if row[4] != "printed"]


def _without_marks(value: Any) -> Any:
    """A value as the file has it: no empty marks, no default zeros of a gain."""
    if isinstance(value, dict):
        return {k: _without_marks(v) for k, v in value.items() if k != "marks" and v not in (0, [])}
    if isinstance(value, (list, tuple)):
        return [_without_marks(v) for v in value]
    return value


# ---------------------------------------------------------------- checks across tables
def _wrong(file: str | Path, text: str) -> ValueError:
    """The error that names a file; of a long text the start and the end."""
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 2 :]}"
    return ValueError(f"{file}: {text}")


def _need(right: bool, file: str | Path, table: str, value: object, what: str) -> None:
    if not right:
        raise _wrong(file, f"{table}: {value!r} is wrong; it must be {what}")


def _need_unique(file: str, table: str, names: Iterable[object]) -> None:
    seen: set[object] = set()
    for name in names:
        _need(name not in seen, file, table, name, "there only once")
        seen.add(name)


def _need_all(file: str, table: str, names: Sequence[str], wanted: Sequence[str]) -> None:
    _need(sorted(names) == sorted(wanted), file, table, list(names), f"each of {', '.join(wanted)} once")


def _check_board(facts: Facts) -> None:
    board, file = facts.board, facts.sources["board"]
    ids = [city.id for city in board.city]
    _need_unique(file, "city", ids)
    _need(1 <= len(ids) <= MAX_BITS, file, "city", len(ids), f"1 to {MAX_BITS} cities")
    for city in board.city:
        where = f"city {city.id}"
        _need(all(0 <= v <= 1 for v in city.xy), file, f"{where} xy", city.xy, "two numbers from 0 to 1")
        _need(len(city.spaces) in (1, 3, 5), file, f"{where} spaces", city.spaces, "1, 3 or 5 spaces")
        small = len(city.spaces) == 1
        _need(small == ("any" in city.spaces), file, f"{where} spaces", city.spaces, '["any"], or 3 or 5 others')
        equal = max(city.spaces.count(kind) for kind in city.spaces)
        _need(equal <= 3, file, f"{where} spaces", city.spaces, "a list with at most 3 equal spaces")
        _need(not city.link_points or len(city.spaces) == 5, file, f"{where} link_points", city.link_points,
              "left out: only a large city (5 spaces) has them")  # fmt: skip
    links = sum(city.link_points for city in board.city)
    _need(links <= 5, file, "city link_points", links, "at most 5 in all, the last row of [links]")
    for kind in PROJECTS:
        builds = sum(space in (kind, "any") for city in board.city for space in city.spaces)
        _need(builds <= MAX_BITS, file, "city spaces", builds, f"at most {MAX_BITS} spaces that take {kind}")
    for edge in board.network.edges:
        for city_id in edge:
            _need(city_id in ids, file, "network edges", city_id, "the id of a city of this file")
        _need(edge[0] != edge[1], file, "network edges", edge, "two different cities")
    _need_unique(file, "network edges", (tuple(sorted(edge)) for edge in board.network.edges))
    _need_all(file, "track", [track.region for track in board.track], REGIONS)
    for track in board.track:
        codes = [LEVELS.index(level) for level in track.level]
        _need(codes == sorted(codes), file, f"track {track.region} level", track.level, "never falling")
        reward = track.first_reward
        _need(not reward.research and not reward.employees, file, f"track {track.region} first_reward",
              msgspec.to_builtins(reward), "of money, goods and vp: the rules pay nothing else there")  # fmt: skip


def _check_company(facts: Facts) -> None:
    company, file = facts.company, facts.sources["company"]
    board = company.board
    _need(board.rows == 4, file, "board rows", board.rows, "4: the board has 16 spaces")
    _need(board.columns == 4, file, "board columns", board.columns, "4: the board has 16 spaces")
    _need(len(board.row_points) == 4, file, "board row_points", board.row_points, "4 numbers")
    _check_fixed(facts, "company")
    for where, space in [("board lobby", board.lobby)] + [
        (f"starting_department {d.id} space", d.space) for d in company.starting_department
    ]:
        _need(max(space) < 4, file, where, space, "[row, column], each 0 to 3")
    _need_unique(file, "starting_department space", [board.lobby, *(d.space for d in company.starting_department)])
    _check_effects(facts, "company", "starting_department", company.starting_department)
    _check_tabs(facts)
    start = company.start
    active = len(company.starting_department)
    _need(start.employees_active == active, file, "start employees_active", start.employees_active, f"{active}")
    for d in company.starting_department:
        _need(len(d.workstations) >= 1, file, f"starting_department {d.id} workstations", d.workstations, "one or more")
        _need(d.type == "human_resources" or d.permanent_employees == 0, file,
              f"starting_department {d.id} permanent_employees", d.permanent_employees,
              "left out: the rules know a permanent employee in human_resources only")  # fmt: skip
    on_tabs = sum(tab.blank_sections == 0 for tab in company.tab)
    reserve = start.disks - 1 - len(REGIONS) - on_tabs
    _need(start.disks_reserve == reserve, file, "start disks_reserve", start.disks_reserve, f"{reserve}")
    _need(start.disks <= MAX_BITS, file, "start disks", start.disks, f"at most {MAX_BITS}")
    employees = start.employees_active + start.employees_lobby + start.employees_reserve
    _need(employees == 15, file, "start employees_*", employees, "15 in all")
    _need(start.rounds == 20, file, "start rounds", start.rounds, "20: four rows of five spaces")
    for key, seats, players in (
        ("three_players", company.action_choice.three_players, 3),
        ("four_players", company.action_choice.four_players, 4),
    ):
        _need_unique(file, f"action_choice {key}", seats)
        _need(all(s < players for s in seats), file, f"action_choice {key}", seats, f"seats from 0 to {players - 1}")


def _check_tabs(facts: Facts) -> None:
    company, file = facts.company, facts.sources["company"]
    _need_all(file, "tab", [tab.project for tab in company.tab], PROJECTS)
    for tab in company.tab:
        where = f"tab {tab.project}"
        on_board = getattr(facts.board.project, f"{tab.project}_goods")
        _need(tab.goods == on_board, file, f"{where} goods", tab.goods, f"{on_board}, as in board.toml")
        _need(tab.blank_sections <= 1, file, f"{where} blank_sections", tab.blank_sections, "0 or 1")
        _need(len(tab.income) == tab.project_sections, file, f"{where} income", len(tab.income),
              f"{tab.project_sections} entries, one for each project section")  # fmt: skip
        for section in tab.income:
            _need(not section.research and not section.employees, file, f"{where} income",
                  msgspec.to_builtins(section), "of money, goods and vp: the rules pay nothing else there")  # fmt: skip
            if section.choice:
                fixed = any((section.money, section.goods, section.vp, section.research, section.employees))
                _need(not fixed and _choice_code(section) > 0, file, f"{where} income", msgspec.to_builtins(section),
                      "a choice of two alone: { employees = 1 } or { goods = n }, then { money = n }")  # fmt: skip


def _choice_code(section: Section) -> int:
    """0 none, 1 employee or money, 2 goods or money, -1 anything else."""
    if not section.choice:
        return 0
    if len(section.choice) != 2:
        return -1
    first, second = section.choice
    if second != Gain(money=second.money) or not second.money:
        return -1
    if first == Gain(employees=1):
        return 1
    return 2 if first.goods and first == Gain(goods=first.goods) else -1


def _check_fixed(facts: Facts, name: str) -> None:
    """The things of a file are those that the rules know, see FIXED."""
    if facts.sources[name] == str(SHIPPED / f"{name}.toml"):
        return
    shipped = _load_file(SHIPPED / f"{name}.toml", FILES[name])
    for table, keys in FIXED[name].items():
        things, known = getattr(getattr(facts, name), table), getattr(shipped, table)
        _need(len(things) == len(known), facts.sources[name], table, len(things), f"{len(known)} of them")
        for place, (thing, right) in enumerate(zip(things, known, strict=True)):
            for key in keys:
                value, wanted = getattr(thing, key), getattr(right, key)
                where = f"{table} {getattr(thing, 'id', place + 1)} {key}"
                _need(value == wanted, facts.sources[name], where, value, f"{wanted!r}, the rules can't vary it")


def _check_effects(facts: Facts, name: str, table: str, departments: Sequence[StartingDepartment | Department]) -> None:
    """The rules use just the numbers that the shipped file has."""
    if facts.sources[name] == str(SHIPPED / f"{name}.toml"):
        return
    data = tomllib.loads((SHIPPED / f"{name}.toml").read_text(encoding="utf-8"))
    for department, shipped in zip(departments, data[table], strict=True):
        wanted = sorted(shipped.get("effect", {}))
        found = sorted(department.effect)
        where = f"{table} {department.id} effect"
        _need(found == wanted, facts.sources[name], where, found, f"given with {', '.join(wanted) or 'no number'}")


def _check_departments(facts: Facts) -> None:
    departments, file = facts.departments, facts.sources["departments"]
    _check_fixed(facts, "departments")
    _need(departments.tiles.base == 16, file, "tiles base", departments.tiles.base, "16")
    for kind in ACTION_TYPES:
        found = sum(d.type == kind for d in departments.department)
        _need(found >= departments.tiles.per_type, file, "department type", found,
              f"{departments.tiles.per_type} or more of type {kind}")  # fmt: skip
    _check_effects(facts, "departments", "department", departments.department)
    effects = {d.id: d.effect for d in departments.department}
    per = effects["safety_and_quality"]["per"]
    _need(per >= 1, file, "department safety_and_quality effect", per, "a `per` of 1 or more")
    moved = effects["property_management"]["relocations"]
    _need(moved == 1, file, "department property_management effect relocations", moved, "1, the rules can't vary it")
    moved = effects["hr_administration"]["relocations"]
    _need(moved <= 7, file, "department hr_administration effect relocations", moved, "7 or less")
    most = effects["post_office"]["link_points_max"]
    _need(most <= 6, file, "department post_office effect", most, "a `link_points_max` of 6 or less")
    tiles = departments.tiles.base * departments.tiles.copies
    removed = facts.company.start.departments_removed
    for key in ("one_player", "two_players", "three_players", "four_players"):
        value = getattr(removed, key)
        _need(value < tiles, facts.sources["company"], f"start departments_removed {key}", value, f"less than {tiles}")


def _check_donations(facts: Facts) -> None:
    file = facts.sources["donations"]
    _need_unique(file, "donation id", (d.id for d in (*facts.donations.donation, *facts.donations.new_donation)))
    _check_fixed(facts, "donations")
    for name, donations in (("donation", facts.donations.donation), ("new_donation", facts.donations.new_donation)):
        for d in donations:
            _check_donation(facts, f"{name} {d.id}", d)


def _check_donation(facts: Facts, where: str, d: Donation) -> None:
    file = facts.sources["donations"]
    for key in set(COUNT_NEEDS.values()):
        given, wanted = getattr(d, key) is not None, COUNT_NEEDS.get(d.count) == key
        _need(given or not wanted, file, f"{where} {key}", None, f"given: the count {d.count!r} needs it")
        _need(wanted or not given, file, f"{where} {key}", getattr(d, key), f"left out with the count {d.count!r}")
    if d.types is not None:
        known = ACTION_TYPES if d.count == "department_type" else PROJECTS
        _need(bool(d.types) and set(d.types) <= set(known), file, f"{where} types", d.types, f"some of {known}")
    if d.city is not None:
        large = [city.id for city in facts.board.city if len(city.spaces) == 5]
        _need(d.city in large, file, f"{where} city", d.city, f"a large city: {', '.join(large)}")
    if d.pay is not None:
        _need(d.pay.money + d.pay.goods > 0, file, f"{where} pay", d.pay.money, "money or goods of 1 or more")
    if d.company_row is not None or d.company_column is not None:
        line = (d.company_row or 0) + (d.company_column or 0)
        _need(line < 4, file, where, line, "a row or column from 0 to 3")


def _check_andrew(facts: Facts) -> None:
    cards, andrew, file = facts.andrew_cards.card, facts.andrew_cards.andrew, facts.sources["andrew_cards"]
    _need_unique(file, "card id", (card.id for card in cards))
    _need(len(cards) == 40, file, "card", len(cards), "40 cards")
    _need(len(andrew.vp_row) == 5, file, "andrew vp_row", andrew.vp_row, "5 numbers")
    cities = {city.id for city in facts.board.city}
    donations = {d.id for d in facts.donations.donation}
    for card in cards:
        _need(card.donation in donations, file, f"card {card.id} donation", card.donation, "the id of a donation")
        for city in card.cities:
            _need(city in cities, file, f"card {card.id} cities", city, "the id of a city of board.toml")
    advanced = sum(card.advanced for card in cards)
    for key in DIFFICULTIES:
        value = getattr(andrew.difficulty, key)
        right = value <= advanced and 0 <= andrew.deck - value <= len(cards) - advanced
        _need(right, file, f"andrew difficulty {key}", value, f"advanced cards that a deck of {andrew.deck} can have")
    rounds = facts.company.start.rounds
    _need(andrew.deck >= rounds, file, "andrew deck", andrew.deck, f"a card for each of the {rounds} rounds")


def _check_rest(facts: Facts) -> None:
    _check_fixed(facts, "timeline_tiles")
    sheet, file = facts.expansion.new_start, facts.sources["expansion"]
    start = facts.company.start
    most = start.employees_lobby + start.employees_reserve
    for key in NEW_START_LINES:
        offers = getattr(sheet, key)
        _need(len(offers) == 5, file, f"new_start {key}", len(offers), "5 offers")
        for offer in offers:
            right = key == "points" or (offer.amount >= 0 and (key != "employees" or offer.amount <= most))
            _need(right, file, f"new_start {key} amount", offer.amount, "0 or more, employees within the reserve")
    cheapest = sum(min(offer.cost for offer in getattr(sheet, key)) for key in NEW_START_LINES)
    _need(cheapest <= sheet.budget, file, "new_start budget", sheet.budget, f"{cheapest} or more, the cheapest offers")
    panels = facts.expansion.new_donations.panels
    _need(panels == DONATION_COLUMNS, file, "new_donations panels", panels, f"{', '.join(DONATION_COLUMNS)}")


DIFFICULTIES = ("beginner", "normal", "difficult", "expert")
NEW_START_LINES = ("goods", "employees", "points", "moves")

FACTS = load_facts(os.environ.get("CARNEGIE_ENV_FACTS") or None)


# ---------------------------------------------------------------- freezing
def _frozen(values: Any, dtype: type = np.int64) -> IntTable:
    array: NDArray[Any] = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return cast(IntTable, array)


def _padded(rows: Iterable[Sequence[int]], width: int, fill: int = 0) -> IntTable:
    return _frozen([list(row) + [fill] * (width - len(row)) for row in rows])


def _mask(members: Iterable[int]) -> int:
    return sum(1 << member for member in set(members))


MONEY, GOODS, VP, RESEARCH, EMPLOYEES_COLUMN = range(5)  # the columns of every table of gains
GAINS = ("money", "goods", "vp", "research", "employees")


def _gains(gain: Gain) -> list[int]:
    return [getattr(gain, name) for name in GAINS]


# ---------------------------------------------------------------- how many there are of each: what loops run over
NUM_REGIONS = len(REGIONS)
NUM_ACTION_TYPES = len(ACTION_TYPES)  # of actions, departments and rows of the timeline
NUM_PROJECT_TYPES = len(PROJECTS)  # of projects, construction spaces (but ANY) and project tabs
NUM_LEVELS = len(LEVELS)
NUM_DONATION_COLUMNS = len(DONATION_COLUMNS)
SEATS = 4  # of players, whether in play or not
TAB_SECTIONS = 4  # project sections of a tab, at most: columns of TAB_INCOME and TAB_CHOICE
TAB_SIDES = 2
TIMELINE_ROWS = NUM_ACTION_TYPES
TIMELINE_SPACES = 5  # of a row of the timeline, the End tile's included
END_SPACE = TIMELINE_SPACES - 1  # of a row: the End tile's
TIMELINE_TILES_DEALT = 4
TILE_EVENTS = 4  # events of a side of a timeline tile
PANEL_ROWS = 5  # of the donation table, and of a tile that covers one of its columns

# ---------------------------------------------------------------- cities and construction spaces
_CITIES = FACTS.board.city
CITIES = tuple(city.id for city in _CITIES)
NUM_CITIES = len(CITIES)
CITY_REGION = _frozen([REGIONS.index(city.region) for city in _CITIES])
CITY_POINTS = _frozen([city.points for city in _CITIES])
CITY_SMALL = _frozen([len(city.spaces) == 1 for city in _CITIES])
CITY_MEDIUM = _frozen([len(city.spaces) == 3 for city in _CITIES])
CITY_BONUS = _frozen([city.transport_bonus for city in _CITIES])
CITY_LINK_POINTS = _frozen([city.link_points for city in _CITIES])
CITY_FIRST_SPACE = _frozen(np.cumsum([0] + [len(city.spaces) for city in _CITIES]))
CITY_ADJACENT = _frozen(
    [_mask(CITIES.index(b if a == c else a) for a, b in FACTS.board.network.edges if c in (a, b)) for c in CITIES]
)

ANY = 4  # the type of a small city's space
NUM_SPACES = int(CITY_FIRST_SPACE[-1])
SPACE_CITY = _frozen([c for c, city in enumerate(_CITIES) for _ in city.spaces])
SPACE_TYPE = _frozen([(*PROJECTS, "any").index(space) for city in _CITIES for space in city.spaces])

# Builds: every project type with every space that takes it, by type, then by space.
_BUILDS = [(t, s) for t in range(4) for s in range(NUM_SPACES) if SPACE_TYPE[s] in (t, ANY)]
NUM_BUILDS = len(_BUILDS)
BUILD_START = _frozen([sum(t < kind for t, _ in _BUILDS) for kind in range(5)])
_BUILD_CODE = {pair: build for build, pair in enumerate(_BUILDS)}
SPACE_BUILD = _frozen([[_BUILD_CODE.get((t, s), -1) for t in range(4)] for s in range(NUM_SPACES)])
_EQUAL_TO_LAST = [  # a build whose space equals the one before it: same type, same city
    b > 0 and _BUILDS[b - 1][0] == t and SPACE_CITY[_BUILDS[b - 1][1]] == SPACE_CITY[s]
    for b, (t, s) in enumerate(_BUILDS)
]  # fmt: skip
# Bit j of type t: build BUILD_START[t] + j has an equal space in its city, which is the build after it.
BUILD_HAS_NEXT = _frozen(
    [_mask(b - 1 - int(BUILD_START[t]) for b in range(NUM_BUILDS) if _BUILDS[b][0] == t and _EQUAL_TO_LAST[b])
     for t in range(4)]
)  # fmt: skip
BUILD_SMALL_MASK = _frozen(
    [_mask(b - int(BUILD_START[t]) for b, (kind, s) in enumerate(_BUILDS) if kind == t and SPACE_TYPE[s] == ANY)
     for t in range(4)]
)  # fmt: skip


# Mismatches (expansion 1, Political Lobbying): every project type with every space of another type; of one type and
# city equal spaces follow each other. As builds they are numbered after the others.
_MISMATCHES = sorted(
    ((t, s) for t in range(4) for s in range(NUM_SPACES) if SPACE_TYPE[s] not in (t, ANY)),
    key=lambda pair: (pair[0], SPACE_CITY[pair[1]], SPACE_TYPE[pair[1]], pair[1]),
)
NUM_MISMATCHES = len(_MISMATCHES)
MISMATCH_START = _frozen([sum(t < kind for t, _ in _MISMATCHES) for kind in range(5)])
_MISMATCH_CODE = {pair: j for j, pair in enumerate(_MISMATCHES)}
SPACE_MISMATCH = _frozen([[_MISMATCH_CODE.get((t, s), -1) for t in range(4)] for s in range(NUM_SPACES)])
_MISMATCH_EQUAL_TO_LAST = [
    j > 0 and _MISMATCHES[j - 1][0] == t
    and (SPACE_CITY[_MISMATCHES[j - 1][1]], SPACE_TYPE[_MISMATCHES[j - 1][1]]) == (SPACE_CITY[s], SPACE_TYPE[s])
    for j, (t, s) in enumerate(_MISMATCHES)
]  # fmt: skip
MISMATCH_HAS_NEXT = _frozen(
    [_mask(j - 1 - int(MISMATCH_START[t]) for j, (kind, _) in enumerate(_MISMATCHES)
           if kind == t and _MISMATCH_EQUAL_TO_LAST[j])
     for t in range(4)]
)  # fmt: skip
BUILD_TYPE = _frozen([t for t, _ in _BUILDS + _MISMATCHES])
BUILD_SPACE = _frozen([s for _, s in _BUILDS + _MISMATCHES])


def _build_text(build: int) -> str:
    kind, space = int(BUILD_TYPE[build]), int(BUILD_SPACE[build])
    city = int(SPACE_CITY[space])
    text = f"build {PROJECTS[kind]} in {CITIES[city]}"
    if build >= NUM_BUILDS:
        text += f" on {PROJECTS[SPACE_TYPE[space]]}"
    equal_to_last = [*_EQUAL_TO_LAST, *_MISMATCH_EQUAL_TO_LAST][build]
    return f"{text} space {space - CITY_FIRST_SPACE[city] + 1}" if equal_to_last else text


BUILD_TEXT = tuple(_build_text(build) for build in range(NUM_BUILDS))
MISMATCH_TEXT = tuple(_build_text(NUM_BUILDS + j) for j in range(NUM_MISMATCHES))
PROJECT_GOODS = _frozen([getattr(FACTS.board.project, f"{name}_goods") for name in PROJECTS])

# ---------------------------------------------------------------- transport tracks and links
_TRACKS = sorted(FACTS.board.track, key=lambda track: REGIONS.index(track.region))
TRACK_SPACES = 5
LEVEL_RAILROAD = LEVELS.index("railroad")
TRACK_COST = _frozen([track.cost for track in _TRACKS])  # [region, space]: research points to leave the space
TRACK_LEVEL = _frozen([[LEVELS.index(level) for level in track.level] for track in _TRACKS])
TRACK_INCOME = _frozen([[_gains(gain) for gain in track.income] for track in _TRACKS])
TRACK_REWARD = _frozen([_gains(track.first_reward) for track in _TRACKS])
# [link points, lowest level]: 0 and 1 earn nothing, 6 (with the Post Office) as much as 5
_LINK_ROWS = [[getattr(getattr(FACTS.board.links, f"points_{n}"), level) for level in LEVELS] for n in (2, 3, 4, 5, 5)]
LINK_VP = _frozen([[0] * len(LEVELS)] * 2 + _LINK_ROWS)

# ---------------------------------------------------------------- departments: 0 an empty space, 1-32 the tiles, 33-37
# the starting departments, 38 the printed lobby
(
    TRAINING_AND_PARTNERSHIPS, RECRUITING, SAFETY_AND_QUALITY, NEW_LOBBY,
    PURCHASING, SALES, LOGISTICS, PROPERTY_MANAGEMENT,
    ENGINEERING, CONSTRUCTION_OUTSOURCING, SUPPLY_CHAIN, COMMUNICATIONS,
    ADVANCED_RESEARCH, ADVANCED_DESIGN, CHARITABLE_GIVING, TELEGRAPH_OPERATORS,
    HR_ADMINISTRATION, LOCAL_PARTNERS, CORPORATE_COMMUNICATIONS, GREEN_SPACES,
    ACCOUNTING, BRANDING, PAYROLL_MANAGEMENT, PUBLIC_RELATIONS,
    PRODUCTION_LINES, RENOVATION, POLITICAL_LOBBYING, POST_OFFICE,
    RD_COORDINATION, KNOWLEDGE_SHARING, ARCHIVES, NETWORK_LIBRARIES,
    START_HUMAN_RESOURCES, START_TRADE_AND_FINANCE, START_STRATEGIC_PLANNING, START_CONSTRUCTION,
    START_RESEARCH_AND_DEVELOPMENT, LOBBY,
) = range(1, 39)  # fmt: skip

_TILES = FACTS.departments.department
_STARTING = FACTS.company.starting_department
_ALL: list[Department | StartingDepartment] = [*_TILES, *_STARTING]  # codes 1-37
NUM_TILES = len(_TILES)
BASE_TILES = FACTS.departments.tiles.base
TILE_COPIES = FACTS.departments.tiles.copies
TILES_PER_TYPE = FACTS.departments.tiles.per_type
DEPARTMENTS = ("", *(d.id for d in _ALL), "lobby")
NUM_DEPARTMENTS = len(DEPARTMENTS)
NO_WORKSTATION = 1_000_000  # activation cost where there is none
DEPARTMENT_TYPE = _frozen([-1, *(ACTION_TYPES.index(d.type) for d in _ALL), -1])
WORKSTATIONS = _frozen([0, *(len(d.workstations) for d in _ALL), 0])
ACTIVATION_COST = _padded([(), *(sorted(d.workstations) for d in _ALL), ()], 5, NO_WORKSTATION)
EXTRA_GOODS = _frozen([0, *(d.extra_goods for d in _TILES), *(0 for _ in _STARTING), 0])
PERMANENT_EMPLOYEES = _frozen([0, *(0 for _ in _TILES), *(d.permanent_employees for d in _STARTING), 0])

EFFECTS: tuple[EffectName, ...] = get_args(EffectName)
(
    EFFECT_MONEY, EFFECT_GOODS, EFFECT_VP, EFFECT_RESEARCH, EFFECT_EMPLOYEES, EFFECT_MOVES, EFFECT_UP_TO, EFFECT_PRICE,
    EFFECT_PER, EFFECT_MISSION_MONEY, EFFECT_MISSION_GOODS, EFFECT_GOODS_OCCUPIED, EFFECT_GOODS_EMPTY,
    EFFECT_DONATION_STEP, EFFECT_DISCOUNT, EFFECT_LEAST, EFFECT_RELOCATIONS, EFFECT_SURCHARGE, EFFECT_VP_LOST,
    EFFECT_LINK_POINTS, EFFECT_LINK_POINTS_MAX, EFFECT_LEVELS_BELOW,
) = range(22)  # fmt: skip
EFFECT = _frozen([[effect.get(name, 0) for name in EFFECTS] for effect in ({}, *(d.effect for d in _ALL), {})])

# ---------------------------------------------------------------- the company board
_BOARD = FACTS.company.board
COMPANY_ROWS = _BOARD.rows
COMPANY_COLUMNS = _BOARD.columns
COMPANY_SPACES = COMPANY_ROWS * COMPANY_COLUMNS


def _space(cell: Cell) -> int:
    return cell[0] * COMPANY_COLUMNS + cell[1]


_CELLS = [(row, column) for row in range(COMPANY_ROWS) for column in range(COMPANY_COLUMNS)]
_HIGHEST_STEPS = COMPANY_ROWS + COMPANY_COLUMNS - 2
SPACE_IDS = tuple(f"r{row}c{column}" for row, column in _CELLS)
LOBBY_SPACE = _space(_BOARD.lobby)
START_SPACE = _frozen([_space(d.space) for d in _STARTING])
_PRINTED = {LOBBY_SPACE: LOBBY} | {_space(d.space): START_HUMAN_RESOURCES + i for i, d in enumerate(_STARTING)}
START_DEPARTMENT = _frozen([_PRINTED.get(space, 0) for space in range(COMPANY_SPACES)])
SPACE_POINTS = _frozen([_BOARD.row_points[row] for row, _ in _CELLS])
# Steps between spaces, and the other spaces within k steps: orthogonal, and (Corporate Communications) also diagonal.
DISTANCE = _frozen([[abs(r - s) + abs(c - d) for s, d in _CELLS] for r, c in _CELLS])
DISTANCE_DIAGONAL = _frozen([[max(abs(r - s), abs(c - d)) for s, d in _CELLS] for r, c in _CELLS])


def _reach(distance: IntTable) -> IntTable:
    others = range(COMPANY_SPACES)
    return _frozen(
        [[_mask(b for b in others if 0 < distance[a, b] <= k) for k in range(_HIGHEST_STEPS + 1)] for a in others]
    )


REACH = _reach(DISTANCE)
REACH_DIAGONAL = _reach(DISTANCE_DIAGONAL)

# ---------------------------------------------------------------- project tabs; sides 0 and 1 are a and b
_TABS = sorted(FACTS.company.tab, key=lambda tab: PROJECTS.index(tab.project))
TAB_GOODS = _frozen([tab.goods for tab in _TABS])
TAB_STEP_COST = _frozen([tab.step_cost for tab in _TABS])
TAB_BLANK = _frozen([tab.blank_sections for tab in _TABS])
TAB_PROJECTS = _frozen([tab.project_sections for tab in _TABS])
TAB_VP_SECTIONS = _frozen([len(tab.side_a_points) for tab in _TABS])
TAB_LENGTH = _frozen(TAB_BLANK + TAB_PROJECTS + TAB_VP_SECTIONS - 1)  # advances from start to fully pulled
TAB_POINTS = _frozen([[(0, *tab.side_a_points), (0, *tab.side_b_points)] for tab in _TABS])
TAB_LIMIT = _frozen([(0, tab.side_b_donation_limit) for tab in _TABS])
# The incomes, by project section: 0 is the first that holds a disk (a blank section is not counted).
_SECTIONS = [[*tab.income, *[Section()] * (4 - len(tab.income))] for tab in _TABS]
TAB_INCOME = _frozen([[_gains(section) for section in row] for row in _SECTIONS])
CHOICE_NONE, CHOICE_EMPLOYEE_OR_MONEY, CHOICE_GOODS_OR_MONEY = range(3)
TAB_CHOICE = _frozen([[_choice_code(section) for section in row] for row in _SECTIONS])
TAB_CHOICE_MONEY = _frozen([[sum(gain.money for gain in section.choice) for section in row] for row in _SECTIONS])
TAB_CHOICE_GOODS = _frozen([[sum(gain.goods for gain in section.choice) for section in row] for row in _SECTIONS])

# ---------------------------------------------------------------- the start of the game
_START = FACTS.company.start
START_MONEY = _START.money
START_GOODS = _START.goods
START_ACTIVE = _START.employees_active
START_LOBBY = _START.employees_lobby
START_RESERVE = _START.employees_reserve
START_DISKS = _START.disks_reserve
DISKS = _START.disks
EMPLOYEES = START_ACTIVE + START_LOBBY + START_RESERVE
SETUP_MOVES = _START.setup_moves
ROUNDS = _START.rounds
_PLAYERS = ("one_player", "two_players", "three_players", "four_players")
NEUTRAL_DISKS = _frozen([0, *(getattr(_START.neutral_disks, key) for key in _PLAYERS)])  # [players]
DEPARTMENTS_REMOVED = _frozen([0, *(getattr(_START.departments_removed, key) for key in _PLAYERS)])
_SEATS = {3: FACTS.company.action_choice.three_players, 4: FACTS.company.action_choice.four_players}
ACTION_CHOICE = _frozen([[seat in _SEATS.get(players, ()) for seat in range(4)] for players in range(5)])

# ---------------------------------------------------------------- timeline: events are regions, or DONATION
_EVENTS = (*REGIONS, "donation")
NUM_EVENTS = len(_EVENTS)
DONATION = _EVENTS.index("donation")
TIMELINE_TILES = _frozen(
    [[[_EVENTS.index(event) for event in side] for side in (t.front, t.back)] for t in FACTS.timeline_tiles.tile]
)
END_REGION = _frozen([REGIONS.index(getattr(_START.end_tile, kind)) for kind in ACTION_TYPES])

# ---------------------------------------------------------------- donations
COUNTS: tuple[str, ...] = get_args(Count)
(
    COUNT_DEPARTMENT_TYPE, COUNT_DEPARTMENTS, COUNT_PROJECT, COUNT_RAILROAD_REGIONS, COUNT_DONATIONS, COUNT_FLAT,
    COUNT_PAY, COUNT_ACTIVE_EMPLOYEES, COUNT_REGION, COUNT_SMALL_CITIES, COUNT_BEST_DEPARTMENT_TYPE,
    COUNT_DEPARTMENT_TYPES, COUNT_COMPANY_COLUMN, COUNT_COMPANY_ROW, COUNT_DONATIONS_OF_COLUMN,
    COUNT_BEST_PROJECT_TYPE, COUNT_PROJECT_TYPES, COUNT_DONATION_COLUMNS, COUNT_EMPTY_SPACES,
    COUNT_INACTIVE_EMPLOYEES, COUNT_PAID_WORKSTATIONS, COUNT_MEDIUM_CITIES,
) = range(22)  # fmt: skip


def _donation_argument(d: Donation) -> int:
    """What the count needs, as one number: a mask of types, or the code of a region, city, row, column or cost."""
    if d.types is not None:
        known = ACTION_TYPES if d.count == "department_type" else PROJECTS
        return _mask(known.index(name) for name in d.types)
    if d.region is not None:
        return REGIONS.index(d.region)
    if d.city is not None:
        return CITIES.index(d.city)
    if d.of_column is not None:
        return DONATION_COLUMNS.index(d.of_column)
    return next((v for v in (d.company_row, d.company_column, d.least_cost) if v is not None), 0)


def _payment(d: Donation) -> tuple[int, int, int]:
    return (d.pay.money, d.pay.goods, d.pay.times) if d.pay else (0, 0, 0)


DONATION_LIMIT = FACTS.donations.rules.limit
DONATION_STEP = FACTS.donations.rules.cost_step
PAY_MONEY, PAY_GOODS, PAY_TIMES = range(3)  # the columns of DONATION_PAY

_PRINTED_CELLS = FACTS.donations.donation
DONATIONS = tuple(d.id for d in _PRINTED_CELLS)
NUM_DONATIONS = len(DONATIONS)  # cells of the donation table
DONATION_RULE = tuple(d.rule for d in _PRINTED_CELLS)
DONATION_COLUMN = _frozen([DONATION_COLUMNS.index(d.column) for d in _PRINTED_CELLS])
DONATION_ROW = _frozen([d.row - 1 for d in _PRINTED_CELLS])
DONATION_COUNT = _frozen([COUNTS.index(d.count) for d in _PRINTED_CELLS])
DONATION_VP = _frozen([d.vp for d in _PRINTED_CELLS])
DONATION_ARG = _frozen([_donation_argument(d) for d in _PRINTED_CELLS])
DONATION_PAY = _frozen([_payment(d) for d in _PRINTED_CELLS])

_NEW_CELLS = FACTS.donations.new_donation  # expansion 1: five cells for each column's tile
NEW_DONATIONS = tuple(d.id for d in _NEW_CELLS)
NEW_DONATION_RULE = tuple(d.rule for d in _NEW_CELLS)
NEW_DONATION_COLUMN = _frozen([DONATION_COLUMNS.index(d.column) for d in _NEW_CELLS])
NEW_DONATION_ROW = _frozen([d.row - 1 for d in _NEW_CELLS])
NEW_DONATION_COUNT = _frozen([COUNTS.index(d.count) for d in _NEW_CELLS])
NEW_DONATION_VP = _frozen([d.vp for d in _NEW_CELLS])
NEW_DONATION_ARG = _frozen([_donation_argument(d) for d in _NEW_CELLS])
NEW_DONATION_PAY = _frozen([_payment(d) for d in _NEW_CELLS])

# What a cell scores by: rules 0-19 are those of the printed cells, 20-39 those of the tiles that may cover them.
RULE_COUNT = _frozen([*DONATION_COUNT, *NEW_DONATION_COUNT])
RULE_VP = _frozen([*DONATION_VP, *NEW_DONATION_VP])
RULE_ARG = _frozen([*DONATION_ARG, *NEW_DONATION_ARG])
RULE_PAY = _frozen([*DONATION_PAY, *NEW_DONATION_PAY])

# ---------------------------------------------------------------- Andrew
_CARDS = FACTS.andrew_cards.card
_ANDREW = FACTS.andrew_cards.andrew
CARDS = tuple(card.id for card in _CARDS)
NUM_CARDS = len(CARDS)
CARD_ADVANCED = _frozen([card.advanced for card in _CARDS])
CARD_BACK = _frozen([ACTION_TYPES.index(card.back) for card in _CARDS])
CARD_DONATION = _frozen([DONATIONS.index(card.donation) for card in _CARDS])
CARD_SHIFT = _frozen([card.shift for card in _CARDS])
CARD_NUM_DEPARTMENTS = _frozen([len(card.departments) for card in _CARDS])
CARD_DEPARTMENTS = _padded([[ACTION_TYPES.index(d) for d in card.departments] for card in _CARDS], 3, -1)
CARD_NUM_CITIES = _frozen([len(card.cities) for card in _CARDS])
CARD_CITIES = _padded([[CITIES.index(city) for city in card.cities] for card in _CARDS], 4, -1)
CARD_REGION = _frozen([REGIONS.index(card.transport.region) for card in _CARDS])
CARD_STEPS = _frozen([card.transport.steps for card in _CARDS])
ANDREW_VP_ROW = _frozen(_ANDREW.vp_row)
VP_ROW_PLACES = len(ANDREW_VP_ROW)
ANDREW_DISKS = _ANDREW.disks
ANDREW_DEPARTMENT_VP = _ANDREW.department_vp
ANDREW_TRACK_VP = _ANDREW.track_vp
ANDREW_DONATION_LIMIT = _ANDREW.donation_limit
DIFFICULTY_ADVANCED = _frozen([getattr(_ANDREW.difficulty, name) for name in DIFFICULTIES])
DECK_SIZE = _ANDREW.deck

# ---------------------------------------------------------------- scoring, and expansion 1's switches
ACTION_CHOICE_VP = FACTS.company.scoring.unused_action_choice
ACTIVE_EMPLOYEE_VP = FACTS.company.scoring.active_employee

SOLO_MODULES = {
    name: bool(getattr(FACTS.expansion.solo, name)) for name in SoloModules.__struct_fields__ if name != "marks"
}
NEW_START_BUDGET = FACTS.expansion.new_start.budget
# [line of NEW_START_LINES, choice, (amount, cost)]
NEW_START_OFFERS = _frozen(
    [[(o.amount, o.cost) for o in getattr(FACTS.expansion.new_start, line)] for line in NEW_START_LINES]
)
OFFER_AMOUNT, OFFER_COST = range(2)  # the columns of NEW_START_OFFERS
LARGEST_BID = int(NEW_START_BUDGET - NEW_START_OFFERS[:, :, OFFER_COST].min(axis=1).sum())
