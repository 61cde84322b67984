/** What counts once, as the reports' notes define it: slow, with all rows at hand. And random rows to try it on. */
import { ERROR_CODES } from '../../src/rows/record.ts'
import type { Choices } from '../helpers/random.ts'

export interface LedgerRow {
  id: string
  label?: string
  source?: string
  jb: {
    judge: string
    item: string
    trial: { n: number; of: number; criterion?: string }
    criterion?: ReturnType<typeof criterionOf>
    request?: { messages: object[] }
    reply?: { text: string; model: string; served_model?: string; usage?: Usage; cost?: number }
    verdict?: { label: string; decision?: string; score?: number; option?: string }
    error?: { stage: string; code: string; message: string; model?: string; usage?: Usage; cost?: number }
  }
}
const criterionOf = (name: string) => ({
  name,
  description: 'd',
  to_evaluate_field: 'answer',
  context_fields: null,
  options: [0, 1].map((score) => ({ name: String(score), description: 'd', score })),
})
type Usage = { total_tokens: number }

/** The figures of a run. */
export interface Figures {
  items: number
  valid: number
  failures: Record<string, number>
  correct: number
  /** The sum of the items' scores, in twelfths. */
  score: number
  tokens: number
  cost: number
  groups: Record<string, [items: number, valid: number]>
}

const model = ({ jb }: LedgerRow) => jb.reply?.model ?? jb.error?.model
const prompt = ({ jb }: LedgerRow) => jb.request && JSON.stringify(jb.request.messages)
const said = ({ jb }: LedgerRow) =>
  jb.verdict && !jb.error ? JSON.stringify([jb.verdict, jb.reply!.text, jb.criterion?.name]) : undefined
const rank = (code: string) => (ERROR_CODES as readonly string[]).indexOf(code) >>> 0
const paid = ({ jb }: LedgerRow) => jb.reply ?? jb.error!
const call = (row: LedgerRow) => {
  const { usage, cost } = paid(row)
  return JSON.stringify([row.jb.reply?.served_model, row.jb.reply?.text, row.jb.error?.code, usage, cost])
}
const least = <T>(all: readonly T[], compare: (a: T, b: T) => number) => [...all].sort(compare)[0]!
const byText = (a: string | undefined, b: string | undefined) =>
  a === b ? 0 : b === undefined || (a !== undefined && a < b) ? -1 : 1
const different = (values: readonly unknown[]) => new Set(values).size > 1

function grouped(rows: readonly LedgerRow[], keyOf: (row: LedgerRow) => unknown): Map<string, LedgerRow[]> {
  const all = new Map<string, LedgerRow[]>()
  for (const row of rows) {
    const key = String(keyOf(row))
    all.set(key, [...(all.get(key) ?? []), row])
  }
  return all
}

/** What the rows of one item come to. */
function itemOf(rows: readonly LedgerRow[]) {
  const trials = [...grouped(rows, ({ jb }) => jb.trial.n)].sort(([a], [b]) => Number(a) - Number(b))
  const ofs = rows.map(({ jb: { trial } }) => (trial.of > 1 ? Math.max(trial.of, trial.n + 1) : 1))
  const of = Math.max(...ofs)
  // Of rows that disagree on the number of trials it is not known which are right.
  let conflict = different(ofs)
  const counting = trials.map(([, some]) => {
    const replies = some.filter((row) => said(row) !== undefined)
    conflict ||=
      different(replies.map(said)) || different(some.map(prompt).filter((one) => one !== undefined))
    return replies.length > 0
      ? replies[0]!
      : least(
          some,
          ({ jb: { error: a } }, { jb: { error: b } }) =>
            rank(a!.code) - rank(b!.code) || byText(a!.code, b!.code),
        )
  })
  // The label and the group are those of the first trial.
  const first = trials[0]![1]
  const replies = first.filter((row) => said(row) !== undefined)
  const leads = replies.length > 0 ? replies : first
  const { score, option } = replies[0]?.jb.verdict ?? {}
  const needsLabel = score === undefined || option !== undefined
  conflict ||=
    replies.length > 0 &&
    (different(leads.map(({ source }) => source)) ||
      (needsLabel && different(leads.map(({ label }) => label))))
  const { source, label } = least(leads, (a, b) => byText(a.source, b.source) || byText(a.label, b.label))
  const failed = counting.find((row) => said(row) === undefined)
  const code = counting.length < of ? 'incomplete' : conflict ? 'conflict' : failed && failed.jb.error!.code
  const calls = trials.flatMap(([, some]) => [...grouped(some, call).values()].map(([one]) => paid(one!)))
  return { code, counting, source, label, calls }
}

/** A failure without a model is one in every run of its judge that lacks the trial. */
function runsOf(rows: readonly LedgerRow[]): Map<string, LedgerRow[]> {
  const key = ({ jb }: LedgerRow, name: string | undefined) => `${jb.judge} ${name}`
  const runs = grouped(
    rows.filter((row) => model(row) !== undefined),
    (row) => key(row, model(row)),
  )
  const lost = rows.filter((row) => model(row) === undefined)
  const homes = new Map([...runs].map(([name, some]) => [name, [...some]]))
  for (const row of lost) {
    const of = [...runs].filter(([name]) => name.startsWith(`${row.jb.judge} `))
    if (of.length === 0) homes.set(key(row, undefined), [...(homes.get(key(row, undefined)) ?? []), row])
    for (const [name, some] of of)
      if (!some.some(({ jb }) => jb.item === row.jb.item && jb.trial.n === row.jb.trial.n))
        homes.get(name)!.push(row)
  }
  return homes
}

const add = (sums: Record<string, number>, name: string) => {
  sums[name] = (sums[name] ?? 0) + 1
}

export function figuresOf(rows: readonly LedgerRow[]): Record<string, Figures> {
  const all: Record<string, Figures> = {}
  for (const [name, some] of runsOf(rows)) {
    const sums: Figures = {
      ...{ items: 0, valid: 0, failures: {}, correct: 0, score: 0, tokens: 0, cost: 0, groups: {} },
    }
    all[name] = sums
    for (const item of grouped(some, ({ jb }) => jb.item).values()) {
      const { code, counting, source, label, calls } = itemOf(item)
      const group = source === undefined ? undefined : (sums.groups[source] ??= [0, 0])
      sums.items++
      if (group) group[0]++
      for (const { usage, cost = 0 } of calls) {
        sums.tokens += usage?.total_tokens ?? 0
        sums.cost += cost
      }
      if (code !== undefined) {
        add(sums.failures, code)
        continue
      }
      sums.valid++
      if (group) group[1]++
      const verdicts = counting.map(({ jb }) => jb.verdict!)
      const vote = verdicts.reduce(
        (sum, { decision }) => sum + (decision === 'A>B' ? 1 : decision === 'B>A' ? -1 : 0),
        0,
      )
      if (verdicts[0]!.decision !== undefined && label !== undefined)
        sums.correct += Number((vote > 0 ? 'A>B' : vote < 0 ? 'B>A' : 'A=B') === label)
      if (verdicts[0]!.score !== undefined && verdicts[0]!.option === undefined)
        sums.score += (12 * verdicts.reduce((sum, { score }) => sum + score!, 0)) / verdicts.length
    }
  }
  return all
}

/** Rows of a few items: some failed and were tried again, came again, say another thing, lack a model. @param agree on the number of trials */
export function someRows(choices: Choices, agree: boolean): LedgerRow[] {
  const kind = choices.pick(['pair', 'grade', 'criteria'])
  const rows: LedgerRow[] = []
  for (let i = choices.between(1, 3); i > 0; i--) {
    const of = choices.pick([1, 1, 2, 2, 3])
    const label = choices.pick(['A>B', 'B>A'])
    const source = choices.pick(['s', 's', 't', undefined])
    for (const judge of choices.chance(0.2) ? ['j', 'h'] : ['j'])
      for (const name of choices.chance(0.3) ? ['m', 'k'] : ['m'])
        for (let n = 0; n < of; n++)
          for (let copies = choices.pick([0, 1, 1, 1, 1, 1, 2, 2, 3]); copies > 0; copies--) {
            const row = oneRow(choices, kind, `i${i}`, { judge, model: name, n, of })
            const fields = {
              ...(choices.chance(0.95) && { label: choices.chance(0.04) ? 'A=B' : label }),
              ...(choices.chance(0.04) ? { source: 'r' } : source && { source }),
            }
            if (!agree && choices.chance(0.1)) row.jb.trial.of = of + choices.pick([1, -1]) || 1
            const whole = { ...row, ...fields }
            rows.splice(choices.below(rows.length + 1), 0, whole)
            if (choices.chance(0.1)) rows.splice(choices.below(rows.length + 1), 0, structuredClone(whole))
          }
  }
  return rows
}

function oneRow(
  choices: Choices,
  kind: string,
  item: string,
  { judge, model, n, of }: { judge: string; model: string; n: number; of: number },
): LedgerRow {
  const criterion = kind === 'criteria' ? criterionOf(`c${n}`) : undefined
  const price = {
    ...(choices.chance(0.4) && { usage: { total_tokens: choices.pick([8, 16]) } }),
    ...(choices.chance(0.4) && { cost: choices.pick([0.25, 0.5]) }),
  }
  const content = `${item} ${n}${choices.chance(0.1) ? ' of another' : ''}`
  const jb: LedgerRow['jb'] = {
    judge,
    item,
    trial: { n, of, ...(criterion && { criterion: criterion.name }) },
    ...(criterion && { criterion }),
    ...(choices.chance(0.3) && { request: { messages: [{ role: 'user', content }] } }),
  }
  const usual = n % 2
  const value = choices.chance(0.85) ? usual : 1 - usual
  const text = `${value}${choices.chance(0.04) ? ' in other words' : ''}`
  const served = choices.chance(0.1) && { served_model: 'snapshot' }
  if (choices.chance(0.72)) {
    const label = String(value)
    const verdict =
      kind === 'pair'
        ? { label, decision: value === 0 ? 'A>B' : 'B>A' }
        : kind === 'grade'
          ? { label, score: value, range: [0, 1] }
          : { label, option: label, score: value }
    return { id: item, jb: { ...jb, reply: { text, model, ...served, ...price }, verdict } }
  }
  const failed = (stage: string, code: string, more: object = {}) => ({ stage, code, message: 'x', ...more })
  const codes = ['timeout', 'rate_limited', 'refused', 'gone']
  const error = choices.one(
    () => failed('call', choices.pick(codes), { model, ...price }),
    () => failed('call', choices.pick(codes), { model, ...price }),
    () => failed('render', 'missing_field'),
    () => undefined,
  )
  if (error) return { id: item, jb: { ...jb, error } }
  const unread = failed('parse', choices.pick(['no_verdict', 'conflict']))
  return {
    id: item,
    jb: { ...jb, reply: { text: choices.pick(['hm', 'well']), model, ...price }, error: unread },
  }
}
