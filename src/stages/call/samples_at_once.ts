/**
 * `--samples-at-once`: the samples of a trial that follow one another are asked for in one request with `n`. Its answers are
 * the rows' replies, in their order; its usage and cost are those of the first whole one.
 */
import type { Rows } from '../../rows/reader.ts'
import { type Reply, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { unpaid } from './written_reply.ts'

/** The most answers that OpenAI gives to a request. */
const MOST = 128

/** Rows that share one request. */
class SampleGroup {
  size = 0
  /** It was counted by a dry run. */
  counted = false
  private answers: Promise<(Reply | RowFailure)[]> | undefined

  /** The answer for the row at a place. @param send makes the request, for the first row that asks. @throws RowFailure */
  async ask(place: number, send: () => Promise<(Reply | RowFailure)[]>): Promise<Reply> {
    const paid = this.answers === undefined
    this.answers ??= send()
    const answers = await this.answers.catch((error: unknown) => {
      throw paid ? error : unpaid(error)
    })
    const answer = answers[place]
    if (answer === undefined)
      throw new RowFailure(
        'bad_response',
        `the server gave ${answers.length} of ${this.size} answers (n): leave out --samples-at-once`,
      )
    if (answer instanceof RowFailure) throw answer
    return answer
  }
}

export interface SamplePlace {
  group: SampleGroup
  /** Of the row's answer among those to the request. */
  place: number
}

export class SampleGroups {
  private readonly places = new WeakMap<Row, SamplePlace>()
  /** The most rows of a group so far. */
  largest = 1

  /** The row's place in its group; undefined if it is alone. */
  of(row: Row): SamplePlace | undefined {
    const found = this.places.get(row)
    return found && found.group.size > 1 ? found : undefined
  }

  /** Passes rows on, each when its group is complete. */
  async *gather(rows: Rows): Rows {
    let held: Row[] = []
    let last: { group: SampleGroup; asked: string; sample: number } | undefined
    try {
      for await (const batch of rows) {
        const complete: Row[] = []
        for (const row of batch) {
          const sample = sampleOf(row)
          const asked = sample === undefined ? '' : askedBy(row)
          const continues = last?.asked === asked && sample! > last.sample && last.group.size < MOST
          const group = continues ? last!.group : new SampleGroup()
          if (!continues) complete.push(...held.splice(0))
          last = sample === undefined ? undefined : { group, asked, sample }
          this.places.set(row, { group, place: group.size++ })
          this.largest = Math.max(this.largest, group.size)
          held.push(row)
        }
        if (complete.length > 0) yield complete
      }
    } catch (error) {
      yield held
      held = []
      throw error
    }
    yield held
  }
}

/** The row's sample number; undefined if it has none, or no record that can be read, which fails when it is called. */
function sampleOf(row: Row): number | undefined {
  try {
    return row.get('trial')?.sample
  } catch {
    return undefined
  }
}

/** What the samples of a trial have in common. */
const askedBy = (row: Row): string =>
  (['item', 'judge', 'name', 'request'] as const).map((key) => row.text(key)).join('\n')
