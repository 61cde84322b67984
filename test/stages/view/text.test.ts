/** Cards for the terminal: folded to the width, and nothing of a row speaks to the terminal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textWidth } from '../../../src/formats/_text_width.ts'
import { spec } from '../../../src/stages/view/options.ts'
import { folded, visible } from '../../../src/stages/view/text/plain.ts'
import { outcomeKind } from '../../../src/stages/view/verdict_word.ts'
import { view } from '../../../src/stages/view/view.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'
import { staged } from '../../helpers/stage.ts'
import { dataOf, madeOf } from './_page.ts'

test('lines are no wider than asked for, in any script, and no word is lost', () => {
  const texts = [
    'a few words that go over the line',
    '漢字かな交じり文が続く'.repeat(4),
    'x'.repeat(95),
    '',
    'a\n\n  b',
    `e${'\u0301'.repeat(500)}`,
  ]
  for (const text of texts) {
    const lines = folded(text, 20)
    for (const line of lines) assert.ok(textWidth(line) <= 20, line)
    assert.equal(
      lines.join('').replace(/\s/g, '').includes('<+484 marks>'.replace(/\s/g, '')),
      text.startsWith('e\u0301'),
    )
    if (!text.startsWith('e')) assert.equal(lines.join('').replace(/\s/g, ''), text.replace(/\s/g, ''))
  }
})

test('a name is one line of a card, in any script', async () => {
  const wide = '漢字'.repeat(60)
  const row = game(wide, 0, 2, 'A>B', { label: wide, jb: { judge: wide, reply: { text: 'x', model: wide } } })
  const { text } = await staged(spec, view, ['--text'], ndjson([row]))
  for (const line of text.split('\n')) assert.ok(textWidth(line) <= 80, `${textWidth(line)} ${line}`)
})

test('what a terminal would obey is made visible', () => {
  assert.equal(visible('a\x1b[31m\x07\u009b\u202e\0\ud800é\n\t'), 'a␛[31m␇<U+009B><U+202E>␀<U+D800>é\n\t')
})

test('a card: question, answers, each reply with the words that were read marked, nothing of theirs obeyed', async () => {
  const bad = '\x1b]0;title\x07\x1b[2J\u202e'
  const rows = [0, 1].map((n) =>
    game('p1', n, 2, n === 0 ? 'A>B' : 'A=B', {
      question: `What? ${bad}`,
      response_A: 'one',
      response_B: 'two',
      jb: {
        judge: `j${bad}`,
        reply: { text: `so: [[A>B]] ${bad}`, model: `m${bad}` },
        verdict: { label: 'A>B', decision: n === 0 ? 'A>B' : 'A=B' },
      },
    }),
  )
  const { text } = await staged(
    spec,
    view,
    ['--text', '--item', 'p1'],
    ndjson([...rows, game('p2', 0, 1, 'A>B')]),
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
  assert.match(
    text,
    /── p1 ─+\nlabel: A>B\n\nquestion\n {2}What\? ␛\]0;title␇␛\[2J<U\+202E>\n\nA · response_A\n {2}one\n/,
  )
  assert.match(text, /A>B ✓ right inconsistent/)
  assert.match(text, /trial 2 of 2, shown BA, A=B, read from “A>B”\n {2}│ so: \[\[A>B\]\]/)
  assert.doesNotMatch(text, /p2/)
  await assert.rejects(staged(spec, view, ['--text', '--item', 'p9'], ndjson(rows)), /no item p9/)
})

test('a row that nests as deeply as a row may has a card as well', async () => {
  const deep = `${'['.repeat(90)}${']'.repeat(90)}`
  const { text } = await staged(
    spec,
    view,
    ['--text'],
    `{"id":"p1","question":"q","more":${deep},"jb":{"judge":"arena_hard","item":"p1","trial":{"n":0,"of":1},"reply":{"text":"[[A>B]]","model":"m"},"verdict":{"label":"A>B","decision":"A>B"},"more":${deep}}}\n`,
  )
  assert.match(text, /── p1 ─(.*\n)*arena_hard · m {2}A>B/)
})

test('a card says once what failed', async () => {
  const stdin = ndjson([
    {
      id: 1,
      jb: { judge: 'arena_hard', item: '1', trial: { n: 0, of: 1 }, reply: { text: 'hm', model: 'm' } },
    },
  ])
  const read = fine(await jb('parse', ['-q'], { stdin })).stdout
  const { text } = await staged(spec, view, ['--text'], read)
  assert.match(text, /arena_hard · m {2}failed: no_verdict\n(.*\n)* {2}! no_verdict: looked for one of/)
})

test('--text: names and fields that mean nothing are reported, options of a page refused', async () => {
  const rows = ndjson([game('i1', 0, 1, 'A>B', { question: 'What?' })])
  const run = (...args: string[]) => staged(spec, view, args, rows)
  await assert.rejects(run('--text', '--map', 'qestion=x'), /--map qestion=…: did you mean question\?/)
  assert.deepEqual((await run('--text', '--map', 'rubric=x')).notes, [
    '--map rubric=… is ignored: the names are question, answer, answer_a, answer_b',
    'no row has the field x',
  ])
  assert.deepEqual((await run('--text', '--map', 'question=nope', '--label', 'none')).notes, [
    'no row has the field nope, none',
  ])
  for (const option of [
    ['media', '.'],
    ['by', 'source'],
  ])
    await assert.rejects(run('--text', `--${option[0]}`, option[1]!), /--(media|by): it is for a page/)
})

test('--map of one answer leaves the other', async () => {
  const shown = async (row: object, ...map: string[]) => {
    const args = ['--text', ...map.flatMap((one) => ['--map', one])]
    const { text } = await staged(spec, view, args, ndjson([row]))
    return text.match(/^[AB] · .*$|^answer_b$|^b$/gm)
  }
  assert.deepEqual(await shown({ id: 1, answer_a: 'x', b: 'y' }, 'answer_b=b'), ['A · answer_a', 'B · b'])
  const usual = { id: 1, response_A: 'x', response_B: 'y', b: 'z' }
  assert.deepEqual(await shown(usual, 'answer_b=b'), ['A · response_A', 'B · b'])
  assert.deepEqual(await shown(usual, 'answer_a=b'), ['A · b', 'B · response_B'])
  assert.deepEqual(await shown({ id: 1, b: 'z' }, 'answer_b=b'), ['b'])
})

test('titles, labels and values are not cut inside a character', async () => {
  const question = `${'x'.repeat(158)}😀 end`
  const row = { id: 1, question, label: `${'x'.repeat(39)}😀`, kind: `${'x'.repeat(59)}😀` }
  const { index } = await dataOf(await madeOf([row]))
  assert.deepEqual(index.titles, [`${'x'.repeat(158)}…`])
  assert.deepEqual(index.label.words, ['x'.repeat(39)])
  assert.deepEqual(index.groups.kind!.words, [`${'x'.repeat(59)}…`])
})

test('without labels PASS is right in green and FAIL wrong in red, with signs; other options have none', async () => {
  const kinds = async (options: [string, number][], label?: string) => {
    const rows = options.map(([option, score], i) => ({
      ...{ id: i, answer: 'x', ...(label !== undefined && { label }) },
      jb: {
        ...{ judge: 'j', item: `${i}`, trial: { n: 0, of: 1 }, reply: { text: option, model: 'm' } },
        verdict: { label: option, option, score },
      },
    }))
    const { index } = await dataOf(await madeOf(rows))
    return rows.map((_, i) => outcomeKind(index.runs[0]!, i))
  }
  const both: [string, number][] = [
    ['PASS', 1],
    ['FAIL', 0],
  ]
  assert.deepEqual(await kinds(both), ['pass', 'fail'])
  assert.deepEqual(await kinds(both, 'PASS'), ['right', 'wrong'])
  assert.deepEqual(
    await kinds([
      ['Fair', 1],
      ['Poor', 0],
    ]),
    ['open', 'open'],
  )
})

test('a conversation and its answer: the last message once', async () => {
  const messages = [
    { role: 'user', content: 'Who?' },
    { role: 'assistant', content: 'The mayor.' },
  ]
  const shown = async (response: string) => {
    const { text } = await staged(spec, view, ['--text'], ndjson([{ id: 1, messages, response }]))
    return [text.match(/The mayor\./g)!.length, text.includes('Who?')]
  }
  assert.deepEqual(await shown('The mayor.'), [1, true])
  assert.deepEqual(await shown('The mayor. Yes.'), [2, true])
})

test('the answers of two models are under the names of the models', async () => {
  const row = game('i1', 0, 1, 'A>B', {
    model_1: 'llama',
    model_2: 'qwen',
    response_A: 'yes',
    response_B: 'no',
  })
  const { text } = await staged(spec, view, ['--text'], ndjson([row]))
  assert.match(text, /A · llama\n {2}yes\n\nB · qwen\n {2}no\n/)
})
