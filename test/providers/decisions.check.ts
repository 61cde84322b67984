/** Requests of random judges and rows, as the types of OpenAI's own package describe them. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { jsonText, type Params } from '../../src/providers/_params.ts'
import { provider } from '../../src/providers/decisions.ts'
import { folder } from '../helpers/folder.ts'
import { Choices } from '../helpers/random.ts'
import { ndjson } from '../helpers/rows.ts'
import { expect, jb, ROOT, sh } from '../helpers/run.ts'

const OPENAI = 'openai@7.59.0'
const [JUDGES, ROWS] = [100, 10]

const choices = new Choices(7)
const oneOf = <T>(list: readonly T[]): T => list[choices.below(list.length)]!
const some = <T>(least: number, most: number, make: (i: number) => T): T[] =>
  Array.from({ length: choices.between(least, most) }, (_, i) => make(i))
const text = () =>
  some(1, 6, () => oneOf(['good', 'é', '"quoted"', '\\', '中文', '{x}', '</end>', '\n', '😀'])).join(' ')

function question(): object {
  const values = (most: number) => {
    const named = some(2, most, (i) => `${i} ${text().trim()}`)
    return choices.chance(0.5)
      ? named
      : Object.fromEntries(named.map((one) => [one, choices.chance(0.5) ? '' : text()]))
  }
  return oneOf<() => object>([
    () => ({ predicate: `It says {{ output }} ${text()}` }),
    () => ({ ask: `Which? ${text()}`, choice: values(255) }),
    () => ({ ask: `${text()} {{ output }}`, score: values(10) }),
  ])()
}

const judge = (): object => {
  const each = choices.chance(0.3)
  return {
    kind: 'choice',
    fields: { output: 'output' },
    ...(each && { each: { claim: 'claims' } }),
    messages: some(1, 3, (i) => ({
      role: i === 0 ? 'user' : oneOf(['system', 'user']),
      content: `${text()} {{ output }}`,
    })),
    questions: Object.fromEntries(some(1, each ? 1 : 5, (i) => [`q_${i}`, question()])),
    request: oneOf([{}, { temperature: 0, max_tokens: 9, seed: 1 }]),
    verdict: { rule: 'answers' },
  }
}

const row = (id: number) => ({ id, output: text(), claims: some(1, 90, (i) => `${i} ${text()}`) })

test('every request fits the types of the package', async (t) => {
  const cwd = folder(t)
  const file = join(cwd, 'package.json')
  writeFileSync(file, '{"private":true,"type":"module"}')
  const installed = await sh(`npm install --silent --no-audit --no-fund ${OPENAI} 2>&1`, { cwd })
  if (installed.code !== 0) return t.skip(`${OPENAI} cannot be installed here`)
  const bodies: string[] = []
  for (let i = 0; i < JUDGES; i++) {
    const path = join(cwd, `${i}.json`)
    writeFileSync(path, JSON.stringify(judge()))
    const made = await jb('render', ['-q', path], { stdin: ndjson(some(ROWS, ROWS, row)) })
    for (const line of expect(made, { code: 0 }).stdout.split('\n').filter(Boolean)) {
      const { request } = JSON.parse(line).jb
      const params: Params = new Map(Object.entries(request).map(([key, value]) => [key, jsonText(value)]))
      bodies.push(provider.body(provider.prepare(params, {}), 'm').toString())
    }
  }
  assert.ok(bodies.length >= JUDGES * ROWS)
  const source = bodies.map((body, i) => `export const b${i}: DecisionCreateParams = ${body}`).join('\n')
  writeFileSync(
    join(cwd, 'bodies.ts'),
    `import type { DecisionCreateParams } from 'openai/resources/decisions'\n${source}\n`,
  )
  const tsc = `node ${ROOT}node_modules/typescript/bin/tsc --noEmit --strict --skipLibCheck --types '' --module nodenext --target es2022 bodies.ts`
  const checked = await sh(tsc, { cwd })
  assert.equal(checked.code, 0, checked.stdout.slice(0, 2000))
  // A key that the protocol does not have is one that the types refuse.
  writeFileSync(
    join(cwd, 'bodies.ts'),
    `import type { DecisionCreateParams } from 'openai/resources/decisions'\nexport const b: DecisionCreateParams = ${bodies[0]!.replace(/\}$/, ',"temperature":0}')}\n`,
  )
  assert.notEqual((await sh(tsc, { cwd })).code, 0)
})
