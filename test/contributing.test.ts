/** CONTRIBUTING.md's recipes, each followed once in a copy of the sources: the files it names, and no others. */
import assert from 'node:assert/strict'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { bundled } from '../scripts/bundle.js'
import { folder } from './helpers/folder.ts'
import { pair } from './helpers/rows.ts'
import { ROOT } from './helpers/run.ts'
import { chatServer } from './stages/call/server.ts'

type Library = typeof import('../src/index.ts')

const JUDGE = `about: Prefer the calmer answer.
kind: pairwise
fields: { question: question, answer_a: response_A, answer_b: response_B }
messages:
  - { role: user, content: 'Which is calmer, first or second? {{ question }} {{ answer_a }} {{ answer_b }}' }
verdict: { rule: label, pattern: '\\b(first|second)\\b', labels: { first: A>B, second: B>A }, example: '{label}' }
`

const PROVIDER = `import { bodyOf } from './_params.ts'
import type { Provider } from './_provider.ts'

export const provider: Provider = {
  base: 'http://localhost',
  keyNames: [],
  baseNames: [],
  path: '/ask',
  url: (base, model) => new URL(\`/ask/\${model}\`, base),
  headers: () => ({}),
  prepare: (params) => params,
  body: bodyOf,
  models: { url: (url) => url, read: () => [] },
  read: (body) => ({ text: String(body.said) }),
  usage: () => undefined,
}
`

const FORMAT = `import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { encode } from '../rows/bytes.ts'
import { Row } from '../rows/row.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about: 'a question a line',
  async *read(sources) {
    for (const { name, open } of sources) {
      let line = 0
      for await (const question of createInterface({ input: Readable.from(open()) }))
        yield [Row.read(encode(JSON.stringify({ question })), name, ++line)]
    }
  },
}
`

const STATISTIC = `/** The middle of the smallest and the largest value. @param values at least one */
export const midrange = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2
`

const STAGE = `import { eachRow, type Stage } from '../../rows/stage.ts'
import { midrange } from '../../statistics/midrange.ts'

/** Adds the midrange of a row's numbers. */
export const middle: Stage<{ field: string }> = (rows, { field }, { stage }) =>
  eachRow(rows, stage, (row) => row.set('middle', midrange(row.field(field) as number[])))
`

const OPTIONS = `import type { FilterSpec } from '../../options/option.ts'

export const spec = {
  name: 'jb-middle',
  about: 'adds the midrange of a row’s numbers',
  operands: '[FILE…]',
  examples: [{ about: 'of the scores', command: 'jb-middle --field scores results.ndjson' }],
  options: [{ name: 'field', type: 'string', value: 'FIELD', default: 'scores', about: 'where the numbers are' }],
  exitCodes: [0, 2, 65],
} as const satisfies FilterSpec
`

/** A copy of the sources with these files in it, as a library. */
async function libraryWith(t: TestContext, files: Record<string, string>) {
  const copy = folder(t)
  cpSync(`${ROOT}src`, `${copy}/src`, { recursive: true })
  cpSync(`${ROOT}dist/measure.wasm`, `${copy}/dist/measure.wasm`)
  writeFileSync(`${copy}/package.json`, '{"type":"module"}')
  symlinkSync(`${ROOT}node_modules`, `${copy}/node_modules`)
  for (const [path, text] of Object.entries(files)) {
    cpSync(`${ROOT}package.json`, `${copy}/${path}`)
    writeFileSync(`${copy}/${path}`, text)
  }
  const modules = [
    'index.ts',
    'formats/_format.ts',
    'stages/middle/middle.ts',
    'stages/middle/options.ts',
    'run/help.ts',
  ]
  const loads = await bundled(
    copy,
    modules.map((path) => `${copy}/src/${path}`),
  )
  // biome-ignore lint/suspicious/noExplicitAny: it is what the test has just written
  const load = (path: string) => loads[modules.indexOf(path)]!() as Promise<any>
  return { load, library: (await load('index.ts')) as Library }
}

test('a judge, a provider, a format, a statistic and a stage are added by the files that CONTRIBUTING.md names', async (t) => {
  const { load, library } = await libraryWith(t, {
    'src/judges/calm.yaml': JUDGE,
    'src/providers/oracle.ts': PROVIDER,
    'src/formats/questions.ts': FORMAT,
    'src/statistics/midrange.ts': STATISTIC,
    'src/stages/middle/middle.ts': STAGE,
    'src/stages/middle/options.ts': OPTIONS,
  })
  const { call, parse, render, rowsOf } = library
  const rowsIn = async (batches: ReturnType<typeof parse>) => {
    const rows = []
    for await (const batch of batches) rows.push(...batch)
    return rows
  }

  const { port, calls } = await chatServer(t, () => ({ body: { said: 'the second one' } }))
  const baseUrl = `http://127.0.0.1:${port}`
  const options = { api: 'oracle' as never, model: 'm', baseUrl, noCache: true, preflight: false }
  const judged = await rowsIn(parse(call(render('calm', rowsOf([pair()])), options)))
  assert.deepEqual(
    judged.map((row) => row.get('verdict')?.decision),
    ['B>A'],
  )
  assert.deepEqual(
    calls.map(({ path }) => path),
    ['/ask/m'],
  )

  const { formatOf } = await load('formats/_format.ts')
  const source = { name: 'q.txt', open: () => [Buffer.from('why?\nhow?\n')] }
  const read = await formatOf('questions', 'read')
  const questions = await rowsIn(read.read([source], {}, {}))
  assert.deepEqual(
    questions.map((row) => row.field('question')),
    ['why?', 'how?'],
  )

  const { middle } = await load('stages/middle/middle.ts')
  const { spec } = await load('stages/middle/options.ts')
  const { helpText } = await load('run/help.ts')
  assert.match(helpText({ ...spec, all: [] }), /jb-middle --field scores/)
  const rows = await rowsIn(middle(rowsOf([{ scores: [1, 2, 6] }]), { field: 'scores' }, { stage: 'middle' }))
  assert.equal(rows[0]?.get('middle' as never), 3.5)
})
