"""The manifest of a dataset: its settings, and its finished shards.

Shard k has the games from ``k * shard_games`` on; game i is dealt from ``seed + i``. So a shard is a range of seeds,
which can be made anywhere and at any time with the same result.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from carnegie_env.core import settings
from carnegie_env.core.validation import cut, seed_of, whole_number

SCHEMA = 1  # of manifest and shards; it grows when older readers can't read them
MANIFEST = "manifest.json"
MOST_GAMES = 10**12
MOST_IN_A_SHARD = 100_000
_NAME = re.compile(r"games-(\d{5,})\.parquet")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Player(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A participant: its name, the registry's name for it, and its version ("" if there is none)."""

    name: str
    agent: str
    version: str = ""


class Shard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished shard.

    Args:
        name: of its file.
        first: the number of its first game.
        games: the number of its rows.
        decisions: of all its games.
        bytes, sha256: size and checksum of the file, in hexadecimal digits.
    """

    name: str
    first: int
    games: int
    decisions: int
    bytes: int
    sha256: str


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that the games of a dataset follow from: the same settings give the same games.

    Args:
        schema: :data:`SCHEMA`.
        game: its name.
        options: all of its options, by name.
        agents: the participants, with unique names.
        tables: agents that sit together, by their numbers; None: all play all others (see the arena's schedule).
        seed: of the first game.
        shard_games: games of a shard.
        games_at_once: games that are played side by side, by the same agents; 1: one by one.
        values: whether agents were asked for their values.
        opening: random decisions at the start of each game.
        signature: of the game's behaviour, as `carnegie-env bench` prints it.
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


class Manifest(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings, and the state of the dataset.

    Args:
        games: the number wanted.
        versions: of the programs that began it, by name.
        shards: the finished ones, in order.
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
        """The numbers of the games of a shard."""
        first = number * self.shard_games
        return range(first, min(first + self.shard_games, self.games))

    def settings(self) -> dict[str, Any]:
        """The settings by name, in JSON types."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return {name: found[name] for name in Settings.__struct_fields__}


def shard_name(number: int) -> str:
    """The file of a shard."""
    return f"games-{number:05}.parquet"


def shard_number(name: str) -> int | None:
    """The number of a shard, from the name of its file; None for another file."""
    found = _NAME.fullmatch(name)
    return int(found[1]) if found and shard_name(int(found[1])) == name else None


def encode(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


def read(folder: str | os.PathLike[str]) -> Manifest:
    """The manifest of a dataset; a ValueError if it is missing, damaged, or has another schema."""
    path = Path(folder) / MANIFEST
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"{folder} is no dataset: it has no {MANIFEST}") from None
    try:
        said = msgspec.json.decode(content)
        schema = said.get("schema") if isinstance(said, dict) else None
        if isinstance(schema, int) and schema != SCHEMA:
            raise ValueError(f"it has schema {schema}; this program reads schema {SCHEMA}")
        manifest = msgspec.convert(said, Manifest)
        _check(manifest)
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise ValueError(f"{path} is no manifest of a dataset, or is damaged: {cut(str(error), 300)}") from None
    return manifest


def compare(path: Path, found: Manifest, wanted: Manifest) -> None:
    """Refuse, with a ValueError, a dataset of other settings than wanted, or of more games."""
    theirs, ours = ({name: getattr(each, name) for name in Settings.__struct_fields__} for each in (found, wanted))
    said = settings.differences(theirs, ours, texts={"agents": _named})
    if found.games > wanted.games:
        said.append(f"games {found.games}, not {wanted.games} (the number can only be raised)")
    if said:
        raise ValueError(f"{path} is a dataset of other settings: {'; '.join(said)}")


def _named(agents: Sequence[Player]) -> str:
    return ", ".join(f"{agent.name}{f' ({agent.version})' if agent.version else ''}" for agent in agents)


def _check(manifest: Manifest) -> None:
    """A ValueError for impossible values."""
    whole_number("games", manifest.games, 1, MOST_GAMES)
    whole_number("shard_games", manifest.shard_games, 1, MOST_IN_A_SHARD)
    whole_number("games_at_once", manifest.games_at_once, 1)
    whole_number("opening", manifest.opening, 0)
    whole_number("signature", manifest.signature, 0, 2**63 - 1)
    seed_of(manifest.seed)
    seed_of(manifest.seed + manifest.games - 1)
    names = [agent.name for agent in manifest.agents]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"the agents must have different names, 1 or more, not {names}")
    last = -1
    for shard in manifest.shards:
        number = shard_number(shard.name)
        if number is None or number <= last or number >= manifest.num_shards:
            raise ValueError(f"{shard.name} is no shard of it, or not in order")
        numbers = manifest.games_of(number)
        if shard.first != numbers.start or not 1 <= shard.games <= len(numbers):
            raise ValueError(f"{shard.name} has the games from {numbers.start} on, {len(numbers)} of them")
        if _DIGEST.fullmatch(shard.sha256) is None or shard.bytes < 0 or shard.decisions < 0:
            raise ValueError(f"{shard.name} has no right checksum or size")
        last = number
