"""Adding shards to a folder: each is written whole or not at all, even if the program is killed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path
from typing import Self

import msgspec

from carnegie_env.core import files
from carnegie_env.core.game import Game
from carnegie_env.datasets import columns
from carnegie_env.datasets.columns import Columns
from carnegie_env.datasets.manifest import (
    MANIFEST,
    OLD_MANIFEST,
    Manifest,
    Shard,
    compare,
    encode,
    path_of,
    read,
    shard_name,
    shard_number,
)

SHARE = 0.05  # the largest share of the time to spend on rewriting the manifest, which grows with the dataset


class Writer:
    """Writes a dataset; a context manager that locks its folder.

    It continues the work of an earlier program: it keeps the shards in the folder's manifest and those that were
    finished after the manifest was written. If the dataset is enlarged, its last shard, which may have fewer games than
    now wanted, is kept until the larger one replaces it.

    Args:
        folder: created if it does not exist. It must be empty or have a dataset with the same settings and no more
            games.
        manifest: the settings; its shards are ignored.
        game: the game.

    Raises:
        ValueError: the folder has other content, a dataset with other settings or a damaged manifest, or it is locked.
        OSError: the folder can't be read or written; from its methods also if another folder has taken its place.

    Attributes:
        manifest: the current one.
    """

    def __init__(self, folder: str | os.PathLike[str], manifest: Manifest, game: Game) -> None:
        self.folder = Path(folder)
        self.game = game
        self.manifest = msgspec.structs.replace(manifest, shards=())
        self._written, self._took = 0.0, 0.0
        self._shards: dict[int, Shard] = {}
        self.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as held:
            try:
                self._check_held = held.enter_context(files.lock(self.folder))
            except BlockingIOError:
                raise ValueError(f"{self.folder} is being written by another program") from None
            self._take_over()
            self._held = held.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _take_over(self) -> None:
        """Keep the shards that exist already."""
        if path_of(self.folder).exists():
            found = read(self.folder)
            compare(self.folder, found, self.manifest)
            files.remove_leftovers(self.folder)
            wanted = self.manifest.games
            self.manifest = msgspec.structs.replace(self.manifest, versions=found.versions, games=found.games)
            for shard in found.shards:
                self._keep(shard)
            self._adopt()
            self.manifest = msgspec.structs.replace(self.manifest, games=wanted)
        else:
            files.remove_leftovers(self.folder)
            if other := sorted(file.name for file in self.folder.iterdir()):
                raise ValueError(f"{self.folder} is not a dataset, but it is not empty: it has {other[0]}")
        self.finish()

    def _keep(self, shard: Shard) -> None:
        """Keep a shard of the manifest if its file is complete."""
        number = shard_number(shard.name)
        with contextlib.suppress(FileNotFoundError):
            if number is not None and os.path.getsize(self.folder / shard.name) == shard.bytes:
                self._shards[number] = shard

    def _adopt(self) -> None:
        """Add shards that were finished after the manifest was written; damaged ones are made again."""
        for file in sorted(self.folder.iterdir()):
            number = shard_number(file.name)
            if number is None or number in self._shards or number >= self.manifest.num_shards:
                continue
            content = file.read_bytes()
            with contextlib.suppress(ValueError):
                games = columns.decode(content, self.manifest, self.game, self.manifest.games_of(number))
                self._shards[number] = self._entry(number, len(games.seeds), len(games.actions), content)

    def missing(self) -> list[int]:
        """The numbers of the shards to make, in order."""
        return [number for number in range(self.manifest.num_shards) if not self._has_all(number)]

    def num_games(self) -> int:
        """The number of games that need not be played."""
        return sum(shard.games for number, shard in self._shards.items() if self._has_all(number))

    def _has_all(self, number: int) -> bool:
        """Whether a shard exists with all its games; before an enlargement the last one may have had fewer."""
        shard = self._shards.get(number)
        return shard is not None and shard.games == len(self.manifest.games_of(number))

    def add(self, number: int, games: Columns) -> None:
        """Add a shard; it is on the disk when this returns. A ValueError if these are not its games."""
        numbers = self.manifest.games_of(number)
        seeds = games.seeds.tolist()
        if seeds != [self.manifest.seed + k for k in numbers]:
            raise ValueError(f"shard {number} must have games {numbers.start} to {numbers.stop - 1}")
        content = columns.encode(self.manifest, games)
        self._check_held()
        files.write_whole(self.folder / shard_name(number), content)
        replaced = number in self._shards  # then the checksum in the folder's manifest is wrong
        self._shards[number] = self._entry(number, len(seeds), len(games.actions), content)
        if replaced or time.monotonic() - self._written > self._took / SHARE:
            self.finish()

    def _entry(self, number: int, games: int, decisions: int, content: bytes) -> Shard:
        first = self.manifest.games_of(number).start
        digest = hashlib.sha256(content).hexdigest()
        return Shard(shard_name(number), first, games, decisions, len(content), digest)

    def finish(self) -> None:
        """Update the manifest in the folder."""
        begun = time.monotonic()
        shards = tuple(self._shards[number] for number in sorted(self._shards))
        self.manifest = msgspec.structs.replace(self.manifest, shards=shards)
        content = encode(self.manifest)
        path = self.folder / MANIFEST
        self._check_held()
        if not path.exists() or path.read_bytes() != content:
            files.write_whole(path, content)
        (self.folder / OLD_MANIFEST).unlink(missing_ok=True)
        self._written = time.monotonic()
        self._took = self._written - begun
