"""Minari: exported datasets are loaded and replayed in the environment that Minari recovers."""

import os
import tempfile
import warnings
from pathlib import Path

import minari
import numpy as np

from carnegie_env import cli
from carnegie_env.datasets import DamagedShard, Dataset, export_minari
from tests.clients.games import damaged, dataset


def _folder() -> Path:
    """A new folder, with Minari's datasets in a folder inside it."""
    folder = Path(tempfile.mkdtemp())
    os.environ["MINARI_DATASETS_PATH"] = str(folder / "minari")
    return folder


def _check(made: Dataset, name: str, number: int) -> None:
    """The loaded episodes are what the recovered environment does with these seeds and actions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = minari.load_dataset(name)
        env = loaded.recover_environment()
    games = [*made][:number]
    assert loaded.total_episodes == number and loaded.total_steps == sum(len(game.actions) for game in games)
    seeds = [each["seed"] for each in loaded.storage.get_episode_metadata(range(number))]
    assert seeds == [game.seed for game in games]
    for episode, game in zip(loaded.iterate_episodes(), games, strict=True):
        assert episode.actions.tolist() == game.actions.tolist()
        observation, info = env.reset(seed=game.seed)
        for step, action in enumerate(game.actions.tolist()):
            assert all(np.array_equal(episode.observations[key][step], observation[key]) for key in observation)
            assert observation["action_mask"][action]
            if "to_play" in info:
                assert episode.infos["to_play"][step] == info["to_play"]
            observation, reward, over, _, info = env.step(action)
            assert episode.rewards[step] == np.float32(reward) or episode.rewards[step] == reward
            assert (episode.terminations[step], episode.truncations[step]) == (over, False)
        assert over and all(np.array_equal(episode.observations[key][-1], observation[key]) for key in observation)
        if "returns" in info:
            assert np.array_equal(episode.infos["returns"][-1], info["returns"])
            assert not episode.infos["returns"][:-1].any()


def check_solo() -> None:
    """Solo: exported, loaded and replayed."""
    made = dataset(_folder(), num_players=1)
    assert export_minari(made, "carnegie/solo-v0", reward="dense_margin") == len(made)
    _check(made, "carnegie/solo-v0", len(made))


def check_versus() -> None:
    """Versus: exported by the command, loaded and replayed; no temporary files remain."""
    folder = _folder()
    made = dataset(folder, num_players=3)
    arguments = ["export-minari", str(made.path), "--id", "carnegie/three/table-v1", "--games", "3", "--reward", "rank"]
    assert cli.main(arguments) == 0
    _check(made, "carnegie/three/table-v1", 3)
    assert cli.main(arguments) == 2  # it already exists
    assert sorted(path.name for path in (folder / "minari").iterdir() if path.name.startswith(".")) == []


def check_damaged() -> None:
    """A damaged game is named in the error, and nothing is written."""
    folder = _folder()
    made = damaged(folder)
    try:
        export_minari(made, "carnegie/wrong-v0")
    except DamagedShard as error:
        assert "games-00000.parquet: game 2 (seed" in str(error) and "illegal action" in str(error)
    else:
        raise AssertionError("there was no error")
    assert list(minari.list_local_datasets()) == []
    assert sorted(path.name for path in (folder / "minari").iterdir() if path.name.startswith(".")) == []
