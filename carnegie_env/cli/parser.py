"""The parser of the command line: short error messages with suggestions, and completion for shells."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterator
from typing import Any, NoReturn

FILES = {"FILE": "FILE", "FILE.md": "FILE", "PATH": "FILE", "DIR": "DIRECTORY", "FOLDER": "DIRECTORY"}  # by metavar


class Parser(argparse.ArgumentParser):
    """A parser that suggests the nearest command, option or choice. (Python's own does so from 3.14 on.)"""

    def commands(self) -> dict[str, Parser]:
        """The parsers of the commands, by name."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}

    def error(self, message: str) -> NoReturn:
        """Print the message, a suggestion and where help is; exit with code 2."""
        text = message
        if found := re.search(
            r"invalid choice: '(.*?)' \(choose from (.*)\)|unrecognized arguments: (--[^\s=]+)", message
        ):
            known = re.findall(r"[\w.-]+", found[2]) if found[2] else self._option_string_actions
            if near := difflib.get_close_matches(found[1] or found[3], known, 1):
                text = f"{message}; did you mean {near[0]}?"
        self.exit(2, f"usage: {self.prog} ..., see {self.prog} --help\n{self.prog}: error: {text}\n")

    def everything(self) -> Iterator[argparse.Action]:
        """The arguments of this parser and its commands."""
        yield from self._actions
        for command in self.commands().values():
            yield from command.everything()


class PrintCompletion(argparse.Action):
    """Print a completion script and exit."""

    def __call__(self, parser: Any, given: Any, shell: Any, option: str | None = None) -> None:
        """Print the script for a shell."""
        try:
            import shtab
        except ModuleNotFoundError:
            parser.error("completion needs shtab: pip install 'carnegie_env[completion]'")
        if shell not in shtab.SUPPORTED_SHELLS:
            parser.error(f"{option}: the shells are {', '.join(shtab.SUPPORTED_SHELLS)}, not {shell!r}")
        for action in parser.everything():
            if kind := FILES.get(str(action.metavar)):
                action.complete = getattr(shtab, kind)
        print(shtab.complete(parser, shell))
        parser.exit()
