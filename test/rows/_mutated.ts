/** Random mutations of rows through the filters: no row ends a run, and what is written is JSON. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { Choices } from '../helpers/random.ts'
import { type Filter, jb, shown } from '../helpers/run.ts'

const VERDICT =
  '{"id":"7","question":"q é","response_A":"a","response_B":"b","label":"A>B","jb":{"judge":"vanilla","judge_digest":"x","item":"7","trial":{"n":0,"of":1,"order":"AB"},"request":{"messages":[{"role":"user","content":"q"}],"temperature":0},"reply":{"text":"Output (a)","model":"m","finish_reason":"stop","usage":{"prompt_tokens":3}},"verdict":{"label":"a","decision":"A>B"}}}'
const RESULT =
  '{"id":"8","label":"B>A","jb":{"judge":"vanilla","item":"8","result":{"kind":"pairwise","decision":"A>B","scores":[1.0,0.0],"model":"m"},"trials":[{"trial":{"n":0,"of":1},"verdict":{"label":"a","decision":"A>B"}}]}}'
const FAILED =
  '{"id":"9","jb":{"judge":"vanilla","item":"9","error":{"stage":"call","code":"timeout","message":"m","retryable":true}}}'

const GRADED =
  '{"id":"5","topic_id":"t","run_id":"r","response":"a","label":1,"jb":{"judge":"umbrela","item":"5","trial":{"n":0,"of":1},"reply":{"text":"2","model":"m"},"result":{"kind":"pointwise","score":2.0,"model":"m"}}}'
const BATTLE =
  '{"id":"6","model_a":"x","model_b":"y","response_A":"a","response_B":"bb","jb":{"judge":"arena_hard","item":"6","trial":{"n":0,"of":1,"order":"AB"},"reply":{"text":"[[B>A]]","model":"m"},"verdict":{"label":"B>A","decision":"B>A"}}}'
const SEEDS = [VERDICT, VERDICT, RESULT, FAILED, GRADED, BATTLE]
const SEEDS_FILE = join(mkdtempSync(join(tmpdir(), 'jb-mutated-')), 'seeds.ndjson')
writeFileSync(SEEDS_FILE, `${SEEDS.slice(1).join('\n')}\n`)
after(() => rmSync(dirname(SEEDS_FILE), { recursive: true }))

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
    '😀',
    '😀'.repeat(150),
    `x${'😀'.repeat(150)}`,
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
function mutated(choices: Choices, row: string): string {
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

/** Every filter that writes rows or reports of them, and every writer of jb-write that writes JSON. */
const FILTERS: [Filter, ...string[]][] = [
  ['read', 'json'],
  ['render', 'vanilla', '--undefined', 'empty'],
  ['call', '-m', 'baseline:longer', '--no-cache'],
  ['parse'],
  ['score'],
  ['aggregate', '--format', 'json'],
  ['compare', '--format', 'json', `before=${SEEDS_FILE}`, 'after=-'],
  ['compare', '--show', 'flips', `before=${SEEDS_FILE}`, 'after=-'],
  ['audit', '--format', 'json'],
  ['audit', '--next', '4', '--truth', 'nobody'],
  ['rank', '--format', 'json'],
  ['view', '--text'],
  ['view'],
  ...[
    ...['evalassist', 'jsonl', 'lm-eval-details', 'mlflow', 'mt-bench-judgments', 'nuggets', 'otel'],
    ...['responses', 'rewardbench', 'rewardbench2', 'lm-eval', 'mt-bench', 'rm-gallery'],
    ...['rm-gallery-rewardbench2', 'csv', 'junit', 'github'],
  ].map((format): [Filter, string] => ['write', format]),
  ['write', 'every_eval_ever', '--dataset', 'd'],
]
/** Their output is text, a page or a table. */
const TEXT: readonly string[] = ['view', 'csv', 'junit', 'github']
/** One JSON value over several lines. */
const WHOLE: readonly string[] = ['lm-eval', 'mt-bench', 'rm-gallery', 'rm-gallery-rewardbench2']

/** How many values jq reads from what was written; undefined where there is no jq. */
function jqCount(written: string): number | undefined {
  const { stdout, stderr, status, error } = spawnSync('jq', ['-c', '.'], {
    input: written,
    maxBuffer: 1 << 30,
  })
  if ((error as NodeJS.ErrnoException)?.code === 'ENOENT') return
  const line = Number(/at line (\d+)/.exec(String(stderr))?.[1] ?? 0)
  assert.equal(
    status,
    0,
    `jq: ${stderr}${written
      .split('\n')
      .slice(line - 2, line)
      .join('\n')}`,
  )
  return stdout.reduce((lines, byte) => lines + Number(byte === 10), 0)
}

/** Puts so many mutated rows through each filter, and what they write through jq. @param together how many are one input */
export async function mutatedRows(
  t: TestContext,
  count: number,
  together: number,
  seed: number,
): Promise<void> {
  const choices = new Choices(seed)
  let written: string[] = []
  let size = 0
  const read = () => {
    const values = jqCount(`${written.join('\n')}\n`)
    if (values === undefined) t.diagnostic('jq is not here: what was written is read by JSON.parse alone')
    else assert.equal(values, written.length)
    written = []
    size = 0
  }
  for (let done = 0; done < count; done += together) {
    // Rows of one kind together, too: many formats take no other.
    const seeds = choices.chance(0.5) ? SEEDS : [choices.pick(SEEDS)]
    const rows = Array.from({ length: together }, () => mutated(choices, choices.pick(seeds)))
    const stdin = `${rows.join('\n')}\n`
    for (const [filter, ...args] of FILTERS) {
      const ran = await jb(filter, ['-q', '--bad-rows', 'pass', ...args], { stdin })
      // Its configuration is wrong where a pair has no label.
      const ends = args[0] === 'rm-gallery' ? [0, 1, 65, 78] : [0, 1, 65]
      assert.ok(ends.includes(ran.code as number), `${stdin}\n${shown(ran)}`)
      if (TEXT.includes(filter) || TEXT.includes(args[0]!)) continue
      const values = WHOLE.includes(args[0]!)
        ? [ran.stdout].filter(Boolean)
        : ran.stdout.split('\n').slice(0, -1)
      for (const value of values) {
        assert.doesNotThrow(() => JSON.parse(value), `${filter} ${args.join(' ')} wrote ${value}\n${stdin}`)
        // jq 1.6 refuses half a pair; rows keep the ones they bring, and no filter may make others.
        if (value.includes('\\ud800')) continue
        written.push(value)
        size += value.length
      }
    }
    if (size > 1e7) read()
  }
  read()
}
