/** What EvalAssist made of replies drawn by chance (scripts/oracles/eval_assist.py), field by field, through the filters. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject } from '../../src/rows/record.ts'
import { judgeServer } from '../helpers/judge_server.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { jb, pipe, ROOT } from '../helpers/run.ts'

interface Recorded {
  pairwise: boolean
  both: boolean
  samples: number
  feedback: boolean
  fail: 'random' | 'raise'
  fields: JsonObject
  /** Several: they are evaluated together. */
  criterion: JsonObject | JsonObject[]
  first: string[]
  repairs: string[]
  expected?: JsonObject
  error?: string
}

const all = readFileSync(`${ROOT}fixtures/evalassist.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

/** A result without what is not compared: prompts, ids, the words of a parser. */
function told(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(told)
  if (value === null || typeof value !== 'object') return value
  const { prompt: _, id: __, ...kept } = value as JsonObject
  if (kept.parsing_error !== undefined) kept.parsing_error = true
  return Object.fromEntries(Object.entries(kept).map(([key, one]) => [key, told(one)]))
}

/** Keys in their order, a line each. */
const lines = (value: unknown) => JSON.stringify(value, null, 1)

const kindOf = ({ pairwise, both, samples, feedback, fail }: Recorded) =>
  [
    pairwise ? 'pairwise' : 'direct',
    '--compat evalassist --criteria @criterion',
    both ? '--order both' : '',
    samples > 0 ? `--samples ${samples}` : '',
    feedback ? '--set feedback=true' : '',
    fail === 'raise' ? '--set on_generation_failure=raise' : '',
  ].join(' ')

for (const kind of new Set(all.map(kindOf)))
  test(`as EvalAssist: ${kind}`, async (t) => {
    const cases = all.filter((one) => kindOf(one) === kind)
    const items = cases.map(({ fields, criterion }, id) => ({ id: String(id), fields, criterion }))
    const trials = await jb('render', kind.split(' ').filter(Boolean), { stdin: ndjson(items) })
    const asked = rowsOf(trials).filter(({ jb: { request } }) => request)
    const waiting = asked.map(({ id, jb: { request, trial } }) => {
      const { criterion, samples, first, repairs } = cases[Number(id)]!
      const names = [criterion].flat().map(({ name }, i) => name || `criteria_${i + 1}`)
      const block =
        Math.max(0, names.indexOf(String(trial!.criterion))) + (trial!.order === 'BA' ? names.length : 0)
      const at = block * Math.max(samples, 1) + Number(trial!.sample ?? 0)
      return { messages: JSON.stringify(request!.messages), replies: [first[at]!, ...repairs] }
    })
    let replies: string[] = []
    // Trials come one after the other; what is no trial's first request asks for a repair.
    const server = await judgeServer(t, ({ messages }) => {
      if (JSON.stringify(messages) === waiting[0]?.messages) replies = [...waiting.shift()!.replies]
      return replies.shift()!
    })
    const { stdout } = await pipe(
      `jb-call -q -m m -j 1 --no-cache --temperature 1 --repair 3 --max-error-rate 1 --base-url ${server.url} |
       jb-parse -q | jb-write -q evalassist --compat evalassist`,
      { stdin: trials.stdout },
    )
    for (const [i, line] of stdout.trim().split('\n').entries()) {
      const result = JSON.parse(line) as JsonObject
      // There the run ends; here the row says that it failed.
      if (cases[i]!.error) assert.ok((result.metadata as JsonObject).error, `case ${i}`)
      else assert.equal(lines(told(result)), lines(cases[i]!.expected), `case ${i}`)
    }
    assert.equal(waiting.length, 0)
  })
