// The choice of an agent: its name, and after a colon its arguments, such as its budget.

import { fill, make, select } from "./dom.js";

const OWN = "";

/** The parts of an agent's usage: {name: "search", told: "ms=N"} of `search[:ms=N]`; `told` is "" without arguments. */
export function usage(text) {
  const [, name, told] = /^([^[]+)\[:([^\]]*)\]$/.exec(text) ?? [null, text, ""];
  return { name, told };
}

/**
 * The fields for an agent.
 * @param {{name: string, help: string}[]} agents as the server lists them
 * @param {string} chosen such as `greedy` or `search:ms=500`
 * @param {function(string)} change called with the new agent
 * @param {{id: string, label: string, others: [string, string][], other: string, otherwise: function(string)}} more
 *     `label`: for screen readers; `others`: choices before the agents, `other`: the chosen one of these, `otherwise`:
 *     called when one of these is chosen
 */
export function agentField(agents, chosen, change, { id, label, others = [], other = null, otherwise = () => {} }) {
  const known = agents.map(({ name }) => usage(name));
  const found = known.find(({ name }) => name === chosen) ?? known.find(({ name }) => chosen.startsWith(`${name}:`));
  let [base, told] = found ? [found.name, chosen.slice(found.name.length + 1)] : [OWN, chosen];
  const text = make("input", {
    type: "text", id: `${id}-told`, spellcheck: "false", autocomplete: "off", size: 14,
    on: { change: () => tell(text.value.trim()), input: () => (told = text.value.trim()) },
  });
  const tell = (value) => {
    told = value;
    change(base === OWN ? told : told ? `${base}:${told}` : base);
  };
  const arrange = () => {
    const takes = known.find(({ name }) => name === base)?.told ?? "MODULE:CLASS";
    text.hidden = field.value.startsWith("other ") || !takes;
    text.placeholder = takes.split("|")[0].replace("ms=N", "ms=500");
    const range = /^(\d+)-(\d+)$/.exec(takes);
    text.type = range ? "number" : "text";
    for (const [name, value] of [["min", range?.[1]], ["max", range?.[2]]]) {
      if (value) text.setAttribute(name, value);
      else text.removeAttribute(name);
    }
    text.value = told;
    text.setAttribute("aria-label", `Arguments of ${label}: ${takes}`);
    text.title = takes;
  };
  const choices = [
    ...others.map(([value, name]) => [`other ${value}`, name]),
    ...known.map(({ name }) => [name, others.length ? `agent: ${name}` : name]), [OWN, "another agent …"],
  ];
  const field = select(choices, other === null ? base : `other ${other}`, (value) => {
    if (value.startsWith("other ")) {
      arrange();
      otherwise(value.slice(6));
      return;
    }
    base = value;
    told = "";
    arrange();
    if (base === OWN) text.focus();
    tell("");
  }, { id });
  arrange();
  return fill(make("span", { class: "agent" }), field, text);
}
