"""The shape of a position's dictionary (docs/design.md, section 5), and the words in it that no table has.

Maps by city, tile, cell or company space are plain dictionaries here; reading.py takes them apart, so that a message
can name the key.
"""

# No `from __future__ import annotations` here: types that are texts would be compiled when a value is refused.
from typing import Annotated, Any, Literal

import msgspec

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.core.reading import Part, prepare

GAME = "carnegie"
VERSION = 2
OWNERS = (*(f"player_{seat}" for seat in range(state.SEATS)), "andrew", "neutral")  # by owner code
OPEN_PHASES = state.PHASES[: state.START_ROUND]  # those in which a game can be handed out
SIDES = "ab"
EVENTS = (*t.REGIONS, "donation")  # by event code
STATES = ("inactive", "active")
LARGEST = 10_000  # $, goods and VP: far above what a game brings, far below what the record's int16 holds
LARGEST_RNG = 2**64 - 1
DEEPEST = 8  # levels of the dictionary, more than any position has
MOST_VALUES = 20_000  # in the dictionary, far more than any position has
MOST_RELOCATIONS = t.COMPANY_SPACES * int(t.EFFECT[t.HR_ADMINISTRATION, t.EFFECT_RELOCATIONS])

Amount = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
Points = Annotated[int, msgspec.Meta(ge=-LARGEST, le=LARGEST)]
Pool = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Employees = Annotated[int, msgspec.Meta(ge=0, le=t.EMPLOYEES)]
Disks = Annotated[int, msgspec.Meta(ge=0, le=t.DISKS)]
Copies = Annotated[int, msgspec.Meta(ge=0, le=t.TILE_COPIES)]
Cells = Annotated[int, msgspec.Meta(ge=0, le=len(t.DONATIONS))]
TrackSpace = Annotated[int, msgspec.Meta(ge=0, le=t.TRACK_SPACES - 1)]
Passed = Annotated[int, msgspec.Meta(ge=0, le=t.TIMELINE_SPACES)]
Seat = Annotated[int, msgspec.Meta(ge=0, le=state.SEATS - 1)]
Place = Annotated[int, msgspec.Meta(ge=0, le=len(t.ANDREW_VP_ROW) - 1)]
Events = Annotated[list[list[t.Event]], msgspec.Meta(min_length=t.TIMELINE_SPACES, max_length=t.TIMELINE_SPACES)]


class Missions(Part, frozen=True):
    """Employees on missions."""

    west: Employees
    midwest: Employees
    east: Employees
    south: Employees


class Transport(Part, frozen=True):
    """Spaces of transport markers."""

    west: TrackSpace
    midwest: TrackSpace
    east: TrackSpace
    south: TrackSpace


class Markers(Part, frozen=True):
    """Spaces passed by the action markers."""

    human_resources: Passed
    management: Passed
    construction: Passed
    research: Passed


class Spaces(Part, frozen=True):
    """The events of the timeline, by row."""

    human_resources: Events
    management: Events
    construction: Events
    research: Events


class Tab(Part, frozen=True):
    """A project tab."""

    side: Literal["a", "b"] | None
    uncovered: Annotated[int, msgspec.Meta(ge=1, le=int(t.TAB_LENGTH.max()) + 1)]
    built: Annotated[int, msgspec.Meta(ge=0, le=int(t.TAB_PROJECTS.max()))]


class Tabs(Part, frozen=True):
    """The project tabs of a company."""

    housing: Tab
    commerce: Tab
    industry: Tab
    public: Tab


class Here(Part, frozen=True):
    """Employees on a company space."""

    active: Employees
    inactive: Employees


class Timeline(Part, frozen=True):
    """The timeline."""

    spaces: Spaces
    markers: Markers
    chosen: t.ActionType | None
    advancing: t.ActionType | None


class Sheet(Part, frozen=True):
    """A sheet of a new start: the amounts chosen."""

    goods: int | None
    employees: int | None
    points: int | None
    moves: int | None
    bid: Annotated[int, msgspec.Meta(ge=0, le=t.LARGEST_BID)] | None


class Panels(Part, frozen=True):
    """The tiles over the panels of the donation table."""

    education: t.Column | None
    human_rights: t.Column | None
    welfare: t.Column | None
    health: t.Column | None


class Company(Part, frozen=True):
    """A company."""

    money: Amount
    goods: Amount
    vp: Points
    reserve: Employees
    disks: Disks
    donations_made: Cells
    missions: Missions
    employees: dict[str, Any]
    departments: dict[str, Any]
    reserved: str | None
    tabs: Tabs
    transport: Transport
    action_choice: bool
    sheet: Sheet | None
    secret: str | None


class Andrew(Part, frozen=True):
    """Andrew's part of a solo game."""

    deck: Annotated[list[str], msgspec.Meta(min_length=t.DECK_SIZE, max_length=t.DECK_SIZE)]
    places: Annotated[list[Place], msgspec.Meta(max_length=t.DECK_SIZE)]
    departments: dict[str, Any]
    transport: Transport
    disks: Annotated[int, msgspec.Meta(ge=0, le=t.ANDREW_DISKS)]


class Lifted(Part, frozen=True):
    """The employee in hand."""

    space: str
    state: Literal["inactive", "active"]


class Choice(Part, frozen=True):
    """The tab income that is chosen."""

    project: t.Project
    section: Annotated[int, msgspec.Meta(ge=0, le=t.TAB_SECTIONS - 1)]


class Turn(Part, frozen=True):
    """What is in hand."""

    action: t.ActionType | None
    started: bool
    moves: Pool
    research: Pool
    arrivals: Employees
    lifted: Lifted | None
    tile: str | None
    site: str | None
    income_choice: Choice | None
    department: str | None
    ready: dict[str, Any]
    diagonal_moves: bool
    relocations: Annotated[int, msgspec.Meta(ge=0, le=MOST_RELOCATIONS)]
    projects: Annotated[int, msgspec.Meta(ge=0, le=int(t.TAB_PROJECTS.sum()))]
    level_region: t.Region | None
    payroll_activated: Employees


class Position(Part, frozen=True):
    """The whole dictionary."""

    game: Literal["carnegie"]
    version: Literal[2]
    options: dict[str, Any]
    rng: int
    decisions: Annotated[int, msgspec.Meta(ge=0, le=2**30)]
    phase: str
    to_play: Seat | None
    round: Annotated[int, msgspec.Meta(ge=0, le=t.ROUNDS)]
    first_player: Seat
    timeline: Timeline
    display: dict[str, Any]
    cities: dict[str, Any]
    donations: dict[str, Any]
    companies: Annotated[list[Company], msgspec.Meta(max_length=state.SEATS)]
    panels: Panels | None
    waiting: bool
    andrew: Andrew | None
    turn: Turn


prepare(globals())
