"""Carnegie for 2 to 4 players in PettingZoo: `from carnegie_env import carnegie_v0; env = carnegie_v0.env()`.

Arguments of :func:`env` and :func:`raw_env`:

| name | default | meaning |
|---|---|---|
| `num_players` | 2 | 2, 3 or 4; against Andrew see `gymnasium.make("Carnegie/Solo-v0")` |
| `reward` | "win" | "win", "rank" and "margin" (zero-sum), "score"; see :mod:`carnegie_env.core.rewards` |
| `on_illegal` | "raise" | "raise": an illegal action is a ValueError; "lose": it loses the game, see below |
| `render_mode` | None | "ansi", "rgb_array": `render()` gives a text, a picture; "human": a window shows the game |
| `timeline_tiles` | "rows" | "rows" or "columns": how the timeline tiles are dealt |
| `show_forced` | False | present decisions with one legal action as well, except a lone `pass` |
| `new_start`, `new_departments`, `new_donations` | False | modules of expansion 1 |
| `diverse_setup`, `wait`, `secret_donation` | False | its optional rules |
| `modules` | None | "all" (both rows above), comma-separated names, or a list of names |

With any module, actions and observations have their larger size. A sealed sheet or a secret donation is in its owner's
observation only.

An illegal action is a ValueError, and the game stays unchanged. With `on_illegal="lose"`, for programs that ignore
masks, it ends the game for all: the agent gets the reward of a loss ("margin": -300, "score": -100), and the
others share the opposite amount equally (with "score" each gets its own score). Draw legal actions with
`env.action_space(agent).sample(observation["action_mask"])`. At the end `infos` contains the scores, or
`illegal_action`. Observations are described by `env.unwrapped.observation_layout`, actions by
`carnegie_env.carnegie.actions.TEXTS`.
"""

from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.envs.aec import functions_of

METADATA, env, raw_env = functions_of(CARNEGIE)
