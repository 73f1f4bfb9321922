"""Decisions as tensors, shared among the workers of a loader."""

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("torch")

import torch
from torch.utils.data import DataLoader

from carnegie_env import collection
from carnegie_env.datasets import Decisions, TorchDataset, reading
from tests.datasets.games import make
from tests.toy.game import SIXES


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A dataset of the toy game, which the loader's forked workers also find."""
    real = collection.find
    monkeypatch.setattr(reading.collection, "find", lambda name: SIXES if name == "sixes" else real(name))
    return make(tmp_path, "Thoughtful", "random", values=True)


def test_tensors_of_the_same_decisions(made):
    batches = list(TorchDataset(made.path, 32, shuffle=64, seed=4, values=True))
    arrays = list(made.replay(32, shuffle=64, seed=4, values=True))
    assert len(batches) == len(arrays) > 5
    for batch, wanted in zip(batches, arrays, strict=True):
        assert isinstance(batch, Decisions)
        for tensor, array in zip(batch, wanted, strict=True):
            assert isinstance(tensor, torch.Tensor)
            np.testing.assert_array_equal(tensor.numpy(), array)
    assert next(iter(TorchDataset(made.path, 32, dtype="uint8"))).observations.dtype == torch.uint8


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_with_workers_yields_every_decision_once(made, workers):
    data = TorchDataset(made.path, 32, shuffle=64, dtype="uint8")
    loader = DataLoader(data, batch_size=None, num_workers=workers, persistent_workers=workers > 0)
    games = torch.cat([batch.games for batch in loader]).tolist()
    assert sorted(games) == [game.number for game in made for _ in game.actions]
    data.set_epoch(1)
    again = torch.cat([batch.games for batch in loader]).tolist()
    assert sorted(again) == sorted(games) and again != games


def test_processes_of_a_group_share_the_games(made, monkeypatch):
    whole = sorted(game for batch in made.replay(32) for game in batch.games.tolist())
    found = []
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
    for rank in range(2):
        monkeypatch.setattr(torch.distributed, "get_rank", lambda rank=rank: rank)
        found += [torch.cat([batch.games for batch in TorchDataset(made.path, 32)]).tolist()]
    assert sorted(found[0] + found[1]) == whole and not {*found[0]} & {*found[1]}


def test_wrong_arguments(made):
    with pytest.raises(ValueError, match="batch_size must be"):
        TorchDataset(made.path, 0)
    with pytest.raises(ValueError, match="omit workers"):
        TorchDataset(made.path, workers=2)
