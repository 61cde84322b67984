/** The page as the filter makes it: everything of the rows is in it, and nothing of them is markup. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { spec } from '../../../src/stages/view/options.ts'
import { figureName } from '../../../src/stages/view/page/words_for.ts'
import { asText } from '../../../src/stages/view/verdict_word.ts'
import { view } from '../../../src/stages/view/view.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson, pair } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { staged } from '../../helpers/stage.ts'
import { dataOf, made, madeOf, scripts } from './_page.ts'

test('the best of several answers, from 0 in rows, is counted from 1 as their texts are', async () => {
  const verdict = (winner: number) => ({ label: `response_${winner + 1}`, winner })
  const row = (id: string, winner: number, label: number) => ({
    ...{ id, question: 'q', response: ['a', 'b', 'c'], label },
    jb: {
      judge: 'pairwise',
      item: id,
      trial: { n: 0, of: 1 },
      reply: { text: 'r', model: 'm' },
      verdict: verdict(winner),
    },
  })
  const rows = [row('x', 2, 2), row('y', 0, 1)]
  const { index } = await dataOf(await madeOf(rows))
  const words = ({ words, at }: { words: string[]; at: number[] }) => at.map((one) => words[one])
  assert.deepEqual(words(index.runs[0]!.verdict), ['answer 3', 'answer 1'])
  assert.deepEqual(words(index.label), ['answer 3', 'answer 2'])
  assert.deepEqual(index.runs[0]!.correct, [1, 0])
  const { text } = await staged(spec, view, ['--text'], ndjson(rows))
  assert.match(text, /pairwise · m {2}answer 3 ✓ right\n {2}answer 3, read from “response_3”/)
})

test('more than 500 runs are refused', async () => {
  const rows = Array.from({ length: 501 }, (_, i) =>
    game('i', 0, 1, 'A>B', { jb: { reply: { text: 't', model: `m${i}` } } }),
  )
  const { code, stderr } = await jb('view', ['--text'], { stdin: ndjson(rows) })
  assert.equal(code, 65)
  assert.match(stderr, /jb-view: more than 500 runs/)
})

test('two runs of the same pairs: items, verdicts, accuracy, the paired difference', async () => {
  const rows = ['m1', 'm2'].flatMap((model) =>
    ['i1', 'i2', 'i3'].flatMap((item) =>
      [0, 1].map((n) =>
        game(item, n, 2, model === 'm2' && item === 'i3' ? 'B>A' : 'A>B', {
          source: item === 'i1' ? 'law' : 'code',
          jb: { reply: { text: 't', model, ms: 100, usage: { prompt_tokens: 10, completion_tokens: 2 } } },
        }),
      ),
    ),
  )
  const { overview, index } = await dataOf(await madeOf(rows))
  assert.equal(overview.items, 3)
  assert.deepEqual(
    overview.runs.map(({ name, estimate }) => [name, estimate?.what, estimate?.value, estimate?.n]),
    [
      ['arena_hard · m1', 'accuracy', 1, 3],
      ['arena_hard · m2', 'accuracy', 2 / 3, 3],
    ],
  )
  assert.deepEqual(Object.keys(overview.runs[0]!.groups.source!), ['code', 'law'])
  assert.equal(overview.runs[0]!.consistency?.value, 1)
  assert.equal(overview.runs[0]!.slot?.value, 0.5)
  const [difference] = overview.differences
  assert.ok(Math.abs(difference!.value! + 1 / 3) < 1e-12)
  assert.deepEqual(difference!.same, { n: 2, of: 3 })
  assert.equal(difference!.n, 3)
  assert.ok(difference!.ci![0] < -1 / 3 && difference!.ci![1] > -1 / 3)
  assert.deepEqual(index.runs[1]!.correct, [1, 1, 0])
  assert.deepEqual(index.runs[0]!.numbers.tokens, [24, 24, 24])
  assert.deepEqual(overview.runs[1]!.confusion, { labels: ['A>B'], judged: ['A>B', 'B>A'], counts: [[2, 1]] })
})

test('two runs without labels differ in how often A is preferred, a tie counting half', async () => {
  const said = { m1: ['A>B', 'A>B', 'A=B'], m2: ['A>B', 'B>A', 'B>A'] }
  const rows = Object.entries(said).flatMap(([model, decisions]) =>
    decisions.map((decision, i) =>
      game(`i${i}`, 0, 1, decision, { label: null, jb: { reply: { text: 't', model } } }),
    ),
  )
  const { overview } = await dataOf(await madeOf(rows))
  const [{ value, n, same } = {}] = overview.differences
  assert.deepEqual([value, n, same], [-0.5, 3, { n: 1, of: 3 }])
})

test('head to head, the page has the sentence of jb-aggregate with both models', async () => {
  const rows = ['A>B', 'A>B', 'B>A'].map((decision, i) =>
    game(`i${i}`, 0, 1, decision, { label: null, model_a: 'llama', model_b: 'qwen' }),
  )
  const [run] = (await dataOf(await madeOf(rows))).overview.runs
  const { stdout } = await jb('aggregate', ['-q'], { stdin: ndjson(rows) })
  assert.match(
    run!.sentence!,
    /^llama \(A\) and qwen \(B\) cannot be told apart: llama has a share of 66\.7 %/,
  )
  assert.equal(run!.sentence, JSON.parse(stdout).sentence)
  assert.equal(figureName(run!.estimate!), 'share of llama')
  const table = await jb('aggregate', ['-q', '--format', 'table', '--by', 'none'], { stdin: ndjson(rows) })
  assert.match(table.stdout, /items +share of llama +interval +llama better +qwen better/)
  // Of battles in which a model is now the first, now the second, A and B are the answers of an item.
  const battles = rows.map((row, i) => (i > 0 ? row : { ...row, model_a: 'qwen', model_b: 'llama' }))
  const [mixed] = (await dataOf(await madeOf(battles))).overview.runs
  assert.equal(figureName(mixed!.estimate!), 'share of A')
})

test('the fields of a judge file that the user names are shown as question, answer and more', async (t) => {
  const path = folder(t, {
    'own.yaml':
      'kind: grade\nfields: { question: frage, answer: antwort, muster: loesung }\nmessages: [{ role: user, content: "{{ question }} {{ answer }} {{ muster }}" }]\nverdict: { rule: number }\n',
  })
  const file = `${path}/own.yaml`
  const row = {
    id: 1,
    antwort: 'a',
    loesung: 'l',
    frage: 'f',
    jb: { judge: file, item: '1', verdict: { score: 1 } },
  }
  const { overview } = await dataOf(await madeOf([row], { judge: [file] }))
  assert.deepEqual(overview.roles, { question: 'frage', answers: ['antwort'], shown: ['loesung'] })
  const { overview: unnamed } = await dataOf(await madeOf([row]))
  assert.deepEqual(unnamed.roles, { answers: [], shown: [] })
})

test('the difference of two runs is that of jb-compare: of accuracies, shares and scores', async () => {
  const tied = ['m1', 'm2'].flatMap((model) =>
    ['i1', 'i2', 'i3'].map((item) =>
      game(item, 0, 1, model === 'm2' ? 'A=B' : item === 'i3' ? 'B>A' : 'A>B', {
        jb: { reply: { text: 't', model } },
      }),
    ),
  )
  const unlabelled = ['m1', 'm2'].flatMap((model) =>
    ['i1', 'i2', 'i3', 'i4'].map((item, i) =>
      game(item, 0, 1, model === 'm2' && i > 0 ? 'B>A' : 'A>B', {
        label: null,
        jb: { reply: { text: 't', model } },
      }),
    ),
  )
  const grades = (most: number) =>
    ['m1', 'm2'].flatMap((model, run) =>
      [0, 1, 2, 3].map((i) => ({
        id: i,
        jb: {
          ...{ judge: 'j', item: `${i}`, trial: { n: 0, of: 1 }, reply: { text: 't', model } },
          verdict: { score: (i * (run + 3)) % (most + 1) },
        },
      })),
    )
  for (const [rows, args] of [
    [tied, ['--tie', '0.5']],
    [unlabelled, []],
    [grades(1), []],
    [grades(4), []],
  ] as const) {
    const { overview } = await dataOf(await madeOf([...rows], args.length > 0 ? { tie: 0.5 } : {}))
    const [difference] = overview.differences
    const { stdout } = await jb('compare', [...args], { stdin: ndjson([...rows]) })
    const { difference: value, ci } = JSON.parse(stdout)
    const shown = [difference!.value!, ...difference!.ci!].map((one) => Number(one.toPrecision(10)))
    assert.deepEqual(shown, [value, ...ci])
  }
})

test('every row is there as it came, the user’s part of an item once', async () => {
  const line = (n: number, more = '') =>
    `{"pair_id":"p","big":12345678901234567890,"n":[1.0],"half":"\\ud800"${more},"jb":{"judge":"j","item":"p","trial":{"n":${n},"of":2}}}`
  const data = await dataOf(await made([line(0), line(1), line(0, ',"new":true')]))
  const { item, rows } = await data.rowsOf(0)
  assert.equal(
    asText({ n: item.n, big: item.big }),
    '{\n  "n": [\n    1.0\n  ],\n  "big": "12345678901234567890"\n}',
  )
  assert.equal(item.half, '\ud800')
  assert.deepEqual(
    rows.map(({ jb, item: own }) => [jb.trial.n, own?.new]),
    [
      [0, undefined],
      [1, undefined],
      [0, true],
    ],
  )
})

test('rows of any stage, and a result beside its trials counts once', async () => {
  const games = [game('i1', 0, 2, 'A>B'), game('i1', 1, 2, 'A>B')]
  const result = {
    pair_id: 'i1',
    label: 'A>B',
    jb: {
      judge: 'arena_hard',
      item: 'i1',
      result: { kind: 'pairwise', decision: 'A>B', correct: true, label: 'A>B', model: 'm' },
      trials: [],
    },
  }
  const failed = {
    pair_id: 'i2',
    jb: {
      judge: 'arena_hard',
      item: 'i2',
      trial: { n: 0, of: 1 },
      error: { stage: 'call', code: 'timeout', message: 'no', model: 'm' },
    },
  }
  const plain = pair({ pair_id: 'i3' })
  const { overview, index } = await dataOf(await madeOf([plain, ...games, result, failed]))
  assert.equal(overview.runs.length, 1)
  assert.deepEqual([overview.runs[0]!.report.items, overview.runs[0]!.report.failed], [2, 1])
  assert.deepEqual(index.runs[0]!.error, { words: ['timeout'], at: [-1, -1, 0] })
  assert.deepEqual(overview.roles.answers, ['response_A', 'response_B'])
})

test('--by-file keeps runs of one judge and model apart; without it a note names items that are there again', async () => {
  const notes: string[] = []
  const { view } = await import('../../../src/index.ts')
  const { linesAsRows } = await import('./_page.ts')
  const lines = [JSON.stringify(game('i1', 0, 1, 'A>B', { question: 'q' }))]
  const both = async function* () {
    yield* linesAsRows(lines, 'a.ndjson')
    yield* linesAsRows(lines, 'b.ndjson')
  }
  const names = async (byFile: boolean) => {
    let page = ''
    for await (const piece of view(both(), { byFile }, { note: (words) => notes.push(words) })) page += piece
    return (await dataOf(page)).overview.runs.map(({ name }) => name)
  }
  assert.deepEqual(await names(true), ['arena_hard · m · a.ndjson', 'arena_hard · m · b.ndjson'])
  assert.deepEqual(notes, [])
  assert.deepEqual(await names(false), ['arena_hard · m'])
  assert.match(notes[0]!, /^item "i1" was counted already, .*--by-file/)
})

test('fields of a question and an answer that only a judge file names: what shows them is told', async () => {
  const stdin = `${JSON.stringify(game('i1', 0, 1, 'A>B', { q: 'x', a: 'y', jb: { judge: 'mine.yaml' } }))}\n`
  const note = /^jb-view: no field has a usual name of .*: --map question=FIELD --map answer=FIELD\n$/
  expect(await jb('view', [], { stdin }), { err: note })
  expect(await jb('view', ['--text', '--map', 'answer=a'], { stdin }), { err: '' })
})

test('variants of the items, such as lm-eval’s filters, are runs of their own', async () => {
  const rows = ['strict', 'flexible'].map((variant) => game('i1', 0, 1, 'A>B', { jb: { variant } }))
  const { overview } = await dataOf(await madeOf(rows))
  assert.deepEqual(
    overview.runs.map(({ name, report }) => [name, report.items]),
    [
      ['arena_hard · m · strict', 1],
      ['arena_hard · m · flexible', 1],
    ],
  )
})

test('versions of a judge under one name are runs of their own', async () => {
  const rows = ['0123456789ab', 'ba9876543210'].map((digest) =>
    game('i1', 0, 1, 'A>B', { jb: { judge_digest: digest } }),
  )
  const { overview } = await dataOf(await madeOf(rows))
  assert.deepEqual(
    overview.runs.map(({ name, report }) => [name, report.items]),
    [
      ['arena_hard · m · 0123456789ab', 1],
      ['arena_hard · m · ba9876543210', 1],
    ],
  )
})

const NASTY = [
  '</script><script>alert(1)</script>',
  '<!--<script>',
  ']]><img src=x onerror=alert(1)>',
  '\u2028\u2029\0\ud800',
  '\u202eright to left override',
  '\x1b]0;title\x07\x1b[31m',
  'a'.repeat(1_000_000),
  `e${'\u0301'.repeat(10_000)}`,
]

test('no text of a row is markup, whatever it holds', async () => {
  const lines = NASTY.map((text, i) =>
    JSON.stringify({
      [text.slice(0, 40)]: text,
      source: text.slice(0, 50),
      question: text,
      response_A: text,
      response_B: text,
      label: 'A>B',
      jb: {
        judge: text.slice(0, 60),
        item: `${i} ${text.slice(0, 60)}`,
        trial: { n: 0, of: 1, order: text },
        reply: { text, model: text.slice(0, 60) },
        verdict: { label: text, decision: 'A>B' },
      },
    }),
  )
  const page = await made(lines)
  const found = scripts(page)
  // Overview, program, index, ready, and the chunks: not one element more.
  assert.equal((page.match(/<script/g) ?? []).length, found.size)
  assert.deepEqual(
    [...found.keys()].filter((id) => !/^(overview|index|chunk-\d+|\d+)$/.test(id)),
    [],
  )
  assert.doesNotMatch(page, /<img|<!--(?! )|\u2028/)
  const data = await dataOf(page)
  for (const [i, text] of NASTY.entries()) {
    const { item, rows } = await data.rowsOf(i)
    assert.equal(item.question, text)
    assert.equal(rows[0]!.jb.reply.text, text)
  }
})

test('the policy allows the page’s own script and style and nothing else', async () => {
  const page = await madeOf([pair()])
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)!
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  assert.match(policy!, /^default-src 'none'; script-src /)
  for (const [id, text] of scripts(page))
    assert.equal(policy!.includes(hash(text)), /^\d+$/.test(id), `script ${id}`)
  assert.ok(policy!.includes(hash(/<style>([\s\S]*?)<\/style>/.exec(page)![1]!)))
  assert.doesNotMatch(policy!, /unsafe|https?:|\*/)
})

test('a page is small: 300 KB and 1.4 times the rows compressed', async () => {
  const words = (seed: number) =>
    Array.from({ length: 600 }, (_, i) => ((seed * 7919 + i * 104729) % 99991).toString(36)).join(' ')
  const lines = Array.from({ length: 300 }, (_, i) =>
    JSON.stringify(pair({ question: words(i), response_A: words(i + 1000), response_B: words(i + 5000) })),
  )
  const page = Buffer.byteLength(await made(lines))
  const compressed = gzipSync(lines.join('\n')).length
  assert.ok(page <= 300_000 + 1.4 * compressed, `${page} bytes, of rows ${compressed}`)
  assert.ok(Buffer.byteLength(await made([])) <= 100_000)
})

test('columns of any length are read as they were written', async () => {
  const ids = Array.from({ length: 4_001 }, (_, i) => `an item that is called ${i}`)
  const { index } = await dataOf(await madeOf(ids.map((id) => game(id, 0, 1, 'A>B'))))
  assert.deepEqual(index.ids, ids)
  assert.equal(index.rowItem.at(-1), 4_000)
  assert.equal(index.runs[0]!.verdict.at.length, 4_001)
})

test('the same rows give the same page', async () => {
  const rows = [game('i1', 0, 1, 'A>B'), game('i2', 0, 1, 'B>A')]
  assert.equal(await madeOf(rows), await madeOf(rows))
})

test('an item or a field that is named and is nowhere is not passed over', async () => {
  const rows = ndjson([game('i1', 0, 1, 'A>B', { question: 'What?' })])
  await assert.rejects(staged(spec, view, ['--item', 'i1', '--item', 'i2'], rows), /no item i2 in these rows/)
  const { notes } = await staged(spec, view, ['--map', 'question=ask', '--by', 'label'], rows)
  assert.deepEqual(notes, ['no row has the field ask'])
})

test('of input that ends at a bad row there is no page', async () => {
  for (const stdin of ['id,question\n1,a\n', `${ndjson([pair()])}{bad\n`]) {
    const { stdout, code } = await jb('view', [], { stdin })
    assert.deepEqual([stdout, code], ['', 65])
  }
})
