"""The search agent: threads, budgets, values and visits."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from carnegie_env.agents import evaluation, network, search, value
from carnegie_env.agents.search import SearchAgent
from carnegie_env.agents.value import FOLDER, Networks, ValueAgent
from carnegie_env.core import lazy
from carnegie_env.core.lazy import COMPILED
from tests.agents.tables import STEEL, at, carnegie, middle, network_files, position_of
from tests.commands import python
from tests.networks import metadata_of, network_file
from tests.players import ALL_ON
from tests.toy.game import SIXES

TABLES = (*carnegie({"num_players": 1, "difficulty": "expert"}, {"num_players": 3}, ALL_ON[1]), STEEL[1])
QUICK = "depth=2,candidates=5"
files = network_files(*TABLES)


def agent_for(files, table, arguments):
    return SearchAgent(f"{QUICK},{arguments},network={files[table.name]}")


@at(*TABLES)
@pytest.mark.parametrize("budget", ["evals=600", "decisions=60", "evals=3000,noise=0", "decisions=300,noise=0"])
def test_the_choice_does_not_depend_on_threads(files, table, budget):
    batch = middle(table, 4, 30)
    one, two, three = (agent_for(files, table, f"{budget},threads={n}") for n in (1, 2, 3))
    ratings = [[agent.rate(position_of(batch, row)) for row in range(4)] for agent in (one, two, three)]
    assert ratings[0] == ratings[1] == ratings[2]
    chosen = [agent.choose(batch).tolist() for agent in (one, two, three)]
    assert chosen[0] == chosen[1] == chosen[2] == [rating[0][0] for rating in ratings[0]]


@at(*TABLES)
def test_noise_is_of_the_other_seats(files, table):
    batch = middle(table, 4, 30)
    default, little, zero, *noisy = (
        agent_for(files, table, f"evals=600{more}").judge(batch).values
        for more in ("", ",noise=0.3", ",noise=0", ",noise=3", ",noise=3,threads=3")
    )
    assert np.array_equal(default, little) and np.array_equal(*noisy)
    solo = batch.options.num_players == 1
    assert np.array_equal(default, zero) == np.array_equal(default, noisy[0]) == solo


@at(*TABLES)
def test_another_network_plays_the_other_seats(files, table, tmp_path):
    batch = middle(table, 4, 30)
    another = network_file(tmp_path, *table, seed=9)
    own, same, other = (
        agent_for(files, table, f"evals=600{more}")
        for more in (",opponents=own", f",opponents={files[table.name]}", f",opponents={another}")
    )
    assert np.array_equal(own.judge(batch).values, same.judge(batch).values)
    solo = batch.options.num_players == 1
    assert np.array_equal(own.judge(batch).values, other.judge(batch).values) == solo
    assert other.version not in (own.version, same.version)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_others_play_by_two_networks_in_turn(threads):
    """By the package's network in every first future, and by the one of the pool in every second."""
    position = position_of(middle(TABLES[1], 4, 30))
    both, own, earlier = (
        SearchAgent(f"{QUICK},evals=600,threads={threads}{more}")
        for more in ("", ",opponents=own", f",opponents={search.POOL / 'carnegie-3.safetensors'}")
    )
    assert both.version == earlier.version.replace(earlier.others[0].version, both.others[1].version) != own.version
    nets = own._nets(position.game, position.options)[1] + earlier._nets(position.game, position.options)[1]
    net, others = both._nets(position.game, position.options)
    assert [each.first.tobytes() for each in others] == [each.first.tobytes() for each in nets]
    game, actions = position._games.copy(), np.array(position.legal_numbers()[:3])
    plans = np.full((3, 2), search.NOT_PLANNED)
    found = []
    for networks in (others, nets[:1], nets[1:]):
        clock = search._Clock(both.budget)
        clock.rooms = search.evaluation.rooms(position.game, position.options, net, 1, threads)
        searching = search._Search(game, 1, 2, 0.0, 0, net, networks, clock)
        found.append(searching.play(actions, plans, 0, np.full(2, 1 << 40)))
    (margins, rated), (first, rated_first), (second, rated_second) = found
    assert np.array_equal(margins, [first[0], second[1]]) and not np.array_equal(first, second)
    assert np.array_equal(rated, rated_first) and not np.array_equal(rated, rated_second)


def test_futures_follow_a_plan(files):
    """Where a plan says nothing, or an illegal action, the network decides; its values show what else was legal."""
    table = TABLES[1]
    position = position_of(middle(table, 4, 30))
    net, others = agent_for(files, table, "evals=600")._nets(position.game, position.options)
    room = search.evaluation.room(position.game, position.options, net, 1)
    game, actions = position._games.copy(), np.array(position.legal_numbers()[:1])
    seeds, most = np.array([7], np.uint64), np.full(2, 1 << 40)

    def play(plan):
        out, rated = np.empty(1), np.full((1, 3, position.game.num_actions(position.options)), -np.inf)
        search.play_futures(
            game, actions, seeds, 6, 0.0, most, net, others[0], room, np.array([plan]), rated, out
        )  # fmt: skip
        return out[0], rated[0]

    no, (margin, rated) = search.NOT_PLANNED, play([search.NOT_PLANNED] * 3)
    own, ranked = rated.argmax(axis=1), np.argsort(-rated[1])
    assert rated[1, ranked[1]] > -np.inf == rated[1, ranked[-1]]
    for plan in ([no, own[1], no], [no, ranked[-1], no], [own[0], no, no], list(own)):
        again, known = play(plan)
        assert again == pytest.approx(margin, abs=1e-3)
        followed = [action != no and action != ranked[-1] for action in plan]
        np.testing.assert_allclose(known, np.where(np.array(followed)[:, None], -np.inf, rated), atol=1e-3)
    other, after = play([no, ranked[1], no])
    assert abs(other - margin) > 0.01
    np.testing.assert_allclose(after[0], rated[0], atol=1e-3)
    assert not np.allclose(after[2], rated[2], atol=0.01)


def test_changes_of_a_plan_are_tried_in_turn():
    """First where the network expects to lose least and few decisions come before; a better plan starts again after its
    last change."""
    no, rated = search.NOT_PLANNED, np.full((3, 4), -np.inf)
    rated[0, :3], rated[1, 1:], rated[2, 0] = (5.0, 9.0, 2.0), (3.0, 1.0, 2.5), 1.0  # losses 4, 7; 2, 0.5; none
    line = search._Line(np.full(3, no), 10.0, rated, 6)
    assert line.next_change().tolist() == [no, 3, no]  # 0.5 after one decision counts as 2.5
    assert line.next_change().tolist() == [0, no, no]
    line.improve(np.array([no, 3, no]), 10.0 + search.ROUNDING / 2, rated * 2)  # not better
    assert line.next_change().tolist() == [2, no, no]
    line.improve(np.array([no, 2, no]), 11.0, np.array([rated[0], [-np.inf] * 4, [4.0, 1.0, 3.0, -np.inf]]))
    assert line.margin == 11.0
    assert line.next_change().tolist() == [no, 2, 2]  # the other changes of the first decision were tried
    line.improve(np.array([no, 2, 2]), 12.0, np.full((3, 4), -np.inf))
    assert line.next_change() is None
    line = search._Line(np.full(3, no), 10.0, rated, 1)
    assert line.next_change() is not None and line.next_change() is None


@at(*TABLES)
def test_better_plans_are_found_where_futures_repeat(files, table, monkeypatch):
    monkeypatch.setattr(search, "PRIOR", 1e-9)  # values are the margins in futures
    batch = middle(table, 4, 30)
    all_tried, one, none = (
        agent_for(files, table, f"evals=6000,noise=0{deviations}").judge(batch)
        for deviations in ("", ",deviations=1", ",deviations=0")
    )
    if table.game.hides(batch.options):
        assert np.array_equal(all_tried.values, none.values) and np.array_equal(all_tried.visits, none.visits)
        return
    best, with_one, without = (each.values.max(axis=1) for each in (all_tried, one, none))
    assert (best > without - 1e-3).all() and (best > without + 0.01).any()
    assert (with_one > without - 1e-3).all() and one.visits.max() == 2 < all_tried.visits.max()


@pytest.mark.parametrize(
    "budget", ["evals=2000,depth=6,noise=0", "evals=2000,depth=1000000000,noise=0", "evals=200", "decisions=200"]
)
def test_the_end_of_the_game(files, budget):
    """Plans may end the game, and have at most 16 decisions. In the last decision no future has anything to play."""
    for table in (TABLES[1], STEEL[1]):
        batch, generator, positions = table.batch(1), np.random.default_rng(1), []
        batch.reset(seed=5)
        while not batch.done[0]:
            positions.append(position_of(batch.copy()))
            batch.step(batch.sample_actions(generator))
        agent = SearchAgent(f"{budget},network={files[table.name]}")
        for position in positions[-6:]:
            rated = agent.rate(position)
            assert sorted(number for number, _ in rated) == list(position.legal_numbers())
            assert np.isfinite([value for _, value in rated]).all()


def test_the_best_action_is_legal_even_without_values(files):
    """With `noise=1e308` in Steel Driver all values can be -inf; here they are NaN. In plain Python."""
    position = position_of(middle(TABLES[1], 4, 30))
    net, game = Networks(files[TABLES[1].name]).of(position.game, position.options), position._games[0]
    room = evaluation.room(position.game, position.options, net, 1)
    look, best_action = map(lazy.in_plain_python, (evaluation.look, evaluation.best_action))
    net.last_bias[0] = np.nan
    with np.errstate(over="ignore"):  # of the generator
        look(game, position.to_play, net, room)
        assert best_action(game, np.uint64(1), 0.0, net, room) in position.legal_numbers()


def test_two_networks_play_without_noise():
    batch = middle(TABLES[1], 4, 30)
    default, zero, noisy, own = (
        SearchAgent(f"{QUICK},evals=600{more}").judge(batch).values
        for more in ("", ",noise=0", ",noise=3", ",opponents=own,noise=0")
    )
    assert np.array_equal(default, zero)
    assert not np.array_equal(default, noisy) and not np.array_equal(default, own)


def test_a_table_without_an_earlier_network():
    batch = middle(STEEL[-1], 2)
    assert not (search.POOL / "steel_driver-6.safetensors").exists()
    default, own = (SearchAgent(f"{QUICK},evals=600{more}").judge(batch).values for more in ("", ",opponents=own"))
    assert np.array_equal(default, own)


def test_the_networks_may_have_different_sizes(files, tmp_path):
    """The smaller one gets units without effect, so values differ only by rounding."""
    table, batch = TABLES[1], middle(TABLES[1], 4, 30)
    narrow, wide = files[table.name], tmp_path / "wide.safetensors"
    game, options = batch.game, batch.options
    net = network.widened(value.read(Path(narrow)).weights, 48, 11)
    wide.write_bytes(save(net._asdict(), metadata_of(game, options)))
    own, *other = (
        SearchAgent(f"{QUICK},evals=600,network={mine},opponents={others}").judge(batch)
        for mine, others in ((narrow, narrow), (narrow, wide), (wide, narrow))
    )
    for each in other:
        np.testing.assert_array_equal(each.visits, own.visits)
        np.testing.assert_allclose(each.values, own.values, rtol=1e-4)


def test_the_network_of_the_others_must_be_for_the_game(files):
    shipped = FOLDER / "carnegie-3.safetensors"
    with pytest.raises(ValueError, match=r"no network in .*carnegie-3.safetensors for carnegie with"):
        agent_for(files, TABLES[0], f"opponents={shipped}").act(position_of(middle(TABLES[0])))


def test_values_and_visits_of_many_games(files):
    """Only candidates are tried, and dropped ones less often; test_contract.py compares values with single games."""
    table = TABLES[1]
    batch = middle(table, 4, 30)
    judged = agent_for(files, table, "decisions=400").judge(batch)
    for row in range(batch.num_games):
        legal = batch.action_masks()[row].astype(bool)
        tried = np.flatnonzero(judged.visits[row])
        assert not judged.visits[row, ~legal].any() and len(tried) == min(5, legal.sum()) > 1
        assert judged.visits[row, judged.actions[row]] == judged.visits[row].max()
        assert set(judged.visits[row, tried] % search.GROUP) == {0}


@pytest.mark.parametrize(
    ("arguments", "tried"), [("evals=4700", {1: 9, 2: 4, 4: 2}), ("evals=4700,candidates=16", {1: 10, 2: 10, 4: 10})]
)
def test_fewer_actions_are_tried_with_more_players(arguments, tried):
    """Each needs 480 evaluations for each player; if their number is given, n need 40 n**2."""
    for table in carnegie(*({"num_players": players} for players in tried)):
        batch = middle(table, 4, 30)
        legal = batch.action_masks().sum(axis=1)
        visits = SearchAgent(arguments).judge(batch).visits
        assert legal.max() > 4
        assert ((visits > 0).sum(axis=1) == np.minimum(legal, tried[table.options["num_players"]])).all()


def counted(monkeypatch, agent, position):
    """The evaluations, decisions and futures of a search."""
    rooms, futures = [], []
    made, play = search.evaluation.rooms, search.play_futures

    def kept(*arguments):
        rooms[:] = made(*arguments)
        return rooms

    def noted(game, actions, *more):
        futures.append(len(actions))
        play(game, actions, *more)

    monkeypatch.setattr(search.evaluation, "rooms", kept)
    monkeypatch.setattr(search, "play_futures", noted)
    agent.act(position)
    monkeypatch.undo()
    return *np.sum([room.used for room in rooms], axis=0).tolist(), sum(futures)


@at(*TABLES)
def test_budgets_are_kept_and_used(files, table, monkeypatch):
    position = position_of(middle(table, 4, 30))
    legal = len(position.legal_numbers())
    assert 1 < legal < 50
    for budget in (100, 1000, 6000):
        used, _, futures = counted(monkeypatch, agent_for(files, table, f"evals={budget}"), position)
        assert budget / 2 < used <= budget and futures > 0
        used, _, futures = counted(monkeypatch, agent_for(files, table, f"evals={budget},noise=0"), position)
        assert used <= budget and futures > 0  # it may end early: there are few plans of two decisions
        _, decisions, _ = counted(monkeypatch, agent_for(files, table, f"decisions={budget // 10}"), position)
        assert budget / 20 < decisions <= budget // 10
        _, decisions, _ = counted(monkeypatch, agent_for(files, table, f"decisions={budget // 10},noise=0"), position)
        assert decisions <= budget // 10
    assert counted(monkeypatch, agent_for(files, table, "evals=100000,decisions=100"), position)[1] <= 100
    least = counted(monkeypatch, agent_for(files, table, "evals=1"), position)
    assert least == (legal, 0, 0)  # each action is evaluated once


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_searches_with_threads(files):
    """Threads do not survive a fork, so a pool must not either."""
    position, agent = position_of(middle(TABLES[1], 4, 30)), agent_for(files, TABLES[1], "evals=600,threads=2")
    chosen = agent.act(position)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            os._exit(0 if agent.act(position) == chosen else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_share_a_small_budget(files, monkeypatch):
    position = position_of(middle(TABLES[1], 4, 30))
    one, three = (agent_for(files, TABLES[1], f"evals=300,threads={n}") for n in (1, 3))
    assert counted(monkeypatch, one, position) == counted(monkeypatch, three, position)


def test_budget_of_time(files, monkeypatch):
    position = position_of(middle(TABLES[1], 4, 30))
    agent = agent_for(files, TABLES[1], "ms=60")
    agent.act(position)
    started = time.perf_counter()
    agent.act(position)
    assert 0.06 <= time.perf_counter() - started < 20  # other programs may be running
    at_once = agent_for(files, TABLES[1], "ms=0.001")  # too short for a future: the network decides alone
    assert counted(monkeypatch, at_once, position)[2] == 0
    assert at_once.act(position) == ValueAgent(files[TABLES[1].name]).act(position)


def test_an_unfinished_group_does_not_count(files, monkeypatch):
    """The clock stands still until its third reading in the second group; then time is up."""
    position = position_of(middle(TABLES[1], 4, 30))
    ticks = iter([0.0] * 12)
    agent = agent_for(files, TABLES[1], "ms=1")
    monkeypatch.setattr(search.time, "perf_counter", lambda: next(ticks, 1.0))
    cut = agent.rate(position)
    monkeypatch.undo()
    groups = [agent_for(files, TABLES[1], f"evals={evals}").rate(position)[0] for evals in (1, 10_000)]
    assert np.isfinite(cut[0][1]) and cut[0] not in groups


def test_changes_of_plans_that_run_out_of_time_do_not_count(files, monkeypatch):
    """The clock stands still until one of its readings; then time is up. Only changes that were played count."""
    position = position_of(middle(TABLES[1], 4, 30))
    agent, improve = agent_for(files, TABLES[1], "ms=1,noise=0"), search._Line.improve
    found: dict[int, list] = {}
    for readings in range(40):
        ticks, played = iter([0.0] * readings), []
        with monkeypatch.context() as patch:
            patch.setattr(search.time, "perf_counter", lambda ticks=ticks: next(ticks, 1.0))
            patch.setattr(search._Line, "improve", lambda *given, played=played: played.append(improve(*given)))
            rated = agent.rate(position)
        assert np.isfinite([value for _, value in rated]).all()
        if readings > 12:  # the first futures are whole
            assert found.setdefault(len(played), rated) == rated
    assert len(found) > 3


def test_search_improves_on_an_untrained_network(tmp_path, request):
    """Playing on shows the better action: search takes the die if and only if that wins."""
    if COMPILED:  # run it in plain Python: compiling the search for another game takes longer
        python("-m", "pytest", "-q", "-n", "0", f"{__file__}::{request.node.name}", NUMBA_DISABLE_JIT="1")
        return
    table = {"num_players": 2, "rounds": 1, "open_hands": True}
    agent = SearchAgent(f"evals=400,network={network_file(tmp_path, SIXES, table)}")
    seen = {True: 0, False: 0}
    for seed in range(12):
        position = SIXES.position_class.new(table, seed=seed)
        while not position.is_over and position.phase != "take":
            position.apply(position.legal_numbers()[0])
        while position.to_play == 0:  # the last player's decision ends the game
            position.apply("pass")
        if not position.is_over:
            wins = bool(position.record.die <= position.record.number[1])
            assert SIXES.texts[agent.act(position)] == ("take" if wins else "pass")
            seen[wins] += 1
    assert min(seen.values()) > 1
