"""The catalogue of actions: every action's number and text.

An action means the same verb and argument in every phase:

- `pass`: hand the active-player marker on, or drop out of this auction.
- `bid 4`: raise the standing bid to 4 cubes.
- `open green 3`: put the control marker of the green company up for auction with a bid of 3 cubes.
- `build denver omaha`: build a link on that route, with the cities in the order of the component file. A company's
  first link starts in the first city of the text, which must be a start city, and earns the value of the other one; if
  the second city of a route is a start city, there is a text with the cities exchanged, for first links only.
- `take goods chicago`: take the goods cube that lies there (final scoring phase).
"""

from __future__ import annotations

from carnegie_env.steel_driver import tables as t

_texts: list[str] = []


def _block(texts: list[str]) -> int:
    """Append actions; return the first of them."""
    start = len(_texts)
    _texts.extend(texts)
    return start


_BIDS = range(1, t.CUBES + 1)
PASS = _block(["pass"])
BID = _block([f"bid {cubes}" for cubes in _BIDS])  # BID + n - 1: `bid n`
OPEN = _block([f"open {company} {cubes}" for company in t.COMPANIES for cubes in _BIDS])  # by company, then by bid
BUILD = _block([f"build {route}" for route in t.ROUTES])
BUILD_BACK = _block(["build " + " ".join(reversed(t.ROUTES[route].split())) for route in t.BACKWARD.tolist()])
TAKE = _block([f"take goods {city}" for city in t.CITIES])

TEXTS: tuple[str, ...] = tuple(_texts)
NUM_ACTIONS = len(TEXTS)
