"""The invariants of a position: by the number that checks.py gives each, where it is broken and what is wrong."""

from __future__ import annotations

FAULTS = (
    ("", ""),
    ("phase", "to_play, marker, auction and active do not go with this phase, or this phase not with this round"),
    ("passed", "these companies can't have passed in this phase, or others must have"),
    ("auction", "the bidders' cubes, passes and turns allow no such auction"),
    ("companies", "shares, controllers and sales do not go together"),
    ("companies", "some company can't have built these links from this start, or some route has two"),
    ("companies", "the profit of some company is not that of its last links, or of its sets"),
    ("players", "cash and profits are not what all links have earned"),
    ("transcontinental", "it is there if and only if the links of its companies connect both ends"),
    ("goods", "cubes on the map and those of the companies are not one for each connected city"),
    ("", "the derived fields are stale"),
    ("to_play", "there is no choice to make"),
)
(
    _, TURN, PASSED, AUCTION, CONTROL, NETWORK, PROFIT, CASH, TRANSCONTINENTAL, GOODS, DERIVED, FORCED,
) = range(len(FAULTS))  # fmt: skip
