"""Carnegie as a game of the collection: what the core needs of it, in one place."""

from __future__ import annotations

from carnegie_env.carnegie import actions, codec, kernels, observation, state
from carnegie_env.carnegie.options import Options
from carnegie_env.carnegie.rules import scoring, setup
from carnegie_env.core import batch
from carnegie_env.core.game import Game
from carnegie_env.core.layout import Layout

CARNEGIE = Game(
    name="carnegie",
    options=Options,
    dtype=state.GAME,
    template=setup.template,
    derived=state.DERIVED,
    kernels=kernels,
    codec=codec,
    texts=actions.TEXTS,
    num_actions=lambda options: actions.NUM_ACTIONS if options.modules else actions.NUM_BASE_ACTIONS,
    num_score_rows=state.SEATS + 1,
    num_scores=scoring.NUM_SCORES,
    layout=lambda options: observation.layout(options.num_players, bool(options.modules)),
)


class Batch(batch.Batch):
    """N games of Carnegie; see :class:`carnegie_env.core.batch.Batch`. Score rows: seats 0-3, then Andrew."""

    game = CARNEGIE
    options: Options

    @property
    def observation_layout(self) -> Layout:
        """The named layout of an observation."""
        layout: Layout = super().observation_layout
        return layout
