/** docs/report.md explains each key that a report can have, and a report of results is that of their trials: for every kind of judge, with labels, samples and both orders. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { expect, pipe, ROOT } from '../helpers/run.ts'

const items = (more: (n: number) => object) =>
  ndjson(
    Array.from({ length: 6 }, (_, n) => ({
      id: `i${n}`,
      question: `1+${n}?`,
      source: `s${n % 2}`,
      ...more(n),
    })),
  )
const CASES: [args: string[], rows: string][] = [
  [
    ['arena_hard', '--order', 'both', '--samples', '2'],
    items((n) => ({ response_A: '2', response_B: 'aa'.repeat(n), label: 'A>B' })),
  ],
  [
    ['rating', '--samples', '3', '--set', 'criterion=x'],
    items((n) => ({ answer: `${n}`, label: 1 + (n % 5) })),
  ],
  [
    ['direct', '--criteria', 'answer_relevance', '--samples', '3', '--order', 'both'],
    items((n) => ({ response: `${n}`, label: 'Good' })),
  ],
  [['direct', '--criteria', 'conciseness', '--criteria', 'coherence'], items((n) => ({ response: `${n}` }))],
  [
    ['unitxt_pairwise', '--criteria', 'better_answer'],
    items((n) => ({ response: ['2', '3', `${n}`], label: 0 })),
  ],
  [
    ['pairwise', '--criteria', 'better_answer', '--order', 'both'],
    items((n) => ({ response: ['2', `${n}`] })),
  ],
  [['persona', '--criteria', 'better_answer'], items((n) => ({ response: ['2', `${n}`] }))],
]
/** Keys whose own keys are values: names of fields, codes, scores. */
const MAPS = new Set(['failures', 'distribution', 'options', 'usage', 'parameters', 'winners', 'distinct'])

function* keysOf(value: unknown): Generator<string> {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) for (const one of value) yield* keysOf(one)
  else
    for (const [key, inner] of Object.entries(value)) {
      yield key
      if (key === 'by')
        for (const groups of Object.values(inner as object))
          for (const group of Object.values(groups)) yield* keysOf(group)
      else if (key === 'criteria' && !Array.isArray(inner))
        for (const one of Object.values(inner)) yield* keysOf(one)
      else if (!MAPS.has(key)) yield* keysOf(inner)
    }
}

test('each key of a report is explained, and a report of jb-score’s results has the same figures', async (t) => {
  const page = readFileSync(`${ROOT}docs/report.md`, 'utf8')
  const known = new Set([...page.matchAll(/`([a-z_0-9]+)`/g)].map(([, word]) => word))
  const seen = new Set<string>()
  for (const [args, stdin] of CASES) {
    const cwd = folder(t, { 'rows.jsonl': stdin })
    const words = args.join(' ')
    const label = stdin.includes('label') ? '--label label' : ''
    const render = `jb-render -q ${words} rows.jsonl | jb-call -q -m baseline:random --no-cache | jb-parse -q`
    const { stdout: verdicts } = await pipe(render, { cwd })
    const report = await pipe(`jb-aggregate -q --common ${label}`, { cwd, stdin: verdicts })
    expect(report, {})
    const results = await pipe(`jb-score -q ${label} | jb-aggregate -q --common`, {
      cwd,
      stdin: verdicts,
    })
    expect(results, { out: report.stdout })
    for (const key of keysOf(JSON.parse(report.stdout))) seen.add(key)
  }
  assert.ok(seen.size > 50, `${seen.size} keys`)
  assert.deepEqual(
    [...seen].filter((key) => !known.has(key)),
    [],
  )
})
