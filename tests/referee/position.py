"""One game as plain objects, and the dictionary of the design page, section 5."""

from dataclasses import dataclass, field

from .components import DEPARTMENTS, DONATION_CELLS, LOBBY, SPACES

ANDREW, NEUTRAL = "andrew", "neutral"


def player(seat: int) -> str:
    """The name of a seat, as owner of disks."""
    return f"player_{seat}"


@dataclass
class Tab:
    side: str | None
    uncovered: int  # sections, a blank first one included
    built: int  # projects whose disk has left the tab


@dataclass
class Company:
    money: int
    goods: int
    vp: int
    reserve: int  # employees not in play yet
    disks: int  # in the reserve
    donations_made: int
    missions: dict[str, int]
    active: dict[str, int]  # by company space, all spaces; without the permanent employee
    inactive: dict[str, int]
    departments: dict[str, str]  # by company space
    reserved: str | None
    tabs: dict[str, Tab]
    transport: dict[str, int]
    action_choice: bool
    sheet: dict[str, int | None] | None  # expansion 1, "a new start": per line the amount chosen
    secret: str | None  # expansion 1: the cell of the secret donation

    def space_of(self, department: str) -> str | None:
        """Where the department stands; None if the company lacks it."""
        for space, there in self.departments.items():
            if there == department:
                return space
        return None

    def works(self, department: str) -> bool:
        """Whether the company has the department with an active employee in it."""
        space = self.space_of(department)
        return space is not None and self.active[space] > 0

    def count(self, department_type: str) -> int:
        """Departments of the type, starting ones and the New Lobby included (rulings 21, 41)."""
        return [DEPARTMENTS[department].type for department in self.departments.values()].count(department_type)

    def active_employees(self) -> int:
        """Ruling 25: those standing at a workstation; the permanent employee is not listed and does not count."""
        return sum(self.active.values())

    def empty_spaces(self) -> list[str]:
        """Ruling 21: the printed lobby is not an empty space."""
        return [space for space in SPACES if space not in self.departments and space != LOBBY]


@dataclass
class Andrew:
    deck: list[str]  # card of round r: deck[r - 1]
    places: list[int]  # per card drawn: its place in the VP row
    departments: dict[str, int]
    transport: dict[str, int]
    disks: int


@dataclass
class Turn:
    """What is in hand; empty values mean not in use."""

    action: str | None = None
    started: bool = False
    moves: int = 0
    research: int = 0
    arrivals: int = 0
    lifted: tuple[str, str] | None = None  # state, space
    tile: str | None = None
    site: str | None = None
    income_choice: tuple[str, int] | None = None  # project, section
    department: str | None = None  # the space
    ready: dict[str, int] = field(default_factory=dict)  # by space: employees who can still act this turn
    diagonal_moves: bool = False  # moves of this turn may go diagonally
    relocations: int = 0
    projects: int = 0
    level_region: str | None = None
    payroll_activated: int = 0


@dataclass
class Game:
    options: dict
    rng: int
    decisions: int
    phase: str
    to_play: int | None
    round: int
    first_player: int
    spaces: dict[str, list[list[str]]]  # the timeline: per row, per space, its events
    markers: dict[str, int]
    chosen: str | None
    advancing: str | None
    display: dict[str, int]
    cities: dict[str, list[str | None]]
    donations: dict[str, list[str]]  # every cell; owners of the disks on it
    companies: list[Company]
    andrew: Andrew | None
    turn: Turn
    panels: dict[str, str | None] | None  # expansion 1: the tile that covers the column; None without new donations
    waiting: bool  # expansion 1: the first player waits, or plays after waiting

    @property
    def company(self) -> Company:
        """The company of the player to move."""
        return self.companies[self.to_play]

    @property
    def solo(self) -> bool:
        return self.andrew is not None

    def next_clockwise(self, seat: int) -> int | None:
        """The next seat in clockwise order from the first player; None after the last."""
        following = (seat + 1) % len(self.companies)
        return None if following == self.first_player else following

    def free_cells(self) -> list[str]:
        return [cell for cell, owners in self.donations.items() if not owners]


# --------------------------------------------------------------------------------- from a dictionary, to a dictionary
TIMELINE = ("spaces", "markers", "chosen", "advancing")


def from_dict(d: dict) -> Game:
    parts = {
        "donations": {cell: d["donations"].get(cell, []) for cell in DONATION_CELLS},
        "companies": [_company_from(c) for c in d["companies"]],
        "andrew": d["andrew"] and Andrew(**d["andrew"]),
        "turn": _turn_from(d["turn"]),
    }
    return Game(**_without(d | d["timeline"] | parts, "game", "version", "timeline"))


def _company_from(c: dict) -> Company:
    parts = {"tabs": {project: Tab(**tab) for project, tab in c["tabs"].items()}}
    for state in ("active", "inactive"):
        parts[state] = {space: c["employees"].get(space, {state: 0})[state] for space in SPACES}
    return Company(**_without(c | parts, "employees"))


def _turn_from(t: dict) -> Turn:
    lifted, choice = t["lifted"], t["income_choice"]
    parts = {
        "lifted": lifted and (lifted["state"], lifted["space"]),
        "income_choice": choice and (choice["project"], choice["section"]),
    }
    return Turn(**t | parts)


def to_dict(g: Game) -> dict:
    # player_0, player_1, .., andrew, neutral: sorted with the players first
    owners = {cell: sorted(disks, key=lambda owner: (not owner.startswith("player_"), owner))
              for cell, disks in g.donations.items()}  # fmt: skip
    andrew = g.andrew and vars(g.andrew) | {"departments": _some(g.andrew.departments)}
    return {
        "game": "carnegie",
        "version": 2,
        **_without(vars(g), *TIMELINE),
        "timeline": {key: getattr(g, key) for key in TIMELINE},
        "display": _some(g.display),
        "donations": _some(owners),
        "companies": [_company_to(c) for c in g.companies],
        "andrew": andrew,
        "turn": _turn_to(g.turn),
    }


def _company_to(c: Company) -> dict:
    employees = {
        space: {"active": c.active[space], "inactive": c.inactive[space]}
        for space in SPACES
        if c.active[space] or c.inactive[space]
    }
    tabs = {project: vars(tab) for project, tab in c.tabs.items()}
    return _without(vars(c), "active", "inactive") | {"employees": employees, "tabs": tabs}


def _turn_to(t: Turn) -> dict:
    lifted, choice = t.lifted, t.income_choice
    return vars(t) | {
        "lifted": lifted and {"state": lifted[0], "space": lifted[1]},
        "income_choice": choice and {"project": choice[0], "section": choice[1]},
        "ready": _some(t.ready),
    }


def _some(of: dict) -> dict:
    """The entries that are not 0 or empty."""
    return {key: value for key, value in of.items() if value}


def _without(d: dict, *keys: str) -> dict:
    return {key: value for key, value in d.items() if key not in keys}
