"""N games with rewards: the common part of the Gymnasium and Stable-Baselines3 environments of every game."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from reprlib import repr as shown  # a short one, whatever is given
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from carnegie_env.core import rewards
from carnegie_env.core.arguments import switch
from carnegie_env.core.game import Game
from carnegie_env.core.kernels import NOTHING
from carnegie_env.core.layout import Layout
from carnegie_env.core.position import BasePosition
from carnegie_env.core.records import take_records
from carnegie_env.core.validation import array_of, seed_of, shortened
from carnegie_env.envs.opponents import ROTATE, Opponent, Opponents
from carnegie_env.render import png

ARGUMENTS = ("reward", "on_illegal", "render_mode", "mask_in_observation")  # of every environment, besides options
TABLE_ARGUMENTS = ("opponents", "learner_seat")  # only for two or more players
FPS = 4  # decisions per second in windows and videos
MOST_SKIPPED = 1000  # consecutive games that may end before the learner's first decision
Observation = NDArray[np.float32] | dict[str, NDArray[Any]]  # a dictionary with mask_in_observation
_NO_ROWS = np.zeros(0, np.int64)


class Games:
    """N games with rewards and a rule for illegal actions. Each row is a decision of that game's player to move.

    A reward belongs to the seat that acted. With opponents, all decisions are the learner's, at one seat of each game;
    :meth:`reset` and :meth:`step` also play the opponents' decisions before, between and after them. Finished games
    wait for :meth:`reset`, :meth:`restart` or a step with ``restart``.

    Args:
        game: the game.
        num_games: N >= 1.
        solo: True for tables of one, False for two or more players, None if the options decide.
        num_threads: see :class:`Batch`.
        also: names of the environment's own arguments besides ARGUMENTS, listed in errors about unknown ones.
        reward: a name from :mod:`carnegie_env.core.rewards`.
        on_illegal: "lose": an illegal action ends the game with the reward of a loss; "raise": it is a ValueError.
        mask_in_observation: whether observations are dictionaries with `observation` and `action_mask`.
        opponents, learner_seat: the agents on the other seats, and the learner's seat; see :class:`Opponents`. With
            None the caller of :meth:`step` decides for all seats.
        **options: the game's options.

    Attributes:
        batch: the games.
        ended: bool (N,): games that are over or were lost by an illegal action (which leaves the record unchanged).
        num_ended: the number of these games.
        illegal: why the action was illegal, for each game that the last step lost by one.

    Raises:
        UnexpectedArgument: an option that does not exist.
        ValueError: a value or a combination that does not exist.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        solo: bool | None = None,
        num_threads: int | None = None,
        also: tuple[str, ...] = (),
        /,  # a caller's options may have these names: they get the message about unknown options
        *,
        reward: str = "win",
        on_illegal: str = "lose",
        mask_in_observation: bool = False,
        opponents: Opponent | Sequence[Opponent] | None = None,
        learner_seat: int | str = ROTATE,
        **options: Any,
    ) -> None:
        self.game = game
        chosen = options_of(game, options, solo, (*ARGUMENTS, *also, *(() if solo else TABLE_ARGUMENTS)))
        self.solo = chosen.num_players == 1
        self.reward = rewards.check_name(reward, dense=self.solo or opponents is not None)
        self.on_illegal = rewards.check_on_illegal(on_illegal)
        self.mask_in_observation = switch("mask_in_observation", mask_in_observation)
        self.batch = game.batch_class(num_games, num_threads=num_threads, **chosen.to_dict())
        self.num_games = self.batch.num_games
        self.num_players = chosen.num_players
        self.opponents = self._seated(opponents, learner_seat)
        self._size = self.batch.observation_size
        self._movers = np.zeros(self.num_games, np.int64)  # the seats that made the last decision
        self.ended = np.zeros(self.num_games, bool)
        self._is_ready = False  # all games have been reset
        self.num_ended = 0
        self.illegal: dict[int, str] = {}
        self._over = _NO_ROWS  # games that the last step finished by the rules
        self._finals = np.zeros((0, 0, 0), np.int64)  # their results
        self._returns: dict[int, NDArray[np.float32]] = {}  # each seat's reward in games that the last step ended
        self._started = np.zeros(self.num_games, bool)
        self._margin = np.zeros(self.num_games)  # the sum of the rewards so far, for dense_margin

    def _seated(self, opponents: Opponent | Sequence[Opponent] | None, learner_seat: int | str) -> Opponents | None:
        if opponents is None:
            if learner_seat != ROTATE:
                raise ValueError(f"learner_seat={shown(learner_seat)} needs opponents for the other seats")
            return None
        if self.solo:
            raise ValueError(f"opponents need two or more players; the solo opponent is {self.game.opponent}")
        return Opponents(self.game, self.batch.options, self.num_games, opponents, learner_seat)

    @property
    def layout(self) -> Layout:
        """The named layout of an observation."""
        layout: Layout = self.batch.observation_layout
        return layout

    def spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        """New observation and action spaces of one game."""
        layout, actions = self.layout, self.batch.num_actions
        space: spaces.Space[Any] = spaces.Box(layout.low, layout.high, dtype=np.float32)
        if self.mask_in_observation:
            space = spaces.Dict(observation=space, action_mask=spaces.Box(0, 1, (actions,), np.int8))
        return space, spaces.Discrete(actions)

    # ---- play
    def reset(
        self,
        generator: np.random.Generator,
        seeds: list[int | None] | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> None:
        """Start new games.

        Args:
            generator: draws the first seed of games that never had one.
            seeds: a seed for each game, or None for the next game of its own sequence.
            mask: bool (N,): the games to start; None for all.
        """
        mask = np.ones(self.num_games, bool) if mask is None else mask
        given = np.zeros(self.num_games, np.uint64)
        seeded = np.zeros(self.num_games, bool)
        for i, seed in enumerate(seeds or []):
            if seed is not None and mask[i]:
                given[i] = seed_of(seed)
                seeded[i] = True
        first = mask & ~seeded & ~self._started
        if first.any():
            given[first] = generator.integers(2**63, size=int(first.sum()), dtype=np.uint64)
            seeded |= first
        if seeded.any():
            self.batch.reset(given, seeded)
        if (mask & ~seeded).any():
            self.batch.reset(mask=mask & ~seeded)
        if self.opponents is not None:
            with self._reset_after_errors():
                self._open(self.opponents, mask, given, seeded)
        self._started |= mask
        self._is_ready = bool(self._started.all())
        self.ended[mask] = False
        self.num_ended = int(np.count_nonzero(self.ended))
        self._margin[mask] = 0

    @contextlib.contextmanager
    def _reset_after_errors(self) -> Iterator[None]:
        """If opponents fail, some games wait for them: no step is possible until all games have been reset."""
        try:
            yield
        except BaseException:
            self._started[:] = False
            self._is_ready = False
            raise

    def _open(
        self, others: Opponents, beginning: NDArray[np.bool_], seeds: NDArray[np.uint64], seeded: NDArray[np.bool_]
    ) -> None:
        """Seat the learner in new games and play the opponents up to the learner's first decision.

        A game that ends before that decision is replaced by the next one.
        """
        for _ in range(MOST_SKIPPED):
            others.sit(self.batch, beginning, seeds, seeded)
            others.play(self.batch)
            beginning = beginning & (self.batch._to_play < 0)
            if not beginning.any():
                return
            self.batch.reset(mask=beginning)
            seeded = np.zeros_like(seeded)
        raise ValueError(f"the learner had nothing to decide in {MOST_SKIPPED} consecutive games")

    def restart(self, generator: np.random.Generator) -> tuple[NDArray[np.int64], list[Any]]:
        """Restart the games that have ended; returns their rows and their last observations."""
        rows = np.flatnonzero(self.ended)
        observations = self.observe_each(rows)
        self.reset(generator, mask=self.ended.copy())
        return rows, observations

    def step(self, actions: ArrayLike, restart: np.random.Generator | None = None) -> NDArray[np.float64]:
        """Take one decision in every game; afterwards see :attr:`ended`.

        Args:
            actions: integers (N,).
            restart: a generator restarts finished games in place of a decision, as :meth:`reset` does; their actions
                are ignored, and their reward is 0. With None finished games must be reset first.

        Returns:
            The rewards of the seats that acted, float64 (N,).

        Raises:
            ValueError: a game has not begun, has ended or was left by an opponent's error, and was not reset; actions
                have a wrong shape or dtype; an action is illegal and on_illegal is "raise". No game has changed then.
        """
        if not self._is_ready:
            raise ValueError("a game has not begun: call reset() before step()")
        waiting = self.ended.copy() if self.num_ended else None
        if waiting is not None and restart is None:
            raise ValueError("the episode has ended: call reset() before step()")
        movers = np.maximum(self.batch._to_play, 0).astype(np.int64) if not self.solo else self._movers
        self._play(actions, waiting)
        if self.opponents is not None:
            with self._reset_after_errors():
                self.opponents.play(self.batch)
            movers = self.opponents.seats
        self._movers = movers
        if waiting is not None and restart is not None:
            self.reset(restart, mask=waiting)
        np.less(self.batch._to_play, 0, out=self.ended)
        self.num_ended = int(np.count_nonzero(self.ended))
        self._over = np.flatnonzero(self.ended) if self.num_ended else _NO_ROWS
        self._returns = {}
        values = self._rewards()
        if waiting is not None:
            values[waiting] = 0
            self._margin[waiting] = 0
        if self.illegal:
            self._lose(list(self.illegal), values)
        return values

    def _play(self, actions: ArrayLike, waiting: NDArray[np.bool_] | None) -> None:
        """Play the legal actions; explain the illegal ones in :attr:`illegal`, or raise."""
        if waiting is None:
            try:
                self.batch.step(actions)
                self.illegal = {}
                return
            except ValueError:
                if self.on_illegal == "raise":
                    raise
        given = array_of("actions", actions)
        moving = np.ones(self.num_games, bool) if waiting is None else ~waiting
        legal = self.batch.legal(given)  # a ValueError for a wrong shape or dtype
        illegal = np.flatnonzero(moving & ~legal)
        if len(illegal) and self.on_illegal == "raise":
            raise ValueError(self.batch.why_illegal(int(illegal[0]), int(given[illegal[0]])))
        self.illegal = {int(i): self._why(int(i), int(given[i])) for i in illegal}
        rows = np.flatnonzero(moving & legal)
        if len(rows):
            self.batch.step(given[rows], rows)

    def _why(self, row: int, action: int) -> str:
        return self.batch.why_illegal(row, action).removeprefix(f"game {row}: ")

    def _rewards(self) -> NDArray[np.float64]:
        """The rewards of all games, without illegal actions."""
        if self.num_ended:
            self._finals = self.batch.results(self._over)
        if self.reward == rewards.DENSE_MARGIN:
            now = rewards.margin(self.batch.results(), None if self.solo else self._movers) / self.game.dense_unit
            values = now - self._margin
            self._margin = now
            return values
        values = np.zeros(self.num_games)
        if self.num_ended:
            returns = rewards.returns(self.reward, self._finals, self.num_players)
            values[self._over] = returns[np.arange(len(returns)), self._movers[self._over]]
            self._returns = dict(zip(self._over.tolist(), returns, strict=True))
        return values

    def _lose(self, rows: list[int], values: NDArray[np.float64]) -> None:
        """End games with the reward of a loss; with dense_margin, the episode's rewards sum to it."""
        self.ended[rows] = True
        self.num_ended += len(rows)
        for row, scores in zip(rows, self.batch.scores(rows), strict=True):
            seat = int(self._movers[row])
            if self.reward == rewards.DENSE_MARGIN:
                paid = self._margin[row] - values[row]  # in earlier steps
                values[row] = rewards.loss(self.reward, self.game) - paid
            else:
                returns = rewards.lost(self.reward, seat, scores, self.game)
                values[row] = returns[seat]
                self._returns[row] = returns[: self.num_players]

    # ---- queries
    def seats(self) -> NDArray[np.int64]:
        """The seats to move, int64 (N,); in finished games, the seats that moved last."""
        return np.where(self.batch._to_play < 0, self._movers, self.batch._to_play).astype(np.int64)

    def observe(self, rows: NDArray[np.int64] | None = None) -> Any:
        """New observations of all games, or of some rows, as seen from :meth:`seats`: float32 (N, F).

        With mask_in_observation, a dictionary of `observation` and `action_mask`, int8 (N, A).
        """
        games = self.batch._games if rows is None else take_records(self.batch._games, rows)
        out = np.empty((len(games), self._size), np.float32)
        seats = self._movers if self.solo else self.seats()
        self.batch._observe(games, seats[: len(games)] if rows is None or self.solo else seats[rows], out)
        if not self.mask_in_observation:
            return out
        return {"observation": out, "action_mask": self.masks() if rows is None else self.masks()[rows]}

    def observe_each(self, rows: NDArray[np.int64] | None = None) -> list[Any]:
        """A list with the observation of each game, or of some rows."""
        batch = self.observe(rows)
        if self.mask_in_observation:
            return [{name: part[k] for name, part in batch.items()} for k in range(len(batch["observation"]))]
        return list(batch)

    def masks(self) -> NDArray[np.int8]:
        """A new array of legal actions as 0/1, int8 (N, A). In finished games only `pass` is set."""
        masks = self.batch.action_masks()
        if self.num_ended:
            masks[self.ended] = 0
            masks[self.ended, NOTHING] = 1
        return masks

    def final_infos(self) -> dict[str, tuple[list[int], list[Any]]]:
        """Infos of the games that the last step ended: rows and values by key.

        In solo games `score` and `NAME_score`, with the automatic opponent's name; otherwise `scores`, int64 (sides,),
        and `returns`, the rewards of all seats, float32 (seats,). With opponents also `learner_seat`. After an illegal
        action `illegal_action`, a message.
        """
        infos: dict[str, tuple[list[int], list[Any]]] = {}
        over = self._over.tolist()
        if over and self.solo:
            infos["score"] = (over, self._finals[:, 0, 0].tolist())
            infos[f"{self.game.opponent}_score"] = (over, self._finals[:, 1, 0].tolist())
        elif over:
            infos["scores"] = (over, list(self._finals[:, :, 0]))
        if self._returns and not self.solo:
            infos["returns"] = (list(self._returns), list(self._returns.values()))
        if self.opponents is not None and (ended := [*over, *self.illegal]):
            infos["learner_seat"] = (ended, self.opponents.seats[ended].tolist())
        if self.illegal:
            infos["illegal_action"] = (list(self.illegal), list(self.illegal.values()))
        return infos

    def frame(self, row: int = 0) -> NDArray[np.uint8]:
        """The picture of a game as seen from :meth:`seats`: uint8 (height, width, 3)."""
        return png.pixels(self.position(row).to_svg(int(self.seats()[row])))

    def position(self, row: int = 0) -> BasePosition[Any]:
        """A copy of a game as a position without history."""
        return self.game.position_class._of(take_records(self.batch._games, np.array([self.batch._row(row)])))


def options_of(game: Game, given: dict[str, Any], solo: bool | None, also: tuple[str, ...]) -> Any:
    """The game's options, checked against the number of players that the environment is for; see :class:`Games`."""
    least, most = game.seats
    if solo is False:
        least = max(least, 2)
    default = least if least == 1 else max(game.options().num_players, least)
    number = given.get("num_players", default)
    if solo is False and isinstance(number, int | np.integer) and not least <= number <= most:
        alone = f"; for one player use {game.namespace}/Solo-v0" if number == 1 and game.opponent is not None else ""
        raise ValueError(f"num_players must be {least} to {most} here, not {number}{alone}")
    chosen = game.options.from_dict({**given, "num_players": number}, also=also)
    if solo and chosen.num_players != 1:
        raise ValueError(
            f"the solo environment has num_players=1, not {chosen.num_players}; "
            f"for 2 to {most} players use {game.namespace}/Versus-v0, {game.name}_v0 of PettingZoo or Batch"
        )
    return chosen


def metadata_of(game: Game, *, window: bool) -> dict[str, Any]:
    """Gymnasium's metadata with the render modes of a game's environments; ``window`` adds "human"."""
    pictures = ["rgb_array", *(["human"] if window else [])] if game.presentation.draw is not None else []
    return {"render_modes": ["ansi", *pictures], "render_fps": FPS}


def one_action(action: Any) -> NDArray[Any]:
    """The action of one game as an array of shape (1,); a ValueError unless it is a whole number."""
    array = array_of("an action", action)
    if array.shape != () or array.dtype.kind not in "iu":
        given = f"an array of shape {array.shape}" if array.shape else shortened(action)
        raise ValueError(f"an action must be a whole number, such as 3, not {given}")
    return array.reshape(1)


def reset_options(options: Mapping[str, Any] | None, *known: str) -> dict[str, Any]:
    """A copy of the options of `reset`; a ValueError for unknown ones."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options of reset must be a dictionary or None, not {shortened(options)}")
    others = sorted(str(name) for name in options if name not in known)
    if others:
        some = f" but {', '.join(known)}" if known else ""
        raise ValueError(f"reset has no options{some}, got {others}; a game's options are arguments of make")
    return dict(options)
