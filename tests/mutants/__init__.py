"""Seeded mistakes: would the tests have found them? `make mutants`."""
