/** Options that have no effect in a run. */
import { usageError } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { camel, envName, type Option } from './option.ts'

/**
 * Reports an option without effect: a note if the environment sets it, which other filters of the pipe share.
 * @throws Fatal (usage) if it is on the command line
 */
export function ignoredOption(
  option: string,
  why: string,
  { env, note }: Pick<Context, 'env' | 'note'>,
): void {
  if (!env[envName(option)]) throw usageError(`--${option}: ${why}`)
  note(`${envName(option)} is ignored: ${why}`)
}

/** An option, or the name of one without a default. */
export type OptionOrName = string | Pick<Option, 'name' | 'default'>

/** Reports those of some options that are given, not being their defaults. @throws Fatal (usage) as ignoredOption */
export function ignoredOptions(
  some: readonly OptionOrName[],
  options: object,
  why: string,
  context: Pick<Context, 'env' | 'note'>,
): void {
  for (const option of some) {
    const { name, default: usual = false } = typeof option === 'string' ? { name: option } : option
    const value = (options as Record<string, unknown>)[camel(name)]
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== usual
    if (isGiven) ignoredOption(name, why, context)
  }
}
