"""Training: a PPO agent against Andrew (`python -m training.train`), its evaluation (`python -m training.evaluate`)."""

import time

STARTED = time.monotonic()  # before the libraries are loaded, which takes its time, too
