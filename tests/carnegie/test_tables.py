"""The component tables: right sums, right shapes, and a wrong file refused with its place named."""

import os
import subprocess
import sys
import tomllib

import numpy as np
import pytest

from carnegie_env.carnegie import tables as t
from carnegie_env.core.facts import unprinted

TEXT = {name: (t.SHIPPED / f"{name}.toml").read_text(encoding="utf-8") for name in t.FILES}


# ---------------------------------------------------------------- the arrays
def test_every_array_is_frozen():
    arrays = {name: value for name, value in vars(t).items() if isinstance(value, np.ndarray)}
    assert len(arrays) > 60
    for name, array in arrays.items():
        assert not array.flags.writeable, name
        assert array.dtype == np.int64, name
        assert array.flags.c_contiguous, name


SHAPES = {
    "CITY_FIRST_SPACE": (33,), "SPACE_CITY": (68,), "SPACE_BUILD": (68, 4), "BUILD_START": (5,), "BUILD_HAS_NEXT": (4,),
    "TRACK_COST": (4, 4), "TRACK_LEVEL": (4, 5), "TRACK_INCOME": (4, 5, 5), "TRACK_REWARD": (4, 5), "LINK_VP": (7, 3),
    "DEPARTMENT_TYPE": (39,), "ACTIVATION_COST": (39, 5), "EFFECT": (39, 22), "DISTANCE": (16, 16), "REACH": (16, 7),
    "TAB_POINTS": (4, 2, 4), "TAB_LIMIT": (4, 2), "TAB_INCOME": (4, 4, 5), "NEUTRAL_DISKS": (5,),
    "ACTION_CHOICE": (5, 4), "TIMELINE_TILES": (8, 2, 4), "RULE_PAY": (40, 3), "CARD_DEPARTMENTS": (40, 3),
    "CARD_CITIES": (40, 4), "NEW_START_OFFERS": (4, 5, 2),
}  # fmt: skip


def test_shapes():
    assert {name: getattr(t, name).shape for name in SHAPES} == SHAPES


def test_effects_and_counts_are_named_as_in_the_files():
    """The rules know them by constants, files by names: the same ones, in the order of the constants."""
    assert t.EFFECTS[:2] == ("money", "goods") and t.EFFECTS[t.EFFECT_UP_TO] == "up_to" and t.EFFECT_UP_TO == 6
    assert t.COUNTS[t.COUNT_BEST_PROJECT_TYPE] == "best_project_type" and t.COUNT_BEST_PROJECT_TYPE == 15
    assert t.EFFECTS[-1] == "levels_below" and t.COUNTS[-1] == "medium_cities"
    assert len(set(t.EFFECTS)) == len(t.EFFECTS) == 22 and len(set(t.COUNTS)) == len(t.COUNTS) == 22
    departments = (*t.FACTS.departments.department, *t.FACTS.company.starting_department)
    donations = (*t.FACTS.donations.donation, *t.FACTS.donations.new_donation)
    assert {name for department in departments for name in department.effect} == {*t.EFFECTS}
    assert {donation.count for donation in donations} == {*t.COUNTS}


def test_department_constants_are_codes():
    for code, name in enumerate(t.DEPARTMENTS[1:38], start=1):
        assert getattr(t, ("START_" if code > t.NUM_TILES else "") + name.upper()) == code
    assert (t.DEPARTMENTS[0], t.DEPARTMENTS[t.LOBBY]) == ("", "lobby")


def test_cities():
    sizes = np.diff(t.CITY_FIRST_SPACE)
    assert (t.NUM_CITIES, t.NUM_SPACES) == (32, 68)
    assert sizes[t.CITY_SMALL == 1].tolist() == [1] * 18
    assert sizes[t.CITY_MEDIUM == 1].tolist() == [3] * 10
    assert sizes[(t.CITY_SMALL == 0) & (t.CITY_MEDIUM == 0)].tolist() == [5] * 4
    assert [t.CITIES[c] for c in np.flatnonzero(t.CITY_LINK_POINTS)] == [
        "san_francisco", "chicago", "new_york", "new_orleans",
    ]  # fmt: skip
    assert t.CITY_LINK_POINTS.sum() == 5
    assert np.bincount(t.CITY_REGION).tolist() == [11, 8, 5, 8]
    assert ((t.SPACE_TYPE == t.ANY) == (t.CITY_SMALL[t.SPACE_CITY] == 1)).all()
    assert not t.CITY_BONUS[t.CITY_SMALL == 0].any()


def test_tracks_and_links():
    assert t.TRACK_LEVEL[:, 0].tolist() == [0, 0, 1, 0]  # the East starts at stagecoach
    assert t.TRACK_INCOME[:, 0].tolist() == [[1, 0, 0, 0, 0]] * 4  # every region starts at $1
    assert (t.TRACK_LEVEL[:, -1] == t.LEVEL_RAILROAD).all()
    east = t.REGIONS.index("east")
    assert t.TRACK_INCOME[east, 2, t.EMPLOYEES_COLUMN] == 1
    assert not t.LINK_VP[:2].any()
    links = tomllib.loads(TEXT["board"])["links"]
    assert t.LINK_VP[2].tolist() == [3, 6, 9] and t.LINK_VP[5].tolist() == t.LINK_VP[6].tolist() == [18, 24, 36]
    assert t.LINK_VP[2:6].tolist() == [[links[f"points_{n}"][level] for level in t.LEVELS] for n in (2, 3, 4, 5)]


def test_departments():
    assert np.bincount(t.DEPARTMENT_TYPE[1 : t.BASE_TILES + 1]).tolist() == [4] * 4
    assert np.bincount(t.DEPARTMENT_TYPE[t.BASE_TILES + 1 : t.NUM_TILES + 1]).tolist() == [4] * 4
    assert t.DEPARTMENT_TYPE[[0, t.LOBBY]].tolist() == [-1, -1]
    assert (np.sort(t.ACTIVATION_COST, axis=1) == t.ACTIVATION_COST).all()
    assert ((t.ACTIVATION_COST < t.NO_WORKSTATION).sum(axis=1) == t.WORKSTATIONS).all()
    assert t.WORKSTATIONS[[0, t.NEW_LOBBY, t.LOBBY]].tolist() == [0, 0, 0]
    assert np.flatnonzero(t.PERMANENT_EMPLOYEES).tolist() == [t.START_HUMAN_RESOURCES]
    assert np.flatnonzero(t.EXTRA_GOODS).tolist() == [t.NEW_LOBBY]
    tiles = t.FACTS.departments.department
    assert [d.number for d in tiles if d.passive] == [4, 8, 12, 16, 19, 23, 27, 31]
    assert [d.number for d in tiles if d.final] == [20, 24, 28, 32]


def test_start():
    assert (t.EMPLOYEES, t.DISKS, t.START_DISKS, t.ROUNDS) == (15, 30, 22, 20)
    assert t.NEUTRAL_DISKS.tolist() == [0, 18, 18, 9, 0]
    assert t.DEPARTMENTS_REMOVED.tolist() == [0, 16, 16, 8, 4]
    assert t.ACTION_CHOICE.tolist() == [[0] * 4, [0] * 4, [0] * 4, [0, 0, 1, 0], [1] * 4]
    assert sorted(t.END_REGION) == [0, 1, 2, 3]


def test_timeline_tiles_have_one_donation_a_side():
    assert ((t.TIMELINE_TILES == t.DONATION).sum(axis=2) == 1).all()
    tiles = tomllib.loads(TEXT["timeline_tiles"])["tile"]
    assert [[[t.EVENTS[event] for event in side] for side in tile] for tile in t.TIMELINE_TILES] == [
        [tile["front"], tile["back"]] for tile in tiles
    ]


def test_andrew():
    assert t.CARD_ADVANCED.sum() == 20 and t.DECK_SIZE == 20
    assert t.DIFFICULTY_ADVANCED.tolist() == [0, 5, 10, 15]
    assert t.ANDREW_VP_ROW.tolist() == [0, 1, 3, 6, 10]
    for kind in (0, 1):  # each half has every donation cell once and every back five times
        half = t.CARD_ADVANCED == kind
        assert sorted(t.CARD_DONATION[half]) == list(range(20))
        assert np.bincount(t.CARD_BACK[half]).tolist() == [5] * 4
    assert ((t.CARD_CITIES != -1).sum(axis=1) == t.CARD_NUM_CITIES).all()
    assert ((t.CARD_DEPARTMENTS != -1).sum(axis=1) == t.CARD_NUM_DEPARTMENTS).all()
    cards, andrew = t.FACTS.andrew_cards.card, tomllib.loads(TEXT["andrew_cards"])["andrew"]
    assert len(set(t.CARDS)) == len(cards) and t.CARDS[:2] == ("N01", "N02")
    assert t.CARD_SHIFT.tolist() == [card.shift for card in cards] and t.CARD_SHIFT.max() > 1
    assert (t.ANDREW_DISKS, t.ANDREW_DEPARTMENT_VP, t.ANDREW_TRACK_VP, t.ANDREW_DONATION_LIMIT) == tuple(
        andrew[key] for key in ("disks", "department_vp", "track_vp", "donation_limit")
    )


def test_lines_are_mutual_and_join_all_cities():
    matrix = (t.CITY_ADJACENT[:, None] >> np.arange(t.NUM_CITIES)) & 1
    assert (matrix == matrix.T).all() and not matrix.diagonal().any()
    assert matrix.sum() == 2 * len(t.FACTS.board.network.edges) == 108
    assert (np.linalg.matrix_power(matrix + np.eye(t.NUM_CITIES, dtype=np.int64), t.NUM_CITIES) != 0).all()


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


def test_texts_of_builds():
    assert t.BUILD_TEXT[0] == "build housing in seattle" and len(t.BUILD_TEXT) == t.NUM_BUILDS
    assert len(set(t.MISMATCH_TEXT)) == len(t.MISMATCH_TEXT) == t.NUM_MISMATCHES
    assert not {*t.BUILD_TEXT} & {*t.MISMATCH_TEXT}
    assert "build housing in kansas_city on commerce" in t.MISMATCH_TEXT
    assert "build housing in kansas_city on commerce space 2" in t.MISMATCH_TEXT


def test_company_board():
    assert t.LOBBY_SPACE == 13 and t.START_DEPARTMENT[t.LOBBY_SPACE] == t.LOBBY
    assert (t.START_DEPARTMENT == 0).sum() == 10
    assert t.START_DEPARTMENT[t.START_SPACE].tolist() == list(range(33, 38))
    assert t.SPACE_POINTS.reshape(4, 4).tolist() == [[3] * 4, [2] * 4, [2] * 4, [2] * 4]
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
    assert t.TAB_POINTS[:, 0, -1].tolist() == [6, 9, 12, 15]
    assert not t.TAB_POINTS[:, :, 0].any()
    assert t.TAB_LIMIT.tolist() == [[0, 3]] * 4
    assert t.TAB_GOODS.tolist() == t.PROJECT_GOODS.tolist() == [1, 1, 2, 2]
    assert t.TAB_LENGTH.tolist() == (t.TAB_BLANK + t.TAB_PROJECTS + t.TAB_VP_SECTIONS - 1).tolist()
    assert t.TAB_BLANK.tolist() == [0, 0, 0, 1]
    for tab in range(4):  # a section pays a fixed income or offers a choice
        for section in range(t.TAB_PROJECTS[tab]):
            assert (t.TAB_CHOICE[tab, section] == 0) == t.TAB_INCOME[tab, section].any()
    assert ((t.TAB_CHOICE == t.CHOICE_GOODS_OR_MONEY) == (t.TAB_CHOICE_GOODS > 0)).all()
    assert ((t.TAB_CHOICE > 0) == (t.TAB_CHOICE_MONEY > 0)).all()
    tabs = {tab["project"]: tab for tab in tomllib.loads(TEXT["company"])["tab"]}
    assert t.TAB_STEP_COST.tolist() == [tabs[kind]["step_cost"] for kind in t.PROJECTS]
    codes = {
        (): t.CHOICE_NONE,
        ("employees", "money"): t.CHOICE_EMPLOYEE_OR_MONEY,
        ("goods", "money"): t.CHOICE_GOODS_OR_MONEY,
    }
    for number, kind in enumerate(t.PROJECTS):
        for section, income in enumerate(tabs[kind]["income"]):
            offered = tuple(key for part in income.get("choice", ()) for key in part)
            assert t.TAB_CHOICE[number, section] == codes[offered]


def test_donations():
    assert len(set(t.DONATIONS)) == 20 and len(set(t.NEW_DONATIONS)) == 20
    assert t.DONATION_COLUMN.tolist() == [i // 5 for i in range(20)]
    assert t.DONATION_ROW.tolist() == [i % 5 for i in range(20)]
    new = t.FACTS.donations.new_donation  # of each column's tile five cells, from top to bottom
    assert [d.column for d in new] == [column for column in t.DONATION_COLUMNS for _ in range(5)]
    assert [d.row for d in new] == [1, 2, 3, 4, 5] * 4
    rule = {name: i for i, name in enumerate((*t.DONATIONS, *t.NEW_DONATIONS))}
    assert t.RULE_ARG[rule["human_rights_housing_commerce"]] == 0b0011
    assert t.RULE_ARG[rule["education_research"]] == 0b1000
    assert t.RULE_ARG[rule["health_south"]] == t.REGIONS.index("south")
    assert t.RULE_ARG[rule["new_medium_cities_chicago"]] == t.CITIES.index("chicago")
    for d in t.FACTS.donations.new_donation:  # the others name what they need by a number
        for number in (d.company_row, d.company_column, d.least_cost):
            assert number is None or t.RULE_ARG[rule[d.id]] == number
        assert d.of_column is None or t.RULE_ARG[rule[d.id]] == t.DONATION_COLUMNS.index(d.of_column)
    assert t.RULE_ARG[rule["education_any_department"]] == 0
    assert t.RULE_PAY[rule["welfare_money_and_goods"]].tolist() == [5, 1, 3]
    assert ((t.RULE_COUNT == t.COUNT_PAY) == t.RULE_PAY.any(axis=1)).all()


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


def test_a_users_file_replaces_the_shipped_one(tmp_path):
    folder = changed(tmp_path, "company", "money = 12", "money = 20")
    for path in (folder, folder / "company.toml", str(folder)):
        facts = t.load_facts(path)
        assert facts.company.start.money == 20
        assert facts.board == t.FACTS.board
    assert t.load_facts().company.start.money == 12


def test_environment_variable(tmp_path):
    changed(tmp_path, "company", "money = 12", "money = 20")
    code = "from carnegie_env.carnegie import tables; print(tables.START_MONEY)"
    for given, money in ((str(tmp_path), "20"), ("", "12")):  # empty is as good as not set
        environment = {**os.environ, "CARNEGIE_ENV_FACTS": given}
        ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == money


def test_what_counts_in_scores_alone_is_in_the_signature(tmp_path):
    """Else games by different rules would be mixed in a file of results or a dataset."""
    changed(tmp_path, "company", "row_points = [3, 2, 2, 2]", "row_points = [4, 2, 2, 2]")
    code = (
        "from carnegie_env import games; from carnegie_env.core import signature; signature.SIGNED_GAMES = 2; "
        "print(signature.signature(games()['carnegie']))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "CARNEGIE_ENV_FACTS": given, "NUMBA_DISABLE_JIT": "1"},
            capture_output=True, text=True, check=True,
        ).stdout
        for given in (str(tmp_path), "")
    }  # fmt: skip
    assert len(said) == 2


def test_a_donation_for_another_row_or_column(tmp_path):
    """The shipped ones are for row and column 0."""
    text = TEXT["donations"].replace("company_row = 0", "company_row = 2", 1)
    text = text.replace("company_column = 0", "company_column = 3", 1)
    (tmp_path / "donations.toml").write_text(text, encoding="utf-8")
    code = "from carnegie_env.carnegie import tables as t; print(*t.RULE_ARG)"
    environment = {**os.environ, "CARNEGIE_ENV_FACTS": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    arguments = [int(argument) for argument in ran.stdout.split()]
    changed = {(t.RULE_COUNT[i], arguments[i]) for i in np.flatnonzero(t.RULE_ARG != arguments)}
    assert changed == {(t.COUNT_COMPANY_ROW, 2), (t.COUNT_COMPANY_COLUMN, 3)}


WRONG = [
    ("board", '["seattle", "helena"]', '["seattle", "helsinki"]', ["network edges", "'helsinki'", "the id of a city"]),
    ("board", '["seattle", "helena"]', '["seattle", "portland"]', ["network edges", "only once"]),
    ("board", '["seattle", "helena"]', '["seattle", "seattle"]', ["network edges", "two different cities"]),
    ("board", 'id = "helena"', 'id = "seattle"', ["city", "'seattle'", "only once"]),
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
    ("company", "lobby = [3, 1]", "lobby = [3, 2]", ["starting_department space", "only once"]),
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
    ("andrew_cards", 'id = "N02"', 'id = "N01"', ["card id", "'N01'", "only once"]),
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
    with pytest.raises(ValueError, match="holds no file of facts; their names are board.toml, company.toml, "):
        t.load_facts(tmp_path)
    (tmp_path / "steel_driver.toml").write_text("not = read")
    assert t.load_facts(tmp_path).company.start.money == 12
    assert t.load_facts(changed(tmp_path, "company", "money = 12", "money = 20")).company.start.money == 20
