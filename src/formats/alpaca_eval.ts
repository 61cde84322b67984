/**
 * alpaca_eval's annotations.json. A preference is a number from 1 (the first output, the baseline's, is better) to 2 (the
 * model's is better); 0 is an old code for 1.5, null a failure. A row's position in the file becomes `index`, by which
 * the original joins difficulties. A recorded reply becomes `jb.reply` with its log probabilities, in the order in which
 * alpaca_eval showed the outputs (seed 0), so that jb-parse --judge alpaca_eval can read it again. model_outputs.json gives
 * plain rows.
 */
import { pythonCoin } from '../rows/python_random.ts'
import type { Json, JsonObject, Reply, Verdict } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { seededBytes } from '../rows/seed.ts'
import { labelNumber } from '../scoring/label_terms.ts'
import { lacking, rowsMade, withoutVerdict } from './_bad_rows.ts'
import type { Format } from './_format.ts'
import { elementRows } from './json.ts'

export const format: Format = {
  about: 'alpaca_eval annotations (annotations.json, model_outputs.json) → verdicts with preferences',
  async *read(sources, options, context) {
    for (const source of sources) {
      let index = 0
      yield* elementRows([source], options, context, (text, file, line) =>
        rowsMade(Row.read(text, file, line), (row) => annotation(row, index++, source.name)),
      )
    }
  },
}

/** A path as in the original repository: results/MODEL/ANNOTATOR/annotations.json. */
const RESULTS = /(?:(^|\/)results\/)?([^/]+)\/([^/]+)\/annotations\.json(?:\.gz)?$/

function annotation(row: Row, index: number, name: string): Row {
  const { item } = row
  const lost = ['instruction', 'generator_2' in item ? 'generator_2' : 'output'].find(
    (name) => typeof item[name] !== 'string',
  )
  if (lost !== undefined)
    return lacking(
      row,
      'alpaca_eval',
      `no text "${lost}": this is not an annotation or output of alpaca_eval`,
    )
  if (!('generator_2' in item)) return row
  // The leaderboard uses the folder's name, whatever the generator's is.
  const [, results, model, annotator] = RESULTS.exec(name.replaceAll('\\', '/')) ?? []
  const folder = results !== undefined || annotator === item.annotator ? model : undefined
  const names = folder !== undefined &&
    folder !== item.generator_2 && { model_1: item.generator_1!, model_2: folder }
  // One id for a question, whichever model answered: the unit of comparison and resampling.
  const question = seededBytes(String(item.instruction)).toString('hex').slice(0, 16)
  const made = Row.make({ ...item, ...names, question_id: question, index }, row.file, row.line)
  const judge = String(item.annotator ?? 'alpaca_eval')
  made.set('judge', judge)
  made.set('item', `${question}:${folder ?? item.generator_2}`)
  const reply = replyOf(item.raw_completion, judge)
  // alpaca_eval draws the order from the instruction; the recorded preference is in the item's terms.
  const switched = reply !== undefined && pythonCoin(`is_switched_outputs${item.instruction}0`)
  made.set('trial', { n: 0, of: 1, order: switched ? 'BA' : 'AB' })
  if (reply) made.set('reply', reply)
  const preference = typeof item.preference === 'boolean' ? undefined : labelNumber(item.preference)
  const share = preference === 0 ? 0.5 : Number(preference) - 1
  if (preference === undefined || !(share >= 0 && share <= 1))
    return withoutVerdict(made, 'preference', item.preference)
  const decision = share > 0.5 ? 'B>A' : share < 0.5 ? 'A>B' : 'A=B'
  return made.set('verdict', { label: String(preference), decision, preference: share } satisfies Verdict)
}

/** `raw_completion`: a text, or the API's answer with `text` or `message`, and `logprobs`. */
function replyOf(raw: Json | undefined, model: string): Reply | undefined {
  if (typeof raw === 'string') return { text: raw, model }
  const { text, message, logprobs, finish_reason } = (raw ?? {}) as JsonObject
  const answer = text ?? (message as JsonObject | undefined)?.content
  if (typeof answer !== 'string') return undefined
  return {
    text: answer,
    model,
    ...(logprobs && { logprobs }),
    ...(typeof finish_reason === 'string' && { finish_reason }),
  }
}
