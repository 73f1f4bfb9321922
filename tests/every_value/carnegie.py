"""Carnegie's probes: deal a game, take a decision of a stored game, resolve a card of Andrew's, score a position, use
every tile, step, project and workstation."""

import contextlib
import itertools
import random
import types
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np

from carnegie_env.carnegie import tables as shipped
from carnegie_env.core import kernels
from carnegie_env.core import rules as core_rules
from tests.every_value.sweep import Ask, Game, Probe

RECORDS, ENDS = 700, 120  # positions to decide in, and to score


# ---------------------------------------------------------------- probes
GAMES = [{"num_players": n} for n in (1, 2, 3, 4)]
GAMES += [{"num_players": 2, "timeline_tiles": "columns"}, {"num_players": 1, "difficulty": "beginner"}]
GAMES += [{"num_players": 1, "difficulty": name} for name in ("difficult", "expert")]
GAMES += [{"num_players": 3, module: True} for module in shipped.SOLO_MODULES]
GAMES += [{"num_players": 1, module: True} for module in shipped.SOLO_MODULES]


def deal(options: dict[str, Any], seed: int) -> Ask:
    """Deal a game and set it up to the moves, with always the first choice except for one line of a sheet."""

    def ask(rules: types.SimpleNamespace) -> bytes:
        try:
            games = rules.setup.template(rules.options.Options(**options))
        except ValueError:
            return b"refused"
        begin(rules, games[0], seed)
        dealt = games.tobytes()
        for number in range(200):
            if games[0].phase == rules.state.SETUP_MOVES:
                break
            line = min(number, 4) if options.get("new_start") else 0
            legal = legal_actions(games[0])
            advance(rules, games[0], legal[min(seed % 5 if line == seed // 5 else 0, len(legal) - 1)])
        return dealt + games.tobytes()

    return ask


@contextlib.contextmanager
def played_by(rules: types.SimpleNamespace) -> Iterator[None]:
    """A context in which the core's loops use these rules."""
    given = {"deal": rules.setup.deal, "score": rules.scoring.score, "rebuild": rules.state.rebuild_derived}
    given |= {name: getattr(rules.engine, name) for name in ("proceed", "legal", "apply", "redraw_hidden")}
    with mock.patch.dict(core_rules._rules):
        core_rules.register("carnegie", rules.state.GAME, core_rules.Rules(**given, observe=_unused, verify=_unused))
        yield


def _unused(*arguments: Any) -> int:
    raise NotImplementedError


def begin(rules: types.SimpleNamespace, game: np.record, seed: int) -> None:
    """Deal a game up to its first decision."""
    with played_by(rules):
        kernels.begin(game, np.uint64(seed))


def advance(rules: types.SimpleNamespace, game: np.record, action: int) -> None:
    """Take a decision and advance to the next."""
    with played_by(rules):
        kernels.advance(game, action)


def legal_actions(game: np.record) -> list[int]:
    return [64 * k + n for k, word in enumerate(game.legal) if word for n in range(64) if int(word) >> n & 1]


def on(record: bytes, ask: Callable[[types.SimpleNamespace, np.ndarray], object]) -> Ask:
    """A probe of a stored record: the result of `ask` on a copy, and the copy afterwards."""

    def asked(rules: types.SimpleNamespace) -> bytes:
        if len(record) != rules.state.GAME.itemsize:
            return b"another record"
        games = read_record(rules, record)
        rules.state.rebuild_derived(games[0])
        found = ask(rules, games)
        return found.tobytes() if isinstance(found, np.ndarray) else bytes(found or b"") + games.tobytes()

    return asked


def read_record(rules: types.SimpleNamespace, record: bytes) -> np.ndarray:
    return np.frombuffer(bytearray(record), rules.state.GAME)


def decide(record: bytes, action: int) -> Ask:
    """The legal actions of a stored position, and the result of one of them."""

    def ask(rules: types.SimpleNamespace, games: np.ndarray) -> bytes:
        rules.engine.legal(games[0])
        before = games.tobytes()
        advance(rules, games[0], action)
        return before

    return on(record, ask)


def score(record: bytes) -> Ask:
    """The scores of a stored position."""

    def ask(rules: types.SimpleNamespace, games: np.ndarray) -> np.ndarray:
        out = np.zeros((5, rules.scoring.NUM_SCORES), np.int64)
        rules.scoring.score(games[0], out)
        return out

    return on(record, ask)


def andrew(record: bytes, card: int, row: int, donation: bool) -> Ask:
    """Andrew resolves a card in a row, or, with row 4, the next round's card, which chooses the row."""

    def ask(rules: types.SimpleNamespace, games: np.ndarray) -> None:
        game = games[0]
        game.deck[:2] = card
        game.owner[:], game.disks[rules.state.ANDREW] = rules.state.NONE, 26
        rules.state.rebuild_derived(game)
        game.event_donation[:, 0] = donation
        if row < 4:
            game.phase, game["round_number"] = rules.state.TIMELINE, 1
            rules.timeline.choose_row(game, row)
        else:
            game.phase, game["round_number"] = rules.state.START_ROUND, 1
            rules.timeline.start_round(game)

    return on(record, ask)


# ---------------------------------------------------------------- positions for the probes
def probes(rules: types.SimpleNamespace) -> Iterator[Probe]:
    """All probes; those made for particular values are always kept."""
    chance = random.Random(1)
    for options in GAMES:
        for seed in range(20 if options.get("new_start") else 6):
            yield deal(options, seed), True
    records = list(itertools.islice(walks(rules, chance), RECORDS))
    solo = next(record for record in records if read_record(rules, record)[0].difficulty >= 0)
    for card in range(len(rules.tables.CARDS)):
        for row in range(5):
            for donation in (False, True):
                yield andrew(solo, card, row, donation), False
    for record in records:
        game = read_record(rules, record)[0]
        legal = legal_actions(game)
        for action in chance.sample(legal, min(len(legal), 2)):
            yield decide(record, action), False
    for kind in (builds, activations, uses, steps):
        for record, action in kind(rules, records):
            yield decide(record, action), True
    for record in ends(rules, chance, records):
        yield score(record), False


def walks(rules: types.SimpleNamespace, chance: random.Random) -> Iterator[bytes]:
    """Records of random games of rich companies, with and without modules."""
    state = rules.state
    for number in itertools.count():
        options = GAMES[number % 4] | (dict.fromkeys(("new_departments", "diverse_setup"), True) if number % 3 else {})
        games = rules.setup.template(rules.options.Options(**options))
        game = games[0]
        begin(rules, game, number)
        taken = 0
        while game.phase != state.OVER and taken < 300:
            if game.phase == state.TIMELINE and game.round_number in (2, 8, 14):
                enrich(rules, game, chance)
            if taken % 2 == 0 and game.round_number > 0:
                yield games.tobytes()
            legal = legal_actions(game)
            others = [n for n in legal if n] or legal  # passing ends a turn early
            advance(rules, game, chance.choice(others if chance.random() < 0.9 else legal))
            taken += 1


def enrich(rules: types.SimpleNamespace, game: np.record, chance: random.Random) -> None:
    """Give companies wealth, staffed departments, projects ready to be built, and transport."""
    t, state = rules.tables, rules.state
    last = t.NUM_TILES if game.modules else t.BASE_TILES
    for seat in range(game.num_players):
        game.money[seat], game.goods[seat], game.reserve[seat] = 60, 12, 3
        game.reserved[seat] = 0
        spaces = [space for space in range(t.COMPANY_SPACES) if t.START_DEPARTMENT[space] == 0]
        tiles = chance.sample(range(1, last + 1), len(spaces) - 2)
        game.department[seat] = t.START_DEPARTMENT
        for space, tile in zip(spaces, tiles, strict=False):
            game.department[seat, space] = tile
        for space in range(t.COMPANY_SPACES):
            most = int(t.WORKSTATIONS[game.department[seat, space]])
            game.active[seat, space] = chance.randrange(min(most, 2) + 1)
            game.inactive[seat, space] = chance.randrange(2)
        game.inactive[seat, t.LOBBY_SPACE] = 2
        game.missions[seat] = [chance.randrange(3) for _ in range(4)]
        for tab in range(4):
            game.tab_pulled[seat, tab] = chance.randrange(t.TAB_LENGTH[tab] + 1)
            ready = min(game.tab_pulled[seat, tab] + 1 - t.TAB_BLANK[tab], t.TAB_PROJECTS[tab])
            game.tab_built[seat, tab] = chance.randrange(max(int(ready), 0) + 1)
        game.track[seat] = [chance.randrange(4) for _ in range(4)]
        game.disks[seat] = 9
    state.rebuild_derived(game)
    rules.engine.legal(game)


def every_action(rules: types.SimpleNamespace, games: np.ndarray) -> Iterator[tuple[bytes, int]]:
    """A position with each of its legal actions."""
    rules.state.rebuild_derived(games[0])
    rules.engine.legal(games[0])
    for action in legal_actions(games[0]):
        yield games.tobytes(), action


def solo_turn(rules: types.SimpleNamespace, records: list[bytes]) -> tuple[np.ndarray, Any, int]:
    """A stored turn of a wealthy solo company with modules and nothing in hand: games, the game, its seat."""
    state = rules.state
    for record in records:
        games = read_record(rules, record)
        game = games[0]
        if game.phase == state.TURN and game.num_players == 1 and game.modules:
            seat = int(game.to_play)
            game.moves = game.research = game.relocations = game.started = 0
            game.lifted = game.department_in_use = state.NONE
            game.money[seat], game.goods[seat], game.reserve[seat] = 60, 12, 4
            return games, game, seat
    raise AssertionError("no such turn was stored")


def staff(rules: types.SimpleNamespace, game: Any, seat: int, tiles: dict[int, int], active: int, ready: int) -> None:
    """Put tiles on spaces of a company, with this number of active and ready employees; all others are removed."""
    game.department[seat] = rules.tables.START_DEPARTMENT
    game.active[seat] = game.inactive[seat] = game.ready[:] = 0
    for space, tile in tiles.items():
        game.department[seat, space], game.active[seat, space], game.ready[space] = tile, active, ready


def builds(rules: types.SimpleNamespace, records: list[bytes]) -> Iterator[tuple[bytes, int]]:
    """Every project on every space of an empty board, with Political Lobbying; every tile on a free space."""
    state, t = rules.state, rules.tables
    games, game, seat = solo_turn(rules, records)
    engineering = 3
    game.owner[:], game.tab_built[seat], game.tab_pulled[seat] = state.NONE, 0, t.TAB_LENGTH
    staff(rules, game, seat, {0: t.POLITICAL_LOBBYING, engineering: t.ENGINEERING}, active=1, ready=0)
    game.ready[engineering] = game.started = 1
    game.phase, game.action, game.department_in_use = state.TURN, 2, engineering
    yield from every_action(rules, games)
    game.phase, game.action, game.reserved[seat], game.display[:] = state.SITE, 1, 0, 1
    game.department_in_use = int(t.START_SPACE[2])
    for tile in range(1, t.NUM_TILES + 1):
        game.tile = tile
        yield next(every_action(rules, games))


def uses(rules: types.SimpleNamespace, records: list[bytes]) -> Iterator[tuple[bytes, int]]:
    """Every use of every department tile, by one of two employees; the company has another HR department."""
    state, t = rules.state, rules.tables
    games, game, seat = solo_turn(rules, records)
    game.disks[seat], game.owner[:], game.track[seat] = 12, seat, 1  # projects in every region
    for tile in range(1, t.NUM_TILES + 1):
        staff(rules, game, seat, {0: tile}, active=2, ready=2)
        game.inactive[seat, t.LOBBY_SPACE] = 3
        game.chosen_row = int(t.DEPARTMENT_TYPE[tile])
        state.rebuild_derived(game)
        rules.turn.begin_turn(game)
        for record, action in every_action(rules, games):
            yield record, action
            after = games.copy()
            advance(rules, after[0], action)
            if after[0].phase == state.HALVES:
                yield from ((after.tobytes(), half) for half in legal_actions(after[0]))


def steps(rules: types.SimpleNamespace, records: list[bytes]) -> Iterator[tuple[bytes, int]]:
    """Every step on every transport track, the last one with its reward, and the incomes there, with the Archives."""
    state, t = rules.state, rules.tables
    games, game, seat = solo_turn(rules, records)
    game.track[:] = 0
    staff(rules, game, seat, {0: t.ARCHIVES}, active=1, ready=0)
    game.inactive[seat, t.LOBBY_SPACE] = 2
    for space in range(t.TRACK_SPACES):
        game.track[seat] = space
        game.phase, game.action, game.research = state.TURN, 3, 20
        yield from every_action(rules, games)
        for region in range(4):
            game.phase, game.event_region[0, 0], game.missions[seat] = state.RECOVER, region, 1
            game.chosen_row, game.marker[0] = 0, 0
            yield from every_action(rules, games)


def activations(rules: types.SimpleNamespace, records: list[bytes]) -> Iterator[tuple[bytes, int]]:
    """In every department tile one more employee is activated, from the first workstation to the last."""
    state, t = rules.state, rules.tables
    games, game, seat = solo_turn(rules, records)
    game.phase = state.ACTIVATION
    for tile in range(1, t.NUM_TILES + 1):
        for active in range(int(t.WORKSTATIONS[tile])):
            staff(rules, game, seat, {0: tile}, active, ready=0)
            game.inactive[seat, 0] = 2
            yield list(every_action(rules, games))[1]


def ends(rules: types.SimpleNamespace, chance: random.Random, records: list[bytes]) -> Iterator[bytes]:
    """Positions to score: random disks on spaces and donations, then networks that depend on one line each."""
    t, state = rules.tables, rules.state
    for number in range(ENDS):
        games = read_record(rules, records[number * 7 % len(records)])
        game = games[0]
        if number % 5:
            enrich(rules, game, chance)
        seats = range(game.num_players)
        game.owner[:] = [chance.choice((-1, -1, *seats)) for _ in range(t.NUM_SPACES)]
        owners = (*seats, state.ANDREW) if game.num_players == 1 else seats
        game.donation[:] = [1 << chance.choice(owners) for _ in t.DONATIONS]
        game.panel[:] = chance.sample(range(4), 4) if number % 2 else state.NONE
        if number % 10 == 0:
            game.card_place[:] = [chance.randrange(5) for _ in game.card_place]
            game["round_number"] = 20
        for seat in seats:
            game.tab_side[seat] = [chance.randrange(2) for _ in range(4)]
            game.tab_pulled[seat] = [chance.randrange(length + 1) for length in t.TAB_LENGTH.tolist()]
            game.track[seat] = [chance.randrange(5) for _ in range(4)]
            wealth = 4 if number % 6 == 2 else 1  # enough for every payment of a donation or not
            game.money[seat], game.goods[seat] = chance.randrange(25) * wealth, chance.randrange(5) * wealth
            game.action_tile[seat] = chance.randrange(2)
        game.track[state.ANDREW] = [chance.randrange(5) for _ in range(4)] if game.num_players == 1 else 0
        if number % 8 == 1:  # every city linked, at every level, with the Post Office
            game.owner[:], game.track[0] = 0, number // 8 % 5
            game.department[0, 0], game.active[0, 0] = t.POST_OFFICE, 1
            if number % 3:  # except one large city
                city = int(chance.choice(np.flatnonzero(t.CITY_LINK_POINTS > 0)))
                game.owner[t.CITY_FIRST_SPACE[city] : t.CITY_FIRST_SPACE[city + 1]] = state.NONE
        yield games.tobytes()
    lines = [(a, b) for a in range(t.NUM_CITIES) for b in range(a) if int(t.CITY_ADJACENT[a]) >> b & 1]
    large = np.flatnonzero(t.CITY_LINK_POINTS > 0).tolist()
    for line in lines:
        ways = []
        for start, end in itertools.permutations(large, 2):
            first = path(t, chance, start, line[0], {line[1], end} - {line[0]})
            second = first and path(t, chance, line[1], end, set(first))
            if second:
                ways.append([*first, *second])
        for way in sorted(ways, key=len)[:2]:
            games = read_record(rules, records[0])
            game = games[0]
            game.owner[:] = state.NONE
            for city in way:
                game.owner[int(t.CITY_FIRST_SPACE[city])] = 0
            game.track[0] = 4
            yield games.tobytes()


def path(t: types.ModuleType, chance: random.Random, start: int, end: int, without: set[int]) -> list[int]:
    """A shortest path between two cities that avoids others; [] if there is none."""
    ways, seen = [[start]], {start, *without}
    while ways and start not in without:
        if ways[0][-1] == end:
            return ways[0]
        way = ways.pop(0)
        further = [c for c in range(t.NUM_CITIES) if int(t.CITY_ADJACENT[way[-1]]) >> c & 1 and c not in seen]
        chance.shuffle(further)
        ways += [[*way, city] for city in further]
        seen.update(further)
    return []


CARNEGIE = Game(
    package="carnegie_env.carnegie",
    modules=("state", "options", "engine", "rules.setup", "rules.timeline", "rules.turn", "rules.scoring"),
    unread=frozenset({"id", "rule", "xy"}),
    names=(
        shipped.REGIONS, shipped.EVENTS, shipped.ACTION_TYPES, shipped.SPACE_TYPES, shipped.LEVELS,
        shipped.DONATION_COLUMNS, shipped.COUNTS, shipped.CITIES, shipped.DONATIONS,
    ),
    probes=probes,
)  # fmt: skip
