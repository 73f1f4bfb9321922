"""Carnegie's Gymnasium environments: each class's text is the environment's page."""

from __future__ import annotations

from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.envs import single, vector


class SoloEnv(single.GameEnv):
    """Carnegie for one player against Andrew: `gymnasium.make("Carnegie/Solo-v0")`.

    ## Description
    The board game Carnegie (2022) by its solo rules: 20 rounds of timeline, events, departments and activation;
    Andrew is played by his cards. The rules are complete. A step is one decision, such as `build industry in
    chicago`; decisions with one legal answer are played by the engine. A random game takes about 60 steps.

    ## Action space
    `Discrete(A)`: the catalogue of :mod:`carnegie_env.carnegie.actions`; an action means the same verb and argument
    at any time, and `carnegie_env.carnegie.actions.TEXTS[action]` says what. Which actions are legal changes with
    every step: the mask, int8 of shape (A,), is in `info["action_mask"]` and from `action_masks()`. It is never all
    zero: when the episode has ended, `pass` alone is set. `env.action_space.sample(info["action_mask"])` draws a
    legal action.

    An action that is not legal loses the episode. It is terminated with the reward of a loss; `info["illegal_action"]`
    says which action it was and what would have been legal; the game stays as it was. With `on_illegal="raise"` it is a
    ValueError, and the episode goes on.

    A is 333, and 673 with a module of expansion 1 on; observations are longer then, too. Which module it is does not
    matter.

    ## Observation space
    `Box`, float32 of shape (F,), all values from 0, most of them to 1: everything the player can see, from his seat.
    `env.unwrapped.observation_layout` names every part: `layout["own.money"].slice`, `layout.read(observation,
    "own.active")`, `print(layout)`.

    With `mask_in_observation=True` it is a `Dict`: that Box as `observation`, and the mask as `action_mask`, `Box` of
    int8 0 and 1, shape (A,), for learners that look for it there; `info["action_mask"]` stays.

    ## Rewards
    | reward | meaning | illegal action |
    |---|---|---|
    | `win` (default) | +1, 0 or -1 at the end | -1 |
    | `rank` | the same, with two sides | -1 |
    | `margin` | own score - Andrew's at the end, in VP | -300 |
    | `score` | own score at the end, in VP | -100 |
    | `dense_margin` | at each step the change of margin / 100, as if the game ended now | -3 in all |

    ## Starting state
    Set-up by the rules, drawn from the seed, up to the player's first decision: the sides of his project tabs.
    `reset(seed=s)` always gives the same game. `reset()` goes on to the next game of the sequence that the last seed
    began; without any seed, of a random one.

    ## Episode end
    Terminated after 20 rounds, or by an illegal action; never truncated. `info["score"]` and `info["andrew_score"]`
    are the final scores.

    ## Arguments
    | name | default | meaning |
    |---|---|---|
    | `difficulty` | "normal" | or "beginner", "difficult", "expert": Andrew has 5 (0, 10, 15) advanced cards of 20 |
    | `reward` | "win" | see above |
    | `on_illegal` | "lose" | "lose" or "raise": see above |
    | `timeline_tiles` | "rows" | "rows" or "columns": how the timeline tiles are dealt |
    | `show_forced` | False | hand out decisions with one legal answer, too |
    | `new_start`, `new_departments`, `diverse_setup` | False | the modules of expansion 1 that go with the solo game |
    | `modules` | None | "all" that go with the solo game, or names of modules with commas between, or a list of them |
    | `mask_in_observation` | False | see above |
    | `render_mode` | None | "ansi", "rgb_array": `render()` gives a text, a picture; "human": a window shows the game |

    A value that does not exist is a ValueError; the name of an argument or a render mode is both that and a TypeError.

    ## Vectorised
    `gymnasium.make_vec("Carnegie/Solo-v0", num_envs=N, vectorization_mode="vector_entry_point")` plays N games in
    compiled loops, with the same arguments: see :class:`SoloVectorEnv`.

    ## Version history
    v0: the first.
    """

    game = CARNEGIE
    solo = True


class VersusEnv(single.GameEnv):
    """Carnegie for 2 to 4 players, for one player among opponents or for all: `gymnasium.make("Carnegie/Versus-v0")`.

    ## Description
    The board game Carnegie (2022) by its rules. With `opponents="greedy"` the agent learns at one seat, and agents of
    this package, or own ones, play the others: a step is his decision and all that the others decide before his next
    one. Observation, mask and reward are his. `info["to_play"]` is his seat. They play first where they are to move
    first, within `reset`.

    Without opponents one agent decides for every seat in turn: self-play. A step is one decision of the player to move,
    seen from his seat; `info["to_play"]` says whose the next one is. For agents that each have a seat of their own
    there is `carnegie_env.carnegie_v0` (PettingZoo).

    ## Action and observation space
    As in `Carnegie/Solo-v0`: `Discrete(A)` with the mask in `info["action_mask"]`, and a `Box` from the seat of the
    player to move: his company first, the others clockwise. A is 333, and 673 with a module of expansion 1 on.

    ## Rewards
    The reward of a step is that of the player who has decided: 0 until the game ends. What every seat gets then is in
    `info["returns"]`, float32 (seats,); learners that play all seats take it from there. `dense_margin`, with opponents
    only, is paid at every step, and is the learner's alone.

    | reward | meaning | illegal action, for him |
    |---|---|---|
    | `win` (default) | the winners share +1, the others share -1 | -1 |
    | `rank` | +1 for the first, -1 for the last | -1 |
    | `margin` | own score - mean of the others', in VP | -300 |
    | `score` | own score, in VP | -100 |
    | `dense_margin` | at each step the change of margin / 100, as if the game ended now | -3 in all |

    ## Starting state
    Set-up by the rules, drawn from the seed, as in `Carnegie/Solo-v0`. The learner's seat follows from it, too: with
    "rotate" it is the seed modulo the number of players, and in every next game the seat behind; "random" draws it.
    `reset(seed=s)` gives the same game if the opponents play alike, as `greedy` and `random` do.

    ## Episode end
    Terminated after 20 rounds, or by an illegal action; never truncated. The last observation is from the seat of the
    player who decided last, with opponents the learner. `info["scores"]`, int64 (seats,), are the final scores;
    `info["learner_seat"]` is whose of them is the learner's.

    ## Arguments
    | name | default | meaning |
    |---|---|---|
    | `num_players` | 2 | 2, 3 or 4 |
    | `opponents` | None | an agent for the other seats, or a list of `num_players - 1`, see below |
    | `learner_seat` | "rotate" | with opponents: "rotate", "random", or a seat from 0, for every episode |
    | `reward` | "win" | see above |
    | `on_illegal` | "lose" | "lose" or "raise", as in `Carnegie/Solo-v0` |
    | `timeline_tiles` | "rows" | "rows" or "columns": how the timeline tiles are dealt |
    | `show_forced` | False | hand out decisions with one legal answer, too |
    | `new_start`, `new_departments`, `new_donations` | False | modules of expansion 1 |
    | `diverse_setup`, `wait`, `secret_donation` | False | its optional rules |
    | `modules` | None | "all", or names of modules with commas between, or a list of them |
    | `mask_in_observation` | False | observations are dictionaries with `observation` and `action_mask` |
    | `render_mode` | None | "ansi", "rgb_array": `render()` gives a text, a picture; "human": a window shows the game |

    An opponent is the name of an agent that `carnegie_env.make_agent` knows, or an own one: any object whose
    `act_batch(batch, rows)` gives an action for each of these rows of a `Batch`, integers. It is asked for all games at
    once. A list is clockwise from the learner's left. Who answers what is not legal is named in an `OpponentError`.

    ## Vectorised
    `gymnasium.make_vec("Carnegie/Versus-v0", num_envs=N, vectorization_mode="vector_entry_point")`: every row is the
    decision of that game's player to move, `info["to_play"]`, int64 (N,), his seat. With opponents a step is one call
    for all games, inside which they decide in all at once, until in each the learner is to move again.

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
