/** A row's line with what was added to its `jb`: all else leaves as it came. */

import { type Sink, writeValue } from './bytes.ts'
import type { Line } from './line.ts'
import { isSpace, OPEN } from './scan.ts'

/** Key, value, key, value; an undefined value takes the key away. */
export type Added = readonly unknown[]

/** Where a key stands in what was added; -1. */
export function addedAt(added: Added | undefined, key: string): number {
  if (added) for (let i = 0; i < added.length; i += 2) if (added[i] === key) return i
  return -1
}

/** Writes a line with what was added, and its line end. */
export function writeRow(out: Sink, line: Line, added: Added | undefined): void {
  if (!added) {
    out.bytes(line.raw)
    out.bytes('\n')
    return
  }
  if (line.size > 0 && onlyGains(line, added)) {
    out.bytes(line.text.slice(line.begin, line.to(line.size - 1)))
    writeAdded(out, line, added, ',')
  } else rewrite(out, line, added)
  out.bytes('}}\n')
}

/** The common case: `jb` stands last and gains keys it does not have. */
function onlyGains(line: Line, added: Added): boolean {
  for (let i = 0; i < added.length; i += 2) if (line.indexOf(added[i] as string) >= 0) return false
  const { text, end, jbEnd } = line
  return jbEnd >= end - 1 || jbEnd >= text.lastIndexOf('}', end - 1)
}

/** `jb` put together anew behind the user's part, its untouched members as they came. */
function rewrite(out: Sink, line: Line, added: Added): void {
  writeUserPart(out, line.user)
  let comma = ''
  for (let i = 0; i < line.size; i++) {
    const key = line.key(i)
    const at = addedAt(added, key)
    if (at >= 0 && added[at + 1] === undefined) continue
    if (at < 0) out.bytes(comma + line.text.slice(line.keyAt(i), line.to(i)))
    else writeValue(out, `${comma}${JSON.stringify(key)}:`, added[at + 1])
    comma = ','
  }
  writeAdded(out, line, added, comma)
}

function writeAdded(out: Sink, line: Line, added: Added, comma: string): void {
  for (let i = 0; i < added.length; i += 2) {
    if (added[i + 1] === undefined || line.indexOf(added[i] as string) >= 0) continue
    writeValue(out, `${comma}"${added[i]}":`, added[i + 1])
    comma = ','
  }
}

/** The user's part up to where `jb` belongs, and `jb`'s key. */
function writeUserPart(out: Sink, line: string): void {
  const user = line.slice(0, line.lastIndexOf('}'))
  let end = user.length
  while (isSpace(user.charCodeAt(end - 1))) end--
  out.bytes(user)
  const empty = user.charCodeAt(end - 1) === OPEN && user.trimStart().length === 1 + user.length - end
  out.bytes(empty ? '"jb":{' : ',"jb":{')
}
