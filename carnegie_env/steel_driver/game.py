"""Steel Driver as a game of the collection: what the core needs of it; its Batch, Position and GameRecord."""

from __future__ import annotations

from carnegie_env.core import batch, position, record
from carnegie_env.core.game import Game, Losses
from carnegie_env.core.rules import Rules
from carnegie_env.steel_driver import (
    actions,
    board,
    checks,
    codec,
    drawing,
    engine,
    insight,
    observation,
    state,
    tables,
    telling,
    topics,
    usage,
)
from carnegie_env.steel_driver.options import Options
from carnegie_env.steel_driver.rules import scoring, setup

STEEL_DRIVER = Game(
    name="steel_driver",
    title="Steel Driver",
    module=__name__,
    seats=(tables.LEAST_SEATS, tables.SEATS),
    opponent=None,
    random="nothing",
    hidden="nothing",
    hides=lambda options: False,
    longest=tables.LONGEST,
    options=Options,
    record=state.GAME,
    derived=state.DERIVED,
    template=setup.template,
    rules=Rules(
        deal=setup.deal,
        proceed=engine.proceed,
        legal=engine.legal,
        apply=engine.apply,
        score=scoring.score,
        observe=observation.observe,
        rebuild=state.rebuild,
        verify=checks.verify,
        redraw_hidden=engine.redraw_hidden,
        insight=insight.insight,
        revealed=engine.revealed,
        guess=insight.guess,
    ),
    codec=codec,
    texts=actions.TEXTS,
    num_actions=lambda options: actions.NUM_ACTIONS,
    score_columns=scoring.COLUMNS,
    score_rows=tables.SEATS,
    sides=lambda options: tuple(range(options.num_players)),
    rank_by=("total", "goods"),
    point="$",
    losses=Losses(margin=-5000, score=-100),
    dense_unit=500,
    layout=lambda options: observation.layout(options.num_players),
    insights=tuple(label for feature in insight.INSIGHTS for label in feature.labels),
    phase=lambda game: state.PHASES[game.phase],
    round=lambda game: int(game.round_number),
    board=board.board,
    choices=board.choices,
    tell=telling.tell,
    draw=drawing.draw,
    topics=lambda: topics.TOPICS,
    facts=tables.FACTS,
    statistics=usage.tables,
    variants=tuple({"num_players": players} for players in range(tables.LEAST_SEATS, tables.SEATS + 1)),
)


class Batch(batch.Batch[Options]):
    """N games of Steel Driver; see :class:`carnegie_env.core.batch.Batch`."""

    game = STEEL_DRIVER


class Position(position.BasePosition[Options]):
    """One game of Steel Driver at a decision (or over).

    >>> position = Position.new({"num_players": 3})
    >>> position.apply("open green 3")
    """

    game = STEEL_DRIVER


class GameRecord(record.GameRecord[Position]):
    """The record of one game of Steel Driver; see :class:`carnegie_env.core.record.GameRecord`."""

    position = Position
