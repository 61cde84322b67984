/* `syntax: 'format'` is Python's str.format, `syntax: 'alpaca'` alpaca_eval's replacement. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { compileTemplate, TemplateError } from '../../src/templates/index.ts'

const format = (source: string, context: object | string) =>
  compileTemplate(source, { syntax: 'format' })(context)

test('fields, escapes, indices, conversions and specs', () => {
  const context = '{"q": "why?", "n": 3, "f": 1.0, "l": ["a", "b"], "d": {"k": [1, 2.50]}, "z": null, "w": 6}'
  const cases: [string, string][] = [
    ['{q} {{literal}} {n}', 'why? {literal} 3'],
    ['{f} {d} {z} {l}', "1.0 {'k': [1, 2.5]} None ['a', 'b']"],
    ['{l[0]} {l[1]} {d[k]} {d[k][1]}', 'a b [1, 2.5] 2.5'],
    ['{q!r} {q!s} {l!r:>12}', "'why?' why?   ['a', 'b']"],
    ['{n:05d}|{f:.2f}|{q:>8}|{q:*^8}|{n:+}|{n:,}', '00003|1.00|    why?|**why?**|+3|3'],
    ['no fields }} {{', 'no fields } {'],
    ['line\r\nend\n', 'line\r\nend\n'],
  ]
  for (const [source, expected] of cases) assert.equal(format(source, context), expected, source)
})

test('what Python rejects is rejected, with the place', () => {
  const rejected: [string, number, number][] = [
    ['a {', 1, 3],
    ['x\n }', 2, 2],
    ['{q', 1, 1],
    ['{}', 1, 1],
    ['ok {0}', 1, 4],
    ['{q!}', 1, 1],
    ['{q!x}', 1, 1],
    ['{l[9]}', 1, 1],
    ['{d.k}', 1, 1],
    ['{q:d}', 1, 1],
    ['{l:>5}', 1, 1],
  ]
  const context = { q: 'x', l: [1], d: { k: 1 } }
  for (const [source, line, column] of rejected) {
    assert.throws(() => format(source, context), { name: 'TemplateError', line, column }, source)
  }
})

test('a missing field is named, or empty', () => {
  assert.throws(() => format('a\n{nope}', {}), { kind: 'undefined', field: 'nope', line: 2, column: 1 })
  assert.equal(compileTemplate('[{nope}]', { syntax: 'format', undefined: 'empty' })({}), '[]')
})

test('attributes, which lead to classes and modules, are refused', () => {
  for (const source of [
    '{q.__class__}',
    '{q.__class__.__init__.__globals__}',
    '{l[0].__class__}',
    '{l.append}',
    '{q:{w}}',
  ]) {
    assert.throws(() => format(source, { q: 'x', l: [1] }), { kind: 'not-supported' }, source)
  }
  assert.throws(() => compileTemplate("{{ '{0.__class__}'.format(1) }}")({}), { kind: 'not-supported' })
})

test('plain parts and variables', () => {
  const plain = compileTemplate('a {{b}} {q} c {n}', { syntax: 'format' })
  assert.deepEqual(plain.plain, ['a {b} ', { field: 'q' }, ' c ', { field: 'n' }])
  assert.deepEqual(plain.variables, ['n', 'q'])
  const spec = compileTemplate('{q:>9}', { syntax: 'format' })
  assert.equal(spec.plain, undefined)
  assert.deepEqual(spec.variables, ['q'])
})

test('alpaca: each name once, other braces are text, data is not looked at', () => {
  const source = 'I: {instruction}\n{ "a": 1 }\n{output_1} | {output_2}'
  const render = compileTemplate(source, { syntax: 'alpaca' })
  const context = { instruction: 'say {output_1} $& {{x}}', output_1: 'one', output_2: null }
  assert.equal(render(context), 'I: say {output_1} $& {{x}}\n{ "a": 1 }\none | None')
  assert.deepEqual(render.variables, ['instruction', 'output_1', 'output_2'])
  assert.equal(render.plain?.length, 6)
  assert.throws(() => compileTemplate('{a}\n {a}', { syntax: 'alpaca' }), {
    kind: 'syntax',
    line: 2,
    column: 2,
  })
  assert.throws(() => render({ instruction: 'x', output_1: 'y' }), {
    kind: 'undefined',
    field: 'output_2',
    line: 3,
  })
  assert.ok(new TemplateError('type', 'x') instanceof Error)
})
