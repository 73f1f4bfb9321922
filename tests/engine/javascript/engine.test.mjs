// `node --test` by test_wasm.py, which says in the environment where things are and what Python computes.
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import test from "node:test"
import { pathToFileURL } from "node:url"
import { digest, played, searchTimes } from "./play.mjs"

const { MODULE, WEIGHTS, EXPECTED } = process.env
const { load } = await import(pathToFileURL(`${MODULE}/carnegie.mjs`))
const engine = await load()
const weights = (name) => readFile(`${WEIGHTS}/${name}.safetensors`)
const { digests, scores } = JSON.parse(EXPECTED)

for (const [name, options, games, decisions, expected] of digests) {
  test(`${name} ${JSON.stringify(options)} is played as in Python`, () => {
    assert.equal(digest(engine, name, options, games, decisions), expected)
  })
}

for (const [options, file, expected] of scores) {
  test(`the network of ${file} plays as in Python`, async () => {
    assert.deepEqual(played(engine, options, await weights(file), expected.length), expected)
  })
}

test("a search ends soon after its budget", async () => {
  for (const ms of searchTimes(engine, { num_players: 2 }, await weights("carnegie-2"), 4)) assert.ok(ms < 1000, `${ms}`)
})

test("a network rates and searches at every table with equal inputs", async () => {
  const [shown, hidden] = ["wait", "all"].map((modules) => engine.table("carnegie", { num_players: 2, modules }))
  const file = await weights("carnegie-2-expansion")
  const [network, own] = [shown.network(file), hidden.network(file)]
  shown.start(1).rate(network)
  for (const how of [{}, { draws: 20 }, { draws: 1 }]) {
    assert.deepEqual(hidden.start(1).rate(network, how), hidden.start(1).rate(own, how))
  }
  const budget = { evaluations: 100 }
  assert.deepEqual(hidden.start(1).search(network, budget), hidden.start(1).search(own, budget))
})

test("an empty list of modules means none", () => {
  assert.deepEqual(engine.table("carnegie", { modules: [] }).start(1).bytes, engine.table("carnegie").start(1).bytes)
})

test("clones, bytes and redrawn games are independent", () => {
  const table = engine.table("carnegie", { num_players: 1, modules: ["new_start", "diverse_setup"] })
  const game = table.start(2n ** 64n - 1n)
  const [clone, same] = [game.clone(), table.gameOf(game.bytes)]
  clone.redrawHidden(0, 5)
  assert.notDeepEqual(clone.bytes, game.bytes)
  assert.deepEqual(clone.observe(), game.observe())
  assert.ok(clone.playOut(1) > 10 && clone.finished && !same.finished)
  assert.deepEqual(same.bytes, game.bytes)
  assert.equal(clone.rewards("win")[0], Math.sign(clone.scores()[0] - clone.scores()[1]))
})

test("wrong arguments are refused and change nothing", async () => {
  const table = engine.table("carnegie")
  const game = table.start(1)
  const [before, network] = [game.bytes.slice(), table.network(await weights("carnegie-2"))]
  const wrong = [
    [() => engine.table("chess"), /there is no game chess/],
    [() => engine.table("carnegie", { num_players: 5 }), /num_players must be from 1 to 4, not '5'/],
    [() => engine.table("carnegie", { difficulty: "hard", num_players: 1 }), /difficulty must be normal or/],
    [() => engine.table("carnegie", { modules: "chess" }), /there is no module 'chess'/],
    [() => engine.table("steel_driver", { wait: true }), /there is no option 'wait'; the options are num_players/],
    [() => engine.table("carnegie", { modules: ["all", "wait"] }), /among modules, all stands by itself/],
    [() => engine.table("carnegie", { num_players: [] }), /num_players has an impossible value: ''/],
    [() => engine.table("carnegie", null), /options must be an object, not null/],
    [() => table.start(), /a seed that is not a bigint must be a whole number, not undefined/],
    [() => table.start(0.5), /must be a whole number, not 0.5/],
    [() => table.start(true), /must be a whole number, not of type boolean/],
    [() => table.start(-1), /must be from 0 to 9007199254740991, not -1/],
    [() => table.start(2 ** 53), /must be from 0 to 9007199254740991, not 9007199254740992/],
    [() => table.start(1n << 64n), /a seed must be from 0 to 2\^64 - 1, not 18446744073709551616/],
    [() => game.playOut(-1n), /a seed must be from 0 to 2\^64 - 1, not -1/],
    [() => table.gameOf(), /a record must be a Uint8Array, not undefined/],
    [() => table.gameOf(new Uint8Array(3)), /a record has 952 bytes, not 3/],
    [() => table.gameOf(new Uint8Array(952).fill(255)), /not one of this table/],
    [() => table.network(new Uint8Array(64)), /not a safetensors file/],
    [() => game.step(game.mask().indexOf(0)), /the action is not legal/],
    [() => game.step(table.numActions), /the action must be from 0 to 332, not 333/],
    [() => game.step(game.legal()[0] + 2 ** 32), /the action must be from 0 to 332/],
    [() => game.step("2"), /the action must be a whole number, not of type string/],
    [() => game.observe(2), /the seat must be from 0 to 1, not 2/],
    [() => game.observe(NaN), /the seat must be a whole number, not NaN/],
    [() => game.redrawHidden(null, 1), /the seat must be a whole number, not null/],
    [() => game.rewards("fame"), /no such reward/],
    [() => game.search(network, { ms: -1 }), /ms must be a number from 0 up, not -1/],
    [() => game.search(network, { ms: Infinity }), /ms must be a number from 0 up, not Infinity/],
    [() => game.search(network, { depth: 2 ** 32 }), /depth must be from 0 to 2147483647/],
    [() => game.search(network, { evaluations: "3" }), /evaluations must be a whole number/],
    [() => game.search(network, null), /the second argument must be an object, not null/],
    [() => game.rate(), /the first argument must be a network of this engine, not undefined/],
    [() => game.rate(network, { draws: 1.5 }), /draws must be a whole number, not 1.5/],
    [() => game.rate(network, { draws: 5000 }), /out of range/],
    [() => engine.table("carnegie", { num_players: 3 }).start(1).rate(network), /for other games/],
    [() => engine.table("carnegie", { wait: true }).network(new Uint8Array(8)), /not a safetensors file/],
  ]
  for (const [call, message] of wrong) assert.throws(call, message)
  assert.deepEqual(game.bytes, before)
})

test("everything that the types declare exists", async () => {
  const text = await readFile(`${MODULE}/carnegie.d.mts`, "utf8")
  const table = engine.table("carnegie")
  const objects = { Engine: engine, Table: table, Game: table.start(1), Network: table.network(await weights("carnegie-2")) }
  for (const [name, object] of Object.entries(objects)) {
    const body = text.match(new RegExp(`interface ${name} \\{\\n(.*?)\\n\\}`, "s"))[1]
    const members = [...body.matchAll(/^  (?:readonly )?(\w+)[(:]/gm)].map((found) => found[1])
    assert.ok(members.length > 0)
    for (const member of members) assert.ok(member in object, `${name}.${member}`)
  }
})
