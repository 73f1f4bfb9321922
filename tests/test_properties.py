"""Redrawn hidden information of Carnegie: every possibility is equally likely, and play-outs don't depend on it."""

import numpy as np
import pytest

from carnegie_env import Batch
from carnegie_env.carnegie import observation, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import MODULES
from carnegie_env.carnegie.rules import setup
from carnegie_env.core import kernels
from tests import players
from tests.core.test_rng import chi_square, limit
from tests.players import ALL_ON, EXPANDED, MODES, redraw_hidden

ROUNDS = 20


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_secret_donations_of_others_are_equally_likely(num_players: int) -> None:
    games = players.whole_game(ALL_ON[num_players - 1], 3, "patient").games
    for at in (len(games) // 2, np.flatnonzero(games["phase"] == state.SECRET)[-1]):
        drawn = np.repeat(games[at : at + 1], 20_000)
        redraw_hidden(drawn, np.arange(20_000, dtype=np.uint64) * np.uint64(977))
        for seat in range(num_players):
            secret = drawn["secret"][:, seat]
            if seat == games[at].to_play or games[at]["secret"][seat] < 0:
                assert (secret == games[at]["secret"][seat]).all()
            else:
                counts = np.bincount(secret, minlength=len(t.DONATIONS))
                assert chi_square(counts) < limit(len(t.DONATIONS) - 1)


def test_playouts_do_not_depend_on_hidden_information() -> None:
    for mode in ALL_ON[1:]:
        games = players.whole_game(mode, 5, "patient").games
        for at in (np.flatnonzero(games["phase"] == state.SHEET)[-1], len(games) * 2 // 3):
            one, other = games[at : at + 1].copy(), games[at : at + 1].copy()
            for seat in range(mode["num_players"]):
                if seat != one["to_play"][0]:
                    if one["secret"][0, seat] >= 0:
                        other["secret"][0, seat] = (one["secret"][0, seat] + 7) % len(t.DONATIONS)
                    if one["phase"][0] == state.SHEET:
                        other["sheet"][0, seat], other["bid"][0, seat] = 0, 1
            assert players.mark(one) != players.mark(other)
            first, second = (Batch.playouts(record, 40, seed=9, num_threads=1) for record in (one, other))
            assert np.array_equal(first, second) and len(np.unique(first, axis=0)) > 20


def test_sizes_depend_on_whether_any_module_is_on() -> None:
    for num_players in (1, 2, 3, 4):
        sizes = set()
        for mode in [*EXPANDED, *MODES]:
            if mode["num_players"] == num_players:
                batch = Batch(1, num_threads=1, **mode)
                on = any(mode.get(module) for module in MODULES)
                sizes.add((on, batch.num_actions, batch.observation_size))
                base = observation.layout(num_players, False)
                assert batch.observation_layout.names[: len(base)] == base.names
        assert len(sizes) == 2 and (False, 333, base.size) in sizes
        assert {(on, number) for on, number, _ in sizes} == {(False, 333), (True, 673)}


# ---------------------------------------------------------------- hidden cards


def possible_decks(game: np.record) -> list[tuple[int, ...]]:
    """Every possible deck: some cards are known by their faces, and more by their backs (ruling 32)."""
    faces, backs = int(game.round_number) - (game.phase == state.TIMELINE), min(int(game.round_number) + 1, ROUNDS)
    deck, advanced = game["deck"].tolist(), int(sum(t.CARD_ADVANCED[game["deck"]]))

    def fits(r: int, card: int) -> bool:
        same = t.CARD_BACK[card] == t.CARD_BACK[deck[r]] and t.CARD_ADVANCED[card] == t.CARD_ADVANCED[deck[r]]
        return r >= backs or bool(same)

    found = [tuple(deck[:faces])]
    for r in range(faces, ROUNDS):
        found = [one + (c,) for one in found for c in range(len(t.CARDS)) if c not in one and fits(r, c)]
    return [one for one in found if sum(t.CARD_ADVANCED[list(one)]) == advanced]


@pytest.mark.parametrize(("difficulty", "first_round"), [("normal", 19), ("difficult", 18), ("expert", 18)])
def test_possible_decks_are_equally_likely(difficulty: str, first_round: int) -> None:
    """Near the end of the game, where all possible decks can be listed."""
    game = players.whole_game({"num_players": 1, "difficulty": difficulty}, 3, "busy")
    at = np.flatnonzero(game.games["round_number"] >= first_round)[0]
    record = game.games[at : at + 1]
    decks = {deck: k for k, deck in enumerate(possible_decks(record[0]))}
    drawn = np.repeat(record, min(40 * len(decks), 60_000))
    redraw_hidden(drawn, np.arange(len(drawn), dtype=np.uint64))
    counts = np.zeros(len(decks))
    for deck in drawn["deck"].tolist():
        counts[decks[tuple(deck)]] += 1
    assert len(decks) > 5 and counts.min() > 0
    assert chi_square(counts) < limit(len(decks) - 1)


def test_cards_are_equally_likely_at_the_start() -> None:
    """In set-up only the back of the first card is known; every other place is equal, for each kind of card."""
    games = setup.template(players.Position.new(MODES[2]).options)
    kernels.start(games, games.copy(), np.array([5], np.uint64))
    drawn = np.repeat(games, 40_000)
    redraw_hidden(drawn, np.arange(len(drawn), dtype=np.uint64) * np.uint64(977))
    deck, first = drawn["deck"], games["deck"][0, 0]
    same_back = (t.CARD_BACK == t.CARD_BACK[first]) & (t.CARD_ADVANCED == t.CARD_ADVANCED[first])
    tops = np.bincount(deck[:, 0], minlength=len(t.CARDS))
    assert (tops[~same_back] == 0).all() and chi_square(tops[same_back]) < limit(int(same_back.sum()) - 1)
    others = np.array([np.bincount(deck[:, r], minlength=len(t.CARDS)) for r in range(1, ROUNDS)])
    for kind in (0, 1):
        for of_first in (True, False):
            alike = others[:, (t.CARD_ADVANCED == kind) & (same_back == of_first)]
            if alike.size:
                # of the 19 places of a game, which are not independent
                assert chi_square(alike[[0, 9, 18]]) < limit(3 * alike.shape[1] - 1)
