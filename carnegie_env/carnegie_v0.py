"""Carnegie for 2 to 4 players in PettingZoo: `from carnegie_env import carnegie_v0; env = carnegie_v0.env()`.

Arguments of :func:`env` and :func:`raw_env`:

| name | default | meaning |
|---|---|---|
| `num_players` | 2 | 2, 3 or 4; against Andrew see `gymnasium.make("Carnegie/Solo-v0")` |
| `reward` | "win" | "win", "rank" and "margin" (zero-sum), "score"; see :mod:`carnegie_env.core.rewards` |
| `on_illegal` | "raise" | "raise": an illegal action is a ValueError; "lose": it loses the game, see below |
| `render_mode` | None | "ansi": `render()` gives the game as text; "human": it prints it |
| `timeline_tiles` | "rows" | "rows" or "columns": how the timeline tiles are dealt |
| `show_forced` | False | hand out decisions with one legal action, too |
| `new_start`, `new_departments`, `new_donations` | False | modules of expansion 1 |
| `diverse_setup`, `wait`, `secret_donation` | False | its optional rules |
| `modules` | None | "all" of both rows above, or names with commas between, or a list of names |

With any module on, actions and observations have their larger size, whichever it is; what is hidden from the others (a
sealed sheet, a secret donation) is in its owner's observation only.

An action that is not legal is a ValueError, and the game stays as it was. With `on_illegal="lose"` it ends the game for
all: the agent gets the reward of a loss (by "margin" -300, by "score" -100), the others share its counterpart alike (by
"score" each gets the score he has). That is for programs that play without looking at masks; draw legal actions with
`env.action_space(agent).sample(observation["action_mask"])`. At the end `infos` have the scores.
Observations are described by `env.unwrapped.observation_layout`, actions by `carnegie_env.carnegie.actions.TEXTS`.
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from carnegie_env.carnegie.game import Batch
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.position import Position
from carnegie_env.envs.aec import GameEnv

METADATA = {"name": "carnegie_v0", "render_modes": ["ansi", "human"], "is_parallelizable": False, "render_fps": 1}


def env(
    num_players: int = 2,
    *,
    reward: str = "win",
    on_illegal: str = "raise",
    render_mode: str | None = None,
    **options: Any,
) -> OrderEnforcingWrapper[str, dict[str, Any], Any]:
    """The environment, which also refuses calls before `reset`.

    PettingZoo's wrappers for illegal and out-of-range actions are left out: they would end the game, with 0 for the
    others, or raise an AssertionError where :func:`raw_env` raises a ValueError that lists the legal actions.

    Raises:
        UnexpectedArgument: an option or a render mode that does not exist; a ValueError and a TypeError.
        ValueError: a value or a combination that does not exist.
    """
    return OrderEnforcingWrapper(
        raw_env(num_players, reward=reward, on_illegal=on_illegal, render_mode=render_mode, **options)
    )


def raw_env(
    num_players: int = 2,
    *,
    reward: str = "win",
    on_illegal: str = "raise",
    render_mode: str | None = None,
    **options: Any,
) -> GameEnv:
    """The environment without a wrapper."""
    also = ("reward", "on_illegal", "render_mode")
    chosen = Options.from_dict({"num_players": num_players, **options}, also=also)
    if chosen.solo:
        raise ValueError('num_players must be 2 to 4 here; for one player use gymnasium.make("Carnegie/Solo-v0")')
    return GameEnv(
        Batch,
        Position,
        METADATA,
        reward=reward,
        on_illegal=on_illegal,
        render_mode=render_mode,
        options=chosen.to_dict(),
    )
