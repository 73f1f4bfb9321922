"""Help on the parts of the board: topics.toml, with the numbers of the tables in use."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from carnegie_env.core.game import Topic
from carnegie_env.steel_driver import names
from carnegie_env.steel_driver import tables as t

FILE = Path(__file__).with_name("topics.toml")
_NUMBERS = {
    "rounds": t.ROUNDS, "links": t.LINKS, "shares": t.SHARES, "cubes": t.ROUND_CUBES.tolist(), "supply": t.CUBES,
    "ends": f"{names.CITIES[t.EAST]} and {names.CITIES[t.WEST]}", "builder": t.BUILDER_BONUS, "others": t.OTHERS_BONUS,
    "colours": t.NUM_GOODS, "sets": ", ".join(f"${value}" for value in t.SET_VALUE[1:].tolist()),
}  # fmt: skip


@functools.cache
def topics() -> Mapping[str, Topic]:
    """All topics by key, read when they are first needed."""
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return MappingProxyType(
        {
            key: Topic(topic["title"], topic["text"].format_map(_NUMBERS), topic["source"])
            for key, topic in found.items()
        }
    )
