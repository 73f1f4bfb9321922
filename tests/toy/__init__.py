"""A game of a few dozen lines, made to need all that the core offers; docs/adding-a-game.md walks through it."""
