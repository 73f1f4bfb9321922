"""Differences between the settings that a file was made with and those that are wanted now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any


def differences(
    found: Mapping[str, Any],
    wanted: Mapping[str, Any],
    *,
    ignored: Collection[str] = (),
    texts: Mapping[str, Callable[[Any], str]] | None = None,
) -> list[str]:
    """Describe the differences, as in "seed 1, not 2"; for settings that are mappings, those of single keys.

    Args:
        found: the existing settings by name.
        wanted: the required settings, with the same names.
        ignored: names that may differ.
        texts: functions that format a setting, if not like `repr`.
    """
    texts = texts or {}
    described = []
    for name, ours in wanted.items():
        theirs = found[name]
        if theirs == ours or name in ignored:
            continue
        if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
            described += [
                f"{name} {key} {theirs.get(key)!r}, not {ours.get(key)!r}"
                for key in {**ours, **theirs}
                if theirs.get(key) != ours.get(key)
            ]
        else:
            shown = texts.get(name, repr)
            described.append(f"{name.replace('_', ' ')} {shown(theirs)}, not {shown(ours)}")
    return described
