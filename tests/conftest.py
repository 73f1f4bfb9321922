"""For all tests: quiet plots, no windows, one thread for linear algebra, reproducible runs; processes that tests start
import this tree."""

import os
import random
import secrets
from pathlib import Path

os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, (str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH")))
)

os.environ.setdefault("CARNEGIE_ENGINE", "numba")  # tests/engine uses the library
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "reproducible"))

_seeds = random.Random()
np.random.bit_generator.randbits = secrets.randbits = _seeds.getrandbits


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Deal a test the same games in every run, also where it gives no seed."""
    _seeds.seed(item.nodeid)
