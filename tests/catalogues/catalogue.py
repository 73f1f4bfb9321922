"""The catalogue of a game's environments: the interface that `-v0` in their ids promises, as lines of text.

    python -m tests.catalogues.catalogue

adds new lines to the files in this folder, such as the additional actions of a new option. It never changes or removes
a line, because agents, networks and datasets depend on these numbers. Other numbers need a new version of the ids with
a file of its own: CONTRIBUTING.md, "What a version promises".

A file has a line for

- every environment id, and the PettingZoo module;
- every action, by number;
- the reward of an illegal action, and the unit of the dense reward;
- every kind of game: its options, its number of actions, its observation;
- every feature of every observation: its place, the names along its axes, its largest raw number and its divisor;
- every axis: the names of its entries, in order.
"""

import hashlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import gymnasium

import carnegie_env
from carnegie_env.core import files
from carnegie_env.core.game import Game
from carnegie_env.core.layout import Layout

FOLDER = Path(__file__).parent
VERSION = "v0"
HEAD = "# See catalogue.py: lines may be added, none may be changed or taken away."


def path(game: Game) -> Path:
    return FOLDER / f"{game.name}-{VERSION}.txt"


def lines(game: Game) -> list[str]:
    """The catalogue of a game according to the current code."""
    ids = [
        name for name in gymnasium.registry if name.startswith(f"{game.namespace}/") and name.endswith(f"-{VERSION}")
    ]
    found = [f"environment {name}" for name in [*sorted(ids), f"{game.name}_{VERSION}"]]
    found += [f"action {number}: {text}" for number, text in enumerate(game.texts)]
    losses, unit = game.losses, game.dense_unit
    found.append(f"reward, of an illegal action: margin {losses.margin:g}, score {losses.score:g}")
    found.append(f"reward, points that dense_margin counts as 1: {unit:g}")
    axes: dict[str, None] = {}
    for options in game.variants:
        made = game.options.from_dict(options)
        layout = game.layout(made)
        title = layout.title.removeprefix(f"{game.title}, ")
        chosen = ", ".join(f"{name}={value}" for name, value in options.items())
        found.append(f"game {chosen}: {game.num_actions(made)} actions, {layout.size} numbers of observation {title}")
        found += [f"observation {title}: {line}" for line in features(layout, axes)]
    return [*dict.fromkeys(found), *axes]


def features(layout: Layout, axes: dict[str, None]) -> Iterator[str]:
    """A line for each feature; adds the lines of its axes to ``axes``, an ordered set."""
    for feature in layout.values():
        names = []
        for axis in feature.axes:
            text = " ".join(entry.replace(" ", "_") for entry in axis)
            names.append(hashlib.sha256(text.encode()).hexdigest()[:8])
            axes.setdefault(f"axis {names[-1]}: {text}")
        shape = " x ".join(names) or "a number"
        yield f"{feature.start} {feature.name}, {shape}, up to {feature.most:g} / {feature.scale:g}"


def compare(kept: Iterable[str], now: Iterable[str]) -> tuple[list[str], list[str]]:
    """The lines of the file that no longer match the code, and the code's lines that are not in the file."""
    kept, now = list(kept), list(now)
    return [line for line in kept if line not in set(now)], [line for line in now if line not in set(kept)]


def read(game: Game) -> list[str]:
    """The lines of a game's file, none for a new game."""
    if not path(game).exists():
        return []
    return [line for line in path(game).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def main() -> int:
    status = 0
    for game in carnegie_env.games().values():
        kept = read(game)
        gone, new = compare(kept, lines(game))
        if gone:
            print(f"{path(game).name}: {len(gone)} lines no longer match the code, so nothing was written:")
            print("\n".join(f"  {line}" for line in gone[:20]))
            status = 1
        elif new:
            files.write_whole(path(game), "\n".join([HEAD, *kept, *new]) + "\n")
            print(f"{path(game).name}: {len(new)} lines added")
    return status


if __name__ == "__main__":
    sys.exit(main())
