"""The command `carnegie-env`: look at games, play them, measure the engine.

facts        component values that are not printed on the components
new          a new game as text or JSON
play         play in the terminal by typing actions
replay       show a recorded game
simulate     random games: scores, lengths, what was used
bench        decisions per second on a fixed workload, and a number that changes when the rules' behaviour does
arena        matches between agents: who is better, ratings, reference suites
leaderboard  a table of the suites' results
serve        a page in the browser, to play, watch and analyse
generate     datasets of games between agents, in Parquet files
export-minari  a dataset as one of Minari

Nothing of the game is imported before the arguments are read: `--facts` must be known by then, and that what shows a
game to a person runs the rules as plain Python: the first board is there at once, a decision takes a few ms.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from carnegie_env import collection
from carnegie_env.cli import arena, boards, components, generate, measure, play, serve
from carnegie_env.core import plain
from carnegie_env.core.arguments import add_options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0, or 2 after a message about wrong arguments, files or data."""
    parser = _parser(_game_named(arguments))
    given = parser.parse_args(arguments)
    if arguments is None and given.plain:  # as a command, in a process of its own
        plain.ask()
    try:
        _use_facts(getattr(given, "facts", None))
        given.run(given)
    except BrokenPipeError:  # e.g. piped into `head`: the reader has closed, and nothing more must be flushed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename or repr(error.filename)}: "
        print(f"{parser.prog}: error: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    return 0


# ---------------------------------------------------------------- arguments
def _game_named(arguments: Sequence[str] | None) -> str:
    """The game that the arguments name: the options depend on it."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--game", default=collection.DEFAULT)
    try:
        name: str = parser.parse_known_args(arguments)[0].game
    except argparse.ArgumentError:  # what is wrong says the parser of all arguments
        return collection.DEFAULT
    return name if name in collection.names() else collection.DEFAULT


def _parser(game: str) -> argparse.ArgumentParser:
    facts = argparse.ArgumentParser(add_help=False)
    text = f"which game (default: {collection.DEFAULT})"
    facts.add_argument("--game", choices=collection.names(), default=argparse.SUPPRESS, help=text)
    text = "folder or .toml file with component tables that replace the shipped ones of the same name"
    facts.add_argument("--facts", metavar="PATH", default=argparse.SUPPRESS, help=text)
    parser = argparse.ArgumentParser(prog="carnegie-env", description=(__doc__ or "").split("\n")[0], parents=[facts])
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], None], text: str, *, plain: bool = True
    ) -> argparse.ArgumentParser:
        """``plain``: nothing is compiled for it."""
        sub = commands.add_parser(name, help=text, description=text, parents=[facts])
        sub.set_defaults(run=run, plain=plain, game=game)
        return sub

    command("facts", components.show, "print the component values that are not printed on the components")
    new = command("new", boards.new, "show a new game")
    _add_options(new, game)
    new.add_argument("--json", action="store_true", help="the position as JSON instead of text")
    table = command("play", play.play, "play in the terminal; agents play at the other seats")
    _add_options(table, game)
    play.add_arguments(table.add_argument)
    boards.add_arguments(command("replay", boards.replay, "show a recorded game: its decisions and the last board"))
    simulate = command("simulate", measure.simulate, "play random games and print statistics", plain=False)
    _add_options(simulate, game)
    simulate.add_argument("--games", type=int, default=1000, metavar="N", help="how many games (default: 1000)")
    signature = "measure decisions per second, one thread; print the behaviour's signature"
    command("bench", measure.bench, signature, plain=False)
    match = command("arena", arena.arena, "let agents play each other, and say how sure the result is", plain=False)
    arena.add_arguments(match)
    _add_options(match, game)
    text = "a table, in Markdown, of agents' results in reference suites"
    arena.add_leaderboard_arguments(command("leaderboard", arena.leaderboard, text))
    text = "a page in the browser, to play, watch and analyse"
    serve.add_arguments(command("serve", serve.serve, text, plain=False))
    dataset = command("generate", generate.generate, "make a dataset of games between agents", plain=False)
    generate.add_arguments(dataset)
    _add_options(dataset, game)
    text = "write a dataset's games as a dataset of Minari"
    generate.add_export_arguments(command("export-minari", generate.export_minari, text, plain=False))
    return parser


def _add_options(parser: argparse.ArgumentParser, game: str) -> None:
    add_options(parser, collection.options(game))
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")


def _use_facts(path: str | None) -> None:
    """Use the user's component tables: they are read once, when the game is imported."""
    if path == "":
        raise ValueError("--facts must name a folder or a .toml file, not ''")
    if path is None or path == os.environ.get("CARNEGIE_ENV_FACTS"):
        return
    if collection.loaded():
        raise ValueError("--facts: the component tables have been loaded in this process already")
    os.environ["CARNEGIE_ENV_FACTS"] = path
