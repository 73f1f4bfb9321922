"""The invariants of a position: by the number that checks.py gives each, where it is broken and what is wrong."""

from __future__ import annotations

from carnegie_env.steel_driver.tables import COMPANIES, NUM_COMPANIES

_OF_ALL = (
    ("", ""),
    ("phase", "to_play, marker, auction and active do not go with this phase, or this phase not with this round"),
    ("passed", "these companies can't have passed in this phase, or others must have"),
    ("auction", "the bidders' cubes, passes and turns allow no such auction"),
    ("companies", "a route has two links"),
    ("players", "cubes held and spent on links are more than were handed out by this round"),
    ("players", "cash and profits are not what all links have earned"),
    ("transcontinental", "it is there if and only if the links of its companies connect both ends"),
    ("transcontinental.builder", "must be one of transcontinental.companies"),
    ("goods", "cubes on the map and those of the companies are not one for each connected city"),
    ("", "the derived fields are stale"),
    ("to_play", "there is no choice to make"),
)
(
    _, TURN, PASSED, AUCTION, ROUTES, CUBES, CASH, TRANSCONTINENTAL, BUILDER, GOODS, DERIVED, FORCED,
) = range(len(_OF_ALL))  # fmt: skip

# Of each company; the number of one's fault is that of the first's and its place.
_OF_ONE = (
    ("", "shares, controller, last_controller and sold do not go together"),
    (".start", "must be a start city once there are links, null before"),
    (".links", "do not hang together from the start city on, or nobody has ever bought the company"),
    (".cubes", "must be 0 in the final scoring phase, and before anybody has bought the company"),
    (".profit", "is not what the last links have earned, or not the value of the sets"),
)
CONTROL, START, LINKS, COMPANY_CUBES, PROFIT = range(len(_OF_ALL), len(_OF_ALL) + len(_OF_ONE) * NUM_COMPANIES,
                                                     NUM_COMPANIES)  # fmt: skip

FAULTS = (*_OF_ALL, *((f"companies.{name}{key}", text) for key, text in _OF_ONE for name in COMPANIES))
