"""Training: a PPO agent against Andrew (`python -m training.train`), its evaluation (`python -m training.evaluate`)."""
