/** `each`: one question for every element of a list in the item, such as its nuggets. */
import { asOwn, type ChatMessage, messagesOf } from '../../chat/message.ts'
import { callsIn, eachTurn, ofRoles, turnsFrom } from '../../chat/select.ts'
import type { Judge } from '../../judges/_judge.ts'
import { LARGEST_WINDOW, TYPED_WINDOW } from '../../judges/_questions.ts'
import { configError, isObject, type Json, RowFailure, type Trial, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { seededBytes } from '../../rows/seed.ts'
import { EXACT, plainValue } from '../../templates/chat.ts'
import { TemplateError, type Value } from '../../templates/index.ts'
import type { Asked } from './prompt.ts'

interface Element {
  /** Identifies the trial among those of its item: `{ nugget: id }`; for a window see verdicts/_window.ts. */
  trial: Omit<Trial, 'n' | 'of'>
  /** JSON text of the element, by its name in the templates. */
  extra: ReadonlyMap<string, string>
  /** Of typed questions: those of each element of a window. */
  asks?: Asked[]
}

/** What a trial has besides its element. */
const OWN = new Set([
  'n',
  'of',
  'order',
  'sample',
  'seed',
  'criterion',
  'options',
  'answers',
  'shown',
  'pair',
  'window',
])

const WHOLE_ITEM: Element[] = [{ trial: {}, extra: new Map() }]

/** The only question of a judge, once for each of these: `q1`, `q2`, … */
export const askedOfEach = (
  { questions = {} }: Judge,
  extras: readonly ReadonlyMap<string, string>[],
): Asked[] => extras.map((extra, i) => ({ name: `q${i + 1}`, of: Object.keys(questions)[0]!, extra }))

/** Parts of a list, each of this many or, the last one, fewer. */
export const windowsOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))

/**
 * Returns a function that lists the elements of an item, by the judge's `each: { nugget: nuggets }` (template name:
 * field of the item, or a filter on a conversation, as in `messages | turns`); a judge without `each` has one question about
 * the whole item. An element is identified by its `id`, by its text if it is a short string, else by a hash; a turn and a
 * message by their number.
 * @param window number of elements in one question, which templates see as `shown`; with 1, one by its own name; of typed
 *   questions number of elements in a request, each with a question of its own
 * @param map template names that --map binds to other fields
 * @param listed in place of the field: the elements that a row lists (--chain)
 * @throws Fatal (configuration); the returned function throws RowFailure missing_field or bad_record
 */
export function elementsOf(
  judge: Judge,
  window = 1,
  map: Readonly<Record<string, string>> = {},
  listed?: (row: Row) => Json[],
): (row: Row) => Element[] {
  const { each } = judge
  if (each === undefined && listed) throw usageError(`--chain: ${judge.where} asks about no list ("each")`)
  if (each === undefined) return () => WHOLE_ITEM
  const [entry, ...more] = isObject(each) ? Object.entries(each) : []
  if (!entry || more.length > 0 || typeof entry[1] !== 'string')
    throw configError(
      `${judge.where}: "each" must be one template name and the item's field: { nugget: nuggets }`,
    )
  const [name, source] = entry as [string, string]
  const [of, filter, selectsMessages] = filtered(source, judge)
  const field = map[of] ?? judge.fields[of] ?? of
  const key = filter ? `${name}s` : of
  const isSingle = window === 1 && !judge.questions
  for (const word of isSingle ? [name] : [name, key])
    if (OWN.has(word))
      throw configError(
        `${judge.where}: "each" has the name "${word}", which jb.trial has for something else`,
      )
  return (row) => heldByTemplates(source, () => elements(row))

  /** Messages that a filter selected are such again where the text is read. */
  function extraOf(called: string, json: string): Element['extra'] {
    const extra = new Map([[called, json]])
    return selectsMessages ? asOwn(extra) : extra
  }

  function elements(row: Row): Element[] {
    const list = listed ? listed(row) : filter ? filter(row.fieldText(field)) : row.field(field)
    if (!Array.isArray(list) || list.length === 0)
      throw new RowFailure(
        'missing_field',
        list === undefined
          ? `field "${field}" is missing (the judge asks about each element of this list; --chain takes the list that a judge made)`
          : `${filter ? `"${source}" of the item` : `field "${field}"`} is not a non-empty list (the judge asks about each element)`,
      )
    const ids = distinct(list.map((one) => (filter ? placeOf(one) : idOf(one as Json))))
    const found = list.map((element, i) => ({
      id: ids[i]!,
      json: filter ? EXACT.stringify(element) : JSON.stringify(element),
    }))
    if (isSingle) return found.map(({ id, json }) => ({ trial: { [name]: id }, extra: extraOf(name, json) }))
    return windowsOf(found, window).map((shown) => ({
      trial: { window: { [name]: key }, [key]: shown.map(({ id }) => id) },
      ...(judge.questions
        ? {
            extra: WHOLE_ITEM[0]!.extra,
            asks: askedOfEach(
              judge,
              shown.map(({ json }) => extraOf(name, json)),
            ),
          }
        : { extra: extraOf('shown', `[${shown.map(({ json }) => json).join(',')}]`) }),
    }))
  }
}

/** @throws RowFailure bad_record for values that the templates' language cannot hold, such as ones nested too deeply */
function heldByTemplates<T>(source: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new RowFailure('bad_record', `"${source}" of the item: ${error.message}`)
  }
}

/** A field, and what is made of its JSON text: `messages | roles('assistant')`. @throws Fatal (configuration) */
function filtered(
  source: string,
  { where }: Judge,
): [field: string, list?: (text: string | undefined) => unknown[] | undefined, selectsMessages?: boolean] {
  const [field, call] = source.split('|').map((part) => part.trim()) as [string, string | undefined]
  if (call === undefined) return [field]
  const [, name, given = ''] = /^(\w+)(?:\(([^()]*)\))?$/.exec(call) ?? []
  const args = given
    .split(',')
    .map((one) => one.trim().replace(/^(['"])(.*)\1$/, '$2'))
    .filter(Boolean)
  const select = Object.hasOwn(SELECT, name ?? '') ? SELECT[name!] : undefined
  if (!select || source.split('|').length > 2)
    throw configError(
      `${where}: "each" has "${source}", expected FIELD | ${Object.keys(SELECT).join(', or FIELD | ')}`,
    )
  return [
    field,
    (text) =>
      text === undefined
        ? undefined
        : select(messagesOf(plainValue(EXACT.parse(text) as Value), EXACT), args),
    select !== SELECT.tool_calls,
  ]
}

const SELECT: Record<string, (messages: ChatMessage[], args: string[]) => unknown[]> = {
  turns: (messages, [a, b = a]) =>
    a === undefined ? eachTurn(messages) : eachTurn(turnsFrom(messages, Number(a), Number(b))),
  tool_calls: (messages) => callsIn(messages, EXACT),
  roles: (messages, roles) => ofRoles(messages, roles),
}

/** What identifies a turn, a call or a message: its number, the call's id, the message's number. */
function placeOf(element: unknown): string | number {
  if (Array.isArray(element)) return (element[0] as ChatMessage).turn
  const { id, n, arguments: given } = element as Partial<ChatMessage & { arguments: Json }>
  return given === undefined ? String(n) : (id ?? String(n))
}

function idOf(element: Json): string {
  const given = isObject(element) ? element.id : undefined
  if (typeof given === 'string' || typeof given === 'number') return String(given)
  if (typeof element === 'string' && element.length <= 80) return element
  return seededBytes(JSON.stringify(element)).toString('hex').slice(0, 16)
}

/** The ids with `#2`, `#3`, … after repeated ones, where no other element has that id. */
function distinct<T extends string | number>(ids: T[]): (T | string)[] {
  const taken = new Set<string | number>(ids)
  const counts = new Map<string | number, number>()
  return ids.map((id) => {
    let count = (counts.get(id) ?? 0) + 1
    if (count > 1) while (taken.has(`${id}#${count}`)) count++
    counts.set(id, count)
    if (count === 1) return id
    taken.add(`${id}#${count}`)
    return `${id}#${count}`
  })
}

/**
 * The judge's `window`, which --set replaces; without one 1, or of typed questions 64.
 * @throws Fatal (usage, or configuration)
 */
export function windowSize(judge: Judge, set: readonly string[]): number {
  const { questions, set: { window = questions && TYPED_WINDOW } = {} } = judge
  if (window === undefined) return 1
  const given = set.findLast((text) => text.startsWith('window='))?.slice('window='.length)
  const size = Number(given ?? window)
  const most = questions ? LARGEST_WINDOW : Number.POSITIVE_INFINITY
  if (Number.isInteger(size) && size >= 1 && size <= most) return size
  const expected = `expected a whole number from 1 ${questions ? `to ${most}` : 'on'}`
  throw given === undefined
    ? configError(`${judge.where}: set: window is ${JSON.stringify(window)}: ${expected}`)
    : usageError(`--set window=${given}: ${expected}`)
}
