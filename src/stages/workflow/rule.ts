/** A rule of the Makefile, and what all rules are made with. */

export interface Inputs {
  workflow?: string
  topics: string
  /** As given, and the files in it. */
  responses?: string
  responseFiles: readonly string[]
  topicFilter: readonly string[]
  runFilter: readonly string[]
  limitTopics?: number
  limitRuns?: number
  leaderboardFormat: string
  /** Options of every jb-call: model, endpoint. */
  model?: string
  /** What jb-call asks where neither `model` nor a workflow's llm_model names one. */
  usualModel?: string
  callOptions: readonly string[]
  /** NAME=VALUE of the environment, which every jb-call reads as well. */
  environment: readonly string[]
  bankFormat?: string
  /** The Python that runs judges which are Python classes. */
  python: string
}

export interface Rule {
  /** A comment. */
  about?: string
  /** What the recipe ends with, out of sight: the stamp that it sets. */
  made?: string
  target: string
  needs: string[]
  orderOnly: string[]
  recipe: string[]
  /** Made again whatever is there. */
  forced?: boolean
}
