// The server's API: requests with keys, refusals as errors with the server's message, and long polls that survive a
// lost connection.

const WAIT = 25; // seconds that a long poll may take
const FIRST_PAUSE = 500; // milliseconds before the first retry
const LONGEST_PAUSE = 10_000;

/** The server refused a request; the message says why. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The server did not answer. */
class Unreachable extends Error {}

/**
 * Send a request and return the response: an object, or text if the server sends text.
 * @param {string} method
 * @param {string} path after /api
 * @param {{key?: string, body?: object|string, text?: boolean, signal?: AbortSignal}} more `body`: a string is sent as
 *     it is; `text`: return the text unparsed, as JavaScript's numbers can't hold all those in positions
 */
export async function call(method, path, { key, body, text: asText = false, signal } = {}) {
  const headers = {};
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer, text;
  try {
    answer = await fetch(`/api${path}`, {
      method, headers, signal, body: typeof body === "object" ? JSON.stringify(body) : body,
      cache: "no-store", credentials: "omit",
    });
    text = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("The server can't be reached.");
  }
  const isJson = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
  const content = isJson && text && !(asText && answer.ok) ? JSON.parse(text) : text;
  if (!answer.ok) {
    const pause = Number(answer.headers.get("Retry-After"));
    const refused = new Refused(answer.status, content?.error ?? `The server answered ${answer.status}.`);
    if (pause > 0) refused.pause = pause * 1000;
    throw refused;
  }
  return content;
}

export const get = (path, more) => call("GET", path, more);
export const post = (path, body, more) => call("POST", path, { ...more, body });

const kept = new Map();

/** A response that never changes while the server runs, and is requested only once, unless the request fails. */
export function once(path) {
  if (!kept.has(path)) {
    kept.set(path, get(path).catch((error) => {
      kept.delete(path);
      throw error;
    }));
  }
  return kept.get(path);
}

/** Follows the changes of a table until it is stopped. */
export class Follower {
  /**
   * @param {string} path of the table
   * @param {string} key
   * @param {{news: function(object), lost: function(boolean), ended: function(Refused)}} tell `news`: a changed
   *     View; `lost`: the connection is lost or restored; `ended`: the table can't be followed any more
   */
  constructor(path, key, tell) {
    this.path = path;
    this.key = key;
    this.tell = tell;
    this.version = null;
    this.stopping = new AbortController();
    this.wake = () => {};
    this.hurry = () => this.wake();
    window.addEventListener("online", this.hurry);
    document.addEventListener("visibilitychange", this.hurry);
  }

  stop() {
    this.stopping.abort();
    window.removeEventListener("online", this.hurry);
    document.removeEventListener("visibilitychange", this.hurry);
    this.wake();
  }

  async run() {
    let pause = 0;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const since = this.version === null || pause ? "" : `?since=${this.version}&wait=${WAIT}`;
        const view = await get(this.path + since, { key: this.key, signal });
        if (pause) this.tell.lost(false);
        pause = 0;
        if (view.version !== this.version) {
          this.version = view.version;
          this.tell.news(view);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refused && error.status < 500 && error.status !== 429) {
          this.tell.ended(error);
          return;
        }
        if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
        if (!pause) this.tell.lost(true);
        pause = Math.min(Math.max(pause * 1.7, FIRST_PAUSE, error.pause ?? 0), LONGEST_PAUSE);
        await this.rest(pause * (0.8 + 0.4 * Math.random())); // so that pages do not all retry at once
      }
    }
  }

  rest(milliseconds) {
    return new Promise((wake) => {
      const timer = setTimeout(wake, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        wake();
      };
    });
  }
}
