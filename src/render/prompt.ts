/**
 * A judge's prompt, compiled once: row and order in, request out.
 *
 * A template of literal text and plain `{{ name }}` is not rendered at all: the bytes of the field, already
 * escaped as JSON, are copied between literals that were escaped once.
 */
import type { Judge, Rendered } from '../judges/_judge.ts'
import {
  configError,
  type JsonObject,
  type Message,
  type Request,
  RowFailure,
  type Trial,
} from '../record.ts'
import { encode, type Row, Spliced } from '../row.ts'
import { compileTemplate, type Template, TemplateError, type TemplateOptions } from '../templates/index.ts'
import { type Bindings, contextText, contextValues, finder } from './context.ts'
import { escaped, type Frame, frameOf, requestWith } from './request.ts'

const QUOTE = 0x22

/** What beyond the item a trial's prompt depends on. */
export interface Question {
  trial: Trial
  /** JSON texts by template name that come before the item's fields: a criterion, a nugget. */
  extra: ReadonlyMap<string, string>
  /** Parameters of the request that this question alone has. */
  request?: JsonObject | undefined
}

/** @throws RowFailure missing_field or template_error */
export type Ask = ((row: Row, question: Question) => Request | Spliced) & {
  /** Names its templates look at. */
  variables?: string[]
}

export interface PromptOptions {
  undefined: 'error' | 'empty'
  syntax?: TemplateOptions['syntax']
  /** Environment of the templates, where they are an original's files. */
  template?: TemplateOptions
  /** Names mean what they mean to an original: lm-eval's doc fields hide all others. */
  compat?: string
}

/** Compiles the judge's messages or prompt. @throws Fatal (configuration) for a template that is wrong */
export function compilePrompt(judge: Judge, bindings: Bindings, options: PromptOptions): Ask {
  if (judge.variants) return chooseVariant(judge, bindings, options)
  if (options.compat === 'lm-eval' && bindings.inner !== undefined) bindings.innerFirst = true
  const swapped = swap(bindings, judge)
  const bound = (trial: Trial) => (trial.order === 'BA' ? swapped : bindings)
  const strict = options.undefined === 'error'
  if (judge.render)
    return (row, { trial, request }) => ({
      ...rendered(judge, row, trial, contextValues(row, bound(trial), strict)),
      ...request,
    })

  const parts = judge.messages ?? [{ role: 'user' as const, content: judge.prompt! }]
  const templates = parts.map(({ content }, index) => compile(judge, content, nameOf(judge, index), options))
  const frame = frameOf(judge)
  const splice = compileSplice(frame, templates)
  const ask: Ask = (row, question) => {
    const { extra, request } = question
    const bindings = bound(question.trial)
    const fast = extra.size === 0 && !request && !bindings.innerFirst ? splice?.(row, bindings) : undefined
    if (fast) return fast
    const texts = templates.map((template) => {
      try {
        return template.renderWith
          ? template.renderWith(finder(row, template.variables, bindings, extra, strict))
          : template(contextText(row, template.variables, bindings, extra, strict))
      } catch (error) {
        throw error instanceof TemplateError ? asRowFailure(error, judge) : error
      }
    })
    return requestWith(frame, texts, judge, request)
  }
  ask.variables = [...new Set(templates.flatMap(({ variables }) => variables))]
  return ask
}

/** Of several prompts the one that asks for most, among those whose variables the item has. */
function chooseVariant(judge: Judge, bindings: Bindings, options: PromptOptions): Ask {
  const asks = judge
    .variants!.map(({ name, messages }) => {
      const ask = compilePrompt({ ...judge, variants: undefined, messages }, bindings, options)
      return { name, ask, variables: ask.variables ?? [] }
    })
    .sort((a, b) => b.variables.length - a.variables.length)
  return (row, question) => {
    const has = (name: string) => {
      const binding = bindings.get(name)
      return binding && 'json' in binding ? true : row.field(binding?.field ?? name) !== undefined
    }
    const fitting = asks.find(({ variables }) => variables.every(has))
    if (fitting) return fitting.ask(row, question)
    const needs = asks.map(({ name, variables }) => `${name}: ${variables.join(', ')}`).join('; ')
    throw new RowFailure(
      'missing_field',
      `the item has not the fields of any prompt of ${judge.where} (${needs})`,
    )
  }
}

/** A file that is a prompt and nothing else. */
const BARE = /\.(?:jinja2?|j2|njk|txt)$/

/** What messages call a judge's template. */
function nameOf({ where, messages }: Judge, index: number): string {
  if (BARE.test(where)) return where
  return messages ? `messages[${index}]` : 'prompt'
}

/** An error with its file, line and column. */
const told = (error: TemplateError, { where }: Judge) =>
  error.template === where ? error.message : `${where}: ${error.message}`

function compile(judge: Judge, content: string, part: string, options: PromptOptions): Template {
  try {
    return compileTemplate(content, {
      undefined: options.undefined,
      syntax: options.syntax ?? judge.syntax ?? 'jinja',
      keep_trailing_newline: false,
      folder: judge.folder,
      name: part,
      ...options.template,
    })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw configError(told(error, judge), error)
  }
}

function asRowFailure(error: TemplateError, judge: Judge): RowFailure {
  const where = told(error, judge)
  if (error.kind !== 'undefined') return new RowFailure('template_error', where)
  const { field } = error
  const ways = field && !field.includes('.') ? `--map ${field}=FIELD, --set ${field}=VALUE, or ` : ''
  return new RowFailure('missing_field', `${where} (${ways}--undefined empty)`)
}

/** The two answers' names exchanged, for order BA. */
function swap(bindings: Bindings, { answers = [], swap: further = [] }: Judge): Bindings {
  const [first, second] = answers
  const pairs = first !== undefined && second !== undefined ? [[first, second], ...further] : further
  if (pairs.length === 0) return bindings
  const swapped: Bindings = new Map(bindings)
  swapped.inner = bindings.inner
  swapped.innerFirst = bindings.innerFirst
  for (const [a, b] of pairs as [string, string][]) {
    swapped.set(b, bindings.get(a) ?? { field: a, free: true })
    swapped.set(a, bindings.get(b) ?? { field: b, free: true })
  }
  return swapped
}

function rendered(judge: Judge, row: Row, trial: Trial, fields: JsonObject): Request {
  let made: Rendered
  try {
    made = judge.render!(row.item, { order: trial.order, trial: trial as JsonObject, fields })
  } catch (error) {
    throw new RowFailure('template_error', `${judge.where}: render: ${(error as Error).message}`)
  }
  if (typeof made === 'string') return { messages: [{ role: 'user', content: made }], ...judge.request }
  if (Array.isArray(made)) return { messages: made as Message[], ...judge.request }
  if (made !== null && typeof made === 'object') return { ...judge.request, ...made } as Request
  throw new RowFailure(
    'template_error',
    `${judge.where}: render gave ${typeof made}, expected a text, messages or a request`,
  )
}

/** The request as literals and field names, where every template is that plain. */
function compileSplice(
  { before, end, parameters }: Frame,
  templates: Template[],
): ((row: Row, bindings: Bindings) => Spliced | undefined) | undefined {
  if (!templates.every((template) => template.plain)) return undefined
  /** Literals, a character a byte, with a template name between each two. */
  const literals: string[] = []
  const names: string[] = []
  let literal = ''
  for (const [index, template] of templates.entries()) {
    literal += before[index]
    for (const part of template.plain!) {
      if (typeof part === 'string') literal += escaped(part)
      else {
        literals.push(literal)
        names.push(part.field)
        literal = ''
      }
    }
  }
  literals.push(literal + end + parameters)

  return (row, bindings) => {
    const pieces = [literals[0]!]
    for (const [index, name] of names.entries()) {
      const binding = bindings.get(name)
      if (binding && 'json' in binding) {
        if (!binding.json.startsWith('"')) return undefined
        pieces.push(encode(binding.json.slice(1, -1)))
      } else {
        const text = row.fieldBytes(binding?.field ?? name)
        // Anything but a string prints as Python would print it: the template does that.
        if (text?.charCodeAt(0) !== QUOTE) return undefined
        pieces.push(text.slice(1, -1))
      }
      pieces.push(literals[index + 1]!)
    }
    return new Spliced(pieces)
  }
}
