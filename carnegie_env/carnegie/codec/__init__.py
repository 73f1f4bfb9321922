"""Positions as dictionaries: a record of one game to JSON types and back (docs/design.md, section 5).

:func:`to_dict` writes, :func:`from_dict` reads; :mod:`shape` says what the dictionary looks like.
"""

from __future__ import annotations

from carnegie_env.carnegie.codec.reading import from_dict
from carnegie_env.carnegie.codec.shape import OPEN_PHASES, OWNERS, SIDES, STATES
from carnegie_env.carnegie.codec.writing import options_of, to_dict

__all__ = ["OPEN_PHASES", "OWNERS", "SIDES", "STATES", "from_dict", "options_of", "to_dict"]
