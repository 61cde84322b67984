/** jb-view: rows of any stage → one HTML page, or cards for the terminal. */
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { Spool } from '../../files/spool.ts'
import { ignoredOptions } from '../../options/ignored.ts'
import type { Rows } from '../../rows/reader.ts'
import { isObject, usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { reportWarnings } from '../../scoring/run_warnings.ts'
import { collectItems, noteFindings, type ViewData } from './collect.ts'
import { differences, runOverview, wordsInOrder } from './figures.ts'
import { DATA_END, dataBegin, INDEX_END, PAGE_END, pageAssets, pageHead } from './html.ts'
import { PageImages } from './media.ts'
import type { Overview } from './model.ts'
import type { ViewOptions } from './options.ts'

/** The most verdicts and labels that the page offers as choices. */
const WORDS = 50

/** Options without effect on cards. */
const ONLY_PAGE = ['title', 'by', 'media', 'gate']

/** Yields the text of a page, or of cards. */
export const view: Stage<ViewOptions> = async function* (given, options, context) {
  if (options.text) {
    ignoredOptions(ONLY_PAGE, options, 'it is for a page', context)
    const { cards } = await import('./text/cards.ts')
    yield* cards(given, options, context)
  } else yield* page(given, options, context)
}

async function* page(rows: Rows, options: ViewOptions, context: Context): AsyncGenerator<string> {
  if (context.terminal.output)
    throw usageError('a page is not for a terminal: give -o run.html, or --text for cards')
  const assets = pageAssets()
  const spool = new Spool()
  const images = new PageImages(options.media, context.note)
  try {
    const taken = options.media.length > 0 ? images : undefined
    const collected = await collectItems(rows, spool, options, context, taken)
    // No page of an incomplete input.
    if (context.cut()) return
    noteFindings(collected, context.note)
    const overview = { ...overviewOf(collected, options, context), media: images.places }
    yield pageHead(overview.title, overview, assets)
    yield dataBegin('index')
    yield* compressed(jsonPieces(collected.index))
    yield INDEX_END
    for (let i = 0; i < spool.pieces; i++) {
      yield dataBegin(`chunk-${i}`)
      yield spool.read(i).toString('base64')
      yield DATA_END
    }
    for (let i = 0; i < images.spool.pieces; i++) {
      yield dataBegin(`media-${i}`)
      yield images.spool.read(i).toString('latin1')
      yield DATA_END
    }
    yield PAGE_END
  } finally {
    spool.close()
    images.spool.close()
  }
}

/** Entries of a list in one piece. */
const ENTRIES = 2000

/** The JSON of objects and long lists, in pieces to save memory. */
function* jsonPieces(value: unknown): Generator<string> {
  if (Array.isArray(value) && value.length > ENTRIES) {
    for (let from = 0; from < value.length; from += ENTRIES)
      yield `${from === 0 ? '[' : ','}${JSON.stringify(value.slice(from, from + ENTRIES)).slice(1, -1)}`
    yield ']'
  } else if (isObject(value)) {
    let before = '{'
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${before}${JSON.stringify(key)}:`
      yield* jsonPieces(member)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  } else yield JSON.stringify(value)
}

/** Compresses the pieces as one stream, in base64. */
async function* compressed(pieces: Iterable<string>): AsyncGenerator<string> {
  let held = Buffer.alloc(0)
  for await (const part of Readable.from(pieces, { objectMode: false }).pipe(createGzip({ level: 9 }))) {
    held = Buffer.concat([held, part as Buffer])
    // Texts of three bytes each can be joined.
    const whole = held.length - (held.length % 3)
    yield held.toString('base64', 0, whole)
    held = held.subarray(whole)
  }
  yield held.toString('base64')
}

function overviewOf(
  { runs, roles, index, digest }: ViewData,
  options: ViewOptions,
  context: Context,
): Omit<Overview, 'media'> {
  const words = wordsInOrder(index.runs, index.label.words)
  const { ci, gate } = options
  const sums = runs.flatMap((run) => run.sums ?? [])
  const overviews = runs.map((run, i) => ({
    ...runOverview(run, index.runs[i]!, index, { ci, words }),
    narrowing: run.shuffled.narrowing(gate, ci),
    warnings: run.sums ? reportWarnings(run.sums, sums, { ci }) : [],
  }))
  if (gate !== undefined && overviews.every(({ narrowing }) => !narrowing))
    context.note('--gate: no run has items in the order of jb-render --shuffle, from the first on')
  return {
    title:
      options.title ??
      (context.sources.flatMap(({ path }) => path?.replace(/^.*\//, '') ?? []).join(', ') || 'jb-view'),
    version: process.env.JB_BUILD_VERSION ?? 'source',
    digest,
    ci,
    items: index.ids.length,
    rows: index.rowItem.length,
    runs: overviews,
    by: [...new Set(overviews.flatMap(({ groups }) => Object.keys(groups)))],
    differences: differences(runs, index.runs, overviews, ci),
    roles,
    // Scores and free words can be too many to list.
    words: words.length <= WORDS ? words : [],
  }
}
