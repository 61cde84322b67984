/** Inputs that once ended a run, or took too long: `make fuzz` found them. Each target also takes its sound inputs. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { finding, loadTarget, TARGETS } from './fuzz/_target.ts'
import { folder } from './helpers/folder.ts'
import { ROOT } from './helpers/run.ts'

const FOUND = `${ROOT}fixtures/fuzz/`

for (const name of TARGETS)
  test(name, async (t) => {
    const target = await loadTarget(name)
    const place = folder(t)
    const found = existsSync(FOUND + name) ? readdirSync(FOUND + name).sort() : []
    const inputs = [
      ...(await target.seeds(place))
        .slice(0, 2)
        .map((seed, i) => [`seed ${i}`, Buffer.from(seed as string)] as const),
      ...found.map((file) => [file, readFileSync(`${FOUND}${name}/${file}`)] as const),
    ]
    for (const [what, input] of inputs) assert.equal(await finding(target, input, place), undefined, what)
  })

test('what ends a filter or fails as nobody expected is a finding', async (t) => {
  const ran = { command: 'jb-x', signal: null, stdout: '', stderr: 'bug', bytes: Buffer.from('') }
  const target = (code: number) => ({ words: [], seeds: () => [], run: async () => [{ ...ran, code }] })
  assert.match((await finding(target(70), Buffer.from(''), folder(t)))!, /exit 70/)
  assert.equal(await finding(target(78), Buffer.from(''), folder(t)), undefined)
  const thrown = { ...target(0), run: () => Promise.reject(new TypeError('x is undefined')) }
  assert.match((await finding(thrown, Buffer.from(''), folder(t)))!, /x is undefined/)
})
