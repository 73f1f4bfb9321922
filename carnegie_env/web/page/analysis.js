// An agent's values of the legal actions, and variations, which do not change the game.

import { agentField } from "./agents.js";
import { once, post } from "./api.js";
import { agentName, amount, button, make, named, newId, refill, signed, words } from "./dom.js";
import { keepSetting, setting } from "./keys.js";

export class Analysis {
  /**
   * @param {string} path of the table
   * @param {string} key
   * @param {{attempt: function(number), back: function(), leave: function()}} tell `attempt`: continue the
   *     variation with this action; `back`: undo its last action; `leave`: return to the game
   */
  constructor(path, key, tell) {
    this.path = path;
    this.key = key;
    this.tell = tell;
    this.on = false;
    this.agent = setting("analyst", "search");
    this.where = null;
    this.asking = null;
    this.choice = make("div", { class: "row" });
    this.switch = button("Analyse", () => this.turn(!this.on), { class: "strong", "aria-pressed": "false" });
    this.state = make("p", { class: "hint", role: "status" });
    this.values = make("ol", { class: "values" });
    this.line = make("div", { class: "line" });
    const heading = make("h2", { id: newId() }, "Values of the actions");
    this.element = make("div", { class: "analysis" }, heading,
      make("p", { class: "hint" }, "How many points the agent expects the player to be ahead of the best other side ",
        "at the end. Choose an action, here or on the board, to try it without playing it."),
      this.choice, this.state, this.line, this.values);
    this.offer([]);
    once("/about").then(({ agents }) => this.offer(agents), () => {});
  }

  offer(agents) {
    refill(this.choice, agentField(agents, this.agent, (agent) => this.take(agent),
      { id: "analyst", label: "the agent" }), this.switch);
    this.choice.querySelector("select").setAttribute("aria-label", "Agent");
  }

  take(agent) {
    this.agent = agent;
    keepSetting("analyst", agent);
    this.ask(true);
  }

  turn(on) {
    this.on = on;
    this.switch.setAttribute("aria-pressed", String(on));
    this.switch.textContent = on ? "Stop analysing" : "Analyse";
    if (on) {
      this.ask(true);
    } else {
      this.asking?.abort();
      this.asked = null;
      this.state.textContent = "";
      refill(this.values);
    }
  }

  /**
   * Show the panel for a position.
   * @param {{at: number, variation: ?number[], view: object, texts: string[], open: boolean, version: number}} where
   *     `texts`: of the variation's actions; `open`: whether this panel is visible; `version`: of the table
   */
  show(where) {
    this.where = where;
    const { variation, texts, at } = where;
    refill(this.line, variation && [
      make("p", {}, `Variation from decision ${at}: `,
        variation.length ? texts.map((text, k) => `${k + 1}. ${words(text)}`).join("  ") : "choose an action."),
      make("div", { class: "row" },
        variation.length > 0 && button("Undo one", this.tell.back, { class: "plain" }),
        button("Return to the game", this.tell.leave, { class: "plain" })),
    ], !variation && !where.view.is_over && button("Try a variation from here", () => this.tell.attempt(null),
      { class: "plain", id: "try" }));
    this.ask();
  }

  /** Ask the agent about the position, unless that has been done. */
  async ask(again = false) {
    if (!this.where) return;
    const { at, variation, view, open, version } = this.where;
    const state = JSON.stringify([at, variation, this.agent, version]);
    if (!this.on || !open || (state === this.asked && !again)) return;
    this.asking?.abort();
    this.asked = state;
    refill(this.values);
    if (view.is_over) {
      this.state.textContent = "The game is over.";
      return;
    }
    const asking = (this.asking = new AbortController());
    this.state.textContent = `${agentName(this.agent)} is thinking …`;
    try {
      const found = await post(`${this.path}/analysis`, { at, variation: variation ?? [], agent: this.agent },
        { key: this.key, signal: asking.signal });
      if (asking === this.asking) this.render(found);
    } catch (error) {
      if (error.name === "AbortError" || asking !== this.asking) return;
      this.asked = null;
      if (error.status === 429) { // the previous request is still running
        this.state.textContent = `${agentName(this.agent)} is busy …`;
        setTimeout(() => asking === this.asking && this.ask(), error.pause ?? 1000);
        return;
      }
      this.state.textContent = error.message;
    }
  }

  /** The text of a rated action. */
  text(action) {
    return this.rated?.find((one) => one.action === action)?.words ?? String(action);
  }

  render({ agent, seat, point, values }) {
    this.rated = values;
    if (values.length === 0) {
      this.state.textContent = `${agentName(agent)} has no values for these actions.`;
      return;
    }
    const best = values[0].value, worst = values.at(-1).value;
    this.state.textContent = "";
    const margin = make("b", {}, amount(Math.abs(best).toFixed(1), point));
    refill(this.state, agentName(agent), named(` expects player_${seat} to be `), margin,
      ` ${best < 0 ? "behind" : "ahead"} at the end.`);
    refill(this.values, values.map(({ action, words: text, value }) => {
      const bar = make("span", { class: "bar", "aria-hidden": "true" });
      bar.style.setProperty("--share", best > worst ? (value - worst) / (best - worst) : 1);
      return make("li", {}, make("button", {
        type: "button", data: { try: String(action) }, on: { click: () => this.tell.attempt(action) },
      }, bar, make("span", { class: "text" }, words(text)), make("span", { class: "value" }, signed(value, 2))));
    }));
  }

  close() {
    this.asking?.abort();
  }
}

