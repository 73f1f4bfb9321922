"""Replayed games as a PyTorch dataset. Needs torch (the extra `train`)."""

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

    Pass it to a `DataLoader` with ``batch_size=None``, because it yields whole batches. The workers of a loader and the
    processes of `torch.distributed` share the games; together they yield every decision once.

    Args:
        path: the folder of a dataset.
        batch_size, damaged: see :meth:`Dataset.replay` and :class:`Dataset`.
        seed: the seed of the order in epoch 0; epoch n uses seed + n, see :meth:`set_epoch`.
        **arguments: arguments of :meth:`Dataset.replay`, except ``worker``, ``workers`` and ``reuse``.

    Raises:
        ValueError: there is no dataset, or an argument is wrong.
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
                raise ValueError(f"omit {name}: the loader's workers share the games automatically")
        self._arguments = {"batch_size": batch_size, **arguments}
        self._dataset = Dataset(path, damaged)
        self._seed = seed
        self._epoch = torch.zeros(1, dtype=torch.int64)
        self._epoch.share_memory_()  # type: ignore[no-untyped-call]  # persistent workers also get a new epoch
        self._dataset.replay(seed=seed, **self._arguments)  # raises errors before any worker starts

    @property
    def dataset(self) -> Dataset:
        return self._dataset

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, 0 or more, for the order of the next iteration. Iterating does not change it."""
        self._epoch[0] = epoch

    def __iter__(self) -> Iterator[Decisions]:
        """Yield the batches of this worker."""
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            worker += workers * torch.distributed.get_rank()
            workers *= torch.distributed.get_world_size()
        seed = self._seed + int(self._epoch)
        for batch in self._dataset.replay(seed=seed, worker=worker, workers=workers, **self._arguments):
            yield Decisions(*(torch.from_numpy(part) if isinstance(part, np.ndarray) else part for part in batch))
