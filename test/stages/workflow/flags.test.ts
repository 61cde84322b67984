import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ANY, judged, made, plan, plans, remarks } from './_plan.ts'

describe('what is made', () => {
  it('an empty workflow makes what the judge uses; under --compat seed it judges only', async () => {
    const rubric = { judge: 'rubric' }
    assert.equal(made(await plan(undefined, rubric)), 'nuggets judge')
    assert.equal(made(await plan(undefined, { ...rubric, qrelsJudge: 'relevance' })), 'nuggets qrels judge')
    assert.equal(made(await plan(undefined, { seed: true, judge: 'relevance' })), 'qrels judge')
    assert.equal(made(await plan(undefined, { seed: true, judge: 'preference' })), 'judge')
  })
  it('the seed’s three workflows', async () => {
    const seed = { seed: true, judge: 'relevance', nuggetJudge: 'nuggetize' }
    assert.equal(made(await plan('create_nuggets: false\njudge: true', seed)), 'qrels judge')
    assert.equal(made(await plan('create_nuggets: true\njudge: true', seed)), 'nuggets qrels judge')
    assert.equal(made(await plan('create_nuggets: true\njudge: false', seed)), 'nuggets')
  })
  it('flags left out follow what uses them', async () => {
    assert.equal(
      made(await plan('judge_uses_qrels: no\njudge_uses_nuggets: false\njudge_class: relevance')),
      'judge',
    )
    assert.equal(made(await plan('judge_uses_qrels: no\njudge_class: rubric')), 'nuggets judge')
    assert.equal(
      made(await plan('judge_class: relevance')),
      'qrels judge',
      'a judge that looks at no nuggets needs none',
    )
    assert.equal(
      made(await plan('judge_class: rubric', { nuggetBanks: 'mine.jsonl' })),
      'judge',
      'a bank that is given is not made',
    )
  })
  it('said outright they hold, and the command line’s before the file’s', async () => {
    const yaml =
      'create_nuggets: yes\ncreate_qrels: "no"\njudge: on\njudge_class: relevance\nnugget_class: nuggetize'
    assert.equal(made(await plan(yaml)), 'nuggets judge')
    assert.equal(made(await plan(yaml, { set: ['create_nuggets=no', 'create_qrels=yes'] })), 'qrels judge')
  })
  it('in a variant a flag is a setting', async () => {
    const yaml = (judge: string) =>
      `create_nuggets: true\njudge_class: ${judge}\nnugget_class: nuggetize\nvariants: { j: { create_nuggets: false } }`
    const one = await plan(yaml(ANY), { variant: ['j'] })
    assert.equal(one.flags.create_nuggets, true)
    assert.equal(judged(one).create_nuggets, false)
    const text = yaml('relevance')
    assert.match(
      await remarks(text, { variant: ['j'] }),
      /variants\.j\.create_nuggets has no effect .*: flags belong at the top of the file/,
    )
  })
  it('banks and qrels that are there are used unless forced', async () => {
    const { flags } = await plan('judge_class: rubric')
    assert.deepEqual([flags.force_recreate_nuggets, flags.force_recreate_qrels], [false, false])
    assert.equal(
      (await plan('judge_class: rubric\nforce_recreate_nuggets: true')).flags.force_recreate_nuggets,
      true,
    )
  })
  it('a judge that is asked once for each nugget must get some', async () => {
    await assert.rejects(
      plan('create_nuggets: false', { judge: 'rubric' }),
      /rubric is asked once for each nugget, but gets no bank/,
    )
    await assert.rejects(
      plan('create_nuggets: true\njudge_uses_nuggets: false', { judge: 'rubric' }),
      /gets no bank/,
    )
    assert.equal(
      (await plan('create_nuggets: false', { judge: 'rubric', nuggetBanks: 'b.jsonl' })).bank,
      'b.jsonl',
    )
  })
})

describe('who judges', () => {
  const judges = async (yaml: string) => {
    const { judge, nugget, qrels } = (await plan(yaml)).judges
    return [judge.name, nugget.name, qrels.name]
  }
  it('classes are judges here or judge files, by their whole name; the others’ fall back to the judge', async () => {
    assert.deepEqual(await judges('judge_class: rubric'), ['rubric', 'rubric_questions', ''])
    assert.deepEqual(await judges('judge_class: nugget_assign'), ['nugget_assign', 'nuggetize', ''])
    assert.deepEqual(await judges('judge_class: relevance'), ['relevance', '', 'relevance'])
    assert.deepEqual(await judges('judge_class: naive'), ['naive', '', ''])
  })
  it('no part of a name stands for a judge', async () => {
    for (const name of ['judges.naive.naive_baseline:NaiveJudge', 'a.b.RubricJudge', 'my-judge:MyJudge'])
      assert.deepEqual(
        (({ name, kind }) => [name, kind])((await plan(`judge_class: "${name}"`)).judges.judge),
        [name, 'python'],
      )
    for (const name of ['relevance2', 'a b:C', 'x:y:z', '../x:C'])
      await assert.rejects(
        plan(`judge_class: "${name}"`),
        /judge_class ".*" is neither a judge of jb nor a Py/,
      )
  })
  it('a phase that runs without a judge is refused, with the choices', async () => {
    await assert.rejects(plan(undefined), /no judge is named: .*--judge \(rubric, relevance/)
    await assert.rejects(plan(''), /judge_class is missing: .*--judge \(rubric, relevance/)
    await assert.rejects(
      plan('judge_class: relevance\ncreate_nuggets: true'),
      /nugget_class is missing: .*--nugget-judge/,
    )
    await assert.rejects(
      plan('judge_class: rubric\ncreate_qrels: true'),
      /qrels_class is missing: .*--qrels-judge/,
    )
  })
  it('a setting that changes nothing is remarked on with its place; of the command line it is refused', async () => {
    const yaml =
      'judge_class: rubric\njudge_settings:\n  grade_treshold: 3\nvariants:\n  v: { prompt: web }\n  w: { prompt: own }\n'
    const notes = await remarks(yaml, { variant: ['v'] })
    assert.match(
      notes,
      /workflow\.yml:3: judge_settings\.grade_treshold has no effect on rubric: did you mean grade_threshold\?/,
    )
    assert.match(notes, /workflow\.yml:5: variants\.v\.prompt has no effect/)
    assert.deepEqual(judged(await plan(yaml, { variant: ['v'] })), {})
    await assert.rejects(
      plan('judge_class: naive', { set: ['judge.x=1'] }),
      /--set judge\.x has no effect on naive/,
    )
    await assert.rejects(
      plan(yaml, { allVariants: true }),
      /"v" and "w" would be the same run: the settings in which they differ have no effect/,
    )
  })
  it('nuggets need a judge that makes lists', async () => {
    await assert.rejects(
      plan(undefined, { judge: 'rubric', nuggetJudge: 'relevance' }),
      /relevance cannot make nuggets/,
    )
  })
  it('llm_model: of each configuration', async () => {
    const yaml =
      'judge_class: relevance\nsettings: { llm_model: a, filebase: "{_name}-{llm_model}" }\nsweeps: { m: { llm_model: [b, c] } }'
    assert.equal((await plan(yaml)).model, 'a')
    assert.deepEqual(
      (await plans(yaml, { sweep: ['m'] })).map(({ model, files }) => [model, files.leaderboard]),
      [
        ['b', 'm-b.eval.txt'],
        ['c', 'm-c.eval.txt'],
      ],
    )
    assert.ok(!('llm_model' in judged(await plan(yaml))), 'the judge does not get it')
    const { model, files } = await plan(yaml, { model: 'mine' })
    assert.deepEqual([model, files.leaderboard], ['mine', 'default-mine.eval.txt'], '-m wins')
    const swept = await plans(yaml, { model: 'mine', sweep: ['m'] })
    assert.deepEqual(
      swept.map(({ model }) => model),
      ['b', 'c'],
    )
    assert.match(
      await remarks('judge_class: relevance\njudge_settings: { llm_model: a }\n'),
      /judge_settings\.llm_model has no effect .*: the model of all phases is llm_model under settings/,
    )
  })
})

describe('files', () => {
  it('where banks and qrels come from and go to', async () => {
    const yaml = `create_nuggets: true
judge_class: rubric
nugget_input: "in/{_name}.jsonl"
nugget_output: "banks/{_name}-{style}.jsonl"
qrels_output: "q/{_nugget_filebase}.qrels"
nugget_settings: { style: full }
qrels_class: relevance
`
    const one = await plan(yaml)
    assert.deepEqual(
      [one.startBank, one.bank, one.files.qrels],
      ['in/default.jsonl', 'banks/default-full.jsonl', 'q/banks/default-full.jsonl.qrels'],
    )
    const none = await plan(`${yaml}create_qrels: false\nqrels_input: given.qrels\n`, { outDir: 'out' })
    assert.deepEqual([none.qrels, none.bank], ['out/given.qrels', 'out/banks/default-full.jsonl'])
    const set = ['create_qrels=no', 'qrels_input=mine.qrels', 'nugget_output=b', 'qrels_output=/tmp/q']
    const mine = await plan(yaml, { outDir: 'out', set })
    assert.deepEqual(
      [mine.qrels, mine.bank, mine.files.qrels],
      ['mine.qrels', 'out/b.nuggets.jsonl', '/tmp/q.qrels.txt'],
    )
    const named = await plan('judge_class: relevance\ncreate_nuggets: false\nqrels_output: q.txt\n')
    assert.equal(named.files.qrels, 'q.txt.qrels.txt', 'as AutoJudge names it')
    assert.equal((await plan(yaml, { set: ['create_nuggets=no'] })).bank, 'in/default.jsonl')
  })
  it('--store-nuggets and --output are names in --out-dir', async () => {
    const files = async (output: string, seed = false) =>
      (await plan('judge_class: relevance', { outDir: 'out', storeNuggets: 'bank', output, seed })).files
    const { nuggets, leaderboard, config } = await files('leaderboard.trec')
    assert.deepEqual(
      [nuggets, leaderboard, config],
      ['out/bank.nuggets.jsonl', 'out/leaderboard.trec', 'out/default.config.yml'],
    )
    assert.equal((await files('board')).leaderboard, 'out/board.eval.txt')
    const seed = await files('leaderboard.trec', true)
    assert.deepEqual(
      [seed.leaderboard, seed.qrels, seed.config],
      ['judgment.json', 'judgment.qrels', 'config.yml'].map((ending) => `out/leaderboard.trec.${ending}`),
    )
  })
  it('variants may share a bank that would come out the same, and no other', async () => {
    const yaml = (more: string) =>
      `create_nuggets: true\njudge_class: rubric\ncreate_qrels: false\nnugget_settings: { filebase: shared }\nvariants: { a: { judge_settings: { grade_threshold: 1 } }, b: { ${more} } }`
    const [a, b] = await plans(yaml('judge_settings: { grade_threshold: 2 }'), { allVariants: true })
    assert.equal(a!.bank, b!.bank)
    assert.notEqual(a!.files.leaderboard, b!.files.leaderboard)
    const apart = await plans(yaml('about: 2'), { allVariants: true })
    assert.deepEqual(
      apart.map(({ bank }) => bank),
      ['shared-a.nuggets.jsonl', 'shared-b.nuggets.jsonl'],
    )
  })
  it('one output file cannot be named for several configurations', async () => {
    await assert.rejects(
      plans('judge_class: relevance\nvariants: { a: , b: }', { allVariants: true, output: 'x' }),
      /cannot be named for 2 configurations/,
    )
  })
})
