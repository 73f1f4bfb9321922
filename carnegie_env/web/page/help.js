// Help on the rules and on using the page.

import { once } from "./api.js";
import { checkbox, dialog, make, notice, refill } from "./dom.js";
import { keepSetting, setting } from "./keys.js";

const SHORTCUTS = [
  ["/", "find an action by the first letters of its words; Enter plays the only match, Esc leaves"],
  ["l", "go to the list of actions; arrow keys move, Enter plays"],
  ["b", "go to the board; arrow keys move between the parts that can be chosen, Enter chooses"],
  ["u", "undo your last decision"],
  ["←  →", "one decision back or forward"],
  ["Home  End", "go to the first decision, or to the current position"],
  ["p", "replay the game, or pause"],
  ["1 – 6", "open the panels, from Play to Table"],
  ["h", "explain on click"],
  ["+  -  0", "enlarge or reduce the board, or fit it into the window"],
  ["t", "switch between light and dark"],
  ["?", "this help"],
];

const BASICS = 3; // topics that are open at first

/** Whether single keys act as shortcuts. */
export const hasShortcuts = () => setting("shortcuts", true);

/** Show one topic of a game. */
export async function explain(game, key) {
  try {
    const topic = (await once(`/help/${game}`))[key];
    if (topic) dialog(topic.title, text(topic), { class: "topic" });
    else notice(`There is no help on ${key}.`);
  } catch (error) {
    notice(error.message);
  }
}

const text = ({ text, source }) => [make("p", {}, text), source && make("p", { class: "hint" }, `From: ${source}`)];

/** Fill an element with a first game in short, and the rules of a game: the first topics are the basics. */
export async function rules(element, game) {
  try {
    const topics = Object.entries(await once(`/help/${game}`))
      .filter(([key]) => !/^(department|donation)_/.test(key)).map(([, topic]) => topic);
    refill(element, make("h2", {}, "Your first game"),
      make("ol", { class: "guide" },
        make("li", {}, "When it is your turn, the line above the board says so. Your legal actions are framed on the ",
          "board and listed under Play: click one."),
        make("li", {}, "The numbers beside the names are the points if the game ended now; Points shows where they ",
          "come from, so you see what each decision has gained."),
        make("li", {}, "Try things: Undo takes a decision back. After a click on the ? below the board, a click on ",
          "any part explains it."),
        make("li", {}, "Analysis shows what an agent expects of each decision; after the game, Review ",
          "shows what yours cost.")),
      make("h2", {}, "The rules in short"),
      topics.map((topic, k) => make("details", { open: k < BASICS }, make("summary", {}, topic.title), text(topic))));
  } catch (error) {
    refill(element, make("p", { class: "wrong" }, error.message));
  }
}

/** Show the help of the page and, at a table, of its game. */
export function openHelp() {
  const { game } = document.body.dataset;
  const topics = make("div", {});
  const keys = make("table", { class: "keys" }, make("caption", { class: "unseen" }, "Keys at a table"),
    make("tbody", {}, SHORTCUTS.map(([key, what]) => make("tr", {},
      make("th", { scope: "row" }, key.split("  ").map((one) => [make("kbd", {}, one), " "])), make("td", {}, what)))));
  dialog("Help", make("div", { class: "help" },
    make("h3", {}, "The page"),
    make("p", {}, "Legal actions are marked on the board and listed beside it. A click plays one; a part with several ",
      "actions opens a menu. On a touch screen the menu always opens. Frames show the changes since your last ",
      "decision. After a click on the ? below the board, further clicks explain parts of the board."),
    make("h3", {}, "The keys"),
    checkbox("Use single keys as shortcuts", hasShortcuts(), (on) => keepSetting("shortcuts", on)), keys,
    game && [make("h3", {}, "The game"), topics]));
  if (!game) return;
  refill(topics, "Loading …");
  once(`/help/${game}`).then((found) => refill(topics, Object.values(found)
    .sort((one, other) => one.title.localeCompare(other.title))
    .map((topic) => make("details", {}, make("summary", {}, topic.title), text(topic)))),
  (error) => refill(topics, error.message));
}
