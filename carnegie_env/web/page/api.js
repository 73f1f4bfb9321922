// The server's API: requests with keys, its refusals as errors with its words, and long polls that outlive a lost
// connection.

const WAIT = 25; // seconds that a long poll may take
const FIRST_PAUSE = 500; // milliseconds before the first new try
const LONGEST_PAUSE = 10_000;

/** The server said no, and why. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** There was no answer. */
export class Unreachable extends Error {}

/**
 * Send a request and give its answer: an object, or a text where the server sends one.
 * @param {string} method
 * @param {string} path behind /api
 * @param {{key?: string, body?: object|string, text?: boolean, signal?: AbortSignal}} more `body`: a string is JSON
 *     already; `text`: the answer is wanted as it comes, for JavaScript's numbers can't hold all that are in positions
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

/** What never changes while the server runs: asked once. A failed request is asked again. */
export function once(path) {
  if (!kept.has(path)) {
    kept.set(path, get(path).catch((error) => {
      kept.delete(path);
      throw error;
    }));
  }
  return kept.get(path);
}

/** Follows a table: tells its news as long as it isn't stopped. */
export class Follower {
  /**
   * @param {string} path of the table
   * @param {string} key
   * @param {{news: function(object), lost: function(boolean), ended: function(Refused)}} tell `news`: a View that is
   *     another one; `lost`: the connection is lost, or is back; `ended`: the table can't be followed any more
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
        await this.rest(pause * (0.8 + 0.4 * Math.random())); // not all pages at the same moment
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
