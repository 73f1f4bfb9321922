"""Measurements: speed and size (`make bench`), learning curves, reviews, prices."""
