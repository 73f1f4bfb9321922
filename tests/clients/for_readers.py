"""Reading datasets with pyarrow, Polars, pandas and Hugging Face's datasets."""

import functools
import tempfile
from pathlib import Path

from carnegie_env.datasets import Dataset
from tests.clients.games import dataset


@functools.cache
def made() -> Dataset:
    """A dataset with two agents."""
    return dataset(Path(tempfile.mkdtemp()), num_players=2, values=True)


def _check(rows) -> None:
    """Compare a reader's rows with the games."""
    for row, game in zip(rows, made(), strict=True):
        assert int(row["seed"]) == game.seed and [agent["name"] for agent in row["agents"]] == list(game.agents)
        for column, numbers in (("actions", game.actions), ("scores", game.scores), ("result", game.places)):
            assert list(map(int, row[column])) == list(map(int, numbers))
        assert len(row["values"]) == len(row["visits"]) == row["decisions"] == len(row["actions"])


def check_pyarrow() -> None:
    """pyarrow: a folder as an Arrow dataset."""
    import pyarrow.dataset

    opened = pyarrow.dataset.dataset(made().path)
    _check(opened.to_table().to_pylist())
    few = opened.to_table(columns=["seed", "scores"], filter=pyarrow.dataset.field("seed") < made()[2].seed)
    assert few.num_rows == 2 and few.column_names == ["seed", "scores"]


def check_polars() -> None:
    """polars: read_parquet and a lazy scan."""
    import polars

    rows = polars.scan_parquet(str(made().path), hidden_file_prefix="_")
    _check(rows.sort("seed").collect().to_dicts())
    mean = rows.select(polars.col("scores").list.first().mean()).collect().item()
    assert abs(mean - sum(game.scores[0] for game in made()) / len(made())) < 1e-9


def check_pandas() -> None:
    """pandas: read_parquet."""
    import pandas

    _check(pandas.read_parquet(made().path).sort_values("seed").to_dict("records"))


def check_hugging_face() -> None:
    """Hugging Face's datasets: load_dataset, in memory and streaming."""
    import datasets

    files = str(made().path / "*.parquet")
    cache = str(made().path.parent / "cache")  # elsewhere, as others read all files of the folder
    _check(list(datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=cache)))
    _check(list(datasets.load_dataset("parquet", data_files=files, split="train", streaming=True, cache_dir=cache)))
