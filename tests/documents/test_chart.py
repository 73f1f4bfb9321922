"""The chart of speed shows the figures that `make bench` printed."""

import re

import pytest

from benchmarks import chart

BENCH = """
random play-outs in the kernel, 1 core, 2 players                  12.8 M decisions/s  >= 4  ok
slow library: 0.5 M decisions/s; ours is                           25.6 x  >= 25  ok
fast library (C++): 1.25 M decisions/s; ours is                    10.2 x
Absent: not measured
"""


def test_bars_show_the_figures_on_a_logarithmic_axis():
    bars = ("carnegie_env (2 players)", 12.8e6, 1), ("fast library (C++)", 1.25e6, 10.2), ("slow library", 0.5e6, 25.6)
    assert chart.figures(BENCH) == [chart.Bar(*bar) for bar in bars]
    drawn = chart.svg([chart.Bar("a", 1e6, 1), chart.Bar("b", 1e5, 10), chart.Bar("c", 1e4, 100)])
    long, half, none = (float(w) for w in re.findall(r'<rect x="236"[^>]*? width="([\d.]+)"', drawn))
    assert long == pytest.approx(2 * half, abs=0.2) and none == 0 and "100,000  (1/10)" in drawn
    with pytest.raises(ValueError, match="ours is"):
        chart.figures(BENCH.split("slow")[0])
