/** alpaca_eval's df_gamed.csv, or a file with the same columns. */
import { fileSource } from '../../files/files.ts'
import { utf8Text } from '../../files/text.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { GamedAnswer } from './length_control.ts'

/** @throws Fatal (no input) for a missing file, (data) for a wrong column */
export async function readGamedAnswers(path: string): Promise<GamedAnswer[]> {
  const text = await utf8Text(fileSource(path))
  const { parse } = await import('csv-parse/sync')
  const records = parse(text, { columns: true, skip_empty_lines: true, bom: true }) as Record<
    string,
    string
  >[]
  return records.map((record, i) => {
    const number = (column: string): number => {
      const value = Number(record[column] || Number.NaN)
      if (Number.isFinite(value)) return value
      throw new Fatal(
        EXIT.data,
        `${path}:${i + 2}: column ${column} is ${JSON.stringify(record[column])}, expected a number (--difficulty takes alpaca_eval’s df_gamed.csv)`,
      )
    }
    return {
      preference: number('preference'),
      index: number('index'),
      instruction: record.instruction,
      stdDeltaLength: number('std_delta_len'),
      difficulty: number('instruction_difficulty'),
    }
  })
}
