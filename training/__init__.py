"""Training: `python -m training.value` by self-play, `python -m training.ppo`; `python -m training.evaluate`."""

import time

STARTED = time.monotonic()  # before the libraries are loaded, which takes time as well
