"""Redrawing hidden information keeps what the player knows, reaches every possibility, and changes nothing else.

A stage of `make mutants`, quick as plain Python. tests/test_properties.py tests that all possibilities are equally
likely.
"""

import numpy as np
import pytest

from carnegie_env import Position
from carnegie_env.carnegie import engine, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import new_start
from carnegie_env.core import kernels
from tests.players import redraw_hidden

PLACES = [(0, state.SIDES)] + [(n, phase) for n in (1, 9, 18, 20) for phase in (state.TIMELINE, state.TURN)]


def redrawn(game: np.ndarray, number: int, *fields: str) -> np.ndarray:
    """n copies of a game with their hidden information redrawn; only these fields and the generator may differ."""
    fields = (*fields, "rng")
    game = game.copy()
    kernels.refresh(game)  # the tests change the phase of games
    drawn = np.repeat(game, number)
    redraw_hidden(drawn, np.arange(number, dtype=np.uint64))
    for name in state.GAME.names:
        assert name in fields or (drawn[name] == game[name]).all(), name
    return drawn


# ---- Andrew's deck
@pytest.mark.parametrize("difficulty", ["normal", "expert"])
@pytest.mark.parametrize(("round_number", "phase"), PLACES)
def test_redrawn_deck_keeps_known_cards(round_number: int, phase: int, difficulty: str) -> None:
    game = Position.new({"num_players": 1, "difficulty": difficulty}, seed=8).games.copy()
    game["round_number"], game["phase"] = round_number, phase
    deck = game["deck"][0].tolist()
    faces = round_number - (phase == state.TIMELINE)  # known by face; the next one by its back
    backs = min(round_number + 1, t.DECK_SIZE)
    drawn = redrawn(game, 40, "deck")["deck"].tolist()
    for new in drawn:
        assert new[:faces] == deck[:faces] and len(set(new)) == t.DECK_SIZE
        assert t.CARD_BACK[new[:backs]].tolist() == t.CARD_BACK[deck[:backs]].tolist()
        assert t.CARD_ADVANCED[new[:backs]].tolist() == t.CARD_ADVANCED[deck[:backs]].tolist()
        assert t.CARD_ADVANCED[new].sum() == t.CARD_ADVANCED[deck].sum()
    for place in range(faces, t.DECK_SIZE):
        assert len({new[place] for new in drawn}) > 1
        assert place < backs or len({t.CARD_BACK[new[place]] for new in drawn}) > 1
    kinds = {tuple(t.CARD_ADVANCED[new[backs:]].tolist()) for new in drawn}
    assert len(kinds) > 1 or len(set(t.CARD_ADVANCED[deck[backs:]].tolist())) < 2


def test_every_card_with_the_known_back_is_drawn() -> None:
    game = Position.new({"num_players": 1, "difficulty": "normal"}, seed=8).games.copy()
    game["round_number"], game["phase"] = 12, state.TIMELINE
    deck = game["deck"][0]
    alike = (t.CARD_BACK == t.CARD_BACK[deck[11]]) & (t.CARD_ADVANCED == t.CARD_ADVANCED[deck[11]])
    left = set(np.flatnonzero(alike).tolist()) - set(deck[:11].tolist())
    assert len(left) > 1
    assert set(redrawn(game, 60, "deck")["deck"][:, 11].tolist()) == left


@pytest.mark.parametrize("difficulty", ["normal", "expert"])
def test_every_card_is_drawn_into_the_deck(difficulty: str) -> None:
    game = Position.new({"num_players": 1, "difficulty": difficulty}, seed=8).games
    assert set(redrawn(game, 80, "deck")["deck"].ravel().tolist()) == set(range(len(t.CARDS)))


def test_revealed_counts_the_backs_and_faces_of_cards() -> None:
    """The number changes with each back and each face, and with nothing else; -1 where more than cards is hidden."""
    game = Position.new({"num_players": 1, "difficulty": "normal"}, seed=8).games.copy()[0]
    found = []
    for number in range(1, t.ROUNDS + 1):
        game["round_number"] = number
        for phase in (state.TIMELINE, state.TURN, state.SIDES, state.DONATION):
            game["phase"] = phase
            found.append(engine.revealed(game))
    assert min(found) >= 0 and len(set(found)) == 2 * t.ROUNDS
    for k in range(0, len(found), 4):
        assert found[k + 1 : k + 4] == [found[k + 1]] * 3 != found[k : k + 1] * 3
    for module, told in ((state.NEW_START, False), (state.SECRET_DONATION, False), (state.NEW_DONATIONS, True)):
        game["modules"] = module
        assert (engine.revealed(game) == -1) != told
    game["modules"], game["round_number"] = 0, 0
    assert engine.revealed(game) == -1


# ---- neutral disks
@pytest.mark.parametrize("options", [{"num_players": 1}, {"num_players": 3}, {"num_players": 2, "new_start": True}])
def test_neutral_disks_are_redrawn_until_they_are_placed(options: dict) -> None:
    position = Position.new(options, seed=8)
    for sides in (0, 4 * position.num_players - 1):
        while position.phase == "sheet" or sum(c["tabs"][p]["side"] is not None for c in position.to_dict()["companies"]
                                               for p in t.PROJECTS) < sides:  # fmt: skip
            position.apply(position.legal_actions()[0])
        boards = set()
        for game in redrawn(position.games, 12, "deck", "sheet", "bid"):
            other = Position(game.reshape(1).copy())
            assert not (other.games["owner"] == state.NEUTRAL).any()
            while other.phase in ("sheet", "sides"):
                other.apply(other.legal_actions()[0])
            assert (other.games["owner"] == state.NEUTRAL).any()
            boards.add(other.games["owner"].tobytes())
        assert len(boards) == 12
    position.apply(position.legal_actions()[0])
    redrawn(position.games, 3, "deck")  # they are on the board now


# ---- sheets of a new start
SHEET = ["sheet goods 4", "sheet employees 4", "sheet points 3", "sheet moves 6", "bid 5"]


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("lines", [0, 1, 4])
def test_earlier_sheets_are_redrawn(seat: int, lines: int) -> None:
    position = Position.new({"num_players": 3, "new_start": True})
    for action in SHEET * seat + SHEET[:lines]:
        position.apply(action)
    assert not new_start.revealed(position.games[0])
    drawn = redrawn(position.games, 80, "sheet", "bid")
    offers = t.NEW_START_OFFERS[np.arange(4), drawn["sheet"][:, :seat], t.OFFER_COST]
    bids = drawn["bid"][:, :seat]
    assert (bids >= 0).all() and (offers.sum(axis=-1) + bids <= t.NEW_START_BUDGET).all()
    assert (drawn["sheet"][:, seat:] == position.games["sheet"][:, seat:]).all()
    assert (drawn["bid"][:, seat:] == state.NONE).all()
    for other in range(seat):
        for line in range(4):
            assert set(drawn["sheet"][:, other, line].tolist()) == set(range(5))
        assert 10 < len(set(bids[:, other].tolist())) and bids[:, other].max() > 20


@pytest.mark.parametrize("lines", [0, 1, 3])
def test_later_sheets_are_redrawn_for_an_earlier_seat(lines: int) -> None:
    """A seat that has handed in its sheet can't see the others, not even the one that is being filled in."""
    position = Position.new({"num_players": 3, "new_start": True})
    for action in SHEET * 2 + SHEET[:lines]:
        position.apply(action)
    drawn = np.repeat(position.games, 80)
    kernels.redraw_hidden(drawn, np.zeros(80, np.int64), np.arange(80, dtype=np.uint64))
    assert (drawn["sheet"][:, 0] == position.games["sheet"][0, 0]).all()
    assert (drawn["bid"][:, 0] == position.games["bid"][0, 0]).all() and (drawn["bid"][:, 1] >= 0).all()
    assert (drawn["to_play"] == 2).all() and (drawn["bid"][:, 2:] == state.NONE).all()
    assert (drawn["sheet"][:, 2, lines:] == state.NONE).all()
    for seat, line in [*((1, line) for line in range(4)), *((2, line) for line in range(lines))]:
        assert set(drawn["sheet"][:, seat, line].tolist()) == set(range(5))


# ---- secret donations
@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("phase", [state.SECRET, state.TURN])
def test_secret_donations_of_others_are_redrawn(seat: int, phase: int) -> None:
    game = Position.new({"num_players": 3, "secret_donation": True}).games.copy()
    game["phase"], game["to_play"] = phase, seat
    chosen = range(seat if phase == state.SECRET else 3)
    for other in chosen:
        game["secret"][0, other] = 3 + 5 * other
    drawn = redrawn(game, 160, "secret")["secret"]
    for other in range(3):
        hidden = other in chosen and other != seat
        wanted = set(range(len(t.DONATIONS))) if hidden else {int(game["secret"][0, other])}
        assert set(drawn[:, other].tolist()) == wanted


def test_secret_donations_are_known_at_the_end() -> None:
    game = Position.new({"num_players": 2, "secret_donation": True}).games.copy()
    game["phase"], game["to_play"] = state.OVER, state.NONE
    game["secret"][0, :2] = 3, 8
    redrawn(game, 40)  # revealed
