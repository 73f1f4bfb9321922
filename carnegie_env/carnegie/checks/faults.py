"""The invariants of a position: a number and a name each, and what is found besides when one does not hold."""

from __future__ import annotations

from carnegie_env.core.arrays import Vector
from carnegie_env.core.jit import jit

FAULTS = [""]  # the name of every invariant, by number
DETAILS = 3  # numbers that inspect() finds beside the invariant's: seats, places, counts


def _new(name: str) -> int:
    FAULTS.append(name)
    return len(FAULTS) - 1


# ---------------------------------------------------------------- the invariants; in brackets what the details are
RANGE = _new("every field is within its range")
ROUND = _new("the round fits the phase")
FIRST_PLAYER = _new("the first player's marker goes round (rounds played)")
TO_PLAY = _new("a seat decides until the game is over")
EVENT_SPACE = _new("a timeline space has one event (row, space)")
END_TILE = _new("the last spaces are the End tile's (row)")
TIMELINE_TILE = _new("the timeline is made of tiles (tile's place)")
TIMELINE_TWICE = _new("a timeline tile is there once")
MARKERS = _new("the action markers have passed a space each round (spaces, rounds)")
CHOSEN = _new("a row is chosen, and one advances, from the choice on (0 chosen or 1 advancing, whether it is wanted)")
ANDREW_ROW = _new("in even rounds Andrew's card chooses the row")
ADVANCING = _new("the chosen row advances, or the next that has not ended (the right one)")
TILE_TYPES = _new("of each type so many different tiles are drawn (type, how many)")
TILE_COPIES = _new("department tiles are not multiplied (tile, copies, most)")
TILES = _new("department tiles are not lost or made (how many, in play)")
NEUTRAL_EARLY = _new("neutral disks come after the tab sides (how many)")
NEUTRAL_MOST = _new("there are so many neutral disks (how many, most)")
CELL_OWNER = _new("a donation has disks of who is in the game (cell, owner)")
CITY_OWNER = _new("a city has disks of who is in the game (space, owner)")
CELL_NEUTRAL = _new("a cell with a neutral disk takes no other (cell)")
CELL_SHARED = _new("a cell is shared by Charitable Giving only (cell, two owners)")
DONATIONS = _new("donations made are disks on cells (seat, disks)")
EMPLOYEES = _new("a company's employees are not lost or made (seat, how many)")
WORKSTATIONS = _new("active employees stand on workstations (seat, space)")
PRINTED = _new("printed departments stand where they are printed (seat, space)")
DEPARTMENT_TWICE = _new("a company has a department once (seat, two spaces)")
RESERVED_BUILT = _new("the reserved department is the first one built (seat, tile built)")
RESERVED_LOST = _new("a department is reserved until one is built (seat)")
TAB_LENGTH = _new("a tab is not pulled beyond its end (seat, project)")
TAB_BUILT = _new("projects built were uncovered (seat, project, uncovered)")
TAB_SIDE = _new("tab sides are chosen after set-up step 6 (seat, project)")
PROJECTS = _new("projects built are disks in the cities (seat, disks)")
PROJECT_TYPES = _new("projects are built on spaces of their type (seat, project, disks)")
DISKS = _new("a player's disks are not lost or made (seat, how many)")
HOUSED = _new("each player has a disk on a housing space from set-up on (seat)")
STILL = _new("set-up leaves all else as at the start (seat, what)")
SIDES_ORDER = _new("tab sides are chosen in order (seat, sides)")
HOUSING_ORDER = _new("housing is placed in order (seat, projects wanted)")
RESERVED_ORDER = _new("departments are reserved in order (seat, whether it is wanted)")
LAST_SPACE = _new("the last space of a track is not shared (region, two owners)")
ACTION_CHOICE = _new("Action Choice tiles go to some places of the turn order (seat, bit set of those that got one)")
CARD_TWICE = _new("a card is in the deck once (place)")
ADVANCED_CARDS = _new("the deck has so many advanced cards (how many)")
ANDREW_CHOOSES = _new("in even rounds the player does not choose the row")
CARD_PLACE = _new("the round's card begins at 0 VP (round)")
ANDREW_DISKS = _new("Andrew's disks are not lost or made (how many)")
ANDREW_EARLY = _new("Andrew does nothing in set-up (what)")
NOT_IN_HAND = _new("what does not belong to the phase is not in hand (what)")
IN_HAND = _new("what belongs to the phase is in hand (what)")
SETUP_MOVES = _new("set-up has so many moves (moves)")
ACTION = _new("a turn is of the round's type, or of that chosen by an Action Choice tile")
MOVES_OF = _new("Human Resources has moves")
RESEARCH_OF = _new("Construction and R&D have research points")
IN_USE_TYPE = _new("the department in use is of the turn's type")
READY_TYPE = _new("who can act is in a department of the turn's type (space)")
READY_ACTIVE = _new("who can act is active (space)")
READY_ALL = _new("before a department is used all who are active can act (space)")
READY_SPLIT = _new("in other departments than the one in use all can act, or none (space)")
SPENT = _new("somebody in the department in use is spent")
STARTED = _new("a turn in which a department is used has started")
DIAGONAL = _new("diagonal moves need Human Resources and Corporate Communications")
DIAGONAL_AT_START = _new("diagonal moves need an active employee when the turn begins")
DIAGONAL_MISSING = _new("Corporate Communications works")
NO_DONATION = _new("donations come with a donation event")
NO_REGION = _new("an income comes with a mission region")
NOBODY_BACK = _new("somebody can be recovered (region)")
CHOOSER = _new("the first player chooses the timeline")
NO_NEW_LOBBY = _new("a choice of lobbies needs two")
LIFTED = _new("the employee in hand is there")
INCOME_CHOICE = _new("a tab income of a built section is a choice (project, section)")
LOBBY_CHOICE = _new("an employee of a tab income is chosen (project, section)")
LOBBY_ARRIVALS = _new("a tab income brings one employee")
IN_USE = _new("a phase of a use belongs to a department (department in use, the right one)")
TILE_RESERVED = _new("the reserved tile is built first (reserved)")
TILE_DISPLAY = _new("the tile in hand is from the display")
TILE_OWNED = _new("the tile in hand is a new one")
SITE = _new("Property Management follows a department just built")
NO_PROPERTY = _new("Property Management works")
DONATION_MONEY = _new("the donation can be paid (cost)")
DONATION_DISK = _new("a donation takes a disk from the reserve")
MODULE_PHASE = _new("the phase is the game's (module's bits)")
MODULE_OFF = _new("what belongs to a module that is off is empty (what, seat)")
LEAST_VP = _new("points are not lost but by the rules (seat, least)")
SHEET_START = _new("sheets change nothing until they are revealed (seat, what)")
SHEET_LINES = _new("a sheet's lines are filled in order (seat)")
SHEET_BID = _new("the bid comes last, and not in solo (seat)")
SHEET_EARLY = _new("sheets are filled in one after the other (seat)")
SHEET_EMPTY = _new("sheets are filled in to the end (seat)")
SHEET_BUDGET = _new("a sheet's choices keep to the budget (seat, cost, least of the lines left)")
SHEET_FIRST = _new("until the reveal seat 0 is first player")
BIDS = _new("the highest bid is the first player's (who began, bit set of who should have)")
PANEL_TWICE = _new("a donation tile is there once (tile)")
PANELS = _new("each player covers one panel at most (panels, most)")
SECRET = _new("secret donations are chosen in order (seat, whether it is wanted)")
WAITING_OFF = _new("nobody waits without the module")
WAITING = _new("the first player waits during turns")
RELOCATIONS_OF = _new("relocations are HR Administration's")
RELOCATIONS_MOST = _new("departments give so many relocations (most)")
HALVES_OF = _new("halves are those of the tiles that have them (department in use)")
HALVES_PROJECTS = _new("halves are those of a region's projects")
PAYROLL = _new("who was just activated in Payroll Management is active there (active)")
NO_ARCHIVES = _new("Archives works")
LEVEL_START = _new("a level is chosen where the marker has moved")
LEVEL_CITY = _new("a level in a turn is of a city's bonus")
LEVEL_TURN = _new("a city's bonus comes in a turn of construction")
LEVEL_EVENT = _new("a level in an event is of its region (the region)")
DERIVED = _new("derived fields agree with the facts")
NO_ACTION = _new("there is a legal action until the game is over")

# What the details of STILL, ANDREW_EARLY, SHEET_START and NOT_IN_HAND or IN_HAND mean: keys of the dictionary.
KEPT = ("missions", "transport", "tabs", "donations_made", "departments", "reserve", "vp")
ANDREW_KEPT = ("departments", "transport", "disks")
START_KEPT = ("money", "goods", "employees")
HAND = (
    "action", "started", "moves", "research", "arrivals", "lifted", "tile", "site", "income_choice", "department",
    "ready", "diagonal_moves", "relocations", "projects", "level_region", "payroll_activated",
)  # fmt: skip


@jit
def say(found: Vector[int], fault: int, first: int, second: int, third: int) -> int:
    """Note the details of a fault."""
    found[0] = first
    found[1] = second
    found[2] = third
    return fault
