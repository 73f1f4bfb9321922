"""The catalogue of actions: every action's number and text.

An action means the same verb and argument in every phase:

- `pass`: hand the active-player marker on; bid no more in this auction.
- `bid 4`: raise the standing bid to 4 cubes.
- `open green 3`: put the control marker of the green company up for auction, bidding 3 cubes oneself.
- `build denver omaha`: build the link of that route. The order of the cities is that of the component file. As a
  company's first link it starts in the city that is named first, which must be a start city, and earns the value of the
  other one; there is a text with the cities exchanged where the second is a start city, for such first links only.
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
