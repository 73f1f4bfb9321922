// What the tests in Node and in a browser, and benchmarks/wasm.py, do with the engine.

const u64 = (value) => BigInt.asUintN(64, value)

function mix(z) {
  z = u64((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n)
  z = u64((z ^ (z >> 27n)) * 0x94D049BB133111EBn)
  return z ^ (z >> 31n)
}

/** As docs/examples/c/play.c: random decisions, and a digest of the final positions, observations and scores. */
export function digest(engine, name, options, games, decisions) {
  const table = engine.table(name, options)
  let made = 0xCBF29CE484222325n
  const add = (numbers) => {
    for (const byte of new Uint8Array(numbers.buffer)) made = u64((made ^ BigInt(byte)) * 0x100000001B3n)
  }
  for (let i = 0; i < games; i++) {
    let source = mix(BigInt(i))
    const next = () => mix((source = u64(source + 0x9E3779B97F4A7C15n)))
    let game = table.start(i)
    for (let k = 0; k < decisions; k++) {
      if (game.finished) game = table.start(next())
      const legal = game.legal()
      game.step(legal[Number(((next() >> 32n) * BigInt(legal.length)) >> 32n)])
    }
    add(game.bytes)
    for (let seat = 0; seat < table.numPlayers; seat++) add(game.observe(seat))
    add(Int32Array.from(game.scores()))
  }
  return made.toString(16).padStart(16, "0")
}

/** The scores of games in which a network decides for every seat. */
export function played(engine, options, weights, games) {
  const table = engine.table("carnegie", options)
  const network = table.network(weights)
  return Array.from({ length: games }, (_, seed) => {
    const game = table.start(seed)
    while (!game.finished) game.step(game.rate(network).action)
    return game.scores()
  })
}

/** Milliseconds of each search of 100 ms in a game's first decisions. */
export function searchTimes(engine, options, weights, searches) {
  const table = engine.table("carnegie", options)
  const network = table.network(weights)
  const game = table.start(1)
  return Array.from({ length: searches }, () => {
    const begun = performance.now()
    game.step(game.search(network, { ms: 100 }).action)
    return performance.now() - begun
  })
}
