"""The model of games on a cluster: what it says where that can be reckoned by hand."""

from __future__ import annotations

import dataclasses

import pytest

from benchmarks.cluster_model import Costs, simulate

COSTS = Costs(lot=100, play=10.0, spread=0.1, give=0.001, take=0.001, bytes=1000, bandwidth=1e9)


def test_cores_that_nothing_holds_up_play_as_fast_as_they_can():
    for nodes, slots in ((1, 1), (1, 2), (3, 8)):
        found = simulate(COSTS, nodes, slots, 40)
        assert found.rate == pytest.approx(10 * nodes * slots, rel=0.05) and found.limit == "cores"
        assert found.driver == pytest.approx(found.rate / 100 * 0.002) and found.cores == pytest.approx(1, rel=0.05)


def test_the_driver_and_the_link_hold_up_whoever_is_faster():
    driver = simulate(dataclasses.replace(COSTS, take=0.5, give=0.1), 10, 4, 20)
    assert driver.rate == pytest.approx(100 / 0.6, rel=0.02) and driver.limit == "driver" and driver.cores < 0.5
    link = simulate(dataclasses.replace(COSTS, bandwidth=2000), 10, 4, 20)
    assert link.rate == pytest.approx(100 / 0.5, rel=0.02) and link.limit == "link"


def test_lots_are_not_begun_far_behind_one_that_takes_long():
    steady = simulate(dataclasses.replace(COSTS, spread=0.01), 1, 16, 60)
    uneven = simulate(dataclasses.replace(COSTS, spread=3.0), 1, 16, 60)
    assert uneven.rate < 0.95 * steady.rate


def test_the_same_seed_gives_the_same():
    assert simulate(COSTS, 2, 4, 10, seed=1) == simulate(COSTS, 2, 4, 10, seed=1) != simulate(COSTS, 2, 4, 10, seed=2)
