/** How a judge reads replies: its rule, set up once and applied to every reply. */

import { members } from '../files/members.ts'
import type { Judge } from '../judges/_judge.ts'
import { didYouMean } from '../options/nearest.ts'
import { configError, RowFailure } from '../rows/record.ts'
import { ownParse } from './_own.ts'
import { loadPatterns, pythonPatterns } from './_pattern.ts'
import { checkedRange } from './_range.ts'
import { orElse, type Read, type ReadContext, type RuleModule } from './_rule.ts'
import { lineByLine } from './_window.ts'

interface ReadSettings {
  pick?: string
  compat?: string
  /** For grades: the score recorded for a reply without one, which still counts as a failure. */
  fallback?: number
  /** With `compat`: fail a reply to which the original gives a default value, so that --repair asks again. */
  raise?: boolean
  /** Called with a message about a setting that has no effect. */
  note?: (message: string) => void
}

/** The reading function of a judge, with `--pick` and `--compat` applied. @throws Fatal (configuration) */
export async function readerOf(judge: Judge, settings: ReadSettings = {}): Promise<Read> {
  const read = bounded(lineByLine(await strictReader(judge, settings), judge))
  const { fallback } = settings
  if (fallback === undefined) return read
  if (judge.kind !== 'grade') {
    settings.note?.(`--fallback has no effect on ${judge.where}: a ${judge.kind} judge gives no grade`)
    return read
  }
  noteFallback(fallback, judge, settings)
  return orElse(read, ({ code }) => ({ label: null, score: fallback, failure: code }))
}

/** Turns a stack overflow into the failure of one row. */
function bounded(read: Read): Read {
  const safe: Read = (text, context) => {
    try {
      return read(text, context)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new RowFailure('bad_response', `the reply cannot be read: ${error.message}`)
    }
  }
  return Object.assign(safe, read)
}

/** Notes that a fallback is outside the judge's range. It is allowed as a marker (FastChat's -1), but counts in a mean. */
function noteFallback(fallback: number, judge: Judge, { compat, note }: ReadSettings): void {
  const config = (compat && judge.compat?.[compat]) || judge.verdict
  const [low, high] = checkedRange(config?.range ?? judge.range, judge) ?? []
  if (low !== undefined && high !== undefined && (fallback < low || fallback > high))
    note?.(`--fallback ${fallback}: the scores of ${judge.where} are from ${low} to ${high}`)
}

async function strictReader(judge: Judge, settings: ReadSettings): Promise<Read> {
  const { compat } = settings
  const original = compat ? judge.compat?.[compat] : undefined
  const unchanged = (option: string, why: string) =>
    settings.note?.(`--${option} has no effect on ${judge.where}: ${why}`)
  if (compat && !original) unchanged(`compat ${compat}`, `${originalsOf(judge)}; its own rule reads replies`)
  const unpicked = (why: string) => settings.pick && unchanged(`pick ${settings.pick}`, why)
  if (judge.parse && !original) {
    unpicked('its parse function reads the whole reply')
    return afterThinking(ownParse(judge))
  }
  const config = original ? pythonPatterns(original, judge) : judge.verdict
  if (!config)
    throw configError(
      `${judge.where}: a template does not say how replies are read: name a judge (jb-parse --judge JUDGE)`,
    )
  const names = members('verdicts')
  if (!names.includes(config.rule)) {
    const hint = didYouMean(config.rule, names, `, expected one of ${names.join(', ')}`)
    throw configError(`${judge.where}: verdict.rule is "${config.rule}"${hint}`)
  }
  await loadPatterns(judge)
  const { rule, picks, kinds } = (await import(`./${config.rule}.ts`)) as RuleModule
  if (kinds && !kinds.includes(judge.kind))
    throw configError(
      `${judge.where}: verdict.rule "${config.rule}" is for judges of kind ${kinds.join(' or ')}, not ${judge.kind}`,
    )
  if (original) unpicked(`--compat ${compat} picks as that original does`)
  else if (!picks) unpicked(`rule "${config.rule}" reads the whole reply`)
  const pick = !original && picks && settings.pick
  // `failed` is about calls, not replies: jb-parse handles it.
  const { failed: _, ...own } = config
  if (settings.raise) delete own.otherwise
  const read = await rule({ ...own, rule: config.rule, ...(pick && { pick }) }, judge)
  // Originals read the whole reply, jb only the text after the thinking.
  if (!original) return afterThinking(read)
  return compat === 'judgebench' ? orNull(read) : read
}

/** In JudgeBench the game of a failed call is null, even if the rule makes a tie of any other text. */
function orNull(read: Read): Read {
  const said: Read = (text, context) =>
    text === '' && context.reply?.finish_reason === 'error'
      ? { label: null, decision: null, failure: 'no_verdict' }
      : read(text, context)
  return Object.assign(said, read)
}

function originalsOf({ compat = {} }: Judge): string {
  const names = Object.keys(compat)
  return names.length > 0 ? `it can read as ${names.join(', ')}` : 'it cannot read as any original'
}

/** Removes the thinking from a reply before it is read. */
function afterThinking(read: Read): Read {
  const plain: Read = Object.assign(
    (text: string, context: ReadContext) => read(withoutThinking(text), context),
    read,
  )
  const { raw } = read
  if (raw) plain.raw = (json, context) => (mayHideTag(json) ? undefined : raw(json, context))
  return plain
}

/** Whether a reply's JSON text may have a tag, perhaps with escaped letters. */
const mayHideTag = (json: string) =>
  (json.includes('<') && /<\\?\/?think/.test(json)) || (json.includes('\\u') && /\\u00[2-7]/.test(json))

/** A thinking tag. After a quote or backtick (a closing tag also before one) it is only mentioned. */
const TAG = /(?<!["'`“‘])<(think|thinking)>|(?<!["'`“‘](?=<\/think(?:ing)?>["'`”’]))<\/(think|thinking)>/g

/**
 * The reply without its thinking: without `<think>…</think>`, without the text after a tag that never closes (the reply
 * was cut short while thinking), and without the text before a lone closing tag (the template opened it in the prompt).
 */
export function withoutThinking(text: string): string {
  // Most replies have no tag.
  if (!text.includes('<think') && !text.includes('</think')) return text
  const tags = [...text.matchAll(TAG)]
  const lastClose = (name: string) => tags.findLastIndex((tag) => tag[2] === name)
  const last: Record<string, number> = { think: lastClose('think'), thinking: lastClose('thinking') }
  let rest = ''
  let from = 0
  let unclosed = -1
  for (let i = 0; i < tags.length; i++) {
    const { 0: tag, 1: opened, index } = tags[i]!
    if (opened === undefined) {
      // The text before a lone closing tag is thinking, too.
      rest = ''
      unclosed = -1
      from = index + tag.length
    } else if (last[opened]! > i) {
      rest += text.slice(from, index)
      while (tags[++i]![2] !== opened);
      from = tags[i]!.index + tags[i]![0].length
    } else if (unclosed < 0) unclosed = rest.length + index - from
  }
  rest += text.slice(from)
  return unclosed < 0 ? rest : rest.slice(0, unclosed)
}
