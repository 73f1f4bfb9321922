"""Steel Driver's rule scenarios: a position, the actions played in it, and the result by the rules.

The files are ``tests/steel_driver/scenarios/<chapter>.toml``; ``tests/scenario.py`` describes their general form. The
game's keys:

============  =====================================================================================================
source        the phase or chapter of the rulebook, "ruling 48"
new           instead of a position: a new game with this number of players
players       number of players in the position, default 3
position      patch of the empty board, see below
show_forced   true: the option of that name is on
expect        patch of the players, the companies, the goods on the board and the transcontinental link
count         goods: cubes on the board
============  =====================================================================================================

Short forms in the dictionary of a position: ``p0`` to ``p5`` are the players, ``red`` to ``brown`` the companies;
"null" is null; a good of ``expect.goods`` that is ``"taken"`` has been taken.

Everything that a position does not name is derived. It is the fourth round; nobody has cubes, nothing is built. The
last player has the money that links earned before the round and no other player has. Companies build if one is active;
otherwise the holder of the active-player marker opens an auction. The controller of a company has bought it this round;
a company's last controller has a share of it if nobody else has one; seat 0 had every other company with links. A
company starts in the first start city of its first link. In the phase ``goods`` the goods of all connected cities lie
on the board. All other cubes are in the supply. Companies without a controller whose turn came before the active one's
have passed.
"""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from carnegie_env.steel_driver import actions
from carnegie_env.steel_driver.game import Position
from tests.scenario import Form, check, merged, plain, read, rulings_held, stages
from tests.steel_driver.pieces import cities_of, earnings_of
from tests.steel_driver.referee import Referee
from tests.steel_driver.referee.components import CITIES, COMPANIES, INVESTMENT_CUBES, ROUTES

SEATS = tuple(f"p{seat}" for seat in range(6))
SCENARIOS = read(Path(__file__).parent / "scenarios")


def part(position: dict, key: str) -> Any:
    """The part of a position that a key of a patch names."""
    if key in SEATS:
        return position["players"][int(key[1])]
    return position["companies"][key] if key in COMPANIES else position[key]


def patched(position: dict, patch: dict) -> dict:
    """The position with a patch merged in and short forms expanded."""
    position = copy.deepcopy(position)
    for key, value in plain(patch).items():
        if key in SEATS:
            position["players"][int(key[1])] = merged(part(position, key), value)
        elif key in COMPANIES:
            position["companies"][key] = merged(part(position, key), value)
        elif isinstance(value, dict) and isinstance(position[key], dict):
            position[key] = merged(position[key], value)
        else:
            position[key] = value
    position["goods"] = {city: goods for city, goods in position["goods"].items() if goods != "taken"}
    return position


FORM = Form(
    texts=actions.TEXTS,
    keys=frozenset({"new", "players", "position", "show_forced"}),
    pieces=("players", "companies", "goods", "transcontinental"),
    patched=patched,
    part=part,
    seats=lambda position: len(position["players"]),
    rank_by=("total", "goods"),
    counts={"goods": lambda position: len(position["goods"])},
)


def start(scenario: dict) -> dict:
    """The position of a scenario, with derived values filled in."""
    patch = plain(scenario.get("position", {}))
    empty = Referee(scenario.get("players", 3), scenario.get("show_forced", False)).to_dict() | {"round": 4}
    for player in empty["players"]:
        player["cubes"] = 0
    position = patched(empty, patch)
    position["phase"] = patch.get("phase", "build" if position["active"] else "open")
    for name in COMPANIES:
        fill_company(position, name, patch.get(name, {}))
    if position["active"] and "passed" not in patch:
        before = position["order"][: position["order"].index(position["active"])]
        position["passed"] = [name for name in before if part(position, name)["controller"] is None]
    connected = set().union(*map(cities_of, position["companies"].values()))
    if position["phase"] == "goods" and "goods" not in patch:
        position["goods"] = {city: CITIES[city].goods for city in CITIES if city in connected}
    if "cash" not in patch.get(SEATS[len(position["players"]) - 1], {}):
        position["players"][-1]["cash"] = earned(position) - sum(player["cash"] for player in position["players"])
    spent = sum(holder["cubes"] for holder in [*position["players"], *position["companies"].values()])
    position["supply"] = INVESTMENT_CUBES - spent
    mover = position["marker"] if position["phase"] == "open" else part(position, position["active"])["controller"]
    return position | {"to_play": mover}


def fill_company(position: dict, name: str, patch: dict) -> None:
    company = part(position, name)
    somebody = 0 if company["links"] else None
    last = company["controller"] if company["controller"] is not None else somebody
    company["last_controller"] = patch.get("last_controller", last)
    company["sold"] = patch.get("sold", company["controller"] is not None)
    if company["links"]:
        ends = ROUTES[company["links"][0]].ends
        company["start"] = patch.get("start", next(city for city in ends if CITIES[city].start))
    last = company["last_controller"]
    if last is not None and not any(player["shares"][name] for player in position["players"]):
        position["players"][last]["shares"][name] = 1


def earned(position: dict) -> int:
    """$ that all links have earned, without the profits not paid yet."""
    link, total = position["transcontinental"], 0
    for company in position["companies"].values():
        total += sum(earnings_of(company)) - (company["profit"] if position["phase"] == "build" else 0)
    return total + (50 + 30 * (len(link["companies"]) - 1) if link else 0)


def games(scenario: dict, rules: type) -> Iterator[Position | Referee]:
    if "new" not in scenario:
        yield rules.from_dict(start(scenario))
    elif rules is Referee:
        yield Referee(scenario["new"])
    else:
        yield Position.new({"num_players": scenario["new"]})


@pytest.mark.parametrize("rules", [Position, Referee], ids=["engine", "referee"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str, rules: type) -> None:
    check(FORM, SCENARIOS[name], games(SCENARIOS[name], rules))


def test_every_ruling_is_held() -> None:
    wanted = {str(number) for number in range(47, 56)}
    assert rulings_held(SCENARIOS) >= wanted, sorted(wanted - rulings_held(SCENARIOS))


def test_every_verb_is_played() -> None:
    played = {text for stage in stages(SCENARIOS) for text in stage.get("actions", [])}
    assert {text.split()[0] for text in played} == {text.split()[0] for text in actions.TEXTS}
