"""No one is told what their seat may not see: whole games over the API, with all seats, a watcher and the host.

Two worlds that differ only in information hidden from a seat, also in the past, must give this seat the same responses,
byte for byte. The seed and the state of the generator are in no response until the game is over.
"""

import random
from typing import Any

import numpy as np
import pytest

from carnegie_env.core import kernels, log
from carnegie_env.core.records import as_bytes
from carnegie_env.web import views
from carnegie_env.web.players import Question
from carnegie_env.web.store import Row
from carnegie_env.web.tables import Table
from tests import amounts
from tests.amounts import LONG
from tests.web.served import Here

Json = dict[str, Any]
TABLES = [
    ("carnegie", {"num_players": 1, "modules": "all"}),
    ("carnegie", {"num_players": 2, "modules": "all"}),
    ("carnegie", {"num_players": 4, "modules": "all"}),
    ("steel_driver", {"num_players": 3}),
]
if LONG:
    TABLES.append(("carnegie", {"num_players": 1, "difficulty": "expert"}))
    TABLES.append(("carnegie", {"num_players": 3, "modules": ["new_start", "secret_donation"]}))
EARLY = 24  # decisions at the start, where much is hidden
EVERY = 1 if LONG else 7  # interval of the early decisions compared, with all keys or every second one
LATER = 5 if LONG else 45  # interval of the later ones, with one key
DRAWS = 20  # attempts to draw another world


# ---------------------------------------------------------------- another world
def other_world(table: Table, viewer: int, seed: int) -> Table:
    """A table whose whole past looks the same to a viewer, but whose hidden information differs.

    Decisions can be counted, so a draw with another number of forced decisions in a secret phase is discarded. If all
    draws are, only the seed and future chance differ.
    """
    worlds = (_drawn(table, viewer, seed) for seed in [*range(seed, seed + DRAWS), None])
    return next(world for world in worlds if world is not None)


def _drawn(table: Table, viewer: int, seed: int | None) -> Table | None:
    kind = table.game.record
    now = as_bytes(table.records[-1]).copy().view(kind)
    drawn = now.copy()
    if seed is None:
        drawn["rng"] = 1
    else:
        kernels.redraw_hidden(drawn, np.array([viewer], np.int64), np.array([seed], np.uint64))
    records = []
    for record in table.records:
        other = as_bytes(record).copy().view(kind)
        for name in kind.names or ():
            if name in ("legal", "rng"):
                continue
            hidden = now[name] != drawn[name]
            other[name] = np.where(hidden & (record[name] == now[name]), drawn[name], record[name])
        kernels.refresh(other)
        records.append(other)
    records[-1]["rng"] = drawn["rng"]  # future chance; past chance is known
    row = Row(**vars(table.row))
    row.seed = seed or 0
    made = Table(row, table.game.position_class._of(records[0].copy()), [])
    made.records, made.deciders = records, list(table.deciders)
    for k in range(len(table.actions)):
        action = _action(table, records, k, viewer)
        if action is None:
            return None
        made.actions.append(action)
    return made


def _action(table: Table, records: list[Any], k: int, viewer: int) -> int | None:
    """The action in the other world, which differs only if it was chosen in secret; None if none fits."""
    number = table.actions[k]
    if table.deciders[k] == viewer or not table.game.phase_is_secret(records[k][0]):
        return number
    position = table.game.position_class._of(records[k].copy())
    wanted = records[k + 1]
    for other in position.legal_numbers().tolist():
        after = log.steps(position, other)[-1].after
        if all(np.array_equal(after[name], wanted[name][0])
               for name in wanted.dtype.names if name not in ("rng", "legal")):  # fmt: skip
            return int(other)
    return None


def differ(table: Table, other: Table) -> bool:
    """Whether the two differ in anything hidden besides the generator."""
    return any(
        not np.array_equal(one[name], two[name])
        for one, two in zip(table.records, other.records, strict=True)
        for name in one.dtype.names
        if name not in ("rng", "legal")
    )


# ---------------------------------------------------------------- all responses
def answers(server: Here, table: Table, key: str, generator: random.Random) -> dict[str, bytes]:
    """The responses to all requests with a key, by request."""
    path, last = f"/api/tables/{table.row.id}", len(table.actions)
    at = sorted({last, generator.randint(0, last), max(last - 1, 0)})
    asked: list[tuple[str, str, Json | None]] = [("GET", path, None), ("GET", f"{path}/scores", None)]
    asked += [("GET", f"{path}/position", None), ("GET", f"{path}/record", None)]
    asked += [("GET", f"{path}/picture.svg?theme={theme}", None) for theme in ("light", "dark")]
    asked += [("GET", f"{path}/at/{k}", None) for k in at] + [("GET", f"{path}/picture.svg?at={k}", None) for k in at]
    asked += [("POST", f"{path}/variation", {"at": k, "variation": []}) for k in at]
    moves: list[int] = []
    shown = server.ask("POST", f"{path}/variation", key, {"at": last, "variation": []}).json()
    for _ in range(3):
        if not shown["legal"]:
            break
        moves.append(generator.choice(shown["legal"])["action"])
        shown = server.ask("POST", f"{path}/variation", key, {"at": last, "variation": moves}).json()
        asked.append(("POST", f"{path}/variation", {"at": last, "variation": list(moves)}))
    asked += [("POST", f"{path}/decisions", {"decisions": last, "action": "no such action"})]
    asked += [("POST", f"{path}/decisions", {"decisions": last + 1, "action": 1}), ("POST", f"{path}/resume", None)]
    return {f"{method} {where} {content}": server.ask(method, where, key, content).content
            for method, where, content in asked}  # fmt: skip


def put(server: Here, table: Table) -> None:
    """Make the server use this table."""
    server.tables._loaded[table.row.id] = server.tables._recent[table.row.id] = table


def compare(server: Here, table: Table, key: str, seats: tuple[int, ...], seed: int) -> tuple[bool, list[str]]:
    """Whether another world differs in anything hidden, and the requests whose responses reveal it."""
    other = other_world(table, views.viewer_of(table, seats), seed)
    here = answers(server, table, key, random.Random(seed))
    put(server, other)
    there = answers(server, other, key, random.Random(seed))
    put(server, table)
    assert here.keys() == there.keys(), "the legal actions differ"
    return differ(table, other), [request for request in here if here[request] != there[request]]


# ---------------------------------------------------------------- the tests
def seats_of(server: Here, game: str, options: Json, seed: int) -> tuple[Table, dict[tuple[int, ...], str]]:
    """A table where each seat is another person's, and its keys by seats; () for watching."""
    made = server.new(game, *["invited"] * options["num_players"], options=options, seed=seed)
    keys = {(each["seat"],): server.post(f"/api/invitations/{each['code']}")["key"] for each in made["invitations"]}
    keys[()] = made["watch"]
    return server.tables.get(made["table"]), keys


@pytest.mark.parametrize(("game", "options"), TABLES)
def test_worlds_that_differ_only_in_hidden_information_look_the_same(server: Here, game: str, options: Json) -> None:
    seed = 0xC0FFEE0DDBA11 + options["num_players"]
    table, keys = seats_of(server, game, options, seed)
    generator, different, compared = random.Random(3), 0, 0
    path, begun = f"/api/tables/{table.row.id}", len(server.answers)
    while not table.is_over:
        n = len(table.actions)
        looking: list[tuple[int, ...]] = []
        if n < EARLY:
            looking = list(amounts.some(list(keys), 2 if len(keys) > 3 else 1, n)) if n % EVERY == EVERY - 1 else []
        elif n % LATER == LATER - 1:
            looking = [generator.choice(list(keys))]
        for seats in looking:
            some, found = compare(server, table, keys[seats], seats, 1000 + n)
            assert not found, f"after {n} decisions {seats or 'a watcher'} can tell: {found}"
            different, compared = different + some, compared + 1
        if n % 10 == 9:
            server.get("/api/tables", server.host)
        action = generator.choice(table.position().legal_numbers().tolist())
        server.post(f"{path}/decisions", keys[table.to_play,], {"decisions": n, "action": action})
    assert compared >= 6 and (different > compared / 3 or game == "steel_driver")
    end = next(k for k in range(len(server.answers) - 1, 0, -1) if b'"is_over":true' not in server.answers[k][2])
    told = [(path, content) for _, path, content in server.answers[begun:end]]
    secret = {str(seed), f"{seed:x}", *(str(int(record["rng"][0])) for record in table.records)}
    for where, content in told:
        assert not [word for word in secret if word.encode() in content and len(word) > 6], where


def test_an_agent_is_shown_only_what_its_seat_sees(server: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    table, keys = seats_of(server, "carnegie", {"num_players": 2, "modules": "all"}, 7)
    path, asked = f"/api/tables/{table.row.id}", []
    while table.to_play == 0:
        view = server.get(path, keys[0,])
        server.post(f"{path}/decisions", keys[0,], {"decisions": view["decisions"], "action": view["legal"][0]["text"]})
    monkeypatch.setattr(server.players._changed, "notify_all", lambda: None)  # the threads stay asleep
    for world in (table, other_world(table, 1, 99)):
        server.players.decide(Question("greedy", 5, world.position()))
        asked.append(server.players._waiting.pop().question.position)
    assert differ(table, world) and asked[0] == asked[1]
