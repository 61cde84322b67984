/** Prompts in ChatML, `<|im_start|>system … <|im_end|>`, as alpaca_eval and LLMBar keep them. */
import type { Message } from '../rows/record.ts'

const [START, END] = ['<|im_start|>', '<|im_end|>']

/** The messages of a prompt in ChatML, without white space around them; undefined where it is not valid. */
export function chatMessages(prompt: string): Message[] | undefined {
  if (!prompt.trimStart().startsWith(START)) return undefined
  return prompt
    .split(START)
    .slice(1)
    .map((part) => {
      const [role = '', ...lines] = part.split('\n')
      return { role: role.trim() as Message['role'], content: lines.join('\n').split(END)[0]!.trim() }
    })
}
