"""Tianshou: vector environments of the solo game, and the wrapper for PettingZoo environments."""

import gymnasium
import numpy as np
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv, SubprocVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from carnegie_env import carnegie_v0
from tests.clients import ID


def _solo() -> gymnasium.Env:
    env = gymnasium.make(ID, mask_in_observation=True, on_illegal="raise")
    space = gymnasium.spaces.Dict(obs=env.observation_space["observation"], mask=env.observation_space["action_mask"])
    return gymnasium.wrappers.TransformObservation(
        env, lambda seen: {"obs": seen["observation"], "mask": seen["action_mask"].astype(bool)}, space
    )


def check_solo() -> None:
    """DQN with masks on DummyVectorEnv, no illegal action."""
    env = _solo()
    net = Net(state_shape=env.observation_space["obs"].shape, action_shape=env.action_space.n, hidden_sizes=[16])
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.5)
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=50)
    collector = Collector(algorithm, DummyVectorEnv([_solo] * 2), VectorReplayBuffer(1000, 2), exploration_noise=True)
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector, max_epochs=1, epoch_num_steps=400, collection_step_num_env_steps=100,
            batch_size=16, show_progress=False,
        )
    )  # fmt: skip


def check_subproc() -> None:
    """SubprocVectorEnv."""
    envs = SubprocVectorEnv([_solo] * 2)
    seen, _ = envs.reset()
    for _ in range(30):
        seen, *_ = envs.step(np.array([row["mask"].argmax() for row in seen]))
    envs.close()


def check_pettingzoo() -> None:
    """PettingZooEnv, a whole game of 4 players."""
    env = PettingZooEnv(carnegie_v0.env(num_players=4, reward="rank"))
    seen, _ = env.reset(seed=1)
    terminated = False
    while not terminated:
        seen, rewards, terminated, _, info = env.step(int(np.argmax(seen["mask"])))
    assert abs(sum(rewards)) < 1e-6 and "score_breakdown" in info
