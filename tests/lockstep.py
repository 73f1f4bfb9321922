"""An engine and a referee play the same game: player to move, legal actions, position and scores must always agree."""

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.scenario import differences

Choose = Callable[[random.Random, dict, set[str], str], str]  # chance, position, legal actions, style -> an action


class Lockstep:
    """A game as played by the engine and by the referee.

    Args:
        title: of the game, for failures.
        position: the engine's.
        referee: in the same position.
        choose: the players.
    """

    def __init__(self, title: str, position: Any, referee: Any, choose: Choose):
        self.title, self.position, self.referee, self.choose = title, position, referee, choose
        self.actions: list[str] = []
        self.seen: dict = {}  # the referee's last position

    def same(self, what: str, engine: object, referee: object) -> None:
        """Fail if the two sides differ in something."""
        if engine != referee:
            where = f"{self.title}, decision {len(self.actions)}, phase {self.referee.phase}"
            found = "\n  ".join(itertools.islice(differences(engine, referee, exact=True), 40))
            last = "; ".join(self.actions[-12:])
            pytest.fail(f"{where}: {what} differs\n  {found}\nlast actions: {last}", pytrace=False)

    def check(self) -> set[str]:
        self.same("player to move", self.position.to_play, self.referee.to_play)
        self.seen = self.referee.to_dict()
        self.same("position", self.position.to_dict(), self.seen)
        engine, legal = list(self.position.legal_actions()), self.referee.legal_actions()
        self.same("number of legal actions", len(engine), len(set(engine)))
        if set(engine) != legal:
            self.same("legal actions", {"legal": sorted(engine)}, {"legal": sorted(legal)})
        return legal

    def check_scores(self) -> None:
        self.same("score", self.position.score_breakdown(), self.referee.score_breakdown())

    def apply(self, action: str) -> None:
        self.actions.append(action)
        self.position.apply(action)
        self.referee.apply(action)

    def play_out(self, rng: random.Random, style: str) -> None:
        """Play to the end, comparing every position."""
        while legal := self.check():
            if len(self.actions) % 25 == 0:
                self.check_scores()
            self.apply(self.choose(rng, self.seen, legal, style))
        assert self.position.to_play is None
        self.check_scores()
