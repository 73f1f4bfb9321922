"""The solo game against Andrew as a Gymnasium environment, and the batch that all environments of it share."""

from __future__ import annotations

import dataclasses
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from carnegie_env.carnegie import actions as catalogue
from carnegie_env.carnegie.game import Batch
from carnegie_env.carnegie.observation import Layout
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.position import Position
from carnegie_env.core import rewards
from carnegie_env.core.batch import in_slices
from carnegie_env.core.position import checked_seed

ON_ILLEGAL = ("lose", "raise")
_NO_GAMES = np.zeros(0, np.int64)
_NO_TOTALS = np.zeros((0, 0), np.int64)


class SoloGames:
    """N solo games with rewards and a rule for illegal actions: what all environments of the solo game share.

    Nothing restarts by itself: games that ended wait for :meth:`reset`.

    Args:
        num_games: N >= 1.
        reward: a name of :mod:`carnegie_env.core.rewards`.
        on_illegal: "lose": an illegal action ends the game with the reward of a loss; "raise": it is a ValueError.
        num_threads: see :class:`Batch`.
        **options: the game's options but `num_players`.

    Attributes:
        batch: the games.
        ended: bool (N,): games that are over, or lost by an illegal action (their records are as before that action).
        num_ended: how many.
        illegal: for each game that the last step lost by an illegal action, which action it was and why.

    Raises:
        ValueError: an unknown option, a value or a combination that does not exist.
    """

    def __init__(
        self,
        num_games: int,
        *,
        reward: str = "win",
        on_illegal: str = "lose",
        num_threads: int | None = None,
        **options: Any,
    ) -> None:
        self.reward = rewards.check_name(reward, solo=True)
        if on_illegal not in ON_ILLEGAL:
            raise ValueError(f"on_illegal must be one of {', '.join(ON_ILLEGAL)}, not {on_illegal!r}")
        self.on_illegal = on_illegal
        _check_options(options)
        self.batch = Batch(num_games, num_threads=num_threads, **{"num_players": 1, **options})
        self.num_games = self.batch.num_games
        self._size = self.layout.size
        self._score_shape = (self.batch.game.num_score_rows, self.batch.game.num_scores)
        self._seats = np.zeros(self.num_games, np.int64)
        self.ended = np.zeros(self.num_games, bool)
        self.num_ended = 0
        self.illegal: dict[int, str] = {}
        self._over = _NO_GAMES  # games that the last step brought to their end by the rules ...
        self._totals = _NO_TOTALS  # ... and their total scores
        self._started = np.zeros(self.num_games, bool)
        self._margin = np.zeros(self.num_games)  # what dense_margin has paid so far, in its unit

    @property
    def layout(self) -> Layout:
        """The named layout of an observation."""
        return self.batch.observation_layout

    def spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        """New observation and action spaces of one game."""
        layout = self.layout
        return spaces.Box(layout.low, layout.high, dtype=np.float32), spaces.Discrete(self.batch.num_actions)

    # ---- play
    def reset(
        self,
        generator: np.random.Generator,
        seeds: list[int | None] | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> None:
        """Start new games.

        Args:
            generator: where the seed of a game comes from that has never been given one.
            seeds: a seed per game; None for a game: its next seed comes from the generator in its own record.
            mask: bool (N,): which games; None: all.
        """
        mask = np.ones(self.num_games, bool) if mask is None else mask
        given = np.zeros(self.num_games, np.uint64)
        seeded = np.zeros(self.num_games, bool)
        for i, seed in enumerate(seeds or []):
            if seed is not None and mask[i]:
                given[i] = checked_seed(seed)
                seeded[i] = True
        first = mask & ~seeded & ~self._started
        if first.any():
            given[first] = generator.integers(2**63, size=int(first.sum()), dtype=np.uint64)
            seeded |= first
        if seeded.any():
            self.batch.reset(given, seeded)
        if (mask & ~seeded).any():
            self.batch.reset(mask=mask & ~seeded)
        self._started |= mask
        self.ended[mask] = False
        self.num_ended = int(np.count_nonzero(self.ended))
        self._margin[mask] = 0

    def step(self, actions: ArrayLike) -> NDArray[np.float64]:
        """Take one decision in every game; afterwards see :attr:`ended`.

        Args:
            actions: integers (N,).

        Returns:
            The rewards, float64 (N,).

        Raises:
            ValueError: a game has ended already; actions of a wrong shape or dtype; an illegal action if on_illegal
                is "raise". Nothing has moved then.
        """
        if self.num_ended:
            raise ValueError("the episode has ended: call reset() before step()")
        self.illegal = {}
        try:
            self.batch.step(actions)
        except ValueError:
            if self.on_illegal == "raise":
                raise
            self.illegal = self._step_the_legal(np.asarray(actions))
            if not self.illegal:  # a wrong shape or dtype
                raise
        np.less(self.batch.games["to_play"], 0, out=self.ended)
        self.num_ended = int(np.count_nonzero(self.ended))
        if self.num_ended:
            self._over = np.flatnonzero(self.ended)
            self._totals = self._score(self._over)
        else:
            self._over, self._totals = _NO_GAMES, _NO_TOTALS
        values = self._rewards()
        if self.illegal:
            self._lose(list(self.illegal), values)
        return values

    def _step_the_legal(self, actions: NDArray[Any]) -> dict[int, str]:
        """Step the games whose action is legal; say what is wrong with the others, {} if it is the shape or dtype."""
        if actions.shape != (self.num_games,) or actions.dtype.kind not in "iu":
            return {}
        known = (actions >= 0) & (actions < self.batch.num_actions)
        chosen = np.where(known, actions, 0).astype(np.int64)
        words = self.batch.legal_words()[np.arange(self.num_games), chosen >> 6]
        legal = known & ((words >> (chosen & 63).astype(np.uint64)) & np.uint64(1)).astype(bool)
        illegal = {int(i): self._why(int(i), int(actions[i])) for i in np.flatnonzero(~legal)}
        chosen[~legal] = -1  # the step leaves these games alone
        in_slices(self.batch.game.kernels.step, self.batch.games, chosen, threads=self.batch.num_threads)
        return illegal

    def _why(self, row: int, action: int) -> str:
        return self.batch.why_illegal(row, action).removeprefix(f"game {row}: ")

    def _rewards(self) -> NDArray[np.float64]:
        """The rewards of games played by the rules."""
        if self.reward == rewards.DENSE_MARGIN:
            now = rewards.margin(self._score()) / rewards.MARGIN_UNIT
            values = now - self._margin
            self._margin = now
            return values
        values = np.zeros(self.num_games)
        if self.num_ended:
            values[self._over] = rewards.returns(self.reward, self._totals, 1)[:, 0]
        return values

    def _lose(self, rows: list[int], values: NDArray[np.float64]) -> None:
        """End games with the reward of a loss; of dense_margin, that is what the episode sums to."""
        self.ended[rows] = True
        self.num_ended += len(rows)
        paid = self._margin[rows] - values[rows]  # before this step; nothing but by dense_margin
        values[rows] = rewards.LOSS[self.reward] - paid

    def _score(self, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Total scores of all games, or of some: int64 (N, 5); column 0 is the player's, column 4 Andrew's."""
        games = self.batch.games if rows is None else self.batch.games[rows]
        out = np.zeros((len(games), *self._score_shape), np.int64)
        in_slices(self.batch.game.kernels.score, games, out, threads=self.batch.num_threads)
        return out[:, :, -1]

    # ---- look
    def observe(self, rows: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """New array of observations of all games, or of some: float32 (N, F)."""
        games = self.batch.games if rows is None else self.batch.games[rows]
        out = np.empty((len(games), self._size), np.float32)
        seats = self._seats[: len(games)]
        in_slices(self.batch.game.kernels.observe, games, seats, out, threads=self.batch.num_threads)
        return out

    def masks(self) -> NDArray[np.int8]:
        """New array of legal actions as 0/1: int8 (N, A), no row all zero: a game that has ended has `pass` alone."""
        masks = self.batch.action_masks()
        if self.num_ended:
            masks[self.ended] = 0
            masks[self.ended, catalogue.PASS] = 1
        return masks

    def final_infos(self) -> dict[str, tuple[list[int], list[Any]]]:
        """What is worth knowing of the games that the last step ended: by name, in which games, and the values."""
        infos: dict[str, tuple[list[int], list[Any]]] = {}
        if len(self._over):
            over = self._over.tolist()
            infos["score"] = (over, self._totals[:, 0].tolist())
            infos["andrew_score"] = (over, self._totals[:, -1].tolist())
        if self.illegal:
            infos["illegal_action"] = (list(self.illegal), list(self.illegal.values()))
        return infos

    def text(self, row: int) -> str:
        """A game as text."""
        return str(Position(self.batch.games[row : row + 1]))


def _check_options(options: dict[str, Any]) -> None:
    known = [field.name for field in dataclasses.fields(Options) if field.name != "num_players"]
    for name in options:
        if name not in known and name != "num_players":
            mine = ("reward", "on_illegal", "render_mode")
            raise ValueError(f"unknown option {name!r}; the options are {', '.join((*known, *mine))}")
    if options.get("num_players", 1) != 1:
        raise ValueError(
            f"the solo environment has num_players=1, not {options['num_players']!r}; "
            "for 2 to 4 players use carnegie_env.carnegie_v0.env or carnegie_env.Batch"
        )


class SoloEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
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

    ## Rewards
    | reward | meaning | illegal action |
    |---|---|---|
    | `win` (default) | +1, 0 or -1 at the end | -1 |
    | `rank` | the same, with two sides | -1 |
    | `margin` | own score - Andrew's at the end, in VP | -100 |
    | `score` | own score at the end, in VP | 0 |
    | `dense_margin` | at each step the change of margin / 100, as if the game ended now | -1 in all |

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
    | `timeline_tiles` | "columns" | "columns" or "rows": how the timeline tiles are dealt |
    | `show_forced` | False | hand out decisions with one legal answer, too |
    | `new_start`, `new_departments`, `diverse_setup` | False | the modules of expansion 1 that go with the solo game |
    | `render_mode` | None | "ansi": `render()` gives the game as text |

    A name or a value that does not exist is a ValueError.

    ## Vectorised
    `gymnasium.make_vec("Carnegie/Solo-v0", num_envs=N, vectorization_mode="vector_entry_point")` plays N games in
    compiled loops, with the same arguments: see :class:`carnegie_env.envs.vector.SoloVectorEnv`.

    ## Version history
    v0: the first.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self, *, reward: str = "win", on_illegal: str = "lose", render_mode: str | None = None, **options: Any
    ) -> None:
        self.render_mode = check_render_mode(render_mode, self.metadata)
        self._games = SoloGames(1, reward=reward, on_illegal=on_illegal, num_threads=1, **options)
        self.observation_space, self.action_space = self._games.spaces()

    @property
    def observation_layout(self) -> Layout:
        """The named parts of the observation."""
        return self._games.layout

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a new game; returns its first observation and the info with the mask. There are no options."""
        super().reset(seed=seed)
        check_reset_options(options)
        self._games.reset(self.np_random, [seed])
        return self._games.observe()[0], {"action_mask": self.action_masks()}

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Take one decision; see the class."""
        values = self._games.step([action])
        terminated = self._games.num_ended > 0
        info: dict[str, Any] = {"action_mask": self.action_masks()}
        if terminated:
            info |= {name: found[0] for name, (_, found) in self._games.final_infos().items()}
        return self._games.observe()[0], float(values[0]), terminated, False, info

    def action_masks(self) -> NDArray[np.int8]:
        """Legal actions as 0/1, int8 of shape (A,), a new array."""
        mask: NDArray[np.int8] = self._games.masks()[0]
        return mask

    def render(self) -> str | None:
        """The game as text (render_mode "ansi")."""
        return self._games.text(0) if self.render_mode == "ansi" else None


def check_render_mode(render_mode: str | None, metadata: dict[str, Any]) -> str | None:
    """Return the render mode if there is one of that name, else raise a ValueError."""
    if render_mode is not None and render_mode not in metadata["render_modes"]:
        raise ValueError(f"render_mode must be None or one of {metadata['render_modes']}, not {render_mode!r}")
    return render_mode


def check_reset_options(options: dict[str, Any] | None) -> None:
    """Refuse options of reset: a game's options are given when the environment is made."""
    if options:
        raise ValueError(f"reset has no options, got {sorted(options)}; a game's options are arguments of make")
