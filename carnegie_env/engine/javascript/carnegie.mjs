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

const seedOf = (seed) => {
  if (typeof seed === "number" && !Number.isSafeInteger(seed)) throw new RangeError(`a seed must be whole, not ${seed}`)
  return BigInt.asUintN(64, BigInt(seed))
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
    const said = message === undefined ? "" : this.text(message)
    throw new Error(said || this.text(this.#c.carnegie_error_text(status)))
  }
}

const GAMES = ["carnegie", "steel_driver"]

class Table {
  constructor(engine, game, options) {
    if (!GAMES.includes(game)) throw new Error(`there is no game ${game}, only ${GAMES.join(" and ")}`)
    const given = Object.entries(options).filter(([name, value]) =>
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
    if (!Number.isInteger(action)) throw new TypeError(`an action is a number, not ${action}`)
    return this.#change("step", action)
  }

  playOut(seed) {
    return this.#change("play_out", seedOf(seed))
  }

  redrawHidden(seat, seed) {
    this.#change("redraw_hidden", seat, seedOf(seed))
  }

  observe(seat = this.toPlay) {
    this.#call("observe", seat, this.table.out)
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

  /** The values of all actions, and the best one. */
  rate(network, { draws = 0, seed = 0 } = {}) {
    const [room, size] = network.room(this.table, draws)
    const action = this.#call("value", network.place, draws, seedOf(seed), room, size, this.table.out)
    return { action, values: this.#numbers(Float64Array, this.table.numActions) }
  }

  /** The same by search. */
  search(network, { ms, evaluations = 0, decisions = 0, candidates = 0, depth = 0, seed = 0 } = {}) {
    const [room, size] = network.room(this.table, 0)
    const { engine, budget } = this.table
    ms ??= evaluations || decisions ? 0 : 100
    const view = new DataView(engine.c.memory.buffer, budget, BUDGET_BYTES)
    view.setFloat64(0, ms, true)
    view.setBigInt64(8, BigInt(evaluations), true)
    view.setBigInt64(16, BigInt(decisions), true)
    view.setInt32(24, candidates, true)
    view.setInt32(28, depth, true)
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
