"""The transcontinental link: once in a game, the companies of the first line New York - San Francisco earn a bonus."""

from collections import deque
from itertools import combinations

from .components import Route
from .position import Game, Transcontinental

ENDS = ("new_york", "san_francisco")
BUILDER, OTHERS = 50, 30  # $ of profit


def look(g: Game, builder: str) -> None:
    """Pay the bonus at once if the link just built completes the line for the first time. Every company that takes part
    gets profit, also if it passed this round (ruling 55), or has no controller, so that nobody is paid (ruling 47)."""
    if g.transcontinental is not None:
        return
    companies = companies_of_the_line({name: company.links for name, company in g.companies.items()})
    if not companies:
        return
    g.transcontinental = Transcontinental(builder, [name for name in g.companies if name in companies])
    for name in companies:
        g.companies[name].profit += BUILDER if name == builder else OTHERS


def companies_of_the_line(links: dict[str, list[Route]]) -> set[str]:
    """Ruling 50: all companies of all paths with the fewest companies, among these with the fewest links.

    A path over the links of a group of companies needs all of them if no smaller group has a path. So the result is all
    members of those smallest groups with a path whose path is shortest.
    """
    if shortest([link for own in links.values() for link in own]) is None:
        return set()
    for size in range(1, len(links) + 1):
        lengths = {}
        for group in combinations(links, size):
            length = shortest([link for name in group for link in links[name]])
            if length is not None:
                lengths[group] = length
        if lengths:
            best = min(lengths.values())
            return {name for group, length in lengths.items() if length == best for name in group}
    raise AssertionError("there is a line, but no group of companies has it")


def shortest(links: list[Route]) -> int | None:
    """Links from New York to San Francisco; None if these do not lead there."""
    start, goal = ENDS
    distance, reached = {start: 0}, deque([start])
    while reached:
        city = reached.popleft()
        for link in links:
            if city in link.ends and link.other_end(city) not in distance:
                distance[link.other_end(city)] = distance[city] + 1
                reached.append(link.other_end(city))
    return distance.get(goal)
