/** Recognises rows that are read like an earlier one, so that judge, rule and trial are looked up once. */
import { owned } from '../../rows/bytes.ts'
import type { Keys } from '../../rows/keys.ts'
import type { Trial } from '../../rows/record.ts'
import type { Latin1, Row } from '../../rows/row.ts'
import type { ParseOptions } from './options.ts'
import type { Reader } from './readers.ts'

/** The most trials that are remembered, by their bytes. */
const TRIALS = 16

/** Rows with the same keys in `jb`, the same judge and the same version of it. */
export class SimilarRows {
  readonly reader: Reader
  /** The new digest of their judge, if it changes. */
  readonly digest: string | undefined
  private readonly keys: Keys
  private readonly judge: Latin1
  private readonly version: Latin1 | undefined
  private readonly at: { judge: number; version: number; reply: number; trial: number }
  private readonly trials: { text: Latin1; trial: Trial | undefined }[] = []

  private constructor(keys: Keys, row: Row, reader: Reader, digest: string | undefined) {
    const version = row.text('judge_digest')
    this.reader = reader
    this.digest = digest
    this.keys = keys
    this.judge = owned(row.text('judge')!)
    this.version = version && owned(version)
    const at = (key: string) => keys.lastIndexOf(key)
    this.at = { judge: at('judge'), version: at('judge_digest'), reply: at('reply'), trial: at('trial') }
  }

  /** The rows that are similar to this one; undefined if it must be read on its own. */
  static of(
    row: Row,
    reader: Reader,
    digest: string | undefined,
    { text }: ParseOptions,
  ): SimilarRows | undefined {
    const keys = row.unchanged?.jbKeys
    if (!keys?.includes('reply') || !keys.includes('judge') || text !== undefined) return undefined
    if (['error', 'verdict', 'compat', 'chain'].some((key) => keys.includes(key))) return undefined
    return new SimilarRows(keys, row, reader, digest)
  }

  includes(row: Row): boolean {
    const { keys, at, judge, version } = this
    const line = row.unchanged
    return (
      line?.jbKeys === keys &&
      line.isJbText(at.judge, judge) &&
      (version === undefined || line.isJbText(at.version, version)) &&
      line.isObject(at.reply)
    )
  }

  /** The row's trial. Few trials differ, so they are parsed once. */
  trial(row: Row): Trial | undefined {
    const { at, trials } = this
    const line = row.unchanged!
    if (at.trial < 0) return undefined
    for (const { text, trial } of trials) if (line.isJbText(at.trial, text)) return trial
    const trial = row.get('trial')
    if (trials.length < TRIALS) trials.push({ text: owned(line.jbText(at.trial)), trial })
    return trial
  }
}
