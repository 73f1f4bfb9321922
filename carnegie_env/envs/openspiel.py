"""All games as Python games of OpenSpiel. Needs `open_spiel` (the extra `[openspiel]`).

::

    import pyspiel
    from carnegie_env.envs import openspiel

    openspiel.register()
    game = pyspiel.load_game("python_carnegie(num_players=3,reward=rank)")
    game = openspiel.load("carnegie", num_players=3, reward="rank")  # the same
    state = game.new_initial_state()

A game's parameters are its options by name, and

- `reward`: "win" (default) or "rank", see :mod:`carnegie_env.core.rewards`; paid at the end.
- `deals`: the number of deals to draw from (default 10,000).

A solo game against the automatic opponent has one player.

**Chance.** The first node is the only chance node. It draws the deal, that is, the game's seed. All later chance
follows from that seed, so clones, serialized states and replays of a history play on identically. In OpenSpiel's terms
the game has explicit chance and imperfect information: nature moves once, and the players don't see the outcome.

**Search.** A clone contains hidden information and future chance, so a search over clones cheats: OpenSpiel's
``MCTSBot``, which assumes perfect information, foresees the draws. For a fair search use
``state.resample_from_infostate``, which keeps the observation and redraws hidden information and future chance.
``ISMCTSBot`` does so in every simulation, with ``use_observation_string=True`` and
``allow_inconsistent_action_sets=True``. Use the bots from `open_spiel.python`: the compiled ones (``pyspiel.MCTSBot``)
release Python's lock and crash with every game written in Python, including OpenSpiel's own.

**Not provided.** Information states with perfect recall: an observation is the seat's current view. Undoing actions.
Other starting states. The rewards `margin` and `score`, which have no known bounds.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import typing
from typing import Any, ClassVar, Self

import numpy as np
import pyspiel

from carnegie_env import collection
from carnegie_env.core import kernels, rewards
from carnegie_env.core.game import Game
from carnegie_env.core.position import BasePosition
from carnegie_env.core.records import as_bytes, read_position
from carnegie_env.core.validation import seat_of, whole_number

REWARDS = ("win", "rank")  # the rewards between -1 and 1
MOST_DEALS = 1_000_000  # OpenSpiel lists all outcomes of a chance node
PARAMETERS: dict[str, Any] = {"reward": REWARDS[0], "deals": 10_000}  # besides the options, with their defaults
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
NONE = ""  # stands for None, which OpenSpiel's parameters can't be

_registered: dict[str, Game] = {}


# ---------------------------------------------------------------- registration
def register(*games: str | Game) -> tuple[str, ...]:
    """Register games with OpenSpiel, for ``pyspiel.load_game``. Registering a game again does nothing.

    Args:
        games: games or their names; all games if there are none.

    Returns:
        Their names in OpenSpiel, such as `python_carnegie`.

    Raises:
        ValueError: an unknown game, or OpenSpiel has another game of that name.
    """
    return tuple(_register(collection.find(game)) for game in games or collection.names())


def _register(game: Game) -> str:
    name = f"python_{game.name}"  # like OpenSpiel's own Python games
    if _registered.get(name) is not game:
        if name in pyspiel.registered_names():
            raise ValueError(f"OpenSpiel has another game named {name}")
        defaults = parameters(game)
        # A class, not a function: OpenSpiel drops its reference after the interpreter has shut down, when freeing an
        # object crashes. A class refers to itself, so it is not freed.
        own = type("OpenSpielGame", (OpenSpielGame,), {"game": game})
        pyspiel.register_game(_type(game, _terms(game, defaults), defaults), own)
        _registered[name] = game
    return name


def load(
    name: str | Game, *, reward: str = PARAMETERS["reward"], deals: int = PARAMETERS["deals"], **options: Any
) -> Any:
    """Load a game for OpenSpiel, with the usual options (`modules="all"`); it is registered if necessary.

    Args:
        name: the game or its name.
        reward, deals: see above.
        **options: the game's options.

    Raises:
        UnexpectedArgument: an unknown option.
        ValueError: an invalid value or combination.
    """
    game = collection.find(name)
    values = game.options.from_dict(options, also=tuple(PARAMETERS)).to_dict() | {"reward": reward, "deals": deals}
    return _load(game, {key: NONE if value is None else value for key, value in values.items()})


def _load(game: Game, given: dict[str, Any]) -> Any:
    return pyspiel.load_game(_register(game), given)


def parameters(game: Game) -> dict[str, Any]:
    """A game's parameters in OpenSpiel, with their defaults: its options and :data:`PARAMETERS`.

    An option that may be None is a string, and "" means None.
    """
    return {name: NONE if value is None else value for name, value in game.options().to_dict().items()} | PARAMETERS


@dataclasses.dataclass(frozen=True)
class Terms:
    """The parameters of one OpenSpiel game, shared by its states.

    Args:
        game: the game.
        options: its options.
        reward: one of REWARDS.
        deals: the chance node draws one of the seeds 0 to deals - 1.
    """

    game: Game
    options: Any
    reward: str
    deals: int

    def __post_init__(self) -> None:
        if self.reward not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {self.reward!r}")
        whole_number("deals", self.deals, 1, MOST_DEALS)

    @functools.cached_property
    def num_actions(self) -> int:
        """Number of actions A."""
        return self.game.num_actions(self.options)


def _terms(game: Game, given: dict[str, Any]) -> Terms:
    """The terms for a complete set of parameters; a ValueError for invalid ones."""
    kinds = typing.get_type_hints(game.options)
    values = {name: _option(value, kinds[name]) for name, value in given.items() if name not in PARAMETERS}
    return Terms(game, game.options.from_dict(values, also=tuple(PARAMETERS)), given["reward"], given["deals"])


def _option(value: Any, kind: Any) -> Any:
    """The option for a parameter's value: OpenSpiel has no None, so options of type `x | None` are strings."""
    choices = typing.get_args(kind)
    if type(None) not in choices:
        return value
    return None if value == NONE else next(choice for choice in choices if choice is not type(None))(value)


def _type(game: Game, terms: Terms, specification: dict[str, Any]) -> Any:
    """OpenSpiel's description of a game."""
    zero_sum = terms.options.num_players > 1
    return pyspiel.GameType(
        short_name=f"python_{game.name}",
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM if zero_sum else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.seats[1],
        min_num_players=game.seats[0],
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=specification,
    )


# ---------------------------------------------------------------- the game
class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A game with options as an OpenSpiel game; made by ``pyspiel.load_game``.

    Args:
        given: parameters by name, see :func:`parameters`; missing ones have their defaults.

    Raises:
        ValueError: an invalid value or combination.
    """

    game: ClassVar[Game]

    def __init__(self, given: dict[str, Any] | None = None) -> None:
        game, defaults = self.game, parameters(self.game)
        chosen = {name: value for name, value in (given or {}).items() if value != defaults[name]}
        self.terms = _terms(game, defaults | chosen)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.terms.num_actions,
            max_chance_outcomes=self.terms.deals,
            num_players=self.terms.options.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if self.terms.options.num_players > 1 else None,
            max_game_length=game.longest,
        )
        super().__init__(_type(game, self.terms, defaults), info, chosen)
        self._chosen = chosen

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self.game, self._chosen)  # registers the game in a new process

    def new_initial_state(self) -> GameState:
        """The state before the deal."""
        return GameState(self)

    def max_chance_nodes_in_history(self) -> int:
        """One: the deal."""
        return 1

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> GameObserver:
        """An observer; a ValueError for kinds of observations that are not provided."""
        return GameObserver(self.terms, iig_obs_type, params)


# ---------------------------------------------------------------- states
class Held:
    """A state's record: OpenSpiel deep-copies it to clone the state and pickles it to serialize the state.

    Args:
        terms: the game's terms.
        record: shape (1,), not shared; None before the deal.
    """

    __slots__ = ("record", "terms", "to_play")

    def __init__(self, terms: Terms, record: Any = None) -> None:
        self.terms = terms
        self.hold(record)

    def hold(self, record: Any) -> None:
        """Set the record and ``to_play``; call this after every change of the record."""
        self.record = record
        self.to_play = CHANCE
        if record is not None:
            seat = int(record["to_play"][0])
            self.to_play = TERMINAL if seat < 0 else seat

    def copied(self) -> Any:
        """A copy of the record."""
        return None if self.record is None else as_bytes(self.record).copy().view(self.record.dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Held:
        return Held(self.terms, self.copied())

    def __reduce__(self) -> tuple[Any, ...]:
        position = None if self.record is None else self.terms.game.codec.to_dict(self.record[0])
        return _read, (self.terms, position)


def _read(terms: Terms, position: dict[str, Any] | None) -> Held:
    """Unpickle a state's record; a ValueError if it is not a position under the current rules."""
    return Held(terms, None if position is None else read_position(terms.game, position))


class GameState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A game before the deal, at a decision, or over; made by ``game.new_initial_state()``.

    Actions are the game's action numbers; those of the chance node are seeds. All other methods are OpenSpiel's own.
    """

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self._held = Held(game.terms)  # the only attribute: OpenSpiel copies every one

    @property
    def position(self) -> BasePosition[Any]:
        """A copy of the current game, without history, to print or save.

        Raises:
            ValueError: the game has not been dealt yet.
        """
        if self._held.record is None:
            raise ValueError("the game has not been dealt yet: apply the action of the chance node, a seed")
        return self._held.terms.game.position_class._of(self._held.copied())

    def current_player(self) -> int:
        """The seat to move, or `pyspiel.PlayerId.CHANCE` or `.TERMINAL`."""
        return self._held.to_play

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._held.to_play == TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """All seeds, with equal probabilities."""
        deals = self._held.terms.deals
        return [(seed, 1 / deals) for seed in range(deals)]

    def _legal_actions(self, player: int) -> list[int]:
        """The legal actions of the player to move, ascending; OpenSpiel calls this for no other player."""
        mask = np.empty((1, self._held.terms.num_actions), np.int8)
        kernels.byte_masks(self._held.record, mask)
        legal: list[int] = mask[0].nonzero()[0].tolist()
        return legal

    def _apply_action(self, action: int) -> None:
        """Make one decision, including the forced decisions that follow, or deal.

        Raises:
            ValueError: the action is not legal, or not a seed of the chance node; the state is unchanged.
        """
        held, terms = self._held, self._held.terms
        record = held.record
        if record is None:
            if not 0 <= action < terms.deals:
                raise ValueError(f"the chance node's actions are seeds from 0 to {terms.deals - 1}, not {action}")
            template = terms.game.template(terms.options)
            record = template.copy()
            kernels.start(record, template, np.array([action], np.uint64))
        else:
            chosen = np.array([action], np.int64)
            if held.to_play < 0 or kernels.check(record, chosen, terms.num_actions, False) >= 0:
                self.position.number(action)  # raises the error
            kernels.step(record, chosen)
        held.hold(record)

    def _action_to_string(self, player: int, action: int) -> str:
        """An action's text; `deal` and the seed for the chance node."""
        return f"deal {action}" if player == CHANCE else self._held.terms.game.texts[action]

    def returns(self) -> list[float]:
        """The rewards of all seats, 0 until the game is over."""
        terms = self._held.terms
        players = terms.options.num_players
        if not self.is_terminal():
            return [0.0] * players
        out = np.empty((1, terms.game.score_rows, len(terms.game.score_columns)), np.int64)
        kernels.score(self._held.record, out)
        results = out[:, list(terms.game.sides(terms.options))][:, :, terms.game.rank_columns]
        values: list[float] = rewards.exact_returns(terms.reward, results, players)[0].tolist()
        return values

    def resample_from_infostate(self, player_id: int, probability_sampler: Any) -> Self:
        """A copy in which everything that a player can't see is redrawn, including all future chance.

        The player's observation stays the same. The history also stays, but it does not lead to the redrawn state, so
        don't replay it.

        Args:
            player_id: the player's seat.
            probability_sampler: a function without arguments that returns a number from [0, 1).

        Raises:
            ValueError: the seat is not in play.
        """
        seat = seat_of(player_id, self._held.terms.options.num_players)
        other: Self = self.clone()
        record = other._held.record
        if record is not None:  # before the deal nothing is hidden yet
            seed = int(probability_sampler() * 2**53)  # all bits of a double from [0, 1)
            kernels.redraw_hidden(record, np.array([seat], np.int64), np.array([seed], np.uint64))
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.get_game(), self.serialize())

    def __str__(self) -> str:
        """The whole position as JSON, including hidden cards: states with equal texts play on identically."""
        if self._held.record is None:
            return "before the deal"
        return json.dumps(self._held.terms.game.codec.to_dict(self._held.record[0]))


def _restored(game: OpenSpielGame, serialized: str) -> Any:
    return game.deserialize_state(serialized)


class GameObserver:
    """Observes a state from a seat, with the interface of ``open_spiel.python.observation``.

    Attributes:
        tensor: float32 (F,), in the order of the game's layout; zeros before the deal.
        dict: its parts by name, such as `own.money`: views of ``tensor`` in the shapes of the layout.

    Args:
        terms: the game's terms.
        iig_obs_type: None, or a type with public information, private information of a single player and no perfect
            recall.
        params: not used, must be empty.

    Raises:
        ValueError: any other kind of observation.
    """

    def __init__(self, terms: Terms, iig_obs_type: Any = None, params: Any = None) -> None:
        if params:
            raise ValueError(f"observations have no parameters, but got {', '.join(params)}")
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if wanted.perfect_recall:
            raise ValueError("perfect_recall must be False: an observation is the seat's current view")
        if not wanted.public_info or wanted.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("observations need public_info=True and private_info=PrivateInfoType.SINGLE_PLAYER")
        self._num_players = terms.options.num_players
        self._layout = terms.game.layout(terms.options)
        self.tensor = np.zeros(self._layout.size, np.float32)
        self.dict = {name: self.tensor[part.slice].reshape(part.shape) for name, part in self._layout.items()}

    def set_from(self, state: GameState, player: int) -> None:
        """Write a seat's observation; a ValueError if the seat is not in play."""
        seat = seat_of(player, self._num_players)
        if state._held.record is None:
            self.tensor.fill(0)
        else:
            kernels.observe(state._held.record, np.array([seat], np.int64), self.tensor[None])

    def string_from(self, state: GameState, player: int) -> str:
        """An observation as text: the seat, then a line for each feature that is not 0. Equal texts, equal views."""
        self.set_from(state, player)
        raw = self.tensor / self._layout.units
        lines = (f"{self._layout.labels[k]}={raw[k]:g}" for k in self.tensor.nonzero()[0])
        return "\n".join((f"player_{player}", *lines))
