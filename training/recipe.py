"""Makes a network from a recipe: `python -m training.recipe training/recipes/steel_driver-3.toml`.

A recipe is a chain of trainings, the `steps` of a TOML file. A step has the options of `python -m training.value`, with
underscores, or, with `trainer = "ppo"`, of `python -m training.ppo`; or it is the `mean` of earlier steps. `start`,
`rivals` and `mean` name earlier steps by their `name`, or networks of the package (`carnegie-2`; `pool/carnegie-2` is
in the benchmark's pool, which never changes, `earlier/carnegie-2` was the package's when other recipes began with it,
and `responses/NAME` is a best response of training/responses); rivals may also be `greedy` or `ppo`. `core_hours` is
its approximate time on one core.

Every training uses one thread and a number of games (or `timesteps`), so with the library of `make engine` it can be
repeated on processors of one kind (docs/training.md says for which networks it was).

Finished steps are kept in the folder of runs, and not repeated; a step that has changed since then is refused.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from carnegie_env import collection
from carnegie_env.agents import tensors, value
from carnegie_env.agents.configuration import CONFIG_FILE, read_object
from carnegie_env.agents.value import FOLDER, WEIGHTS_FILE, Networks
from carnegie_env.benchmark.tasks import FOLDER as POOL
from carnegie_env.cli.parser import Parser
from carnegie_env.core.arguments import option_of
from carnegie_env.core.files import write_whole
from training import average
from training import value as value_training
from training.job import check_new
from training.run_folder import PROGRESS_FILE, check_same
from training.tables import Table
from training.value import GREEDY, POLICY, PPO, to_bytes

LARGEST = 100_000  # bytes of a recipe
FINISHED = "evaluation.txt"  # the last files of a run
NOT_COMPARED = ("start", "rivals", "versions")  # paths, and what changes by itself
SET_HERE = ("minutes", "ppo", "ray", "resume", "run_dir", "save_every", "threads")


class Recipe(NamedTuple):
    """A checked recipe; each step has a `name`, and `mean` or the options of a trainer."""

    steps: list[dict[str, Any]]
    core_hours: float


def read(file: Path) -> Recipe:
    """Read and check a recipe; a ValueError for anything wrong."""
    try:
        content = file.read_bytes()
        if len(content) > LARGEST:
            raise ValueError(f"it has more than {LARGEST} bytes")
        found = tomllib.loads(content.decode())
        if set(found) != {"steps", "core_hours"}:
            raise ValueError(f"it must have steps and core_hours, not {', '.join(found)[:200]}")
        steps, core_hours = found["steps"], found["core_hours"]
        if type(core_hours) not in (int, float) or not 0 < core_hours < 1e6:
            raise ValueError("core_hours must be a number above 0")
        if not isinstance(steps, list) or not steps or not all(isinstance(each, dict) for each in steps):
            raise ValueError("steps must be tables, [[steps]]")
        for number, each in enumerate(steps):
            each.setdefault("name", file.stem)
            _check(each, steps[:number])
        if steps[-1].get("trainer") == "ppo":
            raise ValueError("the last step must make a value network")
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{file} is not a recipe: {error}") from None
    return Recipe(steps, core_hours)


def _check(step: dict[str, Any], earlier: list[dict[str, Any]]) -> None:
    """Raise a ValueError for a step that is wrong or uses other steps than ``earlier`` ones."""
    name, names = step["name"], [each["name"] for each in earlier]
    if not isinstance(name, str) or not name.replace("-", "").replace("_", "").isalnum() or name in names:
        raise ValueError(f"each step needs its own name of letters, digits, - and _, not {name!r:.40}")
    known = [*names, *_packaged()]
    policies = [each["name"] for each in earlier if each.get("trainer") == "ppo"]
    for key in ("start", "mean", "rivals"):
        listed = [step["start"]] if key == "start" and "start" in step else step.get(key, [])
        if not isinstance(listed, list):
            raise ValueError(f"step {name}: {key} must be a list of names")
        for each in listed:
            if each not in known and not (key == "rivals" and each in (GREEDY, POLICY)):
                raise ValueError(f"step {name}: {each!r:.40} is neither an earlier step nor a network of the package")
            if key != "rivals" and each in policies:
                raise ValueError(f"step {name}: {key} needs value networks, and {each} is trained by ppo")
    if "mean" in step:
        if set(step) != {"name", "mean"} or len(step["mean"]) < 2:
            raise ValueError(f"step {name}: a mean has only a name and two or more networks")
        return
    trainer, amount = _trainer(step), _amount(step)
    parser = trainer.make_parser()
    options = set(vars(parser.parse_args([]))) - set(SET_HERE)
    if wrong := set(step) - options - {"name", "trainer"}:
        raise ValueError(f"step {name}: unknown options {', '.join(sorted(wrong))[:200]}")
    if missing := {amount, "seed"} - set(step):
        raise ValueError(f"step {name}: {', '.join(sorted(missing))} must be given")
    if type(step[amount]) is not int or step[amount] < 1:
        raise ValueError(f"step {name}: {amount} must be a whole number above 0, not {step[amount]!r:.40}")
    try:
        given = parser.parse_args(_options(step))
    except SystemExit:
        raise ValueError(f"step {name}: its options are wrong, see the error above") from None
    if "start" in step:  # an earlier step has no network yet
        given.start = None if given.start in names else _packaged()[given.start]
    try:
        check_new(trainer.Job, given)
    except ValueError as error:
        raise ValueError(f"step {name}: {error}") from None


def _packaged() -> dict[str, str]:
    """The files of the package's networks by the names that recipes use."""
    here = Path(__file__).parent
    folders = {"": FOLDER, "pool/": POOL, "earlier/": here / "recipes" / "earlier", "responses/": here / "responses"}
    files = [(name, file) for name, folder in folders.items() for file in folder.glob("*.safetensors")]
    return {f"{name}{file.stem}": str(file) for name, file in files}


def _amount(step: dict[str, Any]) -> str:
    """The option that says how long a step trains."""
    return "timesteps" if step.get("trainer") == "ppo" else "games"


def _trainer(step: dict[str, Any]) -> Any:
    if step.get("trainer", "value") == "value":
        return value_training
    if step["trainer"] != "ppo":
        raise ValueError(f"step {step['name']}: the trainer must be value or ppo, not {step['trainer']!r:.40}")
    from training import ppo  # imports torch

    return ppo


def _options(step: dict[str, Any]) -> list[str]:
    """A step's options as arguments of its trainer."""
    found = []
    for key, given in step.items():
        if key not in ("name", "trainer"):
            found += [option_of(key), *map(str, given if isinstance(given, list) else [given])]
    return found


def make(recipe: Recipe, folder: Path) -> Path:
    """Run the steps of a recipe in a folder of runs; returns the file of the last step's network.

    Raises:
        ValueError: a step failed or is unfinished.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = _packaged()
    for step in recipe.steps:
        name = step["name"]
        run = folder / name
        if "mean" in step:
            files = [Path(made[each]) for each in step["mean"]]
            net = average.mean([value.read(file) for file in files])
            write_whole(folder / f"{name}.safetensors", to_bytes(net, tensors.read(files[0])[1]))
            made[name] = str(folder / f"{name}.safetensors")
            continue
        chosen = dict(step)
        if "start" in step:
            chosen["start"] = made[step["start"]]
        if "rivals" in step:
            chosen["rivals"] = [made.get(each, each) for each in step["rivals"]]
        options = [*_options(chosen), "--threads", "1", "--run-dir", str(run)]
        if (run / FINISHED).exists():
            _check_finished(step, options, run)
        elif run.exists() or _trainer(step).main(options) != 0:
            raise ValueError(f"step {name} is unfinished: delete {run}, and run the recipe again")
        made[name] = f"{PPO}{run}" if step.get("trainer") == "ppo" else str(run / WEIGHTS_FILE)
    return Path(made[recipe.steps[-1]["name"]])


def _check_finished(step: dict[str, Any], options: list[str], run: Path) -> None:
    """Raise a ValueError if a finished run is not that of a step with these options."""
    trainer, amount = _trainer(step), step[_amount(step)]
    wanted = json.loads(json.dumps(check_new(trainer.Job, trainer.make_parser().parse_args(options))))
    check_same(run, read_object(run / CONFIG_FILE), wanted, [name for name in wanted if name not in NOT_COMPARED])
    settings, trained = wanted["settings"], read_object(run / PROGRESS_FILE).get("steps", 0)
    update = settings.get("round_games") or settings["envs"] * settings["steps"]
    if not amount <= trained < amount + update:
        raise ValueError(f"{run} has a run with {_amount(step)} {trained}, not {amount}")


def main(arguments: Sequence[str] | None = None) -> int:
    text = "Make a network from a recipe, and compare it with the package's."
    parser = Parser(prog="python -m training.recipe", description=text)
    parser.add_argument("recipe", type=Path, help="a file such as training/recipes/steel_driver-3.toml")
    parser.add_argument("--runs", type=Path, metavar="DIR", help="folder of the steps' runs (default: runs/RECIPE)")
    parser.add_argument("--check", action="store_true", help="only check the recipe")
    given = parser.parse_args(arguments)
    try:
        recipe = read(given.recipe)
        units = {"games": "games", "timesteps": "decisions"}
        amounts = [f"{step[_amount(step)]:,} {units[_amount(step)]}" for step in recipe.steps if "mean" not in step]
        print(f"{given.recipe}: {', '.join(amounts)}, {recipe.core_hours:g} core-hours", flush=True)
        if given.check:
            return 0
        file = make(recipe, given.runs or Path("runs") / given.recipe.stem)
        shipped = FOLDER / f"{given.recipe.stem}.safetensors"
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 2
    if not shipped.exists():
        print(f"made {file}")
        return 0
    versions = [Networks(str(each)).version for each in (shipped, file)]
    if versions[0] == versions[1]:
        print(f"{file} is the package's network {shipped.stem}, digest {versions[0]}")
        return 0
    network = value.read(file)
    flags = Table.of(collection.find(network.game), network.options).flags
    print(
        f"{file} has digest {versions[1]}, the package's network {shipped.stem} has {versions[0]}. Networks differ "
        "between processors, and between the library of `make engine` and Numba's code: `python -m training.evaluate "
        f"--agents value:{file}{flags}` measures the strength"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
