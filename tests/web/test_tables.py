"""Tables over the API: made, played, taken back, looked back at, kept."""

import json
import random
from typing import Any

import pytest

from carnegie_env import GameRecord, Position, games
from carnegie_env.carnegie.options import MODULES
from carnegie_env.core import information
from carnegie_env.web import messages
from tests.web.served import Here

Json = dict[str, Any]


def play_out(server: Here, table: str, key: str, seed: int = 1, most: int = 10_000) -> Json:
    """Play at a table with one person to the end: the last view."""
    generator = random.Random(seed)
    view = server.get(f"/api/tables/{table}", key)
    while not view["is_over"] and view["decisions"] < most:
        while not view["your_turn"] and not view["is_over"]:
            assert view["stopped"] is None, view["stopped"]
            view = server.get(f"/api/tables/{table}?since={view['version']}&wait=20", key)
        if not view["is_over"]:
            view = decide(server, table, key, view, generator.choice(view["legal"])["action"])
    return view


def decide(server: Here, table: str, key: str, view: Json, action: int | str, status: int = 200) -> Json:
    asked = {"decisions": view["decisions"], "action": action}
    found: Json = server.post(f"/api/tables/{table}/decisions", key, asked, status)
    return found


# ---------------------------------------------------------------- what there is
def test_what_there_is(server: Here) -> None:
    found = server.get("/api/about")
    messages.About.model_validate(found)
    assert [game["name"] for game in found["games"]] == list(games())
    carnegie, steel_driver = found["games"]
    options = {option["name"]: option for option in carnegie["options"]}
    assert set(options) == {"difficulty", "timeline_tiles", "show_forced", "modules"}
    assert options["difficulty"]["solo_only"] and "expert" in options["difficulty"]["choices"]
    assert options["modules"]["choices"] == list(MODULES) and "wait" in options["modules"]["not_solo"]
    assert options["show_forced"]["kind"] == "flag" and options["show_forced"]["default"] is False
    assert carnegie["seats"] == [1, 4] and carnegie["opponent"] == "andrew" and steel_driver["opponent"] is None
    assert [option["name"] for option in steel_driver["options"]] == ["show_forced"]
    assert all(option["help"] for game in found["games"] for option in game["options"])
    assert {"random", "greedy"} <= {agent["name"] for agent in found["agents"]}
    assert not any("ppo" in agent["name"] for agent in found["agents"])


def test_help_on_the_things_on_a_board(server: Here) -> None:
    for game in games():
        found = server.get(f"/api/help/{game}")
        assert set(found) == set(games()[game].presentation.topics())
        for topic in found.values():
            messages.Topic.model_validate(topic)
    assert "there is no game" in server.get("/api/help/chess", status=404)["error"]


@pytest.mark.parametrize("name", games())
def test_every_option_that_is_offered_makes_a_table(server: Here, name: str) -> None:
    about = next(game for game in server.get("/api/about")["games"] if game["name"] == name)
    for players in range(about["seats"][0], about["seats"][1] + 1):
        for option in about["options"]:
            values: list[Any] = {
                "flag": [True],
                "choice": option["choices"],
                "names": [[choice for choice in option["choices"] if players > 1 or choice not in option["not_solo"]]],
            }[option["kind"]]
            for value in values if players == 1 or not option["solo_only"] else []:
                made = server.new(name, *["here"] * players, options={option["name"]: value})
                assert made["options"]["num_players"] == players
                if option["kind"] == "names":
                    assert all(made["options"][module] for module in value)
                else:
                    assert made["options"][option["name"]] == value


# ---------------------------------------------------------------- playing
@pytest.mark.parametrize(
    ("game", "seats", "options"),
    [
        ("carnegie", ["here"], {"difficulty": "expert"}),
        ("carnegie", ["here", "random", "here"], {"modules": "all"}),
        ("steel_driver", ["here", "random", "random"], {}),
    ],
)
def test_a_whole_game(server: Here, game: str, seats: list[str], options: Json) -> None:
    made = server.new(game, *seats, options=options, seed=5)
    messages.Summary.model_validate(made)
    table, key = made["table"], made["key"]
    view = play_out(server, table, key)
    messages.View.model_validate(view)
    assert view["is_over"] and view["to_play"] is None and not view["legal"] and view["decisions"] == view["last"]
    record = games()[game].record_class.from_text(server.ask("GET", f"/api/tables/{table}/record", key).text)
    end = record.replay()
    assert record.seed == 5 and len(record.actions) == view["decisions"]
    assert [(score["low"], score["high"]) for score in view["scores"]] == [(n, n) for n in end.scores()]
    assert view["places"] == end.places()
    assert games()[game].position_class.from_json(server.ask("GET", f"/api/tables/{table}/position", key).text) == end
    # looking back: every position, and the scores over the rounds
    for k in (0, 1, view["decisions"] // 2, view["decisions"]):
        earlier = server.get(f"/api/tables/{table}/at/{k}", made["watch"])
        messages.View.model_validate(earlier)
        position = record.replay(k)
        assert earlier["decisions"] == k and earlier["round"] == position.round
        assert [action["text"] for action in earlier["legal"]] == position.legal_actions()
        assert all(line["decisions"] <= k for line in earlier["told"])
    scores = server.get(f"/api/tables/{table}/scores", key)
    messages.Scores.model_validate(scores)
    last = scores["rounds"][-1]
    assert last["decisions"] == view["decisions"] and [row["total"] for row in last["scores"]] == end.scores()
    assert [entry["round"] for entry in scores["rounds"]] == sorted({p.round for p in record.positions()})
    picture = server.ask("GET", f"/api/tables/{table}/picture.svg?theme=dark", key)
    assert picture.headers["content-type"] == "image/svg+xml" and picture.text.startswith("<svg ")


def test_told_is_what_the_terminal_tells(server: Here) -> None:
    """The same phrases in the same order as `carnegie-env play` has them."""
    from carnegie_env.core import log

    made = server.new("carnegie", "here", seed=11)
    view = play_out(server, made["table"], made["key"], most=30)
    position, wanted = Position.new({"num_players": 1}, 11), []
    record = server.tables.get(made["table"]).actions
    for number, action in enumerate(record, 1):
        steps = log.steps(position, action)
        told = log.joined(each for step in steps for each in log.phrases(position.game, step, 0))
        wanted += [(number, who, str(phrase)) for who, phrase in told]
        position.apply(action)
    assert [(line["decisions"], line["who"], line["text"]) for line in view["told"]] == wanted[-200:]
    assert view["since"] == len(record)
    assert any(line["who"] == "andrew" for line in view["told"])


def test_a_second_click_changes_nothing(server: Here) -> None:
    made = server.new("carnegie", "here")
    table, key = made["table"], made["key"]
    first = server.get(f"/api/tables/{table}", key)
    second = decide(server, table, key, first, first["legal"][0]["text"])
    refused = decide(server, table, key, first, first["legal"][0]["action"], 409)
    assert "you have seen 0 decisions, but there are 1" in refused["error"]
    assert server.get(f"/api/tables/{table}", key) == second


def test_what_is_not_legal_is_refused(server: Here) -> None:
    made = server.new("carnegie", "here", "invited", seed=1)
    table, key = made["table"], made["key"]
    other = server.post(f"/api/invitations/{made['invitations'][0]['code']}")["key"]
    view = server.get(f"/api/tables/{table}", key)
    mover, waiting = (key, other) if view["your_turn"] else (other, key)
    before = server.get(f"/api/tables/{table}", mover)
    for action in (0, 10**9, -1, "fly to the moon", "pass"):
        assert "player_" in decide(server, table, mover, before, action, 422)["error"] or action == 10**9
    assert "is to decide, not you" in decide(server, table, waiting, before, before["legal"][0]["action"], 409)["error"]
    assert decide(server, table, made["watch"], before, 1, 403)["error"].startswith("this key is for watching")
    assert server.get(f"/api/tables/{table}", mover) == before


# ---------------------------------------------------------------- seats
def test_an_invitation_works_once_and_its_key_is_nobody_elses(server: Here) -> None:
    made = server.new("carnegie", "here", "invited", "invited")
    codes = {each["seat"]: each["code"] for each in made["invitations"]}
    assert set(codes) == {1, 2} and len(set(codes.values())) == 2
    taken = server.post(f"/api/invitations/{codes[2]}", None, {"name": " Ada "})
    messages.Taken.model_validate(taken)
    assert taken["seat"] == 2 and taken["table"] == made["table"]
    assert server.post(f"/api/invitations/{codes[2]}", status=409)
    found = next(t for t in server.get("/api/tables", server.host)["tables"] if t["table"] == made["table"])
    assert [each["seat"] for each in found["invitations"]] == [1]
    assert found["seats"][2] == {"seat": 2, "kind": "invited", "name": "Ada", "taken": True}
    assert taken["key"] not in json.dumps(found)
    assert [seat["yours"] for seat in server.get(f"/api/tables/{made['table']}", taken["key"])["seats"]] == [0, 0, 1]
    assert server.ask("GET", f"/api/tables/{made['table']}", codes[1]).status_code == 401  # an invitation is no key


def test_keys_open_their_own_table_only(server: Here) -> None:
    one, other = server.new("carnegie", "here"), server.new("carnegie", "here")
    path = f"/api/tables/{one['table']}"
    for key, status in ((None, 401), ("x" * 22, 401), (other["key"], 403), (other["watch"], 403), (server.host, 403)):
        for method, rest in (("GET", ""), ("GET", "/picture.svg"), ("GET", "/record"), ("GET", "/position"),
                             ("GET", "/scores"), ("GET", "/at/0"), ("POST", "/resume")):  # fmt: skip
            hosts = key == server.host and rest == "/resume"  # he may, but nothing has stopped the table
            assert server.ask(method, path + rest, key).status_code == (409 if hosts else status)
    for key, status in ((None, 401), (one["key"], 403), (one["watch"], 403)):
        assert server.ask("GET", "/api/tables", key).status_code == status
        assert server.ask("DELETE", path, key).status_code == status
        body = {"game": "carnegie", "seats": [{"kind": "here"}]}
        assert server.ask("POST", "/api/tables", key, body).status_code == status
    assert server.ask("GET", "/api/tables/0123456789abcdef", one["key"]).status_code == 404


def test_several_seats_at_one_screen(server: Here) -> None:
    """They see what the one of them sees that is to play."""
    made = server.new("carnegie", "here", "here", options={"secret_donation": True, "new_start": True}, seed=2)
    view = server.get(f"/api/tables/{made['table']}", made["key"])
    assert [seat["yours"] for seat in view["seats"]] == [True, True]
    while view["to_play"] == 0:
        view = decide(server, made["table"], made["key"], view, view["legal"][0]["action"])
    assert {line["text"] for line in view["told"] if line["who"] == "player_0"} == {"fills in more of a sealed sheet"}


def test_deleted_tables_are_gone(server: Here) -> None:
    made = server.new("carnegie", "here")
    assert server.ask("DELETE", f"/api/tables/{made['table']}", server.host).status_code == 204
    assert server.ask("GET", f"/api/tables/{made['table']}", made["key"]).status_code == 401  # its keys, too
    assert server.ask("DELETE", f"/api/tables/{made['table']}", server.host).status_code == 404
    assert made["table"] not in [t["table"] for t in server.get("/api/tables?limit=100", server.host)["tables"]]


def test_the_list_of_tables_comes_in_parts(server: Here) -> None:
    made = [server.new("carnegie", "here")["table"] for _ in range(3)]
    first = server.get("/api/tables?limit=2", server.host)
    second = server.get("/api/tables?limit=1&offset=2", server.host)
    messages.Tables.model_validate(first)
    assert [t["table"] for t in first["tables"] + second["tables"]] == made[::-1] and first["more"]


# ---------------------------------------------------------------- taking back
def test_undo_takes_back_to_ones_last_decision(server: Here) -> None:
    made = server.new("carnegie", "here", "random", seed=3)
    table, key = made["table"], made["key"]
    views = [server.get(f"/api/tables/{table}", key)]
    for _ in range(12):
        view = play_out(server, table, key, most=views[-1]["decisions"] + 1)
        while not view["your_turn"]:
            view = server.get(f"/api/tables/{table}?since={view['version']}&wait=20", key)
        views.append(view)
    assert not views[0]["can_undo"] and views[-1]["can_undo"]
    for before, after in zip(views[-2::-1], views[:0:-1], strict=True):
        found = server.post(f"/api/tables/{table}/undo", key, {"decisions": after["decisions"]})
        changing = {"version"}
        own = [k for k, seat in enumerate(server.tables.get(table).deciders) if seat == 0]
        assert {k: v for k, v in found.items() if k not in changing} == {
            k: v for k, v in before.items() if k not in changing
        }
        assert found["can_undo"] == bool(own)
        if not found["can_undo"]:
            break
    assert server.ask("GET", f"/api/tables/{table}", made["watch"]).json()["can_undo"] is False


def test_nothing_is_taken_back_where_it_would_matter_to_others(server: Here) -> None:
    made = server.new("carnegie", "here", undo=False)
    view = play_out(server, made["table"], made["key"], most=2)
    assert not view["can_undo"]
    refused = server.post(f"/api/tables/{made['table']}/undo", made["key"], {"decisions": 2}, 409)
    assert "decisions stand at this table" in refused["error"]
    made = server.new("carnegie", "here", "invited", seed=1)
    view = server.get(f"/api/tables/{made['table']}", made["key"])
    decide(server, made["table"], made["key"], view, view["legal"][0]["action"])
    refused = server.post(f"/api/tables/{made['table']}/undo", made["key"], {"decisions": 1}, 409)
    assert "several people" in refused["error"]


# ---------------------------------------------------------------- long polls
def test_a_long_poll_answers_when_something_has_happened(server: Here) -> None:
    import threading
    import time

    made = server.new("carnegie", "here")
    path = f"/api/tables/{made['table']}"
    view, found = server.get(path, made["key"]), []
    waiting = threading.Thread(
        target=lambda: found.append(server.get(f"{path}?since={view['version']}&wait=30", made["watch"]))
    )
    begun = time.monotonic()
    waiting.start()
    time.sleep(0.3)
    assert not found
    decide(server, made["table"], made["key"], view, view["legal"][0]["action"])
    waiting.join(20)
    assert found[0]["decisions"] == 1 and time.monotonic() - begun < 20
    assert server.get(f"{path}?since={found[0]['version']}&wait=0.2", made["watch"]) == found[0]  # nothing has


# ---------------------------------------------------------------- variations
def test_variations_are_seen_and_change_nothing(server: Here) -> None:
    made = server.new("carnegie", "here", "random", options={"modules": "all"}, seed=4)
    table, key = made["table"], made["key"]
    view = play_out(server, table, key, most=25)
    before = server.get(f"/api/tables/{table}", key)
    generator, moves = random.Random(2), []
    for _ in range(15):
        asked = {"at": 20, "variation": moves, "theme": "dark"}
        found = server.post(f"/api/tables/{table}/variation", key, asked)
        messages.Variation.model_validate(found)
        assert found["decisions"] == 20 + len(moves) and found["last"] == view["decisions"]
        assert found["picture"].startswith("<svg ") and found["legal"]
        moves.append(generator.choice(found["legal"])["action"])
    refused = server.post(f"/api/tables/{table}/variation", key, {"at": 20, "variation": [moves[0], 10**6]}, 422)
    assert refused["error"].startswith("variation, decision 2: there is no action 1000000")
    assert server.get(f"/api/tables/{table}", key) == before


# ---------------------------------------------------------------- uploads
def test_a_record_goes_on_as_a_table(server: Here) -> None:
    position = Position.new({"num_players": 2, "secret_donation": True}, seed=9)
    generator = random.Random(9)
    for _ in range(40):
        position.apply(generator.choice(position.legal_actions()))
    text = GameRecord.of(position).to_text()
    made = server.new("carnegie", "here", "here", record=text)
    view = server.get(f"/api/tables/{made['table']}", made["key"])
    assert view["decisions"] == 40 and view["can_undo"] and len(view["told"]) > 40
    assert server.ask("GET", f"/api/tables/{made['table']}/record", made["key"]).text == text  # he knows it already
    assert Position.from_json(server.ask("GET", f"/api/tables/{made['table']}/position", made["key"]).text) == position
    assert play_out(server, made["table"], made["key"])["is_over"]
    # with somebody else at the table the rest stays hidden
    made = server.new("carnegie", "here", "invited", record=text)
    assert server.ask("GET", f"/api/tables/{made['table']}/record", made["key"]).status_code == 409
    shown = Position.from_json(server.ask("GET", f"/api/tables/{made['table']}/position", made["watch"]).text)
    assert shown == information.as_seen(position, information.WATCHER) != position


def test_a_position_goes_on_as_a_table(server: Here) -> None:
    position = Position.new({"num_players": 1}, seed=9)
    for _ in range(20):
        position.apply(position.legal_actions()[0])
    made = server.new("carnegie", "here", position=position.to_dict())
    view = play_out(server, made["table"], made["key"])
    assert view["is_over"]
    refused = server.ask("GET", f"/api/tables/{made['table']}/record", made["key"])
    assert refused.status_code == 409 and "began as a position" in refused.json()["error"]


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"record": "nonsense"}, "record:1: 'nonsense' is not the first line of a record"),
        ({"record": ""}, "record:1: the file ends here"),
        ({"record": "carnegie-env game record 1\ngame chess\n"}, "'chess'"),
        ({"record": "x", "position": {}}, "not with both"),
        ({"record": "x", "seed": 3}, "leave yours out"),
        ({"position": {}}, "game"),
        ({"position": {"game": "carnegie", "options": 5}}, "options"),
        ({"options": {"num_players": 3}}, "has 3 seats, but 1 are given"),
        ({"options": {"num_players": "x"}}, "num_players must be"),
        ({"options": {"colour": "red"}}, "unexpected keyword argument 'colour'"),
        ({"options": {"modules": [{}]}}, "there is no module"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"seed": -1}, "seed: Input should be greater than or equal to 0"),
        ({"seats": []}, "seats"),
        ({"seats": [{"kind": "robot"}]}, "seats.0.kind"),
        ({"seats": [{"kind": "agent", "name": "os:system"}]}, "there is no agent 'os:system' here"),
        ({"seats": [{"kind": "agent", "name": "ppo:/etc"}]}, "there is no agent"),
        ({"seats": [{"kind": "agent", "name": "search:network=/etc/passwd"}]}, "only ms, evals, decisions"),
        ({"seats": [{"kind": "agent", "name": "search:ms=999999"}]}, "ms must be a whole number from 1 to 10000"),
        ({"seats": [{"kind": "agent", "name": "greedy:x"}]}, "there is no agent 'greedy:x' here"),
        ({"seats": [{"kind": "agent"}]}, "there is no agent ''"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
    ],
)
def test_what_makes_no_table_is_refused_and_named(server: Here, more: Json, error: str) -> None:
    before = server.store.count()
    asked = {"game": "carnegie", "seats": [{"kind": "here"}], **more}
    asked = {name: value for name, value in asked.items() if name != "game" or not {"record", "position"} & set(more)}
    assert error in server.post("/api/tables", server.host, asked, 422)["error"]
    assert server.store.count() == before


def test_a_broken_record_names_its_line(server: Here) -> None:
    position = Position.new({"num_players": 2}, seed=9)
    for _ in range(9):
        position.apply(position.legal_actions()[0])
    lines = GameRecord.of(position).to_text().splitlines()
    k = next(k for k, line in enumerate(lines) if line.startswith("7 "))
    lines[k] = "7  player_0  fly"
    asked = {"record": "\n".join(lines), "seats": [{"kind": "here"}] * 2}
    assert server.post("/api/tables", server.host, asked, 422)["error"].startswith(f"record:{k + 1}: ")


# ---------------------------------------------------------------- OpenAPI
def test_openapi_describes_everything(server: Here) -> None:
    found = server.get("/openapi.json")
    described = {(path, method) for path, methods in found["paths"].items() for method in methods}
    routes = {(route.path, method.lower()) for route in server.app.server.app.routes
              if route.path.startswith("/api") for method in route.methods}  # fmt: skip
    assert described == routes and len(routes) == 17
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            assert operation["description"], (path, method)
            if "{table}" in path:
                assert operation["security"] and {"401", "403", "404"} <= set(operation["responses"])
    for path in ("/docs", "/redoc"):
        assert server.ask("GET", path).status_code == 404
