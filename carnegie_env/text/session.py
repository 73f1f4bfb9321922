"""A game in messages: text players at some seats, agents at the others. All adapters of other frameworks use it."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable, Sequence
from typing import Any

from carnegie_env import collection
from carnegie_env.agents import registry
from carnegie_env.core import information, log, rewards
from carnegie_env.core.game import Game
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import seat_of, whole_number
from carnegie_env.text.answers import AnswerError, read_answer
from carnegie_env.text.view import action_forms, check_style, describe, legal_actions, rules

OPPONENT = "greedy"  # by default
TRIES = 3  # answers to a decision
LINE = 10_000  # columns: the log is not wrapped
REGRET = "regret"  # a reward
Message = dict[str, str]


@dataclasses.dataclass(frozen=True)
class Reply:
    """The result of an answer.

    Args:
        seat: the seat that answered.
        action: the number of the action, or None if the answer named no legal action.
        text: the action's text, or the reason why the answer was refused.
    """

    seat: int
    action: int | None
    text: str

    @property
    def is_legal(self) -> bool:
        """Whether the answer was accepted."""
        return self.action is not None


class TextGame:
    """A game for players who read and write text.

    Args:
        game: a game or its name.
        options: the game's options, a dictionary of some of them, or None for the defaults.
        seed: of the deal; the agents' seeds follow from it.
        seats: the text players' seats: one, several, or "all".
        opponents: agents for the other seats, by name: one for all, or one for each in the order of the seats.
        style: "full" or "compact", see :func:`~carnegie_env.text.describe`.
        components: whether the rules contain all values of the components, see :func:`~carnegie_env.text.components`.
        list_actions: whether prompts list the legal actions. If not, the rules contain the forms of all actions.
        tries: the number of refused answers to one decision with which a player loses the game.

    Attributes:
        position: the true position, with everything that is hidden.
        seats: the text players' seats.
        forfeited_by: the seat that lost the game by refused answers or :meth:`forfeit`, or None.
        refused: the number of refused answers of each text player, by seat.

    Raises:
        ValueError: an invalid value, an unknown agent, or one that does not play this game.
    """

    def __init__(
        self,
        game: str | Game = collection.DEFAULT,
        options: Any = None,
        *,
        seed: int = 0,
        seats: int | str | Iterable[int] = 0,
        opponents: str | Sequence[str] = OPPONENT,
        style: str = "full",
        components: bool = False,
        list_actions: bool = True,
        tries: int = TRIES,
    ) -> None:
        self.game: Game = collection.find(game)
        self.position: BasePosition[Any] = self.game.position_class.new(options, seed)
        players = self.position.num_players
        self.seats = _seats(seats, players)
        self.forfeited_by: int | None = None
        self.refused = dict.fromkeys(self.seats, 0)
        self._style, self._list, self._components = check_style(style), bool(list_actions), bool(components)
        self._tries = self._left = whole_number("tries", tries, 1)
        others = [seat for seat in range(players) if seat not in self.seats]
        self.opponents = dict(zip(others, _names(opponents, len(others)), strict=True))
        self._agents = {seat: registry.make_agent(name, seed + seat) for seat, name in self.opponents.items()}
        for agent in self._agents.values():
            agent.check_plays(self.game, self.position.options)
        self._logs = {seat: log.Log(self.game, {seat}) for seat in self.seats}
        self._told: dict[int, list[str]] = {seat: [] for seat in self.seats}
        self._read = dict.fromkeys(self.seats, 0)  # lines of the log that a player's answers have followed
        self._messages: dict[int, list[Message]] = {
            seat: [{"role": "system", "content": self.rules()}] for seat in self.seats
        }
        self._refusal = ""
        self.play_agents()

    # ---- state
    @property
    def to_play(self) -> int | None:
        """The text player to move; None when the game is over."""
        return None if self.is_over else self.position.to_play

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or a player has lost it by refused answers."""
        return self.position.is_over or self.forfeited_by is not None

    # ---- texts
    def rules(self) -> str:
        """The rules, and how to answer: the first message to each player."""
        texts = [rules(self.game, self.position.options, with_components=self._components), "", "HOW TO ANSWER"]
        if not self._list:
            texts += ["These are the forms of all actions; not all are legal at a time:"]
            texts += [action_forms(self.game, self.position.options)]
        texts.append(
            "End every answer with a line `Action: ` and the text of one legal action. Other answers are refused with "
            f"the reason. A player whose answers to one decision are refused {self._tries} times loses the game."
        )
        return "\n".join(texts)

    def look(self, seat: int | None = None, style: str | None = None) -> str:
        """The position as a text player sees it.

        Args:
            seat: one of the text players' seats; None: the one to move, or the first when the game is over.
            style: None: the game's.
        """
        return describe(self.position, self._own(seat), style or self._style)

    def log(self, seat: int | None = None) -> list[str]:
        """The game so far in words, as a text player sees it: a line for consecutive decisions of a side."""
        return list(self._told[self._own(seat)])

    def prompt(self, seat: int | None = None) -> str:
        """The message to a text player: what has happened since its last action, the position, the legal actions.

        After a refused answer the message only says why. When the game is over it gives the result, and why the last
        answer was refused, if that ended the game.
        """
        seat = self._own(seat)
        if self._refusal and seat == self.to_play:
            return self._refusal
        news = self._told[seat][self._read[seat] :]
        parts = ["Since your last decision:\n" + "\n".join(news)] if news else []
        if self.forfeited_by is not None:
            if self._refusal and seat == self.forfeited_by == self.position.to_play:
                parts.append(self._refusal)
            parts.append(f"player_{self.forfeited_by} has forfeited the game.")
        parts.append(self.look(seat))
        if self.to_play == seat:
            if self._list:
                parts.append(f"Your legal actions:\n{legal_actions(self.position, self._style)}")
            parts.append(f"You are player_{seat}, and it is your turn. End with `Action: ` and one action.")
        return "\n\n".join(parts)

    def messages(self, seat: int | None = None) -> list[Message]:
        """The transcript of a text player as chat messages with "role" and "content".

        The rules come first, then prompts and answers; the last is the prompt of a player to move, or the result.
        """
        seat = self._own(seat)
        last = [{"role": "user", "content": self.prompt(seat)}] if self.is_over or seat == self.to_play else []
        return [dict(message) for message in [*self._messages[seat], *last]]

    # ---- play
    def answer(self, text: str) -> Reply:
        """Take the answer of the text player to move, then let the agents play.

        Returns:
            Whether the answer named a legal action. If not, the position is unchanged; the last of ``tries`` refused
            answers loses the game.

        Raises:
            ValueError: the game is over, or an agent failed.
        """
        seat = self.to_play
        if seat is None:
            raise ValueError("the game is over: there is nothing to decide")
        self._own(seat)  # after an agent has failed, it is still to move
        self._messages[seat].append({"role": "user", "content": self.prompt(seat)})
        self._messages[seat].append({"role": "assistant", "content": text})
        try:
            number = read_answer(self.position, text)
        except AnswerError as error:
            self.refused[seat] += 1
            self._left -= 1
            if not self._left:
                self.forfeit(seat)
            self._refusal = f"Refused: {error}. Tries left: {self._left}."
            return Reply(seat, None, str(error))
        self._refusal, self._left = "", self._tries
        self._read[seat] = len(self._told[seat])  # what this decision leads to is news
        self._take(number)
        self.play_agents()
        return Reply(seat, number, self.game.texts[number])

    def forfeit(self, seat: int) -> None:
        """End the game as lost by a text player; a ValueError when it is over."""
        if self.is_over:
            raise ValueError("the game is over: nobody can forfeit it")
        self.forfeited_by = self._own(seat)

    def _take(self, number: int) -> None:
        steps = log.steps(self.position, number)
        self.position.apply(number)
        for seat in self.seats:
            self._logs[seat].add(steps)
            self._told[seat] += self._logs[seat].read(LINE)

    def play_agents(self) -> None:
        """Let the agents play until a text player is to move; only needed to try again after an agent has failed.

        Raises:
            ValueError: an agent failed; it is still to move.
        """
        while (seat := self.position.to_play) in self._agents:
            agent = self._agents[seat]
            try:
                number = self.position.number(agent.act(information.as_seen(self.position, seat)))
            except ValueError as error:
                raise ValueError(f"player_{seat}, {self.opponents[seat]}: {error}") from None
            self._take(number)

    # ---- results
    def rewards(self, reward: str = "margin") -> list[float]:
        """The reward of each seat: 0 until the game is over.

        Args:
            reward: "win", "rank", "margin" or "score" (core/rewards.py), or "regret": minus the points that the seat's
                decisions lost in all, by a quick review of the game. A player who forfeits gets the loss of the reward.

        Raises:
            ValueError: an unknown reward, or a review without an agent that can rate this game's actions.
        """
        by = "margin" if reward == REGRET else reward
        if by not in rewards.FINAL:
            raise ValueError(f"reward must be one of {', '.join([*rewards.FINAL, REGRET])}, not {reward!r}")
        players = self.position.num_players
        if not self.is_over:
            return [0.0] * players
        if self.forfeited_by is not None:
            lost = rewards.lost(by, self.forfeited_by, self.position.scores(), self.game)
            return [float(value) for value in lost[:players]]
        if reward == REGRET:
            review = importlib.import_module("carnegie_env.review")  # only when it is needed
            found = review.review(self.game.record_class.of(self.position), cached=False)
            return [seat.skill for seat in found.seats[:players]]
        results = self.position.breakdown()[None, :, self.game.rank_columns]
        return [float(value) for value in rewards.returns(reward, results, players)[0]]

    def record(self) -> str:
        """The game as a game record, with its seed: it reveals everything that is hidden."""
        return self.game.record_class.of(self.position).to_text()

    def _own(self, seat: int | None) -> int:
        """A text player's seat; a ValueError for any other."""
        if seat is None:
            return self.to_play if self.to_play in self.seats else self.seats[0]
        if seat_of(seat, self.position.num_players) not in self.seats:
            raise ValueError(f"player_{seat} is played by {self.opponents[seat]}; text players are {list(self.seats)}")
        return seat


def _seats(given: int | str | Iterable[int], players: int) -> tuple[int, ...]:
    if given == "all":
        return tuple(range(players))
    if isinstance(given, str):
        raise ValueError(f'seats must be whole numbers from 0 to {players - 1}, or "all", not {given!r}')
    seats = sorted({seat_of(seat, players) for seat in ([given] if isinstance(given, int) else given)})
    if not seats:
        raise ValueError("at least one seat must belong to a text player")
    return tuple(seats)


def _names(given: str | Sequence[str], number: int) -> list[str]:
    names = [given] * number if isinstance(given, str) else list(given)
    if len(names) == 1:
        names *= number
    if len(names) != number:
        each = f", or {number}, one for each other seat" if number > 1 else ""
        raise ValueError(f"opponents must be one agent{each}; got {len(names)}")
    return names
