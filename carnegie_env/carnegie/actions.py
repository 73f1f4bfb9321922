"""The catalogue of actions: every action's number, verb, argument and text.

An action number means the same verb and argument in every phase. The texts are those of ``docs/design.md``, section 4.
"""

from __future__ import annotations

import numpy as np

from carnegie_env.carnegie import tables as t

_texts: list[str] = []
_verbs: list[int] = []
_arguments: list[int] = []
VERBS: list[str] = []


def _block(name: str, texts: list[str]) -> tuple[int, int]:
    """Append a verb with one action per text; return the verb's number and its first action."""
    verb, start = len(VERBS), len(_texts)
    VERBS.append(name)
    _texts.extend(texts)
    _verbs.extend([verb] * len(texts))
    _arguments.extend(range(len(texts)))
    return verb, start


def _missions(text: str) -> list[str]:
    return [f"{text} mission {region}" for region in t.REGIONS]


def _counts(text: str, code: int) -> list[str]:
    return [f"{text} {n}" for n in range(1, t.EFFECT[code, t.EFFECT_UP_TO] + 1)]


# V_x is the number of verb x, x its first action. The argument of an action is its position within the verb.
V_PASS, PASS = _block("pass", ["pass"])
V_SIDE, SIDE = _block("side", [f"side {tab} {side}" for tab in t.PROJECTS for side in "ab"])
V_TIMELINE, TIMELINE = _block("timeline", [f"timeline {row}" for row in t.ACTION_TYPES])
V_RECOVER, RECOVER = _block("recover", [f"recover {n}" for n in range(t.EMPLOYEES + 1)])
V_NEW_LOBBY, NEW_LOBBY = _block("new lobby", [f"new lobby {n}" for n in range(t.EMPLOYEES + 1)])
V_TAKE, TAKE = _block("take", ["take employee", "take goods", "take money"])
TAKE_EMPLOYEE, TAKE_GOODS, TAKE_MONEY = range(3)
V_DONATE, DONATE = _block("donate", [f"donate {cell}" for cell in t.DONATIONS])
V_DEPARTMENT, DEPARTMENT = _block("department", [f"department {t.DEPARTMENTS[n]}" for n in range(1, t.BASE_TILES + 1)])
V_TO, TO = _block("to", [f"to {space}" for space in t.SPACE_IDS])
V_ACTIVATE, ACTIVATE = _block("activate", [f"activate {space}" for space in t.SPACE_IDS])
V_LIFT_INACTIVE, LIFT_INACTIVE = _block("lift inactive", [f"lift inactive {space}" for space in t.SPACE_IDS])
V_LIFT_ACTIVE, LIFT_ACTIVE = _block("lift active", [f"lift active {space}" for space in t.SPACE_IDS])
V_BUILD, BUILD = _block("build", list(t.BUILD_TEXT))
V_ADVANCE_TAB, ADVANCE_TAB = _block("advance tab", [f"advance {tab}" for tab in t.PROJECTS])
V_ADVANCE_TRACK, ADVANCE_TRACK = _block("advance track", [f"advance {region}" for region in t.REGIONS])
V_USE, USE = _block("use", ["use construction", "use engineering", "use construction_outsourcing"])
BUILDERS = np.array([t.START_CONSTRUCTION, t.ENGINEERING, t.CONSTRUCTION_OUTSOURCING])  # by argument of `use`
V_TRADE_MONEY, TRADE_MONEY = _block("trade money", ["trade_and_finance money"])
V_TRADE_GOODS, TRADE_GOODS = _block("trade goods", ["trade_and_finance goods"])
V_TRADE_MONEY_MISSION, TRADE_MONEY_MISSION = _block("trade money mission", _missions("trade_and_finance money"))
V_TRADE_GOODS_MISSION, TRADE_GOODS_MISSION = _block("trade goods mission", _missions("trade_and_finance goods"))
V_TRAINING_MONEY, TRAINING_MONEY = _block("training money", _missions("training_and_partnerships money"))
V_TRAINING_MOVES, TRAINING_MOVES = _block("training moves", _missions("training_and_partnerships moves"))
V_RECRUITING_MOVES, RECRUITING_MOVES = _block("recruiting moves", ["recruiting moves"])
V_RECRUITING_EMPLOYEE, RECRUITING_EMPLOYEE = _block("recruiting employee", _missions("recruiting employee"))
V_SAFETY, SAFETY = _block("safety", _missions("safety_and_quality"))
V_PURCHASING_MONEY, PURCHASING_MONEY = _block("purchasing money", _missions("purchasing money"))
V_PURCHASING_GOODS, PURCHASING_GOODS = _block("purchasing goods", _missions("purchasing goods"))
V_SALES, SALES = _block("sales", _counts("sales", t.SALES))
V_LOGISTICS, LOGISTICS = _block("logistics", _counts("logistics", t.LOGISTICS))
V_SUPPLY_CHAIN, SUPPLY_CHAIN = _block("supply chain", _counts("supply_chain", t.SUPPLY_CHAIN))
V_ADVANCED_RESEARCH, ADVANCED_RESEARCH = _block("advanced research", _missions("advanced_research"))
V_CHARITABLE_GIVING, CHARITABLE_GIVING = _block("charitable giving", _missions("charitable_giving"))

TEXTS: tuple[str, ...] = tuple(_texts)
NUMBERS: dict[str, int] = {text: number for number, text in enumerate(TEXTS)}
ALL_REGIONS = (1 << len(t.REGIONS)) - 1  # the bits of a mission verb
NUM_ACTIONS = len(TEXTS)
WORDS = (NUM_ACTIONS + 63) // 64
VERB = np.array(_verbs)
ARGUMENT = np.array(_arguments)
