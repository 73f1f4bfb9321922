"""One game as a Gymnasium environment: a step is a decision of the player to move.

A subclass names the game and the kind of table; its docstring is the environment's page.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from carnegie_env.core.arguments import render_mode_of
from carnegie_env.core.game import Game
from carnegie_env.core.layout import Layout
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import seed_of
from carnegie_env.envs.games import FPS, Games, Observation, metadata_of, one_action, reset_options
from carnegie_env.render.window import Window


class GameEnv(gymnasium.Env[Observation, np.int64]):
    """A game for one agent, or for one that decides for every seat in turn.

    Args:
        render_mode: None, "ansi" (`render()` returns the game as text), "rgb_array" (a picture, uint8 of shape
            (height, width, 3)) or "human" (a window shows every decision). Pictures show the view of the player to
            move. They need the extra `pictures` and a game that can be drawn.
        **arguments: `reward`, `on_illegal`, `mask_in_observation`, `opponents`, `learner_seat` and the game's options,
            see :class:`carnegie_env.envs.games.Games`.
    """

    game: ClassVar[Game]
    solo: ClassVar[bool]  # one player against the automatic opponent, or two or more players
    metadata: dict[str, Any]

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "game" in cls.__dict__ and "metadata" not in cls.__dict__:
            cls.metadata = metadata_of(cls.game, window=True)

    def __init__(self, *, render_mode: str | None = None, **arguments: Any) -> None:
        self.render_mode = render_mode_of(render_mode, self.metadata)
        self._games = Games(self.game, 1, self.solo, 1, **arguments)
        self.observation_space, self.action_space = self._games.spaces()
        self._window = Window(self.game.title, FPS)

    @property
    def observation_layout(self) -> Layout:
        """The named parts of the observation."""
        return self._games.layout

    @property
    def position(self) -> BasePosition[Any]:
        """A copy of the current game, to print, search or save."""
        return self._games.position()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game; returns its first observation and the info with the mask. There are no options.

        Raises:
            ValueError: the seed is not a whole number from 0 to 2**64 - 1, or options were given. Nothing has changed
                then.
        """
        reset_options(options)
        seed = None if seed is None else seed_of(seed)
        super().reset(seed=seed)
        self._games.reset(self.np_random, [seed])
        self._show()
        return self._games.observe_each()[0], self._info()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.action_masks()}
        if not self.solo:
            info["to_play"] = int(self._games.seats()[0])
        return info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make one decision; see the class."""
        values = self._games.step(one_action(action))
        terminated = self._games.num_ended > 0
        info = self._info()
        if terminated:
            info |= {name: found[0] for name, (_, found) in self._games.final_infos().items()}
        self._show()
        return self._games.observe_each()[0], float(values[0]), terminated, False, info

    def action_masks(self) -> NDArray[np.int8]:
        """A new array of legal actions as 0/1, int8 of shape (A,)."""
        mask: NDArray[np.int8] = self._games.masks()[0]
        return mask

    def _show(self) -> None:
        if self.render_mode == "human":
            self._window.show(self._games.frame())

    def render(self) -> str | NDArray[np.uint8] | None:
        """The game as text ("ansi"), as a picture, uint8 (height, width, 3) ("rgb_array"), or in the window ("human").

        Raises:
            ModuleNotFoundError: a picture without the extra `pictures`; the message names it.
        """
        if self.render_mode == "rgb_array":
            return self._games.frame()
        self._show()
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Close the window if it is open."""
        self._window.close()
