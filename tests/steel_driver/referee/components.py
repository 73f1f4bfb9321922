"""The components: cities, routes and companies as the component file has them."""

import tomllib
from dataclasses import dataclass

from tests.paths import ROOT

FACTS = ROOT / "carnegie_env" / "steel_driver" / "facts" / "steel_driver.toml"
_FILE = tomllib.loads(FACTS.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class City:
    id: str
    start: bool  # a hexagon: companies can be started here
    value: int  # $ of profit for connecting it
    goods: str  # the colour of its goods cube


@dataclass(frozen=True)
class Route:
    ends: tuple[str, str]
    cost: int  # investment cubes

    @property
    def name(self) -> str:
        return " ".join(self.ends)

    def other_end(self, city: str) -> str:
        return self.ends[1] if city == self.ends[0] else self.ends[0]


COMPANIES: list[str] = _FILE["game"]["companies"]
COLOURS: list[str] = list(_FILE["game"]["goods_cubes"])
INVESTMENT_CUBES: int = _FILE["game"]["investment_cubes"]
LINKS: int = _FILE["game"]["links_per_company"]
CITIES = {city["id"]: City(city["id"], city["start"], city["value"], city["goods"]) for city in _FILE["city"]}
ROUTES = {route.name: route for route in (Route((a, b), cost) for a, b, cost in _FILE["network"]["routes"])}
