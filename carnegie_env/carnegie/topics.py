"""Help on the parts of the board: topics.toml, with the numbers of the tables in use."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from carnegie_env.carnegie import names
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import Options
from carnegie_env.core.game import Topic

FILE = Path(__file__).with_name("topics.toml")
_NUMBERS = {
    "rounds": t.ROUNDS, "action_choice_vp": t.ACTION_CHOICE_VP, "active_vp": t.ACTIVE_EMPLOYEE_VP,
    "donation_limit": t.DONATION_LIMIT, "donation_step": t.DONATION_STEP, "track_spaces": t.TRACK_SPACES,
    "company_spaces": t.COMPANY_SPACES, "budget": t.NEW_START_BUDGET, "andrew_department": t.ANDREW_DEPARTMENT_VP,
    "andrew_track": t.ANDREW_TRACK_VP, "money": t.START_MONEY, "goods": t.START_GOODS, "lobby": t.START_LOBBY,
    "moves": t.SETUP_MOVES,
}  # fmt: skip


_OF_MODULE = {"sheet": "new_start", "secret_donation": "secret_donation", "wait": "wait"}


@functools.cache
def topics() -> Mapping[str, Topic]:
    """All topics by key, read when they are first needed.

    Keys: those of topics.toml, `department_<id>` for each department, `donation_<id>` for each donation.
    """
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    departments = found.pop("department")
    all_topics = {
        key: Topic(topic["title"], topic["text"].format_map(_NUMBERS), topic["source"]) for key, topic in found.items()
    }
    for code, name in enumerate(t.DEPARTMENTS):
        if name:
            all_topics[f"department_{name}"] = _department(code, departments[name])
    for rule, donation in enumerate((*t.FACTS.donations.donation, *t.FACTS.donations.new_donation)):
        where = f"{names.COLUMNS[t.DONATION_COLUMNS.index(donation.column)]} donation, row {donation.row}"
        all_topics[f"donation_{donation.id}"] = Topic(
            where if rule < t.NUM_DONATIONS else f"{where} of the new donations",
            f"{donation.rule}. A donation scores at most {t.DONATION_LIMIT} VP; some project tabs raise that.",
            "rulebook, part 3, chapter 2; ruling 30" if rule < t.NUM_DONATIONS else "expansion 1, chapter 3; ruling 46",
        )
    return MappingProxyType(all_topics)


def in_play(options: Options) -> list[str]:
    """The keys of the topics that matter with these options: the parts of the board, then the departments."""
    absent = {"decision"} | {key for key, module in _OF_MODULE.items() if not getattr(options, module)}
    absent |= set() if options.solo else {"andrew", "andrew_cards"}
    absent |= set() if t.ACTION_CHOICE[options.num_players, :].any() else {"action_choice"}
    if not options.new_tiles:
        absent |= {f"department_{name}" for name in t.DEPARTMENTS[t.BASE_TILES + 1 : t.NUM_TILES + 1]}
    return [key for key in topics() if key not in absent and not key.startswith("donation_")]


def _department(code: int, topic: dict[str, str]) -> Topic:
    numbers = dict(zip(t.EFFECTS, t.EFFECT.tolist()[code], strict=True)) | {"extra_goods": int(t.EXTRA_GOODS[code])}
    text = topic["text"].format_map(numbers)
    if t.DEPARTMENT_TYPE[code] >= 0:
        costs = t.ACTIVATION_COST[code, : t.WORKSTATIONS[code]].tolist()
        stations = f"workstations for {', '.join(f'${cost}' for cost in costs)}" if costs else "no workstation"
        text = f"{names.ACTIONS[t.DEPARTMENT_TYPE[code]]}; {stations}. {text}"
    return Topic(names.DEPARTMENTS[code], text, topic["source"])
