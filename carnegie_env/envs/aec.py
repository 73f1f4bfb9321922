"""Every game as a PettingZoo AEC environment; modules such as `carnegie_env.carnegie_v0` offer them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from carnegie_env.core import rewards
from carnegie_env.core.arguments import render_mode_of
from carnegie_env.core.game import Game
from carnegie_env.core.kernels import NOTHING
from carnegie_env.core.position import BasePosition
from carnegie_env.core.records import take_records
from carnegie_env.core.validation import seed_of, shortened
from carnegie_env.envs.games import FPS, one_action, options_of
from carnegie_env.render import png, spectator
from carnegie_env.render.window import Window

ARGUMENTS = ("reward", "on_illegal", "render_mode")  # besides options
Observation = dict[str, NDArray[Any]]


class GameAECEnv(AECEnv[str, dict[str, Any], Any]):
    """One game for two or more agents, `player_0`, `player_1`, ..., that act one at a time.

    An observation is a dict: `observation`, float32 of shape (F,), from the agent's own seat, and `action_mask`, int8
    of shape (A,), with the legal actions if it is the agent's turn. Otherwise, and when the game is over, only action 0
    (`pass`) is set, because a mask of zeros breaks many tools. `observe(agent)` works at any time.

    Infos are empty until the game ends. Then every agent's info has `score` (its final score), `score_breakdown` (the
    score by category) and `scores` (all scores by agent). If an illegal action ended the game, there is only
    `illegal_action` (the agent, the action and the legal ones).

    There is no `parallel_env`, because seats never act at the same time.

    `deepcopy` and `pickle` copy a running game; the copy plays on identically.

    Args:
        game: the game.
        metadata: PettingZoo's metadata.
        reward: "win", "rank", "margin" or "score", see :mod:`carnegie_env.core.rewards`; paid when the game ends.
        on_illegal: "raise": an illegal action is a ValueError and changes nothing; "lose": it ends the game for all, as
            in PettingZoo's classic games, with the rewards of :func:`carnegie_env.core.rewards.lost`.
        render_mode: None, "ansi" (`render()` returns the game as text, with what only the player to move knows),
            "rgb_array" (a picture of the public information, uint8 of shape (height, width, 3)) or "human" (a window
            shows every decision; `render()` prints games that can't be drawn). Pictures need the extra `pictures`.
        options: the game's options.

    Raises:
        UnexpectedArgument: an unknown option or render mode; both a ValueError and a TypeError.
        ValueError: an invalid value or combination.
    """

    def __init__(
        self,
        game: Game,
        metadata: dict[str, Any],
        *,
        reward: str,
        on_illegal: str,
        render_mode: str | None,
        options: dict[str, Any],
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PettingZoo's has no annotations
        self.metadata = metadata
        self.reward = rewards.check_name(reward, dense=False)
        self.on_illegal = rewards.check_on_illegal(on_illegal)
        self.render_mode = render_mode_of(render_mode, metadata)
        chosen = options_of(game, options, False, ARGUMENTS)
        self.game = game
        self._batch = game.batch_class(1, num_threads=1, **chosen.to_dict())
        layout, actions = self._batch.observation_layout, self._batch.num_actions
        self.observation_layout = layout
        self.possible_agents = [f"player_{seat}" for seat in range(self._batch.options.num_players)]
        self.agents: list[str] = []
        self._window = Window(game.title, FPS)
        self._lost = False  # by an illegal action, which leaves the position unchanged
        self.observation_spaces = {
            agent: spaces.Dict(
                observation=spaces.Box(layout.low, layout.high, dtype=np.float32),
                action_mask=spaces.Box(0, 1, (actions,), np.int8),
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's space, always the same object; a ValueError for an unknown agent."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's space, always the same object; a ValueError for an unknown agent."""
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: str) -> str:
        if agent not in self.possible_agents:
            raise ValueError(f"there is no agent {shortened(agent)}; there are {', '.join(self.possible_agents)}")
        return agent

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game: always the same one for a seed, without a seed the next one of the last seed's sequence.

        `options` is not used; pass the game's options when you make the environment. (PettingZoo's own tests pass a
        dictionary of junk.)

        Raises:
            ValueError: the seed is not a whole number from 0 to 2**64 - 1, or `options` is not a dictionary.
        """
        if not isinstance(options, dict | None):
            raise ValueError(f"options of reset must be a dictionary or None, not {shortened(options)}")
        self._batch.reset(None if seed is None else seed_of(seed))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment]  # PettingZoo's own environments do so
        self._lost = False
        self.agent_selection = self.possible_agents[self._seat_to_play()]
        self._show()

    def _seat_to_play(self) -> int:
        return int(self._batch.games["to_play"][0])

    @property
    def position(self) -> BasePosition[Any]:
        """A copy of the current game, to print, search or save."""
        return self.game.position_class._of(take_records(self._batch._games, np.zeros(1, np.int64)))

    def step(self, action: int | None) -> None:
        """Make the decision of `agent_selection`; None for an agent that is done.

        Raises:
            ValueError: there is no agent, before `reset` or after the last one was done; an action of a wrong type, or
                an illegal one if on_illegal is "raise". The message lists legal actions, and nothing has changed.
        """
        self._check_running()
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        chosen = one_action(action)
        try:
            self._batch.step(chosen)
        except ValueError as error:
            if self.on_illegal == "raise":
                raise
            self._lose(str(error).removeprefix("game 0: "))
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        seat = self._seat_to_play()
        if seat >= 0:
            self.agent_selection = self.possible_agents[seat]
        else:
            self._end()
        self._show()

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward, termination, truncation and info of `agent_selection`; a ValueError as in `step`."""
        self._check_running()
        return super().last(observe)

    def _check_running(self) -> None:
        if not self.agents:
            raise ValueError("there is no agent, before reset() or after the game: call reset()")

    def _end(self) -> None:
        """Finish a game that is over by its rules."""
        breakdown = self.position.score_breakdown()
        scores = {agent: row["total"] for agent, row in zip(self.possible_agents, breakdown, strict=True)}
        for agent, row in zip(self.possible_agents, breakdown, strict=True):
            self.infos[agent] = {"score": row["total"], "score_breakdown": row, "scores": dict(scores)}
        self._pay(rewards.returns(self.reward, self._batch.results(), len(self.possible_agents))[0])

    def _lose(self, why: str) -> None:
        """Finish a game that the agent to move lost by an illegal action; the position does not change."""
        self._lost = True
        loser = self.agent_selection
        self._cumulative_rewards[loser] = 0.0
        self.infos = {agent: {"illegal_action": f"{loser}: {why}"} for agent in self.possible_agents}
        seat = self.possible_agents.index(loser)
        self._pay(rewards.lost(self.reward, seat, self._batch.scores()[0], self.game))

    def _pay(self, values: NDArray[np.float32]) -> None:
        """Pay the rewards and terminate all agents."""
        for agent, value in zip(self.possible_agents, values.tolist(), strict=True):
            self.rewards[agent] = value
            self.terminations[agent] = True
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """An agent's observation; see the class."""
        seat = self.possible_agents.index(self._known(agent))
        if seat == self._seat_to_play() and not self._lost:
            mask = self._batch.action_masks()[0]
        else:
            mask = np.zeros(self._batch.num_actions, np.int8)
            mask[NOTHING] = 1
        return {"observation": self._batch.observe(seat=seat)[0], "action_mask": mask}

    def _frame(self) -> NDArray[np.uint8]:
        return png.pixels(spectator.picture(self.position))

    def _show(self) -> None:
        """Show the game in the window ("human") if it can be drawn."""
        if self.render_mode == "human" and self.game.presentation.draw is not None:
            self._window.show(self._frame())

    def render(self) -> str | NDArray[np.uint8] | None:
        """The game as text ("ansi"), as a picture, uint8 (height, width, 3) ("rgb_array"), or in the window ("human").

        Raises:
            ModuleNotFoundError: a picture without the extra `pictures`; the message names it.
        """
        if self.render_mode == "rgb_array":
            return self._frame()
        if self.render_mode == "ansi":
            return str(self.position)
        if self.render_mode == "human" and self.game.presentation.draw is None:
            print(self.position)
        self._show()
        return None

    def close(self) -> None:
        """Close the window if it is open."""
        self._window.close()


Checked: TypeAlias = OrderEnforcingWrapper[str, dict[str, Any], Any]


def functions_of(game: Game) -> tuple[dict[str, Any], Callable[..., Checked], Callable[..., GameAECEnv]]:
    """PettingZoo's metadata and the functions `env` and `raw_env`: the content of a game's module `..._v0`."""
    metadata = {
        "name": f"{game.name}_v0",
        "render_modes": ["ansi", "rgb_array", "human"] if game.presentation.draw is not None else ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": FPS,
    }

    def raw_env(
        num_players: int | None = None,
        *,
        reward: str = "win",
        on_illegal: str = "raise",
        render_mode: str | None = None,
        **options: Any,
    ) -> GameAECEnv:
        """The environment without a wrapper."""
        if num_players is not None:
            options["num_players"] = num_players
        return GameAECEnv(
            game, metadata, reward=reward, on_illegal=on_illegal, render_mode=render_mode, options=options
        )

    def env(num_players: int | None = None, **arguments: Any) -> Checked:
        """The environment, wrapped so that calls before `reset` are errors.

        Raises:
            UnexpectedArgument: an unknown option or render mode; both a ValueError and a TypeError.
            ValueError: an invalid value or combination.
        """
        # Not PettingZoo's wrappers for illegal and out-of-range actions: they would end the game, with 0 for the
        # others, or raise an AssertionError instead of the environment's ValueError that lists the legal actions.
        return OrderEnforcingWrapper(raw_env(num_players, **arguments))

    return metadata, env, raw_env
