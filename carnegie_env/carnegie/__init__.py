"""The board game Carnegie, one module per chapter of its rulebook."""
