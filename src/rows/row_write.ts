/** Writes a row: its line with the changes to `jb`, everything else unchanged. */

import { ascii, type Latin1, type Sink, type Spliced, writeValue, written } from './bytes.ts'
import type { Line } from './line.ts'
import { COMMA, isJsonSpace, OPEN } from './text_scan.ts'

/** Key, value, key, value, …; the value undefined removes the key. */
export type Added = readonly unknown[]

/** Index of a key among the changes; -1 if there is none. */
export function addedAt(added: Added | undefined, key: string): number {
  if (added) for (let i = 0; i < added.length; i += 2) if (added[i] === key) return i
  return -1
}

/** JSON of the added values, one for each key. */
type Texts = readonly (string | Spliced | undefined)[]

/**
 * Writes a line with its changes, and a line end.
 * @throws RangeError if a value is nested too deeply; then nothing is written
 */
export function writeRow(out: Sink, line: Line, added: Added | undefined): void {
  if (!added) {
    line.write(out, line.begin, line.end)
    out.bytes(ascii('\n'))
    return
  }
  // The common case: one new key.
  if (added.length === 2 && added[1] !== undefined && line.size > 0 && onlyGains(line, added)) {
    const value = written(added[1])
    line.write(out, line.begin, line.to(line.size - 1))
    writeValue(out, ascii(`,"${added[0]}":`), value)
    out.bytes(ascii('}}\n'))
    return
  }
  const texts: (string | Spliced | undefined)[] = []
  for (let i = 1; i < added.length; i += 2) texts.push(added[i] === undefined ? undefined : written(added[i]))
  if (line.size > 0 && onlyGains(line, added)) {
    line.write(out, line.begin, line.to(line.size - 1))
    writeAdded(out, line, added, texts, ',')
  } else rewrite(out, line, added, texts)
  out.bytes(ascii('}}\n'))
}

/** Whether `jb` is the last member, and all changes are new keys: they can be appended to it. */
function onlyGains(line: Line, added: Added): boolean {
  for (let i = 0; i < added.length; i += 2) if (line.indexOf(added[i] as string) >= 0) return false
  const { block, end, jbEnd } = line
  return jbEnd >= end - 1 || jbEnd >= block.lastIndexOf('}', end)
}

/** Writes the user's part and then `jb`, its other members unchanged. */
function rewrite(out: Sink, line: Line, added: Added, texts: Texts): void {
  writeUserPart(out, line)
  let comma = ''
  for (let i = 0; i < line.size; i++) {
    const key = line.key(i)
    const at = addedAt(added, key)
    if (at >= 0 && added[at + 1] === undefined) continue
    if (at < 0) {
      out.bytes(ascii(comma))
      line.write(out, line.keyAt(i), line.to(i))
    } else writeValue(out, ascii(`${comma}${JSON.stringify(key)}:`), texts[at / 2]!)
    comma = ','
  }
  writeAdded(out, line, added, texts, comma)
}

function writeAdded(out: Sink, line: Line, added: Added, texts: Texts, comma: string): void {
  let text = ''
  for (let i = 0; i < added.length; i += 2) {
    const value = texts[i / 2]
    if (value === undefined || line.indexOf(added[i] as string) >= 0) continue
    text += `${comma}"${added[i]}":`
    comma = ','
    if (typeof value === 'string') text += value
    else {
      out.text(text)
      value.write(out)
      text = ''
    }
  }
  if (text !== '') out.text(text)
}

/** Writes the user's part up to the place of `jb`, and `jb`'s key. */
function writeUserPart(out: Sink, line: Line): void {
  const { block, begin, jbBegin } = line
  // The common case: `jb` is the last member, so the user's part is one range.
  if (jbBegin > begin && line.jbEnd === line.end - 1 && block.at(jbBegin) === COMMA) {
    line.write(out, begin, jbBegin)
    out.bytes(ascii(',"jb":{'))
    return
  }
  const text = line.user
  const user = text.slice(0, text.lastIndexOf('}')) as Latin1
  let end = user.length
  while (isJsonSpace(user.charCodeAt(end - 1))) end--
  out.bytes(user)
  const empty = user.charCodeAt(end - 1) === OPEN && user.trimStart().length === 1 + user.length - end
  out.bytes(ascii(empty ? '"jb":{' : ',"jb":{'))
}
