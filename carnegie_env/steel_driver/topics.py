"""What the things in a picture of Steel Driver are, for people, by the keys that its parts name."""

from __future__ import annotations

from carnegie_env.core.game import Topic
from carnegie_env.steel_driver import tables as t

_SETS = ", ".join(f"${value}" for value in t.SET_VALUE[1:].tolist())
_CUBES = t.ROUND_CUBES[t.LEAST_SEATS :].tolist()
_ENDS = " and ".join(t.CITIES[city].replace("_", " ").title() for city in (t.EAST, t.WEST))
_BUILDER, _OTHERS = t.BUILDER_BONUS, t.OTHERS_BONUS

TOPICS = {
    "auctions": Topic(
        "Auctions",
        "Whoever holds the active-player marker puts a company's control marker up and bids at least one investment "
        "cube, or hands the marker on to the left. Clockwise each other player bids more or is out of this auction. "
        "The winner's cubes go into the company; he controls it for this round and keeps a share of it for good. The "
        "phase ends when all companies are sold, or when everybody has handed the marker on since the last auction.",
        "rulebook, phase 2; rulings 48, 53, 55",
    ),
    "building": Topic(
        "Building",
        "In the order of the round the companies build a link each, again and again, until all have passed. Who "
        "controls a company decides where; it pays the link's cost with its cubes, and must build if it can. A company "
        "passes when it can pay for no link any more. The order of passing is the order of the next round.",
        "rulebook, phase 3; rulings 47, 49",
    ),
    "final_scoring": Topic(
        "Final scoring phase",
        "Every connected city gets a goods cube of its colour. Most shares of a company give control of it; of equals "
        "it is the first clockwise from who bought it last. In turn each company takes a cube from a city of its "
        "network, while it can. Each share then pays the value of all sets of goods cubes of its company. The most "
        "money wins; of equals, the one whose companies have more goods cubes.",
        "rulebook, final scoring; rulings 51, 52",
    ),
    "game_over": Topic(
        "End of the game",
        "A player has the profits that he was paid in the rounds, and for each share the value of its company's sets "
        "of goods cubes. The most money wins; of equals, the one whose companies have more goods cubes.",
        "rulebook, final scoring; ruling 52",
    ),
    "city": Topic(
        "City",
        "A company that connects a city for the first time earns the value in it. The letter, and the colour, are "
        "those of the goods cube that it gets in the final scoring phase. A hexagon is a start city: there a company's "
        "first link may begin, and the city where it begins never pays that company.",
        "rulebook, phase 3; ruling 55",
    ),
    "route": Topic(
        "Route",
        "A link can be built on it by one company. The number is what it costs in investment cubes, which go back to "
        "the supply. All links of a company but the first begin at its network.",
        "rulebook, phase 3; ruling 49",
    ),
    "company": Topic(
        "Company",
        "Companies stand in the order of the round. Each has investment cubes, which it keeps until it spends them, "
        f"{t.LINKS} links and {t.SHARES} shares. Who controls it gets its profit at the end of the round; the profit "
        "of a company that nobody controls is lost. Whoever has most of its shares controls it in the final scoring.",
        "rulebook, phases 2 to 5; rulings 47, 51",
    ),
    "player": Topic(
        "Player",
        f"In each round a player gets {_CUBES[0]}, {_CUBES[1]}, {_CUBES[2]} or {_CUBES[3]} investment cubes with 3, 4, "
        "5 or 6 players; what he does not bid he keeps. Money is paid profits; it cannot be spent. His shares are "
        "counted by company.",
        "rulebook, phases 1 and 4; ruling 54",
    ),
    "supply": Topic(
        "Supply",
        f"There are {t.CUBES} investment cubes. If too few are left for all players, everybody gets equally many, and "
        "the rest stays.",
        "rulebook, phase 1; ruling 54",
    ),
    "transcontinental": Topic(
        "Transcontinental link",
        f"The first time that links, of whatever companies, connect {_ENDS}, the company that "
        f"completes it earns ${_BUILDER} more, and each other company that takes part ${_OTHERS}: those of the "
        "connections with the fewest companies, and of these with the fewest links.",
        "rulebook, phase 3; ruling 50",
    ),
    "sets": Topic(
        "Sets of goods",
        "A company's goods cubes are arranged in sets of different colours, as is best for it. A set of 1 to "
        f"{len(t.GOODS)} cubes is worth {_SETS}. Every share pays the sum of its company's sets.",
        "rulebook, final scoring; ruling 52",
    ),
}
