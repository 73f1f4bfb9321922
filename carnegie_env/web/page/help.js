// Help: what things on the board are, from the rules, and how this page is used.

import { once } from "./api.js";
import { checkbox, dialog, make, notice, refill } from "./dom.js";
import { keepSetting, setting } from "./keys.js";

export const SHORTCUTS = [
  ["/", "find an action: type first letters, Enter plays the one that is left, Esc leaves"],
  ["l", "to the list of actions; arrow keys go through it, Enter plays"],
  ["b", "to the board; arrow keys go from one thing that can be chosen to the next, Enter chooses"],
  ["u", "take your last decision back"],
  ["←  →", "one decision back, one on"],
  ["Home  End", "to the first decision, to where the game is now"],
  ["p", "play through the game, or pause"],
  ["1  2  3", "play, points, analysis"],
  ["h", "explain what is clicked"],
  ["+  -  0", "enlarge the board, reduce it, fit it into the window"],
  ["t", "light or dark"],
  ["?", "this help"],
];

/** Whether single keys are shortcuts. */
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

/** The help of the page, and, at a table, of its game. */
export function openHelp() {
  const { game } = document.body.dataset;
  const topics = make("div", {});
  const keys = make("table", { class: "keys" }, make("caption", { class: "unseen" }, "Keys at a table"),
    make("tbody", {}, SHORTCUTS.map(([key, what]) => make("tr", {},
      make("th", { scope: "row" }, key.split("  ").map((one) => [make("kbd", {}, one), " "])), make("td", {}, what)))));
  dialog("Help", make("div", { class: "help" },
    make("h3", {}, "The page"),
    make("p", {}, "What can be chosen is marked on the board and stands in the list: a click plays it; where a thing ",
      "has several actions, a small menu asks which. With a finger the menu always asks. Frames show what is not as ",
      "it was at your last decision. The ? below the board explains what is clicked then."),
    make("h3", {}, "The keys"),
    checkbox("Single keys are shortcuts", hasShortcuts(), (on) => keepSetting("shortcuts", on)), keys,
    game && [make("h3", {}, "The game"), topics]));
  if (!game) return;
  refill(topics, "One moment …");
  once(`/help/${game}`).then((found) => refill(topics, Object.values(found)
    .sort((one, other) => one.title.localeCompare(other.title))
    .map((topic) => make("details", {}, make("summary", {}, topic.title), text(topic)))),
  (error) => refill(topics, error.message));
}
