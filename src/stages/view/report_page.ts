/** What the pages of reports share: they have no script. */
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type JsonObject } from '../../rows/record.ts'
import { escaped, hashOf, htmlHead } from './html.ts'

/** A page of `body`, which is HTML, called as the report's file is. */
export function reportPage(path: string, body: string): string {
  const title = path.replace(/^.*\//, '')
  return `${htmlHead(title, `default-src 'none'; style-src ${hashOf(STYLE)}`, STYLE)}
<h1>${escaped(title)}</h1>
${body}
</body>
</html>
`
}

/**
 * The records of a report's file.
 *
 * @param isWhole whether a record has what the page shows
 * @throws Fatal (data) for another one
 */
export async function recordsIn(
  rows: Rows,
  command: string,
  isWhole: (record: JsonObject) => boolean,
): Promise<JsonObject[]> {
  const records: JsonObject[] = []
  for await (const batch of rows)
    for (const { item, place } of batch) {
      if (!isWhole(item))
        throw new Fatal(
          EXIT.data,
          `${place}: not a whole line of ${command}: run it again, or leave this line out`,
        )
      records.push(item)
    }
  return records
}

export const isNumber = (value: unknown): value is number => typeof value === 'number'
export const isInterval = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(isNumber)

/** The first sentence is the answer; then what goes with it. */
export const sentencesHtml = ([answer, ...more]: readonly string[]): string =>
  [`<p class="answer">${escaped(answer ?? '')}</p>`, ...more.map((one) => `<p>${escaped(one)}</p>`)].join(
    '\n',
  )

interface TableRow {
  name: string
  /** HTML, in the order of the titles that follow the name's. */
  cells: string[]
  marked?: boolean
}

export function table(titles: readonly string[], rows: readonly TableRow[]): string {
  const head = titles.map((title) => `<th scope="col">${escaped(title)}</th>`).join('')
  const lines = rows.map(
    ({ name, cells, marked }) =>
      `<tr${marked ? ' class="marked"' : ''}><th scope="row">${escaped(name)}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  )
  return `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody>\n</table>`
}

/** Of the drawing of an interval. */
const [WIDTH, HEIGHT] = [72, 12]

/**
 * Draws a value with its interval.
 *
 * @param span what stands at the left edge and at the right one
 * @param mark where a line across stands
 */
export function drawn(
  value: number,
  [low, high]: readonly [number, number],
  [from, to]: readonly [number, number],
  mark?: number,
): string {
  const at = (one: number) => ((WIDTH * (one - from)) / (to - from || 1)).toFixed(1)
  const middle = HEIGHT / 2
  const across =
    mark === undefined ? '' : `<line class="zero" x1="${at(mark)}" x2="${at(mark)}" y1="0" y2="${HEIGHT}"/>`
  return `<svg width="${WIDTH}" height="${HEIGHT}" aria-hidden="true">${across}<line x1="${at(low)}" x2="${at(high)}" y1="${middle}" y2="${middle}"/><circle cx="${at(value)}" cy="${middle}" r="3"/></svg>`
}

const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#fbfbfa, #15181c); --ink: light-dark(#1d2126, #e4e7ea);
  --soft: light-dark(#5a626c, #9da6b0); --line: light-dark(#dfe2e6, #31373e); --accent: light-dark(#1f5fa8, #82b4ee);
  --mark: light-dark(#fff0b8, #574a12); }
body { margin: 1.5rem auto; padding: 0 1rem; background: var(--page); color: var(--ink);
  font: 0.9375rem / 1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.15rem; margin: 0; }
p { margin: 0.25rem 0; color: var(--soft); }
p.answer { margin: 0.75rem 0; color: var(--ink); font-weight: 600; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: 0.2rem 0.8rem 0.2rem 0.4rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { color: var(--soft); font-size: 0.8rem; }
td span { display: inline-block; min-width: 3.6rem; }
small { color: var(--soft); }
svg { vertical-align: middle; }
line { stroke: var(--accent); stroke-width: 2; }
line.zero { stroke: var(--line); stroke-width: 1; }
circle { fill: var(--accent); }
tr.marked { background: var(--mark); }
tr.marked small { color: var(--ink); }
`
