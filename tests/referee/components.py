"""Rulebook 1.2, the components: the packaged fact tables as plain objects."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from carnegie_env.carnegie.tables import FACTS


def _read(name: str) -> dict:
    """The file itself, as it was loaded and checked: the referee uses no derived tables."""
    return tomllib.loads(Path(FACTS.sources[name]).read_text(encoding="utf-8"))


# The four action types, which are also the four rows of the timeline from top to bottom (rulebook 2.1).
ROWS = ["human_resources", "management", "construction", "research"]


@dataclass(frozen=True)
class City:
    id: str
    region: str
    spaces: list[str]  # from left to right: the project type each takes, "any" in a small city
    points: int
    transport_bonus: bool
    link_points: int  # 0 except for large cities

    @property
    def small(self) -> bool:
        return self.spaces == ["any"]

    @property
    def medium(self) -> bool:
        return len(self.spaces) == 3

    @property
    def large(self) -> bool:
        return len(self.spaces) == 5


@dataclass(frozen=True)
class Track:
    region: str
    cost: list[int]  # cost[k]: research points from space k to space k + 1
    income: list[dict[str, int]]  # per space
    level: list[str]  # per space: wagon, stagecoach, railroad
    first_reward: dict[str, int]

    @property
    def last(self) -> int:
        return len(self.cost)


@dataclass(frozen=True)
class TabFacts:
    project: str
    goods: int  # to build one of its projects
    step_cost: int  # research points to uncover the next section
    blank_sections: int
    project_sections: int
    income: list[dict]  # per project section: gains, or {"choice": [gains, gains]}
    points: dict[str, list[int]]  # by side: the VP for each number of uncovered VP sections
    donation_limit: dict[str, int]  # by side: the last section's addition to the limit of every donation

    @property
    def sections(self) -> int:
        return self.blank_sections + self.project_sections + len(self.points["a"])


@dataclass(frozen=True)
class Department:
    id: str
    type: str
    workstations: list[int]  # activation costs
    number: int = 0  # of a tile; 0 for the starting departments
    extra_goods: int = 0  # of a tile, in addition to the normal price


@dataclass(frozen=True)
class Card:
    id: str
    advanced: bool
    back: str  # the row printed on the back
    donation: str
    shift: int
    departments: list[str]
    cities: list[str]
    transport: dict  # region, steps


_board, _company = _read("board"), _read("company")

CITIES = {
    c["id"]: City(c["id"], c["region"], c["spaces"], c["points"], c["transport_bonus"], c.get("link_points", 0))
    for c in _board["city"]
}
EDGES: list[list[str]] = _board["network"]["edges"]
TRACKS = {track["region"]: Track(**track) for track in _board["track"]}
REGIONS = list(TRACKS)
LINK_VP: dict[int, dict[str, int]] = {int(key.removeprefix("points_")): vp for key, vp in _board["links"].items()}

TABS = {
    t["project"]: TabFacts(
        t["project"],
        t["goods"],
        t["step_cost"],
        t["blank_sections"],
        t["project_sections"],
        t["income"],
        {"a": t["side_a_points"], "b": t["side_b_points"]},
        {"a": 0, "b": t["side_b_donation_limit"]},
    )
    for t in _company["tab"]
}
PROJECTS = list(TABS)


def space_id(row: int, column: int) -> str:
    return f"r{row}c{column}"


SPACES = [
    space_id(row, column) for row in range(_company["board"]["rows"]) for column in range(_company["board"]["columns"])
]
ROW_POINTS = {
    space_id(row, column): points
    for row, points in enumerate(_company["board"]["row_points"])
    for column in range(_company["board"]["columns"])
}
LOBBY = space_id(*_company["board"]["lobby"])
# Moves from space to space: one orthogonal step each (rulebook 1.3, step 11; 2.3.1).
DISTANCE = {(a, b): abs(int(a[1]) - int(b[1])) + abs(int(a[3]) - int(b[3])) for a in SPACES for b in SPACES}
# Expansion 1, tile 19: diagonal steps as well.
DIAGONAL_DISTANCE = {
    (a, b): max(abs(int(a[1]) - int(b[1])), abs(int(a[3]) - int(b[3]))) for a in SPACES for b in SPACES
}

STARTING = [d["id"] for d in _company["starting_department"]]
DEPARTMENTS = {d["id"]: Department(d["id"], d["type"], d["workstations"]) for d in _company["starting_department"]} | {
    d["id"]: Department(d["id"], d["type"], d["workstations"], d["number"], d.get("extra_goods", 0))
    for d in _read("departments")["department"]
}
ALL_TILES = sorted((d.id for d in DEPARTMENTS.values() if d.number), key=lambda tile: DEPARTMENTS[tile].number)
TILES = [tile for tile in ALL_TILES if DEPARTMENTS[tile].number <= 16]  # the base game's
PERMANENT_EMPLOYEES = {d["id"]: d.get("permanent_employees", 0) for d in _company["starting_department"]}

_printed, _new = _read("donations")["donation"], _read("donations")["new_donation"]
DONATION_CELLS = [d["id"] for d in _printed]
PLACE_OF_CELL: dict[str, tuple[str, int]] = {d["id"]: (d["column"], d["row"]) for d in _printed}
PANELS = list(dict.fromkeys(d["column"] for d in _printed))  # the columns of the table, from left to right
# Expansion 1: the cells of the new donation tiles, by column and row.
NEW_DONATION: dict[tuple[str, int], str] = {(d["column"], d["row"]): d["id"] for d in _new}
# Expansion 1: the lines of the sheet "a new start" with the cost of each amount. The bid is a separate line.
SHEET_LINES = ["goods", "employees", "points", "moves"]
SHEET: dict[str, dict[int, int]] = {
    line: {offer["amount"]: offer["cost"] for offer in _read("expansion")["new_start"][line]} for line in SHEET_LINES
}
SHEET_BUDGET: int = _read("expansion")["new_start"]["budget"]
CARDS = {card["id"]: Card(**card) for card in _read("andrew_cards")["card"]}
