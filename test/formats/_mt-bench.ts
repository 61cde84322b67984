/** A small MT-bench folder: questions, answers of two models, a reference, prompts. */
import { ndjson } from '../helpers/rows.ts'

export const bench = {
  'question.jsonl': ndjson([
    { question_id: 1, category: 'writing', turns: ['Write.', 'Again.'] },
    { question_id: 2, category: 'math', turns: ['1+1?', '2+2?'] },
    { question_id: 3, category: 'math', turns: ['Only one turn: 3+3?'] },
  ]),
  'model_answer/m1.jsonl': ndjson([1, 2, 3].map((id) => answer('m1', id))),
  'model_answer/m2.jsonl': ndjson([1, 3].map((id) => answer('m2', id))),
  'reference_answer/gpt-4.jsonl': ndjson([answer('gpt-4', 2)]),
  'model_judgment/gpt-4_single.jsonl': ndjson([{ question_id: 1, model: 'm1', judgment: 'x' }]),
  'judge_prompts.jsonl': ndjson([
    {
      name: 's',
      type: 'single',
      system_prompt: 'You {judge}.',
      prompt_template: 'Q {question} A {answer} {{5}}',
      output_format: '[[rating]]',
    },
    {
      name: 'm',
      type: 'single',
      system_prompt: '',
      prompt_template: 'Q {question} A {answer} R {ref_answer_1}',
      output_format: '[[rating]]',
    },
    {
      name: 'p',
      type: 'pairwise',
      system_prompt: '',
      prompt_template: 'Q {question} A {answer_a} B {answer_b}',
      output_format: '[[A]]',
    },
    {
      name: 'p2',
      type: 'pairwise',
      system_prompt: '',
      prompt_template: 'Q {question_1} {question_2} A {answer_a_1} {answer_a_2} B {answer_b_1} {answer_b_2}',
      output_format: '[[A]]',
    },
  ]),
}

function answer(model: string, id: number) {
  return {
    question_id: id,
    model_id: model,
    choices: [{ index: 0, turns: [`${model} ${id} one`, `${model} ${id} two`] }],
  }
}
