"""The network of the PPO agent: one wide layer that reads the observation, then an actor and a critic.

The network takes nearly all of the training time, so it is built for speed on a CPU, within the interface of
Stable-Baselines3: actor and critic share the wide first layer; the hidden layers compute in bfloat16, the outputs in
float32; masked probabilities are computed once, without the library's distribution objects.
"""

from __future__ import annotations

import copy
from typing import Any, cast

import numpy as np
import torch
from safetensors.torch import save
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from carnegie_env.agents.learned import TENSORS, Actor
from carnegie_env.agents.network import Weights

NEVER = -1e9  # the logit of an illegal action: its probability is exactly 0


def legal_only(logits: Tensor, masks: Any) -> Tensor:
    """Logits (N, A) with illegal actions set to ``NEVER``; masks are 0/1 (N, A), or None."""
    if masks is None:
        return logits
    legal = torch.as_tensor(masks, dtype=torch.bool, device=logits.device).reshape(logits.shape)
    return logits.masked_fill(~legal, NEVER)


def distribution(logits: Tensor, masks: Any) -> tuple[Tensor, Tensor]:
    """Log-probabilities (N, A), about ``NEVER`` for illegal actions, and probabilities, exactly 0 for these."""
    legal = legal_only(logits, masks)
    return torch.log_softmax(legal, dim=1), torch.softmax(legal, dim=1)  # `exp` is slow where its result is 0


def draw(probabilities: Tensor) -> Tensor:
    """Sample actions (N,) from probabilities (N, A); never one with probability 0."""
    cumulative = probabilities.cpu().cumsum(dim=1)  # a GPU's sums can increase where a probability is 0
    drawn = (1 - torch.rand_like(cumulative[:, :1])) * cumulative[:, -1:]  # above 0, at most the sum
    return torch.searchsorted(cumulative, drawn).squeeze(1).to(probabilities.device)


class SharedLayer(BaseFeaturesExtractor):
    """The layer that actor and critic share: observation (N, F) -> features (N, features_dim)."""

    def __init__(self, observation_space: Any, features_dim: int = 256) -> None:
        super().__init__(observation_space, features_dim)
        self.layer = nn.Sequential(nn.Linear(observation_space.shape[0], features_dim), nn.ReLU())

    def forward(self, observations: Tensor) -> Tensor:
        features: Tensor = self.layer(observations)
        return features


class Policy(MaskableActorCriticPolicy):
    """MaskablePPO's policy with :class:`SharedLayer` and the fast paths; ``width`` units in each hidden layer."""

    def __init__(self, *args: Any, width: int = 256, **kwargs: Any) -> None:
        kwargs |= {
            "features_extractor_class": SharedLayer,
            "features_extractor_kwargs": {"features_dim": width},
            "net_arch": {"pi": [width], "vf": [width]},
            "activation_fn": nn.ReLU,
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        }
        super().__init__(*args, **kwargs)

    def outputs(self, observations: Tensor, masks: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Log-probabilities and probabilities of the actions (N, A), as in :func:`distribution`, and values (N, 1)."""
        with torch.autocast(observations.device.type, torch.bfloat16):
            actor, critic = self.mlp_extractor(self.extract_features(observations))
        logits, values = self.action_net(actor.float()), self.value_net(critic.float())
        return *distribution(logits, masks), values

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Choose actions: actions (N,), values (N, 1), log-probabilities of the actions (N,)."""
        log_probs, probabilities, values = self.outputs(obs, action_masks)
        actions = log_probs.argmax(dim=1) if deterministic else draw(probabilities)
        return actions, values, log_probs.gather(1, actions[:, None]).squeeze(1)

    def actor(self) -> nn.Sequential:
        """A copy of the actor: observations (N, F) -> logits (N, A), all in float32."""
        parts = cast(SharedLayer, self.features_extractor).layer, self.mlp_extractor.policy_net, self.action_net
        return copy.deepcopy(nn.Sequential(*parts)).requires_grad_(False)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """For the update: values (N, 1), log-probabilities of the actions (N,), entropies (N,)."""
        log_probs, probabilities, values = self.outputs(obs, action_masks)
        entropy = -(probabilities * log_probs).sum(dim=1)
        return values, log_probs.gather(1, actions.long()[:, None]).squeeze(1), entropy


# ---------------------------------------------------------------- for the agent and its files
def weights(policy: nn.Module, trained_for: dict[str, Any]) -> bytes:
    """The actor as a safetensors file in float16, with the games' `learned.interface` in its header."""
    numbers = {name: tensor.cpu().half() for name, tensor in policy.state_dict().items() if name in TENSORS}
    content: bytes = save(numbers, {"format": "pt", **{name: str(value) for name, value in trained_for.items()}})
    return content


def actor_of(policy: nn.Module, trained_for: dict[str, Any]) -> Actor:
    """A copy of the actor for :meth:`learned.PPOAgent.of`, which plays with NumPy."""
    state = policy.state_dict()
    parts = [state[name].float().cpu().numpy().copy() for name in TENSORS]
    net = Weights(np.ascontiguousarray(parts[0].T), *parts[1:])
    return Actor(net, {name: str(value) for name, value in trained_for.items()}, "a network in memory")
