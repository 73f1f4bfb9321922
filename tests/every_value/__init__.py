"""Every value of every fact table counts: the sweep of any game (sweep.py), and what each game is asked."""
