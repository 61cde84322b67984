/** Options that are gone, and the command that does their work. */

/** What uses several cores. */
const PARALLEL = 'parallel --pipepart, as in docs/scale.md'
/** What shows a table wider than the terminal. */
const PAGER = '--format table | less -S'

/** By filter and option; `VALUE` stands for the option's value. */
const MOVED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'jb-aggregate': {
    as: 'jb-write VALUE',
    save: 'jb-write lm-eval --save VALUE',
    stamp: 'jq -c \'. + {stamp: "VALUE"}\', or jb-write lm-eval --stamp VALUE',
    baseline: 'jb-write mt-bench-results --baseline VALUE',
    topics: 'jb-write FORMAT --topics VALUE',
    bank: 'jb-write nuggets --bank VALUE',
    measure: 'jb-write trec --measure VALUE, or jb-agree TRUTH --measure VALUE',
    set: 'jb-write trec --set VALUE',
    'on-missing': 'jb-write trec --on-missing VALUE, or jb-agree TRUTH --on-missing VALUE',
    default: 'jb-write trec --default VALUE, or jb-agree TRUTH --default VALUE',
    'drop-aggregate': 'jb-write trec --drop-aggregate, or jb-agree TRUTH --drop-aggregate',
    doc: 'jb-write qrels --doc VALUE',
    duplicates: 'jb-write qrels --duplicates VALUE',
    truth: 'jb-agree VALUE',
    'truth-from': 'jb-agree TRUTH --truth-from VALUE',
    from: 'jb-agree TRUTH --from VALUE',
    header: 'jb-agree TRUTH --header VALUE',
    correlation: 'jb-agree TRUTH --correlation VALUE',
    'truth-measure': 'jb-agree TRUTH --truth-measure VALUE',
    run: 'jb-agree TRUTH --run VALUE',
    'only-shared-runs': 'jb-agree TRUTH --only-shared-runs',
    aggregate: 'jb-agree TRUTH --aggregate',
    'diagnostics-dir': 'jb-agree TRUTH --diagnostics-dir VALUE',
    'only-topic': 'jb-agree TRUTH --topic VALUE',
    'only-shared-topics': 'jb-agree TRUTH --only-shared-topics',
    range: 'jb-agree TRUTH --range VALUE',
    relevant: 'jb-agree TRUTH --relevant VALUE',
    'max-grade': 'jb-agree TRUTH --max-grade VALUE',
    'default-grade': 'jb-agree TRUTH --default-grade VALUE',
    threads: PARALLEL,
    wide: PAGER,
  },
  'jb-audit': { wide: PAGER },
  'jb-compare': { wide: PAGER },
  'jb-parse': {
    format: 'jb-parse | jb-write VALUE',
    bom: 'jb-parse | jb-write csv --bom',
    safe: 'jb-parse | jb-write csv',
    limit: 'head -VALUE | jb-parse',
    threads: PARALLEL,
  },
  'jb-rank': { wide: PAGER },
  'jb-render': {
    preview: "jb-render --limit 1 | jq -r '.jb.request.messages[].content'",
    threads: PARALLEL,
  },
  'jb-score': {
    as: 'jb-write VALUE',
    topics: 'jb-write nuggets --topics VALUE',
    bank: 'jb-write nuggets --bank VALUE',
    format: 'jb-score | jb-write VALUE',
    bom: 'jb-score | jb-write csv --bom',
    safe: 'jb-score | jb-write csv',
    limit: 'jb-score | head -VALUE',
  },
  'jb-view': { follow: "watch 'jb-aggregate --format table FILE'" },
  'jb-write': {
    expect: 'jb-aggregate --expect VALUE',
    'fail-under': 'jb-aggregate --fail-under VALUE',
    'max-error-rate': 'jb-aggregate --max-error-rate VALUE',
  },
}

/** The command that took over an option; undefined if none did. @param value as it was given, if it was */
export function takenOver(filter: string, option: string, value?: unknown): string | undefined {
  const command = MOVED[filter]?.[option]
  return typeof value === 'string' ? command?.replaceAll('VALUE', value) : command
}
