// Sides: the seats in order, then the automatic opponent.

import { make } from "./dom.js";

/** The badge of a side: a disc with its sign. */
export const badge = (seat, sign = seat) =>
  make("span", { class: "badge", data: { seat: String(seat) }, "aria-hidden": "true" }, sign);

/** The player of a seat, in words. */
export function who({ seat, kind, name, taken }) {
  if (kind === "invited" && !taken) return `player_${seat} (not here yet)`;
  return name && name !== `player_${seat}` ? `player_${seat}: ${name}` : `player_${seat}`;
}

/** The sign of a side on badges: the number of its seat, or its first letter. */
export const sign = (name) => /^player_(\d)$/.exec(name)?.[1] ?? name[0].toUpperCase();

/** The key of the colour of a side: its seat, or "opponent". */
export const colour = (name) => /^player_(\d)$/.exec(name)?.[1] ?? "opponent";
