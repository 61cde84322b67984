/**
 * A judge's prompt, compiled once: row and order in, request out.
 *
 * A template of literal text and plain `{{ name }}` is not rendered at all: the bytes of the field, already
 * escaped as JSON, are copied between literals that were escaped once.
 */
import { imagesOf } from '../../chat/images.ts'
import { asOwn, isOwn } from '../../chat/message.ts'
import type { Judge } from '../../judges/_judge.ts'
import { asksOfEach } from '../../judges/_questions.ts'
import { called, failure, returnedJson, type UserFunction } from '../../judges/_user_function.ts'
import { didYouMean } from '../../options/nearest.ts'
import { fieldNames } from '../../rows/item_id.ts'
import type { Question as TypedQuestion } from '../../rows/questions.ts'
import {
  type Criterion,
  configError,
  type Json,
  type JsonObject,
  type Request,
  RowFailure,
  type Trial,
} from '../../rows/record.ts'
import { JsonText, type Row } from '../../rows/row.ts'
import { compileTemplate, type Template, TemplateError, type TemplateOptions } from '../../templates/index.ts'
import { type Bindings, contextValues, finder } from './context.ts'
import { typedQuestion } from './questions.ts'
import { escaped, frameOf, parametersWith, type RequestFrame, requestWith } from './request.ts'

/** What a trial's prompt depends on, besides the item. */
export interface Question {
  trial: Trial
  /** JSON texts by template name, which precede the item's fields: a criterion, a nugget. */
  extra: ReadonlyMap<string, string>
  /** Parameters of this request only. */
  request?: JsonObject | undefined
  /** Of a judge with typed questions: those of this request. */
  asks?: readonly Asked[] | undefined
}

/** A typed question of a request. */
export interface Asked {
  /** Its name in the request, and in the judge file. */
  name: string
  of: string
  /** JSON texts by template name, which precede those of the prompt: an element, or a criterion and its options. */
  extra: ReadonlyMap<string, string>
}

/** A question about an item, its trial not numbered yet. */
export interface TrialQuestion extends Omit<Question, 'trial'> {
  trial: Omit<Trial, 'n' | 'of'>
  criterion?: Criterion
  /** Of several criteria in one request. */
  criteria?: readonly Criterion[]
}

/** @throws RowFailure missing_field or template_error */
export type RequestMaker = ((row: Row, question: Question) => Request | JsonText) & {
  /** Names that its templates use. */
  variables?: string[]
  /** Names that its prompt uses, without typed questions. */
  shown?: readonly string[] | undefined
  /** The typed questions of a request. @throws as the function itself */
  typed?: (row: Row, question: Question) => TypedQuestion[]
}

interface PromptOptions {
  undefined: 'error' | 'empty'
  syntax?: TemplateOptions['syntax']
  /** The environment of original template files. */
  template?: TemplateOptions
  /** What is printed for a list or mapping, in place of its text in the template's language. */
  readable?: TemplateOptions['readable']
  /** `lm-eval`: the fields of `doc` hide all other names. */
  compat?: string
}

/** What a template says of a row. @throws RowFailure for a value that is missing or does not fit */
type TextOf = (template: Template, row: Row, bindings: Bindings, extra: ReadonlyMap<string, string>) => string

/** Compiles the judge's messages or prompt. @throws Fatal (configuration) for an invalid template */
export function compilePrompt(judge: Judge, bindings: Bindings, options: PromptOptions): RequestMaker {
  if (judge.variants) return chooseVariant(judge, bindings, options)
  if (options.compat === 'lm-eval' && bindings.inner !== undefined) bindings.innerFirst = true
  // A render function gets its answers in the order shown, also those without a binding.
  if (judge.render)
    for (const name of judge.answers ?? [])
      if (!bindings.has(name)) bindings.set(name, { field: name, optional: true })
  const swapped = swap(bindings, judge)
  const bound: Bound = (trial: Trial) =>
    Array.isArray(trial.shown)
      ? permuted(bindings, judge, trial.shown)
      : trial.order === 'BA'
        ? swapped
        : bindings
  const strict = options.undefined === 'error'
  if (judge.render)
    return (row, { trial, request }) => {
      const made = rendered(judge, row, trial, contextValues(row, bound(trial), strict))
      return new JsonText(returnedJson({ ...made, ...request }, renderFunction(judge)))
    }

  const parts = judge.messages ?? [{ role: 'user' as const, content: judge.prompt! }]
  const templates = parts.map(({ content }, index) => compile(judge, content, nameOf(judge, index), options))
  const given = { bound, textOf: textBy(judge, options), options }
  const ask = judge.messages?.some(({ parts: shown }) => shown)
    ? withImages(judge, templates, given)
    : withTexts(judge, templates, given)
  return judge.questions ? withQuestions(judge, judge.questions, ask, given) : ask
}

/** The bindings that a trial sees. */
type Bound = (trial: Trial) => Bindings

/** What prompts and questions are rendered with. */
interface Rendering {
  bound: Bound
  textOf: TextOf
  options: PromptOptions
}

function textBy(judge: Judge, options: PromptOptions): TextOf {
  const strict = options.undefined === 'error'
  const lenient = (options.template?.undefined ?? options.undefined) === 'empty'
  return (template, row, bindings, extra) => {
    try {
      return template.renderWith(finder(row, template, bindings, extra, strict))
    } catch (error) {
      throw error instanceof TemplateError
        ? asRowFailure(error, judge, lenient, namesFor(row, bindings))
        : error
    }
  }
}

/** Asks in words alone. */
function withTexts(judge: Judge, templates: Template[], { bound, textOf }: Rendering): RequestMaker {
  const frame = frameOf(judge)
  const splice = compileSplice(frame, templates)
  const ask: RequestMaker = (row, question) => {
    const { extra, request } = question
    const bindings = bound(question.trial)
    const fast = extra.size === 0 && !request && !bindings.innerFirst ? splice?.(row, bindings) : undefined
    if (fast) return fast
    const texts = templates.map((template) => textOf(template, row, bindings, extra))
    return requestWith(frame, texts, judge, request)
  }
  ask.variables = [...new Set(templates.flatMap(({ variables }) => variables))]
  return ask
}

/** Asks with images between the texts: requests as objects, whose parts are OpenAI's. */
function withImages(
  judge: Judge,
  templates: readonly Template[],
  { bound, textOf, options }: Rendering,
): RequestMaker {
  const messages = judge.messages!.map(({ role, parts }, index) => ({
    role,
    parts: parts?.map((part, place) =>
      part.text === undefined
        ? part
        : { template: compile(judge, part.text, `${nameOf(judge, index)}.content[${place}]`, options) },
    ) ?? [{ template: templates[index]! }],
    isText: !parts,
  }))
  const ask: RequestMaker = (row, { trial, extra, request }) => {
    const bindings = bound(trial)
    let shown = 0
    const made = messages.map(({ role, parts, isText }) => {
      const content = parts.flatMap((part): JsonObject[] => {
        if ('template' in part) return [{ type: 'text', text: textOf(part.template, row, bindings, extra) }]
        const images = imagesOf(imageValue(row, part.images!, bindings, extra), part.images!)
        return images.flatMap(({ url, k = ++shown }): JsonObject[] => [
          { type: 'text', text: `image ${k}:` },
          { type: 'image_url', image_url: { url, ...(part.detail && { detail: part.detail }) } },
        ])
      })
      return { role, content: isText ? content[0]!.text : content }
    })
    return { messages: made, ...parametersWith(judge, request) } as unknown as Request
  }
  const images = judge.messages!.flatMap(({ parts = [] }) => parts.flatMap((part) => part.images ?? []))
  ask.variables = [...new Set([...templates.flatMap(({ variables }) => variables), ...images])]
  return ask
}

/** The same requests, with the typed questions that {@link RequestMaker.typed} makes. */
function withQuestions(
  judge: Judge,
  questions: NonNullable<Judge['questions']>,
  ask: RequestMaker,
  { bound, textOf, options }: Rendering,
): RequestMaker {
  const compiled = new Map(
    Object.entries(questions).map(([name, question]) => [
      name,
      typedQuestion(question, (text, key) => compile(judge, text, `questions.${name}.${key}`, options)),
    ]),
  )
  ask.shown = ask.variables
  const used = [...compiled.values()].flatMap(({ templates }) =>
    templates.flatMap(({ variables }) => variables),
  )
  ask.variables = [...new Set([...(ask.variables ?? []), ...used])]
  ask.typed = (row, { trial, extra, asks = [] }) => {
    const bindings = bound(trial)
    return asks.map(({ name, of, extra: own }) => {
      const seen = own.size === 0 ? extra : extendedBy(extra, own)
      return compiled.get(of)!.ask(name, (template) => textOf(template, row, bindings, seen).trim(), seen)
    })
  }
  return ask
}

/** The names of an element come first; its messages are such again where they are read. */
function extendedBy(
  extra: ReadonlyMap<string, string>,
  own: ReadonlyMap<string, string>,
): Map<string, string> {
  const all = new Map([...extra, ...own])
  return isOwn(own) ? asOwn(all) : all
}

/** The value of a name in the judge file. @throws RowFailure missing_field */
function imageValue(row: Row, name: string, bindings: Bindings, extra: ReadonlyMap<string, string>): Json {
  const binding = bindings.get(name)
  const text =
    extra.get(name) ?? (binding && 'json' in binding ? binding.json : row.fieldText(binding?.field ?? name))
  if (text === undefined)
    throw new RowFailure(
      'missing_field',
      `field "${binding && 'field' in binding ? binding.field : name}" is missing: it has the images (--map ${name}=FIELD names another)`,
    )
  const value = JSON.parse(text) as Json
  return extra.has(name) && isOwn(extra) ? asOwn(value) : value
}

/** Of several prompts, uses the one with most variables, among those whose variables the item has. */
function chooseVariant(judge: Judge, bindings: Bindings, options: PromptOptions): RequestMaker {
  const asks = judge
    .variants!.map(({ name, messages }) => {
      const ask = compilePrompt({ ...judge, variants: undefined, messages }, bindings, options)
      return { name, ask, variables: ask.variables ?? [] }
    })
    .sort((a, b) => b.variables.length - a.variables.length)
  const ask: RequestMaker = (row, question) => {
    const has = (name: string) => {
      const binding = bindings.get(name)
      // Other tools write null for a missing value.
      return (binding && 'json' in binding) || (row.field(binding?.field ?? name) ?? null) !== null
    }
    const fitting = asks.find(({ variables }) => variables.every(has))
    if (fitting) return fitting.ask(row, question)
    const needs = asks.map(({ name, variables }) => `${name}: ${variables.join(', ')}`).join('; ')
    throw new RowFailure(
      'missing_field',
      `the item lacks fields for every prompt of ${judge.where} (${needs})`,
    )
  }
  ask.variables = [...new Set(asks.flatMap(({ variables }) => variables))]
  return ask
}

/** Tags that include another file, whose name may be known only when it is rendered. */
const OTHER_FILE = /\{%-?\s*(?:include|import|from|extends)\b/

/** Names of --set for any judge with criteria. */
const SETTINGS = { feedback: 0, tie: 0, on_generation_failure: 0 }

/**
 * Names that --map and --set can set: those of the judge file, and those that its templates use. Undefined if they are
 * not known, because a function or a template may read any field.
 */
export function mappableNames(judge: Judge, { variables }: RequestMaker): string[] | undefined {
  if (!variables || judge.render) return undefined
  if (variables.some((name) => name === 'item' || name === 'doc')) return undefined
  const texts = judge.messages?.map(({ content }) => content) ?? [judge.prompt ?? '']
  if (judge.questions) texts.push(JSON.stringify(judge.questions))
  if (texts.some((text) => OTHER_FILE.test(text))) return undefined
  const { fields, set = {}, answers = [], optional = {}, texts: values = {} } = judge
  const settings = judge.criteria === undefined ? {} : SETTINGS
  const known = [fields, set, optional, values, settings].flatMap(Object.keys)
  // The field of `each`, before its filter.
  const lists = Object.values((judge.each ?? {}) as Record<string, string>).map((one) =>
    one.split('|')[0]!.trim(),
  )
  const window = judge.questions && asksOfEach(judge) ? ['window'] : []
  return [...new Set([...variables, ...known, ...answers, ...lists, ...window, ...(judge.swap ?? []).flat()])]
}

/** A bare template as judge file. */
const BARE = /\.(?:jinja2?|j2|njk|txt)$/

/** A template's name in messages. */
function nameOf({ where, messages }: Judge, index: number): string {
  if (BARE.test(where)) return where
  return messages ? `messages[${index}]` : 'prompt'
}

/** An error with its file, line and column. */
const described = (error: TemplateError, { where }: Judge) =>
  error.template === where ? error.message : `${where}: ${error.message}`

function compile(judge: Judge, content: string, part: string, options: PromptOptions): Template {
  try {
    return compileTemplate(content, {
      undefined: options.undefined,
      syntax: options.syntax ?? judge.syntax ?? 'jinja',
      keep_trailing_newline: false,
      readable: options.readable,
      folder: judge.folder,
      name: part,
      ...options.template,
    })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw configError(described(error, judge), error)
  }
}

/** The names that a template might have meant: the judge's own, then the item's fields. */
const namesFor = (row: Row, bindings: Bindings) => [...bindings.keys(), ...fieldNames(row)]

/**
 * @param lenient --undefined empty would not help: it is set
 * @param names that may have been meant by one that is undefined
 */
function asRowFailure(
  error: TemplateError,
  judge: Judge,
  lenient: boolean,
  names: readonly string[],
): RowFailure {
  const place = described(error, judge)
  if (error.kind !== 'undefined') return new RowFailure('template_error', place)
  const { field } = error
  const where = place + didYouMean(field ?? '', names)
  const ways = field && !field.includes('.') ? [`--map ${field}=FIELD`, `--set ${field}=VALUE`] : []
  if (!lenient) ways.push('--undefined empty')
  const [last, ...others] = ways.toReversed()
  if (last === undefined) return new RowFailure('missing_field', where)
  const or = others.length > 1 ? ', or ' : ' or '
  const listed = others.length > 0 ? `${others.toReversed().join(', ')}${or}${last}` : last
  return new RowFailure('missing_field', `${where} (${listed})`)
}

/** Bindings for order BA: the names of the two answers exchanged. */
function swap(bindings: Bindings, { answers = [], swap: further = [] }: Judge): Bindings {
  const [first, second] = answers
  const pairs = first !== undefined && second !== undefined ? [[first, second] as const, ...further] : further
  return rebound(
    bindings,
    pairs.flatMap(([a, b]) => [
      [b, a],
      [a, b],
    ]),
  )
}

/** Bindings of the answers' names to the answers shown. @param shown their indices in the item */
const permuted = (bindings: Bindings, { answers = [] }: Judge, shown: readonly number[]): Bindings =>
  rebound(
    bindings,
    shown.map((index, i) => [answers[i]!, answers[index]!]),
  )

/** A copy in which each name has the binding of another. */
function rebound(bindings: Bindings, names: readonly (readonly [name: string, as: string])[]): Bindings {
  const { inner, innerFirst } = bindings
  const made: Bindings = Object.assign(new Map(bindings), { inner, innerFirst })
  for (const [name, as] of names) made.set(name, bindings.get(as) ?? { field: as, optional: true })
  return made
}

/** The request that the judge's render function returns. @throws RowFailure template_error */
function rendered(judge: Judge, row: Row, trial: Trial, fields: JsonObject): Request {
  const from = renderFunction(judge)
  const made: unknown = called(
    () => judge.render!(row.item, { order: trial.order, trial: trial as JsonObject, fields }),
    from,
  )
  if (typeof made === 'string') return { messages: [{ role: 'user', content: made }], ...judge.request }
  if (made === null || typeof made !== 'object')
    throw failure(
      from,
      `returned ${made === null ? made : typeof made}, expected a string, messages or a request`,
    )
  const request = (Array.isArray(made) ? { messages: made } : made) as Request
  if (!hasPrompt(request))
    throw failure(from, 'returned no prompt, expected a string, messages with role and content, or a request')
  if ('model' in request) throw failure(from, 'returned a model: name it with jb-call --model')
  return { ...judge.request, ...request }
}

const renderFunction = ({ where }: Judge): UserFunction => ({ where, name: 'render', code: 'template_error' })

/** Whether a request has a prompt, or valid messages. */
const hasPrompt = ({ messages, prompt }: Request) =>
  messages === undefined
    ? typeof prompt === 'string'
    : Array.isArray(messages) &&
      messages.length > 0 &&
      messages.every((one) => typeof one?.role === 'string' && one.content !== undefined)

/** A function that splices fields between literals; undefined unless every template is plain. */
function compileSplice(
  { before, end, parameters }: RequestFrame,
  templates: Template[],
): ((row: Row, bindings: Bindings) => JsonText | undefined) | undefined {
  if (!templates.every((template) => template.plain)) return undefined
  /** Before, between and after the values of `names`. */
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
    const pieces: string[] = [literals[0]!]
    for (const [index, name] of names.entries()) {
      const binding = bindings.get(name)
      if (binding && 'json' in binding) {
        if (!binding.json.startsWith('"')) return undefined
        pieces.push(binding.json.slice(1, -1))
      } else {
        const text = row.fieldText(binding?.field ?? name)
        // Other values are printed as Python prints them, by the template.
        if (!text?.startsWith('"')) return undefined
        pieces.push(text.slice(1, -1))
      }
      pieces.push(literals[index + 1]!)
    }
    return new JsonText(pieces.join(''))
  }
}
