"""`carnegie-env new`, `carnegie-env replay`: boards of a new game, of a recorded one."""

from __future__ import annotations

import argparse
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import options_of, record_in, width


def new(given: argparse.Namespace) -> None:
    """Show a new game."""
    position = collection.find(given.game).position_class.new(options_of(given), given.seed)
    print(position.to_json(indent=1) if given.json else position.render(width()))


def replay(given: argparse.Namespace) -> None:
    """Show a recorded game."""
    record = record_in(given.file)
    columns = width()
    if given.step is not None:
        print(record.replay(given.step).render(columns))
        return
    if given.last:
        print(record.replay().render(columns))
        return
    print(f"{given.file}: {len(record.actions)} decisions, seed {record.seed}, {record.options}\n")
    shown: int | None = None
    position: Any = None
    for number, position in enumerate(record.positions()):
        action = record.actions[number] if number < len(record.actions) else None
        if given.all:
            print(position.render(columns), end="\n\n")
        elif position.round != shown and action is not None:
            shown = position.round
            print("set-up" if shown == 0 else f"round {shown}")
        if action is not None:
            print(f"{number + 1:5}  player_{position.to_play}  {action}", end="\n\n" if given.all else "\n")
    if not given.all and position is not None:
        print(f"\n{position.render(columns)}")
