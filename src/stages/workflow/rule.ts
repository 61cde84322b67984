/** Types of the Makefile's rules and inputs. */
import type { Only } from './given.ts'
import type { Phase } from './load.ts'
import type { WorkflowOptions } from './options.ts'
import type { WorkflowPlan } from './plan.ts'

export interface Inputs extends Pick<WorkflowOptions, 'model' | 'python' | 'passEnv'>, Only {
  workflow?: string
  topics: string
  /** The folder of the responses. */
  responses?: string
  /** The files of the responses. */
  responseFiles: readonly string[]
  leaderboardFormat: string
  /** The format of banks. */
  bank?: string
  /** The model of jb-call's own options or environment, where no other is named. */
  usualModel?: string
  /** Options of every jb-call besides the model, such as its endpoint. */
  callOptions: readonly string[]
  /** The cache file, if the environment has CACHE_DIR. */
  cache?: string
  /** Environment variables of the steps, for common options. */
  common: readonly string[]
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
