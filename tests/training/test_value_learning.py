"""Value learning: chains, targets, gradients and steps; repeatable and resumed trainings."""

import dataclasses

import numpy as np
import pytest

from carnegie_env.agents import evaluation, inputs, network
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.agents.greedy import loops as greedy
from carnegie_env.agents.network import Weights
from carnegie_env.arena.play import OPENING
from carnegie_env.core.rewards import win_shares
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.commands import python
from tests.networks import margins, metadata_of, random_weights
from tests.toy.game import SIXES
from training import value_learning as learning
from training.rivals import GREEDY, VALUE, Rival
from training.value import to_bytes
from training.value_players import Course, Ended, Part, Player, Threads
from training.value_settings import Settings
from training.value_trainer import Trainer, transfer

UNIT = inputs.margin_unit(SIXES)
SMALL = Settings(hidden=8, middle=5, round_games=40, rounds_kept=2, chains=4, reuse=2.0)
TABLES = ({"num_players": 1}, {"num_players": 3, "rounds": 5})
names = pytest.mark.parametrize("table", TABLES, ids=str)


def played(table, games=12, **settings):
    """Games of a random network: its options and weights, the chains, the outcome."""
    options = SIXES.options.from_dict(table)
    net = random_weights(inputs.size(SIXES, options), 8, 5)
    settings = Settings(**{"hidden": 8, "middle": 5, "draws": 2, "taste": 0.0, "explore": 0.0} | settings)
    return options, net, *shown_by(Course(SIXES, [options], settings), net, games, noise=1.0)


def shown_by(course, net, games, noise=0.0):
    """The chains and the outcome of games."""
    return Player(course).play(Part(0, 0, games, noise, search=course.settings.search), net)


def positions_of(kept, chain, size):
    """The inputs of a chain's positions, float64 (length, F), from the changes between them."""
    found, seen = [], np.zeros(size)
    for k in range(kept.position[chain], kept.position[chain + 1]):
        part = slice(kept.change[k], kept.change[k + 1])
        np.add.at(seen, kept.index[part], kept.by[part])
        found.append(seen.copy())
    return np.array(found).reshape(-1, size)


# ---------------------------------------------------------------- chains
def recorded() -> None:
    """In plain Python: the chains contain all positions, recorded when they are looked at. Run by a test."""
    for table in TABLES:
        met: dict[tuple[int, int], list] = {}
        game, keep = [-1], learning._keep
        begin = learning.kernels.begin

        def begun(*arguments, game=game, begin=begin):
            game[0] += 1
            return begin(*arguments)

        def noted(seat, now, bonus, room, seats, met=met, game=game, keep=keep):
            met.setdefault((game[0], seat), []).append((room.before.copy(), now))
            keep(seat, now, bonus, room, seats)

        learning._keep, learning.kernels.begin = noted, begun
        _, net, kept, results = played(table, games=3)
        learning._keep, learning.kernels.begin = keep, begin
        assert kept.used[0] == len(met) > 0
        total = SIXES.rank_columns[0]
        sides = list(SIXES.sides(SIXES.options.from_dict(table)))
        for chain, ((which, seat), seen) in enumerate(sorted(met.items())):
            found = positions_of(kept, chain, net.first.shape[0])
            np.testing.assert_allclose(found, [x for x, _ in seen], atol=1e-5)
            first = kept.position[chain]
            np.testing.assert_allclose(kept.now[first : first + len(seen)] * UNIT, [now for _, now in seen])
            points = results.rows[which, sides, total]
            others = np.delete(points, seat)
            assert kept.margin[chain] == pytest.approx((points[seat] - others.max()) / UNIT)
            shares = win_shares(results.rows[[which]][:, sides][:, :, SIXES.rank_columns])
            assert kept.win[chain] == pytest.approx(shares[0, seat])


def test_chains_contain_all_positions():
    python("-c", f"import {__name__} as test; test.recorded()", NUMBA_DISABLE_JIT="1")


@pytest.mark.parametrize("results", [[(5, 1), (5, 2), (4, 9)], [(5, 2), (5, 2), (4, 9)], [(3, 1), (5, 2), (5, 1)]])
def test_the_targets_of_wins_follow_the_tie_break(results):
    options = SIXES.options.from_dict({"num_players": 3})
    net = random_weights(inputs.size(SIXES, options), 8, 5)
    rows = np.zeros((SIXES.score_rows, len(SIXES.score_columns)), np.int64)
    rows[np.ix_(SIXES.sides(options), SIXES.rank_columns)] = results
    room, met, kept = evaluation.room(SIXES, options, net, 1), learning.seats(3, net, 1), learning.chains(3, 1, 1)
    for seat in range(3):
        learning._close(seat, rows, 0.0, False, room, met, kept)
    np.testing.assert_allclose(kept.win, win_shares([results])[0])


@names
def test_margins_agree_with_the_score_inputs(table):
    options, net, kept, results = played(table, taste=1.0)
    assert kept.used[0] > 6 and (results.decisions > 0).any()
    labels, total = list(inputs.labels(SIXES, options)), SIXES.score_columns[SIXES.rank_columns[0]]
    columns = [k for k, name in enumerate(labels) if name.startswith(f"{total} of ")]
    assert len(columns) == len(SIXES.sides(options)) and len(set(labels)) == len(labels)
    for chain in range(kept.used[0]):
        points = positions_of(kept, chain, net.first.shape[0])[:, columns] * inputs.score_unit(SIXES)
        now = kept.now[kept.position[chain] : kept.position[chain + 1]] * UNIT
        np.testing.assert_allclose(points[:, 0] - points[:, 1:].max(axis=1), now, atol=1e-3)
    assert kept.tasted[: kept.used[0]].any() and not kept.tasted[: kept.used[0]].all()


def test_too_little_room_loses_no_game():
    """A part with longer games than usual is played again with more room."""
    options = SIXES.options.from_dict(TABLES[1])
    course = Course(SIXES, [options], Settings(hidden=8, middle=5, draws=2))
    net, part = random_weights(inputs.size(SIXES, options), 8, 5), Part(0, 0, 60)
    player = Player(course)
    small = player.room_for(1)
    shown, results = player.play(part, net, small)
    there, wanted = player.play(part, net)
    assert shown is not small and small.used[0] < there.used[0] == shown.used[0]
    np.testing.assert_array_equal(results.rows, wanted.rows)
    assert shown.margin[: shown.used[0]].tobytes() == there.margin[: there.used[0]].tobytes()


def test_a_part_ends_with_the_game_that_is_played():
    options = SIXES.options.from_dict(TABLES[1])
    player = Player(Course(SIXES, [options], Settings(hidden=8, middle=5, draws=2)))
    player.is_ended = True
    with pytest.raises(Ended):
        player.play(Part(0, 0, 60), random_weights(inputs.size(SIXES, options), 8, 5))


# ---------------------------------------------------------------- learning
def by_numpy(net, seen):
    """Margins (in UNIT) and logits of positions, all in float64."""
    first = np.maximum(seen @ net.first + net.first_bias, 0)
    units = np.maximum(first @ net.second.T + net.second_bias, 0)
    return (units @ net.last.T + net.last_bias).T


def groups_of(kept, chain, seen):
    """The tried actions of a chain's searches: inputs, margins now and results of each group."""
    found = []
    for k, place in enumerate(range(kept.position[chain], kept.position[chain + 1])):
        for group in range(*kept.searched[place]):
            tried = range(kept.group[group], kept.group[group + 1])
            after = np.repeat(seen[k : k + 1], len(tried), axis=0)
            for row, n in enumerate(tried):
                part = slice(kept.tried[n], kept.tried[n + 1])
                np.add.at(after[row], kept.tried_index[part], kept.tried_by[part])
            found.append((after, kept.tried_now[tried].astype(np.float64), kept.goal[tried].astype(np.float64)))
    return found


@names
def test_gradients_agree_with_finite_differences(table):
    """With lambda 1 the targets are the results, and the loss is a function of the weights alone."""
    _, net, kept, _ = played(table, search=60.0)
    which = np.arange(min(int(kept.used[0]), 6))
    win_weight, search_weight, temperature, scale = 0.3, 2.0, 0.2, 0.125
    work = learning.learner(net)
    learning.add_gradients(which, kept, net, 1.0, 1.0, win_weight, search_weight, temperature, scale, work)
    wide = Weights(*(part.astype(np.float64) for part in net))
    parts, groups = [], []
    for chain in which:
        now = kept.now[kept.position[chain] : kept.position[chain + 1]].astype(np.float64)
        seen = positions_of(kept, chain, net.first.shape[0])
        parts.append((seen, kept.margin[chain] - now, kept.win[chain]))
        groups += groups_of(kept, chain, seen)
    assert work.loss[4] == len(groups) > 6

    def loss():
        total = 0.0
        for after, now, goal in groups:
            value = (by_numpy(wide, after)[0] + now) / temperature
            chances = np.exp(value - value.max())
            total -= scale * search_weight * float((chances * goal).sum() / chances.sum())
        for seen, margin, win in parts:
            found, logit = by_numpy(wide, seen)
            entropy = np.logaddexp(0, logit) - win * logit
            total += scale * float(((found - margin) ** 2 + win_weight * entropy).sum())
        return total

    squares = sum(float(((by_numpy(wide, seen)[0] - margin) ** 2).sum()) for seen, margin, _ in parts)
    assert work.loss[0] == pytest.approx(squares, rel=1e-3)
    assert work.loss[2] == sum(len(seen) for seen, _, _ in parts)
    for part, gradient in zip(wide, work.gradient, strict=True):
        largest = np.argsort(-np.abs(gradient).ravel())[:4]
        assert gradient.any()
        for place in (np.unravel_index(k, gradient.shape) for k in largest):
            kept_value, sides = part[place], []
            for step in (1e-6, -1e-6):
                part[place] = kept_value + step
                sides.append(loss())
            part[place] = kept_value
            assert gradient[place] == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=2e-3, abs=1e-4)


def test_a_search_compares_actions_by_the_same_futures():
    """Futures that only end with the game lead to results, and the better actions are chosen."""
    found = {}
    for share in (0.0, 100.0):
        _, net, kept, results = played(TABLES[0], games=60, search=share, candidates=3, futures=2, depth=999)
        found[share] = results.rows[:, 0, SIXES.rank_columns[0]].mean()
    chains, groups = kept.used
    sizes = np.diff(kept.group[: groups + 1])
    assert groups > 2 * chains and set(sizes) <= {2, 3} and 3 in sizes
    goals = kept.goal[: kept.group[groups]] * UNIT
    np.testing.assert_allclose(goals, np.round(goals), atol=1e-4)
    assert found[100.0] > found[0.0]


@pytest.mark.parametrize("noise", [0.0, 100.0])
def test_noise_makes_futures_differ_where_there_is_no_chance(noise):
    options = STEEL_DRIVER.options(num_players=3)
    settings = Settings(hidden=8, middle=5, explore=0.0, taste=0.0, search=50.0, futures=2, future_noise=noise)
    course = Course(STEEL_DRIVER, [options], settings)
    kept, _ = shown_by(course, network.initial(*course.shape, np.random.default_rng(0)), 4)
    goals = [kept.goal[a:b] for a, b in zip(kept.group, kept.group[1 : kept.used[1] + 1], strict=False)]
    same = [(one == other).all() for one, other in zip(goals[::2], goals[1::2], strict=True)]
    assert len(same) > 20 and (all(same) if noise == 0 else np.mean(same) < 0.7)


@pytest.mark.parametrize("share", [0.0, 100.0])
def test_futures_with_the_rival_lead_to_the_result_of_the_game(share):
    """Steel Driver leaves nothing to chance, so after the last search of a game all goes as one of its futures."""
    options = STEEL_DRIVER.options(num_players=3)
    settings = Settings(
        hidden=8, middle=5, explore=0.0, taste=0.0, search=10.0, futures=1, depth=999, rival_games=100.0,
        rival_futures=share,
    )  # fmt: skip
    rival = Rival(VALUE, random_weights(inputs.size(STEEL_DRIVER, options), 8, 5))
    course = Course(STEEL_DRIVER, [options], settings, rivals=[rival])
    kept, _ = shown_by(course, network.initial(*course.shape, np.random.default_rng(0)), 20)
    reached = []
    for chain in range(kept.used[0]):
        ends = kept.searched[kept.position[chain] : kept.position[chain + 1], 1]
        if ends.any():
            last = ends[ends > 0][-1] - 1
            goals = kept.goal[kept.group[last] : kept.group[last + 1]]
            reached.append(np.isclose(goals, kept.margin[chain], atol=1e-4).any())
    assert len(reached) > 15 and (all(reached) if share else np.mean(reached) < 0.7)


def test_targets_by_hand():
    """Three positions, lambda 0.5: the next prediction and the later return count half each."""
    kept, work = learning.chains(1, 3, 1), learning.learner(network.zeros(16, 2, 2))
    kept.position[:] = 0, 3
    kept.now[:] = 0.1, 0.2, 0.4
    kept.margin[0], kept.win[0] = 1.0, 1.0
    work.outputs[:3, 0] = 9.0, 0.3, 0.2  # the first prediction is no target
    work.outputs[:3, 1] = 0.9, 0.6, 0.2
    learning._targets(0, 0, 3, 0.5, kept, work)
    last = 1.0
    middle = 0.5 * (0.2 + 0.4) + 0.5 * last
    first = 0.5 * (0.3 + 0.2) + 0.5 * middle
    np.testing.assert_allclose(work.targets[:3, 0], [first - 0.1, middle - 0.2, last - 0.4], rtol=1e-6)
    np.testing.assert_allclose(work.targets[:3, 1], [0.5 * 0.6 + 0.5 * 0.6, 0.5 * 0.2 + 0.5, 1.0], rtol=1e-6)


def test_exploration_does_not_change_the_target_before_it():
    """The target is the value of the best action; later positions learn from the explored one."""
    kept, work = learning.chains(1, 3, 1), learning.learner(network.zeros(16, 2, 2, 3))
    kept.position[:] = 0, 3
    kept.now[:], kept.bonus_now[:] = (0.1, 0.2, 0.4), (0.0, 0.5, 0.5)
    kept.margin[0], kept.win[0], kept.bonus[0] = -1.0, 0.0, 0.5
    kept.instead[1], kept.instead_bonus[1] = 0.8, 0.7
    work.outputs[:3] = (9.0, 0.9, 9.0), (0.3, 0.6, 0.1), (0.2, 0.2, 0.0)
    learning._targets(0, 0, 3, 0.5, kept, work)
    first = 0.5 * (0.3 + 0.2) + 0.5 * 0.8
    np.testing.assert_allclose(work.targets[:3, 0], [first - 0.1, 0.8 - 0.2, -1.0 - 0.4], rtol=1e-6)
    np.testing.assert_allclose(work.targets[:3, 1], [0.6, 0.6, 0.0], rtol=1e-6)
    np.testing.assert_allclose(work.targets[:3, 2], [0.5 * 0.6 + 0.5 * 0.7, 0.7 - 0.5, 0.0], rtol=1e-6, atol=1e-7)


def test_a_rival_has_all_seats_but_one_and_is_not_learned_from():
    """A rival with the learner's own network plays the same games as no rival."""
    options = SIXES.options.from_dict(TABLES[1])
    net, other = (random_weights(inputs.size(SIXES, options), 8, middle) for middle in (5, 7))
    settings = Settings(hidden=8, middle=5, draws=2, taste=0.0, explore=0.0, noise=0.0, rival_games=50.0)
    found = []
    for rivals in ([Rival(VALUE, other)], [Rival(VALUE, net)], []):
        shown, results = shown_by(Course(SIXES, [options], settings, rivals=rivals), net, 40)
        with_rival = int(results.rival.sum())
        assert shown.used[0] == 3 * 40 - 2 * with_rival
        found.append(results)
    assert 8 < found[0].rival.sum() < 32 and not found[2].rival.any()
    plain = ~found[0].rival
    np.testing.assert_array_equal(found[0].rows[plain], found[2].rows[plain])
    assert (found[0].rows[~plain] != found[2].rows[~plain]).any()


def test_the_greedy_rival_plays_like_the_greedy_agent():
    """It also beats an untrained network."""
    options = STEEL_DRIVER.options(num_players=3)
    settings = Settings(hidden=8, middle=5, noise=0.0, explore=0.0, taste=0.0, rival_games=100.0)
    margins = []
    for rivals in ([Rival(GREEDY)], []):
        course = Course(STEEL_DRIVER, [options], settings, rivals=rivals)
        net = network.initial(*course.shape, np.random.default_rng(0))
        shown, results = shown_by(course, net, 12)
        assert results.rival.all() == bool(rivals) and shown.used[0] == (12 if rivals else 36)
        margins.append(shown.margin[: shown.used[0]].mean() * inputs.margin_unit(STEEL_DRIVER))
    assert margins[0] < margins[1] - 200
    batch = STEEL_DRIVER.batch_class(12, num_players=3)
    generator = np.random.default_rng(5)
    for _ in range(30):
        batch.step(batch.sample_actions(generator))
    room = greedy.room(STEEL_DRIVER, batch.num_actions)
    chosen = GreedyAgent().act_batch(batch)
    games = batch.games.copy()
    for i in np.flatnonzero(~batch.done):
        assert greedy.best(games[i], np.uint64(i), room) == chosen[i]


def test_adam():
    """Compared with algorithm 1 of Kingma and Ba (2015)."""
    generator = np.random.default_rng(0)
    weights = generator.normal(size=50).astype(np.float32)
    mine = weights.copy(), *np.zeros((3, 50), np.float32)
    mean, square, theta = np.zeros(50), np.zeros(50), weights.astype(np.float64)
    for step in range(1, 20):
        gradient = generator.normal(size=50) * generator.random()
        mine[1][:] = gradient
        rate = 1e-2 * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        learning.adam(*mine, rate, 0.9, 0.999)
        assert not mine[1].any()
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        theta -= 1e-2 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-7)
    np.testing.assert_allclose(mine[0], theta, rtol=1e-3, atol=1e-5)


def test_transfer_keeps_the_weights_of_inputs_with_the_same_name():
    source = random_weights(16, 4, 3)
    before, after = ("a", "b", "c"), ("c", "new", "a", "newer")
    made = transfer(source, before, after, 32, np.random.default_rng(1))
    np.testing.assert_array_equal(made.first[[0, 2]], source.first[[2, 0]])
    assert made.first.shape == (32, 4) and np.abs(made.first[[1, 3]]).max() < 0.2
    for name in Weights._fields[1:]:
        np.testing.assert_array_equal(getattr(made, name), getattr(source, name))
        assert getattr(made, name) is not getattr(source, name)
    more = network.with_outputs(source, 3)
    assert transfer(more, before, after, 32, np.random.default_rng(1)).last.shape == (3, 3)


def test_transfer_to_more_units_keeps_the_values():
    source, names = random_weights(16, 4, 3), tuple("abcdefghijklmnop")
    wider = transfer(source, names, names, 16, np.random.default_rng(1), (9, 5))
    assert wider.first.shape == (16, 9) and wider.second.shape == (5, 9) and wider.last.shape == (2, 5)
    given = np.random.default_rng(2).random((20, 16))
    np.testing.assert_allclose(by_numpy(wider, given), by_numpy(source, given), rtol=1e-5)
    assert np.abs(wider.first[:, 4:]).min() > 0 and np.abs(wider.second[3:]).min() > 0  # so that they learn


# ---------------------------------------------------------------- shaping
def shaped_trainer(lean_until):
    """A trainer that rewards failing takes, which cost a point and the tokens."""
    options = SIXES.options.from_dict({"num_players": 2, "rounds": 6})
    settings = Settings(
        hidden=16, middle=8, round_games=200, chains=4, taste=0.0, noise=0.0, lean_until=lean_until, lean_ends=1.0
    )
    return Trainer(SIXES, [options], settings, 5, lambda course: Threads(course, 1), shaping={"own.failed": 5.0})


def bonus_at_the_end(training):
    """The mean bonus of a player in the last round's games, in points."""
    shown = training._kept[-1][0]
    chains = int(shown.used[0])
    return shown.bonus[:chains].mean() * UNIT


def test_shaping_changes_play_but_not_the_learned_margin():
    shaped, plain = shaped_trainer(1.0), shaped_trainer(0.0)
    for k in range(12):
        shaped.round(k / 12)
        plain.round(1.0)  # shaping has ended
    assert bonus_at_the_end(shaped) > 4 + bonus_at_the_end(plain)
    kept, work = shaped._kept[-1][0], learning.learner(shaped.net)
    assert len(shaped.net.last) == 3 and work.outputs.shape[1] == 3
    which = np.arange(int(kept.used[0]))
    errors = []
    for chain in which:
        first, length = kept.position[chain], kept.position[chain + 1] - kept.position[chain]
        learning._forwards(first, length, kept, shaped.net, work)
        to_come = kept.bonus[chain] - kept.bonus_now[first : first + length]
        errors.append([((work.outputs[:length, 2] - to_come) ** 2).mean(), (to_come**2).mean()])
    found, without = np.mean(errors, axis=0)
    assert found < 0.5 * without  # the third output predicts the bonus to come
    points = SIXES.rank_columns[0]
    assert points is not None and abs(kept.margin[which]).max() * UNIT < 40  # without bonus
    files = to_bytes(shaped.net, metadata_of(SIXES, shaped.options[0]))
    assert b'"last":{"dtype":"F32","shape":[2,8]' in files.replace(b" ", b"")


# ---------------------------------------------------------------- training
def trainer(threads=1, table=TABLES[1], seed=3, settings=SMALL, learners=1):
    options = [SIXES.options.from_dict(table)]
    return Trainer(SIXES, options, settings, seed, lambda course: Threads(course, threads), learners=learners)


def test_games_without_chance_have_random_openings():
    """Otherwise all would be the same without noise and preferences. Openings are not learned from."""
    options = STEEL_DRIVER.options(num_players=3)
    settings = Settings(hidden=8, middle=5, round_games=12, noise=0.0, explore=0.0, taste=0.0)
    course = Course(STEEL_DRIVER, [options], settings)
    shown, results = shown_by(course, network.initial(*course.shape, np.random.default_rng(0)), 12)
    assert len({rows.tobytes() for rows in results.rows}) > 6 and shown.used[0] == 36
    learned = int(shown.position[36])
    assert learned <= results.decisions.sum() - 12 * OPENING - 12  # nor from the last decision of each game
    assert learned > 0.9 * results.decisions.sum() - 12 * OPENING - 12


def test_search_can_begin_later():
    settings = dataclasses.replace(SMALL, search=50.0, search_from=0.5)
    training = trainer(settings=settings)
    groups = []
    for share in (0.0, 0.49, 0.5, 1.0):
        training.round(share)
        groups.append(training._kept[-1][0].used[1])
    assert groups[0] == groups[1] == 0 < groups[2] and groups[3] > 0


@names
def test_a_training_is_repeatable(table):
    """The number of threads that play makes no difference, if there are several."""
    found = []
    for threads, learners in ((1, 1), (1, 1), (2, 1), (3, 1), (1, 3), (1, 3)):
        training = trainer(threads, table, learners=learners)
        measured = [training.round(share) for share in (0.0, 0.3, 0.6)]
        training.close()
        for each in measured:
            del each["games_per_second"]
        found.append((training.state(), measured))
    for (one, measured), (other, measured_again) in zip(found[::2], found[1::2], strict=True):
        assert all((one[name] == other[name]).all() for name in one)
        assert str(measured) == str(measured_again)
    alone, divided = found[0][0], found[4][0]  # the sums of the gradients are the same but for rounding
    assert all(np.allclose(alone[name], divided[name], rtol=1e-2, atol=1e-3) for name in alone if name[:3] == "net")
    assert trainer(seed=4, table=table).round(0.0)["own"] != found[0][1][0]["own"]
    assert found[0][0]["counts"][:2].tolist()[0] == 120 and found[0][0]["counts"][1] > 30


def test_a_resumed_training_plays_the_same_games():
    one, other = trainer(), trainer(threads=2)
    for share in (0.0, 0.2):
        one.round(share)
    state = {name: array.copy() for name, array in one.state().items()}
    other.load_state(state)
    assert (other.games, other.steps, other.rounds) == (one.games, one.steps, one.rounds)
    here, there = one.round(0.4), other.round(0.4)
    assert here["own"] == there["own"] and here["decisions_per_game"] == there["decisions_per_game"]
    with pytest.raises(ValueError, match="not the arrays of a training run with these settings"):
        trainer(settings=Settings(hidden=9, middle=5)).load_state(state)
    with pytest.raises(ValueError, match="not the arrays"):
        one.load_state({name: array for name, array in state.items() if name != "mean.last"})


def test_any_game_can_be_learned(tmp_path):
    """Here the toy game: a trained network beats an untrained one, which considers only the present score."""
    table = {"num_players": 2, "rounds": 6}
    training = trainer(table=table, settings=Settings(hidden=16, middle=8, round_games=200, chains=4, taste=0.0))
    said = metadata_of(SIXES, training.options[0])
    files = tmp_path / "trained.safetensors", tmp_path / "begun.safetensors"
    files[1].write_bytes(to_bytes(training.net, said))  # the last layer is 0
    measured = [training.round(k / 15) for k in range(15)]
    assert np.isnan(measured[0]["margin_error"]) and all(np.isfinite(each["margin_error"]) for each in measured[1:])
    files[0].write_bytes(to_bytes(training.net, said))
    found = margins(*files, SIXES, table)
    assert found.mean() > 4 * found.std() / np.sqrt(len(found))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden": 0}, "hidden must be 1 to 4,096, not 0"),
        ({"middle": 5000}, "middle must be 1 to 4,096, not 5000"),
        ({"chains": 0}, "chains must be 1 to 1,000,000,000, not 0"),
        ({"trace": 1.5}, "trace must be 0 to 1, not 1.5"),
        ({"learning_rate": float("nan")}, "learning_rate must be"),
        ({"noise": -1.0}, "noise must be"),
        ({"taste": float("inf")}, "taste must be"),
    ],
)
def test_invalid_settings_are_rejected(settings, message):
    with pytest.raises(ValueError, match=message):
        Settings(**settings)
