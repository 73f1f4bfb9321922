"""One game as objects, and as the dictionary that positions are compared by."""

from dataclasses import dataclass, field

from .components import COLOURS, COMPANIES, INVESTMENT_CUBES, ROUTES, Route


@dataclass
class Player:
    cash: int = 0
    cubes: int = 0  # investment cubes
    shares: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COMPANIES, 0))


@dataclass
class Company:
    controller: int | None = None  # holder of its control marker
    last_controller: int | None = None  # winner of its last auction
    sold: bool = False  # in this round
    cubes: int = 0  # investment cubes on its square
    profit: int = 0  # its place on the profit track
    start: str | None = None  # where its first link began
    links: list[Route] = field(default_factory=list)
    goods: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COLOURS, 0))

    @property
    def cities(self) -> set[str]:
        """The cities it is connected to."""
        return {city for link in self.links for city in link.ends}


@dataclass
class Auction:
    company: str
    bid: int
    bidder: int
    passed: set[int] = field(default_factory=set)


@dataclass
class Transcontinental:
    builder: str
    companies: list[str]


@dataclass
class Game:
    options: dict  # of the game: num_players, show_forced
    players: list[Player]
    rng: int = 0  # the engine's; nothing is drawn
    decisions: int = 0  # taken; forced ones do not count
    companies: dict[str, Company] = field(default_factory=lambda: {name: Company() for name in COMPANIES})
    round: int = 1
    phase: str = "open"
    to_play: int | None = 0
    marker: int = 0  # the active-player marker
    marker_passes: int = 0  # times it was handed on since the last auction
    auction: Auction | None = None
    order: list[str] = field(default_factory=lambda: list(COMPANIES))  # the upper row of the order of play
    passed: list[str] = field(default_factory=list)  # its lower row
    active: str | None = None  # the active-company marker
    supply: int = INVESTMENT_CUBES
    goods: dict[str, str] = field(default_factory=dict)  # cubes on the board: city -> colour
    transcontinental: Transcontinental | None = None

    def left_of(self, seat: int) -> int:
        return (seat + 1) % len(self.players)

    def clockwise_from(self, seat: int) -> list[int]:
        """All seats in order of play, this one first."""
        return [(seat + k) % len(self.players) for k in range(len(self.players))]


def new_game(num_players: int, show_forced: bool = False) -> Game:
    """The set-up: nothing is drawn, seat 0 begins (ruling 55)."""
    return Game({"num_players": num_players, "show_forced": show_forced}, [Player() for _ in range(num_players)])


def to_dict(g: Game) -> dict:
    auction, link = g.auction, g.transcontinental
    return {
        "game": "steel_driver",
        "version": 1,
        **vars(g),
        "players": [vars(player) for player in g.players],
        "companies": {name: _company_to(company) for name, company in g.companies.items()},
        "auction": auction and vars(auction) | {"passed": sorted(auction.passed)},
        "transcontinental": link and vars(link),
    }


def _company_to(company: Company) -> dict:
    return vars(company) | {"links": [link.name for link in company.links]}


def from_dict(d: dict) -> Game:
    """A game from its dictionary."""
    auction, link = d["auction"], d["transcontinental"]
    parts = {
        "players": [Player(**player) for player in d["players"]],
        "companies": {name: _company_from(company) for name, company in d["companies"].items()},
        "auction": auction and Auction(**auction | {"passed": set(auction["passed"])}),
        "transcontinental": link and Transcontinental(**link),
    }
    return Game(**{key: part for key, part in (d | parts).items() if key not in ("game", "version")})


def _company_from(d: dict) -> Company:
    return Company(**d | {"links": [ROUTES[name] for name in d["links"]]})
