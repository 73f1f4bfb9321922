"""Docstrings name things as Sphinx does, :class:`Batch`; this turns such names into links of the reference.

A name is looked up where the docstring stands, as Python would; one without a page stays code. Sessions (`>>>`) and
literal blocks (`::`) become blocks of Markdown. `zensical.toml` names this file as an extension of Griffe, which reads
the sources.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

import griffe

SESSION = re.compile(r"^>>> .*(?:\n(?! *$).+)*", re.MULTILINE)
LITERAL = re.compile(r"::$", re.MULTILINE)
ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`(~?)([\w.]+)`")


def linked(text: str, around: griffe.Object) -> str:
    """The text in Markdown, with a link in place of each name."""

    def link(match: re.Match[str]) -> str:
        shortened, name = match.groups()
        shown = name.rpartition(".")[2] if shortened else name
        return f'<autoref identifier="{escape(place(name, around))}" optional><code>{escape(shown)}</code></autoref>'

    text = SESSION.sub(lambda match: f"```pycon\n{match[0]}\n```", text)
    return ROLE.sub(link, LITERAL.sub(":", text))


def place(name: str, around: griffe.Object) -> str:
    """The full name of what a name means in a docstring."""
    first, dot, rest = name.partition(".")
    for scope in (around, around.parent):
        if scope is not None and scope.is_class and first in scope.all_members:
            return f"{scope.path}.{name}"
    try:
        return f"{around.resolve(first)}{dot}{rest}"
    except griffe.NameResolutionError:
        return name


class Roles(griffe.Extension):
    """Griffe's extension: all docstrings, after a package was read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Turn the names of one docstring into links."""
        if obj.docstring is not None:
            obj.docstring.value = linked(obj.docstring.value, obj)
