"""The action that a free-form answer names. The rules are in docs/text.md.

Names are compared word by word, without case and punctuation, so Markdown, quotes and brackets make no difference.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from carnegie_env.core.game import Game
from carnegie_env.core.position import BasePosition
from carnegie_env.core.validation import shortened
from carnegie_env.text.view import WORD, words_of

LONGEST = 100_000  # characters of an answer that are read, from its end
LONGEST_NUMBER = 9  # digits
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_MARKED = re.compile(
    r"""\b(?:action|move)\b["'*_`]*[ \t]*[:=][ \t]*"""
    r"""(?:"(?P<quoted>[^"\n]*)"|(?P<number>\d+)[ \t]*[,}]|(?P<line>[^\n]*))""",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"\n|[.!?;:](?=\s)")
Words = tuple[str, ...]


class AnswerError(ValueError):
    """An answer that does not name one legal action. The message says why, and what is legal."""


def read_answer(position: BasePosition[Any], answer: str) -> int:
    """The number of the legal action that an answer names.

    An action is named by its text, its words or its number. The place of the name is, in this order: the last `action:`
    or `"action":` (also `move`); the whole answer; the last sentence or line that names an action.

    Args:
        position: a game that is not over.
        answer: of the player to move.

    Raises:
        AnswerError: no action, an action that is not legal, or several actions.
    """
    if not isinstance(answer, str):
        raise AnswerError(f"the answer must be a text, not {shortened(answer)}")
    answer = _THOUGHTS.sub("", answer[-LONGEST:]).strip()
    if not answer:
        raise AnswerError(f"the answer is empty; {_refusal(position, '').partition('; ')[2]}")
    vocabulary = _Vocabulary(position)
    marked = [place for each in _MARKED.finditer(answer) if words_of(place := each[each.lastgroup or 0])]
    place = marked[-1].strip(" \t\"'*_`,}") if marked else answer
    found = vocabulary.whole(place) or vocabulary.named(place, only_last=not marked)
    if not found:
        raise AnswerError(_refusal(position, place))
    if len(found) > 1:
        texts = ", ".join(repr(position.game.texts[number]) for number in found[:6])
        raise AnswerError(f"the answer is ambiguous: it names {texts}; name one action")
    try:
        return position.number(found[0])
    except ValueError as error:
        raise AnswerError(str(error)) from None


def _refusal(position: BasePosition[Any], wanted: str) -> str:
    """The position's message about an unknown action, with what is legal after a semicolon."""
    try:
        position.number(" ".join(wanted.split()) or "nothing")
    except ValueError as error:
        return str(error)
    return f"{shortened(wanted)} is not clear"


@functools.lru_cache(maxsize=16)
def _catalogue(game: Game, actions: int) -> dict[Words, tuple[int, ...]]:
    """The actions by the words of their texts."""
    names: dict[Words, tuple[int, ...]] = {}
    for number, text in enumerate(game.texts[:actions]):
        names[words_of(text)] = (*names.get(words_of(text), ()), number)
    return names


class _Vocabulary:
    """The names of actions in a position: the texts of all, and the words and short texts of the legal ones."""

    def __init__(self, position: BasePosition[Any]) -> None:
        game, record = position.game, position.record
        self._actions = game.num_actions(position.options)
        self._names = dict(_catalogue(game, self._actions))
        self._legal = position.legal_numbers().tolist()
        more: dict[Words, list[int]] = {}
        for number in self._legal:
            more.setdefault(words_of(game.wording(record, number)), []).append(number)
        for number in self._legal:  # a short text means the first legal action that has it
            more.setdefault(words_of(game.presentation.short_text(game.texts[number])), [number])
        for words, numbers in more.items():
            self._names.setdefault(words, tuple(numbers))
        self._longest = max(map(len, self._names))

    def whole(self, place: str) -> list[int]:
        """The actions that a place names if it contains nothing else."""
        words = words_of(place)
        number = self._number(words[0]) if words else None
        if len(words) == 1 and number is not None:
            return [number]
        found = self._of(words)
        if not found and len(words) > 1 and words[0].isdecimal() and (rest := self._of(words[1:])):
            found = rest if number is None else sorted({number, *rest})
        return found

    def _number(self, word: str) -> int | None:
        """The number of an action that a word is, or None."""
        short = word.isdecimal() and len(word) <= LONGEST_NUMBER
        return int(word) if short and int(word) < self._actions else None

    def named(self, place: str, only_last: bool) -> list[int]:
        """The actions that a place names, each once; ``only_last``: in the last sentence that names any."""
        spans = self._spans(place)
        first = 0
        if only_last:
            gaps = ((k, place[spans[k - 1][1] : spans[k][0]]) for k in range(len(spans) - 1, 0, -1))
            first = next((k for k, gap in gaps if _SENTENCE_END.search(gap)), 0)
        return list(dict.fromkeys(number for *_, found in spans[first:] for number in found))

    def _spans(self, place: str) -> list[tuple[int, int, list[int]]]:
        """The beginning and end of each name, from left to right, with its actions. Longer names take precedence."""
        words, spans, at = list(WORD.finditer(place.lower())), [], 0
        while at < len(words):
            for length in range(min(self._longest, len(words) - at), 0, -1):
                if found := self._of(tuple(word[0] for word in words[at : at + length])):
                    spans.append((words[at].start(), words[at + length - 1].end(), found))
                    at += length
                    break
            else:
                at += 1
        return spans

    def _of(self, words: Words) -> list[int]:
        """The actions with this name: the legal ones if there are any."""
        found = self._names.get(words, ())
        return [number for number in found if number in self._legal] or list(found)
