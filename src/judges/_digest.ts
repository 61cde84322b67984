/** Hashes that tell versions of a judge apart. */
import { existsSync, statSync } from 'node:fs'
import { readText } from '../files/text.ts'
import { sha256 } from '../rows/crypto.ts'
import { EXIT } from '../rows/record.ts'
import type { Judge } from './_judge.ts'

/** Hexadecimal digits of the hash of several texts. */
export function digits(count: number, parts: readonly string[]): string {
  return sha256(JSON.stringify(parts)).slice(0, count)
}

/** Digits of {@link readingDigest}: the last ones of `jb.judge_digest`. */
export const READING_DIGITS = 4

/** Of what decides how a judge's replies are read: its kind and rules, of a `.mjs` judge its text. */
export const readingDigest = (judge: Judge): string =>
  digits(READING_DIGITS, [
    JSON.stringify([judge.kind, judge.verdict, judge.compat, ...(judge.keep ? [judge.keep] : [])]),
    moduleText(judge),
  ])

/** The text of a `.mjs` judge, which has its functions; else empty. */
export const moduleText = ({ builtin, name }: Judge): string =>
  builtin || !/\.mjs$/.test(name) ? '' : fileText(name)

/** A file's text; empty if there is no such file. */
export const fileText = (path: string): string =>
  existsSync(path) && statSync(path).isFile() ? readText(path, EXIT.config) : ''
