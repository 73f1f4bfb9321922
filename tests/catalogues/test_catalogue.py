"""Action numbers and features are those that the environments' version promises (catalogue.py)."""

import gymnasium
import pytest

from carnegie_env import games
from carnegie_env.core.files import write_whole
from tests.catalogues import catalogue

GAMES = games()
CHANGED = """{file}: {number} lines of the catalogue no longer match the code. The first one is
  {line}
Networks, datasets and programs depend on these numbers, which `{version}` promises. Add new actions after the last one,
and new features only to observations of games with a new option. If that is not possible, register `-v1` ids in
addition to `-{version}`, with a new catalogue (CONTRIBUTING.md, "What a version promises")."""
NEW = """{file}: {number} lines of the code are not in the catalogue. The first one is
  {line}
`python -m tests.catalogues.catalogue` adds them, which promises them (CONTRIBUTING.md, "What a version promises")."""


@pytest.mark.parametrize("name", GAMES)
def test_catalogues_match_the_code(name):
    game = GAMES[name]
    gone, new = catalogue.compare(catalogue.read(game), catalogue.lines(game))
    for found, advice in ((gone, CHANGED), (new, NEW)):
        if found:
            about = {"file": catalogue.path(game).name, "number": len(found), "line": found[0]}
            pytest.fail(advice.format(**about, version=catalogue.VERSION), pytrace=False)


def test_every_environment_id_is_in_a_catalogue():
    spaces = {game.namespace: game for game in GAMES.values()}
    ids = [name for name in gymnasium.registry if name.partition("/")[0] in spaces]
    assert ids
    for name in ids:
        lines = catalogue.read(spaces[name.partition("/")[0]])
        assert f"environment {name}" in lines, f"{name} is in no catalogue (CONTRIBUTING.md, What a version promises)"
    assert {file.name for file in catalogue.FOLDER.glob("*.txt")} == {catalogue.path(g).name for g in GAMES.values()}


def test_lines_are_only_added(tmp_path, monkeypatch, capsys):
    game = GAMES["steel_driver"]
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    monkeypatch.setattr(catalogue.carnegie_env, "games", lambda: {"steel_driver": game})
    assert catalogue.main() == 0
    whole = catalogue.path(game).read_text()
    assert catalogue.read(game) == catalogue.lines(game)
    write_whole(catalogue.path(game), whole.replace(f"action 5: {game.texts[5]}\n", ""))
    assert catalogue.main() == 0 and sorted(catalogue.read(game)) == sorted(catalogue.lines(game))
    other = whole.replace(f"action 5: {game.texts[5]}", "action 5: something else")
    write_whole(catalogue.path(game), other)
    capsys.readouterr()
    assert catalogue.main() == 1 and catalogue.path(game).read_text() == other
    assert "action 5: something else" in capsys.readouterr().out
