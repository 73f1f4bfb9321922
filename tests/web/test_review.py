"""Reviews of tables: only when nothing is secret, by a process, and the same as the library's."""

from tests.web.served import Here


def test_a_table_is_reviewed_when_nothing_in_it_is_secret(server: Here) -> None:
    made = server.new("carnegie", "here", seed=3, options={"difficulty": "normal"})
    server.decide(made, server.settled(made))
    assert "hidden information" in server.post(f"{made.path}/review", made["key"], {}, 409)["error"]
    last = server.play_out(made)
    assert last["is_over"]
    found = server.post(f"{made.path}/review", made["watch"], {"budget": "quick"})
    assert len(found["decisions"]) == last["decisions"] and found["over"] and found["estimates"] == "network"
    assert found["seats"][0]["result"] == last["scores"][0]["low"] - last["scores"][1]["low"]
    assert "quick" in server.post(f"{made.path}/review", made["key"], {"budget": "endless"}, 422)["error"]


def test_an_uploaded_game_is_reviewed_before_its_end(server: Here) -> None:
    made = server.new("steel_driver", "here", "here", "here", seed=3)
    server.play_out(made, most=10)
    position = server.get(f"{made.path}/position", made["key"])
    seats = [{"kind": "here"}] * 3
    other = server.post("/api/tables", server.host, {"position": position, "seats": seats}, 201)
    path, key = f"/api/tables/{other['table']}", other["key"]
    view = server.get(path, key)
    action = view["legal"][0]["action"]
    server.post(f"{path}/decisions", key, {"decisions": view["decisions"], "action": action})
    found = server.post(f"{path}/review", key, {})
    assert len(found["decisions"]) == 1 and not found["over"] and found["estimates"] == "network"
    assert found["seats"][0]["deal"] == 0
