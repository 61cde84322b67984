/** Runs that must not be subtracted: of other items under the same ids, of other labels, of other scales. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
import { figures, run, values } from './_compare.ts'

const judged = (judge: string, more: (i: number) => object = () => ({})) =>
  ndjson(Array.from({ length: 5 }, (_, i) => game(`i${i}`, 0, 1, 'A>B', { jb: { judge }, ...more(i) })))

const grades = (judge: string, range: [number, number] | undefined, scores: number[]) =>
  ndjson(
    scores.map((score, i) => ({
      id: `i${i}`,
      jb: { judge, item: `i${i}`, reply: { text: 't', model: 'm' }, verdict: { score, range } },
    })),
  )

test('the same ids with other questions: exit 65 with the first three; --differ questions goes on', async (t) => {
  const dir = folder(t, {
    old: judged('a', (i) => ({ question: `What is ${i}?` })),
    new: judged('a', (i) => ({ question: i === 0 ? 'What is 0?' : `Who is ${i}?` })),
  })
  const { stderr } = expect(await jb('compare', [`${dir}/old`, `${dir}/new`]), { code: 65 })
  const place = (line: number) => `${dir}/new:${line} has another question than ${dir}/old:${line}; `
  assert.ok(
    stderr.includes(`4 of 5 items are not the same in all runs: ${place(2)}${place(3)}${place(4)}… (`),
    stderr,
  )
  const gone = await run([`${dir}/old`, `${dir}/new`, '--differ', 'questions'])
  assert.match(gone.notes.join(), /^4 of 5 items are not the same/)
})

test('a question is the same however it is written, as a list of turns too; answers may differ', async (t) => {
  const turns = (i: number) => ['Wer ist »Bär«?', `And ${i}?`]
  const dir = folder(t, {
    old: judged('a', (i) => ({ question: turns(i), answer: 'x' })),
    new: judged('a', (i) => ({ question: turns(i), answer: 'y' }))
      .replaceAll('ä', '\\u00e4')
      .replaceAll('","', '", "'),
  })
  assert.equal((await figures([`${dir}/old`, `${dir}/new`]))[0].items, 5)
})

test('the question is where --map had it, and in rows of --value', async (t) => {
  const mapped = (word: string) =>
    judged('a', (i) => ({ frage: word + i, jb: { judge: 'a', map: { question: 'frage' } } }))
  const plain = (word: string) => values([1, 2, 3], (i) => ({ prompt: word + i }))
  const dir = folder(t, { old: mapped('x'), new: mapped('y'), a: plain('x'), b: plain('y') })
  await assert.rejects(run([`${dir}/old`, `${dir}/new`]), /5 of 5 items are not the same/)
  await assert.rejects(run([`${dir}/a`, `${dir}/b`, '--value', 'value']), /3 of 3 items are not the same/)
})

test('labels that differ between the runs: exit 65, in whatever form the same label is', async (t) => {
  const dir = folder(t, {
    old: judged('a'),
    new: judged('a', (i) => ({ label: i === 3 ? 'B>A' : 'A' })),
  })
  await assert.rejects(run([`${dir}/old`, `${dir}/new`]), /1 of 5 items .* has another label than/)
})

test('grades of 1 to 5 and of 1 to 10 are not subtracted: exit 65; --rescale takes them to one scale', async (t) => {
  const dir = folder(t, {
    five: grades('five', [1, 5], [1, 3, 5, 4]),
    ten: grades('ten', [1, 10], [1, 5.5, 10, 10]),
    any: grades('any', undefined, [1, 5, 9, 9]),
  })
  const err = /grades of five are from 1 to 5, those of ten from 1 to 10: .*--rescale 1,5/
  expect(await jb('compare', [`five=${dir}/five`, `ten=${dir}/ten`]), { code: 65, err })
  const [pair] = await figures([`five=${dir}/five`, `ten=${dir}/ten`, '--rescale', '0,1'])
  assert.deepEqual([pair.mean_a, pair.mean_b, pair.wins, pair.losses], [0.5625, 0.625, 1, 0])
  // A scale that no judge file names is not known to be another.
  fine(await jb('compare', [`${dir}/five`, `${dir}/any`]))
  expect(await jb('compare', [`${dir}/five`, `${dir}/ten`, '--rescale', '5']), { code: 2 })
})

test('plain rows without an id that both have: exit 65, with the fields that could be one', async (t) => {
  const dir = folder(t, {
    old: ndjson([1, 0, 1].map((score, i) => ({ prompt: `p${i}`, score }))),
    new: ndjson([1, 1, 0].map((score, i) => ({ prompt: `p${i}`, score }))),
    other: ndjson([1, 1, 0].map((score, i) => ({ question_id: i, prompt: `p${i}`, score }))),
    named: ndjson([1, 1, 0].map((score, i) => ({ id: i, prompt: `p${i}`, score }))),
  })
  const compared = (a: string, b: string, ...more: string[]) =>
    jb('compare', ['-q', '--value', 'score', `${dir}/${a}`, `${dir}/${b}`, ...more])
  expect(await compared('old', 'new'), {
    code: 65,
    out: '',
    err: /old:1: no id tells which rows are of the same item \(--id FIELD names the field that does: there are prompt\)/,
  })
  expect(await compared('other', 'named'), {
    code: 65,
    err: /named:1: the id is in "id", and in "question_id" at .*other:1 \(--id FIELD .*: there are prompt\)/,
  })
  const [pair] = objects(fine(await compared('old', 'new', '--id', 'prompt')).stdout)
  assert.deepEqual([pair.items, pair.wins, pair.losses], [3, 1, 1])
})

test('true and false, or shares, and larger numbers of --value are not subtracted: exit 65', async (t) => {
  const rows = (...scores: unknown[]) => ndjson(scores.map((score, id) => ({ id, score })))
  const dir = folder(t, {
    right: rows(true, false, true),
    shares: rows(0.5, 1, 0.25),
    percent: rows(50, 100, 25),
    grades: rows(1, 4, 1),
    least: rows(1, 1, 1),
  })
  const compared = (a: string, b: string) => jb('compare', [`${dir}/${a}`, `${dir}/${b}`, '--value', 'score'])
  for (const shares of ['right', 'shares'])
    for (const more of ['percent', 'grades'])
      expect(await compared(shares, more), {
        code: 65,
        err: /the values of \S+ are from 0 to 1 \(or true and false\), those of \S+ larger/,
      })
  fine(await compared('right', 'shares'))
  fine(await compared('least', 'grades'))
})

test('the same two answers exchanged are another item: exit 65; other answers may be what is compared', async (t) => {
  const answers = (a: string, b: string) =>
    judged('a', (i) => ({ response_A: `${a}${i}`, response_B: `${b}${i}` }))
  const dir = folder(t, { old: answers('x', 'y'), turned: answers('y', 'x'), new: answers('z', 'y') })
  await assert.rejects(
    run([`${dir}/old`, `${dir}/turned`]),
    /5 of 5 items .*turned:1 has the answers of .*old:1 exchanged/,
  )
  fine(await jb('compare', [`${dir}/old`, `${dir}/new`]))
})
