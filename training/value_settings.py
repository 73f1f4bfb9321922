"""The settings of value learning."""

from __future__ import annotations

import dataclasses

from carnegie_env.agents.value import LARGEST_UNITS


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of value learning. Their values were found by trying."""

    hidden: int = 128  # units of the first layer
    middle: int = 32  # of the second
    round_games: int = 256  # in a round
    reuse: float = 3.0  # times each game is learned from
    rounds_kept: int = 8  # from which games are drawn
    chains: int = 6  # in one step
    learning_rate: float = 1e-3  # at the start
    last_rate: float = 0.05  # of that, at the end
    trace: float = 0.95  # TD's lambda
    tasted_trace: float = 0.6  # the same for games with a taste
    noise: float = 0.1  # hundredths of Game.dense_unit, at the start; it falls linearly to nothing
    explore: float = 3.0  # of a hundred decisions, at which any legal action is taken
    rival_games: float = 40.0  # of a hundred games, in which a rival has all seats but one; if there are any
    taste: float = 2.0  # hundredths of Game.dense_unit: see tastes
    lean_until: float = 0.4  # share of the training after which a leaning begins to fade
    lean_ends: float = 0.8  # and after which it is gone
    draws: int = 4  # of what is hidden
    win_weight: float = 0.1  # of the loss of the chance to win

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            least, most = (1, 10**9) if isinstance(value, int) else (0, 1e9)
            if name in ("hidden", "middle"):
                most = LARGEST_UNITS
            if name in ("last_rate", "trace", "tasted_trace", "lean_until", "lean_ends"):
                most = 1
            if not least <= value <= most:
                to = f"{least} or more" if most >= 1e9 else f"{least} to {most}"
                raise ValueError(f"{name} must be {to}, not {value}")
