// Choosing an agent: its name, and behind a colon what it is told, such as its budget.

import { fill, make, select } from "./dom.js";

const OWN = "";

/** How an agent is asked for, taken apart: of `search[:ms=N]` {name: "search", told: "ms=N"}; all of it is the name if
 * nothing can be told. */
export function usage(text) {
  const [, name, told] = /^([^[]+)\[:([^\]]*)\]$/.exec(text) ?? [null, text, ""];
  return { name, told };
}

/**
 * The fields for an agent.
 * @param {{name: string, help: string}[]} agents as the server lists them
 * @param {string} chosen such as `greedy` or `search:ms=500`
 * @param {function(string)} change it is another one
 * @param {{id: string, label: string, others: [string, string][], other: string, otherwise: function(string)}} more
 *     `label` for who listens; `others`: choices before the agents, `other` the chosen one of them, if it is one, and
 *     `otherwise` what is called for them
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
    text.value = told;
    text.setAttribute("aria-label", `What ${label} is told: ${takes}`);
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
    else tell("");
  }, { id });
  arrange();
  return fill(make("span", { class: "agent" }), field, text);
}
