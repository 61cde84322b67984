/** Random mutations of rows through the filters: no row ends a run, and what is written is JSON. */
import assert from 'node:assert/strict'
import { Choices } from '../helpers/random.ts'
import { type Filter, jb, shown } from '../helpers/run.ts'

const VERDICT =
  '{"id":"7","question":"q é","response_A":"a","response_B":"b","label":"A>B","jb":{"judge":"vanilla","judge_digest":"x","item":"7","trial":{"n":0,"of":1,"order":"AB"},"request":{"messages":[{"role":"user","content":"q"}],"temperature":0},"reply":{"text":"Output (a)","model":"m","finish_reason":"stop","usage":{"prompt_tokens":3}},"verdict":{"label":"a","decision":"A>B"}}}'
const RESULT =
  '{"id":"8","label":"B>A","jb":{"judge":"vanilla","item":"8","result":{"kind":"pairwise","decision":"A>B","scores":[1.0,0.0],"model":"m"},"trials":[{"trial":{"n":0,"of":1},"verdict":{"label":"a","decision":"A>B"}}]}}'
const FAILED =
  '{"id":"9","jb":{"judge":"vanilla","item":"9","error":{"stage":"call","code":"timeout","message":"m","retryable":true}}}'

/** What is put into a row, in place of a part of it. */
const ODD = [
  ...[
    'NaN',
    '-Infinity',
    '01',
    '1.',
    '"Expl"ain"',
    '\t',
    '\u0001',
    '\\q',
    ',',
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ' ',
    '\\',
  ],
  ...[
    'null',
    'true',
    '1e400',
    '-0',
    '12345678901234567890',
    '[]',
    '{}',
    '""',
    '"\\ud800"',
    '\u2028',
    '\ufeff',
    'é',
  ],
  ...[
    '"j\\u0062":{}',
    ',"jb":{}',
    '"jb":1',
    '"jb":null',
    '"a":{"a":1,"jb":{}}',
    ',"__proto__":{"x":1}',
    '"of":2',
    '"n":-1',
  ],
  ...[`${'['.repeat(120)}${']'.repeat(120)}`, `${'{"a":'.repeat(99)}1${'}'.repeat(99)}`, '"source":{}'],
]

/** A row, changed in one to three places: a part left out, doubled, moved, or in place of it something odd. */
function mutated(choices: Choices): string {
  let row = choices.pick([VERDICT, VERDICT, RESULT, FAILED])
  for (let left = choices.between(1, 3); left > 0; left--) {
    const from = choices.below(row.length)
    const to = Math.min(row.length, from + choices.below(12))
    const part = row.slice(from, to)
    const into = choices.pick([choices.pick(ODD), choices.pick(ODD), '', part + part])
    row = row.slice(0, from) + into + row.slice(choices.chance(0.5) ? to : from)
    // Between values, where it may still be JSON.
    if (choices.chance(0.5))
      row = row.replace(choices.pick([':1', '"a"', '"m"', 'null', '"7"', '[1.0,0.0]']), () =>
        choices.pick(ODD),
      )
  }
  return row.replaceAll('\n', ' ')
}

const FILTERS: [Filter, ...string[]][] = [
  ['parse'],
  ['render', 'vanilla', '--undefined', 'empty'],
  ['score'],
  ['aggregate', '--format', 'json'],
  ['write', 'csv'],
  ['view', '--text'],
]
const WRITE_JSON: readonly string[] = ['parse', 'render', 'score', 'aggregate']

/** Puts so many mutated rows through each filter. @param together how many are one input */
export async function mutatedRows(count: number, together: number, seed: number): Promise<void> {
  const choices = new Choices(seed)
  for (let done = 0; done < count; done += together) {
    const rows = Array.from({ length: together }, () => mutated(choices))
    const stdin = `${rows.join('\n')}\n`
    for (const [filter, ...args] of FILTERS) {
      const ran = await jb(filter, ['-q', '--bad-rows', 'pass', ...args], { stdin })
      assert.ok([0, 1, 65].includes(ran.code as number), `${stdin}\n${shown(ran)}`)
      if (!WRITE_JSON.includes(filter)) continue
      for (const line of ran.stdout.split('\n').slice(0, -1))
        assert.doesNotThrow(() => JSON.parse(line), `${filter} wrote ${line}\n${stdin}`)
    }
  }
}
