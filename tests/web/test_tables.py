"""Tables over the API: made, played, undone, looked back at, downloaded."""

import json
import random
import re
import threading
import time
from typing import Any

import pytest

from carnegie_env import GameRecord, Position, collection, games
from carnegie_env.carnegie.options import MODULES
from carnegie_env.core import information, log
from carnegie_env.web import messages
from carnegie_env.web.store import NotSaved
from tests.web.served import Here

Json = dict[str, Any]


def played(decisions: int, **options: Any) -> Position:
    """A game after some random decisions."""
    position, generator = Position.new(options, seed=9), random.Random(9)
    for _ in range(decisions):
        position.apply(generator.choice(position.legal_actions()))
    return position


# ---------------------------------------------------------------- games and agents
def test_about_lists_games_options_and_agents(server: Here) -> None:
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


def test_help_topics(server: Here) -> None:
    for game in games():
        found = server.get(f"/api/help/{game}")
        assert set(found) == {*games()[game].presentation.topics(), "reconstructed"}
        assert re.match(r"\d+ component values are reconstructed", found["reconstructed"]["text"])
        for topic in found.values():
            messages.Topic.model_validate(topic)
    assert "there is no game" in server.get("/api/help/chess", status=404)["error"]


@pytest.mark.parametrize("name", games())
def test_every_option_on_offer_makes_a_table(server: Here, name: str) -> None:
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
    path, key = made.path, made["key"]
    view = server.play_out(made)
    messages.View.model_validate(view)
    assert view["is_over"] and view["to_play"] is None and not view["legal"] and view["decisions"] == view["last"]
    record = games()[game].record_class.from_text(server.ask("GET", f"{path}/record", key).text)
    end = record.replay()
    assert record.seed == 5 and len(record.actions) == view["decisions"]
    assert [(score["low"], score["high"]) for score in view["scores"]] == [(n, n) for n in end.scores()]
    assert view["places"] == end.places()
    assert games()[game].position_class.from_json(server.ask("GET", f"{path}/position", key).text) == end
    for k in (0, 1, view["decisions"] // 2, view["decisions"]):  # earlier positions
        earlier = server.get(f"{path}/at/{k}", made["watch"])
        messages.View.model_validate(earlier)
        position = record.replay(k)
        assert earlier["decisions"] == k and earlier["round"] == position.round
        assert [action["text"] for action in earlier["legal"]] == position.legal_actions()
        assert all(line["decisions"] <= k for line in earlier["told"])
    scores = server.get(f"{path}/scores", key)
    messages.Scores.model_validate(scores)
    last = scores["rounds"][-1]
    assert last["decisions"] == view["decisions"] and [row["total"] for row in last["scores"]] == end.scores()
    assert [entry["round"] for entry in scores["rounds"]] == sorted({p.round for p in record.positions()})
    for entry in scores["rounds"][:-1]:  # with the last decision of the round
        last_of_round, next_round = (record.replay(entry["decisions"] - back).round for back in (1, 0))
        assert last_of_round == entry["round"] < next_round
    picture = server.ask("GET", f"{path}/picture.svg?theme=dark", key)
    assert picture.headers["content-type"] == "image/svg+xml" and picture.text.startswith("<svg ")


def test_the_log_is_the_same_as_in_the_terminal(server: Here) -> None:
    made = server.new(seed=11)
    view = server.play_out(made, most=30)
    position, wanted = Position.new({"num_players": 1}, 11), []
    actions = server.tables.get(made["table"]).actions
    for number, action in enumerate(actions, 1):
        steps = log.steps(position, action)
        told = log.joined(each for step in steps for each in log.phrases(position.game, step, 0))
        wanted += [(number, who, str(phrase)) for who, phrase in told]
        position.apply(action)
    assert [(line["decisions"], line["who"], line["text"]) for line in view["told"]] == wanted[-200:]
    assert view["since"] == len(actions)
    assert any(line["who"] == "andrew" for line in view["told"])


def test_a_second_click_changes_nothing(server: Here) -> None:
    made = server.new()
    first = server.view(made)
    second = server.decide(made, first, first["legal"][0]["text"])
    refused = server.decide(made, first, status=409)
    assert "you have seen 0 decisions, but the game now has 1" in refused["error"]
    assert server.view(made) == second


def test_illegal_actions_and_wrong_seats_are_refused(server: Here) -> None:
    made = server.new("carnegie", "here", "invited", seed=1)
    path, key = made.path, made["key"]
    other = server.post(f"/api/invitations/{made['invitations'][0]['code']}")["key"]
    mover, waiting = (key, other) if server.view(made)["your_turn"] else (other, key)
    before = server.get(path, mover)
    for action in (0, 10**9, -1, "fly to the moon", "pass"):
        refused = server.post(f"{path}/decisions", mover, {"decisions": 0, "action": action}, 422)
        assert "player_" in refused["error"] or action == 10**9
    asked = {"decisions": 0, "action": before["legal"][0]["action"]}
    assert "it is the turn of player_" in server.post(f"{path}/decisions", waiting, asked, 409)["error"]
    assert "only for watching" in server.post(f"{path}/decisions", made["watch"], asked, 403)["error"]
    assert server.get(path, mover) == before


# ---------------------------------------------------------------- seats
def test_an_invitation_works_once_and_its_key_is_shown_to_no_one_else(server: Here) -> None:
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
    assert [seat["yours"] for seat in server.get(made.path, taken["key"])["seats"]] == [0, 0, 1]
    assert server.ask("GET", made.path, codes[1]).status_code == 401  # an invitation is not a key


def test_keys_open_only_their_own_table(server: Here) -> None:
    one, other = server.new(), server.new()
    for key, status in ((None, 401), ("x" * 22, 401), (other["key"], 403), (other["watch"], 403), (server.host, 403)):
        for method, rest in (("GET", ""), ("GET", "/picture.svg"), ("GET", "/record"), ("GET", "/position"),
                             ("GET", "/scores"), ("GET", "/at/0"), ("POST", "/resume")):  # fmt: skip
            resumes = key == server.host and rest == "/resume"  # allowed, but the table is not stopped
            assert server.ask(method, one.path + rest, key).status_code == (409 if resumes else status)
    for key, status in ((None, 401), (one["key"], 403), (one["watch"], 403)):
        for method, path in (("GET", "/api/tables"), ("DELETE", one.path), ("POST", "/api/tables")):
            asked = {"game": "carnegie", "seats": [{"kind": "here"}]} if method == "POST" else None
            assert server.ask(method, path, key, asked).status_code == status
    assert server.ask("GET", "/api/tables/0123456789abcdef", one["key"]).status_code == 404


def test_several_seats_at_one_screen_share_the_view_of_the_seat_to_play(server: Here) -> None:
    made = server.new("carnegie", "here", "here", options={"secret_donation": True, "new_start": True}, seed=2)
    view = server.view(made)
    assert [seat["yours"] for seat in view["seats"]] == [True, True]
    while view["to_play"] == 0:
        view = server.decide(made, view)
    assert {line["text"] for line in view["told"] if line["who"] == "player_0"} == {"fills in more of a sealed sheet"}
    earlier = server.get(f"{made.path}/at/{view['decisions'] - 1}", made["key"])  # still as player_1 sees it
    assert {line["text"] for line in earlier["told"]} == {"fills in more of a sealed sheet"}


def test_tables_are_listed_in_parts_and_deleted(server: Here) -> None:
    made = [server.new() for _ in range(3)]
    first = server.get("/api/tables?limit=2", server.host)
    second = server.get("/api/tables?limit=1&offset=2", server.host)
    messages.Tables.model_validate(first)
    assert [t["table"] for t in first["tables"] + second["tables"]] == [t["table"] for t in made[::-1]]
    assert first["more"]
    assert server.ask("DELETE", made[2].path, server.host).status_code == 204
    assert server.ask("GET", made[2].path, made[2]["key"]).status_code == 401  # its keys are also gone
    assert server.ask("DELETE", made[2].path, server.host).status_code == 404
    assert server.get("/api/tables", server.host)["tables"][0]["table"] == made[1]["table"]


def test_a_table_whose_deletion_fails_goes_on(server: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    made = server.new("carnegie", "here", "here")
    with monkeypatch.context() as patch:
        patch.setattr(server.store, "delete", lambda name: (_ for _ in ()).throw(NotSaved("the disk is full")))
        assert server.ask("DELETE", made.path, server.host).status_code == 507
    assert not server.tables.get(made["table"]).deleted
    assert server.decide(made, server.view(made))["decisions"] == 1


def test_a_table_of_another_edition_is_unreadable(server: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_again(name: str) -> Json:
        server.tables._loaded.clear()
        server.tables._recent.clear()
        listed = {each["table"]: each for each in server.get("/api/tables", server.host)["tables"]}
        assert listed[name]["state"] == "unreadable" and "edition must be" in listed[name]["stopped"]
        return server.get(f"/api/tables/{name}", listed[name]["key"], 409)

    first = server.new(seed=3)
    with monkeypatch.context() as patch:
        patch.setattr(collection.find("carnegie").options, "loaded_edition", classmethod(lambda cls: "2031"))
        assert "edition must be '2031'" in read_again(first["table"])["error"]
        second = server.new(seed=3)
        assert second["options"]["edition"] == "2031"
    assert "edition must be '2026'" in read_again(second["table"])["error"]
    assert server.view(first)["last"] == 0


# ---------------------------------------------------------------- undo
def test_undo_goes_back_to_your_last_decision(server: Here) -> None:
    made = server.new("carnegie", "here", "random", seed=3)
    views = [server.settled(made)]
    for _ in range(12):
        views.append(server.play_out(made, most=views[-1]["decisions"] + 1))
    assert not views[0]["can_undo"] and views[-1]["can_undo"]
    assert server.get(made.path, made["watch"])["can_undo"] is False
    for before, after in zip(views[-2::-1], views[:0:-1], strict=True):
        found = server.post(f"{made.path}/undo", made["key"], {"decisions": after["decisions"]})
        assert found | {"version": 0} == before | {"version": 0}
        assert found["can_undo"] == (0 in server.tables.get(made["table"]).deciders)
        if not found["can_undo"]:
            break


def test_undo_is_refused_if_switched_off_or_with_several_people(server: Here) -> None:
    made = server.new(undo=False)
    assert not server.play_out(made, most=2)["can_undo"]
    refused = server.post(f"{made.path}/undo", made["key"], {"decisions": 2}, 409)
    assert "this table does not allow it" in refused["error"]
    made = server.new("carnegie", "here", "invited", seed=1)
    server.decide(made, server.view(made))
    refused = server.post(f"{made.path}/undo", made["key"], {"decisions": 1}, 409)
    assert "several people" in refused["error"]


# ---------------------------------------------------------------- long polls, variations
def test_a_long_poll_answers_after_a_change(server: Here) -> None:
    made = server.new()
    view, found = server.view(made), []
    waiting = threading.Thread(
        target=lambda: found.append(server.get(f"{made.path}?since={view['version']}&wait=30", made["watch"]))
    )
    begun = time.monotonic()
    waiting.start()
    time.sleep(0.3)
    assert not found
    server.decide(made, view)
    waiting.join(20)
    assert found[0]["decisions"] == 1 and time.monotonic() - begun < 20
    assert server.get(f"{made.path}?since={found[0]['version']}&wait=0.2", made["watch"]) == found[0]  # no change


def test_variations_show_positions_and_change_nothing(server: Here) -> None:
    made = server.new("carnegie", "here", "random", options={"modules": "all"}, seed=4)
    before = server.play_out(made, most=25)
    generator, moves = random.Random(2), []
    for _ in range(15):
        asked = {"at": 20, "variation": moves, "theme": "dark"}
        found = server.post(f"{made.path}/variation", made["key"], asked)
        messages.Variation.model_validate(found)
        assert found["decisions"] == 20 + len(moves) and found["last"] == before["decisions"]
        assert found["picture"].startswith("<svg ") and found["legal"]
        moves.append(generator.choice(found["legal"])["action"])
    asked = {"at": 20, "variation": [moves[0], 10**6]}
    refused = server.post(f"{made.path}/variation", made["key"], asked, 422)
    assert refused["error"].startswith("variation, decision 2: there is no action 1000000")
    assert server.view(made) == before


# ---------------------------------------------------------------- uploads
def test_a_table_from_a_record(server: Here) -> None:
    position = played(40, num_players=2, secret_donation=True)
    text = GameRecord.of(position).to_text()
    made = server.new("carnegie", "here", "here", record=text)
    view = server.view(made)
    assert view["decisions"] == 40 and view["can_undo"] and len(view["told"]) > 40
    assert server.ask("GET", f"{made.path}/record", made["key"]).text == text  # nothing in it is secret
    assert Position.from_json(server.ask("GET", f"{made.path}/position", made["key"]).text) == position
    assert server.play_out(made)["is_over"]
    # with another person at the table, hidden information stays hidden
    made = server.new("carnegie", "here", "invited", record=text)
    assert server.ask("GET", f"{made.path}/record", made["key"]).status_code == 409
    shown = Position.from_json(server.ask("GET", f"{made.path}/position", made["watch"]).text)
    assert shown == information.as_seen(position, information.WATCHER) != position


def test_a_table_from_a_position(server: Here) -> None:
    made = server.new(position=played(20, num_players=1).to_dict())
    assert server.play_out(made)["is_over"]
    refused = server.get(f"{made.path}/record", made["key"], 409)
    assert "began as a position" in refused["error"]


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"record": "nonsense"}, "record:1: 'nonsense' is not the first line of a record"),
        ({"record": ""}, "record:1: the file ends here"),
        ({"record": "carnegie-env game record 1\ngame chess\n"}, "'chess'"),
        ({"record": "nonsense", "game": "carnegie"}, "record:1: 'nonsense' is not the first line of a record"),
        ({"position": {"options": {}}, "game": "carnegie"}, "game: is missing"),
        ({"record": "x", "position": {}}, "not with both"),
        ({"record": "x", "seed": 3}, "leave out yours"),
        ({"position": {}}, "game"),
        ({"position": {"game": "carnegie", "options": 5}}, "options"),
        ({"options": {"num_players": 3}}, "this game needs 3 seats, not 1"),
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
def test_an_invalid_request_makes_no_table(server: Here, more: Json, error: str) -> None:
    before = server.store.count()
    asked = {"game": "carnegie", "seats": [{"kind": "here"}], **more}
    if {"record", "position"} & set(more) and "game" not in more:
        del asked["game"]
    assert error in server.post("/api/tables", server.host, asked, 422)["error"]
    assert server.store.count() == before


# ---------------------------------------------------------------- OpenAPI
def test_openapi_describes_every_route(server: Here) -> None:
    found = server.get("/openapi.json")
    operations = {(path, method): each for path, methods in found["paths"].items() for method, each in methods.items()}
    assert len(operations) == 18
    for (path, method), operation in operations.items():
        assert operation["description"], (path, method)
        if "{table}" in path:
            assert operation["security"] and {"401", "403", "404"} <= set(operation["responses"])
    for path in ("/docs", "/redoc"):
        assert server.ask("GET", path).status_code == 404
