"""The pictures in the documents are what is drawn."""

from tests.render.samples import FOLDER, samples

OTHERS = {"speed.svg"}  # not of positions: tests/documents/test_chart.py


def test_the_pictures_of_the_documents_are_current():
    """If not: `python -m tests.render.samples`."""
    found = samples()
    assert {path.name for path in FOLDER.glob("*.svg")} == set(found) | OTHERS
    old = [name for name, picture in found.items() if (FOLDER / name).read_text(encoding="utf-8") != picture]
    assert not old, f"{', '.join(old)}: `python -m tests.render.samples` draws them again"
