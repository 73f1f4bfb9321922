"""The parts of a picture, read from its SVG."""

import dataclasses
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


@dataclasses.dataclass(frozen=True)
class Part:
    """A named part: its title, the key of its help, the numbers of its actions, its texts, its element."""

    title: str
    help: str
    actions: tuple[int, ...]
    texts: tuple[str, ...]
    element: ElementTree.Element

    @property
    def svg(self) -> str:
        return ElementTree.tostring(self.element, "unicode")


def parts(picture: str) -> dict[str, Part]:
    """The parts of a picture by their names, which must be unique."""
    found: dict[str, Part] = {}
    for element in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        if name := element.get("data-part"):
            assert name not in found
            texts = tuple("".join(inner.itertext()) for inner in element.iter(f"{SVG}text"))
            numbers = tuple(map(int, element.get("data-actions", "").split()))
            found[name] = Part(element.get("aria-label", ""), element.get("data-help", ""), numbers, texts, element)
    return found
