"""A Griffe extension (see zensical.toml) that turns Sphinx roles in docstrings, :class:`Batch`, into links.

Names are resolved in the scope of the docstring; those without a page become code. Sessions (`>>>`) and literal blocks
(`::`) become Markdown blocks.
"""

import re
from html import escape
from typing import Any

import griffe

SESSION = re.compile(r"^>>> .*(?:\n(?! *$).+)*", re.MULTILINE)
LITERAL = re.compile(r"::$", re.MULTILINE)
ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`(~?)([\w.]+)`")


def linked(text: str, around: griffe.Object) -> str:
    """A docstring as Markdown with links."""

    def link(match: re.Match[str]) -> str:
        shortened, name = match.groups()
        shown = name.rpartition(".")[2] if shortened else name
        return f'<autoref identifier="{escape(place(name, around))}" optional><code>{escape(shown)}</code></autoref>'

    text = SESSION.sub(lambda match: f"```pycon\n{match[0]}\n```", text)
    return ROLE.sub(link, LITERAL.sub(":", text))


def place(name: str, around: griffe.Object) -> str:
    """The qualified name of a name in a docstring."""
    first, dot, rest = name.partition(".")
    for scope in (around, around.parent):
        if scope is not None and scope.is_class and first in scope.all_members:
            return f"{scope.path}.{name}"
    try:
        return f"{around.resolve(first)}{dot}{rest}"
    except griffe.NameResolutionError:
        return name


class Roles(griffe.Extension):
    """The extension."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Convert the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = linked(obj.docstring.value, obj)
