"""AddressSanitizer in the library of compiled loops finds what it is there for: `make sanitize`."""

import os

import pytest

from tests.commands import completed

pytestmark = pytest.mark.skipif("libasan" not in os.environ.get("LD_PRELOAD", ""), reason="make sanitize runs this")

PROGRAM = """
import numpy as np
from carnegie_env import Batch
from carnegie_env.core import kernels, library
assert library.module is not None, library.reason
batch = Batch(2, num_players=2)
batch.reset(1)
seats, out = np.zeros({seats}, np.int64), np.zeros(({rows}, batch.observation_size), np.float32)
kernels.observe(batch._games, seats, out)
"""


@pytest.mark.parametrize(("seats", "rows", "found"), [(2, 2, ""), (2, 1, "WRITE"), (1, 2, "READ of size 8")])
def test_a_loop_that_leaves_an_array_is_stopped(seats, rows, found):
    done = completed("-c", PROGRAM.format(seats=seats, rows=rows))
    assert (done.returncode != 0) == bool(found), done.stderr
    assert found in done.stderr and ("heap-buffer-overflow" in done.stderr) == bool(found)
