/** Lines measured by WebAssembly, compared with what JavaScript finds in them. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Block } from '../../src/rows/block.ts'
import { encode } from '../../src/rows/bytes.ts'
import { Line } from '../../src/rows/line.ts'
import { BadRow } from '../../src/rows/line_search.ts'

// With rooms of its own: what short jbs have in common is kept in a used one, and forgotten when it is full.
export type Measure = typeof import('../../src/rows/measure.ts')

// @ts-expect-error: TypeScript knows no second instance of a module
const own: Measure = await import('../../src/rows/measure.ts?own')
export const { RECORD, LineIndexer, SHORT_RECORD, STATE } = own

export const latin = (text: string) => encode(text)

/** What was found of a line: all that a row asks it for. */
export function told(line: Line, keys: readonly string[]): unknown {
  const size = line.size
  return {
    raw: line.raw,
    user: line.user,
    begin: line.jbBegin < 0 ? -1 : line.jbBegin - line.begin,
    end: line.jbBegin < 0 ? -1 : line.jbEnd - line.begin,
    fields: keys.map((key) => line.userText(key)),
    jb: Array.from({ length: size }, (_, i) => [
      line.key(i),
      line.jbText(i),
      line.keyAt(i) - line.begin,
      line.to(i) - line.begin,
    ]),
  }
}

/** Each line measured: `undefined` where it is left alone, or blank. */
export function measured(lines: readonly string[]): (Line | 'blank' | undefined)[] {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const room = LineIndexer.take()!
  try {
    assert.ok(room.add(bytes))
    const text = room.first(bytes.length).latin1Slice(0, bytes.length)
    return room.measure(0, bytes.length).flatMap(({ records, sharedJbs }) => {
      const found: (Line | 'blank' | undefined)[] = []
      for (let at = 0; at < records.length; ) {
        const state = records[at + RECORD.state]! & STATE.mask
        const row = state === STATE.row
        found.push(
          row
            ? Line.measured(Block.of(text), records, at, sharedJbs)
            : state === STATE.blank
              ? 'blank'
              : undefined,
        )
        at += row ? records[at + RECORD.size]! : SHORT_RECORD
      }
      return found
    })
  } finally {
    room.release()
  }
}

export function read(line: string): Line | undefined {
  try {
    return Line.read(latin(line))
  } catch (error) {
    assert.ok(error instanceof BadRow)
    return undefined
  }
}

export const keysOf = (line: string): string[] => {
  try {
    return Object.keys(JSON.parse(line) as object).map(latin)
  } catch {
    return []
  }
}

export function same(lines: readonly string[], whole: boolean, every = 1): void {
  const found = measured(lines)
  assert.equal(found.length, lines.length)
  for (const [i, line] of lines.entries()) {
    if (i % every > 0) continue
    const one = found[i]
    const expected = read(line)
    if (one === 'blank') assert.equal(line.trim(), '')
    else if (one) {
      assert.ok(expected, `taken for a row: ${line}`)
      const all = keysOf(line)
      const keys = [...all.filter((_, k) => k % Math.ceil(all.length / 100) === 0), 'a', 'no such key']
      assert.deepEqual(told(one, keys), told(expected, keys), line)
    } else if (whole) assert.equal(expected, undefined, `left alone: ${line}`)
  }
}

export const key = fc.constantFrom(
  'a',
  'b',
  'jb',
  'item',
  'judge',
  'x y',
  'é',
  'a longer key than the others are',
  '',
)
