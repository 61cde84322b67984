/** The file names of a `filebase`. */
import { basename, isAbsolute, join } from 'node:path'
import { byPhase, type Phase } from './load.ts'

export interface WorkflowFiles {
  config: string
  nuggets: string
  qrels: string
  leaderboard: string
  responses: string
  /** Replies of each phase. */
  replies: Record<Phase, string>
}

/** Endings by kind of file; the first is the default. */
const ENDINGS = {
  nuggets: ['.nuggets.jsonl', '.jsonl', '.json'],
  leaderboard: ['.eval.txt', '.tsv'],
  qrels: ['.qrels.txt', '.qrels'],
  config: ['.config.yml', '.yml', '.yaml'],
  responses: ['.responses.jsonl', '.jsonl'],
} as const

export const withEnding = (base: string, kind: keyof typeof ENDINGS) =>
  ENDINGS[kind].some((ending) => base.endsWith(ending)) ? base : base + ENDINGS[kind][0]

/** A path in the output directory. */
export const placed = (path: string, folder: string) =>
  folder === '.' || isAbsolute(path) ? path : join(folder, path)

/**
 * @param bases each phase's resolved filebase
 * @param options `seed`: the first generation's names, `.judgment.json` and `.judgment.qrels`; `output`: the leaderboard's
 */
export function filesOf(
  bases: Record<Phase, string>,
  { outDir, seed, output }: { outDir: string; seed: boolean; output: string | undefined },
): WorkflowFiles {
  const at = (path: string) => placed(path, outDir)
  const named = (base: string, kind: keyof typeof ENDINGS) => at(withEnding(base, kind))
  const { nugget, qrels, judge } = bases
  const shared = {
    config: named(judge, 'config'),
    nuggets: named(nugget, 'nuggets'),
    responses: named(judge, 'responses'),
    replies: byPhase((phase) => at(`${bases[phase]}.${phase}.replies.ndjson.gz`)),
  }
  const board = output === undefined ? named(judge, 'leaderboard') : at(asNamed(output))
  if (!seed) return { ...shared, leaderboard: board, qrels: named(qrels, 'qrels') }
  return judge.endsWith('.json')
    ? { ...shared, leaderboard: at(judge), qrels: at(judge.replace(/\.json$/, '.qrels')) }
    : { ...shared, leaderboard: at(`${judge}.judgment.json`), qrels: at(`${qrels}.judgment.qrels`) }
}

/** A leaderboard's name as it was given, if it has an ending of any kind. */
const asNamed = (path: string) => (basename(path).includes('.') ? path : withEnding(path, 'leaderboard'))
