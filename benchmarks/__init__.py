"""Measurements of speed and size: `make bench`."""
