"""The tables that a training deals, and the opponents that agents are measured against there."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from carnegie_env import collection
from carnegie_env.core.game import Game

OPPONENTS = ("random", "greedy")  # at tables of two or more
MIXED_MODULES = 7  # sets of modules that games are dealt with, if they are to be mixed
MODULES = ("mixed", "all")  # what can be asked for


@dataclasses.dataclass(frozen=True)
class Additions:
    """Properties of a game that others lack.

    Args:
        difficulties: of the automatic opponent, values of the option `difficulty`.
        modules: of an expansion: names of options that are switched on, all of them by `modules="all"`.
        shaping: points that decisions count beside the score at first, by names of inputs.
        warm_up: seats of the table at which training for the table of one begins; 0: there at once.
    """

    difficulties: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    shaping: Mapping[str, float] = dataclasses.field(default_factory=dict)
    warm_up: int = 0


def _carnegie() -> Additions:
    """An agent that does not know how to use projects wins more by donations, learns to do that better, and hardly ever
    builds again; the best play known builds a dozen. So training shapes towards projects and links. With two players
    they are found in minutes."""
    from carnegie_env.carnegie.options import MODULES
    from carnegie_env.carnegie.tables import DIFFICULTIES

    return Additions(tuple(DIFFICULTIES), tuple(MODULES), {"own.tab_built": 5.0, "links of own": 1.0}, 2)


_ADDITIONS: dict[str, Callable[[], Additions]] = {"carnegie": _carnegie}


def additions(game: Game) -> Additions:
    return _ADDITIONS.get(game.name, Additions)()


@dataclasses.dataclass(frozen=True)
class Table:
    """A table where agents are measured.

    Args:
        game: which.
        num_players: seats.
        modules: of an expansion, as the game's option; None: it is not played.
    """

    game: Game
    num_players: int
    modules: str | None = None

    @property
    def is_solo(self) -> bool:
        """Whether it is against the game's automatic opponent."""
        return self.num_players == 1

    @property
    def opponent(self) -> str:
        """The automatic opponent's name, for people."""
        return (self.game.opponent or "").capitalize()

    @property
    def against(self) -> tuple[str, ...]:
        """The opponents: the automatic opponent's difficulties, or the agents at the other seats."""
        if not self.is_solo:
            return OPPONENTS
        return additions(self.game).difficulties or (str(self.game.opponent),)

    def options(self, against: str) -> dict[str, Any]:
        """The options of games against one of these."""
        found: dict[str, Any] = {"num_players": self.num_players}
        if self.is_solo and additions(self.game).difficulties:
            found["difficulty"] = against
        return found if self.modules is None else found | {"modules": self.modules}

    @property
    def names(self) -> tuple[str, str]:
        """Column titles of tables of results: for the opponent, and for the best other side."""
        if not self.is_solo:
            return "against", "best_other"
        return "difficulty" if additions(self.game).difficulties else "against", str(self.game.opponent)

    @property
    def title(self) -> str:
        who = f"against {self.opponent}" if self.is_solo else f"{self.num_players} players"
        return who if self.game.name == collection.DEFAULT else f"{self.game.title}, {who}"

    @property
    def flags(self) -> str:
        """The command line options that ask for this table."""
        game = "" if self.game.name == collection.DEFAULT else f" --game {self.game.name}"
        return game + ("" if self.is_solo else f" --num-players {self.num_players}")


def categories(game: Game) -> tuple[str, ...]:
    """The score columns that add up to the score, and the score; not the tie-breakers."""
    return tuple(name for name in game.score_columns if name not in game.rank_by[1:])


def dealt(
    game: Game, num_players: int, difficulty: str | None = None, modules: str | None = None, seed: int = 0
) -> list[dict[str, Any]]:
    """The options of the games that a training deals: for each difficulty, and for each set of modules.

    Args:
        game: which.
        num_players: seats.
        difficulty: of the automatic opponent; None: all of them at a table of one.
        modules: one of :data:`MODULES`, or None.
        seed: of the random sets of modules.

    Raises:
        ValueError: the game has no such table; the message names the option.
    """
    added = additions(game)
    least, most = game.seats
    if not least <= num_players <= most:
        raise ValueError(f"--num-players must be {least} to {most} for {game.name}, not {num_players}")
    if difficulty is not None:
        if not added.difficulties:
            raise ValueError(f"{game.name} has no --difficulty")
        if num_players > 1:
            opponent = Table(game, 1).opponent
            raise ValueError(f"--difficulty is {opponent}'s, who plays with --num-players 1 only")
        if difficulty not in added.difficulties:
            raise ValueError(f"--difficulty must be one of {', '.join(added.difficulties)}, not {difficulty}")
    if modules is not None and not added.modules:
        raise ValueError(f"{game.name} has no --modules")
    found: list[dict[str, Any]] = [{"num_players": num_players}]
    if num_players == 1 and added.difficulties:
        levels = added.difficulties if difficulty is None else (difficulty,)
        found = [each | {"difficulty": level} for each in found for level in levels]
    if modules is None:
        return found
    sets: list[Any] = ["all"]
    if modules == "mixed":
        sets += _drawn(game, found[0], np.random.default_rng(seed))
    return [each | {"modules": chosen} for each in found for chosen in sets]


def _drawn(game: Game, table: Mapping[str, Any], generator: np.random.Generator) -> Iterator[list[str]]:
    """Sets of modules that go together, and with the table."""
    names, number = additions(game).modules, 1
    while number < MIXED_MODULES:
        chosen = [name for name in names if generator.random() < 0.5]
        with contextlib.suppress(ValueError):
            if chosen:
                game.options.from_dict({**table, "modules": chosen})
                number += 1
                yield chosen
