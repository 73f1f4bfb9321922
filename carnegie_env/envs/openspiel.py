"""The games of the collection as Python games of OpenSpiel. Needs `open_spiel`: the extra `[openspiel]`.

::

    import pyspiel
    from carnegie_env.envs import openspiel

    openspiel.register()
    game = pyspiel.load_game("python_carnegie(num_players=3,reward=rank)")
    game = openspiel.load("carnegie", num_players=3, reward="rank")  # the same
    state = game.new_initial_state()

A game's parameters are its options by name, and

- `reward`: "win" (default) or "rank", see :mod:`carnegie_env.core.rewards`: what the game is worth, paid at its end.
- `deals`: how many deals there are to draw from (default 10,000).

A table of one, against the automatic opponent, is a game of one player.

**Chance.** One chance node, the first, draws the deal: which seed the game is dealt from. All later chance follows from
that seed, so a state, its clones and the replay of its history play on identically. In OpenSpiel's terms the game is
explicitly stochastic, with imperfect information: nature moves once, at the start, and players don't see the outcome.

**Search.** A clone contains hidden information and future chance, so a search over clones cheats: OpenSpiel's
``MCTSBot``, which assumes perfect information, foresees the draws. For a fair search use
``state.resample_from_infostate``, which keeps the observation and redraws hidden information and future chance.
``ISMCTSBot`` does so in every simulation, with ``use_observation_string=True`` and
``allow_inconsistent_action_sets=True``. Use the bots of `open_spiel.python`: the compiled ones (``pyspiel.MCTSBot``)
release Python's lock and crash with every game written in Python, OpenSpiel's own included.

**Not provided.** Information states (all that a player has ever seen and done): an observation is what a seat sees now.
Undoing actions. Starting states other than the first. The rewards `margin` and `score`, which have no known bounds.
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

REWARDS = ("win", "rank")  # of carnegie_env.core.rewards: those that lie between -1 and 1
MOST_DEALS = 1_000_000  # OpenSpiel lists the outcomes of a chance node
PARAMETERS: dict[str, Any] = {"reward": REWARDS[0], "deals": 10_000}  # beside the options, and their defaults
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
NONE = ""  # stands for None, which no parameter of OpenSpiel can be

_registered: dict[str, Game] = {}


# ---------------------------------------------------------------- registration
def register(*games: str | Game) -> tuple[str, ...]:
    """Register games with OpenSpiel, for ``pyspiel.load_game``; those that are registered already stay so.

    Args:
        games: which, by name or themselves; none: all of the collection.

    Returns:
        Their names there: `python_carnegie` of `carnegie`.

    Raises:
        ValueError: there is no such game; or OpenSpiel has another one of that name.
    """
    return tuple(_register(collection.find(game)) for game in games or collection.names())


def _register(game: Game) -> str:
    name = f"python_{game.name}"  # as OpenSpiel's own Python games
    if _registered.get(name) is not game:
        if name in pyspiel.registered_names():
            raise ValueError(f"OpenSpiel has another game of the name {name}")
        defaults = parameters(game)
        # A class of its own, not a function: OpenSpiel lets go of it after the interpreter's end, when nothing can be
        # freed any more. A class never is by that, for it refers to itself.
        own = type("OpenSpielGame", (OpenSpielGame,), {"game": game})
        pyspiel.register_game(_type(game, _terms(game, defaults), defaults), own)
        _registered[name] = game
    return name


def load(
    name: str | Game, *, reward: str = PARAMETERS["reward"], deals: int = PARAMETERS["deals"], **options: Any
) -> Any:
    """A game for OpenSpiel, with options as everywhere else here (`modules="all"`); it is registered if need be.

    Args:
        name: which game, or itself.
        reward, deals: see above.
        **options: the game's options.

    Raises:
        UnexpectedArgument: an option that does not exist.
        ValueError: a value or a combination that does not exist.
    """
    game = collection.find(name)
    values = game.options.from_dict(options, also=tuple(PARAMETERS)).to_dict() | {"reward": reward, "deals": deals}
    return _load(game, {key: NONE if value is None else value for key, value in values.items()})


def _load(game: Game, given: dict[str, Any]) -> Any:
    return pyspiel.load_game(_register(game), given)


def parameters(game: Game) -> dict[str, Any]:
    """The parameters of a game with OpenSpiel, by name, and their defaults: its options, and :data:`PARAMETERS`.

    An option that may be None is a text, and "" is None.
    """
    options = game.options()
    found = {field.name: getattr(options, field.name) for field in dataclasses.fields(game.options)}
    return {name: NONE if value is None else value for name, value in found.items()} | PARAMETERS


@dataclasses.dataclass(frozen=True)
class Terms:
    """What the states of one OpenSpiel game share.

    Args:
        game: which game of the collection.
        options: the game's.
        reward: one of REWARDS.
        deals: number of seeds, 0 to deals - 1, that the chance node draws from.
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
    def num_players(self) -> int:
        """Seats in play."""
        return int(self.options.num_players)

    @functools.cached_property
    def num_actions(self) -> int:
        """Number of actions A."""
        return self.game.num_actions(self.options)

    @functools.cached_property
    def layout(self) -> Any:
        """The named features of an observation."""
        return self.game.layout(self.options)


def _terms(game: Game, given: dict[str, Any]) -> Terms:
    """The terms of parameters, all of them; a ValueError if there is no such game."""
    kinds = typing.get_type_hints(game.options)
    values = {name: _option(value, kinds[name]) for name, value in given.items() if name not in PARAMETERS}
    return Terms(game, game.options.from_dict(values, also=tuple(PARAMETERS)), given["reward"], given["deals"])


def _option(value: Any, kind: Any) -> Any:
    """An option of a parameter: OpenSpiel has no None, and of `x | None` it only knows texts."""
    choices = typing.get_args(kind)
    if type(None) not in choices:
        return value
    return None if value == NONE else next(choice for choice in choices if choice is not type(None))(value)


def _type(game: Game, terms: Terms, specification: dict[str, Any]) -> Any:
    """What OpenSpiel wants to know of a game, and of those of some terms."""
    zero_sum = terms.num_players > 1
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
class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]  # what comes from pyspiel is Any
    """A game of the collection with some options, as OpenSpiel knows it; made by ``pyspiel.load_game``.

    Args:
        given: parameters by name, see :func:`parameters`; those that are missing have their defaults.

    Raises:
        ValueError: a value or a combination that does not exist.
    """

    game: ClassVar[Game]

    def __init__(self, given: dict[str, Any] | None = None) -> None:
        game, defaults = self.game, parameters(self.game)
        chosen = {name: value for name, value in (given or {}).items() if value != defaults[name]}
        self.terms = _terms(game, defaults | chosen)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.terms.num_actions,
            max_chance_outcomes=self.terms.deals,
            num_players=self.terms.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if self.terms.num_players > 1 else None,
            max_game_length=game.longest,
        )
        super().__init__(_type(game, self.terms, defaults), info, chosen)
        self._chosen = chosen

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self.game, self._chosen)  # a new process has registered nothing

    def new_initial_state(self) -> GameState:
        """The state before the deal."""
        return GameState(self)

    def max_chance_nodes_in_history(self) -> int:
        """One: the deal."""
        return 1

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> GameObserver:
        """What writes observations; a ValueError for kinds of observations that are not provided."""
        return GameObserver(self.terms, iig_obs_type, params)


# ---------------------------------------------------------------- its states
class Held:
    """The game of a state: OpenSpiel deep-copies it to clone the state, and pickles it to serialize the state.

    Args:
        terms: of the game.
        record: shape (1,), the only reference to it; None before the deal.
    """

    __slots__ = ("record", "terms", "to_play")

    def __init__(self, terms: Terms, record: Any = None) -> None:
        self.terms = terms
        self.hold(record)

    def hold(self, record: Any) -> None:
        """Set the record; call it again after changing it in place, to update ``to_play``."""
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
    """What was pickled; a ValueError if the rules of now can't reach it."""
    return Held(terms, None if position is None else read_position(terms.game, position))


class GameState(pyspiel.State):  # type: ignore[misc]  # what comes from pyspiel is Any
    """One game at a decision, before its deal, or over; from ``game.new_initial_state()``.

    Its actions are the game's, by number; the chance node's are seeds. Methods that are not here are OpenSpiel's own.
    """

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self._held = Held(game.terms)  # all that the state has of its own: OpenSpiel copies every attribute

    @property
    def position(self) -> BasePosition[Any]:
        """The game as it stands, a copy without history: to look at it, to save it.

        Raises:
            ValueError: the game has not been dealt yet.
        """
        if self._held.record is None:
            raise ValueError("the game has not been dealt yet: apply the action of the chance node, a seed")
        return self._held.terms.game.position_class._of(self._held.copied())

    def current_player(self) -> int:
        """The seat that decides, or `pyspiel.PlayerId.CHANCE` or `.TERMINAL`."""
        return self._held.to_play

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._held.to_play == TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The seeds, each as likely as the others."""
        deals = self._held.terms.deals
        return [(seed, 1 / deals) for seed in range(deals)]

    def _legal_actions(self, player: int) -> list[int]:
        """The legal actions of the player to move, ascending; OpenSpiel asks for no one else's."""
        mask = np.empty((1, self._held.terms.num_actions), np.int8)
        kernels.byte_masks(self._held.record, mask)
        legal: list[int] = mask[0].nonzero()[0].tolist()
        return legal

    def _apply_action(self, action: int) -> None:
        """Take one decision, or deal; forced decisions that follow are played, too.

        Raises:
            ValueError: not a legal action, or no seed of the chance node; the state is unchanged.
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
                self.position.number(action)  # says what is wrong
            kernels.step(record, chosen)
        held.hold(record)

    def _action_to_string(self, player: int, action: int) -> str:
        """The text of an action; `deal` and the seed, of the chance node's."""
        return f"deal {action}" if player == CHANCE else self._held.terms.game.texts[action]

    def returns(self) -> list[float]:
        """The rewards of all seats, 0 until the game is over."""
        terms = self._held.terms
        if not self.is_terminal():
            return [0.0] * terms.num_players
        out = np.empty((1, terms.game.score_rows, len(terms.game.score_columns)), np.int64)
        kernels.score(self._held.record, out)
        results = out[:, list(terms.game.sides(terms.options))][:, :, terms.game.rank_columns]
        values: list[float] = rewards.exact_returns(terms.reward, results, terms.num_players)[0].tolist()
        return values

    def resample_from_infostate(self, player_id: int, probability_sampler: Any) -> Self:
        """A copy in which everything that a player can't see, and all future chance, is redrawn.

        The player's observation stays the same. So does the history, which does not lead to the redrawn state:
        don't replay it.

        Args:
            player_id: the player's seat.
            probability_sampler: a function without arguments: a number from [0, 1).

        Raises:
            ValueError: no seat in play.
        """
        seat = seat_of(player_id, self._held.terms.num_players)
        other: Self = self.clone()
        record = other._held.record
        if record is not None:  # before the deal nothing is hidden yet
            seed = int(probability_sampler() * 2**53)  # the bits that a double from [0, 1) has
            kernels.redraw_hidden(record, np.array([seat], np.int64), np.array([seed], np.uint64))
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.get_game(), self.serialize())

    def __str__(self) -> str:
        """The whole position, hidden cards included, as JSON: two states of equal texts play on identically."""
        if self._held.record is None:
            return "before the deal"
        return json.dumps(self._held.terms.game.codec.to_dict(self._held.record[0]))


def _restored(game: OpenSpielGame, serialized: str) -> Any:
    return game.deserialize_state(serialized)


class GameObserver:
    """Writes observations of a state from a seat, as ``open_spiel.python.observation`` describes: what it sees now.

    Attributes:
        tensor: float32 (F,), the numbers of the game's layout; zeros before the deal.
        dict: its parts by name, such as `own.money`: views of ``tensor``, of the shapes that the layout gives.

    Args:
        terms: of the game.
        iig_obs_type: None, or one with public information, private information of a single player, and no perfect
            recall.
        params: none.

    Raises:
        ValueError: other observations.
    """

    def __init__(self, terms: Terms, iig_obs_type: Any = None, params: Any = None) -> None:
        if params:
            raise ValueError(f"observations have no parameters, got {', '.join(params)}")
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if wanted.perfect_recall:
            raise ValueError("perfect_recall must be False: an observation is what a seat sees now")
        if not wanted.public_info or wanted.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("an observation has public_info=True and private_info=PrivateInfoType.SINGLE_PLAYER")
        self._terms = terms
        self.tensor = np.zeros(terms.layout.size, np.float32)
        self.dict = {name: self.tensor[part.slice].reshape(part.shape) for name, part in terms.layout.items()}

    def set_from(self, state: GameState, player: int) -> None:
        """Write what a seat sees; a ValueError if it is not in play."""
        seat = seat_of(player, self._terms.num_players)
        if state._held.record is None:
            self.tensor.fill(0)
        else:
            kernels.observe(state._held.record, np.array([seat], np.int64), self.tensor[None])

    def string_from(self, state: GameState, player: int) -> str:
        """The same in lines: the seat, and what is not 0, as whole numbers; equal texts are equal observations."""
        self.set_from(state, player)
        raw = self.tensor / self._terms.layout.units
        seen = (f"{self._terms.layout.labels[k]}={raw[k]:g}" for k in self.tensor.nonzero()[0])
        return "\n".join((f"player_{player}", *seen))
