/** What a descriptor of this process is. */
import { type BigIntStats, fstatSync, statSync } from 'node:fs'

/** The status of a file that is named or open; undefined without one. */
export function statusOf(file: string | number | undefined): BigIntStats | undefined {
  if (file === undefined) return undefined
  try {
    return typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, { bigint: true })
  } catch {
    return undefined
  }
}

/** Whether a descriptor is a plain file. */
export const isFile = (descriptor: number | undefined) => statusOf(descriptor)?.isFile() === true

/** Whether a descriptor is a terminal. What asks Node loads all of node:net, so only a device is asked about. */
export const isTerminal = (descriptor: number | undefined): boolean =>
  statusOf(descriptor)?.isCharacterDevice() === true &&
  process.getBuiltinModule('node:tty').isatty(descriptor!)

/** Whether writing to a descriptor blocks until it is done: a file, or a device that is not a terminal. */
export const isPlain = (descriptor: number | undefined): boolean =>
  isFile(descriptor) || (statusOf(descriptor)?.isCharacterDevice() === true && !isTerminal(descriptor))
