"""Arguments of callers: unknown names, render modes, switches, and options on a command line."""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Iterable
from reprlib import repr as shown  # short for any value
from typing import Any

import numpy as np


class UnexpectedArgument(TypeError, ValueError):
    """An unknown argument or render mode.

    It is a TypeError, like Python's own error, because libraries that try out an argument catch it (Stable-Baselines3 a
    render mode, TorchRL `frameskip`), and a ValueError, like all other errors in options.
    """


def unexpected(name: object, known: Iterable[str]) -> UnexpectedArgument:
    """The error for an unknown argument, worded like Python's own; ``known`` are the existing ones."""
    return UnexpectedArgument(f"got an unexpected keyword argument {shown(name)}; the options are {', '.join(known)}")


def render_mode_of(mode: Any, metadata: dict[str, Any]) -> str | None:
    """Return a render mode that is None or in ``metadata["render_modes"]``; else raise UnexpectedArgument."""
    if mode is None or (isinstance(mode, str) and mode in metadata["render_modes"]):
        return mode
    raise UnexpectedArgument(f"render_mode must be None or one of {metadata['render_modes']}, not {shown(mode)}")


def switch(name: str, value: Any) -> bool:
    """A bool, or NumPy's, as a Python bool; else a ValueError."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


# ---------------------------------------------------------------- command lines
def option_of(name: str) -> str:
    """The option that sets an argument."""
    return f"--{name.replace('_', '-')}"


def check_least(given: argparse.Namespace, **least: int) -> None:
    """Raise a ValueError for options, whole numbers, that are smaller than ``least`` says."""
    for name, low in least.items():
        if (value := getattr(given, name)) is not None and value < low:
            raise ValueError(f"{option_of(name)} must be {low} or more, not {value}")


MODULES = "modules"  # the flag for names of options to switch on, separated by commas
SHORT = {"num_players": "--players"}  # accepted besides the option's own name
EACH_AGENT = "one for each agent"  # the default of num_players where agents are named


def add_options(parser: argparse.ArgumentParser, options: type[Any], **defaults: str) -> None:
    """Add a flag for each option of a game to a parser, and `--modules` if `from_dict` takes it.

    Args:
        parser: the parser. The values of flags that are not given are None.
        options: the game's options, a dataclass. The `Args` of its docstring are the help texts; if they list
            `modules`, `from_dict` takes it.
        defaults: what the help texts say of defaults that are not those of the options.
    """
    group = parser.add_argument_group("options of the game")
    texts = argument_texts(options.__doc__ or "")
    for field in dataclasses.fields(options):
        flags = [option_of(field.name), *([SHORT[field.name]] if field.name in SHORT else [])]
        text = texts.get(field.name, "").replace("%", "%%")
        if field.default is False:
            group.add_argument(*flags, action="store_const", const=True, help=text)
            continue
        shown_default = defaults.get(field.name, field.default)
        default = "" if shown_default is None else f" (default: {shown_default})"
        kind = int if isinstance(field.default, int) else str
        group.add_argument(*flags, type=kind, metavar="N" if kind is int else "NAME", help=text + default)
    if MODULES in texts:
        group.add_argument(f"--{MODULES}", metavar="NAMES", help=texts[MODULES])


def given_options(given: argparse.Namespace, options: type[Any]) -> dict[str, Any]:
    """The given options of a parser with :func:`add_options`, for `from_dict`."""
    names = [*(field.name for field in dataclasses.fields(options)), MODULES]
    return {name: getattr(given, name) for name in names if getattr(given, name, None) is not None}


def argument_texts(doc: str) -> dict[str, str]:
    """The texts of the `Args` of a docstring, by name."""
    found = re.findall(r"^ +(\w+): (.+(?:\n {12,}.+)*)", doc, re.MULTILINE)
    return {name: " ".join(text.split()).rstrip(".").replace("`", "") for name, text in found}
