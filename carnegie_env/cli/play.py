"""`carnegie-env play`: a game in the terminal by typing actions."""

from __future__ import annotations

import argparse
import os
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import options_of, record_in, width
from carnegie_env.cli.guests import Guest, Guests, Hints

HELP = """\
type an action; words may be cut short while one action fits{example}
board   the board again          legal  what can be played      score  the score as if the game ended now
?best   what an agent would do   undo   take your last one and all since then back
save FILE  write a record        quit   stop (with --record the game is in the file)"""
EXAMPLE = 3  # words and more, in the action that shows how
NOBODY = "random"  # who plays at the other seats if nobody is named


def play(given: argparse.Namespace) -> None:
    """Play until the game is over or the person quits."""
    from carnegie_env.core.record import Journal

    if given.resume is not None:
        position = record_in(given.resume).replay()
    else:
        position = collection.find(given.game).position_class.new(options_of(given), given.seed)
    people = _seats(given.seats, position.num_players)
    names = _others(given.against, people, position)
    guests = Guests(position.game)
    journal = table = None
    try:
        others = {seat: guests.invite(name, given.seed + seat) for seat, name in names.items()}
        hints = Hints(guests, given.hints, list(names.values()), given.seed)
        guests.prepare([*names.values(), *([given.hints] if given.hints else [])], position)
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
        guests.leave()
        if table is not None and journal is not None:
            table.last_words()


def _journal(kind: Any, given: argparse.Namespace, position: Any) -> Any:
    """The file of `--record`: a new one, or the one that is gone on with."""
    same = given.resume is not None and os.path.realpath(given.resume) == os.path.realpath(given.record)
    try:
        return kind(given.record, position, again=same)
    except FileExistsError as error:
        raise ValueError(
            f"{given.record}: {error.strerror}; if it is a game, --resume {given.record} --record {given.record} "
            "goes on with it; else give --record another name"
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
    """Who plays at the seats that nobody at the terminal plays, by name."""
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
        self, position: Any, people: set[int], others: dict[int, Guest], hints: Hints, journal: Any = None
    ) -> None:
        from carnegie_env.core import story

        self.position = position
        self.people = people
        self.others = others
        self.hints = hints
        self.journal = journal
        self.story = story.Story(position.game, people)
        self.before: list[int] = []  # the number of decisions before each one of a person
        self.seen = -1  # the round whose board was shown last

    def play(self) -> None:
        """Until the game is over or somebody quits."""
        while not self.position.is_over:
            position, seat = self.position, self.position.to_play
            if seat in self.others:
                self._take(self.others[seat].action(position))
                if position.round == self.seen and not position.is_over:  # else a new board comes first
                    self.tell(whole=False)
                continue
            if position.round != self.seen:
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
        """Take a decision, note it, and have it told."""
        from carnegie_env.core import telling

        seat = self.position.to_play
        steps = telling.steps(self.position, action)
        self.position.apply(action)
        self._note(seat)
        self.story.add(steps, typed)

    def tell(self, *, whole: bool = True) -> None:
        """Print what happened and has not been told yet; not ``whole``: but for what its side goes on with."""
        for line in self.story.read(width(), whole=whole):
            print(line)

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
        print(self.position.render(width()))

    def _legal(self) -> None:
        choices = self.position.game.choices(self.position, width())
        print(f"player_{self.position.to_play} can play:", *choices, sep="\n")

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
        self.story.forget()
        since = f", and {len(back) - 1} decisions since then" if len(back) > 1 else ""
        print(f"taken back: {back[0]}{since}")
        self.seen = -1
        self._note(None)

    def _hint(self) -> None:
        try:
            print(*self.hints.lines(self.position), sep="\n")
        except ValueError as error:
            print(f"no hints: {error}")

    def _save(self, file: str) -> bool:
        """Write a record, but over no other file than a record: true if that went well."""
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
        fitting = [line] if line in legal else [action for action in legal if _cut_short(line, action)]
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
    """The commands, with the first of the game's actions that has words enough as an example."""
    for text in game.texts:
        words = text.split()
        if len(words) >= EXAMPLE and all(len(word) > EXAMPLE and word.isalpha() for word in words):
            short = " ".join([words[0][:1], *(word[:EXAMPLE] for word in words[1:])])
            return HELP.format(example=f": `{short}` for `{text}`")
    return HELP.format(example="")


def _cut_short(line: str, action: str) -> bool:
    """Whether every word of the line begins a word of the action, in the same order."""
    words, wanted = action.split(), line.lower().split()
    for word in words:
        if wanted and word.startswith(wanted[0]):
            wanted = wanted[1:]
    return not wanted


def _scores(position: Any) -> list[tuple[str, str]]:
    """The score of each side as if the game ended now; from - to, where it hangs on what the player can't see."""
    from carnegie_env.core import seen

    names = position.game.side_names(position.options)
    return [
        (name, f"{low}" if low == high else f"{low} to {high}, by what you can't see")
        for name, (low, high, _) in zip(names, seen.scores(position, position.to_play), strict=True)
    ]
