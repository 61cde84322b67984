/** Identifies the version of a judge, so that rows of different versions are not added up. */
import { criteriaFile } from '../../criteria/_load.ts'
import { digits, fileText, moduleText, READING_DIGITS, readingDigest } from '../../judges/_digest.ts'
import type { Judge } from '../../judges/_judge.ts'
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
  'example',
  'about',
])

/** The hexadecimal digits of a digest. */
const DIGITS = 12

/**
 * Digits of the judge as it asks, its code, and the settings with the files they name; the last ones of how replies are
 * read, which jb-parse compares.
 * @param asking the judge with the original's templates, if these are used
 */
export function digestOf(judge: Judge, asking: Judge, options: RenderOptions): string {
  const named = options.criteria.map(criteriaFile)
  const criteria = options.criteria.map((text, i) => (named[i] ? `#${named[i].name ?? ''}` : text))
  const given = { ...options, criteria, personas: options.personas && '#' }
  const settings = SETTINGS.map((name) => [name, given[name]])
  const files = [...named.map((file) => file?.path), options.personas]
  const parts = [
    JSON.stringify(Object.entries(asking).filter(([key]) => !IGNORED.has(key))),
    moduleText(judge),
    JSON.stringify(settings),
    ...files.map((path) => (path === undefined ? '' : fileText(path))),
  ]
  return digits(DIGITS - READING_DIGITS, parts) + readingDigest(judge)
}
