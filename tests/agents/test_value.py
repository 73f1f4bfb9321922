"""The value agent: what it expects, that it plays by what is seen alone, and the files its networks come from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from carnegie_env import Position
from carnegie_env.agents import evaluation, inputs, registry, value
from carnegie_env.agents.value import Networks, ValueAgent
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import rng
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.agents.tables import STEEL, at, carnegie, middle, network_files, position_of
from tests.networks import network_file, random_weights, said_of
from tests.players import ALL_ON
from tests.toy.game import SIXES

TABLES = (
    *carnegie({"num_players": 1, "difficulty": "expert"}, {"num_players": 2}, ALL_ON[1], ALL_ON[3]), STEEL[0], STEEL[3]
)  # fmt: skip

files = network_files(*TABLES)


def value_agent(files, table, seed=0):
    return ValueAgent(f"draws=3,network={files[table.name]}", seed)


# ---------------------------------------------------------------- play


@at(*TABLES)
def test_however_many_are_decided_at_once_and_on_threads_it_expects_the_same(files, table, monkeypatch):
    judged = value_agent(files, table).judge(middle(table))
    assert judged.visits is None
    monkeypatch.setattr("carnegie_env.agents.value.AT_ONCE", 5)
    for threads in (1, 3):
        again = middle(table, threads=threads)
        np.testing.assert_array_equal(value_agent(files, table).choose(again), judged.actions)
        np.testing.assert_array_equal(value_agent(files, table).judge(again).values, judged.values)


def test_a_seed_that_is_none_is_refused(files):
    with pytest.raises(ValueError, match="a seed must be a whole number"):
        value_agent(files, TABLES[0], -1)


def test_units():
    """Those that Carnegie's networks were trained in; a game with scores five times as large counts in larger ones."""
    assert [(inputs.score_unit(game), inputs.margin_unit(game)) for game in (CARNEGIE, STEEL_DRIVER, SIXES)] == [
        (10, 20), (50, 100), (0.1, 0.2)
    ]  # fmt: skip


@at(TABLES[1], TABLES[4])
def test_it_expects_what_numpy_expects(files, table):
    """At a table that hides nothing: the margin now, and what the network adds to it for the seat that decides."""
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
            seen = np.zeros(inputs.size(game, options), np.float32)
            features, extra = game.layout(options).size, len(game.insights)
            seen[:features] = after.observe(seat)
            game.rules.insight(after.games.copy()[0], seat, seen[features : features + extra])
            names = inputs.labels(game, options)
            seen[features + extra : len(names)] = np.concatenate(rows) / inputs.score_unit(game)
            first = np.maximum(seen @ net.first + net.first_bias, 0)
            units = np.maximum(net.second @ first + net.second_bias, 0)
            expected = now + inputs.margin_unit(game) * (net.last @ units + net.last_bias)[0]
            within = 1e-4 * inputs.margin_unit(game)
            assert worth == pytest.approx(now if after.is_over else expected, abs=within, rel=1e-5)


def test_the_version_tells_networks_apart(tmp_path):
    one, other = (Networks(network_file(tmp_path, CARNEGIE, {}, seed)) for seed in (1, 2))
    assert one.version != other.version


# ---------------------------------------------------------------- arguments, files
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("value:draws=x", "value: draws must be a whole number from 1 to 1000, not 'x'"),
        ("value:draws=0", "draws must be a whole number from 1 to 1000"),
        ("value:draws=1001", "draws must be a whole number from 1 to 1000"),
        ("value:draws=2,draws=3", "'draws' is given twice"),
        ("value:draws=", "'draws' needs a value"),
        ("value:depth=3", "value has no argument 'depth'; there are network, draws"),
        ("value:/no/such/file", "there is no network at /no/such/file"),
        ("value:network=/", "there is no network at /weights.safetensors"),
    ],
)
def test_arguments_that_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        registry.make_agent(name)


def good_file():
    options = CARNEGIE.options()
    return random_weights(inputs.size(CARNEGIE, options), 8, 4)._asdict(), said_of(CARNEGIE, options)


def without(values, name):
    return {key: value for key, value in values.items() if key != name}


ARRAYS, SAID = good_file()
HOSTILE = {
    "no arrays": ({}, SAID, "it must hold the arrays first, first_bias"),
    "one is missing": (without(ARRAYS, "last"), SAID, "it must hold the arrays"),
    "one too many": (ARRAYS | {"x": ARRAYS["last"]}, SAID, "it must hold the arrays"),
    "flat": (ARRAYS | {"first": ARRAYS["first"].ravel()}, SAID, "wrong shapes"),
    "no blocks": (ARRAYS | {"first": ARRAYS["first"][:-1]}, SAID, "wrong shapes"),
    "empty": (ARRAYS | {"first": np.zeros((0, 8), np.float32)}, SAID, "do not fit each other"),
    "no units": (
        ARRAYS | {"second": np.zeros((0, 8), np.float32), "second_bias": np.zeros(0, np.float32),
                  "last": np.zeros((2, 0), np.float32)}, SAID, "do not fit each other",
    ),
    "another width": (ARRAYS | {"second": np.zeros((4, 9), np.float32)}, SAID, "do not fit each other"),
    "bias": (ARRAYS | {"first_bias": np.zeros((8, 1), np.float32)}, SAID, "do not fit each other"),
    "nan": (ARRAYS | {"last": np.full((2, 4), np.nan, np.float32)}, SAID, "values that are no numbers"),
    "infinite": (ARRAYS | {"last": np.full((2, 4), 1e300)}, SAID, "values that are no numbers, or beyond 1e\\+06"),
    "too large": (ARRAYS | {"last": np.full((2, 4), 2e6, np.float32)}, SAID, "beyond 1e\\+06"),
    "silent": (ARRAYS, {}, "it does not say for which games"),
    "no options": (ARRAYS, without(SAID, "options"), "with which options"),
    "options": (ARRAYS, SAID | {"options": "[" * 5000}, "with which options"),
    "no object": (ARRAYS, SAID | {"options": "[1]"}, "with which options"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_files_that_are_refused(tmp_path, case):
    arrays, said, message = HOSTILE[case]
    file = tmp_path / "weights.safetensors"
    file.write_bytes(save(arrays, said))
    with pytest.raises(ValueError, match=message) as error:
        registry.make_agent(f"value:{tmp_path}")
    assert str(file) in str(error.value)


def test_a_network_of_the_right_name_and_another_size_is_never_used(tmp_path):
    """The meaning of its inputs may be written into any file; their number is looked at all the same."""
    small = {name: array[:16] if name == "first" else array for name, array in ARRAYS.items()}
    file = tmp_path / "x.safetensors"
    file.write_bytes(save(small, SAID))
    with pytest.raises(ValueError, match="there is no network in .*x.safetensors for carnegie"):
        registry.make_agent(f"value:{file}").act(Position.new(seed=1))


@given(st.integers(0, 3000), st.binary(min_size=0, max_size=4))
def test_spoilt_files_are_read_or_refused_in_words(tmp_path_factory, at, bytes_there):
    content = save(ARRAYS, SAID)
    file = tmp_path_factory.mktemp("malformed") / "x.safetensors"
    file.write_bytes(content[:at] + bytes_there + content[at + len(bytes_there) :])
    try:
        found = value.read(file)
    except ValueError as error:
        assert str(file) in str(error)
    else:
        assert found.weights.first.shape == ARRAYS["first"].shape


def test_games_without_a_network_are_refused_in_words(files, tmp_path):
    agent = value_agent(files, TABLES[1])
    with pytest.raises(ValueError, match="no network in .* for carnegie with .*'num_players': 3.*only for games like"):
        agent.act(Position.new({"num_players": 3}, seed=1))
    with pytest.raises(ValueError, match="no network in .* for sixes, only for carnegie"):
        agent.check_plays(SIXES)
    with pytest.raises(ValueError, match="no network in .* for sixes, only for carnegie"):
        agent.act(SIXES.position_class.new({}, seed=1))


def test_networks_that_come_with_the_package(monkeypatch, tmp_path):
    """By the table, whatever the files are called; without any, the games are refused."""
    monkeypatch.setattr(value, "FOLDER", tmp_path)
    value.shipped.cache_clear()
    try:
        with pytest.raises(ValueError, match="there is no network for carnegie, only for no game at all"):
            ValueAgent().check_plays(CARNEGIE)
        tables = ({"num_players": 2}, {"num_players": 3})
        for k, table in enumerate(tables):
            network_file(tmp_path, CARNEGIE, table, seed=k)
        value.shipped.cache_clear()
        agent = ValueAgent()
        agent.check_plays(CARNEGIE)
        sizes = [agent.networks.of(CARNEGIE, CARNEGIE.options.from_dict(table)).first.shape[0] for table in tables]
        assert sizes == [inputs.size(CARNEGIE, CARNEGIE.options.from_dict(table)) for table in tables]
    finally:
        value.shipped.cache_clear()


def test_it_plays_any_game_that_a_network_is_for(tmp_path):
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


def test_a_stream_of_seeds_is_what_a_generator_draws():
    state, drawn = np.uint64(2**64 - 5), []
    for _ in range(6):
        state = np.uint64(rng.advance(state))
        drawn.append(int(rng.mix(state)))
    assert rng.stream(2**64 - 5, 2, 4).tolist() == drawn[2:]
