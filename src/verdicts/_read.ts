/** Reading a reply: the judge's rule, made once, applied to every reply. */
import type { Judge, ParsedReply, VerdictConfig } from '../judges/_judge.ts'
import { members } from '../members.ts'
import { nearest } from '../options.ts'
import {
  configError,
  type JsonObject,
  type Reply,
  type Request,
  RowFailure,
  type Trial,
  type Verdict,
} from '../record.ts'
import { loadPatterns } from './_pattern.ts'

/** What a rule may look at beside the text. */
export interface ReadContext {
  trial?: Trial
  reply?: Partial<Reply>
  request?: Request
  /** The item, parsed when asked for. */
  item(): JsonObject
  /** What is drawn at random depends on these and on the trial alone. */
  id?: string
  seed?: string
}

/**
 * A verdict in shown terms, read from the text of a reply.
 * @throws RowFailure no_verdict, conflict or out_of_range, with words that say what was looked for
 */
export interface Read {
  (text: string, context: ReadContext): Verdict
  /** JSON Schema of the reply that is expected, where there is one: given back when the judge is asked again. */
  schema?(context: ReadContext): JsonObject
}

/**
 * A rule's module exports `rule`: it checks its configuration once and gives the reading function. One that
 * chooses among several verdicts in a reply (`pick`) also exports `picks = true`.
 */
export type Rule = (config: VerdictConfig, judge: Judge) => Read | Promise<Read>

export interface ReadSettings {
  pick?: string
  compat?: string
  /** grade: the score of a reply without one. It is counted as a failure all the same. */
  fallback?: number
  /** Is told what a setting does not change. */
  note?: (message: string) => void
}

/** The reading function of a judge, with `--pick` and `--compat` applied. @throws Fatal (configuration) */
export async function readerOf(judge: Judge, settings: ReadSettings = {}): Promise<Read> {
  const read = await strictReader(judge, settings)
  const { fallback } = settings
  if (fallback === undefined || judge.kind !== 'grade') return read
  return (text, context) => {
    try {
      return read(text, context)
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      return { label: null, score: fallback, failure: error.code }
    }
  }
}

async function strictReader(judge: Judge, settings: ReadSettings): Promise<Read> {
  const original = settings.compat ? judge.compat?.[settings.compat] : undefined
  const unpicked = (what: string) =>
    settings.note?.(
      `--pick ${settings.pick} changes nothing for ${judge.where}: ${what} reads the reply as one`,
    )
  if (judge.parse && !original) {
    if (settings.pick) unpicked('its own parse')
    return ownParse(judge)
  }
  const config = original ?? judge.verdict
  if (!config)
    throw configError(
      `${judge.where}: a bare template does not say how replies are read: jb-parse --judge JUDGE does`,
    )
  const names = members('verdicts')
  if (!names.includes(config.rule)) {
    const near = nearest(config.rule, names)
    throw configError(
      `${judge.where}: verdict.rule is "${config.rule}"${near ? `: did you mean ${near}?` : `, expected one of ${names.join(', ')}`}`,
    )
  }
  await loadPatterns(judge)
  const { rule, picks } = (await import(`./${config.rule}.ts`)) as { rule: Rule; picks?: boolean }
  if (settings.pick && !picks) unpicked(`rule "${config.rule}"`)
  const pick = picks && settings.pick
  // `failed` is about calls, not replies: jb-parse sees to it.
  const { failed: _, ...own } = config
  const read = await rule({ ...own, rule: config.rule, ...(pick && { pick }) }, judge)
  // An original reads the whole reply; here a reply is read without its thinking.
  if (original) return read
  const plain: Read = (text, context) => read(withoutThinking(text), context)
  if (read.schema) plain.schema = read.schema
  return plain
}

/** A `.mjs` judge's parse function, its result checked. */
function ownParse(judge: Judge): Read {
  return (text, context) => {
    let found: ParsedReply
    try {
      found = judge.parse!(text, context.item())
    } catch (error) {
      throw new RowFailure('no_verdict', `${judge.where}: parse: ${(error as Error).message}`)
    }
    const verdict: Partial<Verdict> =
      found !== null && typeof found === 'object'
        ? found
        : judge.kind === 'grade'
          ? { score: Number(found) }
          : { [judge.kind === 'choice' ? 'option' : 'decision']: found }
    const said = verdict.decision ?? verdict.option ?? verdict.score ?? verdict.winner ?? verdict.items
    if (said === undefined || said === null || (said as string) === '' || Number.isNaN(said))
      throw new RowFailure('no_verdict', verdict.reason ?? 'the judge file’s parse found no verdict')
    if (judge.kind === 'pairwise' && !['A>B', 'B>A', 'A=B'].includes(verdict.decision as string))
      throw new RowFailure(
        'no_verdict',
        `parse gave decision ${JSON.stringify(verdict.decision)}, expected "A>B", "B>A", "A=B" or ""`,
      )
    return { label: String(verdict.label ?? (Array.isArray(said) ? said.length : said)), ...verdict }
  }
}

/**
 * The reply without its thinking: `<think>…</think>` parts, an opening tag that never closes (a reply cut
 * short while thinking), and what stands before a lone closing tag (templates that open it in the prompt).
 */
export function withoutThinking(text: string): string {
  if (!text.includes('think')) return text
  const closed = text.replace(/<(think|thinking)>[\s\S]*?<\/\1>/g, '')
  const lone = closed.replace(/^[\s\S]*<\/(?:think|thinking)>/, '')
  return lone.replace(/<(?:think|thinking)>[\s\S]*$/, '')
}

/** Refuses keys a rule does not know. @throws Fatal (configuration) */
export function checkKeys(config: VerdictConfig, keys: string[], judge: Judge): void {
  for (const key of Object.keys(config)) {
    if (key === 'rule' || keys.includes(key)) continue
    const near = nearest(key, keys)
    throw configError(
      `${judge.where}: verdict.${key} is unknown to rule "${config.rule}"${near ? `: did you mean ${near}?` : ` (known: ${keys.join(', ')})`}`,
    )
  }
  if (config.pick !== undefined && !PICKS.includes(config.pick as string))
    throw configError(`${judge.where}: verdict.pick is "${config.pick}", expected one of ${PICKS.join(', ')}`)
}

const PICKS = ['last', 'first', 'only']
