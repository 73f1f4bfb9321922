"""Rule scenarios as data, for all games: a position, the actions played in it, and the result by the rules.

A game's scenarios are TOML files with ``[[scenario]]`` entries. An optional ``[defaults]`` table is merged into each of
them. The expectations come from the rulebook and the rulings, never from a run; both the engine and the referee have to
meet them. The start position has a form of its own in each game (see its tests); these keys are the same in all games:

============  =====================================================================================================
name          unique in the file
source        the rule's place: a chapter of the rulebook, "ruling 19", ...
holds         the rule in one line
cases         list of tables, each merged into the scenario and run separately
------------  -----------------------------------------------------------------------------------------------------
actions       texts to apply, in order; everything below is checked after the last one
at            values of the position; a list may be compared by index: ``{ 3 = ... }``
expect        patch of the pieces before the actions: afterwards all pieces must be *exactly* as patched
loose         true: only the pieces named in ``expect`` are compared
legal         each must be legal: texts, patterns (``*``) and lists (``lift inactive {r3c1,r2c2}`` means both)
not_legal     nothing legal may match; a plain text must be refused with a ValueError, without a change
only          exactly these actions are legal
refused       texts that are not actions; they must be refused in the same way
scores        values of ``score_breakdown()``, by side (p0, p1, ...)
wins          the reward ``win`` of each seat if the game were over: winners share 1, the others -1 (to 3 decimals)
count         numbers of pieces, by the names in the game's tests
then          further stages, each continuing the one before: tables with the keys from ``actions`` on
============  =====================================================================================================
"""

import dataclasses
import fnmatch
import itertools
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from carnegie_env.core.rewards import returns

STAGE = {"actions", "at", "expect", "loose", "legal", "not_legal", "only", "refused", "scores", "wins", "count"}
HEAD = {"name", "source", "holds", "cases", "then"}


@dataclasses.dataclass(frozen=True)
class Form:
    """How a game's scenarios are written.

    Args:
        texts: the texts of all actions.
        keys: the game's own keys of a scenario.
        pieces: keys of a position's dictionary that are compared exactly after every stage.
        patched: (position, patch) -> the position with the patch merged in and short forms expanded.
        part: (position, key of a patch) -> the part of the position.
        seats: (position) -> the number of seats; an additional row of scores is the automatic opponent's.
        opponent: the name of that row.
        rank_by: the columns of the score that rank a result.
        counts: functions that count pieces in a position, by name.
    """

    texts: Sequence[str]
    keys: frozenset[str]
    pieces: tuple[str, ...]
    patched: Callable[[dict, dict], dict]
    part: Callable[[dict, str], Any]
    seats: Callable[[dict], int]
    opponent: str = ""
    rank_by: tuple[str, ...] = ("total",)
    counts: Mapping[str, Callable[[dict], int]] = dataclasses.field(default_factory=dict)


# ------------------------------------------------------------------------------------------------- reading the files
def merged(below: dict, above: dict) -> dict:
    """``below`` updated with ``above``; tables are merged."""
    out = dict(below)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = merged(out[key], value) if both else value
    return out


def plain(value: Any) -> Any:
    """A value with every text "null" replaced by None."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return None if value == "null" else value


def read(folder: Path) -> dict[str, dict]:
    """All scenarios of a folder by ``file:name``; cases are scenarios of their own, ``file:name:number``."""
    found: dict[str, dict] = {}
    for path in sorted(folder.glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for entry in data["scenario"]:
            scenario = merged(data.get("defaults", {}), entry)
            cases = scenario.pop("cases", None)
            for k, case in enumerate(cases or [{}]):
                name = f"{path.stem}:{scenario['name']}" + (f":{k}" if cases else "")
                assert name not in found, f"two scenarios are called {name}"
                found[name] = merged(scenario, case)
    return found


def stages(scenarios: Mapping[str, dict]) -> Iterator[dict]:
    for scenario in scenarios.values():
        yield from (scenario, *scenario.get("then", []))


def rulings_held(scenarios: Mapping[str, dict]) -> set[str]:
    """The numbers of all rulings named as sources."""
    held: set[str] = set()
    for scenario in scenarios.values():
        for numbers in re.findall(r"rulings? ((?:P?\d+(?:, | and )?)+)", scenario["source"]):
            held |= set(re.findall(r"P?\d+", numbers))
    return held


# ------------------------------------------------------------------------------------------------- comparing
def differences(found: Any, wanted: Any, path: str = "", exact: bool = False) -> Iterator[str]:
    """The differences in words; unless ``exact``, tables may have more keys than ``wanted``."""
    if isinstance(wanted, dict) and isinstance(found, list):
        found = {str(k): part for k, part in enumerate(found)}
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in sorted(wanted.keys() | (found.keys() if exact else set()), key=str):
            where = f"{path}.{key}" if path else str(key)
            if key not in wanted:
                yield f"{where}: {found[key]!r}, but should not be there"
            elif key not in found:
                yield f"{where}: missing, should be {wanted[key]!r}"
            else:
                yield from differences(found[key], wanted[key], where, exact)
    elif exact and isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for k, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from differences(one, other, f"{path}[{k}]", exact)
    elif found != wanted:
        yield f"{path}: {found!r}, should be {wanted!r}"


def spelled(pattern: str) -> list[str]:
    """The expansion of ``a {b,c} d``: `a b d`, `a c d`."""
    parts = re.split(r"\{([^}]*)\}", pattern)
    choices = [part.split(",") if k % 2 else [part] for k, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def matching(patterns: list[str], texts: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    for pattern in itertools.chain.from_iterable(map(spelled, patterns)):
        yield pattern, [text for text in texts if fnmatch.fnmatchcase(text, pattern)]


# ------------------------------------------------------------------------------------------------- playing
def check(form: Form, scenario: dict, games: Iterator[Any]) -> None:
    """Play a scenario in each of some games (of the engine or the referee); a failure lists all differences."""
    assert all(scenario.get(key) for key in ("name", "source", "holds")), "a scenario needs a name, a source, and holds"
    unknown = scenario.keys() - STAGE - HEAD - form.keys
    unknown |= {key for stage in scenario.get("then", []) for key in stage.keys() - STAGE}
    assert not unknown, f"unknown keys {sorted(unknown)}"
    for game in games:
        for k, stage in enumerate([scenario, *scenario.get("then", [])]):
            wrong = list(play(form, game, stage))
            if wrong:
                held = f"{scenario['holds']} ({scenario['source']})"
                pytest.fail(f"{held}, stage {k}:\n  " + "\n  ".join(wrong), pytrace=False)


def play(form: Form, game: Any, stage: dict) -> Iterator[str]:
    """Play one stage and yield the differences."""
    before = game.to_dict()
    for action in stage.get("actions", []):
        game.apply(action)
    after, legal = game.to_dict(), list(game.legal_actions())
    wanted = form.patched(before, stage.get("expect", {}))
    if stage.get("loose"):
        yield from _named_differences(form, after, wanted, stage.get("expect", {}))
    else:
        found, rest = ({key: position[key] for key in form.pieces} for position in (after, wanted))
        yield from differences(found, rest, exact=True)
    yield from differences(after, plain(stage.get("at", {})))
    yield from _legal_differences(form, stage, legal)
    for text in _refused_texts(form, stage, legal):
        if not refuses(game, text):
            yield f"{text!r} is not refused"
        if game.to_dict() != after:
            yield f"{text!r} is refused, but the position has changed"
    breakdown, seats = game.score_breakdown(), form.seats(after)
    sides = {f"p{k}" if k < seats else form.opponent: part for k, part in enumerate(breakdown)}
    yield from differences(sides, stage.get("scores", {}), "scores")
    if "wins" in stage:
        results = [[[part[column] for column in form.rank_by] for part in breakdown]]
        won = returns("win", results, seats)[0].tolist()
        yield from differences([round(reward, 3) for reward in won], stage["wins"], "wins", exact=True)
    for name, number in stage.get("count", {}).items():
        if form.counts[name](after) != number:
            yield f"count {name}: {form.counts[name](after)}, should be {number}"


def _named_differences(form: Form, after: dict, wanted: dict, expect: dict) -> Iterator[str]:
    """The differences in the pieces named by ``expect``."""
    for key, value in expect.items():
        for name in value:
            found, right = form.part(after, key).get(name), form.part(wanted, key).get(name)
            yield from differences(found, right, f"{key}.{name}", exact=True)


def _legal_differences(form: Form, stage: dict, legal: list[str]) -> Iterator[str]:
    for pattern, found in matching(stage.get("legal", []), legal):
        if not found:
            yield f"{pattern!r} should be legal"
    for pattern, found in matching(stage.get("not_legal", []), legal):
        if found:
            yield f"{found} should not be legal"
        if not fnmatch.filter(form.texts, pattern):
            yield f"not_legal: there is no action {pattern!r}"
    if "only" in stage:
        allowed = dict(matching(stage["only"], legal))
        for pattern in (pattern for pattern, found in allowed.items() if not found):
            yield f"{pattern!r} should be legal"
        if more := set(legal) - set(itertools.chain.from_iterable(allowed.values())):
            yield f"{sorted(more)} should not be legal"


def _refused_texts(form: Form, stage: dict, legal: list[str]) -> Iterator[str]:
    """Every plain text in ``not_legal`` and the first match of every pattern, except starts of legal texts (`build
    industry in chicago` is accepted for `build industry in chicago space 3`); and all texts in ``refused``."""
    for _, found in matching(stage.get("not_legal", []), form.texts):
        yield from (text for text in found[:1] if not any(f"{other} ".startswith(f"{text} ") for other in legal))
    for text in stage.get("refused", []):
        if text in form.texts:
            raise ValueError(f"refused: {text!r} is an action; it belongs to not_legal")
        yield text


def refuses(game: Any, text: str) -> bool:
    try:
        game.apply(text)
    except ValueError:
        return True
    return False
