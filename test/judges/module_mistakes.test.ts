/** Modules that do what they should not: said, and never a bug. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, pair, replied, rowsOf } from '../helpers/rows.ts'
import { expect, jb, jbProcess } from '../helpers/run.ts'

test('a module without messages is refused as a file is', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `export const kind = 'pairwise'
export const messages = []
export const parse = () => 'A>B'`,
  })
  expect(await jb('render', ['j.mjs'], { cwd, stdin: ndjson([pair()]) }), {
    code: 78,
    out: '',
    err: /^jb-render: j\.mjs: "messages" is empty/,
  })
})

const ASYNC = `
export const kind = 'pairwise'
export const render = async () => 'x'
export async function parse() { throw new Error('later') }
`

test('functions of a module return at once: a promise fails its row and says so', async (t) => {
  const cwd = judgeFolder(t, { 'j.mjs': ASYNC })
  const stdin = ndjson([pair()])
  const asked = rowsOf(expect(await jb('render', ['-q', 'j.mjs'], { cwd, stdin }), {}))
  assert.equal(asked[0]!.jb.error?.code, 'template_error')
  assert.match(
    asked[0]!.jb.error!.message,
    /^j\.mjs: render: returned a promise: the function must not be async/,
  )
  const rows = ndjson([replied('j.mjs', 'x'), replied('vanilla', 'Output (a)')])
  const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin: rows }), {}))
  assert.equal(read[0]!.jb.error?.code, 'no_verdict')
  assert.match(read[0]!.jb.error!.message, /^j\.mjs: parse: returned a promise/)
  assert.equal(read[1]!.jb.verdict?.decision, 'A>B')
})

test('a render that asks nothing, names a model, or gives what is no JSON fails its row', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `export const kind = 'pairwise'
export const parse = () => 'A>B'
export const render = (item, { fields }) => eval(item.question)`,
  })
  const cases: [made: string, message: RegExp | undefined][] = [
    ['({})', /returned no prompt/],
    ['[]', /returned no prompt/],
    ['({ messages: [] })', /returned no prompt/],
    ['[1]', /returned no prompt/],
    ['({ prompt: "p", model: "m" })', /returned a model/],
    ['({ prompt: "p", n: 5n })', /returned is not JSON/],
    ['(globalThis.o = { prompt: "p" }, o.o = o)', /returned is not JSON/],
    ['null', /returned null, expected a string/],
    ['({ prompt: "p" })', undefined],
    ['"text"', undefined],
  ]
  const stdin = ndjson(cases.map(([question]) => pair({ question })))
  const rows = rowsOf(expect(await jb('render', ['-q', 'j.mjs'], { cwd, stdin }), {}))
  for (const [i, [made, message]] of cases.entries()) {
    const { error, request } = rows[i]!.jb
    if (message) assert.match(error?.message ?? '', message, made)
    else assert.ok(request && !error, made)
  }
})

test('a parse that gives what is no JSON fails its row, and no half row is written', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `export const kind = 'pairwise'
export function parse(text) {
  const verdict = { decision: 'A>B' }
  if (text === 'circle') verdict.self = verdict
  if (text === 'big') verdict.n = 5n
  return verdict
}
export const render = () => 'x'`,
  })
  const rows = ['circle', 'big', 'good'].map((text) => replied('j.mjs', text))
  const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin: ndjson(rows) }), {}))
  assert.deepEqual(
    read.map(({ jb }) => jb.error?.code ?? jb.verdict?.decision),
    ['no_verdict', 'no_verdict', 'A>B'],
  )
  assert.match(read[0]!.jb.error!.message, /^j\.mjs: parse: the value it returned is not JSON: /)
})

test('what a module prints goes to stderr: stdout holds rows', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `console.log('loaded')
export const kind = 'pairwise'
export const render = () => { console.info('asked'); return 'x' }
export const parse = () => { console.table([1]); console.log('read'); return 'A>B' }`,
  })
  const asked = await jbProcess('render', ['j.mjs'], { cwd, stdin: ndjson([pair()]) })
  assert.equal(rowsOf(expect(asked, { err: 'loaded\nasked\n' })).length, 1)
  const read = await jbProcess('parse', [], { cwd, stdin: ndjson([replied('j.mjs', 'x')]) })
  assert.equal(rowsOf(expect(read, { err: /^loaded\n[\s\S]*read\n$/ }))[0]!.jb.verdict?.decision, 'A>B')
})
