"""N games as a Stable-Baselines3 `VecEnv` with action masks, played in compiled loops. Needs `stable_baselines3`.

::

    from sb3_contrib import MaskablePPO
    from carnegie_env.envs.sb3 import GameVecEnv

    model = MaskablePPO("MlpPolicy", GameVecEnv(64, reward="dense_margin", seed=0))
    model.learn(100_000)

With opponents: `GameVecEnv(64, num_players=3, opponents=["greedy", "random"], reward="dense_margin", seed=0)`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from carnegie_env.collection import DEFAULT, find
from carnegie_env.core.arguments import render_mode_of
from carnegie_env.core.batch import MOST_GAMES, Batch
from carnegie_env.core.game import Game
from carnegie_env.core.layout import Layout
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import seed_of, whole_number
from carnegie_env.envs.games import Games, Observation, metadata_of

Indices = int | Iterable[int] | None


class GameVecEnv(VecEnv):
    """N games for Stable-Baselines3: by default Carnegie against Andrew.

    Spaces, rewards and options are those of the game's Gymnasium environment, `.../Solo-v0` for one player, otherwise
    `.../Versus-v0`. There a row is a decision of the player to move, and the reward belongs to the seat that acted;
    with `opponents` all rows are the learner's, as Stable-Baselines3's policies require.

    A finished game restarts within the same step. Its info then has the keys of `DummyVecEnv` and `Monitor`
    (`terminal_observation`, `TimeLimit.truncated`, which is False, and `episode` with return `r`, length `l` and
    seconds `t`), and those of the Gymnasium environment. All other infos are empty.

    `env_method("action_masks")` returns the masks of all games at once, int8 (N, A), as MaskablePPO requests them.

    Args:
        num_envs: N.
        game: its name in `carnegie_env.games()`, or the game.
        seed: seed of the first reset: game i gets seed + i, None is random. Later resets continue from there.
        render_mode: None, "ansi" or "rgb_array".
        num_threads: threads for the compiled loops; None for as many as the process may use.
        **arguments: as for the single environment. MaskablePPO asks for masks itself; `mask_in_observation` also shows
            them to the network.

    Raises:
        ValueError: an unknown option or value.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        game: str | Game = DEFAULT,
        seed: int | None = None,
        render_mode: str | None = None,
        num_threads: int | None = None,
        **arguments: Any,
    ) -> None:
        found = find(game)
        self.metadata = metadata_of(found, window=False)
        self.render_mode = render_mode_of(render_mode, self.metadata)
        num_envs = whole_number("num_envs", num_envs, 1, MOST_GAMES)
        seed = None if seed is None else seed_of(seed)
        self._games = Games(found, num_envs, None, num_threads, ("game", "seed", "num_threads"), **arguments)
        super().__init__(self._games.num_games, *self._games.spaces())
        self._generator = np.random.default_rng(seed)
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._start = time.time()
        self._actions = np.zeros(0, np.int64)
        if seed is not None:
            self.seed(seed)

    @property
    def observation_layout(self) -> Layout:
        """The named parts of one game's observation."""
        return self._games.layout

    @property
    def batch(self) -> Batch[Any]:
        """The current games, to look at; only :meth:`step` may change them."""
        return self._games.batch

    def reset(self) -> Observation:
        """Start new games, with the seeds given to :meth:`seed`, if any; returns observations, float32 (N, F)."""
        if any(self._options):
            raise ValueError("reset has no options; a game's options are arguments of GameVecEnv")
        self._games.reset(self._generator, self._seeds)
        self._reset_seeds()
        self._returns[:] = 0
        self._lengths[:] = 0
        observations: Observation = self._games.observe()
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Store the actions, integers (N,), for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play them: observations float32 (N, F), rewards float32 (N,), dones bool (N,), infos."""
        values = self._games.step(self._actions)
        self._returns += values
        self._lengths += 1
        ended = self._games.ended.copy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if self._games.num_ended:
            self._finish(ended, infos)
        return self._games.observe(), values.astype(np.float32), ended, infos

    def _finish(self, ended: NDArray[np.bool_], infos: list[dict[str, Any]]) -> None:
        """Fill in the infos of the finished games and start new ones."""
        elapsed = round(time.time() - self._start, 6)
        finals = self._games.final_infos()
        for i, observation in zip(*self._games.restart(self._generator), strict=True):
            episode = {"r": round(float(self._returns[i]), 6), "l": int(self._lengths[i]), "t": elapsed}
            infos[i] |= {"terminal_observation": observation, "TimeLimit.truncated": False, "episode": episode}
        for name, (where, found) in finals.items():
            for i, value in zip(where, found, strict=True):
                infos[i][name] = value
        self._returns[ended] = 0
        self._lengths[ended] = 0

    def action_masks(self) -> NDArray[np.int8]:
        """A new array of legal actions as 0/1, int8 (N, A)."""
        return self._games.masks()

    def position(self, i: int) -> BasePosition[Any]:
        """A copy of environment i's current game, to print, search or save."""
        return self._games.position(i)

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """A picture of every game, uint8 (height, width, 3), or None for each if render_mode is not "rgb_array"."""
        pictures = self.render_mode == "rgb_array"
        return [self._games.frame(i) if pictures else None for i in range(self.num_envs)]

    def close(self) -> None:
        """Nothing to release."""

    # ---- VecEnv's methods for single environments
    def env_method(self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any) -> Any:
        """Only `action_masks`, an int8 array (number of indices, A), and `render`, a list of texts or pictures."""
        rows = list(self._get_indices(indices))
        if method_name == "action_masks":
            masks = self.action_masks()
            return masks if indices is None else masks[rows]
        if method_name == "render":
            pictures = self.render_mode == "rgb_array"
            return [self._games.frame(i) if pictures else str(self.position(i)) for i in rows]
        raise AttributeError(f"the environments have the methods action_masks and render, not {method_name!r}")

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute, which is the same for every environment."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Raises AttributeError: the games share their settings."""
        raise AttributeError(f"{attr_name!r} can't be set: the games of a GameVecEnv share their settings")

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """True for `Monitor`, whose `episode` info these environments provide; False for all others."""
        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]
