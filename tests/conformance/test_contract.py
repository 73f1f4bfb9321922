"""A game's declarations are consistent."""

import argparse
import dataclasses
import json
import pickle

import pytest

from carnegie_env.core.arguments import UnexpectedArgument, add_options, given_options
from carnegie_env.core.game import LARGEST_RECORD, Losses
from tests.conformance.tables import EACH_GAME, EACH_TABLE, GAMES, TABLES, tables, walk


@EACH_GAME
def test_names_and_classes(game):
    assert pickle.loads(pickle.dumps(game)) is game and repr(game) == f"<Game {game.name}>"
    for kind in (game.batch_class, game.position_class):
        assert kind.game is game and pickle.loads(pickle.dumps(kind)) is kind and kind.__doc__
    assert game.record_class.position is game.position_class
    assert all(
        isinstance(text, str) and text
        for text in (game.title, game.random, game.presentation.hidden, game.presentation.point)
    )
    assert len(set(game.texts)) == len(game.texts) and all(text == text.strip() != "" for text in game.texts)
    assert len(set(game.score_columns)) == len(game.score_columns)
    assert game.rank_by and [game.score_columns[k] for k in game.rank_columns] == list(game.rank_by)
    assert game.record.itemsize <= LARGEST_RECORD and "legal" in game.derived
    assert game.derived <= set(game.record.names)
    assert game.losses.margin < 0 and game.dense_unit > 0 and game.longest > 0


@EACH_GAME
def test_every_number_of_seats_and_every_variant_has_a_table(game):
    found = tables(game)
    assert {table.options.num_players for table in found} == set(range(game.seats[0], game.seats[1] + 1))
    for variant in game.variants:
        wanted = game.options.from_dict(variant)  # raises an error for unknown options
        assert any(dataclasses.replace(table.options, show_forced=False) == wanted for table in found)
    for players in (game.seats[0] - 1, game.seats[1] + 1, 0, -1, True, "2", None):
        with pytest.raises(ValueError, match="num_players"):
            game.options.from_dict({"num_players": players})
    with pytest.raises(UnexpectedArgument, match="nonsense.*num_players"):
        game.options.from_dict({"nonsense": 1})


@EACH_TABLE
def test_options_round_trip(table):
    options, kind = table.options, table.game.options
    assert kind.from_dict(json.loads(json.dumps(options.to_dict()))) == options
    assert kind(**options.to_dict()) == options and hash(kind(**options.to_dict())) == hash(options)
    assert set(kind.SOLO_ONLY) <= set(options.to_dict())
    assert [field.name for field in dataclasses.fields(options)] == list(options.to_dict())


@EACH_TABLE
def test_options_as_command_line_flags(table):
    parser = argparse.ArgumentParser()
    add_options(parser, table.game.options)
    words = []
    for name, value in table.values.items():
        flag = f"--{name.replace('_', '-')}"
        words += [flag] if value is True else [flag, str(value)] if value not in (None, False) else []
    given = given_options(parser.parse_args(words), table.game.options)
    assert table.game.options.from_dict(given) == table.options
    assert given_options(parser.parse_args([]), table.game.options) == {}
    flags = next(group for group in parser._action_groups if group.title == "options of the game")._group_actions
    assert len(flags) >= len(table.values) and all(flag.help for flag in flags)


@EACH_TABLE
def test_sides_and_layout(table):
    game, options = table.game, table.options
    sides, names = game.sides(options), game.side_names(options)
    assert len(sides) == len(names) == len(set(names)) == max(options.num_players, 2)
    assert sides[: options.num_players] == tuple(table.seats) and 0 <= min(sides) <= max(sides) < game.score_rows
    assert (names[-1] == game.opponent) == (options.num_players == 1)
    layout = game.layout(options)
    assert game.layout(options) == layout and pickle.loads(pickle.dumps(layout)) == layout
    assert layout.low.shape == layout.high.shape == layout.units.shape == (layout.size,) == (len(layout.labels),)
    assert len(set(layout.labels)) == layout.size and (layout.high > layout.low).all()
    assert sum(feature.size for feature in layout.values()) == layout.size
    assert 2 <= game.num_actions(options) <= len(game.texts)


@EACH_TABLE
def test_presentation(table):
    game, whole = table.game, walk(table)
    rounds = []
    for k in whole.some(6):
        position = whole.position(k)
        assert position.round == game.round(position.record) and position.phase == game.phase(position.record)
        assert position.num_players == table.options.num_players and position.options == table.options
        rounds.append(position.round)
        assert game.title in repr(position)
        assert str(position) == position.render() == game.presentation.board(position, 120)
        assert max(map(len, position.render(80).splitlines())) <= 80
        if not position.is_over:
            lines = game.presentation.choices(position, 80)
            assert lines and all(isinstance(line, str) and len(line) <= 80 for line in lines)
        for text in position.legal_actions():
            assert position.number(text) == game.texts.index(text)
            assert game.texts[position.number(game.presentation.short_text(text))] in position.legal_actions()
    assert rounds == sorted(rounds) and (rounds[-1] > 0) == ("round_number" in game.fields.kinds)


@EACH_GAME
def test_statistics(game):
    table = tables(game)[0]
    batch = table.batch(4)
    batch.play_to_end()
    for title, pairs in game.presentation.statistics(batch, batch.action_masks().sum(axis=0).astype(int)):
        assert isinstance(title, str) and all(isinstance(part, str) for pair in pairs for part in pair)


def test_tables_have_different_names():
    """And some game has hidden information; otherwise several tests would test nothing."""
    assert len({str(table) for table in TABLES}) == len(TABLES) and len(GAMES) >= 2
    assert any(table.game.hides(table.options) for table in TABLES)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rank_by": ("luck",)}, "rank_by names 'luck', which is not a score column"),
        ({"texts": ("nothing", "take")}, "action 0 must be 'pass', not 'nothing'"),
        ({"opponent": None}, "a table of one needs an automatic opponent"),
        ({"name": "fives"}, "have the same dtype"),
        ({"name": "Sixes"}, "lower-case letters"),
    ],
)
def test_inconsistent_declarations_are_errors(changed, message):
    toy = GAMES["sixes"]
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(toy, **changed)


def test_defaults_of_a_small_game():
    toy = GAMES["sixes"]
    shown = toy.presentation
    assert shown.breakdown is None and shown.facts is None and toy.dense_unit == 1 and shown.point == "points"
    position = toy.position_class.new()
    assert position.score_breakdown() == [{"points": 0, "tokens": 6, "total": 0}] * 2
    assert shown.choices(position, 80) == ["bet 1, bet 2, bet 3"] and shown.choices(position, 8)[1] == "bet 2,"
    assert toy.losses == Losses(margin=-40, score=-10)
