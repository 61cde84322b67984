/** Identifies the version of a judge, so that rows of different versions are not added up. */
import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { criteriaFile } from '../../criteria/_load.ts'
import { readText } from '../../files/text.ts'
import type { Judge } from '../../judges/_judge.ts'
import { EXIT } from '../../rows/record.ts'
import type { RenderOptions } from './options.ts'

/** Options that affect the prompt or how replies are read. Files are hashed by their text, not by their path. */
const SETTINGS = ['map', 'set', 'criteria', 'contests', 'personas', 'syntax', 'undefined', 'compat'] as const

/** Members of a judge that affect neither. */
const IGNORED = new Set([
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
  const named = options.criteria.map(criteriaFile)
  const criteria = options.criteria.map((text, i) => (named[i] ? `#${named[i].name ?? ''}` : text))
  const given = { ...options, criteria, personas: options.personas && '#' }
  const settings = SETTINGS.map((name) => [name, given[name]])
  const files = [...named.map((file) => file?.path), options.personas]
  const parts = [
    JSON.stringify(Object.entries(judge).filter(([key]) => !IGNORED.has(key))),
    // A module's functions are in its text.
    judge.builtin || !/\.mjs$/.test(judge.name) ? '' : textOf(judge.name),
    JSON.stringify(settings),
    ...files.map((path) => (path === undefined ? '' : textOf(path))),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)
}

/** A file's text; empty if there is no such file. */
const textOf = (path: string) =>
  existsSync(path) && statSync(path).isFile() ? readText(path, EXIT.config) : ''
