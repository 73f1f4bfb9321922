// The host's page: a form for new tables, and the list of all games.

import { agentField, usage } from "./agents.js";
import { call, get, once, post } from "./api.js";
import { button, checkbox, copy, dialog, download, labelled, make, named, nameSeats, newId, notice, numberOf, refill,
  say, select, words }
  from "./dom.js";
import * as keys from "./keys.js";
import { badge, who } from "./sides.js";

const PAGE = 20; // tables listed at once
const AGAIN = 5000; // milliseconds between updates of the list

/** Show the start page; returns a function that closes it. */
export function openStart(main) {
  nameSeats([]);
  const key = keys.hostKey();
  if (!key) {
    refill(main, guestPage());
    return () => {};
  }
  const list = new Games(key);
  const made = make("div", {}, make("p", { class: "loading" }, "Loading …"));
  refill(main, make("div", { class: "start" },
    make("section", { class: "panel", "aria-labelledby": "new-title" },
      make("h1", { id: "new-title" }, "New table"), made),
    make("section", { class: "panel", "aria-labelledby": "games-title" },
      make("h2", { id: "games-title" }, "Games"), list.element)));
  once("/about").then(
    (about) => refill(made, new NewTable(about, key).element),
    (error) => refill(made, make("p", { class: "wrong" }, error.message)));
  list.start();
  return () => list.stop();
}

/** The page without the host key: the tables of this browser. */
function guestPage() {
  const known = Object.entries(keys.tables());
  return make("section", { class: "panel narrow" },
    make("h1", {}, "carnegie-env"),
    make("p", {}, "Tables are made by the host, at the address that ", make("code", {}, "carnegie-env serve"),
      " printed, including the part after #."),
    known.length > 0 && make("h2", {}, "Your tables"),
    known.length > 0 && make("ul", {}, known.map(([table, entry]) => make("li", {},
      make("a", { href: `#/table/${table}` }, entry.title || table), " (", Object.keys(entry.keys).join(", "), ")"))));
}

// ---------------------------------------------------------------- a new table
const HERE = "here", AGENT = "agent";
const KINDS = [[HERE, "here, at this screen"], ["invited", "another person, by a link"]];

class NewTable {
  constructor(about, key) {
    this.about = about;
    this.key = key;
    this.file = null; // an uploaded game: {name, game, players, send}
    this.game = about.games[0];
    this.players = this.game.seats[0];
    this.options = {};
    this.seats = []; // by seat: {kind, name of the agent}
    this.undo = true;
    this.element = make("form", { class: "new", novalidate: true, on: { submit: (event) => this.submit(event) } });
    this.seed = make("input", { type: "text", inputmode: "numeric", autocomplete: "off", size: 12 });
    this.wrong = make("p", { class: "wrong", role: "alert" });
    this.render();
  }

  render() {
    const focused = document.activeElement?.id;
    const from = this.file;
    refill(this.element,
      !from && make("div", { class: "first row" }, make("p", {}, "New here?"),
        button("A guided first game", () => this.guided(),
          { title: "Carnegie alone against Andrew at his easiest, with the rules beside the board" })),
      from
        ? make("p", { class: "file" }, `From ${from.name}: ${from.title}, ${numberOf(from.players, "players")}. `,
          button("Remove", () => this.take(null), { class: "plain" }))
        : [this.games(), this.numbers()],
      this.table(),
      !from && this.choices(),
      make("details", { open: this.more, on: { toggle: (event) => (this.more = event.target.open) } },
        make("summary", {}, "More"),
        !from && labelled("Seed", this.seed,
          "The same seed and decisions give the same game. Leave it empty for a random one."),
        checkbox("Allow undo", this.undo, (on) => (this.undo = on),
          "Only at tables with one person.")),
      this.wrong,
      make("div", { class: "row" },
        make("button", { type: "submit", class: "strong" }, "Open the table"),
        !from && this.upload()));
    if (focused) document.getElementById(focused)?.focus();
  }

  games() {
    return radios("game", "Game", this.about.games.map((game) => [game.name, game.title]), this.game.name, (name) => {
      this.game = this.about.games.find((game) => game.name === name);
      this.players = Math.min(Math.max(this.players, this.game.seats[0]), this.game.seats[1]);
      this.options = {};
      this.render();
    });
  }

  numbers() {
    const [least, most] = this.game.seats;
    const numbers = Array.from({ length: most - least + 1 }, (_, k) => String(least + k));
    const { opponent } = this.game;
    const named = numbers.map((n) => [n, n === "1" && opponent ? `1, against ${name(opponent)}` : n]);
    return radios("players", "Players", named, String(this.players), (n) => {
      this.players = Number(n);
      this.render();
    });
  }

  /** The choices for each seat. */
  table() {
    const players = this.file?.players ?? this.players;
    const { agents } = this.about;
    const usual = "level:5";
    const rows = Array.from({ length: players }, (_, seat) => {
      const chosen = (this.seats[seat] ??= seat === 0 ? { kind: HERE, name: "" } : { kind: AGENT, name: usual });
      const field = agentField(agents, chosen.kind === AGENT ? chosen.name : usual,
        (name) => {
          const was = this.seats[seat].kind;
          this.seats[seat] = { kind: AGENT, name };
          if (was !== AGENT) this.render();
        }, {
          id: `seat-${seat}`, label: `the agent of ${named(`player_${seat}`)}`, others: KINDS,
          other: chosen.kind === AGENT ? null : chosen.kind,
          otherwise: (kind) => {
            this.seats[seat] = { kind, name: "" };
            this.render();
          },
        });
      const label = make("label", { for: `seat-${seat}` }, badge(seat), named(`player_${seat}`));
      const person = chosen.kind !== AGENT && make("input", {
        type: "text", value: chosen.name, maxlength: 40, placeholder: "name", size: 10, autocomplete: "off",
        "aria-label": `name of ${named(`player_${seat}`)}`, id: `name-${seat}`,
        on: { input: (event) => (this.seats[seat].name = event.target.value) },
      });
      return make("div", { class: "seat" }, label, field, person);
    });
    const all = (kind) => () => {
      this.seats = rows.map((_, seat) => ({ kind: kind(seat), name: kind(seat) === AGENT ? usual : "" }));
      this.render();
    };
    const help = agents.map((one) => one.help && make("li", {}, make("b", {}, usage(one.name).name), `: ${one.help}`));
    return make("fieldset", {}, make("legend", {}, "Seats"), rows,
      make("div", { class: "row small" },
        players > 1 && button("me and agents", all((seat) => (seat ? AGENT : HERE)), { class: "plain" }),
        players > 1 && button("me and others by a link", all((seat) => (seat ? "invited" : HERE)), { class: "plain" }),
        players > 1 && button("all at this screen", all(() => HERE), { class: "plain" }),
        button("agents only", all(() => AGENT), { class: "plain" })),
      make("details", { class: "small" }, make("summary", {}, "About the agents"), make("ul", {}, help)));
  }

  /** The options available for this number of players. */
  offered() {
    const solo = this.players === 1;
    return this.game.options.filter((option) => solo || !option.solo_only).map((option) =>
      (solo ? { ...option, choices: option.choices.filter((choice) => !option.not_solo.includes(choice)) } : option));
  }

  choices() {
    const set = (name) => (value) => (this.options[name] = value);
    const fields = this.offered().map(({ name, kind, choices, default: usual, help }) => {
      const chosen = this.options[name] ?? usual;
      if (kind === "flag") return checkbox(words(name), chosen === true, set(name), help);
      if (kind === "choice") {
        const all = usual === null ? [["", "default"], ...choices.map((choice) => [choice, words(choice)])] : choices;
        return labelled(words(name), select(all, chosen ?? "", (value) => set(name)(value || undefined)), help);
      }
      if (kind === "number") {
        const change = () => set(name)(Number(field.value));
        const field = make("input", { type: "number", value: chosen, on: { change } });
        return labelled(words(name), field, help);
      }
      const about = help.split(":")[0]; // the rest says how to write the names in code
      return make("fieldset", {}, make("legend", {}, words(name)), about && make("p", { class: "hint" }, about),
        make("div", { class: "names" }, choices.map((choice) =>
          checkbox(words(choice), chosen.includes(choice), (on) => {
            const others = (this.options[name] ?? usual).filter((other) => other !== choice);
            set(name)(on ? [...others, choice] : others);
          }))));
    });
    if (fields.length === 0) return null;
    return make("details", { open: this.opened, on: { toggle: (event) => (this.opened = event.target.open) } },
      make("summary", {}, "Options"), fields);
  }

  upload() {
    const field = make("input", {
      type: "file", accept: ".json,.txt,.record,text/plain,application/json", id: "upload", class: "unseen",
      on: { change: () => field.files[0] && this.read(field.files[0]) },
    });
    return [field, make("label", { for: "upload", class: "button plain" }, "Upload a record or a position …")];
  }

  /** Read game and number of players from a file. The server checks the rest. */
  async read(file) {
    this.wrong.textContent = "";
    const text = await file.text();
    let game, players, send;
    if (text.trimStart().startsWith("{")) {
      let position;
      try {
        position = JSON.parse(text);
      } catch (error) {
        this.wrong.textContent = `${file.name} is neither a record nor a position: ${error.message}`;
        return;
      }
      game = position.game;
      players = position.options?.num_players;
      send = `"position": ${text}`; // unparsed, as JavaScript's numbers can't hold the state of the generator
    } else {
      game = /^game (\w+)\s*$/m.exec(text)?.[1];
      players = Number(/^option num_players = (\d+)\s*$/m.exec(text)?.[1]);
      send = `"record": ${JSON.stringify(text)}`;
    }
    const known = this.about.games.find((one) => one.name === game);
    const right = known && Number.isInteger(players) && players >= known.seats[0] && players <= known.seats[1];
    const fallback = known ?? this.about.games[0]; // the server says what is wrong
    this.take({ name: file.name, game: fallback.name, title: fallback.title,
      players: right ? players : fallback.seats[0], send, sure: Boolean(right) });
    if (!right) await this.open();
  }

  take(file) {
    this.file = file;
    this.wrong.textContent = "";
    this.render();
    this.element.querySelector("button[type=submit]").focus();
  }

  /** Open a table for a first game, with the rules beside the board. */
  async guided() {
    const seats = [{ kind: HERE, name: "" }];
    try {
      const wanted = { game: "carnegie", options: { difficulty: "beginner" }, seats, undo: true };
      const summary = await post("/tables", wanted, { key: this.key });
      keep(summary);
      keys.keepSetting("guided", summary.table);
      location.hash = `#/table/${summary.table}`;
    } catch (error) {
      this.wrong.textContent = error.message;
    }
  }

  async submit(event) {
    event.preventDefault();
    await this.open();
  }

  async open() {
    this.wrong.textContent = "";
    const players = this.file?.players ?? this.players;
    const seats = this.seats.slice(0, players);
    const parts = [`"seats": ${JSON.stringify(seats)}`, `"undo": ${this.undo}`];
    if (this.file) {
      parts.push(`"game": ${JSON.stringify(this.file.game)}`, this.file.send);
    } else {
      const seed = this.seed.value.trim();
      if (seed && !/^\d{1,20}$/.test(seed)) {
        this.wrong.textContent = "The seed must be a whole number without a sign, or empty.";
        this.seed.closest("details").open = true;
        this.seed.focus();
        return;
      }
      const offered = this.offered();
      const options = {};
      for (const { name, kind, choices } of offered) {
        if (this.options[name] === undefined) continue;
        const chosen = this.options[name];
        options[name] = kind === "names" ? chosen.filter((one) => choices.includes(one)) : chosen;
      }
      parts.push(`"game": ${JSON.stringify(this.game.name)}`, `"options": ${JSON.stringify(options)}`,
        `"seed": ${seed || "null"}`);
    }
    const pressed = this.element.querySelector("button[type=submit]");
    if (pressed.getAttribute("aria-disabled") === "true") return;
    pressed.setAttribute("aria-disabled", "true");
    try {
      const summary = await post("/tables", `{${parts.join(", ")}}`, { key: this.key });
      keep(summary);
      location.hash = `#/table/${summary.table}`;
    } catch (error) {
      pressed.removeAttribute("aria-disabled");
      this.wrong.textContent = this.file ? `${this.file.name}: ${error.message}` : error.message;
      if (this.file && !this.file.sure) {
        this.file = null;
        this.render();
      }
    }
  }
}

/** Note the keys of a table of the host's. */
export function keep(summary) {
  if (summary.key) keys.keepKey(summary.table, "here", summary.key, summary.title);
  if (summary.watch) keys.keepKey(summary.table, "watch", summary.watch, summary.title);
}

/** A choice of one, all in sight. */
function radios(id, legend, choices, chosen, change) {
  return make("fieldset", { class: "radios" }, make("legend", {}, legend), make("div", {},
    choices.map(([value, text]) => {
      const field = make("input", {
        type: "radio", name: id, value, id: `${id}-${value}`, checked: value === chosen,
        on: { change: () => change(value) },
      });
      return [field, make("label", { for: field.id }, text)];
    })));
}

const name = (text) => text[0].toUpperCase() + text.slice(1);

// ---------------------------------------------------------------- the list of games
class Games {
  constructor(key) {
    this.key = key;
    this.shown = PAGE;
    this.body = make("ul", { class: "games" });
    this.more = button("More", () => this.page(), { class: "plain", hidden: true });
    this.state = make("p", { class: "hint", role: "status" });
    this.find = make("input", {
      type: "search", placeholder: "find by game, name or state", "aria-label": "Find a game", autocomplete: "off",
      on: { input: () => this.load() },
    });
    this.element = make("div", {}, this.find, this.state, this.body, this.more);
    this.seen = "";
  }

  start() {
    this.load();
    this.timer = setInterval(() => document.hidden || this.load(), AGAIN);
  }

  stop() {
    clearInterval(this.timer);
  }

  page() {
    this.shown += PAGE;
    this.load();
  }

  async load() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    try {
      const all = [], find = encodeURIComponent(this.find.value.trim());
      let more = true;
      while (more && all.length < this.shown) {
        const found = await get(`/tables?offset=${all.length}&limit=${PAGE}&find=${find}`, { key: this.key });
        if (turn !== this.turn) return; // a later search has begun
        all.push(...found.tables);
        more = found.more && found.tables.length > 0;
      }
      this.render(all, more);
    } catch (error) {
      this.state.textContent = error.status === 401
        ? "This host key is for another server. Open the address that this server printed when it started."
        : error.message;
      this.seen = "";
    }
  }

  render(all, more) {
    const seen = JSON.stringify([all, more]);
    if (seen === this.seen) return; // so that nothing loses the focus
    this.seen = seen;
    all.forEach(keep);
    this.state.textContent = all.length ? "" : this.find.value ? "No game matches."
      : "No games yet. Games are saved as you play, and listed here.";
    this.more.hidden = !more;
    const focused = document.activeElement?.id;
    refill(this.body, all.map((summary) => this.item(summary)));
    if (focused) document.getElementById(focused)?.focus();
  }

  item(summary) {
    const { table } = summary;
    const invitations = summary.invitations ?? [];
    const link = (role) => `#/table/${table}${role}`;
    const what = summary.state === "over" ? "record" : "position";
    const label = (text) => `${text}: ${summary.title} of ${date(summary.created)}`;
    return make("li", { data: { table } },
      make("div", { class: "game-head" },
        make("a", { href: link(""), id: `open-${table}` }, summary.title),
        make("span", { class: `state ${summary.state}` }, state(summary))),
      make("div", { class: "seats small" }, summary.seats.map((seat) => make("span", {}, badge(seat.seat), who(seat)))),
      summary.stopped && make("p", { class: "hint" }, named(summary.stopped)),
      invitations.length > 0 && make("div", { class: "row small" }, invitations.map(({ seat, code }) =>
        button(named(`Copy the invitation of player_${seat}`), (event) => copy(invitation(code), event.currentTarget),
          { id: `invite-${table}-${seat}`, data: { link: invitation(code) } }))),
      make("div", { class: "row small" },
        make("span", { class: "hint" }, `${date(summary.created)}, ${numberOf(summary.decisions, "decisions")}`),
        summary.watch && button("Copy a link to watch",
          (event) => copy(joining(table, "watch", summary.watch), event.currentTarget),
          { class: "plain", id: `watch-${table}`, "aria-label": label("Copy a link to watch") }),
        button("Download", () => save(table, what, summary.key ?? summary.watch, summary.game),
          { class: "plain", id: `download-${table}`, "aria-label": label(`Download the ${what}`) }),
        button("Delete", () => this.delete(summary),
          { class: "plain", id: `delete-${table}`, "aria-label": label("Delete") })));
  }

  delete(summary) {
    const box = dialog("Delete this game?", make("div", {},
      make("p", {}, `${summary.title} of ${date(summary.created)}, with ${numberOf(summary.decisions, "decisions")}, `,
        "will be deleted permanently."),
      make("div", { class: "row" },
        button("Delete it", async () => {
          box.close();
          try {
            await call("DELETE", `/tables/${summary.table}`, { key: this.key });
            keys.forget(summary.table);
            say("Deleted");
          } catch (error) {
            notice(error.message);
          }
          await this.load();
        }, { class: "strong" }),
        button("Keep it", () => box.close(), { class: "plain" }))));
  }
}

function state({ state, round, to_play: seat, seats }) {
  if (state === "over") return "over";
  if (state !== "running") return state;
  const mover = seats.find((one) => one.seat === seat);
  return `${round ? `round ${round}` : "set-up"}${mover ? `, ${who(mover)} decides` : ""}`;
}

const date = (seconds) => new Date(seconds * 1000)
  .toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

const address = (rest) => `${location.origin}/#${rest}`;
export const invitation = (code) => address(`invitation=${code}`);
export const joining = (table, role, key) => address(`table=${table}&${role}=${key}`);

/** Download a table's `record` or `position`. */
export async function save(table, what, key, game) {
  try {
    const text = await get(`/tables/${table}/${what}`, { key, text: true });
    const ending = what === "record" ? "txt" : "json";
    download(text, `${game}-${table}.${ending}`, what === "record" ? "text/plain" : "application/json");
  } catch (error) {
    notice(error.message);
  }
}
