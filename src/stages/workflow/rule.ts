/** A rule of the Makefile, and what all rules are made with. */
import type { Phase } from './load.ts'
import type { WorkflowPlan } from './plan.ts'

export interface Inputs {
  workflow?: string
  topics: string
  /** As given, and the files in it. */
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
  /** What jb-call asks where neither `model` nor a workflow's llm_model names one. */
  usualModel?: string
  callOptions: readonly string[]
  /** The file that replies are kept in, where the environment's CACHE_DIR says so. */
  cache?: string
  bankFormat?: string
  /** Handed on to Python judges. */
  corpus?: string
  /** Variables of the steps' environment: options of every filter that this command was given. */
  common: readonly string[]
  /** The Python that runs judges which are Python classes. */
  python: string
}

/** Kinds of files, by the name of make's list of them. */
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
  /** What a comment says of it. */
  about: string
  target: string
  needs: string[]
  orderOnly: string[]
  /** The command that decides over the file, a variable of make: where it reads otherwise, the file is made again. */
  step: { name: string; command?: string }
  /** Lines; `$(step)` is the step. */
  recipe: string[]
  /** Made again whatever is there. */
  forced: boolean
  /** Used as it is once it is there: only inputs that are missing are made. */
  reused?: boolean
}

/** A rule, and the plan that it is of. */
export interface PlannedRule {
  rule: MakeRule
  plan: WorkflowPlan
}

/** A variable of make with a value of each configuration. */
export interface Variable {
  name: string
  phase: Phase
  /** Words of the shell. */
  words: string[]
}
