"""Chance during play."""

from __future__ import annotations

from .position import Game


def draw(g: Game, n: int) -> int:
    """A number below n from the position's generator, SplitMix64 (design page, section 8)."""
    whole = (1 << 64) - 1
    g.rng = (g.rng + 0x9E3779B97F4A7C15) & whole
    z = g.rng
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & whole
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & whole
    z ^= z >> 31
    return ((z >> 32) * n) >> 32
