"""Chance during play."""

from .position import Game

EQUAL_BIDS, NEUTRAL_DISKS = 1, 2
WORD = (1 << 64) - 1


class Lot:
    """Random numbers for one purpose: a SplitMix64 generator seeded by the position's, which stays unchanged."""

    def __init__(self, g: Game, purpose: int) -> None:
        self.state = _scrambled(g.rng ^ purpose)

    def draw(self, n: int) -> int:
        """A number below n."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        return ((_scrambled(self.state) >> 32) * n) >> 32


def _scrambled(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return z ^ (z >> 31)
