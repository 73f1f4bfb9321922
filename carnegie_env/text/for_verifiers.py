"""Games as an environment of verifiers, to import in a module whose name is the taskset's id (docs/text.md).

The game is the user of the conversation: every answer of the model is followed by the next position. With several
seats, the model plays each of them in a conversation of its own. Needs `pip install verifiers`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

from carnegie_env import collection
from carnegie_env.text.session import OPPONENT, TRIES, TextGame

__all__ = ["GameEnv", "GameEnvConfig", "GameTaskset"]


class GameConfig(vf.TasksetConfig):  # type: ignore[misc]  # verifiers is optional
    """The settings of the games; see :class:`~carnegie_env.text.TextGame`.

    Attributes:
        first_seed: task k has the deal `first_seed + k`.
        reward: "margin", "win", "rank", "score" or "regret", see :meth:`~carnegie_env.text.TextGame.rewards`.
    """

    game: str = collection.DEFAULT
    options: dict[str, Any] = {}
    seats: list[int] = [0]
    opponents: list[str] = [OPPONENT]
    style: str = "compact"
    list_actions: bool = True
    tries: int = TRIES
    reward: str = "margin"
    first_seed: int = 0


class GameData(vf.TaskData):  # type: ignore[misc]
    """A game, by the seed of its deal."""

    seed: int


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):  # type: ignore[misc]
    """A game to play; its rules are the system prompt."""


class GameTaskset(vf.Taskset[GameTask, GameConfig]):  # type: ignore[misc]
    """One deal after the other."""

    INFINITE = True

    def start(self, seed: int) -> TextGame:
        given = self.config
        return TextGame(
            given.game, given.options, seed=seed, seats=given.seats, opponents=given.opponents, style=given.style,
            list_actions=given.list_actions, tries=given.tries,
        )  # fmt: skip

    def load(self) -> Iterator[GameTask]:
        rules = self.start(self.config.first_seed).rules()
        for seed in itertools.count(self.config.first_seed):
            data = GameData(name=f"{self.config.game} {seed}", system_prompt=rules, seed=seed)
            yield GameTask(data, self.config.task)


class GameEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The model that plays: a chat without tools, on this computer."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class GameEnv(vf.Env[GameEnvConfig]):  # type: ignore[misc]
    """Plays a task. A conversation that ends early, such as by its limit of turns, has the reward of a lost game."""

    async def run(self, task: GameTask, agents: Any) -> None:
        """Play one game; each seat's trace gets its reward and the number of refused answers."""
        made = self.taskset.start(task.data.seed)
        async with contextlib.AsyncExitStack() as stack:
            talks = {seat: await stack.enter_async_context(agents.player.interaction(task)) for seat in made.seats}
            while (seat := made.to_play) is not None:
                segment = await talks[seat].turn(made.prompt(seat))
                if segment.terminated:
                    made.forfeit(seat)
                else:
                    await asyncio.to_thread(made.answer, segment.last_reply)
        rewards = await asyncio.to_thread(made.rewards, self.taskset.config.reward)
        for seat, talk in talks.items():
            talk.trace.record_reward(self.taskset.config.reward, rewards[seat], 1.0)
            talk.trace.record_metric("refused", float(made.refused[seat]))
