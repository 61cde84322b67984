/** Prompts in ChatML, `<|im_start|>system … <|im_end|>`, the format of alpaca_eval and LLMBar. */
import type { Message } from '../rows/record.ts'

const [START, END] = ['<|im_start|>', '<|im_end|>']

/** The trimmed messages of a prompt in ChatML; undefined if it is in another format. */
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
