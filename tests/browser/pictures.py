"""Takes the pictures of the page for the documents: `python -m tests.browser.pictures` (needs Chromium)."""

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect, sync_playwright

from carnegie_env.web.client import Server
from tests.browser.conftest import BROWSER, FLAGS
from tests.browser.screens import board, tab
from tests.paths import ROOT
from tests.web.served import process

ROUND = 9  # the pictures show a decision from this round on
FOLDER = ROOT / "docs" / "pictures"


def main() -> None:
    """Play some rounds of `value` against itself, then show the table and the analysis by `search`."""
    with tempfile.TemporaryDirectory() as folder, process(Path(folder, "games.sqlite")) as served:
        seat = Server(served.line).new_table("carnegie", ["here", "value"], seed=8).seat()
        view = seat.wait_for_turn()
        while view["round"] < ROUND or sum("build" in each["text"] for each in view["legal"]) < 4:
            seat.play(seat.analysis("value")["values"][0]["action"])
            view = seat.wait_for_turn()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
            # Shown 900 pixels wide: the analysis, which comes first in the README, has fewer and larger pixels.
            for name, scheme, size in (("table", "light", (1400, 1150)), ("analysis", "dark", (1100, 780))):
                width, height = size
                scale = 1500 / width
                page = browser.new_page(
                    viewport={"width": width, "height": height}, device_scale_factor=scale, color_scheme=scheme
                )
                page.goto(served.line)
                page.get_by_role("link", name="Carnegie", exact=True).click()
                board(page)
                if name == "analysis":
                    tab(page, "Analysis")
                    page.locator("#analyst").select_option("search")
                    page.get_by_role("button", name="Analyse").click()
                    expect(page.locator(".values button").first).to_be_visible(timeout=60_000)
                    page.mouse.move(20, 97)  # the upper left corner of the board stays where it is
                    page.keyboard.down("Control")
                    page.mouse.wheel(0, -120)
                picture = Image.open(io.BytesIO(page.screenshot()))
                picture.quantize(256).save(FOLDER / f"page_{name}.png", optimize=True)
            browser.close()


if __name__ == "__main__":
    main()
