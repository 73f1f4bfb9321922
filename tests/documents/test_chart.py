"""The chart of speed is that of the table that `make bench` printed."""

from __future__ import annotations

import re
import sys

import pytest

from benchmarks import chart

BENCH = """
random play-outs in the kernel, 1 core, 2 players                  12.8 M decisions/s  >= 4  ok
slow library: 0.5 M decisions/s; ours is                           25.6 x  >= 25  ok
fast library (C++): 1.25 M decisions/s; ours is                    10.2 x
Absent: not measured
"""


def test_figures_are_those_of_the_table():
    assert chart.figures(BENCH) == [
        chart.Bar("carnegie_env (2 players)", 12.8e6, 1),
        chart.Bar("fast library (C++)", 1.25e6, 10.2),
        chart.Bar("slow library", 0.5e6, 25.6),
    ]


def test_bars_are_as_long_as_the_figures_on_a_logarithmic_axis():
    bars = [chart.Bar("a", 1e6, 1), chart.Bar("b", 1e5, 10), chart.Bar("c", 1e4, 100)]
    drawn = chart.svg(bars)
    long, half, none = (float(w) for w in re.findall(r'<rect x="236"[^>]*? width="([\d.]+)"', drawn))
    assert long == pytest.approx(2 * half, abs=0.2) and none == 0
    assert "100,000  (1/10)" in drawn


@pytest.mark.parametrize("text, missing", [("", "random play-outs"), (BENCH.split("slow")[0], "ours is")])
def test_a_table_without_others_is_refused(text, missing):
    with pytest.raises(ValueError, match=missing):
        chart.figures(text)


def test_the_command(tmp_path, monkeypatch, capsys):
    bench, drawn = tmp_path / "bench.txt", tmp_path / "chart.svg"
    bench.write_text(BENCH)
    monkeypatch.setattr(sys, "argv", ["chart", str(bench), str(drawn)])
    assert chart.main() == 0
    assert drawn.read_text() == chart.svg(chart.figures(BENCH))
    bench.write_text("nothing")
    assert chart.main() == 1
    assert "bench.txt: not what `make bench` prints" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["chart"])
    with pytest.raises(SystemExit, match="2"):
        chart.main()
    assert "required: BENCH.txt, CHART.svg" in capsys.readouterr().err
