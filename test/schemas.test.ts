/** The schemas in schema/ say of files and rows what jb itself says of them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { parse } from 'yaml'
import { checkJudge } from '../src/judges/_check.ts'
import { checkShape, SHAPED } from '../src/rows/record.ts'
import { readerOf } from '../src/verdicts/_read.ts'
import { runs } from './helpers/random.ts'
import { fine, pipe, ROOT } from './helpers/run.ts'

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })
const schemaOf = (name: string) => ajv.compile(JSON.parse(readFileSync(`${ROOT}schema/${name}.json`, 'utf8')))
const judge = schemaOf('judge')
const row = schemaOf('row')

const yaml = (folder: string) =>
  readdirSync(`${ROOT}src/${folder}`)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, data: parse(readFileSync(`${ROOT}src/${folder}/${name}`, 'utf8')) }))

test('every built-in judge and criterion fits its schema', () => {
  for (const { name, data } of yaml('judges'))
    assert.ok(judge(data), `${name}: ${ajv.errorsText(judge.errors)}`)
  const criteria = schemaOf('criteria')
  for (const { name, data } of yaml('criteria'))
    assert.ok(criteria(data), `${name}: ${ajv.errorsText(criteria.errors)}`)
})

test('the rows of every filter fit their schema', async () => {
  const pairs = readFileSync(`${ROOT}fixtures/pairs.jsonl`, 'utf8')
  let rows = 0
  for (const name of ['arena_hard', 'judge_lm', 'llmbar']) {
    const filters = [
      `jb-render ${name} --order both`,
      'jb-call -q -m baseline:random',
      'jb-parse -q',
      'jb-score -q',
    ]
    for (let count = 1; count <= filters.length; count++) {
      const { stdout } = fine(await pipe(filters.slice(0, count).join(' | '), { stdin: pairs }))
      for (const line of stdout.trim().split('\n')) {
        assert.ok(row(JSON.parse(line)), `${line}: ${ajv.errorsText(row.errors)}`)
        rows++
      }
    }
  }
  assert.ok(rows >= 1000, `${rows} rows`)
})

type Schema = { [key: string]: unknown }

/** Values that fit a schema, or nearly do. */
const near = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 30, arbitrary: fitting(schema) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  )

function fitting({
  properties,
  anyOf,
  items,
  enum: words,
  type,
  additionalProperties,
}: Schema): fc.Arbitrary<unknown> {
  if (anyOf) return fc.oneof(...(anyOf as Schema[]).map(near))
  if (words) return fc.constantFrom(...(words as unknown[]))
  if (properties) {
    const members = Object.entries(properties as Record<string, Schema>)
    return fc.record(Object.fromEntries(members.map(([key, one]) => [key, near(one)])), { requiredKeys: [] })
  }
  const inner = (additionalProperties ?? items) as Schema | undefined
  const any = inner ? near(inner) : fc.jsonValue({ maxDepth: 1 })
  const byType: Record<string, fc.Arbitrary<unknown>> = {
    object: fc.dictionary(fc.string(), any, { maxKeys: 3 }),
    array: fc.array(any, { maxLength: 3 }),
    integer: fc.constantFrom(0, 1, -1, 10_001, 1.5, 2 ** 53),
    number: fc.constantFrom(0, 0.5, -3, 1e101),
    string: fc.string(),
  }
  return byType[type as string] ?? fc.jsonValue({ maxDepth: 2 })
}

test('the schema of rows refuses what jb refuses, and nothing else', () => {
  const { properties } = JSON.parse(readFileSync(`${ROOT}schema/row.json`, 'utf8')).properties.jb
  const refuses = (key: string, value: unknown) => {
    try {
      checkShape(key, value)
      return false
    } catch {
      return true
    }
  }
  const any = fc
    .constantFrom(...SHAPED)
    .chain((key) => near(properties[key]).map((value) => [key, value] as const))
  fc.assert(
    fc.property(any, ([key, value]) => {
      assert.equal(!row({ jb: { [key]: value } }), refuses(key, value), `${key}: ${JSON.stringify(value)}`)
    }),
    { numRuns: runs(1000) },
  )
})

test('what jb takes for a judge fits the schema, whatever is changed in a file', async () => {
  const files = yaml('judges').map(({ data }) => data as Schema)
  const change = fc.record({
    file: fc.constantFrom(...files),
    at: fc.nat(),
    value: fc.constantFrom<unknown>(undefined, null, true, 0, -1, 'x', '', [], ['a'], {}, { a: 'b' }),
  })
  let taken = 0
  await fc.assert(
    fc.asyncProperty(change, async ({ file, at, value }) => {
      const changed = structuredClone(file)
      const places = Object.entries(changed).flatMap(([key, one]) => [
        [changed, key] as const,
        ...(one && typeof one === 'object' && !Array.isArray(one)
          ? Object.keys(one).map((inner) => [one as Schema, inner] as const)
          : []),
      ])
      const [where, key] = places[at % places.length]!
      if (value === undefined) delete where[key]
      else where[key] = value
      try {
        await readerOf(checkJudge(structuredClone(changed), { name: 'x', where: 'x', builtin: false }))
      } catch {
        return
      }
      taken++
      assert.ok(judge(changed), `${key}: ${JSON.stringify(value)}: ${ajv.errorsText(judge.errors)}`)
    }),
    { numRuns: runs(300) },
  )
  assert.ok(taken > 30, `${taken} taken`)
  const mistaken = structuredClone(files.find(({ kind }) => kind === 'pairwise')!)
  ;(mistaken.verdict as Schema).pattrn = 'x'
  assert.ok(!judge(mistaken) && !judge({ ...files[0], about: 3 }) && !judge({ ...files[0], aboutt: 'x' }))
})
