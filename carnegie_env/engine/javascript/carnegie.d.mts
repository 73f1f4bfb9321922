/** The board games Carnegie and Steel Driver. Wrong arguments throw an Error that says what is wrong. */

/** A whole number from 0 to 2^64 - 1; larger ones than 2^53 as bigint. */
export type Seed = number | bigint
export type Reward = "win" | "rank" | "margin" | "score"
/** As in Python (docs/environments/options.md); `modules` may also be a list of names. */
export type Options = Record<string, number | string | boolean | readonly string[] | null | undefined>

/** The engine from the file next to this module, or from elsewhere. */
export function load(
  source?: URL | string | Response | Promise<Response> | BufferSource | WebAssembly.Module,
): Promise<Engine>

export interface Engine {
  readonly version: string
  table(game: "carnegie" | "steel_driver", options?: Options): Table
}

/** What is played. */
export interface Table {
  readonly game: "carnegie" | "steel_driver"
  readonly options: Options
  readonly numPlayers: number
  /** The seats, then the automatic opponent if there is one. */
  readonly numSides: number
  readonly numActions: number
  readonly numFeatures: number
  readonly recordBytes: number
  /** Whether something is hidden from a seat. */
  readonly hides: boolean
  /** The names of the actions. */
  readonly text: readonly string[]
  /** Deal a game and play forced decisions up to the first choice. */
  start(seed: Seed): Game
  /** A game from `bytes` of a game at an equal table, in the same version of the engine. */
  gameOf(bytes: Uint8Array): Game
  /** A network from the contents of its file; only for tables with equal inputs. */
  network(file: ArrayBuffer | Uint8Array): Network
}

/** One game. */
export interface Game {
  readonly table: Table
  /** The record: the whole state. */
  readonly bytes: Uint8Array
  /** The seat that decides, -1 if the game is over. */
  readonly toPlay: number
  readonly finished: boolean
  /** The numbers of the legal actions. */
  legal(): number[]
  /** 0 or 1 for each action. */
  mask(): Uint8Array
  /** Take one decision and play forced ones that follow; returns the seat that decides next, -1 at the end. */
  step(action: number): number
  /** Play random legal actions to the end; returns the number of decisions. */
  playOut(seed: Seed): number
  /** Redraw what a seat can't see, and all future chance. */
  redrawHidden(seat: number, seed: Seed): void
  /** What a seat sees; by default the seat that decides. */
  observe(seat?: number): Float32Array
  /** The score of each side as if the game ended now. */
  scores(): number[]
  /** The reward of each seat as if the game ended now. */
  rewards(kind?: Reward): number[]
  clone(): Game
  /** Rate the legal actions by a network. draws: samples of hidden information, 8 by default. */
  rate(network: Network, how?: { draws?: number; seed?: Seed }): Rating
  /** The same by search; the first limit that is reached ends it (by default 100 ms). */
  search(network: Network, how?: SearchBudget): Rating
}

export interface SearchBudget {
  ms?: number
  evaluations?: number
  decisions?: number
  /** The most actions that are tried; by default up to 16, by the budget and the number of players. */
  candidates?: number
  /** Own decisions after which a future ends, 16 by default. */
  depth?: number
  seed?: Seed
}

export interface Rating {
  /** The best action. */
  action: number
  /** The margin that is expected after each action, in points; -Infinity for illegal actions. */
  values: Float64Array
}

export interface Network {
  readonly table: Table
}
