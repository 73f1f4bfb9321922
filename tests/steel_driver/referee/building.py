"""Phase 3: companies build links, one after the other."""

from dataclasses import dataclass

from . import transcontinental
from .components import CITIES, LINKS, ROUTES, Route
from .position import Company, Game


@dataclass(frozen=True)
class Link:
    """A link that a company can build: along a route, from a city towards another."""

    route: Route
    origin: str
    end: str
    text: str


def possible_links(g: Game, company: Company) -> list[Link]:
    """Links on free routes that the company can pay, connected with its own links; its first link of the game (ruling
    55) starts in a start city. Links that earn nothing are also legal (ruling 49)."""
    if company.controller is None or len(company.links) == LINKS:  # rulings 47 and 49
        return []
    built = {link.name for other in g.companies.values() for link in other.links}
    free = [route for name, route in ROUTES.items() if name not in built and route.cost <= company.cubes]
    if company.links:
        own = company.cities
        return [_later_link(route, own) for route in free if own & set(route.ends)]
    return [
        Link(route, origin, route.other_end(origin), f"build {origin} {route.other_end(origin)}")
        for route in free
        for origin in route.ends
        if CITIES[origin].start
    ]


def _later_link(route: Route, own: set[str]) -> Link:
    """Its text has the cities in the route's order, whatever the company's network."""
    origin = next(city for city in route.ends if city in own)
    return Link(route, origin, route.other_end(origin), f"build {route.name}")


def build(g: Game, name: str, text: str) -> None:
    company = g.companies[name]
    connected = company.cities
    link = next(link for link in possible_links(g, company) if link.text == text)
    company.cubes -= link.route.cost
    g.supply += link.route.cost
    company.links.append(link.route)
    if company.start is None:
        company.start = link.origin  # connected now, but it never pays (ruling 49)
    if link.end not in connected:  # no city pays a company twice
        company.profit += CITIES[link.end].value
    transcontinental.look(g, name)
