/**
 * Loads the criteria that `--criteria` names:
 *
 * - `conciseness`: a criterion of the catalogue in this folder
 * - `metrics.llm_as_judge.direct.criteria.conciseness`, or its last part: a criterion of Unitxt's catalogue, a folder that
 *   `--catalog` names
 * - `rubric.yaml`, `.json`, `.jsonl`: all criteria of the file; `rubric.yaml#tone`: the one with that name or id
 * - `@FIELD`: the criteria in a field of the item; `rubric.yaml#@FIELD`: the one of the file that the field names
 * - several words: a question with the answers Yes (1) and No (0)
 */
import { existsSync, readdirSync } from 'node:fs'
import { Catalogue, readData } from '../files/data.ts'
import { objectsOf } from '../files/objects.ts'
import { readText } from '../files/text.ts'
import { didYouMean, someNames } from '../options/nearest.ts'
import { type Criterion, configError, EXIT, Fatal, type Json, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { criteriaIn } from './_criterion.ts'
import { checkedTogether } from './_multi.ts'

/** The criteria that come with the toolkit. */
export const BUILTIN_CRITERIA = new Catalogue('criteria')

const FILE = /\.(ya?ml|json|jsonl|ndjson)$/i

/** Criteria, and the names that select them. */
interface Entry {
  names: string[]
  criteria: Criterion[]
}

/** Returns an item's criteria, checked. `fixed`: they are the same for every item. */
export interface CriteriaSource {
  fixed?: Criterion[]
  of(row: Row): Criterion[]
}

/** The criterion with that name in the catalogue. */
export const catalogued = async (name: string): Promise<Criterion> =>
  criteriaIn(await BUILTIN_CRITERIA.data(name), name)[0]!

/**
 * The criteria that `--criteria` names, in order.
 * @param check refuses criteria that the judge cannot use
 * @param catalog the folder of Unitxt's catalogue
 * @throws Fatal (configuration)
 */
export async function loadCriteria(
  texts: string[],
  check: (criteria: Criterion[], where: string) => Criterion[],
  { compat, catalog }: { compat?: string | undefined; catalog?: string | undefined } = {},
): Promise<CriteriaSource> {
  const listed = await entriesOfCatalogues(catalog)
  const parts = await Promise.all(texts.map((text) => partOf(text, listed)))
  const where = texts.length === 1 ? shortened(texts[0]!) : '--criteria'
  const complete = (found: Found[]) => {
    const criteria = found.flatMap((one) => one.criteria)
    if (criteria.length === 0) throw configError(`${where}: no criterion in it (an empty list or file)`)
    const listed = found.some((one) => one.listed)
    return checkedTogether(check(criteria, where), where, compat, listed)
  }
  if (parts.every((part) => typeof part !== 'function')) {
    const fixed = complete(parts)
    return { fixed, of: () => fixed }
  }
  const known = new Map<string, Criterion[]>()
  return {
    of(row) {
      const found = parts.map((part) => (typeof part === 'function' ? part(row) : part))
      const key = JSON.stringify(found)
      let criteria = known.get(key)
      if (!criteria) {
        criteria = asRowFailure(() => complete(found))
        if (known.size < 1000) known.set(key, criteria)
      }
      return criteria
    },
  }
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** Turns an error in an item's own criterion into the failure of its row. */
function asRowFailure<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof Fatal ? new RowFailure('missing_field', error.message) : error
  }
}

/** The file that a value of `--criteria` names, and the name of a criterion in it; undefined if it names no file. */
export function criteriaFile(text: string): { path: string; name: string | undefined } | undefined {
  const hash = text.lastIndexOf('#')
  const cut = hash > 0 && FILE.test(text.slice(0, hash))
  const path = cut ? text.slice(0, hash) : text
  // A question may end in a file's name.
  const mayBeText = /\s/.test(path) && !/^\.{0,2}\//.test(path) && !existsSync(path)
  if (!FILE.test(path) || mayBeText) return undefined
  return { path, name: cut ? text.slice(hash + 1) : undefined }
}

/** The criteria of one `--criteria`; `listed`: they are a list in JSON or YAML. */
interface Found {
  criteria: Criterion[]
  listed: boolean
}

type Part = Found | ((row: Row) => Found)

const alone = (criteria: Criterion[]): Found => ({ criteria, listed: false })

/** Where Unitxt's catalogue has criteria, and how their ids begin. */
const UNITXT = ['direct', 'pairwise'].map((kind) => `metrics/llm_as_judge/${kind}/criteria`)

/** An id in Unitxt's catalogue: the path of its file. */
const UNITXT_ID = /^metrics(\.[\w-]+)+$/

/** The criteria that have a name: those of Unitxt's catalogue, if its folder is given, before those that come with jb. */
async function entriesOfCatalogues(catalog: string | undefined): Promise<Entry[]> {
  const entries: Entry[] = []
  const folders = catalog === undefined ? [] : UNITXT.filter((folder) => existsSync(`${catalog}/${folder}`))
  if (catalog !== undefined && folders.length === 0)
    throw configError(
      `catalogue ${catalog}: there is no ${UNITXT[0]} in it (Unitxt's catalogue is the folder "catalog" of its package)`,
    )
  for (const folder of folders)
    for (const file of readdirSync(`${catalog}/${folder}`).sort()) {
      if (!file.endsWith('.json')) continue
      const name = file.slice(0, -'.json'.length)
      const path = `${catalog}/${folder}/${file}`
      entries.push({
        names: [`${folder.replaceAll('/', '.')}.${name}`, name],
        criteria: criteriaIn(await readData(path), path),
      })
    }
  const known = new Set(entries.flatMap(({ names }) => names))
  for (const name of BUILTIN_CRITERIA.names())
    if (!known.has(name)) entries.push({ names: [name], criteria: [await catalogued(name)] })
  return entries
}

async function partOf(text: string, catalogues: Entry[]): Promise<Part> {
  if (/^@\S+$/.test(text)) return fromField(text.slice(1), catalogues, 'the catalogue', true)
  const file = criteriaFile(text)
  if (file) {
    const { path, name } = file
    const { entries, listed } = await readFile(path)
    if (name === undefined) return { criteria: entries.flatMap(({ criteria }) => criteria), listed }
    return name.startsWith('@')
      ? fromField(name.slice(1), entries, path, false)
      : alone(named(name, entries, path))
  }
  if (catalogues.some(({ names }) => names.includes(text)))
    return alone(named(text, catalogues, '--criteria'))
  const spelt = text.trim().toLowerCase().replaceAll(' ', '_')
  if (spelt !== text && BUILTIN_CRITERIA.has(spelt))
    throw configError(`--criteria ${text}: no such criterion: did you mean ${spelt}?`)
  // A question has a space or ends with a question mark; anything else is a name.
  if (/\s|[?？]$/.test(text.trim())) return alone(criteriaIn(text, '--criteria'))
  const names = catalogues.flatMap((one) => one.names)
  const hint = existsSync(text)
    ? ': this file has another ending'
    : UNITXT_ID.test(text) && !catalogues.some(({ names }) => UNITXT_ID.test(names[0]!))
      ? " here: it is an id in Unitxt's catalogue, whose folder --catalog DIR names"
      : didYouMean(text, names)
  throw configError(
    `--criteria ${text}: no such criterion${hint} (jb-render --list-criteria shows all; a file ends in .yaml, .json or .jsonl; a question has more than one word)`,
  )
}

/** Criteria from a field of the item: a criterion, a list of criteria, a name of one in `entries`, or a question. */
function fromField(field: string, entries: Entry[], where: string, questions: boolean): Part {
  const read = (value: Json, place: string): Criterion[] => {
    if (Array.isArray(value)) return value.flatMap((one) => read(one, place))
    if (typeof value !== 'string') return criteriaIn(value, place)
    return questions && /\s/.test(value.trim()) ? criteriaIn(value, place) : named(value, entries, where)
  }
  return (row) => {
    const value = row.field(field)
    if (value === undefined || value === null)
      throw new RowFailure('missing_field', `field "${field}" is missing: it should hold the item's criteria`)
    const criteria = asRowFailure(() => read(value, `field "${field}"`))
    return { criteria, listed: Array.isArray(value) }
  }
}

/** The criteria with that name. A direct and a pairwise one may share it: the judge uses the one that suits it. */
function named(name: string, entries: Entry[], where: string): Criterion[] {
  const found = entries.filter(({ names }) => names.includes(name))
  if (found.length > 0) return found.flatMap(({ criteria }) => criteria)
  const names = entries.flatMap(({ names }) => names.slice(-1))
  const hint = didYouMean(name, names, ` (there are: ${someNames(names)})`)
  throw configError(`${where}: no criterion "${name}"${hint}`)
}

async function readFile(path: string): Promise<{ entries: Entry[]; listed: boolean }> {
  if (!existsSync(path)) throw configError(`--criteria ${path}: no such file`)
  if (!/\.(jsonl|ndjson)$/i.test(path)) {
    const value = await readData(path)
    return { entries: entriesOf(value, path), listed: Array.isArray(value) }
  }
  const objects = await objectsOf(readText(path, EXIT.config), path, EXIT.config)
  return { entries: objects.flatMap(({ object, place }) => entriesOf(object, place)), listed: false }
}

function entriesOf(value: unknown, where: string): Entry[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => entriesOf(one, `${where}[${index}]`))
  const criteria = criteriaIn(value, where)
  const id = (value as { id?: unknown } | null)?.id
  const names = criteria.map(({ name }) => name)
  return [{ names: typeof id === 'string' ? [id, id.split('.').at(-1)!, ...names] : names, criteria }]
}
