"""`carnegie-env new`, `carnegie-env replay`: boards of new or recorded games, and films."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import interruptible, options_of, progress, record_in, width
from carnegie_env.core.validation import whole_number
from carnegie_env.render.text import number_of

LEAST_FPS, MOST_FPS = 0.1, 60
FILM: dict[str, Any] = {"theme": "light", "width": 1280, "fps": 2.0, "seat": None}  # defaults of films


def new(given: argparse.Namespace) -> None:
    """Show a new game."""
    position = collection.find(given.game).position_class.new(options_of(given), given.seed)
    print(position.to_json(indent=1) if given.json else position.render(width()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `replay`."""
    parser.add_argument("file", metavar="FILE", help="game record, written by `play --record` for example")
    add = parser.add_mutually_exclusive_group().add_argument
    add("--step", type=int, metavar="N", help="print only the board after N decisions")
    add("--all", action="store_true", help="print the board before every decision, and the last board")
    add("--last", action="store_true", help="print only the last board")
    text = (
        "make a film with a frame for each decision: .mp4, .gif, or a folder of PNG files (needs the extra `pictures`)"
    )
    add("--film", metavar="PATH", help=text)
    add = parser.add_argument_group("films").add_argument
    add("--seat", type=int, metavar="N", help="show what this seat sees (default: public information)")
    add("--theme", choices=("light", "dark"), help=f"colours (default: {FILM['theme']})")
    add("--width", type=int, metavar="PIXELS", help=f"width of the film (default: {FILM['width']})")
    add("--fps", type=float, metavar="N", help=f"frames per second (default: {FILM['fps']:g})")


def replay(given: argparse.Namespace) -> None:
    """Show a recorded game."""
    record = record_in(given.file, given.named)
    if given.film is not None:
        _film(given, record)
        return
    for name in FILM:
        if getattr(given, name) is not None:
            raise ValueError(f"--{name} needs --film")
    columns = width()
    if given.last or given.step is not None:
        if given.step is not None:
            whole_number("--step", given.step, 0, len(record.actions))
        print(record.replay(given.step).render(columns))
        return
    print(f"{given.file}: {number_of(len(record.actions), 'decisions')}, seed {record.seed}, {record.options}\n")
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


def _film(given: argparse.Namespace, record: Any) -> None:
    """Make a film of a recorded game."""
    from carnegie_env.render import film

    wanted = {name: default if getattr(given, name) is None else getattr(given, name) for name, default in FILM.items()}
    if not LEAST_FPS <= wanted["fps"] <= MOST_FPS:
        raise ValueError(f"--fps must be from {LEAST_FPS} to {MOST_FPS}, not {wanted['fps']:g}")
    path, number = film.check(given.film), len(record.actions) + 1
    try:
        samples = film.samples(record, wanted["seat"], wanted["theme"], wanted["width"])
        with interruptible("No film was written."), progress("frames") as watch:
            pictures = film.frames(record, wanted["seat"], wanted["theme"], wanted["width"])
            film.write(path, _watched(pictures, number, watch), wanted["fps"], samples)
    except ModuleNotFoundError as error:
        raise ValueError(f"--film: {error}") from None
    except OSError as error:
        raise ValueError(f"{error.filename or given.film}: {error.strerror or error}; no film was written") from None
    print(f"{path}: {number_of(number, 'frames')}")


def _watched(pictures: Iterable[bytes], number: int, watch: Callable[[int, int], None]) -> Iterator[bytes]:
    for done, picture in enumerate(pictures, 1):
        yield picture
        watch(done, number)
