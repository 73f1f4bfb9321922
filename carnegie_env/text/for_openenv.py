"""A game as an OpenEnv environment: `make_app()` is the server (docs/text.md). Needs `pip install openenv`."""

from __future__ import annotations

import secrets
from typing import Any

from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app

from carnegie_env.text.session import TextGame

AT_ONCE = 100  # games of one server


class GameAction(Action):  # type: ignore[misc]  # OpenEnv is optional
    """The answer of the player to move."""

    text: str


class GameObservation(Observation):  # type: ignore[misc]
    """The message to the player to move, or the result.

    Attributes:
        rules: of the game; only after a reset.
        text: what has happened, the position and the legal actions, or the reason why an answer was refused.
        seat: the player to move; None when the game is over.
        rewards: of each seat; `reward` is that of the player who answered, and with one text player its own.
    """

    rules: str = ""
    text: str = ""
    seat: int | None = None
    rewards: list[float] = []


class GameEnvironment(Environment):  # type: ignore[misc]
    """One game at a time. The arguments are those of :class:`~carnegie_env.text.TextGame`, except the seed.

    Args:
        reward: "margin", "win", "rank", "score" or "regret", see :meth:`~carnegie_env.text.TextGame.rewards`.
        **settings: of the games; `reset` may replace each of them.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, reward: str = "margin", **settings: Any) -> None:
        super().__init__()
        self._reward, self._settings = reward, settings
        self._episode: str | None = None
        self._steps = self._seed = 0
        self.game: TextGame | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **settings: Any) -> GameObservation:
        """Start a game, with a random seed unless one is given; a ValueError for invalid settings."""
        seed = secrets.randbits(63) if seed is None else seed
        self.game, self._seed = TextGame(seed=seed, **(self._settings | settings)), seed
        self._episode, self._steps = episode_id, 0
        return self._observe(self.game.seats[0], rules=self.game.rules())

    def step(self, action: GameAction, timeout_s: float | None = None, **more: Any) -> GameObservation:
        """Answer for the player to move; a ValueError before the first reset or when the game is over."""
        if self.game is None:
            raise ValueError("reset the environment first")
        reply = self.game.answer(action.text)
        self._steps += 1
        return self._observe(reply.seat)

    @property
    def state(self) -> State:
        """The number of answers, and the seed, which determines what is hidden from players."""
        return State(episode_id=self._episode, step_count=self._steps, seed=self._seed)

    def _observe(self, seat: int, rules: str = "") -> GameObservation:
        assert self.game is not None
        rewards = self.game.rewards(self._reward)
        return GameObservation(
            rules=rules, text=self.game.prompt(), seat=self.game.to_play, rewards=rewards, reward=rewards[seat],
            done=self.game.is_over,
        )  # fmt: skip


def make_app(reward: str = "margin", **settings: Any) -> Any:
    """The server as an ASGI application; see :class:`GameEnvironment`."""
    return create_fastapi_app(
        lambda: GameEnvironment(reward, **settings), GameAction, GameObservation, max_concurrent_envs=AT_ONCE,
        env_name="carnegie_env",
    )  # fmt: skip
