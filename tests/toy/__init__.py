"""A small game, made to need all that the core offers; docs/adding-a-game.md walks through it."""
