/**
 * Rule `option`: reads one of the options of the trial (`jb.trial.options`), or one of its answers.
 *
 * ```yaml
 * verdict:
 *   rule: option
 *   read: json          # {"explanation", "selected_option", "feedback"}: the option, in any case
 *   read: closest       # free text: the option it names, else the most similar one (difflib's ratio)
 *   least: 0.6          #   closest: a lower ratio is no verdict, nor are two options with the same ratio
 *   read: place         # a number: the position of the option, from 1
 *   pattern: '\[RESULT\]\s*(\d+)'   # place: the first group is the number; `flags`, `pick` as in rule label;
 *                       #   a match with an empty group is skipped
 *   sanitize: evalassist, otherwise: random   # with --compat: the original's reading and its fallback
 * ```
 * json: the whole reply, else a fenced block, else JSON between words, else any of these after repair; without feedback
 * also the option alone, or after `Selected option:`.
 */
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { readFloat } from '../python/numbers.ts'
import {
  configError,
  isObject,
  type Json,
  type JsonObject,
  RowFailure,
  type Trial,
  type Verdict,
} from '../rows/record.ts'
import { seededBytes } from '../rows/seed.ts'
import { foreignJson } from '../rows/text_scan.ts'
import { closest } from './_closest.ts'
import { asObject, embedded, findJson } from './_json.ts'
import { checkKeys } from './_keys.ts'
import { asOption, mentions } from './_options.ts'
import { patternOf } from './_pattern.ts'
import { conflict, picked } from './_pick.ts'
import { orElse, type Read, type ReadContext, type Rule } from './_rule.ts'
import { sanitize } from './_sanitize.ts'
import { KEYS_OF_REPLY, schemaOf } from './_structured.ts'

const KEYS = ['read', 'least', 'pattern', 'flags', 'pick', 'sanitize', 'otherwise', 'example']

/** The chosen option, in the words shown, and the rest of the verdict. */
type Chosen = Partial<Verdict> & { option: string }
type Choose = (text: string, options: string[] | undefined, context: ReadContext) => Chosen

export const picks = true

export const kinds = ['choice', 'listwise'] as const

export const rule: Rule = (config, judge) => {
  checkKeys(config, KEYS, judge)
  const how = String(config.read ?? 'json')
  const choose = READINGS[how]?.(config, judge)
  if (!choose)
    throw configError(
      `${judge.where}: verdict.read is "${how}", expected one of ${Object.keys(READINGS).join(', ')}`,
    )

  const read: Read = (text, context) => {
    const options = context.trial?.options
    const { option, ...more } = choose(text, options, context)
    return { label: option, ...named(judge, option, options), ...more }
  }
  if (how === 'json') read.schema = ({ trial }) => schemaOf(trial ?? {})
  if (config.otherwise !== 'random') return read
  return orElse(read, (failure, _, context) => {
    const { trial, reply } = context
    const options = trial?.options
    if (!options || trial?.on_generation_failure === 'raise') throw failure
    // An empty first reply crashes the original; an empty reply to its repair request ends the repair.
    if (failure.detail.crash && (reply?.turns ?? []).length < 2) throw failure
    // The original takes a random option. Here it depends on the item and the trial, and still counts as a failure.
    const option = options[drawOf(context) % options.length]!
    const feedback = trial?.feedback === true && { feedback: '' }
    return {
      label: null,
      ...named(judge, option, options),
      explanation: '',
      ...feedback,
      failure: failure.code,
    }
  })
}

/** For kind choice the option; for kind listwise the index of the answer that it labels, in the order shown. */
function named(judge: Judge, option: string, options: string[] | undefined): Partial<Verdict> {
  if (judge.kind !== 'listwise') return { option }
  if (option === 'tie') return { winner: 'tie' }
  return { winner: options ? options.indexOf(option) : Number(/(\d+)$/.exec(option)?.[1]) - 1 }
}

function drawOf({ trial, id, item, seed }: ReadContext): number {
  const { n: _n, of: _of, options: _options, seed: _seed, ...which } = trial ?? { n: 0, of: 1 }
  return seededBytes(
    `option:${seed ?? '0'}:${id ?? JSON.stringify(item())}:${JSON.stringify(which)}`,
  ).readUInt32BE()
}

/** Reads a structured reply. */
const structured: Choose = (text, options, { trial }) => {
  const found = (trial?.feedback !== true && inWords(text, options)) || objectIn(text)
  const said = found.value[KEYS_OF_REPLY.option]
  const isWord = typeof said === 'number' || typeof said === 'boolean'
  const value = isWord ? { ...found.value, [KEYS_OF_REPLY.option]: String(said) } : found.value
  const { option: word, ...more } = textsOf(value, trial)
  const option = asOption(word, options) ?? asOption(YES_NO[word] ?? '', options) ?? word
  if (options && !options.includes(option)) throw notOffered(option, options)
  return { option, ...more, ...(found.repaired && { repaired: true }) }
}

/** The same, as the original does: its own JSON, no other keys, the option word for word. */
const originalStructured: Choose = (text, options, { trial }) => {
  const value = originalObject(text)
  const chosen = textsOf(value, trial)
  const required = requiredKeys(trial)
  const extra = Object.keys(value).find((key) => !required.includes(key))
  if (extra !== undefined) throw new RowFailure('no_verdict', `unexpected key "${extra}" in the JSON`)
  // It accepts a tie that was not offered.
  const isTie = chosen.option === 'tie' && trial?.answers !== undefined
  if (options && !options.includes(chosen.option) && !isTie) throw notOffered(chosen.option, options)
  return chosen
}

const requiredKeys = (trial: Trial | undefined) => schemaOf(trial ?? {}).required as string[]

/** The texts of a structured reply. @throws RowFailure no_verdict if one is missing or no text */
function textsOf(value: JsonObject, trial: Trial | undefined): Chosen {
  for (const key of requiredKeys(trial)) {
    const said = value[key]
    const problem = said === undefined ? 'missing in the JSON' : `${shown(said)}, expected a string`
    if (typeof said !== 'string') throw new RowFailure('no_verdict', `"${key}" is ${problem}`)
  }
  const { option, explanation, feedback } = KEYS_OF_REPLY
  const chosen = { option: value[option] as string, explanation: value[explanation] as string }
  return trial?.feedback === true ? { ...chosen, feedback: value[feedback] as string } : chosen
}

const notOffered = (option: string, options: string[]) =>
  new RowFailure('no_verdict', `"selected_option" is ${shown(option)}, expected one of ${listed(options)}`)

/** What true and false say where the options are Yes and No. */
const YES_NO: Record<string, string> = { true: 'yes', false: 'no' }

const shown = (value: Json) => JSON.stringify(value).slice(0, 60)
const listed = (options: string[]) => options.map((option) => JSON.stringify(option)).join(', ')

function objectIn(text: string): { value: JsonObject; repaired: boolean } {
  const found = findJson(text)
  if (!found) throw new RowFailure('no_verdict', 'the reply holds no JSON object')
  if (found.how === 'embedded') checkOnce(text)
  return { value: asObject(holder(found.value)), repaired: found.how === 'repaired' }
}

/** @throws RowFailure conflict for two objects with different options and no word between them */
function checkOnce(text: string): void {
  const [last, before] = embedded(text)
  if (last === undefined || before === undefined) return
  const at = text.lastIndexOf(last)
  const between = text.slice(text.lastIndexOf(before, at - before.length) + before.length, at)
  if (/[\p{L}\p{N}]/u.test(between)) return
  const said = [before, last].flatMap((one) => /"selected_option"\s*:\s*("[^"]*")/.exec(one)?.[1] ?? [])
  if (new Set(said).size > 1) throw conflict('options', said)
}

/**
 * The object with the option, where it stands in a list of one, or under one key of another: `{"arguments": {…}}`. Its
 * keys may be written otherwise (`selectedOption`), and the option may be in a list of its own.
 */
function holder(value: Json): Json {
  if (value === null || (isObject(value) && typeof value[KEYS_OF_REPLY.option] === 'string')) return value
  const [found, ...more] = [value, ...Object.values(value)].flatMap(
    (one) => (isObject(one) && renamed(one)) || [],
  )
  return found && more.length === 0 ? found : value
}

/** Keys of an option under another name. */
const CHOICE = /^(?:best|chosen|final|selected)?(?:option|choice|selection|verdict|decision|winner|label)$/

/** An object with the keys of the structured reply; undefined without an option. */
function renamed(object: JsonObject): JsonObject | undefined {
  const plain = (key: string) => key.toLowerCase().replace(/[ _-]/g, '')
  const choices = Object.keys(object).filter((key) => CHOICE.test(plain(key)))
  const named = Object.entries(object).map(([key, value]): [string, Json] => {
    const own =
      choices.length === 1 && key === choices[0]
        ? KEYS_OF_REPLY.option
        : Object.values(KEYS_OF_REPLY).find((one) => plain(one) === plain(key))
    return [own === undefined || own in object ? key : own, value]
  })
  const made = Object.fromEntries(named)
  const said = made[KEYS_OF_REPLY.option]
  if (Array.isArray(said) && said.length === 1) made[KEYS_OF_REPLY.option] = said[0]!
  return said === undefined ? undefined : made
}

/** An option and no JSON: alone, or after `Selected option:`. @throws RowFailure conflict for two that differ */
function inWords(
  text: string,
  options: string[] | undefined,
): { value: JsonObject; repaired: boolean } | undefined {
  if (text.includes('{')) return undefined
  const lines = [...text.matchAll(SELECTED)].map(([, said]) => said!)
  const said = lines.length > 0 ? lines : [text.replace(SENTENCE, '')]
  const found = said.map((one) => asOption(one, options))
  if (new Set(found).size > 1) throw conflict('options', said)
  const [option] = found
  if (option === undefined) return undefined
  const { option: key, explanation } = KEYS_OF_REPLY
  return { value: { [key]: option, [explanation]: text.trim() }, repaired: true }
}

/** `The answer is `, ` is better.`, around an option and nothing else. */
const SENTENCE =
  /^\W{0,9}(?:(?:the|this) (?:answer|response|text)|it)(?: is|['’]s):? (?:an? )?|(?<=\w) is (?:(?:clearly|slightly|much) )?(?:the )?(?:better|best)(?: one)?\W{0,9}$/gi

/** An option on the rest of a line, after its name; not in a quotation. */
const SELECTED =
  /(?<=(?:^|[\n.!?<>*_#][ \t]{0,3})"?)(?:(?:(?:the )?best |selected[ _])?(?:option|choice|selection|final answer|verdict|rating)["*_]{0,3}(?:[ \t]{0,3}[:：]|>|[ \t]{0,3}\n)|I (?:would )?(?:choose|select|pick) )([^\n<]{1,60})/gi

function originalObject(text: string): JsonObject {
  let clean: string
  try {
    clean = sanitize(text)
  } catch (error) {
    throw new RowFailure('no_verdict', (error as Error).message, { crash: true })
  }
  try {
    const value = asObject(foreignJson(clean) as Json)
    // Its JSON reader refuses half a surrogate pair, also in a member whose key occurs again.
    const decoded = clean.replace(/\\u([\da-f]{4})|\\./gi, (_, hex) =>
      hex ? String.fromCharCode(Number(`0x${hex}`)) : '',
    )
    if (/\p{Cs}/u.test(decoded)) throw new SyntaxError('half a surrogate pair')
    return value
  } catch (error) {
    if (error instanceof RowFailure) throw error
    throw new RowFailure('no_verdict', 'the reply is not JSON after the clean-up')
  }
}

/** Reads free text that should name an option. */
function closestOption(config: VerdictConfig): Choose {
  const least = config.least === undefined ? 0.6 : Number(config.least)
  const original = config.sanitize === 'evalassist'
  return (text, options) => {
    const best = options && closest(text, options)
    if (!best)
      throw new RowFailure(
        'missing_field',
        'jb.trial.options is missing: the reply is compared with the options',
      )
    const ratio = Math.round(best.ratio * 1e6) / 1e6
    const mentioned = mentions(text, options)
    const option =
      mentioned.length === 1 ? mentioned[0]! : best.ratio >= least && !best.tied ? best.option : undefined
    // The original takes the closest option, however low its ratio.
    if (original)
      return { option: best.option, ratio, ...(option === undefined && { failure: 'no_verdict' }) }
    if (option === undefined)
      throw new RowFailure(
        'no_verdict',
        `"${text.trim().slice(0, 40)}" names none of ${listed(options)}; the closest is "${best.option}" with a ratio of ${ratio.toFixed(2)}`,
      )
    return { option, ratio, ...(best.ratio < least && { doubtful: true }) }
  }
}

/** Reads the position of an option. */
function place(config: VerdictConfig, judge: Judge): Choose {
  const match = patternOf(config.pattern, String(config.flags ?? ''), judge)
  return (text, options) => {
    const found = match(text).flatMap((one) => one.text || [])
    if (found.length === 0) throw new RowFailure('no_verdict', `looked for ${config.pattern}, and found none`)
    const number = picked(found, config.pick ?? 'last', 'verdicts', (one) => one)
    const at = readFloat(number) ?? Number.NaN
    const places = options?.length ?? (typeof judge.options === 'number' ? judge.options : undefined)
    if (!Number.isInteger(at) || at < 1 || (places !== undefined && at > places))
      throw new RowFailure('out_of_range', `the score ${number} is not within 1 to ${places}`)
    return { option: options?.[at - 1] ?? String(at), raw_score: at, explanation: text.trim() }
  }
}

/** The values of `read`. */
const READINGS: Record<string, (config: VerdictConfig, judge: Judge) => Choose> = {
  json: ({ sanitize }) => (sanitize === 'evalassist' ? originalStructured : structured),
  closest: closestOption,
  place,
}
