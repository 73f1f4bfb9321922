"""Carnegie as a game of the collection: what the core needs of it, in one place; its Batch, Position and GameRecord."""

from __future__ import annotations

from carnegie_env.carnegie import (
    actions,
    checks,
    codec,
    drawing,
    engine,
    insight,
    observation,
    results,
    state,
    tables,
    telling,
    topics,
    usage,
)
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.rules import scoring, setup
from carnegie_env.core import batch, position, record
from carnegie_env.core.game import Game, Losses
from carnegie_env.core.rules import Rules
from carnegie_env.render import text

CARNEGIE = Game(
    name="carnegie",
    title="Carnegie",
    module=__name__,
    seats=(1, state.SEATS),
    opponent="andrew",
    random="timeline tiles, department tiles and, solo, Andrew's cards; equal bids and the places of neutral disks",
    hidden="Andrew's deck but for two card backs; sealed sheets (new_start); others' secret donations",
    hides=lambda options: options.solo or options.new_start or options.secret_donation,
    longest=2000,
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
        observe=observation.write_observation,
        rebuild=state.rebuild_derived,
        verify=checks.verify,
        redraw_hidden=engine.redraw_hidden,
        insight=insight.insight,
        revealed=engine.revealed,
        guess=insight.guess,
    ),
    codec=codec,
    texts=actions.TEXTS,
    num_actions=lambda options: actions.NUM_ACTIONS if options.modules else actions.NUM_BASE_ACTIONS,
    score_columns=results.COLUMNS,
    score_rows=state.SEATS + 1,
    sides=results.sides,
    rank_by=("total",),
    point="VP",
    # In 1,400,000 random games of all numbers of players, difficulties and with all modules the least margin was -180
    # VP and the least score -4 VP; the bounds leave room for opponents far stronger than Andrew.
    losses=Losses(margin=-300, score=-100),
    dense_unit=100,
    layout=lambda options: observation.layout(options.num_players, bool(options.modules)),
    insights=tuple(label for feature in insight.INSIGHTS for label in feature.labels),
    phase=lambda game: state.PHASES[game.phase],
    round=lambda game: int(game.round_number),
    breakdown=results.breakdown,
    board=text.render,
    choices=text.actions,
    short_text=lambda text: text.partition(" space ")[0],  # the spaces of a city are worth the same
    secret_phases={"sheet": "goes on with his sheet", "secret": "chooses a secret donation"},
    tell=telling.tell,
    draw=drawing.draw,
    topics=topics.topics,
    facts=tables.FACTS,
    statistics=usage.tables,
    variants=tuple(
        {"num_players": players, "modules": modules}
        for players in range(1, state.SEATS + 1)
        for modules in (None, "all")
    ),
)


class Batch(batch.Batch[Options]):
    """N games of Carnegie; see :class:`carnegie_env.core.batch.Batch`. Sides: the seats, or the one and Andrew."""

    game = CARNEGIE


class Position(position.BasePosition[Options]):
    """One game of Carnegie at a decision (or over).

    >>> position = Position.new({"num_players": 2}, seed=7)
    >>> position.legal_actions()
    ['side housing a', 'side housing b']
    >>> position.apply("side housing a")
    """

    game = CARNEGIE


class GameRecord(record.GameRecord[Position]):
    """The record of one game of Carnegie; see :class:`carnegie_env.core.record.GameRecord`."""

    position = Position
