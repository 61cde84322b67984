/** Reads rows into groups of battles: sums by cluster, and single games for --control and alpaca_eval. */

import { clusterField } from '../../options/common.ts'
import { noteAlike, someNames, UnseenFields } from '../../options/nearest.ts'
import { itemId } from '../../rows/item_id.ts'
import { byKey, getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type JsonObject } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { groupName } from '../../scoring/group_name.ts'
import { labelNumber } from '../../scoring/label_terms.ts'
import { mergedTwice } from '../../scoring/merged_twice.ts'
import { forEachRow, noteProbes } from '../../scoring/rows.ts'
import {
  identityOf,
  identityTitle,
  type RunIdentity,
  runKey,
  runModel,
  runsOfVersions,
} from '../../scoring/run_identity.ts'
import { Span } from '../../scoring/scale.ts'
import { checkedState, countsIn } from '../../scoring/states.ts'
import { BattleSums } from './battle_sums.ts'
import {
  ARENA_HARD_BASELINE,
  type Battle,
  battlesOf,
  isAssumed,
  judgedByJb,
  subjectIn,
  unknownWinner,
} from './battles.ts'
import type { ControlledGame } from './control.ts'
import { type Features, featuresOf, needsOf, tokensOf } from './features.ts'
import { type LengthRow, lengthRowOf } from './length_control.ts'
import { controlsLength, type ResolvedOptions } from './resolve_options.ts'

/** Battles that are ranked together. */
export interface BattleGroup {
  /** Field and value of --by; empty for all. */
  by: JsonObject
  sums: BattleSums
  battles: number
  /** --control: battles without the features. */
  featureless: number
  /** --control: the games with their features. */
  games: ControlledGame[]
  /** alpaca_eval: its annotations. */
  lengths: LengthRow[]
  /** What is known of the judging, of all groups together. */
  judging: Judging
}

/** The games of two answers whose order is known, and whether each failed. */
const orderedGames = (row: Row): [order: string, isFailed: boolean][] =>
  (row.get('trials') ?? [{ trial: row.get('trial'), verdict: row.get('verdict') }]).flatMap(
    ({ trial, verdict }) =>
      trial?.order === 'AB' || trial?.order === 'BA' ? [[trial.order, verdict === undefined]] : [],
  )

interface Judging {
  /** Who judged the battles. */
  judges: Map<string, { identity: RunIdentity }>
  /** The orders in which games were shown. */
  orders: Set<string>
}

export async function gather(rows: Rows, options: ResolvedOptions, context: Context): Promise<BattleGroup[]> {
  const gatherer = new Gatherer(options, context)
  if (options.merge) {
    for await (const batch of rows) for (const row of batch) gatherer.merge(row)
  } else {
    for await (const batch of rows) forEachRow(batch, context, (row) => gatherer.add(row))
  }
  return gatherer.finish()
}

/** Fields of --by and --cluster. */
export const groupingFields = (options: ResolvedOptions): string[] => [
  ...options.by,
  ...[clusterField(options) ?? []].flat(),
]

class Gatherer {
  private readonly groups = new Map<string, BattleGroup>()
  private readonly all: BattleGroup
  private readonly options: ResolvedOptions
  private readonly context: Context
  private readonly features: Features | undefined
  /** Those of plain rows. */
  private readonly preferences = new Span()
  /** Whether alpaca_eval's annotations are needed. */
  private readonly keepsLengths: boolean
  private readonly judging: Judging = { judges: new Map(), orders: new Set() }
  private readonly unseen: UnseenFields
  private unnamed = 0
  private assumed = 0
  private probes = 0

  constructor(options: ResolvedOptions, context: Context) {
    this.options = options
    this.context = context
    this.keepsLengths = controlsLength(options) || options.as === 'alpaca_eval'
    this.features =
      options.control.length > 0 && !controlsLength(options)
        ? featuresOf(options.control, options.features)
        : undefined
    this.all = this.group({})
    const { a, b, by } = options
    this.unseen = new UnseenFields({
      models: a === undefined ? undefined : [a, b!],
      by,
      cluster: clusterField(options),
    })
  }

  add(row: Row): void {
    if (row.has('probe')) {
      this.probes++
      return
    }
    this.unseen.see(row)
    const battles = battlesOf(row, this.options)
    if (battles.length === 0) this.unnamed++
    if (this.options.partial && judgedByJb(row)) this.all.sums.judge(this.judgementOf(row))
    if (battles.some((one) => isAssumed(one, this.options))) this.assumed++
    if (judgedByJb(row) && battles.some(({ games }) => games.length > 0)) this.seeJudge(row)
    const groups = battles.length === 0 ? [] : this.groupsOf(row)
    for (const { sums } of groups) for (const game of orderedGames(row)) sums.tryOrder(...game)
    if (battles.length > 0) this.seePreference(row)
    for (const battle of battles) {
      const odd = unknownWinner(battle)
      if (odd !== undefined)
        this.context.note(`${odd}: the battle failed`, { file: row.file, line: row.line, kind: 'winner' })
      if (battle.item !== undefined) this.all.sums.see(battle.item)
      for (const group of groups) this.count(group, battle)
    }
  }

  private seePreference(row: Row): void {
    if (judgedByJb(row) || row.field('winner') !== undefined) return
    this.preferences.add(labelNumber(row.field('preference')) ?? Number.NaN)
  }

  /** All battles, and the group of each field of --by that the row has. */
  private groupsOf(row: Row): BattleGroup[] {
    const fields = this.options.by.filter((field) => (row.field(field) ?? null) !== null)
    return [this.all, ...fields.map((field) => this.group({ by: field, group: groupName(row, field) }))]
  }

  /** Identifies an item of a judge, whatever the verdict. */
  private judgementOf(row: Row): string {
    const item = row.get('item') ?? itemId(row)
    const judge = (['judge', 'judge_digest', 'name', 'variant'] as const).map((key) => row.text(key))
    return JSON.stringify([...judge, runModel(row), item, subjectIn(this.options)(row)])
  }

  private seeJudge(row: Row): void {
    const model = runModel(row) ?? row.get('verdict')?.model ?? row.part('reply', 'model')
    const identity = identityOf(row, model as string | undefined)
    getOrInsert(this.judging.judges, runKey(identity), () => ({ identity }))
    for (const { trial } of row.get('trials') ?? [{ trial: row.get('trial') }])
      if (trial?.order !== undefined) this.judging.orders.add(trial.order)
  }

  private count(group: BattleGroup, battle: Battle): void {
    const { a, b, games, failed, row } = battle
    const { sums } = group
    if (this.keepsLengths) {
      const one = lengthRowOf(battle)
      if (one) group.lengths.push(one)
    }
    if (a === b) {
      sums.selfBattles += games.length
      return
    }
    sums.tryBattle([a, b], failed > 0)
    if (failed > 0) sums.fail(a, b, failed)
    // Mean lengths include answers whose judgment failed.
    const tokens = tokensOf(row)
    if (tokens) {
      sums.addTokens(a, tokens[0])
      sums.addTokens(b, tokens[1])
    }
    if (games.length === 0) return
    const features = this.features?.of(row)
    if (this.features && !features) group.featureless++
    else this.addGames(group, battle, features)
  }

  private addGames(
    group: BattleGroup,
    battle: Battle,
    features: ControlledGame['features'] | undefined,
  ): void {
    const { a, b, games, item } = battle
    const { cluster, strong: most } = this.options
    const { sums } = group
    if (cluster !== 'item' && item !== undefined) for (const model of [a, b]) sums.addItem(model, item)
    const name = this.clusterOf(battle)
    for (const { share, strong } of games) {
      const weight = strong ? most : 1
      group.battles += weight
      // With --cluster none each vote is a cluster.
      for (const votes of cluster === 'none' ? new Array<number>(weight).fill(1) : [weight]) {
        sums.add(name, a, b, share, votes)
        if (features) group.games.push({ cluster: name ?? '', a, b, share, weight: votes, features })
      }
    }
  }

  /** The value of the --cluster field, or else the item; undefined for a cluster of its own. */
  private clusterOf({ row, item }: Battle): string | undefined {
    const field = clusterField(this.options)
    const value = field === undefined ? null : (row.field(field) ?? null)
    if (value === null) return this.options.cluster === 'none' ? undefined : item
    return typeof value === 'string' ? value : JSON.stringify(value)
  }

  merge(row: Row): void {
    const state = row.item
    if (state.state !== 1 || !(state.cells ?? state.loose))
      throw new Fatal(
        EXIT.data,
        `${row.place}: not a state of jb-rank --partial, which is what --merge reads`,
      )
    const by: JsonObject = state.by === undefined ? {} : { by: state.by, group: state.group! }
    const group = this.group(by)
    const twice = checkedState(row.place, () => {
      const items = group.sums.merge(state)
      for (const [, , n] of (state.cells ?? []) as [string, string, number][]) group.battles += n
      for (const [key, n] of countsIn(state.loose ?? {})) group.battles += n * JSON.parse(key)[3]
      return items
    })
    if (twice > 0 || group.sums.knows(state)) throw mergedTwice(row.place, twice)
  }

  private group(by: JsonObject): BattleGroup {
    const key = JSON.stringify(by)
    return getOrInsert(this.groups, key, () => ({
      by,
      sums: new BattleSums(this.options.merge ? undefined : this.options.strong),
      battles: 0,
      featureless: 0,
      games: [],
      lengths: [],
      judging: this.judging,
    }))
  }

  finish(): BattleGroup[] {
    const { note } = this.context
    noteProbes(this.probes, note)
    runsOfVersions(this.judging.judges.values(), note, 'ranked together')
    const judges = new Set([...this.judging.judges.values()].map(({ identity }) => identityTitle(identity)))
    if (judges.size > 1)
      note(`battles of ${judges.size} judges or models are ranked together: ${someNames([...judges].sort())}`)
    this.unseen.tell(note)
    noteAlike('models', this.all.sums.models.keys(), note)
    if (this.preferences.low === 0 && this.preferences.high === 1)
      note(
        'preferences are from 0 to 1 and none is above: alpaca_eval’s are from 1 (the first output) to 2 (the second), 0 is a tie; others are to be taken to these, as with jq',
      )
    if (this.unnamed > 0)
      note(
        `${this.unnamed} ${this.unnamed === 1 ? 'row does' : 'rows do'} not name two models and ${this.unnamed === 1 ? 'is' : 'are'} left out (--models FIELD,FIELD)`,
      )
    if (this.assumed > 0)
      note(
        `${this.assumed} ${this.assumed === 1 ? 'row names' : 'rows name'} one model: ${ARENA_HARD_BASELINE} is taken for the other, as in arena-hard v0.1 (--baseline MODEL names another)`,
      )
    const { repeatedMeetings } = this.all.sums
    if (repeatedMeetings > 0)
      note(
        `on ${repeatedMeetings} ${repeatedMeetings === 1 ? 'item' : 'items'} two models met that met there in an earlier state, too: they count as more votes; if shards overlap, their battles count twice`,
      )
    const { featureless } = this.all
    if (featureless > 0)
      note(
        `${featureless} ${featureless === 1 ? 'battle lacks' : 'battles lack'} what --control ${this.options.control.join(', ')} needs, left out: ${needsOf(this.options.control)}`,
      )
    return byKey(this.groups).map(([, group]) => group)
  }
}
