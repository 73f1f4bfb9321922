"""The command `carnegie-env`: look at games, play them, measure the engine.

facts     component values that are not printed on the components
new       a new game as text or JSON
play      play in the terminal by typing actions
replay    show a recorded game
simulate  random games: scores, lengths, what was used
bench     decisions per second on a fixed workload, and a number that changes when the rules' behaviour does

Nothing of the game is imported before the arguments are read: `--facts` must be known by then, and that what shows a
game to a person runs the rules as plain Python: the first board is there at once, a decision takes a few ms.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from carnegie_env.core import plain
from carnegie_env.core.arguments import add_options, given_options

BENCH_GAMES = 20_000
BENCH_ROUNDS = 3
SIGNED_GAMES = 100  # of each number of players
UNSEEN = {"sheet": "goes on with his sheet", "secret": "chooses a secret donation"}  # decisions the others don't see


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0, or 2 after a message about wrong arguments, files or data."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if arguments is None and given.plain:  # as a command, in a process of its own
        plain.ask()
    try:
        _use_facts(getattr(given, "facts", None))
        given.run(given)
    except BrokenPipeError:  # e.g. piped into `head`: nobody reads on, and nothing more must be flushed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
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
def _parser() -> argparse.ArgumentParser:
    facts = argparse.ArgumentParser(add_help=False)
    facts.add_argument(
        "--facts",
        metavar="PATH",
        default=argparse.SUPPRESS,
        help="folder or .toml file with component tables that replace the shipped ones of the same name",
    )
    parser = argparse.ArgumentParser(prog="carnegie-env", description=(__doc__ or "").split("\n")[0], parents=[facts])
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], None], text: str, *, plain: bool = True
    ) -> argparse.ArgumentParser:
        """``plain``: nothing is compiled for it."""
        sub = commands.add_parser(name, help=text, description=text, parents=[facts])
        sub.set_defaults(run=run, plain=plain)
        return sub

    command("facts", _facts, "print the component values that are not printed on the components")
    new = command("new", _new, "show a new game")
    _add_options(new)
    new.add_argument("--json", action="store_true", help="the position as JSON instead of text")
    play = command("play", _play, "play in the terminal; the other seats play at random")
    _add_options(play)
    play.add_argument("--seats", default="0", metavar="N,N", help="the seats you play (default: 0)")
    play.add_argument("--record", metavar="FILE", help="a new file; the game is written there as it goes")
    play.add_argument("--resume", metavar="FILE", help="go on with a recorded game; its options and seed hold")
    replay = command("replay", _replay, "show a recorded game: its decisions and the last board")
    replay.add_argument("file", metavar="FILE")
    which = replay.add_mutually_exclusive_group()
    which.add_argument("--step", type=int, metavar="N", help="the board after N decisions")
    which.add_argument("--all", action="store_true", help="the board before every decision, and the last one")
    which.add_argument("--last", action="store_true", help="the last board only")
    simulate = command("simulate", _simulate, "play games at random and sum them up", plain=False)
    _add_options(simulate)
    simulate.add_argument("--games", type=int, default=1000, metavar="N", help="how many games (default: 1000)")
    signature = "measure decisions per second, one thread, two players; print the behaviour's signature"
    command("bench", _bench, signature, plain=False)
    return parser


def _add_options(parser: argparse.ArgumentParser) -> None:
    from carnegie_env.carnegie.options import Options  # loads no tables

    add_options(parser, Options)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")


def _options(given: argparse.Namespace) -> dict[str, Any]:
    """The game options that were given; a difficulty alone means a solo game."""
    from carnegie_env.carnegie.options import Options

    options = given_options(given, Options)
    if "difficulty" in options:
        options.setdefault("num_players", 1)
    return options


def _use_facts(path: str | None) -> None:
    """Have the tables loaded from the user's data: they are read once, when the game is imported."""
    if path is None or path == os.environ.get("CARNEGIE_ENV_FACTS"):
        return
    if "carnegie_env.carnegie.tables" in sys.modules:
        raise ValueError("--facts: the component tables have been loaded in this process already")
    os.environ["CARNEGIE_ENV_FACTS"] = path


def _width() -> int:
    return min(max(shutil.get_terminal_size((120, 40)).columns, 80), 120)


# ---------------------------------------------------------------- facts, new
def _facts(given: argparse.Namespace) -> None:
    from carnegie_env.carnegie.tables import FACTS, unprinted

    rows = [
        (file, f"{table} {key}".strip(), _compact(value), mark) for file, table, key, value, mark in unprinted(FACTS)
    ]
    marks = [row[3] for row in rows]
    counts = ", ".join(f"{marks.count(mark)} {mark}" for mark in dict.fromkeys(marks))
    print(f"{len(rows)} component values are not printed on the components ({counts}); all others are.")
    print("forced: no other value fits what is printed.   reconstructed: fits it, but others would, too.\n")
    width = max([len(row[1]) for row in rows], default=0)
    for file in dict.fromkeys(row[0] for row in rows):
        print(file)
        for _, what, value, mark in (row for row in rows if row[0] == file):
            print(f"  {what:{width}}  {mark:13}  {value}")


def _compact(value: Any) -> str:
    """A value in the notation of the files."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_compact(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_compact(part) for part in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _new(given: argparse.Namespace) -> None:
    from carnegie_env import Position

    position = Position.new(_options(given), given.seed)
    print(position.to_json(indent=1) if given.json else position.render(_width()))


# ---------------------------------------------------------------- play
HELP = """\
type an action; words may be cut short while one action fits: `b ind chi` for `build industry in chicago`
board   the board again          legal  what can be played      score  the score as if the game ended now
undo    take your last one back  save FILE  write a record      quit   stop (with --record the game is in the file)"""


def _play(given: argparse.Namespace) -> None:
    from carnegie_env import GameRecord, Position
    from carnegie_env.core.record import Journal

    position: Any
    if given.resume is not None:
        position = GameRecord.load(given.resume).replay()
    else:
        position = Position.new(_options(given), given.seed)
    seats = _seats(given.seats, position.num_players)
    journal = None
    if given.record is not None:
        same = given.resume is not None and os.path.realpath(given.resume) == os.path.realpath(given.record)
        try:
            journal = Journal(given.record, position, again=same)
        except FileExistsError as error:
            raise ValueError(
                f"{given.record}: {error.strerror}; if it is a game, --resume {given.record} --record {given.record} "
                "goes on with it; else give --record another name"
            ) from None
    print(HELP, end="\n\n")
    table = _Table(position, seats, random.Random(given.seed), journal)
    try:
        table.play()
    finally:
        if journal is not None:
            table.last_words()


def _seats(text: str, players: int) -> set[int]:
    seats = set()
    for part in text.split(","):
        if not part.strip().isdecimal() or int(part) >= players:
            raise ValueError(
                f"--seats {text}: the seats are whole numbers from 0 to {players - 1}, with commas between"
            )
        seats.add(int(part))
    return seats


class _Table:
    """One game with people at some seats and chance at the others; written into the journal, if there is one."""

    def __init__(self, position: Any, seats: set[int], chance: random.Random, journal: Any = None) -> None:
        self.position = position
        self.seats = seats
        self.chance = chance
        self.journal = journal
        self.before: list[Any] = []  # the position before each decision of a person
        self.seen = -1  # the round whose board was shown last

    def play(self) -> None:
        """Until the game is over or somebody quits."""
        while not self.position.is_over:
            position, seat = self.position, self.position.to_play
            if seat not in self.seats:
                action = self.chance.choice(position.legal_actions())
                print(f"player_{seat}: {UNSEEN.get(position.phase, action)}")
                position.apply(action)
                self._note(seat)
                continue
            if position.round != self.seen:
                self._board()
            else:
                self._legal()
            if not self._ask():
                return
        print(self.position.render(_width()))

    def _note(self, seat: int | None) -> None:
        """Bring the record up to date; where that fails the game goes on, and the next decision tries again."""
        if self.journal is None:
            return
        failed = self.journal.error is not None
        if not self.journal.note(self.position, seat) and not failed:
            print(f"{self.journal.path} can't be written: {self.journal.error.strerror}; tried again as the game goes")
        elif self.journal.error is None and failed:
            print(f"{self.journal.path} is written again")

    def last_words(self) -> None:
        """Say where the game is; if it can't be written there, ask where else, or show it.

        Raises:
            OSError: it could not be written, and nobody is there to say where else.
        """
        journal = self.journal
        while journal.error is not None and not journal.write(self.position):
            print(f"{journal.path} can't be written: {journal.error.strerror}")
            print("Enter tries again, a name writes another file, `quit` gives the record up.")
            try:
                line = input("file> ").strip()
            except EOFError:
                raise journal.error from None
            if line == "quit":
                return
            if line and self._save(line):
                return
        file = journal.path
        print(f"recorded in {file}; `carnegie-env play --resume {file} --record {file}` goes on")

    def _board(self) -> None:
        self.seen = self.position.round
        print(self.position.render(_width()))

    def _legal(self) -> None:
        from carnegie_env.render.text import actions

        print(f"player_{self.position.to_play} can play:", *actions(self.position, _width()), sep="\n")

    def _ask(self) -> bool:
        """One line from the person: true when the game goes on."""
        try:
            line = " ".join(input(f"player_{self.position.to_play}> ").split())
        except EOFError:
            print()
            return False
        word, _, rest = line.partition(" ")
        if line == "quit":
            return False
        if line in ("help", "?"):
            print(HELP)
        elif line == "board":
            self._board()
        elif line == "score":
            for name, scores in _scores(self.position):
                print(f"  {name}: {scores}")
        elif line == "undo":
            self._undo()
        elif word == "save" and rest:
            self._save(rest)
        elif line and line != "legal":
            self._act(line)
        return True

    def _undo(self) -> None:
        if not self.before:
            print("there is nothing to take back")
            return
        self.position = self.before.pop()
        self.seen = -1
        self._note(None)

    def _save(self, file: str) -> bool:
        """Write a record, but over no other file than a record: true if that went well."""
        from carnegie_env import GameRecord
        from carnegie_env.core.record import begins_like_a_record

        try:
            if os.path.exists(file) and not begins_like_a_record(file):
                print(f"{file} is there and is no game record: it stays as it is")
                return False
            GameRecord.of(self.position).save(file)
        except OSError as error:
            print(f"{file}: {error.strerror}")
            return False
        print(f"recorded in {file}")
        return True

    def _act(self, line: str) -> None:
        legal = self.position.legal_actions()
        fitting = [line] if line in legal else [action for action in legal if _cut_short(line, action)]
        if len(fitting) > 1:
            print(f"{line!r} may be {', '.join(repr(action) for action in fitting[:12])}")
            return
        earlier = self.position.copy()
        try:
            self.position.apply(fitting[0] if fitting else line)
        except ValueError as error:
            print(error)
            return
        self.before.append(earlier)
        self._note(earlier.to_play)


def _cut_short(line: str, action: str) -> bool:
    """Whether every word of the line begins a word of the action, in the same order."""
    words, wanted = action.split(), line.lower().split()
    for word in words:
        if wanted and word.startswith(wanted[0]):
            wanted = wanted[1:]
    return not wanted


def _scores(position: Any) -> list[tuple[str, int]]:
    names = [f"player_{seat}" for seat in range(position.num_players)] + ["andrew"]
    return list(zip(names, position.scores(), strict=False))


# ---------------------------------------------------------------- replay
def _replay(given: argparse.Namespace) -> None:
    from carnegie_env import GameRecord

    record = GameRecord.load(given.file)
    width = _width()
    if given.step is not None:
        print(record.replay(given.step).render(width))
        return
    if given.last:
        print(record.replay().render(width))
        return
    print(f"{given.file}: {len(record.actions)} decisions, seed {record.seed}, {record.options}\n")
    shown: int | None = None
    position: Any = None
    for number, position in enumerate(record.positions()):
        action = record.actions[number] if number < len(record.actions) else None
        if given.all:
            print(position.render(width), end="\n\n")
        elif position.round != shown and action is not None:
            shown = position.round
            print("set-up" if shown == 0 else f"round {shown}")
        if action is not None:
            print(f"{number + 1:5}  player_{position.to_play}  {action}", end="\n\n" if given.all else "\n")
    if not given.all and position is not None:
        print(f"\n{position.render(width)}")


# ---------------------------------------------------------------- simulate
def _simulate(given: argparse.Namespace) -> None:
    import numpy as np

    from carnegie_env import Batch
    from carnegie_env.carnegie import actions, state
    from carnegie_env.carnegie import tables as t
    from carnegie_env.carnegie.rules import scoring

    if given.games < 1:
        raise ValueError(f"--games must be 1 or more, not {given.games}")
    batch = Batch(given.games, **_options(given))
    batch.reset(seed=given.seed)
    generator = np.random.default_rng(given.seed)
    played = np.zeros(batch.num_actions, np.int64)
    warm = Batch(1, **_options(given))  # compiles what is not compiled yet, outside the time that is shown
    warm.step(warm.sample_actions(np.random.default_rng(0)))
    begun = time.perf_counter()
    while not batch.done.all():
        chosen = batch.sample_actions(generator)
        played += np.bincount(chosen[chosen >= 0], minlength=batch.num_actions)
        batch.step(chosen)
    seconds = time.perf_counter() - begun

    options, games = batch.options, batch.games
    seats = options.num_players
    mode = f"solo, {options.difficulty}" if options.solo else f"{seats} players"
    mode += "".join(f", {module}" for module in options.modules)
    print(f"{given.games} random games, {mode}, seed {given.seed}: {played.sum()} decisions in {seconds:.1f} s")
    lengths = games["decisions"]
    print(f"decisions a game: mean {lengths.mean():.1f}, {lengths.min()} to {lengths.max()}\n")

    scores = batch.scores()
    rows = [*range(seats)] + ([state.ANDREW] if options.solo else [])
    best = scores[:, rows].max(axis=1)
    winners = (scores[:, rows] == best[:, None]).astype(float)
    winners /= winners.sum(axis=1, keepdims=True)
    print(f"{'score':12} {'mean':>7} {'sd':>6} {'min':>5} {'max':>5} {'wins':>7}")
    for k, row in enumerate(rows):
        name, column = "andrew" if row == state.ANDREW else f"player_{row}", scores[:, row]
        wins = f"{winners[:, k].mean():.1%}"
        print(f"{name:12} {column.mean():7.1f} {column.std():6.1f} {column.min():5} {column.max():5} {wins:>7}")

    print("\ndecisions of each kind, per game")
    kinds = np.bincount(actions.VERB[: batch.num_actions], weights=played, minlength=len(actions.VERBS)) / given.games
    _print_table([(actions.VERBS[verb], f"{kinds[verb]:.2f}") for verb in np.argsort(-kinds) if kinds[verb] > 0])
    print("\ndepartment tiles built, per game")
    built = np.bincount(games["department"][:, :seats].ravel(), minlength=t.NUM_DEPARTMENTS) / given.games
    tiles = t.NUM_TILES if options.new_tiles else t.BASE_TILES
    _print_table([(t.DEPARTMENTS[code], f"{built[code]:.2f}") for code in range(1, tiles + 1)])
    print("\ndisks of players on donation cells, per game")
    cells = (*t.DONATIONS, *t.NEW_DONATIONS)
    rules = _rules_of_cells(games)
    disks = np.zeros(len(cells))
    for seat in range(seats):
        disks += np.bincount(rules[games["donation"] >> seat & 1 == 1], minlength=len(cells)) / given.games
    shown = len(cells) if options.new_donations else len(t.DONATIONS)
    _print_table([(cell, f"{disks[k]:.2f}") for k, cell in enumerate(cells[:shown])])
    if options.secret_donation:
        print("\nsecret donations: VP per player and game")
        secret = batch.breakdown()[:, :seats, scoring.SECRET]
        _print_table([(f"player_{seat}", f"{secret[:, seat].mean():.2f}") for seat in range(seats)])


def _rules_of_cells(games: Any) -> Any:
    """By game and cell, the rule that it scores by: the printed one, or that of the tile over its panel."""
    import numpy as np

    from carnegie_env.carnegie import tables as t
    from carnegie_env.carnegie.rules import donations

    return np.array([[donations.rule_of(game, cell) for cell in range(t.NUM_DONATIONS)] for game in games])


def _print_table(pairs: list[tuple[str, str]], columns: int = 3) -> None:
    """Pairs of a name and a number, column by column."""
    height = -(-len(pairs) // columns)
    width = max(len(name) for name, _ in pairs)
    for k in range(height):
        print("".join(f"  {name:{width}} {number:>6}  " for name, number in pairs[k::height]).rstrip())


# ---------------------------------------------------------------- bench
def _bench(given: argparse.Namespace) -> None:
    import numpy as np

    from carnegie_env.carnegie import kernels
    from carnegie_env.carnegie.options import Options
    from carnegie_env.carnegie.rules import setup

    def deal(players: int, games: int, modules: str | None = None) -> tuple[Any, Any]:
        template = setup.template(Options.from_dict({"num_players": players, "modules": modules}))
        dealt = np.repeat(template, games)
        seeds = np.arange(games, dtype=np.uint64)
        kernels.start(dealt, template, seeds)
        return dealt, seeds

    kernels.play_out(*deal(2, 1))  # compiled, or loaded, now
    best = 0.0
    for _ in range(BENCH_ROUNDS):
        games, seeds = deal(2, BENCH_GAMES)
        begun = time.perf_counter()
        decisions = kernels.play_out(games, seeds)
        best = max(best, decisions / (time.perf_counter() - begun))
    print(f"{best:.0f} decisions/s")
    finals = []
    for players in (1, 2, 3, 4):
        for modules in (None, "all"):
            games, seeds = deal(players, SIGNED_GAMES, modules)
            kernels.play_out(games, seeds)
            finals.append(games)
    print(f"signature {_signature(np.concatenate(finals))}")


def _signature(games: Any) -> int:
    """A number made of all that the final positions say; how a record is laid out in memory does not enter."""
    import hashlib
    import json

    from carnegie_env.carnegie import codec

    digest = hashlib.sha256()
    for game in games:
        digest.update(json.dumps(codec.to_dict(game), sort_keys=True).encode())
    return int.from_bytes(digest.digest()[:6], "big")


if __name__ == "__main__":
    sys.exit(main())
