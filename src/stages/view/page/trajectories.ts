/** What two conversations do differently. */
import type { Call } from '../../../chat/forms.ts'
import { type ChatMessage, isConversation, messagesOf } from '../../../chat/message.ts'
import { withExactIntegers } from '../../../rows/exact_json.ts'
import type { Any } from './data.ts'
import { differing } from './words.ts'

/** The messages of a value that is a conversation. */
export const conversationIn = (value: Any): ChatMessage[] | undefined =>
  isConversation(value) ? messagesOf(value) : undefined

/** What a message says, the same in two runs: without the ids of calls, which are new in each. */
const keyOf = ({ role, text, calls, tool, error, media }: ChatMessage): string =>
  JSON.stringify([role, text, calls.map((call) => [call.name, compact(call)]), tool, error, media])

/** A text that is the same for values that show the same. */
export function sameText(value: Any): string {
  const messages = conversationIn(value)
  return JSON.stringify(messages ? messages.map(keyOf) : value) ?? ''
}

/** Which messages of each conversation the other does not have. */
export const ownMessages = (a: ChatMessage[], b: ChatMessage[]): [boolean[], boolean[]] =>
  differing(a.map(keyOf), b.map(keyOf))

/** A call's arguments as JSON without blanks, or their text if they are not JSON. */
function compact({ arguments: given }: Call): string {
  const text = argumentsOf(given)
  try {
    return JSON.stringify(JSON.parse(withExactIntegers(text)))
  } catch {
    return text
  }
}

/** A text as it stands, whose numbers keep their digits; a value as JSON. */
export const argumentsOf = (given: Any): string =>
  typeof given === 'string' ? given : given === null ? '' : JSON.stringify(given, null, 2)
