import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Time } from '../../../src/stages/workflow/settings.ts'
import { ANY, judged, load, plan, plans } from './_plan.ts'

const JUDGE_ONLY = `create_nuggets: false\ncreate_qrels: false\njudge_class: ${ANY}\n`

describe('which settings win', () => {
  const yaml = `${JUDGE_ONLY}
settings: { a: shared, b: shared, c: shared, d: shared, e: shared }
judge_settings: { b: phase, c: phase, d: phase, e: phase }
variants:
  v: { c: variant, d: variant, judge_settings: { d: block } }
sweeps:
  s: { c: sweep, d: sweep, e: [1, 2], judge_settings: { d: block, e: block } }
`
  it('default: settings, then the phase’s', async () => {
    const one = await plan(yaml)
    assert.deepEqual(judged(one), { a: 'shared', b: 'phase', c: 'phase', d: 'phase', e: 'phase' })
    assert.equal(one.configuration.name, 'default')
  })
  it('a variant: its plain keys, then its phase’s block', async () => {
    assert.deepEqual(judged(await plan(yaml, { variant: ['v'] })), {
      a: 'shared',
      b: 'phase',
      c: 'variant',
      d: 'block',
      e: 'phase',
    })
  })
  it('a sweep: its plain keys, its phase’s block, the point', async () => {
    const points = await plans(yaml, { sweep: ['s'], set: ['filebase={_name}-{e}'] })
    assert.deepEqual(
      points.map((one) => judged(one)),
      [1n, 2n].map((e) => ({ a: 'shared', b: 'phase', c: 'sweep', d: 'block', e })),
    )
  })
  it('the command line changes what the file says, before a variant does', async () => {
    const options = { set: ['a=1', 'c=2', 'judge.b=0.5', 'judge.d=yes'] }
    assert.deepEqual(judged(await plan(yaml, options)), {
      a: 1n,
      b: 0.5,
      c: 'phase',
      d: true,
      e: 'phase',
    })
    assert.equal(judged(await plan(yaml, { ...options, variant: ['v'] })).c, 'variant')
  })
  it('values of the command line are typed, split at the first =', async () => {
    const set = ['i=1_000', 'f=1.0', 'n=nan', 't=TRUE', 'w=[1,2]', 'e=a=b', 's=1e3']
    assert.deepEqual(judged(await plan(JUDGE_ONLY, { set })), {
      i: 1000n,
      f: 1,
      n: Number.NaN,
      t: true,
      w: '[1,2]',
      e: 'a=b',
      s: 1000,
    })
  })
})

describe('the file, as PyYAML reads it', () => {
  it('numbers, dates and booleans', async () => {
    const { settings } = await load(
      'settings: { a: 1:30, b: 0x_1, c: 2001-01-01, d: .inf, e: -.5, f: 1.5e3, g: off, h: 010, i: 99999999999999999999 }',
    )
    assert.deepEqual(Object.fromEntries(settings), {
      ...{
        a: 90n,
        b: 1n,
        c: new Time('2001-01-01'),
        d: Number.POSITIVE_INFINITY,
        e: '-.5',
        f: '1.5e3',
        g: false,
        h: 8n,
      },
      i: 99999999999999999999n,
    })
  })
  it('a key twice: the last one counts, with a note', async () => {
    const { flags, notes } = await load('judge: true\njudge: false\n')
    assert.equal(flags.judge, false)
    assert.match(notes.join(), /workflow\.yml:2:1: judge occurs twice: the last one counts, as in Python/)
  })
})

describe('sweeps', () => {
  const yaml = `${JUDGE_ONLY}
settings: { filebase: "{_name}-k{top_k}", top_k: 5 }
judge_settings: { thr: 0.5 }
sweeps:
  grid: { top_k: [10, 20], thr: [0.3, 0.8], judge_settings: { mode: x } }
  literal: { top_k: [[1, 2]] }
  none: { top_k: [] }
`
  it('the first key varies slowest; all points have the sweep’s name', async () => {
    const points = await plans(yaml, { sweep: ['grid'], set: ['filebase={_name}-k{top_k}-t{thr}'] })
    assert.deepEqual(
      points.map(({ configuration: { name, point } }) => [name, Object.fromEntries(point)]),
      [
        ['grid', { top_k: 10n, thr: 0.3 }],
        ['grid', { top_k: 10n, thr: 0.8 }],
        ['grid', { top_k: 20n, thr: 0.3 }],
        ['grid', { top_k: 20n, thr: 0.8 }],
      ],
    )
    assert.deepEqual(judged(points[0]!), { top_k: 10n, thr: 0.3, mode: 'x' })
    assert.equal(points[0]!.files.leaderboard, 'grid-k10-t0.3.eval.txt')
  })
  it('points that share a filebase get what tells them apart, and so do variants', async () => {
    const names = async (...given: Parameters<typeof plans>) =>
      (await plans(...given)).map(({ files }) => files.leaderboard)
    assert.deepEqual(await names(yaml, { sweep: ['grid'] }), [
      'grid-k10-thr0.3.eval.txt',
      'grid-k10-thr0.8.eval.txt',
      'grid-k20-thr0.3.eval.txt',
      'grid-k20-thr0.8.eval.txt',
    ])
    const variants = `${JUDGE_ONLY}settings: { filebase: mine }\nvariants: { a: { x: 1 }, "b/c": { x: 2 } }`
    assert.deepEqual(await names(variants, { allVariants: true }), ['mine-a.eval.txt', 'mine-b-c.eval.txt'])
    assert.deepEqual(await names(variants, { variant: ['a'] }), ['mine.eval.txt'])
  })
  it('a list of lists is a literal; an empty list makes nothing', async () => {
    const [point] = await plans(yaml, { sweep: ['literal'], set: ['filebase=x'] })
    assert.deepEqual(judged(point!).top_k, [1n, 2n])
    assert.deepEqual(await plans(yaml, { sweep: ['none'] }), [])
  })
  it('six of two and three; several sweeps one after the other', async () => {
    const six = `${JUDGE_ONLY}sweeps: { g: { top_k: [10, 20], threshold: [0.3, 0.5, 0.8] }, h: { top_k: [1] } }`
    const filebase = 'filebase={_name}-{top_k}-{threshold}'
    assert.equal((await plans(six, { sweep: ['g'], set: [filebase] })).length, 6)
    assert.equal((await plans(six, { sweep: ['g', 'h'], set: [filebase, 'threshold=1'] })).length, 7)
  })
})

describe('names in file names', () => {
  const named = async (filebase: string, more = '') =>
    (await plan(`${JUDGE_ONLY}settings: { filebase: "${filebase}", k: 5, f: 1.0, t: yes, n: null }\n${more}`))
      .files.leaderboard
  it('{name} is any setting, as Python prints it; once', async () => {
    assert.equal(await named('{_name}-{k}-{f}-{t}-{n}'), 'default-5-1.0-True-None.eval.txt')
    assert.equal(await named('{{_name}}'), '{default}.eval.txt')
    assert.equal(await named('{a-b}'), '{a-b}.eval.txt')
  })
  it('a name that there is not, a filebase that is no text, or empty', async () => {
    await assert.rejects(named('{nope}'), /filebase "\{nope\}": unknown \{nope\} \(known: .*_name/)
    await assert.rejects(plan(`${JUDGE_ONLY}settings: { filebase: 3 }`), /filebase must be a string, not 3/)
    await assert.rejects(named(''), /filebase is empty/)
  })
  it('each phase has its own; the later know the earlier', async () => {
    const { files } = await plan(
      'create_nuggets: true\njudge_class: rubric\nsettings: { filebase: x }\nnugget_settings: { filebase: "bank-{style}", style: full }\njudge_settings: { filebase: "{_nugget_filebase}-{_qrels_filebase}-judged" }\n',
    )
    assert.deepEqual(
      [files.nuggets, files.leaderboard],
      ['bank-full.nuggets.jsonl', 'bank-full-x-judged.eval.txt'],
    )
  })
  it('in other settings they stay as they are; under --compat seed known ones are replaced, as its guide says', async () => {
    const yaml = `create_nuggets: true\njudge_class: ${ANY}\nnugget_class: nuggetize\nsettings: { k: 5 }\njudge_settings: { note: "{_name} {k} {x} {_nugget_filebase}" }\n`
    assert.equal(judged(await plan(yaml)).note, '{_name} {k} {x} {_nugget_filebase}')
    assert.equal(judged(await plan(yaml, { seed: true })).note, 'default 5 {x} default')
  })
  const names = async (filebase: string, seed = false) =>
    (await plan('judge_class: relevance', { set: [`filebase=${filebase}`], seed })).files
  it('an ending that fits is the whole name; dots stay', async () => {
    assert.equal((await names('run.v2')).leaderboard, 'run.v2.eval.txt')
    assert.equal((await names('a.tsv')).leaderboard, 'a.tsv')
    assert.equal((await names('a.eval.txt')).leaderboard, 'a.eval.txt')
    assert.equal((await names('a.qrels')).qrels, 'a.qrels')
    assert.equal((await names('a.yaml')).config, 'a.yaml')
    assert.equal((await names('a.jsonl')).nuggets, 'a.jsonl')
  })
  it('the first generation’s names', async () => {
    const files = await names('rubric', true)
    assert.deepEqual(
      [files.nuggets, files.leaderboard, files.qrels, files.config],
      ['rubric.nuggets.jsonl', 'rubric.judgment.json', 'rubric.judgment.qrels', 'rubric.config.yml'],
    )
    const whole = await names('out.json', true)
    assert.deepEqual([whole.leaderboard, whole.qrels], ['out.json', 'out.qrels'])
  })
  it('two outputs of one configuration in one file', async () => {
    await assert.rejects(
      plan(
        'create_nuggets: true\njudge_class: rubric\naugment_report: true\nsettings: { filebase: a.jsonl }',
      ),
      /the nuggets and the responses of "default" would both be a\.jsonl/,
    )
  })
})

describe('what a workflow file may not say', () => {
  const wrong: [string, string, RegExp][] = [
    [
      'a name of the toolkit’s own',
      'judge: true\nsettings:\n  _name: x\n',
      /workflow\.yml:3: settings\._name: names that begin with "_"/,
    ],
    [
      'the same in a variant’s block',
      'variants:\n  v:\n    judge_settings: { _x: 1 }\n',
      /workflow\.yml:3: variants\.v\.judge_settings\._x/,
    ],
    [
      'a reserved name',
      'sweeps:\n  s:\n    llm_config: [1]\n',
      /workflow\.yml:3: sweeps\.s\.llm_config: "llm_config" is reserved/,
    ],
    [
      'a TAB in a sweep’s name',
      'sweeps:\n  "a\\tb": { k: [1] }\n',
      /workflow\.yml:2: sweeps: "a\\tb": a file's name cannot have U\+0009/,
    ],
    [
      'a path with a line end',
      'qrels_output: "a\\nb"\n',
      /workflow\.yml:1: qrels_output: "a\\nb": .* U\+000A/,
    ],
    [
      'a setting in a file’s name',
      `judge_class: ${ANY}\ncreate_nuggets: false\nsettings: { k: "a\\nb", filebase: "x-{k}" }\n`,
      /workflow\.yml: filebase "x-\{k\}": "x-a\\nb": .* cannot have U\+000A/,
    ],
    ['a flag that is none', 'judge: maybe\n', /workflow\.yml:1: "judge" must be true or false, not maybe/],
    ['settings that are no mapping', 'settings: [1]\n', /workflow\.yml:1: "settings" must be a mapping/],
    ['broken YAML', 'a: [1\nb: 2\n', /workflow\.yml:\d+:\d+: /],
    ['a class that is none', 'judge_class: MyJudge\n', /workflow\.yml:1: judge_class "MyJudge" is neither/],
  ]
  for (const [what, yaml, message] of wrong) it(what, () => assert.rejects(plan(yaml), message))
  it('names that there are not', async () => {
    await assert.rejects(
      plan('judge_class: naive\nvariants: { a: {}, b: }', { variant: ['c'] }),
      /has no variant "c" \(there are: a, b\)/,
    )
    await assert.rejects(plan('judge_class: naive', { sweep: ['c'] }), /has no sweep "c" \(there are none\)/)
    await assert.rejects(plan('judge_class: naive', { allVariants: true }), /has no variants/)
    await assert.rejects(
      plan('judge_class: naive\nvariants: { a: {} }', { variant: ['a'], allVariants: true }),
      /do not go together/,
    )
  })
  it('unknown keys and other settings are let be; what is taken otherwise is told', async () => {
    const { notes } = await load(
      'uses_llm: false\nnugget_banks_typ: x\nvariants:\n  j:\n    create_nuggets: false\nsweeps:\n  s:\n    judge_settings:\n      bonus: [1, 2]\n  e:\n    k: []\n',
    )
    assert.equal(notes.length, 4)
    assert.match(
      notes[0]!,
      /workflow\.yml:2: "nugget_banks_typ" is not a key .*: did you mean nugget_banks_type\?/,
    )
    assert.match(notes[1]!, /workflow\.yml:5: variants\.j\.create_nuggets is a setting here, not a flag/)
    assert.match(notes[2]!, /workflow\.yml:9: sweeps\.s\.judge_settings\.bonus is one value, a list/)
    assert.match(notes[3]!, /workflow\.yml:11: sweeps\.e\.k is an empty list/)
  })
})
