/** API keys that are given where they do not belong: no message repeats them. */

/** How keys of common providers begin that no model, judge or value begins with. */
const KEY = /^(?:sk-|gsk_|AIza)[\w-]{20,}$/

/** Whether a word of the command line is a key by its looks. */
export const looksLikeKey = (word: string) => KEY.test(word)

/** What a message says of such a word. */
export const KEY_ADVICE = 'keys are read from the environment only (OPENAI_API_KEY)'

/** Its beginning alone. */
export const maskedKey = (word: string) => `${word.slice(0, 3)}…`
