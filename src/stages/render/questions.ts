/** Typed questions of a judge file: its templates, and the questions that they make of a row. */

import type { Judge, JudgeQuestion } from '../../judges/_judge.ts'
import { statedValues } from '../../judges/_questions.ts'
import type { Question } from '../../rows/questions.ts'
import { type Criterion, isObject, type Json, RowFailure } from '../../rows/record.ts'
import type { Template } from '../../templates/index.ts'
import { meaningsOf } from '../../verdicts/answers.ts'

/** Renders a template, without spaces at its ends. */
type Render = (template: Template) => string

interface CompiledQuestion {
  templates: readonly Template[]
  /** @param extra JSON texts by name: of a criterion its `options`. @throws RowFailure bad_record */
  ask(name: string, render: Render, extra: ReadonlyMap<string, string>): Question
}

/** @param compile a template and the key that has it */
export function typedQuestion(
  question: JudgeQuestion,
  compile: (text: string, key: string) => Template,
): CompiledQuestion {
  if ('predicate' in question) {
    const statement = compile(question.predicate, 'predicate')
    return {
      templates: [statement],
      ask: (name, render) => ({ type: 'predicate', name, instructions: render(statement) }),
    }
  }
  const type = 'choice' in question ? 'choice' : 'score'
  const instructions = compile(question.ask, 'ask')
  const values = statedValues(question)?.map(([value, meaning]) => ({
    value,
    meaning: meaning.trim() === '' ? undefined : compile(meaning, `${type}.${value}`),
  }))
  return {
    templates: [instructions, ...(values ?? []).flatMap(({ meaning }) => meaning ?? [])],
    ask(name, render, extra) {
      const listed =
        values?.map(({ value, meaning }) => [value, meaning ? render(meaning) : ''] as const) ??
        optionsIn(extra)
      const described = listed.map(([value, meaning]) => ({
        value,
        ...(meaning !== '' && { description: meaning }),
      }))
      const asked = { name, instructions: render(instructions) }
      return type === 'choice'
        ? { type, ...asked, choices: described }
        : { type, ...asked, levels: described.map(({ value: label, ...meaning }) => ({ label, ...meaning })) }
    },
  }
}

/** The options of a criterion in the order shown, with what they mean. @throws RowFailure bad_record */
function optionsIn(extra: ReadonlyMap<string, string>): [value: string, meaning: string][] {
  const options = JSON.parse(extra.get('options') ?? '[]') as Criterion['options']
  const names = options.map(({ name }) => name)
  if (names.length < 2 || new Set(names).size < names.length)
    throw new RowFailure(
      'bad_record',
      `a criterion has the options ${names.join(', ') || 'none'}: at least two different ones are needed`,
    )
  return options.map(({ name, description }) => [name, (description ?? '').trim()])
}

/** The questions of a file as criteria of equal weight. */
export function criteriaOfFile(judge: Judge, questions: readonly Question[]): Criterion[] {
  const field = judge.answers?.[0] ?? Object.keys(judge.fields)[0] ?? ''
  const scores = isObject(judge.verdict?.options) ? (judge.verdict.options as Record<string, Json>) : {}
  return questions.map((question) => ({
    name: question.name,
    description: question.instructions,
    to_evaluate_field: judge.fields[field] ?? field,
    context_fields: null,
    options: meaningsOf(question, judge).map((meaning) => ({
      name: String(meaning),
      description: '',
      score: typeof meaning === 'number' ? meaning : ((scores[meaning] as number | undefined) ?? null),
    })),
    weight: 1 / questions.length,
  }))
}
