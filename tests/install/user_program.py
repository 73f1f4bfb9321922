"""A user's typed program, which is type-checked and run."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

from carnegie_env import Batch, GameRecord, Options, Position, carnegie_v0, load_facts, make_agent

options = Options(num_players=2, show_forced=True)
assert_type(options.modules, tuple[str, ...])

position = Position.new(options, seed=7)
assert_type(position, Position)
assert_type(position.options, Options)
assert_type(position.legal_actions(), list[str])
assert_type(position.action_mask(), NDArray[np.int8])
assert_type(position.to_play, int | None)
position.apply(position.legal_actions()[0])
assert_type(position.copy(), Position)
assert_type(Position.from_dict(position.to_dict()), Position)
assert_type(position.observe(), NDArray[np.float32])
assert_type(position.scores(), list[int])
assert_type(position.render(), str)

record = GameRecord.of(position)
assert_type(record, GameRecord)
assert_type(record.to_text(), str)
assert_type(record.replay(), Position)
assert_type(next(record.positions()), Position)

batch = Batch(4, num_players=3, num_threads=1)
assert_type(batch, Batch)
assert_type(batch.options, Options)
assert_type(batch.copy(), Batch)
assert_type(batch.observation_layout.names, tuple[str, ...])
batch.reset(seed=[1, 2, 3, 4])
actions = batch.sample_actions(np.random.default_rng(1))
assert_type(actions, NDArray[np.int64])
batch.step(actions)
assert_type(batch.to_play, NDArray[np.int8])
assert_type(batch.scores(), NDArray[np.int32])
assert_type(Batch.playouts(position, 10, seed=1), NDArray[np.int32])

agent = make_agent("random", seed=1)
assert_type(agent.act(position), int)
assert_type(agent.act_batch(batch), NDArray[np.int64])

env = carnegie_v0.env(num_players=4, reward="margin")
env.reset(seed=1)

assert_type(load_facts().sources, dict[str, str])
