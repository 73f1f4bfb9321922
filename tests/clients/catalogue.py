"""The clients: their packages and examples, and which of them work in the project's own environment."""

import dataclasses

PICTURES = ("resvg", "fonttools", "pillow", "pygame-ce", "moviepy")
TORCH = "torch==2.13.0"  # a version with CPU-only builds; see --torch


@dataclasses.dataclass(frozen=True)
class Client:
    """One program that uses the environments.

    Args:
        requirements: what pip installs besides this package; "torch" stands for the version of `--torch`.
        packages: distributions whose versions are shown.
        examples: names in docs/examples, without `.py`.
        without_dependencies: what pip installs after that without its own requirements, because they conflict.
        in_tests: whether `make test-agents` also runs its examples, in the project's own environment.
    """

    requirements: tuple[str, ...]
    packages: tuple[str, ...]
    examples: tuple[str, ...]
    without_dependencies: tuple[str, ...] = ()
    in_tests: bool = False


CLIENTS = {
    "gymnasium": Client(
        ("gymnasium", "array-api-compat", "packaging", "torch", *PICTURES),
        ("gymnasium",),
        ("gymnasium_single", "gymnasium_vector"),
        in_tests=True,
    ),
    "pettingzoo": Client(("pettingzoo", *PICTURES), ("pettingzoo",), ("pettingzoo_aec",), in_tests=True),
    "supersuit": Client(("supersuit",), ("supersuit", "pettingzoo"), ("supersuit_wrappers",)),
    "sb3": Client(
        ("stable-baselines3", "sb3-contrib", "torch"),
        ("stable-baselines3", "sb3-contrib"),
        ("sb3_maskable_ppo", "sb3_opponents"),
        in_tests=True,
    ),
    "cleanrl": Client(("torch",), ("torch", "gymnasium"), ("cleanrl_loop", "self_play"), in_tests=True),
    "torchrl": Client(("torchrl", "torch"), ("torchrl", "tensordict"), ("torchrl_solo", "torchrl_selfplay")),
    "tianshou": Client(("tianshou", "torch"), ("tianshou",), ("tianshou_dqn",)),
    "openspiel": Client(("open_spiel", "pytest", "hypothesis"), ("open_spiel",), ("openspiel_ismcts",)),
    "readers": Client(
        ("pyarrow", "polars", "pandas", "datasets", "pytest"), ("pyarrow", "polars", "pandas", "datasets"), ()
    ),
    "minari": Client(("pyarrow", "minari[hdf5]", "pillow", "pytest"), ("minari", "h5py"), ()),
    "rllib": Client(("ray[rllib]", "torch", *PICTURES), ("ray", "gymnasium"), ("rllib_solo", "rllib_selfplay")),
    "mcp": Client(("mcp",), ("mcp",), ()),
    "openenv": Client(("openenv",), ("openenv",), ("openenv_game",)),
    "verifiers": Client(("verifiers", "uv"), ("verifiers",), ("verifiers_game",)),
    "textarena": Client(("textarena",), ("textarena",), ("textarena_game",)),
    "kaggle": Client(  # it pins an older Gymnasium
        ("jsonschema", "requests"), ("kaggle-environments",), ("kaggle_agent",), ("kaggle-environments",)
    ),
}
