"""The agent `bot:FILE`: a file that plays in a sandbox. It sees only what its seat sees."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents.arguments import Arguments
from carnegie_env.agents.base import Agent
from carnegie_env.bots.sandbox import BotError, Limits, Process, check
from carnegie_env.core.batch import Batch
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import shortened
from carnegie_env.text.view import describe

LARGEST_FILE = 10_000_000  # bytes
MOST_SECONDS, MOST_CPU, MOST_MEMORY = 3600, 86_400, 65_536


class BotAgent(Agent):
    """A player that is a single file.

    Each seat has its own process, and a new one for each game: the bot remembers nothing of other seats and games. Only
    games in one batch share the processes.

    Args:
        arguments: FILE, and after commas `seconds=`, `cpu=` and `memory=` (see :class:`~.sandbox.Limits`), and
            `trusted=yes` for no sandbox.
        seed: the bot gets it with every observation.

    Raises:
        ValueError: invalid arguments, no such file, or no sandbox on this computer.
    """

    def __init__(self, arguments: str, seed: int = 0) -> None:
        if os.name != "posix":
            raise ValueError("bots need Linux, or macOS if they are trusted")
        given = Arguments("bot", arguments, unnamed="FILE")
        path = given.text("FILE")
        if path is None:
            raise ValueError(f"bot:{arguments}: the file is missing; write bot:FILE")
        seconds, trusted = given.number("seconds", 0.001, MOST_SECONDS), given.text("trusted")
        cpu, memory = given.whole("cpu", MOST_CPU), given.whole("memory", MOST_MEMORY)
        given.check_all_known()
        if trusted not in (None, "yes"):
            raise ValueError(f"bot: trusted must be yes, not {trusted!r}; omit it for a sandbox")
        self._file = Path(path)
        if not self._file.is_file():
            if self._file.is_dir():
                raise ValueError(f"{path}: it is a folder; a bot is a single file")
            raise ValueError(f"{path}: no such file")
        if self._file.stat().st_size > LARGEST_FILE:
            raise ValueError(f"{path}: a bot has at most {LARGEST_FILE} bytes")
        few = Limits()
        self._limits = Limits(seconds or few.seconds, cpu or few.cpu, memory or few.memory)
        self._trusted = trusted is not None
        if not self._trusted:
            check(self._file)
        self.name = f"bot:{self._file.name}"
        self.version = hashlib.sha256(self._file.read_bytes()).hexdigest()[:16]
        self._seed = seed
        self._processes: dict[int, tuple[Process, int]] = {}  # by seat, with the last decision's number

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        """The bot's actions, game by game; a BotError if it fails in any of them."""
        kind = batch.game.position_class
        positions = [kind._of(batch.games[k : k + 1].copy()) for k in range(batch.num_games)]
        return np.array([self._decide(position, batch.num_games == 1) for position in positions], np.int64)

    def _decide(self, position: BasePosition[Any], alone: bool) -> int:
        seat, decisions = int(position.record.to_play), int(position.record.decisions)
        process, last = self._processes.get(seat, (None, -1))
        if process is None or (alone and decisions <= last):  # another game
            if process is not None:
                process.end()
            process = Process(self._file, self._limits, self._trusted)
        self._processes[seat] = process, decisions
        question = {"observation": observation(position, seat, self._seed), "legal_actions": position.legal_actions()}
        try:
            answer = json.loads(process.ask(json.dumps(question).encode()))
        except (BotError, ValueError, RecursionError) as error:
            self._drop(seat)
            why = error if isinstance(error, BotError) else "its answer is not JSON"
            raise BotError(f"{self.name}: {why}") from None
        if isinstance(answer, dict) and "error" in answer:
            self._drop(seat)
            raise BotError(f"{self.name}: {str(answer['error'])[-4000:]}")
        action: Any = answer.get("action") if isinstance(answer, dict) else answer
        try:
            return position.number(action)
        except ValueError as error:
            self._drop(seat)
            raise BotError(f"{self.name} answered {shortened(action)}: {error}") from None

    def _drop(self, seat: int) -> None:
        self._processes.pop(seat)[0].end()


def observation(position: BasePosition[Any], seat: int, seed: int = 0) -> dict[str, Any]:
    """What a bot gets: all that its seat sees, as JSON types; docs/bots.md explains the keys."""
    layout = position.observation_layout
    features = layout.named(position.observe(seat))
    return {
        "game": position.game.name,
        "options": position.options.to_dict(),
        "seat": seat,
        "seed": seed,
        "round": position.round,
        "phase": position.phase,
        "text": describe(position, seat, "compact"),
        "features": {name: np.round(values, 3).tolist() for name, values in features.items()},
    }
