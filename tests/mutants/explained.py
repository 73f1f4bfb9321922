"""Mutants that no test finds, each with the reason, by game.

EQUIVALENT: what they change cannot be seen by anybody; they are not tried. SURVIVORS: they are mistakes, and a test
that finds them has yet to be written or is not worth its time; they are tried, and count as survivors.

A mutant is listed as (place, operator, before, after), as `make mutants` prints it; `*` stands for anything. Where a
function has several that are alike, the place says which one (`company.pay #2`).
"""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Iterable

from tests.mutants.operators import Mutant

Key = tuple[str, str, str, str]
Explained = tuple[tuple[str, tuple[Key, ...]], ...]  # a reason, and the mutants it holds for

CARNEGIE_EQUIVALENT: Explained = (
    # ---- code
    (
        "never reached: before the last line somebody has the best rank, some card is left to be drawn",
        (
            ("andrew._draw_card", "*", "return state.NONE", "*"),
            ("new_start._highest_bidder", "*", "return state.NONE", "*"),
        ),
    ),
    (
        "never reached: nobody asks for the space of a department that the company lacks",
        (("company.space_of", "*", "return state.NONE", "*"),),
    ),
    (
        "what type checkers are told is nothing while running",
        (("codes", "condition", "if TYPE_CHECKING:", "if False:"),),
    ),
    (
        "behind the last item stands no payment: a digit with one value",
        (
            (
                "payments._times", "constant",
                "for later in range(number_of(items) - 1, k, -1):",
                "for later in range(number_of(items) - 0, k, -1):",
            ),
        ),
    ),
    (
        "on empty spaces and in the lobby is no workstation: nobody can pay for it, and a lone pass is no decision",
        (
            (
                "activation._candidates", "operand",
                "game.inactive_at[seat] & ~game.empty_spaces[seat] & ~bit(t.LOBBY_SPACE)",
                "game.inactive_at[seat] & ~game.empty_spaces[seat]",
            ),
        ),
    ),
    (
        "who chooses the timeline is the first player: it is his turn already",
        (("timeline.choose_row", "statement", "game.to_play = game.first_player", "pass"),),
    ),
    # ---- component files
    (
        "the 10-VP card is the last of the row: four steps or more are the same",
        (("andrew_cards.card *", "number", "shift = 4", "5"),),
    ),
    (
        "the number of a tile is only its name",
        (("timeline_tiles.tile 8", "number", "id = 8", "9"),),
    ),
    (
        "only drawings show the name of a new donation cell; positions and rules know it by its place",
        (("donations.new_donation *", "exchange", "id = *", "*"),),
    ),
)  # fmt: skip

EQUIVALENT: dict[str, Explained] = {"carnegie": CARNEGIE_EQUIVALENT}

CARNEGIE_SURVIVORS: Explained = (
    (
        "the order of a card's cities counts only where the neutral disks or Andrew's own end on that card: none does",
        (
            ("andrew_cards.card A02", "exchange", 'cities[1] = "st_louis"', '"chicago"'),
            ("andrew_cards.card N10", "exchange", 'cities[1] = "kansas_city"', '"chicago"'),
            ("andrew_cards.card A12", "exchange", 'cities[2] = "chicago"', '"new_orleans"'),
        ),
    ),
    (
        "equal spaces of a city are taken from the left: only a position made by hand has a gap between free ones",
        (
            (
                "construction._offered",
                "name",
                "behind |= (behind & has_next) << 1",
                "behind |= (bits & has_next) << 1",
            ),
        ),
    ),
)
SURVIVORS: dict[str, Explained] = {"carnegie": CARNEGIE_SURVIVORS}


@functools.cache
def _table(explained: Explained) -> tuple[dict[Key, str], list[tuple[Key, str]]]:
    """The reasons of what is listed as it is, and of what is listed by a pattern."""
    entries = [(key, why) for why, keys in explained for key in keys]
    exact = {key: why for key, why in entries if "*" not in "".join(key)}
    return exact, [(key, why) for key, why in entries if key not in exact]


def _fits(mutant: Mutant, key: Key) -> bool:
    return all(fnmatch.fnmatchcase(one, _pattern(other)) for one, other in zip(mutant.key, key, strict=True))


@functools.cache
def _pattern(text: str) -> str:
    """Only `*` is special: code is full of brackets."""
    return text.replace("[", "[[]").replace("?", "[?]")


def reason(mutant: Mutant, explained: Explained) -> str | None:
    """Why no test finds a mutant; None if it is not listed."""
    exact, patterns = _table(explained)
    return exact.get(mutant.key) or next((why for key, why in patterns if _fits(mutant, key)), None)


def dead(mutants: Iterable[Mutant], explained: Explained) -> list[Key]:
    """Entries that no mutant fits."""
    made = {mutant.key: mutant for mutant in mutants}
    exact, patterns = _table(explained)
    unfit = [key for key, _ in patterns if not any(_fits(mutant, key) for mutant in made.values())]
    return [key for key in exact if key not in made] + unfit
