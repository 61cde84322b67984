/**
 * 1,000 nodes on one limit, by discrete events: how evenly leases are handed out, how much is sent beyond the limit, and
 * what happens when nodes die. A seeded model of src/stages/call/limits: a lease is granted in each period to the node
 * that asked first, ten are asked for ahead and by each node one at least, questions take a network's time.
 *
 *   node --import tsx bench/_limit_simulation.ts [NODES] [CALLS A SECOND] [SEED]
 */
import { random } from './_bench.ts'

const [nodes = 1000, rate = 2000, seed = 1] = process.argv.slice(2).map(Number)
const draw = random(seed)
const LEASE_S = 0.05
const AHEAD = Math.max(1, Math.ceil(10 / nodes))
const SECONDS = 600
const DIE_AT = 300
const DEAD = Math.floor(nodes / 4)
const lease = Math.max(1, rate * LEASE_S)
const period = lease / rate

/** Round trip to Redis, in seconds: 0.5 ms and a tail. */
const trip = () => 0.0005 + 0.0005 * -Math.log(1 - draw())

interface Event {
  at: number
  do(): void
}
const heap: Event[] = []
function push(event: Event): void {
  let i = heap.push(event) - 1
  for (let up = (i - 1) >> 1; i > 0 && heap[up]!.at > heap[i]!.at; i = up, up = (i - 1) >> 1)
    [heap[i], heap[up]] = [heap[up]!, heap[i]!]
}
function pop(): Event | undefined {
  const top = heap[0]
  const last = heap.pop()
  if (!top || !last || heap.length === 0) return top
  heap[0] = last
  for (let i = 0; ; ) {
    const left = 2 * i + 1
    let least = i
    for (const child of [left, left + 1])
      if (child < heap.length && heap[child]!.at < heap[least]!.at) least = child
    if (least === i) return top
    ;[heap[i], heap[least]] = [heap[least]!, heap[i]!]
    i = least
  }
}

let nextLease = 0
let now = 0
let asked = 0
const sent = new Float64Array(nodes)
const perSecond = new Float64Array(SECONDS + 1)
const alive = new Uint8Array(nodes).fill(1)
const late = new Float64Array(nodes)

/** A node asks Redis for its next lease, and sends what it grants at once: every call is waited for. */
function ask(node: number): void {
  push({
    at: now + trip(),
    do: () => {
      asked++
      const begins = Math.max(nextLease, now)
      nextLease = begins + period
      push({
        at: begins + trip() / 2,
        do: () => {
          if (!alive[node]) return
          sent[node]! += lease
          if (now < SECONDS) perSecond[Math.floor(now)]! += lease
          if (now > DIE_AT + 30) late[node]! += lease
          ask(node)
        },
      })
    },
  })
}
for (let node = 0; node < nodes; node++)
  push({
    // They begin within ten seconds.
    at: draw() * 10,
    do: () => {
      for (let i = 0; i < AHEAD; i++) ask(node)
    },
  })
push({ at: DIE_AT, do: () => alive.fill(0, 0, DEAD) })

for (let event = pop(); event && event.at < SECONDS; event = pop()) {
  now = event.at
  event.do()
}

const over = (from: number, to: number, width: number) => {
  let most = 0
  for (let at = from; at + width <= to; at++) {
    let sum = 0
    for (let i = 0; i < width; i++) sum += perSecond[at + i]!
    most = Math.max(most, sum / width)
  }
  return most
}
const mean = (from: number, to: number) =>
  perSecond.slice(from, to).reduce((sum, n) => sum + n, 0) / (to - from)
/** Jain's index: 1 where all have the same. */
const jain = (shares: number[]) => {
  const sum = shares.reduce((total, one) => total + one, 0)
  return sum ** 2 / (shares.length * shares.reduce((total, one) => total + one ** 2, 0))
}
const survivors = [...late.slice(DEAD)]
const percent = (value: number) => `${((100 * value) / rate).toFixed(2)} %`
const recovered = [...perSecond].findIndex(
  (_n, at) => at > DIE_AT && at < SECONDS - 10 && mean(at, at + 10) > 0.97 * rate,
)
console.log(`${nodes} nodes, ${rate} calls a second, leases of ${lease} calls, seed ${seed}`)
console.log(
  `sent, of the limit: ${percent(mean(20, DIE_AT))}; the most in any second ${percent(over(20, DIE_AT, 1))}, in any minute ${percent(over(20, DIE_AT, 60))}`,
)
console.log(
  `a quarter dies at ${DIE_AT} s: ${percent(mean(DIE_AT, DIE_AT + 10))} in the 10 s after, back at 97 % after ${recovered - DIE_AT} s, ${percent(mean(DIE_AT + 60, SECONDS - 1))} later`,
)
console.log(
  `fairness of those that live: Jain's index ${jain(survivors).toFixed(4)}, least and most ${(Math.min(...survivors) / (survivors.reduce((a, b) => a + b) / survivors.length)).toFixed(2)} and ${(Math.max(...survivors) / (survivors.reduce((a, b) => a + b) / survivors.length)).toFixed(2)} of the mean`,
)
console.log(`Redis: ${(asked / SECONDS).toFixed(0)} leases a second`)
