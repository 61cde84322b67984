/** Which version of a judge made a row: rows of two are never added up as one. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Judge } from '../../judges/_judge.ts'
import type { RenderOptions } from './options.ts'

const DIGITS = 12

/** Options that reach the prompt or the reading; the order, samples and seed of trials do not. */
const SETTINGS = ['map', 'set', 'criteria', 'contests', 'personas', 'syntax', 'undefined', 'compat'] as const

/** Where the judge was found, which says nothing of what it is; a task's notes, and where it is asked. */
const LEFT_OUT = new Set([
  'name',
  'where',
  'folder',
  'builtin',
  'use',
  'notes',
  'endpoint',
  'details',
  'taskSettings',
  'about',
])

/** 12 hexadecimal digits of the judge as it is loaded, its code, and the settings with the files they name. */
export function digestOf(judge: Judge, options: RenderOptions): string {
  const settings = SETTINGS.map((name) => [name, options[name]])
  const files = [...options.criteria.map((text) => text.replace(/#[^#]*$/s, '')), options.personas]
  const parts = [
    JSON.stringify(Object.entries(judge).filter(([key]) => !LEFT_OUT.has(key))),
    // A module's functions are in its text.
    judge.builtin || !/\.mjs$/.test(judge.name) ? '' : textOf(judge.name),
    JSON.stringify(settings),
    ...files.map((path) => (path === undefined ? '' : textOf(path))),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, DIGITS)
}

/** Of a file; empty for a text that names none. */
const textOf = (path: string) =>
  existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : ''
