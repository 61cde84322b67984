import { formatMembers } from '../../formats/_format.ts'
import { OUTPUT_OPTION } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'

/** The result of formatOfName for files that already hold rows. */
export const ROWS = 'rows'

/** The format by the ending of a file's name; undefined for a word without a known ending. */
export function formatOfName(name: string): string | undefined {
  const [, ending] = /\.(csv|tsv|json|jsonl|ndjson|parquet|eval)(?:\.gz)?$/i.exec(name) ?? []
  if (ending === undefined) return undefined
  const formats: Record<string, string> = {
    ...{ csv: 'csv', tsv: 'csv', json: 'json', parquet: 'parquet' },
    eval: 'inspect',
  }
  return formats[ending.toLowerCase()] ?? ROWS
}

const READERS = formatMembers('read')

export const spec = {
  name: 'jb-read',
  about: 'turns files of other formats into rows',
  operands: '[FORMAT] [FILE…]',
  /** `jb-read data.csv`: the format follows from the ending. */
  positional: (_, operands) => (formatOfName(operands[0] ?? '') === undefined ? ['FORMAT'] : []),
  standalone: ['list', 'completion'],
  members: { ...READERS, named: (operand: string) => READERS.named(formatOfName(operand) ?? operand) },
  input: 'files',
  examples: [
    { about: 'pairs to try things with', command: 'jb-read example > pairs.jsonl' },
    {
      about: 'a JSON array of any size, in constant memory',
      command: 'jb-read results.json | jb-render vanilla | head -1',
    },
    {
      about: 'published JudgeBench runs, scored again without a call',
      command:
        'jb-read judgebench-outputs outputs/*.jsonl |\n    jb-parse --compat judgebench | jb-aggregate',
    },
    {
      about: 'TREC AutoJudge: an item for each run and topic, with its nuggets',
      command:
        'jb-read autojudge --topics topics.jsonl --responses runs/ --nuggets bank/ |\n    jb-render rubric',
    },
    { about: 'list the formats', command: 'jb-read --list' },
  ],
  options: [
    OUTPUT_OPTION,
    { name: 'list', type: 'boolean', about: 'list the formats, one a line' },
    {
      name: 'completion',
      type: 'string',
      choices: ['bash', 'zsh', 'fish'],
      about: 'tab completion of all filters for this shell: source <(jb-read --completion bash)',
    },
  ],
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
} as const satisfies FilterSpec

export type ReadFormatOptions = OptionsOf<typeof spec>
