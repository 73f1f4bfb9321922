"""What the tests of environments of many games share."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray


def make_vec(name: str, num_envs: int = 6, **options: Any) -> Any:
    """The native vector environment of a Gymnasium id."""
    return gymnasium.make_vec(name, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)


def sample(masks: NDArray[np.int8], generator: np.random.Generator, illegal: float = 0.0) -> NDArray[np.int64]:
    """Random legal actions, one for each mask; with the probability `illegal` one that is not."""
    chosen = [generator.choice(np.flatnonzero(mask)) for mask in masks]
    wrong = [generator.choice(np.flatnonzero(mask == 0)) for mask in masks]
    return np.where(generator.random(len(masks)) < illegal, wrong, chosen)
