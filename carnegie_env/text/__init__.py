"""Games as text, for language models: rules, positions, legal actions, free-form answers, and a game in messages.

view      rules, positions and legal actions as text
answers   the action that a free-form answer names
session   a game with text players at some seats and agents at the others
"""

from carnegie_env.text.answers import AnswerError, read_answer
from carnegie_env.text.session import OPPONENT, Reply, TextGame
from carnegie_env.text.view import STYLES, action_forms, components, describe, legal_actions, rules

__all__ = [
    "OPPONENT", "STYLES", "AnswerError", "Reply", "TextGame", "action_forms", "components", "describe", "legal_actions",
    "read_answer", "rules",
]  # fmt: skip
