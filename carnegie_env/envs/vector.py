"""N games as a Gymnasium vector environment: each row is a decision of that game's player to move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from carnegie_env.core.arguments import render_mode_of
from carnegie_env.core.batch import MOST_GAMES
from carnegie_env.core.game import Game
from carnegie_env.core.kernels import NOTHING
from carnegie_env.core.layout import Layout
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import are_several, seed_of, whole_number
from carnegie_env.envs.games import Games, Observation, metadata_of, reset_options


class GameVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """N games in compiled loops: `gymnasium.make_vec(ID, num_envs=N, vectorization_mode="vector_entry_point")`.

    Spaces, rewards and arguments are those of the single environment with the same id. Environment i plays exactly the
    episodes that a single environment with the same seed would play.

    `autoreset_mode` decides what happens to a finished game, as in Gymnasium's `SyncVectorEnv`:

    - `AutoresetMode.SAME_STEP` (the default): it restarts within the same step. The observation and the mask of that
      step belong to the new game; the last ones of the old game are in `info["final_obs"][i]` and
      `info["final_info"]`, where `info["_final_obs"][i]` is set.
    - `AutoresetMode.NEXT_STEP`: it restarts in place of the next step, whose action is ignored and whose reward is 0.
      `NormalizeObservation` and some other vector wrappers of Gymnasium require this mode.
    - `AutoresetMode.DISABLED`: it waits for `reset(options={"reset_mask": mask})`; a step before that is a ValueError.

    Args:
        num_envs: N.
        render_mode: as for the single environment, but there is no window.
        autoreset_mode: one of the three, or its value ("SameStep", "NextStep", "Disabled"); also an attribute, and in
            this environment's `metadata`.
        num_threads: threads for the compiled loops; None for as many as the process may use.
        **arguments: as for the single environment. With on_illegal="raise" no game has moved when it raises. With
            opponents a step is still one call: they decide in all games at once, until the learner is to move in each.

    Infos: `action_mask`, int8 (N, A), with at least one legal action in every row (`reset` with a mask fills only the
    rows that it started; :meth:`action_masks` returns all); with two or more players `to_play`, int64 (N,), the seats.
    For finished games also the infos of the single environment, each with a bool array of the same name and a leading
    underscore (with SAME_STEP in `final_info`).
    """

    game: ClassVar[Game]
    solo: ClassVar[bool]  # one player against the automatic opponent, or two or more players
    metadata: dict[str, Any]

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "game" in cls.__dict__ and "metadata" not in cls.__dict__:
            cls.metadata = {**metadata_of(cls.game, window=False), "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        *,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        num_threads: int | None = None,
        **arguments: Any,
    ) -> None:
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode_of(render_mode, self.metadata)
        also = ("autoreset_mode", "num_threads")
        num_envs = whole_number("num_envs", num_envs, 1, MOST_GAMES)
        self._games = Games(self.game, num_envs, self.solo, num_threads, also, **arguments)
        self.num_envs = self._games.num_games
        self.single_observation_space, self.single_action_space = self._games.spaces()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def observation_layout(self) -> Layout:
        """The named parts of one game's observation."""
        return self._games.layout

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start new games.

        Args:
            seed: an int s (environment i gets s + i), a list of N ints, or None (for all, or in the list) to continue
                with the next game of the sequence.
            options: `{"reset_mask": bool array (N,)}` starts only these environments.

        Returns:
            Observations, float32 (N, F), and the info with `action_mask`, int8 (N, A), of the environments started.

        Raises:
            ValueError: a wrong number of seeds, a seed that is not a whole number from 0 to 2**64 - 1, an unknown
                option, a mask of a wrong shape or dtype, or a closed environment. Nothing has changed then.
        """
        self._check_open()
        mask = reset_options(options, "reset_mask").get("reset_mask")
        seeds = self._seeds(seed)
        started = np.ones(self.num_envs, bool) if mask is None else self._checked_mask(mask)
        super().reset(seed=None if seeds is None or are_several(seed) else seeds[0])
        self._games.reset(self.np_random, seeds, started)
        return self._games.observe(), self._mask_info(started)

    def _seeds(self, seed: Any) -> list[int | None] | None:
        if seed is None:
            return None
        if not are_several(seed):
            first = seed_of(seed)
            return [seed_of(first + i) for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must be an int, None or a list of {self.num_envs}, got {len(seed)} seeds")
        return [None if each is None else seed_of(each) for each in seed]

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("the environment is closed: make a new one")

    def _checked_mask(self, given: ArrayLike) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ValueError(
                f"reset_mask must be a bool array of shape ({self.num_envs},) with a True in it, "
                f"got {mask.dtype} {mask.shape}"
            )
        return mask

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Make one decision in every game; finished games restart according to `autoreset_mode`.

        Args:
            actions: integers (N,).

        Returns:
            Observations float32 (N, F), rewards float64 (N,), terminations bool (N,), truncations bool (N,) (all
            False), infos.

        Raises:
            ValueError: actions of a wrong shape or dtype, an illegal action with on_illegal="raise", a game that waits
                for its reset, or a closed environment. No game has moved then.
        """
        self._check_open()
        next_step = self.autoreset_mode is AutoresetMode.NEXT_STEP
        values = self._games.step(actions, self.np_random if next_step else None)
        ended = self._games.ended.copy()
        infos: dict[str, Any] = {}
        if self._games.num_ended:
            infos = self._final_infos()
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                infos = self._restart(ended, infos)
        infos |= self._mask_info(np.ones(self.num_envs, bool))
        return self._games.observe(), values, ended, np.zeros(self.num_envs, bool), infos

    def _mask_info(self, rows: NDArray[np.bool_]) -> dict[str, Any]:
        """The masks of these environments, zeros for the others as in Gymnasium, and the seats to move."""
        masks = self.action_masks()
        masks[~rows] = 0
        return {"action_mask": masks, "_action_mask": rows.copy()} | self._seat_info(rows)

    def _seat_info(self, rows: NDArray[np.bool_]) -> dict[str, Any]:
        if self.solo:
            return {}
        return {"to_play": np.where(rows, self._games.seats(), 0), "_to_play": rows.copy()}

    def _final_infos(self) -> dict[str, Any]:
        """Infos of the games that the last step ended, arranged as in Gymnasium."""
        infos: dict[str, Any] = {}
        for name, (where, found) in self._games.final_infos().items():
            texts = isinstance(found[0], str)
            values = np.array(found, object if texts else None)
            infos[name] = np.full((self.num_envs, *values.shape[1:]), None if texts else 0, values.dtype)
            infos[name][where] = values
            infos[f"_{name}"] = np.zeros(self.num_envs, bool)
            infos[f"_{name}"][where] = True
        return infos

    def _restart(self, ended: NDArray[np.bool_], infos: dict[str, Any]) -> dict[str, Any]:
        """Restart the finished games; returns an info with their last observations and infos."""
        seats = self._seat_info(ended)
        observations = np.full(self.num_envs, None, object)
        for i, observation in zip(*self._games.restart(self.np_random), strict=True):
            observations[i] = observation
        masks = np.zeros((self.num_envs, self._games.batch.num_actions), np.int8)
        masks[ended, NOTHING] = 1
        infos = {"action_mask": masks, "_action_mask": ended.copy()} | seats | infos
        return {
            "final_obs": observations, "_final_obs": ended.copy(), "final_info": infos, "_final_info": ended.copy()
        }  # fmt: skip

    def action_masks(self) -> NDArray[np.int8]:
        """A new array of legal actions as 0/1, int8 (N, A)."""
        return self._games.masks()

    def render(self) -> tuple[str, ...] | tuple[NDArray[np.uint8], ...] | None:
        """Every game as text (render_mode "ansi") or as a picture, uint8 (height, width, 3) ("rgb_array")."""
        if self.render_mode == "rgb_array":
            return tuple(self._games.frame(i) for i in range(self.num_envs))
        if self.render_mode == "ansi":
            return tuple(str(self.position(i)) for i in range(self.num_envs))
        return None

    def position(self, i: int) -> BasePosition[Any]:
        """A copy of environment i's current game, to print, search or save."""
        return self._games.position(i)


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        names = ", ".join(f"{known} ({known.value!r})" for known in AutoresetMode)
        raise ValueError(f"autoreset_mode must be one of {names}, not {mode!r}") from None
