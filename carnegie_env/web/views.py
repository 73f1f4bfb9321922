"""A table as one seat sees it. All information about games that leaves the server is made here, from the position as
that seat sees it; only the store has the true one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carnegie_env.core import information, log, plain
from carnegie_env.core.position import BasePosition
from carnegie_env.render import svg
from carnegie_env.review.line import Line
from carnegie_env.web import messages
from carnegie_env.web.players import Question
from carnegie_env.web.store import Key, Row
from carnegie_env.web.tables import Refused, Table

LONGEST_LOG = 200  # lines
DRAWS = 8 if plain.wanted() else information.DRAWS  # for scores; in plain Python each takes a few milliseconds
TEXT_COLUMNS = 120  # of a text board
Json = dict[str, Any]
Log = list[list[Json]]  # the lines of each decision


# ---------------------------------------------------------------- the viewer
def viewer_of(table: Table, seats: Sequence[int]) -> int:
    """The seat whose view these seats share: the one to play, or else the last that played; WATCHER without seats.

    Earlier positions are seen by this seat as well: another person at the same screen may have decided there.
    """
    if not seats:
        return information.WATCHER
    if table.to_play is not None and table.to_play in seats:
        return table.to_play
    return next((seat for seat in reversed(table.deciders) if seat in seats), min(seats))


def position_for(table: Table, viewer: int, at: int) -> BasePosition[Any]:
    """The game as a viewer sees it; when it is over, the true one."""
    position = table.position(at)
    return position if table.is_over else information.as_seen(position, viewer)


def number_of_decisions(table: Table, at: int | None) -> int:
    """``at``, by default the number of all decisions; Refused if there are fewer than ``at``."""
    if at is None:
        return len(table.actions)
    if not 0 <= at <= len(table.actions):
        raise Refused(422, f"at must be a whole number from 0 to {len(table.actions)}, not {at}")
    return at


# ---------------------------------------------------------------- responses
def summary(row: Row, keys: Sequence[Key], title: str, wrong: str | None) -> Json:
    """A table for its host, with the keys that the host may know; ``wrong`` says why it can't be read."""
    plain_keys = {key.kind: key.plain for key in keys}
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
        "key": plain_keys.get("seat"),
        "watch": plain_keys.get("watch"),
        "invitations": [{"seat": key.seats[0], "code": key.plain} for key in keys if key.kind == "invitation"],
    }


def view(table: Table, seats: Sequence[int], at: int | None = None) -> Json:
    """A table as these seats see it: now, or after ``at`` decisions."""
    number = number_of_decisions(table, at)
    viewer = viewer_of(table, seats)
    position = position_for(table, viewer, number)
    own = [k for k, seat in enumerate(table.deciders[:number]) if seat in seats]
    return {
        **_view(table, seats, position, number, _told(table, viewer, number), now=at is None),
        "since": own[-1] + 1 if own else 0,
        "scores": _scores(table, position, viewer, number),
    }


def view_of_variation(table: Table, seats: Sequence[int], at: int, actions: Sequence[int], theme: str) -> Json:
    """A possible continuation, with chance and hidden information sampled."""
    viewer, position, lines = variation(table, seats, at, actions)
    return {
        **_view(table, seats, position, at + len(actions), lines, now=False),
        "since": at + 1,
        "scores": _score_rows(position, viewer),
        "picture": picture_of(position, viewer, theme, marked=True),
    }


def variation(
    table: Table, seats: Sequence[int], at: int, actions: Sequence[int]
) -> tuple[int, BasePosition[Any], Log]:
    """The viewer, the position after ``at`` decisions and these actions, and the log of these actions."""
    number = number_of_decisions(table, at)
    viewer = viewer_of(table, seats)
    position, lines = position_for(table, viewer, number), []
    for k, action in enumerate(actions, 1):
        try:
            steps = log.steps(position, action)
            position.apply(action)
        except ValueError as error:
            raise Refused(422, f"variation, decision {k}: {error}") from None
        lines.append(_lines(table, steps, viewer, number + k))
    return viewer, position, lines


def question(table: Table, seats: Sequence[int], wanted: messages.Analyse) -> Question:
    """The question to an agent about a position as these seats see it; Refused if the game is over there."""
    _, position, _ = variation(table, seats, wanted.at, wanted.variation)
    if position.to_play is None:
        raise Refused(409, "the game is over there: no decision is left")
    return Question(wanted.agent, 0, position)


def analysis(question: Question, ratings: Sequence[tuple[int, float]] | None) -> Json:
    """An agent's ratings of the legal actions; Refused if it has none, or they are invalid."""
    position = question.position
    if ratings is None:
        raise Refused(422, f"{question.name} does not rate actions")
    legal = set(position.legal_numbers().tolist())
    if any(number not in legal or not math.isfinite(value) for number, value in ratings):
        raise Refused(422, f"{question.name} has rated actions that are not legal, or rated them with invalid numbers")
    texts = position.game.texts
    values = [{"action": number, "text": texts[number], "words": position.game.wording(position.record, number),
               "value": round(float(value), 3)} for number, value in ratings]  # fmt: skip
    point = position.game.presentation.point
    return {"agent": question.name, "seat": position.to_play, "point": point, "values": values}


def picture(table: Table, seats: Sequence[int], at: int | None, theme: str) -> str:
    """The board as these seats see it, as SVG."""
    number = number_of_decisions(table, at)
    viewer = viewer_of(table, seats)
    return picture_of(position_for(table, viewer, number), viewer, theme, marked=at is not None)


def picture_of(position: BasePosition[Any], viewer: int, theme: str, *, marked: bool) -> str:
    """A position as a viewer sees it, as SVG.

    Args:
        position: with information hidden from the viewer sampled.
        viewer: a seat, or information.WATCHER.
        theme: of the picture.
        marked: mark the legal choices whichever seat is to play.
    """
    shown = None if viewer == information.WATCHER or (marked and position.to_play != viewer) else viewer
    if position.game.presentation.draw is None:
        return text_picture(position, shown, theme)
    return position.to_svg(shown, theme)


def record(table: Table, seats: Sequence[int]) -> str:
    """The game as a record, once nothing in it is secret."""
    row = table.row
    if row.seed is None:
        raise Refused(409, "this game began as a position, so it has no record; its position is available")
    if not table.is_open:
        raise Refused(409, "the record reveals hidden information: it is available when the game is over")
    actions = tuple(table.game.texts[number] for number in table.actions)
    return table.game.record_class(table.options, row.seed, actions).to_text()


def position_as_json(table: Table, seats: Sequence[int]) -> str:
    """The true position if nothing in it is secret, else the position as these seats see it."""
    position = table.position()
    return (position if table.is_open else information.as_seen(position, viewer_of(table, seats))).to_json()


def line(table: Table, seats: Sequence[int]) -> Line:
    """The whole game, for a review, once nothing in it is secret."""
    if not table.is_open:
        raise Refused(409, "a review reveals hidden information: it is available when the game is over")
    records = np.concatenate(table.records)
    return Line(table.game, table.options, records, np.array(table.actions, np.int64), table.row.seed is not None)


def scores_by_round(table: Table, seats: Sequence[int]) -> Json:
    """The scores as if the game had ended after each round, as far as these seats can know them."""
    viewer = viewer_of(table, seats)
    last = len(table.actions)
    ends = {table.game.round(record[0]): min(k, last) for k, record in enumerate(table.records, 1)}
    found, columns = [], dict[str, None]()
    for number, k in sorted(ends.items()):
        rows = [each["categories"] for each in _scores(table, position_for(table, viewer, k), viewer, k)]
        columns |= dict.fromkeys(name for row in rows for name in row)
        found.append({"round": number, "decisions": k, "scores": rows})
    return {"sides": list(table.game.side_names(table.options)), "columns": list(columns), "rounds": found}


# ---------------------------------------------------------------- their parts
def _view(
    table: Table, seats: Sequence[int], position: BasePosition[Any], decisions: int, lines: Log, *, now: bool
) -> Json:
    """A View without ``since`` and ``scores``; ``now``: of the current position, not of an earlier or possible one."""
    your_turn = position.to_play is not None and position.to_play in seats
    return {
        "table": table.row.id,
        "game": table.game.name,
        "title": table.game.title,
        "version": table.row.version,
        "seats": [{"seat": seat, **each, "yours": seat in seats} for seat, each in enumerate(table.row.seats)],
        "options": table.options.to_dict(),
        "hides": bool(table.game.hides(table.options)),
        "last": len(table.actions),
        "decisions": decisions,
        "round": position.round,
        "phase": position.phase,
        "is_over": position.is_over,
        "to_play": position.to_play,
        "your_turn": your_turn,
        "thinking": table.thinking if now else None,
        "stopped": table.row.stopped if now else None,
        "legal": legal(position) if your_turn or not now else [],
        "told": [line for of_one in lines for line in of_one][-LONGEST_LOG:],
        "places": position.places() if position.is_over else None,
        "can_undo": now and table.can_undo(seats),
    }


def legal(position: BasePosition[Any]) -> list[Json]:
    """The legal actions."""
    texts, first, found = position.game.texts, dict[str, str](), []
    for number in position.legal_numbers().tolist():
        text, words = texts[number], position.game.wording(position.record, number)
        short = position.game.presentation.short_text(text)
        known = first.setdefault(short, words)
        note = "" if known == words else f"equivalent to: {known}"
        found.append({"action": number, "text": text, "words": words, "short": short, "note": note})
    return found


def _told(table: Table, viewer: int, number: int) -> Log:
    """The log of the first decisions, for a viewer."""
    told = table.told.setdefault(viewer, [])
    for k in range(len(told), number):
        told.append(_lines(table, log.steps(table.position(k), table.actions[k]), viewer, k + 1))
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


# ---------------------------------------------------------------- games without a drawing
def text_picture(position: BasePosition[Any], seat: int | None, theme: str) -> str:
    """The text board as SVG, with the legal actions as buttons below it."""
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
