"""Who sits where: the games of each deal.

Every deal is played by the same agents in all rotations of their seats, so that neither the deal nor the seat favours
anyone, and the comparison is deal by deal. From three seats on it matters who sits before you: it is good to follow a
weak player. Rotations do not change that, so each order around the table is also played in the opposite direction.
(With two equal agents and a weak one, rotations alone do not lower the variance of their difference at all, and with
the opposite direction it vanishes; with two weak ones it is less than half.)
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Sequence

Seating = tuple[int, ...]  # the agent on each seat, by its index
MOST_LISTED = 7  # agents: up to 7, all orders around a table (360) are used in turn; beyond, random ones


def rotations(table: Sequence[int]) -> list[Seating]:
    """All different rotations of a table."""
    turned = [(*table[shift:], *table[:shift]) for shift in range(len(table))]
    return list(dict.fromkeys(turned))


def seatings(num_agents: int, num_players: int, deal: int) -> list[Seating]:
    """The games of one deal between agents that all play all others.

    - As many agents as seats: all rotations of the seats, in both directions around the table from three seats on. The
      order around the table changes from deal to deal, until all have occurred.
    - More agents than seats: they stand in a circle of such an order. Each run of neighbours that fills the table is a
      table, which plays as above. On every deal every agent sits on every seat equally often. With one agent more than
      seats, and with any number at tables of one, these are all possible tables.
    - Fewer agents than seats: every way to seat them in which none has two seats more than another.

    Args:
        num_agents: 1 or more.
        num_players: seats, 1 or more.
        deal: its number, 0 or more.

    Returns:
        The agent on each seat, for each game.
    """
    if num_agents < num_players:
        return list(_shared_seats(num_agents, num_players))
    order = _order(num_agents, deal) if num_players > 1 else range(num_agents)
    starts = range(num_agents if num_agents > num_players else 1)
    tables = [tuple(order[(start + k) % num_agents] for k in range(num_players)) for start in starts]
    if num_players >= 3:
        tables = [turned for table in tables for turned in (table, table[::-1])]
    return [seating for table in tables for seating in rotations(table)]


def arrangements(table: Sequence[int]) -> list[Seating]:
    """All different ways to seat a table where agents have several seats."""
    agents = sorted(set(table))
    return [
        tuple(agents[k] for k in each) for each in _arrangements([table.count(agent) for agent in agents], len(table))
    ]


def table_seatings(agents: int, players: int, tables: tuple[tuple[int, ...], ...] | None, deal: int) -> list[Seating]:
    """The games of one deal, with given tables or without.

    Args:
        agents, players: the numbers of each.
        tables: agents that sit together, by their numbers: each table plays the deal on all seats in turn, and an agent
            with several seats in all arrangements. None: all play all others (:func:`seatings`).
        deal: its number, 0 or more.
    """
    if tables is None:
        return seatings(agents, players, deal)
    chairs = seatings(players, players, deal)
    found: list[Seating] = []
    for table in tables:
        if len(set(table)) < players:
            found += arrangements(table)
        else:
            found += [tuple(table[chair] for chair in turned) for turned in chairs]
    return found


def _order(number: int, deal: int) -> Sequence[int]:
    """The order of agents around a table at a deal; each round of all orders has them in another sequence."""
    if number > MOST_LISTED:
        order = list(range(number))
        random.Random(deal).shuffle(order)
        return order
    orders = _orders(number)
    turn, place = divmod(deal, len(orders))
    sequence = list(range(len(orders)))
    random.Random(turn).shuffle(sequence)
    return orders[sequence[place]]


@functools.cache
def _orders(number: int) -> list[Seating]:
    """All orders around a table up to rotation and reflection."""
    return [(0, *rest) for rest in itertools.permutations(range(1, number)) if rest[:1] <= rest[-1:]]


@functools.cache
def _shared_seats(num_agents: int, num_players: int) -> tuple[Seating, ...]:
    """All seatings of fewer agents than seats in which the numbers of their seats differ by one at most."""
    least, over = divmod(num_players, num_agents)
    found = set()
    for more in itertools.combinations(range(num_agents), over):
        counts = [least + (agent in more) for agent in range(num_agents)]
        found.update(_arrangements(counts, num_players))
    return tuple(sorted(found))


def _arrangements(counts: Sequence[int], places: int) -> list[Seating]:
    """All different sequences with these counts."""
    if places == 0:
        return [()]
    return [
        (agent, *rest)
        for agent, count in enumerate(counts)
        if count > 0
        for rest in _arrangements([n - (k == agent) for k, n in enumerate(counts)], places - 1)
    ]
