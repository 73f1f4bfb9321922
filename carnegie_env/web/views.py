"""The view of a seat on a table. Everything that leaves the server about a game is made here, from the position as the
seat sees it; only the store has the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carnegie_env.core import information, log, plain
from carnegie_env.core.position import BasePosition
from carnegie_env.render import svg
from carnegie_env.web.store import Key, Row
from carnegie_env.web.tables import Refused, Table

LONGEST_LOG = 200  # lines
DRAWS = 8 if plain.wanted() else information.DRAWS  # of what is hidden, for scores: each takes some ms in plain Python
TEXT_COLUMNS = 120  # of a board in letters
Json = dict[str, Any]


# ---------------------------------------------------------------- whose view
def viewer_of(table: Table, seats: Sequence[int], at: int | None = None) -> int:
    """The seat whose view these players see: the one to play, else the last to have played; WATCHER: none."""
    if not seats:
        return information.WATCHER
    at = len(table.actions) if at is None else at
    to_play = int(table.records[at]["to_play"][0])
    if to_play in seats:
        return to_play
    return next((seat for seat in reversed(table.deciders[:at]) if seat in seats), min(seats))


def position_for(table: Table, viewer: int, at: int | None = None) -> BasePosition[Any]:
    """The game as a viewer sees it; the true one when it is over."""
    position = table.position(at)
    return position if table.is_over else information.as_seen(position, viewer)


def number_of_decisions(table: Table, at: int | None) -> int:
    """``at``, or the number of all decisions; Refused if there are fewer."""
    if at is None:
        return len(table.actions)
    if not 0 <= at <= len(table.actions):
        raise Refused(422, f"at must be a whole number from 0 to {len(table.actions)}, not {at}")
    return at


# ---------------------------------------------------------------- answers
def summary(row: Row, keys: Sequence[Key], title: str, wrong: str | None) -> Json:
    """A table as its host sees it, with the keys that the host may know; ``wrong`` says why it can't be read."""
    here = next((key for key in keys if key.kind == "seat"), None)
    watch = next((key for key in keys if key.kind == "watch"), None)
    state = "over" if row.to_play is None else "stopped" if row.stopped is not None else "running"
    return {
        "table": row.id,
        "game": row.game,
        "title": title,
        "options": row.options,
        "seats": [{"seat": seat, **each} for seat, each in enumerate(row.seats)],
        "round": row.round,
        "state": state if wrong is None else "unreadable",
        "stopped": row.stopped if wrong is None else wrong,
        "to_play": row.to_play,
        "decisions": row.decisions,
        "created": row.created,
        "updated": row.updated,
        "key": here.plain if here else None,
        "watch": watch.plain if watch else None,
        "invitations": [{"seat": key.seats[0], "code": key.plain} for key in keys if key.kind == "invitation"],
    }


def view(table: Table, seats: Sequence[int], at: int | None = None) -> Json:
    """A table as these seats see it: now, or after ``at`` decisions."""
    number = number_of_decisions(table, at)
    viewer = viewer_of(table, seats, number)
    position = position_for(table, viewer, number)
    own = [k for k, seat in enumerate(table.deciders[:number]) if seat in seats]
    lines = [line for of_one in _told(table, viewer, number) for line in of_one]
    your_turn = position.to_play is not None and position.to_play in seats
    return {
        **_head(table, seats),
        "decisions": number,
        **_state(position),
        "your_turn": your_turn,
        "thinking": table.thinking if at is None else None,
        "stopped": table.row.stopped if at is None else None,
        "legal": legal(position) if your_turn or at is not None else [],
        "told": lines[-LONGEST_LOG:],
        "since": own[-1] + 1 if own else 0,
        "scores": _scores(table, position, viewer, number),
        "places": position.places() if position.is_over else None,
        "can_undo": at is None and table.can_undo(seats),
    }


def view_of_variation(table: Table, seats: Sequence[int], at: int, actions: Sequence[int], theme: str) -> Json:
    """A possible continuation: more decisions, with chance and hidden information sampled."""
    viewer, position, lines = variation(table, seats, at, actions)
    return {
        **_head(table, seats),
        "decisions": at + len(actions),
        **_state(position),
        "your_turn": position.to_play is not None and position.to_play in seats,
        "thinking": None,
        "stopped": None,
        "legal": legal(position),
        "told": [line for of_one in lines for line in of_one][-LONGEST_LOG:],
        "since": at + 1,
        "scores": _score_rows(position, viewer),
        "places": position.places() if position.is_over else None,
        "can_undo": False,
        "picture": picture_of(position, viewer, theme, marked=True),
    }


def variation(
    table: Table, seats: Sequence[int], at: int, actions: Sequence[int]
) -> tuple[int, BasePosition[Any], list[list[Json]]]:
    """The position after ``at`` decisions from these seats' view and some more: viewer, position, log."""
    number = number_of_decisions(table, at)
    viewer = viewer_of(table, seats, number)
    position, lines = position_for(table, viewer, number), []
    for k, action in enumerate(actions, 1):
        try:
            steps = log.steps(position, action)
            position.apply(action)
        except ValueError as error:
            raise Refused(422, f"variation, decision {k}: {error}") from None
        lines.append(_lines(table, steps, viewer, number + k))
    return viewer, position, lines


def picture(table: Table, seats: Sequence[int], at: int | None, theme: str) -> str:
    """The board as these seats see it, as SVG."""
    number = number_of_decisions(table, at)
    viewer = viewer_of(table, seats, number)
    return picture_of(position_for(table, viewer, number), viewer, theme, marked=at is not None)


def picture_of(position: BasePosition[Any], viewer: int, theme: str, *, marked: bool = False) -> str:
    """A position as a viewer sees it, as SVG.

    Args:
        position: with information hidden from the viewer sampled.
        viewer: a seat, or information.WATCHER.
        theme: of the picture.
        marked: legal choices are marked for every seat.
    """
    shown = None if viewer == information.WATCHER or (marked and position.to_play != viewer) else viewer
    if position.game.presentation.draw is None:
        return board_in_letters(position, shown, theme)
    return position.to_svg(shown, theme)


def record(table: Table) -> str:
    """The game as a record, when nothing of it is secret."""
    row = table.row
    if row.seed is None:
        raise Refused(409, "this game began as a position, so it has no record; its position is available")
    if not table.is_open:
        raise Refused(409, "the record says what is hidden: it is available when the game is over")
    texts = table.game.texts
    kind = table.game.record_class
    return kind(table.options, row.seed, tuple(texts[number] for number in table.actions)).to_text()


def position_as_json(table: Table, seats: Sequence[int]) -> str:
    """The position, the true one if nothing of it is secret, else from these seats' view."""
    position = table.position()
    return (position if table.is_open else information.as_seen(position, viewer_of(table, seats))).to_json()


def scores_by_round(table: Table, seats: Sequence[int]) -> Json:
    """The scores as if the game had ended with each round, as far as they can be known."""
    viewer = viewer_of(table, seats)
    rounds = [table.game.round(record[0]) for record in table.records]
    last = {number: k for k, number in enumerate(rounds)}  # of each round, its last position
    found, columns = [], dict[str, None]()
    for number, k in sorted(last.items()):
        rows = [each["categories"] for each in _scores(table, position_for(table, viewer, k), viewer, k)]
        columns |= dict.fromkeys(name for row in rows for name in row)
        found.append({"round": number, "decisions": k, "scores": rows})
    return {"sides": list(table.game.side_names(table.options)), "columns": list(columns), "rounds": found}


# ---------------------------------------------------------------- parts of them
def _head(table: Table, seats: Sequence[int]) -> Json:
    return {
        "table": table.row.id,
        "game": table.game.name,
        "title": table.game.title,
        "version": table.row.version,
        "seats": [
            {"seat": seat, "name": each["name"], "kind": each["kind"], "taken": each["taken"], "yours": seat in seats}
            for seat, each in enumerate(table.row.seats)
        ],
        "options": table.options.to_dict(),
        "hides": bool(table.game.hides(table.options)),
        "last": len(table.actions),
    }


def _state(position: BasePosition[Any]) -> Json:
    return {
        "round": position.round,
        "phase": position.phase,
        "is_over": position.is_over,
        "to_play": position.to_play,
    }


def legal(position: BasePosition[Any]) -> list[Json]:
    """The legal actions."""
    texts, first, found = position.game.texts, dict[str, str](), []
    for number in position.legal_numbers().tolist():
        text = texts[number]
        short = position.game.presentation.short_text(text)
        known = first.setdefault(short, text)
        note = "" if known == text else f"worth the same as {known}"
        found.append({"action": number, "text": text, "short": short, "note": note})
    return found


def _told(table: Table, viewer: int, number: int) -> list[list[Json]]:
    """The log of the first decisions, for a viewer."""
    told = table.told.setdefault(viewer, [])
    for k in range(len(told), number):
        position = table.position(k)
        told.append(_lines(table, log.steps(position, table.actions[k]), viewer, k + 1))
    return told[:number]


def _lines(table: Table, steps: Sequence[log.Step], viewer: int, number: int) -> list[Json]:
    seat = None if viewer == information.WATCHER else viewer
    told = [each for step in steps for each in log.phrases(table.game, step, seat)]
    return [
        {"decisions": number, "who": who, "text": str(phrase), "forced": "forced" in phrase.changes}
        for who, phrase in log.joined(told)
    ]


def _scores(table: Table, position: BasePosition[Any], viewer: int, number: int) -> list[Json]:
    if (viewer, number) not in table.scores:
        table.scores[viewer, number] = _score_rows(position, viewer)
    found: list[Json] = table.scores[viewer, number]
    return found


def _score_rows(position: BasePosition[Any], viewer: int) -> list[Json]:
    names = position.game.side_names(position.options)
    return [
        {"side": name, "low": low, "high": high, "categories": categories}
        for name, (low, high, categories) in zip(names, information.scores(position, viewer, DRAWS), strict=True)
    ]


# ---------------------------------------------------------------- games without pictures
def board_in_letters(position: BasePosition[Any], seat: int | None, theme: str) -> str:
    """The text board as a picture, for a game without pictures: the legal actions are buttons below it."""
    lines = position.render(TEXT_COLUMNS).splitlines()
    shown = position.to_play is not None and seat in (None, position.to_play)
    numbers = position.legal_numbers().tolist() if shown else []
    size, step = 16.0, 20.0
    top = (len(lines) + 1) * step
    height = top + (len(numbers) + 2) * (step + 8)
    title = f"{position.game.title}, round {position.round}"
    drawing = svg.Drawing(1280, height, svg.theme(theme), title)
    with drawing.part("board", title):
        for k, line in enumerate(lines, 1):
            drawing.text(
                20, k * step, line, size, more='font-family="DejaVu Sans Mono, monospace" xml:space="preserve"'
            )
    who = "the game is over" if position.to_play is None else f"player_{position.to_play} decides: {position.phase}"
    with drawing.part("decision", who):
        drawing.text(20, top + step, who, size, bold=True)
    for k, number in enumerate(numbers):
        text = position.game.texts[number]
        y = top + 2 * step + k * (step + 8)
        with drawing.part(f"action_{number}", text, [number]):
            drawing.rect(20, y, 600, step + 4, drawing.theme.panel, drawing.theme.legal, 1.5, 4)
            drawing.text(30, y + step - 3, text, size)
    return drawing.svg()
