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
