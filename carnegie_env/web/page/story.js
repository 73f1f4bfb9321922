// What happened, as the seat saw it.

import { button, make, newId, refill, words } from "./dom.js";
import { badge, colour, sign } from "./sides.js";

export class Story {
  /** @param {function(number)} jump to the position after so many decisions */
  constructor(jump) {
    this.jump = jump;
    this.list = make("ol", { class: "story", tabindex: "0" });
    const heading = make("h2", { id: newId() }, "What happened");
    this.list.setAttribute("aria-labelledby", heading.id);
    this.element = make("section", { class: "story-box", "aria-labelledby": heading.id }, heading, this.list);
    this.shown = "";
  }

  /** Show what was told; what came with decision `since` or later is marked as new, below a line that says `divided`.
   * `played`: not of a variation, so one can look at the board as it was. Gives the new lines as texts. */
  show(told, since, divided, played) {
    const state = JSON.stringify([told, since, divided, played]);
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
    return told.filter(isNew).map(({ who, text }) => (who ? `${who}: ${words(text)}` : words(text)));
  }

  line({ who, text, forced, decisions }) {
    return [
      this.played && button("▸", () => this.jump(decisions), {
        class: "plain jump", "aria-label": `Look at the board after decision ${decisions}`, title: "Look at the board",
      }),
      who && make("b", {}, badge(colour(who), sign(who)), who), " ", words(text),
      forced && make("span", { class: "hint" }, " (by itself)"),
    ];
  }
}
