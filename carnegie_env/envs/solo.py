"""The solo game against Andrew as a Gymnasium environment, and the batch that all environments of it share."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from carnegie_env.carnegie import actions as catalogue
from carnegie_env.carnegie.game import Batch
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.position import Position
from carnegie_env.core import rewards
from carnegie_env.core.arguments import render_mode_of, switch
from carnegie_env.core.batch import in_slices
from carnegie_env.core.layout import Layout
from carnegie_env.core.position import checked_seed
from carnegie_env.core.records import take_records

ARGUMENTS = ("reward", "on_illegal", "render_mode", "mask_in_observation")  # of every solo environment, beside options
Observation = NDArray[np.float32] | dict[str, NDArray[Any]]  # a dictionary with mask_in_observation
_NO_GAMES = np.zeros(0, np.int64)
_NO_TOTALS = np.zeros((0, 0), np.int64)


class SoloGames:
    """N solo games with rewards and a rule for illegal actions: what all environments of the solo game share.

    Nothing restarts by itself: games that ended wait for :meth:`reset`, or for the next step if it may restart them.

    Args:
        num_games: N >= 1.
        options: the game's options by name, without `num_players`.
        reward: a name of :mod:`carnegie_env.core.rewards`.
        on_illegal: "lose": an illegal action ends the game with the reward of a loss; "raise": it is a ValueError.
        mask_in_observation: observations are dictionaries with `observation` and `action_mask`.
        num_threads: see :class:`Batch`.
        also: names of the environment's own arguments, for the message about one that does not exist.

    Attributes:
        batch: the games.
        ended: bool (N,): games that are over, or lost by an illegal action (their records are as before that action).
        num_ended: how many.
        illegal: for each game that the last step lost by an illegal action, which action it was and why.

    Raises:
        UnexpectedArgument: an option that does not exist.
        ValueError: a value or a combination that does not exist.
    """

    def __init__(
        self,
        num_games: int,
        options: dict[str, Any],
        *,
        reward: str = "win",
        on_illegal: str = "lose",
        mask_in_observation: bool = False,
        num_threads: int | None = None,
        also: tuple[str, ...] = ARGUMENTS,
    ) -> None:
        self.reward = rewards.check_name(reward, solo=True)
        self.on_illegal = rewards.check_on_illegal(on_illegal)
        self.mask_in_observation = switch("mask_in_observation", mask_in_observation)
        chosen = Options.from_dict({"num_players": 1, **options}, also=also)
        if not chosen.solo:
            raise ValueError(
                f"the solo environment has num_players=1, not {chosen.num_players}; "
                "for 2 to 4 players use carnegie_env.carnegie_v0.env or carnegie_env.Batch"
            )
        self.batch = Batch(num_games, num_threads=num_threads, **chosen.to_dict())
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
        layout, actions = self.layout, self.batch.num_actions
        seen: spaces.Space[Any] = spaces.Box(layout.low, layout.high, dtype=np.float32)
        if self.mask_in_observation:
            seen = spaces.Dict(observation=seen, action_mask=spaces.Box(0, 1, (actions,), np.int8))
        return seen, spaces.Discrete(actions)

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

    def step(self, actions: ArrayLike, restart: np.random.Generator | None = None) -> NDArray[np.float64]:
        """Take one decision in every game; afterwards see :attr:`ended`.

        Args:
            actions: integers (N,).
            restart: None: games that have ended must be reset first. A generator: they start anew in place of a
                decision, as by :meth:`reset`; their actions are not looked at and their reward is 0.

        Returns:
            The rewards, float64 (N,).

        Raises:
            ValueError: a game has ended already and is not to restart; actions of a wrong shape or dtype; an illegal
                action if on_illegal is "raise". Nothing has moved then.
        """
        waiting = self.ended.copy() if self.num_ended else None
        if waiting is not None and restart is None:
            raise ValueError("the episode has ended: call reset() before step()")
        self._play(actions, waiting)
        if waiting is not None and restart is not None:
            self.reset(restart, mask=waiting)
        np.less(self.batch._games["to_play"], 0, out=self.ended)
        self.num_ended = int(np.count_nonzero(self.ended))
        if self.num_ended:
            self._over = np.flatnonzero(self.ended)
            self._totals = self._score(self._over)
        else:
            self._over, self._totals = _NO_GAMES, _NO_TOTALS
        values = self._rewards()
        if waiting is not None:
            values[waiting] = 0
            self._margin[waiting] = 0
        if self.illegal:
            self._lose(list(self.illegal), values)
        return values

    def _play(self, actions: ArrayLike, waiting: NDArray[np.bool_] | None) -> None:
        """Play the actions that are legal and say in :attr:`illegal` what is wrong with the others, or raise."""
        if waiting is None:
            try:
                self.batch.step(actions)
                self.illegal = {}
                return
            except ValueError:
                if self.on_illegal == "raise":
                    raise
        checked = integers(actions, self.num_games)
        known = (checked >= 0) & (checked < self.batch.num_actions)
        chosen = np.where(known, checked, 0).astype(np.int64)
        words = self.batch.legal_words()[np.arange(self.num_games), chosen >> 6]
        legal = known & ((words >> (chosen & 63).astype(np.uint64)) & np.uint64(1)).astype(bool)
        illegal = np.flatnonzero(~legal if waiting is None else ~legal & ~waiting)
        if len(illegal) and self.on_illegal == "raise":
            raise ValueError(self.batch.why_illegal(int(illegal[0]), int(checked[illegal[0]])))
        self.illegal = {int(i): self._why(int(i), int(checked[i])) for i in illegal}
        chosen[illegal] = -1  # the step leaves these games alone
        if waiting is not None:
            chosen[waiting] = -1
        in_slices(self.batch.game.kernels.step, self.batch._games, chosen, threads=self.batch.num_threads)

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
        games = self.batch._games if rows is None else take_records(self.batch._games, rows)
        out = np.zeros((len(games), *self._score_shape), np.int64)
        in_slices(self.batch.game.kernels.score, games, out, threads=self.batch.num_threads)
        return out[:, :, -1]

    # ---- look
    def observe(self, rows: NDArray[np.int64] | None = None) -> Any:
        """New observations of all games, or of some: float32 (N, F).

        With mask_in_observation a dictionary of that as `observation` and of the masks as `action_mask`, int8 (N, A).
        """
        games = self.batch._games if rows is None else take_records(self.batch._games, rows)
        out = np.empty((len(games), self._size), np.float32)
        seats = self._seats[: len(games)]
        in_slices(self.batch.game.kernels.observe, games, seats, out, threads=self.batch.num_threads)
        if not self.mask_in_observation:
            return out
        return {"observation": out, "action_mask": self.masks() if rows is None else self.masks()[rows]}

    def observe_each(self, rows: NDArray[np.int64] | None = None) -> list[Any]:
        """The observations of all games, or of some, one by one."""
        found = self.observe(rows)
        if self.mask_in_observation:
            return [{name: part[k] for name, part in found.items()} for k in range(len(found["observation"]))]
        return list(found)

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


def integers(actions: ArrayLike, number: int) -> NDArray[Any]:
    """Actions as an array; a ValueError unless they are integers of shape (number,)."""
    found = np.asarray(actions)
    if found.shape != (number,) or found.dtype.kind not in "iu":
        raise ValueError(f"actions must be integers of shape ({number},), got {found.dtype} {found.shape}")
    return found


class SoloEnv(gymnasium.Env[Observation, np.int64]):
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
    | `render_mode` | None | "ansi": `render()` gives the game as text |

    A value that does not exist is a ValueError; the name of an argument or a render mode is both that and a TypeError.

    ## Vectorised
    `gymnasium.make_vec("Carnegie/Solo-v0", num_envs=N, vectorization_mode="vector_entry_point")` plays N games in
    compiled loops, with the same arguments: see :class:`carnegie_env.envs.vector.SoloVectorEnv`.

    ## Version history
    v0: the first.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        *,
        reward: str = "win",
        on_illegal: str = "lose",
        render_mode: str | None = None,
        mask_in_observation: bool = False,
        **options: Any,
    ) -> None:
        self.render_mode = render_mode_of(render_mode, self.metadata)
        self._games = SoloGames(
            1, options, reward=reward, on_illegal=on_illegal, mask_in_observation=mask_in_observation, num_threads=1
        )
        self.observation_space, self.action_space = self._games.spaces()

    @property
    def observation_layout(self) -> Layout:
        """The named parts of the observation."""
        return self._games.layout

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game; returns its first observation and the info with the mask. There are no options."""
        super().reset(seed=seed)
        check_reset_options(options)
        self._games.reset(self.np_random, [seed])
        return self._games.observe_each()[0], {"action_mask": self.action_masks()}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take one decision; see the class."""
        values = self._games.step([action])
        terminated = self._games.num_ended > 0
        info: dict[str, Any] = {"action_mask": self.action_masks()}
        if terminated:
            info |= {name: found[0] for name, (_, found) in self._games.final_infos().items()}
        return self._games.observe_each()[0], float(values[0]), terminated, False, info

    def action_masks(self) -> NDArray[np.int8]:
        """Legal actions as 0/1, int8 of shape (A,), a new array."""
        mask: NDArray[np.int8] = self._games.masks()[0]
        return mask

    def render(self) -> str | None:
        """The game as text (render_mode "ansi")."""
        return self._games.text(0) if self.render_mode == "ansi" else None


def check_reset_options(options: dict[str, Any] | None) -> None:
    """Refuse options of reset: a game's options are given when the environment is made."""
    if options:
        raise ValueError(f"reset has no options, got {sorted(options)}; a game's options are arguments of make")
