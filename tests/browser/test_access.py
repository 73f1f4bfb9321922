"""Accessibility: axe finds no violation on any screen."""

from typing import Any

import pytest

axe_module = pytest.importorskip("axe_playwright_python.sync_playwright")
sync_api = pytest.importorskip("playwright.sync_api")

from tests.browser.conftest import PHONE, Visitors, shot  # noqa: E402
from tests.browser.screens import (  # noqa: E402
    board,
    decisions,
    games_list,
    new_table,
    open_details,
    play,
    shows,
    tab,
    your_turn,
)

pytestmark = pytest.mark.browser
AXE = axe_module.Axe()
expect = sync_api.expect
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])


def check(page: Any, screen: str, *, picture: bool = False) -> None:
    """No violation of axe's rules; ``picture``: also in the board's picture, which has many parts."""
    found = AXE.run(page, context=None if picture else {"exclude": [[".board"]]})
    named = [
        f"{screen}: {one['id']} ({one['impact']}): {one['help']}: "
        + "; ".join(f"{node['target']} {node['html'][:160]} {node['any'][:1]}" for node in one["nodes"][:4])
        for one in found.response["violations"]
    ]
    assert not named, "\n".join(named)


@SCHEMES
def test_the_start_page(visitors: Visitors, scheme: str) -> None:
    page = visitors.come(color_scheme=scheme)
    new_table(page, seed=1)
    board(page)
    expect(games_list(page).first).to_be_visible()
    check(page, "start")
    page.locator("label[for=players-3]").click()
    for part in ("About the agents", "Options", "More"):
        open_details(page, part)
    page.locator("#seat-2").select_option("search")
    check(page, "start, all parts open")
    shot(page, f"start {scheme}")
    page.locator(".games li button", has_text="Delete").first.click()
    check(page, "delete?")


@SCHEMES
@pytest.mark.parametrize(
    "game, seats", [("Carnegie", ("here",)), ("Steel Driver", ("here", "random", "random"))], ids=["carnegie", "steel"]
)
def test_a_table(visitors: Visitors, scheme: str, game: str, seats: tuple[str, ...]) -> None:
    page = visitors.come(color_scheme=scheme)
    new_table(page, game, seats, seed=5)
    play(page, 8, entry=1)
    your_turn(page)
    shows(page, decisions(page))
    check(page, "playing", picture=True)
    tab(page, "Points")
    expect(page.locator(".chart").first).to_be_visible()
    page.locator(".over-rounds summary").click()
    check(page, "points")
    shot(page, f"points {game} {scheme}")
    tab(page, "Table")
    check(page, "about the table")
    tab(page, "Analysis")
    page.get_by_role("button", name="Try a variation from here").click()
    shows(page, decisions(page))
    check(page, "variation")
    page.get_by_role("button", name="Return to the game").first.click()
    page.get_by_role("button", name="Explain on click").click()
    check(page, "explaining", picture=True)
    page.locator(".board [data-help]").first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    check(page, "a topic")
    page.keyboard.press("Escape")
    page.locator("h1").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    check(page, "help")


def test_screens_of_several_people(visitors: Visitors) -> None:
    host = visitors.come()
    new_table(host, "Carnegie", ("here", "here", "invited"), modules=("secret_donation",), seed=5)
    expect(host.locator(".cover")).to_be_visible()
    check(host, "pass the screen on")
    host.get_by_role("button", name="I am").click()
    board(host)
    tab(host, "Table")
    link = host.locator("[data-link]").first.get_attribute("data-link")
    check(host, "invitations")
    guest = visitors.come(link, viewport=PHONE)
    expect(guest.get_by_role("button", name="Take the seat")).to_be_visible()
    check(guest, "invited")
    guest.get_by_role("button", name="Take the seat").click()
    board(guest)
    check(guest, "a guest's phone")
    stranger = visitors.come(link.partition("#")[0])
    expect(stranger.get_by_role("heading", level=1)).to_be_visible()
    check(stranger, "without a key")
    visitors.expect("409")
    late = visitors.come(link)
    late.get_by_role("button", name="Take the seat").click()
    expect(late.locator(".notice")).to_be_visible()
    check(late, "a notice")
