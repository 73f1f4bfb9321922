"""The games that a training deals, and the opponents in its evaluation."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from carnegie_env import collection
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.core.game import Game

MIXED_MODULES = 7  # sets of modules, with --modules mixed
MODULES = ("mixed", "all")  # values of --modules


@dataclasses.dataclass(frozen=True)
class Additions:
    """Settings for a game that are not part of its declaration.

    Args:
        difficulties: of the automatic opponent: values of the option `difficulty`.
        modules: of an expansion: names of options that `modules="all"` switches on.
        shaping: points for each unit of an input that early decisions count beside the score, by names of inputs.
        warm_up: the number of players in the warm-up for the solo game; 0: no warm-up.
    """

    difficulties: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    shaping: Mapping[str, float] = dataclasses.field(default_factory=dict)
    warm_up: int = 0


def additions(game: Game) -> Additions:
    """The settings of a game.

    In Carnegie beginners do better with donations than with projects, so a network would soon stop building; the best
    play known builds a dozen projects. Shaping rewards projects and links. With two players they are found in minutes.
    """
    if game.name != "carnegie":
        return Additions()
    from carnegie_env.carnegie.options import MODULES
    from carnegie_env.carnegie.tables import DIFFICULTIES

    return Additions(tuple(DIFFICULTIES), tuple(MODULES), {"own.tab_built": 5.0, "links of own": 1.0}, 2)


@dataclasses.dataclass(frozen=True)
class Table:
    """A game with a number of players, for evaluating agents.

    Args:
        game: the game.
        num_players: the number of seats.
        modules: of an expansion, as the game's option; None: without the expansion.
    """

    game: Game
    num_players: int
    modules: str | None = None

    @property
    def is_solo(self) -> bool:
        """Whether the game is against the automatic opponent."""
        return self.num_players == 1

    @property
    def opponent(self) -> str:
        """The automatic opponent's name, for texts."""
        return (self.game.opponent or "").capitalize()

    @property
    def against(self) -> tuple[str, ...]:
        """The opponents: the automatic opponent's difficulties, or the agents at the other seats."""
        if not self.is_solo:
            return ("random", "greedy") if self.game.name in GreedyAgent.games else ("random",)
        return additions(self.game).difficulties or (str(self.game.opponent),)

    def options(self, against: str) -> dict[str, Any]:
        """The options of games against one of :attr:`against`."""
        options: dict[str, Any] = {"num_players": self.num_players}
        if self.is_solo and additions(self.game).difficulties:
            options["difficulty"] = against
        return options if self.modules is None else options | {"modules": self.modules}

    @property
    def names(self) -> tuple[str, str]:
        """Titles of two columns of the results: the opponent, and the score of the best other side."""
        if not self.is_solo:
            return "against", "best_other"
        return "difficulty" if additions(self.game).difficulties else "against", str(self.game.opponent)

    @property
    def title(self) -> str:
        seats = f"against {self.opponent}" if self.is_solo else f"{self.num_players} players"
        return seats if self.game.name == collection.DEFAULT else f"{self.game.title}, {seats}"

    @classmethod
    def of(cls, game: Game, options: Mapping[str, Any]) -> Table:
        """The table for games with these options, with all modules if there are any."""
        expanded = any(options.get(name) for name in additions(game).modules)
        return cls(game, int(options["num_players"]), "all" if expanded else None)

    @property
    def flags(self) -> str:
        """The command line options for this table."""
        game = "" if self.game.name == collection.DEFAULT else f" --game {self.game.name}"
        modules = "" if self.modules is None else f" --modules {self.modules}"
        return game + ("" if self.is_solo else f" --num-players {self.num_players}") + modules


def categories(game: Game) -> tuple[str, ...]:
    """The score, and the score columns that add up to it; without tie-breakers."""
    return tuple(name for name in game.score_columns if name not in game.rank_by[1:])


def dealt(
    game: Game, num_players: int, difficulty: str | None = None, modules: str | None = None, seed: int = 0
) -> list[dict[str, Any]]:
    """The options of the games that a training deals: one for each difficulty and set of modules.

    Args:
        game: the game.
        num_players: the number of seats.
        difficulty: of the automatic opponent; None: all.
        modules: one of :data:`MODULES`, or None.
        seed: of the random sets of modules.

    Raises:
        ValueError: the game does not have these options; the message names the option of the command line.
    """
    added = additions(game)
    least, most = game.seats
    if not least <= num_players <= most:
        raise ValueError(f"--num-players must be {least} to {most} for {game.name}, not {num_players}")
    if difficulty is not None:
        if not added.difficulties:
            raise ValueError(f"{game.name} has no --difficulty")
        if num_players > 1:
            raise ValueError(f"--difficulty is for games against {Table(game, 1).opponent}, with --num-players 1")
        if difficulty not in added.difficulties:
            raise ValueError(f"--difficulty must be one of {', '.join(added.difficulties)}, not {difficulty}")
    if modules is not None and not added.modules:
        raise ValueError(f"{game.name} has no --modules")
    options: list[dict[str, Any]] = [{"num_players": num_players}]
    if num_players == 1 and added.difficulties:
        levels = added.difficulties if difficulty is None else (difficulty,)
        options = [each | {"difficulty": level} for each in options for level in levels]
    if modules is None:
        return options
    sets: list[Any] = ["all"]
    if modules == "mixed":
        sets += _random_modules(game, options[0], np.random.default_rng(seed))
    return [each | {"modules": chosen} for each in options for chosen in sets]


def _random_modules(game: Game, table: Mapping[str, Any], generator: np.random.Generator) -> Iterator[list[str]]:
    """Random sets of modules that can be combined with each other and with the table's options."""
    names, number = additions(game).modules, 1
    while number < MIXED_MODULES:
        chosen = [name for name in names if generator.random() < 0.5]
        with contextlib.suppress(ValueError):
            if chosen:
                game.options.from_dict({**table, "modules": chosen})
                number += 1
                yield chosen
