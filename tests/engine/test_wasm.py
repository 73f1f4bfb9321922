"""The WebAssembly module in Node and in Chromium: the same games as Python.

`make test-c` builds it and runs these tests; without it, without Node or without Chromium, they are skipped.
"""

import functools
import gzip
import http.server
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from tests.browser.conftest import BROWSER, FLAGS
from tests.engine.test_c_library import DIGEST, SCORES, TABLES, built_from_these_sources
from tests.engine.test_library import BUILT as ENGINE_BUILT
from tests.engine.test_library import NO_NUMBA, run
from tests.paths import ROOT

BUILT = ROOT / "build" / "wasm"
WEIGHTS = ROOT / "carnegie_env" / "agents" / "weights"
PROGRAMS = Path(__file__).parent / "javascript"
NETWORKS = [({"num_players": 2}, "carnegie-2"), ({"num_players": 1, "modules": "all"}, "carnegie-1-expansion")]
pytestmark = [
    pytest.mark.skipif(not ENGINE_BUILT, reason="make engine builds the library that games are compared with"),
    pytest.mark.skipif(not built_from_these_sources(BUILT / "package.json"), reason="make wasm builds the module"),
]


@pytest.fixture(scope="module")
def expected():
    """What Python computes."""
    tables = [each[1:] for each in TABLES]
    digests = f"[[*each, digest(*each)] for each in {tables!r}]"
    scores = f"[[options, file, scores(options)] for options, file in {NETWORKS!r}]"
    return run(f"{NO_NUMBA}{DIGEST}{SCORES}\nprint(json.dumps({{'digests': {digests}, 'scores': {scores}}}))")


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
def test_node(expected):
    around = os.environ | {"MODULE": str(BUILT), "WEIGHTS": str(WEIGHTS), "EXPECTED": json.dumps(expected)}
    program = PROGRAMS / "engine.test.mjs"
    done = subprocess.run(["node", "--test", program], capture_output=True, text=True, env=around, timeout=600)
    assert done.returncode == 0, done.stdout
    assert "# fail 0" in done.stdout and "# pass 0" not in done.stdout


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
def test_the_package_runs_the_example(tmp_path):
    shutil.copy(ROOT / "docs" / "examples" / "javascript" / "play.mjs", tmp_path)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "carnegie-env").symlink_to(BUILT)
    words = ["node", "play.mjs", WEIGHTS / "carnegie-2-expansion.safetensors"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("673 actions, 1352 features; scores ")


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """Nothing."""


@pytest.mark.skipif(not Path(BROWSER).exists(), reason="there is no Chromium (.ci/browser installs Debian's)")
def test_chromium(expected):
    sync_api = pytest.importorskip("playwright.sync_api")
    serve = functools.partial(Files, directory=str(ROOT))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server, sync_api.sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        expected = expected | {"digests": [each for each in expected["digests"] if each[2] < 64]}  # not the longest one
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/docs/site.css")
        found = page.evaluate(
            """async ({ digests, scores }) => {
                const { load } = await import("/build/wasm/carnegie.mjs")
                const { digest, played, searchTimes } = await import("/tests/engine/javascript/play.mjs")
                const engine = await load()
                const weights = async (name) => (await fetch(`/agents/weights/${name}.safetensors`)).arrayBuffer()
                const made = []
                for (const [options, name, { length }] of scores) {
                    made.push([options, name, played(engine, options, await weights(name), length)])
                }
                return {
                    digests: digests.map((each) => [...each.slice(0, 4), digest(engine, ...each.slice(0, 4))]),
                    scores: made,
                    times: searchTimes(engine, { num_players: 2 }, await weights("carnegie-2"), 5),
                }
            }""",
            expected,
        )
        browser.close()
        server.shutdown()
    times = found.pop("times")
    assert found == expected
    assert min(times) < 300  # each has a budget of 100 ms, but other programs run here as well


def test_the_module_is_small():
    assert len(gzip.compress((BUILT / "engine.wasm").read_bytes())) < 150_000
