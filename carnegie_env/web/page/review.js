// A review of the whole game: the expectation over the game, the sums for each seat, and the most expensive decisions.

import { post } from "./api.js";
import { chart } from "./chart.js";
import { amount, button, make, named, newId, points, refill, select, signed, words } from "./dom.js";
import { badge } from "./sides.js";

const WORST = 10; // decisions in the list
const SUMS = [
  ["result", "the final margin; before the end, the expected one"],
  ["par", "the expectation of the seat, on average over deals"], ["deal", "the luck of the deal"],
  ["luck", "the luck in the game"], ["skill", "minus the losses of the seat's own decisions"],
  ["others", "the gain from the other seats' losses"], ["remainder", "the errors of all estimates together"],
  ["adjusted", "the result without luck"],
];

/** The loss minus its standard error; 0 if no better action was found. */
const sure = ({ loss, error, best, action }) => (best === action ? 0 : loss - error);

export class Review {
  /**
   * @param {string} path of the table
   * @param {string} key
   * @param {function(number)} look show the position after this number of decisions
   * @param {function(number): Promise<object>} viewAt the View after this number of decisions
   */
  constructor(path, key, look, viewAt) {
    this.path = path;
    this.key = key;
    this.look = look;
    this.viewAt = viewAt;
    this.budget = "quick";
    this.seat = "all";
    this.state = make("p", { class: "hint", role: "status" });
    this.start = make("div", { class: "row" });
    this.chart = make("div", { class: "over-rounds" });
    this.sums = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Sums by seat" });
    this.list = make("div", {});
    this.element = make("div", { class: "review" }, make("h2", { id: newId() }, "Review"),
      make("p", { class: "hint" }, "What each decision cost against the best one, and what was luck."),
      this.start, this.state, this.chart, this.sums, this.list);
    refill(this.start, select([["quick", "quick: seconds"], ["thorough", "thorough: a minute or more"]], this.budget,
      (budget) => (this.budget = budget), { id: "review-budget", "aria-label": "Budget of the review" }),
    this.button = button("Review this game", () => this.ask(), { class: "strong" }));
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.chart);
  }

  close() {
    this.asking?.abort();
    this.watch.disconnect();
  }

  /** @param {{at: number, view: object, open: boolean}} where `view`: of the current position */
  show({ at, view, open }) {
    this.at = at;
    if (this.version !== undefined && view.decisions !== this.version) {
      this.asking?.abort();
      this.clear();
    }
    this.version = view.decisions;
    this.yours = view.seats.filter(({ yours }) => yours).map(({ seat }) => String(seat));
    if (open) this.draw();
  }

  clear() {
    this.found = null;
    for (const part of [this.chart, this.sums, this.list]) refill(part);
    this.state.textContent = "";
  }

  async ask() {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.clear();
    this.state.textContent = "Reviewing …";
    this.button.disabled = true;
    try {
      const found = await post(`${this.path}/review`, { budget: this.budget },
        { key: this.key, signal: asking.signal });
      this.found = found;
      this.seat = this.yours.length === 1 ? this.yours[0] : "all";
      this.state.textContent = found.estimates === "network" ? ""
        : "There is no network for these options: the review uses play-outs of greedy, a weaker judge.";
      this.render();
    } catch (error) {
      if (error.name !== "AbortError") this.state.textContent = error.message;
    } finally {
      this.button.disabled = false;
    }
  }

  draw() {
    if (!this.found || this.chart.clientWidth === 0) return;
    const width = Math.max(280, Math.floor(this.chart.clientWidth));
    if (`${width} ${this.at}` === this.drawn) return;
    this.drawn = `${width} ${this.at}`;
    const { seats, expected, point } = this.found;
    refill(this.chart, chart({
      sides: seats.map(({ name }) => name), rounds: expected.map((_, k) => ({ round: k })),
      values: seats.map((_, seat) => expected.map((row) => row[seat])), name: `expected margin in ${point}`, width,
      at: this.at, unit: "decision",
    }));
  }

  render() {
    this.drawn = null;
    this.draw();
    const { seats } = this.found;
    const row = (name, title, cell) => make("tr", {}, make("th", { scope: "row", title }, name),
      seats.map((seat) => make("td", {}, cell(seat))));
    refill(this.sums, make("table", { class: "numbers" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, ""),
        seats.map(({ name }, k) => make("th", { scope: "col" }, badge(k), named(name))))),
      make("tbody", {},
        SUMS.map(([name, title]) => row(name, title, (seat) => signed(seat[name]))),
        row("loss per decision", "with its 95 % interval",
          ({ loss, error }) => `${loss.toFixed(2)} ± ${(1.96 * error).toFixed(2)}`),
        row("accuracy", "0 to 100; 50 as level 5 in the same decisions", ({ accuracy }) => accuracy?.toFixed(0) ?? "–"),
        row("performance", "the rating of the level that loses as much", ({ rating }) => (rating
          ? [points(rating[0]), make("div", { class: "hint" }, `${points(rating[1])} to ${points(rating[2])}`)]
          : "–")))));
    this.renderList();
  }

  async renderList() {
    const { seats, decisions, point } = this.found;
    const worst = decisions.filter((one) => sure(one) > 0 && (this.seat === "all" || String(one.seat) === this.seat))
      .sort((one, other) => sure(other) - sure(one)).slice(0, WORST);
    const choices = [["all", "all seats"], ...seats.map(({ name }, k) => [String(k), named(name)])];
    const { found, seat } = this;
    const views = await Promise.all(worst.map(({ number }) => this.viewAt(number - 1).catch(() => null)));
    if (found !== this.found || seat !== this.seat) return;
    const focused = document.activeElement.id;
    const said = (k, action) => words(views[k]?.legal.find(({ text }) => text === action)?.words ?? action);
    refill(this.list, make("h2", {}, "Most expensive decisions"),
      seats.length > 1 && select(choices, this.seat, (seat) => {
        this.seat = seat;
        this.renderList();
      }, { id: "review-seat", "aria-label": "Decisions of" }),
      worst.length === 0 && make("p", { class: "hint" }, "No decision clearly cost anything."),
      make("ol", { class: "worst plain-list" }, worst.map((one, k) => {
        const why = Object.entries(one.why ?? {}).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, 5);
        return make("li", {},
          button(`Decision ${one.number}`, () => this.look(one.number - 1), { class: "plain" }), " ",
          `${named(seats[one.seat].name)}, ${one.round ? `round ${one.round}` : "set-up"}: `,
          `${said(k, one.action)} lost `,
          amount(`${one.loss.toFixed(1)} ± ${(1.96 * one.error).toFixed(1)}`, point), ". Better: ",
          make("b", {}, said(k, one.best)),
          ` (win ${percent(one.best_win)} instead of ${percent(one.win)}).`,
          why.length > 0 && make("span", { class: "hint" },
            ` With it: ${why.map(([name, by]) => `${words(name)} ${signed(by)}`).join(", ")}.`));
      })));
    if (focused === "review-seat") this.list.querySelector("select").focus();
  }
}

const percent = (share) => `${Math.round(100 * share)} %`;
