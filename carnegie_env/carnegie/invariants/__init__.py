"""The invariants beside the fields' ranges (state.py), tried in this order.

The order is that of the position's dictionary (docs/design.md, section 5). Money, goods and points are not limited.
With CARNEGIE_CHECK=1 they are checked after every step.
"""

from __future__ import annotations

from carnegie_env.carnegie import state
from carnegie_env.carnegie.invariants import board, companies, hand, modules, phases
from carnegie_env.core.invariants import Invariants

INVARIANTS = Invariants(
    state.FIELDS, state.rebuild_derived, __name__, [part.__name__ for part in (phases, board, companies, hand, modules)]
)
