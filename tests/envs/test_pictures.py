"""Pictures of environments: `rgb_array`, `human`, videos of Gymnasium and Stable-Baselines3."""

import copy
import pickle
import sys
import warnings

import gymnasium
import numpy as np
import pygame
import pytest
from gymnasium.wrappers import RecordVideo
from pettingzoo.test import api_test, render_test
from stable_baselines3.common.vec_env import VecVideoRecorder

import carnegie_env  # noqa: F401  (registers the environments)
from carnegie_env import carnegie_v0, games, steel_driver_v0
from carnegie_env.envs.sb3 import GameVecEnv
from carnegie_env.render import png
from carnegie_env.render.needed import PicturesNotInstalled
from carnegie_env.render.window import Window

IDS = ("Carnegie/Solo-v0", "Carnegie/Versus-v0", "SteelDriver/Versus-v0")
EACH_ID = pytest.mark.parametrize("name", IDS)


@pytest.fixture(autouse=True)
def without_waiting(monkeypatch):
    """Windows don't limit the frame rate."""
    init = Window.__init__
    monkeypatch.setattr(Window, "__init__", lambda self, title, fps: init(self, title, 10_000))


def play(env, steps):
    env.reset(seed=1)
    for _ in range(steps):
        env.step(env.unwrapped.action_masks().argmax())


# ---------------------------------------------------------------- Gymnasium
@EACH_ID
def test_rgb_array(name):
    """A frame shows the view of the seat to move, and it changes with every decision but not in size."""
    env = gymnasium.make(name, render_mode="rgb_array")
    assert env.metadata["render_modes"] == ["ansi", "rgb_array", "human"] and env.metadata["render_fps"] == 4
    shapes, last = set(), None
    for k in range(4):
        play(env, k)
        frame = env.render()
        assert frame.dtype == np.uint8 and frame.shape[1:] == (960, 3) and frame.shape[0] <= 1080
        assert not np.array_equal(frame, last)
        position = env.unwrapped.position
        assert np.array_equal(frame, png.pixels(position.to_svg(position.to_play)))
        shapes.add(frame.shape)
        last = frame
    assert len(shapes) == 1


def test_with_opponents_frames_show_the_learners_view():
    options = {"num_players": 3, "opponents": "random", "secret_donation": True, "new_start": True}
    env = gymnasium.make("Carnegie/Versus-v0", render_mode="rgb_array", **options).unwrapped
    for seat in range(3):
        env.reset(seed=seat)
        position = env.position
        assert np.array_equal(env.render(), png.pixels(position.to_svg(seat)))
        hidden = position.copy()
        hidden.redraw_hidden(seat, 5)
        assert hidden != position and np.array_equal(env.render(), png.pixels(hidden.to_svg(seat)))
        while not env.step(env.action_masks().argmax())[2]:
            pass
        assert np.array_equal(env.render(), png.pixels(env.position.to_svg(seat)))


@EACH_ID
def test_a_window_shows_every_decision(name):
    env = gymnasium.make(name, render_mode="human")
    play(env, 2)
    assert env.render() is None
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    position = env.unwrapped.position
    assert np.array_equal(shown, png.pixels(position.to_svg(position.to_play)))
    assert pygame.display.get_caption()[0] == env.unwrapped.game.title
    for copied in (copy.deepcopy(env.unwrapped), pickle.loads(pickle.dumps(env.unwrapped))):
        copied.close()  # it has no window
    assert pygame.display.get_init()
    env.close()
    assert not pygame.display.get_init()
    env.close()


def test_gymnasiums_videos(tmp_path):
    env = RecordVideo(gymnasium.make(IDS[0], render_mode="rgb_array"), str(tmp_path / "videos"), disable_logger=True)
    play(env, 3)
    env.close()
    (video,) = (tmp_path / "videos").glob("*.mp4")
    from imageio_ffmpeg import count_frames_and_secs, read_frames

    about = next(read_frames(str(video)))
    assert about["size"][0] == 960 and about["fps"] == 4 and count_frames_and_secs(str(video))[0] == 4
    assert about["pix_fmt"].startswith("yuv420p")  # which every player supports


def test_vectors():
    envs = gymnasium.make_vec(IDS[2], num_envs=2, vectorization_mode="vector_entry_point", render_mode="rgb_array")
    assert envs.metadata["render_modes"] == ["ansi", "rgb_array"]
    envs.reset(seed=1)
    envs.step(envs.unwrapped.action_masks().argmax(axis=1))
    frames = envs.render()
    assert isinstance(frames, tuple) and len(frames) == 2
    for i, frame in enumerate(frames):
        position = envs.unwrapped.position(i)
        assert np.array_equal(frame, png.pixels(position.to_svg(position.to_play)))
    with pytest.raises(TypeError, match=r"one of \['ansi', 'rgb_array'\], not 'human'"):
        gymnasium.make_vec(IDS[2], num_envs=2, vectorization_mode="vector_entry_point", render_mode="human")


# ---------------------------------------------------------------- Stable-Baselines3
def test_videos_of_stable_baselines3(tmp_path):
    env = GameVecEnv(2, game="steel_driver", num_players=3, seed=0, render_mode="rgb_array")
    env.reset()
    images = env.get_images()
    assert len(images) == 2 and images[0].shape[1:] == (960, 3)
    assert env.render().shape[0] >= images[0].shape[0] and len(env.env_method("render", indices=[1])) == 1
    recorder = VecVideoRecorder(env, str(tmp_path), lambda step: step == 0, video_length=2)
    recorder.reset()
    for _ in range(3):
        recorder.step(env.action_masks().argmax(axis=1))
    assert list(tmp_path.glob("*.mp4"))
    assert GameVecEnv(2, seed=0).get_images() == [None, None]


# ---------------------------------------------------------------- PettingZoo
@pytest.mark.parametrize("module", [carnegie_v0, steel_driver_v0], ids=["carnegie", "steel_driver"])
def test_pettingzoo(module):
    assert module.METADATA["render_modes"] == ["ansi", "rgb_array", "human"]
    render_test(module.env)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation")
        api_test(module.env(render_mode="rgb_array"), num_cycles=20)
    env = module.env(num_players=3, render_mode="rgb_array")
    env.reset(seed=1)
    frame = env.render()
    assert np.array_equal(frame, png.pixels(env.unwrapped.position.to_svg())) and frame.shape[0] <= 1080
    env = module.raw_env(render_mode="human")
    env.reset(seed=1)
    env.step(env.observe(env.agent_selection)["action_mask"].argmax())
    assert env.render() is None and pygame.display.get_init()
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, png.pixels(env.position.to_svg()))
    env.close()
    assert not pygame.display.get_init()


def test_pettingzoos_pictures_do_not_tell_sealed_sheets():
    """How much of the budget is left determines the legal actions, so these are not the marked ones."""
    pictures = []
    for goods in (2, 6):
        env = carnegie_v0.raw_env(num_players=2, new_start=True, render_mode="rgb_array")
        env.reset(seed=1)
        for text in (f"sheet goods {goods}", "sheet employees 3", "sheet points 0", "sheet moves 4"):
            env.step(env.position.number(text))
        assert env.position.phase == "sheet"
        pictures.append(env.render())
    assert np.array_equal(*pictures)


# ---------------------------------------------------------------- errors
@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_without_the_extra(mode, monkeypatch):
    """Only showing a picture is an error, because Stable-Baselines3 makes every environment with `rgb_array`."""
    monkeypatch.setitem(sys.modules, "resvg" if mode == "rgb_array" else "pygame", None)
    env = gymnasium.make(IDS[2], render_mode=mode)
    with pytest.raises(PicturesNotInstalled, match=r"pip install 'carnegie_env\[pictures\]'"):
        env.reset(seed=1)
        env.render()


def test_without_a_display(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "there is none")
    pygame.display.quit()
    with pytest.raises(RuntimeError, match="no window can be opened.*rgb_array"):
        gymnasium.make(IDS[2], render_mode="human").reset(seed=1)


def test_games_without_pictures_have_no_such_render_modes():
    from carnegie_env.envs.single import GameEnv
    from carnegie_env.envs.vector import GameVectorEnv
    from tests.toy.game import SIXES

    assert SIXES.presentation.draw is None and games()["carnegie"].presentation.draw is not None
    single = type("Single", (GameEnv,), {"game": SIXES, "solo": False})
    vector = type("Vector", (GameVectorEnv,), {"game": SIXES, "solo": False})
    assert single.metadata["render_modes"] == vector.metadata["render_modes"] == ["ansi"]
    own = type("Own", (single,), {})  # a subclass, and one with its own metadata
    named = type("Named", (GameEnv,), {"game": SIXES, "solo": False, "metadata": {"render_modes": []}})
    assert own.metadata is single.metadata and named.metadata == {"render_modes": []}
    with pytest.raises(TypeError, match=r"one of \['ansi'\], not 'rgb_array'"):
        single(render_mode="rgb_array")
