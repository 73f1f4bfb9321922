"""The components' names and codes that the rules are written for, the same in every edition of the tables.

A code is the position of a name in its list: REGIONS, ACTION_TYPES, PROJECTS, LEVELS, EFFECTS, COUNTS, ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

# ---------------------------------------------------------------- names in the files
Region = Literal["west", "midwest", "east", "south"]
ActionType = Literal["human_resources", "management", "construction", "research"]
Project = Literal["housing", "commerce", "industry", "public"]
Space = Literal[Project, "any"]
Level = Literal["wagon", "stagecoach", "railroad"]
Column = Literal["education", "human_rights", "welfare", "health"]
Event = Literal[Region, "donation"]

REGIONS: tuple[str, ...] = get_args(Region)
ACTION_TYPES: tuple[str, ...] = get_args(ActionType)
PROJECTS: tuple[str, ...] = get_args(Project)
SPACE_TYPES: tuple[str, ...] = get_args(Space)
LEVELS: tuple[str, ...] = get_args(Level)
DONATION_COLUMNS: tuple[str, ...] = get_args(Column)
EVENTS: tuple[str, ...] = get_args(Event)

ANY = SPACE_TYPES.index("any")  # the type of a small city's space
LEVEL_RAILROAD = LEVELS.index("railroad")
DONATION = EVENTS.index("donation")  # the event; the others are the regions

# ---------------------------------------------------------------- numbers of components
NUM_REGIONS = len(REGIONS)
NUM_ACTION_TYPES = len(ACTION_TYPES)  # of actions, departments and rows of the timeline
NUM_PROJECT_TYPES = len(PROJECTS)  # of projects, construction spaces (but ANY) and project tabs
NUM_DONATION_COLUMNS = len(DONATION_COLUMNS)
NUM_EVENTS = len(EVENTS)
SMALL, MEDIUM, LARGE = 1, 3, 5  # cities, by their construction spaces
SEATS = 4  # of players, whether in play or not
MOST_WORKSTATIONS = 4  # of a department
TAB_SECTIONS = 4  # project sections of a tab, at most: columns of TAB_INCOME and TAB_CHOICE
TAB_SIDES = 2  # 0 is a, 1 is b
TRACK_SPACES = 5  # of a region's transport track
TIMELINE_ROWS = NUM_ACTION_TYPES
TIMELINE_SPACES = 5  # of a row of the timeline, the End tile's included
END_SPACE = TIMELINE_SPACES - 1  # of a row: the End tile's
TIMELINE_TILES_DEALT = 4
TILE_EVENTS = 4  # events of a side of a timeline tile
PANEL_ROWS = 5  # of the donation table, and of a tile that covers one of its columns
VP_ROW_PLACES = 5  # of Andrew's VP row
MOST_CARD_DEPARTMENTS, MOST_CARD_CITIES = 3, 4  # on one of Andrew's cards

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

# ---------------------------------------------------------------- numbers of a department's rule: columns of EFFECT
(
    EFFECT_MONEY, EFFECT_GOODS, EFFECT_VP, EFFECT_RESEARCH, EFFECT_EMPLOYEES, EFFECT_MOVES, EFFECT_UP_TO, EFFECT_PRICE,
    EFFECT_PER, EFFECT_MISSION_MONEY, EFFECT_MISSION_GOODS, EFFECT_GOODS_OCCUPIED, EFFECT_GOODS_EMPTY,
    EFFECT_DONATION_STEP, EFFECT_DISCOUNT, EFFECT_LEAST, EFFECT_RELOCATIONS, EFFECT_SURCHARGE, EFFECT_VP_LOST,
    EFFECT_LINK_POINTS, EFFECT_LINK_POINTS_MAX, EFFECT_LEVELS_BELOW,
) = range(22)  # fmt: skip

# ---------------------------------------------------------------- what a donation counts
(
    COUNT_DEPARTMENT_TYPE, COUNT_DEPARTMENTS, COUNT_PROJECT, COUNT_RAILROAD_REGIONS, COUNT_DONATIONS, COUNT_FLAT,
    COUNT_PAY, COUNT_ACTIVE_EMPLOYEES, COUNT_REGION, COUNT_SMALL_CITIES, COUNT_BEST_DEPARTMENT_TYPE,
    COUNT_DEPARTMENT_TYPES, COUNT_COMPANY_COLUMN, COUNT_COMPANY_ROW, COUNT_DONATIONS_OF_COLUMN,
    COUNT_BEST_PROJECT_TYPE, COUNT_PROJECT_TYPES, COUNT_DONATION_COLUMNS, COUNT_EMPTY_SPACES,
    COUNT_INACTIVE_EMPLOYEES, COUNT_PAID_WORKSTATIONS, COUNT_MEDIUM_CITIES,
) = range(22)  # fmt: skip


def _names(prefix: str) -> tuple[str, ...]:
    """The names in the files, made from the constants above: EFFECT_UP_TO is "up_to"."""
    return tuple(name.removeprefix(prefix).lower() for name in globals() if name.startswith(prefix))


EFFECTS = _names("EFFECT_")
COUNTS = _names("COUNT_")

if TYPE_CHECKING:  # the names are only known at run time
    EffectName = str
    Count = str
else:
    EffectName = Literal[EFFECTS]
    Count = Literal[COUNTS]

# ---------------------------------------------------------------- columns of tables
MONEY, GOODS, VP, RESEARCH, EMPLOYEES_COLUMN = range(5)  # of every table of gains: the keys of schema.Gain
CHOICE_NONE, CHOICE_EMPLOYEE_OR_MONEY, CHOICE_GOODS_OR_MONEY = range(3)  # what a project section offers
PAY_MONEY, PAY_GOODS, PAY_TIMES = range(3)  # of RULE_PAY
OFFER_AMOUNT, OFFER_COST = range(2)  # of NEW_START_OFFERS
