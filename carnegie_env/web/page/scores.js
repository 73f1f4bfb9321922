// Scores by category and over the rounds.

import { get, once } from "./api.js";
import { chart, table } from "./chart.js";
import { make, newId, points, refill, select, words } from "./dom.js";
import { badge, colour, sideName, sign } from "./sides.js";

const NAMED = 2; // sides whose names fit above their points; with more, only their signs are shown

/** The points of a side: one number, or a range if it depends on hidden information. */
export const span = ({ low, high }) => (low === high ? points(low) : `${points(low)}–${points(high)}`);

/** What an agent's name at the table leaves out: its budget, or its module. */
const budget = (name) => (/^level:|^[^:.]+$/.test(name) ? "" : name);

/** All categories, with subcategories after their category: [[name, points], ...]. */
function flat(categories, before = "") {
  return Object.entries(categories).flatMap(([name, value]) =>
    (typeof value === "object" && value !== null ? flat(value, `${name}: `) : [[before + name, value]]));
}

/** One line with all sides, their points, and whose turn it is. */
export class Sides {
  constructor() {
    this.element = make("ul", { class: "sides", "aria-label": "Players" });
  }

  show(view) {
    refill(this.element, view.scores.map((score, k) => {
      const seat = view.seats.find((one) => `player_${one.seat}` === score.side);
      const turn = seat && seat.seat === view.to_play;
      const place = view.places?.[k];
      const side = sideName(score.side);
      const about = !seat ? "" : !seat.taken ? "not here yet" : seat.kind === "agent" ? budget(seat.name)
        : seat.name === score.side ? "" : seat.name;
      return make("li", { class: turn ? "turn" : "", "aria-current": turn ? "true" : null },
        badge(colour(score.side), sign(score.side)),
        make("span", { class: "who" }, make("b", {}, side),
          about !== side && make("span", { class: "hint" }, about)),
        make("span", { class: "total", title: "points if the game ended now" }, span(score)),
        place === 0 && make("span", { class: "place" }, "wins"),
        turn && make("span", { class: "unseen" }, " to play"));
    }));
  }
}

export class Scores {
  constructor(path, key, failed) {
    this.path = path;
    this.key = key;
    this.failed = failed;
    this.column = "total";
    this.now = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Points by category" });
    this.over = make("div", { class: "over-rounds" });
    const heading = make("h2", { id: newId() }, "Points if the game ended now");
    this.element = make("div", { class: "scores" }, heading, this.now, make("h2", {}, "Over the rounds"), this.over);
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.over);
  }

  close() {
    this.watch.disconnect();
  }

  /** Show the scores of a View. `open`: whether the panel is visible; if not, the rounds are loaded later. */
  async show(view, open) {
    this.about ??= await once("/about").catch(() => null);
    this.categories(view);
    this.round = view.round;
    if (!open) return;
    const state = `${view.version} ${view.round} ${view.is_over}`;
    if (state === this.asked) {
      this.draw();
      return;
    }
    this.asked = state;
    try {
      this.rounds = await get(`${this.path}/scores`, { key: this.key });
      this.draw(true);
    } catch (error) {
      this.asked = null;
      this.failed(error);
    }
  }

  categories({ scores, game }) {
    const { point } = this.about?.games.find(({ name }) => name === game) ?? {};
    const rows = new Map();
    scores.forEach(({ categories }, side) => {
      for (const [name, value] of flat(categories)) {
        if (!rows.has(name)) rows.set(name, []);
        rows.get(name)[side] = value;
      }
    });
    rows.delete("total");
    const used = [...rows].filter(([, row]) => row.some((value) => value));
    const unused = [...rows].filter(([, row]) => !row.some((value) => value)).map(([name]) => words(name));
    refill(this.now,
      make("table", { class: "numbers" },
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, point ?? "points"),
          scores.map(({ side }) => make("th", { scope: "col", title: sideName(side) }, badge(colour(side), sign(side)),
            scores.length > NAMED ? make("span", { class: "unseen" }, sideName(side)) : sideName(side))))),
        make("tbody", {}, used.map(([name, row]) => make("tr", {}, make("th", { scope: "row" }, words(name)),
          scores.map((_, side) => make("td", {}, points(row[side] ?? 0)))))),
        make("tfoot", {}, make("tr", {}, make("th", { scope: "row" }, "total"),
          scores.map((score) => make("td", {}, span(score)))))),
      unused.length > 0 && make("p", { class: "hint" }, `Nothing yet for ${unused.join(", ")}.`));
  }

  /** Draw the chart and its table; without `force`, only if the width or the round shown has changed. */
  draw(force = false) {
    if (!this.rounds || this.over.clientWidth === 0) return;
    const width = Math.max(280, Math.floor(this.over.clientWidth));
    const state = `${width} ${this.column} ${this.round}`;
    if (state === this.drawn && !force) return;
    this.drawn = state;
    const { sides, columns, rounds } = this.rounds;
    if (rounds.length === 0) {
      refill(this.over, make("p", { class: "hint" }, "No round is over yet."));
      return;
    }
    const names = ["total", ...columns.filter((name) => name !== "total")];
    const values = sides.map((_, side) => rounds.map(({ scores }) => scores[side][this.column] ?? 0));
    const what = { sides, rounds, values, name: this.column, width, at: this.round };
    const open = this.over.querySelector("details")?.open;
    const focused = document.activeElement?.id === "column";
    const field = select(names, this.column, (name) => {
      this.column = name;
      this.draw();
    }, { id: "column", "aria-label": "Points of" });
    refill(this.over, field, chart(what),
      make("details", { open }, make("summary", {}, "As a table"),
        make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Points by round" }, table(what))));
    if (focused) field.focus();
  }
}
