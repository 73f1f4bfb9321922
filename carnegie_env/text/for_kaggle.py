"""Games in the harness of kaggle-environments, for functions `agent(observation, configuration)` (docs/text.md)."""

from __future__ import annotations

from typing import Any

import kaggle_environments

from carnegie_env import collection
from carnegie_env.text.session import TextGame

REWARD = "margin"


def register(name: str, *, game: str = collection.DEFAULT, seed: int = 0, **settings: Any) -> None:
    """Register an environment in which each agent has a seat.

    An agent gets `observation.rules` and `observation.text`, and answers with text.

    Args:
        name: for `kaggle_environments.make`.
        game: the game.
        seed: of the deal.
        **settings: as for :class:`~carnegie_env.text.TextGame`; the number of agents gives ``num_players``.
    """
    settings["options"] = settings.get("options") or {}
    least, most = collection.find(game).seats

    def interpreter(state: Any, env: Any) -> Any:
        if env.done:  # a reset
            options = settings["options"] | {"num_players": len(state)}
            env.game = TextGame(game, **(settings | {"options": options, "seats": "all", "seed": seed}))
        else:
            env.game.answer(str(state[env.game.to_play].action))
        rewards = env.game.rewards(REWARD)
        for seat, each in enumerate(state):
            to_play = seat == env.game.to_play
            each.status = "ACTIVE" if to_play else "DONE" if env.game.is_over else "INACTIVE"
            each.observation.rules = env.game.rules()
            each.observation.text = env.game.prompt(seat) if to_play or env.game.is_over else ""
            each.reward = rewards[seat]
        return state

    text = {"type": "string", "default": ""}
    specification = {
        "name": name,
        "title": collection.find(game).title,
        "description": f"{collection.find(game).title} as text",
        "version": "0",
        "agents": list(range(max(least, 1), most + 1)),
        "configuration": {"episodeSteps": 10_000, "actTimeout": 60, "runTimeout": 36_000},
        "observation": {"rules": text, "text": text, "remainingOverageTime": 60},
        "action": {"type": ["string", "null"], "default": None},
        "reward": {"type": ["number", "null"], "default": 0},
    }
    parts = {
        "specification": specification,
        "interpreter": interpreter,
        "renderer": lambda state, env: str(env.game.position),
        "html_renderer": lambda *_: "",
    }
    kaggle_environments.register(name, parts)
