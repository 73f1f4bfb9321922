"""The budget of a review."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Budget:
    """What a review may spend. The same budget gives the same review on every machine.

    Args:
        candidates: actions that are compared in a decision, with the one taken.
        futures: futures of each of them, 4 or more.
        depth: decisions of all seats after which a future ends.
        draws: samples of each chance event.
        explained: decisions whose alternative is explained, and play-outs of each of both actions.
    """

    candidates: int
    futures: int
    depth: int
    draws: int
    explained: tuple[int, int]

    def __post_init__(self) -> None:
        """Raise a ValueError for a budget that is too small."""
        least = {"candidates": 2, "futures": 4, "depth": 1, "draws": 2}
        for name, number in least.items():
            if getattr(self, name) < number:
                raise ValueError(f"{name} must be {number} or more, not {getattr(self, name)}")


QUICK = Budget(candidates=3, futures=12, depth=24, draws=32, explained=(6, 8))
THOROUGH = Budget(candidates=4, futures=48, depth=32, draws=128, explained=(12, 24))
BUDGETS = {"quick": QUICK, "thorough": THOROUGH}
