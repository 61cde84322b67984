/** Gathers the trials of each item and scores it as soon as the last one is in. */

import { members } from '../files/members.ts'
import { itemId } from '../rows/paths.ts'
import {
  type Criterion,
  type Kind,
  type Reply,
  type RowError,
  RowFailure,
  type StageName,
  type Trial,
  type TrialResult,
  type Usage,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { kindOf, type ScoreSettings, type Scoring, scoringOf } from './_scoring.ts'

interface Gathering {
  row: Row
  /** By trial number: a trial that comes twice counts once, as it was last. */
  trials: Map<number, TrialResult>
  of: number
  criteria: Map<string, Criterion>
  /** Undefined as long as there are only failures that do not know theirs. */
  model: string | undefined
}

/** Items that may wait for further trials on the bytes they came in. */
const WAITING = 256

/**
 * Trials in, results out, whatever order they come in. An item is told apart by item, judge, name and model,
 * so that a jury of several judges or models flows through one pipe.
 */
export class Scorer {
  private readonly open = new Map<string, Gathering>()
  private readonly settings: ScoreSettings
  private readonly stage: StageName
  private readonly modules: ReadonlyMap<string, Scoring>

  private constructor(settings: ScoreSettings, stage: StageName, modules: ReadonlyMap<string, Scoring>) {
    this.settings = settings
    this.stage = stage
    this.modules = modules
  }

  static async create(settings: ScoreSettings, stage: StageName): Promise<Scorer> {
    const { criteria = [], compat } = settings
    if (criteria.length > 0) {
      const { loadCriteria } = await import('../criteria/_load.ts')
      settings.criteriaSource = await loadCriteria(criteria, (found) => found, compat)
    }
    return new Scorer(settings, stage, await scoringModules())
  }

  /** Takes a trial's row; gives the item's row when it is complete. Rows that are results already pass, and failures of no trial. */
  add(row: Row): Row | undefined {
    if (row.has('result') || (row.has('error') && (row.has('trials') || !row.has('trial')))) return row
    const trial = row.get('trial') ?? ({ n: 0, of: 1 } as Trial)
    const one = trialResult(row, trial)
    const criteria = criteriaOf(row, one)
    const of = Math.max(1, trial.of ?? 1)
    if (of === 1) return this.finish(row, [one], 1, criteria)
    const key = keyOf(row, one)
    let gathering = this.open.get(key)
    if (!gathering) {
      const first = introduced(row)
      // A row keeps all that one read brought: where many wait, each waits on bytes of its own.
      gathering = {
        row: this.open.size < WAITING ? first : first.detached(),
        trials: new Map(),
        of,
        criteria: new Map(),
        model: one.model,
      }
      this.open.set(key, gathering)
    }
    gathering.trials.set(trial.n, one)
    for (const criterion of criteria) gathering.criteria.set(criterion.name, criterion)
    if (gathering.trials.size < gathering.of) return undefined
    this.open.delete(key)
    return this.finish(gathering.row, inOrder(gathering), of, [...gathering.criteria.values()])
  }

  /** What never became complete, as failed rows. */
  *rest(): Generator<Row> {
    this.joinFailures()
    for (const gathering of this.open.values())
      yield this.finish(gathering.row, inOrder(gathering), gathering.of, [...gathering.criteria.values()])
    this.open.clear()
  }

  /** A failure that names no model (of a recording) belongs to the item's trials that lack it. */
  private joinFailures(): void {
    const nameless = [...this.open].filter(([, { model }]) => model === undefined)
    if (nameless.length === 0) return
    const lacking = new Map<string, Gathering[]>()
    for (const gathering of this.open.values()) {
      if (gathering.model === undefined) continue
      const key = keyOf(gathering.row, {})
      lacking.set(key, [...(lacking.get(key) ?? []), gathering])
    }
    for (const [key, { row, trials }] of nameless) {
      const fitting = lacking
        .get(keyOf(row, {}))
        ?.filter((gathering) => [...trials.keys()].every((n) => !gathering.trials.has(n)))
      if (!fitting?.length) continue
      for (const gathering of fitting) for (const [n, one] of trials) gathering.trials.set(n, one)
      this.open.delete(key)
    }
  }

  private finish(row: Row, trials: TrialResult[], of: number, criteria: Criterion[]): Row {
    const result = of === 1 ? introduced(row) : row
    if (criteria.length > 0) result.set('criteria', criteria)
    const failed = trials.find(({ error }) => error)
    try {
      if (trials.length < of) throw new RowFailure('incomplete', `${trials.length} of ${of} trials are there`)
      if (failed) return this.failed(result, trials, failed, of)
      const kind = kindOf(trials[0]!.verdict!)
      const model = trials[0]!.model
      const scored = this.modules.get(kind)!.score(trials, result, this.settings)
      if (model !== undefined) scored.model = model
      result.set('result', scored)
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      result.fail(this.stage, error)
    }
    return result.set('trials', trials)
  }

  /** The item has the error of the trial that failed, and of the stage it failed in. */
  private failed(result: Row, trials: TrialResult[], { trial, ...one }: TrialResult, of: number): Row {
    const error = one.error!
    const message = of === 1 ? error.message : `trial ${trial.n}: ${error.message}`
    if (error.stage === UNREAD.stage) result.fail(this.stage, new RowFailure(error.code, message))
    else result.set('error', { ...error, message })
    return result.set('trials', trials)
  }
}

/** A trial that was never read. */
const UNREAD: RowError = { stage: 'score', code: 'no_verdict', message: 'no jb.verdict: run jb-parse first' }

/** A value that nothing can be made of. */
function odd(key: string, value: unknown, expected: string): RowError {
  return { ...UNREAD, message: `${key} is ${JSON.stringify(value).slice(0, 40)}, expected ${expected}` }
}

/** All kinds' modules, by name. */
export async function scoringModules(): Promise<ReadonlyMap<string, Scoring>> {
  return new Map(
    await Promise.all(members('scoring').map(async (kind) => [kind, await scoringOf(kind as Kind)] as const)),
  )
}

/** The item's row so far: the user's part, and which judge it stands before. */
function introduced(row: Row): Row {
  const made = row.bare()
  for (const key of ['judge', 'name', 'item'] as const) {
    const value = row.get(key) ?? (key === 'item' ? itemId(row) : undefined)
    if (value !== undefined) made.set(key, value)
  }
  return made
}

/** The tokens of all calls a trial took. */
function withChain(usage: Usage | undefined, chain: { reply: Reply }[]): Usage {
  const sum: Record<string, unknown> = { ...usage }
  for (const { reply } of chain)
    for (const [key, value] of Object.entries(reply.usage ?? {}))
      if (typeof value === 'number') sum[key] = ((sum[key] as number | undefined) ?? 0) + value
  return sum as Usage
}

/** What the trial asks about; none where the judge has no criteria. What is no criterion fails the trial. */
function criteriaOf(row: Row, one: TrialResult): Criterion[] {
  const criterion = row.get('criterion')
  if (criterion === undefined) return []
  if (typeof criterion.name === 'string') return [criterion]
  one.error ??= odd('jb.criterion', criterion, 'an object with a name')
  return []
}

function inOrder({ trials }: Gathering): TrialResult[] {
  return [...trials.values()].sort((a, b) => a.trial.n - b.trial.n)
}

function trialResult(row: Row, trial: Trial): TrialResult {
  const one: TrialResult = { trial }
  const error = row.has('error') ? row.get('error') : undefined
  const verdict = row.get('verdict')
  if (row.has('reply')) {
    // Not the whole reply: its text is most of a row.
    one.model = row.part('reply', 'model') as string
    const usage = row.part('reply', 'usage')
    const cost = row.part('reply', 'cost')
    if (usage) one.usage = usage as Usage
    if (row.has('chain')) one.usage = withChain(one.usage, row.get('chain')!)
    if (cost !== undefined) one.cost = cost as number
  } else {
    // A verdict that came without a reply, and a call that failed, name their own model.
    const model = verdict?.model ?? error?.model
    if (typeof model === 'string') one.model = model
  }
  if (error) one.error = error
  else if (verdict === undefined) one.error = UNREAD
  else if (typeof verdict === 'object') one.verdict = verdict
  else one.error = odd('jb.verdict', verdict, 'an object')
  return one
}

function keyOf(row: Row, { model }: Pick<TrialResult, 'model'>): string {
  return JSON.stringify([row.get('item') ?? itemId(row), row.get('judge'), row.get('name'), model])
}
