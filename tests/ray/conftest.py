"""Two nodes with a core each for all tests. Games of the toy game are played there without a compiler."""

import os
import tempfile
import uuid
from collections.abc import Iterator

import pytest

from tests.ray.nodes import Nodes

# These clusters are private to the tests and leave no trace. Ray reads the variables when it is imported.
os.environ.setdefault("RAY_AUTH_MODE", "token")
os.environ.setdefault("RAY_AUTH_TOKEN", uuid.uuid4().hex)
FOLDER = tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True)  # removed when this process ends
os.environ["RAY_TMPDIR"] = FOLDER.name
os.environ.pop("RAY_ADDRESS", None)


@pytest.fixture(scope="session")
def all_nodes() -> Iterator[Nodes]:
    """The nodes of the session."""
    pytest.importorskip("ray")
    with Nodes(NUMBA_DISABLE_JIT="1") as nodes:
        nodes.start("one")
        nodes.start("two")
        yield nodes


@pytest.fixture
def nodes(all_nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> Nodes:
    """The nodes `one` and `two`, also after a test that has killed `two`. This process compiles nothing either."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    if "two" not in all_nodes.names:
        all_nodes.start("two")
    return all_nodes
