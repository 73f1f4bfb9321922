"""Score rows as VP by category (rulings 29-31, 37, 44 and 45)."""

from __future__ import annotations

from typing import Any

from carnegie_env.carnegie import state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import scoring

COLUMNS = (
    "immediate", "action_choice", "active_employees", "departments", "tabs", "links", "cities", "final_effects",
    "secret_donation", *t.DONATIONS, "total",
)  # fmt: skip
# Columns of a score row by category; Andrew's categories as in rulebook part 4, chapter 3.
CATEGORIES = {name: column for column, name in enumerate(COLUMNS[: scoring.FINAL_EFFECTS])}
ANDREW_CATEGORIES = {
    "cards": scoring.IMMEDIATE,
    "departments": scoring.DEPARTMENTS,
    "transport": scoring.LINKS,
    "cities": scoring.CITIES,
}


def breakdown(record: Any, rows: list[list[int]]) -> list[dict[str, Any]]:
    """VP by category as if the game ended now, one dictionary per side; in a solo game Andrew's is last.

    A seat's keys: immediate, action_choice, active_employees, departments, tabs, links, cities, donations (VP by cell),
    total; before donations, with new_departments or diverse_setup: final_effects; with secret_donation:
    secret_donation. Andrew's: cards, departments, transport, cities, donations, total.

    Args:
        record: the game.
        rows: the score rows of the sides.
    """
    options = state.FIELDS.options_of(record)
    seat_columns = dict(CATEGORIES)
    if options.new_tiles:
        seat_columns["final_effects"] = scoring.FINAL_EFFECTS
    if options.secret_donation:
        seat_columns["secret_donation"] = scoring.SECRET
    owners = (0, state.ANDREW) if options.solo else range(options.num_players)
    return [_named(record, row, side, ANDREW_CATEGORIES if side == state.ANDREW else seat_columns)
            for side, row in zip(owners, rows, strict=True)]  # fmt: skip


def _named(record: Any, row: list[int], owner: int, columns: dict[str, int]) -> dict[str, Any]:
    disks = record.donation.tolist()
    cells = {cell: row[scoring.DONATIONS + k] for k, cell in enumerate(t.DONATIONS) if disks[k] >> owner & 1}
    named = {name: row[column] for name, column in columns.items()}
    return named | {"donations": cells, "total": row[scoring.TOTAL]}
