/** Runs a stage in this process, as its command would: options by its table, files as operands, stdin as text. */
import { Readable } from 'node:stream'
import { openSources } from '../../src/files/files.ts'
import type { FilterSpec } from '../../src/options/option.ts'
import { getOrInsert } from '../../src/rows/maps.ts'
import { readRows, type Source } from '../../src/rows/reader.ts'
import type { Row } from '../../src/rows/row.ts'
import type { Context, Stage } from '../../src/rows/stage.ts'
import { operandsOf, type Parsed, parseArguments } from '../../src/run/arguments.ts'
import { pieces } from './ran.ts'

interface Staged {
  text: string
  notes: string[]
  /** What ends the command with another exit code. */
  ending?: { code: number; message: string }
}

/** @throws Fatal as the stage does */
export async function staged(
  spec: FilterSpec,
  // biome-ignore lint/suspicious/noExplicitAny: the options' type is the stage's own affair
  stage: Stage<any>,
  args: string[],
  stdin = '',
): Promise<Staged> {
  const parsed = await parsedOnce(spec, args)
  const { options } = parsed
  const { positional, files } = operandsOf(spec, parsed, true)
  const ran: Staged = { text: '', notes: [] }
  const stop = new AbortController().signal
  const note: Context['note'] = (message) => ran.notes.push(message)
  const rows = (from: Source[]) =>
    readRows(from, {
      badRows: 'stop',
      stage: 'score',
      signal: stop,
      onBadRow: (message) => note(message),
    })
  const sources = openSources(files, () => Readable.from(pieces(stdin)), undefined, spec.namedFiles)
  // In a test stdin is the text, whatever this process's own is.
  if (files.length === 0) sources[0] = { name: '(stdin)', open: () => Readable.from(pieces(stdin)) }
  const context: Context = {
    stage: spec.name.slice('jb-'.length) as Context['stage'],
    positional,
    sources,
    rows,
    env: {},
    stop,
    cut: () => false,
    note,
    badRow: (message) => note(message),
    finish: (code, message) => {
      ran.ending ??= { code, message }
    },
    summary: (words) => note(words()),
    progress() {},
    terminal: { output: false, color: false },
  }
  const parts: string[] = []
  const write = (row: Row) => row.write({ text: (text) => parts.push(text) })
  for await (const batch of stage(spec.input === 'files' ? nothing() : rows(sources), options, context)) {
    if (typeof batch === 'string') parts.push(batch)
    else if (batch instanceof Uint8Array) parts.push(Buffer.from(batch).toString())
    else for (const row of batch) write(row)
  }
  ran.text = parts.join('')
  return ran
}

const known = new Map<string, Promise<Parsed>>()

/** Property tests run the same command line a thousand times. */
function parsedOnce(spec: FilterSpec, args: string[]): Promise<Parsed> {
  const line = [spec.name, ...args].join('\0')
  return getOrInsert(known, line, () => parseArguments(spec, args, {}))
}

async function* nothing(): AsyncGenerator<Row[]> {}

/** The objects of NDJSON. */
// biome-ignore lint/suspicious/noExplicitAny: reports hold whatever their stage says
export const objects = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
