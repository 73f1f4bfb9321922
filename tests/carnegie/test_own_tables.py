"""Rules that are more general than the shipped tables need, shown by other tables.

The rules are made again from changed tables, as plain Python (tests/every_value), if need be in another process.
"""

import importlib
import types
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numba import config

from carnegie_env.carnegie import actions
from carnegie_env.carnegie import tables as shipped
from tests.commands import python
from tests.every_value.carnegie import CARNEGIE, legal_actions
from tests.every_value.sweep import Editions, replaced

WEST = shipped.REGIONS.index("west")


def edition(editions: Editions, file: str, *path_and_value: Any) -> tuple[types.SimpleNamespace, types.ModuleType]:
    """The rules with one value of a file replaced, and their module of transport tracks."""
    *path, value = path_and_value
    data = msgspec.to_builtins(getattr(shipped.FACTS, file))
    assert not editions.refused(file, replaced(data, tuple(path), value))
    return editions.rules(), importlib.import_module("carnegie_env.carnegie.rules.transport")


def new_game(rules: types.SimpleNamespace) -> np.ndarray:
    return rules.setup.template(rules.options.Options(num_players=2, new_departments=True))


def a_reward_at_the_end_of_a_track_may_be_vp(editions: Editions) -> None:
    """Ruling 27; the shipped rewards are money and goods."""
    rules, transport = edition(editions, "board", "track", WEST, "first_reward", {"vp": 4})
    games = new_game(rules)
    games["track"][0, 1, WEST] = transport.LAST_SPACE - 1
    wanted = games.copy()
    wanted["track"][0, 1, WEST] = transport.LAST_SPACE
    wanted["vp"][0, 1] += 4
    transport.advance(games[0], 1, WEST)
    assert games[0] == wanted[0]


def archives_may_reach_fewer_levels_down(editions: Editions) -> None:
    """Ruling P14; the shipped tile reaches down to the first space from everywhere."""
    archives = shipped.ARCHIVES - 1
    rules, transport = edition(editions, "departments", "department", archives, "effect", "levels_below", 2)
    first = actions.LEVEL
    for space, reached in ((0, [0]), (1, [0, 1]), (2, [0, 1, 2]), (3, [1, 2, 3]), (4, [2, 3, 4])):
        games = new_game(rules)
        games["track"][0, 0, WEST], games["level_region"], games["legal"] = space, WEST, 0
        transport.legal_level(games[0])
        assert [action - first for action in dict.fromkeys(legal_actions(games[0]))] == reached, space


CHECKS = (a_reward_at_the_end_of_a_track_may_be_vp, archives_may_reach_fewer_levels_down)


def test_rules_that_the_shipped_tables_do_not_need() -> None:
    if not config.DISABLE_JIT:
        python("-m", "pytest", "-q", "-n", 0, "-p", "no:cacheprovider", Path(__file__), NUMBA_DISABLE_JIT="1",
               PYTEST_ADDOPTS="")  # fmt: skip
        return
    with Editions(CARNEGIE) as editions:
        for check in CHECKS:
            check(editions)
