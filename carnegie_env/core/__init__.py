"""What the games share: compilation, batches, masks, records. It knows no rule of any game."""
