/** Reads all rows: compresses them to a spool, and keeps columns of their figures in memory. */

import { createHash } from 'node:crypto'
import type { Spool } from '../../files/spool.ts'
import { noteUnread } from '../../formats/_marks.ts'
import { mappedFields } from '../../options/option.ts'
import { ID_FIELDS, itemId } from '../../rows/item_id.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, validRows } from '../../rows/stage.ts'
import { type ItemResult, itemResult, repliesApart } from '../../scoring/item_result.ts'
import { scoreSettings } from '../../scoring/kind.ts'
import { Ledger } from '../../scoring/ledger.ts'
import { onResults } from '../../scoring/options.ts'
import { Report } from '../../scoring/report.ts'
import { isProbe } from '../../scoring/rows.ts'
import { identityOf } from '../../scoring/run_identity.ts'
import type { RunSums } from '../../scoring/run_sums.ts'
import { Chunks } from './chunks.ts'
import { Facets, NumberColumn, WordColumn } from './columns.ts'
import type { PageImages } from './media.ts'
import type { Index, Roles } from './model.ts'
import type { ViewOptions } from './options.ts'
import { cutText } from './page/cut_text.ts'
import { checkMappedNames, rolesOf } from './roles.ts'
import { modelOf, ViewRun, withoutModelless } from './runs.ts'
import { answerLength, itemTitle } from './titles.ts'
import { answerWord } from './verdict_word.ts'

export interface ViewData {
  runs: ViewRun[]
  roles: Roles
  index: Index
  /** How many of the items are copies with a change (jb-render --probe), which no figure counts. */
  copies: number
  /** SHA-256 of all rows, 16 hexadecimal digits. */
  digest: string
  /** Fields that options name and no row has. */
  absent: string[]
}

/**
 * Reads all rows. A run's figures are those of jb-aggregate.
 * @param spool takes the compressed rows @param images takes those that rows name
 */
export async function collectItems(
  rows: Rows,
  spool: Spool,
  options: ViewOptions,
  context: Context,
  images?: PageImages,
): Promise<ViewData> {
  checkMappedNames(options.map, context)
  const chunks = new Chunks(spool)
  const settings = {
    ...options,
    reads: ['confidence', 'probabilities', 'said'],
    partOf: options.byFile ? (row: Row) => row.file : undefined,
    // Its --label names a field that is shown.
    onResult: onResults({ ...options, label: undefined }, context),
  }
  const note: Context['note'] = (message, where) => {
    if (where?.kind === 'conflict item again') context.note(message, where)
    if (where?.kind === 'same item again')
      context.note(`${message} (--by-file keeps the runs of different files apart)`, where)
  }
  const collector = new Collector(
    chunks,
    new Ledger(await scoreSettings(settings), { stage: context.stage, note }),
    options,
    context.env,
    images,
  )
  for await (const batch of validRows(noteUnread(rows, context), context)) await collector.take(batch)
  await chunks.end()
  return collector.finish()
}

/** Reports fields of options that no row has. */
export function noteFindings({ absent, index, roles }: ViewData, note: Context['note']): void {
  if (index.ids.length === 0) note('there is no item in the input')
  else if (absent.length > 0) note(`no row has the field ${absent.join(', ')}`)
  else if ([roles.question ?? [], roles.answers, roles.shown].flat().length === 0)
    note('no field has a usual name of a question or an answer: --map question=FIELD --map answer=FIELD')
}

/** The most runs of a page: each has a place for every item. */
const MOST_RUNS = 500

class Collector {
  roles: Roles | undefined
  private readonly items = new Map<string, number>()
  private readonly hashes: string[] = []
  private readonly titles: string[] = []
  private readonly labels = new WordColumn()
  private readonly lengths = new NumberColumn()
  private readonly facets = new Facets()
  private copies = 0
  private readonly rowItem: number[] = []
  private readonly rowRun: number[] = []
  private readonly runs = new Map<string, ViewRun>()
  private readonly runPlace = new Map<ViewRun, number>()
  private readonly hash = createHash('sha256')
  private readonly wanted: ReadonlySet<string> | undefined
  private readonly absent: Set<string>
  private readonly chunks: Chunks
  private readonly ledger: Ledger
  private readonly options: ViewOptions
  private readonly env: Context['env']
  private readonly images: PageImages | undefined

  constructor(
    chunks: Chunks,
    ledger: Ledger,
    options: ViewOptions,
    env: Context['env'],
    images?: PageImages,
  ) {
    this.env = env
    this.images = images
    this.chunks = chunks
    this.ledger = ledger
    this.options = options
    this.wanted = options.item.length > 0 ? new Set(options.item) : undefined
    this.absent = new Set([...mappedFields(options.map).values(), ...options.by, options.label ?? []].flat())
  }

  /** Takes those of the rows that are wanted, to be shown and counted. */
  async take(batch: readonly Row[]): Promise<void> {
    this.roles ??= batch[0] && (await rolesOf(batch[0], this.options, this.env))
    for (const row of batch) {
      if (this.wanted && !this.wanted.has(idOf(row))) continue
      this.add(row)
      if (row.has('verdict') || row.has('result') || row.has('error')) this.ledger.add(row)
      await this.chunks.room()
    }
  }

  private add(row: Row): void {
    const id = idOf(row)
    const text = row.itemText()
    // A longer slice would keep its parent string in memory.
    const hash = createHash('sha256').update(text).digest().toString('latin1', 0, 12)
    const known = this.items.get(id)
    const index = known ?? this.introduce(id, row, hash)
    const jb = row.jbText()
    this.hash.update(jb).update(hash, 'latin1')
    const same = known !== undefined && this.hashes[index] === hash
    this.chunks.add(same ? '' : text, jb)
    if (!same) this.images?.add(row, fieldsOf(this.roles!))
    this.rowItem.push(index)
    const run = this.runOf(row)
    this.rowRun.push(run ? this.runPlace.get(run)! : -1)
    if (run && !isProbe(row)) run.note(row, index)
  }

  /** Adds a new item to the columns of the list. @returns its index */
  private introduce(id: string, row: Row, hash: string): number {
    const index = this.items.size
    this.items.set(id, index)
    this.hashes.push(hash)
    if (isProbe(row)) this.copies++
    const item = row.item
    for (const field of this.absent) if (row.field(field) !== undefined) this.absent.delete(field)
    const { question, answers, label, shown } = this.roles!
    const shows = [question, ...shown, ...answers].find((field) => field !== undefined)
    this.titles.push(itemTitle(shows === undefined ? undefined : row.field(shows), item))
    const truth = label === undefined ? undefined : row.field(label)
    if (truth !== undefined && truth !== null && typeof truth !== 'object')
      this.labels.set(index, cutText(String(truth), 40))
    if (answers.length === 2) {
      const [a, b] = answers.map((field) => answerLength(row.field(field)))
      if (a !== undefined && b !== undefined) this.lengths.set(index, a - b)
    }
    const except = [question, label, ...answers, ...shown, ...ID_FIELDS]
    this.facets.add(index, item, new Set(except.filter((name) => name !== undefined)))
    return index
  }

  private runOf(row: Row): ViewRun | undefined {
    const identity = { ...identityOf(row, modelOf(row)), file: this.options.byFile ? row.file : undefined }
    const named = identity.judge !== undefined || identity.model !== undefined
    if (!named && !row.has('trial') && !row.has('result') && !row.has('error')) return undefined
    return this.run(identity)
  }

  private run(identity: ViewRun['identity']): ViewRun {
    return getOrInsert(this.runs, JSON.stringify(Object.values(identity)), () => {
      if (this.runs.size === MOST_RUNS)
        throw new Fatal(
          EXIT.data,
          `more than ${MOST_RUNS} runs, a judge with a model each: a page shows them beside each other (jq 'select(.jb.reply.model == "…")' takes one)`,
        )
      const run = new ViewRun(identity)
      this.runPlace.set(run, this.runPlace.size)
      return run
    })
  }

  /** Adds what each item came to, to its run. */
  private count(): void {
    const { ledger } = this
    const report = Report.of(ledger, this.options)
    const runs = new Map(report.runs.map((sums) => [sums.identity, this.runLike(sums)]))
    for (const { items, identity } of ledger.runs.values())
      for (const [id, item] of items)
        this.countItem(runs.get(identity)!, this.items.get(id)!, itemResult(item))
  }

  /** The run that rows named, with its sums. */
  private runLike(run: RunSums): ViewRun {
    const { part, ...identity } = run.identity
    const { judge, judge_digest, name, model, variant } = identity
    const found = this.run({ judge, judge_digest, name, model, variant, file: part })
    found.sums = run
    return found
  }

  private countItem({ cells, shuffled }: ViewRun, index: number, item: ItemResult): void {
    cells.addCosts(index, item)
    shuffled.add(index, item)
    const { result, trials, failure, isGiven } = item
    if (!result) {
      const { code, message, error } = failure!
      cells.error.set(index, code)
      // An error of a trial stands there.
      if (!error || isGiven) {
        const places = error ? undefined : repliesApart(item.item)
        cells.why.set(index, places ? `${message}: ${places}` : message)
      }
      return
    }
    cells.addResult(index, result, trials)
    // The result has the label of the field of --label.
    const label = result.label_option ?? result.label
    const truth = result.kind === 'listwise' ? answerWord(label) : label
    if (typeof truth === 'string' || typeof truth === 'number') this.labels.set(index, String(truth))
  }

  /** @throws Fatal (bad data) if an item of --item is missing */
  finish(): ViewData {
    this.count()
    const missing = this.options.item.filter((id) => !this.items.has(id))
    if (missing.length > 0) throw new Fatal(EXIT.data, `no item ${missing.join(', ')} in these rows`)
    const items = this.items.size
    const { groups, numbers } = this.facets.finish(items)
    const length = this.lengths.finish(items)
    if (length.some((one) => one !== null)) numbers.length_difference = length
    const { runs, places } = withoutModelless([...this.runs.values()])
    for (const [row, place] of this.rowRun.entries()) if (place >= 0) this.rowRun[row] = places[place]!
    for (const run of runs)
      run.ambiguous = runs.some((other) => other !== run && other.plainName === run.plainName)
    return {
      runs,
      roles: this.roles ?? { answers: [], shown: [] },
      index: {
        ids: [...this.items.keys()],
        titles: this.titles,
        label: this.labels.finish(items),
        groups,
        numbers,
        runs: runs.map(({ cells }) => cells.finish(items)),
        rowItem: this.rowItem,
        rowRun: this.rowRun,
        chunks: this.chunks.begins,
      },
      copies: this.copies,
      digest: this.hash.digest('hex').slice(0, 16),
      absent: [...this.absent],
    }
  }
}

const fieldsOf = ({ question, shown, answers }: Roles): string[] => [question ?? [], shown, answers].flat()

/** The item's id, from jb-render or as jb-render would compute it. */
const idOf = (row: Row): string => row.get('item') ?? itemId(row)
