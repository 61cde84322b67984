/** The commands under Bun, whose sockets take no descriptor. A part of `make test-long`: a `bun` on PATH (npm i -g bun). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { BIN } from '../helpers/ran.ts'
import { ndjson } from '../helpers/rows.ts'
import { expect, has, sh } from '../helpers/run.ts'

test('a pipe of filters under Bun writes the bytes that it writes under Node', async (t) => {
  if (!has('bun')) return t.skip('NOT RUN: no bun on PATH (npm i -g bun)')
  const row = (id: number) => ({ id: `x${id}`, question: '1+1?', response_A: '2', response_B: '3' })
  const cwd = folder(t, { pairs: ndjson(Array.from({ length: 2000 }, (_, id) => row(id))) })
  const pipe = (bun: string) => {
    const [render, call] = ['render', 'call'].map((name) => `${bun} ${BIN}/jb-${name}`)
    return `cat pairs | ${render} arena_hard | ${call} -q -m baseline:longer --no-cache | cat`
  }
  const node = expect(await sh(pipe(''), { cwd }), {})
  assert.equal(node.stdout.split('\n').length, 2001)
  expect(await sh(pipe('bun'), { cwd }), { out: node.stdout, err: '' })
  expect(await sh(`mkfifo f; cat pairs > f & bun ${BIN}/jb-render arena_hard f | wc -l`, { cwd }), {
    out: /^ *2000\n$/,
  })
})
