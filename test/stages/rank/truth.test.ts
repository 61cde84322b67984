/** --truth: rankings as people would have them, by their verdicts on some battles. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { board, run } from './_rank.ts'

const MODELS = ['best', 'good', 'weak']

let state = 7
const random = () => (state = (state * 16807) % 2147483647) / 2147483647

/** 600 battles on as many items. People follow the order of the models eight times in ten; the judge does so, too, but where `weak` fights it wins every second one. */
const battles = Array.from({ length: 600 }, (_, i) => {
  const [a, b] = [MODELS[i % 3]!, MODELS[(i + 1) % 3]!]
  const firstIsBetter = MODELS.indexOf(a) < MODELS.indexOf(b)
  const people = firstIsBetter === random() > 0.2 ? 'model_a' : 'model_b'
  const isFooled = random() < 0.5 && (a === 'weak' || b === 'weak')
  const winner = isFooled ? (a === 'weak' ? 'model_a' : 'model_b') : people
  return { question_id: `q${i}`, model_a: a, model_b: b, winner, people }
})
const some = battles.map((row) => ({ ...row, human: random() < 0.25 ? row.people : null }))
const TRUE = await board(
  [],
  battles.map((row) => ({ ...row, winner: row.people })),
)

test('Bradley–Terry and means by labels are near what people say of all, where the judge alone is far', async () => {
  for (const method of ['bt', 'mean']) {
    const truth = await board(
      ['--method', method],
      battles.map((row) => ({ ...row, winner: row.people })),
    )
    const judge = await board(['--method', method], battles)
    const found = await board(['--method', method, '--truth', 'human'], some)
    for (const model of MODELS) {
      const [is, alone, corrected] = [truth, judge, found].map((of) => of.get(model)!)
      assert.ok(corrected!.ci[0] <= is!.score && is!.score <= corrected!.ci[1], `${method} ${model}`)
      assert.equal(
        corrected!.labels,
        some.filter((one) => one.human !== null && [one.model_a, one.model_b].includes(model)).length,
      )
      if (method === 'mean') assert.equal(corrected!.judge_score, alone!.score)
      if (model !== 'good')
        assert.ok(
          Math.abs(corrected!.score - is!.score) < Math.abs(alone!.score - is!.score) / 2,
          `${method} ${model}: ${corrected!.score}, ${alone!.score} alone, ${is!.score} by all`,
        )
    }
  }
})

test('where all battles have labels, or the judge says what people say, the ratings are those of people', async () => {
  const all = await board(['--method', 'bt', '--truth', 'people'], battles)
  const same = await board(
    ['--method', 'bt', '--truth', 'human'],
    some.map((row) => ({ ...row, winner: row.people })),
  )
  for (const model of MODELS) {
    assert.ok(Math.abs(all.get(model)!.rating - TRUE.get(model)!.rating) < 1e-5, model)
    assert.ok(
      Math.abs(same.get(model)!.rating - TRUE.get(model)!.rating) < 20,
      `${same.get(model)!.rating} ${TRUE.get(model)!.rating}`,
    )
  }
  const [few, whole] = [same.get('best')!, TRUE.get('best')!]
  // A judge who is always right makes few labels as good as many.
  assert.ok(few.rating_se < 1.3 * whole.rating_se, `${few.rating_se} ${whole.rating_se}`)
})

test('labels of a file: by item, by the models it names in either order, by a name', async (t) => {
  const labels = some.flatMap(({ question_id, model_a, model_b, human }, i) =>
    human === null
      ? []
      : i % 3 === 0
        ? [{ item: question_id, label: human }]
        : i % 3 === 1
          ? [
              {
                item: question_id,
                label: human === 'model_a' ? 'B>A' : 'A>B',
                model_a: model_b,
                model_b: model_a,
              },
            ]
          : [{ item: question_id, label: human === 'model_a' ? model_a : model_b }],
  )
  const dir = folder(t, {
    'people.ndjson': ndjson(labels),
    'one.ndjson': ndjson([{ item: 'q0', label: 'A>B' }]),
    'odd.ndjson': ndjson([...labels, { item: 'q1', label: 'both' }, { item: 'none', label: 'A>B' }]),
  })
  const ofField = await board(['--truth', 'human'], some)
  assert.deepEqual(await board(['--truth', `${dir}/people.ndjson`], battles), ofField)
  const { notes } = await run(['--truth', `${dir}/odd.ndjson`], battles)
  assert.match(notes.join('\n'), /the label "both" of item "q1" is left out: expected A>B, B>A, A=B/)
  assert.match(notes.join('\n'), /--truth: labels of 1 of \d+ items are of no battle, such as none/)
  // A question on which several pairs met needs labels that name the models.
  const shared = battles.map((row) => ({ ...row, question_id: 'q0' }))
  await assert.rejects(
    run(['--truth', `${dir}/one.ndjson`], shared),
    /one\.ndjson:1: the item has battles of \["best","good"\] and \["good","weak"\], and the label does not say of which/,
  )
})

test('few labels are told, none ends the run, and options that do not fit are refused', async () => {
  const few = some.map((row, i) => ({ ...row, human: i < 80 ? row.human : null }))
  const { text, notes } = await run(['--truth', 'human', '--format', 'table'], few)
  assert.match(text, /by people’s labels of some battles \(PPI\+\+\)/)
  assert.match(text, /\d+ labelled items: below 30, .* \(few_labels\)/)
  assert.deepEqual(
    notes.filter((one) => /truth/.test(one)),
    [],
  )
  await assert.rejects(run(['--truth', 'nobody'], battles), /--truth: no finite ratings: too few labels/)
  await assert.rejects(
    run(['--truth', 'human', '--control', 'length'], some),
    /--truth goes with --method mean and bt alone/,
  )
})

test('a label file has columns of any name, and numbers mean what --label-map says, never a share', async (t) => {
  const labelled = some.filter(({ human }) => human !== null)
  const csv = (head: string, line: (one: (typeof some)[0]) => string) =>
    `${[head, ...labelled.map(line)].join('\n')}\n`
  const index = ({ human }: (typeof some)[0]) => (human === 'model_a' ? 0 : 1)
  const dir = folder(t, {
    'zero.csv': csv('nr;who', (one) => `${one.question_id};${index(one)}`),
    'one.csv': csv('item,label', (one) => `${one.question_id},${1 + index(one)}`),
  })
  const ofField = await board(['--truth', 'human'], some)
  const named = ['--truth', `${dir}/zero.csv`, '--item', 'nr', '--label', 'who']
  assert.deepEqual(await board([...named, '--label-map', '0=A>B,1=B>A'], battles), ofField)
  // 0 may be the first answer, or say that it lost.
  await assert.rejects(run(named, battles), /too few labels/)
  // Labels that count answers from 1 can mean one thing alone.
  assert.deepEqual(await board(['--truth', `${dir}/one.csv`], battles), ofField)
  const inRows = some.map((row) => ({ ...row, human: row.human && index(row as (typeof some)[0]) }))
  const map = ['--label-map', '0=model_a,1=model_b']
  assert.deepEqual(await board(['--truth', 'human', ...map], inRows), ofField)
  await assert.rejects(run(['--item', 'nr'], battles), /--item: it goes with --truth/)
  await assert.rejects(run(['--truth', `${dir}/zero.csv`], battles), /\(--item FIELD names it\)/)
})

test('a judge who errs about a model in one way only is told, unless all battles have labels', async () => {
  const codes = (of: Map<string, { warnings: { code: string; sentence: string }[] }>) =>
    of.get('best')!.warnings.filter(({ code }) => code === 'few_disagreements')
  const [warning] = codes(await board(['--truth', 'human'], some))
  assert.match(
    warning!.sentence,
    /^the judge puts \w+ above people’s verdict on \d+ labelled items and below on \d/,
  )
  assert.deepEqual(codes(await board(['--truth', 'people'], battles)), [])
  // Errors each way, ten and more of each model.
  const errs = battles.map((row, i) => ({
    ...{ ...row, human: i % 10 === 0 ? null : row.people },
    winner: i % 2 === 0 ? 'model_a' : 'model_b',
  }))
  assert.deepEqual(codes(await board(['--truth', 'human'], errs)), [])
})
