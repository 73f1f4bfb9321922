"""Gymnasium: its checker, every wrapper it has for single and vector environments, and make_vec in all its ways."""

from __future__ import annotations

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
from tests.clients import ID, NotApplicableError

STEPS = 120  # more than a random game has
PICTURES_SHOWN = 4  # steps, where each is drawn
OPENCV = "shows several pictures beside each other with opencv-python"
IMAGES = "is for observations that are images"
CONTINUOUS = "is for continuous (Box) actions"
JAX = "is for environments written in JAX"


def _same_action(action: Any) -> Any:
    return action


def _to_torch(module: Any, name: str, env: Any) -> Any:
    for needed in ("torch", "array_api_compat", "packaging"):
        if importlib.util.find_spec(needed) is None:
            raise NotApplicableError(f"needs {needed}, which is not installed here")
    if name == "NumpyToTorch":
        return module.NumpyToTorch(env)
    return module.ArrayConversion(env, env_xp=np, target_xp=importlib.import_module("torch"))


# Arguments of each wrapper by name, or a function of the environment that wraps it; a text says why it cannot be used,
# which is checked.
How = dict[str, Any] | Callable[[Any], Any] | str
BOTH: dict[str, How] = {
    "DtypeObservation": {"dtype": np.float64},
    "FilterObservation": {"filter_keys": ["observation"]},
    "GrayscaleObservation": IMAGES,
    "ResizeObservation": IMAGES,
    "RescaleObservation": {"min_obs": -1, "max_obs": 1},
    "ClipAction": CONTINUOUS,
    "RescaleAction": CONTINUOUS,
    "ClipReward": {"min_reward": -1, "max_reward": 1},
    "JaxToNumpy": JAX,
    "JaxToTorch": JAX,
}
SINGLE: dict[str, How] = BOTH | {
    "AtariPreprocessing": "is for Atari games",
    "DelayObservation": {"delay": 2},
    "DiscretizeObservation": {"bins": 4, "multidiscrete": True},
    "FrameStackObservation": {"stack_size": 3},
    "TransformObservation": lambda env: wrappers.TransformObservation(env, np.copy, env.observation_space),
    "MaxAndSkipObservation": {"skip": 2},
    "ReshapeObservation": lambda env: wrappers.ReshapeObservation(env, (*env.observation_space.shape, 1)),
    "TimeAwareObservation": lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 1000)),
    "DiscretizeAction": CONTINUOUS,
    "TransformAction": lambda env: wrappers.TransformAction(env, _same_action, env.action_space),
    "StickyAction": {"repeat_action_probability": 0.1},
    "RepeatAction": {"num_repeats": 2},
    "TransformReward": {"func": lambda value: value / 2},
    "TimeLimit": {"max_episode_steps": 30},
    "AddWhiteNoise": {"probability_of_noise_per_pixel": 0.1},
    "ObstructView": {"obstructed_pixels_ratio": 0.1, "obstruction_width": 20},
    "RecordVideo": lambda env: wrappers.RecordVideo(env, tempfile.mkdtemp(), disable_logger=True),
    "ArrayConversion": lambda env: _to_torch(wrappers, "ArrayConversion", env),
    "NumpyToTorch": lambda env: _to_torch(wrappers, "NumpyToTorch", env),
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
    "HumanRendering": OPENCV,
    "ArrayConversion": lambda envs: _to_torch(vector, "ArrayConversion", envs),
    "NumpyToTorch": lambda envs: _to_torch(vector, "NumpyToTorch", envs),
} | dict.fromkeys(
    ("DictInfoToList", "FlattenObservation", "NormalizeObservation", "NormalizeReward", "RecordEpisodeStatistics"), {}
)  # fmt: skip
# Wrappers of environments that give pictures.
DRAWN = ("AddRenderObservation", "AddWhiteNoise", "ObstructView", "RecordVideo", "HumanRendering")
# What a wrapper that can't be applied is given, so that its refusal is about what it is applied to.
REFUSED: dict[str, dict[str, Any]] = {
    "ResizeObservation": {"shape": (8, 8)},
    "RescaleAction": {"min_action": -1, "max_action": 1},
    "DiscretizeAction": {"bins": 3},
}


def more() -> Iterator[tuple[str, Callable[[], None]]]:
    """A check for each wrapper that the release has; one that nobody thought of fails."""
    for names, table, play in ((wrappers.__all__, SINGLE, _single), (vector.__all__, VECTOR, _vector)):
        kind = "wrapper" if table is SINGLE else "vector wrapper"
        for name in names:
            if name != "vector":
                yield f"{kind} {name}", functools.partial(_try, name, table, play)


def _try(name: str, table: dict[str, Any], play: Callable[..., None]) -> None:
    how, module = table[name], wrappers if table is SINGLE else vector
    if not isinstance(how, str):
        play(name, how if callable(how) else functools.partial(getattr(module, name), **how))
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = SoloEnv(render_mode="ansi") if table is SINGLE else _make_vec(render_mode="ansi")
        try:
            wrapped = getattr(module, name)(env, **REFUSED.get(name, {}))
            wrapped.reset(seed=0)
        except Exception:
            raise NotApplicableError(how) from None
    raise AssertionError(f"it is said that {name} can't be applied ({how}), but it can")


def _single(name: str, wrap: Callable[[Any], Any]) -> None:
    options: dict[str, Any] = {"mask_in_observation": True} if name == "FilterObservation" else {}
    if name == "RenderCollection":
        options["render_mode"] = "ansi"
    if name in DRAWN:
        options["render_mode"] = "rgb_array"
    env = wrap(SoloEnv(**options))
    _, info = env.reset(seed=1)
    for _ in range(PICTURES_SHOWN if name in DRAWN else STEPS):
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
    for _ in range(PICTURES_SHOWN if name in DRAWN else STEPS):
        if name == "DictInfoToList":
            masks = np.stack([info["action_mask"] for info in infos])
        else:
            masks = infos["action_mask"]
        infos = envs.step(_numbers(_legal(masks), masks))[4]


def _legal(masks: Any) -> Any:
    """The first legal action of each mask."""
    return np.asarray(masks).argmax(axis=-1)


def _numbers(chosen: Any, like: Any) -> Any:
    """Actions in the arrays that the masks came in: NumPy's, or PyTorch's behind a converting wrapper."""
    if type(like).__module__.startswith("torch"):
        import torch

        return torch.as_tensor(chosen)
    return chosen


def _make_vec(mode: str = "vector_entry_point", number: int = 3, **arguments: Any) -> Any:
    return gymnasium.make_vec(ID, num_envs=number, vectorization_mode=mode, **arguments)


# ---------------------------------------------------------------- all but the wrappers
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
        infos = envs.step(_legal(infos["action_mask"]))[4]
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

    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        _run(_make_vec(autoreset_mode=mode), SoloVectorEnv)
    envs = _make_vec(autoreset_mode=AutoresetMode.DISABLED)
    _, infos = envs.reset(seed=1)
    for _ in range(STEPS):
        masks = infos["action_mask"]
        _, _, ended, _, infos = envs.step(_legal(masks))
        if ended.any():
            envs.reset(options={"reset_mask": ended})
            infos = {"action_mask": envs.unwrapped.action_masks()}
