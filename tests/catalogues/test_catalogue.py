"""Numbers of actions and places in observations are those that the environments' version promises (catalogue.py)."""

from __future__ import annotations

import gymnasium
import pytest

from carnegie_env import games
from carnegie_env.core.files import write_whole
from tests.catalogues import catalogue

GAMES = games()
CHANGED = """{file}: {number} lines of the catalogue are the code's no longer, the first of them:
  {line}
Networks, data sets and programs were made with these numbers: `{version}` means them for ever. If the change was not
meant, undo it. If it was, put new actions behind the last one and new features into observations of games with a new
option only; where that is not possible the environments need a new version: register `-v1` ids beside `-{version}`, and
give them a catalogue of their own (CONTRIBUTING.md, "What a version promises")."""
NEW = """{file}: {number} lines of the code are not in the catalogue, the first of them:
  {line}
`python -m tests.catalogues.catalogue` adds them; from then on they are promised, too (CONTRIBUTING.md, "What a version
promises")."""


@pytest.mark.parametrize("name", GAMES)
def test_the_numbers_are_those_that_were_promised(name):
    game = GAMES[name]
    gone, new = catalogue.compare(catalogue.read(game), catalogue.lines(game))
    for found, advice in ((gone, CHANGED), (new, NEW)):
        if found:
            about = {"file": catalogue.path(game).name, "number": len(found), "line": found[0]}
            pytest.fail(advice.format(**about, version=catalogue.VERSION), pytrace=False)


def test_every_environment_id_has_a_version_with_a_catalogue():
    spaces = {game.namespace: game for game in GAMES.values()}
    ids = [name for name in gymnasium.registry if name.partition("/")[0] in spaces]
    assert ids
    for name in ids:
        lines = catalogue.read(spaces[name.partition("/")[0]])
        assert f"environment {name}" in lines, f"{name} stands in no catalogue: {CHANGED.splitlines()[-1]}"
    assert {file.name for file in catalogue.FOLDER.glob("*.txt")} == {catalogue.path(g).name for g in GAMES.values()}


def test_lines_are_added_and_never_changed(tmp_path, monkeypatch, capsys):
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
