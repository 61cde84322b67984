/** A row's line with what was added to its `jb`: all else leaves as it came. */
import { type JbPlace, withoutJb } from './jb_place.ts'
import { isSpace, OPEN } from './scan.ts'
import { type Sink, writeValue } from './text.ts'

/** Key, value, key, value; an undefined value takes the key away. */
export type Added = readonly unknown[]

/** Where a key stands in what was added; -1. */
export function addedAt(added: Added | undefined, key: string): number {
  if (added) for (let i = 0; i < added.length; i += 2) if (added[i] === key) return i
  return -1
}

/** Writes a line and its line end. `jb` is where that stands in the line. */
export function writeRow(out: Sink, raw: string, jb: JbPlace, added: Added | undefined): void {
  if (!added) {
    out.bytes(raw)
    out.text('\n')
    return
  }
  if (jb.size > 0 && onlyGains(raw, jb, added)) {
    out.bytes(raw.slice(0, jb.to(jb.size - 1)))
    writeAdded(out, jb, added, ',')
  } else rewrite(out, raw, jb, added)
  out.text('}}\n')
}

/** The common case: `jb` stands last and gains keys it does not have. */
function onlyGains(raw: string, jb: JbPlace, added: Added): boolean {
  for (let i = 0; i < added.length; i += 2) if (jb.indexOf(added[i] as string) >= 0) return false
  return jb.end >= raw.length - 1 || jb.end >= raw.lastIndexOf('}')
}

/** `jb` put together anew behind the user's part, its untouched members as they came. */
function rewrite(out: Sink, raw: string, jb: JbPlace, added: Added): void {
  writeUserPart(out, withoutJb(raw, jb))
  let comma = ''
  for (let i = 0; i < jb.size; i++) {
    const key = jb.key(i)
    const at = addedAt(added, key)
    if (at >= 0 && added[at + 1] === undefined) continue
    if (at < 0) out.bytes(comma + raw.slice(jb.at(i), jb.to(i)))
    else writeValue(out, `${comma}${JSON.stringify(key)}:`, added[at + 1])
    comma = ','
  }
  writeAdded(out, jb, added, comma)
}

function writeAdded(out: Sink, jb: JbPlace, added: Added, comma: string): void {
  for (let i = 0; i < added.length; i += 2) {
    if (added[i + 1] === undefined || jb.indexOf(added[i] as string) >= 0) continue
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
  out.text(empty ? '"jb":{' : ',"jb":{')
}
