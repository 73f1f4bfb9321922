"""Millions of games in files: docs/datasets.md. Needs the extra `data` (pyarrow); `TorchDataset` also needs torch.

manifest     the settings of a dataset and its finished shards
columns      the games of a shard as arrays and as a Parquet file
writing      adding shards to a folder, each written whole or not at all
reading      Dataset: games one by one, shards with all their checks
replay       replaying games into observations, masks, actions and returns
for_torch    replayed games as a PyTorch dataset
for_minari   games as a Minari dataset
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
}  # imported on first use, because torch is optional
__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
