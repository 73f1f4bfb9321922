"""Steel Driver's Gymnasium environments: each class's text is the environment's page."""

from __future__ import annotations

from carnegie_env.envs import single, vector
from carnegie_env.steel_driver.game import STEEL_DRIVER


class VersusEnv(single.GameEnv):
    """Steel Driver for 3 to 6, for one player among opponents or for all: `gymnasium.make("SteelDriver/Versus-v0")`.

    ## Description
    The board game Steel Driver (2009) by its rules: five rounds of investment cubes, auctions for control of six
    railway companies, building, profits; then companies take goods cubes, and shares are paid. The rules are complete;
    the map is a reconstruction (`carnegie-env facts --game steel_driver`). Nothing is hidden and nothing is left to
    chance.

    With `opponents="random"` the agent learns at one seat, and agents of this package, or own ones, play the others: a
    step is his decision and all that the others decide before his next one. Observation, mask and reward are his.
    `info["to_play"]` is his seat. They play first where they are to move first, within `reset`.

    Without opponents one agent decides for every seat in turn: self-play. A step is one decision of the player to move,
    seen from his seat; `info["to_play"]` says whose the next one is. For agents that each have a seat of their own
    there is `carnegie_env.steel_driver_v0` (PettingZoo).

    ## Action space
    `Discrete(547)`: the catalogue of :mod:`carnegie_env.steel_driver.actions`; an action means the same verb and
    argument at any time, and `carnegie_env.steel_driver.actions.TEXTS[action]` says what, such as `open green 3`, `bid
    4`, `build denver omaha`, `take goods chicago`. Which actions are legal changes with every step: the mask, int8 of
    shape (547,), is in `info["action_mask"]` and from `action_masks()`. It is never all zero: when the episode has
    ended, `pass` alone is set. `env.action_space.sample(info["action_mask"])` draws a legal action. A map of one's own
    (`CARNEGIE_ENV_FACTS`) has as many actions as it has cities and routes.

    An action that is not legal loses the episode. It is terminated with the reward of a loss; `info["illegal_action"]`
    says which action it was and what would have been legal; the game stays as it was. With `on_illegal="raise"` it is a
    ValueError, and the episode goes on.

    ## Observation space
    `Box`, float32 of shape (F,), all values from 0, most of them to 1: the whole position, from the seat of the player
    to move: what all share, the six companies, himself, the others clockwise. `env.unwrapped.observation_layout` names
    every part: `layout["own.cash"].slice`, `layout.read(observation, "green.network")`, `print(layout)`.

    With `mask_in_observation=True` it is a `Dict`: that Box as `observation`, and the mask as `action_mask`, `Box` of
    int8 0 and 1, shape (547,), for learners that look for it there; `info["action_mask"]` stays.

    ## Rewards
    The reward of a step is that of the player who has decided: 0 until the game ends. What every seat gets then is in
    `info["returns"]`, float32 (seats,); learners that play all seats take it from there. `dense_margin`, with opponents
    only, is paid at every step, and is the learner's alone.

    | reward | meaning | illegal action, for him |
    |---|---|---|
    | `win` (default) | the winners share +1, the others share -1 | -1 |
    | `rank` | +1 for the first, -1 for the last | -1 |
    | `margin` | own money - mean of the others', in $ | -5000 |
    | `score` | own money, in $ | -100 |
    | `dense_margin` | at each step the change of margin / 500, as if the game ended now | -10 in all |

    Places are by money, then by the goods cubes of the companies controlled at the end. As if the game ended now,
    shares are worth what their companies' goods cubes are: nothing before the final scoring phase.

    ## Starting state
    The first round's decision of seat 0, always the same: the seed changes nothing in the game. The learner's seat
    follows from it: with "rotate" it is the seed modulo the number of players, and in every next game the seat behind;
    "random" draws it. So do agents that play at random.

    ## Episode end
    Terminated when no company can take another goods cube, or by an illegal action; never truncated. The last
    observation is from the seat of the player who decided last, with opponents the learner. `info["scores"]`, int64
    (seats,), are the final scores; `info["learner_seat"]` is whose of them is the learner's. A random game takes about
    140 steps of all players.

    ## Arguments
    | name | default | meaning |
    |---|---|---|
    | `num_players` | 4 | 3 to 6 |
    | `opponents` | None | an agent for the other seats, or a list of `num_players - 1`, see below |
    | `learner_seat` | "rotate" | with opponents: "rotate", "random", or a seat from 0, for every episode |
    | `reward` | "win" | see above |
    | `on_illegal` | "lose" | "lose" or "raise": see above |
    | `show_forced` | False | hand out decisions with one legal answer, too, but for `pass`: that is always played |
    | `mask_in_observation` | False | see above |
    | `render_mode` | None | "ansi", "rgb_array": `render()` gives a text, a picture; "human": a window shows the game |

    A value that does not exist is a ValueError; the name of an argument or a render mode is both that and a TypeError.
    An opponent is the name of an agent that `carnegie_env.make_agent` knows, or an own one: any object whose
    `act_batch(batch, rows)` gives an action for each of these rows of a `Batch`, integers. It is asked for all games at
    once. A list is clockwise from the learner's left. Who answers what is not legal is named in an `OpponentError`.

    ## Vectorised
    `gymnasium.make_vec("SteelDriver/Versus-v0", num_envs=N, vectorization_mode="vector_entry_point")`: every row is the
    decision of that game's player to move, `info["to_play"]`, int64 (N,), his seat. With opponents a step is one call
    for all games, inside which they decide in all at once, until in each the learner is to move again.

    ## Version history
    v0: the first.
    """

    game = STEEL_DRIVER
    solo = False


class VersusVectorEnv(vector.GameVectorEnv):
    """N games of `SteelDriver/Versus-v0` in compiled loops; see :class:`carnegie_env.envs.vector.GameVectorEnv`."""

    game = STEEL_DRIVER
    solo = False
