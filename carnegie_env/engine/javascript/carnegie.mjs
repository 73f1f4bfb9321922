// The board games Carnegie and Steel Driver in browsers and Node: see docs/c.md, and carnegie.d.mts for the types.
// Everything is computed by engine.wasm, through the functions of carnegie.h.

const FIRST_ERROR = -2
const MESSAGE_BYTES = 500
const REWARDS = ["win", "rank", "margin", "score"]
const TABLE_FIELDS = ["game", "numPlayers", "numSides", "numActions", "numFeatures", "recordBytes", "hides"]
const BUDGET_BYTES = 32

/** Load the engine: from the file next to this module, a URL, a response, bytes or a compiled module. */
export async function load(source = new URL("engine.wasm", import.meta.url)) {
  source = await source
  if (source instanceof URL || typeof source === "string") {
    const url = new URL(source, import.meta.url)
    source = url.protocol === "file:" ? await (await import("node:fs/promises")).readFile(url) : await fetch(url)
  }
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`${source.url}: ${source.status} ${source.statusText}`)
    source = await source.arrayBuffer()
  }
  const imports = { env: { now: () => performance.now() } }
  const made = await WebAssembly.instantiate(source, imports)
  const exports = (made.instance ?? made).exports
  exports._initialize?.()
  return new Engine(exports)
}

const shown = (value) => (typeof value === "number" || value == null ? value : `of type ${typeof value}`)

/** A number that WebAssembly takes as it is. */
function whole(what, value, least = 0, most = 2 ** 31 - 1) {
  if (!Number.isInteger(value)) throw new TypeError(`${what} must be a whole number, not ${shown(value)}`)
  if (value < least || value > most) throw new RangeError(`${what} must be from ${least} to ${most}, not ${value}`)
  return value
}

function seedOf(seed) {
  if (typeof seed !== "bigint") return BigInt(whole("a seed that is not a bigint", seed, 0, Number.MAX_SAFE_INTEGER))
  if (seed !== BigInt.asUintN(64, seed)) throw new RangeError(`a seed must be from 0 to 2^64 - 1, not ${seed}`)
  return seed
}

function object(what, value) {
  if (typeof value !== "object" || value === null) throw new TypeError(`${what} must be an object, not ${shown(value)}`)
  return value
}

class Engine {
  #c
  #freed

  constructor(exports) {
    this.#c = exports
    this.#freed = new FinalizationRegistry((place) => exports.free(place))
    this.version = this.text(exports.carnegie_version())
  }

  /** The options of a game that is played, for instance `engine.table("carnegie", { num_players: 2 })`. */
  table(game, options = {}) {
    return new Table(this, game, options)
  }

  // ---- for the other classes
  get c() {
    return this.#c
  }

  bytes(place, number) {
    return new Uint8Array(this.#c.memory.buffer, place, number)
  }

  /** Memory that is freed with its owner. */
  allocate(number, owner) {
    const place = this.#c.malloc(number)
    if (place === 0) throw new RangeError(`there is no memory for ${number} bytes`)
    this.#freed.register(owner, place)
    return place
  }

  /** Call a function with a copy of bytes. */
  withBytes(bytes, call) {
    const place = this.#c.malloc(bytes.length)
    if (place === 0) throw new RangeError(`there is no memory for ${bytes.length} bytes`)
    try {
      this.bytes(place, bytes.length).set(bytes)
      return call(place)
    } finally {
      this.#c.free(place)
    }
  }

  text(place) {
    const bytes = new Uint8Array(this.#c.memory.buffer, place)
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)))
  }

  /** The result of a function; an error becomes an exception. */
  checked(status, message) {
    if (status > FIRST_ERROR) return status
    throw new Error(this.text(message ?? this.#c.carnegie_error_text(status)))
  }
}

const GAMES = ["carnegie", "steel_driver"]

class Table {
  constructor(engine, game, options) {
    if (!GAMES.includes(game)) throw new Error(`there is no game ${game}, only ${GAMES.join(" and ")}`)
    const given = Object.entries(object("options", options)).filter(([name, value]) =>
      value !== null && value !== undefined && !(name === "modules" && Array.isArray(value) && value.length === 0))
    const words = given.map(([name, value]) => {
      const word = Array.isArray(value) ? value.join(",") : String(value)
      if (/[\s\0]/.test(name + word) || word === "") throw new Error(`${name} has an impossible value: '${word}'`)
      return `${name}=${word}`
    })
    this.engine = engine
    this.options = Object.fromEntries(given)
    const text = new TextEncoder().encode(`${words.join(" ")}\0`)
    const size = engine.c.carnegie_table_bytes()
    this.place = engine.allocate(size + MESSAGE_BYTES, this)
    const message = this.place + size
    engine.withBytes(text, (given) => {
      const status = engine.c.carnegie_table_set(this.place, GAMES.indexOf(game), given, message, MESSAGE_BYTES)
      engine.checked(status, message)
    })
    const fields = new Int32Array(engine.c.memory.buffer, this.place, TABLE_FIELDS.length)
    TABLE_FIELDS.forEach((name, k) => (this[name] = fields[k]))
    this.game = game
    this.hides = this.hides === 1
    // Where functions read and write: a record, a budget, and numbers.
    const numbers = 8 * Math.max(this.numActions, this.numFeatures)
    this.record = engine.allocate(this.recordBytes + BUDGET_BYTES + numbers + 8, this)
    this.budget = this.record + this.recordBytes
    this.out = this.budget + BUDGET_BYTES
    this.text = Array.from({ length: this.numActions }, (_, action) =>
      engine.text(engine.c.carnegie_action_text(GAMES.indexOf(game), action)))
  }

  /** Deal a game. */
  start(seed) {
    this.engine.checked(this.engine.c.carnegie_start(this.place, this.record, seedOf(seed)))
    return new Game(this, this.engine.bytes(this.record, this.recordBytes).slice())
  }

  /** A game from its bytes, which must come from `game.bytes` of the same table and version. */
  gameOf(bytes) {
    if (!(bytes instanceof Uint8Array)) throw new TypeError(`a record must be a Uint8Array, not ${shown(bytes)}`)
    if (bytes.length !== this.recordBytes) throw new Error(`a record has ${this.recordBytes} bytes, not ${bytes.length}`)
    const game = new Game(this, Uint8Array.from(bytes))
    game.toPlay // checks it
    return game
  }

  /** A network from the contents of its file. */
  network(file) {
    return new Network(this, new Uint8Array(file))
  }
}

class Game {
  constructor(table, bytes) {
    this.table = table
    this.bytes = bytes
  }

  /** Call a function of this game's record. */
  #call(name, ...words) {
    const { engine, place, record } = this.table
    engine.bytes(record, this.bytes.length).set(this.bytes)
    return engine.checked(engine.c[`carnegie_${name}`](place, record, ...words))
  }

  #change(name, ...words) {
    const found = this.#call(name, ...words)
    this.bytes.set(this.table.engine.bytes(this.table.record, this.bytes.length))
    return found
  }

  #numbers(kind, number) {
    return new kind(this.table.engine.c.memory.buffer, this.table.out, number).slice()
  }

  #seat(seat) {
    return whole("the seat", seat, 0, this.table.numPlayers - 1)
  }

  get toPlay() {
    return this.#call("to_play")
  }

  get finished() {
    return this.toPlay < 0
  }

  mask() {
    this.#call("legal_bytes", this.table.out)
    return this.#numbers(Uint8Array, this.table.numActions)
  }

  legal() {
    const found = []
    this.mask().forEach((bit, action) => bit && found.push(action))
    return found
  }

  step(action) {
    return this.#change("step", whole("the action", action, 0, this.table.numActions - 1))
  }

  playOut(seed) {
    return this.#change("play_out", seedOf(seed))
  }

  redrawHidden(seat, seed) {
    this.#change("redraw_hidden", this.#seat(seat), seedOf(seed))
  }

  observe(seat = this.toPlay) {
    this.#call("observe", this.#seat(seat), this.table.out)
    return this.#numbers(Float32Array, this.table.numFeatures)
  }

  scores() {
    this.#call("scores", this.table.out)
    return Array.from(this.#numbers(Int32Array, this.table.numSides))
  }

  rewards(kind = "win") {
    this.#call("rewards", REWARDS.indexOf(kind), this.table.out)
    return Array.from(this.#numbers(Float32Array, this.table.numPlayers))
  }

  clone() {
    return new Game(this.table, this.bytes.slice())
  }

  #room(network, draws) {
    if (!(network instanceof Network) || network.table.engine !== this.table.engine) {
      throw new TypeError(`the first argument must be a network of this engine, not ${shown(network)}`)
    }
    return network.room(this.table, draws)
  }

  /** The values of all actions, and the best one. */
  rate(network, how = {}) {
    const { draws = 0, seed = 0 } = object("the second argument", how)
    const [room, size] = this.#room(network, whole("draws", draws))
    const action = this.#call("value", network.place, draws, seedOf(seed), room, size, this.table.out)
    return { action, values: this.#numbers(Float64Array, this.table.numActions) }
  }

  /** The same by search. */
  search(network, how = {}) {
    const { evaluations = 0, decisions = 0, candidates = 0, depth = 0, seed = 0 } = object("the second argument", how)
    const { ms = evaluations || decisions ? 0 : 100 } = how
    if (!(Number.isFinite(ms) && ms >= 0)) throw new RangeError(`ms must be a number from 0 up, not ${shown(ms)}`)
    const [room, size] = this.#room(network, 0)
    const { engine, budget } = this.table
    const view = new DataView(engine.c.memory.buffer, budget, BUDGET_BYTES)
    view.setFloat64(0, ms, true)
    view.setBigInt64(8, BigInt(whole("evaluations", evaluations, 0, Number.MAX_SAFE_INTEGER)), true)
    view.setBigInt64(16, BigInt(whole("decisions", decisions, 0, Number.MAX_SAFE_INTEGER)), true)
    view.setInt32(24, whole("candidates", candidates), true)
    view.setInt32(28, whole("depth", depth), true)
    const action = this.#call("search", network.place, budget, seedOf(seed), room, size, this.table.out)
    return { action, values: this.#numbers(Float64Array, this.table.numActions) }
  }
}

class Network {
  #room = { size: 0 }

  constructor(table, file) {
    const { engine } = table
    const { carnegie_network_bytes: measure, carnegie_network_read: read } = engine.c
    const message = engine.allocate(MESSAGE_BYTES, this)
    this.table = table
    engine.withBytes(file, (given) => {
      const size = engine.checked(measure(table.place, given, file.length, message, MESSAGE_BYTES), message)
      this.place = engine.allocate(size, this)
      engine.checked(read(table.place, given, file.length, this.place, size, message, MESSAGE_BYTES), message)
    })
  }

  /** The working memory for a table and a number of draws, and its size; it grows when more is needed. */
  room({ engine, place }, draws) {
    const size = engine.checked(engine.c.carnegie_workspace_bytes(place, this.place, draws))
    if (size > this.#room.size) {
      const grown = { size }
      grown.place = engine.allocate(size, grown)
      this.#room = grown
    }
    return [this.#room.place, this.#room.size]
  }
}
