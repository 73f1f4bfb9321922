// The picture of a position: legal choices can be clicked, changes are framed, and it can be zoomed and panned.

import { button, draw, make, named, newId, refill, words } from "./dom.js";
import { keepSetting, setting } from "./keys.js";

const CLOSEST = 8; // largest magnification
const STEP = 1.5; // of the buttons
const FAR = 6; // pixels that a pointer moves before it pans the picture
const LONGEST_NAME = 12; // letters that fit on the board
const BAR = 45; // pixels of the bar below the board
const CITY = 18, BESIDE = 12; // units between a frame along a line and its ends, and half its width

/** A picture from the server, parsed once. */
export class Picture {
  /** @param {string} text SVG */
  constructor(text) {
    this.document = new DOMParser().parseFromString(text, "image/svg+xml");
    if (this.document.documentElement.nodeName !== "svg") throw new Error("The server's picture can't be read.");
    const parts = [...this.document.querySelectorAll("[data-part]")];
    /** The labels of its parts, without the actions that they offer: {name: label}. */
    this.labels = Object.fromEntries(parts.map((part) => {
      const label = part.getAttribute("aria-label"), offer = part.dataset.offer;
      return [part.dataset.part, offer ? label.slice(0, -offer.length) : `${label}; `];
    }));
    /** What is to be decided. */
    this.decision = this.labels.decision?.replace(/; $/, "") ?? "";
    /** The names of the parts that can be chosen. */
    this.legal = new Set(parts.filter((part) => part.classList.contains("legal")).map((part) => part.dataset.part));
  }

  /** A copy for this page's document, with the names of the players, and their numbers from 1 on disks. */
  element() {
    const copy = document.importNode(this.document.documentElement, true);
    const texts = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.data = named(texts.currentNode.data, LONGEST_NAME);
    for (const label of copy.querySelectorAll("text[data-owner]")) {
      if (/^\d$/.test(label.textContent)) label.textContent = Number(label.textContent) + 1;
    }
    for (const part of copy.querySelectorAll("[aria-label]")) {
      part.setAttribute("aria-label", named(part.getAttribute("aria-label")));
    }
    return copy;
  }
}

export class Board {
  /**
   * @param {{choose: function(number), explain: function(string)}} tell `choose`: an action was chosen; `explain`: show
   *     the topic with this key
   */
  constructor(tell) {
    this.tell = tell;
    this.legal = new Map();
    this.svg = null;
    this.view = null; // the visible section: {x, y, width, height}, in the picture's units
    this.pointers = new Map();
    this.asking = false;
    this.window = make("div", {
      class: "board", role: "region", "aria-label": "The board", tabindex: "-1",
      on: {
        click: (event) => this.click(event),
        keydown: (event) => this.key(event),
        pointerdown: (event) => this.press(event),
        pointermove: (event) => this.move(event),
        pointerup: (event) => this.release(event),
        pointercancel: (event) => this.release(event),
      },
    });
    this.window.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.ask = button("?", () => this.explainOnClick(!this.asking), {
      class: "plain", "aria-pressed": "false", "aria-label": "Explain on click",
      title: "Explain on click (h)",
    });
    this.fits = button("fit", () => this.fit(!setting("fit", false)), {
      class: "plain", "aria-label": "Fit: the whole board in the window", title: "The whole board in the window (0)",
    });
    this.tools = make("div", { class: "tools", role: "group", "aria-label": "The picture" },
      button("−", () => this.zoom(1 / STEP), { class: "plain", "aria-label": "Smaller", title: "Smaller (-)" }),
      button("+", () => this.zoom(STEP), { class: "plain", "aria-label": "Larger", title: "Larger (+)" }),
      this.fits,
      this.ask);
    /** Shown while all parts that can be chosen are outside the window: scrolls to the first. */
    this.toChoices = button("Show the choices", () => this.choices()[0].scrollIntoView({ block: "center" }),
      { class: "to-choices", hidden: true });
    this.fit(setting("fit", false));
  }

  /** The parts that can be chosen, without the buttons at the top. */
  choices() {
    const top = '[data-part="decision"]';
    return this.svg ? [...this.svg.querySelectorAll(`.legal:not(${top}, ${top} *)`)] : [];
  }

  /** Decide whether a button leads to the choices. */
  look() {
    const seen = ({ top, bottom }) => bottom > 0 && top < window.innerHeight - BAR;
    const choices = this.choices().map((part) => part.getBoundingClientRect());
    this.toChoices.hidden = choices.length === 0 || choices.some(seen);
  }

  /**
   * Show a picture.
   * @param {Picture} picture
   * @param {Array<{action: number, text: string, note: string}>} legal the actions that can be chosen
   * @param {Set<string>} changed names of the parts to frame
   */
  show(picture, legal, changed) {
    const focused = this.svg?.contains(document.activeElement) && document.activeElement.closest("[data-part]");
    const svg = picture.element();
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.whole = { x, y, width, height };
    const same = this.svg && this.size === `${width} ${height}`;
    this.size = `${width} ${height}`;
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    this.svg = svg;
    this.menu?.remove();
    this.window.replaceChildren(svg);
    this.window.style.setProperty("--shape", `${width} / ${height}`);
    if (!same || !this.view) this.view = this.whole;
    this.place();
    this.legal = new Map(legal.map((one) => [one.action, one]));
    this.prepare();
    this.frame(changed);
    this.look();
    if (focused) {
      const again = svg.querySelector(`[data-part="${CSS.escape(focused.dataset.part)}"][tabindex]`);
      (again ?? this.chosen()[0] ?? this.window).focus({ preventScroll: true });
    }
  }

  /** Unmark the parts that can't be chosen. Of the others, Tab reaches one, and arrow keys the rest. */
  prepare() {
    for (const part of this.svg.querySelectorAll("[data-part]")) {
      const actions = this.actions(part);
      const groups = part.querySelector("[data-part]") !== null;
      if (actions.length > 0) {
        part.setAttribute("tabindex", "-1");
        if (groups) part.setAttribute("role", "group"); // a button can't contain focusable parts
      } else {
        part.classList.remove("legal");
        part.removeAttribute("tabindex");
        part.setAttribute("role", groups ? "group" : "img");
        if (this.asking && part.dataset.help) {
          part.setAttribute("tabindex", "-1");
          if (!groups) part.setAttribute("role", "button");
        }
      }
    }
    this.reachable(this.chosen()[0]);
  }

  actions(part) {
    return (part.dataset.actions ?? "").split(" ").filter(Boolean).map(Number).filter((n) => this.legal.has(n));
  }

  /** The parts that arrow keys reach. */
  chosen() {
    return [...(this.svg?.querySelectorAll("[data-part][tabindex]") ?? [])];
  }

  reachable(part) {
    for (const other of this.chosen()) other.setAttribute("tabindex", other === part ? "0" : "-1");
  }

  /** Frame the innermost changed parts. */
  frame(changed) {
    const frames = draw("g", { class: "frames", "aria-hidden": "true" });
    for (const part of this.svg.querySelectorAll("[data-part]")) {
      if (!changed.has(part.dataset.part)) continue;
      if ([...part.querySelectorAll("[data-part]")].some((inner) => changed.has(inner.dataset.part))) continue;
      const line = part.querySelector("line");
      if (line) {
        frames.append(this.along(line));
        continue;
      }
      const { x, y, width, height } = this.box(part);
      if (width === 0 && height === 0) continue;
      frames.append(draw("rect", { x: x - 3, y: y - 3, width: width + 6, height: height + 6, rx: 6 }));
    }
    this.svg.append(frames);
  }

  /** A frame along a line between cities; a box around a slanted line would contain much else. */
  along(line) {
    const ends = ["1", "2"].map((k) => new DOMPoint(line[`x${k}`].baseVal.value, line[`y${k}`].baseVal.value));
    const [from, to] = this.points(line, ends);
    const length = Math.hypot(to.x - from.x, to.y - from.y), turned = Math.atan2(to.y - from.y, to.x - from.x);
    const gap = Math.min(CITY, length / 4); // the cities stay outside
    return draw("rect", { x: gap, y: -BESIDE, width: length - 2 * gap, height: 2 * BESIDE, rx: 6,
      transform: `translate(${from.x} ${from.y}) rotate(${(turned * 180) / Math.PI})` });
  }

  /** The box around a part, in the picture's units. */
  box(part) {
    const { x, y, width, height } = part.getBBox();
    const [one, other] = this.points(part, [new DOMPoint(x, y), new DOMPoint(x + width, y + height)]);
    return { x: one.x, y: one.y, width: other.x - one.x, height: other.y - one.y };
  }

  /** Points of an element in the picture's units. */
  points(element, found) {
    const matrix = this.svg.getScreenCTM().inverse().multiply(element.getScreenCTM());
    return found.map((point) => point.matrixTransform(matrix));
  }

  /** Set whether clicks explain parts of the board. */
  explainOnClick(on) {
    this.asking = on;
    this.ask.setAttribute("aria-pressed", String(on));
    this.window.classList.toggle("asking", on);
    if (this.svg) this.prepare();
    if (on) this.chosen()[0]?.focus({ preventScroll: true });
  }

  // ---- choosing
  click(event) {
    if (this.pulled) return;
    const part = event.target.closest?.("[data-part]");
    if (part) this.hit(part, event.clientX, event.clientY, event.pointerType === "touch");
  }

  /** A part was chosen at a point of the window; `careful`: always confirm with the menu. */
  hit(part, x, y, careful) {
    if (this.asking) {
      const explained = part.closest("[data-help]");
      if (explained) this.tell.explain(explained.dataset.help);
      return;
    }
    let found = part;
    while (found && this.actions(found).length === 0) found = found.parentElement?.closest("[data-part]");
    if (!found) return;
    const actions = this.actions(found);
    if (actions.length === 1 && !careful) this.tell.choose(actions[0]);
    else this.offer(found, actions, x, y);
  }

  /** Open a menu with the actions of a part. */
  offer(part, actions, x, y) {
    this.menu?.remove();
    const title = make("p", { id: newId() }, part.getAttribute("aria-label"));
    const close = () => {
      this.menu?.remove();
      this.menu = null;
      document.removeEventListener("pointerdown", beside, true);
    };
    const beside = (event) => this.menu?.contains(event.target) || close();
    const items = actions.map((number) => {
      const { words: text, note } = this.legal.get(number);
      return make("button", {
        type: "button", role: "menuitem", tabindex: "-1",
        on: { click: () => { close(); part.focus({ preventScroll: true }); this.tell.choose(number); } },
      }, words(text), note && make("span", { class: "note" }, note));
    });
    const topic = part.closest("[data-help]")?.dataset.help;
    if (topic) {
      items.push(button("What is this?", () => { close(); this.tell.explain(topic); },
        { role: "menuitem", tabindex: "-1", class: "plain" }));
    }
    this.menu = make("div", {
      class: "menu", on: {
        keydown: (event) => {
          const at = items.indexOf(document.activeElement);
          if (event.key === "Escape" || event.key === "Tab") {
            event.preventDefault();
            close();
            part.focus({ preventScroll: true });
          } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            items[(at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length].focus();
          }
          event.stopPropagation();
        },
      },
    }, title, make("div", { role: "menu", "aria-labelledby": title.id }, items));
    document.body.append(this.menu);
    const box = this.menu.getBoundingClientRect();
    const left = Math.max(4, Math.min(x, document.documentElement.clientWidth - box.width - 4));
    const top = Math.max(4, Math.min(y, window.innerHeight - box.height - 4));
    this.menu.style.left = `${left + window.scrollX}px`;
    this.menu.style.top = `${top + window.scrollY}px`;
    items[0].focus({ preventScroll: true });
    document.addEventListener("pointerdown", beside, true);
  }

  key(event) {
    const part = event.target.closest("[data-part]");
    if (!part || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      const box = part.getBoundingClientRect();
      this.hit(part, box.left + box.width / 2, box.top + box.height / 2, false);
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      event.stopPropagation();
      const next = this.neighbour(part, event.key.slice(5));
      if (next) {
        this.reachable(next);
        next.focus({ preventScroll: true });
        this.into(next);
      }
    }
  }

  /** The nearest part that can be chosen in a direction. */
  neighbour(part, direction) {
    const middle = (one) => {
      const box = one.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    };
    const [x, y] = middle(part);
    const ahead = { Right: [1, 0], Left: [-1, 0], Down: [0, 1], Up: [0, -1] }[direction];
    let best = null, least = Infinity;
    for (const other of this.chosen()) {
      if (other === part) continue;
      const [u, v] = middle(other);
      const along = (u - x) * ahead[0] + (v - y) * ahead[1];
      const across = Math.abs((u - x) * ahead[1]) + Math.abs((v - y) * ahead[0]);
      const distance = along + 2 * across;
      if (along > 1 && distance < least) [best, least] = [other, distance];
    }
    return best;
  }

  // ---- zooming and panning
  place() {
    const { x, y, width, height } = this.view;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.window.classList.toggle("enlarged", this.view.width < this.whole.width - 1);
  }

  /** Show the whole picture; `high`: fit it to the height of the window, else to its width. */
  fit(high) {
    keepSetting("fit", high);
    this.fits.setAttribute("aria-pressed", String(high));
    this.window.classList.toggle("high", high);
    if (!this.svg) return;
    this.view = this.whole;
    this.place();
  }

  /** Zoom around a point of the window, by default its centre. */
  zoom(times, clientX, clientY) {
    if (!this.svg) return;
    const box = this.svg.getBoundingClientRect();
    const [x, y] = this.point(clientX ?? box.left + box.width / 2, clientY ?? box.top + box.height / 2);
    const width = Math.min(Math.max(this.view.width / times, this.whole.width / CLOSEST), this.whole.width);
    const share = width / this.view.width;
    this.see(x - (x - this.view.x) * share, y - (y - this.view.y) * share, width, this.view.height * share);
  }

  /** Show a section, moved to lie within the picture. */
  see(x, y, width, height) {
    const { whole } = this;
    this.view = {
      x: Math.min(Math.max(x, whole.x), whole.x + whole.width - width),
      y: Math.min(Math.max(y, whole.y), whole.y + whole.height - height),
      width, height,
    };
    this.place();
  }

  /** A point of the window in the picture's units. */
  point(clientX, clientY) {
    const found = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [found.x, found.y];
  }

  /** Scroll a part into view. */
  into(part) {
    const { x, y, width, height } = this.box(part);
    const { view } = this;
    const within = x >= view.x && y >= view.y && x + width <= view.x + view.width && y + height <= view.y + view.height;
    if (!within) this.see(x + width / 2 - view.width / 2, y + height / 2 - view.height / 2, view.width, view.height);
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }

  press(event) {
    this.pulled = false;
    if (event.button !== 0 || !this.svg) return;
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.from = [event.clientX, event.clientY];
  }

  move(event) {
    if (!event.buttons) this.release(event); // it was released outside the board
    if (!this.pointers.has(event.pointerId)) return;
    const before = [...this.pointers.values()];
    const [oldX, oldY] = this.pointers.get(event.pointerId);
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    const after = [...this.pointers.values()];
    if (after.length === 2) {
      const apart = ([[a, b], [c, d]]) => Math.hypot(a - c, b - d);
      this.pulled = true;
      this.zoom(apart(after) / Math.max(apart(before), 1), (after[0][0] + after[1][0]) / 2,
        (after[0][1] + after[1][1]) / 2);
      return;
    }
    if (Math.hypot(event.clientX - this.from[0], event.clientY - this.from[1]) > FAR && this.isEnlarged()) {
      if (!this.pulled) this.window.setPointerCapture(event.pointerId);
      this.pulled = true;
    }
    if (this.pulled) {
      const units = this.view.width / this.svg.getBoundingClientRect().width;
      this.see(this.view.x - (event.clientX - oldX) * units, this.view.y - (event.clientY - oldY) * units,
        this.view.width, this.view.height);
    }
  }

  release(event) {
    this.pointers.delete(event.pointerId);
  }

  isEnlarged() {
    return this.view.width < this.whole.width - 1;
  }

  /** Remove the picture, which shows another seat's secrets. */
  clear() {
    this.menu?.remove();
    this.svg = null;
    refill(this.window);
  }
}
