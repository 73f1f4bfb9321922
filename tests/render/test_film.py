"""Films of recorded games: a frame for every decision, captions, complete files or none, errors."""

import io
import re
import shutil
import sys

import numpy as np
import pytest
from PIL import Image

from carnegie_env import Position, games
from carnegie_env.cli import main
from carnegie_env.render import film

DECISIONS = 5


@pytest.fixture(scope="module")
def record():
    game = games()["steel_driver"]
    position = game.position_class.new({"num_players": 3})
    for action in ("open green 3", "bid 5", "pass", "pass", "open red 2"):
        position.apply(action)
    return game.record_class.of(position)


@pytest.fixture(scope="module")
def file(record, tmp_path_factory):
    path = tmp_path_factory.mktemp("record") / "game.txt"
    record.save(path)
    return path


def size_of(path):
    """A film's width, height, frames per second, and number of frames as ffmpeg counts them."""
    from imageio_ffmpeg import count_frames_and_secs, read_frames

    reader = read_frames(str(path))
    about = next(reader)
    reader.close()
    return (*about["size"], about["fps"], count_frames_and_secs(str(path))[0])


def replay(*arguments):
    return main(["replay", *map(str, arguments)])


def loaded(file):
    return games()["steel_driver"].record_class.load(file)


# ---------------------------------------------------------------- files
def test_a_folder_of_pictures(file, record, tmp_path, capsys):
    assert replay(file, "--film", tmp_path / "game", "--width", 320) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'game'}: {DECISIONS + 1} frames\n"
    found = sorted((tmp_path / "game").iterdir())
    assert [path.name for path in found] == [f"{k:04}.png" for k in range(DECISIONS + 1)]
    assert [path.read_bytes() for path in found] == list(film.frames(record, None, "light", 320))
    assert len({path.read_bytes() for path in found}) == DECISIONS + 1
    assert [path.name for path in tmp_path.iterdir()] == ["game"]


@pytest.mark.parametrize("ending", ["mp4", "gif", "GIF"])
def test_a_film(file, ending, tmp_path):
    path = tmp_path / f"game.{ending}"
    path.write_bytes(b"an older one")
    assert replay(file, "--film", path, "--width", 320, "--fps", 5, "--theme", "dark", "--seat", 1) == 0
    width, height, fps, number = size_of(path)
    picture = Image.open(io.BytesIO(next(film.frames(loaded(file), 1, "dark", 320))))
    assert (width, height) == picture.size and height % 2 == 0 and fps == 5
    assert number == DECISIONS + 1 + film.HELD * 5
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_an_mp4_of_an_odd_width(file, tmp_path):
    path = tmp_path / "game.mp4"
    assert replay(file, "--film", path, "--width", 321) == 0
    assert size_of(path)[0] == 320


def test_a_gif_has_the_colours_of_its_pictures(file, tmp_path):
    """The background is exact, and rare colours such as that of legal choices are close."""
    assert replay(file, "--film", tmp_path / "game.gif", "--width", 640) == 0
    with Image.open(tmp_path / "game.gif") as found:
        found.seek(1)
        shown = np.array(found.convert("RGB")).astype(int)
    frames = list(film.frames(loaded(file), None, "light", 640))
    right = np.array(Image.open(io.BytesIO(frames[1])).convert("RGB")).astype(int)
    assert shown.shape == right.shape
    off = np.abs(shown - right).max(axis=2)
    assert np.mean(off == 0) > 0.9 and np.percentile(off, 99.9) < 40


# ---------------------------------------------------------------- captions
def test_captions_include_forced_decisions(record):
    position = record.position.new(record.options, record.seed)
    position.apply("open green 3")
    position.apply("bid 5")
    position.apply("pass")
    assert film.caption(position, "pass", None) == "player_0: pass; player_1: bought green for 5"
    assert position.phase == "bid"


def test_secrets_are_only_in_their_owners_caption():
    position = Position.new({"num_players": 3, "new_start": True}, seed=2)
    while position.phase != "sheet":
        position.apply(int(position.legal_numbers()[0]))
    seat, action = position.to_play, position.legal_actions()[-1]
    secret = position.game.presentation.secret_phases["sheet"]
    wording = position.game.wording(position.record, position.number(action))
    assert film.caption(position, action, seat).startswith(f"player_{seat}: {wording}")
    for other in {None, 0, 1, 2} - {seat}:
        caption = film.caption(position, action, other)
        assert wording not in caption and caption.startswith(f"player_{seat}: {secret}")


def test_sealed_sheets_are_only_in_their_owners_frames():
    films: dict[int | None, list[list[bytes]]] = {None: [], 0: [], 1: []}
    for goods in (2, 6):
        position = Position.new({"num_players": 2, "new_start": True}, seed=1)
        for text in (f"sheet goods {goods}", "sheet employees 3", "sheet points 0", "sheet moves 4"):
            position.apply(text)
        for seat, found in films.items():
            found.append(list(film.frames(position.game.record_class.of(position), seat, "light", 320)))
    assert films[None][0] == films[None][1] and films[1][0] == films[1][1] and films[0][0] != films[0][1]


# ---------------------------------------------------------------- errors
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--film", "game.avi"), r"game\.avi: a film's name must end with \.mp4 or \.gif, or have no ending"),
        (("--film", "no/game.mp4"), "no: there is no such folder"),
        (("--film", "full"), "full: the folder is not empty"),
        (("--film", "file"), "file: there is a file of that name"),
        (("--film", "folder.mp4"), r"folder\.mp4: there is a folder of that name"),
        (("--film", "a.gif", "--seat", "3"), "seat must be a whole number from 0 to 2, not 3"),
        (("--film", "a.gif", "--width", "5"), "width must be a whole number from 16 to 8192, not 5"),
        (("--film", "a.gif", "--fps", "0"), "--fps must be from 0.1 to 60, not 0"),
        (("--film", "a.gif", "--fps", "nan"), "--fps must be from 0.1 to 60, not nan"),
        (("--seat", "1"), "--seat needs --film"),
        (("--width", "640", "--last"), "--width needs --film"),
    ],
)
def test_wrong_arguments(arguments, message, file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    (tmp_path / "folder.mp4").mkdir()
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    assert replay(file, *arguments) == 2
    assert re.search(message, capsys.readouterr().err) and sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["resvg", "imageio_ffmpeg", "PIL"])
def test_without_the_extra(name, file, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, name, None)
    assert replay(file, "--film", tmp_path / "game.gif", "--width", 160) == 2
    assert "pip install 'carnegie_env[pictures]'" in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".mp4", ""])
def test_an_interrupted_film_leaves_no_file(ending, record, tmp_path):
    def pictures():
        yield next(film.frames(record, None, "light", 160))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        film.write(tmp_path / f"game{ending}", pictures(), 2, [])
    assert not list(tmp_path.iterdir())


def test_errors_of_ffmpeg_are_reported(record, tmp_path, monkeypatch):
    with pytest.raises(OSError, match="ffmpeg: .+"):
        film.write(tmp_path / "game.mp4", [b"no picture"] * 3, 2, [])
    import imageio_ffmpeg

    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: shutil.which("false"))  # it exits at once
    with pytest.raises(OSError, match="ffmpeg: "):
        film.write(tmp_path / "game.mp4", [bytes(10**6)] * 3, 2, [])
    assert not list(tmp_path.iterdir())
