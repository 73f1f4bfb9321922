// The log of a game, as the seat saw it.

import { button, make, named, newId, refill, words } from "./dom.js";
import { badge, colour, sideName, sign } from "./sides.js";

export class Log {
  /** @param {function(number)} jump to the position after a number of decisions */
  constructor(jump) {
    this.jump = jump;
    this.list = make("ol", { class: "log", tabindex: "0" });
    const heading = make("h2", { id: newId() }, "Log");
    this.list.setAttribute("aria-labelledby", heading.id);
    this.element = make("section", { class: "log-box", "aria-labelledby": heading.id }, heading, this.list);
    this.shown = "";
  }

  /**
   * Show the log and return the texts of the new lines: those of decision `since` and later, below a line `divided`.
   * `played`: these decisions are in the game, not in a variation, so each line links to its position.
   */
  show(told, since, divided, played) {
    const state = named(JSON.stringify([told, since, divided, played])); // with the names, which may change
    this.played = played;
    if (state === this.shown) return [];
    this.shown = state;
    const isNew = ({ decisions }) => decisions >= since;
    const first = told.findIndex(isNew);
    refill(this.list, told.map((line, k) => [
      divided && k === first && first > 0 && make("li", { class: "divider" }, divided),
      make("li", { class: isNew(line) ? "fresh" : "", data: { decisions: String(line.decisions) } }, this.line(line)),
    ]));
    if (told.length === 0) refill(this.list, make("li", { class: "hint" }, "Nothing yet."));
    const divider = this.list.querySelector(".divider");
    const fits = divider && this.list.scrollHeight - divider.offsetTop + this.list.offsetTop < this.list.clientHeight;
    this.list.scrollTop = divider && !fits ? divider.offsetTop - this.list.offsetTop : this.list.scrollHeight;
    return told.filter(isNew).map(({ who, text }) => words(who ? `${who}: ${text}` : text));
  }

  line({ who, text, decisions }) {
    return [
      this.played && button("▶", () => this.jump(decisions), {
        class: "plain jump", "aria-label": `Look at the board after decision ${decisions}`, title: "Look at the board",
      }),
      who && make("b", {}, badge(colour(who), sign(who)), `${sideName(who)}:`), " ", words(text),
    ];
  }
}
