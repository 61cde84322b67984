/** What is known of the items before a judge. */
import type { Criterion, Json, Probe } from '../../rows/record.ts'
import type { FigureAmounts } from '../../scoring/group.ts'
import type { Scored } from '../../scoring/kind.ts'
import type { Asked } from '../../scoring/same_items.ts'
import type { Label } from '../../statistics/agreement.ts'

/** A label as it is given, of one annotator. */
export type RawLabel = Json | undefined

/** The part of a trial that sections need. */
export type TrialVerdict = Scored

/** What an item's own fields say. */
export interface OwnFields {
  id: string
  /** The first of the fields of a label; that of --label, or `label`; those of --truth. */
  first: RawLabel
  label: RawLabel
  truth: readonly RawLabel[]
  /** Of --value. */
  value: RawLabel
  /** Length of the first answer less that of the second. */
  longer: number | undefined
  /** The models that wrote the two answers. */
  models: [a: string, b: string] | undefined
  /** Of --p. */
  p: number | undefined
  probe: Probe | undefined
  /** Of --weight. */
  chance: number | undefined
  /** Its values of the --by fields, and of the --cluster field. */
  groups: (string | undefined)[] | undefined
  cluster: string | undefined
  criteria: readonly Criterion[] | undefined
  /** With --bridge: its question and answers. */
  asks?: Asked | undefined
}

/** One item before one judge: what the judge, and people, said of it. */
export interface JudgedItem
  extends Pick<OwnFields, 'id' | 'longer' | 'models' | 'probe' | 'groups' | 'cluster' | 'asks'> {
  /** Where the judge has several criteria: that of this card. */
  criterion: string | undefined
  /** The criteria that the item's row has, if there are several. */
  criteria: readonly string[] | undefined
  /** The judge's decision, option or score; undefined where the item failed. */
  judged: Label | undefined
  /** The judge's options are not known: any word of people is taken for one. */
  isOpen: boolean
  /** The score of the chosen option. */
  score: number | undefined
  /** The least and the largest score that there can be, where that is known. */
  range: readonly [number, number] | undefined
  /** People's labels, one per annotator, null where one is missing. */
  truth: (Label | null)[]
  trials: readonly TrialVerdict[]
  /** A stated probability (see --p), or a confidence in percent. */
  p: number | undefined
  /** With --weight: the probability with which it was taken to be labelled; undefined for one taken for sure. */
  chance: number | undefined
  /** With --watch: digest of all that was asked about it; undefined where the rows do not say. */
  asked?: string | undefined
  /** What it adds to the figures of every report; nothing on the card of one of several criteria. */
  figures?: FigureAmounts | undefined
}

/** Items of a judge, in the order of their ids. */
export type JudgedItems = readonly JudgedItem[]
