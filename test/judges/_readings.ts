/**
 * What a judge makes of a reply: by its own rule, as JudgeBench's code reads it (--compat judgebench), and as
 * RM-Gallery's does (--compat rm-gallery).
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadJudge } from '../../src/judges/_load.ts'
import { RowFailure } from '../../src/rows/record.ts'
import { readerOf } from '../../src/verdicts/_read.ts'

/** No verdict under an original's rule: null in JudgeBench's files, an empty string in RM-Gallery's. */
const NONE: Record<string, unknown> = { own: 'x', judgebench: null, 'rm-gallery': '' }

/** A reply and three decisions; `x` is a reply without a verdict, `=` stands for "as in the column before". */
export type Line = [reply: string, own: string, judgebench?: string, rmGallery?: string]

export const THINK = (inside: string, after: string) => `<think>${inside}</think>${after}`

/** A test for each reply to a judge. */
export function readings(name: string, lines: Line[]): void {
  describe(name, () => {
    const rules = ['own', 'judgebench', 'rm-gallery'].slice(
      0,
      Math.max(...lines.map((line) => line.length - 1)),
    )
    const loaded = loadJudge(name).then((judge) =>
      Promise.all(rules.map((rule) => readerOf(judge, rule === 'own' ? {} : { compat: rule }))),
    )
    for (const [reply, ...wanted] of lines) {
      test(JSON.stringify(reply), async () => {
        const readers = await loaded
        const texts = wanted as string[]
        const said = rules.map((rule, i) => {
          try {
            const { decision, failure } = readers[i]!(reply, { item: () => ({}) })
            // An original's stand-in for a verdict is counted as what it is.
            if (decision === NONE[rule]) assert.ok(failure, `${rule}: no failure is named`)
            return decision
          } catch (error) {
            assert.ok(error instanceof RowFailure, String(error))
            assert.equal(rule, 'own', `${rule}: an original always gives a value`)
            return 'x'
          }
        })
        const expected: unknown[] = []
        for (const [i, text] of texts.entries())
          expected.push(text === '=' ? expected[i - 1] : text === 'x' ? NONE[rules[i]!] : text)
        assert.deepEqual(
          Object.fromEntries(rules.map((rule, i) => [rule, said[i]])),
          Object.fromEntries(rules.map((rule, i) => [rule, expected[i]])),
        )
      })
    }
  })
}
