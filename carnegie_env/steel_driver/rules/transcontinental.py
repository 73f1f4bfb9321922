"""The transcontinental link: the first series of links from New York to San Francisco (ruling 50).

The links of a company form one network. So the links of some companies connect two cities if and only if a chain of
their networks, each sharing a city with the next, leads from one to the other.
"""

from __future__ import annotations

from carnegie_env.core.arrays import int64
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit, popcount
from carnegie_env.steel_driver import events
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.state import Record, bit

ENDS = (1 << t.EAST) | (1 << t.WEST)
ALL_SETS = 1 << t.NUM_COMPANIES
FAR = t.NUM_CITIES  # more links than any path has


@jit
def look_for(game: Record, builder: int) -> None:
    """If a link just built completes the transcontinental link, raise the profit of the companies that take part."""
    if game.transcontinental or not is_there(game, ALL_SETS - 1):
        return
    game.transcontinental = companies_of(game)
    game.link_builder = builder
    emit(events.LINKED, builder)
    for company in range(t.NUM_COMPANIES):
        if game.transcontinental & bit(company):
            emit(events.BONUS, company, bonus(game, company))
            game.profit[company] += bonus(game, company)


@jit
def bonus(game: Record, company: int) -> int:
    """What a company earned by the transcontinental link, in $."""
    if not game.transcontinental & bit(company):
        return 0
    return t.BUILDER_BONUS if game.link_builder == company else t.OTHERS_BONUS


@jit
def is_there(game: Record, companies: int) -> bool:
    """Whether the links of a set of companies connect the two ends."""
    cities = int64(0)
    for company in range(t.NUM_COMPANIES):
        if companies & bit(company):
            cities |= game.network[company]
    if cities & ENDS != ENDS:
        return False
    reached, before = bit(t.EAST), int64(0)
    while reached != before and not reached & bit(t.WEST):
        before = reached
        for company in range(t.NUM_COMPANIES):
            if companies & bit(company) and game.network[company] & reached:
                reached |= game.network[company]
    return reached & bit(t.WEST) != 0


@jit
def companies_of(game: Record) -> int:
    """Bit set of the companies that take part: those of all paths with the fewest companies, then the fewest links.

    A set of as few companies as there can be is needed whole by each of its paths.
    """
    fewest, shortest, found = t.NUM_COMPANIES, FAR, 0
    for companies in range(1, ALL_SETS):
        number = popcount(companies)
        if number <= fewest and is_there(game, companies):
            links = length(game, companies)
            if number < fewest or links < shortest:
                fewest, shortest, found = number, links, companies
            elif links == shortest:
                found |= companies
    return found


@jit
def length(game: Record, companies: int) -> int:
    """Links of the shortest path between the two ends over the links of a set of companies that has one."""
    reached, links = bit(t.EAST), 0
    while not reached & bit(t.WEST):
        around = reached
        for company in range(t.NUM_COMPANIES):
            if companies & bit(company) and game.network[company] & reached:
                for k in range(game.num_links[company]):
                    ends = t.ROUTE_ENDS[int64(game.links[company, k])]
                    if ends & reached:
                        around |= ends
        reached = around
        links += 1
    return links
