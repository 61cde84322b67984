/** Writes a row: its line with the changes to `jb`, everything else unchanged. */

import { ascii, encode, type Sink, type Spliced, writeValue, written } from './bytes.ts'
import type { Line } from './line.ts'
import { CLOSE, MEMBER, pastSpace } from './scan.ts'

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
    copy(out, line.bytes, line.begin, line.end)
    out.bytes(ascii('\n'))
    return
  }
  const texts: Texts = []
  for (let i = 1; i < added.length; i += 2) texts.push(added[i] === undefined ? undefined : written(added[i]))
  // Mostly there are new keys alone, and jb stands last: all before the two last braces stays.
  let comma = ','
  if (line.jbMembers.length > 0 && onlyGains(line, added) && isLast(line))
    copy(out, line.bytes, line.begin, line.jbMembers.at(-1)!)
  else comma = rewrite(out, line, added, texts)
  for (let i = 0; i < texts.length; i++) {
    const value = texts[i]
    if (value === undefined) continue
    const key = added[2 * i] as string
    if (line.jbMember(key) >= 0) continue
    writeValue(out, keyText(comma, key), value)
    comma = ','
  }
  out.bytes(ascii('}}\n'))
}

const keyText = (comma: string, key: string) => ascii(`${comma}${encode(JSON.stringify(key))}:`)

/** Whether all changes are new keys. */
function onlyGains(line: Line, added: Added): boolean {
  for (let i = 0; i < added.length; i += 2) if (line.jbMember(added[i] as string) >= 0) return false
  return true
}

const copy = (out: Sink, bytes: Buffer, from: number, to: number) =>
  out.copy ? out.copy(bytes, from, to) : out.bytes(bytes.latin1Slice(from, to))

/** Whether `jb` is the last member. */
function isLast({ bytes, jb, end }: Line): boolean {
  const close = pastSpace(bytes, jb.end)
  return bytes[close] === CLOSE && pastSpace(bytes, close + 1) >= end
}

/** Writes the user's part, then `jb` with its members as they are now. @returns what a further one begins with */
function rewrite(out: Sink, line: Line, added: Added, texts: Texts): string {
  writeUserPart(out, line)
  const { bytes, jbMembers } = line
  let comma = ''
  for (let i = 0; i < jbMembers.length; i += MEMBER) {
    const key = line.keyOf(jbMembers, i)
    const at = addedAt(added, key)
    const value = at < 0 ? undefined : texts[at / 2]
    if (at >= 0 && value === undefined) continue
    if (value === undefined) {
      out.bytes(ascii(comma))
      copy(out, bytes, jbMembers[i]!, jbMembers[i + 3]!)
    } else writeValue(out, keyText(comma, key), value)
    comma = ','
  }
  return comma
}

/** Writes the user's part up to the place of `jb`, and `jb`'s key. */
function writeUserPart(out: Sink, line: Line): void {
  const user = Buffer.concat(line.userRanges.map(([from, to]) => line.bytes.subarray(from, to)))
  const close = user.lastIndexOf(CLOSE)
  const open = pastSpace(user, 0)
  copy(out, user, 0, close)
  out.bytes(ascii(pastSpace(user, open + 1) === close ? '"jb":{' : ',"jb":{'))
}
