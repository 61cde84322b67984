/** --jury learned: weights from labels; --pass: pass and fail of grades. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { spec } from '../../../src/stages/score/options.ts'
import { score } from '../../../src/stages/score/score.ts'
import { type JuryCase, juryRows, row } from '../../helpers/choice_rows.ts'
import { folder } from '../../helpers/folder.ts'
import { type AnyRow, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { casesOf, close } from '../../statistics/_cases.ts'

interface Expected {
  weights: number[]
  votes: number[]
  confidence: number[]
}

const run = (args: string[], stdin: string) => staged(spec, score, args, stdin)
const rowsOf = async (args: string[], stdin: string) => objects((await run(args, stdin)).text) as AnyRow[]
const all = casesOf<{ case: JuryCase; expect: Expected }>('choice').filter(({ name }) =>
  name.startsWith('jury'),
)
const caseOf = (name: string) => all.find((one) => one.name === `jury-${name}`)!
const textOf = (of: JuryCase) => Object.values(juryRows(of)).join('')
const said = { 'A>B': 1, 'B>A': -1, 'A=B': 0, Yes: 1, No: -1 } as Record<string, number>
const vote = ({ jb }: AnyRow) => said[String(jb.result!.decision ?? jb.result!.option)]!

for (const { name, case: of, expect } of all)
  test(`the figures of the independent program, in any order of rows: ${name}`, async (t) => {
    const file = join(folder(t, {}), 'weights.json')
    const { members, items } = of
    const args = ['--jury', 'learned', '--quorum', '1', '--save', file]
    const rows = await rowsOf(args, textOf(of))
    const byItem = new Map(rows.map((one) => [one.jb.item!, one]))
    // Without any verdict an item fails; the program calls it a tie.
    const known = items.flatMap((item, i) =>
      Object.values(members).some((votes) => votes[i] !== null) ? [[item, i] as const] : [],
    )
    close(
      {
        votes: known.map(([item]) => vote(byItem.get(item)!)),
        confidence: known.map(([item]) => byItem.get(item)!.jb.result!.confidence),
      },
      {
        votes: known.map(([, i]) => expect.votes[i]),
        confidence: known.map(([, i]) => expect.confidence[i]),
      },
    )
    const saved = JSON.parse(readFileSync(file, 'utf8'))
    close(
      { ...saved, weights: saved.members.map(({ weight }: { weight: number }) => weight) },
      {
        ...expect,
        votes: undefined,
        confidence: undefined,
      },
    )
    const turned = `${textOf(of).trimEnd().split('\n').reverse().join('\n')}\n`
    const again = new Map((await rowsOf(args, turned)).map((one) => [one.jb.item!, one.jb]))
    for (const [item, { jb }] of byItem) assert.deepEqual(again.get(item), jb)
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), saved)
    // The same weights, read from the file, on rows without labels.
    const bare = textOf({ ...of, labels: of.labels.map(() => null) })
    for (const one of await rowsOf(['--jury', `learned:${file}`, '--quorum', '1'], bare)) {
      const label = of.labels[items.indexOf(one.jb.item!)]
      const before = byItem.get(one.jb.item!)!
      // Labelled items have weights of a fit without them.
      if (label === null && !before.jb.error) assert.equal(vote(one), vote(before))
    }
  })

test('what it says: how good the jury is, whose vote counts against', async () => {
  const { notes } = await run(['--jury', 'learned'], textOf(caseOf('one-good').case))
  const text = notes.join('\n')
  assert.match(
    text,
    /^learned of 5: from 39 labels, right in 82\.1 % \(cross-fitted; 67\.3 to 91\.0\), majority \d+\.\d %, best member vanilla · m0 \d+\.\d % \(chosen on these labels\)$/m,
  )
  assert.match(text, /^vanilla · m0: weight 1\.43, right in \d+\.\d %$/m)
  assert.match(text, /^vanilla · m4: its vote counts against \(weight −0\.86\)$/m)
})

test('results: the judge, the model, trials with their weights; no label is no failure', async () => {
  const rows = await rowsOf(['--jury', 'learned', '--label', 'label'], textOf(caseOf('one-good').case))
  const { case: of } = caseOf('one-good')
  const [first] = rows
  assert.deepEqual([first!.jb.judge, first!.jb.result!.model], ['jury', 'learned of 5'])
  assert.equal(first!.jb.trials!.length, 5)
  assert.ok(first!.jb.trials!.every(({ weight }) => typeof weight === 'number'))
  assert.equal(rows.filter(({ jb }) => jb.error).length, 0)
  assert.equal(
    rows.filter(({ jb }) => typeof jb.result!.correct === 'boolean').length,
    of.labels.filter((one) => one !== null).length,
  )
})

const pairsOf = (models: string[], n: number, label = true) =>
  models.flatMap((model) =>
    Array.from({ length: n }, (_, i) =>
      row(
        'pairs',
        model,
        { item: `q${i}`, ...(label && { label: i % 2 ? 'A>B' : 'B>A' }) },
        i % 3 ? 'A>B' : 'B>A',
      ),
    ),
  )

test('refused: few labels, grades, several options, weights of others', async (t) => {
  const refused = (args: string[], rows: object[], exitCode: number, message: string | RegExp) =>
    assert.rejects(run(args, ndjson(rows)), { exitCode, message })
  const models = ['a', 'b']
  const learned = ['--jury', 'learned']
  await refused(
    learned,
    pairsOf(models, 17),
    1,
    '--jury learned: 17 labelled items, at least 20 are needed; --jury majority needs none',
  )
  const grades = models.flatMap((model) =>
    Array.from({ length: 30 }, (_, i) => row('grades', model, { item: `q${i}`, label: i % 2 === 0 }, i % 5)),
  )
  await refused(
    learned,
    grades,
    65,
    '--jury learned: rating gives grades; --pass X makes pass and fail of them',
  )
  const options = models.flatMap((model) =>
    Array.from({ length: 30 }, (_, i) =>
      row('options', model, { item: `q${i}`, label: i < 3 }, i % 2 ? 'Yes' : 'No'),
    ),
  )
  await refused(
    learned,
    options,
    1,
    '--jury learned: 3 items are labelled Yes, at least 5 of each kind are needed; --jury majority needs none',
  )
  await refused(['--save', 'x'], pairsOf(models, 30), 2, '--save goes with --jury learned')
  await refused(
    ['--jury', 'majority', '--save', 'x'],
    pairsOf(models, 30),
    2,
    '--save goes with --jury learned',
  )
  const dir = folder(t, { 'other.json': '{"jury":"majority"}' })
  const file = join(dir, 'w.json')
  await run([...learned, '--save', file], ndjson(pairsOf(models, 30)))
  const apply = ['--jury', `learned:${file}`]
  await refused(['--jury', `learned:${dir}/none`], pairsOf(models, 5), 66, /none/)
  await refused(['--jury', `learned:${dir}/other.json`], pairsOf(models, 5), 78, /no file of weights/)
  await refused(apply, pairsOf(['a', 'c'], 5), 65, /has no weight of vanilla · c$/)
  await refused(apply, pairsOf(['a', 'b', 'c'], 5), 65, /has no weight of vanilla · c$/)
  const changed = pairsOf(models, 5).map((one) => ({
    ...one,
    jb: { ...one.jb, judge_digest: 'ffffffffffff' },
  }))
  await refused(
    apply,
    changed,
    65,
    /^--jury learned: vanilla · a has changed since the weights were learned \(digest .*\): learn again$/,
  )
  await refused(apply, options, 65, /the weights in .* are of pairwise, and the rows are choice/)
  const three = JSON.parse(readFileSync(file, 'utf8'))
  three.members.push({ ...three.members[0], member: 'vanilla · c', model: 'c' })
  writeFileSync(file, JSON.stringify(three))
  await refused(apply, pairsOf(models, 5), 65, /no row is of vanilla · c, which has a weight/)
})

test('--pass: a grade of X or more is a pass, compared with a label; its members are turned before a jury', async () => {
  const grades = [2, 3, 4, null].map((grade, i) =>
    row('grades', 'm', { item: `q${i}`, ...(i < 2 && { label: i === 1 }) }, grade),
  )
  const [two, three, four, failed] = await rowsOf(['--pass', '3'], ndjson(grades))
  const { scored_with: _, ...first } = two!.jb.result!
  assert.deepEqual(first, {
    ...{ kind: 'choice', option: 'fail', score: 0, grade: 2 },
    ...{ label: false, label_option: 'fail', label_score: 0, correct: true, model: 'm' },
  })
  assert.deepEqual([three!.jb.result!.option, three!.jb.result!.correct], ['pass', true])
  const { scored_with, ...bare } = four!.jb.result!
  assert.deepEqual(bare, { kind: 'choice', option: 'pass', score: 1, grade: 4, model: 'm' })
  assert.deepEqual(scored_with, { pass: 3 })
  assert.equal(failed!.jb.error!.code, 'no_verdict')
  // A label in words; one that --label names and that is none fails.
  const named = (label: unknown) => row('grades', 'm', { item: 'x', label }, 5)
  const [word] = await rowsOf(['--pass', '3', '--label-map', 'good=pass'], ndjson([named('good')]))
  assert.equal(word!.jb.result!.correct, true)
  const [odd] = await rowsOf(['--pass', '3', '--label', 'label'], ndjson([named('perhaps')]))
  assert.deepEqual([odd!.jb.error!.code, odd!.jb.result], ['missing_field', undefined])
  // Rows of jb-score are turned, too.
  const scored = (await run([], ndjson(grades))).text
  assert.deepEqual(
    (await rowsOf(['--pass', '3'], scored)).map(({ jb }) => jb.result?.option),
    ['fail', 'pass', 'pass', undefined],
  )
  await assert.rejects(run(['--pass', '3'], ndjson(pairsOf(['a'], 2))), {
    exitCode: 65,
    message: '--pass: vanilla gives no grade',
  })
  const members = ['a', 'b', 'c'].flatMap((model, m) =>
    Array.from({ length: 4 }, (_, i) => row('grades', model, { item: `q${i}` }, i + m)),
  )
  const jury = await rowsOf(['--pass', '3', '--jury', 'majority'], ndjson(members))
  assert.deepEqual(
    jury.map(({ jb }) => jb.result!.option),
    ['fail', 'fail', 'pass', 'pass'],
  )
})
