/** A Parquet file of results: one flat line an item, each column of one type, for data frames. */
import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import { Spool } from '../files/spool.ts'
import { getOrInsert } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import type { Json } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { validMember } from './_cells.ts'

/** Lines of a row group. */
const GROUP = 10_000

/** jb's columns, which every file has, and their types. */
const OWN = {
  item: 'STRING',
  judge: 'STRING',
  name: 'STRING',
  model: 'STRING',
  kind: 'STRING',
  decision: 'STRING',
  winner: 'STRING',
  option: 'STRING',
  score: 'DOUBLE',
  score_a: 'DOUBLE',
  score_b: 'DOUBLE',
  std: 'DOUBLE',
  agreement: 'DOUBLE',
  label: 'STRING',
  correct: 'BOOLEAN',
  credit: 'DOUBLE',
  consistent: 'BOOLEAN',
  trials: 'INT32',
  error: 'STRING',
  message: 'STRING',
} as const satisfies Record<string, BasicType>
const OWN_NAMES = Object.keys(OWN) as (keyof typeof OWN)[]

type Cell = string | number | boolean | null
type Kind = 'boolean' | 'integer' | 'number' | 'string'

function ownCells(row: Row): Cell[] {
  const [result, error, trials] = [
    validMember(row, 'result'),
    validMember(row, 'error'),
    validMember(row, 'trials'),
  ]
  const [scoreA, scoreB] = result?.kind === 'pairwise' ? (result.scores ?? []) : []
  const cells: Record<keyof typeof OWN, unknown> = {
    item: validMember(row, 'item'),
    judge: validMember(row, 'judge'),
    name: validMember(row, 'name'),
    model: result?.model ?? trials?.find(({ model }) => model)?.model ?? error?.model,
    kind: result?.kind,
    decision: result?.decision,
    winner: result?.winner,
    option: result?.option,
    score: result?.score,
    score_a: scoreA,
    score_b: scoreB,
    std: result?.std,
    agreement: result?.agreement,
    label: result?.label,
    correct: result?.correct,
    credit: result?.credit,
    consistent: result?.consistent,
    trials: trials?.length,
    error: error?.code,
    message: error?.message,
  }
  return OWN_NAMES.map((name) => {
    const value = cells[name] ?? null
    if (value === null || OWN[name] !== 'STRING') return value as Cell
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

/** A field as a cell: lists, objects, and numbers that JavaScript would round, as their text. */
function userCell(value: Json, jsonText: () => string | undefined): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  const text = jsonText() ?? JSON.stringify(value)
  if (typeof value !== 'number') return text
  return Number.isSafeInteger(value) || (Number.isFinite(value) && /[.e]/i.test(text)) ? value : text
}

const kindOf = (value: string | number | boolean): Kind =>
  typeof value === 'number' ? (Number.isSafeInteger(value) ? 'integer' : 'number') : (typeof value as Kind)

/** The type of a column that holds all of these. */
function typeOf(kinds: ReadonlySet<Kind>): BasicType {
  const [only] = kinds
  if (kinds.size === 1)
    return only === 'boolean'
      ? 'BOOLEAN'
      : only === 'integer'
        ? 'INT64'
        : only === 'number'
          ? 'DOUBLE'
          : 'STRING'
  return kinds.size > 0 && [...kinds].every((kind) => kind === 'integer' || kind === 'number')
    ? 'DOUBLE'
    : 'STRING'
}

const inType = (value: Cell | undefined, type: BasicType): unknown => {
  if (value === null || value === undefined) return null
  if (type === 'INT64') return BigInt(value)
  return type === 'STRING' ? String(value) : value
}

/** Yields the file's bytes, a piece for each group of lines. Lines wait in a temporary file until the columns are known. */
export async function* parquetTable(rows: Rows): AsyncGenerator<Uint8Array> {
  const spool = new Spool()
  try {
    const user = await setAside(rows, spool)
    const free = (name: string): string => (user.has(name) ? free(`jb_${name}`) : name)
    const columns = [
      ...[...user].map(([name, kinds]) => ({ name, type: typeOf(kinds) })),
      ...OWN_NAMES.map((name) => ({ name: free(name), type: OWN[name] })),
    ]
    const group = (piece: number) => {
      const lines =
        piece < 0 ? [] : (JSON.parse(spool.read(piece).toString()) as [Record<string, Cell>, Cell[]][])
      const cell = (place: number, [given, own]: (typeof lines)[number]) =>
        place < user.size ? given[columns[place]!.name] : own[place - user.size]
      return columns.map(({ name, type }, place) => ({
        name,
        type,
        data: lines.map((line) => inType(cell(place, line), type)),
      }))
    }
    const writer = new ByteWriter()
    const file = new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData: group(-1) }) })
    const taken = () => {
      const bytes = writer.getBytes().slice()
      writer.index = 0
      return bytes
    }
    for (let piece = 0; piece < spool.pieces; piece++) {
      await file.write({ columnData: group(piece), rowGroupSize: GROUP })
      yield taken()
    }
    await file.finish()
    yield taken()
  } finally {
    spool.close()
  }
}

/** Keeps the lines, a group a piece. @returns the kinds of values of each of the user's fields */
async function setAside(rows: Rows, spool: Spool): Promise<Map<string, Set<Kind>>> {
  const user = new Map<string, Set<Kind>>()
  let lines: [Record<string, Cell>, Cell[]][] = []
  const keep = () => {
    if (lines.length > 0) spool.add(Buffer.from(JSON.stringify(lines)))
    lines = []
  }
  for await (const batch of rows)
    for (const row of batch) {
      let texts: ReadonlyMap<string, string> | undefined
      const textOf = (name: string) => (texts ??= row.fieldTexts()).get(name)
      const given = Object.entries(row.item).map(
        ([name, value]) => [name, userCell(value, () => textOf(name))] as const,
      )
      for (const [name, value] of given) {
        const kinds = getOrInsert(user, name, () => new Set())
        if (value !== null) kinds.add(kindOf(value))
      }
      lines.push([Object.fromEntries(given), ownCells(row)])
      if (lines.length === GROUP) keep()
    }
  keep()
  return user
}
