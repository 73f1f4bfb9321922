// A game against the network: it searches, the other seat plays at random. Run it with Node, or in a page's worker.
import { readFile } from "node:fs/promises"
import { load } from "carnegie-env"

const engine = await load()
const table = engine.table("carnegie", { num_players: 2, modules: ["wait"] })
const network = table.network(await readFile(process.argv[2])) // agents/weights/carnegie-2-expansion.safetensors
const game = table.start(7)
while (!game.finished) {
  const legal = game.legal()
  const random = legal[Math.floor(Math.random() * legal.length)]
  game.step(game.toPlay === 0 ? game.search(network, { ms: 20 }).action : random)
}
console.log(`${table.numActions} actions, ${game.observe(0).length} features; scores ${game.scores()}, rewards ${game.rewards()}`)
