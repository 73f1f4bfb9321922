"""Review of a game: the cost of each decision, the luck, and what the game says about the players' strength.

`carnegie_env.review.review(record)` reviews a game record, and `python -m benchmarks.review` measures how far its
results can be trusted; docs/review.md explains them.
"""

from carnegie_env.review.budget import BUDGETS, QUICK, THOROUGH, Budget
from carnegie_env.review.line import Line
from carnegie_env.review.luck import Luck, luck
from carnegie_env.review.results import Decision, Review, Seat
from carnegie_env.review.reviewing import review

__all__ = ["BUDGETS", "QUICK", "THOROUGH", "Budget", "Decision", "Line", "Luck", "Review", "Seat", "luck", "review"]
