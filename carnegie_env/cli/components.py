"""`carnegie-env facts`: the component values that are not printed on the components."""

from __future__ import annotations

import argparse
from typing import Any

from carnegie_env import collection


def show(given: argparse.Namespace) -> None:
    """List the component values that are not printed on the components."""
    from carnegie_env.core.facts import unprinted

    facts = collection.find(given.game).presentation.facts
    if facts is None:
        print("This game has no component tables.")
        return
    rows = [
        (file, f"{table} {key}".strip(), compact(value), mark) for file, table, key, value, mark in unprinted(facts)
    ]
    marks = [row[3] for row in rows]
    counts = ", ".join(f"{marks.count(mark)} {mark}" for mark in dict.fromkeys(marks)) or "none"
    print(f"{len(rows)} component values are not printed on the components ({counts}).")
    print("forced: no other value agrees with the printed ones.   reconstructed: other values would also agree.\n")
    width = max((len(row[1]) for row in rows), default=0)
    for file in dict.fromkeys(row[0] for row in rows):
        print(file)
        for _, what, value, mark in (row for row in rows if row[0] == file):
            print(f"  {what:{width}}  {mark:13}  {value}")


def compact(value: Any) -> str:
    """A value in the notation of the TOML files."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {compact(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(compact(part) for part in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)
