"""The first steps of a new user with an installed copy: `python first_use.py FOLDER`, outside the project's folder.

FOLDER must contain the installed package. The last line of the output is JSON with the versions in use. The program
imports only the package and its requirements.
"""

import importlib.metadata
import json
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path


def came_from(folder: Path) -> None:
    import carnegie_env

    assert "numba" not in sys.modules and "pettingzoo" not in sys.modules, "import carnegie_env is slow"
    package = Path(carnegie_env.__file__).resolve().parent
    assert package.is_relative_to(folder), f"{package} was imported, not the package in {folder}"
    assert (package / "py.typed").is_file(), "py.typed is missing, so type checkers ignore the package"
    assert len(list(package.rglob("*.toml"))) >= 7, "component tables are missing"
    assert carnegie_env.__version__ == importlib.metadata.version("carnegie_env")


def one_game() -> None:
    from carnegie_env import Options, Position

    position = Position.new(Options(num_players=3), seed=5)
    while not position.is_over:
        position.apply(position.legal_actions()[-1])
        assert Position.from_json(position.to_json()) == position
    assert len(position.scores()) == 3 and "\n" in position.render()


def many_games() -> None:
    import numpy as np

    from carnegie_env import Batch

    batch, generator = Batch(40, num_players=4, num_threads=2), np.random.default_rng(1)
    batch.reset(seed=1)
    while not batch.done.all():
        batch.step(batch.sample_actions(generator))
    assert batch.scores().shape == (40, 4) and batch.observe().shape == (40, batch.observation_size)


def gymnasium_environments() -> None:
    import gymnasium
    import numpy as np

    import carnegie_env  # noqa: F401  (registers the ids)

    env = gymnasium.make("Carnegie/Solo-v0", difficulty="expert")
    _, info = env.reset(seed=1)
    env.action_space.seed(1)
    ended, steps = False, 0
    while not ended:
        _, _, ended, _, info = env.step(env.action_space.sample(info["action_mask"]))
        steps += 1
    assert steps > 20 and "score" in info
    several = gymnasium.make_vec("Carnegie/Solo-v0", num_envs=3, vectorization_mode="vector_entry_point")
    observations, infos = several.reset(seed=1)
    several.step(np.array([np.flatnonzero(mask)[0] for mask in infos["action_mask"]]))
    assert observations.shape[0] == 3


def pettingzoo_environment() -> None:
    from carnegie_env import carnegie_v0

    env = carnegie_v0.env(num_players=2)
    env.reset(seed=1)
    steps = 0
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
        steps += 1
    assert steps > 20


def agents_by_name() -> None:
    import importlib.util

    from carnegie_env import Batch, Position, make_agent

    folder = Path(sys.modules["carnegie_env"].__file__).parent
    position, agent = Position.new({"num_players": 2}, seed=3), make_agent("greedy")
    while not position.is_over:
        position.apply(agent.act(position))
    assert min(position.scores()) > 40, position.scores()
    batch = Batch(8, num_players=1, num_threads=1)
    batch.reset(seed=1)
    player = make_agent("random", seed=1)
    while not batch.done.all():
        batch.step(player.act_batch(batch))
    here = Path(sys.modules[type(agent).__module__].__file__)
    assert here.is_relative_to(folder / "agents") and type(agent).__module__ == "carnegie_env.agents.greedy", here
    assert importlib.util.find_spec("agents") is None, "there is a top-level package named agents"
    assert "win rate" in printed([sys.executable, "-m", "carnegie_env.arena.play"], "--games", "2")
    assert "ahead of" in printed([sys.executable, "-m", "carnegie_env", "arena"], "--deals", "2")


def printed(program: list[str], *arguments: str) -> str:
    """The output of a program that lets two agents play each other."""
    command = [*program, "--agents", "random", "greedy", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, (run.stdout, run.stderr)
    return run.stdout


def command() -> None:
    program = Path(sysconfig.get_path("scripts"), "carnegie-env")
    for arguments in (["facts"], ["new", "--num-players", "3"], ["--help"]):
        run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=900)
        assert run.returncode == 0 and len(run.stdout) > 500, (arguments, run.stdout, run.stderr)


if __name__ == "__main__":
    came_from(Path(sys.argv[1]).resolve())
    one_game()
    many_games()
    gymnasium_environments()
    pettingzoo_environment()
    agents_by_name()
    command()
    versions = {found.name: found.version for found in importlib.metadata.distributions()}
    print(json.dumps({"python": platform.python_version(), "packages": versions}))
