"""RLlib: PPO with action masks plays the solo game. `pip install "ray[rllib]" torch`"""

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from carnegie_env.envs import rllib

rllib.register()
config = PPOConfig().environment("carnegie-solo", env_config={"reward": "dense_margin"})
# Plays all games of a runner in compiled loops. With opponents: "carnegie-versus", {"opponents": "greedy"}.
config.env_runners(num_env_runners=0, num_envs_per_env_runner=16, gym_env_vectorize_mode="vector_entry_point")
config.rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
algorithm = config.training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=2).build_algo()
for _ in range(3):
    print(algorithm.train()["env_runners"].get("episode_return_mean"))
