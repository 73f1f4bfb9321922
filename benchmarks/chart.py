"""A chart of the speed compared with other libraries, from the output of `make bench`.

`python -m tests.test_readme` draws the chart of the documents from docs/project/speed.md.
"""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path

from carnegie_env.render.svg import Drawing, theme

FILE = Path(__file__).resolve().parents[1] / "docs" / "project" / "speed.md"
OURS = re.compile(r"^random play-outs in the kernel, 1 core, (\d players) +([\d.,]+) M decisions/s", re.MULTILINE)
PEER = re.compile(r"^([^:\n]+): ([\d.]+) M decisions/s; ours is +([\d.,]+) x", re.MULTILINE)
WIDTH, TOP, ROW, LEFT, RIGHT = 760, 44, 34, 236, 110
LEAST, MOST = 1e4, 2e7  # ends of the axis, in decisions a second


@dataclasses.dataclass(frozen=True)
class Bar:
    """The decisions a second of one library, and how many times faster this package is."""

    name: str
    rate: float
    ours: float


def figures(bench: str) -> list[Bar]:
    """The bars in the output of `make bench`: this package first, then the other libraries, fastest first.

    Raises:
        ValueError: the line of this package is missing, or there are no other libraries.
    """
    ours, peers = OURS.search(bench), PEER.findall(bench)
    if ours is None or not peers:
        missing = "random play-outs in the kernel" if ours is None else "NAME: N M decisions/s; ours is"
        raise ValueError(f"not the output of `make bench` with another library installed: no line {missing!r}")
    others = [Bar(name, float(rate) * 1e6, float(times.replace(",", ""))) for name, rate, times in peers]
    first = Bar(f"carnegie_env ({ours[1]})", float(ours[2].replace(",", "")) * 1e6, 1)
    return [first, *sorted(others, key=lambda bar: -bar.rate)]


def svg(bars: list[Bar]) -> str:
    """The chart: a bar for each library on a logarithmic axis, with its figure."""
    height = TOP + ROW * len(bars) + 40
    drawing = Drawing(WIDTH, height, theme("light"), "Decisions a second in random play, one core")
    ink, faint = drawing.theme.ink, drawing.theme.faint
    scale = (WIDTH - LEFT - RIGHT) / math.log10(MOST / LEAST)

    def x(rate: float) -> float:
        return round(LEFT + scale * math.log10(rate / LEAST), 1)

    drawing.text(16, 27, "Decisions a second in random play, one core (logarithmic)", 15, ink, bold=True)
    bottom = TOP + ROW * len(bars) + 4
    for power in range(4, 8):
        drawing.line((x(10.0**power), TOP - 4), (x(10.0**power), bottom), drawing.theme.line, 0.6)
        label = f"{10**power // 10**6} M" if power > 5 else f"{10**power:,}"
        drawing.text(x(10.0**power), bottom + 18, label, 12, faint, "middle")
    for number, bar in enumerate(bars):
        y, own = TOP + ROW * number, number == 0
        drawing.text(LEFT - 10, y + 20, bar.name, 13, ink, "end", bold=own)
        colour = drawing.theme.seats[0] if own else drawing.theme.nobody
        drawing.rect(LEFT, y + 5, round(x(bar.rate) - LEFT, 1), ROW - 12, colour, corner=2)
        said = f"{bar.rate / 1e6:.3g} M" if own else f"{bar.rate:,.0f}  (1/{bar.ours:.0f})"
        drawing.text(x(bar.rate) + 8, y + 20, said, 13, ink)
    return drawing.svg()
