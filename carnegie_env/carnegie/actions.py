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


def _more(verb: int, texts: list[str]) -> int:
    """Append further actions of a verb, with further arguments; return the first of them."""
    start, known = len(_texts), _verbs.count(verb)
    _texts.extend(texts)
    _verbs.extend([verb] * len(texts))
    _arguments.extend(range(known, known + len(texts)))
    return start


def _regions(text: str) -> list[str]:
    return [f"{text} {region}" for region in t.REGIONS]


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
V_TRADE_MONEY_MISSION, TRADE_MONEY_MISSION = _block("trade money mission", _regions("trade_and_finance money mission"))
V_TRADE_GOODS_MISSION, TRADE_GOODS_MISSION = _block("trade goods mission", _regions("trade_and_finance goods mission"))
V_TRAINING_MONEY, TRAINING_MONEY = _block("training money", _regions("training_and_partnerships money mission"))
V_TRAINING_MOVES, TRAINING_MOVES = _block("training moves", _regions("training_and_partnerships moves mission"))
V_RECRUITING_MOVES, RECRUITING_MOVES = _block("recruiting moves", ["recruiting moves"])
V_RECRUITING_EMPLOYEE, RECRUITING_EMPLOYEE = _block("recruiting employee", _regions("recruiting employee mission"))
V_SAFETY, SAFETY = _block("safety", _regions("safety_and_quality mission"))
V_PURCHASING_MONEY, PURCHASING_MONEY = _block("purchasing money", _regions("purchasing money mission"))
V_PURCHASING_GOODS, PURCHASING_GOODS = _block("purchasing goods", _regions("purchasing goods mission"))
V_SALES, SALES = _block("sales", _counts("sales", t.SALES))
V_LOGISTICS, LOGISTICS = _block("logistics", _counts("logistics", t.LOGISTICS))
V_SUPPLY_CHAIN, SUPPLY_CHAIN = _block("supply chain", _counts("supply_chain", t.SUPPLY_CHAIN))
V_ADVANCED_RESEARCH, ADVANCED_RESEARCH = _block("advanced research", _regions("advanced_research mission"))
V_CHARITABLE_GIVING, CHARITABLE_GIVING = _block("charitable giving", _regions("charitable_giving mission"))
NUM_BASE_ACTIONS = len(_texts)

# ---- expansion 1: actions of its modules
V_SHEET, SHEET = _block(
    "sheet",
    [f"sheet {t.NEW_START_LINES[line]} {amount}"
     for line, offers in enumerate(t.NEW_START_OFFERS.tolist()) for amount, _ in offers],
)  # fmt: skip
OFFERS = t.NEW_START_OFFERS.shape[1]  # to a line of the sheet
V_BID, BID = _block("bid", [f"bid {n}" for n in range(t.LARGEST_BID + 1)])
NEW_DEPARTMENT = _more(
    V_DEPARTMENT, [f"department {t.DEPARTMENTS[n]}" for n in range(t.BASE_TILES + 1, t.NUM_TILES + 1)]
)
MISMATCH = _more(V_BUILD, list(t.MISMATCH_TEXT))
V_HR_ADMINISTRATION, HR_ADMINISTRATION = _block("hr administration", _regions("hr_administration mission"))
V_LOCAL_PARTNERS, LOCAL_PARTNERS = _block("local partners", _regions("local_partners"))
V_ACCOUNTING, ACCOUNTING = _block("accounting", _regions("accounting mission"))
V_BRANDING, BRANDING = _block("branding", _regions("branding"))
V_PRODUCTION_LINES, PRODUCTION_LINES = _block("production lines", _regions("production_lines mission"))
V_RENOVATION, RENOVATION = _block("renovation", _regions("renovation"))
V_RD_COORDINATION, RD_COORDINATION = _block("rd coordination", _regions("rd_coordination mission"))
V_KNOWLEDGE_SHARING, KNOWLEDGE_SHARING = _block("knowledge sharing", _regions("knowledge_sharing"))
V_MONEY, MONEY = _block("money", [f"money {n}" for n in range(int(t.TAB_PROJECTS.sum()) + 1)])
V_LEVEL, LEVEL = _block("level", [f"level {n}" for n in range(t.TRACK_SPACES)])
V_GAIN_VP, GAIN_VP = _block("activate gain vp", [f"activate {space} gain vp" for space in t.SPACE_IDS])
V_LOSE_VP, LOSE_VP = _block("activate lose vp", [f"activate {space} lose vp" for space in t.SPACE_IDS])
V_PANEL, PANEL = _block(
    "panel", [f"panel {tile} over {column}" for tile in t.FACTS.expansion.new_donations.panels
              for column in t.DONATION_COLUMNS],
)  # fmt: skip
V_WAIT, WAIT = _block("wait", ["wait"])

TEXTS: tuple[str, ...] = tuple(_texts)
NUMBERS: dict[str, int] = {text: number for number, text in enumerate(TEXTS)}
ALL_REGIONS = (1 << len(t.REGIONS)) - 1  # the bits of a mission verb
NUM_ACTIONS = len(TEXTS)
BASE_WORDS = (NUM_BASE_ACTIONS + 63) // 64  # the others are empty without modules
VERB = np.array(_verbs)
ARGUMENT = np.array(_arguments)
