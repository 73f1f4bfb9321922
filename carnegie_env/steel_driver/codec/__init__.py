"""Positions as dictionaries: a record of one game to JSON types and back.

:func:`to_dict` writes, :func:`from_dict` reads; :mod:`shape` says what the dictionary looks like.
"""

from __future__ import annotations

from carnegie_env.steel_driver.codec.reading import from_dict
from carnegie_env.steel_driver.codec.writing import options_of, to_dict

__all__ = ["from_dict", "options_of", "to_dict"]
