"""Gymnasium: its checker, all its wrappers for single and vector environments, and every kind of make_vec."""

import functools
import importlib
import importlib.util
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector

from carnegie_env.carnegie.envs import SoloEnv
from tests.clients import ID

STEPS = 120  # more than a random game has
DRAWN_STEPS = 4  # with a picture for each


def _same_action(action: Any) -> Any:
    return action


def _array_conversion(module: Any, env: Any) -> Any:
    return module.ArrayConversion(env, env_xp=np, target_xp=importlib.import_module("torch"))


NOT_APPLICABLE = {
    *("AtariPreprocessing", "GrayscaleObservation", "ResizeObservation"),  # images as observations
    *("ClipAction", "DiscretizeAction", "RescaleAction"),  # continuous actions
    *("JaxToNumpy", "JaxToTorch"),  # environments written in JAX
}
NEED_TORCH = ("ArrayConversion", "NumpyToTorch")
# The arguments of each wrapper, or a function that wraps an environment.
How = dict[str, Any] | Callable[[Any], Any]
BOTH: dict[str, How] = {
    "DtypeObservation": {"dtype": np.float64},
    "FilterObservation": {"filter_keys": ["observation"]},
    "RescaleObservation": {"min_obs": -1, "max_obs": 1},
    "ClipReward": {"min_reward": -1, "max_reward": 1},
    "NumpyToTorch": {},
}
SINGLE: dict[str, How] = BOTH | {
    "DelayObservation": {"delay": 2},
    "DiscretizeObservation": {"bins": 4, "multidiscrete": True},
    "FrameStackObservation": {"stack_size": 3},
    "TransformObservation": lambda env: wrappers.TransformObservation(env, np.copy, env.observation_space),
    "MaxAndSkipObservation": {"skip": 2},
    "ReshapeObservation": lambda env: wrappers.ReshapeObservation(env, (*env.observation_space.shape, 1)),
    "TimeAwareObservation": lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 1000)),
    "TransformAction": lambda env: wrappers.TransformAction(env, _same_action, env.action_space),
    "StickyAction": {"repeat_action_probability": 0.1},
    "RepeatAction": {"num_repeats": 2},
    "TransformReward": {"func": lambda value: value / 2},
    "TimeLimit": {"max_episode_steps": 30},
    "AddWhiteNoise": {"probability_of_noise_per_pixel": 0.1},
    "ObstructView": {"obstructed_pixels_ratio": 0.1, "obstruction_width": 20},
    "RecordVideo": lambda env: wrappers.RecordVideo(env, tempfile.mkdtemp(), disable_logger=True),
    "ArrayConversion": functools.partial(_array_conversion, wrappers),
} | dict.fromkeys(
    ("AddRenderObservation", "Autoreset", "FlattenObservation", "HumanRendering", "NormalizeObservation",
     "NormalizeReward", "OrderEnforcing", "PassiveEnvChecker", "RecordEpisodeStatistics", "RenderCollection"), {}
)  # fmt: skip
VECTOR: dict[str, How] = BOTH | {
    "VectorizeTransformObservation": lambda envs: vector.VectorizeTransformObservation(
        envs, wrappers.ReshapeObservation, shape=(*envs.single_observation_space.shape, 1)
    ),
    "VectorizeTransformAction": lambda envs: vector.VectorizeTransformAction(
        envs, wrappers.TransformAction, func=_same_action, action_space=envs.single_action_space
    ),
    "VectorizeTransformReward": {"wrapper": wrappers.TransformReward, "func": lambda value: value / 2},
    "TransformObservation": {"func": np.copy},
    "ReshapeObservation": lambda envs: vector.ReshapeObservation(envs, (*envs.single_observation_space.shape, 1)),
    "TransformAction": {"func": _same_action},
    "TransformReward": {"func": lambda values: values / 2},
    "RecordVideo": lambda envs: vector.RecordVideo(envs, tempfile.mkdtemp(), video_length=2, disable_logger=True),
    "ArrayConversion": functools.partial(_array_conversion, vector),
} | dict.fromkeys(
    ("DictInfoToList", "FlattenObservation", "NormalizeObservation", "NormalizeReward", "RecordEpisodeStatistics"), {}
)  # fmt: skip
DRAWN = ("AddRenderObservation", "AddWhiteNoise", "ObstructView", "RecordVideo", "HumanRendering")  # need pictures


def more() -> Iterator[tuple[str, Callable[[], None]]]:
    """A check for each applicable wrapper of the release. Unknown wrappers fail."""
    torch = all(importlib.util.find_spec(needed) for needed in ("torch", "array_api_compat", "packaging"))
    excluded = {"vector", *NOT_APPLICABLE, *(() if torch else NEED_TORCH)}
    for name in wrappers.__all__:
        if name not in excluded:
            yield f"wrapper {name}", functools.partial(_try, name, wrappers, SINGLE, _single)
    for name in vector.__all__:
        if name not in excluded and name != "HumanRendering":  # needs opencv-python
            yield f"vector wrapper {name}", functools.partial(_try, name, vector, VECTOR, _vector)


def _try(name: str, module: Any, table: dict[str, How], play: Callable[..., None]) -> None:
    how = table[name]
    play(name, how if callable(how) else functools.partial(getattr(module, name), **how))


def _single(name: str, wrap: Callable[[Any], Any]) -> None:
    options: dict[str, Any] = {"mask_in_observation": True} if name == "FilterObservation" else {}
    if name == "RenderCollection":
        options["render_mode"] = "ansi"
    if name in DRAWN:
        options["render_mode"] = "rgb_array"
    env = wrap(SoloEnv(**options))
    _, info = env.reset(seed=1)
    for _ in range(DRAWN_STEPS if name in DRAWN else STEPS):
        result = env.step(_numbers(_legal(info["action_mask"]), info["action_mask"]))
        assert len(result) == 5
        info = result[4]
        if (bool(result[2]) or bool(result[3])) and name != "Autoreset":
            _, info = env.reset()
    if name == "RenderCollection":
        assert all(isinstance(text, str) for text in env.render())
    if name in DRAWN:
        env.render()
    env.close()


def _vector(name: str, wrap: Callable[[Any], Any]) -> None:
    options: dict[str, Any] = {"render_mode": "rgb_array"} if name in DRAWN else {}
    envs = wrap(_make_vec(autoreset_mode="NextStep", mask_in_observation=name == "FilterObservation", **options))
    _, infos = envs.reset(seed=1)
    for _ in range(DRAWN_STEPS if name in DRAWN else STEPS):
        as_list = name == "DictInfoToList"
        masks = np.stack([info["action_mask"] for info in infos]) if as_list else infos["action_mask"]
        infos = envs.step(_numbers(_legal(masks), masks))[4]


def _legal(masks: Any) -> Any:
    """The first legal action of each mask."""
    return np.asarray(masks).argmax(axis=-1)


def _numbers(chosen: Any, like: Any) -> Any:
    """Actions as the same kind of arrays as the masks: NumPy's, or PyTorch's with a converting wrapper."""
    if type(like).__module__.startswith("torch"):
        import torch

        return torch.as_tensor(chosen)
    return chosen


def _make_vec(mode: str = "vector_entry_point", **arguments: Any) -> Any:
    return gymnasium.make_vec(ID, num_envs=2, vectorization_mode=mode, **arguments)


# ---------------------------------------------------------------- checker and make_vec
def check_check_env() -> None:
    """check_env without a warning."""
    for options in ({}, {"mask_in_observation": True}, {"reward": "dense_margin", "modules": "all"}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(SoloEnv(**options), skip_render_check=True)


def _run(envs: Any, kind: type[Any]) -> None:
    assert isinstance(envs.unwrapped, kind)
    _, infos = envs.reset(seed=1)
    for _ in range(STEPS):
        _, _, ended, _, infos = envs.step(_legal(infos["action_mask"]))
        if envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED and ended.any():
            envs.reset(options={"reset_mask": ended})
            infos = {"action_mask": envs.unwrapped.action_masks()}
    envs.close()


def check_sync() -> None:
    """make_vec, sync."""
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        _run(_make_vec("sync", vector_kwargs={"autoreset_mode": mode}), SyncVectorEnv)


def check_async() -> None:
    """make_vec, async, with fork and with spawn."""
    for context in (None, "spawn"):
        _run(_make_vec("async", vector_kwargs={"context": context}), AsyncVectorEnv)


def check_native() -> None:
    """make_vec, native, in every autoreset mode."""
    from carnegie_env.carnegie.envs import SoloVectorEnv

    for mode in AutoresetMode:
        _run(_make_vec(autoreset_mode=mode), SoloVectorEnv)
