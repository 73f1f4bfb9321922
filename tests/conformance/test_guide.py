"""docs/adding-a-game.md quotes the toy games exactly, and its programs work."""

import re
from pathlib import Path

from tests.paths import ROOT
from tests.toy import game as toy
from tests.toy import tic_tac_toe

GUIDE = ROOT / "docs" / "adding-a-game.md"


def blocks() -> list[str]:
    """The guide's Python code, except the section on facts, which has another test."""
    walk, facts = GUIDE.read_text(encoding="utf-8").split("\n## Facts", 1)
    assert "harbours" in facts
    return re.findall(r"^```python\n(.*?)^```$", walk, re.MULTILINE | re.DOTALL)


def test_quoted_code_is_in_the_toy_games():
    source = "".join(Path(game.__file__).read_text(encoding="utf-8") for game in (toy, tic_tac_toe))
    quoted = [block for block in blocks() if not block.startswith("# try it")]
    assert len(quoted) > 15
    for block in quoted:
        assert source.count(block) == 1, block


def test_programs_to_try_work(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tried = [block for block in blocks() if block.startswith("# try it")]
    assert len(tried) == 3
    for block in tried:
        exec(compile(block, str(GUIDE), "exec"), {"__name__": "guide"})
    assert len(capsys.readouterr().out.splitlines()) >= 2
    assert toy.GameRecord.load(tmp_path / "sixes.txt").replay().is_over
