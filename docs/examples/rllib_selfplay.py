"""RLlib: PPO with action masks for 2 to 4 players, who share a policy. `pip install "ray[rllib]" torch`"""

from gymnasium.spaces import Box, Dict
from pettingzoo.utils import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from carnegie_env import carnegie_v0


class Renamed(BaseWrapper):  # observations by the names and types that RLlib's module asks for
    def observation_space(self, agent):
        space = super().observation_space(agent)
        return Dict(observations=space["observation"], action_mask=Box(0, 1, space["action_mask"].shape))

    def observe(self, agent):
        seen = super().observe(agent)
        return {"observations": seen["observation"], "action_mask": seen["action_mask"].astype("float32")}


register_env("carnegie", lambda config: PettingZooEnv(Renamed(carnegie_v0.env(num_players=3, on_illegal="lose"))))
config = PPOConfig().environment("carnegie").env_runners(num_env_runners=0).training(train_batch_size_per_learner=512)
config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
algorithm = config.rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule)).build_algo()
print([algorithm.train()["num_env_steps_sampled_lifetime"] for _ in range(3)])
