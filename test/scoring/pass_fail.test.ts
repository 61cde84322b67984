/** PASS and FAIL, yes and no: 1 and 0 wherever a judge or a person says them; other words have the numbers that a file gives. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pairOf, yesNo } from '../../src/criteria/_yes_no.ts'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

const judge = (verdict: string, kind = 'choice') =>
  `kind: ${kind}\nprompt: '{{ answer }}'\nverdict: ${verdict}\n`

test('words that mean yes and no', () => {
  const words = ['PASS', ' yes ', 'True', 'correct', '1', 'Fail', 'NO', 'false', 'incorrect', '0']
  assert.deepEqual(words.map(yesNo), [1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
  assert.equal(yesNo('partly'), undefined)
  assert.deepEqual(['PASS', 'Fail', 'no', 'maybe'].map(pairOf), [
    ['PASS', 'FAIL'],
    ['Pass', 'Fail'],
    ['yes', 'no'],
    undefined,
  ])
})

const verdictsOf = async (file: string, texts: string[], labels: unknown[] = []) => {
  const rows = texts.map((text, i) => replied(file, text, { item: String(i) }, { label: labels[i] ?? null }))
  return fine(await jb('parse', [], { stdin: ndjson(rows) }))
}

describe('the score of a verdict', () => {
  const cases: [what: string, file: string, texts: string[], scores: unknown[]][] = [
    ['a pattern', judge(`{ rule: label, pattern: '(PASS|FAIL)' }`), ['PASS', 'FAIL'], [1, 0]],
    [
      'labels with words',
      judge(`{ rule: label, pattern: '\\b([YN])\\b', labels: { Y: 'yes', N: 'no' } }`),
      ['Y', 'N'],
      [1, 0],
    ],
    [
      'told otherwise',
      judge(`{ rule: label, pattern: '(PASS|FAIL)', labels: { PASS: 0, FAIL: 1 } }`),
      ['PASS', 'FAIL'],
      [0, 1],
    ],
    [
      'numbers of words',
      judge(`{ rule: label, pattern: '(good|so|bad)', labels: { good: 5, so: 2.5, bad: 1 } }`),
      ['good', 'so', 'bad'],
      [5, 2.5, 1],
    ],
    [
      'a list with a third word',
      judge(`{ rule: json, option: v, options: ['yes', 'no', unknown] }`),
      ['{"v":"yes"}', '{"v":"unknown"}'],
      [null, null],
    ],
    [
      'a list of JSON',
      judge(`{ rule: json, option: v, options: [PASS, FAIL] }`),
      ['{"v":"FAIL"}', '{"v":"pass"}'],
      [0, 1],
    ],
    ['a boolean of JSON', judge(`{ rule: json, option: v }`), ['{"v":true}', '{"v":false}'], [1, 0]],
    ['a grade', judge(`{ rule: label, pattern: '(PASS|FAIL)' }`, 'grade'), ['PASS', 'FAIL'], [1, 0]],
  ]
  for (const [what, file, texts, scores] of cases)
    test(what, async (t) => {
      const dir = judgeFolder(t, { 'j.yaml': file })
      const rows = rowsOf(await verdictsOf(`${dir}/j.yaml`, texts))
      assert.deepEqual(
        rows.map(({ jb }) => jb.verdict!.score),
        scores,
      )
    })
})

test('labels with numbers: the label is the option, and the number its score', async (t) => {
  const dir = judgeFolder(t, {
    'j.yaml': judge(`{ rule: label, pattern: '(good|bad)', labels: { good: 1, bad: 0 } }`),
  })
  const [row] = rowsOf(await verdictsOf(`${dir}/j.yaml`, ['good']))
  assert.deepEqual(row!.jb.verdict, {
    label: 'good',
    option: 'good',
    score: 1,
    options: { good: 1, bad: 0 },
  })
})

test('labels 0 and 1, booleans and words of another pair are compared with PASS and FAIL', async (t) => {
  const dir = judgeFolder(t, { 'j.yaml': judge(`{ rule: label, pattern: '(PASS|FAIL)' }`) })
  const texts = ['PASS', 'FAIL', 'FAIL', 'PASS', 'PASS', 'FAIL']
  const labels = [1, '0', true, 'no', 'pass', 'FAIL']
  const { stdout } = await verdictsOf(`${dir}/j.yaml`, texts, labels).then((ran) =>
    jb('aggregate', [], { stdin: ran.stdout }),
  )
  const report = JSON.parse(stdout)
  assert.deepEqual([report.labelled, report.correct, report.score], [6, 4, 0.5])
  // Wilson's intervals: `ci` of the accuracy, 4 of 6, `score_ci` of the rate of PASS, 3 of 6.
  assert.deepEqual(
    [...report.ci, ...report.score_ci].map((end: number) => Math.round(end * 1e4) / 1e4),
    [0.3, 0.9032, 0.1876, 0.8124],
  )
  assert.equal(Object.keys(report.options).join(), 'FAIL,PASS')
  assert.equal(report.macro_f1, (2 / 3 + 2 / 3) / 2)
})

test('a gate on PASS and FAIL, and one on words without numbers', async (t) => {
  const dir = judgeFolder(t, {
    'pass.yaml': judge(`{ rule: label, pattern: '(PASS|FAIL)' }`),
    'words.yaml': judge(`{ rule: label, pattern: '(good|bad)' }`),
  })
  const passed = await verdictsOf(`${dir}/pass.yaml`, ['PASS', 'FAIL', 'PASS', 'PASS'])
  const out = fine(await jb('aggregate', ['--fail-under', '0.75'], { stdin: passed.stdout })).stdout
  // Wilson's interval of 3 of 4, as a rate has it.
  assert.deepEqual(
    JSON.parse(out).ci.map((end: number) => Math.round(end * 1e6) / 1e6),
    [0.300642, 0.954413],
  )
  expect(await jb('aggregate', ['--fail-under', '0.8'], { stdin: passed.stdout }), {
    code: 1,
    err: /score 0\.75 is below/,
  })
  const words = await verdictsOf(`${dir}/words.yaml`, ['good', 'bad'])
  expect(await jb('aggregate', ['--fail-under', '0.8'], { stdin: words.stdout }), {
    code: 1,
    err: /no item has a label, and the verdicts are words \(bad, good\)\. Give each word its number: .*verdict\.labels .*verdict\.options/,
  })
})

describe('a key of a judge file that is not used is refused with its place', () => {
  const cases: [file: string, message: RegExp][] = [
    [
      `${judge(`{ rule: label, pattern: '(a|b)' }`)}options: { a: 1, b: 0 }\n`,
      /j\.yaml: "options" is not used: .*verdict\.labels of rule label/,
    ],
    [`${judge(`{ rule: label, pattern: '(a|b)' }`)}contests: true\n`, /j\.yaml: "contests" is not used/],
    [
      judge(`{ rule: json, option: v, labels: { a: 1, b: 0 } }`),
      /j\.yaml: verdict\.labels is not used: it is about verdict\.decision or winner/,
    ],
    [
      judge(`{ rule: json, score: v, options: { a: 1 } }`, 'grade'),
      /j\.yaml: verdict\.options is not used: it is about verdict\.option/,
    ],
  ]
  for (const [file, message] of cases)
    test(String(message), async (t) => {
      const dir = judgeFolder(t, { 'j.yaml': file })
      expect(await pipe(`jb-render ${dir}/j.yaml`, { stdin: '{"answer":"x"}\n' }), { code: 78, err: message })
    })
})

describe('a label that is none of the options that the judge file names', () => {
  const options = (labels: string) => judge(`{ rule: label, pattern: '(\\w+)$', labels: ${labels} }`)
  const PASS_FAIL = options('{ PASS: 1, FAIL: 0 }')
  const said = ['PASS', 'FAIL', 'PASS', 'FAIL']
  const expected = 'expected one of PASS, FAIL, or a score that one of them has'
  const how = "--label-map 'LABEL=MEANING,…' says what they mean"

  test('is left out of figures, with a note, not counted as wrong', async (t) => {
    const dir = judgeFolder(t, { 'j.yaml': PASS_FAIL })
    const { stdout } = await verdictsOf(`${dir}/j.yaml`, said, ['PASS', 'NA', 'n/a', 'PASS'])
    const ran = await jb('aggregate', [], { stdin: stdout })
    const { labelled, correct, accuracy, unread_labels, kappa } = JSON.parse(ran.stdout)
    assert.deepEqual([labelled, correct, accuracy, unread_labels, kappa], [2, 1, 0.5, 2, 0])
    const place = `(${how}, --label names another field)`
    assert.ok(
      ran.stderr.includes(`:2: the item's label is "NA", ${expected}: it is left out ${place}`),
      ran.stderr,
    )
    const audited = await jb('audit', ['--truth', 'label'], { stdin: stdout })
    const agreement = rowsOf(audited).find(({ section }) => section === 'agreement')!
    assert.deepEqual([agreement.items, agreement.po], [2, 0.5])
    assert.ok(audited.stderr.includes(`2 labels are left out: ${expected}, such as "NA"`), audited.stderr)
  })

  test('fails its item where --label names the field', async (t) => {
    const dir = judgeFolder(t, { 'j.yaml': PASS_FAIL })
    const labels = ['bestanden', 'durchgefallen', 'bestanden', 'durchgefallen']
    const { stdout } = await verdictsOf(`${dir}/j.yaml`, said, labels)
    const ran = await jb('aggregate', ['--label', 'label'], { stdin: stdout })
    assert.equal(ran.code, 1)
    const message = `:1: missing_field: the label "label" is "bestanden", ${expected} (${how})`
    assert.ok(ran.stderr.includes(message), ran.stderr)
    const map = ['--label', 'label', '--label-map', 'bestanden=PASS,durchgefallen=FAIL']
    const { accuracy } = JSON.parse(fine(await jb('aggregate', map, { stdin: stdout })).stdout)
    assert.equal(accuracy, 1)
  })

  test('a number is the option with this score; one beyond the scores is of another scale', async (t) => {
    const dir = judgeFolder(t, { 'j.yaml': options('{ good: 1, bad: 0 }') })
    const read = await verdictsOf(`${dir}/j.yaml`, ['good', 'bad', 'bad'], ['1', 0, 1])
    const { labelled, accuracy } = JSON.parse((await jb('aggregate', [], { stdin: read.stdout })).stdout)
    assert.deepEqual([labelled, accuracy], [3, 2 / 3])

    const grades = await verdictsOf(`${dir}/j.yaml`, ['good', 'bad', 'bad', 'good'], [5, 1, 3, 5])
    expect(await jb('aggregate', ['--label', 'label'], { stdin: grades.stdout }), {
      err: /:1: missing_field: the label "label" is 5, expected one of good, bad, or a score/,
    })
    expect(await jb('audit', ['--truth', 'label'], { stdin: grades.stdout }), {
      code: 65,
      err: /people's grades are from 1 to 5, and the judge's scale is 0 to 1 \(--rescale 1,5/,
    })
    const on = await jb('audit', ['--truth', 'label', '--rescale', '1,5'], { stdin: grades.stdout })
    const agreement = rowsOf(on).find(({ section }) => section === 'agreement')!
    assert.deepEqual([agreement.items, agreement.po], [3, 1])
  })

  test('also after a jury', async (t) => {
    const dir = judgeFolder(t, { 'j.yaml': PASS_FAIL, 'k.yaml': PASS_FAIL })
    const labels = ['NA', 'FAIL', 'PASS', 'NA']
    const judged = [
      await verdictsOf(`${dir}/j.yaml`, said, labels),
      await verdictsOf(`${dir}/k.yaml`, said, labels),
    ]
    const stdin = judged.map(({ stdout }) => stdout).join('')
    const jury = await jb('score', ['--jury', 'majority'], { stdin })
    const { labelled, correct } = JSON.parse((await jb('aggregate', [], { stdin: jury.stdout })).stdout)
    assert.deepEqual([labelled, correct], [2, 2])
  })
})
