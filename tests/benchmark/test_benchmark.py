"""The benchmark: tasks, results as files, the leaderboard, drawn tables, and the commands."""

import argparse
import json
import math
import re
import tomllib

import msgspec
import numpy as np
import pytest

from carnegie_env.agents import registry
from carnegie_env.agents.value import Networks
from carnegie_env.arena import match as matches
from carnegie_env.arena import play, statistics
from carnegie_env.arena.lines import Entrant, Fault, GameLine
from carnegie_env.arena.match import outcome
from carnegie_env.benchmark import cards, page, playing, results, sensitivity, summary, tasks
from carnegie_env.benchmark.__main__ import main
from carnegie_env.benchmark.results import Column, Result, Training
from tests.arena.headers import header
from tests.paths import ROOT


# ---------------------------------------------------------------- tasks and pool
def test_tasks_have_their_own_deals():
    seeds = [task.seed for task in tasks.TASKS.values()]
    assert len(set(seeds)) == len(seeds)
    for task in tasks.TASKS.values():
        assert task.seed in tasks.RESERVED and task.seed + tasks.BLOCK - 1 in tasks.RESERVED
        assert task.deals < tasks.BLOCK
        options = task.rules.options.from_dict(dict(task.options))
        assert options.num_players == task.players
    with pytest.raises(ValueError, match="there is no task 'quartet'; the tasks are solo-normal, solo-expert, duel"):
        tasks.find("quartet")


@pytest.mark.parametrize("name", tasks.TASKS)
def test_the_pool_is_complete_and_pinned(name):
    """Every network of the pool has the digest that is stated, and serves the games of the task."""
    task = tasks.TASKS[name]
    options = task.rules.options.from_dict(dict(task.options))
    for player in tasks.AGENTS.values():
        if player.plays(task):
            agent = registry.make_agent(player.spec_in(task))
            assert agent.version == player.version(task)
            agent.check_plays(task.rules, options)
    assert all(player.plays(task) for player in task.opponents)


@pytest.mark.parametrize("name", ["duel", "steel-driver-3"])
def test_the_greedy_agent_of_the_pool_stays_the_same(name):
    """It has no version: a change of its play makes older results invalid, so the tasks need new revisions."""
    task = tasks.TASKS[name]
    found = play.play([registry.make_agent("greedy")], 4, game=task.rules, seed=5, **task.options)
    known = json.loads((ROOT / "tests" / "benchmark" / "greedy.json").read_text())
    assert found.scores.ravel().tolist() == known[name]


# ---------------------------------------------------------------- results
def lines_of(task, seatings, points, faults=0):
    found = []
    for deal in range(len(points)):
        for number, seats in enumerate(seatings):
            got = [points[deal][agent] for agent in seats] + ([points[deal][1]] if len(seats) == 1 else [])
            named = tuple({"total": each} for each in got)
            fault = Fault(0, 0, "crash", 0, "boom") if len(found) < faults else None
            ranked = tuple((each, *[0] * (len(task.rules.rank_by) - 1)) for each in got)
            found.append(GameLine(deal, number, seats, 9, ranked, named, {}, fault))
    return found


def standings(name, points, faults=0):
    """The games of a match with these points, for each deal of the agent and its opponent."""
    task = tasks.TASKS[name]
    table = ((0, *[1] * (task.players - 1)),)
    agents = (("mine", "mine"),) if task.players == 1 else (("mine", "mine"), ("greedy", "greedy"))
    tables = None if task.players == 1 else table
    settings = matches.Match(task.rules, dict(task.options), agents, len(points), seed=task.seed, tables=tables)
    options = task.rules.options.from_dict(dict(task.options)).to_dict()
    entrants = tuple(Entrant(*each) for each in agents)
    about = header(entrants, game=task.game, options=options, tables=tables, seed=task.seed)
    return outcome(task.rules, about, lines_of(task, settings.seatings(0), points, faults)).standings


def column(name="duel", points=((40, 20), (30, 31)), opponent="greedy", version="", faults=0):
    return results.column(tasks.TASKS[name], Entrant(opponent, opponent, version), standings(name, points, faults))


def complete(name="duel", first=None):
    """Columns against all opponents of a task."""
    task = tasks.TASKS[name]
    if task.players == 1:
        return [first or column(name, opponent="andrew")]
    found = [column(name, opponent=each.label, version=each.version(task)) for each in task.opponents]
    return found if first is None else [msgspec.structs.replace(first, opponent=each.opponent, version=each.version)
                                        for each in found]  # fmt: skip


def trained(seed, decisions=10**6, hours=1.0):
    return Training(seed, decisions, hours, "win")


def result(name="duel", label="mine", columns=None, **changes):
    made = Result(
        format=1, task=name, revision=tasks.find(name).revision, edition="2026", training=None,
        agent=Entrant(label, "my:Agent", "v1"), columns=complete(name) if columns is None else columns,
        side_by_side=True, milliseconds={"mean": 1.0, "p99": 2.0, "worst": 3.0}, faults={}, signature=77, versions={},
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def first_column(*values):
    return {"columns": [Column(*values), *complete()[1:]]}


def test_columns():
    two = column()
    assert (two.games, two.wins, two.ahead, two.margins) == (4, [1.0, 0.0], [1.0, 0.0], [20.0, -1.0])
    assert two.win_share.mean == 0.5 and 0.05 < two.win_share.low < 0.06
    three = column("table-3", [(40, 20), (20, 20)])
    assert three.games == 6 and three.margins == [20, 0]
    assert three.wins == [1.0, 0.3333] and three.ahead == [1.0, 0.5]  # a tie of three
    solo = column("solo-expert", [(90, 100), (101, 100), (100, 100)], opponent="andrew")
    assert solo.games == 3 and solo.margins == [-10, 1, 0] and solo.wins[:2] == solo.ahead[:2] == [0.0, 1.0]
    lost = column(faults=4)
    assert lost.wins == [0, 0] and lost.margins == [None, None] and lost.margin is None


def test_no_interval_has_no_width():
    for share in (0.0, 0.25, 1.0):
        estimate = Column("greedy", "", 200, [share] * 100, [share] * 100, [1.0] * 100).win_share
        assert estimate.low < estimate.mean or share == 0
        assert estimate.high > estimate.mean or share == 1
        assert estimate.high - estimate.low > 0.01


def test_students_interval():
    """Quantiles of Student's distribution from a table."""
    for freedom, quantile in ((1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (400, 1.966)):
        assert statistics._student(freedom) == pytest.approx(quantile, rel=0.003)
    assert results.mean([]) is None and math.isinf(results.mean([3.0]).high)
    estimate = results.mean([1.0, 2.0, 3.0])
    assert estimate.high - 2 == pytest.approx(4.303 / math.sqrt(3), rel=1e-3)


def test_budgets():
    for decisions, budget in ((10**6, "1M"), (10**6 + 1, "20M"), (2 * 10**7, "20M"), (2 * 10**7 + 1, "open")):
        made = result(training=trained(0, decisions))
        assert made.budget == budget and made.file_name == f"duel-mine-{budget}-0.json"
    assert result(training=Training(1, 10, 1.0, "win", open=True)).row == "mine open"
    assert result().budget == "open" and result().row == "mine"


def test_files(tmp_path):
    long = Column("greedy", "", 200, [0.5] * 100, [0.5] * 100, [1.5, None, -3.0, *[0.0] * 97])
    for made in (result(columns=complete("duel", long)), result(training=trained(3)), result("solo-normal")):
        path = tmp_path / made.file_name
        path.write_bytes(results.encode(made))
        assert results.read(path) == made
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"duel-mine.json", "duel-mine-1M-3.json", "solo-normal-mine.json"}
    assert len((tmp_path / "duel-mine.json").read_text().splitlines()) < 110


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "it has format 2; this program reads format 1"),
        ({"task": "quartet"}, "there is no task 'quartet'"),
        ({"revision": 9}, "of revision 9 of duel, which now has revision 2; have the agent play it again"),
        ({"agent": Entrant("value", "my:Agent", "")}, "the label value belongs to an agent of the leaderboard"),
        ({"agent": Entrant("../x", "my:Agent", "")}, "1 to 40 letters, digits, _ . and -, not '../x'"),
        ({"agent": Entrant("greedy", "greedy", ""), "training": trained(1)}, "the label greedy belongs to an agent"),
        ({"agent": Entrant("random", "random", "x")}, "the version of random must be '', not 'x'"),
        ({"agent": Entrant("ppo", "ppo:{network}", ""), "task": "table-3", "revision": 1}, "ppo does not play table-3"),
        ({"agent": Entrant("andrew", "andrew", ""), "task": "solo-normal", "revision": 1}, "belongs to the automatic"),
        ({"columns": []}, "its columns must be greedy, ppo, value, search, in this order"),
        ({"columns": complete()[:3]}, "its columns must be greedy, ppo, value, search, in this order"),
        ({"columns": [column(version="x"), *complete()[1:]]}, "the opponent's version must be '', not 'x'"),
        ({"columns": [*complete()[:3], column(opponent="search")]}, "version must be '3c11851bfbaf', not ''"),
        (first_column("greedy", "", 4, [1.0] * 2, [1.0], [1.0] * 2), "must have 1 to 200 values"),
        (first_column("greedy", "", 5, [1.0] * 2, [1.0] * 2, [1.0] * 2), "2 deals have 4 games, not 5"),
        (first_column("greedy", "", 4, [1.0] * 2, [0.5] * 2, [1.0] * 2), "wins can't be more than ahead"),
        (first_column("greedy", "", 4, [2.0] * 2, [1.0] * 2, [1.0] * 2), "Expected `float` <= 1.0"),
        ({"milliseconds": {}}, "milliseconds must have mean, p99 and worst"),
        ({"milliseconds": {"mean": -1.0, "p99": 2.0, "worst": 3.0}}, "Expected `float` >= 0"),
        ({"faults": {"crash": 17}}, "it has 17 faults in 16 games"),
        ({"training": trained(0, 0)}, "Expected `int` >= 1"),
        ({"training": Training(0, 1, 1.0, "")}, "Expected `str` of length >= 1"),
    ],
)
def test_invalid_results(tmp_path, changes, message):
    path = tmp_path / "x.json"
    path.write_bytes(results.encode(result(**changes)))
    with pytest.raises(ValueError, match=re.escape(message)):
        results.read(path)


def test_damaged_files(tmp_path):
    for content in (b"", b"[]", b"{}", b"\xff", b"[" * 100_000):
        (tmp_path / "x.json").write_bytes(content)
        with pytest.raises(ValueError, match="x.json is not a valid result"):
            results.read(tmp_path / "x.json")


def test_results_that_can_not_be_compared():
    ours = [result(training=trained(seed)) for seed in range(2)]
    results.comparable([*ours, result(), result(training=trained(0, 10**7)), result("table-3")])
    for found, message in (
        ([result(edition="own-1")], "the leaderboard is for edition 2026, not own-1"),
        ([result(), result(label="b", signature=78)], "different engines can't be compared: 7"),
        ([result(), result()], "there are two results for duel-mine.json: each needs its own label"),
        ([*ours, ours[0]], "there are two results for duel-mine-1M-0.json"),
        ([result(label="modules-a"), result("duel-modules", "a")], "there are two results for duel-modules-a.json"),
    ):
        with pytest.raises(ValueError, match=message):
            results.comparable(found)


# ---------------------------------------------------------------- summaries
def test_interquartile_means():
    assert summary.interquartile_mean([[1, 2, 3, 4], [0, 0, 9, 90]]).tolist() == [2.5, 4.5]
    assert summary.interquartile_mean([1.0, 5.0, 6.0]) == 4.0  # nothing to cut
    scores = np.random.default_rng(1).random((5, 4))
    estimate = summary.interquartile(scores)
    assert estimate.low < estimate.mean < estimate.high and estimate == summary.interquartile(scores)
    equal = summary.interquartile(np.zeros((5, 3)), np.full((5, 3), 0.1), (0, 1))  # games are finite
    assert equal.mean == equal.low == 0 and 0.01 < equal.high < 0.1
    noisy = summary.interquartile(scores, 0.5)
    assert noisy.high - noisy.low > 2 * (estimate.high - estimate.low)


def test_the_same_as_rliable():
    """The figures are of rliable 1.2.0 with 50,000 draws (it needs pandas below 3)."""
    estimate = summary.interquartile(np.random.default_rng(2).random((5, 6)), draws=50_000)
    assert estimate.mean == pytest.approx(0.47084636, abs=1e-8)
    assert (estimate.low, estimate.high) == pytest.approx((0.34624394, 0.57838195), abs=0.004)


def test_the_page():
    strong = Column("greedy", "", 400, [1.0] * 200, [1.0] * 200, [70.0, 80.0] * 100)
    weak = Column("greedy", "", 400, [0.1, 0.3] * 100, [0.1, 0.3] * 100, [-70.0, -80.0] * 100)
    weak, strong = complete("duel", weak), complete("duel", strong)
    found = [result(label="weak", columns=weak), result(label="strong", columns=strong)]
    watched: list[tuple[int, int]] = []
    text = page.page(found, lambda *numbers: watched.append(numbers))
    assert watched == [(0, 2)]
    rows = [line for line in text.splitlines() if line.startswith("| `") and " / " in line]
    assert [row.split("|")[1].strip() for row in rows] == ["`strong`", "`weak`"]
    assert "| 100.0 % [98.1, 100.0], +75.0 ± 0.7 (400) |" in rows[0] and "| 20.0 % [" in rows[1]
    rated = page.rate(tasks.TASKS["duel"], found)
    assert rated["strong"].mean > rated["value"].mean == 0 > rated["weak"].mean
    assert all(each.low < each.mean < each.high for name, each in rated.items() if name != "value")
    assert "--8<--" not in text and ":::" not in text


def row_of(text, name):
    return next(line.split(" | ") for line in text.splitlines() if line.startswith(f"| {name} | "))


def test_the_page_shows_several_trainings_in_a_row():
    strong = complete("duel", Column("greedy", "", 400, [1.0] * 200, [1.0] * 200, [70.0, 80.0] * 100))
    weak = complete("duel", Column("greedy", "", 400, [0.1, 0.3] * 100, [0.1, 0.3] * 100, [-70.0, -80.0] * 100))
    ours = [result(label="ours", columns=strong if seed else weak, training=trained(seed, hours=2.0))
            for seed in range(5)]  # fmt: skip
    more = [result(label="ours", columns=weak, training=trained(seed, 10**7)) for seed in range(2)]
    text = page.page([*ours, *more])
    cells = row_of(text, "`ours`, 1M, 5 trainings")
    assert cells[2].startswith("100.0 % [46.") and "], +45.0 ± " in cells[2] and cells[2].endswith("(2000)")
    assert row_of(text, "`ours`, 20M, 2 trainings")[2].startswith("20.0 % [")
    assert "| `ours` | 1M | 5 | 2 | `win` | duel | 100.0 % [46." in text and " | +75.0 [-25." in text
    assert "| `ours` | 20M | 2 (fewer than 5) | 1 | `win` | duel | 20.0 % [" in text and "[20.0, 20.0]" not in text

    single = complete("duel", column(points=[(40, 20)]))
    text = page.page([result(label="one", columns=single, training=trained(seed)) for seed in range(2)])
    assert "| `one` | 1M | 2 (fewer than 5) | 1 | `win` | duel | 100.0 % [" in text and "| +20.0 |" in text

    # Unlike trainings make a wider rating than equal ones, and a row that lost all games by faults has no margin.
    shares = [1.0, 1.0, 1.0, 1.0, 0.1, 1.0, 1.0, 1.0, 1.0, 0.3] * 20
    even = complete("duel", Column("greedy", "", 400, shares, shares, [50.0] * 200))
    alike = [result(label="ours", columns=even, training=trained(seed)) for seed in range(5)]
    one, other = (page.rate(tasks.TASKS["duel"], found)["ours 1M"] for found in (ours, alike))
    assert one.high - one.low > 1.5 * (other.high - other.low)
    lost = complete("duel", column(faults=4))
    text = page.page([result(label="lost", columns=lost, training=trained(seed)) for seed in range(2)])
    assert row_of(text, "`lost`, 1M, 2 trainings")[2].endswith("] (8)") and "nan" not in text
    assert row_of(text, "`lost`, 1M, 2 trainings")[2].startswith("0.0 % [0.0, ")


def test_the_rating_of_equal_methods():
    """A training has one weight in a draw, whichever of its games are counted."""
    shares = np.random.default_rng(3).random((4, 40)).round()
    columns = [[Column("andrew", "", 40, list(wins), list(wins), [20 * each - 10 for each in wins])] for wins in shares]
    found = [result("solo-normal", label, columns[k], training=trained(k % 2)) for k, label in enumerate("aabb")]
    turned = [msgspec.structs.replace(each, agent=Entrant("ab"[each.agent.label == "a"], "my:Agent", "v1")) for each in
              [*found[2:], *found[:2]]]  # fmt: skip
    one, other = (page.rate(tasks.TASKS["solo-normal"], each) for each in (found, turned))
    for label, turned_label in ("ab", "ba"):
        here, there = one[f"{label} 1M"], other[f"{turned_label} 1M"]
        assert here.mean == pytest.approx(there.mean, abs=1e-6)
        assert here.high - here.low == pytest.approx(there.high - there.low, rel=0.2)


def test_the_page_with_odd_names():
    text = page.page([result(agent=Entrant("odd", "bot:a.py|seconds=2", "v1"))])
    assert "| `odd` | `bot:a.py\\|seconds=2` |" in text
    lost = page.page([result(faults={"crash": 3})])
    assert "| `mine`, 3 games lost by faults |" in lost
    both = page.page([result(label="a", training=trained(1)), result(label="a")])
    assert "| `a` | `my:Agent` |  |  |" in both and "| `a` | `my:Agent` |  | 1M |" in both
    equal = [row for row in page.page([result(label=name) for name in "cab"]).splitlines() if " / " in row]
    assert [row.split("`")[1] for row in equal] == ["a", "b", "c"]


def test_ratings_of_solo_games_compare_margins_on_the_same_deal():
    def solo(label, margins):
        wins = [float(margin > 0) for margin in margins]
        return result("solo-expert", label, [Column("andrew", "", len(margins), wins, wins, margins)])

    found = [solo("a", [-10.0, -20.0, -5.0] * 20), solo("b", [-11.0, -21.0, -6.0] * 20), solo("c", [-30.0] * 9)]
    rated = page.rate(tasks.TASKS["solo-expert"], found)
    assert rated["andrew"].mean == rated["andrew"].low == 0
    assert sorted(rated, key=lambda name: -rated[name].mean) == ["andrew", "a", "b", "c"]


def test_the_leaderboard_is_the_page_of_its_files():
    found = results.read_all(ROOT / "docs" / "leaderboard")
    assert (ROOT / "docs" / "leaderboard.md").read_text() == page.page(found)
    for each in found:
        if each.agent.label in tasks.AGENTS:
            assert each.agent.version == tasks.AGENTS[each.agent.label].version(tasks.TASKS[each.task])


# ---------------------------------------------------------------- drawn tables
@pytest.mark.parametrize("game", sensitivity.DRAWS)
def test_drawn_tables_keep_what_is_known(game, tmp_path):
    """They load, differ from each other, and change no printed or forced value."""
    tables = __import__(f"carnegie_env.{game}.tables", fromlist=["load_facts"])
    texts = {sensitivity.drawn(game, seed) for seed in range(20)}
    assert len(texts) == 20 and sensitivity.drawn(game, 3) in texts
    name = sensitivity.DRAWS[game][0]
    shipped = tomllib.loads((tables.SHIPPED / f"{name}.toml").read_text())
    for number, (_, text) in enumerate(sorted(texts)):
        (tmp_path / f"{name}.toml").write_text(text)
        assert tables.load_facts(tmp_path).name.startswith("own-")
        if number < 3:
            check_marks(shipped, tomllib.loads(text), "printed")


def test_drawn_tables_can_keep_the_layout():
    kept, drawn = ([tomllib.loads(sensitivity.drawn("carnegie", n, new)[1]) for n in range(5)] for new in (0, 1))
    places = [{str([each["space"] for each in one["starting_department"]]) for one in facts} for facts in (kept, drawn)]
    assert len(places[0]) == 1 < len(places[1]) and len(set(map(str, kept))) == 5


def check_marks(before, now, around):
    """Compare the values of two tables that are not reconstructed."""
    mark, marks = before.get("mark", around), before.get("marks", {})
    for key, value in before.items():
        own = marks.get(key, "reconstructed" if key in ("city", "network") else mark)
        if isinstance(own, list):
            for place, each in enumerate(own):
                assert each == "reconstructed" or value[place] == now[key][place], key
        elif isinstance(value, dict) and "marks" not in value and key != "network" and own != "reconstructed":
            assert value == now[key], key
        elif isinstance(value, dict):
            check_marks(value, now[key], own)
        elif isinstance(value, list) and value and isinstance(value[0], dict) and key not in marks:
            for one, other in zip(value, now[key], strict=True):
                check_marks(one, other, own)
        elif own != "reconstructed":
            assert value == now[key], key


def test_a_study_plays_with_the_networks_of_the_pool():
    assert sensitivity._pinned("greedy", "duel") == "greedy=greedy"
    assert sensitivity._pinned("mine=value", "duel") == "mine=value"
    path = sensitivity._pinned("value", "solo-expert").removeprefix("value=value:")
    assert Networks(path).version == tasks.VALUE["carnegie-1"]


def test_a_study_tells_of_a_fault(here, capsys):
    agents = ("random", "mine=tests.arena.misfits:Crashes")
    message = run(capsys, "sensitivity", "--agents", *agents, "--deals", 2, "--processes", 1, code=2)
    assert "runs/sensitivity/duel-shipped.jsonl: mine lost a game by a fault (crash); delete the file" in message
    assert "RuntimeError: out of ideas" in message


def test_the_report_of_a_study():
    better, worse = standings("duel", [(40, 20)] * 3), standings("duel", [(20, 40)] * 3)
    text = sensitivity.report({"shipped": better, "0": better, "1": worse})
    assert "| `mine` | 20.0 ± 0.0 | +0.0, 28.3, -20.0, +20.0 | 1, 2 |" in text
    assert "The order is the same with 1 of 2 drawn tables; 6 games with each." in text


# ---------------------------------------------------------------- cards
URL = "https://example.org/games"


def test_croissant(tmp_path):
    """The metadata name every shard with its checksum; mlcroissant validates them and reads the games."""
    pytest.importorskip("pyarrow")
    from tests.datasets.games import make

    with pytest.raises(ValueError, match="is not a dataset, and has no folders that are"):
        cards.write(tmp_path, URL, "Us", cards.MIT)
    found = {name: make(tmp_path / name, "Last", "random") for name in ("one", "two")}
    told = json.loads(cards.write(tmp_path, URL, "Us", "https://example.org/licence").read_text())
    assert told["creator"]["name"] == "Us" and told["license"] == "https://example.org/licence"
    assert "values" not in told["description"]  # random has none
    assert told["description"].startswith("120 complete games of sixes between ")
    assert "random (random)" in told["recordSet"][0]["description"]  # it has no version
    assert [each["contentUrl"] for each in told["distribution"]] == [
        f"{name}/{shard.name}" for name, each in found.items() for shard in each.shards
    ]
    assert told["distribution"][0]["sha256"] == found["one"].shards[0].sha256
    alone = json.loads(cards.write(tmp_path / "one", URL, "Us", cards.MIT).read_text())
    assert alone["distribution"][0]["contentUrl"] == "games-00000.parquet"
    assert {key for key in told if key.startswith("rai:")} >= {"rai:dataLimitations", "rai:dataBiases"}
    assert str(tmp_path) not in json.dumps(told)
    pyarrow = pytest.importorskip("pyarrow.dataset")
    assert pyarrow.dataset(tmp_path / "one").count_rows() == 60  # the card does not disturb readers
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(jsonld=str(tmp_path / cards.CARD_FILE))
    assert not dataset.metadata.issues.errors and not dataset.metadata.issues.warnings
    records = [*dataset.records(record_set="one-games-00000")]
    assert [record["one-games-00000/seed"] for record in records] == [game.seed for game in found["one"]][:25]


def test_a_card_describes_the_finished_games(tmp_path):
    pytest.importorskip("pyarrow")
    from carnegie_env.datasets.writing import Writer
    from tests.datasets.games import make, manifest_of, plan
    from tests.toy.game import SIXES

    begun = manifest_of(plan())
    with Writer(tmp_path / "games", begun, SIXES) as writer:
        with pytest.raises(ValueError, match="games: the dataset has no finished game; continue it with"):
            cards.write(tmp_path, URL, "Us", cards.MIT)
        writer.add(1, make(tmp_path / "whole").columns(1))
        writer.finish()
    told = json.loads(cards.write(tmp_path / "games", URL, "Us", cards.MIT).read_text())
    assert told["description"].startswith("25 complete games")
    assert [each["description"] for each in told["distribution"]] == ["games 25 to 49"]
    with pytest.raises(ValueError, match="is not a dataset: it is not a folder"):
        cards.write(tmp_path / "games" / cards.CARD_FILE, URL, "Us", cards.MIT)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"url": "not a url"}, "url must be an address such as https://.*, not 'not a url'"),
        ({"url": "example.org"}, "url must be an address"),
        ({"license": ""}, "license must be an address such as https://.*, not ''"),
        ({"creator": " "}, "creator must be a name, not ' '"),
    ],
)
def test_invalid_cards(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        cards.write(tmp_path, **{"url": URL, "creator": "Us", "license": cards.MIT} | change)
    given = argparse.Namespace(out=tmp_path, share=1.0, processes=1, url="not a url")
    with pytest.raises(ValueError, match="url must be an address"):  # before the games are made
        cards.make(given)
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- the commands
@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(matches, "signature", lambda game: 77)
    (tmp_path / "docs" / "leaderboard").mkdir(parents=True)
    return tmp_path


TRAINING = ("--training-seed", 1, "--decisions", 9, "--core-hours", 1)


def run(capsys, *arguments, code=0):
    assert main([*map(str, arguments)]) == code
    out, err = capsys.readouterr()
    return out if code == 0 else err


def test_evaluate_and_enter(here, capsys):
    chosen = ("--tasks", "solo-normal", "--processes", 1)
    out = run(capsys, "evaluate", "--agent", "mine=random", "--deals", 2, *chosen)
    assert re.match(r"solo-normal: mine wins 0\.0 % \[0\.0, 65\.8\] of 2 against andrew; [\d.e-]+ ms\n", out)
    found = results.read(here / "solo-normal-mine.json")
    assert found.signature == 77 and found.columns[0].games == 2
    run(capsys, "evaluate", "--agent", "mine=random", "--deals", 3, *chosen)  # continues
    assert results.read(here / "solo-normal-mine.json").columns[0].margins[:2] == found.columns[0].margins
    of_training = ("--training-seed", 4, "--decisions", 1000, "--core-hours", 0.5, "--reward", "win", "--notes", "none")
    run(capsys, "evaluate", "--agent", "ours=random", "--deals", 2, *chosen, *of_training)
    made = results.read(here / "solo-normal-ours-1M-4.json")
    assert made.training == Training(4, 1000, 0.5, "win", "none") and made.budget == "1M"

    out = run(capsys, "enter", "solo-normal-mine.json", "solo-normal-ours-1M-4.json")
    assert out.count("entered docs/leaderboard/solo-normal-") == 2
    written = (here / "docs" / "leaderboard.md").read_text()
    assert "### solo-normal" in written or "## solo-normal" in written
    assert "| `mine` |" in written and "| `ours` |" in written
    again = ("evaluate", "--agent", "mine=random", "--deals", 1, *chosen, "--games", here / "again")
    assert "has 3 games, the new result only 1" in run(capsys, *again, code=2)
    (here / "solo-normal-mine.json").unlink()
    run(capsys, *again)
    assert "has 3 games, the new result only 1" in run(capsys, "enter", "solo-normal-mine.json", code=2)


def test_a_result_of_an_earlier_revision(here, capsys):
    """It is left out, and a new result takes its place."""
    folder = here / "docs" / "leaderboard"
    for label in ("old", "random"):
        agent = Entrant(label, label, "")
        made = result("solo-normal", agent=agent, columns=complete("solo-normal"), revision=9)
        (folder / made.file_name).write_bytes(results.encode(made))
    assert main(["leaderboard", "--agents", "random", "ppo", "--tasks", "solo-normal", "--deals", "1"]) == 0
    out, err = capsys.readouterr()
    assert "left out: docs/leaderboard/solo-normal-old.json: it is a result of revision 9" in err
    assert "random wins" in out and "ppo wins" in out
    assert results.read(folder / "solo-normal-random.json").games == 1
    text = (here / "docs" / "leaderboard.md").read_text()
    assert "| `random` |" in text and "| `ppo` |" in text and "| `old` |" not in text
    run(capsys, "evaluate", "--agent", "new=random", "--tasks", "solo-normal", "--deals", "1")
    run(capsys, "enter", "solo-normal-new.json")
    (folder / "damaged.json").write_text("{}")
    assert "damaged.json is not a valid result" in run(capsys, "enter", "solo-normal-new.json", code=2)


def test_results_are_entered_in_a_checkout(here, capsys, monkeypatch):
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert "there is no folder docs/leaderboard here" in run(capsys, "enter", "x.json", code=2)


def test_another_agent_keeps_its_file(here, capsys):
    made = result("duel-modules", "a", columns=complete("duel-modules"))
    (here / "docs" / "leaderboard" / made.file_name).write_bytes(results.encode(made))
    other = result(label="modules-a")
    (here / "x.json").write_bytes(results.encode(other))
    error = run(capsys, "enter", "x.json", code=2)
    assert "duel-modules-a.json is a result of a in duel-modules; choose another label" in error
    for changes in ({"agent": Entrant("a", "my:Other", "v1")}, {"agent": Entrant("a", "my:Agent", "v2")}):
        (here / "x.json").write_bytes(results.encode(msgspec.structs.replace(made, **changes)))
        if changes["agent"].version == "v1":
            assert "is of another agent or training" in run(capsys, "enter", "x.json", code=2)
        else:
            run(capsys, "enter", "x.json")
    one, other = (result(training=trained(1, decisions)) for decisions in (10, 20))
    with pytest.raises(ValueError, match="is of another agent or training"):
        one.check_replaces(other)


def test_the_page_does_not_depend_on_the_order_of_entering(here, capsys):
    for label in ("b", "a"):
        (here / "x.json").write_bytes(results.encode(result("solo-normal", label, columns=complete("solo-normal"))))
        run(capsys, "enter", "x.json")
    folder = here / "docs" / "leaderboard"
    assert (here / "docs" / "leaderboard.md").read_text() == page.page(results.read_all(folder))


def test_the_file_of_another_agent_is_refused_before_games(here, capsys):
    made = result("solo-normal", "new", columns=complete("solo-normal"))
    (here / made.file_name).write_bytes(results.encode(made))
    error = run(capsys, "evaluate", "--agent", "new=random", "--tasks", "solo-normal", "--deals", "1", code=2)
    assert f"{made.file_name} is of another agent or training; choose another label, or delete it" in error
    assert not (here / "runs").exists()


def test_changed_code_is_not_mixed_with_earlier_games(here, capsys, monkeypatch):
    """Your own agent without a version has the digest of its file."""
    monkeypatch.syspath_prepend(here)
    code = "from carnegie_env.agents.random_agent import RandomAgent\nclass Mine(RandomAgent):\n    version = ''\n"
    (here / "benchmarked.py").write_text(code)
    chosen = ("evaluate", "--agent", "mine=benchmarked:Mine", "--tasks", "solo-normal", "--deals", 1, "--processes", 1)
    run(capsys, *chosen)
    assert len(results.read(here / "solo-normal-mine.json").agent.version) == 12
    run(capsys, *chosen)
    (here / "benchmarked.py").write_text(code + "# changed\n")
    assert "was played with other settings" in run(capsys, *chosen, code=2)


def test_faults_of_an_opponent_are_not_wins(here, monkeypatch):
    task = tasks.TASKS["duel"]
    pool = {**tasks.POOL, "greedy": tasks.Player("greedy", "tests.arena.misfits:Crashes")}
    monkeypatch.setattr(tasks, "POOL", pool)
    with pytest.raises(ValueError, match="greedy, an opponent, lost games by faults .crash: 1., which .*greedy.jsonl"):
        playing.play("duel", task, tasks.Player("mine", "random"), here / "games", deals=1, processes=1)


def test_tasks_that_an_agent_does_not_play(here, capsys, monkeypatch):
    """They are left out, instead of lost by faults, unless they are asked for."""
    monkeypatch.setattr(tasks, "TASKS", {"duel-modules": tasks.TASKS["duel-modules"]})
    assert main(["evaluate", "--agent", "mine=ppo", "--deals", "1"]) == 0
    assert "duel-modules: left out: ppo has no network for carnegie with" in capsys.readouterr().err
    assert "ppo has no network" in run(capsys, "evaluate", "--agent", "mine=ppo", "--tasks", "duel-modules", code=2)
    monkeypatch.undo()
    assert "ppo does not play table-3" in run(capsys, "evaluate", "--agent", "ppo", "--tasks", "table-3", code=2)
    assert not list(here.glob("*.json"))


def test_agents_of_the_pool_never_play_themselves():
    for task in tasks.TASKS.values():
        for label in tasks.POOL:
            met = results.columns_of(task, label)
            assert met and label not in met


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "--agent", "value=random"), "the label value belongs to an agent of the leaderboard"),
        (("evaluate", "--agent", "random", "--tasks", "x"), "there is no task 'x'"),
        (("evaluate", "--agent", "random", "--out", "no"), "--out: the folder no does not exist"),
        (("evaluate", "--agent", "random", "--decisions", 5), "--core-hours and --reward go together"),
        (("evaluate", "--agent", "random", "--deals", 0), "--deals must be 1 or more"),
        (("evaluate", "--agent", "random", "--decisions", -1), "--decisions must be 1 or more"),
        (("evaluate", "--agent", "random", "--core-hours", 0), "--core-hours must be a number above 0"),
        (("evaluate", "--agent", "random", "--training-seed", -1), "-1"),
        (("evaluate", "--agent", "a=random", *TRAINING, "--reward", ""), "--reward must have 1 to 100 characters"),
        (("evaluate", "--agent", "a=random", *TRAINING, "--reward", "win", "--notes", "n" * 1001), "not 1001"),
        (("evaluate", "--agent", "random", *TRAINING, "--reward", "win"), "the label random belongs to an agent"),
        (("evaluate", "--agent", "search:ms=5"), "not 'search:ms=5'; name one, LABEL=AGENT"),
        (("evaluate", "--agent", "andrew=nobody"), "the label andrew belongs to the automatic opponent"),
        (("evaluate", "--agent", "random", "--notes", "none"), "--core-hours and --reward go together"),
        (("enter", "nothing.json"), "nothing.json"),
        (("sensitivity", "--deals", 999), "--deals must be 2 to 200, not 999"),
        (("sensitivity", "--task", "steel-driver-4", "--keep-layout"), "--keep-layout has no effect"),
        (("sensitivity", "--tables", 1), "--tables must be 2 or more, not 1"),
        (("sensitivity", "--task", "steel-driver-4", "--agents", "ppo", "value"), "ppo does not play steel-driver-4"),
    ],
)
def test_wrong_arguments(here, capsys, arguments, message):
    assert message in run(capsys, *arguments, code=2)


def test_an_agent_of_the_leaderboard_by_its_label():
    assert playing.player_of("search", "search") is tasks.AGENTS["search"]
    assert playing.player_of("mine", "greedy").spec == "greedy"


def test_times_are_written_without_exponents():
    assert [page.two_digits(each) for each in (0.00121, 1.53, 40.2, 238.0)] == ["0.0012", "1.5", "40", "240"]
