// The slider over the decisions of a game, and the buttons that replay them.

import { button, make, select } from "./dom.js";
import { keepSetting, setting } from "./keys.js";

const PULL = 60; // milliseconds that the slider must rest before a position is loaded
const PACES = [["2000", "slow"], ["900", "steady"], ["350", "fast"]]; // milliseconds per decision

export class Stepper {
  /** @param {function(number|null)} go to the position after a number of decisions; null: to the current one */
  constructor(go) {
    this.go = go;
    this.at = 0;
    this.most = 0;
    this.timer = null;
    this.slider = make("input", {
      type: "range", min: "0", max: "0", step: "1", "aria-label": "Decision",
      on: { input: () => this.pull() },
    });
    this.first = button("«", () => this.step(-Infinity), { class: "plain", "aria-label": "First decision" });
    this.before = button("‹", () => this.step(-1), { class: "plain", "aria-label": "Previous decision" });
    this.next = button("›", () => this.step(1), { class: "plain", "aria-label": "Next decision" });
    this.last = button("»", () => this.step(Infinity), { class: "plain", "aria-label": "Current position" });
    this.player = button("Replay", () => this.toggle(), { class: "plain play" });
    this.count = make("output", { class: "count" });
    this.pace = setting("pace", "900");
    this.element = make("div", { class: "stepper", role: "group", "aria-label": "Step through the game" },
      this.first, this.before, this.slider, this.next, this.last, this.count, this.player,
      select(PACES, this.pace, (pace) => {
        this.pace = pace;
        keepSetting("pace", pace);
      }, { "aria-label": "Pace" }));
  }

  show(at, most) {
    this.at = at;
    this.most = most;
    this.slider.max = String(most);
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", `${at} of ${most}`);
    this.count.textContent = `${at} / ${most}`;
    for (const pressed of [this.first, this.before]) pressed.setAttribute("aria-disabled", String(at === 0));
    for (const pressed of [this.next, this.last]) pressed.setAttribute("aria-disabled", String(at === most));
  }

  /** Called while the slider moves; positions that it passes quickly are not loaded. */
  pull() {
    this.pause();
    this.show(Number(this.slider.value), this.most);
    clearTimeout(this.pulling);
    this.pulling = setTimeout(() => this.to(this.at), PULL);
  }

  to(at) {
    this.show(at, this.most);
    this.go(at >= this.most ? null : at);
  }

  step(by) {
    this.pause();
    const at = Math.min(Math.max(this.at + by, 0), this.most);
    if (at !== this.at) this.to(at);
  }

  toggle() {
    if (this.timer !== null) {
      this.pause();
      return;
    }
    if (this.at === this.most) this.to(0);
    this.player.textContent = "Pause";
    const next = async () => {
      const begun = performance.now();
      await this.go(this.at + 1 >= this.most ? null : this.at + 1);
      if (this.timer === null) return;
      if (this.at >= this.most) this.pause();
      else this.timer = setTimeout(next, Math.max(Number(this.pace) - (performance.now() - begun), 30));
    };
    this.timer = setTimeout(next, Number(this.pace) / 2);
  }

  pause() {
    clearTimeout(this.timer);
    clearTimeout(this.pulling);
    this.timer = null;
    this.player.textContent = "Replay";
  }
}
