/** Rows of jb-parse for a case of fixtures/vectors/choice.json, by run or member. */
import { ndjson } from './rows.ts'

type Run = (number | null)[] | { grades: (number | null)[] }

export interface ChoiceCase {
  kind: 'pairs' | 'options' | 'grades'
  by: 'accuracy' | 'balanced'
  against: string | null
  seed: string
  level: number
  /** How many items have no label. */
  unlabelled: number
  items: { id: string; cluster?: string; label?: boolean }[]
  runs: Record<string, Run>
}

export interface JuryCase {
  options?: boolean
  items: string[]
  /** 1, −1, or 0 for a tie. */
  labels: (number | null)[]
  members: Record<string, (number | null)[]>
}

const JUDGE = { pairs: 'vanilla', options: 'direct', grades: 'rating' }
const OPTIONS = ['Yes', 'No'].map((name, i) => ({ name, description: '', score: 1 - i }))
const CRITERION = {
  name: '',
  description: 'Is it good?',
  to_evaluate_field: 'x',
  context_fields: null,
  options: OPTIONS,
}

/** A verdict, or a failure. */
export function row(
  kind: ChoiceCase['kind'],
  model: string,
  { item, label, cluster }: { item: string; label?: unknown; cluster?: string | undefined },
  said: string | number | null,
) {
  const verdict =
    kind === 'pairs'
      ? { decision: said }
      : kind === 'options'
        ? { option: said, score: Number(said === 'Yes') }
        : { score: said, range: [0, 5] }
  return {
    id: item,
    ...(cluster !== undefined && { cluster }),
    ...(label !== undefined && { label }),
    jb: {
      ...{ judge: JUDGE[kind], judge_digest: '0123456789ab', item },
      trial: { n: 0, of: 1, ...(kind === 'pairs' && { order: 'AB' }) },
      ...(kind === 'options' && { criterion: CRITERION }),
      reply: { text: 'x', finish_reason: 'stop', model },
      ...(said === null
        ? { error: { stage: 'parse', code: 'no_verdict', message: 'none' } }
        : { verdict: { label: String(said), ...verdict } }),
    },
  }
}

export function choiceRows({ kind, items, runs, unlabelled }: ChoiceCase): Record<string, string> {
  const files = Object.entries(runs).map(([name, run]) => {
    const rows = items.map(({ id: item, cluster, label: yes }, i) => {
      const value = Array.isArray(run) ? run[i]! : run.grades[i]!
      const isA = i % 2 === 1
      const label = kind === 'pairs' ? (isA ? 'A>B' : 'B>A') : yes!
      const said = () => {
        if (value === null || kind === 'grades') return value
        if (kind === 'pairs') return isA === (value === 1) ? 'A>B' : 'B>A'
        return yes === (value === 1) ? 'Yes' : 'No'
      }
      return row(kind, name, { item, label, cluster }, said())
    })
    const cluster = items[0]!.cluster === undefined ? undefined : 'new'
    const said = { pairs: 'A>B', options: 'Yes', grades: 3 }[kind]
    const others = Array.from({ length: unlabelled }, (_, i) =>
      row(kind, name, { item: `new-${i}`, cluster }, said),
    )
    return [`${name}.ndjson`, ndjson([...rows, ...others])]
  })
  return Object.fromEntries(files)
}

/** What a member says, and the label, in words. */
const words = (options = false): Record<number, string> =>
  options ? { 1: 'Yes', [-1]: 'No' } : { 1: 'A>B', [-1]: 'B>A', 0: 'A=B' }

export function juryRows({ options = false, items, labels, members }: JuryCase): Record<string, string> {
  const word = words(options)
  const labelOf = (label: number | null) => (label === null ? undefined : options ? label === 1 : word[label])
  return Object.fromEntries(
    Object.entries(members).map(([name, votes]) => [
      `${name}.ndjson`,
      ndjson(
        items.map((item, i) => {
          const vote = votes[i] ?? null
          const said = vote === null ? null : word[vote]!
          return row(options ? 'options' : 'pairs', name, { item, label: labelOf(labels[i]!) }, said)
        }),
      ),
    ]),
  )
}
