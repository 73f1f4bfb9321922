"""Commands that are measured in turns: what counts of what they did, and that they wait for their turns."""

from __future__ import annotations

import threading
import time

import pytest

from benchmarks.turns import Command, rate, take_turns

LOT = 0.02  # seconds


@pytest.mark.parametrize("processes", [1, 2, 3])
@pytest.mark.parametrize("apart", [0.0, 0.7])
def test_twice_as_many_processes_are_twice_as_fast(processes, apart):
    """Each plays a lot of 10 games in 5 seconds, all at once or one some time behind the other."""
    came = sorted(5.0 * lot + apart * k for k in range(processes) for lot in range(1, 7))
    counted = [(at, 10 * (k + 1)) for k, at in enumerate(came)]
    assert rate(counted, processes) == pytest.approx(2.0 * processes)


def command(at_work: list[str], name: str, wrong: bool = False) -> Command:
    def run(watch):
        watch(0, 1000)
        for lot in range(1, 1000):
            at_work.append(name)
            time.sleep(LOT)
            if wrong:
                raise ValueError("no such agent")
            watch(10 * lot, 1000)

    return Command(run, processes=1, waiting=1)


def test_commands_play_in_turns_and_end():
    at_work: list[str] = []
    before = threading.active_count()
    both = [command(at_work, "b"), command(at_work, "c")]
    found = take_turns({"one": [command(at_work, "a")], "two": both}, 3, 2)
    assert {name: len(rates) for name, rates in found.items()} == {"one": 2, "two": 2}
    assert all(0 < rate <= 10 / LOT for rate in found["one"]) and all(0 < rate <= 20 / LOT for rate in found["two"])
    turns = [name for k, name in enumerate(at_work) if k == 0 or (name == "a") != (at_work[k - 1] == "a")]
    assert len(turns) == 4 and at_work.count("a") == 3 * 5  # one lot that waits, one from which on they count, three
    assert threading.active_count() == before


def test_a_command_that_fails_or_ends_is_told():
    at_work: list[str] = []
    with pytest.raises(RuntimeError, match="no such agent"):
        take_turns({"one": [command(at_work, "a")], "two": [command(at_work, "b", wrong=True)]}, 1, 1)
    with pytest.raises(RuntimeError, match="more games"):
        take_turns({"one": [Command(lambda watch: watch(10, 10), 1, 1)]}, 1, 1)
