"""One game as plain objects, and the dictionary of the design page, section 5."""

from dataclasses import dataclass, field

from .components import CITIES, DEPARTMENTS, DONATION_CELLS, LOBBY, PANELS, PROJECTS, REGIONS, ROWS, SPACES

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


# ------------------------------------------------------------------------------------------------ from a dictionary
def from_dict(d: dict) -> Game:
    return Game(
        options=dict(d["options"]),
        rng=d["rng"],
        decisions=d["decisions"],
        phase=d["phase"],
        to_play=d["to_play"],
        round=d["round"],
        first_player=d["first_player"],
        spaces={row: [list(events) for events in d["timeline"]["spaces"][row]] for row in ROWS},
        markers={row: d["timeline"]["markers"][row] for row in ROWS},
        chosen=d["timeline"]["chosen"],
        advancing=d["timeline"]["advancing"],
        display=dict(d["display"]),
        cities={city: list(d["cities"][city]) for city in CITIES},
        donations={cell: list(d["donations"].get(cell, [])) for cell in DONATION_CELLS},
        companies=[_company_from(c) for c in d["companies"]],
        andrew=_andrew_from(d["andrew"]),
        turn=_turn_from(d["turn"]),
        panels=None if d["panels"] is None else {column: d["panels"][column] for column in PANELS},
        waiting=d["waiting"],
    )


def _company_from(c: dict) -> Company:
    nobody = {"active": 0, "inactive": 0}
    return Company(
        money=c["money"],
        goods=c["goods"],
        vp=c["vp"],
        reserve=c["reserve"],
        disks=c["disks"],
        donations_made=c["donations_made"],
        missions={region: c["missions"][region] for region in REGIONS},
        active={space: c["employees"].get(space, nobody)["active"] for space in SPACES},
        inactive={space: c["employees"].get(space, nobody)["inactive"] for space in SPACES},
        departments=dict(c["departments"]),
        reserved=c["reserved"],
        tabs={p: Tab(c["tabs"][p]["side"], c["tabs"][p]["uncovered"], c["tabs"][p]["built"]) for p in PROJECTS},
        transport={region: c["transport"][region] for region in REGIONS},
        action_choice=c["action_choice"],
        sheet=None if c["sheet"] is None else dict(c["sheet"]),
        secret=c["secret"],
    )


def _andrew_from(a: dict | None) -> Andrew | None:
    if a is None:
        return None
    return Andrew(list(a["deck"]), list(a["places"]), dict(a["departments"]), dict(a["transport"]), a["disks"])


def _turn_from(t: dict) -> Turn:
    lifted, choice = t["lifted"], t["income_choice"]
    parts = {
        "lifted": lifted and (lifted["state"], lifted["space"]),
        "income_choice": choice and (choice["project"], choice["section"]),
        "ready": dict(t["ready"]),
    }
    return Turn(**(t | parts))


# -------------------------------------------------------------------------------------------------- to a dictionary
def to_dict(g: Game) -> dict:
    return {
        "game": "carnegie",
        "version": 2,
        "options": dict(g.options),
        "rng": g.rng,
        "decisions": g.decisions,
        "phase": g.phase,
        "to_play": g.to_play,
        "round": g.round,
        "first_player": g.first_player,
        "timeline": {
            "spaces": {row: [list(events) for events in spaces] for row, spaces in g.spaces.items()},
            "markers": dict(g.markers),
            "chosen": g.chosen,
            "advancing": g.advancing,
        },
        "display": {tile: copies for tile, copies in g.display.items() if copies},
        "cities": {city: list(owners) for city, owners in g.cities.items()},
        # player_0, player_1, .., andrew, neutral: sorted with the players first
        "donations": {
            cell: sorted(owners, key=lambda owner: (not owner.startswith("player_"), owner))
            for cell, owners in g.donations.items()
            if owners
        },
        "companies": [_company_to(c) for c in g.companies],
        "andrew": _andrew_to(g.andrew),
        "turn": turn_to_dict(g.turn),
        "panels": None if g.panels is None else dict(g.panels),
        "waiting": g.waiting,
    }


def _company_to(c: Company) -> dict:
    return {
        "money": c.money,
        "goods": c.goods,
        "vp": c.vp,
        "reserve": c.reserve,
        "disks": c.disks,
        "donations_made": c.donations_made,
        "missions": dict(c.missions),
        "employees": {
            space: {"active": c.active[space], "inactive": c.inactive[space]}
            for space in SPACES
            if c.active[space] or c.inactive[space]
        },
        "departments": dict(c.departments),
        "reserved": c.reserved,
        "tabs": {p: {"side": tab.side, "uncovered": tab.uncovered, "built": tab.built} for p, tab in c.tabs.items()},
        "transport": dict(c.transport),
        "action_choice": c.action_choice,
        "sheet": None if c.sheet is None else dict(c.sheet),
        "secret": c.secret,
    }


def _andrew_to(a: Andrew | None) -> dict | None:
    if a is None:
        return None
    return {
        "deck": list(a.deck),
        "places": list(a.places),
        "departments": {tile: copies for tile, copies in a.departments.items() if copies},
        "transport": dict(a.transport),
        "disks": a.disks,
    }


def turn_to_dict(t: Turn) -> dict:
    lifted, choice = t.lifted, t.income_choice
    return vars(t) | {
        "lifted": lifted and {"state": lifted[0], "space": lifted[1]},
        "income_choice": choice and {"project": choice[0], "section": choice[1]},
        "ready": {space: n for space, n in t.ready.items() if n},
    }
