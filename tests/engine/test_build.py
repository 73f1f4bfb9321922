"""How the library of compiled loops is built."""

from carnegie_env.engine import build


def test_sources_that_change_during_a_build_make_its_library_outdated(monkeypatch):
    monkeypatch.setattr(build.uses, "all_games", list)
    monkeypatch.setattr(build.sources, "sources", lambda: "before")
    monkeypatch.setattr(build, "linked", lambda entries: monkeypatch.setattr(build.sources, "sources", lambda: "after"))
    assert 'sources = "before"' in build.header(build.Loops(), ())
