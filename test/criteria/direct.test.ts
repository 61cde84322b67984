/** The direct judge: what EvalAssist's makes of the same picks, and what is better by default. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { type AnyRow, ndjson, rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe } from '../helpers/run.ts'
import { chose, criterion, golden, type Option } from './golden.ts'

interface Direct {
  case: string
  options: Option[]
  instances: number
  self_consistency: boolean | number
  check_positional_bias: boolean
  judge_picks_in_call_order: string[]
  calls: number
  expected: {
    selected_option: string
    score: number | null
    positional_bias: { detected: boolean; other_selected_option: string; other_score: null } | null
    self_consistency: { selected_options: string[] } | null
  }[]
}

/** A result object, as far as it is looked at here. */
interface Told {
  selected_option: string
  score: number | null
  positional_bias: { detected: boolean; result: { selected_option: string; score: number | null } } | null
  metadata: { self_consistency?: unknown }
}

/** The trials of a case with the picks as replies: the original makes all calls in one order, then in the other. */
async function played(t: TestContext, one: Direct): Promise<AnyRow[]> {
  const asked = one.self_consistency === true ? 3 : Number(one.self_consistency)
  const samples = asked || 1
  const dir = folder(t, { 'c.json': JSON.stringify(criterion('good', one.options)) })
  const items = Array.from({ length: one.instances }, (_, i) => ({ id: `i${i}`, response: `text ${i}` }))
  const args = ['direct', '--criteria', `${dir}/c.json`]
  if (asked) args.push('--samples', String(asked))
  if (one.check_positional_bias) args.push('--order', 'both')
  const rows = rowsOf(fine(await jb('render', args, { stdin: ndjson(items) })))
  assert.equal(rows.length, one.calls, one.case)
  return rows.map((row) => {
    const { order, sample = 0 } = row.jb.trial!
    const block = order === 'BA' ? one.instances * samples : 0
    const at = block + Number(row.jb.item!.slice(1)) * samples + (sample as number)
    row.jb.reply = { text: chose(one.judge_picks_in_call_order[at]), model: 'm' }
    return row
  })
}

test('golden-direct: scores, self-consistency and positional bias are the original’s', async (t) => {
  const cases = golden<Direct>('direct')
  for (const one of cases) {
    const rows = await played(t, one)
    const ran = await pipe('jb-parse --compat evalassist | jb-write evalassist --compat evalassist', {
      stdin: ndjson(rows),
    })
    const results = rowsOf(fine(ran)) as unknown as Told[]
    assert.equal(results.length, one.instances, one.case)
    for (const [i, expected] of one.expected.entries()) {
      const { selected_option, score, positional_bias, metadata } = results[i]!
      assert.deepEqual(
        { selected_option, score },
        { selected_option: expected.selected_option, score: expected.score },
        one.case,
      )
      const bias = positional_bias && {
        detected: positional_bias.detected,
        other_selected_option: positional_bias.result.selected_option,
        other_score: positional_bias.result.score,
      }
      assert.deepEqual(bias, expected.positional_bias, one.case)
      assert.deepEqual(metadata.self_consistency ?? null, expected.self_consistency, one.case)
    }
  }
})

test('the default says more: votes, agreement, the option’s own score, and both runs of a check', async (t) => {
  const yes = { name: 'Yes', score: 1 }
  const no = { name: 'No', score: 0 }
  const one: Direct = {
    case: 'both',
    options: [yes, no],
    instances: 1,
    self_consistency: 3,
    check_positional_bias: true,
    judge_picks_in_call_order: ['No', 'Yes', 'Yes', 'No', 'No', 'Yes'],
    calls: 6,
    expected: [],
  }
  const rows = await played(t, one)
  const [row] = rowsOf(fine(await pipe('jb-parse | jb-score', { stdin: ndjson(rows) })))
  const { result, trials } = row!.jb
  assert.equal(result!.option, 'Yes')
  assert.equal(result!.score, 2 / 3)
  assert.equal(result!.score_of_option, 1)
  assert.deepEqual(result!.votes, { No: 1, Yes: 2 })
  assert.equal(result!.agreement, 2 / 3)
  assert.deepEqual(result!.positional_bias, {
    detected: true,
    share: 1 / 3,
    result: { option: 'No', score: 0, explanation: 'because' },
  })
  assert.equal(trials!.length, 6, 'both runs are kept')
  const by = async (combine: string) =>
    rowsOf(await pipe(`jb-parse | jb-score --combine ${combine}`, { stdin: ndjson(rows) }))[0]!.jb
  assert.equal((await by('majority')).result!.score, 1)
  assert.equal((await by('median')).result!.score, 1)
  assert.equal((await by('first')).result!.option, 'No')
  assert.equal((await by('vote')).result!.option, 'No', 'all six vote: three each, No came first')
  assert.equal((await by('agree')).error!.code, 'conflict')
  const agreed = rows.map((row) => ({ ...row, jb: { ...row.jb, reply: rows[2]!.jb.reply } }))
  const { result: same } = rowsOf(
    await pipe('jb-parse | jb-score --combine agree', { stdin: ndjson(agreed) }),
  )[0]!.jb
  assert.equal(same!.agreement, 1, 'all six agree')
})

test('the order decides nothing where most samples choose the same in both, whichever sample is kept', async (t) => {
  const rows = await played(t, {
    case: 'noise',
    options: [
      { name: 'Yes', score: 1 },
      { name: 'No', score: 0 },
    ],
    instances: 1,
    self_consistency: 3,
    check_positional_bias: true,
    judge_picks_in_call_order: ['Yes', 'Yes', 'No', 'No', 'Yes', 'Yes'],
    calls: 6,
    expected: [],
  })
  const detected = async (...args: string[]) => {
    const [row] = rowsOf(await pipe(`jb-parse | jb-score ${args.join(' ')}`, { stdin: ndjson(rows) }))
    return (row!.jb.result!.positional_bias as { detected: boolean }).detected
  }
  assert.equal(await detected(), false)
  assert.equal(await detected('--combine', 'first'), true)
  assert.equal(await detected('--compat', 'evalassist'), true, 'the kept sample and its repeat')
})

test('options turned round are shown that way, in prompt, schema and trial', async (t) => {
  const dir = folder(t, {
    'c.yaml': 'name: g\ndescription: d\nto_evaluate_field: response\noptions: [Good, Fair, Bad]\n',
  })
  const ran = await jb('render', ['direct', '--criteria', `${dir}/c.yaml`, '--order', 'both'], {
    stdin: ndjson([{ id: 'a', response: 'text' }]),
  })
  const [ab, ba] = rowsOf(fine(ran))
  assert.deepEqual(ab!.jb.trial!.options, ['Good', 'Fair', 'Bad'])
  assert.deepEqual(ba!.jb.trial!.options, ['Bad', 'Fair', 'Good'])
  const prompt = ba!.jb.request!.messages!.map(({ content }) => content).join('\n')
  assert.ok(prompt.indexOf('"Bad"') < prompt.indexOf('"Good"'))
  assert.ok(prompt.indexOf('- Bad') < prompt.indexOf('- Good'))
})

test('scores: the option’s own, else its name as Python’s float reads it, else null', async () => {
  const cases: [name: string, score: number | null, expected: number | null][] = [
    ['Good', 0.5, 0.5],
    ['4', null, 4],
    ['4', 0.75, 0.75],
    ['-1.5e1', null, -15],
    ['1_000', null, 1000],
    ['Good', null, null],
    [' ', null, null],
    ['0x10', null, null],
    ['nan', null, null],
  ]
  const items = cases.map(([name, score], i) => ({
    id: `i${i}`,
    response: 'text',
    criteria: criterion('c', [
      { name, score },
      { name: 'other', score: null },
    ]),
  }))
  const rows = rowsOf(
    fine(await jb('render', ['direct', '--criteria', '@criteria'], { stdin: ndjson(items) })),
  )
  for (const [i, row] of rows.entries()) row.jb.reply = { text: chose(cases[i]![0]), model: 'm' }
  const results = rowsOf(fine(await pipe('jb-parse | jb-score', { stdin: ndjson(rows) })))
  for (const [i, [name, , expected]] of cases.entries())
    assert.equal(results[i]!.jb.result!.score, expected, `"${name}"`)
})
