"""The comparison of compile times in `make bench`: never silently left out, and both versions in turn."""

from pathlib import Path

import pytest

from benchmarks import compile_time, throughput
from benchmarks.compile_time import Spent


def test_without_history_the_reason_stands_in_the_table(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(compile_time, "ROOT", tmp_path)  # no repository
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(compile_time.NoHistory, match=f"no history with {compile_time.BEFORE} here"):
        compile_time.unpack_before(tmp_path / "before")
    throughput.print_table(throughput.compile_rows(2))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and all("not measured: no history" in line for line in lines)


def test_without_git_the_reason_stands_in_the_table(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(compile_time.NoHistory, match="git is not installed"):
        compile_time.unpack_before(tmp_path)


def test_not_asked_for_is_said(capsys):
    throughput.print_table(throughput.compile_rows(0))
    assert capsys.readouterr().out.count("not measured: --compile-pairs is 0") == len(compile_time.PROGRAMS)


def test_both_versions_compile_in_turn_and_the_ratio_is_of_the_quickest(monkeypatch, tmp_path):
    seconds = {compile_time.ROOT: iter([40, 30, 50]), tmp_path: iter([90, 100, 80])}
    order = []

    def compile_cold(program: str, tree: Path) -> Spent:
        order.append(tree)
        cpu = next(seconds[tree])
        return Spent(cpu + 1, cpu)

    monkeypatch.setattr(compile_time, "compile_cold", compile_cold)
    found = compile_time.compare("", tmp_path, 3)
    ours = compile_time.ROOT
    assert order == [ours, tmp_path, tmp_path, ours, ours, tmp_path]
    assert (found.now, found.before) == (Spent(31, 30), Spent(81, 80))


def test_a_ratio_above_one_half_is_missed(monkeypatch, capsys):
    monkeypatch.setattr(throughput, "unpack_before", lambda folder: None)
    pair = compile_time.Comparison(Spent(20, 24), Spent(41, 45))
    monkeypatch.setattr(throughput, "compare", lambda program, folder, pairs: pair)
    throughput.print_table(throughput.compile_rows(1))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines if " x " in line] == ["MISSED", "ok"] * 2


def test_a_program_measures_the_package_of_its_tree(tmp_path):
    (tmp_path / "carnegie_env").mkdir()
    (tmp_path / "carnegie_env" / "__init__.py").touch()
    assert compile_time.spent(compile_time.OWN_PACKAGE, tmp_path).wall > 0
    assert compile_time.spent(compile_time.OWN_PACKAGE, compile_time.ROOT).wall > 0
