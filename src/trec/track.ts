/** A track's rules for submitted responses, and their check. */
import type { RE2JS } from 're2js'
import { Catalogue, readData } from '../files/data.ts'
import { someNames } from '../options/nearest.ts'
import { configError, isObject, type Json, type JsonObject, usageError } from '../rows/record.ts'
import type { CitationStyle, Response } from './responses.ts'
import type { Topic } from './topics.ts'

/** Kinds of problems. A track accepts submissions with the kinds that it lists as smells. */
const CATEGORIES = [
  'format',
  'empty_answer',
  'blank_sentence',
  'citation_format',
  'citation_count',
  'reference_index',
  'docid_pattern',
  'references_present',
  'references_missing',
  'references_duplicate',
  'references_undeclared',
  'references_uncited',
  'references_max',
  'metadata',
  'metadata_recommended',
  'run_id_length',
  'length',
  'narrative',
  'duplicate_topics',
  'missing_topics',
  'new_topics',
] as const
export type Category = (typeof CATEGORIES)[number]

const USUAL_SMELLS = ['empty_answer', 'blank_sentence', 'duplicate_topics', 'references_duplicate']

/** A track's rules, with the names of autojudge-base's track_specs.yml. */
interface Track {
  sentences_key?: string
  sentence_type: CitationStyle[]
  mandatory_metadata: string[]
  recommended_metadata?: string[]
  require_exact_narrative?: boolean
  run_id_max_len?: number | null
  docid_pattern?: string | null
  references_kind?: 'cited_only' | 'retrieval_list' | 'none' | 'ignore'
  references_optional?: boolean
  references_max?: number | null
  max_citations_per_sentence?: number | null
  length_unit?: 'words' | 'chars'
  length_limit?: number | null
  length_limit_request_field?: string | null
  smells?: Category[]
}

type ReportProblem = (category: Category, message: string) => void

const TRACKS = new Catalogue('trec/tracks')

/**
 * The rules of a built-in track or of a YAML file. A file may hold several under "specs": FILE#NAME picks one.
 * @throws Fatal (usage, configuration)
 */
async function trackOf(name: string): Promise<Track> {
  const [, path, member] = /^(.+\.(?:ya?ml|json))(?:#(.+))?$/.exec(name) ?? []
  if (path === undefined && !TRACKS.has(name))
    throw usageError(
      `--check ${name}: one of ${TRACKS.names().join(', ')}, or a YAML file with a track's rules`,
    )
  let data = path === undefined ? await TRACKS.data(name) : await readData(path)
  if (isObject(data) && isObject(data.specs)) {
    const names = Object.keys(data.specs)
    const chosen = member ?? (names.length === 1 ? names[0]! : undefined)
    if (chosen === undefined || !names.includes(chosen))
      throw usageError(`--check ${path}#NAME: NAME is one of ${names.join(', ')}`)
    data = data.specs[chosen]
  }
  if (!isObject(data)) throw configError(`${name}: a track's rules are a mapping`)
  for (const key of ['sentence_type', 'mandatory_metadata'])
    if (!Array.isArray(data[key])) throw configError(`${name}: "${key}" must be a list`)
  for (const smell of (data.smells ?? []) as string[])
    if (!(CATEGORIES as readonly string[]).includes(smell))
      throw configError(`${name}: smells: "${smell}" is not one of ${CATEGORIES.join(', ')}`)
  return data as unknown as Track
}

export class TrackCheck {
  private readonly track: Track
  private readonly smells: ReadonlySet<string>
  private readonly docid: RE2JS | undefined

  private constructor(track: Track, docid: RE2JS | undefined) {
    this.track = track
    this.smells = new Set(track.smells ?? USUAL_SMELLS)
    this.docid = docid
  }

  /** @throws Fatal (usage, configuration) for an unknown track or wrong rules */
  static async of(name: string): Promise<TrackCheck> {
    const track = await trackOf(name)
    if (!track.docid_pattern) return new TrackCheck(track, undefined)
    // Ids come from data: RE2 matches in linear time, so no id can stall the run.
    const { RE2JS } = await import('re2js')
    try {
      return new TrackCheck(track, RE2JS.compile(track.docid_pattern))
    } catch (error) {
      throw configError(`${name}: docid_pattern: ${(error as Error).message}`, error)
    }
  }

  isSmell = (category: Category): boolean => this.smells.has(category)

  /**
   * Reports where a response breaks the rules.
   * @param raw its line
   * @param topic undefined for an unknown topic
   */
  response(response: Response, raw: JsonObject, topic: Topic | undefined, report: ReportProblem): void {
    const { track } = this
    const { sentences } = response
    if (track.require_exact_narrative && topic && response.metadata.narrative !== topic.title)
      report('narrative', 'metadata.narrative is not the title of the topic')
    if (sentences.every(({ text }) => text.trim() === '')) {
      report('empty_answer', sentences.length === 0 ? 'no sentences' : 'all sentences are blank')
      return
    }
    this.metadata(response, report)
    this.sentences(response, raw, report)
    this.references(response, raw, report)
    const limit = track.length_limit ?? numberOf(topic?.fields[track.length_limit_request_field ?? ''])
    const unit = track.length_unit ?? 'words'
    const length =
      unit === 'words'
        ? response.text.split(/\s+/).filter(Boolean).length
        : Array.from(response.text.normalize('NFKC')).length
    if (limit !== undefined && length > limit)
      report('length', `${length} ${unit}, at most ${limit} are allowed`)
  }

  private metadata({ metadata, run, topic }: Response, report: ReportProblem): void {
    const {
      mandatory_metadata: mandatory,
      recommended_metadata: recommended = [],
      run_id_max_len: most,
    } = this.track
    // Either name of the topic's id will do.
    const given: JsonObject = { ...metadata, topic_id: topic, narrative_id: topic }
    const missing = (key: string) => {
      const value = given[key]
      return value == null || (typeof value === 'string' && value.trim() === '')
    }
    for (const key of mandatory) if (missing(key)) report('metadata', `metadata.${key} is missing`)
    for (const key of recommended)
      if (missing(key)) report('metadata_recommended', `metadata.${key} is missing, but recommended`)
    const length = Array.from(run).length
    if (most != null && length > most)
      report('run_id_length', `the run's name has ${length} characters, at most ${most} are allowed`)
  }

  private sentences(
    { sentences, style, references }: Response,
    raw: JsonObject,
    report: ReportProblem,
  ): void {
    const {
      sentence_type: styles,
      sentences_key: key = 'sentences',
      max_citations_per_sentence: most,
    } = this.track
    const given = ((raw.responses ?? raw.answer) as JsonObject[]).map(({ citations }) => citations ?? null)
    if (!styles.includes(style)) {
      const problem = `citations are in the form ${style}, not ${styles.join(' or ')}`
      for (const i of sentences.keys()) report('citation_format', `${key}[${i}]: ${problem}`)
      return
    }
    for (const [i, { text, citations }] of sentences.entries()) {
      if (text.trim() === '') report('blank_sentence', `${key}[${i}] has no text`)
      const count = Object.keys(given[i] ?? {}).length
      if (most != null && count > most)
        report('citation_count', `${key}[${i}] has ${count} citations, at most ${most} are allowed`)
      const indexes = style === 'rag24' ? ((given[i] ?? []) as number[]) : []
      for (const at of indexes.filter((at) => at < 0 || at >= references.length))
        report('reference_index', `${key}[${i}] cites index ${at} of ${references.length} references`)
      this.ids(citations, `${key}[${i}] cites`, report)
    }
  }

  private ids(ids: readonly string[], who: string, report: ReportProblem): void {
    for (const id of ids)
      if (this.docid && !this.docid.matcher(id).lookingAt())
        report(
          'docid_pattern',
          `${who} ${JSON.stringify(id)}, which is not a document id of the track (${this.track.docid_pattern})`,
        )
  }

  private references({ sentences, references }: Response, raw: JsonObject, report: ReportProblem): void {
    const {
      references_kind: kind = 'cited_only',
      references_optional: optional,
      references_max: most,
    } = this.track
    if (kind === 'ignore') return
    if (kind === 'none') {
      if (references.length > 0) report('references_present', 'the track allows no references')
      return
    }
    if (optional && references.length === 0) return
    if (raw.references == null) {
      report('references_missing', '"references" is missing')
      return
    }
    const listed = new Set(references)
    const cited = new Set(sentences.flatMap(({ citations }) => citations))
    if (listed.size < references.length) report('references_duplicate', 'references name a document twice')
    this.ids(references, 'references have', report)
    const undeclared = [...cited].filter((id) => !listed.has(id))
    if (undeclared.length > 0)
      report('references_undeclared', `cited, but not in references: ${someNames(undeclared, 3)}`)
    if (kind === 'retrieval_list' && most != null && references.length > most)
      report('references_max', `${references.length} references, at most ${most} are allowed`)
    const uncited = [...listed].filter((id) => !cited.has(id))
    if (uncited.length > 0)
      report('references_uncited', `in references, but never cited: ${someNames(uncited, 3)}`)
  }
}

const numberOf = (value: Json | undefined) => (typeof value === 'number' ? value : undefined)
