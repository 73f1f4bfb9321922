// A table: board, legal actions, log, points, analysis. It shows the current position, an earlier one, or a variation.

import { Analysis } from "./analysis.js";
import { Follower, get, post, Refused } from "./api.js";
import { Board, Picture } from "./board.js";
import { button, copy, fill, make, named, nameSeats, newId, notice, refill, say, words } from "./dom.js";
import { explain, hasShortcuts, openHelp, rules } from "./help.js";
import * as keys from "./keys.js";
import { Log } from "./log.js";
import { Moves } from "./moves.js";
import { Review } from "./review.js";
import { Scores, Sides } from "./scores.js";
import { badge, sideName, who } from "./sides.js";
import { invitation, joining, keep, save } from "./start.js";
import { Stepper } from "./stepper.js";
import { onTheme, switchTheme, theme } from "./theme.js";

const KEPT = 300; // cached pictures and views of earlier positions
const TABS = [["play", "Play"], ["points", "Points"], ["analysis", "Analysis"], ["review", "Review"],
  ["rules", "Rules"], ["table", "Table"]];

/** Show a table; returns a function that closes it. */
export function openTable(main, id, role) {
  const found = keys.roleAt(id, role);
  if (!found) {
    refill(main, make("section", { class: "panel narrow" }, make("h1", {}, "No key for this table"),
      make("p", {}, "This browser has no key for it. The host has links for playing and watching."),
      make("p", {}, make("a", { href: "#/" }, "Games"))));
    return () => {};
  }
  const table = new Table(main, id, found);
  return () => table.close();
}

class Table {
  constructor(main, id, { role, key }) {
    this.main = main;
    this.id = id;
    this.role = role;
    this.key = key;
    this.path = `/tables/${id}`;
    this.live = null; // the View of the current position
    this.shown = null; // the View of the position shown
    this.at = null; // number of decisions of an earlier position; null: the current one
    this.variation = null; // the actions of a variation from there; null: none
    this.texts = [];
    this.kept = new Map();
    this.turn = 0; // counts calls of show: late responses are ignored
    this.busy = false;
    this.uncovered = null; // the seat of the player at the screen
    this.tab = "play";
    this.closing = [];
    refill(main, make("p", { class: "loading" }, "Loading …"));
    this.follower = new Follower(this.path, key, {
      news: (view) => this.news(view),
      lost: (is) => lost(is),
      ended: (error) => this.ended(error),
    });
    this.build();
    this.follower.run();
  }

  // ---- parts of the page
  build() {
    this.title = make("h1", {});
    this.where = make("p", { class: "where" });
    this.status = make("p", { class: "status", id: newId() });
    this.undoButton = button("Undo", () => this.undo(),
      { hidden: true, id: "undo", title: "Undo your last decision (u)" });
    this.stopped = make("div", { class: "wrong stopped", role: "alert", hidden: true });
    this.banner = make("div", { class: "banner", hidden: true });
    this.board = new Board({
      choose: (action) => this.choose(action),
      explain: (topic) => explain(this.live.game, topic),
    });
    this.marks = button("changes", () => this.toggleMarks(), {
      class: "plain", "aria-pressed": String(keys.setting("marks", true)), title: "Frame the changes",
    });
    this.board.tools.append(this.marks);
    this.stepper = new Stepper((at) => this.look(at));
    this.sides = new Sides();
    this.moves = new Moves((action) => this.choose(action));
    this.log = new Log((at) => this.look(at >= this.live.decisions ? null : at));
    this.scores = new Scores(this.path, this.key, (error) => notice(error.message));
    this.analysis = new Analysis(this.path, this.key, {
      attempt: (action) => this.attempt(action),
      back: () => this.takeBack(),
      leave: () => this.look(null),
    });
    this.review = new Review(this.path, this.key, (at) => this.look(at), (at) => this.keep(`/at/${at}`));
    this.about = make("div", { class: "about" });
    this.rules = make("div", { class: "rules" });
    this.inviting = make("div", { class: "inviting", hidden: true });
    this.panels = {
      play: [this.moves.element, this.log.element],
      points: [this.scores.element],
      analysis: [this.analysis.element],
      review: [this.review.element],
      rules: [this.rules],
      table: [this.about],
    };
    this.tabs = new Tabs(TABS, this.panels, (tab) => {
      this.tab = tab;
      this.show(); // the tab determines what can be chosen
    });
    this.cover = make("section", { class: "panel narrow cover", hidden: true });
    this.body = make("div", { class: "table" },
      make("div", { class: "table-head" }, make("div", { class: "names" }, this.title, this.where), this.banner,
        this.status, this.undoButton, this.inviting),
      this.stopped,
      make("div", { class: "left" }, this.board.window,
        make("div", { class: "under" }, this.board.toChoices, this.stepper.element, this.board.tools)),
      make("div", { class: "right" }, this.sides.element, this.tabs.element));
    const key = (event) => this.shortcut(event);
    document.addEventListener("keydown", key);
    const scrolled = () => this.board.look();
    document.addEventListener("scroll", scrolled, { passive: true });
    this.closing.push(() => document.removeEventListener("keydown", key),
      () => document.removeEventListener("scroll", scrolled), onTheme(() => this.live && this.show()));
  }

  close() {
    this.follower.stop();
    this.stepper.pause();
    this.analysis.close();
    this.review.close();
    this.scores.close();
    this.turn++;
    for (const end of this.closing) end();
    lost(false);
    delete document.body.dataset.game;
    document.title = "carnegie-env";
  }

  ended(error) {
    this.close();
    refill(this.main, make("section", { class: "panel narrow" }, make("h1", {}, "This table can't be shown"),
      make("p", {}, [401, 404].includes(error.status)
        ? "The game has been deleted, or the link is not complete." : error.message),
      make("p", {}, make("a", { href: "#/" }, "Games"))));
    if (error.status === 404) keys.forget(this.id);
  }

  // ---- changes of the table
  news(view) {
    const first = this.live === null;
    if (!first && view.version <= this.live.version) { // known, or older than another response
      this.wait(false);
      return;
    }
    const anew = first || view.decisions < this.live.decisions || view.is_over !== this.live.is_over ||
      view.to_play !== this.live.to_play;
    if (anew) this.kept.clear(); // undone, or seen from another seat
    this.follower.version = view.version;
    this.live = view;
    nameSeats(view.seats);
    this.wait(false); // the change may arrive before the response to the request that caused it
    if (first) {
      keys.keepKey(this.id, this.role, this.key, view.title);
      refill(this.main, this.body, this.cover);
    }
    document.body.dataset.game = view.game;
    if (first) rules(this.rules, view.game);
    if (first && keys.setting("guided", null) === this.id) this.tabs.open("rules");
    if (this.at !== null && this.at > view.decisions) this.leave();
    if (view.seats.some(({ taken }) => !taken)) this.askInvitations();
    else this.invitations = [];
    if (!this.mustCover()) this.show();
  }

  /** Whether to cover the board until the screen is passed on, as several people share it and the game has secrets. */
  mustCover() {
    const { live } = this;
    const here = live.seats.filter(({ yours }) => yours);
    const hidden = here.length > 1 && live.hides && live.your_turn && live.to_play !== this.uncovered && !live.is_over;
    this.cover.hidden = !hidden;
    this.body.hidden = hidden;
    if (!hidden) return false;
    this.turn++;
    this.stepper.pause();
    this.leave();
    this.board.clear();
    const name = words(`player_${live.to_play}`);
    const open = button(`I am ${name}: show the board`, () => {
      this.uncovered = live.to_play;
      this.kept.clear();
      this.mustCover();
      this.show();
      this.moves.heading.focus();
    }, { class: "strong" });
    refill(this.cover, make("h1", {}, `Pass the screen to ${name}`),
      make("p", {}, "This game has secrets. No one else should look now."), open);
    document.title = `${name} – ${live.title}`;
    open.focus();
    return true;
  }

  // ---- the position shown
  /** Load and show the position. */
  async show() {
    const turn = ++this.turn;
    try {
      let view = this.live, picture;
      if (this.variation) {
        view = await post(`${this.path}/variation`, { at: this.from(), variation: this.variation, theme: theme() },
          { key: this.key });
        picture = new Picture(view.picture);
      } else if (this.at !== null) {
        view = await this.keep(`/at/${this.at}`);
      }
      if (turn !== this.turn) return;
      this.shown = view;
      this.render();
      const [now, before] = await Promise.all([picture ?? this.picture(this.at), this.before()]);
      if (turn !== this.turn) return;
      this.board.show(now, this.offered(), keys.setting("marks", true) ? changed(now, before) : new Set());
      this.moves.explain(now.decision);
      this.seen = now;
      this.body.dataset.shown = this.position();
    } catch (error) {
      if (turn === this.turn) this.failed(error);
    }
  }

  /** The number of decisions of the position shown, or of the start of the variation. */
  from() {
    return this.at ?? this.live.decisions;
  }

  /** The position shown, as text: the number of decisions, and the actions of the variation. */
  position() {
    return `${this.from()} ${(this.variation ?? []).join(" ")}`.trim();
  }

  /** Whether a chosen action is only tried. */
  tries() {
    return this.variation !== null || this.tab === "analysis";
  }

  /** The actions that can be chosen in the position shown. */
  offered() {
    return this.at === null || this.tries() ? this.shown.legal : [];
  }

  /** A response about an earlier position; cached, as it doesn't change. */
  async keep(rest, read = (answer) => answer) {
    if (!this.kept.has(rest)) {
      if (this.kept.size >= KEPT) this.kept.delete(this.kept.keys().next().value);
      const found = get(this.path + rest, { key: this.key }).then(read);
      this.kept.set(rest, found);
      found.catch(() => this.kept.delete(rest));
    }
    return this.kept.get(rest);
  }

  /** The picture after a number of decisions; null: of the current position. */
  async picture(at) {
    const path = `/picture.svg?theme=${theme()}`;
    if (at === null) return new Picture(await get(this.path + path, { key: this.key }));
    return this.keep(`${path}&at=${at}`, (text) => new Picture(text));
  }

  /** The picture to compare with: at your last decision, or one decision earlier; null: none. */
  async before() {
    const plays = this.live.seats.some(({ yours }) => yours);
    if (this.variation || (this.at === null && !plays)) return this.seen ?? null;
    const at = this.at === null ? this.live.since - 1 : this.at - 1;
    return at >= 0 ? this.picture(at) : null;
  }

  toggleMarks() {
    const on = !keys.setting("marks", true);
    keys.keepSetting("marks", on);
    this.marks.setAttribute("aria-pressed", String(on));
    this.show();
  }

  /** Show an earlier position; null: the current one. */
  async look(at) {
    this.leave();
    this.at = at !== null && at < this.live.decisions ? Math.max(at, 0) : null;
    await this.show();
  }

  leave() {
    this.at = null;
    this.variation = null;
    this.texts = [];
  }

  /** Continue the variation with an action; null: begin one. */
  async attempt(action) {
    this.stepper.pause();
    if (!this.variation) {
      this.at = this.from();
      this.variation = [];
    }
    if (action !== null) {
      const text = this.shown.legal.find((one) => one.action === action)?.words;
      this.texts = [...this.texts, text ?? this.analysis.text(action)];
      this.variation = [...this.variation, action];
    }
    await this.show();
  }

  async takeBack() {
    this.variation = this.variation.slice(0, -1);
    this.texts = this.texts.slice(0, -1);
    await this.show();
  }

  // ---- decisions
  choose(action) {
    if (this.tries()) this.attempt(action);
    else if (this.at === null && this.live.your_turn) this.ask("decisions", { action });
  }

  undo() {
    if (this.variation) this.takeBack();
    else if (this.at === null && this.live.can_undo) this.ask("undo", {});
  }

  /** The key for asking an agent again: of the seats played here, or the host key; null: none. */
  resumeKey() {
    return this.role === "watch" ? keys.hostKey() : this.key;
  }

  /** Send a request that changes the game. Further clicks have no effect until it is answered. */
  async ask(what, more) {
    if (this.busy) return;
    this.wait(true);
    try {
      const [body, key] = what === "resume"
        ? [undefined, this.resumeKey()]
        : [{ decisions: this.live.decisions, ...more }, this.key];
      this.news(await post(`${this.path}/${what}`, body, { key }));
    } catch (error) {
      this.failed(error);
      if (error instanceof Refused) get(this.path, { key: this.key }).then((view) => this.news(view), () => {});
    } finally {
      this.wait(false);
    }
  }

  /** Whether a request is pending, so that no other one is sent. */
  wait(on) {
    this.busy = on;
    this.moves.wait(on);
  }

  failed(error) {
    if (error.name === "AbortError") return;
    notice(error.message);
    if (this.variation?.length) { // return to the position before
      this.variation = this.variation.slice(0, -1);
      this.texts = this.texts.slice(0, -1);
    }
  }

  // ---- texts
  render() {
    const { live, shown, variation } = this;
    if (!shown) return;
    this.title.textContent = live.title;
    const round = shown.round ? `round ${shown.round}` : "set-up";
    this.where.textContent = shown.is_over ? "the game is over" : `${round} · ${words(shown.phase)}`;
    const status = statusOf(live);
    this.status.textContent = status;
    this.status.hidden = this.at !== null && !live.your_turn;
    this.status.classList.toggle("yours", live.your_turn);
    this.status.classList.toggle("thinking", live.thinking !== null);
    document.title = live.your_turn ? `● Your turn – ${live.title}` : live.title;
    this.undoButton.hidden = this.at !== null || this.tries() || !live.can_undo;
    this.stopped.hidden = live.stopped === null;
    if (live.stopped !== null) {
      refill(this.stopped, make("p", {}, named(live.stopped)),
        this.resumeKey() && button("Ask again", () => this.ask("resume")));
    }
    this.renderBanner();
    this.sides.show(shown);
    const title = this.tries() ? "Actions to try" : "Legal actions";
    this.moves.show(this.offered(), title, this.position());
    const plays = live.seats.some(({ yours }) => yours);
    const since = variation ? 0 : this.at !== null ? this.at : plays ? live.since : Infinity;
    const news = this.log.show(shown.told, since, this.at === null ? "since your last decision" : "", !variation);
    if (this.at === null) this.announce(news, status);
    else say(news.join(". "));
    this.stepper.show(this.from(), live.decisions);
    this.scores.show({ ...shown, version: live.version }, this.tab === "points");
    this.analysis.show({
      at: this.from(), variation, view: shown, texts: this.texts, open: this.tab === "analysis", version: live.version,
    });
    this.review.show({ at: this.from(), view: live, open: this.tab === "review" });
    this.renderAbout();
  }

  renderBanner() {
    const { at, variation, live } = this;
    this.banner.hidden = at === null;
    this.body.classList.toggle("trying", Boolean(variation));
    if (at === null) return;
    const text = variation
      ? `A variation from decision ${at}; it does not change the game.`
      : `Looking back: decision ${at} of ${live.decisions}.`;
    refill(this.banner, make("span", {}, text), " ",
      variation?.length > 0 && button("Undo one", () => this.takeBack(), { class: "plain" }),
      button("Return to the game", () => this.look(null),
        { class: "plain", id: "return" }));
  }

  /** Announce new lines to screen readers. */
  announce(news, status) {
    const said = this.said ?? [];
    const fresh = news.slice(said.length && news[0] === said[0] ? said.length : 0);
    this.said = news;
    say([...fresh.slice(-12), status].join(". "));
  }

  renderAbout() {
    const { live, id, key, role } = this;
    const state = JSON.stringify([live.options, live.seats, live.is_over, this.invitations]);
    if (state === this.aboutShown) return;
    this.aboutShown = state;
    const invitations = this.invitations ?? [];
    this.inviting.hidden = invitations.length === 0;
    refill(this.inviting, make("p", {}, "Send each of the others a link, for any device that reaches this server:"),
      invitations.map(({ seat, code }) => button(words(`Copy the invitation of player_${seat}`),
        (event) => copy(invitation(code), event.currentTarget), { data: { link: invitation(code) } })));
    const watch = keys.roleAt(id, "watch")?.key;
    const set = Object.entries(live.options)
      .filter(([name, value]) => name !== "num_players" && value !== false && value !== null);
    refill(this.about,
      make("h2", {}, "Seats"),
      make("ul", { class: "plain-list" }, live.seats.map((seat) => make("li", {}, badge(seat.seat), " ", who(seat),
        seat.yours && who(seat) !== "You" && " (you)"))),
      set.length > 0 && make("h2", {}, "Options"),
      make("ul", { class: "plain-list" }, set.map(([name, value]) => make("li", {},
        value === true ? words(name) : `${words(name)}: ${words(value)}`))),
      make("h2", {}, "Links and downloads"),
      make("div", { class: "row" },
        watch && button("Copy a link to watch", (event) => copy(joining(id, "watch", watch), event.currentTarget)),
        role !== "watch" && button("Copy a link to your seat",
          (event) => copy(joining(id, role, key), event.currentTarget),
          {
            title: "For your other devices. Anyone with this link can play for you.",
            data: { link: joining(id, role, key) },
          }),
        button("Download the position", () => save(id, "position", key, live.game)),
        live.is_over && button("Download the record", () => save(id, "record", key, live.game))),
      !live.is_over && make("p", { class: "hint" }, "A record can be downloaded when the game is over."));
  }

  /** Load the unused invitations, if this is the host's browser. */
  async askInvitations() {
    const host = keys.hostKey();
    if (!host) return;
    try {
      const { tables } = await get(`/tables?find=${this.id}`, { key: host });
      for (const summary of tables.filter(({ table }) => table === this.id)) {
        keep(summary);
        this.invitations = summary.invitations;
      }
      if (this.shown) this.renderAbout();
    } catch {
      // the host key is for another server
    }
  }

  // ---- keys
  shortcut(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !hasShortcuts() || this.body.hidden || !this.live) return;
    if (event.target.closest("input, textarea, select, dialog, .menu")) return;
    const act = {
      "/": () => { this.tabs.open("play"); (this.moves.filter.hidden ? this.moves : this.moves.filter).focus(); },
      l: () => { this.tabs.open("play"); this.moves.focus(); },
      b: () => (this.board.chosen()[0] ?? this.board.window).focus(),
      u: () => this.undo(),
      ArrowLeft: () => this.stepper.step(-1),
      ArrowRight: () => this.stepper.step(1),
      Home: () => this.stepper.step(-Infinity),
      End: () => this.stepper.step(Infinity),
      p: () => this.stepper.toggle(),
      ...Object.fromEntries(TABS.map(([name], k) => [k + 1, () => this.tabs.open(name)])),
      h: () => this.board.explainOnClick(!this.board.asking),
      "+": () => this.board.zoom(1.5),
      "-": () => this.board.zoom(1 / 1.5),
      0: () => this.board.fit(!keys.setting("fit", false)),
      t: () => switchTheme(),
      "?": openHelp,
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

/** The state of the game, in a sentence. */
function statusOf(live) {
  if (live.is_over) {
    const won = live.scores.filter((_, k) => live.places?.[k] === 0).map(({ side }) => sideName(side));
    const verb = won.length > 1 ? "share first place" : won[0] === "You" ? "win" : "wins";
    return `The game is over: ${won.join(" and ")} ${verb}.`;
  }
  if (live.stopped !== null) return "The table is stopped.";
  const name = words(`player_${live.to_play}`);
  if (live.your_turn) {
    return live.seats.filter(({ yours }) => yours).length > 1 ? `${name}, it is your turn.` : "It is your turn.";
  }
  return live.thinking !== null ? `${name} is thinking …` : `Waiting for ${name}.`;
}

/** The names of the changed parts of a picture, without those that are there only to be chosen. */
function changed({ labels, legal }, before) {
  return new Set(before && Object.keys(labels).filter((part) =>
    part !== "decision" && labels[part] !== before.labels[part] && (part in before.labels || !legal.has(part))));
}

/** Show whether the connection is lost. */
function lost(is) {
  const place = document.getElementById("lost");
  place.hidden = !is;
  place.textContent = is ? "The server can't be reached. Retrying …" : "";
}

/** Tabs, one of which has its panel open. */
class Tabs {
  constructor(names, panels, opened) {
    this.opened = opened;
    this.list = make("div", { class: "tabs", role: "tablist", "aria-label": "Panels",
      on: { keydown: (event) => this.key(event) } });
    this.element = make("div", { class: "panels" }, this.list);
    this.parts = new Map();
    for (const [name, text] of names) {
      const panel = make("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`,
        class: `panel-body of-${name}` });
      fill(panel, panels[name]);
      const tab = button(text, () => this.open(name), { role: "tab", id: `tab-${name}`, "aria-controls": panel.id });
      this.parts.set(name, { tab, panel });
      this.list.append(tab);
      this.element.append(panel);
    }
    this.mark(names[0][0]);
  }

  mark(name) {
    for (const [other, { tab, panel }] of this.parts) {
      tab.setAttribute("aria-selected", String(other === name));
      tab.setAttribute("tabindex", other === name ? "0" : "-1");
      panel.hidden = other !== name;
    }
  }

  open(name) {
    this.mark(name);
    this.opened(name);
  }

  key(event) {
    const tabs = [...this.parts.values()].map(({ tab }) => tab);
    const at = tabs.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const tab = tabs[(next + tabs.length) % tabs.length];
    tab.focus();
    tab.click();
  }
}
