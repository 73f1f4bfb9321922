"""The board game Steel Driver as a game of the collection: see game.py."""
