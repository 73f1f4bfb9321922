"""Functions of the rules that only invariants, texts and agents use, against the written position."""

import random

from carnegie_env import Position
from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, new_departments, timeline

TILES = set(t.DEPARTMENTS[1 : t.NUM_TILES + 1])


def compared(position: Position) -> int:
    """Compare the rules with the written position of three seats; return the most tiles in a company."""
    written, game = position.to_dict(), position.games[0]
    built = [sum(name in TILES for name in shown["departments"].values()) for shown in written["companies"]]
    assert [company.tiles_built(game, seat) for seat in range(3)] == built
    assert [timeline.first_place(game, seat) for seat in range(3)] == [0, 1, 2]  # seat 0 began
    assert timeline.rounds_played(game) == sum(written["timeline"]["markers"].values())
    return max(built)


def test_tiles_built_and_rounds_played() -> None:
    position, chance = Position.new({"num_players": 3, "diverse_setup": True}, seed=4), random.Random(1)
    most, taken = 0, 0
    while position.phase != "over":
        taken += 1
        if taken % 7 == 1 or position.phase == "timeline":
            most = max(most, compared(position))
        legal = position.legal_actions()
        busy = [action for action in legal if action.startswith(("department", "activate"))]
        position.apply(chance.choice(busy or [action for action in legal if action != "pass"] or legal))
    assert compared(position) >= most > 1
    assert timeline.rounds_played(position.games[0]) == t.ROUNDS


def test_rounds_played_before_the_first() -> None:
    game = Position.new({"num_players": 4}, seed=4).games[0]
    assert game["phase"] == state.SIDES and timeline.rounds_played(game) == 0


def test_departments_with_halves() -> None:
    with_halves = [name for code, name in enumerate(t.DEPARTMENTS) if new_departments.has_halves(code)]
    assert with_halves == ["local_partners", "branding", "renovation", "knowledge_sharing"]
