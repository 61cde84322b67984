/** Rows of any kind, put through every stage and every command. */
import assert from 'node:assert/strict'
import {
  aggregate,
  audit,
  call,
  compare,
  parse,
  type Rows,
  rank,
  render,
  score,
  write,
} from '../../src/index.ts'
import { ERROR_CODES, Fatal, type Jb } from '../../src/rows/record.ts'
import { Row } from '../../src/rows/row.ts'
import { jb, shown } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'

/** What every row is said to be of; line N holds id N - 1. */
const FILE = '(random)'
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
  const given = text.split('\n').map((line, i) => Row.read(line, FILE, i + 1))
  const count = given.length
  const rows = async function* () {
    yield text.split('\n').map((line, i) => Row.read(line, FILE, i + 1))
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
  const reports: Record<string, () => AsyncIterable<string | Row[] | Uint8Array>> = {
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
        'csv',
      ].map((format) => [`write ${format}`, () => write(format, rows(), {}, context)]),
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
    // An item that failed before it had a model counts in each run that it may be of.
    const items = sum((one) => one.items)
    assert.ok(items >= count, `aggregate: ${count - items} rows are lost`)
    const failed = sum(({ failures }) => failures.bad_record ?? 0)
    // An item that lacks trials is incomplete, whatever else is wrong with it.
    const incomplete = sum(({ failures }) => failures.incomplete ?? 0)
    assert.ok(
      unread.size <= failed + incomplete,
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
