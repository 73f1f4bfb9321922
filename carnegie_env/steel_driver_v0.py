"""Steel Driver for 3 to 6 players in PettingZoo: `from carnegie_env import steel_driver_v0`, `steel_driver_v0.env()`.

Arguments of :func:`env` and :func:`raw_env`:

| name | default | meaning |
|---|---|---|
| `num_players` | 4 | 3 to 6 |
| `reward` | "win" | "win", "rank" and "margin" (zero-sum), "score"; see :mod:`carnegie_env.core.rewards` |
| `on_illegal` | "raise" | "raise": an illegal action is a ValueError; "lose": it loses the game, see below |
| `render_mode` | None | "ansi", "rgb_array": `render()` gives a text, a picture; "human": a window shows the game |
| `show_forced` | False | present decisions with one legal action as well, except a lone `pass` |

Nothing is hidden, and there is no chance: the seed of `reset` changes nothing.

An illegal action is a ValueError, and the game stays unchanged. With `on_illegal="lose"`, for programs that ignore
masks, it ends the game for all: the agent gets the reward of a loss ("margin": -5000, "score": -100), and the
others share the opposite amount equally (with "score" each gets its own score). Draw legal actions with
`env.action_space(agent).sample(observation["action_mask"])`. At the end `infos` contains the scores, or
`illegal_action`. Observations are described by `env.unwrapped.observation_layout`, actions by
`carnegie_env.steel_driver.actions.TEXTS`.
"""

from carnegie_env.envs.aec import functions_of
from carnegie_env.steel_driver.game import STEEL_DRIVER

METADATA, env, raw_env = functions_of(STEEL_DRIVER)
