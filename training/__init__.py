"""Training: PPO (`python -m training.ppo`); evaluation against Andrew (`python -m training.evaluate`)."""

import time

STARTED = time.monotonic()  # before the libraries are loaded, which takes time as well
