"""Agents for the arena's tests: well-behaved ones and faulty ones."""

import os
import subprocess
import threading
import time
from pathlib import Path

import msgspec
import numpy as np

from carnegie_env.agents.base import Agent, Judgement
from carnegie_env.workers.processes import at_work

MISFITS = "tests.arena.misfits:"  # before the name of an agent in the registry


def without_times(lines):
    """Games to compare with those of another run."""
    return [msgspec.structs.replace(line, clocks={}) for line in lines]


def starts_another(connection, traces):
    """A process that starts another one and tells its number; then it crashes, if asked to, or works on."""
    with at_work(traces):
        request = connection.recv()
        connection.send(subprocess.Popen(["sleep", "600"]).pid)
        if request == "crash":
            os._exit(3)
        connection.recv()


def starts_another_unwatched(connection, traces):
    """The same, but only its connection tells it that its parent has ended."""
    threading.Thread.start = lambda thread: None
    starts_another(connection, traces)


def starts_another_unread(connection, traces):
    """The same, but the parent has not read all messages."""
    threading.Thread.start = lambda thread: None
    with at_work(traces):
        connection.recv()
        connection.send(subprocess.Popen(["sleep", "600"]).pid)
        connection.send("one more")
        connection.recv()


class First(Agent):
    """Takes the lowest legal action, in one game after the other."""

    def choose(self, batch):
        return batch.action_masks().argmax(axis=1)


class Last(First):
    """Takes the highest legal action, in many games at once."""

    side_by_side = True

    def choose(self, batch):
        return batch.num_actions - 1 - batch.action_masks()[:, ::-1].argmax(axis=1)


class Slow(Last):
    """Creates a file named after its process, and plays slowly."""

    side_by_side = False

    def choose(self, batch):
        Path(f"process-{os.getpid()}").touch()
        time.sleep(0.002)
        return super().choose(batch)


class Patient(Last):
    """Plays slowly, in one game after the other, so that nodes can be killed meanwhile."""

    side_by_side = False
    version = "p1"

    def choose(self, batch):
        time.sleep(0.01)
        return super().choose(batch)


class AtSeat0(Last):
    """Commits a fault on seat 0."""

    def choose(self, batch):
        return self.wrong(batch) if (batch.to_play == 0).any() else super().choose(batch)


class Crashes(AtSeat0):
    def wrong(self, batch):
        raise RuntimeError("out of ideas")


class Raves(AtSeat0):
    def wrong(self, batch):
        raise RuntimeError("\ud800 \x1b]0;title\x07 ä")


class Exits(AtSeat0):
    def wrong(self, batch):
        raise SystemExit(3)


class Dies(AtSeat0):
    def wrong(self, batch):
        os._exit(7)


class Hangs(AtSeat0):
    def wrong(self, batch):
        time.sleep(1e6)


class AnswersNonsense(AtSeat0):
    def act_batch(self, batch, rows=None):
        return ["what?"] if (batch.to_play == 0).any() else super().act_batch(batch, rows)


class PlaysIllegally(AtSeat0):
    def wrong(self, batch):
        return np.full(batch.num_games, -7)


class Cheats(Last):
    """Plays the games that it gets to their ends, which must not change the real games."""

    def choose(self, batch):
        actions = super().choose(batch)
        batch.play_to_end(0)
        return actions


class Spy(Last):
    """Collects the seats to move and the secret numbers in the games that it gets."""

    seen: list = []

    def choose(self, batch):
        self.seen.extend(zip(batch.to_play.tolist(), batch.games["number"].tolist(), strict=True))
        return super().choose(batch)


class CantBeMade(First):
    def __init__(self):
        raise RuntimeError("no licence")


class PlaysChess(First):
    games = ("chess",)


class Thoughtful(Last):
    """Values an action at minus its number, with twice as many visits."""

    version = "v7"

    def judge(self, batch):
        numbers = np.tile(np.arange(batch.num_actions), (batch.num_games, 1))
        return Judgement(self.choose(batch), -numbers.astype(float), 2 * numbers)


class Babbler(Last):
    """Gives NaN as the value of every action."""

    def judge(self, batch):
        return Judgement(self.choose(batch), np.full((batch.num_games, batch.num_actions), np.nan))


class Chatterbox(Last):
    """Gives a tuple in place of a Judgement."""

    def judge(self, batch):
        return tuple(super().judge(batch))


class Secretive(Last):
    """Gives values that can't be converted to an array, like a tensor on a GPU."""

    def __array__(self, *_, **__):
        raise TypeError("can't convert")

    def judge(self, batch):
        return Judgement(self.choose(batch), self)


class Fickle(First):
    """Fails in several games at once, but not in one alone."""

    side_by_side = True

    def choose(self, batch):
        if batch.num_games > 1:
            raise RuntimeError("too many of them")
        return super().choose(batch)
