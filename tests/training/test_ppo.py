"""PPO: the run folder, the evaluation, resuming, Ctrl-C, self-play."""

import csv
import io
import json
import shutil

import numpy as np
import pytest
import torch
from gymnasium import spaces

from carnegie_env import Batch, GameRecord
from carnegie_env.agents import registry
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.agents.learned import PPOAgent
from carnegie_env.agents.policy import Policy
from carnegie_env.arena.play import main as play_main
from carnegie_env.arena.statistics import Estimate
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.carnegie.tables import DIFFICULTIES
from carnegie_env.envs.sb3 import GameVecEnv
from tests.commands import refused
from tests.training.conftest import TINY, resume
from training import evaluate, ppo
from training.league import League
from training.run_folder import LearningCurve
from training.tables import Table

COLUMNS = ppo.PPOFolder.columns
FILES = {"config.json", "model.zip", "weights.safetensors", "progress.json", "learning_curve.csv",
         "learning_curve.png", "tensorboard", "evaluation.txt", "evaluation.csv", "evaluation.json",
         "game.txt"}  # fmt: skip


def test_a_run_writes_all_files(run):
    assert {file.name for file in run.iterdir()} == FILES  # no temporary files
    assert any((run / "tensorboard").iterdir())
    assert (run / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    config = json.loads((run / "config.json").read_text())
    assert (config["difficulty"], config["seed"], config["settings"]["envs"]) == ("difficult", 7, 16)
    progress = json.loads((run / "progress.json").read_text())
    assert progress["steps"] == 512 and progress["share"] == 1
    rows = list(csv.DictReader((run / "learning_curve.csv").open()))
    assert [int(row["steps"]) for row in rows] == [256, 512]
    record = GameRecord.load(run / "game.txt")
    assert record.options.difficulty == "difficult" and record.replay().is_over


def test_evaluation_has_every_agent_at_every_difficulty(run):
    rows = list(csv.DictReader((run / "evaluation.csv").open()))
    expected = [(d, a) for d in DIFFICULTIES for a in ("random", "greedy", "trained")]
    assert [(row["difficulty"], row["agent"]) for row in rows] == expected
    for row in rows:
        assert int(row["games"]) == 2
        for measure in ("own", "andrew", "margin", "win_rate"):
            low, middle, high = (float(row[f"{measure}{end}"]) for end in ("_low", "", "_high"))
            assert low <= middle <= high
        assert float(row["margin"]) == pytest.approx(float(row["own"]) - float(row["andrew"]), abs=1e-3)
    assert [entry["agent"] for entry in json.loads((run / "evaluation.json").read_text())] == [a for _, a in expected]
    text = (run / "evaluation.txt").read_text()
    assert all(difficulty in text for difficulty in DIFFICULTIES) and "2 games in each line" in text


def test_the_model_plays(run, capsys):
    agent = registry.make_agent(f"ppo:{run}")
    batch = Batch(5, num_players=1)
    batch.reset(seed=0)
    actions = agent.act_batch(batch)
    assert batch.action_masks()[np.arange(5), actions].all()
    np.testing.assert_array_equal(actions, registry.make_agent(f"ppo:{run}/weights.safetensors").act_batch(batch))
    assert play_main(["--agents", f"ppo:{run}", "--games", "3", "--difficulty", "beginner"]) == 0
    assert f"ppo:{run}" in capsys.readouterr().out


def test_the_model_is_rejected_by_other_games(run, capsys):
    two = Batch(2, num_players=2)
    with pytest.raises(ValueError, match="was trained for .* features .* of 2 player"):
        registry.make_agent(f"ppo:{run}").act_batch(two)
    agent = PPOAgent(str(run))
    agent._all[0].trained_for["layout"] = "another"
    with pytest.raises(ValueError, match=r"different: layout"):
        agent.act_batch(Batch(2, num_players=1))
    assert "was trained for" in refused(capsys, play_main, ["--agents", f"ppo:{run}", "random", "--games", "2"])


def test_resume(run, tmp_path):
    folder = shutil.copytree(run, tmp_path / "copy")
    assert resume(folder) == 0
    rows = list(csv.DictReader((folder / "learning_curve.csv").open()))
    assert [int(row["steps"]) for row in rows] == [256, 512, 768]
    assert {file.name for file in folder.iterdir()} == FILES
    # a finished run continues from half of its learning rate
    assert float(rows[2]["learning_rate"]) == pytest.approx(ppo.Settings().learning_rate / 2)


def test_ctrl_c_saves_and_prints_the_command_that_continues(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "run"
    row = ppo.Trainer._row

    def interrupted(self):
        if self.num_timesteps >= 512:
            raise KeyboardInterrupt
        return row(self)

    monkeypatch.setattr(ppo.Trainer, "_row", interrupted)
    assert ppo.main([*TINY, "--timesteps", "2048", "--run-dir", str(folder)]) == 130
    monkeypatch.undo()
    out = capsys.readouterr().out
    assert f'make train-ppo ARGS="--resume {folder} --timesteps 1792 --threads 1"' in out
    progress = json.loads((folder / "progress.json").read_text())
    assert progress["steps"] == 256 and 0 < progress["share"] < 1
    assert resume(folder) == 0
    assert {file.name for file in folder.iterdir()} == FILES


def test_same_seed_same_training(tmp_path):
    models = []
    for name in ("a", "b"):
        folder = tmp_path / name
        given = [*TINY, "--timesteps", "256", "--run-dir", str(folder), "--seed", "3"]
        assert ppo.main(given) == 0
        models.append(PPOAgent(str(folder)).version)
    assert models[0] == models[1]


def test_the_policy_learns_from_a_teacher(tmp_path, monkeypatch):
    """The probabilities of the teacher's actions rise, until its share of the training is over."""
    losses, learn = [], ppo.Lessons.learn

    def loss(lessons):
        seen, masks, answers = lessons.kept[-1]
        with torch.no_grad():
            return float(-(answers * lessons.run.policy.outputs(seen, masks)[0]).sum(dim=1).mean())

    def learned(lessons, rate):
        before = loss(lessons) if lessons.kept else None
        learn(lessons, rate)
        if before is not None:
            losses.append((before, loss(lessons)))

    monkeypatch.setattr(ppo.Lessons, "learn", learned)
    monkeypatch.setattr(ppo, "TEACHER_MINIBATCH", 16)
    given = ["--timesteps", "1280", "--run-dir", str(tmp_path / "run"), "--teacher-share", "0.7", "--teacher", "greedy"]
    assert ppo.main([*TINY[:-2], *given]) == 0
    assert len(losses) == 3 and all(after < before for before, after in losses)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "{run}", "--seed", "1"], "--seed can't be changed"),
        (["--resume", "{run}", "--envs", "8"], "--envs can't be changed"),
        (["--timesteps", "0"], "--timesteps"),
        (["--difficulty", "hard"], "invalid choice"),
        (["--num-players", "5"], "invalid choice"),
        (["--num-players", "2", "--difficulty", "normal"], "--difficulty is for games against Andrew"),
        (["--resume", "{run}", "--num-players", "2"], "--num-players can't be changed"),
        (["--device", "tpu"], "invalid choice"),
        (["--device", "cuda"], "--device cuda: PyTorch finds no GPU; omit it to train on the CPU"),
        (["--teacher", "nobody"], "unknown agent 'nobody'"),
        (["--teacher", "random"], "--teacher random: it has no values of actions"),
    ],
)
def test_bad_options(arguments, message, run, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ppo.torch.cuda, "is_available", lambda: False)
    assert message in refused(capsys, ppo.main, [argument.format(run=run, tmp=tmp_path) for argument in arguments])


# ---- self-play
@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A finished tiny run of self-play for three."""
    folder = tmp_path_factory.mktemp("runs") / "table"
    assert ppo.main([*TINY, "--timesteps", "512", "--num-players", "3", "--run-dir", str(folder), "--seed", "5"]) == 0
    return folder


def test_self_play_writes_all_files(table, capsys):
    assert {file.name for file in table.iterdir()} == FILES
    config = json.loads((table / "config.json").read_text())
    assert config["num_players"] == 3 and config["difficulty"] is None
    rows = list(csv.DictReader((table / "evaluation.csv").open()))
    assert [(row["against"], row["agent"]) for row in rows] == [
        (against, agent) for against in ("random", "greedy") for agent in ("random", "greedy", "trained")
    ]
    for row in rows:
        assert float(row["margin"]) == pytest.approx(float(row["own"]) - float(row["best_other"]), abs=1e-3)
    assert "One of 3 players" in (table / "evaluation.txt").read_text()
    record = GameRecord.load(table / "game.txt")
    assert record.options.num_players == 3 and record.replay().is_over
    assert play_main(["--agents", f"ppo:{table}", "random", "--players", "3", "--games", "2"]) == 0
    assert f"ppo:{table}" in capsys.readouterr().out
    with pytest.raises(ValueError, match="was trained for .* of 2 player"):
        registry.make_agent(f"ppo:{table}").act_batch(Batch(2, num_players=2))


def network(value=None):
    """A tiny network for two players, all its parameters of one value."""
    batch = Batch(1, num_players=2)
    box = spaces.Box(-np.inf, np.inf, (batch.observation_size,), np.float32)
    made = Policy(box, spaces.Discrete(batch.num_actions), lambda _: 0.0, width=4)
    with torch.no_grad():
        for parameter in made.parameters():
            if value is not None:
                parameter.fill_(value)
    return made


def test_the_league_uses_recent_copies_and_greedy(monkeypatch):
    batch, league, asked = Batch(16, num_players=2), League(), []
    batch.reset(seed=1)

    def drawn(policy, batch, rows):
        asked.append((float(next(policy.parameters()).detach().flatten()[0]), rows.tolist()))
        return batch.action_masks(rows=rows).argmax(axis=1)

    monkeypatch.setattr("training.league._drawn", drawn)
    learner = network(1.0)
    league.take(learner)
    with torch.no_grad():
        for parameter in learner.parameters():
            parameter.fill_(2.0)  # the copy stays as it is
    league.act_batch(batch)
    assert asked == [(1.0, [row for row in range(16) if row % 8])]
    for value in (2.0, 3.0, 4.0, 5.0, 6.0):
        league.take(network(value))
    asked.clear()
    rows = np.array([15, 8, 1, 14, 5, 9])
    actions = league.act_batch(batch, rows)
    assert sorted(asked) == [(3.0, [15]), (4.0, [14]), (5.0, [5]), (6.0, [1, 9])]
    assert actions[1] == GreedyAgent().act_batch(batch, [8])[0]
    assert [league.is_yardstick(row) for row in range(9)] == [True, *[False] * 7, True]


def test_the_league_samples_actions():
    batch, league = Batch(800, num_players=2), League()
    batch.load(Batch.of(Batch(1, num_players=2)))
    league.take(network())
    torch.manual_seed(0)
    rows = np.arange(800)[np.arange(800) % 8 > 0]
    actions = league.act_batch(batch, rows)
    legal = np.flatnonzero(batch.action_masks()[0])
    assert set(actions) <= set(legal) and min((actions == action).mean() for action in legal) > 0.2 / len(legal)


def test_evaluation_at_tables(capsys):
    result = evaluate.evaluate(GreedyAgent(), Table(CARNEGIE, 4), "random", 6)
    assert result.margin.mean == pytest.approx(result.own.mean - result.other.mean) and result.margin.mean > 20
    assert (result.against, result.table.num_players, result.win_rate.mean) == ("random", 4, 1.0)
    given = ["--agents", "random", "--num-players", "2", "--games", "2", "--format"]
    assert evaluate.main([*given, "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [entry["against"] for entry in found] == ["random", "greedy"] and "best_other" in found[0]
    assert evaluate.main([*given, "text", "--modules", "all"]) == 0
    assert "One of 2 players" in capsys.readouterr().out
    steel = ["--agents", "random", "--game", "steel_driver", "--modules", "all"]
    assert "steel_driver has no --modules" in refused(capsys, evaluate.main, steel)
    assert Table.of(CARNEGIE, {"num_players": 1}).flags == ""
    assert Table.of(CARNEGIE, {"num_players": 3, "wait": True}).flags == " --num-players 3 --modules all"


def test_every_session_plays_deals_of_its_own(copied, monkeypatch):
    """They follow from the seed and the decisions so far, not from the seed that the model has."""
    seeds, reset = [], GameVecEnv.reset
    monkeypatch.setattr(GameVecEnv, "reset", lambda env: seeds.append(env._seeds[:2]) or reset(env))
    assert resume(copied) == 0
    first = evaluate.first_seed(7, 512)
    assert seeds == [[first, first + 1]]


# ---- parts
def result(agent, difficulty, margin, half=1.0):
    estimate = Estimate(margin, margin - half, margin + half)
    win = Estimate(0.5, 0.4, 0.6)
    return evaluate.Result(Table(CARNEGIE, 1), difficulty, agent, 1000, estimate, estimate, estimate, win, 100.0)


def test_ladder():
    fine = [result(a, d, m) for d in DIFFICULTIES for a, m in (("random", -100), ("greedy", -50), ("trained", -10))]
    above, text = evaluate.ladder(fine, ["random", "greedy", "trained"])
    assert above and "trained is clearly better than greedy" in text and "greedy is clearly better than random" in text
    close = [result(r.agent, r.against, -49.5) if r.agent == "trained" else r for r in fine]
    above, text = evaluate.ladder(close, ["random", "greedy", "trained"])
    assert not above and "NOT clearly better than greedy: trained" in text and "greedy is clearly better than" in text


def test_learning_curve_round_trip(tmp_path):
    curve = LearningCurve(
        COLUMNS, [{"seconds": 1.0, "steps": 64.0, "margin": None}, {"seconds": 2.0, "steps": 1234567.0, "margin": -3.5}]
    )
    file = tmp_path / "curve.csv"
    file.write_text(curve.to_csv())
    loaded = LearningCurve.load(file, COLUMNS, steps=1234567)
    assert [(row["margin"], row["steps"]) for row in loaded.rows] == [(None, 64), (-3.5, 1234567)]
    assert next(csv.reader(io.StringIO(curve.to_csv()))) == list(COLUMNS)
    text = curve.to_csv()
    for wrong in (
        "", "seconds,steps\nx,y\n", text[:-60], text[: text.index("64")], text + text.splitlines()[1] + "\n",
        text.replace("1234567", "x"), text.replace("1234567", "nan"), text.replace("1234567", "999999"),
        text.replace("64", "-64"), text.replace("1234567", ""), "\0" * 100,
    ):  # fmt: skip
        file.write_text(wrong)
        with pytest.raises(ValueError, match="not the learning curve of the run"):
            LearningCurve.load(file, COLUMNS, steps=1234567)
