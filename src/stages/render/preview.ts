/** `--preview`: the requests as readable text. */
import { withoutControls } from '../../rows/controls.ts'
import type { Rows } from '../../rows/reader.ts'
import type { JsonObject } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'

/** A rule of thumb. */
const CHARACTERS_PER_TOKEN = 4

/** Yields each trial's prompt and parameters as text, then the number of requests and tokens. */
export async function* preview(rows: Rows): AsyncGenerator<string> {
  let requests = 0
  let failed = 0
  let characters = 0
  /** The most tokens of all replies; NaN if a request sets no limit. */
  let longest = 0
  for await (const batch of rows)
    for (const row of batch) {
      yield titleOf(row)
      const error = row.get('error')
      if (error) {
        failed++
        yield withoutControls(`no request: ${error.code}: ${error.message}\n\n`)
        continue
      }
      requests++
      const { messages, prompt, ...parameters } = row.get('request') as JsonObject
      const parts = (messages ?? [{ role: 'prompt', content: prompt }]) as JsonObject[]
      for (const { role, content } of parts) {
        const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
        characters += text.length
        yield withoutControls(`[${role}]\n${text.replace(/\n+$/, '')}\n\n`)
      }
      const words = Object.entries(parameters).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      yield withoutControls(`${words.join(', ')}\n\n`)
      longest += Number(parameters.max_tokens ?? parameters.max_completion_tokens ?? Number.NaN)
    }
  const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN)
  const out = Number.isNaN(longest) ? '' : `, at most ${longest.toLocaleString('en')} out`
  const without = failed > 0 ? `, ${failed} without a request` : ''
  yield `${requests} request${requests === 1 ? '' : 's'}${without}: about ${tokens.toLocaleString('en')} tokens in${out}\n`
}

/** `── p17 · arena_hard · trial 1 of 2 · order AB · pairs.jsonl:3` */
function titleOf(row: Row): string {
  const trial = row.has('trial') ? row.get('trial') : undefined
  const words = [
    row.get('item'),
    row.get('name') ?? row.get('judge'),
    row.has('criterion') ? row.get('criterion')?.name : undefined,
    trial && trial.of > 1 ? `trial ${trial.n + 1} of ${trial.of}` : undefined,
    trial?.order && `order ${trial.order}`,
    row.place,
  ]
  return `── ${withoutControls(words.filter(Boolean).join(' · '))}\n\n`
}
