"""The schedule: the games of each deal, with the agent on each seat.

The same agents play every deal in all rotations of their seats, so neither the deal nor the seat favours an agent, and
agents are compared deal by deal. With three or more seats it is an advantage to follow a weak player. Rotations do not
change the order, so each order around the table is also played in the opposite direction. (With two equal agents and a
weak one, rotations alone do not lower the variance of their difference at all; with both directions it vanishes.)
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Sequence

Seating = tuple[int, ...]  # the agent on each seat, by its index
MOST_LISTED = 7  # agents whose orders around the table (360) are all used in turn; with more agents they are random


def rotations(table: Sequence[int]) -> list[Seating]:
    """All different rotations of a table."""
    turned = [(*table[shift:], *table[:shift]) for shift in range(len(table))]
    return list(dict.fromkeys(turned))


def seatings(num_agents: int, num_players: int, deal: int) -> list[Seating]:
    """The games of one deal if all agents play each other.

    - As many agents as seats: all rotations of the seats, in both directions around the table from three seats on. The
      order around the table changes from deal to deal, until all orders have occurred.
    - More agents than seats: the agents form a circle in such an order. Each run of neighbours that fills a table plays
      as above. On every deal each agent has each seat equally often.
    - Fewer agents than seats: all arrangements in which the numbers of the agents' seats differ by at most one.

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
    """All different arrangements of a table at which agents have several seats."""
    return sorted(set(itertools.permutations(table)))


def table_seatings(agents: int, players: int, tables: tuple[tuple[int, ...], ...] | None, deal: int) -> list[Seating]:
    """The games of one deal, with or without given tables.

    Args:
        agents, players: their numbers.
        tables: agents that sit together, by number: each table plays the deal in all rotations, or in all arrangements
            if an agent has several seats. None: all agents play each other (:func:`seatings`).
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
    """The order of agents around the table on a deal. All orders are used in turn, each time in another sequence."""
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
    """All orders around a table, up to rotation and reflection."""
    return [(0, *rest) for rest in itertools.permutations(range(1, number)) if rest[:1] <= rest[-1:]]


@functools.cache
def _shared_seats(num_agents: int, num_players: int) -> tuple[Seating, ...]:
    """All arrangements in which the numbers of the agents' seats differ by at most one."""
    least, over = divmod(num_players, num_agents)
    found = set()
    for more in itertools.combinations(range(num_agents), over):
        found.update(arrangements([*range(num_agents)] * least + [*more]))
    return tuple(sorted(found))
