/** EvalAssist's readings (IBM/eval-assist 5a1bd42): its own clean-up of JSON, and a random option where that fails. */
import { closest } from '../../python/difflib.ts'
import { readFloat } from '../../python/numbers.ts'
import { SPACE } from '../../python/unicode.ts'
import { foreignJson } from '../../rows/foreign_json.ts'
import { isObject, type JsonObject, RowFailure } from '../../rows/record.ts'
import { seededBytes } from '../../rows/seed.ts'
import {
  atPlace,
  KEYS_OF_REPLY,
  notAnOption,
  optionCount,
  schemaOf,
  textsOf,
  verdictFor,
} from '../_options.ts'
import { firstGroup, nothing, type Reading } from '../_original.ts'
import type { ReadContext } from '../_rule.ts'
import { sanitize } from './_sanitize.ts'

function objectIn(text: string): JsonObject {
  let clean: string
  try {
    clean = sanitize(text)
  } catch (error) {
    throw new RowFailure('no_verdict', (error as Error).message, { crash: true })
  }
  try {
    const value = foreignJson(clean)
    // Its JSON reader refuses half a surrogate pair, also in a member whose key occurs again.
    const decoded = clean.replace(/\\u([\da-f]{4})|\\./gi, (_, hex) =>
      hex ? String.fromCharCode(Number(`0x${hex}`)) : '',
    )
    if (/\p{Cs}/u.test(decoded) || !isObject(value)) throw new SyntaxError('no object')
    return value
  } catch {
    throw new RowFailure('no_verdict', 'the reply is not JSON after the clean-up')
  }
}

/** All keys and no others, the option word for word. */
const structured: Reading = {
  read(text, { trial }, judge) {
    const value = objectIn(text)
    const texts = textsOf(value, trial)
    const option = value[KEYS_OF_REPLY.option]
    if (typeof option !== 'string')
      throw new RowFailure('no_verdict', `"${KEYS_OF_REPLY.option}" is missing or no string in the JSON`)
    const required = schemaOf(trial ?? {}).required as string[]
    const extra = Object.keys(value).find((key) => !required.includes(key))
    if (extra !== undefined) throw new RowFailure('no_verdict', `unexpected key "${extra}" in the JSON`)
    const options = trial?.options
    // It accepts a tie that was not offered.
    const isTie = option === 'tie' && trial?.answers !== undefined
    if (options && !options.includes(option) && !isTie)
      throw notAnOption(KEYS_OF_REPLY.option, option, options)
    return { label: option, ...verdictFor(judge, option, options), ...texts }
  },
  otherwise(failure, _, context, judge) {
    const { trial, reply } = context
    const options = trial?.options
    if (!options || trial?.on_generation_failure === 'raise') throw failure
    // An empty first reply crashes the original; an empty reply to its repair request ends the repair.
    if (failure.detail.crash && (reply?.turns ?? []).length < 2) throw failure
    // The original takes a random option. Here it depends on the item and the trial, and still counts as a failure.
    const option = options[drawOf(context) % options.length]!
    return {
      label: null,
      ...verdictFor(judge, option, options),
      explanation: '',
      ...(trial?.feedback === true && { feedback: '' }),
      failure: failure.code,
    }
  },
}

function drawOf({ trial, id, item }: ReadContext): number {
  const { n: _n, of: _of, options: _options, seed: _seed, ...which } = trial ?? { n: 0, of: 1 }
  return seededBytes(`option:0:${id ?? JSON.stringify(item())}:${JSON.stringify(which)}`).readUInt32BE()
}

/** The closest option, however low its ratio; it counts as a failure unless it is named, or close enough and alone. */
const closestOption: Reading = {
  read(text, { trial }, judge) {
    const options = trial?.options
    const best = options && closest(text, options)
    if (!best)
      throw new RowFailure(
        'missing_field',
        'jb.trial.options is missing: the reply is compared with the options',
      )
    const doubtful = mentions(text, options).length !== 1 && (best.ratio < 0.6 || best.tied)
    return {
      label: best.option,
      ...verdictFor(judge, best.option, options),
      ratio: Math.round(best.ratio * 1e6) / 1e6,
      ...(doubtful && { failure: 'no_verdict' }),
    }
  },
}

/** Options that the text has as whole words, in any case; a longer option hides those within it. */
function mentions(text: string, options: readonly string[]): string[] {
  let rest = text
  return options
    .toSorted((a, b) => b.length - a.length)
    .filter((option) => {
      const words = option.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
      const pattern = new RegExp(`(?<![\\p{L}\\p{N}_]|\\d[.,])${words}(?![\\p{L}\\p{N}_]|[.,]\\d)`, 'giu')
      if (words.trim() === '' || !pattern.test(rest)) return false
      rest = rest.replace(pattern, '\n')
      return true
    })
}

const S = `[${SPACE}]`
const SCORE = new RegExp(
  `(?:\\[result\\]:?|\\[score\\]|score${S}+of|score:?|result:?)[${SPACE}(\\[]*(\\p{Nd}+)(?:[)\\]]|\\/${S}*5|${S}*out${S}*of${S}*5)?${S}*$`,
  'iu',
)
const RESULT = new RegExp(
  `(?:\\[result\\](?:${S}+response)?|\\[result:|\\[response${S}|(?<![^\\n])result:?)${S}*([AB])\\]?${S}*(?![^\\n])`,
  'iu',
)

export const readings: Record<string, Reading> = {
  direct: structured,
  pairwise: structured,
  unitxt: closestOption,
  m_prometheus: {
    read(text, { trial }, judge) {
      const digits = firstGroup(text, SCORE)
      if (digits === undefined) throw nothing('score')
      const at = readFloat(digits) ?? Number.NaN
      const options = trial?.options
      const places = optionCount(judge, options)
      if (!Number.isInteger(at) || at < 1 || (places !== undefined && at > places))
        throw new RowFailure('out_of_range', `the score ${digits} is not within 1 to ${places}`)
      return atPlace(at, text, judge, options)
    },
  },
  m_prometheus_pairwise: {
    read(text) {
      const label = firstGroup(text, RESULT)
      if (label === undefined) throw nothing('letter')
      return { label, winner: 'AB'.indexOf(label.toUpperCase()) }
    },
    otherwise: ({ code }) => ({ label: null, winner: 1, failure: code }),
  },
}
