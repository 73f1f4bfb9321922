// Keys and settings of this browser. If localStorage is disabled, they last as long as the page.

const PREFIX = "carnegie-env:";
const HERE = new Map();

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? "null");
  } catch {
    return HERE.get(name) ?? null;
  }
}

function write(name, value) {
  HERE.set(name, value);
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // then it lasts as long as the page
  }
}

export const setting = (name, otherwise) => read(`setting:${name}`) ?? otherwise;
export const keepSetting = (name, value) => write(`setting:${name}`, value);

export const hostKey = () => read("host");
export const keepHostKey = (key) => write("host", key);

/** The tables with keys in this browser: {table: {title, keys: {role: key}}}; roles: here, player_1, ..., watch. */
export const tables = () => read("tables") ?? {};

/** Store a key; `null` removes it. */
export function keepKey(table, role, key, title) {
  const all = tables();
  const entry = (all[table] ??= { title: "", keys: {} });
  if (title) entry.title = title;
  if (key === null) delete entry.keys[role];
  else entry.keys[role] = key;
  write("tables", all);
}

/** Forget a table. */
export function forget(table) {
  const all = tables();
  delete all[table];
  write("tables", all);
}

/** The role and key of this browser at a table: the role asked for, or the best it has; null if it has no key. */
export function roleAt(table, wanted = "") {
  const keys = tables()[table]?.keys ?? {};
  const roles = Object.keys(keys);
  const role = wanted || ["here", ...roles.filter((name) => name !== "watch"), "watch"].find((name) => keys[name]);
  return keys[role] ? { role, key: keys[role] } : null;
}
