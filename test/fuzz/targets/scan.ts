/** Bytes as one line: what the scanner finds in it is what JSON.parse finds, and it neither loops nor reads past its end. */
import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { Plan, scan } from '../../../src/rows/plan.ts'
import { isObject } from '../../../src/rows/record.ts'
import { membersIn } from '../../../src/rows/scan.ts'
import { linesOf, randomRows } from '../../rows/_random_jb.ts'
import type { Target } from '../_target.ts'

const WANTED = ['item', 'judge', 'trial', 'reply', 'verdict', 'error']
const plan = new Plan(...WANTED, 'trial.n', 'reply.usage.*', 'verdict.decision')

export const target: Target = {
  words: [
    '"item":',
    '"reply":{',
    '"usage":{',
    '\\u0069tem',
    '\\"',
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    '1e5',
  ],
  seeds: () =>
    linesOf(randomRows(40, 9))
      .split('\n')
      .filter((line) => line.length < 4000)
      .map((line) => line.slice(line.indexOf('"jb":') + 5, -1)),
  async run(input) {
    const end = input.indexOf('\n') < 0 ? input.length : input.indexOf('\n')
    const bytes = Buffer.concat([input.subarray(0, end), Buffer.from('\n"}]}')])
    const after = scan(bytes, 0, end, plan)
    if (after > end || membersIn(bytes, 0, end, []) > end) throw new Error('read past the end')
    if (!isUtf8(bytes)) return []
    const value = parsed(bytes.toString('utf8', 0, end))
    if (!isObject(value) || bytes[0] !== 0x7b) return []
    for (const key of WANTED) {
      const [from, to] = [plan.at[2 * plan.slot(key)]!, plan.at[2 * plan.slot(key) + 1]!]
      const found = from < 0 ? undefined : JSON.parse(bytes.toString('utf8', from, to))
      const wanted = Object.hasOwn(value, key) ? value[key] : undefined
      if (!isDeepStrictEqual(found, wanted)) throw new Error(`${key}: ${JSON.stringify(found)}`)
    }
    return []
  },
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
