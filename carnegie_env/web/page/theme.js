// Light or dark theme: the system's, until the switch is used.

import { keepSetting, setting } from "./keys.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const heard = new Set();

/** "light" or "dark". */
export const theme = () => setting("theme", dark.matches ? "dark" : "light");

/** Call a function whenever the theme changes; returns a function that ends this. */
export function onTheme(listener) {
  heard.add(listener);
  return () => heard.delete(listener);
}

export function switchTheme() {
  const wanted = theme() === "dark" ? "light" : "dark";
  keepSetting("theme", wanted === (dark.matches ? "dark" : "light") ? null : wanted);
  apply();
}

function apply() {
  document.documentElement.dataset.theme = theme();
  const pressed = document.getElementById("theme");
  pressed.setAttribute("aria-pressed", String(theme() === "dark"));
  for (const listener of heard) listener();
}

export function startTheme() {
  dark.addEventListener("change", apply);
  document.getElementById("theme").addEventListener("click", switchTheme);
  apply();
}
