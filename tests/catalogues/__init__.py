"""What a version of the environments means for ever: numbers of actions, places in observations (catalogue.py)."""
