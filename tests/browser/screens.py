"""Actions on the page for the tests."""

from typing import Any

from playwright.sync_api import expect


def new_table(page: Any, game: str = "Carnegie", seats: tuple[str, ...] = ("here",), **fields: Any) -> None:
    """Make a table on the start page.

    Args:
        page: at the start page.
        game: its title.
        seats: `here`, `invited` or the name of an agent, for each seat.
        fields: `seed`, and `modules`: names of modules to tick.
    """
    page.locator("label", has_text=game).first.click()
    page.locator(f"label[for=players-{len(seats)}]").click()
    for seat, kind in enumerate(seats):
        page.locator(f"#seat-{seat}").select_option(f"other {kind}" if kind in ("here", "invited") else kind)
    for module in fields.get("modules", ()):
        open_details(page, "Options")
        page.get_by_label(module.replace("_", " "), exact=True).check()
    if "seed" in fields:
        open_details(page, "More")
        page.get_by_label("Seed").fill(str(fields["seed"]))
    page.get_by_role("button", name="Open the table").click()


def open_details(page: Any, summary: str) -> None:
    """Open a collapsed part of a form."""
    details = page.locator("details", has=page.locator("summary", has_text=summary)).first
    if details.get_attribute("open") is None:
        details.locator("summary").click()


def board(page: Any) -> None:
    """Wait for the board."""
    expect(page.locator(".board > svg")).to_be_visible()


def decisions(page: Any) -> int:
    """The number of decisions in the game so far."""
    return int(page.locator(".count").inner_text().split(" / ")[1])


def counted(page: Any, number: int) -> None:
    """Wait until the game has this number of decisions, and the last one is shown."""
    expect(page.locator(".count")).to_have_text(f"{number} / {number}")


def your_turn(page: Any) -> None:
    """Wait until it is your turn."""
    expect(page.locator(".status.yours")).to_be_visible()


def shows(page: Any, at: int, *variation: int) -> None:
    """Wait until the board shows the position after ``at`` decisions, or a variation from there."""
    wanted = " ".join(map(str, (at, *variation)))
    expect(page.locator(".table")).to_have_attribute("data-shown", wanted)


CLICKABLE = """() => {
  // For each part that can be chosen, its actions and a point where a click hits it.
  const found = [];
  for (const part of document.querySelectorAll('.board .legal')) {
    const box = part.getBoundingClientRect();
    search: for (const v of [0.5, 0.2, 0.8, 0.35, 0.65, 0.06, 0.94]) {
      for (const u of [0.5, 0.2, 0.8, 0.35, 0.65, 0.06, 0.94]) {
        const [x, y] = [box.left + u * box.width, box.top + v * box.height];
        if (document.elementFromPoint(x, y)?.closest('.legal') !== part) continue;
        found.push({x, y, part: part.dataset.part, actions: part.dataset.actions.split(' ').map(Number)});
        break search;
      }
    }
  }
  return found;
}"""


def click_on_board(page: Any, number: int = 0) -> None:
    """Take a decision by clicking on the board, and in the menu if one opens."""
    your_turn(page)
    before = decisions(page)
    shows(page, before)
    if not page.locator(".board.high").count():
        page.get_by_role("button", name="Fit: the whole board").click()  # all of it is in the window
    parts = page.evaluate(CLICKABLE)
    listed = page.locator(".moves [data-action]").evaluate_all("all => all.map(one => Number(one.dataset.action))")
    assert {action for part in parts for action in part["actions"]} == set(listed), "not every action has a place"
    part = parts[number % len(parts)]
    page.mouse.click(part["x"], part["y"])
    if len(part["actions"]) > 1:
        page.locator(".menu [role=menuitem]").nth(number % len(part["actions"])).click()
    changed(page, before)


def changed(page: Any, before: int) -> None:
    """Wait until the game has a different number of decisions."""
    page.wait_for_function(
        "(was) => Number(document.querySelector('.count').textContent.split(' / ')[1]) !== was", arg=before
    )


def play(page: Any, number: int = 1, entry: int = 0) -> None:
    """Take decisions by clicking on successive entries of the list of actions."""
    for k in range(number):
        your_turn(page)
        entries = page.locator(".moves [data-action]")
        before = decisions(page)
        entries.nth((entry + k) % entries.count()).click()
        changed(page, before)


def games_list(page: Any) -> Any:
    """Go to the start page: its list of games."""
    page.get_by_role("link", name="Games", exact=True).click()
    return page.locator(".games li")


def tab(page: Any, name: str) -> None:
    """Open one of the panels."""
    page.get_by_role("tab", name=name).click()


def upload(page: Any, name: str, text: str) -> None:
    """Upload a file on the start page."""
    page.locator("#upload").set_input_files({"name": name, "mimeType": "text/plain", "buffer": text.encode()})
