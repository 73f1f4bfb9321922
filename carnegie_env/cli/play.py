"""`carnegie-env play`: a game in the terminal by typing actions."""

from __future__ import annotations

import argparse
import os
import random
from typing import Any

from carnegie_env import collection
from carnegie_env.cli.common import options_of, record_in, width

HELP = """\
type an action; words may be cut short while one action fits: `b ind chi` for `build industry in chicago`
board   the board again          legal  what can be played      score  the score as if the game ended now
undo    take your last one back  save FILE  write a record      quit   stop (with --record the game is in the file)"""


def play(given: argparse.Namespace) -> None:
    """Play until the game is over or the person quits."""
    from carnegie_env.core.record import Journal

    if given.resume is not None:
        position = record_in(given.resume).replay()
    else:
        position = collection.find(given.game).position_class.new(options_of(given), given.seed)
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
        self.before: list[int] = []  # the number of decisions before each one of a person
        self.seen = -1  # the round whose board was shown last

    def play(self) -> None:
        """Until the game is over or somebody quits."""
        while not self.position.is_over:
            position, seat = self.position, self.position.to_play
            if seat not in self.seats:
                action = self.chance.choice(position.legal_actions())
                print(f"player_{seat}: {position.game.secret_phases.get(position.phase, action)}")
                position.apply(action)
                self._note(seat)
                continue
            if position.round != self.seen:
                self._board()
            else:
                self._legal()
            if not self._ask():
                return
        print(self.position.render(width()))

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
        self.position.undo(len(self.position.history) - self.before.pop())
        self.seen = -1
        self._note(None)

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
        before, seat = len(self.position.history), self.position.to_play
        try:
            self.position.apply(fitting[0] if fitting else line)
        except ValueError as error:
            print(error)
            return
        self.before.append(before)
        self._note(seat)


def _cut_short(line: str, action: str) -> bool:
    """Whether every word of the line begins a word of the action, in the same order."""
    words, wanted = action.split(), line.lower().split()
    for word in words:
        if wanted and word.startswith(wanted[0]):
            wanted = wanted[1:]
    return not wanted


def _scores(position: Any) -> list[tuple[str, int]]:
    return list(zip(position.game.side_names(position.options), position.scores(), strict=True))
