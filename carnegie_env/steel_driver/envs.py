"""Steel Driver's Gymnasium environments: each class's docstring is the environment's page."""

from __future__ import annotations

from carnegie_env.envs import single, vector
from carnegie_env.steel_driver.game import STEEL_DRIVER


class VersusEnv(single.GameEnv):
    """Steel Driver for 3 to 6 players, for one agent at one seat or at all: `gymnasium.make("SteelDriver/Versus-v0")`.

    ## Description
    The board game Steel Driver (2008) with its complete rules: five rounds of investment cubes, auctions for control of
    six railway companies, building and profits; then companies take goods cubes, and shares pay. The map is a
    reconstruction (`carnegie-env facts --game steel_driver`). Nothing is hidden, and there is no chance.

    With opponents, for example `opponents="random"`, the learner plays one seat; agents of this package or your own
    play the others. A step is one decision of the learner and all decisions of the opponents before the learner's next
    one; `reset` plays those before the first. Observation, mask and reward are the learner's, and `info["to_play"]` is
    its seat.

    Without opponents one agent decides for every seat in turn (self-play): a step is one decision of the player to
    move, seen from that seat, and `info["to_play"]` is the next player to move. For one agent per seat use
    `carnegie_env.steel_driver_v0` (PettingZoo).

    ## Action space
    `Discrete(547)`, the catalogue of :mod:`carnegie_env.steel_driver.actions`: `TEXTS[action]` there is the verb and
    argument of an action, which never change, such as `open green 3`, `bid 4`, `build denver omaha`, `take goods
    chicago`. The legal actions change with every step: the mask, int8 of shape (547,), is `info["action_mask"]` and
    `action_masks()`, and `env.action_space.sample(info["action_mask"])` draws a legal action. When the episode has
    ended, the mask contains only `pass`. With your own map (`CARNEGIE_ENV_FACTS`) the number of actions depends on its
    cities and routes.

    An illegal action terminates the episode with the reward of a loss. The game stays unchanged, and
    `info["illegal_action"]` names the action and the legal ones. With `on_illegal="raise"` an illegal action is a
    ValueError, and the episode continues.

    ## Observation space
    `Box`, float32 of shape (F,), all values at least 0, most at most 1: the whole position from the seat of the player
    to move: what all share, the six companies, the player, the others clockwise. `env.unwrapped.observation_layout`
    names every part: `layout["own.cash"].slice`, `layout.read(observation, "green.network")`, `print(layout)`.

    With `mask_in_observation=True` the space is a `Dict` of that Box as `observation` and the mask as `action_mask`, a
    `Box` of int8 0 and 1, shape (547,); `info["action_mask"]` stays.

    ## Rewards
    The reward of a step goes to the player who made the decision. It is 0 until the game ends. Then `info["returns"]`,
    float32 (seats,), has the reward of every seat, for learners that play all of them. `dense_margin`, with opponents
    only, is the learner's, at every step.

    | reward | meaning | illegal action |
    |---|---|---|
    | `win` (default) | the winners share +1, the others share -1 | -1 |
    | `rank` | +1 for the first, -1 for the last | -1 |
    | `margin` | own money - mean of the others', in $ | -5000 |
    | `score` | own money, in $ | -100 |
    | `dense_margin` | at each step the change of margin / 500, as if the game ended now | -10 in total |

    Places are by money, then by the goods cubes of the companies controlled at the end. As if the game ended now,
    shares are worth their companies' goods cubes: nothing before the final scoring phase.

    ## Starting state
    The first round's decision of seat 0: every game begins the same. The seed gives the learner's seat: with "rotate"
    it is the seed modulo the number of players, and one seat further in every following game; "random" draws it. It
    also seeds agents that play at random.

    ## Episode end
    Terminated when no company can take another goods cube, or by an illegal action; never truncated. The last
    observation is from the seat of the player who decided last, with opponents the learner. `info["scores"]`, int64
    (seats,), are the final scores, unless an action was illegal, and `info["learner_seat"]` is the learner's seat. A
    random game takes about 140 steps of all players.

    ## Arguments
    | name | default | meaning |
    |---|---|---|
    | `num_players` | 4 | 3 to 6 |
    | `opponents` | None | an agent for the other seats, or a list of `num_players - 1`, see below |
    | `learner_seat` | "rotate" | with opponents: "rotate", "random", or a seat from 0, for every episode |
    | `reward` | "win" | see above |
    | `on_illegal` | "lose" | "lose" or "raise": see above |
    | `show_forced` | False | present decisions with one legal action as well, except a lone `pass` |
    | `mask_in_observation` | False | see above |
    | `render_mode` | None | "ansi", "rgb_array": `render()` gives a text, a picture; "human": a window shows the game |

    A wrong value is a ValueError; an unknown argument or render mode is both a ValueError and a TypeError. An opponent
    is the name of an agent that `carnegie_env.make_agent` knows, or your own: any object whose `act_batch(batch, rows)`
    returns an integer action for each of these rows of a `Batch`. A list names the opponents clockwise, starting on the
    learner's left. An opponent that returns an illegal action is named in an `OpponentError`.

    ## Vectorised
    `gymnasium.make_vec("SteelDriver/Versus-v0", num_envs=N, vectorization_mode="vector_entry_point")`: every row is the
    decision of one game's player to move, and `info["to_play"]`, int64 (N,), their seats. With opponents a step is one
    call that plays in all games until the learner is to move in each.

    ## Version history
    v0: the first.
    """

    game = STEEL_DRIVER
    solo = False


class VersusVectorEnv(vector.GameVectorEnv):
    """N games of `SteelDriver/Versus-v0` in compiled loops; see :class:`carnegie_env.envs.vector.GameVectorEnv`."""

    game = STEEL_DRIVER
    solo = False
