// Those who compete: the seats in order, then the automatic opponent.

import { make } from "./dom.js";

/** The disk of a seat with its number; seats beyond the last are the automatic opponent. */
export const badge = (seat, sign = seat) =>
  make("span", { class: "badge", data: { seat: String(seat) }, "aria-hidden": "true" }, sign);

/** Who sits at a seat, in words. */
export function who({ seat, kind, name, taken }) {
  if (kind === "invited" && !taken) return `player_${seat} (not here yet)`;
  return name && name !== `player_${seat}` ? `player_${seat}: ${name}` : `player_${seat}`;
}

/** The sign of a side on badges: the number of a seat, else the first letter. */
export const sign = (name) => /^player_(\d)$/.exec(name)?.[1] ?? name[0].toUpperCase();

/** How a side is coloured: by its seat, or as the opponent. */
export const colour = (name) => /^player_(\d)$/.exec(name)?.[1] ?? "opponent";
