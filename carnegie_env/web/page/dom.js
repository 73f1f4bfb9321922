// Builds elements without innerHTML, so that text from a server or a file is never parsed as markup.

/**
 * Create an element.
 * @param {string} tag its name
 * @param {object} props `on` ({event: listener}), `data` ({name: value}); all others are attributes: true sets one
 *     without a value; false, null and undefined are left out
 * @param {...(Node|string|number|Array|null|false)} children texts and nodes; null, undefined and false are left out
 */
export function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "data") {
      Object.assign(element.dataset, value);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  fill(element, ...children);
  return element;
}

/** Append children to an element. */
export function fill(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** Replace the children of an element. */
export function refill(element, ...children) {
  element.replaceChildren();
  return fill(element, ...children);
}

/** A button that calls a function. */
export function button(label, action, props = {}) {
  return make("button", { type: "button", ...props, on: { click: action, ...props.on } }, label);
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children. */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return fill(element, ...children);
}

let serial = 0;

/** A unique element id. */
export const newId = () => `id-${++serial}`;

/** A form field with its label and help. */
export function labelled(label, field, help = "") {
  field.id ||= newId();
  const about = help && make("p", { class: "hint", id: newId() }, help);
  if (about) field.setAttribute("aria-describedby", about.id);
  return make("div", { class: "field" }, make("label", { for: field.id }, label), field, about);
}

/** A checkbox with its label and help. */
export function checkbox(label, checked, change, help = "") {
  const box = make("input", { type: "checkbox", checked, id: newId(), on: { change: () => change(box.checked) } });
  const about = help && make("p", { class: "hint", id: newId() }, help);
  if (about) box.setAttribute("aria-describedby", about.id);
  return make("div", { class: "check" }, box, make("label", { for: box.id }, label), about);
}

/** A choice; `choices` are texts, or pairs of value and text. */
export function select(choices, chosen, change, props = {}) {
  const field = make("select", { ...props, on: { change: () => change(field.value) } });
  for (const choice of choices) {
    const [value, text] = Array.isArray(choice) ? choice : [choice, words(choice)];
    field.append(make("option", { value, selected: value === chosen }, text));
  }
  return field;
}

/** Open a dialog with a title and a close button; it is removed when it is closed. */
export function dialog(title, content, props = {}) {
  const heading = make("h2", { id: newId() }, title);
  const close = button("Close", () => box.close(), { class: "plain" });
  const box = make(
    "dialog",
    { "aria-labelledby": heading.id, ...props, on: { close: () => box.remove(), ...props.on } },
    make("div", { class: "dialog-head" }, heading, close),
    content,
  );
  box.addEventListener("click", (event) => event.target === box && box.close()); // outside the dialog
  document.body.append(box);
  box.showModal();
  return box;
}

const NAMED = new Map(); // the names of the seats at the table that is shown

/** Use the names of these seats in texts: the only one played here is "You"; without names there are numbers
 * from 1. */
export function nameSeats(seats) {
  NAMED.clear();
  const yours = seats.filter(({ yours }) => yours).length;
  const names = seats.map(({ seat, kind, name }) =>
    name === `player_${seat}` ? "" : kind === "agent" ? agentName(name) : name);
  for (const { seat, yours: mine } of seats) {
    const name = names[seat];
    const alike = name === "You" || names.filter((other) => other === name).length > 1;
    if (mine && yours === 1) NAMED.set(String(seat), "You");
    else if (name) NAMED.set(String(seat), alike ? `${name} (${seat + 1})` : name);
  }
}

const SHIPPED = /^(random|greedy|value|search|level|ppo|bot)$/; // as in agents/registry.py; a test compares them

/** The name of an agent for people: "Level 5" for `level:5`, "Search" for `search:ms=500`, "Bot" for `module:Bot`. */
export function agentName(name) {
  const [first, rest = ""] = name.split(":");
  if (!SHIPPED.test(first)) return rest || name;
  return capital(first === "level" ? `level ${rest}`.trim() : first);
}

/** A text with its first letter in upper case. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * A text with the names of players for `player_0`, cut to a number of letters. "You" is in lower case within a
 * sentence, and the verb after it has its form.
 */
export const named = (text, most = Infinity) =>
  String(text).replace(/player_(\d)(?: (\(you\)|is|has|[a-z]+s)(?![\w']))?/gi, (found, seat, verb, at, whole) => {
    const full = NAMED.get(seat) ?? `Player ${Number(seat) + 1}`;
    if (full !== "You") return [full.slice(0, most), verb].filter(Boolean).join(" ");
    const you = at === 0 || /[.!] $/.test(whole.slice(0, at)) ? "You" : "you";
    return !verb || verb === "(you)" ? you : `${you} ${plural(verb)}`;
  });

const plural = (verb) => ({ is: "are", has: "have" })[verb] ??
  verb.replace(/ies$/, "y").replace(/(?<=ss|sh|ch|x)es$|s$/, "");

/** A text of the game for people: names of players as they are, `new_york` as `new york`, `->` as an arrow. */
export const words = (text) => named(String(text).replace(/(?<!player)_|_(?!\d)/gi, " ").replaceAll("->", "→"));

/** A number with its noun, which is given in the plural. */
export const numberOf = (number, nouns) => `${number} ${number === 1 ? nouns.replace(/s$/, "") : nouns}`;

/** A number of points with its sign. */
export function signed(number, digits = 1) {
  const text = Math.abs(number).toFixed(digits);
  return Number(text) === 0 ? text : `${number < 0 ? "−" : "+"}${text}`;
}

/** A number with the unit of points: `$20` or `20 VP`. */
export const amount = (number, unit) => (unit === "$" ? `$${number}` : `${number} ${unit}`);

/** A number of points. */
export const points = (number) => String(number).replace("-", "−");

/** Announce a text to screen readers. */
export function say(text) {
  const place = document.getElementById("said");
  if (text) place.textContent = text;
}

/** Show an error at the top of the page until it is closed. */
export function notice(said) {
  const text = named(said);
  const place = document.getElementById("notices");
  if ([...place.children].some((other) => other.firstChild.textContent === text)) return;
  const box = make("div", { class: "notice" }, make("p", {}, text), button("Close", () => box.remove()));
  place.append(box);
  while (place.children.length > 3) place.firstChild.remove();
}

/** Remove the errors at the top of the page. */
export const clearNotices = () => document.getElementById("notices").replaceChildren();

/** Copy a text to the clipboard, and confirm that on the button. */
export async function copy(text, pressed) {
  try {
    await navigator.clipboard.writeText(text);
    const label = pressed.textContent;
    pressed.textContent = "Copied";
    say("Copied");
    setTimeout(() => (pressed.textContent = label), 1500);
  } catch {
    notice(`The browser does not allow copying. The link is: ${text}`);
  }
}

/** Download a text as a file. */
export function download(text, name, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
