"""Statistics of finished games as tables: decisions, companies (`carnegie-env simulate`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.steel_driver import actions
from carnegie_env.steel_driver import tables as t

Table = tuple[str, list[tuple[str, str]]]

_STARTS = (actions.PASS, actions.BID, actions.OPEN, actions.BUILD, actions.TAKE)
_VERBS = ("pass", "bid", "open", "build", "take goods")


def tables(batch: Any, played: NDArray[np.int64]) -> list[Table]:
    """Tables of a batch of finished games: titles, with pairs of a name and a number as texts.

    Args:
        batch: the games.
        played: the number of times each action was taken, int64 (A,).
    """
    games, number = batch.games, batch.num_games
    kinds = np.add.reduceat(played, _STARTS) / number
    sold = games["shares"].sum(axis=1).mean(axis=0)
    links, sets = games["num_links"].mean(axis=0), games["profit"].mean(axis=0)
    linked = (games["transcontinental"] > 0).mean()
    return [
        ("decisions of each kind, per game", [(verb, f"{n:.2f}") for verb, n in zip(_VERBS, kinds, strict=True)]),
        ("companies: times sold, links, value of the sets", [
            (name, f"{sold[k]:.2f}  {links[k]:.2f}  ${sets[k]:.0f}") for k, name in enumerate(t.COMPANIES)
        ]),
        ("games with a transcontinental link", [("share", f"{linked:.2f}")]),
    ]  # fmt: skip
