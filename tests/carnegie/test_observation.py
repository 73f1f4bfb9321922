"""The observation: all public information can be read back from it, and nothing hidden."""

import numpy as np
import pytest

from carnegie_env.carnegie import observation, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.options import MODULES
from tests import players
from tests.amounts import some
from tests.reading_back import marked, one_of, whole

MODES = [
    {"num_players": 1, "difficulty": "expert"},
    {"num_players": 1, "difficulty": "beginner", "timeline_tiles": "rows", "show_forced": True},
    {"num_players": 2}, {"num_players": 3, "show_forced": True}, {"num_players": 4, "timeline_tiles": "rows"},
    *players.ALL_ON, {"num_players": 1, "difficulty": "normal", "new_departments": True},
    {"num_players": 2, "new_start": True, "show_forced": True}, {"num_players": 3, "new_departments": True},
    {"num_players": 4, "wait": True, "secret_donation": True},
]  # fmt: skip
OWNERS = {"own": 0, "opponent1": 1, "opponent2": 2, "opponent3": 3}


def positions(options):
    """Positions of a plain and a rich game, most of them early, and their ends."""
    for rich in (False, True):
        game = players.whole_game(options, 3, "busy", rich)
        for k in (*some(sorted({*range(40), *range(0, len(game), 7)}), 6), len(game)):
            yield game.position(k)


def counts(values, names):
    return {name: int(n) for name, n in zip(names, whole(values), strict=True)}


def nonzero(values, names):
    return {name: n for name, n in counts(values, names).items() if n}


# ---------------------------------------------------------------- public information in positions and in vectors
def public(position, seat):
    """The public part of `Position.to_dict()`, arranged as seen from a seat."""
    d = position.to_dict()
    players = d["options"]["num_players"]
    seats = [(seat + k) % players for k in range(players)]
    owners = {f"player_{s}": name for s, name in zip(seats, OWNERS, strict=False)}
    owners |= {"andrew": "andrew", "neutral": "neutral", None: None}

    def relative(s):
        return None if s is None else owners[s if isinstance(s, str) else f"player_{s}"]

    found = {
        "phase": d["phase"],
        "to_play": relative(d["to_play"]),
        "round": d["round"],
        "first_player": relative(d["first_player"]),
        "timeline": d["timeline"],
        "display": d["display"],
        "cities": {city: [relative(o) for o in spaces] for city, spaces in d["cities"].items()},
        "donations": {cell: sorted(map(relative, disks)) for cell, disks in d["donations"].items()},
        "turn": d["turn"],
        "companies": [shown(d, s, s == seat) for s in seats],
        "panels": d["panels"],
        "waiting": d["waiting"],
        "modules": [module for module in MODULES if d["options"][module]],
    }
    if d["andrew"] is not None:
        andrew = d["andrew"]
        seen = d["round"] - (d["phase"] == "timeline")
        cards = [t.CARDS.index(card) for card in andrew["deck"]]
        backs = [(t.ACTION_TYPES[t.CARD_BACK[c]], bool(t.CARD_ADVANCED[c])) for c in cards]
        found["andrew"] = {
            "difficulty": d["options"]["difficulty"],
            "cards": dict(zip(andrew["deck"][:seen], andrew["places"], strict=False)),
            "card": backs[d["round"] - 1] if d["round"] else (None, False),
            "next_card": backs[d["round"]] if d["round"] < t.DECK_SIZE else (None, False),
            **{key: andrew[key] for key in ("departments", "transport", "disks")},
        }
    return found


def shown(d, seat, own):
    """A company without its owner's secrets, unless it is the viewer's own (rulings 40 and 44)."""
    company = d["companies"][seat]
    if own:
        return company
    sealed = d["phase"] == "sheet"
    return company | {"secret": None} | ({"sheet": dict.fromkeys(company["sheet"])} if sealed else {})


def decoded(layout, vector):
    """The same, read from an observation."""
    seen = layout.named(vector)
    owners = list(OWNERS)[: sum(name.endswith(".money") for name in layout)]
    others = [name for name in ("andrew", "neutral") if f"{name}.cities" in layout]
    spaces = {
        row: [marked(seen["timeline"][r, c], (*t.REGIONS, "donation")) for c in range(5)]
        for r, row in enumerate(t.ACTION_TYPES)
    }
    disks = np.array([seen[f"{name}.cities"] for name in owners + others])
    cells = np.array([seen[f"{name}.donations"] for name in owners + others])
    assert (disks.sum(axis=0) <= 1).all()
    who = [one_of(column, owners + others) for column in disks.T]
    found = {
        "phase": phase_of(seen),
        "to_play": one_of([seen[f"{name}.to_play"] for name in owners], owners),
        "round": int(whole(seen["round"])),
        "first_player": one_of([seen[f"{name}.first_player"] for name in owners], owners),
        "timeline": {
            "spaces": spaces,
            "markers": {row: int(one_of(seen["marker"][r], range(6))) for r, row in enumerate(t.ACTION_TYPES)},
            "chosen": one_of(seen["chosen_row"], t.ACTION_TYPES),
            "advancing": one_of(seen["advancing_row"], t.ACTION_TYPES),
        },
        "display": nonzero(seen["display"], observation._TILES) | new_nonzero(seen, "new_display"),
        "cities": {
            city: [who[i] for i in range(t.CITY_FIRST_SPACE[c], t.CITY_FIRST_SPACE[c + 1])]
            for c, city in enumerate(t.CITIES)
        },
        "donations": {
            cell: sorted(marked(cells[:, c], owners + others))
            for c, cell in enumerate(t.DONATIONS)
            if cells[:, c].any()
        },
        "turn": decoded_turn(seen),
        "companies": [decoded_company(seen, name) for name in owners],
        "panels": None,
        "waiting": bool(seen.get("waiting", False)),
        "modules": marked(seen["modules"], MODULES) if "modules" in layout else [],
    }
    if "new_donations" in found["modules"]:
        found["panels"] = {
            column: one_of(seen["panels"][k], t.DONATION_COLUMNS) for k, column in enumerate(t.DONATION_COLUMNS)
        }
    if "andrew.disks" in layout:
        found["andrew"] = decoded_andrew(seen)
    return found


NEW_TILES = t.DEPARTMENTS[t.BASE_TILES + 1 : t.NUM_TILES + 1]


def phase_of(seen):
    phase = one_of(seen["phase"], state.PHASES[: state.OVER + 1])
    if "new_phase" in seen:
        new = one_of(seen["new_phase"], state.PHASES[state.OVER + 1 : state.START_ROUND])
        assert phase is None or new is None
        return phase or new
    return phase


def new_nonzero(seen, name):
    """Numbers by new tile; nothing without the expansion."""
    return nonzero(seen[name], NEW_TILES) if name in seen else {}


def either(seen, name, new):
    """A tile named by one of two features."""
    found = [one_of(seen[name], observation._TILES), one_of(seen[new], NEW_TILES) if new in seen else None]
    assert None in found
    return found[0] or found[1]


def decoded_turn(seen):
    lifted = one_of(seen["lifted"], t.SPACE_IDS)
    choice = np.argwhere(seen["income_choice"])
    return {
        "action": one_of(seen["action"], t.ACTION_TYPES),
        "started": bool(seen["started"]),
        "moves": int(whole(seen["moves"])),
        "research": int(whole(seen["research"])),
        "arrivals": int(whole(seen["arrivals"])),
        "lifted": lifted and {"space": lifted, "state": "active" if seen["lifted_active"] else "inactive"},
        "tile": either(seen, "tile", "new_tile"),
        "site": one_of(seen["site"], t.SPACE_IDS),
        "income_choice": {"project": t.PROJECTS[choice[0][0]], "section": int(choice[0][1])} if len(choice) else None,
        "department": one_of(seen["department_in_use"], t.SPACE_IDS),
        "ready": nonzero(seen["ready"], t.SPACE_IDS),
        "diagonal_moves": bool(seen.get("diagonal_moves", False)),
        **{key: int(whole(seen.get(key, 0))) for key in ("relocations", "projects", "payroll_activated")},
        "level_region": one_of(seen.get("level_region", [0] * 4), t.REGIONS),
    }


def decoded_company(seen, name):
    company = {key.partition(".")[2]: value for key, value in seen.items() if key.startswith(f"{name}.")}
    departments = {
        t.SPACE_IDS[space]: t.DEPARTMENTS[t.START_DEPARTMENT[space]]
        for space in t.START_SPACE
    }  # fmt: skip
    for i, space in enumerate(observation._SITES):
        if company["site_type"][i].any():
            kind, number = one_of(company["site_type"][i], range(4)), one_of(company["site_number"][i], range(4))
            tiles = [n for n in range(1, t.BASE_TILES + 1) if t.DEPARTMENT_TYPE[n] == kind]
            if number is None:
                number = one_of(company["site_new_number"][i], range(4))
                tiles = [n for n in range(t.BASE_TILES + 1, t.NUM_TILES + 1) if t.DEPARTMENT_TYPE[n] == kind]
            departments[t.SPACE_IDS[space]] = t.DEPARTMENTS[tiles[number]]
    active, inactive = counts(company["active"], t.SPACE_IDS), counts(company["inactive"], t.SPACE_IDS)
    built = {code for code in departments.values() if code in observation._TILES or code in NEW_TILES}
    assert built == {*marked(company["tiles"], observation._TILES), *new_nonzero(company, "new_tiles")}
    in_tiles = {departments[s]: n for s, n in active.items() if n and departments.get(s) in built}
    assert in_tiles == nonzero(company["tile_active"], observation._TILES) | new_nonzero(company, "new_tile_active")
    below = int(whole(company.get("vp_below_zero", 0)))
    assert not below or not company["vp"]
    return {
        **{key: int(whole(company[key])) for key in ("money", "goods", "reserve", "disks", "donations_made")},
        "vp": int(whole(company["vp"])) - below,
        "missions": counts(company["missions"], t.REGIONS),
        "employees": {
            s: {"active": active[s], "inactive": inactive[s]} for s in t.SPACE_IDS if active[s] or inactive[s]
        },
        "departments": departments,
        "reserved": either(company, "reserved", "new_reserved"),
        "tabs": {
            tab: {
                "side": one_of(company["tab_side"][k], "ab"),
                "uncovered": int(whole(company["tab_pulled"])[k]) + 1,
                "built": int(whole(company["tab_built"])[k]),
            }
            for k, tab in enumerate(t.PROJECTS)
        },
        "transport": {r: one_of(company["track"][k], range(5)) for k, r in enumerate(t.REGIONS)},
        "action_choice": bool(company["action_choice"]),
        "sheet": decoded_sheet(seen, name),
        "secret": one_of(seen["secret"], t.DONATIONS) if name == "own" and "secret" in seen else None,
    }


def decoded_sheet(seen, name):
    if "modules" not in seen or not seen["modules"][MODULES.index("new_start")]:
        return None
    offers = t.NEW_START_OFFERS[:, :, t.OFFER_AMOUNT].tolist()
    lines = {line: one_of(seen[f"{name}.sheet"][k], offers[k]) for k, line in enumerate(t.NEW_START_LINES)}
    bidding = phase_of(seen) == "sheet" and seen[f"{name}.to_play"]
    bid = int(whole(seen[f"{name}.bid"]))
    if None in lines.values() or bidding or "opponent1.money" not in seen:
        assert bid == 0
        return lines | {"bid": None}
    return lines | {"bid": bid}


def decoded_andrew(seen):
    andrew = {key.partition(".")[2]: value for key, value in seen.items() if key.startswith("andrew.")}
    places = {card: n - 1 for card, n in nonzero(andrew["cards"], t.CARDS).items()}
    assert whole(andrew["places"]).tolist() == [list(places.values()).count(p) for p in range(5)]
    return {
        "difficulty": one_of(andrew["difficulty"], t.DIFFICULTIES),
        "cards": places,
        "card": (one_of(andrew["card"], t.ACTION_TYPES), bool(andrew["card_advanced"])),
        "next_card": (one_of(andrew["next_card"], t.ACTION_TYPES), bool(andrew["next_card_advanced"])),
        "departments": nonzero(andrew["tiles"], observation._TILES) | new_nonzero(andrew, "new_tiles"),
        "transport": {r: one_of(andrew["track"][k], range(5)) for k, r in enumerate(t.REGIONS)},
        "disks": int(whole(andrew["disks"])),
    }


# ---------------------------------------------------------------- the tests
@pytest.mark.parametrize("options", MODES, ids=players.mode_name)
def test_public_information_can_be_read_back(options):
    phases = set()
    for position in positions(options):
        phases.add(position.phase)
        for seat in range(options["num_players"]):
            assert decoded(position.observation_layout, position.observe(seat)) == public(position, seat)
    assert len(phases) >= 8


@pytest.mark.parametrize("options", [{"num_players": 2, "show_forced": True}, players.ALL_ON[2]], ids=players.mode_name)
def test_derived_features(options):
    for position in positions(options):
        if not position.is_over:
            check_derived(position, position.observation_layout.named(position.observe()))


def check_derived(position, seen):
    d = position.to_dict()
    company = d["companies"][position.to_play]
    lines = d["timeline"]
    rows = list(t.ACTION_TYPES)
    for r, row in enumerate(rows):
        flipped = next(k for k in rows[r:] + rows[:r] if lines["markers"][k] < 5)
        events = lines["spaces"][flipped][lines["markers"][flipped]]
        assert marked(seen["next_event"][r], (*t.REGIONS, "donation")) == events, row
    row = lines["advancing"]
    now = lines["spaces"][row][lines["markers"][row]] if row else []
    assert marked(seen["event"], (*t.REGIONS, "donation")) == now
    assert bool(seen["odd_round"]) == (d["round"] % 2 == 1)
    for s, space in enumerate(t.SPACE_IDS):
        code = t.DEPARTMENTS.index(company["departments"].get(space, ""))
        active = company["employees"].get(space, {"active": 0})["active"]
        free = max(t.WORKSTATIONS[code] - active, 0)
        assert whole(seen["free_workstations"])[s] == free
        assert whole(seen["activation_cost"])[s] == (t.ACTIVATION_COST[code, active] if free else 0)
    working = any(
        name == "communications" and company["employees"].get(space, {"active": 0})["active"]
        for space, name in company["departments"].items()
    )
    cost = (3 if working else 5) * (company["donations_made"] + 1)
    assert whole(seen["donation_cost"]) == cost
    assert bool(seen["can_donate"]) == (company["money"] + company["goods"] >= cost and company["disks"] > 0)
    if d["phase"] in ("donation", "charity", "secret"):
        breakdown = position.score_breakdown()[position.to_play]
        covered = {column for column, tile in (d["panels"] or {}).items() if tile}
        for k, (cell, value) in enumerate(zip(t.DONATIONS, whole(seen["donation_value"]), strict=True)):
            paid = t.RULE_COUNT[k] == t.COUNT_PAY or t.DONATION_COLUMNS[k // t.PANEL_ROWS] in covered
            if cell in breakdown["donations"] and (not paid or value):  # by payments: nothing now
                assert value == breakdown["donations"][cell]
        if "welfare" not in covered:
            assert whole(seen["donation_value"])[t.DONATIONS.index("welfare_flat")] == 7
    else:
        assert not seen["donation_value"].any()
    for k, tab in enumerate(t.PROJECTS):
        tabs = company["tabs"][tab]
        projects = min(max(tabs["uncovered"] - t.TAB_BLANK[k], 0), t.TAB_PROJECTS[k])
        assert whole(seen["own.tab_open"])[k] == projects - tabs["built"]
