/** AutoJudge's options for lifecycle flags: `--create-nuggets`, `--no-judge` and so on. */
import type { Option } from '../../options/option.ts'
import { usageError } from '../../rows/record.ts'
import { type Flag, PHASE_FLAGS, readBoolean } from './load.ts'

const flag = <Name extends string>(name: Name, about: string) => ({ name, type: 'boolean', about }) as const

export const LIFECYCLE = [
  flag('create-nuggets', 'make nuggets'),
  flag('no-create-nuggets', 'make no nuggets'),
  flag('create-qrels', 'make qrels'),
  flag('no-create-qrels', 'make no qrels'),
  flag('no-judge', 'make no leaderboard'),
  flag('no-nugget-judge', 'the judge gets no nuggets'),
  flag('nugget-depends-on-responses', 'nuggets are made from the responses, too'),
  flag('no-nugget-depends-on-responses', 'nuggets are made from the topics alone'),
  flag('judge-uses-qrels', 'the judge gets the qrels'),
  flag('no-judge-uses-qrels', 'the judge gets no qrels'),
  flag('qrels-uses-nuggets', 'the judge that makes qrels gets the nuggets'),
  flag('no-qrels-uses-nuggets', 'the judge that makes qrels gets no nuggets'),
  flag('augment-report', 'also write the responses with their verdicts'),
  flag('no-augment-report', 'write no responses'),
  flag('force-recreate-nuggets', 'make nugget banks again, even where they exist'),
  flag('no-force-recreate-nuggets', 'use nugget banks that exist'),
  flag('force-recreate-qrels', 'make qrels again, even where they exist'),
] as const satisfies readonly Option[]

/** Options whose flag has another name in the workflow file. */
const NAMES: Readonly<Record<string, Flag>> = { nugget_judge: 'judge_uses_nuggets' }

/**
 * Flags on the command line: `--flag NAME=yes|no` and the options above.
 * @throws Fatal (usage) for an unknown flag, or for contradictory values
 */
export function flagsGiven(options: {
  flag: readonly string[]
  [option: string]: unknown
}): Partial<Record<Flag, boolean>> {
  const flags: Partial<Record<Flag, boolean>> = {}
  const set = (flag: Flag, value: boolean, option: string) => {
    if (flags[flag] === !value)
      throw usageError(`${option}: ${flag} is ${flags[flag] ? 'yes' : 'no'} already`)
    flags[flag] = value
  }
  for (const text of options.flag) {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(text) ?? []
    const read = value === undefined ? undefined : readBoolean(value)
    if (!(PHASE_FLAGS as readonly string[]).includes(name ?? '') || read === undefined)
      throw usageError(`--flag ${text}: expected NAME=yes or NAME=no, NAME one of ${PHASE_FLAGS.join(', ')}`)
    set(name as Flag, read, `--flag ${text}`)
  }
  for (const { name } of LIFECYCLE) {
    if (options[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())] !== true) continue
    const key = name.replace(/^no-/, '').replaceAll('-', '_')
    set(NAMES[key] ?? (key as Flag), !name.startsWith('no-'), `--${name}`)
  }
  return flags
}
