"""Settings that a file was made with, beside those that are wanted now: what is different, in words."""

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
    """What is different, as in "seed 1, not 2"; of settings that are mappings themselves, which of theirs.

    Args:
        found: settings by name, as they are.
        wanted: as they should be, of the same names.
        ignored: names that may differ.
        texts: how settings are shown that are not shown as Python does.
    """
    said = []
    for name, ours in wanted.items():
        theirs = found[name]
        if theirs == ours or name in ignored:
            continue
        if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
            said += [
                f"{name} {key} {theirs.get(key)!r}, not {ours.get(key)!r}"
                for key in {**ours, **theirs}
                if theirs.get(key) != ours.get(key)
            ]
        else:
            shown = (texts or {}).get(name, repr)
            said.append(f"{name.replace('_', ' ')} {shown(theirs)}, not {shown(ours)}")
    return said
