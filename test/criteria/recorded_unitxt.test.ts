/** What EvalAssist's Unitxt judges made of replies drawn by chance (scripts/oracles/eval_assist_unitxt.py), through the filters. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject, Trial } from '../../src/rows/record.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe, type Ran, ROOT } from '../helpers/run.ts'

interface Recorded {
  pairwise: boolean
  both: boolean
  fields: { response: string | string[] }
  criterion: JsonObject
  /** Orders and pairs of answers as they were shown, each with its two replies. */
  asked: [order: string, pair: [number, number] | null][]
  replies: [assessment: string, choice: string][]
  expected: JsonObject
}

const all = readFileSync(`${ROOT}fixtures/evalassist_unitxt.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

/** The replies to a trial: turned round, a pair has the places of the list the other way round. */
function repliesTo({ fields, asked, replies }: Recorded, { order = 'AB', pair }: Trial) {
  const last = fields.response.length - 1
  const [a, b] = (pair ?? []) as number[]
  const shown = order === 'BA' ? [last - b!, last - a!] : [a, b]
  return replies[asked.findIndex(([o, p]) => o === order && (p === null || p.join() === shown.join()))]!
}

/** A result without metadata, which is empty there. */
function told(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(told)
  if (value === null || typeof value !== 'object') return value
  const { metadata: _, ...kept } = value as JsonObject
  return Object.fromEntries(Object.entries(kept).map(([key, one]) => [key, told(one)]))
}

for (const pairwise of [false, true])
  for (const both of [false, true])
    test(`as EvalAssist’s Unitxt judges: ${pairwise ? 'pairwise' : 'direct'}${both ? ', both orders' : ''}`, async () => {
      const cases = all.filter((one) => one.pairwise === pairwise && one.both === both)
      const items = cases.map(({ fields, criterion }, id) => ({ id: String(id), fields, criterion }))
      const judge = pairwise ? 'unitxt_pairwise' : 'unitxt'
      const answered = (ran: Ran, call: 0 | 1) =>
        ndjson(
          rowsOf(fine(ran)).map(({ id, jb, ...item }) => ({
            id,
            ...item,
            jb: { ...jb, reply: { text: repliesTo(cases[Number(id)]!, jb.trial!)[call], model: 'm' } },
          })),
        )
      const order = both ? ['--order', 'both'] : []
      const asked = await jb(
        'render',
        [judge, '--compat', 'evalassist', '--criteria', '@criterion', ...order],
        {
          stdin: ndjson(items),
        },
      )
      const again = await jb('render', [`${judge}_select`, '--compat', 'evalassist'], {
        stdin: answered(asked, 0),
      })
      const { stdout } = await pipe('jb-parse -q | jb-write -q evalassist --compat evalassist', {
        stdin: answered(again, 1),
      })
      for (const [i, line] of stdout.trim().split('\n').entries())
        assert.deepEqual(told(JSON.parse(line)), cases[i]!.expected, `case ${i}`)
    })
