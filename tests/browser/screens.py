"""What the tests do on the page, in the words of those who play."""

from typing import Any

from playwright.sync_api import expect

OVER = "the game is over"


def new_table(page: Any, game: str = "Carnegie", seats: tuple[str, ...] = ("here",), **fields: Any) -> None:
    """Make a table on the start page, and wait for its board.

    Args:
        page: at the start page.
        game: its title.
        seats: who sits where: `here`, `invited` or the name of an agent.
        fields: `seed`, and `modules`: names of modules to tick.
    """
    page.locator("label", has_text=game).first.click()
    page.locator(f"label[for=players-{len(seats)}]").click()
    for seat, who in enumerate(seats):
        kind = f"other {who}" if who in ("here", "invited") else who
        page.locator(f"#seat-{seat}").select_option(kind)
    for module in fields.get("modules", ()):
        open_details(page, "Options")
        page.get_by_label(module.replace("_", " "), exact=True).check()
    if "seed" in fields:
        open_details(page, "More")
        page.get_by_label("Seed").fill(str(fields["seed"]))
    page.get_by_role("button", name="Open the table").click()


def open_details(page: Any, summary: str) -> None:
    """Open a part of a form that is folded away."""
    details = page.locator("details", has=page.locator("summary", has_text=summary)).first
    if details.get_attribute("open") is None:
        details.locator("summary").click()


def board(page: Any) -> Any:
    """The picture, when it is there."""
    picture = page.locator(".board > svg")
    expect(picture).to_be_visible()
    return picture


def decisions(page: Any) -> int:
    """Decisions taken so far, as the page says."""
    return int(page.locator(".count").inner_text().split(" / ")[1])


def your_turn(page: Any) -> None:
    """Wait until it is your turn."""
    expect(page.locator(".status.yours")).to_be_visible()


def shows(page: Any, at: int, *variation: int) -> None:
    """Wait until the board shows the position after so many decisions, or a variation from there."""
    wanted = " ".join(map(str, (at, *variation)))
    expect(page.locator(".table")).to_have_attribute("data-shown", wanted)


CLICKABLE = """() => {
  // For each part that can be chosen a point of the window where a click hits it, and its actions.
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
    """Take a decision by the mouse on the board, and on the menu if one opens."""
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
    taken(page, before)


def taken(page: Any, before: int) -> None:
    """Wait until there are other decisions than there were before."""
    page.wait_for_function(
        "(was) => Number(document.querySelector('.count').textContent.split(' / ')[1]) !== was", arg=before
    )


def play(page: Any, number: int = 1, entry: int = 0) -> None:
    """Take decisions by clicks on the list of actions, one of them after the other in turn."""
    for k in range(number):
        your_turn(page)
        entries = page.locator(".moves [data-action]")
        before = decisions(page)
        entries.nth((entry + k) % entries.count()).click()
        taken(page, before)


def tab(page: Any, name: str) -> None:
    """Open one of the panels."""
    page.get_by_role("tab", name=name).click()
