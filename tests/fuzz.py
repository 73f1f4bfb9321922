"""Hostile input: positions, JSON texts, records, component files, actions, options and seeds, spoilt at random.

Whatever comes in, the answer is a ValueError that says what is wrong, or the input is right: then the position keeps the
rules, is written back as it was read, is played by the engine as by the referee, and comes to an end. No other
exception, no warning, no crash, no hang, no code executed, nothing changed by what was refused.

    python -m tests.fuzz [--cases 100000] [--seed 1] [--jobs 2] [--target position]

A case is a target and a seed; a failure names both, and `--target T --seed S --cases 1` repeats it.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from carnegie_env import Batch, GameRecord, Options, Position, carnegie_v0, load_facts
from carnegie_env.carnegie import actions, invariants
from carnegie_env.carnegie import tables as t
from carnegie_env.core.record import RecordError
from tests import longrun, players, walks
from tests.referee import Referee

CASES_IN_A_JOB = 50
SLOW = 20.0  # seconds a case may take on a busy machine; the slowest right ones take a tenth
LONGEST_MESSAGE = 4_000
LONGEST_GAME = 20_000  # decisions; a position with hundreds of moves left has a few thousand


class Wrong(AssertionError):
    """Hostile input did what it must not."""


# ---------------------------------------------------------------- the only answers there may be
# Python's own words for its own troubles: a message that has them was not written for the reader.
RAW = re.compile(
    r"NoneType|object is not|not subscriptable|index out of range|out of bounds for|unhashable|has no attribute"
    r"|unsupported operand|cannot unpack|positional argument|ambiguous|Traceback"
)
EXECUTES = (
    "exec", "compile", "subprocess.", "socket.", "pickle.", "shutil.", "ctypes.", "marshal.", "webbrowser.",
    "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.remove", "os.rename", "os.rmdir",
    "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.putenv",
)  # fmt: skip
_watched: list[str] | None = None


def _hook(event: str, arguments: tuple) -> None:
    if _watched is not None and (event.startswith(EXECUTES) or (event == "open" and "w" in str(arguments[1]))):
        _watched.append(f"{event}{arguments!r:.200}")


@functools.cache
def watch() -> None:
    """Be told of code that is executed and of files that are written (cannot be taken back: once for a process)."""
    game = players.whole_game({"num_players": 1, "difficulty": "normal"}, 0)  # loading compiled code is all right
    position = game.position(3)
    position.apply(position.legal_actions()[0])
    Position.from_json(position.to_json()).observe()
    Batch(2, num_threads=1).reset()
    GameRecord.from_text(GameRecord.of(Position.new()).to_text())
    environments()
    sys.addaudithook(_hook)


def answer(call: Callable[[], Any], kind: type[ValueError] = ValueError) -> Any:
    """What a call gives, or the ValueError it raises; anything else is Wrong."""
    global _watched
    start, _watched = time.monotonic(), []
    try:
        found = call()
    except ValueError as error:
        found = error
    except BaseException as error:
        raise Wrong("".join(traceback.format_exception(error))[-3000:]) from None
    finally:
        seen, _watched = _watched, None
    if seen:
        raise Wrong(f"executed or wrote: {seen[:5]}")
    if time.monotonic() - start > SLOW:
        raise Wrong(f"took {time.monotonic() - start:.0f} s")
    if isinstance(found, ValueError):
        message = str(found)
        if not isinstance(found, kind):
            raise Wrong(f"{type(found).__name__} instead of {kind.__name__}: {message}")
        if not message.strip() or len(message) > LONGEST_MESSAGE or RAW.search(message):
            raise Wrong(f"not a clear message: {message[:1000]!r}")
    return found


def refused(found: Any) -> bool:
    return isinstance(found, ValueError)


# ---------------------------------------------------------------- positions
@functools.cache
def mode_positions(mode: int) -> list[dict]:
    """Dictionaries of a plain and a rich game of a mode; copy before changing."""
    return walks.dictionaries(mode)


def some_position(rng: random.Random) -> dict:
    return copy.deepcopy(rng.choice(mode_positions(rng.randrange(len(walks.MODES)))))


def position_case(rng: random.Random) -> str:
    """Dictionaries with parts replaced, removed, added, swapped, or pieces moved to where they may lie."""
    d = some_position(rng)
    if rng.random() < 0.5:
        d = walks.spoil(d, rng)
    else:
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            rng.choice(BENDS)(d, rng)
        if rng.random() < 0.1:
            d = walks.spoil(d, rng)
    return check_position(d, rng, lambda: Position.from_dict(d))


def check_position(d: Any, rng: random.Random, read: Callable[[], Position]) -> str:
    """Read; if it is accepted, it is a position in every way."""
    position = answer(read)
    if refused(position):
        return "refused"
    fault = invariants.verify(position.record)
    if fault:
        raise Wrong(f"accepted, but {invariants.FAULTS[fault]}: {json.dumps(d)}")
    written = position.to_dict()
    if normal(written) != normal(d):
        raise Wrong(f"read as something else: {json.dumps(d)}\nis now {json.dumps(written)}")
    if Position.from_dict(written) != position:
        raise Wrong(f"does not come back from its own dictionary: {json.dumps(d)}")
    if rng.random() < 0.2:
        compare_with_referee(position.copy(), rng, d)
    play_to_the_end(position, rng, d)
    return "accepted"


def normal(d: Any) -> Any:
    """Without what may be said or left unsaid: zeros in maps, the order of keys."""
    if isinstance(d, dict):
        counted = {k: normal(v) for k, v in d.items()}
        return {k: v for k, v in sorted(counted.items()) if k not in OPTIONAL_KEYS or v not in NOTHING}
    return [normal(part) for part in d] if isinstance(d, list) else d


OPTIONAL_KEYS = {*t.DEPARTMENTS, *t.SPACE_IDS, *t.DONATIONS}
NOTHING = (0, [], {"active": 0, "inactive": 0})


def compare_with_referee(position: Position, rng: random.Random, d: Any) -> None:
    """A few decisions in lock-step: what was accepted is played by the rules."""
    referee = Referee.from_dict(position.to_dict())
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


def play_to_the_end(position: Position, rng: random.Random, d: Any) -> None:
    """Play it out, looking at every position."""
    batch = Batch(1, num_threads=1, **position.options.to_dict())
    batch.games[:] = position.games
    style, generator = players.weights(rng.choice(players.STYLES), 1), np.random.default_rng(rng.randrange(2**31))
    for _ in range(LONGEST_GAME):
        if batch.done[0]:
            return
        batch.step(players.choose(batch.action_masks(), style, generator))
        fault = invariants.verify(batch.games[0])
        if fault:
            raise Wrong(f"accepted, and in play {invariants.FAULTS[fault]}: {json.dumps(d)}")
    raise Wrong(f"accepted, and does not end: {json.dumps(d)}")


# ---- pieces moved to where they may lie: many of the results are right, and most of those no game would show
def _company(d: dict, rng: random.Random) -> dict:
    return rng.choice(d["companies"])


def bend_wealth(d: dict, rng: random.Random) -> None:
    _company(d, rng)[rng.choice(("money", "goods", "vp"))] = rng.choice((0, 1, 7, 60, 1000, 10_000, 10_001, 32_767))


def bend_employees(d: dict, rng: random.Random) -> None:
    """An employee goes from one place to another."""
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
    """A disk of the reserve goes on a donation, or comes back."""
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
    """A tile goes from one place to another."""
    company, tile = _company(d, rng), rng.choice(t.DEPARTMENTS[1 : t.BASE_TILES + 1])
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
    match rng.randrange(9):
        case 0:
            turn[rng.choice(("moves", "research"))] = rng.choice((0, 1, 5, 30, 1000))
        case 1:
            turn["started"] = not turn["started"]
        case 2:
            turn["department"] = rng.choice((*spaces, None))
        case 3:
            turn["uses"] = rng.randrange(4)
        case 4:
            turn["finished"] = rng.sample(spaces, rng.randrange(3))
        case 5:
            turn["active_at_start"][rng.choice(spaces)] = rng.randrange(4)
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
                             "tab_income", "site", "property", "charity", "lobby_turn", "destination"))  # fmt: skip
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


BENDS = (
    bend_wealth, bend_employees, bend_employees, bend_donations, bend_projects, bend_tabs, bend_departments,
    bend_transport, bend_timeline, bend_turn, bend_phase, bend_seat, bend_switches, bend_deck,
)  # fmt: skip


# ---------------------------------------------------------------- texts
TOKENS = (
    "null", "true", "-1", "0", "1e999", "-0", "1E5", "00", "NaN", "Infinity", "9" * 400, "1" * 5000, "0.1", '"', "\\", "\\u0000",
    "\\ud800", "{", "}", "[", "]", ",", ":", "\n", "\r\n", "\t", "\x00", "\ufeff", "é", "𝕏", "#", "'", "../", "%s", "${HOME}",
    "__import__('os').system('true')", "!!python/object/apply:os.system ['true']", "cos\nsystem\n(S'true'\ntR.",
    "player_0", "player_9", "pass", "end:", "option", "seed 1", " " * 300, "[" * 3000, '{"a":' * 3000, "a" * 20_000,
)  # fmt: skip


def scramble(text: str, rng: random.Random, other: str) -> str:
    """A text with parts cut out, doubled, replaced, or filled with strange things."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + rng.choice((0, 1, 5, 40, 10**9)))
        match rng.randrange(7):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:end] + text[at:end] + text[end:]
            case 2:
                text = text[:at] + rng.choice(TOKENS) + text[end:]
            case 3:
                text = text[:at] + rng.choice(TOKENS) + text[at:]
            case 4:
                text = text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) + text[at + 1 :]
            case 5:
                text = text[:at] + other[rng.randrange(len(other)) :][: rng.randrange(200)] + text[end:]
            case 6:  # a number becomes another
                numbers = list(re.finditer(r"-?\d+", text))
                if numbers:
                    found = rng.choice(numbers)
                    text = text[: found.start()] + str(rng.choice((-1, 0, 1, 2, 7, 99, 2**63, 2**64))) + text[found.end() :]
    return text


def as_bytes(text: str, rng: random.Random) -> bytes:
    """In UTF-8 or not, here and there a byte that is none."""
    data = bytearray(text.encode(rng.choice(("utf-8", "utf-8", "utf-8", "utf-16", "latin-1")), "replace"))
    for _ in range(rng.choice((0, 0, 1, 3))):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def json_case(rng: random.Random) -> str:
    """JSON texts of positions, spoilt as texts."""
    text = json.dumps(some_position(rng), indent=rng.choice((None, None, 1)))
    text = scramble(text, rng, '{"a": [1, 2.5, "x"], "phase": "turn"}')
    given: str | bytes = as_bytes(text, rng) if rng.random() < 0.3 else text
    with contextlib.suppress(ValueError, RecursionError):
        return check_position(json.loads(given), rng, lambda: Position.from_json(given))
    return "refused" if refused(answer(lambda: Position.from_json(given))) else _wrong("accepted what is no JSON", given)


def _wrong(what: str, given: Any) -> Any:
    raise Wrong(f"{what}: {given!r:.2000}")


# ---------------------------------------------------------------- records
@functools.cache
def records() -> list[GameRecord]:
    """Beginnings of games of all modes, and a few whole ones."""
    found = []
    for k, mode in enumerate(walks.MODES):
        options = mode | {"timeline_tiles": ["columns", "rows"][k % 2], "show_forced": k % 3 == 0}
        for length in (1, 12, 45, 10**6 if k in (1, 4) else 90):
            position = Position.new(options, k)
            rng = random.Random(k)
            while not position.is_over and len(position.history or ()) < length:
                walks.step(position, rng)
            found.append(GameRecord.of(position))
    return found


@functools.cache
def record_text(k: int) -> str:
    return records()[k].to_text()


def record_case(rng: random.Random) -> str:
    """Record files with lines and characters changed."""
    texts = [record_text(rng.randrange(len(records()))) for _ in range(2)]
    if rng.random() < 0.5:
        lines, others = (text.split("\n") for text in texts)
        for _ in range(rng.choice((1, 1, 2, 4))):
            spoil_lines(lines, others, rng)
        text = "\n".join(lines)
    else:
        text = scramble(texts[0], rng, texts[1])
    if rng.random() < 0.3:
        return check_record(as_bytes(text, rng), rng)
    return check_record(text, rng)


def spoil_lines(lines: list[str], others: list[str], rng: random.Random) -> None:
    if not lines:
        lines.append("")
    at, another = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[another])
        case 2:
            lines[at], lines[another] = lines[another], lines[at]
        case 3:
            lines[at] = rng.choice(others)
        case 4:
            words = lines[at].split("  ")
            lines[at] = "  ".join([*words[:-1], rng.choice(actions.TEXTS)])
        case 5:
            lines[at] = re.sub(r"\d+", lambda m: str(int(m[0]) + rng.choice((-1, 0, 1))), lines[at][:100])
        case 6:
            del lines[rng.randrange(len(lines)) :]


def check_record(content: str | bytes, rng: random.Random) -> str:
    """Read a record from text, or through a file if it is bytes; what is accepted must say just what it means."""
    if isinstance(content, str):
        found = answer(lambda: GameRecord.from_text(content, "game.txt"), RecordError)
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "game.txt")
            file.write_bytes(content)
            found = answer(lambda: GameRecord.load(file), RecordError)
    if isinstance(found, RecordError):
        if "game.txt" not in str(found) or not 0 <= found.line <= len(content) + 1:
            raise Wrong(f"the message does not say where: {found}")
        return "refused"
    text = found.to_text()
    if GameRecord.from_text(text) != found:
        raise Wrong(f"another record when written and read again: {content!r:.2000}")
    said = content if isinstance(content, str) else content.decode()
    kept = [" ".join(line.split()) for line in said.split("\n") if line.strip() and not line.strip().startswith("#")]
    meant = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
    if sorted(kept[-1:]) != sorted(meant[-1:]) or len(kept) > len(meant):
        raise Wrong(f"read as something else: {content!r:.2000}")
    return "accepted"


# ---------------------------------------------------------------- component files
@functools.cache
def shipped(name: str) -> str:
    return (t.SHIPPED / f"{name}.toml").read_text(encoding="utf-8")


@functools.cache
def parsed(name: str) -> dict:
    return tomllib.loads(shipped(name))


def to_toml(value: Any) -> str:
    """A value of a TOML document, in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {to_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple | set):
        return "[" + ", ".join(to_toml(part) for part in value) + "]"
    if isinstance(value, int):
        return str(value) if value.bit_length() < 3000 else "1e400"
    if isinstance(value, float):
        return repr(value)  # nan and inf are TOML
    return json.dumps(str(value))


def facts_case(rng: random.Random) -> str:
    """Component files with values and characters changed, alone or in a folder; what is accepted is complete."""
    name = rng.choice(list(t.FILES))
    if rng.random() < 0.6:
        text = "".join(f"{key} = {to_toml(part)}\n" for key, part in walks.spoil(parsed(name), rng).items() if key)
    else:
        text = scramble(shipped(name), rng, shipped(rng.choice(list(t.FILES))))
    content = as_bytes(text, rng) if rng.random() < 0.2 else text.encode("utf-8", "replace")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, f"{name}.toml")
        if rng.random() < 0.02:
            target = Path(folder, rng.choice((f"{name}.txt", "x.toml", f"{name}.TOML", "steel_driver.toml")))
        target.write_bytes(content)
        if rng.random() < 0.02:
            Path(folder, "board.toml").unlink(missing_ok=True)
            Path(folder, "board.toml").mkdir()
        found = answer(lambda: load_facts(rng.choice((folder, target))))
        if not refused(found):
            return "accepted"
        if not any(f"{file}.toml" in str(found) for file in t.FILES) and folder not in str(found):
            raise Wrong(f"the message does not name the file: {found}")
    return "refused"


PLAY = """
import sys, warnings
warnings.simplefilter("error")
import numpy as np
from carnegie_env import Batch
from carnegie_env.carnegie import invariants
from tests import players
assert invariants.CHECK
for players_ in (1, 2, 3, 4):
    batch = Batch(1, num_threads=1, num_players=players_)
    batch.reset(int(sys.argv[1]))
    players.play_on(batch, "patient", 1)
    batch.observe(), batch.breakdown()
"""


def own_facts_case(rng: random.Random) -> str:
    """Component files with a number or two changed, which are accepted: games of all modes can be played with them.

    As plain Python, which is stricter than compiled code (small integers that overflow are errors) and starts at once.
    """
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(20):
            name = rng.choice(list(t.FILES))
            table = copy.deepcopy(parsed(name))
            numbers = [path for path in walks.paths(table) if type(walks.at(table, path)) is int and "marks" not in path]
            for _ in range(rng.choice((1, 2, 3))):
                path = rng.choice(numbers)
                value = walks.at(table, path)
                walks.at(table, path[:-1])[path[-1]] = max(0, rng.choice((value + 1, value - 1, 0, 2 * value, 9, 100, 1000)))
            text = "".join(f"{key} = {to_toml(part)}\n" for key, part in table.items())
            Path(folder, f"{name}.toml").write_text(text)
            if not refused(answer(lambda: load_facts(folder))):
                break
            Path(folder, f"{name}.toml").unlink()
        else:
            return "refused"
        environment = os.environ | {"CARNEGIE_ENV_FACTS": folder, "NUMBA_DISABLE_JIT": "1", "CARNEGIE_CHECK": "1"}
        run = subprocess.run([sys.executable, "-c", PLAY, str(rng.randrange(1000))], env=environment,
                             cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=600)  # fmt: skip
        if run.returncode:
            changed = changes(parsed(name), tomllib.loads(Path(folder, f"{name}.toml").read_text()))
            raise Wrong(f"accepted, but no game can be played with {name}.toml, {changed}:\n{run.stderr[-1500:]}")
    return "accepted and played"


def changes(before: Any, after: Any) -> list[str]:
    paths = [path for path in walks.paths(before) if not isinstance(walks.at(before, path), dict | list)]
    return [
        f"{'.'.join(map(str, path))}: {walks.at(before, path)!r} -> {walks.at(after, path)!r}"
        for path in paths
        if walks.at(before, path) != walks.at(after, path)
    ]


# ---------------------------------------------------------------- actions, options, seeds
class Number(int):
    """An int of one's own."""


class Awkward:
    """An object that does not even show itself."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def junk(rng: random.Random) -> Any:
    """A value that somebody might pass by mistake, or on purpose."""
    others = (
        np.int64(3), np.int8(-1), np.uint64(2**64 - 1), np.float32(1), np.bool_(True), np.array(5), np.array([1, 2]),
        np.array(["pass"]), np.array([None]), Number(5), Awkward(), [1, 2], "PASS", " pass", "pass ", "pass\n", b"pass",
        "build industry in", "build industry in chicago space", "recover -1", "recover 1.0", "donate", 1 + 2j, range(3),
        "side housing a; pass", "__import__('os').system('true')", -(10**30), 10**30, lambda: 0, actions.NUM_ACTIONS,
    )  # fmt: skip
    match rng.randrange(6):
        case 0:
            return rng.choice(actions.TEXTS)
        case 1:
            return rng.randrange(-3, actions.NUM_ACTIONS + 3)
        case 2:
            return scramble(rng.choice(actions.TEXTS), rng, "x " * 50)[:30_000]
        case 3:
            return rng.choice(others)
    return rng.choice(walks.JUNK)


def spot(rng: random.Random) -> Position:
    """A position to try actions on, anywhere in a game."""
    mode = rng.randrange(len(players.MODES))
    game = players.whole_game(players.MODES[mode], rng.randrange(2), rng.choice(("patient", "busy")), rng.random() < 0.5)
    return game.position(rng.randrange(len(game) + (rng.random() < 0.1)))


def action_case(rng: random.Random) -> str:
    """Position.apply with texts, numbers and anything else."""
    position, given = spot(rng), junk(rng)
    legal = position.legal_actions()
    if legal and rng.random() < 0.2:
        given = rng.choice(legal)
        given = given.partition(" space ")[0] if rng.random() < 0.5 else actions.NUMBERS[given]
    before = players.mark(position.games)
    found = answer(lambda: position.apply(given))
    if refused(found):
        if players.mark(position.games) != before:
            raise Wrong(f"refused {given!r:.200}, but something has changed")
        if legal and not any(text in str(found) for text in legal):
            raise Wrong(f"the message names nothing that is legal: {found}")
        return "refused"
    name = given if isinstance(given, str) else actions.TEXTS[given]
    if name not in legal and not any(text.startswith(f"{name} space ") for text in legal):
        raise Wrong(f"took {given!r} for a legal action")
    if isinstance(given, bool | float):
        raise Wrong(f"took {given!r} for a number")
    return "accepted"


def batch_case(rng: random.Random) -> str:
    """Batch.step with wrong shapes, types and actions."""
    position = spot(rng)
    n = rng.choice((1, 2, 5))
    batch = Batch(n, num_threads=1, **position.options.to_dict())
    batch.games[:] = np.repeat(position.games, n)
    masks = batch.action_masks()
    over = batch.done[0]
    chosen: Any = [-1 if over else int(rng.choice(np.flatnonzero(mask).tolist())) for mask in masks]
    match rng.randrange(5):
        case 0:
            chosen[rng.randrange(n)] = junk(rng)
        case 1:
            chosen = junk(rng)
        case 2:
            kind = rng.choice((np.int8, np.uint8, np.float64, bool, object, "U5", np.uint64, "datetime64[s]", np.complex64))
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                chosen = np.array(chosen).astype(kind)
        case 3:
            chosen = np.array(chosen).reshape(rng.choice(((1, n), (n, 1), (n, 1, 1))))
        case 4:
            chosen[rng.randrange(n)] = rng.randrange(-3, actions.NUM_ACTIONS + 3)
    before = players.mark(batch.games)
    found = answer(lambda: batch.step(chosen))
    if refused(found):
        if players.mark(batch.games) != before:
            raise Wrong(f"refused {chosen!r:.200}, but something has changed")
        return "refused"
    taken = np.asarray(chosen)
    if taken.shape != (n,) or any(a != -1 if over else not masks[k][a] for k, a in enumerate(taken.tolist())):
        raise Wrong(f"took {chosen!r:.200} for legal actions")
    if invariants.verify(batch.games[0]):
        raise Wrong("the position is spoilt")
    return "accepted"


@functools.cache
def environments() -> list[Any]:
    lose = gymnasium.make("Carnegie/Solo-v0", difficulty="beginner").unwrapped
    strict = gymnasium.make("Carnegie/Solo-v0", difficulty="expert", on_illegal="raise").unwrapped
    vector = gymnasium.make_vec("Carnegie/Solo-v0", num_envs=3, vectorization_mode="vector_entry_point", num_threads=1)
    strict_vector = gymnasium.make_vec("Carnegie/Solo-v0", num_envs=2, vectorization_mode="vector_entry_point",
                                       on_illegal="raise", num_threads=1)  # fmt: skip
    return [lose, strict, vector, strict_vector, *(carnegie_v0.env(num_players=n) for n in (2, 3, 4))]


def environment_case(rng: random.Random) -> str:
    """The environments: an illegal action loses or is refused, anything else is a ValueError, the game goes on."""
    env = rng.choice(environments())
    return aec_case(env, rng) if hasattr(env, "agent_selection") or hasattr(env, "possible_agents") else gym_case(env, rng)


def aec_case(env: Any, rng: random.Random) -> str:
    env.reset(seed=rng.randrange(1000))
    generator = np.random.default_rng(rng.randrange(2**31))
    for _ in range(rng.randrange(60)):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(players.choose(mask[None], np.ones(len(mask)), generator)[0]))
    mask = env.observe(env.agent_selection)["action_mask"]
    given = junk(rng)
    core = env.unwrapped
    before, agent = players.mark(core._batch.games), env.agent_selection
    found = answer(lambda: env.step(given))
    if refused(found):
        if players.mark(core._batch.games) != before or env.agent_selection != agent:
            raise Wrong(f"refused {given!r:.200}, but something has changed")
        env.step(int(mask.argmax()))
        return "refused"
    if not mask[int(given)]:
        raise Wrong(f"took {given!r:.200} for a legal action")
    return "accepted"


def gym_case(env: Any, rng: random.Random) -> str:
    env.reset(seed=rng.randrange(1000))
    vector = hasattr(env, "num_envs")
    n = env.num_envs if vector else 1
    generator = np.random.default_rng(rng.randrange(2**31))
    for _ in range(rng.randrange(40)):
        chosen = players.choose(env.action_masks().reshape(n, -1), players.weights("patient"), generator)
        env.step(chosen if vector else chosen[0])
    masks = env.action_masks().reshape(n, -1)
    given: Any = junk(rng)
    if vector and rng.random() < 0.8:
        given = [int(mask.argmax()) for mask in masks]
        given[rng.randrange(n)] = junk(rng)
    before = players.mark(env._games.batch.games)
    found = answer(lambda: env.step(given))
    if refused(found):
        if players.mark(env._games.batch.games) != before:
            raise Wrong(f"refused {given!r:.200}, but something has changed")
        return "refused"
    _, reward, terminated, truncated, info = found
    taken = np.asarray(given).reshape(n).tolist()
    legal = [0 <= a < masks.shape[1] and bool(masks[k][a]) for k, a in enumerate(taken)]
    if not env.action_masks().reshape(n, -1).any(axis=1).all() or np.any(truncated):
        raise Wrong(f"no action, or truncated, after {given!r:.200}")
    for k, right in enumerate(legal):
        if not right and not (np.ravel(terminated)[k] and np.ravel(reward)[k] == -1):
            raise Wrong(f"took {given!r:.200} for legal actions")
    if all(legal) and "illegal_action" in str(info):
        raise Wrong(f"{given!r:.200} is legal, but {info}")
    return "accepted" if all(legal) else "lost by an illegal action"


def option_case(rng: random.Random) -> str:
    """Options, seeds, numbers of games and threads."""
    names = ["num_players", "difficulty", "timeline_tiles", "show_forced", "seed", "x", "", "num_games", "__class__"]
    values = [1, 2, 3, 4, 5, 0, True, False, "normal", "expert", "rows", "columns", "Normal", None]
    values = values * 3 + list(walks.JUNK)
    options: dict = {rng.choice(names): rng.choice(values) for _ in range(rng.randrange(4))}
    if rng.random() < 0.1:
        options = rng.choice(walks.JUNK)
    seed = rng.choice((0, 1, 2**64 - 1, 2**64, -1, *walks.JUNK))
    found = answer(lambda: Position.new(options, seed))
    if refused(found):
        if isinstance(options, dict) and all(type(key) is str for key in options):
            keywords = {key: value for key, value in options.items() if key not in ("num_games", "num_threads", "autoreset")}
            if not refused(answer(lambda: Options.from_dict(options))) and keywords == options:
                batch = Batch(1, num_threads=1, **options)
                before = players.mark(batch.games)
                if not refused(answer(lambda: batch.reset(seed))) and not isinstance(seed, list | tuple | type(None)):
                    raise Wrong(f"a batch takes the seed {seed!r:.100}, a position does not")
                if seed is not None and not isinstance(seed, list) and players.mark(batch.games) != before:
                    raise Wrong(f"refused the seed {seed!r:.100}, but something has changed")
        return "refused"
    if found.to_play is None or invariants.verify(found.record):
        raise Wrong(f"made a wrong game of {options!r:.200}, {seed!r}")
    return "accepted"


# ---------------------------------------------------------------- running
TARGETS: dict[str, tuple[Callable[[random.Random], str], int]] = {  # with its share in a run
    "position": (position_case, 40), "json": (json_case, 12), "record": (record_case, 14), "facts": (facts_case, 10),
    "action": (action_case, 10), "batch": (batch_case, 8), "environment": (environment_case, 6), "option": (option_case, 6),
}  # fmt: skip
SLOW_TARGETS = {"own_facts": own_facts_case}  # seconds each; only by name, and a few beside every large run


def run_case(target: str, seed: int) -> tuple[str, str]:
    """One case: what came out, and what was wrong with it ("" if nothing)."""
    watch()
    case = SLOW_TARGETS[target] if target in SLOW_TARGETS else TARGETS[target][0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return case(random.Random(f"{target} {seed}")), ""
    except Wrong as error:
        return "WRONG", f"target {target}, seed {seed}: {error}"
    except Exception as error:  # of the checks after it: as bad
        trace = "".join(traceback.format_exception(error))[-3000:]
        return "WRONG", f"target {target}, seed {seed}: {trace}"


def work(job: tuple[str, int, int]) -> longrun.Result:
    """Some cases of one target."""
    target, first, number = job
    result = longrun.Result(0, Counter())
    for seed in range(first, first + number):
        outcome, wrong = run_case(target, seed)
        result.done += 1
        result.outcomes[f"{target}: {outcome}"] += 1
        result.wrong += [wrong] if wrong else []
    return result


def jobs(seed: int, only: str | None, cases: int) -> Iterator[tuple[str, int, int]]:
    """Targets by their shares; a few of the slow ones at the start."""
    if only:
        for number in itertools.count():
            size = min(cases, 2 if only in SLOW_TARGETS else CASES_IN_A_JOB)
            yield only, seed + number * size, size
    if cases >= 10_000:
        yield from (("own_facts", seed + 2 * k, 2) for k in range(10))
    order = [name for name, (_, share) in TARGETS.items() for _ in range(share)]
    random.Random(0).shuffle(order)
    for number, name in enumerate(itertools.cycle(order)):
        yield name, seed + number * CASES_IN_A_JOB, CASES_IN_A_JOB


def main() -> int:
    parser = longrun.arguments(__doc__, cases=100_000)
    parser.add_argument("--target", choices=[*TARGETS, *SLOW_TARGETS], help="only this kind of input")
    options = parser.parse_args()
    found = jobs(options.seed, options.target, options.cases)
    return longrun.run(work, found, options.cases, "cases", options.jobs, most=20)


if __name__ == "__main__":
    sys.exit(main())
