"""Recipes: the package's are valid, a small one makes a network twice, wrong ones are refused."""

import pytest

from carnegie_env.agents import value
from carnegie_env.core import sources
from training import recipe

RECIPES = recipe.Path(recipe.__file__).parent / "recipes"
SMALL = """
core_hours = 0.1

[[steps]]
name = "first"
game = "steel_driver"
hidden = 8
middle = 4
round_games = 8
eval_games = 2
games = 16
seed = 1

[[steps]]
name = "second"
start = "first"
game = "steel_driver"
rivals = ["greedy", "first"]
round_games = 8
eval_games = 2
games = 16
seed = 2

[[steps]]
mean = ["first", "second"]
"""
GAMES = SMALL.split("\n\n")[1]
POLICY = '[[steps]]\nname = "first"\ntrainer = "ppo"\ntimesteps = 2_000\nseed = 1'


def test_every_network_of_the_package_has_a_valid_recipe():
    files = {file.stem: file for file in RECIPES.glob("*.toml")}
    assert set(files) == {file.stem for file in value.FOLDER.glob("*.safetensors")}
    for file in files.values():
        assert recipe.read(file).steps[-1]["name"] == file.stem


def test_a_recipe_makes_the_same_network_again(tmp_path, capsys):
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    made = []
    for runs in (tmp_path / "one", tmp_path / "two", tmp_path / "two"):  # the last one finds all steps finished
        assert recipe.main([str(file), "--runs", str(runs)]) == 0
        made.append(value.Networks(str(runs / "small.safetensors")).version)
    assert made[0] == made[1] == made[2]
    assert "small.safetensors\n" in capsys.readouterr().out
    first, second, mean = (value.read(tmp_path / "one" / name).weights.last_bias for name in (
        "first/weights.safetensors", "second/weights.safetensors", "small.safetensors"))  # fmt: skip
    assert first.tolist() != second.tolist()
    assert mean == pytest.approx((first + second) / 2, abs=1e-6)
    for old, new in (("games = 16", "games = 17"), ("seed = 2", "seed = 3"), ("round_games = 8", "round_games = 4")):
        first, edited, last = SMALL.rpartition(old)
        file.write_text(first + new + last)
        assert recipe.main([str(file), "--runs", str(tmp_path / "two")]) == 2
        assert f"has a run with {'settings' if 'round' in old else old.split()[0]} " in capsys.readouterr().err
    file.write_text(SMALL)
    (tmp_path / "two" / "second" / recipe.FINISHED).unlink()
    assert recipe.main([str(file), "--runs", str(tmp_path / "two")]) == 2
    assert "step second is unfinished: delete" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("core_hours = 0.1", "", "it must have steps and core_hours"),
        ("core_hours = 0.1", "core_hours = 0", "core_hours must be a number above 0"),
        ("hidden = 8", "hiden = 8", "step first: unknown options hiden"),
        ("hidden = 8", "threads = 8", "step first: unknown options threads"),
        ("hidden = 8", 'hidden = "many"', "step first: its options are wrong, see the error above"),
        ("hidden = 8", "num_players = 9", "step first: --num-players must be 3 to 6 for steel_driver, not 9"),
        ("hidden = 8", "hidden = 0", "step first: hidden must be 1"),
        ("games = 16", "", "step first: games must be given"),
        ("games = 16", "games = 0", "step first: games must be a whole number above 0, not 0"),
        ("games = 16", 'games = "10"', "step first: games must be a whole number above 0, not '10'"),
        ('name = "second"', 'name = "first"', "each step needs its own name"),
        ('name = "second"', 'name = "../second"', "each step needs its own name"),
        ('game = "steel_driver"', "num_players = 1\nrivals = [\"greedy\"]", "--rivals greedy: the solo game"),
        ('start = "first"', 'start = "third"', "step second: 'third' is neither an earlier step nor a network"),
        ('"greedy", "first"', '"third"', "step second: 'third' is neither an earlier step nor a network"),
        ('mean = ["first", "second"]', 'mean = ["first"]', "a mean has only a name and two or more networks"),
        ('mean = ["first", "second"]', "mean = 3", "mean must be a list of names"),
        ('mean = ["first", "second"]', 'trainer = "dqn"', "the trainer must be value or ppo"),
        ('mean = ["first", "second"]', 'trainer = "ppo"\ntimesteps = 9\nseed = 1', "must make a value network"),
        (GAMES, POLICY, "step second: start needs value networks, and first is trained by ppo"),
        ("[[steps]]", "[[steps", "is not a recipe"),
    ],
)  # fmt: skip
def test_wrong_recipes_are_refused(old, new, message, tmp_path, capsys):
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace(old, new, 1))
    assert recipe.main([str(file), "--check"]) == 2
    assert message in capsys.readouterr().err
    assert recipe.main([str(tmp_path / "missing.toml")]) == 2


def test_the_printed_amounts(tmp_path, capsys):
    file = tmp_path / "small.toml"
    file.write_text(
        SMALL.replace(GAMES, POLICY).replace('start = "first"\n', "").replace('["first", ', '["carnegie-2", ')
    )
    assert recipe.main([str(file), "--check"]) == 0
    assert "small.toml: 2,000 decisions, 16 games, 0.1 core-hours" in capsys.readouterr().out


def test_an_edited_recipe_leaves_the_library_valid(tmp_path, monkeypatch):
    """Otherwise Numba trains without notice, and rounds otherwise than the library."""
    monkeypatch.setattr(sources, "PACKAGE", tmp_path / "carnegie_env")
    loops, edited = tmp_path / "training" / "loops.py", tmp_path / "training" / "recipes" / "one.toml"
    edited.parent.mkdir(parents=True)
    loops.write_text("a = 1")
    found = [sources.training_sources.__wrapped__()]
    for file in (edited, loops):
        file.write_text("a = 2")
        found.append(sources.training_sources.__wrapped__())
    assert found[0] == found[1] != found[2]
