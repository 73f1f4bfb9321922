// Entry point: takes keys from the address, and shows the screen that an address names.
//
//   #host=KEY            the host key, as printed by the server
//   #invitation=CODE     an invitation to a seat
//   #table=ID&ROLE=KEY   a table, for watching (watch), or for playing in another browser (here, player_1, ...)
//   #/                   the games;  #/table/ID/ROLE  a table, in a role that this browser has a key for
//
// Keys are removed from the address bar and its history as soon as they are read.

import { post } from "./api.js";
import { clearNotices, labelled, make, notice, refill } from "./dom.js";
import { openHelp } from "./help.js";
import * as keys from "./keys.js";
import { openStart } from "./start.js";
import { openTable } from "./table.js";
import { startTheme } from "./theme.js";

const TABLE = /^[0-9a-f]{16}$/, ROLE = /^(watch|here|player_\d+)$/;
const main = document.getElementById("main");
let close = () => {};

/** Show the screen that the address names. */
function route() {
  let place = location.hash.slice(1);
  if (place && !place.startsWith("/")) {
    const given = new URLSearchParams(place);
    const [host, code, table] = ["host", "invitation", "table"].map((name) => given.get(name));
    const role = [...given.keys()].find((name) => ROLE.test(name));
    place = "/";
    if (host) keys.keepHostKey(host);
    if (code) place = `/invitation/${code}`;
    if (TABLE.test(table) && role) {
      keys.keepKey(table, role, given.get(role));
      place = `/table/${table}/${role}`;
    }
    if (place.startsWith("/invitation/")) history.replaceState(null, "", "#/");
    else history.replaceState(null, "", `#${place}`);
  }
  close();
  clearNotices();
  document.title = "carnegie-env";
  const [, screen, id, role = ""] = place.split("/");
  document.body.dataset.screen = screen || "start";
  if (screen === "table" && TABLE.test(id)) close = openTable(main, id, role);
  else if (screen === "invitation" && id) close = openInvitation(id);
  else close = openStart(main);
  window.scrollTo(0, 0);
}

/** Ask before taking a seat, because an invitation works only once. */
function openInvitation(code) {
  const take = make("button", { type: "submit", class: "strong" }, "Take the seat");
  const takeSeat = async () => {
    take.disabled = true;
    try {
      const { table, key, seat } = await post(`/invitations/${code}`, { name: name.value.trim() });
      keys.keepKey(table, `player_${seat}`, key);
      location.hash = `#/table/${table}/player_${seat}`;
    } catch (error) {
      notice(error.message);
      take.disabled = false;
    }
  };
  const name = make("input", { type: "text", maxlength: 60, autocomplete: "nickname" });
  const submit = (event) => {
    event.preventDefault();
    takeSeat();
  };
  const form = make("form", { class: "panel narrow", on: { submit } },
    make("h1", {}, "You are invited to a table"),
    make("p", {}, "The first person to take the seat plays it, in this browser. The link works only once."),
    labelled("Your name, as shown to the others", name), take);
  refill(main, form);
  name.focus();
  return () => {};
}

window.addEventListener("hashchange", route);
document.getElementById("open-help").addEventListener("click", openHelp);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  (main.querySelector("h1, h2") ?? main).scrollIntoView();
  main.focus();
});
startTheme();
route();
