"""Games as a Minari dataset: each is an episode of the game's Gymnasium environment, `Solo-v0` or `Versus-v0`.

The environment is stepped with the stored actions, so observations, rewards and ends are its own.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import carnegie_env
from carnegie_env.core.validation import whole_number
from carnegie_env.datasets.columns import DamagedShard
from carnegie_env.datasets.reading import Dataset, PlayedGame

ROOT = "MINARI_DATASETS_PATH"  # the environment variable for the folder of Minari's datasets


def export_minari(
    path: str | os.PathLike[str] | Dataset,
    dataset_id: str,
    *,
    games: int | None = None,
    reward: str = "win",
    author: str | None = None,
    description: str | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Write games as a local Minari dataset (in `MINARI_DATASETS_PATH`), whole or not at all.

    An observation is a dictionary with `observation` and `action_mask`; the episode's seed is the game's. With two or
    more players a step is a decision of the player to move, whose seat is `infos["to_play"]` for each observation (at
    the end, the seat that moved last), and the reward is that player's. `infos["returns"]` has the rewards of all
    seats, zeros before the end.

    Args:
        path: a dataset or its folder.
        dataset_id: the id of the Minari dataset, such as "carnegie/value-v0".
        games: the number of games to write, from the first one; None for all.
        reward: the environment's reward.
        author, description: for Minari's metadata.
        watch: called after each game with the number of games written and the total.

    Returns:
        The number of games written.

    Raises:
        ValueError: Minari is not installed, it already has a dataset of that name, or an argument is wrong.
        DamagedShard: a shard is damaged, or a game can't be replayed or ends with other scores.
    """
    dataset = path if isinstance(path, Dataset) else Dataset(path)
    if len(dataset) == 0:
        raise ValueError(
            f"{dataset.path}: the dataset has no finished game; continue it with `carnegie-env generate --resume`"
        )
    number = len(dataset) if games is None else whole_number("games", games, 1)
    if not 1 <= number <= len(dataset):
        raise ValueError(f"there are {len(dataset)} games, not {number}")
    minari = _minari()
    if dataset_id in minari.list_local_datasets():
        raise ValueError(f"there is already a Minari dataset {dataset_id}; choose another id")
    env, signature = _environment(dataset, reward), dataset.manifest.signature
    try:
        with warnings.catch_warnings(), _whole_or_not(minari, dataset_id):
            warnings.simplefilter("ignore")  # Minari warns about missing optional metadata
            made = minari.create_dataset_from_buffers(
                dataset_id,
                _episodes(minari, env, dataset, number, watch),  # a generator: one episode in memory at a time
                env=env,
                algorithm_name=", ".join(f"{agent.name} {agent.version}".strip() for agent in dataset.manifest.agents),
                author=author,
                description=description or f"games of {dataset.game.title}, engine {signature}",
                data_format="hdf5",  # its default; its Arrow files can't have one number per step in infos (0.5.4)
                requirements=[f"carnegie_env>={carnegie_env.__version__}"],
            )
    finally:
        env.close()
    return int(made.total_episodes)  # fewer if damaged shards are skipped


def _minari() -> Any:
    try:
        import minari
        import minari.namespace
    except ModuleNotFoundError as error:
        if error.name != "minari":
            raise
        raise ValueError("Minari is not installed: pip install 'minari[hdf5]'") from None
    return minari


def _environment(dataset: Dataset, reward: str) -> Any:
    kind = "Solo" if dataset.options.num_players == 1 else "Versus"
    return gymnasium.make(
        f"{dataset.game.namespace}/{kind}-v0",
        reward=reward,
        on_illegal="raise",
        mask_in_observation=True,
        disable_env_checker=True,
        **dataset.options.to_dict(),
    )


@contextlib.contextmanager
def _whole_or_not(minari: Any, dataset_id: str) -> Iterator[None]:
    """Let Minari write to a temporary folder, then move the result to its place."""
    before = os.environ.get(ROOT)
    root = Path(before or Path.home() / ".minari" / "datasets")
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".export-", dir=root) as folder:  # Minari does not list hidden folders
        os.environ[ROOT] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[ROOT]
            else:
                os.environ[ROOT] = before
        namespace = dataset_id.rpartition("/")[0]
        if namespace and namespace not in minari.namespace.list_local_namespaces():
            minari.namespace.create_namespace(namespace)
        (root / dataset_id).parent.mkdir(parents=True, exist_ok=True)
        os.rename(Path(folder, dataset_id), root / dataset_id)


def _episodes(minari: Any, env: Any, dataset: Dataset, number: int, watch: Callable[[int, int], None]) -> Iterator[Any]:
    """The first ``number`` games as Minari episodes."""
    for done, game in enumerate(itertools.islice(dataset, number)):
        try:
            yield _episode(minari, env, dataset, game, done)
        except ValueError as error:
            raise DamagedShard(
                dataset.path_of(dataset.where(game.number)[0]), f"game {game.number} (seed {game.seed}): {error}"
            ) from None
        watch(done + 1, number)


def _episode(minari: Any, env: Any, dataset: Dataset, game: PlayedGame, number: int) -> Any:
    """A game replayed in the environment; a ValueError if the stored game is wrong."""
    observation, info = env.reset(seed=game.seed)
    observations, infos, values, over = [observation], [info], [], False
    for action in game.actions.tolist():
        observation, value, over, _, info = env.step(action)
        observations.append(observation)
        infos.append(info)
        values.append(value)
    if not over:
        raise ValueError("it is not over after its last decision")
    scores = info.get("scores", (info.get("score"), info.get(f"{dataset.game.opponent}_score")))
    if tuple(map(int, scores)) != game.scores:
        raise ValueError(f"it ends with the scores {list(scores)} in the environment, not {list(game.scores)}")
    step_infos = None
    if "to_play" in info:
        returns = np.zeros((len(infos), len(info["returns"])), np.float32)
        returns[-1] = info["returns"]
        step_infos = {"to_play": np.array([each["to_play"] for each in infos], np.int64), "returns": returns}
    ends = np.arange(len(values)) == len(values) - 1
    return minari.data_collector.EpisodeBuffer(
        id=number,
        seed=game.seed,
        observations={name: np.stack([each[name] for each in observations]) for name in observation},
        actions=game.actions.astype(np.int64),
        rewards=values,
        terminations=ends,
        truncations=np.zeros_like(ends),
        infos=step_infos,
    )
