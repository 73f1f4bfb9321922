"""The command `carnegie-env`, with a module for each group of subcommands.

No game is imported before the arguments are parsed. `--facts` must be known before that, and commands that show a game
to a person run the rules as plain Python: the first board appears at once, and a decision takes a few milliseconds.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence

import carnegie_env
from carnegie_env import collection
from carnegie_env.cli import arena, boards, components, generate, mcp, measure, play, review, serve, train
from carnegie_env.cli.parser import Parser, PrintCompletion
from carnegie_env.core import plain
from carnegie_env.core.arguments import EACH_AGENT, add_options
from carnegie_env.core.validation import error_text

FIRST = """\
carnegie-env {version}: play and analyse heavy board games, and train agents for them.

  carnegie-env play                        play in the terminal; it asks for table and opponents
  carnegie-env serve                       play and analyse in a browser{web}
  carnegie-env train value                 train an agent, in a checkout of the repository
  carnegie-env arena --agents greedy value compare agents
  carnegie-env COMMAND --help              the options of a command

All commands: {commands}"""
PLAIN = ("facts", "new", "play", "replay", "serve")  # commands that run the rules as plain Python


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0, 2 after an error message, or 130 after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a "?" where a terminal lacks a sign such as ±
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return _run(arguments)
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe: prevent flushing at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as interrupt:
        print("\nInterrupted.", *interrupt.args, file=sys.stderr)
        return 130


def _run(arguments: Sequence[str] | None) -> int:
    named, command = _first_look(arguments)
    if arguments is None and command in PLAIN:  # run as a command, not called by a program
        plain.ask()
    try:
        parser = _parser(named)
    except ValueError as error:  # a game of another package can't be loaded
        print(f"carnegie-env: error: {error_text(error)}", file=sys.stderr)
        return 2
    given, rest = parser.parse_known_args(arguments)
    if rest:
        given.parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if given.run is None:
        web = "" if serve.is_installed() else ", after pip install 'carnegie_env[web]'"
        print(FIRST.format(version=carnegie_env.__version__, web=web, commands=", ".join(parser.commands())))
        return 0
    given.alone = len(sys.argv[1:] if arguments is None else arguments) == 1
    try:
        _use_facts(getattr(given, "facts", None))
        given.run(given)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: error: {error_text(error)}", file=sys.stderr)
        return 2
    return 0


# ---------------------------------------------------------------- arguments
def _first_look(arguments: Sequence[str] | None) -> tuple[str | None, str | None]:
    """The game in the arguments, on which the options depend, and the command; None without a valid one."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--game")
    parser.add_argument("--facts")
    try:
        given, rest = parser.parse_known_args(arguments)
    except argparse.ArgumentError:  # the main parser reports the error
        return None, None
    command = next((word for word in rest if not word.startswith("-")), None)
    return given.game if given.game in collection.names() else None, command


def _parser(named: str | None) -> Parser:
    game = named or collection.DEFAULT
    common = Parser(add_help=False)
    text = f"the game (default: {collection.DEFAULT})"
    common.add_argument("--game", choices=collection.names(), default=argparse.SUPPRESS, help=text)
    text = "folder or .toml file with component tables; they replace the shipped tables of the same names"
    common.add_argument("--facts", metavar="PATH", default=argparse.SUPPRESS, help=text)
    text = "Play, record, simulate and analyse games, and compare agents."
    parser = Parser(prog="carnegie-env", description=text, parents=[common])
    parser.set_defaults(run=None, parser=parser)
    parser.add_argument("--version", action="version", version=f"carnegie_env {carnegie_env.__version__}")
    text = "print a script that completes commands and options in bash, zsh, fish, ... (needs the extra `completion`)"
    parser.add_argument("--print-completion", action=PrintCompletion, metavar="SHELL", help=text)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], None], text: str, *, options: bool = False, **defaults: str
    ) -> argparse.ArgumentParser:
        """``options``: add the options of the game and the seed; ``defaults``: see :func:`add_options`."""
        sub = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", parents=[common])
        sub.set_defaults(run=run, game=game, named=named, parser=sub)
        if options:
            add_options(sub, collection.options(game), **defaults)
            text = "seed of the game, or of the first of several (default: %(default)s)"
            sub.add_argument("--seed", type=int, default=0, metavar="N", help=text)
        return sub

    command("about", measure.about, "print the versions in use, and how the rules run")
    command("facts", components.show, "list the component values that are not printed on the components")
    new = command("new", boards.new, "show a new game", options=True)
    new.add_argument("--json", action="store_true", help="print the position as JSON")
    play.add_arguments(command("play", play.play, "play in the terminal against agents", options=True))
    boards.add_arguments(command("replay", boards.replay, "show a recorded game, or make a film of it"))
    text = "review a recorded game: what decisions cost, and what was luck"
    review.add_arguments(command("review", review.review, text))
    text = "play random games and print statistics"
    simulate = command("simulate", measure.simulate, text, options=True)
    simulate.add_argument("--games", type=int, default=1000, metavar="N", help="number of games (default: %(default)s)")
    text = "measure decisions per second in one thread, and print the engine's signature"
    command("bench", measure.bench, text)
    text = "play matches between agents, and print ratings and comparisons with confidence intervals"
    arena.add_arguments(command("arena", arena.arena, text, options=True, num_players=EACH_AGENT))
    text = "serve a web page for playing, watching and analysing games"
    serve.add_arguments(command("serve", serve.serve, text))
    text = "serve games as tools for language models (Model Context Protocol)"
    mcp.add_arguments(command("mcp", mcp.mcp, text))
    text = "train an agent by self-play or against Andrew, in a checkout of the repository"
    train.add_arguments(command("train", train.train, text))
    text = "generate a dataset of games between agents"
    generate.add_arguments(command("generate", generate.generate, text, options=True, num_players=EACH_AGENT))
    text = "convert a dataset to a Minari dataset"
    generate.add_export_arguments(command("export-minari", generate.export_minari, text))
    return parser


def _use_facts(path: str | None) -> None:
    """Use other component tables. They are read once, when the game is imported."""
    if path == "":
        raise ValueError("--facts must name a folder or a .toml file, not ''")
    if path is None or path == os.environ.get("CARNEGIE_ENV_FACTS"):
        return
    if collection.loaded():
        raise ValueError("--facts has no effect: this process has already loaded the component tables")
    os.environ["CARNEGIE_ENV_FACTS"] = path
