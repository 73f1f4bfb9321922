"""Malformed positions as dictionaries and as JSON text, and positions with pieces moved to other valid places."""

import contextlib
import copy
import dataclasses
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.game import CARNEGIE as CARNEGIE_GAME
from carnegie_env.carnegie.options import MODULES
from carnegie_env.core.game import Game
from tests import players, walks
from tests.fuzz.answers import Wrong, answer, refused
from tests.fuzz.texts import as_bytes, scramble
from tests.referee import Referee
from tests.spoiling import spoil

LONGEST_GAME = 20_000  # decisions; a position with hundreds of moves left needs a few thousand
Bend = Callable[[dict, random.Random], None]


@dataclasses.dataclass(frozen=True)
class Subject:
    """A game whose positions are changed.

    Attributes:
        game: the game.
        referee: its class of referees.
        some: makes a random position's dictionary, which may be changed.
        bends: move pieces to other valid places.
        weights: of all actions, float64 (actions,): how accepted positions are played to the end.
        optional: keys of maps that may be omitted where the value is zero.
    """

    game: Game
    referee: type
    some: Callable[[random.Random], dict]
    bends: Sequence[Bend]
    weights: Callable[[random.Random], NDArray[np.float64]]
    optional: frozenset[str] = frozenset()


def position_case(subject: Subject, rng: random.Random) -> str:
    """Dictionaries with parts replaced, removed, added, swapped, or with pieces moved to other valid places."""
    d = subject.some(rng)
    if rng.random() < 0.5:
        d = spoil(d, rng)
    else:
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            rng.choice(subject.bends)(d, rng)
        if rng.random() < 0.1:
            d = spoil(d, rng)
    return check_position(subject, d, rng, lambda: subject.game.position_class.from_dict(d))


def check_position(subject: Subject, d: Any, rng: random.Random, read: Callable[[], Any]) -> str:
    """Read a position; if it is accepted, check it in every way."""
    position = answer(read)
    if refused(position):
        return "refused"
    fault = subject.game.rules.verify(position.record)
    if fault:
        raise Wrong(f"accepted, but invariant {fault} doesn't hold: {json.dumps(d)}")
    written = position.to_dict()
    if normal(written, subject.optional) != normal(d, subject.optional):
        raise Wrong(f"read as something else: {json.dumps(d)}\nis now {json.dumps(written)}")
    if subject.game.position_class.from_dict(written) != position:
        raise Wrong(f"its own dictionary makes another position: {json.dumps(d)}")
    if rng.random() < 0.2:
        compare_with_referee(subject, position.copy(), rng, d)
    play_to_the_end(subject, position, rng, d)
    return "accepted"


def normal(d: Any, optional: frozenset[str]) -> Any:
    """A dictionary with sorted keys and without optional zeros."""
    if isinstance(d, dict):
        counted = {k: normal(v, optional) for k, v in d.items()}
        return {k: v for k, v in sorted(counted.items()) if k not in optional or v not in NOTHING}
    return [normal(part, optional) for part in d] if isinstance(d, list) else d


NOTHING = (0, [], {"active": 0, "inactive": 0})


def compare_with_referee(subject: Subject, position: Any, rng: random.Random, d: Any) -> None:
    """Play a few decisions in lock-step."""
    referee = subject.referee.from_dict(position.to_dict())
    played: list[str] = []
    for _ in range(4):
        legal = set(position.legal_actions())
        if legal != referee.legal_actions() or position.to_dict() != referee.to_dict():
            raise Wrong(f"engine and referee differ after {played} from {json.dumps(d)}")
        if position.is_over:
            return
        played.append(rng.choice(sorted(legal)))
        position.apply(played[-1])
        referee.apply(played[-1])


def play_to_the_end(subject: Subject, position: Any, rng: random.Random, d: Any) -> None:
    """Play to the end, checking every position."""
    batch = subject.game.batch_class(1, num_threads=1, **position.options.to_dict())
    batch.load(position)
    style, generator = subject.weights(rng), np.random.default_rng(rng.randrange(2**31))
    for _ in range(LONGEST_GAME):
        if batch.done[0]:
            return
        batch.step(players.choose(batch.action_masks(), style, generator))
        fault = subject.game.rules.verify(batch.games[0])
        if fault:
            raise Wrong(f"accepted, but later invariant {fault} doesn't hold: {json.dumps(d)}")
    raise Wrong(f"accepted, but the game doesn't end: {json.dumps(d)}")


def json_case(subject: Subject, rng: random.Random) -> str:
    """Malformed JSON texts of positions."""
    text = json.dumps(subject.some(rng), indent=rng.choice((None, None, 1)))
    text = scramble(text, rng, '{"a": [1, 2.5, "x"], "phase": "turn"}')
    given: str | bytes = as_bytes(text, rng) if rng.random() < 0.3 else text
    with contextlib.suppress(ValueError, RecursionError):
        return check_position(subject, json.loads(given), rng, lambda: subject.game.position_class.from_json(given))
    if not refused(answer(lambda: subject.game.position_class.from_json(given))):
        raise Wrong(f"accepted invalid JSON: {given!r:.2000}")
    return "refused"


# ---- pieces moved to other valid places: many of the results are valid, but seldom occur in games
def _company(d: dict, rng: random.Random) -> dict:
    return rng.choice(d["companies"])


def bend_wealth(d: dict, rng: random.Random) -> None:
    _company(d, rng)[rng.choice(("money", "goods", "vp"))] = rng.choice((0, 1, 7, 60, 1000, 10_000, 10_001, 32_767))


def bend_employees(d: dict, rng: random.Random) -> None:
    """Employees move from one place to another."""
    company = _company(d, rng)

    def places() -> list[tuple[dict, str]]:
        found = [(company, "reserve")] + [(company["missions"], region) for region in t.REGIONS]
        return found + [(company["employees"][s], k) for s in company["employees"] for k in ("active", "inactive")]

    for space in rng.sample(t.SPACE_IDS, 2):
        company["employees"].setdefault(space, {"active": 0, "inactive": 0})
    for _ in range(rng.randrange(1, 6)):
        filled = [place for place in places() if place[0][place[1]] > 0]
        (here, key), (there, other) = rng.choice(filled), rng.choice(places())
        here[key] -= 1
        there[other] += 1
    if rng.random() < 0.7:
        for space in list(company["employees"]):
            if company["employees"][space] == {"active": 0, "inactive": 0}:
                del company["employees"][space]


def bend_donations(d: dict, rng: random.Random) -> None:
    """A disk moves from the reserve to a donation, or back."""
    seat = rng.randrange(len(d["companies"]))
    company, owner, cell = d["companies"][seat], f"player_{seat}", rng.choice(t.DONATIONS)
    owners = d["donations"].setdefault(cell, [])
    step = -1 if owner in owners else 1
    owners.append(owner) if step > 0 else owners.remove(owner)
    owners.sort(key=lambda name: (not name.startswith("player_"), name))
    company["disks"] -= step
    company["donations_made"] += step
    if not owners:
        del d["donations"][cell]


def bend_projects(d: dict, rng: random.Random) -> None:
    """A project is built from its tab, or a disk moves to another city."""
    seat = rng.randrange(len(d["companies"]))
    company, owner = d["companies"][seat], f"player_{seat}"
    free = [(city, k) for city, owners in d["cities"].items() for k, o in enumerate(owners) if o is None]
    own = [(city, k) for city, owners in d["cities"].items() for k, o in enumerate(owners) if o == owner]
    if not free:
        return
    city, k = rng.choice(free)
    d["cities"][city][k] = owner
    if own and rng.random() < 0.5:
        city, k = rng.choice(own)
        d["cities"][city][k] = None
    else:
        tab = company["tabs"][rng.choice(t.PROJECTS)]
        tab["built"] += 1


def bend_tabs(d: dict, rng: random.Random) -> None:
    company = _company(d, rng)
    k = rng.randrange(4)
    tab = company["tabs"][t.PROJECTS[k]]
    if rng.random() < 0.3:
        tab["side"] = rng.choice(("a", "b", None))
        return
    step = rng.choice((-1, 1))
    before = min(max(tab["uncovered"] - int(t.TAB_BLANK[k]), 0), int(t.TAB_PROJECTS[k]))
    tab["uncovered"] += step
    company["disks"] -= min(max(tab["uncovered"] - int(t.TAB_BLANK[k]), 0), int(t.TAB_PROJECTS[k])) - before


def bend_departments(d: dict, rng: random.Random) -> None:
    """A tile moves from one place to another."""
    known = t.NUM_TILES if d["options"]["new_departments"] or d["options"]["diverse_setup"] else t.BASE_TILES
    company, tile = _company(d, rng), rng.choice(t.DEPARTMENTS[1 : known + 1])
    if d["display"].get(tile):
        d["display"][tile] -= 1
        if not d["display"][tile]:
            del d["display"][tile]
    match rng.randrange(4):
        case 0 if company["reserved"] is not None:
            d["display"][company["reserved"]] = d["display"].get(company["reserved"], 0) + 1
            company["reserved"] = tile
        case 1 if d["andrew"]:
            d["andrew"]["departments"][tile] = d["andrew"]["departments"].get(tile, 0) + 1
        case 2:
            company["departments"][rng.choice(t.SPACE_IDS)] = tile
        case _:
            if company["reserved"]:
                tile, company["reserved"] = company["reserved"], None
            company["departments"][rng.choice(t.SPACE_IDS)] = tile


def bend_transport(d: dict, rng: random.Random) -> None:
    markers = [company["transport"] for company in d["companies"]] + ([d["andrew"]["transport"]] if d["andrew"] else [])
    rng.choice(markers)[rng.choice(t.REGIONS)] = rng.randrange(5)


def bend_timeline(d: dict, rng: random.Random) -> None:
    line = d["timeline"]
    match rng.randrange(4):
        case 0:  # two columns change places
            a, b = rng.randrange(4), rng.randrange(4)
            for row in line["spaces"].values():
                row[a], row[b] = row[b], row[a]
        case 1:
            one, other = rng.sample(t.ACTION_TYPES, 2)
            line["markers"][one] += 1
            line["markers"][other] -= 1
        case 2:
            line[rng.choice(("chosen", "advancing"))] = rng.choice((*t.ACTION_TYPES, None))
        case 3:  # some rounds later
            steps = rng.randrange(1, 4)
            for _ in range(steps):
                line["markers"][rng.choice(t.ACTION_TYPES)] += 1
            d["round"] += steps
            d["first_player"] = (d["first_player"] + steps) % len(d["companies"])
            if d["andrew"]:
                d["andrew"]["places"] += [rng.randrange(5)] * steps


def bend_turn(d: dict, rng: random.Random) -> None:
    turn, spaces = d["turn"], list(t.SPACE_IDS)
    match rng.randrange(10):
        case 9:
            key = rng.choice(("relocations", "projects", "level_region", "payroll_activated"))
            turn[key] = rng.choice((*t.REGIONS, None)) if key == "level_region" else rng.choice((0, 1, 2, 3, 8, 15))
        case 0:
            turn[rng.choice(("moves", "research"))] = rng.choice((0, 1, 5, 30, 1000))
        case 1:
            turn["started"] = not turn["started"]
        case 2:
            turn["department"] = rng.choice((*spaces, None))
        case 3:
            turn["diagonal_moves"] = not turn["diagonal_moves"]
        case 4:
            turn["ready"][rng.choice(spaces)] = rng.randrange(4)
        case 5:
            turn["ready"] = {}
        case 6:
            turn["action"] = rng.choice(t.ACTION_TYPES)
        case 7:
            turn["tile"] = rng.choice((*t.DEPARTMENTS[1:17], None))
        case 8:
            company = d["companies"][d["to_play"] or 0]
            taken = min(rng.randrange(4), company["reserve"])
            turn["arrivals"] += taken
            company["reserve"] -= taken


def bend_phase(d: dict, rng: random.Random) -> None:
    d["phase"] = rng.choice(("timeline", "recover", "research", "donation", "turn", "activation", "setup_moves", "over",
                             "tab_income", "site", "property", "charity", "lobby_turn", "destination", "sheet",
                             "panels", "secret", "relocation", "halves", "level"))  # fmt: skip
    if rng.random() < 0.3:
        bend_turn(d, rng)
    if rng.random() < 0.5:
        d["turn"]["lifted"] = {"space": rng.choice(t.SPACE_IDS), "state": rng.choice(("active", "inactive"))}
    if rng.random() < 0.3:
        d["turn"]["income_choice"] = {"project": rng.choice(t.PROJECTS), "section": rng.randrange(4)}


def bend_seat(d: dict, rng: random.Random) -> None:
    d["to_play"] = rng.randrange(len(d["companies"]))


def bend_switches(d: dict, rng: random.Random) -> None:
    match rng.randrange(4):
        case 0:
            _company(d, rng)["action_choice"] = rng.random() < 0.5
        case 1:
            d["options"]["show_forced"] = not d["options"]["show_forced"]
        case 2:
            d["options"]["timeline_tiles"] = rng.choice(("rows", "columns"))
        case 3:
            d["rng"], d["decisions"] = rng.getrandbits(64), rng.randrange(2**30)


def bend_deck(d: dict, rng: random.Random) -> None:
    if not d["andrew"]:
        return
    deck = d["andrew"]["deck"]
    if rng.random() < 0.5:
        rng.shuffle(deck)
    else:
        deck[rng.randrange(len(deck))] = rng.choice(t.CARDS)
    if d["andrew"]["places"] and rng.random() < 0.5:
        d["andrew"]["places"][rng.randrange(len(d["andrew"]["places"]))] = rng.randrange(5)


def bend_sheets(d: dict, rng: random.Random) -> None:
    """Another choice on a line, exchanged sheets, or a score below zero."""
    company, other = _company(d, rng), _company(d, rng)
    match rng.randrange(4):
        case 0:
            company["vp"] = rng.choice((-1, -3, -6, -7, -10_000))
        case 1:
            company["sheet"], other["sheet"] = other["sheet"], company["sheet"]
        case 2 if company["sheet"]:
            company["sheet"]["bid"] = rng.choice((None, 0, 1, 5, 20, 51))
        case _ if company["sheet"]:
            line = rng.randrange(len(t.NEW_START_LINES))
            amounts = t.NEW_START_OFFERS[line, :, t.OFFER_AMOUNT].tolist()
            company["sheet"][t.NEW_START_LINES[line]] = rng.choice((*amounts, None))


def bend_options(d: dict, rng: random.Random) -> None:
    """A module is switched on or off, or something that it adds changes."""
    match rng.randrange(5):
        case 0:
            module = rng.choice(MODULES)
            d["options"][module] = not d["options"][module]
        case 1 if d["panels"]:
            d["panels"][rng.choice(t.DONATION_COLUMNS)] = rng.choice((*t.DONATION_COLUMNS, None))
        case 2:
            _company(d, rng)["secret"] = rng.choice((*t.DONATIONS, None))
        case 3:
            d["waiting"] = not d["waiting"]
        case 4:
            d["first_player"] = rng.randrange(len(d["companies"]))


BENDS = (
    bend_wealth, bend_employees, bend_employees, bend_donations, bend_projects, bend_tabs, bend_departments,
    bend_transport, bend_timeline, bend_turn, bend_phase, bend_seat, bend_switches, bend_deck, bend_sheets,
    bend_options, bend_options,
)  # fmt: skip


def some_position(rng: random.Random) -> dict:
    """A position of a plain or rich game of any mode."""
    return copy.deepcopy(rng.choice(walks.dictionaries(rng.randrange(len(walks.ALL_MODES)))))


CARNEGIE = Subject(
    game=CARNEGIE_GAME,
    referee=Referee,
    some=some_position,
    bends=BENDS,
    weights=lambda rng: players.weights(rng.choice(players.STYLES), 1),
    optional=frozenset({*t.DEPARTMENTS, *t.SPACE_IDS, *t.DONATIONS}),
)
