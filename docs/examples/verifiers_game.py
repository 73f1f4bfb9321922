"""verifiers: 2 games of a model against an agent. `pip install verifiers`"""
