"""Rules asked by the picture: in plain Python, so that no picture waits until something is compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from carnegie_env.core.lazy import in_plain_python

plain = functools.cache(in_plain_python)


def ask(rule: Callable[..., Any], fields: SimpleNamespace, *arguments: int) -> int:
    """What a rule says of a game.

    Args:
        rule: a function of `carnegie.rules` that answers with a number and changes nothing.
        fields: of the record, as ``state.fields`` gives them.
        arguments: what else it wants.
    """
    return int(plain(rule)(fields, *arguments))
