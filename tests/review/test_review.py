"""Reviews: their sums are exact, their losses are unbiased, luck is 0 without chance, and the cache only saves time."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import review as measuring
from carnegie_env import GameRecord, make_agent
from carnegie_env.agents.level import Rater
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.cli.review import told
from carnegie_env.review import BUDGETS, Budget, Line, Review, luck, regret, review, reviewing
from carnegie_env.review.estimates import Estimator
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.commands import refused, run

SMALL = Budget(candidates=2, futures=4, depth=6, draws=8, explained=(1, 2))
TABLES = {
    "solo": (CARNEGIE, {"num_players": 1, "difficulty": "expert"}),
    "two": (CARNEGIE, {"num_players": 2}),
    "modules": (CARNEGIE, {"num_players": 3, "modules": "all"}),
    "steel": (STEEL_DRIVER, {"num_players": 4}),
    "secrets": (CARNEGIE, {"num_players": 2, "secret_donation": True}),
    "no network": (STEEL_DRIVER, {"num_players": 3}),
}
each_table = pytest.mark.parametrize("name", TABLES)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of the reviews."""
    monkeypatch.setattr(reviewing, "_folder", lambda: tmp_path / "reviews")
    return tmp_path / "reviews"


def record(name: str, agent: str = "random", decisions: int = 10_000) -> GameRecord:
    game, options = TABLES[name]
    position, player = game.position_class.new(options, 5), make_agent(agent, 3)
    while not position.is_over and len(position.history) < decisions:
        position.apply(player.act(position))
    return game.record_class.of(position)


@each_table
def test_the_sums_are_exact(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    played = record(name)
    if name == "no network":
        monkeypatch.setattr(Rater, "has_network", lambda *_: False)
    found = review(played, SMALL, cached=False)
    last = list(played.positions())[-1]
    assert found.over and len(found.decisions) == len(played.actions) and len(found.expected) == len(played.actions) + 1
    for seat, each in enumerate(found.seats):
        scores = last.scores()
        if len(scores) != 2 or found.options["num_players"] == 1:
            assert each.result == scores[seat] - max(scores[:seat] + scores[seat + 1 :])
        parts = (each.par, each.deal, each.luck, each.skill, each.others, each.remainder)
        assert sum(parts) == pytest.approx(each.result, abs=0.01)
        assert each.adjusted == pytest.approx(each.result - each.deal - each.luck, abs=0.01)
        own = [one for one in found.decisions if one.seat == seat and one.counts]
        assert each.decisions == len(own)
        assert each.skill == pytest.approx(-sum(one.loss for one in own), abs=0.01 * len(own))
        lucky = sum(one.luck[seat] for one in found.decisions)
        assert each.luck == pytest.approx(lucky, abs=0.01 * len(found.decisions))
        assert 0 <= each.accuracy <= 100 and each.rating[1] <= each.rating[0] <= each.rating[2]
    for one, action in zip(found.decisions, played.actions, strict=True):
        assert one.action == action and (one.counts or one.loss == 0) and (one.choices > 1 or not one.counts)
    assert found.estimates == ("greedy" if name == "no network" else "network")
    assert sum(bool(one.why) for one in found.decisions) <= 1
    explained = {part for one in found.decisions for part in one.why}
    assert explained.isdisjoint({"total", *played.position.game.rank_by[1:]})  # parts of the score, no tie-breakers
    assert Review.from_json(found.to_json()) == found


def test_the_cache_tells_a_deal_from_the_same_position() -> None:
    """Par and the luck of the deal exist only for a game that began with a deal."""
    line = Line.of(record("two", decisions=3))
    estimator = Estimator(line.game, line.options, 0)
    files = {reviewing._file(dataclasses.replace(line, dealt=dealt), estimator, SMALL) for dealt in (True, False)}
    assert len(files) == 2


def test_a_game_that_is_not_over_is_reviewed_up_to_its_last_position() -> None:
    for decisions in (0, 1, 30):
        found = review(record("two", decisions=decisions), SMALL, cached=False)
        assert not found.over and len(found.decisions) == decisions
        assert found.seats[0].result == pytest.approx(found.expected[-1][0])
        assert all((each.rating is None) == (each.decisions < 2) for each in found.seats)


def test_better_players_lose_less() -> None:
    agents = ("random", "level:7", "value")
    losses = [review(record("solo", agent), SMALL, cached=False).seats[0].loss for agent in agents]
    assert losses[0] > losses[1] > losses[2]


def test_without_chance_there_is_no_luck_and_with_chance_there_is() -> None:
    line = Line.of(record("steel"))
    assert not luck(line, Estimator(line.game, line.options), 4).total.any()
    line = Line.of(record("solo"))
    found = luck(line, Estimator(line.game, line.options), 4)
    assert found.deal.any() and 10 < np.count_nonzero(found.events) < len(line.actions)


def test_secrets_of_others_are_not_luck() -> None:
    """They were dealt or chosen before: sampling them again would count them at every decision."""
    line = Line.of(record("secrets"))
    events = luck(line, Estimator(line.game, line.options), 4).events
    assert np.count_nonzero(events.any(axis=1)) <= 1  # the deal of the secrets, after set-up


def test_losses_are_unbiased_where_actions_are_equal() -> None:
    generator, naive, losses, errors = np.random.default_rng(1), [], [], []
    for _ in range(2000):
        margins = generator.normal(size=(4, 8, 1)) + generator.normal(size=(1, 8, 1))
        found = regret._compare(margins, np.zeros_like(margins), np.zeros(4), 0, [0, 1, 2, 3])
        naive.append(margins.mean(axis=1).max() - margins[0].mean())
        losses.append(found["loss"])
        errors.append(found["error"])
    assert np.mean(naive) > 0.3  # the best of noisy estimates looks better than it is
    assert abs(np.mean(losses)) < 4 * np.std(losses) / len(losses) ** 0.5
    assert 0.5 < np.sqrt(np.mean(np.square(errors))) / np.std(losses) < 1.5


def test_a_real_loss_is_found() -> None:
    margins = np.random.default_rng(2).normal(size=(3, 8, 2))
    margins[1, :, 0] += 10
    found = regret._compare(margins, margins / 100, np.zeros(3), 0, [7, 8, 9])
    assert found["best"] == 8 and abs(found["loss"] - 10) < 4 * found["error"] < 4
    assert found["best_win"] - found["win"] == pytest.approx(found["loss"] / 100)


def test_sources_and_budgets_of_another_type() -> None:
    position = CARNEGIE.position_class.new({"num_players": 2}, seed=1)
    for source in (position, 3):
        with pytest.raises(ValueError, match=rf"GameRecord.of\(position\), or its file, not {type(source).__name__}"):
            review(source)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="budget must be a Budget, such as carnegie_env.review.QUICK, not 'quick'"):
        review(GameRecord.of(position), "quick")  # type: ignore[arg-type]


def test_a_kept_review_is_not_made_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = record("solo", decisions=20)
    found = review(played, SMALL)
    (file,) = folder.glob("*.json")
    with monkeypatch.context() as patch:
        patch.setattr(reviewing, "_review", lambda *_: pytest.fail("it was made again"))
        assert review(played, SMALL) == found
    file.write_bytes(file.read_bytes()[:-50])  # a damaged file counts as missing
    assert review(played, SMALL) == found
    review(played, SMALL, seed=1)
    assert len(list(folder.glob("*.json"))) == 2


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUDGETS, "quick", SMALL)
    file = tmp_path / "game.txt"
    record("two").save(file)
    out = run(capsys, "review", file)
    assert "expected margin over the best other side" in out and "o player_0  x player_1" in out
    assert "+ remainder" in out and "performance" in out and "better: " in out and "with it: " in out
    assert told(review(file, SMALL).decisions[0], "player_0", "VP", "pass", "")[0] == "    1  set-up, player_0: pass"
    shown = json.loads(run(capsys, "review", file, "--json"))
    worst = max((each for each in shown["decisions"] if each["counts"]), key=lambda each: each["loss"])
    assert f"win {worst['best_win']:.0%} instead of {worst['win']:.0%})" in out
    before = Line.of(str(file)).records[worst["number"] - 1]
    words = CARNEGIE.wording(before, CARNEGIE.texts.index(worst["action"]))
    assert f", player_{worst['seat']}: {words}\n" in out
    assert shown["game"] == "carnegie" and len(shown["seats"]) == 2
    only = run(capsys, "review", file, "--seat", 1, "--worst", 2)
    assert only.count("better: ") <= 2 and ", player_0: " not in only
    assert "--seat must be a whole number from 0 to 1" in run(capsys, "review", file, "--seat", 2, code=2)
    assert "--worst must be 1 or more" in run(capsys, "review", file, "--worst", 0, code=2)
    file.write_text("nothing")
    assert "is not the first line of a record" in run(capsys, "review", file, code=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("luck", "--games", "0"), "--games must be 2 or more"),
        (("calibration", "--plot", "x.gif"), "x.gif: the name of a picture must end with"),
        (("strength", "--agents", "random"), "--agents must name two or more different ones"),
        (("strength", "--agents", "random", "random"), "--agents must name two or more different ones"),
    ],
)
def test_refused_measurements(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "lines", lambda *_: pytest.fail("a game was played"))
    assert message in refused(capsys, measuring.main, arguments)
