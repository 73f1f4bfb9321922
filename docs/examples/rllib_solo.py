"""RLlib: PPO with action masks plays the solo game. `pip install "ray[rllib]" torch`"""

import gymnasium as gym
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env


def make(config):
    env = gym.make("carnegie_env:Carnegie/Solo-v0", mask_in_observation=True, **config)
    seen, mask = env.observation_space["observation"], gym.spaces.Box(0, 1, (env.action_space.n,))
    space = gym.spaces.Dict(observations=seen, action_mask=mask)  # the names and types that RLlib's module asks for
    return gym.wrappers.TransformObservation(
        env, lambda o: {"observations": o["observation"], "action_mask": o["action_mask"].astype("float32")}, space
    )


register_env("carnegie", make)
config = PPOConfig().environment("carnegie", env_config={"reward": "dense_margin"}).env_runners(num_env_runners=0)
config.rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
algorithm = config.training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=2).build_algo()
for _ in range(3):
    print(algorithm.train()["env_runners"]["episode_return_mean"])
