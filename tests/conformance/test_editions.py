"""Editions of the component tables, for every game: an option, recorded in games, and part of the signature."""

import importlib

import numpy as np
import pytest

from carnegie_env import collection
from carnegie_env.core import record, signature
from carnegie_env.core.facts import FIRST_EDITION

GAMES = collection.names()


@pytest.mark.parametrize("name", GAMES)
def test_only_the_loaded_edition_can_be_played(name):
    game = collection.find(name)
    assert game.edition == FIRST_EDITION
    players = {"num_players": game.seats[1]}
    assert game.options.from_dict({**players, "edition": FIRST_EDITION}) == game.options.from_dict(players)
    assert game.position_class.new({**players, "edition": FIRST_EDITION}, 7).to_dict().get("edition") is None
    for wrong in ("2027", "own-00000000", 2026):
        with pytest.raises(ValueError, match="edition must be '2026', the one that this process has loaded"):
            game.batch_class(1, edition=wrong)


@pytest.mark.parametrize("name", GAMES)
def test_arrays_of_component_tables_are_frozen(name):
    module = importlib.import_module(f"carnegie_env.{name}.tables")
    arrays = {key: value for key, value in vars(module).items() if isinstance(value, np.ndarray)}
    assert len(arrays) > {"carnegie": 60}.get(name, 12)
    for key, array in arrays.items():
        assert not array.flags.writeable and array.dtype == np.int64 and array.flags.c_contiguous, key


@pytest.mark.parametrize("name", GAMES)
def test_records_and_positions_name_their_edition(name, monkeypatch):
    game = collection.find(name)
    position = game.position_class.new({}, 5)
    position.apply(position.legal_actions()[0])
    text = game.record_class.of(position).to_text()
    line = f'option edition = "{FIRST_EDITION}"\n'
    assert text.count(line) == 1
    unnamed = text.replace(line, "")  # an earlier record: of the first edition
    assert game.record_class.from_text(text) == game.record_class.from_text(unnamed)
    with pytest.raises(record.RecordError, match=r"record:\d+: edition must be '2026'"):
        game.record_class.from_text(text.replace(line, 'option edition = "own-12345678"\n'))

    before, signed = position.to_dict(), signature.signature
    monkeypatch.setattr(signature, "SIGNED_GAMES", 1)
    first = signed(game)
    monkeypatch.setattr(game.options, "loaded_edition", classmethod(lambda cls: "2031"))
    later = position.to_dict()
    assert later == {**before, "edition": "2031"} and signed(game) != first
    assert game.position_class.from_dict(later) == position
    with pytest.raises(ValueError, match="edition.* must be '2031'"):
        game.position_class.from_dict(before)
    with pytest.raises(record.RecordError, match=r"record:\d+: edition must be '2031'"):
        game.record_class.from_text(unnamed)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="edition.* must be '2026'"):
        game.position_class.from_dict(later)
