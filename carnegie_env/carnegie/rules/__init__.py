"""The rules, one module per chapter of the rulebook. Each phase has a ``legal_*`` and an ``apply_*`` function."""
