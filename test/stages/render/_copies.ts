/** What must hold of every copy with a planted fault, of random items. */
import assert from 'node:assert/strict'
import { placedConversation } from '../../../src/chat/message.ts'
import { JsonPlaces } from '../../../src/rows/json_places.ts'
import { isObject, type Json, type JsonObject } from '../../../src/rows/record.ts'
import { type Copy, planted } from '../../../src/stages/render/faults/faults.ts'
import { FAULTS, type FaultKind } from '../../../src/stages/render/faults/kinds.ts'
import { Material } from '../../../src/stages/render/faults/material.ts'
import { donorOf, ringOf } from '../../../src/stages/render/faults/texts.ts'
import { Choices } from '../../helpers/random.ts'
import { type ItemKind, randomItem, SHOWN } from './_items.ts'

/** Items of one kind and all of their copies, checked. @returns how many copies there are of each kind */
export function checkCopies(kind: ItemKind, seed: number, items: number): Map<FaultKind, number> {
  const some = new Choices(seed)
  const rows = Array.from({ length: items }, (_, i) => randomItem(some, `i${i}`, kind))
  const made = copiesOf(kind, rows)
  const turned = copiesOf(kind, rows.toReversed())
  assert.deepEqual(new Map([...turned].sort()), new Map([...made].sort()), 'the order of rows')
  const counts = new Map<FaultKind, number>()
  for (const { row, fault, copy } of made.values()) {
    checkCopy(kind, row, fault, copy)
    counts.set(fault, (counts.get(fault) ?? 0) + 1)
  }
  return counts
}

interface Made {
  row: string
  fault: FaultKind
  copy: Copy
}

function copiesOf(kind: ItemKind, rows: readonly string[]): Map<string, Made> {
  const { answers, names } = SHOWN[kind]
  const shown = {
    answers,
    texts: kind === 'text' ? ['answer'] : [],
    fields: new Map(names.map((name) => [name, name])),
  }
  const items = rows.map((row) => new Material(row, JSON.parse(row).id, shown))
  const ring = ringOf(items.map(donorOf), '0')
  return new Map(
    items.flatMap((item, i) => {
      const place = ring.findIndex(({ id }) => id === item.id)
      const after = [...ring.slice(place + 1), ...ring.slice(0, place)]
      return FAULTS.flatMap((fault) => {
        const copy = planted(item, fault, '0', () => after)
        return copy ? [[`${item.id}#${fault}`, { row: rows[i]!, fault, copy }] as const] : []
      })
    }),
  )
}

type Path = (string | number)[]
interface Difference {
  path: Path
  was: Json
  now: Json
}

function differences(was: Json, now: Json, path: Path = []): Difference[] {
  if (Array.isArray(was) && Array.isArray(now) && was.length === now.length)
    return was.flatMap((one, i) => differences(one, now[i]!, [...path, i]))
  if (isObject(was) && isObject(now) && Object.keys(was).join('\0') === Object.keys(now).join('\0'))
    return Object.keys(was).flatMap((key) => differences(was[key]!, now[key]!, [...path, key]))
  return JSON.stringify(was) === JSON.stringify(now) ? [] : [{ path, was, now }]
}

const ODD = /12345678901234567890|1e400|\[ 1\.0 ,\{ \}\]|\\u00e9\\ud83d/g

function checkCopy(kind: ItemKind, row: string, fault: FaultKind, { text, probe }: Copy): void {
  const [was, now] = [JSON.parse(row), JSON.parse(text)] as [JsonObject, JsonObject]
  const what = `${fault}: ${row}\n${text}`
  assert.deepEqual(text.match(ODD), row.match(ODD), what)
  assert.equal(probe.expect, fault === 'same' ? 'same' : 'worse')
  if (fault === 'call') checkRemoved(was, now, what)
  else checkChanged(kind, row, fault, { text, probe }, what)
  if (kind === 'talk') assert.ok(placedConversation(now.messages), what)
}

/** One value is another, of calls' arguments several. */
function checkChanged(
  kind: ItemKind,
  row: string,
  fault: FaultKind,
  { text, probe }: Copy,
  what: string,
): void {
  const [was, now] = [JSON.parse(row), JSON.parse(text)] as [JsonObject, JsonObject]
  const found = differences(was, now)
  for (const { path } of found) {
    if (fault !== 'arguments') checkBytes(row, text, path, what)
    const field =
      kind === 'text' ? 'answer' : kind === 'pair' ? SHOWN.pair.answers![probe.answer!] : 'messages'
    assert.equal(path[0], field, what)
  }
  if (kind === 'pair') checkPair(now, probe, fault, what)
  else if (fault === 'arguments') assert.ok(found.length > 0, what)
  else assert.equal(found.length, 1, what)
  if (kind !== 'pair') for (const one of found) checkKind(fault, one, probe, what)
}

/** All but the changed value is as it was, to the byte. */
function checkBytes(row: string, text: string, path: Path, what: string): void {
  const places = new JsonPlaces(row)
  let member = places.member(places.value as JsonObject, path[0]!)
  for (const key of path.slice(1)) member = places.member(member!.value as JsonObject, key)
  assert.ok(text.startsWith(row.slice(0, member!.start)) && text.endsWith(row.slice(member!.end)), what)
}

function checkPair(
  now: JsonObject,
  { answer, was, now: written }: Copy['probe'],
  fault: FaultKind,
  what: string,
) {
  const [damaged, other] = [answer!, 1 - answer!].map((place) => String(now[SHOWN.pair.answers![place]!]))
  if (fault === 'same') assert.equal(damaged, other, what)
  else if (fault === 'cut') assert.ok(other!.startsWith(damaged!) && damaged!.length < other!.length, what)
  else if (typeof was === 'string' && was !== '' && typeof written === 'string') {
    assert.ok(other!.includes(was) && damaged!.includes(written), what)
    assert.notEqual(damaged, other, what)
  }
}

function checkKind(fault: FaultKind, { was, now }: Difference, probe: Copy['probe'], what: string): void {
  const [before, after] = [was, now].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  if (fault === 'same') assert.equal(after, `${before}\n`, what)
  if (fault === 'cut') assert.ok(before!.startsWith(after!), what)
  if (fault === 'omit') assert.ok(before!.length > after!.length, what)
  if (fault === 'number' || fault === 'arguments')
    assert.ok(before!.includes(String(probe.was)) && after!.includes(String(probe.now)), what)
  if (fault === 'result') assert.match(after!, /Request failed: nothing was done and nothing was returned\./)
}

/** One call and its result are gone; what is said is as it was, in the same order. */
function checkRemoved(was: JsonObject, now: JsonObject, what: string): void {
  const [before, after] = [was, now].map(({ messages }) => placedConversation(messages)!)
  assert.deepEqual({ ...now, messages: null }, { ...was, messages: null }, what)
  const calls = (talk: typeof before) => talk!.messages.flatMap((one) => one.calls.map(({ name }) => name))
  const [some, fewer] = [calls(before), calls(after)]
  assert.equal(fewer.length, some.length - 1, what)
  const said = (talk: typeof before) =>
    talk!.messages.filter(({ role, text }) => role !== 'tool' && text !== '').map(({ text }) => text)
  assert.deepEqual(said(after), said(before), what)
  const results = (talk: typeof before) => talk!.messages.filter(({ role }) => role === 'tool').length
  assert.equal(results(after), results(before) - 1, what)
}
