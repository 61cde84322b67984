/**
 * Rule `option`: reads one of the options of the trial (`jb.trial.options`), or one of its answers.
 *
 * ```yaml
 * verdict:
 *   rule: option
 *   read: json          # {"explanation", "selected_option", "feedback"}: the option, in any case; without JSON and
 *                       #   feedback an option alone on the last line
 *   read: place         # a number: the position of the option, from 1; `pattern`, `flags`, `pick` as in rule number
 * ```
 */
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { configError, RowFailure } from '../rows/record.ts'
import { lastObject, valuesIn } from './_json.ts'
import { FORM } from './_keys.ts'
import { confidenceIn, logprobsIn, numberIn, sharesOf } from './_logprobs.ts'
import {
  atPlace,
  KEYS_OF_REPLY,
  namedOption,
  optionCount,
  sameOption,
  textsOf,
  verdictFor,
} from './_options.ts'
import { type Read, type Rule, standing } from './_rule.ts'
import { matchable } from './_text.ts'
import { checkedScore, finderOf } from './number.ts'

export const picks = true

export const kinds = ['choice', 'listwise'] as const

export const structured = ({ read }: VerdictConfig) => read !== 'place'

/** The keys of its `verdict`. */
export const keys = ['read', ...FORM]

export const rule: Rule = (config, judge) => {
  switch (config.read ?? 'json') {
    case 'json':
      return fromJson(judge)
    case 'place':
      return place(config, judge)
    default:
      throw configError(`${judge.where}: verdict.read is "${config.read}", expected json or place`)
  }
}

function fromJson(judge: Judge): Read {
  const { option: key, explanation } = KEYS_OF_REPLY
  return (text, { trial, explain }) => {
    const options = trial?.options
    const found = lastObject(
      valuesIn(text),
      key,
      (object) => object[key],
      (value) => namedOption(key, value, options),
      explain,
    )
    if (!(found instanceof RowFailure))
      return standing(() => ({
        label: found.meaning,
        ...verdictFor(judge, found.meaning, options),
        ...textsOf(found.object, trial),
        ...(found.repaired && { repaired: true }),
      }))
    const alone = trial?.feedback === true ? undefined : lastLine(text, options)
    if (!alone) throw found
    const { option, before } = alone
    return {
      ...{ label: option, ...verdictFor(judge, option, options) },
      ...(before !== '' && { [explanation]: before }),
    }
  }
}

/** The option that is alone on the last line, and the text before it. */
function lastLine(
  text: string,
  options: readonly string[] = [],
): { option: string; before: string } | undefined {
  const lines = matchable(text).trim().split('\n')
  const option = sameOption(lines.pop()!, options)
  return option === undefined ? undefined : { option, before: lines.join('\n').trim() }
}

/** Reads the position of an option. */
function place(config: VerdictConfig, judge: Judge): Read {
  const find = finderOf(config, judge)
  return (text, context) => {
    const { value, within } = find(text, context)
    const options = context.trial?.options
    const places = optionCount(judge, options)
    const at = checkedScore(value, places === undefined ? undefined : [1, places])
    if (!Number.isInteger(at) || at < 1)
      throw new RowFailure('out_of_range', `the score ${at} is no place of an option`)
    const verdict = atPlace(at, context.whole ?? text, judge, options)
    const logprobs = logprobsIn(context)
    if (logprobs === undefined) return verdict
    const saidAt = (place: number) => {
      const { option, winner } = atPlace(place, '', judge, options)
      return option ?? winner
    }
    const shares = sharesOf(value, within, logprobs, (candidate) => {
      const place = numberIn(candidate, places === undefined ? undefined : [1, places])
      return place === undefined || !Number.isInteger(place) ? undefined : saidAt(place)
    })
    return { ...verdict, ...confidenceIn(shares, saidAt(at)) }
  }
}
