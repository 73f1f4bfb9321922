"""Every game in OpenSpiel: its simulation test, its search bots, and the same games as `Position`."""

import pickle
import random
import subprocess
import sys

import numpy as np
import pytest

import carnegie_env
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import rewards

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import observation as observations  # noqa: E402
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402

from carnegie_env.envs import openspiel  # noqa: E402
from tests.conformance.tables import GAMES  # noqa: E402

CASES = [
    pytest.param(game, options, id=f"{game.name}-" + "-".join(f"{name}={value}" for name, value in options.items()))
    for game in GAMES.values()
    for options in game.variants
]
TABLES = [  # solo if there is a solo game, the smallest number of players above one, the largest
    pytest.param(game, {"num_players": players}, id=f"{game.name}-{players}")
    for game in GAMES.values()
    for players in sorted({game.seats[0], max(game.seats[0], 2), game.seats[1]})
]
HIDING = [case for case in CASES if case.values[0].hides(case.values[0].options.from_dict(case.values[1]))]


def dealt(game, seed):
    """A state after the deal."""
    state = game.new_initial_state()
    assert state.is_chance_node() and state.current_player() == pyspiel.PlayerId.CHANCE
    state.apply_action(seed)
    return state


def walk(state, seed, decisions=10**6):
    """Make up to `decisions` random decisions; yields the state before each."""
    generator = random.Random(seed)
    for _ in range(decisions):
        if state.is_terminal():
            return
        yield state
        state.apply_action(generator.choice(state.legal_actions()))


def played(game, seed, decisions):
    """A state after the deal and random decisions."""
    state = dealt(game, seed)
    for _ in walk(state, seed, decisions):
        pass
    return state


# ---------------------------------------------------------------- OpenSpiel's own programs
@pytest.mark.parametrize(("game", "options"), CASES)
def test_random_simulation(game, options):
    """random_sim_test: clones, histories, serialization, masks, texts, observations, returns."""
    for reward in openspiel.REWARDS:
        loaded = openspiel.load(game, **options, reward=reward, deals=100)
        pyspiel.random_sim_test(loaded, num_sims=1, serialize=True, verbose=False)


def play(state, bots):
    """Let bots play to the end; every action must be legal."""
    while not state.is_terminal():
        action = bots[state.current_player()].step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
    return state.returns()


def result_as_position(state, options, seed, reward):
    """The returns of a state's history, replayed as a position."""
    game = state.get_game().game
    position = game.position_class.new(game.options.from_dict(options), seed)
    assert state.history()[0] == seed
    for action in state.history()[1:]:
        position.apply(action)
    assert position == state.position and position.is_over
    results = position.breakdown()[None, :, game.rank_columns]
    return rewards.exact_returns(reward, results, position.num_players)[0]


@pytest.mark.parametrize(("game", "options"), TABLES)
def test_mcts_bot(game, options):
    """MCTSBot of open_spiel.python plays a whole game against random players; the result is that of a Position."""
    loaded = openspiel.load(game, **options, reward="rank")
    chance = np.random.RandomState(1)
    bots = [mcts.MCTSBot(loaded, 2.0, 4, mcts.RandomRolloutEvaluator(1, chance), random_state=chance)]
    bots += [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(1, loaded.num_players())]
    state = dealt(loaded, 7)
    assert np.array_equal(play(state, bots), result_as_position(state, options, 7, "rank"))


@pytest.mark.parametrize(("game", "options"), [*TABLES, *HIDING[-1:]])
def test_ismcts_bot(game, options):
    """ISMCTSBot, which redraws hidden information in each simulation, plays a whole game."""
    loaded = openspiel.load(game, **options)
    chance = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(
        loaded, mcts.RandomRolloutEvaluator(1, chance), 2.0, 3, random_state=chance,
        use_observation_string=True, allow_inconsistent_action_sets=True,
    )  # fmt: skip
    others = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(1, loaded.num_players())]
    state = dealt(loaded, 8)
    assert np.array_equal(play(state, [bot, *others]), result_as_position(state, options, 8, "win"))


@pytest.mark.parametrize(("game", "options"), TABLES)
def test_rl_environment(game, options):
    """rl_environment.Environment, which samples the deal: a random episode with rewards only at its end."""
    env = rl_environment.Environment(openspiel.load(game, **options))
    env.seed(3)
    step, generator = env.reset(), random.Random(3)
    size = game.layout(game.options.from_dict(options)).size
    while not step.last():
        seat = step.observations["current_player"]
        assert len(step.observations["info_state"][seat]) == size
        assert step.first() or not any(step.rewards)
        step = env.step([generator.choice(step.observations["legal_actions"][seat])])
    assert step.rewards == env.get_state.returns()


# ---------------------------------------------------------------- the same game as Position
@pytest.mark.parametrize(("game", "options"), CASES)
def test_same_game_as_position(game, options):
    loaded = openspiel.load(game, **options)
    position = game.position_class.new(game.options.from_dict(options), 5)
    state = dealt(loaded, 5)
    for _ in walk(state, 5):
        for action in state.history()[1 + len(position.history) :]:
            position.apply(action)
        assert state.position == position and state.current_player() == position.to_play
        assert state.legal_actions() == position.legal_numbers().tolist()
        assert [state.action_to_string(action) for action in state.legal_actions()] == position.legal_actions()
        assert state.returns() == state.rewards() == [0.0] * position.num_players
        for seat in range(position.num_players):
            assert (state.legal_actions(seat) != []) == (seat == position.to_play)
        other = state.clone()
        other.apply_action(state.legal_actions()[-1])
        assert state.position == position != other.position and len(other.history()) == len(state.history()) + 1
    assert state.is_terminal() and state.legal_actions() == []
    assert np.array_equal(state.returns(), result_as_position(state, options, 5, "win"))


@pytest.mark.parametrize(("game", "options"), CASES)
def test_serialized_states_play_on_identically(game, options):
    """Serialized and pickled states play on identically: before the deal, within a game, at its end."""
    loaded = openspiel.load(game, **options, reward="rank")
    for state in (loaded.new_initial_state(), played(loaded, 4, 20), played(loaded, 4, 10**6)):
        _, through = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(loaded, state))
        for other in (through, loaded.deserialize_state(state.serialize()), pickle.loads(pickle.dumps(state))):
            assert str(other) == str(state) and other.history() == state.history()
            assert other.get_game().get_parameters() == loaded.get_parameters()
            if state.is_chance_node():
                other.apply_action(4)
                assert str(other) == str(dealt(loaded, 4))
            here, there = state.clone(), other
            if not state.is_chance_node():
                assert [str(one) for one in walk(here, 1)] == [str(one) for one in walk(there, 1)]
                assert here.returns() == there.returns()


def test_unpickling_validates_the_position():
    """Unpickling validates the position, because an invalid record would make compiled loops read out of bounds."""
    loaded = openspiel.load("carnegie")
    function, (terms, position) = played(loaded, 1, 20)._held.__reduce__()
    assert str(function(terms, position).to_play) == str(played(loaded, 1, 20).current_player())
    position["version"] = 10**6
    with pytest.raises(ValueError, match="version"):
        function(terms, position)


def test_another_process_loads_a_pickled_game():
    """Another process, which has registered nothing, loads a pickled game and exits without a crash."""
    state = played(openspiel.load("carnegie", num_players=3, reward="rank"), 1, 5)
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(state), capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().strip() == str(state)


# ---------------------------------------------------------------- observations
@pytest.mark.parametrize(("game", "options"), CASES)
def test_observations(game, options):
    """Observations from C++ and from Python, as numbers, named parts and text, also before the deal."""
    loaded = openspiel.load(game, **options)
    layout = game.layout(game.options.from_dict(options))
    assert loaded.observation_tensor_size() == layout.size
    observation = observations.make_observation(loaded)
    before = loaded.new_initial_state()
    assert not any(before.observation_tensor(0)) and before.observation_string(0) == "player_0"
    for state in (played(loaded, 2, 15), played(loaded, 2, 10**6)):
        texts = set()
        for seat in range(loaded.num_players()):
            seen = state.position.observe(seat)
            observation.set_from(state, seat)
            assert np.array_equal(observation.tensor, seen)
            assert np.array_equal(state.observation_tensor(seat), seen)
            assert set(observation.dict) == set(layout)
            for name, part in observation.dict.items():
                assert np.array_equal(part, seen[layout.slices[name]].reshape(layout[name].shape))
            text = observation.string_from(state, seat)
            assert text == state.observation_string(seat)
            assert len(text.splitlines()) == 1 + np.count_nonzero(seen)
            texts.add(text)
        assert len(texts) == loaded.num_players()


def test_observations_that_are_not_provided():
    loaded = openspiel.load("carnegie")
    kind = pyspiel.IIGObservationType
    for wrong, message in (
        (kind(perfect_recall=True), "perfect_recall must be False"),
        (kind(perfect_recall=False, public_info=False), "public_info=True"),
        (kind(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS), "SINGLE_PLAYER"),
    ):
        with pytest.raises(ValueError, match=message):
            loaded.make_py_observer(wrong)
    with pytest.raises(ValueError, match="no parameters, but got colour"):
        loaded.make_py_observer(None, {"colour": 1})
    with pytest.raises(ValueError, match="perfect_recall"):
        dealt(loaded, 0).information_state_string(0)
    assert not loaded.get_type().provides_information_state_tensor
    with pytest.raises(ValueError, match="seat must be a whole number from 0 to 1"):
        loaded.make_py_observer().set_from(dealt(loaded, 0), 2)


@pytest.mark.parametrize(("game", "options"), CASES)
def test_resampling(game, options):
    """resample_from_infostate keeps a seat's view and redraws hidden information and future chance."""
    loaded = openspiel.load(game, **options)
    moved = set()
    for state in walk(dealt(loaded, 6), 6):
        seat = state.current_player()
        before = str(state)
        other = state.resample_from_infostate(seat, pyspiel.UniformProbabilitySampler(len(state.history()), 0.0, 1.0))
        again = state.resample_from_infostate(seat, pyspiel.UniformProbabilitySampler(len(state.history()), 0.0, 1.0))
        assert str(other) == str(again) != before == str(state)
        assert other.observation_string(seat) == state.observation_string(seat)
        assert other.legal_actions() == state.legal_actions() and other.history() == state.history()
        here, there = state.position.record, other.position.record
        moved |= {name for name in game.record.names if not np.array_equal(here[name], there[name])}
    assert "rng" in moved
    assert (len(moved) > 1) == game.hides(game.options.from_dict(options))
    with pytest.raises(ValueError, match="seat must be"):
        state.resample_from_infostate(-1, random.random)
    assert loaded.new_initial_state().resample_from_infostate(0, random.random).is_chance_node()


# ---------------------------------------------------------------- errors, declarations
@pytest.mark.parametrize(("game", "options"), TABLES)
def test_illegal_actions(game, options):
    state = openspiel.load(game, **options, deals=9).new_initial_state()
    for seed in (-2, 9):  # OpenSpiel itself refuses -1
        with pytest.raises(ValueError, match="seeds from 0 to 8"):
            state.apply_action(seed)
    with pytest.raises(ValueError, match="not been dealt yet"):
        state.position  # noqa: B018  # a property
    assert state.history() == [] and len(state.chance_outcomes()) == 9
    state.apply_action(8)
    before = str(state)
    wrong = sorted(set(range(state.num_distinct_actions())) - set(state.legal_actions()))
    for action in (wrong[0], wrong[-1], -2, 10**6):
        with pytest.raises(ValueError, match="can play"):
            state.apply_action(action)
        assert str(state) == before and state.history() == [8]
    for _ in walk(state, 1):
        pass
    with pytest.raises(ValueError, match="the game is over"):
        state.apply_action(0)


@pytest.mark.parametrize(("game", "options"), CASES)
def test_game_type_and_info(game, options):
    chosen = game.options.from_dict(options)
    loaded = openspiel.load(game, **options)
    kind, many = loaded.get_type(), chosen.num_players > 1
    assert (kind.short_name, kind.long_name) == (f"python_{game.name}", game.title)
    assert kind.utility == getattr(pyspiel.GameType.Utility, "ZERO_SUM" if many else "GENERAL_SUM")
    assert loaded.utility_sum() == (0 if many else None)
    assert (loaded.min_utility(), loaded.max_utility()) == (-1, 1)
    assert (kind.min_num_players, kind.max_num_players) == game.seats and loaded.num_players() == chosen.num_players
    assert loaded.num_distinct_actions() == game.num_actions(chosen)
    assert loaded.max_game_length() == game.longest and loaded.max_chance_nodes_in_history() == 1
    assert loaded.max_chance_outcomes() == openspiel.PARAMETERS["deals"]


def test_games_are_registered_once_under_their_names():
    assert openspiel.register() == openspiel.register() == tuple(f"python_{name}" for name in carnegie_env.games())
    assert openspiel.register("carnegie", CARNEGIE) == ("python_carnegie", "python_carnegie")
    assert "python_carnegie" in pyspiel.registered_names()
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        openspiel.register("chess")


def test_options_are_parameters():
    openspiel.register("carnegie")
    by_text = pyspiel.load_game("python_carnegie(num_players=1,difficulty=expert,new_start=True,reward=rank)")
    by_name = openspiel.load("carnegie", num_players=1, difficulty="expert", modules="new_start", reward="rank")
    assert str(by_text) == str(by_name) and by_text.terms == by_name.terms
    assert by_text.terms.options.difficulty == "expert" and by_text.terms.options.new_start
    assert pyspiel.load_game("python_carnegie").terms.options == CARNEGIE.options()
    assert set(openspiel.parameters(CARNEGIE)) == {*CARNEGIE.options().to_dict(), "reward", "deals"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 5}, "1 .solo. to 4"),
        ({"difficulty": "expert"}, "num_players=1"),
        ({"colour": "red"}, "unexpected keyword argument 'colour'.*reward, deals"),
        ({"reward": "score"}, "reward must be one of win, rank, not 'score'"),
        ({"deals": 0}, "deals must be a whole number from 1 to 1000000, not 0"),
        ({"deals": 10**7}, "deals must be a whole number from 1"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        openspiel.load("carnegie", **options)
