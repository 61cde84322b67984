/** Writes a row: its line with the changes to `jb`, everything else unchanged. */

import { ascii, copyTo, type Sink, type Spliced, writeValue, written } from './bytes.ts'
import { resultJson } from './decimals.ts'
import type { Line } from './line.ts'
import type { JsonObject } from './record.ts'
import { beforeSpace, CLOSE, OPEN, pastSpace } from './scan.ts'

/** Key, value, key, value, …; the value undefined removes the key. */
export type Added = readonly unknown[]

/** JSON of the added values, one for each key. */
type Texts = (string | Spliced | undefined)[]

/** Index of a key among the changes; -1 if there is none. */
export function addedAt(added: Added | undefined, key: string): number {
  if (added) for (let i = 0; i < added.length; i += 2) if (added[i] === key) return i
  return -1
}

/**
 * Writes a line with its changes, and a line end.
 * @throws RangeError if a value is nested too deeply; then nothing is written
 */
export function writeRow(out: Sink, line: Line, added: Added | undefined): void {
  if (!added) {
    copyTo(out, line.bytes, line.begin, line.end)
    out.bytes(ascii('\n'))
    return
  }
  const texts: Texts = []
  for (let i = 0; i < added.length; i += 2) texts.push(jsonOf(added[i] as string, added[i + 1]))
  // Mostly there are new keys alone, and jb stands last: all before the two last braces stays.
  let comma = ','
  const last = onlyGains(line, added) ? lastEnd(line) : -1
  if (last >= 0) copyTo(out, line.bytes, line.begin, last)
  else comma = rewrite(out, line, added, texts)
  let text = ''
  for (let i = 0; i < texts.length; i++) {
    const value = texts[i]
    const key = added[2 * i] as string
    if (value === undefined || (last < 0 && Object.hasOwn(line.jb, key))) continue
    text += `${comma}"${key}":`
    comma = ','
    if (typeof value === 'string') text += value
    else {
      out.text(text)
      value.write(out)
      text = ''
    }
  }
  out.text(`${text}}}\n`)
}

const jsonOf = (key: string, value: unknown): string | Spliced | undefined =>
  value === undefined ? undefined : key === 'result' ? resultJson(value as JsonObject) : written(value)

/** Whether all changes are new keys. */
function onlyGains(line: Line, added: Added): boolean {
  for (let i = 0; i < added.length; i += 2) if (Object.hasOwn(line.jb, added[i] as string)) return false
  return true
}

/** Where the last member of `jb` ends, if there is one and `jb` is the last of the line; else -1. */
function lastEnd({ bytes, jbEnd, end, bare }: Line): number {
  if (jbEnd < 0 || bare) return -1
  const close = pastSpace(bytes, jbEnd)
  if (bytes[close] !== CLOSE || pastSpace(bytes, close + 1) < end) return -1
  const last = beforeSpace(bytes, jbEnd - 1)
  return bytes[last - 1] === OPEN ? -1 : last
}

/** Writes the user's part, then `jb` with its members as they are now. @returns what a further one begins with */
function rewrite(out: Sink, line: Line, added: Added, texts: Texts): string {
  writeUserPart(out, line)
  const { bytes, jbMembers } = line
  let comma = ''
  for (const { name, at, to } of jbMembers) {
    const change = addedAt(added, name)
    const value = change < 0 ? undefined : texts[change / 2]
    if (change >= 0 && value === undefined) continue
    if (value === undefined) {
      out.bytes(ascii(comma))
      copyTo(out, bytes, at, to)
    } else writeValue(out, ascii(`${comma}"${name}":`), value)
    comma = ','
  }
  return comma
}

/** Writes the user's part up to the place of `jb`, and `jb`'s key. */
function writeUserPart(out: Sink, { bytes, userRanges }: Line): void {
  const [before, after] = userRanges
  const [from, to] = after ?? before!
  // Its closing brace is behind `jb`.
  let close = to - 1
  while (bytes[close] !== CLOSE) close--
  if (after) copyTo(out, bytes, ...before!)
  copyTo(out, bytes, from, close)
  let first = pastSpace(bytes, pastSpace(bytes, before![0]) + 1)
  if (after && first >= before![1]) first = pastSpace(bytes, after[0])
  out.bytes(ascii(first === close ? '"jb":{' : ',"jb":{'))
}
