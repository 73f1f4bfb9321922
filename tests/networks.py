"""Value networks with random weights for tests, in files like those of a training."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from carnegie_env.agents import inputs, network, value
from carnegie_env.agents.network import Weights
from carnegie_env.agents.value import ValueAgent
from carnegie_env.core.game import Game


def random_weights(size: int, hidden: int, middle: int, seed: int = 0) -> Weights:
    """Random weights, none of them 0."""
    generator = np.random.default_rng(seed)
    made = network.initial(size, hidden, middle, generator)
    for part in made:
        if not part.any():
            part[:] = generator.normal(0, 0.3, part.shape)
    return made


def metadata_of(game: Game, options: Any) -> dict[str, str]:
    """The metadata of a network's file."""
    options_text = json.dumps(options.to_dict())
    return {"game": game.name, "inputs": value.meaning(game, options), "options": options_text}


def network_file(folder: Path, game: Game, values: dict[str, Any], seed: int = 0) -> str:
    """Write a small network for games with these options; returns the file's path."""
    options = game.options.from_dict(values)
    weights = random_weights(inputs.size(game, options), 32, 8, seed)
    file = folder / f"{game.name}-{options.num_players}-{seed}-{value.meaning(game, options)}.safetensors"
    file.write_bytes(save(weights._asdict(), metadata_of(game, options)))
    return str(file)


def margins(one: Path, other: Path, game: Game, table: dict[str, Any], games: int = 200) -> np.ndarray:
    """The margins of one network over another with two players, from ``games`` games on each seat."""
    agents, found = [ValueAgent(str(file)) for file in (one, other)], []
    for seat in (0, 1):
        batch = game.batch_class(games, num_threads=1, **table)
        batch.reset(seed=9)
        while not batch.done.all():
            actions = np.full(games, -1)
            for k, agent in enumerate(agents):
                mine = np.flatnonzero(batch.to_play == (seat + k) % 2)
                actions[mine] = agent.act_batch(batch, mine)
            batch.step(actions)
        points = batch.scores().astype(float)
        found.append(points[:, seat] - points[:, 1 - seat])
    return np.concatenate(found)
