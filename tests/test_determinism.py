"""The same options, seed and actions give the same game: in a batch of any size, on any number of threads, in a
position, in another process, today and tomorrow (tests/test_golden.py holds the latter)."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from carnegie_env import Batch, GameRecord, Position
from tests import players
from tests.players import ALL_ON, MODES

ROOT = Path(__file__).resolve().parents[1]
NUM_GAMES = 200  # more than two slices


def play(batch: Batch, decisions: int, seed: int = 0) -> list[np.ndarray]:
    """Step a batch by a style that depends on rows and seed only; the actions of every step."""
    generator, weight = np.random.default_rng(seed), players.weights("busy")
    taken = []
    for _ in range(decisions):
        taken.append(players.choose(batch.action_masks(), weight, generator))
        batch.step(taken[-1])
    return taken


@pytest.mark.parametrize("mode", [*MODES[2:], ALL_ON[0], ALL_ON[3]], ids=players.mode_name)
def test_any_number_of_threads_gives_the_same_games(mode: dict) -> None:
    outcomes = []
    for threads in (1, 2, 3, 7):
        batch = Batch(NUM_GAMES, num_threads=threads, autoreset=True, **mode)
        batch.reset(17)
        actions = play(batch, 120)
        ended = batch.copy()
        ended.play_to_end(5)
        outcomes.append(
            (
                [a.tolist() for a in actions],
                players.mark(batch.games),
                players.mark(ended.games),
                batch.observe().tobytes(),
                batch.scores().tolist(),
                ended.breakdown().tolist(),
                batch.action_masks().tobytes(),
                Batch.playouts(batch.games[3:4], 150, seed=4, num_threads=threads).tolist(),
            )
        )
        batch.reset()  # the next seed of every row
        outcomes[-1] += (players.mark(batch.games),)
    for other in outcomes[1:]:
        for one, another in zip(outcomes[0], other, strict=True):
            assert one == another


@pytest.mark.parametrize("mode", [*MODES, *ALL_ON], ids=players.mode_name)
def test_batch_and_position_play_the_same_games(mode: dict) -> None:
    seeds = [0, 1, 2**63, 2**64 - 1]
    batch = Batch(len(seeds), num_threads=2, **mode)
    batch.reset(seeds)
    positions = [Position.new(mode, seed) for seed in seeds]
    generator, weight = np.random.default_rng(3), players.weights("patient")
    while not batch.done.all():
        actions = players.choose(batch.action_masks(), weight, generator)
        for k, position in enumerate(positions):
            assert position.to_play == (None if actions[k] < 0 else batch.to_play[k])
            assert np.array_equal(position.games, batch.games[k : k + 1])
            if actions[k] >= 0:
                position.apply(int(actions[k]))
        batch.step(actions)
    for k, position in enumerate(positions):
        assert np.array_equal(position.games, batch.games[k : k + 1])
        assert np.array_equal(position.breakdown(), batch.breakdown()[k])
        record = GameRecord.of(position)
        assert record.seed == seeds[k] and record.replay() == position


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    mode = {"num_players": 3}
    large, small = Batch(130, num_threads=2, **mode), Batch(1, num_threads=1, **mode)
    large.reset(500)
    small.reset(500 + 77)
    weight, generator = players.weights("whims", 1), np.random.default_rng(0)
    while not small.done[0]:
        action = players.choose(small.action_masks(), weight, np.random.default_rng(int(small.games["decisions"][0])))
        actions = players.choose(large.action_masks(), weight, generator)
        actions[77] = action[0]
        large.step(actions)
        small.step(action)
        assert np.array_equal(large.games[77:78], small.games)


def test_games_that_end_start_anew_with_seeds_of_their_own() -> None:
    """With autoreset a row goes through the same games as one that is reset by hand."""
    mode = {"num_players": 2}
    auto, hand = Batch(3, autoreset=True, **mode), Batch(3, **mode)
    for batch in (auto, hand):
        batch.reset(9)
    ended, firsts = 0, set()
    generator, weight = np.random.default_rng(1), players.weights("uniform")
    while ended < 12:
        actions = players.choose(hand.action_masks(), weight, generator)
        auto.step(actions)
        hand.step(actions)
        assert np.array_equal(auto.last_done, hand.done)
        scores = np.where(hand.done[:, None], hand.scores(), 0)
        assert np.array_equal(auto.last_scores, scores)
        ended += int(hand.done.sum())
        if hand.done.any():
            hand.reset(mask=hand.done)
            firsts.update(hand.games["rng"][auto.last_done].tolist())
        assert np.array_equal(auto.games, hand.games)
    assert len(firsts) == ended  # no game comes twice


@pytest.mark.parametrize("mode", [MODES[1], *MODES[4:], ALL_ON[0], ALL_ON[2]], ids=players.mode_name)
def test_playouts_are_decided_by_their_seed(mode: dict) -> None:
    game = players.whole_game(mode, 6, "busy")
    position = game.position(len(game) // 2)
    before = players.mark(position.games)
    totals = Batch.playouts(position, 200, seed=11, num_threads=2)
    assert players.mark(position.games) == before
    assert totals.shape == (200, len(position.scores())) and totals.dtype == np.int32
    assert np.array_equal(totals, Batch.playouts(position.games, 200, seed=11, num_threads=1))
    assert np.array_equal(totals[:70], Batch.playouts(position, 70, seed=11, num_threads=1))  # (seed, i) decides
    assert not np.array_equal(totals, Batch.playouts(position, 200, seed=12, num_threads=2))
    assert len({tuple(row) for row in totals.tolist()}) > 20  # they are not all one game
    over = game.position(len(game))
    assert np.array_equal(Batch.playouts(over, 3)[:, : over.num_players], [over.scores()[: over.num_players]] * 3)


def test_different_seeds_give_different_games() -> None:
    for mode in (*MODES, *ALL_ON):
        batch = Batch(400, num_threads=1, **mode)
        batch.reset(0)
        dealt = {players.mark(batch.games[k : k + 1]) for k in range(400)}
        assert len(dealt) == 400


@pytest.mark.parametrize("mode", [MODES[6], ALL_ON[3]], ids=players.mode_name)
def test_copies_play_on_identically(mode: dict) -> None:
    batch = Batch(5, autoreset=True, **mode)
    batch.reset(3)
    play(batch, 60)
    others = [batch.copy(), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    taken = play(batch, 150, seed=8)
    for other in others:
        for actions in taken:
            other.step(actions)
        assert np.array_equal(other.games, batch.games)
        other.reset()
    batch.reset()
    assert all(np.array_equal(other.games, batch.games) for other in others)


def test_python_threads_do_not_disturb_each_other() -> None:
    """Batches of their own in threads of their own; the compiled loops release the lock."""

    def run(number: int) -> str:
        batch = Batch(70, num_threads=1 + number % 2, autoreset=True, **MODES[number % len(MODES)])
        batch.reset(number)
        play(batch, 60, seed=number)
        return players.mark(batch.games)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(8))) == [run(number) for number in range(8)]


_OTHER_PROCESS = """
from tests import players
modes = (*players.MODES, *players.ALL_ON)
print(" ".join(players.mark(players.whole_game(mode, 5, "whims", True).games) for mode in modes))
"""


def test_another_process_plays_the_same_games() -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "12345"}
    found = subprocess.run([sys.executable, "-c", _OTHER_PROCESS], cwd=ROOT, env=environment, capture_output=True,
                           text=True, timeout=300)  # fmt: skip
    assert found.returncode == 0, found.stderr[-3000:]
    mine = [players.mark(players.whole_game(mode, 5, "whims", True).games) for mode in (*MODES, *ALL_ON)]
    assert found.stdout.split() == mine
