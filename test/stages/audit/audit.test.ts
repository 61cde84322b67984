/** jb-audit: each section against recorded values, and rows in any order. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { audit } from '../../../src/stages/audit/audit.ts'
import { spec } from '../../../src/stages/audit/options.ts'
import { folder, sharedData } from '../../helpers/folder.ts'
import { failedBeforeModels, game, ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'
import { objects, staged } from '../../helpers/stage.ts'

const run = (args: string[], rows: object[]) => staged(spec, audit, args, ndjson(rows))
/** Sections by name. */
const card = async (args: string[], rows: object[]) =>
  Object.fromEntries(
    objects((await run(args, rows)).text).map(({ section, ...figures }) => [section, figures]),
  )

// biome-ignore lint/suspicious/noExplicitAny: each file has cases of its own shape
type Case = { name: string; input: any; expect: any }

/** Cases of a file of vectors; nothing where they are not here. */
function cases(t: Parameters<typeof sharedData>[0], name: string): Case[] {
  const path = sharedData(t, `leaderboards/vectors/${name}.json`)
  return path === undefined ? [] : JSON.parse(readFileSync(path, 'utf8')).cases
}

function near(actual: unknown, expected: unknown, what: string): void {
  if (Array.isArray(expected))
    for (const [i, one] of expected.entries()) near((actual as unknown[])[i], one, `${what}[${i}]`)
  else if (typeof expected === 'number')
    assert.ok(
      Math.abs((actual as number) - expected) <= 1e-7 * Math.max(1, Math.abs(expected)),
      `${what}: ${actual}, expected ${expected}`,
    )
  else assert.equal(actual ?? null, expected, what)
}

test('agreement with people: kappas, AC1, alpha', async (t) => {
  for (const { name, input, expect } of cases(t, 'agreement_two').slice(1, 9)) {
    const rows = input.a.map((human: unknown, i: number) => ({ id: `i${i}`, human, said: input.b[i] }))
    const { agreement } = await card(['--truth', 'human', '--value', 'said', '--bootstrap', '20'], rows)
    near(agreement.po, expect.agreement, `${name} po`)
    near(agreement.kappa, expect.kappa, `${name} kappa`)
    near(agreement.ac1, expect.gwet_ac1, `${name} ac1`)
    near(agreement.alpha, expect.alpha_nominal, `${name} alpha`)
    if (typeof input.a[0] === 'number')
      near(agreement.kappa_quadratic, expect.kappa_quadratic, `${name} quadratic`)
  }
})

test('several annotators: their own agreement, and the alternative annotator test', async (t) => {
  for (const { name, input, expect } of cases(t, 'agreement_many').slice(1, 6)) {
    const rows = input.rows.map((human: unknown, i: number) => ({ id: `i${i}`, human, said: 'A' }))
    const { annotators } = await card(['--truth', 'human', '--value', 'said'], rows)
    near(annotators.people.po, expect.gwet_pa, `${name} po`)
    near(annotators.people.ac1, expect.gwet_ac1, `${name} ac1`)
    near(annotators.people.alpha, expect.alpha_nominal, `${name} alpha`)
  }
  // A judge that says what two of three say, and one that says anything.
  const people = Array.from({ length: 60 }, (_, i) => {
    const right = i % 2 ? 'yes' : 'no'
    const wrong = i % 2 ? 'no' : 'yes'
    return [right, i % 5 === 0 ? wrong : right, i % 7 === 0 ? wrong : right]
  })
  const rows = (said: (i: number) => string) =>
    people.map((human, i) => ({ id: `i${i}`, human, said: said(i) }))
  const good = await card(
    ['--truth', 'human', '--value', 'said'],
    rows((i) => (i % 2 ? 'yes' : 'no')),
  )
  assert.equal(good.annotators.alternative_annotator.passed, true)
  const bad = await card(
    ['--truth', 'human', '--value', 'said'],
    rows(() => 'yes'),
  )
  assert.equal(bad.annotators.alternative_annotator.passed, false)
  // The same labels from a file of rows, one an annotator.
  const file = people.flatMap((labels, i) =>
    labels.map((label, k) => ({ id: `i${i}`, annotator: `p${k}`, label })),
  )
  const dir = folder(t, { 'labels.jsonl': ndjson(file) })
  const fromFile = await card(
    ['--truth', `${dir}/labels.jsonl`, '--value', 'said'],
    rows((i) => (i % 2 ? 'yes' : 'no')),
  )
  assert.deepEqual(fromFile.annotators.people, good.annotators.people)
})

test('numbers of several annotators: who is nearer by the root of the mean square, as the test’s authors', async () => {
  // Two others said 1 and 3: 2 is 1 away from both, 2.5 is 1.5 and 0.5 away: the same by the mean, farther by the square.
  const rows = Array.from({ length: 40 }, (_, i) => ({
    id: `i${i}`,
    human: [i % 2 ? 0.8 : 2, 1, 3],
    said: i % 2 ? 2 : 2.5,
  }))
  const { annotators } = await card(['--truth', 'human', '--value', 'said'], rows)
  const [first] = annotators.alternative_annotator.annotators
  assert.deepEqual([first.items, first.judge, first.annotator], [40, 0.5, 0.5])
  assert.equal(typeof annotators.people.alpha_interval, 'number')
})

test('without people, the judge’s own model fares as most of two other judges say, or better', async () => {
  const rows = ['j1', 'j2', 'j3'].flatMap((judge) =>
    Array.from({ length: 8 }, (_, i) => ({
      id: `i${i}`,
      model_a: i % 2 ? 'x' : 'y',
      model_b: i % 2 ? 'y' : 'x',
      jb: { item: `i${i}`, judge, result: { decision: judge === 'j1' && i % 2 ? 'A>B' : 'B>A' } },
    })),
  )
  const found = objects((await run(['--own', 'x'], rows)).text)
  const { judge, win_rate_judge, win_rate_judges, difference, equal_opportunity } = found.find(
    ({ section }) => section === 'self_preference',
  )
  assert.deepEqual(
    [judge, win_rate_judge, win_rate_judges, difference, equal_opportunity],
    ['j1', 1, 0.5, 0.5, 1],
  )
})

test('position, length, calibration, corrected estimates: recorded values', async (t) => {
  for (const { name, input, expect } of cases(t, 'position').slice(0, 6)) {
    const rows = (input.items as [string, string][][]).flatMap((games, i) =>
      games.map(([order, decision], n) => game(`i${i}`, n, games.length, decision, { order, label: null })),
    )
    const { position } = await card([], rows)
    for (const key of [
      'decisive',
      'first',
      'first_share',
      'checked',
      'inconsistent',
      'same_slot',
      'same_slot_first',
      'same_slot_p',
      'tie_in_one_order',
    ])
      if (position) near(position[key], expect[key], `${name} ${key}`)
    if (position) near(position.ci, expect.first_share_wilson, `${name} interval`)
  }
  for (const { name, input, expect } of cases(t, 'length_bias').slice(0, 5)) {
    const said = { 1: 'A>B', 0: 'B>A', 0.5: 'A=B' } as Record<number, string>
    const rows = input.length_difference.map((difference: number, i: number) =>
      game(`i${i}`, 0, 1, said[input.outcome[i]]!, { a: 2000 + difference, b: 2000, label: null }),
    )
    const { length } = await card(['--length-a', 'a', '--length-b', 'b'], rows)
    for (const key of [
      'longer_won',
      'decisive_unequal',
      'slope',
      'p',
      'odds_ratio',
      'win_rate_at_equal_length',
    ])
      if (key in expect) near(length[key], expect[key], `${name} ${key}`)
  }
  for (const { name, input, expect } of cases(t, 'calibration').slice(0, 6)) {
    const rows = input.p.map((p: number, i: number) => ({
      id: String(i).padStart(6, '0'),
      p,
      human: input.y[i],
      said: 1,
    }))
    if (input.bins !== 10) continue
    const found = (await card(['--truth', 'human', '--value', 'said', '--p', 'p', '--bootstrap', '0'], rows))
      .calibration
    for (const key of ['brier', 'ece', 'mce', 'bins', 'ece_equal_mass', 'overconfidence'])
      near(found[key], expect[key], `${name} ${key}`)
  }
  for (const { name, input, expect } of cases(t, 'ppi').slice(0, 6)) {
    const rows = [
      ...input.y.map((human: number, i: number) => ({ id: `a${i}`, human, said: input.f[i] })),
      ...input.u.map((said: number, i: number) => ({ id: `b${i}`, said })),
    ]
    const { corrected } = await card(['--truth', 'human', '--value', 'said', '--bootstrap', '0'], rows)
    near(
      [corrected.estimate, corrected.lambda, corrected.ci],
      [expect.ppi_plus, expect.lambda, expect.ppi_plus_ci],
      name,
    )
  }
  for (const { name, input, expect } of cases(t, 'rogan_gladen')) {
    const { k, n, tp, m1, tn, m0 } = input
    const rows = Array.from({ length: n }, (_, i) => ({ id: `i${i}`, said: Number(i < k) }))
    const { corrected } = await card(
      ['--value', 'said', '--sensitivity', `${tp}/${m1}`, '--specificity', `${tn}/${m0}`],
      rows,
    )
    near([corrected.estimate, corrected.ci], [expect.estimate, expect.lang_reiczigel_ci], name)
  }
})

test('the judge’s own model, other judges, samples, cycles, probes', async () => {
  const jbOf = (judge: string, decision: string, more: object = {}) => ({
    judge,
    verdict: { label: '', decision },
    ...more,
  })
  const rows = Array.from({ length: 20 }, (_, i) => {
    const models = { model_a: 'xyz'[i % 3], model_b: 'yzx'[i % 3], human: i % 2 ? 'A>B' : 'B>A' }
    return ['p', 'q', 'r'].map((judge) =>
      game(`i${i}`, 0, 1, '', {
        ...models,
        label: null,
        jb: jbOf(judge, judge === 'p' || i % 4 ? 'A>B' : 'B>A'),
      }),
    )
  }).flat()
  const sections = objects((await run(['--truth', 'human', '--own', 'x'], rows)).text)
  const p = Object.fromEntries(
    sections.filter(({ judge }) => judge === 'p · m').map((one) => [one.section, one]),
  )
  assert.equal(p.majority.items, 20)
  assert.equal(p.majority.share, 0.75)
  assert.deepEqual([p.transitivity.triads, p.transitivity.cyclic], [1, 1])
  assert.ok(p.self_preference.items > 0)
  const samples = ['A>B', 'A>B', 'B>A', 'A>B'].map((decision, i) =>
    game(`i${i >> 1}`, i % 2, 2, decision, { order: 'AB', label: null }),
  )
  assert.equal((await card([], samples)).consistency.share, 0.5)
  const probed = [
    game('i1', 0, 1, 'A>B', { label: null }),
    game('i1#pad', 0, 1, 'B>A', { label: null, jb: { probe: { kind: 'pad', of: 'i1', answer: 1 } } }),
    game('i1#quote', 0, 1, 'A>B', { label: null, jb: { probe: { kind: 'quote', of: 'i1' } } }),
  ]
  const { probes } = await card([], probed)
  assert.deepEqual([probes.pad.share, probes.pad.toward_changed, probes.quote.share], [1, 1, 0])
})

test('rows in any order give the same card; the command prints it on a page', async () => {
  const rows = Array.from({ length: 30 }, (_, i) =>
    game(`i${i}`, 0, 1, i % 3 ? 'A>B' : 'B>A', { label: i % 2 ? 'A>B' : 'B>A' }),
  )
  assert.equal((await run([], rows.toReversed())).text, (await run([], rows)).text)
  const { stdout } = fine(await jb('audit', ['--format', 'table'], { stdin: ndjson(rows) }))
  assert.match(stdout, /arena_hard · m\n\nagreement\n {2}items +30\n/)
  assert.match(stdout, /\n {2}share that agrees +0\.5 {2}\(/)
  assert.match(stdout, /Cohen’s kappa +0 {2}\(/)
  assert.match(stdout, /\nposition\n {2}decisive games +30\n/)
})

test('labels are compared in the verdict’s terms: an option’s score by its name, a label of something else not at all', async () => {
  const chosen = (id: string, result: object, label: unknown) => ({
    label,
    jb: { judge: 'direct', item: id, result: { kind: 'choice', option: 'Yes', score: 1, ...result } },
  })
  const scores = [
    chosen('a', { label: 1, label_option: 'Yes' }, 1),
    chosen('b', { label: 0, label_option: 'No' }, 0),
  ]
  const { agreement } = await card([], scores)
  assert.deepEqual(
    [agreement.po, agreement.confusion],
    [0.5, { No: { No: 0, Yes: 1 }, Yes: { No: 0, Yes: 1 } }],
  )
  const { ending } = await run([], [chosen('a', {}, 'A>B'), chosen('b', {}, 'B>A')])
  assert.match(ending!.message, /nothing was measured/)
})

test('labels that are numbers stand by size on the page', async () => {
  const rows = [10, 1.5, 2].map((human, i) => ({ id: `i${i}`, human, said: 2 }))
  const { text } = await run(['--truth', 'human', '--value', 'said', '--format', 'table'], rows)
  assert.match(text, /\n {4}people \\ judge +1\.5 +2 +10\n/)
})

test('input that ends before its end makes no card; rows without a verdict are no success', async () => {
  const rows = ndjson([game('p', 0, 1, 'A>B'), game('q', 0, 1, 'B>A')])
  assert.deepEqual(
    (({ code, stdout }) => [code, stdout])(await jb('audit', ['-q'], { stdin: `${rows}{"id":` })),
    [65, ''],
  )
  const { code, stderr } = await jb('audit', [], { stdin: '{"id":1}\n' })
  assert.equal(code, 1)
  assert.match(stderr, /nothing was measured: the rows allow no section/)
})

test('--truth FIELD that no row has is no success, and names the field that is meant', async () => {
  const { ending } = await run(['--truth', 'lable'], [game('p', 0, 1, 'A>B'), game('q', 0, 1, 'B>A')])
  assert.equal(ending!.code, 1)
  assert.match(
    ending!.message,
    /--truth lable: no such file, and no row has a field of this name \(did you mean label\?\)/,
  )
})

test('rows that are there again count once; pairs of models that met on the same item are apart', async () => {
  const rows = ['q1', 'q2'].flatMap((question, k) =>
    ['y', 'z'].flatMap((b) =>
      [0, 1].map((n) => game(question, n, 2, k + n ? 'A>B' : 'B>A', { model_a: 'x', model_b: b })),
    ),
  )
  const once = await run([], rows)
  const twice = await run([], [...rows, ...rows])
  assert.equal(twice.text, once.text)
  assert.match(twice.notes.join('\n'), /item "q1": trial 0 was there already, with the same reply/)
  assert.equal((await card([], rows)).position.checked, 4)
})

test('versions of a judge have a card each', async () => {
  const of = (judge_digest: string, decision: string) =>
    ['i1', 'i2'].map((id) => game(id, 0, 1, decision, { jb: { judge_digest } }))
  const { text, notes } = await run([], [...of('aaaa', 'A>B'), ...of('bbbb', 'B>A')])
  assert.deepEqual(
    objects(text)
      .filter(({ section }) => section === 'agreement')
      .map(({ judge, items, po }) => [judge, items, po]),
    [
      ['arena_hard · m · aaaa', 2, 1],
      ['arena_hard · m · bbbb', 2, 0],
    ],
  )
  assert.match(notes.join('\n'), /rows of several versions of it, reported apart \(aaaa\)/)
})

test('changed copies of items count as probes alone', async () => {
  const one = (id: string, decision: string, more: object = {}) =>
    [0, 1].map((n) => game(id, n, 2, decision, { model_a: 'x', model_b: 'y', jb: more }))
  const rows = ['i1', 'i2', 'i3'].flatMap((id) => one(id, 'A>B'))
  const changed = one('i1#pad', 'B>A', { probe: { kind: 'pad', of: 'i1', answer: 1 } })
  const { probes, ...rest } = await card([], [...rows, ...changed])
  assert.deepEqual([probes.pad.items, probes.pad.moved, probes.pad.toward_changed], [1, 1, 1])
  assert.deepEqual(rest, await card([], rows))
  // The same id before other models is another item.
  const other = [0, 1].map((n) => game('i1', n, 2, 'B>A', { model_a: 'x', model_b: 'z' }))
  assert.equal((await card([], [...rows, ...changed, ...other])).probes.pad.moved, 1)
})

test('an item that failed before it had a model is a failure of every model of its judge, and has its label', async () => {
  // The same judge under another name is another one, and replies that differ are the failure of their model alone.
  const named = { judge: 'vanilla', name: 'use', item: 'p', trial: { n: 0, of: 1 } }
  const twice = ['A>B', 'B>A'].map((decision) => ({
    id: 'r',
    jb: {
      judge: 'vanilla',
      item: 'r',
      result: { kind: 'pairwise', decision, model: 'm1' },
      trials: [
        { trial: { n: 0, of: 1 }, model: 'm1', verdict: { decision }, digest: decision.charCodeAt(0) },
      ],
    },
  }))
  const rows = [
    ...failedBeforeModels(),
    { id: 'p', label: 'B>A', jb: { ...named, verdict: { decision: 'B>A', model: 'm1' } } },
    ...twice,
  ]
  const cards = objects((await run([], rows)).text).filter(({ section }) => section === 'agreement')
  assert.deepEqual(
    cards.map(({ judge, items, failed, unlabelled }) => [judge, items, failed, unlabelled]),
    [
      ['vanilla · m1', 2, 2, 1],
      ['vanilla · m2', 2, 1, 0],
      ['vanilla · use · m1', 1, 0, 0],
    ],
  )
})

test('--by: a card for each value, as of these rows alone', async () => {
  const rows = Array.from({ length: 12 }, (_, i) => ({
    id: `i${i}`,
    human: i % 2,
    said: Number(i % 3 > 0),
    topic: i % 2 ? 'é' : 7,
  }))
  const args = ['--truth', 'human', '--value', 'said']
  const lines = objects((await run([...args, '--by', 'topic'], rows)).text)
  for (const [group, topic] of [
    ['', undefined],
    ['7', 7],
    ['é', 'é'],
  ] as const) {
    const those = lines
      .filter((line) => (line.group ?? '') === group)
      .map(({ by: _, group: __, ...line }) => line)
    const alone = rows.filter((row) => topic === undefined || row.topic === topic)
    assert.deepEqual(those, objects((await run(args, alone)).text), group)
  }
  const { notes } = await run([...args, '--by', 'nothing'], rows)
  assert.deepEqual(notes, ['no row has the field nothing'])
})

/** 40 rows of eight documents. */
const documents = () =>
  Array.from({ length: 40 }, (_, i) => ({
    id: `i${i}`,
    doc: Math.floor(i / 5),
    human: (i % 5 ? ((i * i) % 7) % 3 > 0 : i % 2 === 0) ? 'A>B' : 'B>A',
    said: ((i * i) % 7) % 3 > 0 ? 'A>B' : 'B>A',
    model_a: i % 3 ? 'x' : 'y',
    model_b: i % 3 ? 'y' : 'x',
    length: (i * 37) % 23,
    eleven: 11,
  }))

test('--cluster FIELD: errors by cluster, as statsmodels 0.15.0 has them', async () => {
  const of = [
    '--truth',
    'human',
    '--value',
    'said',
    '--own',
    'x',
    '--length-a',
    'length',
    '--length-b',
    'eleven',
  ]
  const found = await card([...of, '--cluster', 'doc'], documents())
  // proportion_confint(wilson) on the effective number; Logit and OLS with cov_type=cluster, without its factor (n−1)/(n−k).
  near(found.agreement.ci, [0.7349929765, 0.9668930462], 'accuracy')
  near(
    [found.length.slope, found.length.se, found.length.p],
    [0.6602844293, [0.37327644, 0.6028575], 0.3096507869],
    'slope',
  )
  near(
    [found.self_preference.ci, found.self_preference.p],
    [[-0.06823121, 0.16823121], 0.35061666],
    'own model',
  )
  assert.deepEqual([found.agreement.clusters, found.length.clusters], [8, 8])
  assert.notDeepEqual(found.agreement.kappa_ci, (await card(of, documents())).agreement.kappa_ci)
  // Each item a cluster of its own: the closed form of kappa but for the factor of clusters.
  const [alone, single] = [
    await card([...of, '--bootstrap', '0'], documents()),
    await card(
      [...of, '--bootstrap', '0', '--cluster', 'id'],
      [...documents(), ...documents().map((row) => ({ ...row, id: `${row.id}+` }))],
    ),
  ]
  const width = ({ agreement }: typeof alone) => agreement.kappa_ci[1] - agreement.kappa_ci[0]
  assert.ok(Math.abs((width(single) / width(alone)) * Math.SQRT2 * Math.sqrt(79 / 80) - 1) < 1e-9)
})

test('rows that share an id are no independent ones, unless --cluster none says so', async () => {
  const of = ['--truth', 'human', '--value', 'said', '--bootstrap', '0']
  const rows = documents().map(({ doc, ...row }) => ({ ...row, id: `d${doc}` }))
  const { agreement } = await card(of, rows)
  assert.deepEqual(agreement, (await card([...of, '--cluster', 'doc'], documents())).agreement)
  const { agreement: none } = await card([...of, '--cluster', 'none'], rows)
  assert.deepEqual(none, (await card(of, documents())).agreement)
})

test('--cluster: few clusters and a field that is not there are told; Rogan–Gladen has none', async () => {
  const of = ['--value', 'said', '--truth', 'human']
  assert.deepEqual((await run([...of, '--cluster', 'doc'], documents())).notes, [
    '8 clusters: rough intervals',
  ])
  assert.deepEqual((await run([...of, '--cluster', 'dok'], documents())).notes, ['no row has the field dok'])
  await assert.rejects(
    run([...of, '--cluster', 'doc', '--sensitivity', '9/10', '--specificity', '9/10'], documents()),
    /--cluster FIELD with --sensitivity: the interval of Rogan and Gladen’s estimate is of independent items/,
  )
})

test('CSV and Markdown have a figure a line, with what stands beside it', async () => {
  const rows = documents().map((row) => ({
    ...row,
    p: 0.25,
    human: row.human === 'A>B' ? 'a, "b" | c' : 'x\ny',
    said: 'x\ny',
  }))
  const args = ['--truth', 'human', '--value', 'said', '--p', 'p', '--bootstrap', '0', '--format']
  const { text: csv } = await run([...args, 'csv'], rows)
  assert.match(csv, /^section,figure,value,low,high\nagreement,items,40,,\n/)
  assert.match(csv, /\nagreement,po,0\.2,0\.1049998973,0\.3475730635\n/)
  assert.match(csv, /\nagreement,"confusion\.a, ""b"" \| c\.x\ny",32,,\n/)
  assert.match(csv, /\ncalibration,bins\.1\.share,0\.2,,\n/)
  const { text: markdown } = await run([...args, 'markdown'], rows)
  assert.match(markdown, /\| agreement \| po \| 0\.2 \| 0\.105 to 0\.3476 \|\n/)
  assert.match(markdown, /\| agreement \| confusion\.a, "b" \\\| c\.x y \| 32 \| {2}\|\n/)
  const { text: page } = await run([...args, 'table'], rows)
  assert.match(page, /\n {4}people \\ judge +a, "b" \| c +x y\n/)
})

test('runs that an original tells apart by more than judge and model have cards of their own', async () => {
  const rows = ['first', 'last'].flatMap((variant) =>
    Array.from({ length: 8 }, (_, i) => ({
      human: 'A>B',
      jb: { judge: 'j', variant, item: `i${i}`, result: { decision: variant === 'last' ? 'A>B' : 'B>A' } },
    })),
  )
  const sections = objects((await run(['--truth', 'human'], rows)).text).filter((one) => one.po !== undefined)
  assert.deepEqual(
    sections.map(({ judge, items, po }) => [judge, items, po]),
    [
      ['j · first', 8, 0],
      ['j · last', 8, 1],
    ],
  )
})

test('words that are no amounts, such as names of what every object has, make no mean', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => ({
    id: `i${i}`,
    said: i % 2 === 0 ? 'constructor' : 'yes',
    ...(i < 20 && { human: i % 3 === 0 ? 'constructor' : 'yes' }),
  }))
  const sections = await card(['--truth', 'human', '--value', 'said'], rows)
  assert.deepEqual(Object.keys(sections), ['agreement'])
})
