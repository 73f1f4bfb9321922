"""The commands of the benchmark: `python -m carnegie_env.benchmark COMMAND --help` (docs/benchmark.md)."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from carnegie_env.arena.match import DoesNotPlay
from carnegie_env.benchmark import cards, page, playing, results, sensitivity, tasks
from carnegie_env.benchmark.results import Training
from carnegie_env.cli.common import labelled, progress
from carnegie_env.cli.parser import Parser
from carnegie_env.core import files
from carnegie_env.core.arguments import check_least
from carnegie_env.core.validation import error_text, seed_of
from carnegie_env.render.text import number_of

PAGE, FOLDER = Path("docs/leaderboard.md"), Path("docs/leaderboard")
GAMES = Path("runs/benchmark")  # of the matches, for continuing


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="python -m carnegie_env.benchmark", description="Evaluate and rank agents.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    names = ", ".join(tasks.TASKS)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        sub.set_defaults(run=globals().get(f"_{name}"))
        return sub

    def playing_options(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--tasks", nargs="+", metavar="NAME", help=f"some of {names} (default: all it can play)")
        sub.add_argument("--deals", type=int, metavar="N", help="at most this number of deals (default: all)")
        sub.add_argument("--processes", type=int, metavar="N", help="worker processes (default: one per core)")
        text = "folder for the games; an interrupted command continues there (default: %(default)s)"
        sub.add_argument("--games", type=Path, default=GAMES, metavar="FOLDER", help=text)

    sub = command("evaluate", "have an agent play tasks, and write a result for each")
    sub.add_argument("--agent", required=True, metavar="[LABEL=]AGENT", help="the agent (docs/agents.md)")
    sub.add_argument("--out", type=Path, default=Path("."), metavar="FOLDER", help="folder of the results (default: .)")
    group = sub.add_argument_group("the agent's training; the first four go together")
    group.add_argument("--training-seed", type=int, metavar="N", help="its random seed")
    group.add_argument("--decisions", type=int, metavar="N", help="the decisions that it learned from")
    group.add_argument("--core-hours", type=float, metavar="H", help="its processor time, in hours of one core")
    group.add_argument("--reward", metavar="NAME", help="the reward that it was trained with, such as dense_margin")
    text = "what it started from, opponents and teachers, a GPU and its hours, the address of the code"
    group.add_argument("--notes", default="", metavar="TEXT", help=text)
    group.add_argument("--open", action="store_true", help="it is in class open, whatever its number of decisions")
    playing_options(sub)
    sub = command("enter", "check results and enter them into the leaderboard")
    sub.add_argument("files", nargs="+", type=Path, metavar="FILE", help="results of `evaluate`")
    sub = command("leaderboard", "have the leaderboard's own agents play all tasks, and write the page")
    sub.add_argument("--agents", nargs="+", choices=tasks.AGENTS, default=[*tasks.AGENTS], metavar="NAME",
                     help=f"some of {', '.join(tasks.AGENTS)} (default: all)")  # fmt: skip
    playing_options(sub)
    sensitivity.add_arguments(command("sensitivity", "repeat a task with other values of the reconstructed components"))
    cards.add_dataset_arguments(command("dataset", "make the small published dataset and its Croissant metadata"))
    cards.add_card_arguments(command("card", "write the Croissant metadata of a dataset, or of a folder of datasets"))
    given = parser.parse_args(arguments)
    try:
        given.run(given)
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: error: {error_text(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    return 0


def _evaluate(given: argparse.Namespace) -> None:
    check_least(given, deals=1, processes=1, decisions=1)
    if given.core_hours is not None and not 0 < given.core_hours < math.inf:
        raise ValueError(f"--core-hours must be a number above 0, not {given.core_hours:g}")
    seed_of(given.training_seed or 0)
    of_training = (given.training_seed, given.decisions, given.core_hours, given.reward)
    if 0 < of_training.count(None) < 4 or ((given.notes or given.open) and None in of_training):
        raise ValueError("--training-seed, --decisions, --core-hours and --reward go together: give all, or none")
    for name, least, most in (("reward", 1, results.MOST_REWARD), ("notes", 0, results.MOST_NOTES)):
        if (text := getattr(given, name)) is not None and not least <= len(text) <= most:
            raise ValueError(f"--{name} must have {least} to {most} characters, not {len(text)}")
    training = None if None in of_training else Training(*of_training, given.notes, given.open)
    player = playing.player_of(*labelled(given.agent), training)
    if not given.out.is_dir():
        raise ValueError(f"--out: the folder {given.out} does not exist")
    chosen = _chosen(given)
    for name in chosen:
        try:
            _play(given, name, player, training, given.out)
        except DoesNotPlay as error:
            if given.tasks:
                raise
            print(f"{name}: left out: {error}", file=sys.stderr)


def _play(given: argparse.Namespace, name: str, player: tasks.Player, training: Training | None, folder: Path) -> None:
    task = tasks.find(name)
    seed = "" if training is None else f"-{training.seed}-{training.decisions}"
    games = given.games / f"{player.label}{seed}"
    if old := _present(folder / results.file_name(name, player.label, training)):
        old.check_owner(name, player.label, player.spec, training)
    with progress("games") as watch:
        more = {"training": training, "deals": given.deals, "processes": given.processes, "watch": watch}
        result = playing.play(name, task, player, games, **more)
    print(line(result), flush=True)
    result.check()
    _check_replaces(result, folder)
    files.write_whole(folder / result.file_name, results.encode(result))


def _check_replaces(result: results.Result, folder: Path) -> None:
    """Raise a ValueError if a file has the place of a result and must not be replaced."""
    if old := _present(folder / result.file_name):
        result.check_replaces(old)


def _present(path: Path) -> results.Result | None:
    """The result in a file that exists and is not outdated."""
    with contextlib.suppress(results.Outdated):
        return results.read(path) if path.exists() else None
    return None


def _entered() -> list[results.Result]:
    """The results of the leaderboard, without those of earlier revisions."""
    return results.read_all(FOLDER, lambda error: print(f"left out: {error}", file=sys.stderr))


def line(result: results.Result) -> str:
    shares = [f"{column.win_share.percent()} of {column.games} against {column.opponent}" for column in result.columns]
    lost = f"; {number_of(sum(result.faults.values()), 'games')} lost by faults" if result.faults else ""
    time = page.two_digits(result.milliseconds["mean"])
    return f"{result.task}: {result.agent.label} wins {', '.join(shares)}; {time} ms{lost}"


def _chosen(given: argparse.Namespace) -> list[str]:
    for name in given.tasks or ():
        tasks.find(name)
    return given.tasks or [*tasks.TASKS]


def _enter(given: argparse.Namespace) -> None:
    if not FOLDER.is_dir():
        raise ValueError(f"there is no folder {FOLDER} here; enter results in a checkout of the package")
    new = [results.read(path) for path in given.files]
    names = {result.file_name for result in new}
    found = [*(result for result in _entered() if result.file_name not in names), *new]
    found.sort(key=lambda result: result.file_name)  # as on a page that is written from the files
    results.comparable(found)
    for result in new:
        _check_replaces(result, FOLDER)
    text = _text(found)
    for result in new:
        files.write_whole(FOLDER / result.file_name, results.encode(result))
        print(f"entered {FOLDER / result.file_name}")
    files.write_whole(PAGE, text)


def _text(found: Sequence[results.Result]) -> str:
    """The text of the leaderboard. The intervals of its ratings take most of a minute."""
    with progress("results in the tables") as watch:
        return page.page(found, watch)


def _leaderboard(given: argparse.Namespace) -> None:
    check_least(given, deals=1, processes=1)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in _chosen(given):
        for label in given.agents:
            task = tasks.find(name)
            if tasks.AGENTS[label].plays(task):
                _play(given, name, tasks.AGENTS[label], None, FOLDER)
                files.write_whole(PAGE, _text(_entered()))


if __name__ == "__main__":
    sys.exit(main())
