/** `jb-audit --watch`: nights as rows through the command. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { expect, jb, type Ran } from '../../helpers/run.ts'
import { casesOf } from '../../statistics/_cases.ts'
import { night } from './_nights.ts'
import { sections, through, type WatchCase, watchIn, watching } from './_watch_cases.ts'

/** The others run in watch.check.ts. */
const HERE = ['few failures, one outage', 'grades', 'both move']

for (const { name, ...of } of casesOf<WatchCase>('drift'))
  if (HERE.includes(name))
    test(`nights through the command, as the independent program has them: ${name}`, (t) => through(t, of))

const BASE = [
  'AABBTAABBA',
  'AABBTAABBB',
  'AABBTABBBA',
  'ABBBTAABBA',
  'AABBTAABBA',
  'AABBAAABBA',
  'AABBTAABBA',
]

/** The base of a watch of ten anchors, and perhaps a system. */
async function based(t: TestContext, withSystem = false) {
  const watch = watching(t, ['--fail-drift', '0.02'])
  const rans: Ran[] = []
  for (const anchors of BASE)
    rans.push(await watch.judge(night(anchors), withSystem ? night(anchors, { letter: 's' }) : undefined))
  return { ...watch, rans }
}

test('the base says which night it is, and that its anchors are few', async (t) => {
  const { rans } = await based(t)
  const said = rans.map(watchIn)
  assert.deepEqual(
    said.map(({ answer, night: number, counted }) => [answer, number, counted]),
    BASE.map((_, i) => ['base', i + 1, true]),
  )
  assert.equal(said[2].sentence, 'night 3 of the 7 that are the base: nothing is compared yet')
  const warnings = rans.map((ran) => sections(ran)[0].warnings.map(({ code }: { code: string }) => code))
  assert.deepEqual(
    warnings.map((codes) => codes.includes('few_anchors')),
    [false, false, false, false, false, false, true],
  )
  assert.equal(sections(rans[2]!)[0].watch, said[2].sentence)
})

test('rows in another order give the same bytes out and in FILE', async (t) => {
  const [one, other] = [watching(t, ['--fail-drift', '0.02']), watching(t, ['--fail-drift', '0.02'])]
  for (const [i, anchors] of [...BASE, 'ABBBTAABBA', 'BBBBTAABBA'].entries()) {
    const [rows, system] = [night(anchors), night(anchors, { letter: 's' })]
    const turned = (text: string) => `${text.trimEnd().split('\n').reverse().join('\n')}\n`
    const [a, b] = [await one.judge(rows, system), await other.judge(turned(rows), turned(system))]
    assert.deepEqual([b.code, b.stdout, b.stderr], [a.code, a.stdout, a.stderr], `night ${i + 1}`)
    assert.equal(other.text(), one.text())
  }
})

test('the same night twice is that night: the same output and exit code, and FILE as it is', async (t) => {
  const { judge, text } = watching(t, ['--fail-drift', '0'])
  const nights: [string, string, Ran][] = []
  for (const anchors of [...BASE, 'AABBTAABBA', 'BBAATBBAAB', 'BBAATBBAAB']) {
    const [rows, system] = [night(anchors.repeat(10)), night(anchors.repeat(10), { letter: 's' })]
    nights.push([rows, system, await judge(rows, system)])
  }
  assert.deepEqual([nights[8]![2].code, nights[9]![2].code], [1, 1], 'the judge moved')
  const file = text()
  for (const [i, [rows, system, ran]] of nights.entries()) {
    const again = await judge(rows, system)
    assert.deepEqual([again.stdout, again.code], [ran.stdout, ran.code], `night ${i + 1}`)
    assert.match(
      again.stderr,
      new RegExp(`these are the rows of night ${i + 1}: not counted again \\(jb-call --refresh asks anew\\)`),
    )
  }
  assert.equal(text(), file)
})

test('a night that does not count misses the gate and leaves FILE; the system’s part counts by itself', async (t) => {
  const { judge, text } = await based(t, true)
  const file = text()
  const failed = await judge(night('AABBTAAB--'), night('AABBTAABBA', { letter: 's' }))
  expect(failed, {
    code: 1,
    err: /tonight is not counted: 8 of 10 anchors have a verdict, fewer than 90 %; night 7 of/,
  })
  assert.equal(watchIn(failed).counted, false)
  assert.equal(text(), file)
  const without = await judge(night('AABBTAAB--'), night('AABBTAABBA', { letter: 's' }), [])
  expect(without, { code: 0 })
  const system = night('AABBTAAB--', { letter: 's' })
  const half = await judge(night('AABBTAABBA'), system)
  expect(half, {
    code: 0,
    err: /--system: 8 of 10 items have a verdict, fewer than 90 %: tonight counts for the judge alone/,
  })
  const { counted, system_counted, sentence } = watchIn(half)
  assert.deepEqual([counted, system_counted], [true, false])
  assert.match(
    sentence,
    /^none moved in 1 nights: .*; the system is not compared yet: night 7 of the 7 that are its base; /,
  )
  const known = JSON.parse(text()!)
  assert.deepEqual([known.nights.length, known.system.nights.length], [8, 7])
})

test('refusals say why, with their exit codes, and leave FILE byte for byte', async (t) => {
  const { judge, cwd, file, text } = await based(t)
  const whole = text()!
  const refused = async (what: () => Promise<Ran>, code: number, err: RegExp) => {
    const before = text()
    expect(await what(), { code, out: '', err })
    assert.equal(text(), before)
  }
  const rows = (options?: Parameters<typeof night>[1]) => night('AABBTAABBA', options)
  await refused(
    () => judge(rows({ model: 'n' })),
    65,
    /^jb-audit: --watch: not the same judge: model m then, n now \(begin a new watch: move watch\.json away; --bridge says what the change does to the numbers\)$/m,
  )
  await refused(() => judge(rows({ jb: { judge_digest: 'd2', name: 'x' } })), 65, /digest d1 then, d2 now/)
  const another = (id: string) => (id === 'a007' || id === 'a009' ? 'Another?' : `What is ${id}?`)
  await refused(
    () => judge(rows({ question: another })),
    65,
    /^jb-audit: anchor a007 is not what it was on night 1 \(another question, answer or prompt\); nor are 1 more$/m,
  )
  await refused(
    () => judge(rows() + rows({ model: 'n' })),
    2,
    /one judge is compared with itself: the rows are of 2 \(j · m, j · n\)/,
  )
  await refused(() => judge(''), 2, /the rows are of none/)
  await refused(() => judge(rows(), rows({ letter: 's' })), 2, /--system: watch\.json was begun without it/)
  writeFileSync(`${cwd}/other.ndjson`, rows())
  for (const [option, value] of [
    ['--since', 'other.ndjson'],
    ['--bridge', 'other.ndjson'],
    ['--calibration', 'other.ndjson'],
    ['--next', '3'],
    ['--by', 'source'],
    ['--cluster', 'source'],
    ['--cascade'],
  ])
    await refused(
      () => judge(rows(), undefined, [option!, ...(value ? [value] : [])]),
      2,
      new RegExp(`${option}.* does not go with --watch`),
    )
  await refused(
    () => judge(rows(), undefined, ['--fail-drift', '2']),
    2,
    /a difference of shares is 0 to 1 \(0\.02\?\)/,
  )
  expect(await jb('audit', ['--system', 'other.ndjson', 'other.ndjson'], { cwd }), {
    code: 2,
    err: /--system: it goes with --watch/,
  })
  const damages: [string, RegExp][] = [
    [whole.slice(0, -20), /not the whole file of a watch/],
    [whole.replace('"watch":1', '"watch":2'), /version 2 of a watch’s file, this jb-audit reads 1/],
    [whole.replace('"A>B",', ''), /damaged: anchors\.a000/],
    [whole.replace(/"differs":/, '"others":'), /damaged: nights\[0\]/],
    [whole.replace('"moved":null', '"moved":true'), /damaged: moved/],
    ['{}', /not the file of a watch/],
  ]
  for (const [damaged, err] of damages) {
    writeFileSync(file, damaged)
    await refused(() => judge(rows()), 65, err)
  }
})

test('with --system: another judge is refused, and so is --system that goes; without it in FILE its base begins anew', async (t) => {
  const { judge, text, file } = await based(t, true)
  const before = text()!
  expect(await judge(night('AABBTAABBA'), night('AABBTAABBA', { letter: 's', model: 'n' })), {
    code: 65,
    err: /--system: not the judge of the anchors: model m on the anchors, n here/,
  })
  expect(await judge(night('AABBTAABBA')), {
    code: 2,
    err: /it was begun with --system, which every night needs/,
  })
  assert.equal(text(), before)
  const { system: _, ...reset } = JSON.parse(before)
  writeFileSync(file, JSON.stringify(reset, null, 2))
  const ran = await judge(night('AABBTAABBA'), night('BBBBBBBBBB', { letter: 's' }))
  assert.match(watchIn(ran).sentence, /the system is not compared yet: night 1 of the 7 that are its base$/)
  assert.equal(JSON.parse(text()!).system.nights[0].night, 8)
})

test('other ids than those of night 1 are left out, rows without a request are not checked, other servers are told', async (t) => {
  const { judge, text } = await based(t)
  const more = await judge(night('AABBTAABBAA'))
  assert.match(more.stderr, /the anchors are those of night 1: a010 left out/)
  assert.deepEqual(Object.keys(JSON.parse(text()!).anchors).length, 10)
  const bare = await judge(night('AABBTAABBA', { jb: { request: undefined } }))
  assert.match(bare.stderr, /10 anchors have no jb\.request: whether they are what they were is not checked/)
  assert.match(bare.stderr, /--watch: parameters: only the rows of one side say it/)
})

test('grades have a range: a score that is not from 0 to 1 is refused without one', async (t) => {
  const { judge, text } = watching(t)
  const rows = (grade: number) => `${JSON.stringify({ id: 'x', grade })}\n`
  const value = ['--value', 'grade']
  expect(await judge(rows(7), undefined, value), {
    code: 65,
    err: /the score of x is 7, and the rows do not say of how many/,
  })
  assert.equal(text(), undefined)
  expect(await judge(rows(0.7), undefined, value), { code: 0 })
  assert.deepEqual(JSON.parse(text()!).anchors.x.said, [0.7])
})

test('labels make right a figure; those of the base count', async (t) => {
  const { judge, text } = watching(t)
  const gold = 'AABBTAABBA'
  for (const anchors of BASE) await judge(night(anchors, { gold }))
  const ran = await judge(night('BBAATBBAAB', { gold: 'BBAATBBAAB' }))
  assert.match(ran.stderr, /labels are those of the base: others, of a000, a001, .* are left out/)
  const { judge_moved: moved } = watchIn(ran)
  assert.ok(Math.abs(moved.right.now - 0.1) < 1e-9, JSON.stringify(moved.right))
  assert.equal(JSON.parse(text()!).anchors.a000.label, 'A>B')
})

test('FILE holds at most 400 bytes an anchor and 300 a night', async (t) => {
  const { judge, text } = watching(t)
  for (let k = 0; k < 8; k++) {
    const grades = Array.from({ length: 40 }, (_, i) => (i * 7 + k) % 10).join('')
    await judge(night(grades), night(grades, { letter: 's' }))
  }
  const lines = text()!.split('\n')
  const longest = (start: RegExp) =>
    Math.max(...lines.filter((line) => start.test(line)).map((line) => line.length))
  assert.ok(longest(/^"a\d+"/) <= 400)
  assert.ok(longest(/^"s\d+"/) <= 400)
  assert.ok(longest(/^\{"rows"/) <= 300)
})
