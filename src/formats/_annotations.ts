/**
 * What people, judges and code said of a trace in the tool that keeps it: MLflow's assessments, Langfuse's scores, Phoenix's
 * annotations, DeepEval's metrics. A reader puts them into the row's field `annotations`, and label files take them from there.
 */
import { isObject, type Json, type JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

export interface Annotation extends JsonObject {
  name: string
  /** Null where there is none, as of a judge that failed. */
  value: Json
  /** What gave it, in the tool's word: `HUMAN`, `LLM_JUDGE`, `ANNOTATION`, `EVAL`, … */
  source: string
  /** Who gave it; null where the tool does not say. */
  by: string | null
}

/** @param more what else the tool says of it; null and empty texts are left out */
export function annotation(
  name: Json | undefined,
  value: Json | undefined,
  source: Json | undefined,
  by: Json | undefined,
  more: { [key: string]: Json | undefined } = {},
): Annotation {
  const said = Object.entries(more).filter(([, one]) => isSaid(one)) as [string, Json][]
  return {
    name: String(name ?? ''),
    value: value ?? null,
    source: String(source ?? ''),
    by: isSaid(by) ? String(by) : null,
    ...Object.fromEntries(said),
  }
}

const isSaid = (value: Json | undefined): boolean => (value ?? '') !== ''

/** The annotations of a row; undefined if it has no list of them. */
export function annotationsIn(row: Row): Annotation[] | undefined {
  const list = row.field('annotations')
  return Array.isArray(list) && list.every(isAnnotation) ? list : undefined
}

const isAnnotation = (one: Json): one is Annotation =>
  isObject(one) && typeof one.name === 'string' && typeof one.source === 'string' && 'value' in one

/** The sources that are people, as MLflow and Phoenix, and as Langfuse call them. */
const PEOPLE = ['HUMAN', 'ANNOTATION']

/** What --label calls it: people's labels by their names, those of others as `SOURCE:NAME`. */
export const labelName = ({ name, source }: Annotation): string =>
  PEOPLE.includes(source) ? name : `${source}:${name}`

export const isPeoples = ({ source }: Annotation): boolean => PEOPLE.includes(source)
