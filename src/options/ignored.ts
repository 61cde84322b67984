/** Options that change nothing in this run. */
import { usageError } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { envName } from './option.ts'

/**
 * An option that is ignored here. The environment is shared with the other filters of a pipe, which may use it: then
 * this is a note. @throws Fatal (usage) where it is on the command line
 */
export function ignoredOption(
  option: string,
  why: string,
  { env, note }: Pick<Context, 'env' | 'note'>,
): void {
  if (!env[envName(option)]) throw usageError(`--${option}: ${why}`)
  note(`${envName(option)} is ignored: ${why}`)
}

/** @throws Fatal (usage) for --bom and --safe where no table is written */
export function checkSpreadsheet(
  options: { format: string; bom: boolean; safe: boolean },
  context: Pick<Context, 'env' | 'note'>,
): void {
  if (options.format !== 'ndjson') return
  for (const name of ['bom', 'safe'] as const)
    if (options[name]) ignoredOption(name, 'it goes with --format csv or tsv', context)
}
