"""The results of a review, as JSON."""

from __future__ import annotations

from typing import Any

import msgspec


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision. Margins and losses are in points, win values are shares of 1.

    Args:
        number: from 1.
        seat: the seat that decided.
        round: of the game.
        action: the text of the action taken.
        choices: the number of legal actions.
        counts: whether it mattered: there was a choice, and not all choices were equal.
        best: the text of the best action; the action taken if no better one was found.
        loss: the estimated loss of margin. It is unbiased, so where nothing was lost it may be below 0.
        error: the standard error of the loss.
        margin, win: the final margin and the win share expected after the action taken.
        best_margin, best_win: the same for the best action.
        difficulty: the expected loss of the reference level in this decision.
        gains: the change of each seat's expected margin by not taking the best action.
        luck: the luck of each seat in the chance events that followed.
        why: the changes of the final score by category with the best action instead; `others`: the part of the margin
            that is due to the other sides. Empty if the decision is not explained.
    """

    number: int
    seat: int
    round: int
    action: str
    choices: int
    counts: bool
    best: str
    loss: float
    error: float
    margin: float
    win: float
    best_margin: float
    best_win: float
    difficulty: float
    gains: list[float]
    luck: list[float]
    why: dict[str, float] = {}


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """The sums for one seat, in points: result = par + deal + luck + skill + others + remainder.

    Args:
        name: of the seat.
        result: the final margin; before the end, the expected one.
        par: the expectation of the seat, on average over deals.
        deal: the luck of the deal.
        luck: the luck in the game, of all other chance events.
        skill: minus the losses of the seat's own decisions.
        others: the gain from the other seats' losses.
        remainder: the errors of all estimates together.
        adjusted: the result without luck.
        decisions: the number of decisions that count.
        loss: the loss in an average decision that counts.
        error: its standard error.
        accuracy: from 0 to 100, relative to the reference level in the same decisions, whose accuracy is 50.
        rating: the performance: the rating of the level that loses as much, and both ends of a 95 % interval. It and
            the accuracy are None without two decisions that count.
    """

    name: str
    result: float
    par: float
    deal: float
    luck: float
    skill: float
    others: float
    remainder: float
    adjusted: float
    decisions: int
    loss: float
    error: float
    accuracy: float | None
    rating: tuple[int, int, int] | None


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """A review.

    Args:
        game: the name of the game.
        options: its options.
        over: whether the game has ended.
        point: the unit of margins.
        estimates: `network`, or `greedy` where there is no network.
        budget: the numbers of the budget.
        seats: the sums by seat.
        decisions: all decisions.
        expected: the margin that each seat could expect before each decision and at the end.
        wins: the same for win shares.
    """

    game: str
    options: dict[str, Any]
    over: bool
    point: str
    estimates: str
    budget: dict[str, Any]
    seats: list[Seat]
    decisions: list[Decision]
    expected: list[list[float]]
    wins: list[list[float]]

    def worst(self, number: int, seat: int | None = None) -> list[Decision]:
        """The most expensive decisions by loss minus standard error, as far as that is above 0."""
        found = [each for each in self.decisions if seat in (None, each.seat) and sure(each) > 0]
        return sorted(found, key=sure, reverse=True)[:number]

    def to_json(self) -> bytes:
        """The review as JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, text: bytes) -> Review:
        """Read a review; a ValueError for anything else."""
        return msgspec.json.decode(text, type=cls)


def sure(decision: Decision) -> float:
    """The loss minus its standard error."""
    return decision.loss - decision.error if decision.best != decision.action else 0.0
