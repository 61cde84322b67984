/** However many threads read a file, and wherever it is cut: the same bytes on stdout and stderr, the same exit code. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { fileSource } from '../../src/files/files.ts'
import type { FilterSpec } from '../../src/options/option.ts'
import { linesAmong } from '../../src/rows/chunks.ts'
import { planOf } from '../../src/run/threads/plan.ts'
import { spec as parseSpec } from '../../src/stages/parse/options.ts'
import { spec as renderSpec } from '../../src/stages/render/options.ts'
import { folder } from '../helpers/folder.ts'
import { runs } from '../helpers/random.ts'
import { ndjson, pair, replied } from '../helpers/rows.ts'
import { fine, jb, shown } from '../helpers/run.ts'
import { threadsHere } from '../helpers/threads.ts'

const line = (row: object) => JSON.stringify(row)
const reply = fc.constantFrom('Output (a)', 'Output (b)', 'neither', '', '[[A>B]] é', 'x'.repeat(700))
const judge = fc.constantFrom('vanilla', 'arena_hard', 'nobody')
const failed = { stage: 'call', code: 'timeout', message: 'late', retryable: true }

/** A row with a reply, one with an item alone, one that failed, and lines that are no rows. */
const lines = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(judge, reply).map(([name, text]) => line(replied(name, text))) },
  { weight: 4, arbitrary: fc.nat(9).map((id) => line(pair({ pair_id: `p${id}` }))) },
  { weight: 2, arbitrary: fc.constant(line(pair({ jb: { judge: 'vanilla', item: 'x', error: failed } }))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '{"a":1,,}', '[1]', 'word', '{"a":"\xff"}', '{"jb":1}', '{}'),
  },
  { weight: 1, arbitrary: fc.nat(3000).map((size) => line({ id: 'long', text: 'y'.repeat(size) })) },
)
const file = fc
  .record({
    lines: fc.array(lines, { maxLength: 40 }),
    end: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
    whole: fc.boolean(),
  })
  .map(({ lines, end, bom, whole }) => {
    const text = lines.join(end) + (whole && lines.length > 0 ? end : '')
    return Buffer.from(`${bom ? '\xef\xbb\xbf' : ''}${text}`, 'latin1')
  })
interface Split {
  /** Bytes of a range. */
  range: number
  /** Undefined where `--threads` is not given, and there are cores and rows enough. */
  threads: number | undefined
}

const splits = (min: number, max: number): fc.Arbitrary<Split> =>
  fc.record({ range: fc.integer({ min, max }), threads: fc.constantFrom(undefined, 2, 3, 7) })

/** The same command with one thread and with several. */
async function same(filter: string, args: string[], cwd: string, { range, threads }: Split) {
  const here = threadsHere(range, undefined, { rowsAThread: 4, cores: 3 })
  const run = (threads: number | undefined) =>
    jb(filter, threads === undefined ? args : [`--threads=${threads}`, ...args], { cwd, threads: here })
  const [wanted, ran] = [await run(1), await run(threads)]
  const differs = ran.code !== wanted.code || ran.stderr !== wanted.stderr || !ran.bytes.equals(wanted.bytes)
  assert.ok(!differs, `${shown(wanted)}\n\nbut\n\n${shown(ran)}`)
}

const FILTERS: [filter: string, args: fc.Arbitrary<string[]>][] = [
  ['parse', fc.constantFrom([], ['--judge=vanilla'], ['--fallback=3'])],
  ['render', fc.constantFrom(['vanilla'], ['arena_hard', '--order=both'])],
]
const COMMON = fc.tuple(
  fc.constantFrom('--bad-rows=skip', '--bad-rows=pass', '--bad-rows=stop'),
  fc.constantFrom([], [], ['--strict'], ['-v'], ['-q']),
)

describe('any number of threads gives what one gives', () => {
  for (const [filter, options] of FILTERS)
    test(`jb-${filter}`, async (t) => {
      const cwd = folder(t)
      await fc.assert(
        fc.asyncProperty(
          fc.array(file, { minLength: 1, maxLength: 3 }),
          splits(40, 2000),
          options,
          COMMON,
          async (files, split, args, [badRows, more]) => {
            const names = files.map((bytes, i) => {
              writeFileSync(join(cwd, `${i}.ndjson`), bytes)
              return `${i}.ndjson`
            })
            await same(filter, [...args, badRows, ...more, ...names], cwd, split)
          },
        ),
        { numRuns: runs(12), seed: 4 },
      )
    })
})

/** Games of items: of one, two or three trials, in several runs, that fail, are there again, contradict each other. */
const game = fc.record({
  item: fc.nat(30),
  of: fc.constantFrom(1, 2, 2, 2, 3),
  judge: fc.constantFrom('j', 'j', 'j', 'k'),
  model: fc.constantFrom('m', 'm', 'm', 'other'),
  source: fc.constantFrom('one', 'two', undefined),
  decision: fc.constantFrom('A>B', 'B>A', 'A=B'),
  wrong: fc.nat(40),
})
type Game = typeof game extends fc.Arbitrary<infer T> ? T : never

/** The rows of an item. Numbers of later items are higher, but for some that are there again. */
function rowsOf({ item, of, judge, model, source, decision, wrong }: Game, place: number): string[] {
  const id = wrong === 0 ? item : 100 + place
  const rows = Array.from({ length: of }, (_, n) => {
    const trial = { n, of, order: n % 2 ? 'BA' : 'AB' }
    const said =
      wrong === 1
        ? { error: failed }
        : {
            reply: { text: 'x', model, usage: { prompt_tokens: place } },
            verdict: wrong === 2 ? 7 : { label: decision, decision },
          }
    return line({ source, label: 'A>B', jb: { judge, item: `item ${id}`, trial, ...said } })
  })
  if (wrong === 3) rows.pop()
  if (wrong === 4) rows.push(rows[0]!)
  if (wrong === 5) rows.push(...rows)
  if (wrong === 6) rows.splice(1, 0, '{"cut', '')
  return rows
}

const trials = fc
  .tuple(fc.array(game, { maxLength: 60 }), fc.array(fc.tuple(fc.nat(200), fc.nat(200)), { maxLength: 3 }))
  .map(([games, swaps]) => {
    const lines = games.flatMap(rowsOf)
    for (const [a, b] of swaps)
      if (a < lines.length && b < lines.length) [lines[a], lines[b]] = [lines[b]!, lines[a]!]
    return lines.join('\n')
  })

test('jb-aggregate in any number of threads gives what one gives', async (t) => {
  const cwd = folder(t)
  await fc.assert(
    fc.asyncProperty(
      fc.array(trials, { minLength: 1, maxLength: 2 }),
      splits(100, 4000),
      fc.constantFrom([], ['--by=source'], ['--format=csv'], ['--expect=9']),
      COMMON,
      async (files, split, args, [badRows, more]) => {
        const names = files.map((text, i) => {
          writeFileSync(join(cwd, `${i}.ndjson`), text)
          return `${i}.ndjson`
        })
        await same('aggregate', [...args, badRows, ...more, ...names], cwd, split)
      },
    ),
    { numRuns: runs(20), seed: 5 },
  )
})

describe('how many threads there are', () => {
  const row = `${line(replied('vanilla', 'Output (a)'))}\n`
  const own = { rowsAThread: 100, cores: 16 }
  const threadsOf = (
    files: readonly string[],
    options: object = {},
    machine: object = own,
    spec: FilterSpec = parseSpec,
  ) => {
    const all = { format: 'ndjson', judge: [], ...options }
    return planOf(spec, all, [], files.map(fileSource), { ...machine, range: row.length })?.threads
  }

  test('by rows, cores and what is asked for', (t) => {
    const cwd = folder(t)
    const rows = (count: number, text = row) => {
      const path = join(cwd, `${count}-${text.length}.ndjson`)
      writeFileSync(path, text.repeat(count))
      return path
    }
    assert.equal(threadsOf([rows(150)]), undefined)
    assert.equal(threadsOf([rows(200)]), 2)
    assert.equal(threadsOf([rows(200), rows(150)]), 3, 'all files together')
    assert.equal(threadsOf([rows(5000)]), 8, 'no more than eight')
    assert.equal(threadsOf([rows(5000)], {}, { ...own, cores: 4 }), 4)
    assert.equal(threadsOf([rows(5000)], {}, { ...own, cores: 1 }), undefined)
    assert.equal(threadsOf([rows(5000)], { threads: 1 }), undefined)
    assert.equal(threadsOf([rows(3)], { threads: 3 }), 3)
    assert.equal(threadsOf([rows(5000)], { limit: 5000 }), undefined)
    assert.equal(threadsOf([rows(5000)], { format: 'csv' }), undefined)
    const long = line(replied('vanilla', 'x'.repeat(100 * row.length)))
    assert.equal(threadsOf([rows(20, `${long}\n`)]), undefined, 'rows, not bytes')
    assert.equal(threadsOf([rows(5000)], {}, { cores: 16 }), undefined, "the filter's own number")
    assert.equal(threadsOf([rows(5000)], {}, { cores: 16 }, renderSpec), undefined, 'none for the others')
    assert.equal(threadsOf([rows(0)]), undefined)
    assert.equal(threadsOf([cwd]), undefined)
  })
})

test('lines are found by their numbers, from whatever places on', (t) => {
  const path = join(folder(t), 'a')
  const wanted = Array.from({ length: 40 }, (_, i) => `line ${i + 1}${'.'.repeat((i * 7) % 11)}`)
  const text = `before\n${wanted.join('\n')}`
  writeFileSync(path, text)
  const place = (at: number) => ({ at, lines: text.slice(0, at).split('\n').length - 2 })
  const begin = place('before\n'.length)
  for (const step of [1, 7, 50, 1000]) {
    const places = [begin]
    for (let at = begin.at + step; at < text.length; at += step) places.push(place(at))
    for (const numbers of [[], [1], [40], [1, 2, 39], [7, 8, 9, 30], wanted.map((_, i) => i + 1)])
      assert.deepEqual(
        linesAmong(path, places, numbers).map(String),
        numbers.map((n) => wanted[n - 1]),
      )
  }
})

test('a thread that dies leaves its part to the one that is there', async (t) => {
  const cwd = folder(t)
  writeFileSync(
    join(cwd, 'a.ndjson'),
    ndjson(Array.from({ length: 60 }, () => replied('vanilla', 'Output (a)'))),
  )
  const wanted = fine(await jb('parse', ['--threads=1', 'a.ndjson'], { cwd }))
  for (const orders of [0, 1, 5]) {
    const ran = fine(
      await jb('parse', ['--threads=3', 'a.ndjson'], { cwd, threads: threadsHere(1024, orders) }),
    )
    assert.equal(ran.stdout, wanted.stdout)
  }
})
