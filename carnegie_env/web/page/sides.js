// Sides: the seats in order, then the automatic opponent.

import { agentName, capital, make, named } from "./dom.js";

/** The badge of a side: a disc with its sign. */
export const badge = (seat, sign = seat + 1) =>
  make("span", { class: "badge", data: { seat: String(seat) }, "aria-hidden": "true" }, sign);

/** The player of a seat, in words. */
export function who({ seat, kind, name, taken }) {
  if (kind === "invited" && !taken) return `${named(`player_${seat}`)} (not here yet)`;
  if (kind === "agent") return agentName(name);
  return name && name !== `player_${seat}` ? name : named(`player_${seat}`);
}

/** The name of a side. */
export const sideName = (name) => (colour(name) === "opponent" ? capital(name) : named(name));

/** The sign of a side on badges: the number of its player, from 1, or its first letter. */
export const sign = (name) => (colour(name) === "opponent" ? name[0].toUpperCase() : String(Number(colour(name)) + 1));

/** The key of the colour of a side: its seat, or "opponent". */
export const colour = (name) => /^player_(\d)$/.exec(name)?.[1] ?? "opponent";
