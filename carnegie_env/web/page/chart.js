// A line chart over the rounds of a game. The sides differ in colour, in the shape of their marks and in the name at
// the end of the line.

import { draw, make, newId, points, words } from "./dom.js";
import { colour, sideName } from "./sides.js";

const LEFT = 40, RIGHT = 96, TOP = 14, BOTTOM = 34, HEIGHT = 250;
const MARK = 4; // half the size of a mark
const LINE = 15; // from one name to the next
const LONGEST = 12; // letters of a name beside its line

/** Ticks of an axis: a few round numbers that span a range. */
function steps(least, most) {
  const rough = Math.max(most - least, 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough));
  const found = [];
  for (let at = Math.floor(least / step) * step; at < most + step; at += step) found.push(at);
  return found;
}

/** The mark of a side, which has its own shape. */
function mark(side, x, y) {
  const [left, right, top, bottom] = [x - MARK, x + MARK, y - MARK, y + MARK];
  const forms = [
    () => draw("circle", { cx: x, cy: y, r: MARK }),
    () => draw("rect", { x: left, y: top, width: 2 * MARK, height: 2 * MARK }),
    () => draw("polygon", { points: `${x},${top - 1} ${right + 1},${y} ${x},${bottom + 1} ${left - 1},${y}` }),
    () => draw("polygon", { points: `${left},${bottom} ${right},${bottom} ${x},${top}` }),
    () => draw("polygon", { points: `${left},${top} ${right},${top} ${x},${bottom}` }),
    () => draw("path", { d: `M${left} ${top}L${right} ${bottom}M${left} ${bottom}L${right} ${top}`, class: "cross" }),
  ];
  return forms[side % forms.length]();
}

/** Vertical positions of the names at the ends of the lines, without overlaps. */
function apart(ends) {
  const order = ends.map((_, k) => k).sort((one, other) => ends[one] - ends[other]);
  const found = [...ends];
  order.forEach((side, k) => {
    if (k > 0) found[side] = Math.max(found[side], found[order[k - 1]] + LINE);
  });
  const over = Math.max(0, found[order.at(-1)] - (HEIGHT - BOTTOM));
  return found.map((y) => y - over);
}

/**
 * A chart.
 * @param {{sides: string[], rounds: {round: number}[], values: number[][], name: string, width: number, at: number,
 *     unit: string=}} what `values`: by side and round; `name`: of the values; `width`: in pixels; `at`: the round to
 *     mark; `unit`: what `rounds` counts
 */
export function chart({ sides, rounds, values, name, width, at, unit = "round" }) {
  const all = values.flat();
  const ticks = steps(Math.min(0, ...all), Math.max(1, ...all));
  const [least, most] = [ticks[0], ticks.at(-1)];
  const x = (k) => LEFT + (rounds.length > 1 ? k / (rounds.length - 1) : 0.5) * (width - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - ((value - least) / (most - least)) * (HEIGHT - TOP - BOTTOM);
  const every = Math.ceil(rounds.length / Math.max(1, Math.floor((width - LEFT - RIGHT) / 28)));
  const title = newId();
  const told = sides.map((side, k) => `${sideName(side)} ${points(values[k].at(-1))}`).join(", ");
  const svg = draw("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-labelledby": title, class: "chart",
  }, draw("title", { id: title }, `${words(name)} over the ${unit}s; in the last one: ${told}`));
  for (const tick of ticks) {
    svg.append(
      draw("line", { x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick), class: tick === 0 ? "axis" : "grid" }),
      draw("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, points(tick)));
  }
  rounds.forEach(({ round }, k) => {
    if (k % every === 0) svg.append(draw("text", { x: x(k), y: HEIGHT - 16, "text-anchor": "middle" }, round));
  });
  svg.append(draw("text", { x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 2, "text-anchor": "middle" }, unit));
  const marked = rounds.findIndex(({ round }) => round === at);
  if (marked >= 0) {
    svg.append(draw("line", { x1: x(marked), x2: x(marked), y1: TOP, y2: HEIGHT - BOTTOM, class: "now" }));
  }
  const names = apart(values.map((row) => y(row.at(-1))));
  sides.forEach((side, k) => {
    const group = draw("g", { class: "side", "data-seat": colour(side) });
    group.append(draw("polyline", { points: values[k].map((value, r) => `${x(r)},${y(value)}`).join(" ") }));
    const often = Math.max(1, Math.ceil(rounds.length / 12));
    values[k].forEach((value, r) => {
      if (r % often === 0 || r === rounds.length - 1) group.append(mark(k, x(r), y(value)));
    });
    group.append(
      mark(k, width - RIGHT + 14, names[k]),
      draw("text", { x: width - RIGHT + 22, y: names[k] + 4 }, sideName(side).slice(0, LONGEST)));
    svg.append(group);
  });
  return svg;
}

/** The same as a table. */
export function table({ sides, rounds, values, name }) {
  return make("table", { class: "numbers" },
    make("caption", {}, `${words(name)} by round`),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "round"),
      sides.map((side) => make("th", { scope: "col" }, sideName(side))))),
    make("tbody", {}, rounds.map(({ round }, r) => make("tr", {}, make("th", { scope: "row" }, round),
      values.map((row) => make("td", {}, points(row[r])))))));
}
