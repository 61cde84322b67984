/** Token and markdown counts of arena-hard's model answers. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileSource } from '../files/files.ts'
import { isFolder } from '../files/folder.ts'
import type { Option } from '../options/option.ts'
import { EXIT, Fatal, isObject, type Json, type JsonObject } from '../rows/record.ts'
import { type Context, readAt } from '../rows/stage.ts'

export const ANSWERS_OPTION = {
  name: 'answers',
  type: 'string',
  value: 'DIR',
  about: 'the folder with the models’ answers, for their length and style',
} as const satisfies Option

/** Counts by model and question. */
export type Metadata = ReadonlyMap<string, JsonObject>
const keyOf = (model: Json | undefined, question: Json | undefined) => JSON.stringify([model, question])

/** Counts of a model's answer to the question of a judgment or battle. */
export const ofAnswer = (metadata: Metadata, model: Json | undefined, item: JsonObject) =>
  metadata.get(keyOf(model, item.uid ?? item.question_id))

export async function metadataOf(files: readonly string[], context: Context): Promise<Metadata> {
  const all = new Map<string, JsonObject>()
  for await (const batch of context.rows(files.map(fileSource)))
    for (const row of batch)
      readAt(row.place, () => {
        const { item } = row.exact()
        const meta = item.metadata ?? item.conv_metadata ?? tokensAlone(item)
        if (isObject(meta)) all.set(keyOf(item.model ?? item.model_id, item.uid ?? item.question_id), meta)
      })
  return all
}

/** Older answers have only the token counts of their turns. */
function tokensAlone(item: JsonObject): JsonObject | undefined {
  const turns = (item.choices as { turns?: { token_len?: number }[] }[] | undefined)?.[0]?.turns
  const tokens = turns?.reduce((sum, { token_len = 0 }) => sum + token_len, 0)
  return tokens === undefined ? undefined : { token_len: tokens }
}

const ELEMENTS = ['header_count', 'list_count', 'bold_count']

/** The counts of both answers, under the names of arena-hard's battles. */
export function bothCounts(a: JsonObject | undefined, b: JsonObject | undefined): JsonObject | undefined {
  if (!a || !b) return undefined
  const meta: JsonObject = {}
  for (const [side, of] of [
    ['a', a],
    ['b', b],
  ] as const) {
    meta[`sum_assistant_${side}_tokens`] = of.token_len ?? null
    for (const element of ELEMENTS) if (of[element] !== undefined) meta[`${element}_${side}`] = of[element]
  }
  return meta
}

/** All .jsonl files below a folder, sorted by path. @throws Fatal (no input) */
export function jsonFiles(folder: string): string[] {
  if (!isFolder(folder)) throw new Fatal(EXIT.noInput, `${folder}: no such folder`)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.jsonl(\.gz)?$/.test(path))
    .sort()
    .map((path) => join(folder, path))
}
