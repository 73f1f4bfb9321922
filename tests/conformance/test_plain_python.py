"""With NUMBA_DISABLE_JIT=1 the rules of every game run as plain Python and play the same games."""

import os
import subprocess
import sys

import pytest

from tests.conformance.plain import lines
from tests.conformance.tables import GAMES


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="this process does not compile")
def test_plain_python_plays_the_same_games():
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.conformance.plain"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    plain = subprocess.Popen(command, env=environment, text=True, stdout=-1, stderr=-1)
    compiled = lines()
    output, errors = plain.communicate(timeout=300)
    assert plain.returncode == 0, errors[-3000:]
    for one, other in zip(compiled, output.splitlines(), strict=False):
        assert one == other
    assert len(output.splitlines()) == len(compiled)
    assert all(sum(line.startswith(name) for line in compiled) > 5 for name in GAMES)
