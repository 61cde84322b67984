/**
 * Generated rows as the filters really write them: in no two rows the same ids, texts, usage, times, tries, snapshots
 * and reasoning.
 */
import { dataFile, prose, random } from './_bench.ts'

const SOURCES = ['mathematics', 'physics', 'code', 'law', 'history', 'biology']

type Draw = () => number
const below = (draw: Draw, count: number) => Math.floor(draw() * count)
const oneOf = <T>(draw: Draw, all: readonly T[]): T => all[below(draw, all.length)]!
const hex = (draw: Draw) =>
  below(draw, 2 ** 32)
    .toString(16)
    .padStart(8, '0')

/** A question and two answers of about so many characters together, every second one with other scripts. */
function texts(draw: Draw, size: number) {
  if (size === 0) return {}
  const foreign = draw() < 0.5
  return {
    question: prose(draw, size / 5, foreign),
    response_A: prose(draw, size * (0.2 + 0.4 * draw()), foreign),
    response_B: prose(draw, size * 0.35, foreign),
  }
}

/** The user's part of a row, with texts of about so many characters. */
const pair = (draw: Draw, size: number) => ({
  pair_id: [hex(draw), hex(draw), hex(draw), hex(draw)].join('-'),
  source: oneOf(draw, SOURCES),
  response_model: `model-${below(draw, 9)}`,
  label: oneOf(draw, ['A>B', 'B>A']),
  ...texts(draw, size),
})

/** Pairs of some 6 KB, as jb-render reads them. */
export const pairs = (count: number) =>
  dataFile(`pairs-${count}.jsonl`, function* () {
    const draw = random(20)
    for (let i = 0; i < count; i++) yield JSON.stringify(pair(draw, 6000))
  })

/** A reply as jb-call writes it. @param reasons whether every second one has reasoning */
function reply(draw: Draw, text: string, reasons: boolean) {
  const [prompt, completion] = [700 + below(draw, 1500), 5 + below(draw, 700)]
  return {
    text,
    ...(reasons && draw() < 0.5 && { reasoning: prose(draw, 900 * draw()) }),
    finish_reason: 'stop',
    model: 'gpt-4o',
    served_model: `gpt-4o-2024-${oneOf(draw, ['05-13', '08-06', '11-20'])}`,
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    ms: 300 + Math.floor(draw() ** 3 * 20_000),
    tries: draw() < 0.97 ? 1 : 2,
  }
}

const turned = (decision: string) => (decision === 'A>B' ? 'B>A' : 'A>B')
const JUDGE = { judge: 'arena_hard', judge_digest: 'bbb5837ce4e2' }

/** Both games of each of so many pairs, a row each. @param size of a pair's texts; 0: none, nor a request */
const games = (name: string, count: number, size: number, judged: boolean) =>
  dataFile(`${name}-${count}-${size}.ndjson`, function* () {
    const draw = random(20)
    for (let i = 0; i < count; i++) {
      const row = pair(draw, Math.round(size * (0.7 + 0.6 * draw())))
      for (const [n, order] of ['AB', 'BA'].entries()) {
        const decision = draw() < 0.8 ? row.label : turned(row.label)
        const label = n === 0 ? decision : turned(decision)
        const said = size > 0 ? `${prose(draw, 600 + 1200 * draw())}\n\n` : ''
        const content = Object.values(row).join('\n\n')
        yield JSON.stringify({
          ...row,
          jb: {
            ...JUDGE,
            item: row.pair_id,
            trial: { n, of: 2, order },
            ...(size > 0 && { request: { messages: [{ role: 'user', content }], temperature: 0 } }),
            reply: reply(draw, `${said}My final verdict is: [[${label}]]`, size > 0),
            ...(judged && { verdict: { label, decision, strength: 1 } }),
          },
        })
      }
    }
  })

/** Characters of a pair's texts with which a row is 12 KB. */
export const LONG = 4900
/** As jb-parse reads them: with texts of {@link LONG}, 12 KB a row; without, 0.5 KB. */
export const replied = (count: number, size: number) => games('replied', count, size, false)
/** As jb-aggregate reads them. */
export const judged = (count: number, size: number) => games('judged', count, size, true)

/**
 * A run of so many pairs, half a kilobyte a row: ids of several lengths; the verdicts differ from seed to seed.
 * @param shuffled the same rows in another order
 */
export const comparedRun = (seed: number, shuffled = false, count = 1_000_000) =>
  dataFile(`compared-${seed}${shuffled ? '-shuffled' : ''}-${count}.ndjson`, function* () {
    const [draw, judge, order] = [random(1), random(seed), random(3)]
    const rows = Array.from({ length: count }, (_, i) => {
      const id = `q${(hex(draw) + hex(draw) + hex(draw)).slice(0, [8, 12, 16, 20][i % 4])}${i.toString(36)}`
      const label = oneOf(draw, ['A>B', 'B>A', 'A=B'])
      const said = oneOf(judge, ['A>B', 'B>A', 'A=B', 'A>>B', 'B>>A'])
      const verdict = { label: said, decision: said.replace(/([<>])+/, '$1'), strength: said.length - 2 }
      const trial = { n: 0, of: 1, order: 'AB' }
      const jb = { ...JUDGE, item: `${id}-i`, trial, reply: reply(judge, `[[${said}]]`, false), verdict }
      return JSON.stringify({ id, label, jb })
    })
    for (let i = count - 1; shuffled && i > 0; i--) {
      const other = below(order, i + 1)
      ;[rows[i], rows[other]] = [rows[other]!, rows[i]!]
    }
    yield* rows
  })
