"""Mutation testing of rules and component files: `make mutants`."""
