"""Carnegie as a game of the collection: its rules and its presentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from carnegie_env.carnegie import (
    actions,
    board,
    drawing,
    engine,
    events,
    insight,
    invariants,
    names,
    observation,
    results,
    state,
    tables,
    topics,
    usage,
)
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.rules import scoring, setup
from carnegie_env.core import batch, position, record
from carnegie_env.core.game import Game, Losses, Presentation
from carnegie_env.core.rules import Rules

CARNEGIE = Game(
    name="carnegie",
    options=Options,
    fields=state.FIELDS,
    template=setup.template,
    texts=actions.TEXTS,
    num_actions=lambda options: actions.NUM_ACTIONS if options.modules else actions.NUM_BASE_ACTIONS,
    rules=Rules(
        deal=setup.deal,
        proceed=engine.proceed,
        legal=engine.legal,
        apply=engine.apply,
        score=scoring.score,
        observe=observation.write_observation,
        rebuild=state.rebuild_derived,
        verify=invariants.INVARIANTS.verify,
        redraw_hidden=engine.redraw_hidden,
        insight=insight.insight,
        revealed=engine.revealed,
        guess=insight.guess,
    ),
    layout=lambda options: observation.layout(options.num_players, bool(options.modules)),
    score_columns=results.COLUMNS,
    rank_by=("total",),
    opponent="andrew",
    random="timeline tiles, department tiles and, solo, Andrew's cards; equal bids and the places of neutral disks",
    hides=lambda options: options.solo or options.new_start or options.secret_donation,
    longest=2000,
    # In 1,400,000 random games with all numbers of players, difficulties and modules the lowest margin was -180 VP and
    # the lowest score -4 VP; the bounds leave room for opponents far stronger than Andrew.
    losses=Losses(margin=-300, score=-100),
    dense_unit=100,
    insights=tuple(label for feature in insight.INSIGHTS for label in feature.labels),
    variants=tuple(
        {"num_players": players, "modules": modules}
        for players in range(1, state.SEATS + 1)
        for modules in (None, "all")
    ),
    presentation=Presentation(
        point="VP",
        hidden="Andrew's deck but for two card backs; sealed sheets (new_start); others' secret donations",
        breakdown=results.breakdown,
        board=board.render,
        choices=board.actions,
        short_text=lambda text: text.partition(" space ")[0],  # the spaces of a city are worth the same
        secret_phases={"sheet": "fills in more of a sealed sheet", "secret": "chooses a secret donation"},
        wording=names.action,
        tell=events.tell,
        draw=drawing.draw,
        topics=topics.topics,
        rules=topics.in_play,
        facts=tables.FACTS,
        statistics=usage.tables,
    ),
)

if TYPE_CHECKING:
    Batch: TypeAlias = batch.Batch[Options]
    Position: TypeAlias = position.BasePosition[Options]
    GameRecord: TypeAlias = record.GameRecord[Position]
else:
    Batch, Position, GameRecord = CARNEGIE.batch_class, CARNEGIE.position_class, CARNEGIE.record_class
