"""Carnegie's Gymnasium environments: each class's docstring is the environment's page."""

from __future__ import annotations

from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.envs import single, vector


class SoloEnv(single.GameEnv):
    """Carnegie for one player against Andrew: `gymnasium.make("Carnegie/Solo-v0")`.

    ## Description
    The board game Carnegie (2022) with its complete solo rules: 20 rounds of timeline, events, departments and
    activation, against Andrew, whose moves are on cards. A step is one decision, such as `build industry in chicago`;
    the engine plays decisions with one legal action. A random game takes about 60 steps.

    ## Action space
    `Discrete(A)`, the catalogue of :mod:`carnegie_env.carnegie.actions`: `TEXTS[action]` there is the verb and argument
    of an action, which never change. The legal actions change with every step: the mask, int8 of shape (A,), is
    `info["action_mask"]` and `action_masks()`, and `env.action_space.sample(info["action_mask"])` draws a legal action.
    When the episode has ended, the mask contains only `pass`.

    An illegal action terminates the episode with the reward of a loss. The game stays unchanged, and
    `info["illegal_action"]` names the action and the legal ones. With `on_illegal="raise"` an illegal action is a
    ValueError, and the episode continues.

    A is 333, or 673 with any module of expansion 1, which also makes observations longer.

    ## Observation space
    `Box`, float32 of shape (F,), all values at least 0, most at most 1: everything that the player can see.
    `env.unwrapped.observation_layout` names every part: `layout["own.money"].slice`, `layout.read(observation,
    "own.active")`, `print(layout)`.

    With `mask_in_observation=True` the space is a `Dict` of that Box as `observation` and the mask as `action_mask`, a
    `Box` of int8 0 and 1, shape (A,); `info["action_mask"]` stays.

    ## Rewards
    | reward | meaning | illegal action |
    |---|---|---|
    | `win` (default) | +1, 0 or -1 at the end | -1 |
    | `rank` | the same, with two sides | -1 |
    | `margin` | own score - Andrew's at the end, in VP | -300 |
    | `score` | own score at the end, in VP | -100 |
    | `dense_margin` | at each step the change of margin / 100, as if the game ended now | -3 in total |

    ## Starting state
    The rules' set-up, drawn from the seed, up to the player's first decision: the sides of the project tabs.
    `reset(seed=s)` always gives the same game. `reset()` gives the next game of the sequence started by the last seed,
    or by a random one.

    ## Episode end
    Terminated after 20 rounds, with the final scores in `info["score"]` and `info["andrew_score"]`, or by an illegal
    action, without scores; never truncated.

    ## Arguments
    | name | default | meaning |
    |---|---|---|
    | `difficulty` | "normal" | "beginner", "normal", "difficult", "expert": Andrew has 0, 5, 10, 15 advanced cards |
    | `reward` | "win" | see above |
    | `on_illegal` | "lose" | "lose" or "raise": see above |
    | `timeline_tiles` | "rows" | "rows" or "columns": how the timeline tiles are dealt |
    | `show_forced` | False | present decisions with one legal action as well, except a lone `pass` |
    | `new_start`, `new_departments`, `diverse_setup` | False | the modules of expansion 1 that go with the solo game |
    | `modules` | None | "all" (every module the solo game allows), comma-separated names, or a list of names |
    | `mask_in_observation` | False | see above |
    | `render_mode` | None | "ansi", "rgb_array": `render()` gives a text, a picture; "human": a window shows the game |

    A wrong value is a ValueError; an unknown argument or render mode is both a ValueError and a TypeError.

    ## Vectorised
    `gymnasium.make_vec("Carnegie/Solo-v0", num_envs=N, vectorization_mode="vector_entry_point")` plays N games in
    compiled loops, with the same arguments: see :class:`SoloVectorEnv`.

    ## Version history
    v0: the first.
    """

    game = CARNEGIE
    solo = True


class VersusEnv(single.GameEnv):
    """Carnegie for 2 to 4 players, for one agent at one seat or at all: `gymnasium.make("Carnegie/Versus-v0")`.

    ## Description
    The board game Carnegie (2022) with its complete rules. With opponents, for example `opponents="greedy"`, the
    learner plays one seat; agents of this package or your own play the others. A step is one decision of the learner
    and all decisions of the opponents before the learner's next one; `reset` plays those before the first. Observation,
    mask and reward are the learner's, and `info["to_play"]` is its seat.

    Without opponents one agent decides for every seat in turn (self-play): a step is one decision of the player to
    move, seen from that seat, and `info["to_play"]` is the next player to move. For one agent per seat use
    `carnegie_env.carnegie_v0` (PettingZoo).

    ## Action and observation space
    As in `Carnegie/Solo-v0`: `Discrete(A)` with the mask in `info["action_mask"]`, and a `Box` from the seat of the
    player to move: its own company first, the others clockwise. A is 333, or 673 with any module of expansion 1.

    ## Rewards
    The reward of a step goes to the player who made the decision. It is 0 until the game ends. Then `info["returns"]`,
    float32 (seats,), has the reward of every seat, for learners that play all of them. `dense_margin`, with opponents
    only, is the learner's, at every step; with `secret_donation` it includes the opponents' secret donations.

    | reward | meaning | illegal action |
    |---|---|---|
    | `win` (default) | the winners share +1, the others share -1 | -1 |
    | `rank` | +1 for the first, -1 for the last | -1 |
    | `margin` | own score - mean of the others', in VP | -300 |
    | `score` | own score, in VP | -100 |
    | `dense_margin` | at each step the change of margin / 100, as if the game ended now | -3 in total |

    ## Starting state
    The rules' set-up, drawn from the seed, as in `Carnegie/Solo-v0`. The seed also gives the learner's seat: with
    "rotate" it is the seed modulo the number of players, and one seat further in every following game; "random" draws
    it. `reset(seed=s)` gives the same game if the opponents play the same, as `greedy` and `random` do.

    ## Episode end
    Terminated after 20 rounds or by an illegal action; never truncated. The last observation is from the seat of the
    player who decided last, with opponents the learner. `info["scores"]`, int64 (seats,), are the final scores, unless
    an action was illegal, and `info["learner_seat"]` is the learner's seat.

    ## Arguments
    | name | default | meaning |
    |---|---|---|
    | `num_players` | 2 | 2, 3 or 4 |
    | `opponents` | None | an agent for the other seats, or a list of `num_players - 1`, see below |
    | `learner_seat` | "rotate" | with opponents: "rotate", "random", or a seat from 0, for every episode |
    | `reward` | "win" | see above |
    | `on_illegal` | "lose" | "lose" or "raise", as in `Carnegie/Solo-v0` |
    | `timeline_tiles` | "rows" | "rows" or "columns": how the timeline tiles are dealt |
    | `show_forced` | False | present decisions with one legal action as well, except a lone `pass` |
    | `new_start`, `new_departments`, `new_donations` | False | modules of expansion 1 |
    | `diverse_setup`, `wait`, `secret_donation` | False | its optional rules |
    | `modules` | None | "all", comma-separated names, or a list of names |
    | `mask_in_observation` | False | observations are dictionaries with `observation` and `action_mask` |
    | `render_mode` | None | "ansi", "rgb_array": `render()` gives a text, a picture; "human": a window shows the game |

    An opponent is the name of an agent that `carnegie_env.make_agent` knows, or your own: any object whose
    `act_batch(batch, rows)` returns an integer action for each of these rows of a `Batch`. A list names them clockwise,
    starting on the learner's left. An opponent that returns an illegal action is named in an `OpponentError`.

    ## Vectorised
    `gymnasium.make_vec("Carnegie/Versus-v0", num_envs=N, vectorization_mode="vector_entry_point")`: every row is the
    decision of one game's player to move, and `info["to_play"]`, int64 (N,), their seats. With opponents a step is one
    call that plays in all games until the learner is to move in each.

    ## Version history
    v0: the first.
    """

    game = CARNEGIE
    solo = False


class SoloVectorEnv(vector.GameVectorEnv):
    """N games of `Carnegie/Solo-v0` in compiled loops; see :class:`carnegie_env.envs.vector.GameVectorEnv`."""

    game = CARNEGIE
    solo = True


class VersusVectorEnv(vector.GameVectorEnv):
    """N games of `Carnegie/Versus-v0` in compiled loops; see :class:`carnegie_env.envs.vector.GameVectorEnv`."""

    game = CARNEGIE
    solo = False
