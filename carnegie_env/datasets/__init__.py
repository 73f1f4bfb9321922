"""Games in files, by the million: docs/datasets.md. Needs the extra `data` (pyarrow), `TorchDataset` torch as well.

manifest     the settings of a dataset, and its finished shards
columns      the games of a shard as arrays, as a table of Arrow, as a Parquet file
writing      a folder that shards are added to, whole or not at all
reading      Dataset: games one by one, shards with all their checks
replay       games played again into observations, masks, actions and returns
for_torch    the same as a dataset of PyTorch
for_minari   the same games as a dataset of Minari
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carnegie_env.datasets.columns import DamagedShard as DamagedShard
    from carnegie_env.datasets.for_minari import export_minari as export_minari
    from carnegie_env.datasets.for_torch import TorchDataset as TorchDataset
    from carnegie_env.datasets.reading import Dataset as Dataset
    from carnegie_env.datasets.reading import PlayedGame as PlayedGame
    from carnegie_env.datasets.replay import Decisions as Decisions

_WHERE = {
    "Dataset": "reading",
    "DamagedShard": "columns",
    "PlayedGame": "reading",
    "Decisions": "replay",
    "TorchDataset": "for_torch",
    "export_minari": "for_minari",
}  # imported when asked for: not everybody has torch
__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
