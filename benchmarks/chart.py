"""A chart of the speed beside other libraries: `python -m benchmarks.chart BENCH.txt CHART.svg`.

BENCH.txt is what `make bench` printed; that of the documents is docs/project/bench.txt.
"""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path

from carnegie_env.core.files import write_whole
from carnegie_env.render.svg import Drawing, theme

FILE = Path(__file__).resolve().parents[1] / "docs" / "project" / "bench.txt"
OURS = re.compile(r"^random play-outs in the kernel, 1 core, (\d players) +([\d.,]+) M decisions/s", re.MULTILINE)
PEER = re.compile(r"^([^:\n]+): ([\d.]+) M decisions/s; ours is", re.MULTILINE)
WIDTH, TOP, ROW, LEFT, RIGHT = 760, 44, 34, 214, 130
LEAST, MOST = 1e4, 2e7  # decisions a second, the ends of the axis


def figures(bench: str) -> dict[str, float]:
    """Decisions a second by library, the fastest first, from what `make bench` printed.

    Raises:
        ValueError: a line for this package, or for any other, is missing.
    """
    ours, peers = OURS.search(bench), PEER.findall(bench)
    if ours is None or not peers:
        missing = "random play-outs in the kernel" if ours is None else "NAME: N M decisions/s; ours is"
        raise ValueError(f"not what `make bench` prints with another library installed: no line {missing!r}")
    found = {f"carnegie_env ({ours[1]})": float(ours[2].replace(",", ""))} | {name: float(n) for name, n in peers}
    return {name: millions * 1e6 for name, millions in sorted(found.items(), key=lambda pair: -pair[1])}


def svg(rates: dict[str, float]) -> str:
    """The chart: a bar for each library on a logarithmic axis, with its figure."""
    height = TOP + ROW * len(rates) + 40
    drawing = Drawing(WIDTH, height, theme("light"), "Decisions a second in random play, one core")
    ink, faint = drawing.theme.ink, drawing.theme.faint
    scale = (WIDTH - LEFT - RIGHT) / math.log10(MOST / LEAST)

    def x(rate: float) -> float:
        return round(LEFT + scale * math.log10(rate / LEAST), 1)

    drawing.text(16, 27, "Decisions a second in random play, one core (logarithmic)", 15, ink, bold=True)
    bottom = TOP + ROW * len(rates) + 4
    for power in range(4, 8):
        drawing.line((x(10.0**power), TOP - 4), (x(10.0**power), bottom), drawing.theme.line, 0.6)
        label = f"{10**power // 10**6} M" if power > 5 else f"{10**power:,}"
        drawing.text(x(10.0**power), bottom + 18, label, 12, faint, "middle")
    fastest = max(rates.values())
    for number, (name, rate) in enumerate(rates.items()):
        y = TOP + ROW * number
        drawing.text(LEFT - 10, y + 20, name, 13, ink, "end", bold=rate == fastest)
        colour = drawing.theme.seats[0] if rate == fastest else drawing.theme.nobody
        drawing.rect(LEFT, y + 5, round(x(rate) - LEFT, 1), ROW - 12, colour, corner=2)
        said = f"{rate / 1e6:.3g} M" if rate >= 1e6 else f"{rate:,.0f}"
        drawing.text(x(rate) + 8, y + 20, said + ("" if rate == fastest else f"  (1/{fastest / rate:.0f})"), 13, ink)
    return drawing.svg()


def main() -> int:
    """Draw the chart of one file into another."""
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        write_whole(Path(sys.argv[2]), svg(figures(Path(sys.argv[1]).read_text(encoding="utf-8"))))
    except (OSError, ValueError) as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
