"""The page as people use it, in a real browser; conftest.py also checks console, requests and security policy."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api")

from carnegie_env import collection  # noqa: E402
from tests.browser.conftest import FAILING, PHONE, RECOVERED, Visitors, shot, start  # noqa: E402
from tests.browser.screens import (  # noqa: E402
    board,
    changed,
    click_on_board,
    counted,
    decisions,
    games_list,
    new_table,
    play,
    shows,
    tab,
    upload,
    your_turn,
)

pytestmark = pytest.mark.browser
expect = sync_api.expect
GAMES = ["Carnegie", "Steel Driver"]
SEATS = {"Carnegie": ("here", "random"), "Steel Driver": ("here", "random", "random")}
WHOLE_GAME = 400  # decisions, more than any of these games has


def play_to_the_end(page: Any) -> None:
    """Alternate clicks on the board and on the list."""
    for k in range(WHOLE_GAME):
        page.wait_for_selector(".status.yours, .status:has-text('is over')")
        if "is over" in page.locator(".status").inner_text():
            return
        if k % 2:
            click_on_board(page, k)
        else:
            play(page, entry=k)
    raise AssertionError("the game doesn't end")


def record_of(game: str, options: dict[str, Any], decisions: int, seed: int = 5) -> str:
    """A record of a game in which the last legal action is always taken."""
    position = collection.find(game).position_class.new(options, seed)
    for _ in range(decisions):
        position.apply(position.legal_actions()[-1])
    return position.game.record_class.of(position).to_text()


def test_only_owners_are_numbered_from_1(page):
    new_table(page, seed=11)
    disks = '<circle/><text data-owner="">0</text>,<circle/><text font-weight="bold">7</text>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg">{disks}</svg>'
    drawn = page.evaluate("async svg => new (await import('/board.js')).Picture(svg).element().textContent", svg)
    assert drawn == "1,7"


def test_names_are_shown_as_they_are(page):
    page.locator("label[for=players-2]").click()
    page.locator("#seat-1").select_option("other invited")
    page.locator("#name-1").fill("my_bob")
    page.get_by_role("button", name="Open the table").click()
    expect(page.locator(".inviting button")).to_have_text("Copy the invitation of my_bob")
    names = """async () => {
      const { agentName, nameSeats, named, numberOf, words } = await import("/dom.js");
      nameSeats([{ seat: 0, kind: "here", name: "a_b -> c" }, { seat: 1, kind: "here", name: "You" }]);
      return [words("player_0: build new_york_1 -> 2"), named("player_1 has passed"), agentName("my_bots:My_Agent"),
        agentName("my_agent"), agentName("search:ms=5"), numberOf(1, "decisions"), numberOf(0, "decisions")];
    }"""
    assert page.evaluate(names) == [
        "a_b -> c: build new york 1 → 2", "You (2) has passed", "My_Agent", "my_agent", "Search", "1 decision",
        "0 decisions",
    ]  # fmt: skip


def test_the_form_sends_what_it_shows(page, visitors):
    visitors.expect("status of 422")
    page.locator("details", has_text="Seed").locator("summary").click()
    page.get_by_label("Seed").fill("7")
    page.locator("label[for=players-2]").click()
    expect(page.get_by_label("Seed")).to_be_visible()
    page.locator("#seat-1").select_option(label="another agent …")
    page.get_by_role("button", name="Open the table").click()
    expect(page.locator(".new .wrong")).to_contain_text("there is no agent ''")


def test_a_late_answer_does_not_replace_a_later_search(page):
    new_table(page, seed=11)
    board(page)
    page.locator("#to-games").click()
    page.evaluate("""() => {
      const { fetch } = window;
      window.fetch = async (path, more) => {
        if (path.includes("find=nothing")) await new Promise((wake) => setTimeout(wake, 500));
        return fetch(path, more);
      };
    }""")
    page.get_by_label("Find a game").fill("nothing")
    with page.expect_response(re.compile("find=nothing")):
        page.get_by_label("Find a game").fill("carnegie")
    page.wait_for_timeout(200)
    assert page.locator(".games li").count() > 0


def test_the_log_has_the_name_of_a_player_who_comes_later(page):
    names = """async () => {
      const [{ nameSeats }, { Log }] = await Promise.all([import("/dom.js"), import("/log.js")]);
      const log = new Log();
      for (const name of ["player_0", "Ann"]) {
        nameSeats([{ seat: 0, kind: "invited", name }]);
        log.show([{ who: "player_0", text: "+$3", decisions: 1 }], 0, "", false);
      }
      return log.list.textContent;
    }"""
    assert "Ann: +$3" in page.evaluate(names)


# ---------------------------------------------------------------- playing
def test_a_whole_solo_game_by_clicks(page):
    new_table(page, seed=11)
    board(page)
    play_to_the_end(page)
    expect(page.locator(".status")).to_contain_text(re.compile("The game is over: (You|Andrew)"))
    expect(page.locator(".sides .place")).to_have_text("wins")
    tab(page, "Points")
    total = page.locator(".numbers tfoot td").all_inner_texts()
    assert total == page.locator(".sides .total").all_inner_texts() and len(total) == 2
    rows = page.locator(".numbers").first.locator("tbody tr")
    categories = rows.evaluate_all(
        """rows => rows.map(row => [...row.querySelectorAll('td')].map(
             cell => Number(cell.textContent.replace('−', '-'))))"""
    )
    assert [sum(column) for column in zip(*categories, strict=True)] == [int(text) for text in total]
    expect(page.locator(".chart polyline")).to_have_count(2)
    page.locator("#column").select_option("donations")
    expect(page.locator(".chart title")).to_contain_text("donations over the rounds")
    tab(page, "Table")
    with page.expect_download() as loading:
        page.get_by_role("button", name="Download the record").click()
    text = Path(loading.value.path()).read_text()
    assert text.startswith("carnegie-env game record") and f"end: {decisions(page)} decisions, over" in text
    expect(games_list(page).first).to_contain_text("over")


@pytest.mark.parametrize("game", GAMES)
def test_every_action_can_be_taken_on_the_board(page, game):
    new_table(page, game, SEATS[game], seed=3)
    for k in range(12):
        click_on_board(page, 5 * k)
    shot(page, f"table {game}")


def test_the_log_and_the_frames_show_what_is_new(page):
    new_table(page, "Steel Driver", ("here", "random", "random"), seed=1)
    play(page, 3, entry=1)
    your_turn(page)
    shows(page, decisions(page))
    told = page.locator(".log .fresh")
    assert "You" in told.first.inner_text()  # your decision and its consequences
    assert page.locator(".frames rect").count() > 0, "no change is framed"
    assert "your turn" in page.locator("#said").inner_text()
    page.get_by_role("button", name="changes").click()
    expect(page.locator(".frames rect")).to_have_count(0)


def test_undo_reload_reopen_and_delete(page):
    new_table(page, seed=2)
    play(page, 3)
    assert decisions(page) == 3
    page.get_by_role("button", name="Undo").click()
    counted(page, 2)
    page.reload()
    counted(page, 2)
    table = games_list(page).first
    expect(table).to_contain_text("2 decisions")
    table.get_by_role("link").click()
    counted(page, 2)
    play(page)
    assert decisions(page) == 3
    assert "key" not in page.url and "host" not in page.url
    delete(page, games_list(page).first.get_attribute("data-table"))


def delete(page: Any, name: str) -> None:
    """Delete a game in the list."""
    page.locator(f"#delete-{name}").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.locator(f"[data-table='{name}']")).to_have_count(0)


def test_several_browsers_at_one_seat_stay_in_step(visitors):
    one = visitors.come()
    new_table(one, seed=4)
    board(one)
    other = visitors.page(one.context, one.url)
    board(other)
    play(one)
    counted(other, 1)
    play(other)
    counted(one, 2)
    tab(one, "Table")
    link = one.get_by_role("button", name="Copy a link to your seat").get_attribute("data-link")
    phone = visitors.come(link, viewport=PHONE)
    play(phone)
    counted(one, 3)
    assert "here=" not in phone.url  # the key has left the address


# ---------------------------------------------------------------- several people
def whose_turn(*pages: Any) -> Any:
    """Wait until it is the turn of one of the pages."""
    for _ in range(400):
        for page in pages:
            if page.locator(".status.yours").count():
                return page
        pages[0].wait_for_timeout(25)
    raise AssertionError("it is the turn of none of them")


def test_two_people_and_an_agent_keep_secrets(visitors):
    host = visitors.come()
    told: list[str] = []  # log lines about the guest that the host's browser has received

    def listen(answer: Any) -> None:
        if answer.ok and "json" in answer.headers.get("content-type", ""):
            told.extend(line["text"] for line in answer.json().get("told", []) if line["who"] == "player_1")

    host.on("response", listen)
    new_table(host, "Carnegie", ("here", "invited", "random"), modules=("new_start",), seed=6)
    board(host)
    expect(host.locator(".sides")).to_contain_text("not here yet")
    tab(host, "Table")
    link = host.locator("[data-link]:has-text('Player 2')").first.get_attribute("data-link")
    tab(host, "Play")
    guest = visitors.come(link)
    guest.get_by_label("Your name").fill("Ada")
    guest.get_by_role("button", name="Take the seat").click()
    board(guest)
    assert "invitation" not in guest.url
    expect(host.locator(".sides")).to_contain_text("Ada")
    secrets = []
    while len(secrets) < 2:
        assert decisions(host) < 40, "the guest has taken no secret decision"
        page = whose_turn(host, guest)
        if page is guest and re.search("sheet", page.locator(".where").inner_text()):
            secrets.append(page.locator(".moves [data-action]").first.inner_text())
        play(page)
        counted(guest if page is host else host, decisions(page))
    assert told
    for secret in secrets:
        assert not any(secret.split("\n")[0] in text.replace("_", " ") for text in told), f"the host was told: {secret}"
    third = visitors.come(link)
    visitors.expect("409")
    third.get_by_role("button", name="Take the seat").click()
    expect(third.locator(".notice")).to_contain_text("invitation")


COVERED_OR_SHOWN = """(taken) => !document.querySelector('.cover').hidden ||
  document.querySelector('.table').dataset.shown === String(taken)"""


def test_a_shared_screen_is_passed_on_if_the_game_has_secrets(page):
    new_table(page, "Carnegie", ("here", "here"), modules=("secret_donation",), seed=8)
    for seat in (0, 1):
        expect(page.get_by_role("heading", name="Pass the screen to Player ")).to_be_visible()
        assert page.locator(".board > svg").count() == 0
        expect(page.locator(".moves")).not_to_be_visible()
        if seat == 0:
            shot(page, "pass the screen")
        name = page.get_by_role("heading").first.inner_text().removeprefix("Pass the screen to ")
        page.get_by_role("button", name=f"I am {name}").click()
        board(page)
        for k in range(8):
            if page.locator(".cover").is_visible():
                break
            expect(page.locator(".status")).to_have_text(f"{name}, it is your turn.")
            page.locator(".moves [data-action]").first.click()
            page.wait_for_function(COVERED_OR_SHOWN, arg=k + 1 + 4 * seat)


def test_a_guided_first_game_opens_with_the_rules(page):
    page.get_by_role("button", name="A guided first game").click()
    board(page)
    expect(page.get_by_role("heading", name="The rules in short")).to_be_visible()
    expect(page.locator(".rules details[open]")).to_have_count(3)
    text = page.locator(".table").inner_text()
    assert "You choose the side" in text and "Andrew" in text and "player_" not in text.lower()
    tab(page, "Play")
    while "move to" not in page.locator(".moves").inner_text():
        play(page, entry=1)
    assert not re.search(r"r\dc\d", page.locator(".moves").inner_text())


def test_three_clicks_seat_a_second_device(visitors):
    host = visitors.come()
    host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    host.locator("label[for=players-2]").click()
    host.get_by_role("button", name="me and others by a link").click()
    host.get_by_role("button", name="Open the table").click()
    host.get_by_role("button", name="Copy the invitation of Player 2").click()
    expect(host.get_by_role("button", name="Copied")).to_be_visible()
    guest = visitors.come(host.evaluate("navigator.clipboard.readText()"), viewport=PHONE)
    guest.get_by_label("Your name").fill("Ada")
    guest.get_by_role("button", name="Take the seat").click()
    board(guest)
    expect(host.locator(".sides")).to_contain_text("Ada")
    expect(host.locator(".inviting")).to_be_hidden()


def test_a_shared_screen_is_not_covered_without_secrets(page):
    new_table(page, "Steel Driver", ("here", "here", "here"), seed=8)
    play(page, 6, entry=1)
    expect(page.locator(".cover")).to_be_hidden()


def test_a_link_to_watch_shows_the_game_but_no_actions(visitors):
    host = visitors.come()
    new_table(host, seed=4)
    play(host)
    tab(host, "Table")
    host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    host.get_by_role("button", name="Copy a link to watch").click()
    expect(host.get_by_role("button", name="Copied")).to_be_visible()
    link = host.evaluate("navigator.clipboard.readText()")
    watcher = visitors.come(link)
    board(watcher)
    assert "watch=" not in watcher.url
    expect(watcher.locator(".status")).to_have_text("Waiting for Player 1.")
    expect(watcher.locator(".moves-box")).to_be_hidden()
    assert watcher.locator(".board .legal").count() == 0
    tab(host, "Play")
    play(host)
    counted(watcher, 2)


# ---------------------------------------------------------------- looking back, analysing
def test_analysis_and_variation(page):
    new_table(page, seed=5)
    play(page, 12, entry=3)
    while page.locator(".moves [data-action]").count() < 5:
        play(page)
    played = decisions(page)
    shows(page, played)
    tab(page, "Analysis")
    page.locator("#analyst").select_option("greedy")
    page.get_by_role("button", name="Analyse").click()
    values = page.locator(".values button")
    expect(values.first).to_be_visible()
    numbers = [float(text.replace("−", "-")) for text in page.locator(".values .value").all_inner_texts()]
    assert numbers == sorted(numbers, reverse=True) and len(numbers) == page.evaluate(
        "new Set([...document.querySelectorAll('.board .legal')].flatMap(p => p.dataset.actions.split(' '))).size"
    )
    expect(page.locator(".analysis")).to_contain_text("expects you to be")
    shot(page, "analysis")
    first = int(values.first.get_attribute("data-try"))
    values.first.click()
    shows(page, played, first)
    expect(page.locator(".banner")).to_contain_text(f"A variation from decision {played}")
    expect(values.first).to_be_visible()
    tab(page, "Play")
    second = page.locator(".moves [data-action]").first
    action = int(second.get_attribute("data-action"))
    second.click()
    shows(page, played, first, action)
    shot(page, "variation")
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_hidden()  # it would change the game
    page.keyboard.press("u")
    shows(page, played, first)
    page.get_by_role("button", name="Undo one").first.click()
    shows(page, played)
    page.get_by_role("button", name="Return to the game").first.click()
    shows(page, played)
    assert decisions(page) == played
    expect(page.locator(".banner")).to_be_hidden()


def test_a_review_says_what_decisions_cost(page):
    position = collection.find("steel_driver").position_class.new({"num_players": 3}, 1)
    for _ in range(62):  # with six decisions left, plain Python is fast enough
        position.apply(position.legal_actions()[-1])
    upload(page, "position.json", position.to_json())
    page.get_by_role("button", name="all at this screen").click()
    page.get_by_role("button", name="Open the table").click()
    play(page)
    play(page)
    tab(page, "Review")
    page.get_by_role("button", name="Review this game").click()
    expect(page.locator(".review thead")).to_contain_text("Player 3", timeout=200_000)
    expect(page.locator(".review tbody tr", has_text="skill")).to_contain_text("−")
    expect(page.locator(".review .chart polyline")).to_have_count(3)
    expect(page.get_by_title("with its 95 % interval")).to_have_text("loss per decision")
    worst = page.locator(".worst li")
    expect(worst).to_have_count(2)
    page.locator("#review-seat").focus()
    page.keyboard.press("End")
    expect(worst).not_to_have_count(2)
    expect(page.locator("#review-seat")).to_be_focused()
    page.keyboard.press("Home")
    expect(worst).to_have_count(2)
    expect(worst.first).to_contain_text(re.compile("black goods cube of Nashville lost [$]100.0 .* Better: take the"))
    shot(page, "review")
    worst.last.get_by_role("button").click()
    shows(page, 0)


def test_the_slider_and_the_player_step_through_a_game(page):
    new_table(page, "Steel Driver", ("random", "random", "random"), seed=9)
    expect(page.locator(".status")).to_contain_text("The game is over", timeout=60_000)
    end = decisions(page)
    slider = page.get_by_role("slider", name="Decision")
    slider.fill("7")
    shows(page, 7)
    expect(page.locator(".banner")).to_contain_text(f"Looking back: decision 7 of {end}")
    page.get_by_role("button", name="Next decision").click()
    shows(page, 8)
    page.locator("h1").click()
    page.keyboard.press("ArrowLeft")
    shows(page, 7)
    page.get_by_label("Pace").select_option("fast")
    page.get_by_role("button", name="Replay").click()
    page.wait_for_function("() => Number(document.querySelector('.table').dataset.shown) >= 10")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="First decision").click()
    shows(page, 0)
    page.get_by_role("button", name="Return to the game").click()
    shows(page, end)
    line = page.locator(".log li", has_text="build ").first
    built = int(line.get_attribute("data-decisions"))
    line.get_by_role("button").click()
    shows(page, built)
    # Along the link, not a box around it. Several, if decisions with one choice followed and built as well.
    assert 1 <= page.locator(".frames rect[transform*=rotate]").count() <= 6
    shot(page, "a link that was built")


def test_a_stopped_table_continues_when_its_agent_is_asked_again(page, folder):
    new_table(page, seats=(FAILING, FAILING), seed=1)
    stopped = page.locator(".stopped")
    expect(stopped).to_contain_text(f"Recovers (1), {FAILING}: RuntimeError: not yet", timeout=60_000)
    expect(page.locator(".status")).to_have_text("The table is stopped.")
    board(page)
    shot(page, "stopped")
    again = page.get_by_role("button", name="Ask again")
    again.click()
    expect(stopped).to_be_visible()
    name = page.url.split("/")[5]
    games_list(page)
    listed = page.locator(f"[data-table='{name}']")
    expect(listed.locator(".state")).to_have_text("stopped")
    expect(listed).to_contain_text("not yet")
    listed.get_by_role("link").click()
    (folder / RECOVERED).touch()
    again.click()
    expect(stopped).to_be_hidden()
    page.wait_for_function("() => Number(document.querySelector('.stepper input').max) > 3")
    games_list(page)
    delete(page, name)


# ---------------------------------------------------------------- files
def test_a_broken_record_is_refused_with_its_line_and_a_valid_one_is_opened(page, visitors):
    text = record_of("carnegie", {"num_players": 2}, 9)
    lines = text.splitlines()
    broken = next(k for k, line in enumerate(lines) if re.match(r"\s*4 +player_", line))
    lines[broken] = re.sub(r"player_(\d).*", r"player_\1  dance on the table", lines[broken])
    visitors.expect("422")
    upload(page, "broken.txt", "\n".join(lines))
    page.get_by_role("button", name="all at this screen").click()
    page.get_by_role("button", name="Open the table").click()
    wrong = page.locator(".new .wrong")
    expect(wrong).to_contain_text("broken.txt")
    expect(wrong).to_contain_text(f"{broken + 1}")
    expect(wrong).to_contain_text("dance on the table")
    shot(page, "broken record")
    page.get_by_role("button", name="Remove").click()
    upload(page, "no.json", '{"game": "carnegie"')
    expect(wrong).to_contain_text("no.json is neither a record nor a position")
    upload(page, "valid.txt", text)
    page.get_by_role("button", name="Open the table").click()
    counted(page, 9)


def test_an_uploaded_position_is_downloaded_unchanged(page):
    position = collection.find("steel_driver").position_class.new({"num_players": 3}, 2**63 + 12345)
    for _ in range(7):
        position.apply(position.legal_actions()[-1])
    upload(page, "position.json", position.to_json())
    expect(page.locator(".file")).to_contain_text("Steel Driver, 3 players")
    page.get_by_role("button", name="all at this screen").click()
    page.get_by_role("button", name="Open the table").click()
    board(page)
    tab(page, "Table")
    with page.expect_download() as loading:
        page.get_by_role("button", name="Download the position").click()
    assert json.loads(Path(loading.value.path()).read_text()) == json.loads(position.to_json())


# ---------------------------------------------------------------- devices and settings
def no_horizontal_scrolling(page: Any) -> None:
    width, inside = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= inside, f"the page is {width} wide in a window of {inside}"


def test_a_phone(visitors):
    page = visitors.come(viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    expect(page.get_by_role("button", name="Open the table")).to_be_visible()
    no_horizontal_scrolling(page)
    shot(page, "phone start", full=True)
    new_table(page, "Steel Driver", ("here", "random", "random"), seed=7)
    board(page)
    for name in ("Points", "Analysis", "Table", "Play"):
        tab(page, name)
        no_horizontal_scrolling(page)
    play(page, 2, entry=1)
    your_turn(page)
    shows(page, decisions(page))
    shot(page, "phone table", full=True)
    before = decisions(page)
    part = page.locator(".board .legal").first
    part.scroll_into_view_if_needed()
    part.tap()
    menu = page.locator(".menu")
    expect(menu).to_be_visible()  # on a touch screen, even for a single action
    menu.get_by_role("menuitem").first.tap()
    changed(page, before)
    page.get_by_role("button", name="Larger").tap()
    assert page.locator(".board.enlarged").count() == 1
    page.get_by_role("button", name="Fit: the whole board in the window").tap()
    assert page.locator(".board.enlarged").count() == 0
    no_horizontal_scrolling(page)


def test_a_game_by_keyboard(page):
    keys = page.keyboard
    expect(page.get_by_role("button", name="Open the table")).to_be_visible()
    keys.press("Tab")
    expect(page.locator("#skip")).to_be_focused()
    for _ in range(40):
        keys.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Open the table":
            break
    keys.press("Enter")
    board(page)
    your_turn(page)
    keys.press("l")
    keys.press("ArrowDown")
    keys.press("Enter")
    counted(page, 1)
    shows(page, 1)
    keys.press("b")
    expect(page.locator(".board [data-part]:focus")).to_have_count(1)
    keys.press("Enter")
    if page.locator(".menu").count():
        keys.press("Enter")
    counted(page, 2)
    while page.locator(".moves [data-action]").count() < 6:
        count = decisions(page)
        keys.press("l")
        keys.press("Enter")
        counted(page, count + 1)
        your_turn(page)
    count, wanted = decisions(page), page.locator(".moves [data-action]").last
    text = wanted.locator("span").first.inner_text()  # without the note below it
    keys.press("/")
    keys.type(text)
    keys.press("Enter")
    counted(page, count + 1)
    if page.evaluate("document.activeElement.matches('input')"):
        keys.press("Escape")
    keys.press("u")
    counted(page, count)
    keys.press("ArrowLeft")
    shows(page, count - 1)
    keys.press("End")
    shows(page, count)
    keys.press("3")
    expect(page.get_by_role("tab", name="Analysis")).to_have_attribute("aria-selected", "true")
    keys.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    keys.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_keys_before_the_picture_is_loaded(page):
    page.route("**/picture.svg*", lambda route: None)  # never answered
    new_table(page, seed=11)
    your_turn(page)
    page.keyboard.press("b")
    expect(page.locator(".board")).to_be_focused()
    page.keyboard.press("h")
    expect(page.get_by_role("button", name="Explain on click")).to_have_attribute("aria-pressed", "true")


def test_a_button_released_outside_the_board_does_not_pan_it(page):
    new_table(page, seed=11)
    board(page)
    box = page.locator(".board").bounding_box()
    right, middle = box["x"] + box["width"], box["y"] + 200
    page.mouse.move(right - 5, middle)
    page.mouse.down()
    page.mouse.move(right + 60, middle, steps=3)
    page.mouse.up()
    page.get_by_role("button", name="Larger").click()
    section = page.locator(".board > svg").get_attribute("viewBox")
    page.mouse.move(box["x"] + 300, middle)
    page.mouse.move(box["x"] + 400, middle + 50, steps=3)
    assert page.locator(".board > svg").get_attribute("viewBox") == section


def test_the_search_is_cleared_for_the_next_decision(page):
    upload(page, "game.txt", record_of("carnegie", {"num_players": 1}, 18, seed=9))
    page.get_by_role("button", name="Open the table").click()
    your_turn(page)
    offered = page.locator(".moves [data-action]")
    texts = offered.all_inner_texts()
    page.keyboard.press("/")
    page.keyboard.type(offered.last.locator("span").first.inner_text())
    page.keyboard.press("Enter")
    counted(page, 19)
    expect(offered).to_have_text(texts)
    expect(page.locator(".moves-box input")).to_have_value("")


def test_the_theme_follows_the_system_and_the_switch(visitors):
    page = visitors.come(color_scheme="dark")
    new_table(page, "Steel Driver", ("here", "random", "random"), seed=7)
    board(page)
    background = "document.querySelector('.board > svg > rect').getAttribute('fill')"
    dark = page.evaluate(background)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    shot(page, "table dark")
    page.get_by_role("button", name="Dark").click()
    page.wait_for_function(f"() => {background} !== {json.dumps(dark)}")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.reload()
    board(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


@pytest.mark.parametrize("game", GAMES)
def test_help(page, game):
    new_table(page, game, SEATS[game], seed=3)
    board(page)
    shows(page, 0)
    page.get_by_role("button", name="Explain on click").click()
    part = page.locator(".board [data-help]").first
    part.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("From: ")
    dialog.get_by_role("button", name="Close").click()
    assert decisions(page) == 0
    page.get_by_role("button", name="Explain on click").click()
    page.locator("#open-help").click()
    expect(page.locator(".help details").nth(5)).to_be_visible()


# ---------------------------------------------------------------- restarts of the server
def test_a_restart_of_the_server(chromium, tmp_path):
    server = start(tmp_path)
    try:
        visitors = Visitors(chromium, server)
        page = visitors.come()
        new_table(page, seed=1)
        play(page, 3)
        visitors.expect("ERR_")
        server.kill()
        expect(page.locator("#lost")).to_contain_text("can't be reached")
        page.locator(".moves [data-action]").first.click()
        expect(page.locator(".notice")).to_contain_text("can't be reached")
        assert decisions(page) == 3
        server = start(tmp_path, "--port", str(server.port))
        expect(page.locator("#lost")).to_be_hidden(timeout=40_000)
        play(page)
        assert decisions(page) == 4
        assert visitors.leave() == []
    finally:
        server.kill()
