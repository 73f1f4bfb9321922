"""Suites: their settings, results as files, and the leaderboard, which is the same in the README."""

from pathlib import Path

import msgspec
import pytest

from carnegie_env import collection
from carnegie_env.agents import registry
from carnegie_env.arena import suites
from carnegie_env.arena.lines import Entrant, Fault, GameLine
from carnegie_env.arena.match import outcome
from tests.arena.headers import header

ROOT = Path(__file__).resolve().parents[2]
GAME = collection.find("carnegie")
NAMES = [(game, name) for game, found in suites.SUITES.items() for name in found]


@pytest.mark.parametrize(("game", "name"), NAMES)
def test_a_suite_is_a_match_on_its_own_deals(game, name):
    suite = suites.find(game, name)
    match = suites.match_of(collection.find(game), name, "mine", "random")
    assert suite.seed in suites.RESERVED and suite.seed + suite.deals in suites.RESERVED
    assert (suite.seed - suites.RESERVED.start) % suites.BLOCK == 0 and suite.deals <= suites.BLOCK
    others = [each.seed for each_name, each in suites.SUITES[game].items() if each_name != name]
    assert suite.seed not in others
    players = match.game.options.from_dict(match.options).num_players
    assert all(len(table) == players - 1 for table in suite.tables)
    for deal in range(3):
        games = match.seatings(deal)
        assert len(games) == players * len(suite.tables)
        for seat in range(players):
            assert sum(seating[seat] == 0 for seating in games) == len(suite.tables)
        assert all(seating.count(0) == 1 for seating in games)


def test_unknown_suites():
    with pytest.raises(ValueError, match="carnegie has no suite 'quartet'; it has solo-normal, solo-expert, duel"):
        suites.find("carnegie", "quartet")
    with pytest.raises(ValueError, match="chess has no suite 'duel'; it has none"):
        suites.find("chess", "duel")


def result(name="duel", label="mine", points=(30, 20), faults=0, **changes):
    """The result of a suite of two deals, with these points for the agent and the opponents."""
    suite = suites.find("carnegie", name)
    match = suites.match_of(GAME, name, label, label, deals=2)
    options = GAME.options.from_dict(match.options).to_dict()
    agents = tuple(Entrant(*each) for each in match.agents)
    settings = header(agents, game="carnegie", options=options, tables=match.tables, seed=match.seed)
    lines = []
    for deal in range(2):
        for number, seats in enumerate(match.seatings(deal)):
            got = [points[0] if agent == 0 else points[1] for agent in seats]
            got += [points[1]] if len(seats) == 1 else []
            named = tuple({"total": each} for each in got)
            fault = Fault(0, 0, "crash", 0, "boom") if len(lines) < faults else None
            lines.append(GameLine(deal, number, seats, 9, tuple((each,) for each in got), named, {}, fault))
    found = suites.result_of(name, suite, outcome(GAME, settings, lines))
    return msgspec.structs.replace(found, **changes)


def test_a_result():
    found = result("table-3", points=(40, 25))
    assert (found.suite, found.revision, found.deals, found.games) == ("table-3", 1, 2, 12)
    assert found.wins.mean == 1 and found.margin.mean == 15
    assert [(each.opponents, each.games) for each in found.tables] == [
        (("greedy", "greedy"), 6),
        (("value", "value"), 6),
    ]
    assert found.tables[0].wins == found.tables[1].wins and found.tables[0].wins.mean == found.wins.mean
    assert found.faults == {}
    assert found.line("VP").startswith(
        "table-3: mine wins 100.0 % [34.2, 100.0], margin 15.0 ± 0.0 VP; 2 deals, 12 games"
    )
    failed = result(faults=8)
    assert failed.faults == {"crash": 8} and failed.wins.mean == 0 and failed.margin is None
    assert "wins 0.0 % [0.0, 65.8], 8 games lost by faults; 2 deals" in failed.line("VP")


def test_files(tmp_path):
    found = result(label="search:ms=100")
    assert suites.file_name("duel", "search:ms=100") == "duel-search_ms=100.json"
    file = tmp_path / "result.json"
    file.write_bytes(suites.encode(found))
    assert suites.read(file) == found
    for changes, message in (
        ({"revision": 2}, "a result of revision 2 of the suite duel, which now has revision 1"),
        ({"suite": "quartet"}, "result.json: carnegie has no suite 'quartet'"),
    ):
        file.write_bytes(suites.encode(msgspec.structs.replace(found, **changes)))
        with pytest.raises(ValueError, match=message):
            suites.read(file)
    for content in (b"", b"[]", b'{"suite": "duel"}', b"\xff"):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="result.json is not the result of a suite"):
            suites.read(file)


def test_the_leaderboard():
    found = [
        result("duel", "weak", (20, 30)),
        result("duel", "strong", (40, 30)),
        result("solo-expert", "strong", (80, 60)),
        result("duel", "stronger", (60, 30)),
        result("solo-expert", "stronger", (90, 60)),
    ]
    table = suites.leaderboard(found).splitlines()
    assert table[0] == (
        "| agent | solo-expert: solo against Andrew, expert | duel: 2 players, against 1 greedy or against 1 value |"
    )
    assert [row.split("|")[1].strip() for row in table[2:]] == ["`stronger`", "`strong`", "`weak`"]
    assert "| 100.0 % [34.2, 100.0], +30.0 ± 0.0 (8 games, 0 ms) |" in table[2]
    assert table[4].count("|") == 4 and "|  | 0.0 %" in table[4]  # weak has no result in solo-expert


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"signature": 78}, "results with different signatures can't be compared: 77, 78"),
        ({"agent": Entrant("a", "a")}, "two results of a in duel"),
        (
            {"opponents": (Entrant("greedy of the suite", "greedy", "v2"),)},
            "opponents have different versions in the results of duel",
        ),
    ],
)
def test_results_that_can_not_be_compared(change, message):
    with pytest.raises(ValueError, match=message):
        suites.leaderboard([result(label="a"), result(label="b", **change)])


def test_no_results():
    with pytest.raises(ValueError, match="there are no results"):
        suites.leaderboard([])


def test_the_readmes_leaderboard_matches_the_result_files():
    files = sorted((ROOT / "docs" / "leaderboard").glob("*.json"))
    section = suites.SECTION.search((ROOT / "README.md").read_text(encoding="utf-8"))
    if not files:
        assert section is None, "the README has a leaderboard, docs/leaderboard has no results"
        return
    found = [suites.read(file) for file in files]
    assert section is not None, "docs/leaderboard has results, the README no leaderboard"
    assert section[0] == f"{section[1]}{suites.leaderboard(found)}\n{section[2]}"
    assert [file.name for file in files] == [suites.file_name(each.suite, each.agent.label) for each in found]


def test_the_result_files_are_of_the_current_agents():
    """After a change to a network all suites must be played again."""
    for path in sorted((ROOT / "docs" / "leaderboard").glob("*.json")):
        found = msgspec.json.decode(path.read_bytes())
        for each in (found["agent"], *found["opponents"]):
            version = registry.make_agent(each["spec"]).version
            assert each["version"] == version, f"{path.name}: {each['spec']} is {version} now; play the suite again"
