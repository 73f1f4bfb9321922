"""PNG files and pixels: sizes, cached panels, text as outlines, errors."""

import io
import sys

import numpy as np
import pytest
from PIL import Image

from carnegie_env import games
from carnegie_env.render import letters, png
from carnegie_env.render.needed import PicturesNotInstalled
from carnegie_env.render.svg import Drawing, size_of, theme
from tests.commands import python

STEEL_DRIVER = games()["steel_driver"]


def position():
    return STEEL_DRIVER.position_class.new({"num_players": 4})


def drawing():
    found = Drawing(200, 101, theme("light"), "a picture")
    found.rect(10, 10, 50, 40, "#ff0000")
    found.text(100, 60, "AVA < µ & …", 20, "#0000ff", "middle", bold=True)
    return found


def opened(data):
    return np.array(Image.open(io.BytesIO(data)).convert("RGB"))


@pytest.mark.parametrize("width", [64, 333, 1280])
def test_sizes(width):
    """The width is as requested, the height is even, and the picture fills them."""
    found = opened(png.png(drawing().svg(), width))
    assert found.shape == (max(round(width * 101 / 200 / 2) * 2, 2), width, 3)
    ground = tuple(int(theme("light").ground[k : k + 2], 16) for k in (1, 3, 5))
    assert {tuple(found[y, x]) for y in (0, -1) for x in (0, -1)} == {ground}
    assert tuple(found[round(found.shape[0] * 0.3), round(width * 0.15)]) == (255, 0, 0)


def test_pictures_of_positions():
    position_ = position()
    data = position_.to_png(width=640)
    assert data == png.png(position_.to_svg(), 640) and opened(data).shape[1] == 640
    assert position_.to_png(seat=2, theme="dark", width=640) == png.png(position_.to_svg(2, "dark"), 640) != data
    assert opened(position_.to_png()).shape[1] == 1280
    for wrong in (0, 15, 9000, 640.0, "640", None, True):
        with pytest.raises(ValueError, match="width must be a whole number from 16 to 8192"):
            position_.to_png(width=wrong)
    with pytest.raises(ValueError, match="theme"):
        position_.to_png(theme="sepia")


def test_pixels_equal_the_file():
    text = position().to_svg()
    found = png.pixels(text, 500)
    assert found.dtype == np.uint8 and np.array_equal(found, opened(png.png(text, 500)))
    found[:] = 0  # not cached
    assert png.pixels(text).shape[1] == png.FRAME_WIDTH  # the default
    tall = Drawing(100, 200, theme("light"), "a picture").svg()
    assert png.pixels(tall).shape == (png.FRAME_HEIGHT, png.FRAME_HEIGHT // 2, 3)


def a_few_positions(name, options):
    """Distant positions of a game in which the last legal action is always played."""
    found = games()[name].position_class.new(options, 3)
    for number in range(100):
        if found.is_over:
            return
        if number % 33 == 0:
            yield found
        found.apply(int(found.legal_numbers()[-1]))


@pytest.mark.parametrize(
    ("name", "options"),
    [("carnegie", {"num_players": 1}), ("carnegie", {"num_players": 3, "modules": "all"}),
     ("steel_driver", {"num_players": 5})],
)  # fmt: skip
def test_combined_panels_equal_the_whole_picture(name, options):
    for found in a_few_positions(name, options):
        picture = found.to_svg(found.to_play)
        (across, down), together = size_of(picture), png.pixels(picture)
        height, width, _ = together.shape
        whole = png._rendered(picture, (width / across, height / down), (0, 0, width, height))
        # The renderer computes coverage in quarters of a pixel, with other rounding at other offsets.
        assert np.abs(together.astype(int) - whole).max() <= 64


def test_texts_become_outlines_of_the_font():
    text = drawing().svg()
    found = letters.outlined(text)
    assert "<text" not in found and found.count("<path") == 1 and 'fill="#0000ff"' in found
    path, width = letters._outline("AVA", 20.0, True)
    assert path.startswith("M") and 30 < width < 60
    assert letters._outline("AVA", 10.0, True)[1] == pytest.approx(width / 2)
    assert letters._outline("AVA", 20.0, False)[1] < width
    blue = np.flatnonzero((opened(png.png(text, 400)) == (0, 0, 255)).all(axis=2).any(axis=0))
    across = 2 * letters._outline("AVA < µ & …", 20.0, True)[1]
    assert blue.min() == pytest.approx(200 - across / 2, abs=5) and blue.max() == pytest.approx(200 + across / 2, abs=5)


def test_rotated_texts():
    found = Drawing(200, 100, theme("light"), "a picture")
    found.text(100, 50, "rotated", 30, "#0000ff", "middle", more='transform="rotate(90 100 50)"')
    assert "<text" not in letters.outlined(found.svg())
    drawn = opened(png.png(found.svg(), 200))
    rows, columns = np.nonzero((drawn[:, :, 2].astype(int) - drawn[:, :, 0]) > 100)
    assert np.ptp(rows) > 1.5 * np.ptp(columns) > 0


def test_system_fonts_are_not_used(tmp_path):
    """The bytes are the same if fontconfig finds no fonts; neither Matplotlib nor Numba is imported."""
    code = "import sys; from carnegie_env import games;"
    code += "print(games()['steel_driver'].position_class.new({'num_players': 4}).to_png(width=300).hex());"
    code += "assert not {'matplotlib', 'numba'} & set(sys.modules)"
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
    found = python("-c", code, FONTCONFIG_FILE=str(tmp_path / "fonts.conf"), NUMBA_DISABLE_JIT="1")
    assert found.strip() == position().to_png(width=300).hex()


@pytest.mark.parametrize("name", ["resvg", "PIL"])
def test_without_the_extra(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PicturesNotInstalled, match=r"pip install 'carnegie_env\[pictures\]'"):
        png.pixels(drawing().svg())
    assert position().to_svg()  # needs nothing
