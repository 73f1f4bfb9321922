"""Steel Driver for 3 to 6 players in PettingZoo: `from carnegie_env import steel_driver_v0`, `steel_driver_v0.env()`.

Arguments of :func:`env` and :func:`raw_env`:

| name | default | meaning |
|---|---|---|
| `num_players` | 4 | 3 to 6 |
| `reward` | "win" | "win", "rank" and "margin" (zero-sum), "score"; see :mod:`carnegie_env.core.rewards` |
| `on_illegal` | "raise" | "raise": an illegal action is a ValueError; "lose": it loses the game, see below |
| `render_mode` | None | "ansi", "rgb_array": `render()` gives a text, a picture; "human": a window shows the game |
| `show_forced` | False | hand out decisions with one legal action, too, but for `pass`: that is always played |

Nothing is hidden and nothing left to chance: the seed of `reset` changes nothing.

An action that is not legal is a ValueError, and the game stays as it was. With `on_illegal="lose"` it ends the game for
all: the agent gets the reward of a loss (by "margin" -5000, by "score" -100), the others share its counterpart alike
(by "score" each gets the score he has). That is for programs that play without looking at masks; draw legal actions
with `env.action_space(agent).sample(observation["action_mask"])`. At the end `infos` have the scores.
Observations are described by `env.unwrapped.observation_layout`, actions by
`carnegie_env.steel_driver.actions.TEXTS`.
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from carnegie_env.envs.aec import GameAECEnv, checked
from carnegie_env.envs.games import FPS
from carnegie_env.steel_driver.game import STEEL_DRIVER

METADATA = {
    "name": "steel_driver_v0",
    "render_modes": ["ansi", "rgb_array", "human"],
    "is_parallelizable": False,
    "render_fps": FPS,
}


def env(
    num_players: int = 4,
    *,
    reward: str = "win",
    on_illegal: str = "raise",
    render_mode: str | None = None,
    **options: Any,
) -> OrderEnforcingWrapper[str, dict[str, Any], Any]:
    """The environment, which also refuses calls before `reset`.

    Raises:
        UnexpectedArgument: an option or a render mode that does not exist; a ValueError and a TypeError.
        ValueError: a value or a combination that does not exist.
    """
    return checked(raw_env(num_players, reward=reward, on_illegal=on_illegal, render_mode=render_mode, **options))


def raw_env(
    num_players: int = 4,
    *,
    reward: str = "win",
    on_illegal: str = "raise",
    render_mode: str | None = None,
    **options: Any,
) -> GameAECEnv:
    """The environment without a wrapper."""
    return GameAECEnv(
        STEEL_DRIVER,
        METADATA,
        reward=reward,
        on_illegal=on_illegal,
        render_mode=render_mode,
        options={"num_players": num_players, **options},
    )
