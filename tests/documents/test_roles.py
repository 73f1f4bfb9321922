"""Names in docstrings become links. `make docs` runs this because it needs Griffe."""

import textwrap

import pytest

griffe = pytest.importorskip("griffe", reason="make docs installs it")

from tests.documents import roles  # noqa: E402

SOURCE = '''
import elsewhere


class Games:
    """N games, see :meth:`step`, :class:`~elsewhere.deep.Thing`, :class:`Other`, :func:`nowhere`.

    >>> games = Games()
    >>> games.step(
    ...     1
    ... )
    2

    An example::

        step = 1
    """

    def step(self):
        """As :attr:`done` says."""

    @property
    def done(self):
        """Whether it is."""


class Other:
    """Another one."""
'''


@pytest.fixture
def module():
    return griffe.visit("pack.games", filepath=None, code=textwrap.dedent(SOURCE))


def named(text):
    return roles.re.findall(r'identifier="([^"]*)" optional><code>([^<]*)</code>', text)


def test_names_are_resolved_in_the_scope_of_the_docstring(module):
    text = roles.linked(module["Games"].docstring.value, module["Games"])
    assert named(text) == [
        ("pack.games.Games.step", "step"),
        ("elsewhere.deep.Thing", "Thing"),
        ("pack.games.Other", "Other"),
        ("nowhere", "nowhere"),
    ]
    assert named(roles.linked(module["Games.step"].docstring.value, module["Games.step"])) == [
        ("pack.games.Games.done", "done")
    ]


def test_sessions_and_literal_blocks_become_markdown(module):
    text = roles.linked(module["Games"].docstring.value, module["Games"])
    assert "```pycon\n>>> games = Games()\n>>> games.step(\n...     1\n... )\n2\n```\n" in text
    assert "An example:\n\n    step = 1" in text


def test_the_extension_changes_docstrings(module):
    roles.Roles().on_object(obj=module["Games.step"], loader=None)
    assert ":attr:" not in module["Games.step"].docstring.value
