"""The colours of this game's picture that themes don't have, by theme."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Colours:
    """Additional colours of a theme.

    Args:
        sea: around the land.
        regions: the land, in the order of ``tables.REGIONS``.
        kinds: construction spaces, in the order of ``tables.SPACE_TYPES``; they also differ in form and letter.
        slot: empty places: a workstation, a space of a track.
        marked: the row or space in use.
        done: spaces that have been passed.
    """

    sea: str
    regions: tuple[str, str, str, str]
    kinds: tuple[str, str, str, str, str]
    slot: str
    marked: str
    done: str


COLOURS = {
    "light": Colours(
        sea="#dde7ec", regions=("#eee5cf", "#dfe8d8", "#e3dfec", "#f1dfd3"),
        kinds=("#f7dfa6", "#c5dcef", "#d8d2c8", "#f0c9dc", "#fffdf8"), slot="#f3efe6", marked="#fbe7bf", done="#e7e1d5",
    ),
    "dark": Colours(
        sea="#1a2229", regions=("#39362b", "#2c372e", "#33303e", "#3d302a"),
        kinds=("#6a5520", "#2c4f6b", "#55524c", "#6b3a53", "#24272c"), slot="#2d3036", marked="#4a3d1f", done="#1f2125",
    ),
}  # fmt: skip
