/** Rows whose `jb` holds random JSON where something of the toolkit's should stand, put through every stage. */
import assert from 'node:assert/strict'
import { aggregate, audit, call, compare, parse, type Rows, rank, render, score } from '../../src/index.ts'
import { ERROR_CODES, Fatal, type Jb } from '../../src/rows/record.ts'
import { encode, Row } from '../../src/rows/row.ts'
import { jb, shown } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'

type Random = () => number

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!

const WORDS = [
  '',
  'A>B',
  'tie',
  '__proto__',
  'constructor',
  'toString',
  'é\u202e\u0000',
  '1',
  '[[A]]',
  './e.mjs',
]
const NUMBERS = [0, -1, 0.5, 1e308, 2 ** 53, -0, 3]

function randomJson(random: Random, depth = 0): unknown {
  const kind = random()
  if (kind < 0.12) return null
  if (kind < 0.2) return random() < 0.5
  if (kind < 0.4) return pick(random, NUMBERS)
  if (kind < 0.6 || depth > 3) return pick(random, WORDS)
  const size = Math.floor(random() * 4)
  if (kind < 0.8) return Array.from({ length: size }, () => randomJson(random, depth + 1))
  const keys = ['name', 'options', 'text', 'reply', 'n', 'of', 'score', 'trial', 'verdict', ...WORDS]
  return Object.fromEntries(
    Array.from({ length: size }, () => [pick(random, keys), randomJson(random, depth + 1)]),
  )
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const CRITERION = {
  name: 'tone',
  description: 'Is it kind?',
  to_evaluate_field: 'response',
  context_fields: null,
  options: [
    { name: 'Yes', description: '', score: 1 },
    { name: 'No', description: '', score: 0 },
  ],
}
const trial = { n: 0, of: 1 }
const reply = (text: string) => ({ text, model: 'm', finish_reason: 'stop', usage: USAGE, ms: 3, tries: 1 })
const request = { messages: [{ role: 'user', content: 'Which?' }], temperature: 0 }

/** Sound `jb`s of every kind of judge, as they are after each stage. */
const SOUND: Record<string, unknown>[] = [
  {
    judge: 'arena_hard',
    trial: { n: 0, of: 1, order: 'BA' },
    request,
    reply: reply('[[A>>B]]'),
    verdict: { label: 'A>>B', decision: 'B>A', strength: 2 },
  },
  { judge: 'vanilla', trial, request, reply: reply('Output (a)') },
  {
    judge: 'mt_bench',
    trial,
    request,
    reply: reply('[[7]]'),
    verdict: { label: '7', score: 7, range: [1, 10] },
  },
  {
    judge: 'direct',
    trial: { ...trial, criterion: 'tone', options: ['Yes', 'No'] },
    criterion: CRITERION,
    request,
    reply: reply('{"option":"Yes"}'),
    verdict: { label: 'Yes', option: 'Yes', score: 1 },
  },
  { judge: 'nuggetize', trial, request, reply: reply('["a"]'), verdict: { label: null, items: ['a'] } },
  {
    judge: 'pairwise',
    trial: { ...trial, answers: 3, pair: [0, 1] },
    criterion: CRITERION,
    request,
    reply: reply('1'),
    verdict: { label: '1', winner: 1 },
  },
  {
    judge: 'vanilla',
    trial,
    chain: [{ judge: 'direct', reply: reply('x') }],
    request,
    reply: reply('x'),
    error: { stage: 'parse', code: 'no_verdict', message: 'none' },
  },
  {
    judge: 'arena_hard',
    result: { decision: 'A>B', scores: [1, 0], correct: true, model: 'm' },
    trials: [{ trial, verdict: { label: 'A', decision: 'A>B' }, usage: USAGE, model: 'm' }],
  },
  {
    judge: 'direct',
    criteria: [CRITERION],
    result: { option: 'Yes', score: 1 },
    trials: [{ trial, verdict: { label: 'Yes', option: 'Yes', score: 1 }, model: 'm' }],
  },
]

/** Share of rows with JSON that is nested deeply: each is as long as a hundred others. */
const DEEP = 0.01

/** JSON nested as deep as a file may hold it. */
const deep = (levels: number): unknown => {
  let value: unknown = 0
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { object: value }
  return value
}

/** A copy of the value with random JSON somewhere in it. */
function broken(value: unknown, random: Random): unknown {
  if (value === null || typeof value !== 'object' || random() < 0.3) return randomJson(random)
  if (Array.isArray(value)) {
    const at = Math.floor(random() * value.length)
    return value.map((one, i) => (i === at ? broken(one, random) : one))
  }
  const key = pick(random, Object.keys(value))
  return { ...value, [key]: broken((value as Record<string, unknown>)[key], random) }
}

export function randomRows(count: number, seed: number): object[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, id) => {
    let jb: unknown = { ...pick(random, SOUND), item: String(id) }
    const times = 1 + Math.floor(random() * 3)
    for (let i = 0; i < times; i++) {
      const before = jb
      jb = broken(jb, random)
      if (jb === null || typeof jb !== 'object' || Array.isArray(jb)) jb = before
    }
    // An item that is there twice counts once.
    const { item } = jb as { item?: unknown }
    if (typeof item === 'string') jb = { ...(jb as object), item: `${item}#${id}` }
    // Equal numbers would be the same item, counted once.
    else if (typeof item === 'number') jb = { ...(jb as object), item: id + 0.5 }
    else if (item !== undefined) jb = { ...(jb as object), item: [item, id] }
    if (random() < DEEP)
      jb = { ...(jb as object), [pick(random, ['verdict', 'result', 'reply', 'label'])]: deep(20_000) }
    const label = random() < DEEP ? deep(20_000) : pick(random, ['A>B', 'B>A', 1, null, ['x']])
    return {
      id,
      question: 'q',
      response_A: 'a',
      response_B: 'bb',
      response: 'r',
      run_id: 'r',
      topic_id: `t${id}`,
      label,
      jb,
    }
  })
}

/** JSON of any depth: JSON.stringify has a stack. */
function lineOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const parts: string[] = []
  const work: (unknown | { close: string })[] = [value]
  const TEXT = Symbol('text')
  const text = (words: string) => ({ [TEXT]: words })
  while (work.length > 0) {
    const one = work.pop()
    if (one === null || typeof one !== 'object') parts.push(JSON.stringify(one))
    else if (TEXT in one) parts.push((one as { [TEXT]: string })[TEXT])
    else {
      const list = Array.isArray(one)
      const members: unknown[] = [text(list ? '[' : '{')]
      for (const [i, [key, inner]] of Object.entries(one).entries())
        members.push(text(`${i > 0 ? ',' : ''}${list ? '' : `${JSON.stringify(key)}:`}`), inner)
      members.push(text(list ? ']' : '}'))
      work.push(...members.reverse())
    }
  }
  return parts.join('')
}

export const linesOf = (rows: object[]) => rows.map(lineOf).join('\n')

/** What every row is said to be of; line N holds id N - 1. */
export const FILE = '(random)'
const FAILURE = new RegExp(`^(?:${ERROR_CODES.join('|')}): `)

/**
 * Notes the lines of rows that a report says cannot be read. @throws AssertionError where a failure has no place, or
 * what is said of the row there is not so
 */
function listener(rows: readonly Row[], unread: Set<number>) {
  return (message: string, where?: { file?: string; line?: number }) => {
    if (!FAILURE.test(message)) return
    const row = rows[(where?.line ?? 0) - 1]
    assert.ok(row && where?.file === FILE, `${message}: of ${where?.file}:${where?.line}`)
    const [, wrong, key] = /^bad_record: (jb\.(\w+).*)/s.exec(message) ?? []
    if (key === undefined) return
    unread.add(where.line!)
    const read = () => row.get(key as keyof Jb & string)
    assert.throws(read, { message: wrong }, `${message}: of ${FILE}:${where.line}`)
  }
}

/** Puts the rows through every stage. @throws AssertionError where one ends, loses a row, or fails one without its place */
export async function throughEveryStage(text: string): Promise<void> {
  const given = text.split('\n').map((line, i) => Row.read(encode(line), FILE, i + 1))
  const count = given.length
  const rows = async function* () {
    yield text.split('\n').map((line, i) => Row.read(encode(line), FILE, i + 1))
  }
  const unread = new Set<number>()
  const context = { env: {}, note: listener(given, unread) }
  const wholes: Record<string, () => Rows> = {
    render: () => render('vanilla', rows(), {}, context),
    'render chain': () => render('unitxt_select', rows(), {}, context),
    'render criteria': () => render('direct', rows(), { criteria: 'conciseness' }, context),
    call: () => call(rows(), { model: 'baseline:longer', noCache: true, maxErrorRate: 1 }, context),
    'call --refresh': () =>
      call(
        rows(),
        { model: 'baseline:overlap', noCache: true, refresh: true, repair: 2, maxErrorRate: 1 },
        context,
      ),
    parse: () => parse(rows(), {}, context),
    'parse --compat': () => parse(rows(), { compat: 'evalassist' }, context),
    score: () => score(rows(), {}, context),
  }
  for (const [name, run] of Object.entries(wholes)) {
    const out = await all(run(), name)
    if (!name.startsWith('render')) assert.equal(out.length, count, `${name}: rows are lost`)
    assert.equal(new Set(out.map((row) => row.field('id'))).size, count, `${name}: rows are lost`)
    for (const row of out) {
      assert.equal(`${row.file}:${row.line}`, `${FILE}:${Number(row.field('id')) + 1}`, name)
    }
  }
  const reports: Record<string, () => AsyncIterable<string | Row[]>> = {
    aggregate: () => aggregate(rows(), { format: 'json' }, context),
    'aggregate --format table': () => aggregate(rows(), { format: 'table', by: 'label' }, context),
    compare: () => compare(rows(), { run: 'label' }, context),
    'compare --show missing': () => compare(rows(), { run: 'label', show: 'missing' }, context),
    'compare --by': () => compare(rows(), { by: 'label', value: 'id' }, context),
    'rank --by': () => rank(rows(), { bootstrap: 20, by: 'label' }, context),
    'rank --show pairs': () => rank(rows(), { show: 'pairs', format: 'table' }, context),
    audit: () => audit(rows(), {}, context),
    'audit --format table': () => audit(rows(), { label: 'label', format: 'table' }, context),
    ...Object.fromEntries(
      [
        'judgebench',
        'rm-gallery',
        'lm-eval',
        'lm-eval-details',
        'mt-bench',
        'mt-bench-csv',
        'evalassist',
        'responses',
        'nuggets',
        'trec',
        'qrels',
        'spread',
      ].map((as) => [`aggregate --as ${as}`, () => aggregate(rows(), { as }, context)]),
    ),
  }
  for (const [name, run] of Object.entries(reports)) {
    let report = ''
    unread.clear()
    try {
      for await (const part of run()) if (typeof part === 'string') report += part
    } catch (error) {
      // A whole file may be none of that format's: then it says so.
      if (!(error instanceof Fatal) || error.exitCode === 70)
        throw new Error(`${name}: ${(error as Error).stack}`)
    }
    if (name !== 'aggregate') continue
    const reports = objects(report)
    const sum = (of: (one: (typeof reports)[number]) => number) =>
      reports.reduce((all, one) => all + of(one), 0)
    assert.equal(
      sum(({ items }) => items),
      count,
      'aggregate: rows are lost',
    )
    const failed = sum(({ failures }) => failures.bad_record ?? 0)
    // An item that lacks trials is incomplete, whatever else is wrong with it.
    const incomplete = sum(({ failures }) => failures.incomplete ?? 0)
    // A label that is nested too deeply fails the item, not the row: jb-score says where.
    const deep = text.match(/"label":\[\{"object":/g)?.length ?? 0
    assert.ok(
      unread.size >= failed - deep && unread.size <= failed + incomplete,
      `aggregate: ${unread.size} rows that cannot be read have their place told, ${failed} are counted`,
    )
  }
}

const COMMANDS: [filter: string, ...args: string[]][] = [
  ['render', 'vanilla'],
  ['call', '-m', 'baseline:longer', '--no-cache', '--max-error-rate', '1'],
  ['parse'],
  ['score'],
  ['aggregate'],
  ['compare', '--run', 'label'],
  ['rank', '--by', 'label'],
  ['audit'],
  ['view', '--text'],
  ['view'],
]

/** The same rows through the commands. @throws AssertionError where one fails as a bug, or names a failure without its line */
export async function throughEveryCommand(text: string): Promise<void> {
  const lines = text.split('\n').length
  for (const [filter, ...args] of COMMANDS) {
    const ran = await jb(filter, args, { stdin: text })
    assert.ok([0, 1].includes(ran.code!), shown(ran))
    const said = ran.stderr
      .split('\n')
      .filter((line) => FAILURE.test(line.replace(/^jb-\w+: (?:\(stdin\):\d+: )?/, '')))
    assert.notEqual(said.length, 0, shown(ran))
    for (const line of said) {
      const place = Number(/^jb-\w+: \(stdin\):(\d+): /.exec(line)?.[1])
      assert.ok(place >= 1 && place <= lines, line)
    }
  }
}

async function all(rows: Rows, name: string): Promise<Row[]> {
  const out: Row[] = []
  try {
    for await (const batch of rows) out.push(...batch)
  } catch (error) {
    if (!(error instanceof Fatal) || error.exitCode === 70)
      throw new Error(`${name}: ${(error as Error).stack}`)
    if (error.exitCode !== 1) throw new Error(`${name}: exit ${error.exitCode}: ${error.message}`)
  }
  return out
}
