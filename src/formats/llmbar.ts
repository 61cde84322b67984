/**
 * LLMBar: dataset.json (pairs with a label) and its evaluators' result.json, whose `winner` is in the item's terms. Of a
 * strategy with several rounds, the last one counts.
 */
import type { Decision, JsonObject } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { lacking, rowsMade, withoutVerdict } from './_bad_rows.ts'
import type { Format } from './_format.ts'
import { elementRows } from './json.ts'

const DECISIONS: Record<string, Decision> = { '1': 'A>B', '2': 'B>A' }

interface Round {
  completion?: [string, string?] | null
  winner?: string | null
}

export const format: Format = {
  about: 'LLMBar: dataset.json → pairs; result.json of an evaluator → verdicts of both orders',
  async *read(sources, options, context) {
    for (const source of sources) {
      // …/LLMBar/Adversarial/GPTInst/evaluators/GPT-4/CoT/result.json
      const parts = source.name.split(/[/\\]/)
      const at = parts.lastIndexOf('evaluators')
      const evaluator = at < 0 ? 'llmbar' : parts.slice(at + 1, -1).join('/')
      const subset = at > 0 ? parts[at - 1] : parts.length > 1 ? parts.at(-2) : undefined
      let index = 0
      for await (const batch of elementRows([source], options, context))
        yield batch.flatMap((row) => rowsMade(row, (one) => rowsOf(one, evaluator, subset, index++)))
    }
  },
}

function rowsOf(row: Row, evaluator: string, subset: string | undefined, index: number): Row | Row[] {
  const { results, label, input, output_1, output_2, ...rest } = row.item
  const lost = Object.entries({ input, output_1, output_2 }).find(([, text]) => typeof text !== 'string')
  if (lost) return lacking(row, 'llmbar', `no text "${lost[0]}": this is not an item of LLMBar`)
  const better = DECISIONS[String(label)]
  if (!better) return lacking(row, 'llmbar', `"label" is ${JSON.stringify(label ?? null)}, expected 1 or 2`)
  const id = `${subset ?? 'llmbar'}-${index}`
  const item: JsonObject = {
    id,
    ...(subset !== undefined && { subset }),
    ...rest,
    question: input!,
    response_A: output_1!,
    response_B: output_2!,
    label: better,
  }
  const last = Array.isArray(results) ? (results.at(-1) as Record<string, Round> | undefined) : undefined
  if (!last) return Row.make(item, row.file, row.line)
  return [last['swap = False'], last['swap = True']].map((round, n) => {
    const made = Row.make(item, row.file, row.line).set('judge', evaluator).set('item', id)
    made.set('trial', { n, of: 2, order: n === 0 ? 'AB' : 'BA' })
    const decision = DECISIONS[String(round?.winner)]
    if (decision) return made.set('verdict', { label: String(round!.winner), decision, model: evaluator })
    return withoutVerdict(made, 'winner', round?.winner, { model: evaluator })
  })
}
