/** A page of `jb-compare --choose`: a line a run. It has no script. */
import type { Rows } from '../../rows/reader.ts'
import { isObject, type JsonObject } from '../../rows/record.ts'
import { type ChoiceRun, choiceSentences } from '../../scoring/choice_report.ts'
import { drawn, isInterval, isNumber, recordsIn, reportPage, sentencesHtml, table } from './report_page.ts'

const share = (value: number | undefined, digits: number) =>
  value === undefined ? '' : `${(100 * value).toFixed(digits)} %`

/** @throws Fatal (data) for a line that is not such a report */
export async function choicePage(path: string, rows: Rows): Promise<string> {
  const reports = await recordsIn(rows, 'jb-compare --choose', isWhole)
  const told = reports.map((report) => `${sentencesHtml(choiceSentences(report))}\n${runsTable(report)}`)
  return reportPage(
    path,
    `${told.join('\n')}\n<p>The table has each run’s own figures, before the choice is allowed for, from 0 to 100 %; picked: in how many resamples of the labels it is chosen.</p>`,
  )
}

const isWhole = ({ sentence, runs }: JsonObject): boolean =>
  typeof sentence === 'string' && Array.isArray(runs) && runs.every(isRun)

const isRun = (run: unknown): boolean =>
  isObject(run) &&
  typeof run.run === 'string' &&
  isInterval(run.ci) &&
  [run.value, run.failed, run.missing, run.picked].every(isNumber)

function runsTable(report: JsonObject): string {
  const runs = report.runs as unknown as ChoiceRun[]
  const columns: [title: string, html: (run: ChoiceRun) => string, isShown?: (run: ChoiceRun) => boolean][] =
    [
      ['threshold', ({ threshold }) => String(threshold ?? ''), ({ threshold }) => threshold !== null],
      [String(report.choose), valueHtml],
      ['sensitivity', ({ sensitivity }) => share(sensitivity, 1), (run) => run.sensitivity !== undefined],
      ['specificity', ({ specificity }) => share(specificity, 1), (run) => run.specificity !== undefined],
      ['failed', ({ failed }) => String(failed)],
      ['missing', ({ missing }) => String(missing)],
      ['picked', ({ picked }) => share(picked, 1)],
    ]
  const shown = columns.filter(([, , isShown]) => !isShown || runs.some(isShown))
  return table(
    ['run', ...shown.map(([title]) => title)],
    runs.map((run) => ({
      name: run.run,
      cells: shown.map(([, html]) => html(run)),
      marked: run.run === report.best,
    })),
  )
}

/** Its own value, before any choice. */
function valueHtml({ value, ci }: ChoiceRun): string {
  const ends = ci.map((one) => (100 * one).toFixed(1)).join(' to ')
  return `<span>${share(value, 1)}</span> ${drawn(value, ci, [0, 1])} <small>${ends}</small>`
}
