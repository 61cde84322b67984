/** Generated rows of the sizes that the goals are stated for. */
import { dataFile, prose, random } from './_bench.ts'

const SOURCES = ['mathematics', 'physics', 'code', 'law', 'history', 'biology']

function* pairs(count: number): Generator<Record<string, unknown>> {
  const draw = random(1)
  // A few hundred different rows, repeated: what is measured is reading, not making them.
  const distinct = Array.from({ length: 350 }, (_, i) => {
    const foreign = i % 2 === 0
    return {
      source: SOURCES[i % SOURCES.length],
      question: prose(draw, 900, foreign),
      response_model: 'm',
      response_A: prose(draw, 2300, foreign),
      response_B: prose(draw, 2200, foreign),
      label: draw() < 0.55 ? 'A>B' : 'B>A',
    }
  })
  for (let i = 0; i < count; i++) yield { pair_id: `pair-${i}`, ...distinct[i % distinct.length] }
}

const label = (i: number) => (i % 3 === 0 ? 'B>A' : 'A>B')

/** Pairs of about 5.6 KB, without `jb`. */
export const bigPairs = (count = 20_000) =>
  dataFile(`pairs-${count}.jsonl`, function* () {
    for (const pair of pairs(count)) yield JSON.stringify(pair)
  })

/** The same with a short reply, as jb-parse reads them: about 5.8 KB. */
export const bigReplies = (count = 50_000) =>
  dataFile(`replies-${count}.ndjson`, function* () {
    let i = 0
    for (const pair of pairs(count))
      yield JSON.stringify({
        ...pair,
        jb: {
          judge: 'arena_hard',
          item: pair.pair_id,
          trial: { n: 0, of: 1, order: 'AB' },
          reply: { text: `Both try. [[${label(i++)}]]`, model: 'm' },
        },
      })
  })

const smallRow = (i: number, more: object) =>
  JSON.stringify({
    pair_id: `p${i}`,
    source: SOURCES[i % 6],
    label: label(i * 7),
    jb: { judge: 'arena_hard', item: `p${i}`, trial: { n: 0, of: 1, order: 'AB' }, ...more },
  })

/** Rows of about 200 bytes with a reply. */
export const smallReplies = (count = 1_000_000) =>
  dataFile(`small-${count}.ndjson`, function* () {
    for (let i = 0; i < count; i++)
      yield smallRow(i, { reply: { text: `verdict: [[${label(i)}]]`, model: 'm' } })
  })

/** A million verdicts, nothing else: about 170 bytes each. */
export const smallVerdicts = (count = 1_000_000) =>
  dataFile(`verdicts-${count}.ndjson`, function* () {
    for (let i = 0; i < count; i++) yield smallRow(i, { verdict: { label: label(i), decision: label(i) } })
  })

/** Judged rows with their requests and replies: about 11 KB each. */
export const judged = (count = 17_500) =>
  dataFile(`judged-${count}.ndjson`, function* () {
    let i = 0
    for (const pair of pairs(count)) {
      const request = {
        messages: [{ role: 'user', content: `${pair.question}\n${pair.response_A}` }],
        temperature: 0,
      }
      const reply = {
        text: pair.response_B,
        model: 'm',
        usage: { prompt_tokens: 900, completion_tokens: 300 },
      }
      const said = label(i++)
      yield JSON.stringify({
        ...pair,
        jb: {
          judge: 'arena_hard',
          item: pair.pair_id,
          trial: { n: 0, of: 1, order: 'AB' },
          request,
          reply,
          verdict: { label: said, decision: said, strength: 1 },
        },
      })
    }
  })

/** A question and two answers of about so many characters together, every second one with other scripts. */
function texts(draw: () => number, size: number) {
  if (size === 0) return {}
  const foreign = draw() < 0.5
  return {
    question: prose(draw, size / 5, foreign),
    response_A: prose(draw, size * (0.2 + 0.4 * draw()), foreign),
    response_B: prose(draw, size * 0.35, foreign),
  }
}

/** What stands in a pair's row: an id of its own, a source, a label, texts of about so many characters. */
function pair(draw: () => number, size: number) {
  const id = () =>
    Math.floor(draw() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return {
    pair_id: `${id()}-${id()}-${id()}-${id()}`,
    source: SOURCES[Math.floor(draw() * SOURCES.length)]!,
    response_model: `model-${Math.floor(draw() * 9)}`,
    label: draw() < 0.5 ? 'A>B' : 'B>A',
    ...texts(draw, size),
  }
}

/** Pairs of some 6 KB, no two alike. */
export const pairsThatDiffer = (count: number) =>
  dataFile(`differ-${count}.jsonl`, function* () {
    const draw = random(20)
    for (let i = 0; i < count; i++) yield JSON.stringify(pair(draw, 6000))
  })

/** What rows hold beside the trial, as they come from jb-call and from jb-parse. */
type Holds = 'request' | 'reply' | 'verdict'

/** A reply as jb-call writes it: in no two rows the same usage, time, tries, snapshot and reasoning. */
function reply(draw: () => number, text: string, long: boolean) {
  const [prompt, completion] = [700 + Math.floor(1500 * draw()), 5 + Math.floor(700 * draw())]
  return {
    text,
    ...(long && draw() < 0.5 && { reasoning: prose(draw, 900 * draw()) }),
    finish_reason: 'stop',
    model: 'gpt-4o',
    served_model: `gpt-4o-2024-${['05-13', '08-06', '11-20'][Math.floor(draw() * 3)]}`,
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    ms: 300 + Math.floor(draw() ** 3 * 20_000),
    tries: draw() < 0.97 ? 1 : 2,
  }
}

/** Both games of each of so many pairs, a row each, with texts of about `size` characters. */
const games = (name: string, count: number, size: number, holds: Holds[]) =>
  dataFile(`${name}-${count}-${size}.ndjson`, function* () {
    const draw = random(20)
    for (let i = 0; i < count; i++) {
      const row = pair(draw, Math.round(size * (0.7 + 0.6 * draw())))
      for (const order of ['AB', 'BA']) {
        const turned = (decision: string) => (decision === 'A>B' ? 'B>A' : 'A>B')
        const decision = draw() < 0.8 ? row.label : turned(row.label)
        const label = order === 'AB' ? decision : turned(decision)
        const said = size > 0 ? `${prose(draw, 600 + 1200 * draw())}\n\n` : ''
        const all = {
          request: { messages: [{ role: 'user', content: Object.values(row).join('\n\n') }], temperature: 0 },
          reply: reply(draw, `${said}My final verdict is: [[${label}]]`, size > 0),
          verdict: { label, decision, strength: 1 },
        }
        const held = Object.fromEntries(holds.map((key) => [key, all[key]]))
        const trial = { n: order === 'AB' ? 0 : 1, of: 2, order }
        const judge = { judge: 'arena_hard', judge_digest: 'bbb5837ce4e2' }
        yield JSON.stringify({ ...row, jb: { ...judge, item: row.pair_id, trial, ...held } })
      }
    }
  })

/** As jb-parse reads them: 10 to 16 KB a row with texts of 4,600 characters, 0.5 KB without. */
export const gamesReplied = (pairs: number, size: number) =>
  games('games-replied', pairs, size, size > 0 ? ['request', 'reply'] : ['reply'])
/** As jb-aggregate reads what jb-parse wrote. */
export const gamesJudged = (pairs: number, size: number) =>
  games('games-judged', pairs, size, size > 0 ? ['request', 'reply', 'verdict'] : ['reply', 'verdict'])

/**
 * A run of so many pairs, 195 bytes a row: ids of several lengths, labels and verdicts that differ, the verdicts from seed to seed.
 * @param shuffled the same rows in another order
 */
export const comparedRun = (seed: number, shuffled = false, count = 1_000_000) =>
  dataFile(`compared-${seed}${shuffled ? '-shuffled' : ''}-${count}.ndjson`, function* () {
    const [draw, judge, order] = [random(1), random(seed), random(3)]
    const hex = () => Math.floor(draw() * 2 ** 52).toString(16)
    const rows = Array.from({ length: count }, (_, i) => {
      const id = `q${(hex() + hex()).slice(0, [8, 12, 16, 20][i % 4])}${i.toString(36)}`
      const label = ['A>B', 'B>A', 'A=B'][Math.floor(draw() * 3)]
      const said = ['A>B', 'B>A', 'A=B', 'A>>B', 'B>>A'][Math.floor(judge() * 5)]!
      const verdict = { label: said, decision: said.replace(/([<>])+/, '$1'), strength: said.length - 2 }
      const trial = { n: 0, of: 1, order: 'AB' }
      return JSON.stringify({ id, label, jb: { judge: 'arena_hard', item: `${id}-i`, trial, verdict } })
    })
    for (let i = count - 1; shuffled && i > 0; i--) {
      const other = Math.floor(order() * (i + 1))
      ;[rows[i], rows[other]] = [rows[other]!, rows[i]!]
    }
    yield* rows
  })
