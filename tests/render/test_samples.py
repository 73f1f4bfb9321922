"""The pictures in the documentation are up to date."""

from tests.render.samples import FOLDER, samples

OTHERS = {"speed.svg"}  # tested by tests/documents/test_chart.py


def test_pictures_in_the_documentation():
    found = samples()
    drawn = {path.name for path in FOLDER.glob("*.svg") if not path.name.startswith("curves-")}
    assert drawn == set(found) | OTHERS
    old = [name for name, picture in found.items() if (FOLDER / name).read_text(encoding="utf-8") != picture]
    assert not old, f"{', '.join(old)}: `python -m tests.render.samples` updates them"
