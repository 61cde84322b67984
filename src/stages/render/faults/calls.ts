/** Faults of agents: a call that was never made, another argument, a result that failed. */
import type { Call, Draft, Origin } from '../../../chat/forms.ts'
import { type Edit, isHolder, JsonPlaces } from '../../../rows/json_places.ts'
import { isTooDeep } from '../../../rows/json_text.ts'
import { count } from '../../../rows/maps.ts'
import { isObject, type Json, type JsonObject } from '../../../rows/record.ts'
import type { Fault } from './fault.ts'
import { type Answer, keysIn, leavesOf, textOf, wordsIn } from './material.ts'
import {
  altered,
  isPrivate,
  keyOf,
  markKeys,
  marksIn,
  saysDone,
  saysSorry,
  sentencesOf,
  verbOf,
  withMark,
} from './words.ts'

const FAILED = 'Request failed: nothing was done and nothing was returned.'

/** A call in its conversation. */
interface Made {
  call: Call
  arguments: Origin | undefined
  /** The message that makes it, and the one that has its result. */
  at: number
  result: Draft | undefined
  resultAt: number
  holder: JsonObject
  /** Keys of the marks in what it asks, and in what its result says. */
  asked: Set<string>
  said: Set<string>
}

function callsOf({ talk, of: { places } }: Answer): Made[] {
  if (!talk) return []
  const { messages, results } = talk
  const place = new Map(messages.map((message, i) => [message, i]))
  return messages.flatMap((message, at) =>
    message.calls.map((call): Made => {
      const { holder, arguments: given } = message.callOrigins.get(call)!
      const result = results.get(call)
      return {
        call,
        arguments: given,
        at,
        result,
        resultAt: result ? place.get(result)! : -1,
        holder,
        asked: markKeys(askedBy(given, places)),
        said: markKeys(result ? textOf(result, places) : ''),
      }
    }),
  )
}

function askedBy(given: Origin | undefined, places: JsonPlaces): string {
  if (!given) return ''
  const value = places.member(given.of, given.key)?.value
  return typeof value === 'string' ? value : wordsIn(places, given.of, given.key).join('\n')
}

/** Calls that succeeded and on which a later message of the assistant visibly rests. */
function reliedOn(answer: Answer): Made[] {
  const { talk, of: item } = answer
  if (!talk) return []
  const calls = callsOf(answer)
  const told = toldIn(talk.messages, calls, item.places)
  const given = markKeys([item.question, ...item.sources, ...told.given].join('\n'))
  /** How many calls have a mark, and how many tools' names begin with a verb. */
  const calling = new Map<string, number>()
  for (const { asked, said } of calls) for (const key of new Set([...asked, ...said])) count(calling, key)
  const verbs = new Map<string, number>()
  for (const { call } of calls) count(verbs, verbOf(call.name) ?? '')

  const isNamed = (made: Made) => {
    const end = told.next[made.resultAt]!
    const verb = verbOf(made.call.name)
    if (verb === undefined || verbs.get(verb)! > 1 || told.lastCall[end] !== made) return false
    if (told.nextUser[made.resultAt]! < end) return false
    const text = told.texts[end]!
    return !saysSorry(text) && sentencesOf(text).some(([from, to]) => saysDone(text.slice(from, to), verb))
  }
  const isSeen = ({ asked, said, resultAt }: Made) =>
    [...said].some((key) => {
      const isOwn = isPrivate(key) && !asked.has(key) && !given.has(key) && calling.get(key) === 1
      return isOwn && (told.lastSaid.get(key) ?? -1) > resultAt
    })
  return calls.filter(
    (made) =>
      made.result !== undefined &&
      !made.result.failed &&
      told.next[made.resultAt]! >= 0 &&
      (isSeen(made) || isNamed(made)),
  )
}

/** What the assistant says after each message, so that no call has to look for it. */
function toldIn(messages: readonly Draft[], calls: readonly Made[], places: JsonPlaces) {
  const texts = messages.map((message) => textOf(message, places))
  const isSaid = messages.map(({ role }, i) => role === 'assistant' && texts[i]!.trim() !== '')
  /** The last message of the assistant that has a mark. */
  const lastSaid = new Map<string, number>()
  for (const [i, said] of isSaid.entries())
    if (said) for (const key of markKeys(texts[i]!)) lastSaid.set(key, i)
  /** After each message: the next one that the assistant says, -1 for none, and the next one of a user. */
  const [next, nextUser]: [number[], number[]] = [[], []]
  let [said, user] = [-1, Number.POSITIVE_INFINITY]
  for (let i = messages.length - 1; i >= 0; i--) {
    next[i] = said
    nextUser[i] = user
    if (isSaid[i]) said = i
    if (messages[i]!.role === 'user') user = i
  }
  /** The last call before each message. */
  const lastCall: (Made | undefined)[] = []
  let k = 0
  for (let i = 0; i < messages.length; i++) {
    while (k < calls.length && calls[k]!.at < i) k++
    lastCall[i] = calls[k - 1]
  }
  const given = texts.filter((_, i) => ['user', 'system'].includes(messages[i]!.role))
  return { texts, given, lastSaid, next, nextUser, lastCall }
}

/** A call and its result are taken out; what the assistant says of them stays. */
export const call: Fault = (answer, [, draw]) => {
  const found = reliedOn(answer)
  if (found.length === 0) return undefined
  const made = found[draw % found.length]!
  return { edits: removed(answer, made), told: { was: made.call.name } }
}

/** Edits that take out a call and its result, with the messages that hold nothing else. */
function removed(answer: Answer, made: Made): Edit[] {
  const { list, messages } = answer.talk!
  const result = made.result!
  const gone = new Set<unknown>([made.holder, result.holder ?? result.raw])
  const left = new Set<unknown>()
  for (const message of messages) {
    const calls = message.calls.filter((one) => one !== made.call)
    const holds = message.texts.some((text) => text !== '') || calls.length > 0 || message.media.length > 0
    if (message !== result && (holds || message.role === 'tool')) left.add(message.raw)
  }
  const touched = new Set<unknown>([messages[made.at]!.raw, result.raw])
  for (const raw of list) if (touched.has(raw) && !left.has(raw)) gone.add(raw)
  return cuts(answer.of.places, list, gone)
}

/** Edits that remove values, each with its comma; a list that is left empty goes with its key. */
function cuts(places: JsonPlaces, list: Json[], gone: ReadonlySet<unknown>): Edit[] {
  const edits: Edit[] = []
  const isEmptied = (value: Json) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => isHolder(one) && gone.has(one))
  const left: (Json[] | JsonObject)[] = [list]
  while (left.length > 0) {
    const holder = left.pop()!
    const isList = Array.isArray(holder)
    const members = places.members(holder).map(({ from, end, value }) => ({
      from,
      end,
      value,
      out: (isHolder(value) && gone.has(value)) || (!isList && isEmptied(value)),
    }))
    const last = members.findLastIndex(({ out }) => !out)
    for (const [i, { from, end, value, out }] of members.entries()) {
      if (!out) {
        if (isHolder(value)) left.push(value)
        continue
      }
      const following = members[i + 1]
      if (i > last && last >= 0) edits.push({ start: members[i - 1]!.end, end, text: '' })
      else edits.push({ start: from, end: following ? following.from : end, text: '' })
    }
  }
  return edits
}

/** The result says that the request failed; the assistant goes on as if it had not. */
export const result: Fault = (answer, [, draw]) => {
  const found = reliedOn(answer).flatMap((made) => {
    const edits = failing(answer, made.result!)
    return edits ? [{ edits, told: { was: made.call.name } }] : []
  })
  return found[draw % found.length]
}

function failing({ of: { places } }: Answer, { said, origins, media }: Draft): Edit[] | undefined {
  const whole = said && places.member(said.of, said.key)
  if (!whole) return undefined
  const error = `{"error":${JSON.stringify(FAILED)}}`
  const { value, start, end } = whole
  if (Array.isArray(value)) {
    const texts = origins.flatMap((origin) => (origin ? [places.member(origin.of, origin.key)!] : []))
    const [only] = texts
    if (texts.length !== 1 || media.length > 0) return undefined
    return [{ start: only!.start, end: only!.end, text: JSON.stringify(FAILED) }]
  }
  if (typeof value === 'string')
    return [{ start, end, text: JSON.stringify(isStructure(value) ? error : FAILED) }]
  return isObject(value) ? [{ start, end, text: error }] : undefined
}

const isStructure = (text: string): boolean => /^\s*[{[]/.test(text) && placesIn(text) !== undefined

function placesIn(text: string): JsonPlaces | undefined {
  if (isTooDeep(text)) return undefined
  try {
    return new JsonPlaces(text)
  } catch {
    return undefined
  }
}

/** One value of a call is another, which came from the user or from an earlier result. */
export const callArguments: Fault = (answer, [, draw, digit]) => {
  const { of: item } = answer
  const found = givenMarks(answer)
  for (const i of found.keys()) {
    const { made, mark } = found[(draw + i) % found.length]!
    const other = altered(mark, digit, item.marks)
    const edits = other === undefined ? [] : rewritten(made, item.places, mark, other)
    if (edits.length > 0) return { edits, told: { was: mark, now: other!, call: made.call.name } }
  }
  return undefined
}

/** Marks of calls' arguments that were given before, and that no other call of the tool has. */
function givenMarks(answer: Answer): { made: Made; mark: string }[] {
  const calls = callsOf(answer)
  const known = knownBefore(answer)
  /** By the tool's name and the mark: how many calls ask with it. */
  const asking = new Map<string, number>()
  const ofTool = ({ call }: Made, key: string) => `${call.name}\0${key}`
  for (const made of calls) for (const key of made.asked) count(asking, ofTool(made, key))
  return calls.flatMap((made) => {
    const own = argumentsOf(made, answer.of.places)
    if (!own) return []
    const value = own.value as JsonObject
    const inKeys = markKeys(...keysIn(own, value))
    const given = known(made.at)
    const marks = new Set(wordsIn(own, value).flatMap((word) => marksIn(word).map(({ text }) => text)))
    return [...marks].flatMap((mark) => {
      const key = keyOf(mark)
      const alone = (asking.get(ofTool(made, key)) ?? 0) <= 1
      return given.has(key) && alone && !inKeys.has(key) ? [{ made, mark }] : []
    })
  })
}

/** A function that gives the marks that stand before a message, in the question or what users, systems and tools said; messages in order. */
function knownBefore({ talk, of: item }: Answer): (at: number) => ReadonlySet<string> {
  const given = (talk?.messages ?? []).map((message) =>
    ['user', 'system', 'tool'].includes(message.role) && !message.failed
      ? textOf(message, item.places)
      : undefined,
  )
  // As one text: a code block that a message leaves open holds what follows.
  const marks = marksIn([item.question, ...given.filter((text) => text !== undefined)].join('\n'))
  const known = new Set<string>()
  let [place, read, end] = [0, 0, item.question.length]
  return (at) => {
    for (; place < at; place++) if (given[place] !== undefined) end += 1 + given[place]!.length
    for (; read < marks.length && marks[read]!.end <= end; read++) known.add(keyOf(marks[read]!.text))
    return known
  }
}

/** The object of a call's arguments: the value, or that of a text. */
function argumentsOf({ arguments: given }: Made, places: JsonPlaces): JsonPlaces | undefined {
  const member = given && places.member(given.of, given.key)
  if (!member) return undefined
  const text = typeof member.value === 'string' ? member.value : places.text.slice(member.start, member.end)
  const own = placesIn(text)
  return own && isObject(own.value) ? own : undefined
}

function rewritten(made: Made, places: JsonPlaces, mark: string, other: string): Edit[] {
  const member = places.member(made.arguments!.of, made.arguments!.key)!
  const own = argumentsOf(made, places)!
  const inner = leavesOf(own, own.value as JsonObject).flatMap(({ value, start, end }): Edit[] => {
    const word = typeof value === 'string' ? value : own.text.slice(start, end)
    const changed = withMark(word, mark, other)
    if (changed === word) return []
    return [{ start, end, text: typeof value === 'string' ? JSON.stringify(changed) : changed }]
  })
  if (typeof member.value !== 'string')
    return inner.map(({ start, end, text }) => ({
      start: start + member.start,
      end: end + member.start,
      text,
    }))
  if (inner.length === 0) return []
  return [{ start: member.start, end: member.end, text: JSON.stringify(own.edited(inner)) }]
}
