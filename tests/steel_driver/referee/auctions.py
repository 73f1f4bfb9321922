"""Phase 1, investment cubes, and phase 2, the auctions of the control markers."""

from .position import Auction, Game

CUBES_A_ROUND = {3: 10, 4: 8, 5: 7, 6: 6}  # by number of players


def hand_out_cubes(g: Game) -> None:
    """Phase 1. Too few for all: equal shares, the remainder stays in the supply (ruling 54)."""
    each = min(CUBES_A_ROUND[len(g.players)], g.supply // len(g.players))
    for player in g.players:
        player.cubes += each
        g.supply -= each


# ------------------------------------------------------------------------------- the holder of the active-player marker
def legal_openings(g: Game) -> list[str]:
    """Open an auction for any marker not sold this round with any number of the holder's cubes, or hand on."""
    most = g.players[g.marker].cubes
    free = [name for name, company in g.companies.items() if not company.sold]
    return ["pass", *(f"open {name} {bid}" for name in free for bid in range(1, most + 1))]


def hand_on(g: Game) -> None:
    """Passing bars nobody from opening an auction later (ruling 48)."""
    g.marker_passes += 1
    g.marker = g.left_of(g.marker)
    g.to_play = g.marker


def open_auction(g: Game, name: str, bid: int) -> None:
    g.phase = "bid"
    g.auction, g.marker_passes = Auction(name, bid, bidder=g.marker), 0
    g.to_play = g.left_of(g.marker)


def is_over(g: Game) -> bool:
    """All six markers are sold, or all players have handed the active-player marker on since the last auction (48)."""
    return all(company.sold for company in g.companies.values()) or g.marker_passes == len(g.players)


# --------------------------------------------------------------------------------------------------------- the bidders
def legal_bids(g: Game) -> list[str]:
    """Any number of the bidder's cubes above the standing bid (ruling 53), or pass."""
    return ["pass", *(f"bid {bid}" for bid in range(g.auction.bid + 1, g.players[g.to_play].cubes + 1))]


def bid(g: Game, cubes: int) -> None:
    g.auction.bid, g.auction.bidder = cubes, g.to_play
    _next_bidder(g)


def leave_auction(g: Game) -> None:
    """A player who passes is out of this auction."""
    g.auction.passed.add(g.to_play)
    _next_bidder(g)


def _next_bidder(g: Game) -> None:
    clockwise = g.clockwise_from(g.left_of(g.to_play))
    g.to_play = next(seat for seat in clockwise if seat not in g.auction.passed)
    if g.to_play == g.auction.bidder:  # all the others have passed
        _sell(g)


def _sell(g: Game) -> None:
    """The winner pays the company and takes its control marker and a share; the active-player marker goes to the left
    of the player who opened the auction."""
    winner, company = g.players[g.auction.bidder], g.companies[g.auction.company]
    winner.cubes -= g.auction.bid
    company.cubes += g.auction.bid
    company.controller = company.last_controller = g.auction.bidder
    company.sold = True
    winner.shares[g.auction.company] += 1
    g.phase, g.auction = "open", None
    g.marker = g.left_of(g.marker)
    g.to_play = g.marker
