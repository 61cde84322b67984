/** Task files of lm-eval are read as PyYAML reads them (recorded by scripts/oracles/pyyaml.py). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Example } from '../../src/judges/_example_schema.ts'
import { exampleJson, taskJudges } from '../../src/judges/_lm_eval.ts'
import { readPyYaml } from '../../src/judges/_pyyaml.ts'
import { Fatal } from '../../src/rows/record.ts'
import { judgeFolder } from '../helpers/folder.ts'
import { jb } from '../helpers/run.ts'

const { texts }: { texts: Record<string, string | null> } = JSON.parse(
  readFileSync('fixtures/pyyaml.json', 'utf8'),
)

/** What PyYAML refuses to read, and is read here as the text that it is. */
const READ_HERE = ['a: 0b_\n', 'a: <<\n']

test('numbers, booleans, dates, merges and keys are those of PyYAML', async () => {
  for (const [text, expected] of Object.entries(texts)) {
    let found: string | null
    try {
      const { value } = await readPyYaml(text, 't.yaml', [])
      found = exampleJson((value as { a: Example }).a, { unicode: true })
    } catch (error) {
      if (!(error instanceof Fatal)) throw error
      assert.match(error.message, /^t\.yaml:\d+:\d+: /)
      found = null
    }
    if (!READ_HERE.includes(text)) assert.equal(found, expected, JSON.stringify(text))
  }
})

const task = (own: string) => `task: t
metric_list:
  - metric: llm_judge
    prompt_template: "{{ rubric }} {{ prediction }}"
    rubric: ${own}
`

test('a key that is there twice and a key that is no text are said', async (t) => {
  const cwd = judgeFolder(t, {
    'twice.yaml': task('{a: 1, a: 2}'),
    'number.yaml': task('{2: x, 1: y, on: z}'),
  })
  const stdin = '{"prediction":"p"}\n'
  const twice = await jb('render', ['twice.yaml'], { cwd, stdin })
  assert.match(twice.stderr, /twice\.yaml:5:20: a occurs twice: the last one counts, as in Python/)
  assert.match(twice.stdout, /"\{'a': 2\} p"/)
  const number = await jb('render', ['number.yaml'], { cwd, stdin })
  assert.match(
    number.stderr,
    /number\.yaml:5:14: the key 2 is a number in YAML: in templates it is the text "2"/,
  )
  assert.match(number.stderr, /the key on is true in YAML/)
  assert.match(number.stdout, /"\{'2': 'x', '1': 'y', 'true': 'z'\} p"/)
})

test('infinities, whole numbers beyond 2^53 and dates reach the prompt; aliases have bounds', async (t) => {
  const cwd = judgeFolder(t, {
    'odd.yaml': task('[.inf, -.inf, .nan, 99999999999999999999, 1:30, 2001-12-14T1:59:43Z]'),
    'circle.yaml': task('&a [*a]'),
    'laughs.yaml': task(
      `{a: &a [1,1,1,1,1,1,1,1,1,1]${[...'bcdefgh'].map((name, i) => `, ${name}: &${name} [${`*${'abcdefgh'[i]},`.repeat(10)}]`).join('')}}`,
    ),
    'none.yaml': task('{<<: 1}'),
  })
  const odd = await jb('render', ['odd.yaml'], { cwd, stdin: '{"prediction":"p"}\n' })
  assert.match(
    odd.stdout,
    /"\[inf, -inf, nan, 99999999999999999999, 90, '2001-12-14 01:59:43\+00:00'\] p"/,
    odd.stderr,
  )
  const [judge] = await taskJudges(`${cwd}/odd.yaml`)
  assert.deepEqual((judge!.taskSettings!.metric_list as { rubric: unknown }[])[0]!.rubric, [
    ...['Infinity', '-Infinity', 'NaN', 1e20, 90, '2001-12-14 01:59:43+00:00'],
  ])
  for (const [file, message] of [
    ['circle', /circle\.yaml:5:16: an alias \(\*\) refers to a value that contains it/],
    ['laughs', /laughs\.yaml:5:\d+: aliases \(\*\) expand to more than 100000 values/],
    ['none', /none\.yaml:5:14: "<<" must be followed by a mapping/],
  ] as const) {
    const ran = await jb('render', [`${file}.yaml`], { cwd, stdin: '{"prediction":"p"}\n' })
    assert.equal(ran.code, 78)
    assert.match(ran.stderr, message)
  }
})
