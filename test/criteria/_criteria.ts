/** A criterion, and what is asked about an item by it. */
import { folder } from '../helpers/folder.ts'
import { type AnyRow, ndjson } from '../helpers/rows.ts'
import { jb } from '../helpers/run.ts'

export const YES_NO = [
  { name: 'Yes', score: 1 },
  { name: 'No', score: 0 },
]

export const PLAIN = {
  name: 'c',
  description: 'Is it so?',
  to_evaluate_field: 'response',
  context_fields: ['q'],
  options: YES_NO,
}

/** The trials of an item for criteria in a file. */
export async function asked(
  t: Parameters<typeof folder>[0],
  criteria: unknown,
  item: object,
  args: string[] = [],
) {
  const dir = folder(t, { 'c.json': JSON.stringify(criteria) })
  const judge = args[0]?.startsWith('-') || args.length === 0 ? 'direct' : args[0]!
  const rest = judge === args[0] ? args.slice(1) : args
  return jb('render', [judge, '--criteria', `${dir}/c.json`, ...rest], {
    stdin: ndjson([{ id: 'a', ...item }]),
  })
}

export const prompt = (row: AnyRow) => row.jb.request!.messages!.at(-1)!.content
