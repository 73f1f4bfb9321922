"""The page as people use it, in a real browser; conftest.py also holds that nothing goes wrong unseen."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api")

from carnegie_env import collection  # noqa: E402
from tests.browser.conftest import FAILING, PHONE, RECOVERED, Server, Visitors, shot  # noqa: E402
from tests.browser.screens import (  # noqa: E402
    board,
    click_on_board,
    decisions,
    new_table,
    play,
    shows,
    tab,
    your_turn,
)

pytestmark = pytest.mark.browser
expect = sync_api.expect
GAMES = ["Carnegie", "Steel Driver"]
SEATS = {"Carnegie": ("here", "random"), "Steel Driver": ("here", "random", "random")}
WHOLE_GAME = 400  # decisions, more than any such game has


def over(page: Any) -> bool:
    return "is over" in page.locator(".status").inner_text()


def play_to_the_end(page: Any) -> None:
    """By clicks on the board and on the list in turn."""
    for k in range(WHOLE_GAME):
        page.wait_for_selector(".status.yours, .status:has-text('is over')")
        if over(page):
            return
        if k % 2:
            click_on_board(page, k)
        else:
            play(page, entry=k)
    raise AssertionError("the game doesn't end")


def record_of(game: str, options: dict[str, Any], decisions: int, seed: int = 5) -> str:
    """A record of a game that goes on with its last legal actions."""
    position = collection.find(game).position_class.new(options, seed)
    for _ in range(decisions):
        position.apply(position.legal_actions()[-1])
    return position.game.record_class.of(position).to_text()


# ---------------------------------------------------------------- playing
def test_a_solo_game_by_clicks_from_set_up_to_the_score(page):
    new_table(page, seed=11)
    board(page)
    play_to_the_end(page)
    expect(page.locator(".status")).to_contain_text(re.compile("The game is over: (player_0|andrew)"))
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
    page.get_by_role("link", name="Games", exact=True).click()
    expect(page.locator(".games li").first).to_contain_text("over")


@pytest.mark.parametrize("game", GAMES)
def test_the_board_alone_is_enough(page, game):
    new_table(page, game, SEATS[game], seed=3)
    for k in range(12):
        click_on_board(page, 5 * k)
    shot(page, f"table {game}")


def test_what_happened_is_told_and_shown(page):
    new_table(page, "Steel Driver", ("here", "random", "random"), seed=1)
    play(page, 3, entry=1)
    your_turn(page)
    shows(page, decisions(page))
    told = page.locator(".story .fresh")
    assert "player_0" in told.first.inner_text()  # his own decision, and what came of it
    assert page.locator(".frames rect").count() > 0, "nothing of what has changed is framed"
    assert "your turn" in page.locator("#said").inner_text()
    page.get_by_role("button", name="changes").click()
    expect(page.locator(".frames rect")).to_have_count(0)


def test_undo_reload_and_reopen(page):
    new_table(page, seed=2)
    play(page, 3)
    assert decisions(page) == 3
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".count")).to_have_text("2 / 2")
    page.reload()
    expect(page.locator(".count")).to_have_text("2 / 2")
    page.get_by_role("link", name="Games", exact=True).click()
    table = page.locator(".games li").first
    expect(table).to_contain_text("2 decisions")
    table.get_by_role("link").click()
    expect(page.locator(".count")).to_have_text("2 / 2")
    play(page)
    assert decisions(page) == 3
    address = page.url
    assert "key" not in address and "host" not in address
    page.get_by_role("link", name="Games", exact=True).click()
    name = page.locator(".games li").first.get_attribute("data-table")
    page.locator(f"#delete-{name}").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.locator(f"[data-table='{name}']")).to_have_count(0)


def test_two_tabs_at_one_seat_stay_in_step(visitors):
    one = visitors.come()
    new_table(one, seed=4)
    board(one)
    other = visitors.page(one.context, one.url)
    board(other)
    play(one)
    expect(other.locator(".count")).to_have_text("1 / 1")
    play(other)
    expect(one.locator(".count")).to_have_text("2 / 2")
    tab(one, "Table")
    link = one.get_by_role("button", name="Copy a link to your seat").get_attribute("data-link")
    telephone = visitors.come(link, viewport=PHONE)
    play(telephone)
    expect(one.locator(".count")).to_have_text("3 / 3")
    assert "here=" not in telephone.url  # the key has left the address


# ---------------------------------------------------------------- several people
def invitation(page: Any, seat: int) -> str:
    link: str = page.locator(f"[data-link]:has-text('player_{seat}')").first.get_attribute("data-link")
    return link


def whose_turn(*pages: Any) -> Any:
    """The page of who is to play, when it is one of them."""
    for _ in range(400):
        for page in pages:
            if page.locator(".status.yours").count():
                return page
        pages[0].wait_for_timeout(25)
    raise AssertionError("it is nobody's turn here")


def test_two_browsers_and_an_agent(visitors):
    host = visitors.come()
    told: list[str] = []  # what the host's browser has been told that the guest decided

    def listen(answer: Any) -> None:
        if answer.ok and "json" in answer.headers.get("content-type", ""):
            told.extend(line["text"] for line in answer.json().get("told", []) if line["who"] == "player_1")

    host.on("response", listen)
    new_table(host, "Carnegie", ("here", "invited", "random"), modules=("new_start",), seed=6)
    board(host)
    expect(host.locator(".sides")).to_contain_text("not here yet")
    tab(host, "Table")
    link = invitation(host, 1)
    tab(host, "Play")
    guest = visitors.come(link)
    guest.get_by_label("Your name").fill("Ada")
    guest.get_by_role("button", name="Take the seat").click()
    board(guest)
    assert "invitation" not in guest.url
    expect(host.locator(".sides")).to_contain_text("Ada")
    secrets = []
    while len(secrets) < 2:
        assert decisions(host) < 40, "the guest has decided nothing in secret"
        page = whose_turn(host, guest)
        if page is guest and re.search("sheet", page.locator(".where").inner_text()):
            secrets.append(page.locator(".moves [data-action]").first.inner_text())
        play(page)
        expect((guest if page is host else host).locator(".count")).to_have_text(page.locator(".count").inner_text())
    assert told
    for secret in secrets:
        assert not any(secret.split("\n")[0] in text.replace("_", " ") for text in told), f"the host was told: {secret}"
    third = visitors.come(link)
    visitors.expect("409")
    third.get_by_role("button", name="Take the seat").click()
    expect(third.locator(".notice")).to_contain_text("invitation")


COVERED_OR = """(taken) => !document.querySelector('.cover').hidden ||
  document.querySelector('.table').dataset.shown === String(taken)"""


def test_several_at_one_screen_pass_it_on_where_there_are_secrets(page):
    new_table(page, "Carnegie", ("here", "here"), modules=("secret_donation",), seed=8)
    for seat in (0, 1):
        expect(page.get_by_role("heading", name="Pass the screen to player_")).to_be_visible()
        assert page.locator(".board > svg").count() == 0
        expect(page.locator(".moves")).not_to_be_visible()
        if seat == 0:
            shot(page, "pass the screen")
        name = page.get_by_role("heading").first.inner_text().rpartition(" ")[2]
        page.get_by_role("button", name=f"I am {name}").click()
        board(page)
        for k in range(8):
            if page.locator(".cover").is_visible():
                break
            expect(page.locator(".status")).to_have_text(f"{name}, it is your turn.")
            page.locator(".moves [data-action]").first.click()
            page.wait_for_function(COVERED_OR, arg=k + 1 + 4 * seat)


def test_several_at_one_screen_without_secrets_just_play(page):
    new_table(page, "Steel Driver", ("here", "here", "here"), seed=8)
    play(page, 6, entry=1)
    expect(page.locator(".cover")).to_be_hidden()


def test_a_link_to_watch_shows_the_game_and_plays_nothing(visitors):
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
    expect(watcher.locator(".status")).to_have_text("Waiting for player_0.")
    expect(watcher.locator(".moves-box")).to_be_hidden()
    assert watcher.locator(".board .legal").count() == 0
    tab(host, "Play")
    play(host)
    expect(watcher.locator(".count")).to_have_text("2 / 2")


# ---------------------------------------------------------------- looking back, analysing
def test_analysis_variation_and_return(page):
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
    expect(page.locator(".analysis")).to_contain_text("expects player_0 to be")
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
    page.get_by_role("button", name="Take one back").first.click()
    shows(page, played, first)
    page.get_by_role("button", name="Return to the game").first.click()
    shows(page, played)
    assert decisions(page) == played
    expect(page.locator(".banner")).to_be_hidden()


def test_the_slider_goes_through_a_game_of_agents(page):
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
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => Number(document.querySelector('.table').dataset.shown) >= 10")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="First decision").click()
    shows(page, 0)
    page.get_by_role("button", name="Return to the game").click()
    shows(page, end)
    page.locator(".story li", has_text="build ").first.get_by_role("button").click()
    expect(page.locator(".frames rect[transform*=rotate]")).to_have_count(1)  # the link, and no box around it
    shot(page, "a link that was built")


def test_a_table_that_an_agent_has_stopped_goes_on_when_it_is_asked_again(page, server):
    new_table(page, seats=(FAILING, FAILING), seed=1)
    stopped = page.locator(".stopped")
    expect(stopped).to_contain_text(f"player_0, {FAILING}: RuntimeError: not yet", timeout=60_000)
    expect(page.locator(".status")).to_have_text("The table stands still.")
    board(page)
    shot(page, "stopped")
    again = page.get_by_role("button", name="Ask again")
    again.click()
    expect(stopped).to_be_visible()
    name = page.url.split("/")[5]
    page.get_by_role("link", name="Games", exact=True).click()
    listed = page.locator(f"[data-table='{name}']")
    expect(listed.locator(".state")).to_have_text("stopped")
    expect(listed).to_contain_text("not yet")
    listed.get_by_role("link").click()
    (server.folder / RECOVERED).touch()
    again.click()
    expect(stopped).to_be_hidden()
    page.wait_for_function("() => Number(document.querySelector('.stepper input').max) > 3")
    page.get_by_role("link", name="Games", exact=True).click()
    page.locator(f"#delete-{name}").click()
    page.get_by_role("button", name="Delete it").click()
    expect(listed).to_have_count(0)


# ---------------------------------------------------------------- files
def upload(page: Any, name: str, text: str) -> None:
    page.locator("#upload").set_input_files({"name": name, "mimeType": "text/plain", "buffer": text.encode()})


def test_a_broken_record_is_refused_with_its_line_and_a_right_one_is_opened(page, visitors):
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
    page.get_by_role("button", name="Not this one").click()
    upload(page, "no.json", '{"game": "carnegie"')
    expect(wrong).to_contain_text("no.json is neither a record nor a position")
    upload(page, "right.txt", text)
    page.get_by_role("button", name="Open the table").click()
    expect(page.locator(".count")).to_have_text("9 / 9")


def test_a_position_comes_back_as_it_was(page):
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
    again = json.loads(Path(loading.value.path()).read_text())
    assert again == json.loads(position.to_json())


# ---------------------------------------------------------------- how it is used
def no_sideways(page: Any) -> None:
    width, inside = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= inside, f"the page is {width} wide in a window of {inside}"


def test_a_phone_is_wide_enough(visitors):
    page = visitors.come(viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    expect(page.get_by_role("button", name="Open the table")).to_be_visible()
    no_sideways(page)
    shot(page, "phone start", full=True)
    new_table(page, "Steel Driver", ("here", "random", "random"), seed=7)
    board(page)
    for name in ("Points", "Analysis", "Table", "Play"):
        tab(page, name)
        no_sideways(page)
    play(page, 2, entry=1)
    your_turn(page)
    shows(page, decisions(page))
    shot(page, "phone table", full=True)
    before = decisions(page)
    part = page.locator(".board .legal").first
    part.scroll_into_view_if_needed()
    part.tap()
    menu = page.locator(".menu")
    expect(menu).to_be_visible()  # with a finger, even where there is one action only
    menu.get_by_role("menuitem").first.tap()
    page.wait_for_function("(was) => !document.querySelector('.count').textContent.endsWith(' ' + was)", arg=before)
    page.get_by_role("button", name="Larger").tap()
    assert page.locator(".board.enlarged").count() == 1
    page.get_by_role("button", name="Fit: the whole board in the window").tap()
    assert page.locator(".board.enlarged").count() == 0
    no_sideways(page)


def test_the_keyboard_alone_makes_a_table_and_plays(page):
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
    expect(page.locator(".count")).to_have_text("1 / 1")
    shows(page, 1)
    keys.press("b")
    expect(page.locator(".board [data-part]:focus")).to_have_count(1)
    keys.press("Enter")
    if page.locator(".menu").count():
        keys.press("Enter")
    expect(page.locator(".count")).to_have_text("2 / 2")
    while page.locator(".moves [data-action]").count() < 6:
        count = decisions(page)
        keys.press("l")
        keys.press("Enter")
        expect(page.locator(".count")).to_have_text(f"{count + 1} / {count + 1}")
        your_turn(page)
    count, wanted = decisions(page), page.locator(".moves [data-action]").last
    text = wanted.locator("span").first.inner_text()  # the rest is a note in a line of its own
    keys.press("/")
    keys.type(text)
    keys.press("Enter")
    expect(page.locator(".count")).to_have_text(f"{count + 1} / {count + 1}")
    if page.evaluate("document.activeElement.matches('input')"):
        keys.press("Escape")
    keys.press("u")
    expect(page.locator(".count")).to_have_text(f"{count} / {count}")
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


def test_what_was_typed_to_find_an_action_is_gone_when_the_same_ones_are_offered_again(page):
    upload(page, "game.txt", record_of("carnegie", {"num_players": 1}, 18, seed=9))
    page.get_by_role("button", name="Open the table").click()
    your_turn(page)
    offered = page.locator(".moves [data-action]")
    texts = offered.all_inner_texts()
    page.keyboard.press("/")
    page.keyboard.type(offered.last.locator("span").first.inner_text())
    page.keyboard.press("Enter")
    expect(page.locator(".count")).to_have_text("19 / 19")
    expect(offered).to_have_text(texts)
    expect(page.locator(".moves-box input")).to_have_value("")


def test_dark_as_the_system_says_and_by_the_switch(visitors):
    page = visitors.come(color_scheme="dark")
    new_table(page, "Steel Driver", ("here", "random", "random"), seed=7)
    board(page)
    ground = "document.querySelector('.board > svg > rect').getAttribute('fill')"
    dark = page.evaluate(ground)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    shot(page, "table dark")
    page.get_by_role("button", name="Dark").click()
    page.wait_for_function(f"() => {ground} !== {json.dumps(dark)}")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.reload()
    board(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


@pytest.mark.parametrize("game", GAMES)
def test_help_on_what_is_on_the_board(page, game):
    new_table(page, game, SEATS[game], seed=3)
    board(page)
    shows(page, 0)
    page.get_by_role("button", name="Explain what is clicked").click()
    part = page.locator(".board [data-help]").first
    part.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("From: ")
    dialog.get_by_role("button", name="Close").click()
    assert decisions(page) == 0
    page.get_by_role("button", name="Explain what is clicked").click()
    page.locator("#open-help").click()
    expect(page.locator(".help details").nth(5)).to_be_visible()


# ---------------------------------------------------------------- the server comes and goes
def test_a_server_that_is_killed_and_comes_again(chromium, tmp_path):
    server = Server(tmp_path)
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
        server.start()
        expect(page.locator("#lost")).to_be_hidden(timeout=40_000)
        play(page)
        assert decisions(page) == 4
        assert visitors.leave() == []
    finally:
        server.kill()
