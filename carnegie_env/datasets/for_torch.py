"""Games played again as a dataset of PyTorch. It needs torch (the extra `train`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from carnegie_env.datasets.reading import REFUSE, Dataset
from carnegie_env.datasets.replay import Decisions


class TorchDataset(IterableDataset[Decisions]):
    """Batches of decisions as tensors; see :meth:`Dataset.replay`.

    Give it to a `DataLoader` with ``batch_size=None``: the batches are made here. The workers of a loader share the
    games, as do the processes of `torch.distributed`; together they show every decision once.

    Args:
        path: the folder of a dataset.
        batch_size, damaged: see :class:`Dataset` and :meth:`Dataset.replay`.
        seed: of the order in the first epoch; each further one has the next seed, see :meth:`set_epoch`.
        **arguments: of :meth:`Dataset.replay`, except ``worker``, ``workers`` and ``reuse``.

    Raises:
        ValueError: no dataset, or a wrong argument.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        batch_size: int = 4096,
        *,
        damaged: str = REFUSE,
        seed: int = 0,
        **arguments: Any,
    ) -> None:
        super().__init__()
        for name in ("worker", "workers", "reuse"):
            if name in arguments:
                raise ValueError(f"{name} is not given here: the loader's workers share the games by themselves")
        self._arguments = {"batch_size": batch_size, **arguments}
        self._dataset = Dataset(path, damaged)
        self._seed = seed
        self._epoch = 0
        self._dataset.replay(seed=seed, **self._arguments)  # refuses what can't be before any worker is started

    @property
    def dataset(self) -> Dataset:
        return self._dataset

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, 0 or more, whose order the next iteration uses; iterating does not count epochs itself."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[Decisions]:
        """The batches of this worker."""
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            worker += workers * torch.distributed.get_rank()
            workers *= torch.distributed.get_world_size()
        seed = self._seed + self._epoch
        for batch in self._dataset.replay(seed=seed, worker=worker, workers=workers, **self._arguments):
            yield Decisions(*(torch.from_numpy(part) if isinstance(part, np.ndarray) else part for part in batch))
