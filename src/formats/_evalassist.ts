/** EvalAssist's result objects: of one criterion, of several criteria, and of compared answers. */
import { optionRange } from '../criteria/_multi.ts'
import { instanceFields } from '../criteria/_roles.ts'
import type { Criterion, Json, JsonObject, Reply, Result, RowError, TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { rowOfTrial } from '../scoring/scored_rows.ts'
import { sanitize } from '../verdicts/originals/_sanitize.ts'

/** What a result object depends on besides its row. */
interface ResultSettings {
  compat: string | undefined
  /** The judge compares answers; a failed row may not show it. */
  compares: boolean
}

/** The result object of an item, for one criterion or several. */
export function resultObject(row: Row, settings: ResultSettings): JsonObject {
  const result = row.get('result')
  const trials = row.get('trials') ?? []
  const criteria = row.get('criteria') ?? []
  const items = result?.items as unknown as (Result & { criterion: string })[] | undefined
  if (!result || !items || result.kind === 'list') return single(row, result, criteria[0], trials, settings)
  const inner = items.map((item) => {
    const of = trials.filter(({ trial }) => (trial.criterion ?? '') === item.criterion)
    const criterion = criteria.find(({ name }) => name === item.criterion)
    return single(row, item, criterion && normalised(criterion), of.length > 0 ? of : trials, settings)
  })
  if (result.kind === 'listwise') return { item_results: inner }
  return {
    multi_criteria: {
      items: criteria.map((one) => ({
        criterion: criteriaObject(normalised(one)),
        weight: one.weight ?? null,
        target_option: one.target_option ?? null,
        score_threshold: one.score_threshold ?? null,
        required: one.required === true,
      })),
      normalize_scores: criteria.every(({ normalize_scores }) => normalize_scores !== false),
    },
    item_results: items.map((item, index) => ({
      result: inner[index]!,
      weight: (item.weight ?? null) as number | null,
      weighted_score: (item.weighted_score ?? null) as number | null,
      strategy: item.strategy as string,
      required: item.required === true,
    })),
    aggregated_score: result.score ?? null,
  }
}

/** The criterion with its option scores scaled to 0 to 1, as they count among several criteria. */
function normalised(one: Criterion): Criterion {
  const range = one.normalize_scores === false ? undefined : optionRange(one)
  if (!range || range[0] === range[1]) return one
  const options = one.options.map((option) => ({
    ...option,
    score: (option.score! - range[0]) / (range[1] - range[0]),
  }))
  return { ...one, options }
}

function single(
  row: Row,
  result: Result | undefined,
  criterion: Criterion | undefined,
  trials: TrialResult[],
  settings: ResultSettings,
): JsonObject {
  const listwise = result ? result.kind === 'listwise' || result.winner !== undefined : settings.compares
  const common = (part: Partial<Result>, reversed: boolean): JsonObject => ({
    ...about(row, criterion, reversed && settings.compat === 'evalassist'),
    metadata: metadataOf(row, part, trials, { reversed, whole: result, settings }),
    selected_option: (part.winner ?? part.option ?? null) as Json,
    explanation: String(part.explanation ?? ''),
  })
  const own = (part: Partial<Result>): JsonObject =>
    listwise
      ? { per_system_results: systemsOf(part) }
      : { score: part.score ?? null, feedback: (part.feedback ?? null) as Json }
  if (!result) return { ...common({}, false), positional_bias: null, ...own({}) }
  const bias = result.positional_bias as { detected: boolean; result: Partial<Result> } | undefined
  return {
    ...common(result, false),
    positional_bias: bias
      ? {
          detected: bias.detected,
          result: {
            ...common(bias.result, true),
            positional_bias: null,
            ...own(bias.result),
            // The original does not score the run in the other order.
            ...(settings.compat === 'evalassist' && !listwise && { score: null }),
          },
        }
      : null,
    ...own(result),
  }
}

/** The criterion and the instance. @param reversed reverse the options, or the answers, as the original does for its second run */
function about(row: Row, criterion: Criterion | undefined, reversed: boolean): JsonObject {
  const instance = instanceObject(row, criterion)
  if (!criterion || !reversed) return { criteria: criterion ? criteriaObject(criterion) : null, instance }
  const { to_evaluate_field: field, options } = criterion
  const { [field]: answers, ...context } = (instance?.fields ?? {}) as JsonObject
  return {
    criteria: criteriaObject({ ...criterion, options: options.toReversed() }),
    instance: Array.isArray(answers) ? { fields: { ...context, [field]: answers.toReversed() } } : instance,
  }
}

const criteriaObject = (one: Criterion): JsonObject => ({
  name: one.name,
  description: one.description,
  to_evaluate_field: one.to_evaluate_field,
  context_fields: one.context_fields,
  options: one.options.map(({ name, description, score }) => ({ name, description, score })),
  examples: (one.examples ?? []).map(exampleObject),
})

/** An example, with a result's keys and their defaults. */
const exampleObject = ({
  criteria = null,
  instance,
  metadata = {},
  selected_option,
  explanation = '',
  positional_bias = null,
}: JsonObject): JsonObject => ({
  criteria,
  instance: instance!,
  metadata,
  selected_option: selected_option!,
  explanation,
  positional_bias,
})

/** The instance; null for a row without any of its fields. */
function instanceObject(row: Row, criterion: Criterion | undefined): JsonObject | null {
  const fields = instanceFields(row, criterion, new Map(Object.entries(row.get('map') ?? {})))
  return Object.keys(fields).length > 0 ? { fields } : null
}

/** The contests of each answer, where the judge saw two at a time. */
function systemsOf(part: Partial<Result>): JsonObject[] | null {
  const answers = part.answers as unknown as JsonObject[] | undefined
  if (!answers) return null
  return answers.map(
    ({ contest_results, compared_to, explanations, positional_bias, winrate, ranking, selections }) => ({
      contest_results: contest_results!,
      compared_to: compared_to!,
      explanations: explanations ?? (compared_to as Json[]).map(() => ''),
      positional_bias: positional_bias ?? null,
      winrate: winrate!,
      ranking: ranking!,
      selections: selections!,
    }),
  )
}

/** The trials in the item's order, or in the other one. */
const inOrder = (trials: TrialResult[], reversed: boolean) =>
  trials.filter(({ trial }) => (trial.order === 'BA') === reversed)

const choiceOf = (one: Partial<Pick<Result, 'winner' | 'option'>> | undefined) => one?.winner ?? one?.option

/** The first trial that gave a result. */
const trialOf = (trials: TrialResult[], result: Partial<Result> | undefined) =>
  trials.find(({ verdict }) => choiceOf(verdict) === choiceOf(result))

/** The trial in the other order: of the sample that was chosen for the item, or one that gave this part of the result. */
function reversedTrial(trials: TrialResult[], part: Partial<Result>, whole: Result | undefined) {
  const shown = inOrder(trials, true)
  const sample = trialOf(inOrder(trials, false), whole)?.trial.sample
  return sample === undefined ? trialOf(shown, part) : shown.find(({ trial }) => trial.sample === sample)
}

/** The model's first answer, and one for each repair. */
function turnsOf(reply: Reply | undefined): string[] {
  const turns = (reply?.turns as { text?: string }[] | undefined)?.map(({ text = '' }) => text) ?? []
  return turns.length > 0 || reply?.text === undefined ? turns : [reply.text]
}

/** Why the reply could not be read, and its repairs. @param filled an option was chosen at random instead */
function failureOf(
  [first, ...repairs]: string[],
  filled: boolean,
  error: RowError | undefined,
  { compat }: ResultSettings,
): JsonObject {
  const unread = first !== undefined && (filled || repairs.length > 0)
  const parsing_error = error?.message ?? (unread ? parsingError(first) : undefined)
  // The original stops at an empty answer to a repair, and reports the ones before it.
  if (compat === 'evalassist' && isEmpty(repairs.at(-1) ?? '')) repairs.pop()
  return {
    ...(unread && { generation_failed_original_output: cleaned(first) }),
    ...(parsing_error !== undefined && { parsing_error }),
    ...(repairs.length > 0 && {
      generation_failed_last_attempt_output: cleaned(repairs.at(-1)!),
      repair_attempts: repairs.length,
    }),
  }
}

/** How the result was made: prompt, first reply, repairs, samples. */
function metadataOf(
  row: Row,
  part: Partial<Result>,
  trials: TrialResult[],
  { reversed, whole, settings }: { reversed: boolean; whole: Result | undefined; settings: ResultSettings },
): JsonObject {
  const shown = inOrder(trials, reversed)
  const kept = (reversed ? reversedTrial(trials, part, whole) : trialOf(shown, part)) ?? shown[0] ?? trials[0]
  const error = row.get('error')
  const from = kept && rowOfTrial(kept)
  const [request, reply] = [from?.get('request'), from?.get('reply')]
  const turns = turnsOf(reply)
  const filled = kept?.verdict?.failure !== undefined
  // The original omits it for a comparison with one sample.
  const sampled = shown.some(({ trial }) => trial.sample !== undefined)
  // Its keys are in the original's order.
  return {
    id: row.get('item') ?? null,
    ...(error && { error: error as unknown as RowError & JsonObject }),
    generation_failed: filled || (error !== undefined && !row.has('result')),
    ...failureOf(turns, filled, error, settings),
    ...(filled && { final_fallback_chosen: { selected_option: labelOf(kept) } }),
    ...(request && { prompt: (request.messages ?? request.prompt ?? null) as Json }),
    ...(turns.length > 0 && { unparsed_response: turns[0] }),
    ...(sampled &&
      !reversed &&
      (shown.length > 1 || typeof kept?.verdict?.option === 'string') && {
        self_consistency: {
          selected_options: shown.map(({ verdict }) => choiceOf(verdict) ?? null) as Json[],
        },
      }),
  }
}

/** The shown option that a trial's verdict names. */
function labelOf({ trial, verdict }: TrialResult): string | null {
  const { winner, option = null } = verdict!
  if (typeof winner !== 'number') return winner ?? option
  const answers = (trial.options ?? []).filter((name) => name !== 'tie')
  return answers[trial.order === 'BA' ? answers.length - 1 - winner : winner] ?? null
}

/** Why a reply could not be read, and was repaired or replaced by a random option. */
function parsingError(text: string): string {
  try {
    JSON.parse(sanitize(text))
    return 'the JSON does not hold what was asked for'
  } catch (error) {
    return (error as Error).message
  }
}

/** A reply after the original's clean-up. */
function cleaned(text: string): string {
  return isEmpty(text) ? text : sanitize(text)
}

/** Whether the original's clean-up leaves nothing of a reply. */
function isEmpty(text: string): boolean {
  try {
    sanitize(text)
    return false
  } catch {
    return true
  }
}
