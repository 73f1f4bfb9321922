"""The log of Carnegie agrees with the positions: companies, rounds, Andrew card by card."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from carnegie_env import Position
from carnegie_env.carnegie import actions, events, names, state
from carnegie_env.carnegie import tables as t
from carnegie_env.core import log
from tests import players
from tests.test_scenarios import SCENARIOS, games

DONATIONS = tuple(map(names.donation, range(t.NUM_DONATIONS)))
SOLO = {"num_players": 1, "difficulty": "expert"}


def told(options: dict[str, Any], seed: int, style: str, seat: int = 0) -> Iterator[tuple[Any, dict, dict, list]]:
    """Every step of a game, with the positions before and after it as dictionaries, and the seat's log."""
    game = players.whole_game(options, seed, style)
    for k, number in enumerate(game.actions):
        for step in log.steps(game.position(k), number):
            before, after = (Position.game.codec.to_dict(record) for record in (step.before, step.after))
            yield step, before, after, log.tell(Position.game, step, seat)


def number_of(words: str, known: tuple[str, ...]) -> int:
    """The number of the longest name that the words end with."""
    return max((k for k, name in enumerate(known) if name and words.endswith(name)), key=lambda k: len(known[k]))


def words_of(who: str, told: list[tuple[str, str]]) -> list[str]:
    return [words for side, words in told if side == who]


@pytest.mark.parametrize("options", [SOLO, {"num_players": 3}, players.ALL_ON[1]], ids=players.mode_name)
def test_money_goods_and_points_of_every_company(options: dict[str, Any]) -> None:
    changes = 0
    for _, before, after, what in told(options, 4, "patient"):
        for seat, (old, new) in enumerate(zip(before["companies"], after["companies"], strict=True)):
            words = words_of(f"player_{seat}", what)
            for key, start in (("money", "$"), ("goods", "goods "), ("vp", "VP ")):
                dollar = "$" if key == "money" else ""
                wanted = f"{start}{old[key]} -> {dollar}{new[key]}"
                changed = old[key] != new[key]
                assert (wanted in words) == changed and (not changed or words.count(wanted) == 1)
                changes += changed
            hired = old["reserve"] - new["reserve"]
            if before["phase"] != "sheet":
                assert any("new employee" in text for text in words) == (hired > 0)
    assert changes > 5


@pytest.mark.parametrize("style", ["patient", "uniform"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_everything_that_andrew_does(style: str, seed: int) -> None:
    """Every move is logged once, and every miss moves the card a step."""
    cards, together, missed = 0, 0, 0
    for step, before, after, what in told(SOLO, seed, style):
        words = words_of("andrew", what)
        turned_up = [text.removeprefix("turned up ") for text in words if text.startswith("turned up ")]
        first = before["round"] - (before["phase"] == "timeline")
        last = after["round"] - (after["phase"] == "timeline")
        assert turned_up == after["andrew"]["deck"][first:last]
        cards, together = cards + len(turned_up), max(together, len(turned_up))
        built = Counter(t.CITIES[number_of(text, names.CITIES)] for text in words if text.startswith("built in "))
        disks = {city: after["cities"][city].count("andrew") - owners.count("andrew")
                 for city, owners in before["cities"].items()}  # fmt: skip
        assert built == +Counter(disks)
        tiles = (number_of(text, names.DEPARTMENTS) for text in words if text.startswith("took "))
        taken = Counter(t.DEPARTMENTS[tile] for tile in tiles)
        assert taken == Counter(after["andrew"]["departments"]) - Counter(before["andrew"]["departments"])
        donated = [t.DONATIONS[number_of(text, DONATIONS)] for text in words if text.startswith("donated to ")]
        assert sorted(donated) == sorted(cell for cell, owners in after["donations"].items() if "andrew" in owners
                                         and "andrew" not in before["donations"].get(cell, []))  # fmt: skip
        tracks = {found[1]: (int(found[2]), int(found[3]))
                  for text in words if (found := re.fullmatch(r"(\w+) track (\d) -> (\d)", text))}  # fmt: skip
        for region, now in after["andrew"]["transport"].items():
            was = before["andrew"]["transport"][region]
            assert (region.title() in tracks) == (was != now)
            if len(turned_up) == 1 and was != now:
                assert tracks[region.title()] == (was, now)
        for number in range(first, last):  # the lines between this card and the next
            card = after["andrew"]["deck"][number]
            end = next(k for k, text in enumerate(words) if text.startswith(f"{card} is worth "))
            own = words[words.index(f"turned up {card}") : end]
            steps = [
                re.fullmatch(r"(?:missed (\d) steps? in .*|missed .*|moved the card by (\d))", text) for text in own
            ]
            moved = sum(int(found[1] or found[2] or 1) for found in steps if found)
            place = after["andrew"]["places"][number]
            assert place == min(moved, t.VP_ROW_PLACES - 1), (step, own)
            assert words[end] == f"{card} is worth {t.ANDREW_VP_ROW[place]} VP"
            missed += moved > 0
    assert cards == t.ROUNDS and missed > 3
    assert together == 2 or style == "patient"  # a round of Andrew's without a decision


@pytest.mark.parametrize("options", [SOLO, {"num_players": 4}], ids=players.mode_name)
def test_rounds_and_their_events(options: dict[str, Any]) -> None:
    """The events are those of the spaces that the markers pass, in this order."""
    for seed in (3, 4):
        rounds, brought, passed = [], [], []
        for _, before, after, what in told(options, seed, "uniform"):
            words = words_of("", what)
            assert any("is first player" in text for text in words) <= (options["num_players"] > 1)
            rounds += [int(found[1]) for text in words if (found := re.match(r"round (\d+)", text))]
            found = [text.removeprefix("event: ").partition(" (")[0] for text in words if text.startswith("event: ")]
            brought += [Counter(text.lower().replace("income of ", "").split(" and ")) for text in found]
            spaces = []
            for row, marker in after["timeline"]["markers"].items():
                spaces += after["timeline"]["spaces"][row][before["timeline"]["markers"][row] : marker]
            passed += [Counter(space) for space in spaces]
            if len(spaces) < 2:  # the order of several is unknown here
                assert brought[: len(passed)] == passed
            if options["num_players"] > 1 and after["round"] > before["round"]:
                assert f"round {after['round']}: player_{after['first_player']} is first player" in words
        assert rounds == list(range(1, t.ROUNDS + 1)) and len(brought) == t.ROUNDS
        assert sorted(map(str, brought)) == sorted(map(str, passed))


@pytest.mark.parametrize("options", [SOLO, {"num_players": 3}], ids=players.mode_name)
def test_a_turn_in_which_nothing_can_be_done(options: dict[str, Any]) -> None:
    """The log says so exactly in rounds in which the seat takes no decision of its turn."""
    for seat in range(options["num_players"]):
        idle, played = Counter(), set()
        for step, before, _, what in told(options, 5, "uniform", seat):
            if before["turn"]["action"] is not None and before["to_play"] == seat:
                played.add(before["round"])
            number = before["round"]
            for who, words in what:
                if found := re.match(r"round (\d+)", words):
                    number = int(found[1])
                if who == f"player_{seat}" and words.startswith("could do nothing in "):
                    idle[number] += 1
                    action = words.removeprefix("could do nothing in ")
                    row = t.ACTION_TYPES[names.ACTIONS.index(action)]
                    if number == before["round"] and before["phase"] == "timeline":
                        assert row == t.ACTION_TYPES[actions.ARGUMENT[step.action]]
                    elif number == before["round"]:
                        assert row == before["timeline"]["chosen"]
                    else:
                        assert ("andrew", f"chose {action}") in what or any(action in text for _, text in what)
        assert played.isdisjoint(idle) and played | set(idle) == set(range(1, t.ROUNDS + 1))
        assert set(idle.values()) == {1}


def test_only_the_seat_itself_sees_what_it_has_in_hand() -> None:
    own, others = [], []
    for step, before, after, what in told({"num_players": 2}, 6, "patient", 1):
        found = [(who, text) for who, text in what if re.search(r"moves|research points", text)]
        own += [text for who, text in found if who == "player_1"]
        others += [text for who, text in found if who == "player_0"]
        goes_on = step.seat == after["to_play"] == 1 and before["round"] == after["round"]
        if goes_on and before["turn"]["moves"] > after["turn"]["moves"]:
            assert ("player_1", f"moves {before['turn']['moves']} -> {after['turn']['moves']}") in found
    assert "6 moves" in own and not others


def test_sheets_and_neutral_disks_of_the_set_up() -> None:
    sealed, open_sheets, disks = 0, [], []
    for step, before, after, what in told({"num_players": 2, "new_start": True}, 7, "uniform", 0):
        if before["phase"] == after["phase"] == "sheet":
            sealed += 1
            assert [who for who, _ in what] == []
        elif before["phase"] == "sheet":
            open_sheets = [(who, text) for who, text in what if text.startswith("sheet: ")]
            for seat, (_, text) in enumerate(open_sheets):
                sheet = after["companies"][seat]["sheet"]
                amounts = [f"{amount} {line}" for line, amount in sheet.items() if line != "bid"]
                assert text == f"sheet: {', '.join(amounts)}, bid ${sheet['bid']}"
            assert ("", f"player_{after['first_player']} is first player") in what
        disks += [text for text in words_of("", what) if "neutral" in text]
        if "neutral" in str(what):
            cities = sum(owners.count("neutral") for owners in after["cities"].values())
            cells = sum(owners.count("neutral") for owners in after["donations"].values())
            assert disks == [f"neutral disks are placed: {cities} in cities, {cells} on donations"]
            assert int((step.after.owner == state.NEUTRAL).sum()) == cities > 0
    assert sealed > 3 and [who for who, _ in open_sheets] == ["player_0", "player_1"] and len(disks) == 1


def played() -> Iterator[log.Step]:
    """The steps of games with all modules and without any, and of the scenarios."""
    for options in (*players.ALL_ON, SOLO):
        game = players.whole_game(options, 1, "uniform")
        for k, number in enumerate(game.actions):
            yield from log.steps(game.position(k), number)
    for scenario in SCENARIOS.values():
        if scenario.get("actions") and "new" not in scenario:
            position = next(games(scenario, Position))
            for action in scenario["actions"]:
                yield from log.steps(position, action)
                position.apply(action)


def test_andrew_does_or_misses_everything_on_the_card() -> None:
    missed = Counter()
    for seed in range(1, 4):
        for step, *_ in told(SOLO, seed, "uniform"):
            cities, types = [], []
            for kind, arguments in step.events:
                missed[kind] += 1
                if kind == events.CARD:
                    card = arguments[0]
                elif kind == events.ANDREW_MISSES_DONATION:
                    assert arguments[0] == t.CARD_DONATION[card]
                elif kind in (events.ANDREW_BUILDS, events.ANDREW_MISSES_CITY):
                    cities.append(arguments[0])
                elif kind == events.ANDREW_TAKES:
                    types.append(t.DEPARTMENT_TYPE[arguments[0]])
                elif kind == events.ANDREW_MISSES_DEPARTMENT:
                    types.append(arguments[0])
                elif kind == events.CARD_WORTH:
                    assert not cities or cities == list(t.CARD_CITIES[card, : t.CARD_NUM_CITIES[card]])
                    assert not types or types == list(t.CARD_DEPARTMENTS[card, : t.CARD_NUM_DEPARTMENTS[card]])
                    cities, types = [], []
    assert missed.keys() >= {
        events.ANDREW_MISSES_CITY, events.ANDREW_MISSES_DEPARTMENT, events.ANDREW_MISSES_DONATION,
    }  # fmt: skip


def test_who_spends_the_action_choice_tile() -> None:
    spent = [(step.seat, arguments) for step, *_ in told({"num_players": 4}, 3, "uniform")
             for kind, arguments in step.events if kind == events.SPENDS_TILE]  # fmt: skip
    assert spent and all(arguments == (seat,) for seat, arguments in spent)


def test_every_kind_of_event_is_emitted() -> None:
    missing = set(range(len(events.EVENTS)))
    for step in played():
        missing -= {kind for kind, _ in step.events}
        for kind, arguments in step.events:
            if kind == events.RECRUITS:
                assert step.before.reserve[arguments[0]] - step.after.reserve[arguments[0]] == arguments[1]
        if not missing:
            return
    raise AssertionError([events.EVENTS[kind].name for kind in missing])
