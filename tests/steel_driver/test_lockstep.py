"""Steel Driver's engine and its referee (tests/steel_driver/referee), which knows nothing of the engine's rules, play
the same games: all numbers of players, several styles of play."""

import random

import pytest

from carnegie_env.steel_driver import actions
from carnegie_env.steel_driver.game import Position
from tests.amounts import LONG
from tests.lockstep import Lockstep
from tests.steel_driver.referee import Referee, play
from tests.steel_driver.referee.components import LINKS

PLAYERS = (3, 4, 5, 6)
DECISIONS = 720 if LONG else 360  # of each number of players and style: 20,000 or 10,000 in all


class Game(Lockstep):
    """One game from the set-up on; at its end the places are also the same.

    Attributes:
        met: what came about that seldom does, by a name.
    """

    def __init__(self, num_players: int, seed: int) -> None:
        options = {"num_players": num_players, "show_forced": seed % 3 == 0}
        position = Position.new(options, seed)
        start = position.to_dict()
        super().__init__(f"{options}, seed {seed}", position, Referee.from_dict(start), play.choose)
        self.met: set[str] = set()
        # of the generator, of which nothing is drawn, only the engine knows
        self.same("set-up", start, Referee(**options).to_dict() | {"rng": start["rng"]})

    def play_out(self, rng: random.Random, style: str) -> None:
        super().play_out(rng, style)
        self.same("places", [place + 1 for place in self.position.places()], self.referee.ranks())

    def check(self) -> set[str]:
        legal, d = super().check(), self.seen
        companies = d["companies"].values()
        if any(company["profit"] and company["controller"] is None for company in companies):
            self.met.add("a bonus that nobody gets")
        if d["transcontinental"]:
            self.met.add(f"a line of {len(d['transcontinental']['companies'])}")
        if max(len(company["links"]) for company in companies) == LINKS:
            self.met.add("a company's last link")
        if d["phase"] == "open" and d["round"] > 1 and d["supply"] < len(d["players"]):
            self.met.add("too few cubes")
        if d["phase"] == "over":
            ranks = {(row["total"], row["goods"]) for row in self.referee.score_breakdown()}
            if len(ranks) < len(d["players"]):
                self.met.add("a tie at the end")
        return legal


def whole_game(num_players: int, seed: int, style: str) -> Game:
    game = Game(num_players, seed)
    game.play_out(random.Random(f"{seed} {num_players} {style}"), style)
    return game


@pytest.mark.parametrize("style", play.STYLES)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_whole_games(num_players: int, style: str) -> None:
    decisions, seed = 0, 0
    while decisions < DECISIONS:
        seed += 1
        decisions += len(whole_game(num_players, seed, style).actions)


def test_the_games_meet_what_seldom_comes_about() -> None:
    games = [whole_game(3, seed, style) for seed in (1, 2) for style in play.STYLES]
    games += [whole_game(6, seed, "passer") for seed in range(1, 7)]
    met = set[str]().union(*(game.met for game in games))
    wanted = {"a bonus that nobody gets", "a line of 2", "a company's last link", "too few cubes", "a tie at the end"}
    assert met >= wanted, sorted(wanted - met)
    assert {text.split()[0] for game in games for text in game.actions} == {text.split()[0] for text in actions.TEXTS}
