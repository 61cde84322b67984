/** How often --top is wrong, and what --next saves: simulated leaderboards through the functions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boardOf, nextBattles, type Pairing } from '../../../src/stages/rank/next_battles.ts'
import { knownTop } from '../../../src/statistics/known_top.ts'
import { sigmoid } from '../../../src/statistics/matrix.ts'

/** Uniform and normal numbers from a seed (mulberry32; Box and Muller). */
function drawer(seed: number) {
  let state = seed
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return { uniform, normal }
}

interface World {
  names: string[]
  strengths: number[]
  questions: number
  alpha: number
}

/** A judge with position bias 0.5 and question × model effects of sd 0.7: two games a battle. */
function judgeOf({ strengths, questions }: World, { uniform, normal }: ReturnType<typeof drawer>) {
  const effects = strengths.map(() => Array.from({ length: questions }, () => 0.7 * normal()))
  return (a: number, b: number, question: number) => {
    const apart = strengths[a]! + effects[a]![question]! - strengths[b]! - effects[b]![question]!
    return [0.5, -0.5].reduce((sum, bias) => sum + Number(uniform() < sigmoid(apart + bias)), 0) / 2
  }
}

/** Battles until the top is known, or `most`: chosen, or pairs and questions at random. */
function decide(world: World, top: number, margin: number, most: number, chosen: boolean, seed: number) {
  const random = drawer(seed)
  const judge = judgeOf(world, random)
  const { names, questions, alpha } = world
  const asked = new Map<string, { a: string; b: string; asked: Map<string, number> }>()
  const ids = new Set(Array.from({ length: questions }, (_, i) => String(i)))
  const answers = new Map(names.map((name) => [name, ids]))
  const fight = (a: string, b: string, question: string) => {
    const [x, y] = a < b ? [a, b] : [b, a]
    const of = asked.get(`${x} ${y}`) ?? { a: x, b: y, asked: new Map<string, number>() }
    asked.set(`${x} ${y}`, of)
    if (of.asked.has(question)) return false
    of.asked.set(question, judge(names.indexOf(x), names.indexOf(y), Number(question)))
    return true
  }
  const pairs = (): Pairing[] => [...asked.values()]
  const round = 4 * names.length
  for (let battles = 0; battles < most; ) {
    if (chosen) {
      const options = { next: round, top: { top, margin }, alpha, seed: String(seed) }
      const { chosen: next } = nextBattles(pairs(), answers, options)
      for (const { a, b, question } of next) fight(a, b, question)
      if (next.length === 0) return { battles, best: bestOf() }
      battles += next.length
    } else {
      for (let k = 0; k < round; ) {
        const [a, b] = [0, 1].map(() => Math.floor(random.uniform() * names.length))
        if (a !== b && fight(names[a!]!, names[b!]!, String(Math.floor(random.uniform() * questions)))) k++
      }
      battles += round
      const best = bestOf()
      if (best) return { battles, best }
    }
  }
  return { battles: most, best: undefined }

  function bestOf(): string[] | undefined {
    const board = boardOf(pairs(), names, 'models')
    if (!board.strengths) return undefined
    const known = knownTop(board.strengths, board.battles, { top, margin, alpha })
    return known.decided
      ? known.places.filter((place) => place.in).map(({ model }) => board.models[model]!)
      : undefined
  }
}

const namesOf = (n: number) => Array.from({ length: n }, (_, i) => `m${String(i).padStart(2, '0')}`)

test('8 models, two level at the boundary, strict: at most 5 of 100 name a winner', {
  timeout: 900_000,
}, (t) => {
  let said = 0
  for (let run = 0; run < 100; run++) {
    const { normal } = drawer(1000 + run)
    const strengths = Array.from({ length: 8 }, () => 0.75 * normal()).sort((x, y) => y - x)
    strengths[3] = strengths[2]!
    const world = { names: namesOf(8), strengths, questions: 500, alpha: 0.05 }
    if (decide(world, 3, 0, 1600, true, run).best) said++
  }
  t.diagnostic(`${said} of 100 named three of four`)
  assert.ok(said <= 5, `${said} of 100`)
})

test('16 models, top 3, 5 points: at most half the battles of random pairs', { timeout: 900_000 }, (t) => {
  const used = [true, false].map((chosen) => {
    let battles = 0
    for (let run = 0; run < 12; run++) {
      const { normal } = drawer(5000 + run)
      const strengths = Array.from({ length: 16 }, () => 0.75 * normal()).sort((x, y) => y - x)
      const world = { names: namesOf(16), strengths, questions: 500, alpha: 0.05 }
      battles += decide(world, 3, 0.05, 8000, chosen, run).battles
    }
    return battles / 12
  }) as [number, number]
  t.diagnostic(`chosen ${used[0].toFixed(0)}, random ${used[1].toFixed(0)} battles`)
  assert.ok(used[0] <= used[1] / 2, used.join(' and '))
})
