/** Templates and rows that mean harm, through the real filter where no code may be made of text. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../../helpers/rows.ts'
import { fine, jb, pipe } from '../../helpers/run.ts'

/** Text never becomes code, or the run dies of it. */
const STRICT = { NODE_OPTIONS: '--disallow-code-generation-from-strings' }

/** What the attempts would run. */
const RUN = "process.mainModule.require('fs').writeFileSync('got-in', '')"

const ATTEMPTS: Record<string, string[]> = {
  jinja: [
    `{{ range.constructor("${RUN}")() }}`,
    `{{ ''.constructor.constructor("${RUN}")() }}`,
    `{{ doc[field](("${RUN}"))() }}{{ doc[field][field]("${RUN}")() }}`,
    `{{ a"+${RUN}+" }}`,
    `{{ x|a");${RUN};// }}`,
    `{{ 1 is a");${RUN};// }}`,
    `{% for a");${RUN};// in [1] %}{% endfor %}`,
    `{% set a";${RUN};var b=" = 1 %}`,
    `{% macro a");${RUN};//() %}{% endmacro %}`,
    `{% block a");${RUN};// %}{% endblock %}`,
    `{% for i in [1] %}{{ loop.constructor.constructor("${RUN}")() }}{% endfor %}`,
    `{% macro m() %}{% endmacro %}{{ m.constructor("${RUN}")() }}`,
    `{{ [range]|map(attribute='constructor.constructor')|first }}{{ ([range]|map(attribute='constructor')|first)("${RUN}")() }}`,
    `{{ lipsum.__globals__['os'].popen('touch got-in').read() }}`,
    `{{ ''.__class__.__mro__[1].__subclasses__()[0]('touch got-in') }}`,
    `{{ '{0.__init__.__globals__}'.format(cycler) }}`,
    `{% include '/etc/passwd' %}`,
    `{% include '../secret.txt' %}`,
    `{% for i in range(10 ** 9) %}x{% endfor %}`,
    `{{ 'a' * 10 ** 10 }}`,
  ],
  format: [
    '{doc.__class__}',
    '{doc.constructor}',
    '{doc.__init__.__globals__}',
    '{id.constructor.constructor}',
    '{id:>9999999999}',
  ],
}

test('a template that tries to run code, read files or never end fails its rows, and does nothing else', async (t) => {
  const cwd = folder(t, { 'secret.txt': 'SECRET', 'in/x': '' })
  const stdin = ndjson([{ id: 'one', field: 'constructor', doc: { a: 1 } }])
  for (const [syntax, templates] of Object.entries(ATTEMPTS)) {
    const files = Object.fromEntries(templates.map((template, i) => [`${syntax}-${i}.jinja2`, template]))
    const path = folder(t, files)
    for (let i = 0; i < templates.length; i += 4) {
      await Promise.all(
        Object.keys(files)
          .slice(i, i + 4)
          .map(async (name) => {
            const args = [join(path, name), '--syntax', syntax, '--undefined', 'empty']
            const ran = await jb('render', args, {
              stdin,
              env: STRICT,
              cwd: `${cwd}/in`,
            })
            const { code, stdout, stderr } = ran
            assert.doesNotMatch(stderr, /EvalError|Code generation|\n\s+at /, files[name])
            if (code === 78) return assert.match(stderr, /\.jinja2:1:\d+: /, files[name])
            assert.equal(code, 0, stderr)
            assert.ok(rowOf(ran).jb.error, `${files[name]}: ${stdout}`)
            assert.doesNotMatch(stdout, /SECRET|root:/)
          }),
      )
    }
  }
  assert.ok(!existsSync(`${cwd}/in/got-in`))
})

test('data comes through a pipe as it is, whatever it looks like', async (t) => {
  const texts = [
    '{{ 7*7 }} {% if x %} {# gone #} {{ {% {# }} %} #} {{- x -%}',
    '\\frac{a}{b} $$\\int_0^1 x\\,dx$$ \\{x\\}\\begin{align}',
    '<b>&amp; <script>alert("it\'s")</script>',
    "$& $1 $$ $` $' \\1 %s %(q)s {q} {0} {}",
    '__keywords',
    '</s>[INST]|USER: [[A]]',
    '\u2028\u0085\u0000\u001f\ufeff \r\n\t é 👍🏽 \ud800',
  ]
  const templates: [syntax: string, template: string][] = [
    ['jinja', '{{ q }}|{{ d.a }}'],
    ['jinja', '{% macro m(x, b) %}{{ x }}|{% endmacro %}{{ m(q) }}{% for t in [d.a] %}{{ t }}{% endfor %}'],
    [
      'jinja',
      "{% set v %}{{ q }}{% endset %}{{ '%s'|format(v) }}|{{ '{}'.format(d['a'])|replace('@@', '') }}",
    ],
    ['format', '{q}|{d[a]}'],
    ['alpaca', '{q}|{r}'],
  ]
  const path = folder(t, {
    'rows.ndjson': ndjson(texts.map((q) => ({ q, r: q, d: { a: q }, __keywords: true, kw: { b: q } }))),
    ...Object.fromEntries(templates.map(([, template], i) => [`${i}.jinja2`, template])),
  })
  for (const [i, [syntax, template]] of templates.entries()) {
    const ran = await pipe(`cat rows.ndjson | jb-render ${i}.jinja2 --syntax ${syntax} | cat`, {
      cwd: path,
      env: STRICT,
    })
    assert.deepEqual(
      rowsOf(fine(ran)).map(({ jb }) => jb.request!.messages![0]!.content),
      texts.map((text) => `${text}|${text}`),
      template,
    )
  }
})

test('keyword arguments come from the template, never from an object in the row', async (t) => {
  const path = folder(t, { 'm.jinja2': "{% macro m(a, b='own') %}{{ b }}{% endmacro %}{{ m(kw) }}" })
  const stdin = ndjson([{ kw: { __keywords: true, b: 'theirs' } }])
  const ran = fine(await jb('render', ['m.jinja2'], { stdin, cwd: path, env: STRICT }))
  assert.equal(rowsOf(ran)[0]!.jb.request!.messages![0]!.content, 'own')
})
