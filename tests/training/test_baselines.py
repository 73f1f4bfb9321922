"""The short baselines, best responses and learning curves."""

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

import torch

from benchmarks import curves
from carnegie_env.agents import policy, registry
from carnegie_env.arena import play
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import files
from tests.commands import refused
from training import dqn, evaluate, exploit, job, ppo_single, single


def options(folder, *more):
    chosen = {"--seed": 3, "--envs": 4, "--threads": 1, "--width": 8, "--run-dir": folder}
    return [str(part) for pair in chosen.items() for part in pair] + [str(each) for each in more]


@pytest.mark.parametrize("method", [ppo_single, dqn])
def test_a_baseline_trains_continues_and_plays(method, tmp_path, capsys, monkeypatch):
    for name, value in (("REPLAY", 2000), ("FIRST", 100), ("LOG_EVERY", 64), ("MINIBATCH", 32)):
        monkeypatch.setattr(method, name, value, raising=False)
    run = tmp_path / "run"
    assert method.main(options(run, "--decisions", 515)) == 0  # a part of a step is left out
    rows = (run / "learning_curve.csv").read_text().splitlines()
    assert rows[0] == ",".join(single.COLUMNS) and rows[-1].split(",")[2] == "512"
    before = torch.load(run / "state.pt", weights_only=True)["net"]
    assert method.main(options(run, "--decisions", 1024)) == 0
    assert "1,024 decisions" in capsys.readouterr().out
    assert (run / "learning_curve.csv").read_text().splitlines()[: len(rows)] == rows
    after = torch.load(run / "state.pt", weights_only=True)["net"]
    assert any(not torch.equal(before[name], after[name]) for name in before)
    assert play.play([registry.make_agent(f"ppo:{run}")], 2, num_players=1).decisions > 0

    assert "has a run with options" in refused(capsys, method.main, options(run, "--num-players", 2))
    given = options(tmp_path / "other", "--num-players", 2, "--difficulty", "expert")
    assert "--difficulty is for games against Andrew" in refused(capsys, method.main, given)
    with files.lock(run):
        assert "another job is using the run" in refused(capsys, method.main, options(run, "--decisions", 1024))
    assert "is a file; a run needs a folder" in refused(capsys, method.main, options(run / "state.pt"))


def test_a_baseline_killed_while_it_saves_continues(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ppo_single, "MINIBATCH", 32)
    run, later = tmp_path / "run", tmp_path / "later"
    assert ppo_single.main(options(run, "--decisions", 256)) == 0
    shutil.copytree(run, later)
    assert ppo_single.main(options(later, "--decisions", 512)) == 0
    saved = {name: (later / name).read_bytes() for name in ("state.pt", "weights.safetensors", "learning_curve.csv")}
    with monkeypatch.context() as patch:
        patch.setattr(files, "finish", lambda folder: None)
        files.write_together(run, saved)
    next(run.glob(".state.pt.*.tmp")).rename(run / "state.pt")  # killed before the others were renamed
    assert ppo_single.main(options(run, "--decisions", 512)) == 0
    assert "512 decisions" in capsys.readouterr().out
    assert (run / "learning_curve.csv").read_bytes() == saved["learning_curve.csv"]


@pytest.mark.parametrize("budget", [("--decisions", 2048), ("--core-hours", 1)])
def test_an_interrupted_baseline_continues(budget, tmp_path, capsys, monkeypatch):
    for name, value in (("REPLAY", 2000), ("FIRST", 100), ("LOG_EVERY", 64), ("MINIBATCH", 32)):
        monkeypatch.setattr(dqn, name, value)
    run, learn, updates = tmp_path / "run", dqn._learn, []

    def interrupt(*arguments):
        updates.append(learn(*arguments))
        if len(updates) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(dqn, "_learn", interrupt)
        assert dqn.main(options(run, *budget)) == 130
    assert "Interrupted; saved in" in capsys.readouterr().out
    steps = (run / "learning_curve.csv").read_text().splitlines()[-1].split(",")[2]
    assert torch.load(run / "state.pt", weights_only=True)["steps"] == int(steps) == 256
    assert dqn.main(options(run, "--decisions", 512)) == 0
    assert "512 decisions" in capsys.readouterr().out


def test_a_run_without_a_decision_continues(tmp_path):
    assert ppo_single.main(options(tmp_path / "run", "--core-hours", 1e-12)) == 0
    assert ppo_single.main(options(tmp_path / "run", "--decisions", 256)) == 0


def test_a_baseline_leaves_other_files_alone(tmp_path, capsys, monkeypatch):
    run = tmp_path / "run"
    given = options(run, "--decisions", 256)
    run.mkdir()
    (run / "weights.safetensors").write_text("mine")
    assert "was not empty" in refused(capsys, ppo_single.main, given)
    (run / "weights.safetensors").unlink()

    def begun_meanwhile(*arguments, **more):
        monkeypatch.undo()
        assert ppo_single.main(given) == 0
        return single.GameVecEnv(*arguments, **more)

    monkeypatch.setattr(single, "GameVecEnv", begun_meanwhile)
    assert "was not empty" in refused(capsys, ppo_single.main, given)

    def taken(self):
        run.rename(tmp_path / "moved")
        run.mkdir()

    monkeypatch.setattr(single.Run, "log", taken)
    assert ppo_single.main(options(run, "--decisions", 512)) == 1
    assert "another folder has taken its place" in capsys.readouterr().err and not list(run.iterdir())


def test_a_full_disk_does_not_end_a_baseline(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(single, "SAVE_EVERY", 0.0)
    write, tried = files.write_together, []

    def full(*arguments):
        tried.append(1)
        if len(tried) < 3:
            raise OSError(errno.ENOSPC, "No space left on device", "weights.safetensors")
        write(*arguments)

    monkeypatch.setattr(files, "write_together", full)
    assert ppo_single.main(options(tmp_path / "run", "--decisions", 512)) == 0
    assert capsys.readouterr().err.count("NOT SAVED: weights.safetensors: No space left on device") == 2
    monkeypatch.setattr(files, "write_together", lambda *_: full(tried.clear()))
    assert ppo_single.main(options(tmp_path / "run", "--decisions", 768)) == 1
    assert "All progress since the last save is LOST" in capsys.readouterr().err


def test_a_damaged_state_is_refused(tmp_path, capsys):
    assert ppo_single.main(options(tmp_path / "run", "--decisions", 256)) == 0
    state = tmp_path / "run" / "state.pt"
    state.write_bytes(state.read_bytes()[:1000])
    message = refused(capsys, ppo_single.main, options(tmp_path / "run", "--decisions", 512))
    assert "state.pt is damaged" in message


def test_no_two_trainings_play_the_same_games():
    """Neither other seeds nor continued trainings, whose decisions could be those between two seeds."""
    firsts = [evaluate.first_seed(seed, steps) for seed in range(9) for steps in (0, 1_000_003, 2_000_006)]
    assert np.diff(sorted(firsts)).min() > 500_000 and max(firsts) < evaluate.FIRST_SEED - evaluate.MOST_PARALLEL


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--decisions", 0), "--decisions must be 4 or more, not 0"),
        (("--decisions", 9, "--core-hours", 1), "--core-hours: not allowed with argument --decisions"),
        (("--core-hours", 0), "--core-hours must be above 0 and below 1,000,000, not 0"),
        (("--core-hours", "nan"), "--core-hours must be above 0 and below 1,000,000, not nan"),
        (("--threads", 0), "--threads must be a whole number from 1 to 1024, not 0"),
        (("--width", 0), "--width must be a whole number from 1 to 4096, not 0"),
        (("--envs", -1), "--envs must be 1 or more, not -1"),
        (("--seed", -1), "--seed must be a whole number from 0 to 4294967295, not -1"),
        (("--num-players", 2, "--opponents", "nobody"), "unknown agent 'nobody'"),
    ],
)
def test_a_refused_baseline_leaves_no_run(arguments, message, tmp_path, capsys):
    assert message in refused(capsys, dqn.main, options(tmp_path / "run", *arguments))
    assert not (tmp_path / "run").exists()


def test_actions_are_drawn_with_their_probabilities():
    torch.manual_seed(0)
    probabilities = torch.tensor([0.0, 0.3, 0.0, 0.6, 0.1, 0.0])
    shares = policy.draw(probabilities.repeat(20_000, 1)).bincount(minlength=6) / 20_000
    assert shares.tolist() == pytest.approx(probabilities.tolist(), abs=0.015)
    assert (shares[probabilities == 0] == 0).all()


@pytest.mark.parametrize("drawn", [0.0, 1 - 2**-24])
def test_the_ends_of_the_range_draw_possible_actions(drawn, monkeypatch):
    masks = torch.tensor([[False, True, False], [True, True, False]])
    monkeypatch.setattr(torch, "rand_like", lambda like: torch.full_like(like, drawn))
    assert masks.gather(1, policy.draw(masks.float())[:, None]).all()


def test_illegal_actions_have_no_probability():
    log_probs, probabilities = policy.distribution(torch.randn(4, 3), torch.tensor([[True, False, True]] * 4))
    assert (probabilities[:, 1] == 0).all()
    assert torch.allclose(probabilities[:, ::2], log_probs[:, ::2].exp())
    assert (log_probs[:, 1] < policy.NEVER / 2).all()


def test_the_gradient_steps_that_are_due():
    total = sum(dqn._due(number, 64) for number in range(64, 20_032, 64))
    assert total == pytest.approx((20_000 - dqn.FIRST) / dqn.EVERY, abs=2)


def test_dqn_learns_a_small_task(monkeypatch):
    """With one legal action after each position the values are the discounted sums of the rewards."""
    torch.manual_seed(0)
    monkeypatch.setattr(dqn, "REPLAY", 256)
    replay = dqn.Replay(2, 3)
    eye, masks = torch.eye(2), torch.tensor([[True, False, False], [True, False, False]])
    for _ in range(128):  # position 0 -> position 1 -> end, with rewards 0 and 1
        going = torch.tensor([1.0, 0.0])
        replay.add(eye, torch.zeros(2, dtype=torch.int64), torch.tensor([0.0, 1.0]), eye.flip(0), masks, going)

    class Fixed:
        net = single.Net(2, 3, 16)
        optimizer = torch.optim.Adam(net.parameters(), 1e-2)

    target = single.Net(2, 3, 16)
    for k in range(300):
        if k % 10 == 0:
            target.load_state_dict(Fixed.net.state_dict())
        dqn._learn(Fixed, target, replay)
    values = Fixed.net.ratings(eye)[:, 0]
    assert values.tolist() == pytest.approx([dqn.GAMMA, 1.0], abs=0.05)


def test_the_outputs_for_one_action_each():
    torch.manual_seed(0)
    net, observations, actions = single.Net(5, 7, 16), torch.randn(4, 5), torch.tensor([3, 0, 6, 3])
    one_each = [net.ratings(observations).gather(1, actions[:, None]).squeeze(1), net.ratings_of(observations, actions)]
    assert torch.allclose(*one_each, atol=1e-5)
    gradients = [torch.autograd.grad(each.square().sum(), net.action_net.parameters()) for each in one_each]
    assert all(torch.allclose(a, b, atol=1e-4) for a, b in zip(*gradients, strict=True))


# ---------------------------------------------------------------- best responses
def test_agents_as_rivals(tmp_path):
    two = CARNEGIE.options.from_dict({"num_players": 2})
    shipped = exploit.shipped_file(CARNEGIE, two)
    assert shipped.name == "carnegie-2.safetensors"
    assert exploit.rival_name("greedy", CARNEGIE, two) == "greedy"
    assert {exploit.rival_name(name, CARNEGIE, two) for name in ("value", "search:ms=5")} == {str(shipped)}
    assert exploit.rival_name("ppo:runs/x", CARNEGIE, two) == "ppo:runs/x"
    assert exploit.rival_name(f"value:{tmp_path}", CARNEGIE, two) == f"{tmp_path}/weights.safetensors"
    with pytest.raises(ValueError, match="trains against greedy, value, search and ppo agents, not random"):
        exploit.rival_name("random", CARNEGIE, two)


def test_a_best_response(tmp_path, monkeypatch, capsys):
    """The training gets the agent as its only rival, in all games; the result is of the arena. The same command
    continues the run until its budget is used, another one is refused."""
    asked, continuing, shares = [], [], [0.4, 1.0, 1.0]

    def train(parser, kind, command, started):
        asked.append(command)
        folder, new = tmp_path / "run", "--resume" not in command
        folder.mkdir(exist_ok=True)
        if new:
            config = job.check_new(kind, parser.parse_args(command))
            files.write_whole(folder / "config.json", json.dumps(config | {"threads": 2}))
        weights = exploit.shipped_file(CARNEGIE, CARNEGIE.options.from_dict({"num_players": 4}))
        (folder / "weights.safetensors").write_bytes(weights.read_bytes())
        files.write_whole(folder / "learning_curve.csv", "core_hours\n0.01\n0.02\n")
        files.write_whole(folder / "progress.json", json.dumps({"seconds": 36.0, "share": shares.pop(0)}))
        continuing.append(kind.__new__(kind).resume_command())
        return 0

    monkeypatch.setattr(exploit, "run", train)
    given = ["--against", "greedy", "--num-players", "4", "--core-hours", "0.5", "--deals", "2"]
    given += ["--run-dir", str(tmp_path / "run")]
    assert exploit.main([*given, "--threads", "2"]) == 0
    command = " ".join(asked[0])
    assert "--rivals greedy --rival-games 100" in command and "--num-players 4" in command
    assert "--minutes 15.0000" in command and "carnegie-4.safetensors" in command
    assert continuing == [f"python -m training.exploit {' '.join(given)} --threads 2"]
    found = json.loads((tmp_path / "run" / "exploit.json").read_text())
    assert (found["games"], found["core_hours"], found["method"]) == (8, 0.02, "value")
    assert found["wins"][1] < found["wins"][0] <= found["wins"][2]
    assert "of 8 games against greedy (even: 25.0 %)" in capsys.readouterr().out

    for _ in range(2):  # continued with its own threads, then only evaluated
        assert exploit.main([*given, "--threads", "1"]) == 0
    assert len(asked) == 2 and asked[1][:2] == ["--resume", str(tmp_path / "run")]
    assert "--minutes 14.4000 --threads 2" in " ".join(asked[1])
    assert json.loads((tmp_path / "run" / "exploit.json").read_text())["core_hours"] == 0.02
    (tmp_path / "run" / "exploit.json").unlink()  # interrupted in the evaluation: 0.02 core-hours are not 0.5
    shares.append(1.0)
    assert exploit.main(given) == 0 and len(asked) == 3
    assert exploit.main([*given, "--core-hours", "1"]) == 0 and len(asked) == 4  # a larger budget
    start = str(exploit.shipped_file(CARNEGIE, CARNEGIE.options.from_dict({"num_players": 2})))
    for arguments, message in (
        (("--seed", "1"), "has a run with seed 0, not 1"),
        (("--start", start), "carnegie-4.safetensors, not"),
        (("--against", "value"), "has a run with rivals ['greedy'], not"),
        (("--num-players", "3"), "has a run with title 4 players, not 3 players"),
        (("--game", "steel_driver"), "has a run with game carnegie, not steel_driver"),
    ):
        assert message in refused(capsys, exploit.main, [*given, *arguments])
    assert len(asked) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--against", "random"), "trains against greedy, value, search and ppo agents, not random"),
        (("--against", "nobody"), "unknown agent"),
        (("--against", "greedy", "--num-players", "9"), "--num-players must be 2 to 4, not 9"),
        (("--against", "greedy", "--deals", "1"), "--deals must be a whole number from 2 to 1000000000, not 1"),
        (("--against", "greedy", "--core-hours", "0"), "--core-hours must be above 0"),
        (("--against", "greedy", "--seed", "-1"), "training.exploit: error: --seed must be a whole number"),
        (("--against", "greedy", "--start", "nothing"), "training.exploit: error: there is no network at nothing"),
        (("--against", "greedy", "--method", "ppo", "--start", "x"), "--start is for --method value"),
    ],
)
def test_wrong_arguments(arguments, message, capsys):
    assert message in refused(capsys, exploit.main, arguments)


# ---------------------------------------------------------------- curves
HEAD = "decisions,core_hours,win_share,margin\n"


def write_run(folder, config, columns, rows):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    (folder / "learning_curve.csv").write_text("\n".join(lines) + "\n")


def test_curves(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    solo = {"num_players": 1, "difficulty": "normal"}
    rows = [(k, k / 100, 1000 * k, 5, k - 50, k / 100) for k in range(1, 1001)]
    for seed in range(3):
        config = {"method": "dqn", "options": solo, "seed": seed}
        write_run(tmp_path / f"a{seed}", config, single.COLUMNS, rows)
    config = {"inputs": "x", "options": [solo], "seed": 7}
    columns = ("core_hours", "steps", "games", "margin", "win_rate", "decisions_per_game")
    write_run(tmp_path / "v", config, columns, [(0.02, 10, 10, 1.5, 0.5, 100), (0.04, 30, 20, 2.5, "", 110)])
    assert curves.main(["collect", "a0", "a1", "a2"]) == 0
    assert curves.main(["collect", "v"]) == 0
    text = (tmp_path / "benchmarks" / "curves" / "solo-normal-value-1M-7.csv").read_text()
    assert text == f"{HEAD}1000,0.02,0.5,1.5\n3200,0.04,,2.5\n"
    found = curves.read()
    assert {name: len(each) for name, each in found["solo-normal-1M"].items()} == {"dqn": 3, "value": 1}
    assert len(found["solo-normal-1M"]["dqn"][0]) == curves.MOST_ROWS
    places, (mean, low, high) = curves.joined(found["solo-normal-1M"]["dqn"], "decisions", "margin")
    assert places[-1] == 1e6 and mean[-1] == pytest.approx(925, abs=5) and np.allclose(low, high)
    assert curves.main(["plot"]) == 0
    assert (tmp_path / "docs" / "pictures" / "curves-solo-normal-1M.svg").read_text().startswith("<?xml")
    write_run(tmp_path / "w", config, columns[1:], [(10, 10, 1.5, 0.5, 100)])
    assert "has no learning curve with core-hours" in refused(capsys, curves.main, ["collect", "w"])


def test_the_tables_of_curves():
    """Runs of different games, modules or opponents have different tables."""
    steel = {"inputs": "x", "game": "steel_driver", "options": [{"num_players": 4}]}
    plain, wait = {"num_players": 4}, {"num_players": 4, "wait": True}
    for config, table in (
        ({"num_players": 1, "difficulty": "expert"}, "solo-expert"),
        ({"options": [{"num_players": 1, "difficulty": name} for name in "ab"]}, "solo-all-difficulties"),
        ({"num_players": 4, "difficulty": None}, "4-players"),
        ({"options": plain, "opponents": "search:ms=20"}, "4-players-vs-search_ms_20"),
        ({"options": [plain], "rivals": ["greedy"]}, "4-players-vs-greedy"),
        ({"options": [wait]}, "4-players-all-modules"),
        ({"options": [wait, wait | {"new_start": True}]}, "4-players-mixed-modules"),
        (steel, "steel_driver-4-players"),
    ):
        assert curves.table_of(curves.config_of(config | {"seed": 1})) == table
        assert curves.NAME.fullmatch(f"{table}-ppo-single-20M-3.csv").groups() == (table, "ppo-single", "20M", "3")


def test_refused_curves(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    config = {"method": "dqn", "options": {"num_players": 1, "difficulty": "normal"}, "seed": 1}
    row = (1, 0.1, 100, 0, "", "")
    for name, last in (("a", (2, 0.2, 200, 1, 5, 1)), ("b", (2, 0.2, 200, 1, 5, 1)), ("early", row)):
        write_run(tmp_path / name, config, single.COLUMNS, [row, last])
    write_run(tmp_path / "taught", config | {"teacher": "value"}, single.COLUMNS, [row, (2, 0.2, 200, 1, 5, 1)])
    for runs, message in (
        (("a", "b"), "a and b have the same table, method, class and seed"),
        (("a", "early"), "early has no learning curve with core-hours, and win rates and margins of finished games"),
        (("a", "missing"), "missing has no learning curve: it must be the folder of a run"),
        (("a", "taught"), "taught had the teacher value; stored curves"),
    ):
        assert message in refused(capsys, curves.main, ["collect", *runs])
    assert not curves.FOLDER.exists()


@pytest.mark.parametrize(
    ("config", "rows", "message"),
    [
        ({}, ["0.1,,1,0.5"], "learning_curve.csv: the steps must increase from row to row"),
        ({}, ["0.1,9,1,0.5", "0.2,9,1,0.5"], "learning_curve.csv: the steps must increase from row to row"),
        ({}, ["0.1,nan,1,0.5"], "learning_curve.csv: line 2: steps must be a finite number, not 'nan'"),
        ({}, ["0.1,9,1,0.5", "0.2,10"], "learning_curve.csv: line 3 must have 4 values"),
        ({}, ["0.1,9,1,0.5,7"], "learning_curve.csv: line 2 must have 4 values"),
        ({}, ["0.1,9,abc,0.5"], "learning_curve.csv: line 2: margin must be a finite number, not 'abc'"),
        ({}, ['0.1,9,1,"0.5'], "learning_curve.csv: unexpected end of data"),
        ({"inputs": "x"}, ["0.1,9,1,0.5"], "learning_curve.csv: every row must have decisions_per_game"),
        ({"seed": None}, ["0.1,9,1,0.5"], "config.json: Expected `int`, got `null` - at `$.seed`"),
        ({"seed": "../../evil"}, ["0.1,9,1,0.5"], "config.json: Expected `int`, got `str` - at `$.seed`"),
        ({"options": []}, ["0.1,9,1,0.5"], "config.json: Expected `array` of length >= 1 - at `$.options`"),
        ({"options": "solo"}, ["0.1,9,1,0.5"], "config.json: Expected `array`, got `str` - at `$.options`"),
        ({"options": {}}, ["0.1,9,1,0.5"], "config.json: Object missing required field `num_players`"),
        ({"options": {"num_players": 1, "difficulty": "../x"}}, ["0.1,9,1,0.5"], "config.json: Expected `str` match"),
        ({"opponents": ["greedy"]}, ["0.1,9,1,0.5"], "config.json: Expected `str | null`, got `array`"),
        ({"method": "../x"}, ["0.1,9,1,0.5"], "config.json: Expected `str` matching"),
        ({"game": "chess"}, ["0.1,9,1,0.5"], "config.json: "),
    ],
)
def test_malformed_runs(config, rows, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    known = {"options": {"num_players": 1, "difficulty": "normal"}, "seed": 1}
    columns = ("core_hours", "steps", "margin", "win_rate")
    write_run(tmp_path / "run", known | config, columns, [[row] for row in rows])
    assert f"error: {Path('run')}{os.sep}{message}" in refused(capsys, curves.main, ["collect", "run"])
    assert not (tmp_path / "benchmarks").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have the columns decisions, core_hours, win_share, margin"),
        (HEAD, "must have the columns decisions, core_hours, win_share, margin"),
        (f"{HEAD}9,0.1,,2\n", "must have decisions and core_hours in every row, a win_"),
        (f"{HEAD}9,,1,2\n", "must have decisions and core_hours in every row, a win_"),
        (f"{HEAD}9,0.1,1\n", "line 2 must have 4 values"),
        (f"{HEAD}9,0.1,inf,1\n", "line 2: win_share must be a finite number"),
    ],
)
def test_malformed_stored_curves(text, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    curves.FOLDER.mkdir(parents=True)
    path = curves.FOLDER / "solo-dqn-1M-1.csv"
    path.write_text(text)
    error = refused(capsys, curves.main, ["plot"])
    assert f"error: {path}" in error and message in error


def test_the_unit_of_a_picture(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    config = {"method": "dqn", "game": "steel_driver", "options": {"num_players": 4}, "seed": 1}
    write_run(tmp_path / "run", config, single.COLUMNS, [(k, k / 100, k, 1, k, 1) for k in range(1, 4)])
    assert curves.main(["collect", "run"]) == curves.main(["plot"]) == 0
    assert "<!-- margin ($) -->" in (tmp_path / "docs/pictures/curves-steel_driver-4-players-1M.svg").read_text()
