"""Steel Driver as a game of the collection: its rules and its presentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from carnegie_env.core import batch, position, record
from carnegie_env.core.game import Game, Losses, Presentation
from carnegie_env.core.rules import Rules
from carnegie_env.steel_driver import (
    actions,
    board,
    drawing,
    engine,
    events,
    insight,
    invariants,
    names,
    observation,
    state,
    tables,
    topics,
    usage,
)
from carnegie_env.steel_driver.options import Options
from carnegie_env.steel_driver.rules import scoring, setup

STEEL_DRIVER = Game(
    name="steel_driver",
    options=Options,
    fields=state.FIELDS,
    template=setup.template,
    texts=actions.TEXTS,
    rules=Rules(
        deal=setup.deal,
        proceed=engine.proceed,
        legal=engine.legal,
        apply=engine.apply,
        score=scoring.score,
        observe=observation.observe,
        rebuild=state.rebuild,
        verify=invariants.INVARIANTS.verify,
        insight=insight.insight,
        revealed=engine.revealed,
        guess=insight.guess,
    ),
    layout=lambda options: observation.layout(options.num_players),
    score_columns=scoring.COLUMNS,
    rank_by=("total", "goods"),
    longest=tables.LONGEST,
    losses=Losses(margin=-5000, score=-100),
    dense_unit=500,
    insights=tuple(label for feature in insight.INSIGHTS for label in feature.labels),
    variants=tuple({"num_players": players} for players in range(tables.LEAST_SEATS, tables.SEATS + 1)),
    presentation=Presentation(
        point="$",
        board=board.board,
        choices=board.choices,
        wording=names.action,
        tell=events.tell,
        draw=drawing.draw,
        topics=topics.topics,
        facts=tables.FACTS,
        statistics=usage.tables,
    ),
)

if TYPE_CHECKING:
    Batch: TypeAlias = batch.Batch[Options]
    Position: TypeAlias = position.BasePosition[Options]
    GameRecord: TypeAlias = record.GameRecord[Position]
else:
    Batch, Position, GameRecord = STEEL_DRIVER.batch_class, STEEL_DRIVER.position_class, STEEL_DRIVER.record_class
