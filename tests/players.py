"""Random games for tests: playing styles, whole games with every position, digests of records.

A uniformly random player passes early and seldom builds a company, and most rules would hardly ever apply. A style
gives every action a weight; legal actions are drawn in proportion to their weights. The same options, seed and
style always give the same game.
"""

import dataclasses
import functools
import hashlib
import random
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env import Batch, GameRecord, Options, Position
from carnegie_env.carnegie import actions
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.invariants import INVARIANTS
from carnegie_env.carnegie.options import MODULES
from carnegie_env.core import kernels
from tests.referee import Referee, play

SOLO = tuple({"num_players": 1, "difficulty": name} for name in ("beginner", "normal", "difficult", "expert"))
MODES = (*SOLO, *({"num_players": n} for n in (2, 3, 4)))


def redraw_hidden(games: NDArray, seeds: NDArray) -> None:
    """Redraw, from seeds (uint64, (n,)), the information hidden from the player to move of each record."""
    kernels.redraw_hidden(games, np.maximum(games["to_play"], 0).astype(np.int64), seeds)


def modules_for(mode: dict) -> tuple[str, ...]:
    """The modules of expansion 1 that can be used in a mode."""
    return tuple(module for module in MODULES if t.SOLO_MODULES[module] or mode["num_players"] > 1)


def mixed(mode: dict, number: int) -> dict:
    """A mode with a random set of one or more of its modules, which depends on the number."""
    fitting = modules_for(mode)
    chosen = random.Random(number).randrange(1, 1 << len(fitting))
    return mode | {module: True for k, module in enumerate(fitting) if chosen >> k & 1}


# Modes with modules: all possible modules at once; each module alone, with each possible number of players.
ALL_ON = tuple(mode | dict.fromkeys(modules_for(mode), True) for mode in (SOLO[3], *MODES[4:]))
ALONE = tuple(mode | {module: True} for mode in (SOLO[1], *MODES[4:]) for module in modules_for(mode))
EXPANDED = (*ALL_ON, *ALONE)
STYLES = ("uniform", "patient", "busy", "whims")
NEW_TILES = t.DEPARTMENTS[t.BASE_TILES + 1 : t.NUM_TILES + 1]
LONGEST = 5_000  # decisions; the longest games have about a thousand


def mode_name(options: dict) -> str:
    """A name for the ids of parametrized tests."""
    on = [key for key in options if key in MODULES and options[key]]
    names = [str(value) for key, value in options.items() if key not in MODULES]
    return "-".join([*names, *(["all modules"] if on and on == list(modules_for(options)) else on)])


# ---------------------------------------------------------------- playing styles
def weights(style: str, seed: int = 0) -> NDArray[np.float64]:
    """The weight of every action, float64 (actions,), all above 0.

    Args:
        style: "uniform": equal weights; "patient": the same, but passes rarely; "busy": develops its company, roughly;
            "whims": a random weight for every kind of action and every action; passes rarely.
        seed: of "whims".
    """
    found = np.ones(actions.NUM_ACTIONS)
    if style == "busy":
        for action, text in enumerate(actions.TEXTS):
            found[action] = _wish(text)
    elif style == "whims":
        generator = np.random.default_rng(seed)
        of_verb = np.exp(generator.normal(0, 1.2, len(actions.VERBS)))
        found = of_verb[actions.VERB] * np.exp(generator.normal(0, 0.7, actions.NUM_ACTIONS))
    if style != "uniform":
        found[actions.PASS] = 0.02 * found.mean()
    return found


def _wish(text: str) -> float:
    verb, *words = text.split()
    match verb:
        case "lift":
            return 0.03 if words[0] == "active" else 0.5
        case "recover":
            return 0.2 + int(words[0])
        case "build" | "donate" | "activate":
            return 3.0
        case "department":
            return 5.0 if words[0] in ("new_lobby", "property_management", "charitable_giving", *NEW_TILES) else 1.0
        case "bid":
            return 1 / (1 + int(words[0]))
        case "timeline":
            return 0.5
    return 1.0


def choose(masks: NDArray[np.int8], weight: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.int64]:
    """Draw legal actions by weight: int64 (N,), -1 where no action is legal.

    Args:
        masks: legal actions as 0/1, (N, actions).
        weight: (actions,), or a row for each game.
        generator: the source of randomness.
    """
    sums = np.cumsum(masks * weight[..., : masks.shape[1]], axis=1)
    drawn = generator.random(len(masks)) * sums[:, -1]
    found = (sums <= drawn[:, None]).sum(axis=1)
    return np.where(sums[:, -1] > 0, np.minimum(found, masks.shape[1] - 1), -1)


# ---------------------------------------------------------------- games
@dataclasses.dataclass(frozen=True)
class Played:
    """A whole game: `games[k]` is the record after k decisions, `actions[k]` the next decision."""

    games: NDArray[np.void]
    actions: list[int]

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"<game of {len(self)} decisions, mark of its end {mark(self.games[-1:])}>"

    def position(self, k: int) -> Position:
        """The position after k decisions, a copy."""
        return Position._of(self.games[k : k + 1].copy())  # from a batch, so it is valid


def play_on(batch: Batch, style: str, seed: int) -> Played:
    """Play the one game of a batch to its end."""
    weight, generator = weights(style, seed), np.random.default_rng([seed, STYLES.index(style)])
    games, chosen = [batch.games.copy()], []
    while not batch.done[0]:
        action = choose(batch.action_masks(), weight, generator)
        batch.step(action)
        games.append(batch.games.copy())
        chosen.append(int(action[0]))
        assert len(chosen) < LONGEST, "the game does not end"
    return Played(np.concatenate(games), chosen)


@functools.lru_cache(maxsize=64)
def _whole_game(options: tuple, seed: int, style: str, rich: bool) -> Played:
    batch = Batch(1, num_threads=1, **dict(options))
    batch.reset(seed)
    if rich:
        batch.load(rich_start(dict(options), seed))
    return play_on(batch, style, seed)


def whole_game(options: dict, seed: int, style: str = "patient", rich: bool = False) -> Played:
    """A game from the set-up; or, with `rich`, from an early round with developed companies. Don't change it."""
    return _whole_game(tuple(options.items()), seed, style, rich)


def record_of(options: dict, seed: int, length: int | None = None) -> GameRecord:
    """The record of a game from the set-up, or of its first decisions."""
    decided = whole_game(options, seed).actions[:length]
    return GameRecord(Options.from_dict(options), seed, tuple(actions.TEXTS[action] for action in decided))


def rich_start(options: dict, seed: int) -> Position:
    """The start of an early round with wealth, departments, projects and donations, to apply late rules early."""
    chance = random.Random(seed)
    referee = Referee.from_dict(Position.new(options, seed=seed).to_dict())
    first_round = chance.randrange(1, 6)
    while referee.phase != "timeline" or referee.round < first_round:
        referee.apply(play.choose(chance, referee.to_dict(), referee.legal_actions(), "manager"))
    return Position.from_dict(play.enrich(chance, referee.to_dict()))


# ---------------------------------------------------------------- looking at records
def faults(games: NDArray[np.void]) -> list[str]:
    """The violated invariants of the records, in words; valid records have none."""
    found = [int(INVARIANTS.verify(game)) for game in games]
    return [f"record {i}: {INVARIANTS.words(fault, games[i])}" for i, fault in enumerate(found) if fault]


def mark(*arrays: NDArray[Any]) -> str:
    """A short digest of arrays; records are hashed field by field."""
    digest = hashlib.sha256()
    for array in arrays:
        for part in [array[name] for name in array.dtype.names] if array.dtype.names else [array]:
            digest.update(part.tobytes())
    return digest.hexdigest()[:16]


def mark_of_files(folder: Path) -> dict[str, str]:
    """Digests of the files in a folder, by path."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }
