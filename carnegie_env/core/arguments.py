"""Arguments as callers give them: names that don't exist, NumPy's numbers and switches, options on a command line."""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Iterable
from reprlib import repr as shown  # a short one, whatever is given
from typing import Any

import numpy as np


class UnexpectedArgument(TypeError, ValueError):
    """The name of an argument, or a render mode, that does not exist.

    A TypeError, as Python raises it for a function's own arguments: clients that try an argument out catch that
    (Stable-Baselines3 tries a render mode, TorchRL `frameskip`). And a ValueError, as all else that is wrong with
    options is one.
    """


def unexpected(name: object, known: Iterable[str]) -> UnexpectedArgument:
    """The error for an argument that does not exist, in Python's own words; ``known`` are those that do."""
    return UnexpectedArgument(f"got an unexpected keyword argument {shown(name)}; the options are {', '.join(known)}")


def render_mode_of(mode: Any, metadata: dict[str, Any]) -> str | None:
    """Return a render mode that is None or among ``metadata["render_modes"]``, else raise UnexpectedArgument."""
    if mode is None or (isinstance(mode, str) and mode in metadata["render_modes"]):
        return mode
    raise UnexpectedArgument(f"render_mode must be None or one of {metadata['render_modes']}, not {shown(mode)}")


def switch(name: str, value: Any) -> bool:
    """True or False, NumPy's too, as Python's own; a ValueError for all else."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


# ---------------------------------------------------------------- command lines
MODULES = "modules"  # names of options that are switched on, with commas between
SHORT = {"num_players": "--players"}  # accepted beside the option's own name


def add_options(parser: argparse.ArgumentParser, options: type[Any]) -> None:
    """Give a parser a flag for each option of a game, of the same name, and `--modules` if its `from_dict` takes that.

    Args:
        parser: where the flags go. Those that are not given are None in what it parses.
        options: the game's options, a dataclass; the text behind a name in the `Args` of its docstring is the flag's
            help. If `modules` is there, too, `from_dict` takes it.
    """
    group = parser.add_argument_group("options of the game")
    texts = argument_texts(options.__doc__ or "")
    for field in dataclasses.fields(options):
        flags = [f"--{field.name.replace('_', '-')}", *([SHORT[field.name]] if field.name in SHORT else [])]
        text = texts.get(field.name, "").replace("%", "%%")
        if field.default is False:
            group.add_argument(*flags, action="store_const", const=True, help=text)
            continue
        default = "" if field.default is None else f" (default: {field.default})"
        kind = int if isinstance(field.default, int) else str
        group.add_argument(*flags, type=kind, metavar="N" if kind is int else "NAME", help=text + default)
    if MODULES in texts:
        group.add_argument(f"--{MODULES}", metavar="NAMES", help=texts[MODULES])


def given_options(given: argparse.Namespace, options: type[Any]) -> dict[str, Any]:
    """The options that were given to a parser with :func:`add_options`, by name, for `from_dict`."""
    names = [*(field.name for field in dataclasses.fields(options)), MODULES]
    return {name: getattr(given, name) for name in names if getattr(given, name, None) is not None}


def argument_texts(doc: str) -> dict[str, str]:
    """What the `Args` (and what `from_dict` takes beside them) of a docstring say, by name."""
    found = re.findall(r"^ +(\w+): (.+(?:\n {12,}.+)*)", doc, re.MULTILINE)
    return {name: " ".join(text.split()).rstrip(".").replace("`", "") for name, text in found}
