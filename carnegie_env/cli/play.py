"""`carnegie-env play`: a game in the terminal by typing actions."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import options_of, record_in, width
from carnegie_env.cli.opponents import Hints, Opponent, Opponents

HELP = """\
type an action; words may be cut short while one action fits{example}
board   the board again          legal  what can be played      score  the score as if the game ended now
?best   what an agent would do   undo   take your last one and all since then back
save FILE  write a record        quit   stop (with --record the game is in the file)"""
EXAMPLE = 3  # words and more, in the action that shows how
NOBODY = "random"  # the agent at the other seats by default


def add_arguments(add: Callable[..., object]) -> None:
    """The arguments of `play`, but for the game's options and the seed."""
    add("--seats", default="0", metavar="N,N", help="the seats you play (default: 0)")
    text = "the agents at the other seats: one for all of them, or one for each (default: random)"
    add("--against", nargs="+", metavar="AGENT", help=text)
    text = "the agent that `?best` asks (default: search, else an opponent that rates actions, else greedy)"
    add("--hints", metavar="AGENT", help=text)
    add("--record", metavar="FILE", help="a new file; the game is written there as it goes")
    add("--resume", metavar="FILE", help="continue a recorded game, with its options and seed")


def play(given: argparse.Namespace) -> None:
    """Play until the game is over or the person quits."""
    from carnegie_env.core.record import Journal

    if given.resume is not None:
        position = record_in(given.resume).replay()
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
        table = _Table(position, people, others, hints, journal)
        try:
            table.play()
        finally:
            table.tell()  # whatever ends it
    finally:
        opponents.close()
        if table is not None and journal is not None:
            table.last_words()


def _journal(kind: Any, given: argparse.Namespace, position: Any) -> Any:
    """The file of `--record`: a new one, or the one that is resumed."""
    same = given.resume is not None and os.path.realpath(given.resume) == os.path.realpath(given.record)
    try:
        return kind(given.record, position, again=same)
    except FileExistsError as error:
        raise ValueError(
            f"{given.record}: {error.strerror}; if it is a game, --resume {given.record} --record {given.record} "
            "continues it; else give --record another name"
        ) from None


def _seats(text: str, players: int) -> set[int]:
    seats = set()
    for part in text.split(","):
        if not part.strip().isdecimal() or int(part) >= players:
            wanted = f"whole numbers from 0 to {players - 1}, with commas between"
            raise ValueError(f"--seats must be {wanted}, not {text!r}")
        seats.add(int(part))
    return seats


def _others(against: list[str] | None, people: set[int], position: Any) -> dict[int, str]:
    """The agents at the seats that nobody at the terminal plays, by name."""
    seats = [seat for seat in range(position.num_players) if seat not in people]
    if against is None:
        against = [NOBODY]
    elif position.num_players == 1:
        opponent = position.game.opponent
        raise ValueError(f"--against {' '.join(against)}: at a table of one {opponent} is the opponent, no agent plays")
    elif not seats:
        raise ValueError(f"--against {' '.join(against)}: you play every seat yourself; --seats says which are yours")
    if len(against) not in (1, len(seats)) and seats:
        wanted = "one agent" if len(seats) == 1 else f"one agent for all other seats, or {len(seats)}, one for each"
        raise ValueError(f"--against {' '.join(against)}: name {wanted}, not {len(against)}")
    return dict(zip(seats, against if len(against) == len(seats) else against * len(seats), strict=True))


class _Table:
    """One game with people at some seats and agents at the others; written into the journal, if there is one."""

    def __init__(
        self, position: Any, people: set[int], others: dict[int, Opponent], hints: Hints, journal: Any = None
    ) -> None:
        from carnegie_env.core import log

        self.position = position
        self.people = people
        self.others = others
        self.hints = hints
        self.journal = journal
        self.log = log.Log(position.game, people)
        self.before: list[int] = []  # the number of decisions before each one of a person
        self.shown = -1  # the round whose board was shown last

    def play(self) -> None:
        """Play until the game is over or the person quits."""
        while not self.position.is_over:
            position, seat = self.position, self.position.to_play
            if seat in self.others:
                self._take(self.others[seat].action(position))
                if position.round == self.shown and not position.is_over:  # else a new board comes first
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
        """Print the log's new lines; not ``whole``: without the last ones, which the same side may continue."""
        for line in self.log.read(width(), whole=whole):
            print(line)

    def _note(self, seat: int | None) -> None:
        """Bring the record up to date; after an error the game goes on, and the next decision tries again."""
        if self.journal is None:
            return
        failed = self.journal.error is not None
        if not self.journal.note(self.position, seat) and not failed:
            print(f"{self.journal.path} can't be written: {self.journal.error.strerror}; tried again as the game goes")
        elif self.journal.error is None and failed:
            print(f"{self.journal.path} is written again")

    def last_words(self) -> None:
        """Say where the record is; if it can't be written there, ask for another file. An OSError without an answer."""
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
        print(f"recorded in {file}; `carnegie-env play --resume {file} --record {file}` continues")

    def _board(self) -> None:
        self.shown = self.position.round
        print(self.position.render(width()))

    def _legal(self) -> None:
        choices = self.position.game.presentation.choices(self.position, width())
        print(f"player_{self.position.to_play} can play:", *choices, sep="\n")

    def _ask(self) -> bool:
        """Read a line from the person; whether the game goes on."""
        try:
            line = " ".join(input(f"player_{self.position.to_play}> ").split())
        except EOFError:
            print()
            return False
        word, _, rest = line.partition(" ")
        if line == "quit":
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
        elif word == "save" and rest:
            self._save(rest)
        elif line and line != "legal":
            self._act(line)
        return True

    def _undo(self) -> None:
        if not self.before:
            print("there is nothing to take back")
            return
        first = self.before.pop()
        back = [self.position.game.texts[number] for number in self.position.history[first:]]
        self.position.undo(len(back))
        self.log.forget()
        since = f", and {len(back) - 1} decisions since then" if len(back) > 1 else ""
        print(f"taken back: {back[0]}{since}")
        self.shown = -1
        self._note(None)

    def _hint(self) -> None:
        try:
            print(*self.hints.lines(self.position), sep="\n")
        except ValueError as error:
            print(f"no hints: {error}")

    def _save(self, file: str) -> bool:
        """Write a record, overwriting nothing but a record; whether that succeeded."""
        from carnegie_env.core.record import begins_like_a_record

        try:
            if os.path.exists(file) and not begins_like_a_record(file):
                print(f"{file} is there and is no game record: it stays as it is")
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
        fitting = exact or [text for text in legal if _cut_short(line, text) or _cut_short(line, words[text])]
        if len(fitting) > 1:
            print(f"{line!r} may be {', '.join(repr(action) for action in fitting[:12])}")
            return
        before = len(self.position.history)
        try:
            number = self.position.number(fitting[0] if fitting else line)
        except ValueError as error:
            print(error)
            return
        self.before.append(before)
        self._take(number, line)


def _help(game: Any) -> str:
    """The commands, with the first suitable action of the game as an example."""
    for text in game.texts:
        words = text.split()
        if len(words) >= EXAMPLE and all(len(word) > EXAMPLE and word.isalpha() for word in words):
            short = " ".join([words[0][:1], *(word[:EXAMPLE] for word in words[1:])])
            return HELP.format(example=f": `{short}` for `{text}`")
    return HELP.format(example="")


def _cut_short(line: str, action: str) -> bool:
    """Whether every word of the line begins a word of the action, in the same order."""
    words, wanted = action.lower().split(), line.lower().split()
    for word in words:
        if wanted and word.startswith(wanted[0]):
            wanted = wanted[1:]
    return not wanted


def _scores(position: Any) -> list[tuple[str, str]]:
    """The score of each side as if the game ended now; a range if it depends on hidden information."""
    from carnegie_env.core import information

    names = position.game.side_names(position.options)
    return [
        (name, f"{low}" if low == high else f"{low} to {high}, by what you can't see")
        for name, (low, high, _) in zip(names, information.scores(position, position.to_play), strict=True)
    ]
