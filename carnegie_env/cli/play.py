"""`carnegie-env play`: play a game in the terminal by typing actions."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Sequence
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import options_of, record_in, width
from carnegie_env.cli.opponents import Hints, Opponent, Opponents
from carnegie_env.render.text import number_of

HELP = """\
Type an action. Words can be shortened if only one action matches{example}.
board      show the board           legal  list the legal actions   score  the score if the game ended now
?best      ask an agent for advice  undo   take back your last action and all decisions since
save FILE  write a game record      quit   stop (a game with --record is already saved)"""
EXAMPLE = 3  # least number of words, and least length of a word, of the action in the example
DEFAULT_OPPONENT = "level:5"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `play`, except the game's options and the seed."""
    add = parser.add_argument
    add("--seats", default="0", metavar="N,N", help="your seats, separated by commas (default: %(default)s)")
    text = "agents for the other seats, such as level:3 or search: one, or one for each"
    text += f" (default: {DEFAULT_OPPONENT}, or random in games of other packages)"
    add("--against", nargs="+", metavar="AGENT", help=text)
    text = "agent for `?best` (default: search, or an opponent that rates actions, or greedy)"
    add("--hints", metavar="AGENT", help=text)
    add("--record", metavar="FILE", help="record the game in a new file, after every decision")
    add("--resume", metavar="FILE", help="continue a recorded game, with its options and seed")


def play(given: argparse.Namespace) -> None:
    """Play until the game is over or the user quits. Without arguments, ask for table and opponents."""
    from carnegie_env.core.record import Journal

    if sys.stdin is None:
        raise ValueError("play reads what you type, but its standard input is closed")
    if given.alone and sys.stdin.isatty():
        try:
            _ask_for_table(given)
        except EOFError:  # Ctrl-D
            print()
            return
    if given.resume is not None:
        if options_of(given):
            raise ValueError("--resume continues the game with the options in the file; omit the options of the game")
        position = record_in(given.resume, given.named).replay()
    else:
        position = collection.find(given.game).position_class.new(options_of(given), given.seed)
    people = _seats(given.seats, position.num_players)
    names = _others(given.against, people, position)
    opponents = Opponents()
    journal = table = None
    try:
        others = {seat: opponents.make(name, given.seed + seat, position) for seat, name in names.items()}
        hints = Hints(opponents, given.hints, list(names.values()), given.seed, position)
        opponents.prepare([*names.values(), *([given.hints] if given.hints else [])], position)
        if given.record is not None:
            journal = _journal(Journal, given, position)
        print(_help(position.game), end="\n\n")
        if names:
            print(", ".join(f"player_{seat} is {name}" for seat, name in names.items()), end="\n\n")
        more = {"--facts": getattr(given, "facts", None), "--hints": given.hints}
        again = [part for name, value in more.items() if value is not None for part in (name, value)]
        table = _Table(position, people, others, hints, journal, again)
        try:
            table.play()
        except KeyboardInterrupt:
            kept = "" if journal is not None else "The game was not recorded; --record FILE records it."
            raise KeyboardInterrupt(kept) from None
        finally:
            table.tell()
    finally:
        opponents.close()
        if table is not None and journal is not None:
            table.finish_record()


def _ask_for_table(given: argparse.Namespace) -> None:
    """Ask for game, number of players and opponents."""
    from carnegie_env.agents import registry

    print("Press Enter for the answers in brackets.")
    given.game = _answer("Which game", collection.names(), given.game)
    least, most = collection.find(given.game).seats
    given.num_players = int(_answer("How many players", [str(n) for n in range(least, most + 1)], str(max(least, 2))))
    if given.num_players > 1:
        print(f"Opponents: {registry.names()}")
        default = _default_opponent(given.game)
        while True:
            names = input(f"One name, or one for each opponent [{default}]: ").split() or [default]
            wrong = [name for name in names if ":" not in name and name not in registry.AGENTS]
            if not wrong and len(names) in (1, given.num_players - 1):
                break
            print(f"There is no agent {wrong[0]}." if wrong else "Name one agent, or one for each opponent.")
        given.against = names
    print()


def _answer(question: str, choices: Sequence[str], default: str) -> str:
    while True:
        line = input(f"{question}: {', '.join(choices)} [{default}]: ").strip() or default
        found = [choice for choice in choices if choice.startswith(line.lower())]
        if line in choices or len(found) == 1:
            return line if line in choices else found[0]


def _journal(kind: Any, given: argparse.Namespace, position: Any) -> Any:
    """The file of `--record`: a new file, or the resumed one."""
    if os.path.isdir(given.record):
        raise ValueError(f"{given.record}: there is a folder of that name; name a file with --record")
    same = given.resume is not None and os.path.realpath(given.resume) == os.path.realpath(given.record)
    try:
        return kind(given.record, position, again=same)
    except FileExistsError as error:
        raise ValueError(
            f"{given.record}: {error.strerror}; continue a recorded game with --resume {given.record} "
            f"--record {given.record}, or choose another file"
        ) from None


def _seats(text: str, players: int) -> set[int]:
    seats = set()
    for part in text.split(","):
        if not part.strip().isdecimal() or int(part) >= players:
            raise ValueError(
                f"--seats must be whole numbers from 0 to {players - 1}, separated by commas, not {text!r}"
            )
        if int(part) in seats:
            raise ValueError(f"--seats names seat {int(part)} twice: {text!r}")
        seats.add(int(part))
    return seats


def _default_opponent(game: str) -> str:
    return DEFAULT_OPPONENT if game in collection.PACKAGES else "random"


def _others(against: list[str] | None, people: set[int], position: Any) -> dict[int, str]:
    """The names of the agents at the seats that the user does not play."""
    seats = [seat for seat in range(position.num_players) if seat not in people]
    if against is None:
        against = [_default_opponent(position.game.name)]
    elif position.num_players == 1:
        opponent = position.game.opponent
        raise ValueError(
            f"--against {' '.join(against)}: agents can't play in the solo game, the opponent is {opponent}"
        )
    elif not seats:
        raise ValueError(f"--against {' '.join(against)}: you play all seats; change that with --seats")
    if len(against) not in (1, len(seats)) and seats:
        wanted = "one agent" if len(seats) == 1 else f"one agent for all other seats, or {len(seats)} agents"
        raise ValueError(f"--against {' '.join(against)}: name {wanted}, not {len(against)}")
    return dict(zip(seats, against if len(against) == len(seats) else against * len(seats), strict=True))


class _Table:
    """A game with people at some seats and agents at the others, recorded in a journal if there is one; ``again``:
    further options of the command that continues it."""

    def __init__(
        self, position: Any, people: set[int], others: dict[int, Opponent], hints: Hints, journal: Any,
        again: Sequence[str],
    ) -> None:  # fmt: skip
        from carnegie_env.core import log

        self.position = position
        self.people = people
        self.others = others
        self.hints = hints
        self.journal = journal
        self.again = again
        self.log = log.Log(position.game, people)
        self.shown = -1  # the round of the last board shown

    def play(self) -> None:
        """Play until the game is over or the user quits."""
        while not self.position.is_over:
            position, seat = self.position, self.position.to_play
            if seat in self.others:
                self._take(self.others[seat].action(position))
                if position.round == self.shown and not position.is_over:  # else a new board is shown first
                    self.tell(whole=False)
                continue
            if position.round != self.shown:
                self._board()
                self.tell()
            else:
                self.tell()
                self._legal()
            if not self._ask():
                return
        self.tell()
        print(self.position.render(width()))

    def _take(self, action: int, typed: str | None = None) -> None:
        """Take a decision, record it, and add it to the log."""
        from carnegie_env.core import log

        seat = self.position.to_play
        steps = log.steps(self.position, action)
        self.position.apply(action)
        self._note(seat)
        self.log.add(steps, typed)

    def tell(self, *, whole: bool = True) -> None:
        """Print the new lines of the log; not ``whole``: without the last lines, which the same side may continue."""
        for line in self.log.read(width(), whole=whole):
            print(line)

    def _note(self, seat: int | None) -> None:
        """Update the record. After an error the game continues, and the next decision tries again."""
        if self.journal is None:
            return
        failed = self.journal.error is not None
        if not self.journal.note(self.position, seat) and not failed:
            print(f"{self.journal.path} can't be written: {self.journal.error.strerror}; the next decision tries again")
        elif self.journal.error is None and failed:
            print(f"{self.journal.path} has been written")

    def finish_record(self) -> None:
        """Print the path of the record. If it can't be written, ask for another file; an OSError without an answer."""
        journal = self.journal
        while journal.error is not None and not journal.write(self.position):
            print(f"{journal.path} can't be written: {journal.error.strerror}")
            print("Press Enter to try again, type the name of another file, or type `quit` to discard the record.")
            try:
                line = input("file> ").strip()
            except EOFError:
                raise journal.error from None
            if line == "quit":
                return
            if line and self._save(line):
                return
        how = ""
        if not self.position.is_over:
            command = ["carnegie-env", "play", "--resume", str(journal.path), "--record", str(journal.path)]
            command += ["--seats", ",".join(map(str, sorted(self.people)))]
            if self.others:
                command += ["--against", *(other.name for other in self.others.values())]
            how = f"; continue with: {shlex.join([*command, *self.again])}"
        print(f"recorded in {journal.path}{how}")

    def _board(self) -> None:
        self.shown = self.position.round
        print(self.position.render(width()))

    def _legal(self) -> None:
        choices = self.position.game.presentation.choices(self.position, width())
        print(f"player_{self.position.to_play} can play:", *choices, sep="\n")

    def _ask(self) -> bool:
        """Read a line from the user; returns whether the game continues."""
        try:
            line = " ".join(input(f"player_{self.position.to_play}> ").split())
        except EOFError:
            print()
            return False
        word, _, rest = line.partition(" ")
        if line in ("quit", "q", "exit"):
            return False
        if line in ("help", "?"):
            print(_help(self.position.game))
        elif line in ("?best", "best"):
            self._hint()
        elif line == "board":
            self._board()
        elif line == "score":
            for name, score in _scores(self.position):
                print(f"  {name}: {score}")
        elif line == "undo":
            self._undo()
        elif word == "save":
            if rest:
                self._save(re.sub(r"^([\"'])(.*)\1$", r"\2", rest))
            else:
                print("save needs the name of a file, such as `save game.txt`")
        elif line and line != "legal":
            self._act(line)
        return True

    def _undo(self) -> None:
        earlier, to_play = self.position.copy(), None
        while earlier.history and to_play not in self.people:
            earlier.undo()
            to_play = earlier.to_play
        if to_play not in self.people:
            print("you have not taken an action yet")
            return
        back = [earlier.game.texts[number] for number in self.position.history[len(earlier.history) :]]
        self.position = earlier
        self.log.forget()
        since = f", and {number_of(len(back) - 1, 'later decisions')}" if len(back) > 1 else ""
        print(f"taken back: {back[0]}{since}")
        self.shown = -1
        self._note(None)

    def _hint(self) -> None:
        try:
            print(*self.hints.lines(self.position), sep="\n")
        except ValueError as error:
            print(f"no hints: {error}")

    def _save(self, file: str) -> bool:
        """Write a record, which may only overwrite another record; returns whether that succeeded."""
        from carnegie_env.core.record import begins_like_a_record

        try:
            if os.path.exists(file) and not begins_like_a_record(file):
                print(f"{file} exists and is not a game record; it was not changed")
                return False
            self.position.game.record_class.of(self.position).save(file)
        except OSError as error:
            print(f"{file}: {error.strerror}")
            return False
        print(f"recorded in {file}")
        return True

    def _act(self, line: str) -> None:
        legal = self.position.legal_actions()
        wording, game = self.position.game.wording, self.position.record
        words = {text: wording(game, number)
                 for text, number in zip(legal, self.position.legal_numbers().tolist(), strict=True)}  # fmt: skip
        exact = [text for text in legal if line.lower() in (text, words[text].lower())]
        matching = exact or [text for text in legal if _shortens(line, text) or _shortens(line, words[text])]
        if len(matching) > 1:
            print(f"{line!r} matches {', '.join(repr(action) for action in matching[:12])}")
            return
        try:
            number = self.position.number(matching[0] if matching else line)
        except ValueError as error:
            print(error)
            return
        self._take(number, line)


def _help(game: Any) -> str:
    """The commands, with an action of the game as an example."""
    for text in game.texts:
        words = text.split()
        if len(words) >= EXAMPLE and all(len(word) > EXAMPLE and word.isalpha() for word in words):
            short = " ".join([words[0][:1], *(word[:EXAMPLE] for word in words[1:])])
            return HELP.format(example=f", such as `{short}` for `{text}`")
    return HELP.format(example="")


def _shortens(line: str, action: str) -> bool:
    """Whether each word of the line begins a word of the action, in the same order."""
    words, wanted = action.lower().split(), line.lower().split()
    for word in words:
        if wanted and word.startswith(wanted[0]):
            wanted = wanted[1:]
    return not wanted


def _scores(position: Any) -> list[tuple[str, str]]:
    """The score of each side if the game ended now; a range if it depends on hidden information."""
    from carnegie_env.core import information

    names = position.game.side_names(position.options)
    return [
        (name, f"{low}" if low == high else f"{low} to {high}, depending on hidden information")
        for name, (low, high, _) in zip(names, information.scores(position, position.to_play), strict=True)
    ]
