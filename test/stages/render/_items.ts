/** Random items with much that faults look for: texts, pairs, and conversations in nine forms. */
import type { Choices } from '../../helpers/random.ts'

const MARKS = [
  '2,100,000',
  '1987',
  '10:45',
  '2024-05-17',
  'RX-4471',
  'HAT082',
  '12.50',
  '90',
  '00017',
  '90210',
]
const WORDS = [
  'harbour',
  'library',
  'museum',
  'orchard',
  'station',
  'Ämter',
  'gardens',
  'ferry',
  'bakery',
  'kitchen',
]
const ODD = [' ', '\t', '\u00a0', '\u2028', '😀', '\ud800', '"', '\\', '\u0000', '"', '…']
const TOOLS = ['book_table', 'cancelOrder', 'get_user', 'send_mail', 'searchFlights', 'update', 'think', '']
const PAST: Record<string, string> = {
  book_table: 'booked',
  cancelOrder: 'cancelled',
  send_mail: 'sent',
  update: 'updated',
}

/** One of several sentences. */
function sentence(some: Choices): string {
  const mark = () => (some.chance(0.8) ? some.pick(MARKS) : String(some.below(100_000)))
  const word = () => some.pick(WORDS)
  return some.one(
    () => `The ${word()} near the ${word()} is open until ${mark()}.`,
    () => `The ${word()} was founded in ${mark()} by the ${word()}.`,
    () => `The old ${word()} is not part of the ${word()} district.`,
    () => `The new ${word()} cannot hold ${mark()} books.`,
    () => `Dr. Smith (of the U.S. ${word()}) arrived at ${mark()} a.m. e.g. today.`,
    () => `Is the ${word()} closed?`,
    () => `It usually has ${mark()} seats!`,
    () => `\n${some.below(30)}. ${word()} ${mark()}`,
    () => `\n\`\`\`\ncode ${mark()}. The ${word()} is code.\n\`\`\`\n`,
    () => `“The ${word()} must pay ${mark()}.”`,
    () => `We don’t know ${word()}${some.pick(ODD)}${mark()}.`,
    () => `${word()}${some.pick(ODD)}${word()}`,
  )
}

const textOf = (some: Choices, most = 5): string =>
  Array.from({ length: some.between(some.chance(0.05) ? 0 : 1, most) }, () => sentence(some)).join(
    some.chance(0.9) ? ' ' : some.pick(ODD),
  )

/** One exchange: what was asked, a call, its result, what the assistant makes of it. */
interface Exchange {
  asked: string
  said: string
  thought: string
  closing: string
  id: string
  tool: string
  given: Record<string, unknown>
  found: unknown
  failed: boolean
}

function exchange(some: Choices): Exchange {
  const tool = some.pick(TOOLS)
  const [private_, known] = [`K${some.between(10_000, 99_999)}`, some.pick(MARKS)]
  const value = some.one<unknown>(
    () => known,
    () => some.between(10_000, 99_999),
    () => ({ deep: [known, { [known]: true }] }),
  )
  const closing = some.one(
    () => `I have ${PAST[tool] ?? 'done'} it.`,
    () => `Your code is ${private_}.`,
    () => `Sorry, it was not ${PAST[tool] ?? 'done'}.`,
    () => textOf(some, 6),
    () => '',
  )
  return {
    ...{ asked: `${textOf(some, 2)} My number is ${known}.`, said: some.chance(0.5) ? textOf(some, 2) : '' },
    ...{ thought: textOf(some, 1), closing, id: some.pick(['a', 'b', 'c', `c${some.below(999)}`]), tool },
    given: { id: value, ...(some.chance(0.3) && { note: textOf(some, 1) }) },
    found: some.one<unknown>(
      () => ({ code: private_, seats: 12_345 }),
      () => `Done: ${private_}`,
      () => JSON.stringify({ code: private_ }),
      () => textOf(some, 2),
      () => [{ type: 'text', text: `Code ${private_}` }],
      () => null,
    ),
    failed: some.chance(0.1),
  }
}

/** A result as a text, where a form has nothing else. */
const asText = (found: unknown) => (typeof found === 'string' ? found : JSON.stringify(found))

/** The nine forms of a conversation: an exchange each. */
const FORMS: Record<string, (one: Exchange, some: Choices) => object[]> = {
  chat: ({ asked, said, closing, id, tool, given, found }) => [
    { role: 'user', content: asked },
    {
      ...{ role: 'assistant', content: said || null },
      tool_calls: [{ id, type: 'function', function: { name: tool, arguments: JSON.stringify(given) } }],
    },
    { role: 'tool', tool_call_id: id, name: tool, content: asText(found) },
    { role: 'assistant', content: closing },
  ],
  responses: ({ asked, thought, closing, id, tool, given, found }) => [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: asked }] },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] },
    { type: 'function_call', call_id: id, name: tool, arguments: JSON.stringify(given) },
    { type: 'function_call_output', call_id: id, output: asText(found) },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: closing }] },
  ],
  anthropic: ({ asked, said, closing, id, tool, given, found, failed }, some) => [
    { role: 'user', content: asked },
    {
      role: 'assistant',
      content: [
        ...(said ? [{ type: 'text', text: said }] : []),
        { type: 'tool_use', id, name: tool, input: given },
      ],
    },
    {
      role: 'user',
      content: [
        {
          ...{ type: 'tool_result', tool_use_id: id },
          content: Array.isArray(found) ? found : asText(found),
          ...(failed && { is_error: true }),
        },
        ...(some.chance(0.2) ? [{ type: 'text', text: 'And?' }] : []),
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: closing }] },
  ],
  otel: ({ asked, closing, id, tool, given, found }) => [
    { role: 'user', parts: [{ type: 'text', content: asked }] },
    { role: 'assistant', parts: [{ type: 'tool_call', id, name: tool, arguments: given }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id, response: found }] },
    { role: 'assistant', parts: [{ type: 'text', content: closing }], finish_reason: 'stop' },
  ],
  inspect: ({ asked, said, closing, id, tool, given, found, failed }) => [
    { role: 'user', content: asked, source: 'input' },
    { role: 'assistant', content: said, tool_calls: [{ id, function: tool, arguments: given }] },
    {
      ...{ role: 'tool', tool_call_id: id, function: tool, content: asText(found) },
      ...(failed && { error: { type: 'x', message: 'no' } }),
    },
    { role: 'assistant', content: closing },
  ],
  gemini: ({ asked, said, closing, tool, given, found }) => [
    { role: 'user', parts: [{ text: asked }] },
    { role: 'model', parts: [{ text: said }, { functionCall: { name: tool, args: given } }] },
    { role: 'user', parts: [{ functionResponse: { name: tool, response: { output: found } } }] },
    { role: 'model', parts: [{ text: closing }] },
  ],
  langchain: ({ asked, said, closing, id, tool, given, found, failed }) => [
    { type: 'human', content: asked },
    { type: 'ai', content: said, tool_calls: [{ id, name: tool, args: given, type: 'tool_call' }] },
    { type: 'tool', tool_call_id: id, content: asText(found), ...(failed && { status: 'error' }) },
    { type: 'ai', content: closing },
  ],
  sharegpt: ({ asked, closing }) => [
    { from: 'human', value: asked },
    { from: 'gpt', value: closing },
  ],
  deepeval: ({ asked, closing, tool, given, found }) => [
    { role: 'user', content: asked },
    {
      ...{ role: 'assistant', content: closing },
      // A call without an id, and without a result, would get that of the next call of the tool.
      tools_called: [{ name: tool, input_parameters: given, output: found ?? 'done' }],
    },
    { role: 'assistant', content: closing },
  ],
}

export type ItemKind = 'text' | 'pair' | 'talk'

/** An item, with odd spaces and fields that no fault may touch. */
export function randomItem(some: Choices, id: string, kind: ItemKind): string {
  const odd = ['"big":12345678901234567890', '"e":1e400', '"u":"\\u00e9\\ud83d"', '"e":[ 1.0 ,{ }]']
  const fields: string[] = [`"id":${JSON.stringify(id)}`]
  const put = (name: string, value: unknown) =>
    fields.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
  const reference = () => (some.chance(0.4) ? some.pick([...MARKS, ...WORDS]) : textOf(some, 3))
  if (some.chance(0.8)) put('reference', reference())
  if (kind !== 'talk' || some.chance(0.2)) put('question', textOf(some, 2))
  if (kind === 'text') put('answer', some.chance(0.95) ? textOf(some, 7) : 7)
  if (kind === 'pair') {
    put('response_A', textOf(some, 7))
    put('response_B', textOf(some, 7))
  }
  if (kind === 'talk') {
    const forms = Object.values(FORMS)
    const form = some.pick(forms)
    const system =
      some.chance(0.3) && form === FORMS.chat ? [{ role: 'system', content: textOf(some, 2) }] : []
    const list = Array.from({ length: some.between(1, 4) }, () =>
      (some.chance(0.95) ? form : some.pick(forms))(exchange(some), some),
    ).flat()
    put('messages', some.chance(0.1) ? { messages: [...system, ...list] } : [...system, ...list])
  }
  while (some.chance(0.4)) fields.push(some.pick(odd))
  const rest = fields.slice(1).sort(() => some.next() - 0.5)
  return some.chance(0.2) ? `{ ${[fields[0], ...rest].join(' , ')} }` : `{${[fields[0], ...rest].join(',')}}`
}

/** Fields that are shown of each kind of item, by their names in a prompt. */
export const SHOWN: Record<ItemKind, { answers: string[] | undefined; names: string[] }> = {
  text: { answers: undefined, names: ['answer', 'reference', 'question'] },
  pair: { answers: ['response_A', 'response_B'], names: ['question', 'response_A', 'response_B'] },
  talk: { answers: undefined, names: ['messages', 'reference', 'question'] },
}
