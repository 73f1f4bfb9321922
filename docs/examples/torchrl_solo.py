"""TorchRL: the solo game with masks; a policy network plays a game and learns from it. `pip install torchrl`"""

import torch
from tensordict.nn import TensorDictModule
from torchrl.envs import ActionMask, Compose, DTypeCastTransform, GymEnv, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor

base = GymEnv("carnegie_env:Carnegie/Solo-v0", mask_in_observation=True, categorical_action_encoding=True)
masks = Compose(DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]), ActionMask())
env = TransformedEnv(base, masks)
network = TensorDictModule(torch.nn.LazyLinear(base.action_spec.space.n), ["observation"], ["logits"])
keys = {"logits": "logits", "mask": "action_mask"}
policy = ProbabilisticActor(network, in_keys=keys, distribution_class=MaskedCategorical, return_log_prob=True)
game = env.rollout(1000, policy)
optimizer = torch.optim.Adam(policy.parameters())
(-game["action_log_prob"] * game["next", "reward"].sum()).mean().backward()
optimizer.step()
print(len(game), "decisions, reward", game["next", "reward"].sum().item())
