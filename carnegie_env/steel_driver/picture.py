"""The map as an SVG picture: `python -m carnegie_env.steel_driver.picture FILE` (CARNEGIE_ENV_FACTS: your own map)."""

from __future__ import annotations

import sys
from pathlib import Path

from carnegie_env.core.files import write_whole
from carnegie_env.render.svg import Drawing, theme
from carnegie_env.steel_driver import map as plans
from carnegie_env.steel_driver import tables as t


def svg() -> str:
    """The picture: start cities as hexagons, others as circles, with value and colour of goods."""
    drawing, where = Drawing(plans.WIDTH, plans.HEIGHT, theme("light"), "The map of Steel Driver"), plans.plan(0, 0)
    drawing.rect(0, 0, plans.WIDTH, plans.HEIGHT, drawing.theme.panel)
    for route in range(t.NUM_ROUTES):
        plans.draw_route(drawing, where, route)
    for city in range(t.NUM_CITIES):
        plans.draw_city(drawing, where, city)
    return drawing.svg()


def main() -> int:
    """Write the picture into the file named on the command line."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    write_whole(Path(sys.argv[1]), svg())
    return 0


if __name__ == "__main__":
    sys.exit(main())
