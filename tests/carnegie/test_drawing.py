"""The picture of Carnegie shows the position, part by part, and nothing hidden.

tests/conformance/test_pictures.py covers the pictures of every game.
"""

import dataclasses
import functools
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from carnegie_env import Position
from carnegie_env.carnegie import names, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.drawing import geography, places
from carnegie_env.render import svg
from tests import players
from tests.commands import python
from tests.pictures import Part, parts

SOLO = players.SOLO[3]
TABLES = (SOLO, *players.MODES[4:], *players.ALL_ON)
EACH_TABLE = pytest.mark.parametrize("options", TABLES, ids=players.mode_name)
DECISIONS = frozenset(state.PHASES[: state.START_ROUND]) - {"over"}
SIGNS = {"player_0": "0", "player_1": "1", "player_2": "2", "player_3": "3", "andrew": "A", "neutral": "n"}


@dataclasses.dataclass(frozen=True)
class Drawn:
    """A position and its picture, drawn and parsed once for all tests."""

    position: Position

    @functools.cached_property
    def picture(self) -> str:
        return self.position.to_svg()

    @functools.cached_property
    def parts(self) -> dict[str, Part]:
        return parts(self.picture)


@functools.cache
def some(mode: int, rich: bool = False) -> tuple[Drawn, ...]:
    """About ten positions of a game, including the last."""
    game = players.whole_game(TABLES[mode], 3 + mode, "busy", rich)
    return tuple(Drawn(game.position(k)) for k in (*range(0, len(game), max(len(game) // 6, 1)), len(game)))


def drawn(options: dict[str, Any]) -> Iterator[Drawn]:
    for rich in (False, True):
        yield from some(TABLES.index(options), rich)


# ---------------------------------------------------------------- parts
@EACH_TABLE
def test_disks_on_the_map_and_on_donations(options: dict[str, Any]) -> None:
    seen = set()
    for each in drawn(options):
        shown, told = each.parts, each.position.to_dict()
        for city, owners in told["cities"].items():
            for k, owner in enumerate(owners):
                part = shown[f"space_{city}_{k + 1}"]
                assert part.title.startswith(names.CITIES[t.CITIES.index(city)])
                assert part.title.endswith("free" if owner is None else f"disk of {owner}")
                assert (part.texts[-1] if part.texts else "") in (SIGNS[owner] if owner else "HCIP")
                seen.add(owner)
        for cell in t.DONATIONS:
            owners = told["donations"].get(cell, [])
            part = shown[f"donation_{cell}"]
            assert part.title.endswith("; free") == (not owners) and all(owner in part.title for owner in owners)
            disks = [text for text in part.texts[1:] if text in SIGNS.values()]
            assert disks == sorted(SIGNS[owner] for owner in owners)
    assert {None, "player_0"} <= seen and ("andrew" in seen) == (options["num_players"] == 1)


@EACH_TABLE
def test_companies(options: dict[str, Any]) -> None:
    """Departments, employees standing and lying, tabs, purse, missions."""
    standing = lying = 0
    for each in drawn(options):
        shown, told = each.parts, each.position.to_dict()
        for seat, company in enumerate(told["companies"]):
            assert shown[f"money_{seat}"].texts == (f"${company['money']}",)
            assert shown[f"goods_{seat}"].texts == (str(company["goods"]),)
            assert shown[f"vp_{seat}"].texts == (f"{company['vp']} VP",)
            assert str(company["reserve"]) in shown[f"stock_{seat}"].texts
            assert str(company["disks"]) in shown[f"stock_{seat}"].texts
            for space in range(t.COMPANY_SPACES):
                name = t.SPACE_IDS[space]
                part = shown[places.company(seat, space)]
                department = company["departments"].get(name)
                employees = company["employees"].get(name, {"active": 0, "inactive": 0})
                permanent = 1 if department == "human_resources" else 0
                fill = svg.theme("light").seats[seat]
                pawns = [part.svg.count(f'{turn}<ns0:path d="M-4.5 0v-5.2a4.5 5 0 0 1 9 0v5.2z" fill="{fill}"')
                         for turn in ('<ns0:g transform="rotate(90)">', "")]  # fmt: skip
                many = employees["inactive"] > 2
                assert pawns[0] == (1 if many else employees["inactive"])
                assert (f"×{employees['inactive']}" in part.texts) == many
                assert pawns[1] - pawns[0] == employees["active"]
                assert ("permanent employee" in part.title) == bool(permanent)
                if employees["inactive"]:
                    assert f"{employees['inactive']} inactive" in part.title
                standing, lying = standing + employees["active"], lying + employees["inactive"]
                if department:
                    assert part.help == f"department_{department}"
                elif name != t.SPACE_IDS[t.LOBBY_SPACE]:
                    assert "empty space" in part.title
            for project, tab in company["tabs"].items():
                part = shown[f"tab_{seat}_{project}"]
                assert f"{tab['uncovered']} of 7 sections uncovered" in part.title
                assert f"{tab['built']} built" in part.title
                ready = sum(f'data-owner="">{seat}<' in line for line in part.svg.split("<ns0:circle")[1:])
                assert part.title.count(f"{ready} project") == 1
            for region, number in company["missions"].items():
                assert (f"{number} of player_{seat}" in shown[f"missions_{region}"].title) == (number > 0)
            for region, space in company["transport"].items():
                assert f"player_{seat}" in shown[f"track_{region}_{space + 1}"].title
                assert str(seat) in shown[f"track_{region}_{space + 1}"].texts
    assert standing > 20 and lying > 20


@EACH_TABLE
def test_timeline_and_display(options: dict[str, Any]) -> None:
    for each in drawn(options):
        position, shown, told = each.position, each.parts, each.position.to_dict()
        for row, name in enumerate(t.ACTION_TYPES):
            part = shown[f"timeline_{name}"]
            passed = int(position.record.marker[row])
            assert f"{passed} of 5 spaces passed" in part.title
            assert ("chosen" in part.title) == (row == position.record.chosen_row)
            if passed < 5 and position.record.event_region[row, passed] >= 0:
                assert names.REGIONS[position.record.event_region[row, passed]] in part.texts
        for name, copies in told["display"].items():
            assert shown[f"display_{name}"].title.endswith(f"{copies} tile{'s' if copies > 1 else ''} on display")
        chips = [name for name in shown if name.startswith("display_")]
        assert all(f"display_{name}" in chips for name in told["display"])


def test_only_visible_cards_of_andrew_are_shown() -> None:
    """The backs of the round's card and the next one, and the face of a card that is turned up (rulings 32, 33)."""
    game, faces = players.whole_game(SOLO, 0, "patient"), 0
    for k in range(0, len(game) + 1, 7):
        position = game.position(k)
        picture, deck = position.to_svg(0), position.to_dict()["andrew"]["deck"]
        turned_up = position.round - (position.phase == "timeline")
        assert not [card for card in deck[turned_up:] if re.search(rf"\b{card}\b", picture)]
        shown = parts(picture)
        if position.round > 0:
            face = turned_up == position.round
            assert (deck[position.round - 1] in shown["card_now"].title) == face
            assert ("its back" in shown["card_now"].title) != face
            faces += face
        if position.round < t.ROUNDS and not position.is_over:
            card = t.CARDS.index(deck[position.round])
            back = names.ACTIONS[t.CARD_BACK[card]] + (", advanced" if t.CARD_ADVANCED[card] else "")
            assert shown["card_next"].title == f"Andrew's next card, its back: {back}"
        else:
            assert "card_next" not in shown
        places_shown = [shown[f"andrew_row_{p + 1}"].title for p in range(t.VP_ROW_PLACES)]
        for place, title in enumerate(places_shown):
            number = position.to_dict()["andrew"]["places"][: position.round].count(place)
            assert f": {number} card" in title
    assert faces > 3


@EACH_TABLE
def test_scores_are_those_of_the_position(options: dict[str, Any]) -> None:
    for each in drawn(options):
        position, shown = each.position, each.parts
        open_ = position.copy()
        if not position.is_over:
            open_._games["secret"] = state.NONE  # unknown to everybody else
        totals = open_.scores()
        sides = position.game.side_names(position.options)
        assert [int(shown[f"score_{side}"].texts[-1]) for side in sides] == totals
        if position.is_over:
            best = [side for side, total in zip(sides, totals, strict=True) if total == max(totals)]
            assert all(side in shown["decision"].title.lower() for side in best)


# ---------------------------------------------------------------- secrets
def test_secret_donations_are_seen_by_their_owners() -> None:
    game = players.whole_game(players.ALL_ON[-1], 3, "busy")
    for k in (*range(0, len(game), 60), len(game)):
        position = game.position(k)
        told = position.to_dict()["companies"]
        for viewer in (None, *range(position.num_players)):
            shown = parts(position.to_svg(viewer))
            for seat, company in enumerate(told):
                name = f"secret_{seat}"
                assert (name in shown) == (company["secret"] is not None)
                if name in shown:
                    known = viewer == seat or position.is_over
                    assert (shown[name].title == f"player_{seat} has a secret donation") != known
            marked = [name for name, part in shown.items() if "your secret donation" in part.title]
            own = told[viewer]["secret"] if viewer is not None else None
            assert marked == ([f"donation_{own}"] if own else [])


def test_a_sheet_is_seen_by_its_owner_until_all_are_revealed() -> None:
    position = Position.new(players.ALL_ON[2], seed=1)
    position.apply("sheet goods 5")
    assert "5 goods" in parts(position.to_svg(0))["decision"].title
    for viewer in (None, 1, 2):
        assert "5 goods" not in parts(position.to_svg(viewer))["decision"].title
        assert "$35" not in position.to_svg(viewer)
    while position.phase == "sheet":
        position.apply(int(position.legal_numbers()[0]))
    shown = parts(position.to_svg(2))
    sheets = [company["sheet"] for company in position.to_dict()["companies"]]
    assert f"{sheets[0]['goods']} goods" in shown["sheet_0"].title
    assert all(f"sheet_{seat}" in shown for seat in range(position.num_players))


# ---------------------------------------------------------------- what can be chosen
def test_every_phase_has_its_picture() -> None:
    """Each action is at one part, and the picture names the player to move."""
    missing = set(DECISIONS)
    for seed in range(40):
        for options in (*players.ALL_ON, *players.MODES[3:]):
            game = players.whole_game(options, seed, "whims" if seed % 2 else "busy", seed % 3 == 2)
            for k in range(len(game)):
                phase = state.PHASES[int(game.games[k]["phase"])]
                if phase not in missing:
                    continue
                missing.discard(phase)
                position = game.position(k)
                shown = parts(position.to_svg(position.to_play))
                at = [number for part in shown.values() for number in part.actions]
                assert sorted(at) == position.legal_numbers().tolist()
                assert shown["decision"].title.startswith(f"player_{position.to_play} ")
                others = set(range(position.num_players)) - {position.to_play}
                assert not any(part.actions for seat in others for part in parts(position.to_svg(seat)).values())
        if not missing:
            return
    raise AssertionError(f"never met: {missing}")


def test_actions_stand_where_they_act() -> None:
    """Each verb is at its piece of the board; actions without a place are buttons."""
    verbs = {
        "build": "space_", "donate": "donation_", "timeline": "timeline_", "side": "tab_", "to": "company_",
        "activate": "company_", "lift": "company_", "use": "company_", "sales": "company_", "panel": "donations_",
        "pass": "button_", "recover": "button_", "take": "button_", "bid": "button_", "sheet": "button_",
    }  # fmt: skip
    met = set()
    for options in TABLES:
        for each in drawn(options):
            position = each.position
            for name, part in each.parts.items():
                for number in part.actions:
                    verb, *rest = position.game.texts[number].split()
                    if verb in verbs:
                        assert name.startswith(verbs[verb]), position.game.texts[number]
                        met.add(verb)
                    if verb in ("to", "lift", "activate"):
                        assert set(rest) & {name.split("_")[-1]} and f"_{position.to_play}_" in name
                    if verb == "build":
                        assert f"_{rest[2]}_" in name
                    if verb == "department":
                        assert name in (f"display_{rest[0]}", f"reserved_{position.to_play}")
    assert {"build", "donate", "timeline", "activate", "lift", "pass", "to", "side"} <= met


def test_drawing_takes_milliseconds() -> None:
    """A film needs ten frames a second, PNG included; the bound allows for a busy machine."""
    seen = [each.position for each in some(TABLES.index(players.ALL_ON[-1]))]
    for position in seen:
        position.to_svg()
    start = time.process_time()
    for position in seen:
        position.to_svg()
    assert (time.process_time() - start) / len(seen) < 0.03


# ---------------------------------------------------------------- the map, topics, own tables
def test_cities_do_not_lie_on_each_other() -> None:
    layout = geography.layout()
    boxes = [tuple(place[k % 2] + value for k, value in enumerate(geography._box(city)))
             for city, place in enumerate(layout.cities)]  # fmt: skip
    for one in range(t.NUM_CITIES):
        left, top, right, bottom = boxes[one]
        assert left >= 0 and top >= 0 and right <= geography.WIDTH and bottom <= geography.HEIGHT
        for other in range(one):
            a, b, c, d = boxes[other]
            assert min(right, c) - max(left, a) < 0.5 or min(bottom, d) - max(top, b) < 0.5
    assert len(layout.coast) > 40 and layout.borders and len(set(layout.titles)) == t.NUM_REGIONS


def test_every_department_and_donation_has_a_topic() -> None:
    found = Position.game.presentation.topics()
    assert {f"department_{name}" for name in t.DEPARTMENTS[1:]} <= found.keys()
    assert {f"donation_{name}" for name in (*t.DONATIONS, *t.NEW_DONATIONS)} <= found.keys()
    assert "{" not in "".join(topic.text for topic in found.values())
    assert "$8 or for 3 goods" in found["department_purchasing"].text


OWN = """
import re
from carnegie_env import Position
from carnegie_env.carnegie.drawing import geography
position = Position.new({"num_players": 2, "modules": "all"}, seed=4)
picture = position.to_svg()
assert 'data-part="space_honolulu_1"' in picture and "Honolulu, West" in picture
assert "pays the transport income" in picture and 'data-part="space_seattle_1"' in picture
assert len(geography.layout().coast) == 4  # with a city in the sea, land fills the frame
assert len(set(geography.layout().cities)) == len(geography.layout().cities)
print(Position.game.presentation.topics()["department_purchasing"].text)
"""


def test_own_tables_are_drawn_and_explained(tmp_path: Path) -> None:
    """Two additional cities at one point in the sea, and other numbers of a department."""
    board = (t.SHIPPED / "board.toml").read_text(encoding="utf-8")
    city = '[[city]]\nid = "honolulu"\nxy = [0.02, 0.95]\nregion = "west"\nspaces = ["any"]\npoints = 1\n'
    city += 'transport_bonus = true\n[[city]]\nid = "hilo"\nxy = [0.02, 0.95]\nregion = "west"\nspaces = ["any"]\n'
    city += "points = 1\ntransport_bonus = true\n"
    (tmp_path / "board.toml").write_text(board.replace("[[city]]\n", city + "[[city]]\n", 1), encoding="utf-8")
    departments = (t.SHIPPED / "departments.toml").read_text(encoding="utf-8")
    changed = departments.replace("{ money = 8, goods = 3 }", "{ money = 9, goods = 4 }")
    (tmp_path / "departments.toml").write_text(changed, encoding="utf-8")
    assert "$9 or for 4 goods" in python("-c", OWN, CARNEGIE_ENV_FACTS=str(tmp_path), NUMBA_DISABLE_JIT="1")
