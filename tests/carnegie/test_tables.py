"""The component tables: arrays derived from the files (their values are in test_components), and refused files."""

import tomllib

import numpy as np
import pytest

from carnegie_env.carnegie import tables as t
from carnegie_env.core.facts import unprinted
from tests.commands import python

TEXT = {name: (t.SHIPPED / f"{name}.toml").read_text(encoding="utf-8") for name in t.FILES}


# ---------------------------------------------------------------- the arrays
def test_effects_and_counts_are_named_as_in_the_files():
    """The rules know them by constants, files by names: the same ones, in the order of the constants."""
    assert t.EFFECTS[t.EFFECT_UP_TO] == "up_to" and t.EFFECTS[t.EFFECT_LEVELS_BELOW] == "levels_below"
    assert t.COUNTS[t.COUNT_BEST_PROJECT_TYPE] == "best_project_type"
    departments = (*t.FACTS.departments.department, *t.FACTS.company.starting_department)
    donations = (*t.FACTS.donations.donation, *t.FACTS.donations.new_donation)
    assert {name for department in departments for name in department.effect} == {*t.EFFECTS}
    assert {donation.count for donation in donations} == {*t.COUNTS}


def test_department_constants_are_codes():
    for code, name in enumerate(t.DEPARTMENTS[1:38], start=1):
        assert getattr(t, ("START_" if code > t.NUM_TILES else "") + name.upper()) == code
    assert (t.DEPARTMENTS[0], t.DEPARTMENTS[t.LOBBY]) == ("", "lobby")


def test_sizes_of_cities():
    sizes = np.diff(t.CITY_FIRST_SPACE)
    assert (t.CITY_SMALL == (sizes == 1)).all() and (t.CITY_MEDIUM == (sizes == 3)).all()
    assert ((t.SPACE_TYPE == t.ANY) == (t.CITY_SMALL[t.SPACE_CITY] == 1)).all()


def test_workstations():
    assert ((t.ACTIVATION_COST < t.NO_WORKSTATION).sum(axis=1) == t.WORKSTATIONS).all()
    assert t.WORKSTATIONS[[0, t.NEW_LOBBY, t.LOBBY]].tolist() == [0, 0, 0]
    assert t.DEPARTMENT_TYPE[[0, t.LOBBY]].tolist() == [-1, -1]


def test_sizes_of_andrews_cards():
    assert ((t.CARD_CITIES != -1).sum(axis=1) == t.CARD_NUM_CITIES).all()
    assert ((t.CARD_DEPARTMENTS != -1).sum(axis=1) == t.CARD_NUM_DEPARTMENTS).all()
    assert [name[0] for name in t.CARDS] == ["NA"[advanced] for advanced in t.CARD_ADVANCED]


def test_builds():
    assert np.diff(t.BUILD_START).tolist() == [32, 32, 31, 27] and t.NUM_BUILDS == 122
    for build in range(t.NUM_BUILDS):
        kind, space = t.BUILD_TYPE[build], t.BUILD_SPACE[build]
        assert t.SPACE_TYPE[space] in (kind, t.ANY)
        assert t.SPACE_BUILD[space, kind] == build
        assert t.BUILD_START[kind] <= build < t.BUILD_START[kind + 1]
        small = t.BUILD_SMALL_MASK[kind] >> (build - t.BUILD_START[kind]) & 1
        assert small == t.CITY_SMALL[t.SPACE_CITY[space]]
    assert (t.SPACE_BUILD >= 0).sum() == t.NUM_BUILDS
    assert len(set(t.BUILD_TEXT)) == t.NUM_BUILDS


def test_equal_spaces_of_a_city_follow_each_other():
    found = []
    for kind in range(4):
        for j in range(62):
            if t.BUILD_HAS_NEXT[kind] >> j & 1:
                build = t.BUILD_START[kind] + j
                found.append((t.BUILD_TEXT[build], t.BUILD_TEXT[build + 1]))
    assert found == [
        ("build housing in new_orleans", "build housing in new_orleans space 3"),
        ("build commerce in kansas_city", "build commerce in kansas_city space 2"),
        ("build commerce in new_york", "build commerce in new_york space 4"),
        ("build industry in san_francisco", "build industry in san_francisco space 3"),
        ("build industry in chicago", "build industry in chicago space 3"),
        ("build public in washington", "build public in washington space 3"),
    ]


def test_mismatches():
    """Every project type with every space of another type, behind the builds; equal spaces of a city follow."""
    pairs = list(zip(t.BUILD_TYPE[t.NUM_BUILDS :], t.BUILD_SPACE[t.NUM_BUILDS :], strict=True))
    large = [s for s in range(t.NUM_SPACES) if t.SPACE_TYPE[s] != t.ANY]
    assert sorted(pairs) == [(kind, s) for kind in range(4) for s in large if t.SPACE_TYPE[s] != kind]
    assert len(pairs) == t.NUM_MISMATCHES == t.MISMATCH_START[-1] == 3 * len(large)
    cities = [(kind, t.SPACE_CITY[s], t.SPACE_TYPE[s], s) for kind, s in pairs]
    assert cities == sorted(cities)
    for j, (kind, space) in enumerate(pairs):
        assert t.SPACE_MISMATCH[space, kind] == j and t.MISMATCH_START[kind] <= j < t.MISMATCH_START[kind + 1]
        bit = t.MISMATCH_HAS_NEXT[kind] >> (j - t.MISMATCH_START[kind]) & 1
        assert bit == (j + 1 < len(pairs) and cities[j + 1][:3] == cities[j][:3])
    assert ((t.SPACE_MISMATCH == -1) == ((t.SPACE_BUILD >= 0) | (t.SPACE_TYPE == t.ANY)[:, None])).all()


def test_company_board():
    assert t.EMPLOYEES == 15 and t.START_DEPARTMENT[t.LOBBY_SPACE] == t.LOBBY
    assert (t.START_DEPARTMENT == 0).sum() == 10
    assert t.START_DEPARTMENT[t.START_SPACE].tolist() == list(range(33, 38))
    for a in range(16):
        assert t.REACH[a, 0] == 0 and t.REACH[a, 6] == 0xFFFF ^ (1 << a)
        for b in range(16):
            for steps in range(7):
                assert (t.REACH[a, steps] >> b & 1) == (0 < t.DISTANCE[a, b] <= steps)
                straight, across = abs(a // 4 - b // 4), abs(a % 4 - b % 4)
                assert (t.DISTANCE[a, b], t.DISTANCE_DIAGONAL[a, b]) == (straight + across, max(straight, across))
                assert (t.REACH_DIAGONAL[a, steps] >> b & 1) == (0 < t.DISTANCE_DIAGONAL[a, b] <= steps)
    assert t.DISTANCE[0, 15] == 6 and t.DISTANCE_DIAGONAL[0, 15] == 3


def test_tabs():
    assert not t.TAB_POINTS[:, :, 0].any() and not t.TAB_LIMIT[:, 0].any()
    assert t.TAB_GOODS.tolist() == t.PROJECT_GOODS.tolist()
    assert t.TAB_LENGTH.tolist() == [6] * 4  # seven sections each, the first of them uncovered


def test_donations():
    assert t.DONATION_COLUMN.tolist() == [i // 5 for i in range(20)]
    assert t.DONATION_ROW.tolist() == [i % 5 for i in range(20)]
    arguments = dict(zip((*t.DONATIONS, *t.NEW_DONATIONS), t.RULE_ARG.tolist(), strict=True))
    assert arguments["human_rights_housing_commerce"] == 0b0011 and arguments["education_research"] == 0b1000
    assert arguments["health_south"] == t.REGIONS.index("south") and arguments["education_any_department"] == 0
    assert arguments["new_medium_cities_chicago"] == t.CITIES.index("chicago")
    for d in t.FACTS.donations.new_donation:  # the others name what they need by a number
        for number in (d.company_row, d.company_column, d.least_cost):
            assert number is None or arguments[d.id] == number
        assert d.of_column is None or arguments[d.id] == t.DONATION_COLUMNS.index(d.of_column)


def test_base_setup_costs_what_leaves_the_base_money():
    base = {"goods": t.START_GOODS, "employees": t.START_LOBBY, "points": 0, "moves": t.SETUP_MOVES}
    costs = [dict(t.NEW_START_OFFERS[i].tolist())[base[line]] for i, line in enumerate(t.NEW_START_LINES)]
    assert t.NEW_START_BUDGET - sum(costs) == t.START_MONEY
    assert t.LARGEST_BID == 50 - (6 + 0 - 12 + 5)  # the cheapest offers


# ---------------------------------------------------------------- marks
def test_unprinted():
    rows = unprinted(t.FACTS)
    assert ("company.toml", "tab industry", "side_a_points[0]", 3, "forced") in rows
    assert ("company.toml", "tab industry", "side_a_points[1]", 7, "reconstructed") in rows
    assert ("company.toml", "board", "lobby", [3, 1], "reconstructed") in rows
    assert {file for file, *_ in rows} == {"company.toml", "donations.toml"}
    assert {mark for *_, mark in rows} == {"forced", "reconstructed"}
    incomes = [value for _, table, key, value, _ in rows if (table, key) == ("tab housing", "income")]
    assert incomes == [tomllib.loads(TEXT["company"])["tab"][0]["income"]]


# ---------------------------------------------------------------- a user's own files
def changed(tmp_path, name, old, new):
    assert old in TEXT[name], "the test is out of date"
    (tmp_path / f"{name}.toml").write_text(TEXT[name].replace(old, new, 1), encoding="utf-8")
    return tmp_path


def test_environment_variable(tmp_path):
    """It names a folder; empty means not set. Donations may count another row or column than the shipped ones."""
    changed(tmp_path, "company", "money = 12", "money = 20")
    text = TEXT["donations"].replace("company_row = 0", "company_row = 2", 1)
    text = text.replace("company_column = 0", "company_column = 3", 1)
    (tmp_path / "donations.toml").write_text(text, encoding="utf-8")
    code = "from carnegie_env.carnegie import tables as t; print(t.START_MONEY, *t.RULE_ARG)"
    money, *arguments = map(int, python("-c", code, CARNEGIE_ENV_FACTS=str(tmp_path)).split())
    different = {(t.RULE_COUNT[i], arguments[i]) for i in np.flatnonzero(t.RULE_ARG != arguments)}
    assert money == 20 and different == {(t.COUNT_COMPANY_ROW, 2), (t.COUNT_COMPANY_COLUMN, 3)}
    assert python("-c", code, CARNEGIE_ENV_FACTS="").split() == ["12", *map(str, t.RULE_ARG)]


def test_what_counts_in_scores_alone_is_in_the_signature(tmp_path):
    """Otherwise a file of results or a dataset could mix games by different rules."""
    changed(tmp_path, "company", "row_points = [3, 2, 2, 2]", "row_points = [4, 2, 2, 2]")
    code = (
        "import dataclasses; from carnegie_env import games; from carnegie_env.core import signature; "
        "signature.SIGNED_GAMES, game = 1, games()['carnegie']; "
        "print(signature.signature(dataclasses.replace(game, variants=game.variants[:1])))"
    )
    found = python("-c", code, CARNEGIE_ENV_FACTS=str(tmp_path), NUMBA_DISABLE_JIT="1")
    assert found != python("-c", code, CARNEGIE_ENV_FACTS="", NUMBA_DISABLE_JIT="1")


WRONG = [
    ("board", '["seattle", "helena"]', '["seattle", "helsinki"]', ["network edges", "'helsinki'", "the id of a city"]),
    ("board", '["seattle", "helena"]', '["seattle", "portland"]', ["network edges", "unique"]),
    ("board", '["seattle", "helena"]', '["seattle", "seattle"]', ["network edges", "two different cities"]),
    ("board", 'id = "helena"', 'id = "seattle"', ["city", "'seattle'", "unique"]),
    ("board", 'spaces = ["any"]', 'spaces = ["any", "public"]', ["city seattle spaces", "1, 3 or 5"]),
    ("board", 'spaces = ["any"]', 'spaces = ["public"]', ["city seattle spaces", '["any"]']),
    ("board", "points = 1\n", "points = 1\nlink_points = 1\n", ["city seattle link_points", "large city"]),
    ("board", "link_points = 2", "link_points = 3", ["link_points", "6", "at most 5"]),
    ("board", "xy = [0.117, 0.429]", "xy = [1.17, 0.429]", ["city seattle xy", "0 to 1"]),
    ("board", '"industry", "commerce", "industry", "housing"', '"industry", "industry", "industry", "industry"',
     ["san_francisco spaces", "at most 3 equal"]),
    ("board", 'level  = ["wagon", "stagecoach"', 'level  = ["railroad", "stagecoach"', ["track west level", "falling"]),
    ("company", "rows = 4", "rows = 5", ["board rows", "5", "16 spaces"]),
    ("company", "row_points = [3, 2, 2, 2]", "row_points = [3, 2]", ["board row_points", "4 numbers"]),
    ("company", "lobby = [3, 1]", "lobby = [3, 2]", ["starting_department space", "unique"]),
    ("company", "lobby = [3, 1]", "lobby = [4, 1]", ["board lobby", "0 to 3"]),
    ("company", 'id = "trade_and_finance"', 'id = "trade"',
     ["starting_department trade id", "'trade_and_finance', the rules"]),
    ("company", "effect = { moves = 3 }", "effect = { research = 3 }", ["human_resources effect", "research", "moves"]),
    ("company", "effect = { moves = 3 }", "effect = { hops = 3 }", ["starting_department human_resources", "hops"]),
    ("company", "goods = 1\nstep_cost", "goods = 3\nstep_cost", ["tab housing goods", "3", "board.toml"]),
    ("company", "project_sections = 4", "project_sections = 3", ["tab housing income", "3 entries"]),
    ("company", "choice = [{ employees = 1 }, { money = 1 }]", "choice = [{ money = 1 }]", ["tab housing", "choice"]),
    ("company", "disks_reserve = 22", "disks_reserve = 23", ["start disks_reserve", "23", "22"]),
    ("company", "employees_reserve = 5", "employees_reserve = 6", ["employees", "15"]),
    ("company", "three_players = [2]", "three_players = [3]", ["action_choice three_players", "0 to 2"]),
    ("departments", "number = 2\n", "number = 3\n", ["department recruiting number", "3", "2, the rules"]),
    ("departments", 'id = "sales"', 'id = "sale"', ["department sale id", "'sale'", "'sales', the rules"]),
    ("departments", "up_to = 3 }", "per = 3 }", ["department sales effect", "up_to"]),
    ("departments", "per = 2", "per = 0", ["safety_and_quality", "1 or more"]),
    ("donations", 'region = "east"\n', "", ["donation health_east region", "needs it"]),
    ("donations", 'count = "departments"', 'count = "departments"\nregion = "east"', ["any_department", "left out"]),
    ("donations", 'city = "chicago"', 'city = "denver"', ["new_medium_cities_chicago city", "a large city"]),
    ("donations", "row = 2\n", "row = 3\n", ["donation education_management row", "3", "2, the rules"]),
    ("andrew_cards", '"salt_lake_city", "reno"', '"salt_lake_city", "las_vegas"', ["card N01 cities", "'las_vegas'"]),
    ("andrew_cards", 'donation = "welfare_flat"', 'donation = "welfare"', ["card N07 donation", "'welfare'"]),
    ("andrew_cards", 'id = "N02"', 'id = "N01"', ["card id", "'N01'", "unique"]),
    ("andrew_cards", "expert = 15", "expert = 21", ["difficulty expert", "21"]),
    ("timeline_tiles", "id = 2\n", "id = 1\n", ["tile 1 id", "1", "2, the rules"]),
    ("board", "first_reward = { goods = 3 }", "first_reward = { research = 3 }", ["track west first_reward"]),
    ("board", "first_reward = { goods = 3 }", "first_reward = { employees = 3 }", ["track west first_reward"]),
    ("company", "income = [{ goods = 1 }", "income = [{ research = 1 }", ["tab industry income", "research"]),
    ("company", "income = [{ goods = 1 }", "income = [{ employees = 1 }", ["tab industry income", "money"]),
    ("company", "mission_goods = 2 }", "mission_goods = 2 }\npermanent_employees = 1",
     ["starting_department trade_and_finance permanent_employees", "1", "human_resources only"]),
    ("company", 'type = "construction"', 'type = "research"', ["starting_department construction type", "can't vary"]),
    ("departments", 'type = "management"', 'type = "research"', ["department purchasing type", "'management'"]),
    ("departments", "passive = true", "passive = false", ["department new_lobby passive", "True, the rules"]),
    ("departments", "final = true", "final = false", ["department green_spaces final", "True, the rules"]),
    ("departments", "effect = { relocations = 1 }   # employees placed on", "effect = { relocations = 2 } #",
     ["department property_management effect relocations", "2", "1, the rules"]),
    ("departments", "effect = { relocations = 1 }   # employees placed any", "effect = { relocations = 8 } #",
     ["department hr_administration effect relocations", "8", "7 or less"]),
    ("departments", "copies = 2 ", "copies = 128 ", ["tiles copies", "128", "127 or less"]),
    ("company", "four_players = 4 }", "four_players = 29 }", ["departments_removed four_players", "29", "28 or less"]),
    ("andrew_cards", "disks = 26", "disks = 31", ["andrew disks", "31", "30 or less"]),
    ("expansion", "budget = 50", "budget = 127", ["new_start budget", "127", "126 or less"]),
    ("expansion", "{ amount = 4, cost = 5 }, ", "", ["new_start moves", "4", "5 offers"]),
    ("expansion", "amount = 7, cost = 32", "amount = 11, cost = 32", ["new_start employees amount", "11"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "words"), WRONG)
def test_a_wrong_file_is_refused(tmp_path, name, old, new, words):
    folder = changed(tmp_path, name, old, new)
    with pytest.raises(ValueError) as refusal:
        t.load_facts(folder)
    message = str(refusal.value)
    for word in (str(folder / f"{name}.toml"), *words):
        assert word in message, message


def test_another_games_file_is_passed_over(tmp_path):
    with pytest.raises(ValueError, match="contains no file of facts; the names are board.toml, company.toml, "):
        t.load_facts(tmp_path)
    (tmp_path / "steel_driver.toml").write_text("not = read")
    assert t.load_facts(tmp_path).company.start.money == 12
    assert t.load_facts(changed(tmp_path, "company", "money = 12", "money = 20")).company.start.money == 20
