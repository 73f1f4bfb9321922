"""Expansion 1, chapter 1, "a new start": the sealed sheets and their reveal."""

from . import lots
from .components import LOBBY, SHEET, SHEET_BUDGET, SHEET_LINES
from .position import Company, Game
from .setup import action_choice_holders

EMPLOYEES, STANDING = 15, 5  # in total, and active from the start
BID = "bid"


# ---------------------------------------------------------------------------------------------- filling in a sheet
def next_line(g: Game, c: Company) -> str | None:
    """The lines in order; in solo nobody bids (ruling 40)."""
    lines = SHEET_LINES if g.solo else [*SHEET_LINES, BID]
    return next((line for line in lines if c.sheet[line] is None), None)


def cost(c: Company) -> int:
    """The cost of the lines chosen so far, without the bid."""
    return sum(SHEET[line][c.sheet[line]] for line in SHEET_LINES if c.sheet[line] is not None)


def legal(g: Game) -> set[str]:
    """All lines together, the bid included, cost at most the budget."""
    c = g.company
    line = next_line(g, c)
    if line == BID:
        return {f"bid {n}" for n in range(SHEET_BUDGET - cost(c) + 1)}
    later = SHEET_LINES[SHEET_LINES.index(line) + 1 :]
    most = SHEET_BUDGET - cost(c) - sum(min(SHEET[other].values()) for other in later)
    return {f"sheet {line} {amount}" for amount, price in SHEET[line].items() if price <= most}


def fill_in(g: Game, text: str) -> None:
    g.company.sheet[next_line(g, g.company)] = int(text.split()[-1])


# ------------------------------------------------------------------------------------------------------ the reveal
def reveal(g: Game) -> None:
    """6A, C, D1 and 7: goods, employees, VP, the first player, money. The moves come with step 11."""
    g.first_player = 0 if g.solo else _highest_bidder(g)
    holders = action_choice_holders(len(g.companies), g.first_player)
    for seat, c in enumerate(g.companies):
        c.goods = c.sheet["goods"]
        c.inactive[LOBBY] = c.sheet["employees"]
        c.reserve = EMPLOYEES - STANDING - c.sheet["employees"]
        c.vp = c.sheet["points"]
        c.money = SHEET_BUDGET - cost(c)
        if seat == g.first_player and not g.solo:
            c.money -= c.sheet[BID]  # the others do not pay theirs
        c.action_choice = seat in holders  # ruling 40: by the turn order


def _highest_bidder(g: Game) -> int:
    """The highest bid; ties go to the higher cost of the other lines, then to chance."""
    offers = [(c.sheet[BID], cost(c)) for c in g.companies]
    tied = [seat for seat, offer in enumerate(offers) if offer == max(offers)]
    return tied[lots.Lot(g, lots.EQUAL_BIDS).draw(len(tied))] if len(tied) > 1 else tied[0]
