/** Where the topics are if the command line does not say. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readText } from '../../files/text.ts'
import { isObject } from '../../rows/record.ts'

/**
 * The topics of a data set's folder: those that a README.md in or above a response's folder names (`ir_dataset: directory:`), as
 * AutoJudge finds them; else topics.jsonl beside the folder of the runs. Undefined if there are none.
 */
export async function topicsBeside(
  responses: string | undefined,
  files: readonly string[],
): Promise<string | undefined> {
  if (responses === undefined) return undefined
  const folders = new Set(files.flatMap((file) => above(dirname(file))))
  for (const folder of folders) {
    const directory = await directoryIn(join(folder, 'README.md'))
    if (directory !== undefined) return join(folder, directory)
  }
  return [join(dirname(responses), 'topics.jsonl'), join(responses, 'topics.jsonl')].find((path) =>
    existsSync(path),
  )
}

/** A folder, and the two above it. */
const above = (folder: string) => [folder, join(folder, '..'), join(folder, '../..')]

/** `ir_dataset.directory` of a README's front matter. */
async function directoryIn(readme: string): Promise<string | undefined> {
  if (!existsSync(readme)) return undefined
  const [, matter] = /^---\n(.*?\n)---\s/s.exec(readText(readme)) ?? []
  const { parse } = await import('yaml')
  let data: unknown
  try {
    data = parse(matter ?? '')
  } catch {
    return undefined
  }
  const dataset = isObject(data) && isObject(data.ir_dataset) ? data.ir_dataset.directory : undefined
  return typeof dataset === 'string' ? dataset : undefined
}
