"""Agents for the arena's tests: some play, some do what no agent should."""

import os
import time
from pathlib import Path

import numpy as np

from carnegie_env.agents.base import Agent


class First(Agent):
    """Takes the lowest legal action, each game for itself."""

    def choose(self, batch):
        return batch.action_masks().argmax(axis=1)


class Last(First):
    """Takes the highest legal action, in many games at once."""

    side_by_side = True

    def choose(self, batch):
        return batch.num_actions - 1 - batch.action_masks()[:, ::-1].argmax(axis=1)


class Slow(Last):
    """Leaves a file with the number of its process behind, and takes its time."""

    side_by_side = False

    def choose(self, batch):
        Path(f"process-{os.getpid()}").touch()
        time.sleep(0.002)
        return super().choose(batch)


class Patient(Last):
    """Takes its time, in one game after the other: so nodes are killed while they are at it."""

    side_by_side = False
    version = "p1"

    def choose(self, batch):
        time.sleep(0.01)
        return super().choose(batch)


class AtSeat0(Last):
    """Does something wrong on seat 0."""

    def choose(self, batch):
        return self.wrong(batch) if (batch.to_play == 0).any() else super().choose(batch)


class Crashes(AtSeat0):
    def wrong(self, batch):
        raise RuntimeError("out of ideas")


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
    """Ends the games that it is handed, and says what it has seen of them."""

    def choose(self, batch):
        actions = super().choose(batch)
        batch.play_to_end(0)
        return actions


class Spy(Last):
    """Keeps the secret numbers of what it is handed, and who is to move."""

    seen: list = []

    def choose(self, batch):
        self.seen.extend(zip(batch.to_play.tolist(), batch.games["number"].tolist(), strict=True))
        return super().choose(batch)


class CantBeMade(First):
    def __init__(self):
        raise RuntimeError("no licence")


class PlaysChess(First):
    games = ("chess",)
