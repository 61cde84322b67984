/**
 * The text of a reply in which a verdict is looked for (rules 1 and 2 of docs/judges.md): without thinking, without
 * characters that nobody sees, with plain brackets, and with other people's words set apart.
 */
import type { Judge } from '../judges/_judge.ts'

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

/** Soft hyphens, zero-width characters and marks of direction (of Unicode's category Cf). */
const UNSEEN = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff'
const UNSEENS = new RegExp(`[${UNSEEN}]`, 'g')
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches ASCII
const NOT_ASCII = /[^\x00-\x7f]/
const NOT_PLAIN = new RegExp(`\\\\[[\\]]|[［］【】${UNSEEN}]`, 'g')
/** Spaces beside ASCII's, which RE2 does not match with `\s`. */
const OTHER_SPACES = /[^\S\t-\r ]/g

export const withoutUnseen = (text: string): string => text.replace(UNSEENS, '')

const BRACKETS: Record<string, string> = {
  '\\[': '[',
  '\\]': ']',
  '［': '[',
  '］': ']',
  '【': '[[',
  '】': ']]',
}

/**
 * The text that patterns are matched with: visible characters; `\[`, `［` and `【` as the brackets they stand for; any space
 * as a space.
 */
export const matchable = (text: string): string =>
  text.includes('\\') || NOT_ASCII.test(text)
    ? text.replace(NOT_PLAIN, (found) => BRACKETS[found] ?? '').replace(OTHER_SPACES, ' ')
    : text

/** The elements that a judge's prompt has around a value: `<answer>{{ answer }}</answer>`, `{{ answer | fence('answer') }}`. */
export function promptElements({ messages, prompt, variants }: Partial<Judge>): string[] {
  const asked = [...(messages ?? []), ...(variants ?? []).flatMap((one) => one.messages)]
  const prompts = [...asked.map(({ content }) => content), prompt ?? '']
  return prompts.flatMap((text) => [
    ...[...text.matchAll(/<([\w-][^<>/\n]*)>\s*\{\{?[^{}]*\}\}?\s*<\/\1>/g)].map(([, name]) => name!),
    ...[...text.matchAll(/\|\s*fence\(\s*['"]([\w-]+)['"]\s*\)/g)].map(([, name]) => `${name}-*`),
  ])
}

/** The names of elements in a text: of fences, whose names end with a hash, those that occur. */
const namesIn = (text: string, elements: readonly string[]): string[] =>
  elements.flatMap((name) => {
    if (!name.endsWith('-*')) return name
    const marks = text.matchAll(new RegExp(`<(${name.slice(0, -1)}[0-9a-f]{8})>`, 'g'))
    return [...new Set([...marks].map(([, mark]) => mark!))]
  })

const QUOTED = /^ {0,3}>/
const QUOTES = ['\n>', '\n >', '\n  >', '\n   >']
const FENCE = /^[ \t]*(`{3,}|~{3,})([^`]*)$/
const blank = (text: string) => text.replace(/[^\n]+/g, (line) => ' '.repeat(line.length))

/**
 * The text with other people's words as spaces: block quotes, elements with these names, and fenced code, unless that is
 * where a verdict stands (JSON). A fence that never closes is none.
 */
export function ownWords(text: string, elements: readonly string[], { fences = true } = {}): string {
  const own = namesIn(text, elements).reduce(withoutElement, text)
  const fenced = fences && (own.includes('```') || own.includes('~~~'))
  if (!fenced && !QUOTED.test(own) && !QUOTES.some((mark) => own.includes(mark))) return own
  const lines = own.split('\n')
  let open = -1
  let fence = ''
  for (let i = 0; fenced && i < lines.length; i++) {
    const [, mark, rest] = FENCE.exec(lines[i]!) ?? []
    if (mark === undefined) continue
    if (open < 0) [open, fence] = [i, mark]
    else if (mark.startsWith(fence) && rest!.trim() === '') {
      for (; open <= i; open++) lines[open] = blank(lines[open]!)
      open = -1
    }
  }
  return lines.map((line) => (QUOTED.test(line) ? blank(line) : line)).join('\n')
}

function withoutElement(text: string, name: string): string {
  const close = `</${name}>`
  const [before, ...parts] = text.split(`<${name}>`)
  const inside = parts.map((part) => {
    const end = part.indexOf(close)
    const [of, after] =
      end < 0 ? ['', part] : [part.slice(0, end + close.length), part.slice(end + close.length)]
    return (of === '' ? `<${name}>` : blank(`<${name}>${of}`)) + after
  })
  return before + inside.join('')
}
