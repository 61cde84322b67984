/** Leaderboards and qrels of chance, against the figures that autojudge-evaluate has for them (scripts/oracles/autojudge.py). */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { Fatal } from '../../src/rows/record.ts'
import type { Context } from '../../src/rows/stage.ts'
import { type AgreeOptions, compareWithTruth } from '../../src/stages/agree/agree.ts'
import { agreementByTopic } from '../../src/trec/agreement.ts'
import { lastingFolder } from '../helpers/folder.ts'
import { runs } from '../helpers/random.ts'
import { pipe } from '../helpers/run.ts'
import { lines } from './_cli.ts'

interface Settings {
  on_missing: string
  correlation?: string[]
  only_shared_topics?: boolean
  drop_aggregate?: boolean
  only_shared_runs?: boolean
  run?: string[]
}
type Figures = 'error' | [truth: string, judge: string, values: Record<string, number | null>][]
interface Oracle {
  settings: Settings[]
  leaderboards: { truth: string; judge: string; figures: Figures[]; spread?: object[] | null }[]
  qrels: {
    truth: [string, string, number][]
    judge: [string, string, number][]
    options: Record<string, number | string>
    overlap: Record<string, number[]>
    agreement: Record<string, Record<string, number | null> & { Kappa: Record<string, number | null> }>
    /** The row MEAN, as it is printed. */
    mean: Record<string, number | null>
  }[]
}
const oracle: Oracle = JSON.parse(readFileSync('fixtures/autojudge/evaluate.json', 'utf8'))
/** Every second, or with RUNS=2 all of them. */
const LEADERBOARDS = oracle.leaderboards.filter((_, n) => n % 2 === 0 || runs(1) > 1)
const folder = lastingFolder()

/** As jb-agree's options are. */
const optionsOf = (one: Settings, compat: string | undefined): AgreeOptions =>
  ({
    from: 'ir_measures',
    header: 'no',
    correlation: one.correlation ?? [],
    onMissing: one.on_missing,
    default: 0,
    topic: [],
    onlyShared: [...(one.only_shared_topics ? ['topics'] : []), ...(one.only_shared_runs ? ['runs'] : [])],
    dropAggregate: one.drop_aggregate ?? false,
    run: one.run ?? [],
    measure: [],
    truthMeasure: [],
    range: [],
    relevant: '1',
    maxGrade: '1',
    aggregate: false,
    compat,
  }) as unknown as AgreeOptions

async function figuresOf(judge: string, settings: AgreeOptions): Promise<Figures> {
  const source = { name: 'judge.txt', open: () => Readable.from([Buffer.from(judge)]) }
  const positional = [join(folder, 'truth.txt')]
  const context = { positional, sources: [source], note() {}, terminal: {} } as unknown as Context
  try {
    const rows: [unknown, unknown, object][] = []
    for (const row of await compareWithTruth(settings, context)) {
      const { Judge, TruthMeasure, EvalMeasure, missing_runs, on_missing, runs_not_in_truth, ...values } = row
      rows.push([TruthMeasure, EvalMeasure, values])
    }
    return rows as Figures
  } catch (error) {
    if (error instanceof Fatal) return 'error'
    throw error
  }
}

/** Whether both end with an error, or have the same figures to 1e-9. @param skipped names of figures that may differ */
function same(given: Figures, expected: Figures, skipped = (_name: string) => false): boolean {
  if (given === 'error' || expected === 'error') return given === expected
  return (
    given.length === expected.length &&
    expected.every(([truth, judge, values]) => {
      const found = given.find(([one, two]) => one === truth && two === judge)?.[2] ?? {}
      return Object.entries(values).every(
        ([name, value]) =>
          skipped(name) || (value === null ? found[name] === null : Math.abs(found[name]! - value) < 1e-9),
      )
    })
  )
}

/** Whether two runs have the same total of a measure. */
function tied(truth: string): boolean {
  const totals = truth.match(/\tall\t.*/g) ?? []
  return new Set(totals).size < totals.length
}

describe('leaderboards of chance', () => {
  it('--compat autojudge has every figure of the original, NaN and errors included', async () => {
    for (const [n, { truth, judge, figures }] of LEADERBOARDS.entries()) {
      writeFileSync(join(folder, 'truth.txt'), truth)
      for (const [i, settings] of oracle.settings.entries()) {
        const given = await figuresOf(judge, optionsOf(settings, 'autojudge'))
        assert.ok(
          same(given, figures[i]!),
          `leaderboard ${n}, ${JSON.stringify(settings)}: ${JSON.stringify(given)}, expected ${JSON.stringify(figures[i])}`,
        )
      }
    }
  })
  it('without it they differ only where NaN, runs that one side lacks, or errors are treated otherwise', async () => {
    let compared = 0
    for (const [n, { truth, judge, figures }] of LEADERBOARDS.entries()) {
      const runs = (text: string) => new Set(text.match(/^\w+/gm))
      const summed = [truth, judge].every((text) => text.includes('\tall\t'))
      if (!summed || /nan/.test(truth + judge) || [...runs(truth)].join() !== [...runs(judge)].sort().join())
        continue
      writeFileSync(join(folder, 'truth.txt'), truth)
      for (const [i, settings] of oracle.settings.entries()) {
        if (figures[i] === 'error' || settings.run?.some((run) => !runs(truth).has(run))) continue
        compared++
        const given = await figuresOf(judge, optionsOf(settings, undefined))
        // Of runs that tie at place K the original takes the first, jb all.
        const skipped = (name: string) => tied(truth) && name.includes('@')
        assert.ok(same(given, figures[i]!, skipped), `leaderboard ${n}, ${JSON.stringify(settings)}`)
      }
    }
    assert.ok(compared > 150, String(compared))
  })
})

describe('--compat autojudge', () => {
  it('fewer than three runs are an error where NAME@K leaves so few', async () => {
    const { truth, judge } = oracle.leaderboards[1]!
    writeFileSync(join(folder, 'truth.txt'), truth)
    const figures = (compat?: string) =>
      figuresOf(judge, optionsOf({ on_missing: 'skip', correlation: ['kendall@2'] }, compat))
    assert.equal(await figures('autojudge'), 'error')
    assert.notEqual(await figures(), 'error')
  })
})

describe('runs and values that are missing', () => {
  const rows = (measure: string, values: Record<string, number>, topics = ['1', 'all']) =>
    Object.entries(values).flatMap(([run, value]) =>
      topics.map((topic) => `${run}\t${topic}\t${measure}\t${value}\n`),
    )
  const truth = rows('T', { a: 5, b: 4, c: 3, d: 2, e: 1 }).join('')
  const judge = rows('M', { a: 1, b: 5, c: 2, d: 4, e: 3 })

  it('--compat autojudge: the top runs are those of the truth, also where the judge has no "all" row of one', async () => {
    writeFileSync(join(folder, 'truth.txt'), truth)
    const settings = { on_missing: 'skip', correlation: ['kendall@4'] }
    const without = judge.filter((row) => !row.startsWith('b\tall')).join('')
    // a, c and d; autojudge-evaluate 1.1.0 has this figure, too.
    assert.deepEqual(await figuresOf(without, optionsOf(settings, 'autojudge')), [
      ['T', 'M', { 'kendall@4': -1 }],
    ])
  })
  it('--on-missing error: a measure that a run lacks for one topic', async () => {
    writeFileSync(join(folder, 'truth.txt'), truth)
    const two = [...judge, ...rows('N', { a: 1, b: 5, c: 2, d: 4, e: 3 })]
    const without = two.filter((row) => !row.startsWith('b\t1\tN')).join('')
    for (const compat of ['autojudge', undefined]) {
      const settings = optionsOf({ on_missing: 'error', correlation: ['kendall'] }, compat)
      assert.notEqual(await figuresOf(two.join(''), settings), 'error')
      assert.equal(await figuresOf(without, settings), 'error', compat)
    }
  })
})

describe('the spread of leaderboards of chance', () => {
  it('is the original’s, runs in its order', async () => {
    for (const [n, { judge, spread }] of oracle.leaderboards.entries()) {
      // There a run with NaN has a row without figures.
      if (!spread || judge.includes('nan')) continue
      writeFileSync(join(folder, 'judge.txt'), judge)
      const read = 'jb-read -q ir_measures --header no judge.txt'
      const { stdout } = await pipe(`${read} | jb-write spread -q`, { cwd: folder })
      const wanted = (spread as { Judge: string }[]).map(({ Judge: _, ...row }) => row)
      assert.deepEqual(lines(stdout), wanted, `leaderboard ${n}`)
    }
  })
})

describe('qrels of chance', () => {
  it('have the original’s agreement, and a reason wherever it is undefined', () => {
    for (const [
      n,
      { truth, judge, options, overlap, agreement: expected, mean: printed },
    ] of oracle.qrels.entries()) {
      const side = (rows: [string, string, number][]) =>
        rows.map(([topic, doc, grade]) => ({ topic, doc, grade }))
      const all = agreementByTopic(side(truth), side(judge), {
        truthMin: Number(options.truth_relevance_threshold),
        judgeMin: Number(options.predict_relevance_threshold),
        truthMax: Number(options.truth_max_grade),
        judgeMax: Number(options.predict_max_grade),
        defaultGrade: Number(options.default_grade),
        sharedTopics: options.on_missing === 'skip',
      })
      const rows = all.slice(0, -1)
      const mean = all.at(-1)!.values
      for (const [name, value] of Object.entries(printed))
        assert.equal(mean[name], value, `qrels ${n}, ${name}`)
      assert.deepEqual(
        rows.map(({ topic }) => topic),
        Object.keys(expected),
        `qrels ${n}`,
      )
      for (const { topic, values, why } of rows) {
        const { Kappa, ...measures } = expected[topic]!
        const grid = Object.entries(Kappa)
        const kappas = grid.map(([name, value]) => [grid.length === 1 ? 'Kappa@1' : `Kappa@${name}`, value])
        const sets = overlap[topic] ?? []
        const names = ['Precision', 'Recall', 'F1', 'TP', 'FP', 'FN']
        const figures = { ...measures, ...Object.fromEntries(kappas) } as Record<string, number | null>
        for (const [i, name] of names.entries()) figures[name] = sets[i] ?? null
        for (const [name, value] of Object.entries(figures)) {
          const text = `qrels ${n}, topic ${topic}, ${name}: ${values[name]}, expected ${value}`
          if (value === null) assert.ok(values[name] === null && (names.includes(name) || why[name]), text)
          else assert.ok(Math.abs(values[name]! - value) <= 0.5000001e-4, text)
        }
      }
    }
  })
})
