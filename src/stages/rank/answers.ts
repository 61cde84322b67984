/** `--answers`: the models' answers that battles are chosen from. */

import { modelOutputs, type Output, pairedRow, sameQuestion } from '../../formats/pair.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'

export class ModelAnswers {
  /** By model: the questions that it answered. */
  readonly questions = new Map<string, Set<string>>()
  private readonly outputs = new Map<string, Map<string, Output>>()

  /** @throws Fatal (data) for an answer that is there twice, and for two questions of one id */
  static async read(
    files: readonly string[],
    id: string | undefined,
    context: Context,
  ): Promise<ModelAnswers> {
    const answers = new ModelAnswers()
    for (const file of files)
      for await (const output of modelOutputs(file, { id }, context)) answers.add(output)
    return answers
  }

  private add(output: Output): void {
    const { id, model, row } = output
    if (model === undefined)
      throw new Fatal(EXIT.data, `${row.place}: no model, model_id or generator says whose answer it is`)
    const own = getOrInsert(this.outputs, id, () => new Map<string, Output>())
    const before = own.get(model)?.row
    if (before) {
      const where = before.file === row.file ? `line ${before.line}` : before.place
      throw new Fatal(EXIT.data, `${row.place}: ${model} has answered ${id} in ${where} already`)
    }
    const [other] = own.values()
    if (other) sameQuestion(other, output)
    own.set(model, output)
    getOrInsert(this.questions, model, () => new Set<string>()).add(id)
  }

  /** The pair of two models' answers to a question, as jb-read pair makes it. */
  pair({ question, a, b }: { question: string; a: string; b: string }): Row {
    const own = this.outputs.get(question)!
    return pairedRow(own.get(a)!, own.get(b)!, { model_a: a, model_b: b })
  }
}
