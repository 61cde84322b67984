/** Nights of a watch as rows: one trial an item, in order AB. */
import { ndjson } from '../../helpers/rows.ts'

const DECISIONS: Record<string, string> = { A: 'A>B', B: 'B>A', T: 'A=B' }

/** What rows say besides their verdicts. */
export interface NightOptions {
  /** Begins the ids: `a` of anchors, `s` of the system, `i` of a bridge. */
  letter?: string
  /** People's labels, a letter an item. */
  gold?: string | undefined
  model?: string
  served?: string
  /** The question of an item. */
  question?: (id: string) => string
  jb?: object
}

/** Which call it was: rows of real calls differ in `ms`. */
let calls = 0

/** Rows of a night: a character an item: A, B, T, a digit d for the grade d of 9, - for a failed call; a space is an item that isn't there. */
function nightRows(
  text: string,
  {
    letter = 'a',
    gold = '',
    model = 'm',
    served,
    question = (id) => `What is ${id}?`,
    jb = {},
  }: NightOptions = {},
): object[] {
  return [...text].flatMap((said, i) => {
    if (said === ' ') return []
    const id = `${letter}${String(i).padStart(3, '0')}`
    const label = DECISIONS[gold[i]!]
    const common = {
      ...{ judge: 'j', judge_digest: 'd1', item: id, trial: { n: 0, of: 1, order: 'AB' } },
      request: { messages: [{ role: 'user', content: question(id) }], temperature: 1 },
    }
    const verdict = DECISIONS[said]
      ? { label: said, decision: DECISIONS[said] }
      : { label: said, score: Number(said), range: [0, 9] }
    const told =
      said === '-'
        ? { error: { stage: 'call', code: 'timeout', message: 'no reply', retryable: true, model } }
        : {
            reply: { text: said, model, ms: 100 + ++calls, ...(served && { served_model: served }) },
            verdict,
          }
    return [{ question: question(id), ...(label && { label }), jb: { ...common, ...told, ...jb } }]
  })
}

export const night = (text: string, options?: NightOptions) => ndjson(nightRows(text, options))
