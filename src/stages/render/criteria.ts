/**
 * Questions of judges with criteria: choose an option for one text (kind choice), or compare answers (kind listwise),
 * all at once or two at a time.
 */

import { isConversation } from '../../chat/message.ts'
import { criterionKey } from '../../criteria/_criterion.ts'
import { BUILTIN_CRITERIA, type CriteriaSource, catalogued, loadCriteria } from '../../criteria/_load.ts'
import { deadThreshold } from '../../criteria/_multi.ts'
import { criterionFields, shownOf, textOrJson } from '../../criteria/_roles.ts'
import { listEntry, type Room } from '../../formats/_fit.ts'
import type { Judge } from '../../judges/_judge.ts'
import { mappedFields } from '../../options/option.ts'
import { grouped } from '../../rows/maps.ts'
import { type Criterion, configError, type Json, RowFailure, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { schemaOf } from '../../verdicts/_options.ts'
import { replyFormat } from '../../verdicts/_reply_format.ts'
import type { Bindings } from './context.ts'
import { askedOfEach, windowsOf } from './each.ts'
import type { RenderOptions } from './options.ts'
import { ordersOf } from './order.ts'
import { personaFor, readPersonas } from './personas.ts'
import type { TrialQuestion } from './prompt.ts'
import { answerShapes, examplesOf, type Shape, textShapes } from './shown.ts'

/** Settings of a judge's questions: from --set, but for the last two. */
interface Settings {
  feedback: boolean
  tie: boolean
  /** Requests have the schema of the reply. */
  schema: boolean
  raise: boolean
  contests: boolean
  /** --compat evalassist */
  original: boolean
}

/**
 * A function that lists a judge's questions about an item: each criterion, in each order.
 * @param context gets notes about criteria
 * @throws Fatal (configuration, usage)
 */
export async function criteriaQuestions(
  judge: Judge,
  options: RenderOptions,
  bindings: Bindings,
  { note, env }: Context,
): Promise<(row: Row, item: string) => TrialQuestion[]> {
  const catalog = options.catalog ?? env.UNITXT_CATALOG
  const source = await sourceOf(judge, { ...options, ...(catalog && { catalog }) }, note)
  const setting = (name: string): Json | undefined => {
    const binding = bindings.get(name)
    return binding && 'json' in binding ? JSON.parse(binding.json) : undefined
  }
  const settings: Settings = {
    feedback: setting('feedback') === true,
    tie: setting('tie') !== false,
    schema: !options.noSchema,
    raise: raises(setting('on_generation_failure') ?? null),
    contests: options.contests || judge.contests === true,
    original: options.compat === 'evalassist',
  }
  if (options.contests && judge.kind !== 'listwise')
    throw usageError(`--contests: ${judge.where} is a ${judge.kind} judge, which compares no answers`)
  if (options.personas !== undefined && setting('judge_description_prompt'))
    throw usageError('--personas and --set judge_description_prompt=… exclude each other')
  const personas = options.personas === undefined ? undefined : await readPersonas(options.personas)
  const map = mappedFields(options.map)
  const once = judge.criteria === 'once' ? new Set<string>() : undefined

  let noted = false
  return (row, item) =>
    source.of(row).flatMap((criterion) => {
      if (once?.has(criterionKey(criterion))) return []
      const { judged, context, leftOut } = shownOf(row, criterion, map, judge.kind === 'listwise')
      if (leftOut.length > 0 && !noted) {
        noted = true
        note(
          `fields not shown, because the criterion names no context_fields: ${leftOut.join(', ')} (--map NAME=FIELD shows one)`,
          { kind: `fields ${judge.where} does not show` },
        )
      }
      once?.add(criterionKey(criterion))
      const common = new Map<string, string>()
      const put = (name: string, value: unknown) => common.set(name, JSON.stringify(value))
      put('criterion', criterion)
      put('field', criterion.to_evaluate_field)
      put('context', context)
      put('examples', examplesOf(criterion))
      for (const [name, value] of required(judge, row, criterion, map)) put(name, value)
      if (personas) put('persona', personaFor(criterion, personas, options.personas!))
      const orders = options.order === undefined ? [undefined] : ordersOf(options.order, item, options.seed)
      return shapesOf(judge, judged, criterion, orders, settings).map((shape) =>
        questionOf(judge, shape, criterion, common, settings),
      )
    })
}

function shapesOf(
  judge: Judge,
  judged: Json,
  criterion: Criterion,
  orders: (string | undefined)[],
  settings: Settings,
): Shape[] {
  if (judge.kind === 'listwise') return answerShapes(judge, judged, criterion, orders, settings)
  if (judge.kind !== 'list') return textShapes(judged, judge, criterion, orders, settings.feedback)
  return [
    {
      trial: {},
      extra: {
        text:
          Array.isArray(judged) && !isConversation(judged)
            ? judged.map(textOrJson).join('\n\n')
            : textOrJson(judged),
      },
    },
  ]
}

function questionOf(
  judge: Judge,
  { trial, extra }: Shape,
  criterion: Criterion,
  common: ReadonlyMap<string, string>,
  { raise, schema: sendsSchema }: Settings,
): TrialQuestion {
  const schema = schemaOf(trial)
  const own = Object.entries({ ...extra, schema: JSON.stringify(schema, null, 2) })
  const format = sendsSchema ? replyFormat(judge, trial) : undefined
  return {
    trial: {
      ...trial,
      ...(criterion.name !== '' && { criterion: criterion.name }),
      ...(raise && { on_generation_failure: 'raise' }),
    },
    criterion,
    extra: new Map([...common, ...own.map(([name, value]) => [name, JSON.stringify(value)] as const)]),
    ...(format && { request: { response_format: format } }),
  }
}

/** Whether a reply without a verdict fails after all repairs (`raise`); EvalAssist's default `random` draws an option. */
function raises(value: Json): boolean {
  if (value === null || value === 'random' || value === 'raise') return value === 'raise'
  throw usageError(`--set on_generation_failure=${textOrJson(value)}: expected random or raise`)
}

async function sourceOf(
  judge: Judge,
  options: RenderOptions,
  note: (message: string) => void,
): Promise<CriteriaSource> {
  const { criteria: texts } = options
  if (judge.criteria !== 'each' && judge.criteria !== 'once')
    throw configError(
      `${judge.where}: "criteria" is ${JSON.stringify(judge.criteria)}, expected each (asked about every item) or once`,
    )
  if (texts.length === 0)
    throw usageError(
      `${judge.where} needs criteria: --criteria NAME, FILE, @FIELD or "a question" (--list-criteria lists the built-in ones)`,
    )
  const source = await loadCriteria(texts, (criteria, where) => usableCriteria(judge, criteria, where), {
    compat: options.compat,
    catalog: options.catalog,
  })
  for (const one of source.fixed ?? []) {
    const dead = deadThreshold(one)
    if (dead) note(dead)
  }
  return source
}

/**
 * Typed questions about criteria, those that are shown the same material in one request.
 * @param shown names that the prompt uses; undefined if they are not known
 */
export function criteriaTogether(
  judge: Judge,
  questions: readonly TrialQuestion[],
  size: number,
  shown: readonly string[] | undefined,
): TrialQuestion[] {
  const materialOf = ({ trial: { criterion: _, options: __, ...trial }, extra }: TrialQuestion) =>
    JSON.stringify([
      trial,
      [...extra].filter(([name]) => !OF_CRITERION.includes(name) || !shown || shown.includes(name)),
    ])
  return [...grouped(questions, materialOf).values()].flatMap((alike) =>
    windowsOf(alike, size).map((together) => {
      const [{ trial, extra }] = together as [TrialQuestion]
      const { criterion: _, options: __, ...rest } = trial
      const criteria = together.map(({ criterion }) => criterion!)
      return {
        trial: { ...rest, window: { criterion: 'criteria' }, criteria: criteria.map(({ name }) => name) },
        criteria,
        extra,
        asks: askedOfEach(
          judge,
          together.map((one) => one.extra),
        ),
      }
    }),
  )
}

/** What templates see of a criterion alone, besides what is judged. */
const OF_CRITERION = ['criterion', 'options', 'examples', 'schema', 'persona']

/** The criteria that a judge of this kind can use: of two with the same name, the one for this kind. */
function usableCriteria(judge: Judge, criteria: Criterion[], where: string): Criterion[] {
  const listwise = judge.kind === 'listwise'
  const suits = ({ options }: Criterion) => listwise === (options.length === 0)
  const kept = criteria.filter(
    (one) =>
      suits(one) || !criteria.some((other) => other !== one && other.name === one.name && suits(other)),
  )
  for (const { name, options } of kept) {
    if (listwise || judge.kind === 'list') continue
    const at = `${where}: criterion "${name}"`
    if (options.length === 0)
      throw configError(
        `${at} has no options, of which ${judge.where} chooses one (pairwise judges need none)`,
      )
    if (typeof judge.options === 'number' && options.length !== judge.options)
      throw configError(
        `${at} has ${options.length} options, ${judge.where} needs ${judge.options}, worst first`,
      )
  }
  // Comparing answers needs no options.
  return listwise ? kept.map((one) => ({ ...one, options: [] })) : kept
}

/** Values of the fields that the judge itself needs, whatever the criterion. */
function required(
  judge: Judge,
  row: Row,
  criterion: Criterion,
  map: ReadonlyMap<string, string>,
): [string, Json][] {
  return Object.entries(judge.fields).map(([name, field]) => {
    const value = criterionFields(row, criterion, map).get(map.has(name) ? name : field)
    if (value == null)
      throw new RowFailure(
        'missing_field',
        `field "${field}" is missing: ${judge.where} needs it (--map ${name}=FIELD names another)`,
      )
    return [name, value]
  })
}

/** `--list-criteria` */
export async function listCriteria(room: Room): Promise<string> {
  const lines = await Promise.all(
    BUILTIN_CRITERIA.names().map(async (name) => {
      const { description, options } = await catalogued(name)
      const choices = options.length === 0 ? 'compares answers' : options.map(({ name }) => name).join(', ')
      return listEntry(`${name.padEnd(26)} `, `${description} (${choices})`, room)
    }),
  )
  return lines.join('')
}
