/** AutoJudge's own options for lifecycle flags: `--create-nuggets`, `--no-judge` and the others. */
import type { Option } from '../../options/option.ts'
import { usageError } from '../../rows/record.ts'
import { type Flag, PHASE_FLAGS, readBoolean } from './load.ts'

export const LIFECYCLE = [
  { name: 'create-nuggets', type: 'boolean', about: 'make nuggets' },
  { name: 'no-create-nuggets', type: 'boolean', about: 'make no nuggets' },
  { name: 'create-qrels', type: 'boolean', about: 'make qrels' },
  { name: 'no-create-qrels', type: 'boolean', about: 'make no qrels' },
  { name: 'no-judge', type: 'boolean', about: 'make no leaderboard' },
  { name: 'no-nugget-judge', type: 'boolean', about: 'the judge gets no nuggets' },
  {
    name: 'nugget-depends-on-responses',
    type: 'boolean',
    about: 'nuggets are made from the responses, too',
  },
  {
    name: 'no-nugget-depends-on-responses',
    type: 'boolean',
    about: 'nuggets are made from the topics alone',
  },
  { name: 'judge-uses-qrels', type: 'boolean', about: 'the judge gets the qrels' },
  { name: 'no-judge-uses-qrels', type: 'boolean', about: 'the judge gets no qrels' },
  { name: 'qrels-uses-nuggets', type: 'boolean', about: 'the judge that makes qrels gets the nuggets' },
  { name: 'no-qrels-uses-nuggets', type: 'boolean', about: 'the judge that makes qrels gets no nuggets' },
  { name: 'augment-report', type: 'boolean', about: 'also write the responses with their verdicts' },
  { name: 'no-augment-report', type: 'boolean', about: 'write no responses' },
  {
    name: 'force-recreate-nuggets',
    type: 'boolean',
    about: 'make nugget banks again, even where they exist',
  },
  { name: 'no-force-recreate-nuggets', type: 'boolean', about: 'use nugget banks that exist' },
  { name: 'force-recreate-qrels', type: 'boolean', about: 'make qrels again, even where they exist' },
] as const satisfies readonly Option[]

/** Flags whose name in the workflow file is not the option's. */
const NAMES: Readonly<Record<string, Flag>> = { nugget_judge: 'judge_uses_nuggets' }

/**
 * What the command line says of flags, by name: `--flag NAME=yes|no` and the options above.
 * @throws Fatal (usage) for an unknown flag, or one that is set twice to different values
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
