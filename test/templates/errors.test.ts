/* Errors say what is wrong, of which kind it is, and where. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { compileTemplate, TemplateError } from '../../src/templates/index.ts'
import { folder } from '../helpers/folder.ts'

const caught = (run: () => unknown): TemplateError => {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error))
    return error
  }
  return assert.fail('nothing was thrown')
}

test('syntax errors have line and column', () => {
  const cases: [string, number, number, RegExp][] = [
    ['{{ x', 1, 5, /expected token 'end of print statement', got 'end of template'/],
    ['a\n  {{ x y }}', 2, 8, /got 'y'/],
    [
      '{% if x %}\n{% for i in l %}\n{% endif %}',
      3,
      4,
      /Encountered unknown tag 'endif'.*'endfor' or 'else'/,
    ],
    ['{% if x %}', 1, 11, /Unexpected end of template.*'elif' or 'else' or 'endif'/],
    ['\n\n{% nosuch %}', 3, 4, /Encountered unknown tag 'nosuch'/],
    ['{{ x|nosuch }}', 1, 6, /No filter named 'nosuch'/],
    ['{{ x is nosuch }}', 1, 6, /No test named 'nosuch'/],
    ['{{ a $ b }}', 1, 6, /unexpected char '\$'/],
    ["{{ 'abc }}", 1, 4, /unexpected char '''/],
    ['{{ (1 }}', 1, 7, /unexpected '}', expected '\)'/],
    ['{# never closed', 1, 1, /Missing end of comment tag/],
    ['{% raw %}x', 1, 10, /Missing end of raw directive/],
    ['{% set 1 = 2 %}', 1, 8, /can't assign to 'const'/],
    ['{% continue %}', 1, 4, /unknown tag 'continue'/],
    ['{% for loop in l %}{% endfor %}', 1, 8, /Can't assign to special loop variable/],
    ['{{ f(a=1, 2) }}', 1, 11, /positional argument after/],
    ['{{ "\\x4" }}', 1, 4, /invalid escape/],
    ['x\r\ny\r\n{{ ! }}', 3, 4, /unexpected char '!'/],
    ['{% macro m(a=1, b) %}{% endmacro %}', 1, 17, /non-default argument/],
  ]
  for (const [template, line, column, reason] of cases) {
    const error = caught(() => compileTemplate(template))
    assert.deepEqual(
      [error.kind, error.line, error.column],
      ['syntax', line, column],
      `${template}: ${error.message}`,
    )
    assert.match(error.reason, reason)
  }
})

test('errors of a render have line and column', () => {
  const context = { s: 'x', n: 1, l: [1], d: {}, z: null }
  const cases: [string, string, number, number, RegExp][] = [
    ['a\nb {{ nope }}', 'undefined', 2, 6, /'nope' is undefined/],
    ['{{ d.x }}', 'undefined', 1, 6, /'dict object' has no attribute 'x'/],
    ['{{ l[5] }}', 'undefined', 1, 5, /list object has no element 5/],
    ['{{ d.x.y }}', 'undefined', 1, 8, /'dict object' has no attribute 'x'/],
    ['{{ s }}\n{{ s + n }}', 'type', 2, 6, /unsupported operand/],
    ['{{ n / 0 }}', 'value', 1, 6, /division by zero/],
    ["{{ s|center('a') }}", 'type', 1, 6, /cannot be interpreted/],
    ['{% for i in n %}{% endfor %}', 'type', 1, 13, /not iterable/],
    ['{% for a, b in [[1]] %}{% endfor %}', 'value', 1, 4, /not enough values to unpack/],
    ['{% if s < n %}{% endif %}', 'type', 1, 7, /not supported between/],
    ['{{ s() }}', 'type', 1, 5, /'str' object is not callable/],
    [
      "{% macro m(a) %}\n{{ a.b }}\n{% endmacro %}{{ m('x') }}",
      'undefined',
      2,
      6,
      /'str object' has no attribute 'b'/,
    ],
    ['{% set x.y = 1 %}', 'value', 1, 4, /non-namespace object/],
    ["{% include 'x' %}", 'not-found', 1, 4, /template not found: x/],
    ["{{ '%d' % 'x' }}", 'type', 1, 9, /a real number is required/],
  ]
  for (const [template, kind, line, column, reason] of cases) {
    const error = caught(() => compileTemplate(template)(context))
    assert.deepEqual(
      [error.kind, error.line, error.column],
      [kind, line, column],
      `${template}: ${error.message}`,
    )
    assert.match(error.reason, reason, template)
  }
})

test('the message begins with file, line and column', (t) => {
  const dir = folder(t, { 'part.j2': 'fine\n{{ nope }}', 'bad.j2': '{% if %}' })
  const own = caught(() => compileTemplate('\n{{ x', { name: 'judge.jinja2' }))
  assert.match(own.message, /^judge\.jinja2:2:5: expected token/)
  assert.equal(own.template, 'judge.jinja2')
  assert.equal(own.name, 'TemplateError')
  const options = { name: 'judge.jinja2', folder: dir }
  const included = caught(() => compileTemplate("{% include 'part.j2' %}", options)({}))
  assert.equal(included.message, "part.j2:2:4: 'nope' is undefined")
  assert.equal(included.field, 'nope')
  const broken = caught(() => compileTemplate("{% include 'bad.j2' %}", options)({}))
  assert.match(broken.message, /^bad\.j2:1:7: /)
  assert.equal(caught(() => compileTemplate('{{ x')).message.slice(0, 17), 'line 1, column 5:')
})

test('a missing field is named as the template writes it', () => {
  const cases: [string, string][] = [
    ['{{ a }}', 'a'],
    ['{{ item.title }}', 'item.title'],
    ["{{ item['title'] }}", 'item.title'],
    ['{{ item.list[3] }}', 'item.list[3]'],
    ['{% for t in item.list %}{{ t.name }}{% endfor %}', 't.name'],
    ['{{ item|attr("x") }}', 'x'],
  ]
  for (const [template, field] of cases) {
    const error = caught(() => compileTemplate(template)({ item: { list: [1] } }))
    assert.deepEqual([error.kind, error.field], ['undefined', field], template)
  }
})

test('a context with a name of its own is refused as Jinja2 refuses it', () => {
  assert.throws(() => compileTemplate('x')({ self: 1 }), { kind: 'type', exception: 'TypeError' })
})
