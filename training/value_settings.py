"""The settings of value learning."""

from __future__ import annotations

import dataclasses

from carnegie_env.agents.value import LARGEST_UNITS

MOST_TRIED = 16  # actions that a search of the training tries


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of value learning, tuned by experiment."""

    hidden: int = 128  # units of the first layer
    middle: int = 32  # units of the second layer
    round_games: int = 256  # games in a round
    reuse: float = 3.0  # number of times each game is learned from
    rounds_kept: int = 8  # number of rounds from which games are drawn
    chains: int = 6  # chains in one gradient step
    learning_rate: float = 1e-3  # at the start
    last_rate: float = 0.05  # share of the learning rate that is left at the end
    trace: float = 0.95  # TD's lambda
    tasted_trace: float = 0.6  # lambda in games with a preference
    noise: float = 0.1  # in hundredths of Game.dense_unit, at the start; it falls linearly to nothing
    explore: float = 3.0  # percentage of decisions that are random
    rival_games: float = 40.0  # percentage of games in which a rival has all seats but one, if there are rivals
    taste: float = 2.0  # strength of preferences, in hundredths of Game.dense_unit
    lean_until: float = 0.4  # share of the training after which shaping begins to fade
    lean_ends: float = 0.8  # share of the training after which shaping has no effect
    draws: int = 4  # samples of the hidden information
    win_weight: float = 0.1  # weight of the loss of the win probability
    search: float = 0.0  # percentage of decisions that a search makes and teaches
    candidates: int = 4  # actions that it tries
    futures: int = 2  # of each action
    depth: int = 3  # own decisions after which a future ends
    search_weight: float = 4.0  # weight of the loss of the choice among these actions
    temperature: float = 1.0  # of the softmax of this choice, in hundredths of Game.dense_unit

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            least: float
            least, most = (1, 10**9) if isinstance(value, int) else (0, 1e9)
            if name in ("hidden", "middle"):
                most = LARGEST_UNITS
            if name == "candidates":
                most = MOST_TRIED
            if name == "temperature":
                least = 1e-3
            if name in ("last_rate", "trace", "tasted_trace", "lean_until", "lean_ends"):
                most = 1
            if not least <= value <= most:
                to = f"{least} or more" if most >= 1e9 else f"{least} to {most}"
                raise ValueError(f"{name} must be {to}, not {value}")
