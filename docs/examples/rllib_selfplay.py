"""RLlib: PPO with action masks for 2 to 4 players that share a policy. `pip install "ray[rllib]" torch`"""

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from carnegie_env.envs import rllib

rllib.register()
config = PPOConfig().environment("carnegie-table", env_config={"num_players": 3})
config.env_runners(num_env_runners=0).training(train_batch_size_per_learner=512)
config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
algorithm = config.rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule)).build_algo()
print([algorithm.train()["num_env_steps_sampled_lifetime"] for _ in range(3)])
