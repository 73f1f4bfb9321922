"""Statistics of finished games as tables: decisions, departments, donations (`carnegie-env simulate`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.carnegie import actions
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import donations, scoring

Table = tuple[str, list[tuple[str, str]]]


def tables(batch: Any, played: NDArray[np.int64]) -> list[Table]:
    """Tables of a batch of finished games: titles, with pairs of a name and a number as texts.

    Args:
        batch: the games.
        played: the number of times each action was taken, int64 (A,).
    """
    options, games = batch.options, batch.games
    seats, number = options.num_players, batch.num_games
    kinds = np.bincount(actions.VERB[: len(played)], weights=played, minlength=len(actions.VERBS)) / number
    verbs = [(actions.VERBS[verb], f"{kinds[verb]:.2f}") for verb in np.argsort(-kinds) if kinds[verb] > 0]
    built = np.bincount(games["department"][:, :seats].ravel(), minlength=t.NUM_DEPARTMENTS) / number
    tiles = t.NUM_TILES if options.new_tiles else t.BASE_TILES
    names = [(t.DEPARTMENTS[code], f"{built[code]:.2f}") for code in range(1, tiles + 1)]
    found = [("decisions of each kind, per game", verbs), ("department tiles built, per game", names)]
    cells = (*t.DONATIONS, *t.NEW_DONATIONS)
    rules = np.array([[donations.rule_of(game, cell) for cell in range(t.NUM_DONATIONS)] for game in games])
    disks = np.zeros(len(cells))
    for seat in range(seats):
        disks += np.bincount(rules[games["donation"] >> seat & 1 == 1], minlength=len(cells)) / number
    shown = len(cells) if options.new_donations else len(t.DONATIONS)
    pairs = [(cell, f"{disks[k]:.2f}") for k, cell in enumerate(cells[:shown])]
    found.append(("disks of players on donation cells, per game", pairs))
    if options.secret_donation:
        secret = batch.breakdown()[:, :seats, scoring.SECRET].mean(axis=0)
        pairs = [(f"player_{seat}", f"{secret[seat]:.2f}") for seat in range(seats)]
        found.append(("secret donations: VP per player and game", pairs))
    return found
