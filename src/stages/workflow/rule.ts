/** Types of the Makefile's rules and inputs. */
import type { Only } from './given.ts'
import type { Phase } from './load.ts'
import type { WorkflowOptions } from './options.ts'

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

/** Kinds of files. */
export type RuleKind =
  | 'configs'
  | 'banks'
  | 'grade_replies'
  | 'grades'
  | 'judge_replies'
  | 'leaderboards'
  | 'reports'

export interface MakeRule {
  kind: RuleKind
  phase: Phase
  /** A comment on it. */
  about: string
  target: string
  needs: string[]
  orderOnly: string[]
  /** The main command, or its words: if it changes, the file is made again. */
  command: string
  /** Lines, with `$(step)` for the command. */
  recipe: string[]
  /** Always made again. */
  forced: boolean
  /** Never made again once it exists. */
  reused?: boolean
}
