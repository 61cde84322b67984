/**
 * Logs of inspect_ai (0.3, log/_log.py and log/_recorders/eval.py): `.eval`, a zip with a member a sample, or `.json`. A row
 * is a sample in an epoch.
 */
import { isUtf8 } from 'node:buffer'
import type { Entry } from 'yauzl'
import { messagesOf } from '../chat/message.ts'
import { finalText } from '../chat/select.ts'
import { isFolder } from '../files/folder.ts'
import { someNames } from '../options/nearest.ts'
import { NaNQuoter, withoutNaN } from '../python/json.ts'
import { exactJson, writtenJson } from '../rows/exact_json.ts'
import { append } from '../rows/maps.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { EXIT, Fatal, isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { BadRow, Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { inPlaceOf, recordedRow, rowsMade } from './_bad_rows.ts'
import type { Format, FormatOptions } from './_format.ts'
import { LARGEST_MEMBER, onDisk, Zip } from './_zip.ts'
import { elementRows } from './json.ts'

export const format: Format = {
  about: 'inspect_ai logs (.eval, .json) → a row a sample and epoch, with its messages',
  readOptions: [
    { name: 'whole', type: 'boolean', about: 'keep all of a sample: events, store, timelines, usage, …' },
  ],
  async *read(sources, options, context) {
    const logs: Log[] = []
    try {
      for (const [place, source] of sources.entries()) logs.push(await logOf(source, place, context))
      const models = new Set(logs.flatMap(({ run }) => run?.model ?? []))
      if (models.size > 1)
        context.note(
          `the logs are of ${models.size} models: the model is part of each id (${someNames([...models].map(String))}); jb-compare --run model --id sample compares them`,
        )
      for (const group of retriesOf(logs)) {
        yield* samplesOf(group, { ...options, withModel: models.size > 1 }, context)
        if (context.stop.aborted) return
      }
    } finally {
      for (const { file } of logs) file.remove()
    }
  },
}

/** The samples of a log and of those that it is a retry of: of one that several have the latest. */
async function* samplesOf(group: readonly Log[], options: FormatOptions, context: Context): Rows {
  const seen = new Set<string>()
  for (const log of group) {
    let before = 0
    for await (const batch of rowsOf(log, options, context)) {
      const rows = group.length === 1 ? batch : batch.filter((row) => isNew(row, seen))
      before += batch.length - rows.length
      if (rows.length > 0) yield rows
      if (context.stop.aborted) return
    }
    if (before > 0)
      context.note(`${before} of its samples are in a later log of this task too: the later ones count`, {
        file: log.source.name,
      })
  }
}

interface Log {
  source: Source
  file: Awaited<ReturnType<typeof onDisk>>
  isZip: boolean
  /** What it says of its run; undefined if that cannot be read, which is told in its turn. */
  run: JsonObject | undefined
  /** Its place among the files given. */
  place: number
}

async function logOf(source: Source, place: number, context: Context): Promise<Log> {
  const { path, name } = source
  if (path !== undefined && isFolder(path)) throw new Fatal(EXIT.noInput, `${name}: is a directory`)
  const file = await onDisk(source)
  const log = { source, file, isZip: await isZip(file.source), place }
  const run = (log.isZip ? archivedRun(file.path, name) : documentRun(quoted(file.source), context)).catch(
    (error: unknown) => {
      if (error instanceof Fatal) return undefined
      throw error
    },
  )
  return { ...log, run: await run }
}

/**
 * The logs that are of one task and model, and of the same run or its retries (`task_id`), together in the place of the first:
 * the latest first.
 */
function retriesOf(logs: readonly Log[]): Log[][] {
  const groups = new Map<string, Log[]>()
  for (const log of logs) {
    const { task, model, task_id } = log.run ?? { task_id: log.place }
    append(groups, JSON.stringify([task, model, task_id]), log)
  }
  const time = ({ run }: Log) => Date.parse(String(run?.created)) || 0
  for (const group of groups.values()) group.sort((a, b) => time(b) - time(a) || b.place - a.place)
  return [...groups.values()]
}

/** Whether no later log has the sample; what could not be read is always new. */
function isNew(row: Row, seen: Set<string>): boolean {
  if (row.has('raw')) return true
  const id = JSON.stringify([row.field('id'), row.field('epoch')])
  return seen.size !== seen.add(id).size
}

function rowsOf({ file, source, isZip }: Log, options: FormatOptions, context: Context): Rows {
  return isZip
    ? archived(file.path, source.name, options, context)
    : document(quoted(file.source), options, context)
}

async function isZip(source: Source): Promise<boolean> {
  for await (const chunk of source.open() as AsyncIterable<Buffer>)
    return chunk.toString('latin1', 0, 2) === 'PK'
  return false
}

/** The source with NaN in quotes, as Python's JSON has it where a sample was not scored. */
function quoted(source: Source): Source {
  const { Readable } = process.getBuiltinModule('node:stream')
  async function* pieces() {
    const quoter = new NaNQuoter()
    // A byte is a character here: what is looked for is ASCII.
    for await (const chunk of source.open() as AsyncIterable<Buffer>)
      yield Buffer.from(quoter.take(chunk.toString('latin1'), false), 'latin1')
    yield Buffer.from(quoter.take('', true), 'latin1')
  }
  return { ...source, open: () => Readable.from(pieces()) }
}

/** What the log says of its run. @throws Fatal (data) */
async function documentRun(source: Source, context: Context): Promise<JsonObject> {
  for await (const [row] of elementRows([source], { at: 'eval', badRows: 'stop' }, context))
    return row?.item ?? {}
  return {}
}

async function* document(source: Source, options: FormatOptions, context: Context): AsyncGenerator<Row[]> {
  const run = await documentRun(source, context)
  yield* elementRows([source], { ...options, at: 'samples' }, context, (text, file, line) =>
    rowsMade(Row.read(text, file, line), (row) => sampleRow(row, run, options)),
  )
}

/** A sample's member, however deep its id is. */
const SAMPLE = /^samples\/.+\.json$/

async function* archived(
  path: string,
  name: string,
  options: FormatOptions,
  context: Context,
): AsyncGenerator<Row[]> {
  const zip = await Zip.open(path, name)
  try {
    const run = await runIn(zip, name)
    let line = 0
    for (const [title, member] of zip.members) {
      line++
      if (!SAMPLE.test(title)) continue
      let text = ''
      try {
        text = await textOf(zip, member)
        yield rowsMade(Row.read(text, name, line), (row) => sampleRow(row, run, options))
      } catch (error) {
        if (!(error instanceof BadRow || error instanceof RangeError)) throw error
        const message = `member ${title}: ${error.message}`
        yield inPlaceOf({ text, message, file: name, line }, options, context)
      }
      if (context.stop.aborted) return
    }
  } finally {
    zip.close()
  }
}

/** @throws RangeError */
async function textOf(zip: Zip, member: Entry): Promise<string> {
  const bytes = await zip.read(member)
  if (!isUtf8(bytes)) throw new RangeError('not UTF-8')
  return withoutNaN(bytes.toString('utf8'))
}

async function archivedRun(path: string, name: string): Promise<JsonObject> {
  const zip = await Zip.open(path, name)
  try {
    return await runIn(zip, name)
  } finally {
    zip.close()
  }
}

/** What the log says of its run: in its header, or, after a crash, in what was written first. @throws Fatal (data) */
async function runIn(zip: Zip, name: string): Promise<JsonObject> {
  for (const header of ['header.json', '_journal/start.json']) {
    const member = zip.members.get(header)
    if (!member) continue
    try {
      const { eval: run } = JSON.parse(await textOf(zip, member))
      if (isObject(run)) return run
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof SyntaxError)) throw error
    }
  }
  throw new Fatal(EXIT.data, `${name}: no inspect_ai log: it has no header.json that can be read`)
}

/** Keys of a sample that a row has in another form, or only with --whole. */
const TAKEN = new Set([
  'id',
  'epoch',
  'messages',
  'target',
  'choices',
  'scores',
  'metadata',
  'output',
  'error',
  'limit',
  'attachments',
])

function sampleRow(row: Row, run: JsonObject, { whole, withModel }: FormatOptions): Row {
  const sample = row.item
  const { id, epoch = 1, target, choices, scores, metadata, error, limit } = sample
  if ((typeof id !== 'string' && typeof id !== 'number') || !('messages' in sample || 'input' in sample))
    throw new RowFailure('bad_record', 'no sample of inspect_ai: it has no id, or no messages')
  const messages = Array.isArray(sample.messages) ? sample.messages : askedIn(sample.input)
  const more = whole ? Object.fromEntries(Object.entries(sample).filter(([key]) => !TAKEN.has(key))) : {}
  const tools = toolsIn(sample.events)
  const epochsOf = [run.task, ...(withModel ? [run.model] : []), id].join('/')
  const made = {
    id: `${epochsOf}/${epoch}`,
    task: run.task ?? null,
    model: run.model ?? null,
    sample: id,
    epoch,
    epochs_of: epochsOf,
    messages,
    ...(tools.length > 0 && { tools }),
    ...(sample.input !== undefined && { question: sample.input }),
    answer: answerOf(sample.output, messages),
    ...(target !== undefined && { target }),
    ...(choices !== undefined && choices !== null && { choices }),
    scores: isObject(scores)
      ? Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, Object(score).value ?? null]))
      : {},
    ...(metadata !== undefined && { metadata }),
    ...(isObject(limit) && { limit: limit.type ?? 'limit' }),
    ...more,
  }
  const why = isObject(error) ? (error.message ?? 'failed') : error
  return recordedRow(attached(made, sample.attachments) as JsonObject, why, row)
}

/** The tools that the model was given in any of its calls, once each. */
function toolsIn(events: Json | undefined): Json[] {
  const tools = new Map<Json | undefined, Json>()
  for (const event of Array.isArray(events) ? events.filter(isObject) : [])
    if (event.event === 'model' && Array.isArray(event.tools))
      for (const tool of event.tools) if (isObject(tool) && !tools.has(tool.name)) tools.set(tool.name, tool)
  return [...tools.values()]
}

const askedIn = (input: Json | undefined): Json[] =>
  Array.isArray(input) ? input : input === undefined ? [] : [{ role: 'user', content: input }]

/** The model's last text: its completion, else its message, else the last of the conversation. */
function answerOf(output: Json | undefined, messages: readonly Json[]): string {
  const { completion, choices } = isObject(output) ? output : {}
  if (typeof completion === 'string') return completion
  const first = Array.isArray(choices) ? choices[0] : undefined
  const message = isObject(first) ? first.message : undefined
  return finalText(messagesOf(message ? [message] : messages))
}

/**
 * The value with the texts that it refers to: `attachment://HASH`, a key of the sample's `attachments`.
 * @throws RangeError if they make more than a member may have
 */
function attached(value: Json, attachments: Json | undefined): Json {
  if (!isObject(attachments)) return value
  let length = 0
  const found = (mark: string, hash: string): string => {
    const text = Object.hasOwn(attachments, hash) ? attachments[hash] : undefined
    if (typeof text !== 'string') return mark
    length += text.length
    if (length > LARGEST_MEMBER)
      throw new RangeError('its attachments are named so often that it is too long')
    return JSON.stringify(text).slice(1, -1)
  }
  const json = writtenJson(value)
  if (!json.includes('attachment://')) return value
  return exactJson(json.replace(/attachment:\/\/(\w+)/g, found))
}
