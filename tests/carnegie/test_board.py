"""The board as text: its contents and its width, and nothing hidden."""

import copy

import pytest

from carnegie_env import Position
from carnegie_env.carnegie import board, names, state
from carnegie_env.carnegie import tables as t
from carnegie_env.render.text import victory
from tests import walks


@pytest.mark.parametrize("phase", [*names.PHASES][4:])
def test_the_title_says_what_is_decided(phase: str) -> None:
    modules = ["all"] if state.PHASES.index(phase) > state.OVER else []
    position = Position.from_dict(walks.example(phase, 3 if phase == "charity" else 2, *modules))
    title = " ".join(position.render().partition("\n\n")[0].split())  # with all modules it takes two lines
    assert f"player_{position.to_play} {names.PHASES[phase]}" in title


def test_hidden_choices_of_others_are_not_shown() -> None:
    """Another sealed sheet or secret donation of another player: the same board (rulings 40 and 44)."""
    known = walks.example("turn", 3, "secret_donation")
    for seat in range(3):
        other = copy.deepcopy(known)
        chosen = known["companies"][seat]["secret"]
        other["companies"][seat]["secret"] = "health_south" if chosen != "health_south" else "welfare_flat"
        same = Position.from_dict(other).render() == Position.from_dict(known).render()
        assert same == (seat != known["to_play"])
    position = Position.new({"num_players": 2, "new_start": True}, 1)
    for action in ("sheet goods 4", "sheet employees 5", "sheet points 0", "sheet moves 6"):
        position.apply(action)
    boards = []
    for bid in ("bid 0", "bid 7"):
        other = position.copy()
        other.apply(bid)
        boards.append(other.render())
    assert boards[0] == boards[1] and boards[0] != position.render()


def test_all_cities_cells_and_pieces_are_shown() -> None:
    for players in (1, 4):
        board = walks.example("turn", players)
        shown = Position.from_dict(board).render()
        for name in (*names.CITIES, *names.REGIONS, *t.PROJECTS, *names.ACTIONS):
            assert name in shown
        assert all(rule in shown for rule in names.SHORT_RULES[: len(t.DONATIONS)])
        for tile in board["display"]:
            assert names.DEPARTMENTS[t.DEPARTMENTS.index(tile)] in shown
        assert shown.count("+-------------" * 4 + "+") == 5 * players


def test_a_new_game_of_two() -> None:
    shown = Position.new({"num_players": 2}, 1).render()
    assert shown.startswith("CARNEGIE   2 players   set-up   player_0 chooses the side of a project tab\n\nTIMELINE")
    assert "PLAYER_0  (first player, decides)      $12  4 goods  0 VP" in shown
    assert "|row 4, col 1 |Lobby        |Human Res    |row 4, col 4 |" in shown
    assert "|             | ooooo       | P@.         |             |" in shown
    assert shown.endswith("PLAYER_0 CAN PLAY\n  housing tab, side: A | B")


def test_of_the_deck_only_backs_and_turned_cards_are_shown() -> None:
    known = walks.example("timeline", 1)
    round_number, deck = known["round"], known["andrew"]["deck"]
    shown = Position.from_dict(known).render()
    assert not any(card in shown for card in deck)
    backs = {card: names.ACTIONS[t.CARD_BACK[k]] for k, card in enumerate(t.CARDS)}
    assert f"card of the round: back {backs[deck[round_number - 1]]}" in shown
    assert f"next card: back {backs[deck[round_number]]}" in shown
    turned = walks.example("turn", 1)
    shown = Position.from_dict(turned).render()
    deck = turned["andrew"]["deck"]
    assert [card for card in deck if card in shown] == [deck[turned["round"] - 1]]


def test_the_end_names_the_winner() -> None:
    for mode in ({"num_players": 1}, {"num_players": 3}):
        position = list(walks.walk(mode, seed=2))[-1]
        sides = [*(f"player_{seat}" for seat in range(position.num_players)), "andrew"]
        best = [side for side, score in zip(sides, position.scores(), strict=False) if score == max(position.scores())]
        assert position.render().split("\n")[-1].strip() == victory(best)


def test_actions_with_the_same_start_share_a_line() -> None:
    position = next(p for p in walks.walk({"num_players": 4}, seed=3) if p.phase == "housing")
    lines = board.actions(position)
    assert lines[0].startswith("  build housing in: San Francisco (3 VP) | Denver (2 VP) | Los Angeles (3 VP) | ")
    shown = " ".join(line.strip() for line in lines)
    assert all(names.action(position.record, n).split(" in ")[-1] in shown for n in position.legal_numbers())


@pytest.mark.parametrize("width", [79, 121, 0, True, 100.0, "100"])
def test_a_wrong_width(width: object) -> None:
    with pytest.raises(ValueError, match="width must be from 80 to 120"):
        Position.new(seed=1).render(width)
