/** A request's parameters. They are copied from the row to the body as bytes, and parsed only by providers that translate them. */

/** Parameters in order, without `model`: name and JSON text. */
export type Params = Map<string, string>

/**
 * The body of a request: `{"model":…,` and the parameters, byte for byte.
 * @param model undefined for APIs with the model in the URL
 */
export function bodyOf(params: Params, model?: string): Buffer {
  const members = model === undefined ? [] : [`"model":${jsonText(model)}`]
  for (const [key, text] of params) members.push(`${jsonText(key)}:${text}`)
  return Buffer.from(`{${members.join(',')}}`)
}

export const jsonText = (value: unknown): string => JSON.stringify(value)

// biome-ignore lint/suspicious/noExplicitAny: a parameter holds whatever its user put there
export const parsed = (text: string): any => JSON.parse(text)

/** The request's limit on the tokens of an answer; undefined if it has none, or null. */
export function maxTokens(params: Params): number | undefined {
  for (const name of ['max_tokens', 'max_completion_tokens', 'max_output_tokens']) {
    const limit = numberOf(params.get(name))
    if (limit !== undefined) return limit
  }
  return undefined
}

/** The number of answers that the request generates, all of which are paid for. */
export const answerCount = (params: Params): number =>
  Math.max(1, numberOf(params.get('n')) ?? 1, numberOf(params.get('best_of')) ?? 1)

/** Some servers take `"100"` for 100. */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text[0] === '"' ? text.slice(1, -1) : text)
  return number > 0 && number < Number.POSITIVE_INFINITY ? number : undefined
}
