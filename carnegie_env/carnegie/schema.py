"""The shape of the component files: a struct for each kind of table, one for each file, and :class:`Facts` for all.

Parts and chapters refer to the rulebook, rulings to RULINGS.md. `facts_checks` checks values against each other.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from carnegie_env.carnegie import codes
from carnegie_env.carnegie.codes import ActionType, Column, Event, Level, Project, Region
from carnegie_env.core.facts import Edition, Id, Number, Positive, Table, keys

Cell = tuple[Number, Number]  # of the company board: row, column
Workstations = Annotated[list[Number], msgspec.Meta(max_length=codes.MOST_WORKSTATIONS)]  # their activation costs in $


class Gain(Table, frozen=True):
    """An income or a reward; parts left out are 0 (part 2, chapter 2.1)."""

    money: Number = 0
    goods: Number = 0
    vp: Number = 0
    research: Number = 0
    employees: Number = 0


# ---------------------------------------------------------------- board.toml
class City(Table, frozen=True):
    """A city of the board: its construction spaces from left to right, VP of a disk there, whether it pays the
    builder's transport income at once, link points of a large city (part 1, chapter 2; part 2, chapters 3.3 and 5.1).
    """

    id: Id
    xy: tuple[float, float]
    region: Region
    spaces: list[codes.Space]
    points: Number
    transport_bonus: bool
    link_points: Number = 0


class ProjectGoods(Table, frozen=True):
    """Goods paid to build a project, by type (part 2, chapter 3.3)."""

    housing_goods: Number
    commerce_goods: Number
    industry_goods: Number
    public_goods: Number


class Network(Table, frozen=True):
    """The printed lines: pairs of city ids, undirected (part 2, chapter 5.1)."""

    edges: list[tuple[str, str]]


class Track(Table, frozen=True):
    """A region's transport track: research points to leave each space, income and level of each, the reward of the
    first marker at its end (part 3, chapter 1; ruling 27)."""

    region: Region
    cost: tuple[Positive, Positive, Positive, Positive]
    income: tuple[Gain, Gain, Gain, Gain, Gain]
    level: tuple[Level, Level, Level, Level, Level]
    first_reward: Gain


class LinkRow(Table, frozen=True):
    """VP of a network by the lowest transport level of its regions (part 2, chapter 5.1)."""

    wagon: Number
    stagecoach: Number
    railroad: Number


class Links(Table, frozen=True):
    """VP of networks by the link points of their large cities; more than 5 count as 5 (part 2, chapter 5.1)."""

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


# ---------------------------------------------------------------- company.toml
class CompanyBoard(Table, frozen=True):
    """The company board: its rows and columns, VP of a department by row, the printed lobby (part 1, chapter 4.1;
    part 2, chapter 5.2; ruling 2)."""

    rows: Positive
    columns: Positive
    row_points: list[Number]
    lobby: Cell


class StartingDepartment(Table, frozen=True):
    """A department printed on the company board: its space, activation costs in $, numbers of its rule (part 1,
    chapter 4.1; part 2, chapter 3; ruling 2)."""

    id: Id
    type: ActionType
    space: Cell
    workstations: Workstations
    permanent_employees: Number = 0
    effect: dict[codes.EffectName, Number] = {}


class Section(Gain, frozen=True):
    """The income of a project section: fixed gains, or a choice of two (part 2, chapter 2.1; ruling 11)."""

    choice: list[Gain] = []


class Tab(Table, frozen=True):
    """A project tab: goods to build, research points to advance it, its sections, the VP of its two sides and what
    side b adds to the limit of a donation (part 2, chapters 3.3, 3.4 and 5.2; ruling 2)."""

    project: Project
    goods: Number
    step_cost: Positive
    blank_sections: Number
    project_sections: Annotated[int, msgspec.Meta(ge=1, le=codes.TAB_SECTIONS)]
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
    """The End tile: the region of the last space of each row of the timeline (part 1, chapter 3; ruling 7)."""

    human_resources: Region
    management: Region
    construction: Region
    research: Region


class Start(Table, frozen=True):
    """The start of a game: money, goods and pieces of a company, set-up by number of players, rounds (part 1,
    chapter 3; part 4, chapter 1)."""

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
    """The seats with an Action Choice tile, counted clockwise from the first player (part 1, chapter 3, step 8)."""

    three_players: list[Number]
    four_players: list[Number]


class Scoring(Table, frozen=True):
    """VP that are not printed on components (part 2, chapter 5.2)."""

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


# ---------------------------------------------------------------- departments.toml
class Tiles(Table, frozen=True):
    """How many department tiles there are: copies of each, tiles of the base game, different ones of each type in a
    game with the expansion's (part 1, chapters 2 and 3; expansion 1, chapter 2)."""

    copies: Positive
    base: Positive
    per_type: Positive


class Department(Table, frozen=True):
    """A department tile: activation costs in $, goods on top of its price, numbers of its rule. A passive one works
    while it holds an active employee, a final one at final scoring (part 3, chapter 3; expansion 1, chapter 2)."""

    number: Positive
    id: Id
    type: ActionType
    workstations: Workstations
    extra_goods: Number = 0
    passive: bool = False
    final: bool = False
    effect: dict[codes.EffectName, Number] = {}


class Departments(Table, frozen=True):
    """departments.toml: the 32 tiles, by number."""

    tiles: Tiles
    department: list[Department]


# ---------------------------------------------------------------- donations.toml
class Pay(Table, frozen=True):
    """A payment at final scoring, up to ``times`` times (part 3, chapter 2; ruling 30)."""

    times: Positive
    money: Number = 0
    goods: Number = 0


class Donation(Table, frozen=True):
    """A cell of the donation table or of a tile over it: the count, VP for each (part 3, chapter 2; expansion 1,
    chapter 3). facts_checks.COUNT_NEEDS lists the additional values of a count."""

    id: Id
    column: Column
    row: Positive
    rule: str
    count: codes.Count
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
    """The most VP of a donation, and the $ that each further one costs more (part 2, chapter 2.2; part 3, chapter 2;
    ruling 13)."""

    limit: Number
    cost_step: Number


class Donations(Table, frozen=True):
    """donations.toml: the cells of the table, and those of expansion 1's tiles."""

    rules: DonationRules
    donation: list[Donation]
    new_donation: list[Donation]


# ---------------------------------------------------------------- andrew_cards.toml
class Difficulty(Table, frozen=True):
    """Advanced cards in Andrew's deck (part 4, chapter 1)."""

    beginner: Number
    normal: Number
    difficult: Number
    expert: Number


class Andrew(Table, frozen=True):
    """Andrew's VP row, disks, scores and deck (part 4, chapters 1 and 3)."""

    vp_row: list[Number]
    disks: Number
    department_vp: Number
    track_vp: Number
    donation_limit: Number
    deck: Positive
    difficulty: Difficulty


class Steps(Table, frozen=True):
    """The steps of a region's transport marker (part 4, chapter 2.3)."""

    region: Region
    steps: Number


class Card(Table, frozen=True):
    """One of Andrew's Action cards: its back, and Andrew's moves for each action and for a donation event (part 4,
    chapters 2.2 and 2.3)."""

    id: str
    advanced: bool
    back: ActionType
    donation: str
    shift: Number
    departments: Annotated[list[ActionType], msgspec.Meta(min_length=1, max_length=codes.MOST_CARD_DEPARTMENTS)]
    cities: Annotated[list[str], msgspec.Meta(min_length=1, max_length=codes.MOST_CARD_CITIES)]
    transport: Steps


class AndrewCards(Table, frozen=True):
    """andrew_cards.toml: Andrew and the 40 cards."""

    andrew: Andrew
    card: list[Card]


# ---------------------------------------------------------------- timeline_tiles.toml
class TimelineTile(Table, frozen=True):
    """A timeline tile: the four events of each side, from left to right (part 1, chapter 3; ruling 7)."""

    id: Positive
    front: tuple[Event, Event, Event, Event]
    back: tuple[Event, Event, Event, Event]


class Timeline(Table, frozen=True):
    """timeline_tiles.toml: the eight tiles."""

    tile: list[TimelineTile]


# ---------------------------------------------------------------- expansion.toml
class SoloModules(Table, frozen=True):
    """The modules that go with the solo game (expansion 1, the table at its start)."""

    new_start: bool
    new_departments: bool
    new_donations: bool
    diverse_setup: bool
    wait: bool
    secret_donation: bool


class Offer(Table, frozen=True):
    """An entry of the bid sheet: its amount and its price in $ (expansion 1, chapter 1)."""

    amount: Annotated[int, msgspec.Meta(ge=-100, le=100)]
    cost: Annotated[int, msgspec.Meta(ge=-100, le=100)]


class NewStart(Table, frozen=True):
    """The bid sheet: the budget in $ and the offers of its lines (expansion 1, chapter 1)."""

    budget: Number
    goods: list[Offer]
    employees: list[Offer]
    points: list[Offer]
    moves: list[Offer]


class NewDonations(Table, frozen=True):
    """The columns of expansion 1's donation tiles (expansion 1, chapter 3)."""

    panels: tuple[Column, Column, Column, Column]


class Expansion(Table, frozen=True):
    """expansion.toml: the components of expansion 1 without department and donation tiles."""

    solo: SoloModules
    new_start: NewStart
    new_donations: NewDonations


# ---------------------------------------------------------------- all files
class Facts(Edition, frozen=True, kw_only=True):
    """All component tables, a field for each file. A user's folder may also contain another game's file."""

    labels = ("id", "region", "project")
    others = ("steel_driver.toml",)

    board: Board
    company: Company
    departments: Departments
    donations: Donations
    andrew_cards: AndrewCards
    timeline_tiles: Timeline
    expansion: Expansion


DIFFICULTIES = keys(Difficulty)
NEW_START_LINES = tuple(key for key in keys(NewStart) if key != "budget")
