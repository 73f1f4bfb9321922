"""Environments of the common frameworks: thin adapters over the batch. Import the one you need."""
