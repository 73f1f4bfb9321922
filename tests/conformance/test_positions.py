"""Positions round-trip, and malformed ones are refused with a ValueError."""

import copy
import json
import random

import numpy as np
import pytest

from carnegie_env.core.records import as_bytes
from tests.conformance.tables import AMOUNT, EACH_GAME, EACH_PLAIN_TABLE, EACH_TABLE, faults, same, tables, walk
from tests.fuzz.answers import answer, refused
from tests.fuzz.texts import scramble
from tests.spoiling import JUNK, spoil

CASES = 200 * AMOUNT  # for each kind of input and game


@EACH_TABLE
def test_positions_round_trip(table):
    whole = walk(table)
    for k in whole.some(6 * AMOUNT):
        position = whole.position(k)
        written = position.to_dict()
        assert json.loads(json.dumps(written)) == written
        kept = copy.deepcopy(written)
        read = type(position).from_dict(written)
        assert read == position and same(read.games, position.games) and written == kept
        assert type(position).from_json(position.to_json(indent=1)) == position
        assert read.history is None and read.seed is None and read.options == table.options
        with pytest.raises(ValueError, match="at most 0, the number taken"):
            read.undo()
        with pytest.raises(ValueError, match="a position that was read has no record"):
            table.game.record_class.of(read)
        for action in whole.actions[k:]:
            read.apply(action)
        assert same(read.games, whole.records[-1:])


@EACH_PLAIN_TABLE
def test_records_round_trip(table):
    whole = walk(table)
    chosen = whole.records[whole.some(4)]
    batch = table.batch(len(chosen))
    batch.load(chosen)
    assert same(batch.games, chosen)
    derived = chosen.copy()  # derived fields are ignored and computed again
    for name in table.game.derived:
        derived[name] = 1
    batch.load(derived)
    assert same(batch.games, chosen)
    assert table.game.position_class(chosen[:1]) == whole.position(0)
    with pytest.raises(ValueError, match="a position is one game, not"):
        table.game.position_class(chosen)
    with pytest.raises(ValueError, match=f"records must have the dtype of {table.game.name}"):
        batch.load(np.zeros(1, [("rng", "u8")]))
    with pytest.raises(ValueError, match="the options differ from those of the batch"):
        other = next(other for other in tables(table.game) if other.options != table.options)
        batch.load(walk(other).records[:1])


# ---------------------------------------------------------------- malformed input
def source(game, generator):
    """A random position of a random game, as a record of shape (1,)."""
    whole = walk(generator.choice(tables(game)), generator.randrange(2))
    return whole.records[generator.randrange(len(whole.records)) :][:1].copy()


def accepted(read, given):
    """The position that is read, None if it is refused; it must be valid, round-trip and come to an end."""
    position = answer(lambda: read(given))
    if refused(position):
        return None
    assert not faults(position.games).any()
    assert type(position).from_dict(position.to_dict()) == position
    str(position), position.observe(), position.scores()
    batch = position.game.batch_class.of(position, num_threads=1)
    batch.play_to_end(1)
    assert batch.done.all()
    return position


@EACH_GAME
def test_malformed_dictionaries(game):
    refusals = 0
    for case in range(CASES):
        generator = random.Random(case)
        written = game.position_class._of(source(game, generator)).to_dict()
        refusals += accepted(game.position_class.from_dict, spoil(written, generator)) is None
    assert refusals > CASES // 2


@EACH_GAME
def test_malformed_json(game):
    for case in range(CASES):
        generator = random.Random(case)
        one, other = (game.position_class._of(source(game, generator)).to_json() for _ in range(2))
        accepted(game.position_class.from_json, scramble(one, generator, other))


@EACH_GAME
def test_malformed_records(game):
    """A field is set to another number, or a few bytes are changed."""
    refusals = 0
    for case in range(CASES):
        generator = random.Random(case)
        records = source(game, generator)
        if case % 2:
            name = generator.choice([name for name in game.record.names if name not in game.derived])
            field = records[name].reshape(-1)
            limits = np.iinfo(field.dtype)
            value = generator.choice([-1, 0, 1, 2, 7, int(field[0]) + 1, int(field[0]) - 1, limits.max, limits.min])
            field[generator.randrange(field.size)] = min(max(value, limits.min), limits.max)
            records[name] = field.reshape(records[name].shape)
        else:
            raw = np.frombuffer(bytearray(as_bytes(records).tobytes()), np.uint8).copy()
            for _ in range(generator.choice([1, 1, 3, 40])):
                raw[generator.randrange(len(raw))] = generator.randrange(256)
            records = raw.view(game.record)
        found = accepted(game.position_class, records)
        refusals += found is None
        if found is not None:
            for name in set(game.record.names) - game.derived:
                assert np.array_equal(found.games[name], records[name])
    assert refusals > CASES // 4


@EACH_GAME
def test_values_that_are_not_positions(game):
    kind = game.position_class
    for value in JUNK:
        assert accepted(kind.from_dict, value) is accepted(kind, value) is None
        if isinstance(value, str | bytes):
            assert accepted(kind.from_json, value) is None
