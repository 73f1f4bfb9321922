"""One game, for people, tests and search: actions as texts, positions as dictionaries, copies. Convenient, not fast.

``Game.position_class`` is the game's subclass of :class:`BasePosition`. For many games at once see
:mod:`carnegie_env.core.batch`.
"""

from __future__ import annotations

import difflib
import json
import threading
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from carnegie_env import collection
from carnegie_env.core import kernels, rewards
from carnegie_env.core.game import Game, OptionsT
from carnegie_env.core.layout import Layout
from carnegie_env.core.records import as_bytes, read_only, read_position, read_records
from carnegie_env.core.validation import seat_of, seed_of, shortened, whole_number

LISTED = 12  # legal actions in an error message


class BasePosition(Generic[OptionsT]):
    """One game at a decision, or over.

    Create one with :meth:`new`, :meth:`from_dict` or :meth:`from_json`. Positions are equal if all their fields are,
    including the random generator but not the history. ``copy()``, ``copy.copy``, ``copy.deepcopy`` and ``pickle`` make
    independent copies with the same future. Threads may share a position: its methods hold a lock.

    Args:
        games: an array of the game's dtype and shape (1,). It is copied and validated as in :meth:`from_dict`.
    """

    game: ClassVar[Game]
    __hash__ = None  # type: ignore[assignment]  # positions are mutable

    def __init__(self, games: NDArray[Any]) -> None:
        if not isinstance(games, np.ndarray):
            raise ValueError(f"games must be an array of one record, such as batch.games[i:i+1], not a "
                             f"{type(games).__name__}; to copy a position, use copy()")  # fmt: skip
        found, _ = read_records(self.game, games)
        if len(found) != 1:
            raise ValueError(f"a position is one game, not {len(found)} records")
        self._own(found, None, None)

    def _own(
        self, games: NDArray[Any], seed: int | None, history: list[int] | None, earlier: Sequence[bytes] = ()
    ) -> None:
        """Use this valid record of shape (1,), which nothing else refers to."""
        self._games = games
        self._earlier = list(earlier)  # the record before each decision taken here
        self._view = read_only(games)
        self._seed = seed
        self._history = history
        self._lock = threading.RLock()
        self._options = self.game.codec.options_of(games[0])
        self._num_actions = self.game.num_actions(self._options)

    @classmethod
    def _of(cls, games: NDArray[Any], seed: int | None = None, history: list[int] | None = None) -> Self:
        """A position of a valid record of shape (1,), which it owns."""
        position = object.__new__(cls)
        position._own(games, seed, history)
        return position

    @classmethod
    def new(cls, options: Any = None, seed: int = 0) -> Self:
        """A new game, dealt from ``seed``.

        Args:
            options: the game's options, a dictionary of some of them, or None for the defaults.
            seed: 0 to 2**64 - 1. The same options and seed give the same game as in a batch.

        Raises:
            ValueError: an unknown option, an impossible combination, or an invalid seed.
        """
        if options is None:
            options = {}
        if isinstance(options, dict):
            options = cls.game.options.from_dict(options)
        elif not isinstance(options, cls.game.options):
            raise ValueError(f"options must be a dictionary or {cls.game.options.__name__}, not {shortened(options)}")
        seed = seed_of(seed)
        template = cls.game.template(options)
        games = as_bytes(template).copy().view(cls.game.record)  # including the padding between fields
        kernels.start(games, template, np.array([seed], np.uint64))
        return cls._of(games, seed, [])

    # ---- state
    @property
    def games(self) -> NDArray[Any]:
        """The record as an array of shape (1,): a read-only view."""
        return self._view

    @property
    def record(self) -> Any:
        """The record (``numpy.record``) with its fields by name: ``position.record.money[0]``."""
        return self._view[0]

    @property
    def seed(self) -> int | None:
        """The seed of :meth:`new`; None for a position from a dictionary."""
        return self._seed

    @property
    def options(self) -> OptionsT:
        """The options that the game was set up with."""
        options: OptionsT = self._options
        return options

    @property
    def num_players(self) -> int:
        """Seats in play."""
        return int(self.record.num_players)

    @property
    def to_play(self) -> int | None:
        """The seat to move; None when the game is over."""
        seat = int(self.record.to_play)
        return None if seat < 0 else seat

    @property
    def phase(self) -> str:
        """The current phase."""
        return self.game.phase(self.record)

    @property
    def round(self) -> int:
        """The round; 0 before the first, and the last one when the game is over."""
        return self.game.round(self.record)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.to_play is None

    @property
    def history(self) -> list[int] | None:
        """The numbers of the actions applied since :meth:`new`, without forced ones; None without :meth:`new`."""
        return None if self._history is None else list(self._history)

    # ---- decisions
    def action_mask(self) -> NDArray[np.int8]:
        """Legal actions as 0/1, int8 (actions,); all 0 when the game is over."""
        out = np.empty((1, self._num_actions), np.int8)
        with self._lock:
            kernels.byte_masks(self._games, out)
        return out.reshape(-1)

    def legal_numbers(self) -> NDArray[np.int64]:
        """The numbers of the legal actions, ascending: int64 (n,)."""
        return np.flatnonzero(self.action_mask())

    def legal_actions(self) -> list[str]:
        """The texts of the legal actions, in the order of their numbers."""
        return [self.game.texts[number] for number in self.legal_numbers()]

    def apply(self, action: str | int) -> None:
        """Take one decision; forced decisions that follow are played.

        Args:
            action: the text or number of a legal action, or a short text (``Presentation.short_text``), which means the
                first legal action with it.

        Raises:
            ValueError: not a legal action; the message lists legal ones. The position is unchanged.
        """
        with self._lock:
            number = self.number(action)
            self._earlier.append(self._games.tobytes())
            kernels.step(self._games, np.array([number], np.int64))
            if self._history is not None:
                self._history.append(number)

    def undo(self, decisions: int = 1) -> None:
        """Take back the last decisions, including the forced ones that followed.

        Raises:
            ValueError: fewer decisions were taken since :meth:`new` or :meth:`from_dict`.
        """
        decisions = whole_number("decisions", decisions, 1)
        with self._lock:
            if decisions > len(self._earlier):
                raise ValueError(f"decisions must be at most {len(self._earlier)}, the number taken, not {decisions}")
            first = len(self._earlier) - decisions
            as_bytes(self._games)[:] = np.frombuffer(self._earlier[first], as_bytes(self._games).dtype)
            del self._earlier[first:]
            if self._history is not None:
                del self._history[len(self._history) - decisions :]

    def number(self, action: str | int) -> int:
        """The number of a legal action given by text or number; a ValueError as in :meth:`apply`."""
        legal, texts = self.legal_numbers(), self.game.texts[: self._num_actions]
        if isinstance(action, str):
            short_text = self.game.presentation.short_text
            found = [n for n in legal if texts[n] == action] or [n for n in legal if short_text(texts[n]) == action]
            if found:
                return int(found[0])
            wrong = f"{action!r} is not legal now" if action in texts else f"there is no action {shortened(action)}"
            self._refuse(wrong, action)
        if isinstance(action, bool | np.bool_) or not isinstance(action, int | np.integer):
            self._refuse(f"an action must be a text or a whole number, not {shortened(action)}", "")
        if not 0 <= action < len(texts):
            self._refuse(f"there is no action {shortened(action)}; the numbers are 0 to {len(texts) - 1}", "")
        if action not in legal:
            self._refuse(f"action {action} ({texts[action]}) is not legal now", texts[action])
        return int(action)

    def _refuse(self, wrong: str, wanted: str) -> NoReturn:
        if self.is_over:
            raise ValueError(f"{wrong}: the game is over")
        legal = self.legal_actions()
        close = difflib.get_close_matches(wanted[:200], legal, LISTED, 0.6) if wanted else []
        listed = [*close, *(text for text in legal if text not in close)][:LISTED]
        more = f", and {len(legal) - len(listed)} more" if len(legal) > len(listed) else ""
        raise ValueError(f"{wrong}; player_{self.to_play} can play {', '.join(map(repr, listed))}{more}")

    # ---- observations, scores
    @property
    def observation_layout(self) -> Layout:
        """The named layout of an observation."""
        return self.game.layout(self._options)

    def observe(self, seat: int | None = None) -> NDArray[np.float32]:
        """The observation of a seat: float32 (features,), see ``observation_layout``.

        Args:
            seat: None: the seat to move, or seat 0 when the game is over.
        """
        out = np.empty((1, self.observation_layout.size), np.float32)
        if seat is not None:
            seat = seat_of(seat, self.num_players)
        with self._lock:
            seats = np.array([(self.to_play or 0) if seat is None else seat], np.int64)
            kernels.observe(self._games, seats, out)
        return out.reshape(-1)

    def breakdown(self) -> NDArray[np.int64]:
        """Scores by category as if the game ended now: int64 (sides, columns), columns as in ``game.score_columns``.

        The sides are the seats in order; at a table of one the automatic opponent follows.
        """
        out = np.zeros((1, self.game.score_rows, len(self.game.score_columns)), np.int64)
        with self._lock:
            kernels.score(self._games, out)
        breakdown: NDArray[np.int64] = out[0, list(self.game.sides(self._options))]
        return breakdown

    def scores(self) -> list[int]:
        """The score of each side as if the game ended now."""
        scores: list[int] = self.breakdown()[:, self.game.rank_columns[0]].tolist()
        return scores

    def places(self) -> list[int]:
        """The number of sides ahead of each side as if the game ended now; 0 is the first place."""
        places: list[int] = rewards.places(self.breakdown()[None, :, self.game.rank_columns])[0].tolist()
        return places

    def score_breakdown(self) -> list[dict[str, Any]]:
        """The scores by category, a dictionary with `total` for each side; see ``Presentation.breakdown``."""
        return self.game.named_scores(self.copy().record, self.breakdown().tolist())

    def redraw_hidden(self, seat: int | None = None, seed: int = 0) -> None:
        """Redraw everything that a seat cannot see, and all future chance, consistently with the seat's view.

        Afterwards the position has no history, and nothing can be undone.

        Args:
            seat: the observing seat; None: the seat to move, or seat 0 when the game is over.
            seed: the seed of the draw.
        """
        seat = (self.to_play or 0) if seat is None else seat_of(seat, self.num_players)
        seeds = np.array([seed_of(seed)], np.uint64)
        with self._lock:
            kernels.redraw_hidden(self._games, np.array([seat], np.int64), seeds)
            self._seed = self._history = None
            self._earlier.clear()

    # ---- for people
    def render(self, width: int = 120, seat: int | None = None) -> str:
        """The board as text, at most ``width`` columns wide (80 to 120).

        Args:
            width: in columns.
            seat: None: with the legal actions, and what only the seat to move knows. A seat: without legal actions, and
                with what only this seat knows.
        """
        return self.game.presentation.board(self, width, None if seat is None else seat_of(seat, self.num_players))

    def __str__(self) -> str:
        return self.render()

    def to_svg(self, seat: int | None = None, theme: str = "light") -> str:
        """The board as a picture: self-contained SVG text.

        Args:
            seat: the observing seat; None: public information and the legal actions.
            theme: "light" or "dark".

        Raises:
            ValueError: an unknown seat or theme, or a game without pictures.
        """
        draw = self.game.presentation.draw
        if draw is None:
            raise ValueError(f"{self.game.title} has no pictures")
        return draw(self.copy(), None if seat is None else seat_of(seat, self.num_players), theme)

    def to_png(self, seat: int | None = None, theme: str = "light", width: int = 1280) -> bytes:
        """The board as a PNG file, the same on every machine. Needs the extra `pictures`.

        Args:
            seat, theme: as in :meth:`to_svg`.
            width: in pixels, 16 to 8,192; the height follows.

        Raises:
            ModuleNotFoundError: the extra is not installed; the message names it.
            ValueError: as in :meth:`to_svg`, or an invalid width.
        """
        from carnegie_env.render import png

        return png.png(self.to_svg(seat, theme), width)

    def _repr_svg_(self) -> str | None:
        """The picture in a notebook: public information; None if the game has no pictures."""
        return None if self.game.presentation.draw is None else self.to_svg()

    def __repr__(self) -> str:
        who = "over" if self.is_over else f"player_{self.to_play} to play"
        where = f"{self.num_players} players, round {self.round}, phase {self.phase}"
        return f"<Position of {self.game.title}: {where}, {who}>"

    # ---- dictionaries, JSON, copies
    def to_dict(self) -> dict[str, Any]:
        """The complete position, including hidden information, as JSON types."""
        return self.game.codec.to_dict(self.copy().record)

    @classmethod
    def from_dict(cls, position: dict[str, Any]) -> Self:
        """Read a position that play could reach.

        Raises:
            ValueError: any other position; the message gives the path and value of the fault, and what is allowed. For
                a position of another game it says where its class is.
        """
        name = position.get("game", cls.game.name) if isinstance(position, dict) else None
        if isinstance(name, str) and name != cls.game.name and name in collection.names():
            raise ValueError(f"game: this is a position of {name}, not of {cls.game.name}; read it with "
                             f"carnegie_env.games()[{name!r}].position_class.from_dict")  # fmt: skip
        return cls._of(read_position(cls.game, position))

    def to_json(self, indent: int | None = None) -> str:
        """The complete position as JSON text."""
        return json.dumps(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a position from JSON text; a ValueError for invalid JSON and as in :meth:`from_dict`."""
        return cls.from_dict(read_json(text))

    def copy(self) -> Self:
        """An independent copy with the same future."""
        with self._lock:
            games = as_bytes(self._games).copy().view(self.game.record)
            other = self._of(games, self._seed, self.history)
            other._earlier = self._earlier.copy()
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __getstate__(self) -> tuple[NDArray[Any], int | None, list[int] | None, list[bytes]]:
        copied = self.copy()
        return copied._games, copied._seed, copied._history, copied._earlier

    def __setstate__(self, state: tuple[NDArray[Any], int | None, list[int] | None, list[bytes]]) -> None:
        games, seed, history, earlier = state
        games = as_bytes(games).copy().view(self.game.record)  # an unpickled array may be read-only
        self._own(games, seed, history, earlier)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BasePosition) or self.game is not other.game:
            return NotImplemented
        mine, others = self.games, other.games
        return all(np.array_equal(mine[name], others[name]) for name in mine.dtype.names or ())


def read_json(text: str | bytes) -> Any:
    """JSON text as Python objects; a ValueError for invalid JSON, a duplicate key or nesting that is too deep."""
    if not isinstance(text, str | bytes):
        raise ValueError(f"JSON text must be str or bytes, not {type(text).__name__}")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"not a position: the text is not JSON: {error}") from None
    except RecursionError:
        raise ValueError("not a position: the JSON text is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {shortened(key)} occurs twice in one object")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")
