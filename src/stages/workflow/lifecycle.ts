/** AutoJudge's options for lifecycle flags: `--create-nuggets`, `--no-judge` and so on. */
import { camel, type Option } from '../../options/option.ts'
import { usageError } from '../../rows/record.ts'
import { type Flag, PHASE_FLAGS, readBoolean } from './load.ts'

const flag = <Name extends string>(name: Name, about: string) => ({ name, type: 'boolean', about }) as const

export const LIFECYCLE = [
  flag('create-nuggets', 'make nuggets'),
  flag('no-create-nuggets', 'make no nuggets'),
  flag('create-qrels', 'make qrels'),
  flag('no-create-qrels', 'make no qrels'),
  flag('no-judge', 'make no leaderboard'),
  flag('no-nugget-judge', 'give the judge no nuggets'),
  flag('nugget-depends-on-responses', 'make nuggets also from the responses'),
  flag('no-nugget-depends-on-responses', 'make nuggets from the topics only'),
  flag('judge-uses-qrels', 'give the judge the qrels'),
  flag('no-judge-uses-qrels', 'give the judge no qrels'),
  flag('qrels-uses-nuggets', 'give the judge that makes qrels the nuggets'),
  flag('no-qrels-uses-nuggets', 'give the judge that makes qrels no nuggets'),
  flag('augment-report', 'also write the responses with their verdicts'),
  flag('no-augment-report', 'do not write responses'),
  flag('force-recreate-nuggets', 'make nugget banks again, even if they exist'),
  flag('no-force-recreate-nuggets', 'use nugget banks that exist'),
  flag('force-recreate-qrels', 'make qrels again, even if they exist'),
] as const satisfies readonly Option[]

/** Options whose flags have other names in the workflow file. */
const NAMES: Readonly<Record<string, Flag>> = { nugget_judge: 'judge_uses_nuggets' }

/** The flags of `--flag NAME=yes|no` and the options above. @throws Fatal (usage) for unknown or contradictory flags */
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
    if (options[camel(name)] !== true) continue
    const key = name.replace(/^no-/, '').replaceAll('-', '_')
    set(NAMES[key] ?? (key as Flag), !name.startsWith('no-'), `--${name}`)
  }
  return flags
}
