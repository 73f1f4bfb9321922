"""Who sits where: the games that are played on each deal.

Every deal is played by the same agents in all rotations of their seats, so that neither the deal nor the seat favours
anybody, and what remains is compared deal by deal.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Sequence

Seating = tuple[int, ...]  # the agent on each seat, by its index
MOST_LISTED = 7  # agents: of so many all 720 orders around a table are gone through, of more they are drawn


def rotations(table: Sequence[int]) -> list[Seating]:
    """All rotations of those at a table, each once."""
    turned = [(*table[shift:], *table[:shift]) for shift in range(len(table))]
    return list(dict.fromkeys(turned))


def seatings(num_agents: int, num_players: int, deal: int) -> list[Seating]:
    """The games of one deal between agents that all play all others.

    - As many agents as seats: all rotations of the seats. In which order they sit around the table changes from deal to
      deal: over (agents - 1)! deals, each order once.
    - More agents than seats: they stand in a circle of such an order. Each run of neighbours that fills the table is a
      table; each table plays in all rotations. On every deal every agent sits on every seat equally often. With one
      agent more than seats, and with any number at tables of one, these are all tables there are.
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
    order = _order(num_agents, deal)
    starts = range(num_agents if num_agents > num_players else 1)
    tables = [tuple(order[(start + k) % num_agents] for k in range(num_players)) for start in starts]
    return [seating for table in tables for seating in rotations(table)]


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
    """All orders around a table: what a rotation turns into each other is one."""
    return [(0, *rest) for rest in itertools.permutations(range(1, number))]


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
    """All different sequences with so many of each."""
    if places == 0:
        return [()]
    return [
        (agent, *rest)
        for agent, count in enumerate(counts)
        if count > 0
        for rest in _arrangements([n - (k == agent) for k, n in enumerate(counts)], places - 1)
    ]
