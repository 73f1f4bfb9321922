"""Tianshou: two DQN players with action masks learn by self-play. `pip install tianshou`"""

from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from carnegie_env import carnegie_v0

envs = DummyVectorEnv([lambda: PettingZooEnv(carnegie_v0.env())] * 2)
env = PettingZooEnv(carnegie_v0.env())
players = []
for _ in env.agents:
    net = Net(state_shape=env.observation_space["observation"].shape, action_shape=env.action_space.n)
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
    players.append(DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=100))
algorithm = MultiAgentOffPolicyAlgorithm(algorithms=players, env=env)
collector = Collector(algorithm, envs, VectorReplayBuffer(10_000, 2), exploration_noise=True)
amount = {"max_epochs": 1, "epoch_num_steps": 300, "collection_step_num_env_steps": 100, "batch_size": 32}
algorithm.run_training(OffPolicyTrainerParams(training_collector=collector, **amount))
