"""The manifest of a dataset: its settings and its finished shards.

Shard k begins with game ``k * shard_games``, and game i is dealt from ``seed + i``. A shard is therefore a range of
seeds, which gives the same result wherever and whenever it is played.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from carnegie_env.core import settings
from carnegie_env.core.facts import FIRST_EDITION
from carnegie_env.core.validation import cut, seed_of, whole_number

SCHEMA = 1  # version of manifest and shards; increased when older readers can't read them
MANIFEST = "_manifest.json"  # readers of Parquet folders (Arrow, pandas, Polars, Spark) skip names that begin with _
OLD_MANIFEST = "manifest.json"  # of folders made by earlier versions
MOST_GAMES = 10**12
MOST_IN_A_SHARD = 100_000
_NAME = re.compile(r"games-(\d{5,})\.parquet")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Player(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A participant: its name, its name in the registry, and its version ("" if it has none)."""

    name: str
    agent: str
    version: str = ""


class Shard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished shard.

    Args:
        name: the file's name.
        first: the number of its first game.
        games: the number of games.
        decisions: the number of decisions in all of them.
        bytes, sha256: the file's size, and its checksum in hexadecimal digits.
    """

    name: str
    first: int
    games: int
    decisions: int
    bytes: int
    sha256: str


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a dataset, which determine its games.

    Args:
        schema: :data:`SCHEMA`.
        game: the game's name.
        options: all its options by name.
        agents: the participants, with unique names.
        tables: groups of agents that play together, by their numbers; None if everyone plays everyone (see the arena's
            schedule).
        seed: the first game's seed.
        shard_games: the number of games in a shard.
        games_at_once: the number of games that the same agents play side by side.
        values: whether the agents' values are recorded.
        opening: the number of random decisions at the start of each game.
        signature: the engine's signature, as `carnegie-env bench` prints it.
        edition: of the component tables.
    """

    schema: int
    game: str
    options: dict[str, Any]
    agents: tuple[Player, ...]
    tables: tuple[tuple[int, ...], ...] | None
    seed: int
    shard_games: int
    games_at_once: int
    values: bool
    opening: int
    signature: int
    edition: str = FIRST_EDITION


class Manifest(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings and the state of a dataset.

    Args:
        games: the number of games when it is complete.
        versions: the versions of the programs that began it, by name.
        shards: the finished shards, in order.
    """

    games: int
    versions: dict[str, str]
    shards: tuple[Shard, ...] = ()

    @property
    def num_shards(self) -> int:
        """The number of shards when it is complete."""
        return -(-self.games // self.shard_games)

    @property
    def is_complete(self) -> bool:
        return sum(shard.games for shard in self.shards) == self.games

    def games_of(self, number: int) -> range:
        """The numbers of a shard's games."""
        first = number * self.shard_games
        return range(first, min(first + self.shard_games, self.games))

    def settings(self) -> dict[str, Any]:
        """The settings by name, in JSON types."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return {name: fields[name] for name in Settings.__struct_fields__}


def shard_name(number: int) -> str:
    """The name of a shard's file."""
    return f"games-{number:05}.parquet"


def shard_number(name: str) -> int | None:
    """The shard's number from its file's name; None for other files."""
    found = _NAME.fullmatch(name)
    return int(found[1]) if found and shard_name(int(found[1])) == name else None


def encode(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


def path_of(folder: str | os.PathLike[str]) -> Path:
    """The manifest's file, which may not exist; in folders made by earlier versions it has another name."""
    old = Path(folder) / OLD_MANIFEST
    new = Path(folder) / MANIFEST
    return old if old.is_file() and not new.exists() else new


def read(folder: str | os.PathLike[str]) -> Manifest:
    """The manifest in a folder; a ValueError if it is missing, damaged or has another schema."""
    path = path_of(folder)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"{folder} is not a dataset: it has no {MANIFEST}") from None
    except NotADirectoryError:
        raise ValueError(f"{folder} is not a dataset: it is not a folder") from None
    try:
        fields = msgspec.json.decode(content)
        schema = fields.get("schema") if isinstance(fields, dict) else None
        if isinstance(schema, int) and schema != SCHEMA:
            raise ValueError(f"it has schema {schema}; this program reads schema {SCHEMA}")
        manifest = msgspec.convert(fields, Manifest)
        _check(manifest)
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise ValueError(f"{path} is not a valid manifest: {cut(str(error), 300)}") from None
    return manifest


def compare(path: Path, found: Manifest, wanted: Manifest) -> None:
    """Raise a ValueError if an existing dataset has other settings, or more games, than the one wanted."""
    theirs, ours = ({name: getattr(each, name) for name in Settings.__struct_fields__} for each in (found, wanted))
    different = settings.differences(theirs, ours, texts={"agents": _named})
    if found.games > wanted.games:
        different.append(f"games {found.games}, not {wanted.games} (the number can only be increased)")
    if different:
        raise ValueError(f"{path} is a dataset with other settings: {'; '.join(different)}")


def _named(agents: Sequence[Player]) -> str:
    return ", ".join(f"{agent.name}{f' ({agent.version})' if agent.version else ''}" for agent in agents)


def _check(manifest: Manifest) -> None:
    """Raise a ValueError for invalid values."""
    whole_number("games", manifest.games, 1, MOST_GAMES)
    whole_number("shard_games", manifest.shard_games, 1, MOST_IN_A_SHARD)
    whole_number("games_at_once", manifest.games_at_once, 1)
    whole_number("opening", manifest.opening, 0)
    whole_number("signature", manifest.signature, 0, 2**63 - 1)
    seed_of(manifest.seed)
    seed_of(manifest.seed + manifest.games - 1)
    names = [agent.name for agent in manifest.agents]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"there must be one or more agents with different names, not {names}")
    last = -1
    for shard in manifest.shards:
        number = shard_number(shard.name)
        if number is None or number <= last or number >= manifest.num_shards:
            raise ValueError(f"{shard.name} is not a shard of this dataset, or not in order")
        numbers = manifest.games_of(number)
        if shard.first != numbers.start:
            raise ValueError(f"the first game of {shard.name} must be {numbers.start}, not {shard.first}")
        whole_number(f"the number of games in {shard.name}", shard.games, 1, len(numbers))
        if _DIGEST.fullmatch(shard.sha256) is None or shard.bytes < 0 or shard.decisions < 0:
            raise ValueError(f"{shard.name} has an invalid checksum or size")
        last = number
