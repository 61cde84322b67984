/**
 * Documents of Every Eval Ever 0.3 (evaleval/every_eval_ever, commit 9bce4136): an aggregate of each evaluated model, with a
 * result for each judge of its answers, and a line for each item that is right or wrong.
 */
import { join } from 'node:path'
import { scoreRange } from '../criteria/_multi.ts'
import { areYesNo } from '../criteria/_yes_no.ts'
import { makeFolder } from '../files/folder.ts'
import { replaceFile } from '../files/part_file.ts'
import { VERSION } from '../options/version.ts'
import { dumps } from '../python/json.ts'
import { sha256 } from '../rows/crypto.ts'
import { getOrInsert } from '../rows/maps.ts'
import { EXIT, Fatal, type Kind, type Result, type TrialResult, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { Group } from '../scoring/group.ts'
import { type MEASURES, type Outcome, wider } from '../scoring/outcome.ts'
import type { RunIdentity } from '../scoring/run_identity.ts'
import { addShare, shareFigures, shareSums } from '../scoring/share.ts'
import { Histogram } from '../statistics/describe.ts'

const SCHEMA_VERSION = '0.3.0'

/** What the rows do not say, as the options give it. */
export interface Provenance {
  dataset: string
  /** Before names of models that have no `/`. */
  developer: string | undefined
  organization: string
  relationship: string
  /** Seconds since 1970. */
  time: number
  ci: number
  lowerIsBetter: boolean
  pass: number | undefined
}

/** One model that judges, at one temperature; of a jury one for each member. */
interface JudgeModel {
  model: string
  temperature: number | undefined
  details: Record<string, string>
}

type Measure = (typeof MEASURES)[number]

/** What is measured, as the schema names it. */
const METRICS: Record<
  Measure,
  { id: string; name: string; about: string; unit?: string; range?: [number, number] }
> = {
  correct: {
    id: 'accuracy',
    name: 'Accuracy',
    about: 'Share of items on which the judge’s verdict is the label’s',
    unit: 'proportion',
    range: [0, 1],
  },
  score: { id: 'mean_score', name: 'Mean score', about: 'Mean of the scores that the judge gave' },
  share: {
    id: 'win_rate',
    name: 'Win rate',
    about: 'Share of its pairs that the model won by the judge’s verdict, half of a tie',
    unit: 'proportion',
    range: [0, 1],
  },
}
const PASS_RATE = {
  id: 'pass_rate',
  name: 'Pass rate',
  about: 'Share of items that pass by the judge’s verdict',
  unit: 'proportion',
  range: [0, 1] as [number, number],
}

/** --combine, in the schema's words; it has none for the others. */
const METHODS: Record<string, string> = {
  mean: 'average',
  median: 'median',
  vote: 'majority_vote',
  majority: 'majority_vote',
}
const COMBINED: Partial<Record<Kind, string>> = { pairwise: 'vote', grade: 'mean', choice: 'mean' }

/** How several trials became one result, in the schema's words; undefined for one trial, and where it has no word. */
function methodOf(
  { kind, scored_with: given, model }: Result,
  trials: readonly TrialResult[],
): string | undefined {
  const [first] = trials
  if (trials.length < 2) return undefined
  const areNumbers = kind === 'grade' || kind === 'choice'
  if (first!.trial.member !== undefined) {
    // A jury's model is its mode and its size: `majority of 3`.
    const mode = (model ?? '').split(' ')[0]!
    return mode === 'weighted' && areNumbers ? 'weighted_average' : METHODS[mode]
  }
  const combine = (given as { combine?: string } | undefined)?.combine ?? first!.verdict?.combine
  return METHODS[String(combine ?? COMBINED[kind!])]
}

/** An item as a result adds it up. */
export interface Measured {
  row: Row
  result: Result
  trials: readonly TrialResult[]
  /** Its number for the evaluated model. */
  outcome: Outcome
}

/** Whether an item is right, where its number says that; undefined for a grade between, a share, and a score of which less is better. */
export function isRight(
  { row, result, outcome }: Measured,
  { pass, lowerIsBetter }: Pick<Provenance, 'pass' | 'lowerIsBetter'>,
): boolean | undefined {
  const { measure, value } = outcome
  if (measure === 'correct') return result.correct === true
  if (measure === 'share' || lowerIsBetter) return undefined
  if (pass !== undefined) return value >= pass
  const [low, high] = outcome.range ?? scoreRange(row.get('criteria') ?? []) ?? []
  const isBit = (low === 0 && high === 1) || (result.option !== undefined && areYesNo([result.option]))
  return isBit && (value === 0 || value === 1) ? value === 1 : undefined
}

/** Of one run and measure, the figures of one evaluated model. */
class Evaluated {
  private readonly values = new Histogram()
  private readonly judges = new Map<string, JudgeModel>()
  private readonly methods = new Set<string | undefined>()
  readonly identity: RunIdentity
  private readonly measure: Measure
  private readonly prompt: string | undefined
  private readonly shares = shareSums()
  private readonly group = new Group()
  private range: Outcome['range'] | null = null
  private areBits = true

  /** @param prompt the judge's, before it is filled in */
  constructor(measure: Measure, identity: RunIdentity, prompt: string | undefined) {
    this.measure = measure
    this.identity = identity
    this.prompt = prompt
  }

  add(item: Measured, from: Provenance): void {
    const { row, result, trials, outcome } = item
    const { value, range = scoreRange(row.get('criteria') ?? []) } = outcome
    this.range = this.range === null ? range : wider(this.range, range)
    this.areBits &&= from.pass === undefined && isRight(item, from) !== undefined
    this.values.add(value)
    if (this.measure === 'share') addShare(this.shares, value, undefined)
    else
      this.group.add({
        result,
        failure: undefined,
        kind: result.kind ?? 'grade',
        trials: [...trials],
        calls: [],
        criteria: row.get('criteria'),
      })
    if (trials.length > 1) this.methods.add(methodOf(result, trials))
    for (const { model, parameters, trial } of trials) {
      if (model === undefined) continue
      const temperature = typeof parameters?.temperature === 'number' ? parameters.temperature : undefined
      getOrInsert(this.judges, JSON.stringify([trial.member, model, temperature]), () => ({
        model,
        temperature,
        details: textsOf({ member: trial.member }),
      }))
    }
  }

  /** Its entry of evaluation_results. @param failed items of the run without a result */
  entry({ id, name, failed, from }: { id: string; name: string; failed: number; from: Provenance }): object {
    const { values, measure, identity } = this
    const { score, ci } = this.figures(from.ci)
    const metric = measure === 'score' && this.areBits ? PASS_RATE : METRICS[measure]
    const [low, high] = this.bounds(metric.range)
    const deviation = values.deviation(1)
    return {
      evaluation_result_id: id,
      evaluation_name: name,
      source_data: { dataset_name: from.dataset, source_type: 'other' },
      metric_config: {
        evaluation_description: metric.about,
        metric_id: metric.id,
        metric_name: metric.name,
        metric_kind: metric.id,
        ...(metric.unit !== undefined && { metric_unit: metric.unit }),
        ...(measure === 'score' && from.pass !== undefined && { metric_parameters: { pass: from.pass } }),
        lower_is_better: measure === 'score' && from.lowerIsBetter,
        ...(low !== undefined && { score_type: 'continuous', min_score: low, max_score: high }),
        ...(this.judges.size > 0 && { llm_scoring: this.scoring() }),
      },
      score_details: {
        score,
        details: textsOf({ items: values.n + failed, valid: values.n, failed, variant: identity.variant }),
        uncertainty: {
          ...(deviation !== null && {
            standard_error: { value: deviation / Math.sqrt(values.n), method: 'analytic' },
          }),
          ...(ci && {
            confidence_interval: {
              lower: ci[0],
              upper: ci[1],
              confidence_level: from.ci,
              ...(measure === 'correct' && { method: 'Wilson' }),
            },
          }),
          ...(deviation !== null && { standard_deviation: deviation }),
          num_samples: values.n,
        },
      },
    }
  }

  /** As jb-aggregate has them. */
  private figures(level: number): { score: number; ci?: [number, number] | null } {
    const { mean } = this.values
    if (this.measure === 'share') return { score: mean!, ci: shareFigures(this.shares, level).ci }
    const { accuracy, score, ci } = this.group.report({ ci: level })
    const value = this.measure === 'correct' ? accuracy : score
    return { score: typeof value === 'number' ? value : mean!, ci: ci as [number, number] | null }
  }

  /** The scale, where it is known and holds all values. */
  private bounds(known: [number, number] | undefined): [number, number] | [] {
    const range = known ?? this.range
    const { min, max } = this.values
    return range && range[0] <= min! && max! <= range[1] ? range : []
  }

  private scoring(): object {
    const { judge, judge_digest, name } = this.identity
    const [method] = this.methods.size === 1 ? this.methods : []
    return {
      judges: [...this.judges.values()].map(({ model, temperature, details }) => ({
        model_info: modelInfo(model),
        ...(temperature !== undefined && { temperature }),
        ...(Object.keys(details).length > 0 && { additional_details: details }),
      })),
      input_prompt: this.prompt ?? 'unknown',
      ...(method !== undefined && { aggregation_method: method }),
      additional_details: textsOf({ judge, judge_digest, name }),
    }
  }
}

/** Values as the schema's texts, without those that are not there. */
const textsOf = (values: Record<string, string | number | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )

function modelInfo(id: string): object {
  const [developer, rest] = /^([^/]+)\/(.+)$/s.exec(id)?.slice(1) ?? []
  return {
    name: rest ?? id,
    id,
    ...(developer !== undefined && { developer }),
    // Rows do not say who ran the model, nor whether its weights are to be had.
    additional_details: { deployment_type: 'unknown', model_availability: 'unknown' },
  }
}

/** The texts of an item that is right or wrong. */
export interface Sample {
  id: string
  input: string
  reference: string[]
  /** The two answers that a pair shows. */
  choices?: string[] | undefined
  /** What the evaluated model said. */
  output: string[]
  extracted: string
  method: string
  value: number
  right: boolean
}

/** An evaluated model: its results, and lines of its samples. */
export class Aggregate {
  private readonly results = new Map<string, Evaluated>()
  private readonly lines: string[] = []
  private readonly id: string
  private readonly from: Provenance

  constructor(model: string, from: Provenance) {
    const { developer } = from
    this.id = model.includes('/') || developer === undefined ? model : `${developer}/${model}`
    this.from = from
  }

  /** @returns a function that adds a sample of the item */
  add(item: Measured, run: { identity: RunIdentity; prompt: string | undefined }): (sample: Sample) => void {
    const { measure } = item.outcome
    const { judge, judge_digest, name, model, variant } = run.identity
    const id = [judge, judge_digest, name, model, variant, measure].filter(Boolean).join('/')
    getOrInsert(this.results, id, () => new Evaluated(measure, run.identity, run.prompt)).add(item, this.from)
    return (sample) => this.lines.push(this.line(id, this.nameOf(run.identity), sample))
  }

  private get evaluation(): string {
    return `${this.from.dataset}/${this.id}/${this.from.time}`
  }

  private nameOf({ judge, name, variant }: RunIdentity): string {
    return [this.from.dataset, judge, name, variant].filter(Boolean).join(' · ')
  }

  private line(result: string, name: string, sample: Sample): string {
    const { id, input, reference, choices, output, extracted, method, value, right } = sample
    return JSON.stringify({
      schema_version: SCHEMA_VERSION,
      evaluation_id: this.evaluation,
      model_id: this.id,
      evaluation_name: name,
      evaluation_result_id: result,
      sample_id: id,
      // Pairs about one question differ in their answers, of which this hash knows nothing.
      ...(!choices && { sample_hash: sampleHash(input, reference) }),
      interaction_type: 'single_turn',
      input: { raw: input, reference, ...(choices && { choices }) },
      output: { raw: output },
      answer_attribution: [
        {
          turn_idx: 0,
          source: 'output.raw',
          extracted_value: extracted,
          extraction_method: method,
          is_terminal: true,
        },
      ],
      evaluation: { score: value, is_correct: right },
    })
  }

  /** @param failedOf how many items of a run have no result */
  private document(failedOf: (identity: RunIdentity) => number): object {
    const { from, id } = this
    return {
      schema_version: SCHEMA_VERSION,
      evaluation_id: this.evaluation,
      retrieved_timestamp: String(from.time),
      source_metadata: {
        source_name: 'jb-filters',
        source_type: 'evaluation_run',
        source_organization_name: from.organization,
        evaluator_relationship: from.relationship,
      },
      eval_library: { name: 'jb-filters', version: VERSION },
      model_info: modelInfo(id),
      evaluation_results: [...this.results].map(([id, one]) =>
        one.entry({ id, name: this.nameOf(one.identity), failed: failedOf(one.identity), from }),
      ),
    }
  }

  /**
   * The aggregate; with a folder it is written there, and its samples beside it.
   * @throws Fatal for a model or a data set that can name no folder, and for a write error
   */
  written(folder: string | undefined, failedOf: (identity: RunIdentity) => number): string {
    const document = this.document(failedOf)
    if (folder === undefined) return `${JSON.stringify(document)}\n`
    const samples = this.lines.map((line) => `${line}\n`).join('')
    const uuid = uuidOf(sha256(JSON.stringify(document) + samples))
    const place = ['data', ...placeOf(this.from.dataset, this.id)]
    const path = [...place, `${uuid}_samples.jsonl`].join('/')
    const whole = {
      ...document,
      ...(samples !== '' && {
        detailed_evaluation_results: {
          format: 'jsonl',
          file_path: path,
          hash_algorithm: 'sha256',
          checksum: sha256(samples),
          total_rows: this.lines.length,
        },
      }),
    }
    const file = join(folder, ...place, `${uuid}.json`)
    try {
      makeFolder(join(folder, ...place))
      if (samples !== '') replaceFile(join(folder, path), samples)
      replaceFile(file, `${JSON.stringify(whole, null, 2)}\n`)
    } catch (error) {
      throw new Fatal(EXIT.io, `cannot write ${file}: ${(error as Error).message}`, { cause: error })
    }
    return `${JSON.stringify(whole)}\n`
  }
}

/** Python's `json.dumps({"raw": …, "reference": …}, sort_keys=True, separators=(",", ":"))`, hashed. */
const sampleHash = (raw: string, reference: string[]): string =>
  sha256(`{"raw":${dumps(raw, {})},"reference":[${reference.map((one) => dumps(one, {})).join(',')}]}`)

/** Digits as a UUID of version 4. */
function uuidOf(digits: string): string {
  const variant = '89ab'[Number.parseInt(digits[16]!, 16) % 4]
  const all = `${digits.slice(0, 12)}4${digits.slice(13, 16)}${variant}${digits.slice(17, 32)}`
  return all.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Folders of the datastore: the collection, the developer and the model. @throws Fatal */
function placeOf(dataset: string, id: string): string[] {
  const [, developer, model] = /^([^/]+)\/(.+)$/s.exec(id) ?? []
  if (model === undefined)
    throw usageError(
      `--save: files are kept by developer and model, and "${id}" names none: add --developer NAME (or call the model DEVELOPER/MODEL in the rows)`,
    )
  return [dataset, developer!, model].map(folderName)
}

/** What no name of a file may have on some system; a colon becomes `_`. */
const FORBIDDEN = /["<>\\|?*\p{Cc}]/u
const RESERVED = /^(?:|\.|\.\.|data|unknown|(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?)$/i

/** A text as a folder's name, by the rules of every_eval_ever's datastore_path_components. @throws Fatal (usage) */
function folderName(text: string): string {
  const parts = text.split('/').map((part) => part.replaceAll(':', '_'))
  const bad = parts.find((part) => FORBIDDEN.test(part) || RESERVED.test(part) || /[. ]$/.test(part))
  if (bad === undefined) return parts.join('_')
  throw usageError(
    `--save: ${JSON.stringify(text)} cannot name a folder of the datastore (${JSON.stringify(bad)})`,
  )
}
