// The list of legal actions as buttons, with a search box.

import { make, newId, points, refill, words } from "./dom.js";

/** Whether the typed words begin words of a text, in the same order, as in the terminal. */
export function fits(typed, text) {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const word of text.toLowerCase().split(/[\s_]+/)) {
    if (found < wanted.length && word.startsWith(wanted[found])) found++;
  }
  return found === wanted.length;
}

export class Moves {
  /** @param {function(number)} choose called with the chosen action */
  constructor(choose) {
    this.choose = choose;
    this.legal = [];
    this.state = "";
    this.filter = make("input", {
      type: "search", placeholder: "find by first letters", "aria-label": "Find an action", autocomplete: "off",
      spellcheck: "false", on: { input: () => this.render(), keydown: (event) => this.key(event) },
    });
    this.heading = make("h2", { id: newId(), tabindex: "-1" }, "Legal actions");
    this.about = make("p", { class: "hint" });
    this.number = make("p", { class: "hint", role: "status" });
    this.list = make("ul", {
      class: "moves", "aria-labelledby": this.heading.id, on: { keydown: (event) => this.key(event) },
    });
    this.element = make("section", { class: "moves-box", "aria-labelledby": this.heading.id },
      this.heading, this.about, this.filter, this.number, this.list);
  }

  /**
   * Show the legal actions of the position `at` under a title. The list keeps the focus if it had it; the search box is
   * cleared when the position changes.
   */
  show(legal, title, at) {
    const focused = document.activeElement;
    const within = this.list.contains(focused) || focused === this.heading || focused === this.filter;
    const state = JSON.stringify([at, legal]);
    const changed = state !== this.state;
    this.heading.textContent = title;
    this.element.hidden = legal.length === 0;
    if (!changed) return;
    this.legal = legal;
    this.state = state;
    this.filter.value = "";
    this.filter.hidden = legal.length < 6;
    this.render();
    if (within && (focused !== this.filter || this.filter.hidden)) {
      (this.list.querySelector("button") ?? this.heading).focus({ preventScroll: true });
    }
  }

  /** Say what is to be decided. */
  explain(decision) {
    this.about.textContent = words(decision);
  }

  /** Show whether a decision is pending. */
  wait(on) {
    this.list.classList.toggle("waiting", on);
  }

  render() {
    const typed = this.filter.value;
    const found = this.legal.filter(({ text, words: one, short }) =>
      fits(typed, text) || fits(typed, one) || short === typed.trim());
    this.number.textContent = typed ? `${found.length} of ${this.legal.length}` : "";
    refill(this.list, found.map(({ action, words: text, note }) => make("li", {},
      make("button", { type: "button", data: { action: String(action) }, on: { click: () => this.choose(action) } },
        make("span", {}, words(text)), note && make("span", { class: "note" }, points(note))))));
  }

  focus() {
    (this.list.querySelector("button") ?? this.heading).focus();
  }

  key(event) {
    const buttons = [...this.list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    if (event.key === "ArrowDown") {
      buttons[Math.min(at + 1, buttons.length - 1)]?.focus();
    } else if (event.key === "ArrowUp") {
      (at > 0 ? buttons[at - 1] : this.filter.hidden ? buttons[0] : this.filter).focus();
    } else if (event.key === "Enter" && event.target === this.filter) {
      if (buttons.length === 1) buttons[0].click();
      else this.number.textContent = `${buttons.length} of ${this.legal.length}: keep typing until one is left`;
    } else if (event.key === "Escape" && event.target === this.filter) {
      if (!this.filter.value) this.heading.focus(); // so that single keys are shortcuts again
      this.filter.value = "";
      this.render();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
