/** Types of the Makefile's rules and inputs. */
import type { Phase } from './load.ts'
import type { WorkflowPlan } from './plan.ts'

export interface Inputs {
  workflow?: string
  topics: string
  /** The operand, and the files in it. */
  responses?: string
  responseFiles: readonly string[]
  /** Only these topics and runs. */
  topic: readonly string[]
  run: readonly string[]
  limitTopics?: number
  limitRuns?: number
  leaderboardFormat: string
  /** Options of every jb-call: model, endpoint. */
  model?: string
  /** The default: the model of jb-call's own options or environment. */
  usualModel?: string
  callOptions: readonly string[]
  /** The cache file, if the environment has CACHE_DIR. */
  cache?: string
  bankFormat?: string
  /** Passed to Python judges. */
  corpus?: string
  /** Environment variables of the steps, for common options. */
  common: readonly string[]
  /** The Python that runs judges which are Python classes. */
  python: string
}

/** Kinds of files, and variables with their lists. */
export const RULE_KINDS = [
  'configs',
  'banks',
  'grade_replies',
  'grades',
  'judge_replies',
  'leaderboards',
  'reports',
] as const
export type RuleKind = (typeof RULE_KINDS)[number]

export interface MakeRule {
  kind: RuleKind
  phase: Phase
  /** A comment on it. */
  about: string
  target: string
  needs: string[]
  orderOnly: string[]
  /** A variable with the main command; if it changes, the file is made again. */
  step: { name: string; command?: string }
  /** Lines, with `$(step)` for the step. */
  recipe: string[]
  /** Always made again. */
  forced: boolean
  /** Never made again once it exists. */
  reused?: boolean
}

/** A rule and its plan. */
export interface PlannedRule {
  rule: MakeRule
  plan: WorkflowPlan
}

/** A make variable of one configuration. */
export interface Variable {
  name: string
  phase: Phase
  /** Shell words. */
  words: string[]
}
