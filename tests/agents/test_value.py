"""The value agent: its values, and the files of its networks."""

import numpy as np
import pytest
from safetensors.numpy import save

from carnegie_env import Position
from carnegie_env.agents import evaluation, inputs, registry, value
from carnegie_env.agents.value import ValueAgent
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.agents.tables import TABLES, at, middle, network_files, position_of
from tests.networks import metadata_of, network_file, random_weights
from tests.toy.game import SIXES

files = network_files(*TABLES)


def value_agent(files, table):
    return ValueAgent(f"draws=3,network={files[table.name]}")


@at(*TABLES)
def test_values_do_not_depend_on_slices_and_threads(files, table, monkeypatch):
    judged = value_agent(files, table).judge(middle(table))
    assert judged.visits is None
    monkeypatch.setattr("carnegie_env.agents.value.AT_ONCE", 5)
    for threads in (1, 3):
        again = middle(table, threads=threads)
        np.testing.assert_array_equal(value_agent(files, table).choose(again), judged.actions)
        np.testing.assert_array_equal(value_agent(files, table).judge(again).values, judged.values)


def test_units():
    """The shipped networks depend on these units. They grow with the scores of a game."""
    assert [(inputs.score_unit(game), inputs.margin_unit(game)) for game in (CARNEGIE, STEEL_DRIVER, SIXES)] == [
        (10, 20), (50, 100), (0.1, 0.2)
    ]  # fmt: skip


@at(TABLES[1], TABLES[4])
def test_values_agree_with_numpy(files, table):
    """Without hidden information, a value is the present margin plus the network's output for the deciding seat."""
    game, players = table.game, table.options["num_players"]
    agent, options = value_agent(files, table), game.options.from_dict(table.options)
    net = agent.networks.of(game, options)
    batch, total = middle(table), game.rank_columns[0]
    for row in range(0, 24, 3):
        position = position_of(batch, row)
        seat = position.to_play
        for action, worth in agent.rate(position):
            after = position.copy()
            after.apply(action)
            scores = np.zeros((1, game.score_rows, len(game.score_columns)), np.int64)
            evaluation.kernels.score(after.games.copy(), scores)
            rows = [scores[0, (seat + k) % players] for k in range(players)]
            now = rows[0][total] - max(row[total] for row in rows[1:])
            written = np.zeros(inputs.size(game, options), np.float32)
            features, extra = game.layout(options).size, len(game.insights)
            written[:features] = after.observe(seat)
            game.rules.insight(after.games.copy()[0], seat, written[features : features + extra])
            names = inputs.labels(game, options)
            written[features + extra : len(names)] = np.concatenate(rows) / inputs.score_unit(game)
            first = np.maximum(written @ net.first + net.first_bias, 0)
            units = np.maximum(net.second @ first + net.second_bias, 0)
            expected = now + inputs.margin_unit(game) * (net.last @ units + net.last_bias)[0]
            within = 1e-4 * inputs.margin_unit(game)
            assert worth == pytest.approx(now if after.is_over else expected, abs=within, rel=1e-5)


# ---------------------------------------------------------------- files
def without(values, name):
    return {key: value for key, value in values.items() if key != name}


ARRAYS = random_weights(inputs.size(CARNEGIE, CARNEGIE.options()), 8, 4)._asdict()
METADATA = metadata_of(CARNEGIE, CARNEGIE.options())
HOSTILE = {
    "no arrays": ({}, METADATA, "its arrays must be first, first_bias"),
    "missing array": (without(ARRAYS, "last"), METADATA, "its arrays must be"),
    "extra array": (ARRAYS | {"x": ARRAYS["last"]}, METADATA, "its arrays must be"),
    "one dimension": (ARRAYS | {"first": ARRAYS["first"].ravel()}, METADATA, "wrong shapes"),
    "not a multiple of a block": (ARRAYS | {"first": ARRAYS["first"][:-1]}, METADATA, "wrong shapes"),
    "empty": (ARRAYS | {"first": np.zeros((0, 8), np.float32)}, METADATA, "inconsistent shapes"),
    "no units": (
        ARRAYS | {"second": np.zeros((0, 8), np.float32), "second_bias": np.zeros(0, np.float32),
                  "last": np.zeros((2, 0), np.float32)}, METADATA, "inconsistent shapes",
    ),
    "another width": (ARRAYS | {"second": np.zeros((4, 9), np.float32)}, METADATA, "inconsistent shapes"),
    "bias": (ARRAYS | {"first_bias": np.zeros((8, 1), np.float32)}, METADATA, "inconsistent shapes"),
    "nan": (ARRAYS | {"last": np.full((2, 4), np.nan, np.float32)}, METADATA, "values that are NaN"),
    "infinite": (ARRAYS | {"last": np.full((2, 4), 1e300)}, METADATA, "values that are NaN or beyond 1e\\+06"),
    "too large": (ARRAYS | {"last": np.full((2, 4), 2e6, np.float32)}, METADATA, "beyond 1e\\+06"),
    "no metadata": (ARRAYS, {}, "its metadata must have game and inputs"),
    "no options": (ARRAYS, without(METADATA, "options"), "the options of its training"),
    "deep options": (ARRAYS, METADATA | {"options": "[" * 5000}, "the options of its training"),
    "options are a list": (ARRAYS, METADATA | {"options": "[1]"}, "the options of its training"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_invalid_files_are_rejected(tmp_path, case):
    arrays, metadata, message = HOSTILE[case]
    file = tmp_path / "weights.safetensors"
    file.write_bytes(save(arrays, metadata))
    with pytest.raises(ValueError, match=message) as error:
        registry.make_agent(f"value:{tmp_path}")
    assert str(file) in str(error.value)


def test_a_network_with_the_wrong_number_of_inputs_is_never_used(tmp_path):
    """Any file can claim the right meaning of inputs, so their number is checked as well."""
    small = {name: array[:16] if name == "first" else array for name, array in ARRAYS.items()}
    file = tmp_path / "x.safetensors"
    file.write_bytes(save(small, METADATA))
    with pytest.raises(ValueError, match="there is no network in .*x.safetensors for carnegie"):
        registry.make_agent(f"value:{file}").act(Position.new(seed=1))


def test_games_without_a_network_are_rejected(files):
    agent = value_agent(files, TABLES[1])
    with pytest.raises(ValueError, match="no network in .* for carnegie with .*'num_players': 3.*only for games like"):
        agent.act(Position.new({"num_players": 3}, seed=1))
    with pytest.raises(ValueError, match="no network in .* for sixes, only for carnegie"):
        agent.check_plays(SIXES, SIXES.options())
    with pytest.raises(ValueError, match="no network in .* for sixes, only for carnegie"):
        agent.act(SIXES.position_class.new({}, seed=1))


def test_shipped_networks_are_chosen_by_their_metadata(monkeypatch, tmp_path):
    monkeypatch.setattr(value, "FOLDER", tmp_path)
    value.shipped.cache_clear()
    try:
        with pytest.raises(ValueError, match="there is no network for carnegie, only for no game at all"):
            ValueAgent().check_plays(CARNEGIE, CARNEGIE.options())
        tables = ({"num_players": 2}, {"num_players": 3})
        for k, table in enumerate(tables):
            network_file(tmp_path, CARNEGIE, table, seed=k)
        value.shipped.cache_clear()
        agent = ValueAgent()
        agent.check_plays(CARNEGIE, CARNEGIE.options())
        with pytest.raises(ValueError, match="only for games like"):
            agent.check_plays(CARNEGIE, CARNEGIE.options.from_dict({"num_players": 4}))
        sizes = [agent.networks.of(CARNEGIE, CARNEGIE.options.from_dict(table)).first.shape[0] for table in tables]
        assert sizes == [inputs.size(CARNEGIE, CARNEGIE.options.from_dict(table)) for table in tables]
    finally:
        value.shipped.cache_clear()


def test_any_game_with_a_network_can_be_played(tmp_path):
    for table in ({"num_players": 1}, {"num_players": 4, "rounds": 5}):
        agent = ValueAgent(network_file(tmp_path, SIXES, table))
        batch = SIXES.batch_class(5, num_threads=1, **table)
        batch.reset(seed=1)
        while not batch.done.all():
            other = batch.copy()
            other.redraw_hidden(seed=4)
            actions = agent.act_batch(batch)
            np.testing.assert_array_equal(actions, agent.act_batch(other))
            batch.step(actions)
