/** Command lines without a process. */
import assert from 'node:assert/strict'
import { type FilterSpec, withNames } from '../../src/options/option.ts'
import { Fatal } from '../../src/rows/record.ts'
import { parseArguments } from '../../src/run/arguments.ts'
import type { Filter } from '../helpers/run.ts'

export const spec = async (filter: Filter) =>
  withNames(((await import(`../../src/stages/${filter}/options.ts`)) as { spec: FilterSpec }).spec)

/** What a command line is refused with, without a process. */
export async function refused(filter: Filter, args: string[], env = {}): Promise<string> {
  try {
    await parseArguments(await spec(filter), args, env)
  } catch (error) {
    assert.ok(error instanceof Fatal && error.exitCode === 2, String(error))
    return error.message
  }
  return assert.fail(`jb-${filter} ${args.join(' ')} is accepted`)
}
