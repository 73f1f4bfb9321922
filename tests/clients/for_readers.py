"""Datasets read as they are by pyarrow, Polars, pandas and Hugging Face's datasets."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from carnegie_env.datasets import Dataset
from tests.clients.games import dataset


@functools.cache
def made() -> Dataset:
    """Some games with two agents."""
    return dataset(Path(tempfile.mkdtemp()), num_players=2, values=True)


def wanted() -> list[tuple]:
    """What a reader must find."""
    return [
        (game.seed, game.actions.tolist(), list(game.scores), list(game.places), list(game.agents)) for game in made()
    ]


def _check(rows) -> None:
    found = [
        (int(row["seed"]), list(map(int, row["actions"])), list(map(int, row["scores"])), list(map(int, row["result"])),
         [agent["name"] for agent in row["agents"]])
        for row in rows
    ]  # fmt: skip
    assert found == wanted()
    for row in rows:
        assert len(row["values"]) == len(row["visits"]) == row["decisions"] == len(row["actions"])


def check_pyarrow() -> None:
    """pyarrow: a folder as a dataset of Arrow."""
    import pyarrow.dataset

    opened = pyarrow.dataset.dataset(made().path, format="parquet", exclude_invalid_files=True)
    _check(opened.to_table().to_pylist())
    few = opened.to_table(columns=["seed", "scores"], filter=pyarrow.dataset.field("seed") < made()[2].seed)
    assert few.num_rows == 2 and few.column_names == ["seed", "scores"]


def check_polars() -> None:
    """polars: read_parquet, and a lazy scan."""
    import polars

    files = str(made().path / "*.parquet")
    _check(polars.read_parquet(files).sort("seed").to_dicts())
    mean = polars.scan_parquet(files).select(polars.col("scores").list.first().mean()).collect().item()
    assert abs(mean - sum(game.scores[0] for game in made()) / len(made())) < 1e-9


def check_pandas() -> None:
    """pandas: read_parquet of a shard after the other."""
    import pandas

    frames = [pandas.read_parquet(made().path / shard.name) for shard in made().shards]
    _check(pandas.concat(frames).to_dict("records"))


def check_hugging_face() -> None:
    """datasets of Hugging Face: load_dataset, in memory and as a stream."""
    import datasets

    files = str(made().path / "*.parquet")
    cache = str(made().path / "cache")
    _check(list(datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=cache)))
    _check(list(datasets.load_dataset("parquet", data_files=files, split="train", streaming=True, cache_dir=cache)))
