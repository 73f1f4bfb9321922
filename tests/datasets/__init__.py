"""Datasets: made in processes, killed and gone on with, read and played again."""
