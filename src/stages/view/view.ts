/** jb-view: rows of any stage → one HTML page, or cards for the terminal. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { Spool } from '../../files/spool.ts'
import { ignoredOptions } from '../../options/ignored.ts'
import type { Rows } from '../../rows/reader.ts'
import { usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { followed } from '../../scoring/followed.ts'
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
const ONLY_PAGE = ['by', 'media', 'gate']

/** How files of reports begin, as they are written and as jq prints them; and their pages. */
const REPORTS = [
  {
    beginning: /^\s*\{\s*"watch"\s*:/,
    page: async (path: string, _: Rows, options: ViewOptions) =>
      (await import('./watch_page.ts')).watchPage(path, options),
  },
  {
    beginning: /^\s*\{\s*"choose"\s*:\s*"(accuracy|balanced)"\s*,\s*"best"\s*:/,
    page: async (path: string, rows: Rows) => (await import('./choice_page.ts')).choicePage(path, rows),
  },
  {
    beginning: /^\s*\{\s*"model"\s*:[^\n]*"top"\s*:\s*\{\s*"of"\s*:\s*\d+\s*,\s*"margin"\s*:/,
    page: async (path: string, rows: Rows) => (await import('./top_page.ts')).topPage(path, rows),
  },
]
/** Bytes by which a report is recognised. */
const START = 4096

/** The only operand, if that is the file of a report. */
function reportIn({ sources: [source, ...more] }: Pick<Context, 'sources'>) {
  const path = source?.path
  if (path === undefined || more.length > 0 || !statSync(path).isFile()) return undefined
  const start = Buffer.alloc(START)
  const file = openSync(path, 'r')
  try {
    const text = start.toString('utf8', 0, readSync(file, start))
    const report = REPORTS.find(({ beginning }) => beginning.test(text))
    return report && { path, page: report.page }
  } finally {
    closeSync(file)
  }
}

/** Yields the text of a page, or of cards. */
export const view: Stage<ViewOptions> = async function* (given, options, context) {
  const report = reportIn(context)
  if (report) {
    if (options.text || context.terminal.output)
      throw usageError('this report is a page: give -o report.html')
    const text = await report.page(report.path, given, options)
    if (!context.cut()) yield text
    return
  }
  if (options.text) {
    ignoredOptions(ONLY_PAGE, options, 'it is for a page', context)
    const { cards } = await import('./text/cards.ts')
    const { rows, options: settings } = await followed(given, options, context)
    yield* cards(rows, settings, context)
  } else yield* page(given, options, context)
}

async function* page(given: Rows, asked: ViewOptions, context: Context): AsyncGenerator<string> {
  if (context.terminal.output)
    throw usageError('a page is not for a terminal: give -o run.html, or --text for cards')
  const { rows, options } = await followed(given, asked, context)
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
    yield gzipSync(JSON.stringify(collected.index)).toString('base64')
    yield INDEX_END
    for (let i = 0; i < spool.pieces; i++) {
      yield dataBegin(`chunk-${i}`)
      yield spool.read(i).toString('base64')
      yield DATA_END
    }
    for (let i = 0; i < images.spool.pieces; i++) {
      yield dataBegin(`media-${i}`)
      yield images.spool.read(i).toString()
      yield DATA_END
    }
    yield PAGE_END
  } finally {
    spool.close()
    images.spool.close()
  }
}

function overviewOf(
  { runs, roles, index, copies, digest }: ViewData,
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
    title: context.sources.flatMap(({ path }) => path?.replace(/^.*\//, '') ?? []).join(', ') || 'jb-view',
    version: process.env.JB_BUILD_VERSION ?? 'source',
    digest,
    ci,
    items: index.ids.length - copies,
    ...(copies > 0 && { copies }),
    rows: index.rowItem.length,
    runs: overviews,
    by: [...new Set(overviews.flatMap(({ groups }) => Object.keys(groups)))],
    differences: differences(runs, index.runs, overviews, ci),
    roles,
    // Scores and free words can be too many to list.
    words: words.length <= WORDS ? words : [],
  }
}
