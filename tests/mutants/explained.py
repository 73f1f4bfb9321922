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
        "never reached: before the last line somebody has the best rank",
        (("new_start._highest_bidder", "*", "return state.NONE", "*"),),
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
    (
        "room to spare: six bits hold every rule's number, and with one more the few items of an owner fit in, too",
        (("payments", "constant", "ITEM_BITS = 6", "ITEM_BITS = 7"),),
    ),
    (
        "the bonus of the Post Office needs all large cities, so there is no other network to be compared with",
        (
            (
                "scoring._score_links", "arithmetic",
                "best = t.LINK_VP[points, level] + extra",
                "best = t.LINK_VP[points, level] - extra",
            ),
        ),
    ),
    (
        "a mask of project types has no bits beyond the four types",
        (
            (
                "scoring.achieved", "name",
                "for project in range(t.NUM_PROJECT_TYPES):",
                "for project in range(t.NUM_DONATIONS):",
            ),
        ),
    ),
    (
        "who has no cells that are paid for pays nothing: to go on to the next seat only saves time",
        (("scoring._score_payments", "jump", "continue", "pass"),),
    ),
    (
        "one space before the last was dealt with a line before",
        (
            ("transport.can_step", "*", "return space < LAST_SPACE - 1", "return space <= LAST_SPACE - 1"),
            ("transport.can_step", "*", "return space < LAST_SPACE - 1", "return space < LAST_SPACE"),
            ("transport.can_step", "*", "return space < LAST_SPACE - 1", "return space < LAST_SPACE - 0"),
        ),
    ),
    (
        "to answer yes is always right: the legal actions are listed then, and a lone pass is played all the same",
        (
            ("turn.may_act", "*", "game.moves > 0", "game.moves >= 0"),
            ("turn.may_act", "*", "game.moves > 0", "game.moves > -1"),
            ("turn.may_act", "*", "game.research > 0", "game.research >= 0"),
            ("turn.may_act", "*", "game.research > 0", "game.research > -1"),
            ("turn.may_act", "*", "company.usable_spaces(game, seat) != 0", "company.usable_spaces(game, seat) != -1"),
        ),
    ),
    (
        "what a turn has left behind was cleared at its end",
        (("turn.begin_turn", "statement", "game.started = 0", "pass"),),
    ),
)  # fmt: skip

STEEL_DRIVER_EQUIVALENT: Explained = (
    (
        "when the game is over all companies have passed, and it is over again",
        (("engine.proceed", "condition", "if game.phase == GOODS:", "if True:"),),
    ),
    (
        "a round in which nobody has cubes ends by itself, and the first one begins",
        (("setup.deal", "statement", "rounds.begin(game)", "pass"),),
    ),
    (
        "when all six are sold nobody can but hand the marker on: it goes once round the table, and the phase ends",
        (
            (
                "auctions", "constant",
                "ALL_COMPANIES = (1 << t.NUM_COMPANIES) - 1",
                "ALL_COMPANIES = (0 << t.NUM_COMPANIES) - 1",
            ),
            (
                "auctions", "arithmetic",
                "ALL_COMPANIES = (1 << t.NUM_COMPANIES) - 1",
                "ALL_COMPANIES = (1 >> t.NUM_COMPANIES) - 1",
            ),
        ),
    ),
    (
        "a short cut: where it is not taken the search below finds no way",
        (
            (
                "transcontinental.is_there", "arithmetic",
                "if companies & bit(company):",
                "if companies | bit(company):",
            ),
            (
                "transcontinental", "arithmetic",
                "ENDS = 1 << t.EAST | 1 << t.WEST",
                "ENDS = 1 << t.EAST & 1 << t.WEST",
            ),
            ("transcontinental", "operand", "ENDS = 1 << t.EAST | 1 << t.WEST", "ENDS = 1 << t.WEST"),
            ("transcontinental", "operand", "ENDS = 1 << t.EAST | 1 << t.WEST", "ENDS = 1 << t.EAST"),
            ("transcontinental", "constant", "ENDS = 1 << t.EAST | 1 << t.WEST", "ENDS = * << t.EAST | * << t.WEST"),
            (
                "transcontinental", "arithmetic",
                "ENDS = 1 << t.EAST | 1 << t.WEST",
                "ENDS = 1 >> t.EAST | 1 << t.WEST",
            ),
            (
                "transcontinental", "arithmetic",
                "ENDS = 1 << t.EAST | 1 << t.WEST",
                "ENDS = 1 << t.EAST | 1 >> t.WEST",
            ),
        ),
    ),
    (
        "who can only pass is never asked: the core passes for him",
        (
            (
                "auctions.proceed_open", "boundary",
                "if game.cubes[game.marker] > 0:",
                "if game.cubes[game.marker] >= 0:",
            ),
            (
                "auctions.proceed_bid", "boundary",
                "if game.cubes[game.to_play] > game.bid:",
                "if game.cubes[game.to_play] >= game.bid:",
            ),
            ("auctions.proceed_bid", "condition", "if game.cubes[game.to_play] > game.bid:", "if True:"),
        ),
    ),
    (
        "a set of companies has no bit beyond the sixth",
        (
            (
                "transcontinental.length", "name",
                "for company in range(t.NUM_COMPANIES):",
                "for company in range(t.NUM_CITIES):",
            ),
        ),
    ),
    (
        "where a way is known to be there the first one found takes its place",
        (
            (
                "transcontinental.companies_of", "constant",
                "fewest, shortest, found = (t.NUM_COMPANIES, FAR, 0)",
                "fewest, shortest, found = (t.NUM_COMPANIES, FAR, -1)",
            ),
        ),
    ),
    (
        "the two ends of a route, whichever comes first",
        (
            (
                "tables", "arguments",
                "for a, b in zip(ROUTE_FROM.tolist(), ROUTE_TO.tolist(), strict=True)",
                "for a, b in zip(ROUTE_TO.tolist(), ROUTE_FROM.tolist(), strict=True)",
            ),
        ),
    ),
    (
        "on the shipped map both cities of the last of these routes are start cities: it is built the other way, too",
        (
            (
                "building.can_build", "bounds",
                "for k in range(t.BACKWARD.shape[0]):",
                "for k in range(t.BACKWARD.shape[0] - 1):",
            ),
        ),
    ),
    (
        "with the shipped numbers of cubes the longest game is one of more players",
        (
            (
                "tables", "bounds",
                "for n in range(LEAST_SEATS, SEATS + 1)",
                "for n in range(LEAST_SEATS + 1, SEATS + 1)",
            ),
        ),
    ),
)  # fmt: skip

EQUIVALENT: dict[str, Explained] = {"carnegie": CARNEGIE_EQUIVALENT, "steel_driver": STEEL_DRIVER_EQUIVALENT}

CARNEGIE_SURVIVORS: Explained = (
    (
        "a mask of project types has no bit beyond the fourth, and only compiled code takes a 64th for the first",
        (
            (
                "construction.legal_construction", "name",
                "for project in range(t.NUM_PROJECT_TYPES):",
                "for project in range(t.NUM_BUILDS):",
            ),
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

STEEL_DRIVER_SURVIVORS: Explained = (
    (
        "a user's own files are tried in processes of their own, whose code no mistake is seeded into",
        (
            (
                "tables", "connector",
                "FACTS = load_facts(os.environ.get('CARNEGIE_ENV_FACTS') or None)",
                "FACTS = load_facts(os.environ.get('CARNEGIE_ENV_FACTS') and None)",
            ),
        ),
    ),
)  # fmt: skip

SURVIVORS: dict[str, Explained] = {"carnegie": CARNEGIE_SURVIVORS, "steel_driver": STEEL_DRIVER_SURVIVORS}


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
